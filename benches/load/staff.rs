//! People who answer whatever is asked, as fast as they can: one feed that tells them, one connection for each.

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use super::calls;
use super::http::{Connection, Feed};
use super::program::Program;

/// People at work. They stop when this is dropped.
pub struct Staff {
    tasks: JoinSet<anyhow::Result<()>>,
}

type Inbox = Arc<Mutex<mpsc::UnboundedReceiver<String>>>;

/// Follows the feed and passes on the id of every call that is asked, from before this returns.
pub async fn asked_calls(
    broker: &Program,
    tasks: &mut JoinSet<anyhow::Result<()>>,
) -> anyhow::Result<mpsc::UnboundedReceiver<String>> {
    let mut feed = Feed::open(broker.address, &broker.owner, None).await.context("could not open the feed")?;
    let first = feed.next().await?;
    ensure!(first.name == "ready", "a feed that starts now begins with {first:?}");
    let (sender, inbox) = mpsc::unbounded_channel();
    tasks.spawn(async move {
        loop {
            let item = feed.next().await.context("the feed ended")?;
            ensure!(item.name != "reset", "the feed lost its place");
            if item.name == "call.asked" && sender.send(calls::call_of_event(&item.data)?).is_err() {
                return Ok(());
            }
        }
    });
    Ok(inbox)
}

impl Staff {
    /// Sets so many people to work.
    pub async fn hire(broker: &Program, count: usize) -> anyhow::Result<Self> {
        let mut tasks = JoinSet::new();
        let inbox = asked_calls(broker, &mut tasks).await?;
        let inbox = Arc::new(Mutex::new(inbox));
        for _ in 0..count {
            let connection = Connection::open(broker.address, &broker.owner).await?;
            tasks.spawn(answer_all(connection, Arc::clone(&inbox)));
        }
        Ok(Self { tasks })
    }

    /// Does something while they work; fails as soon as one of them does.
    pub async fn during<T>(&mut self, work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
        tokio::select! {
            done = work => done,
            ended = self.tasks.join_next() => {
                ended.context("somebody is at work")??.context("a person could not go on")?;
                anyhow::bail!("a person stopped working")
            }
        }
    }
}

async fn answer_all(mut connection: Connection, inbox: Inbox) -> anyhow::Result<()> {
    loop {
        let next = inbox.lock().await.recv().await;
        let Some(id) = next else { return Ok(()) };
        answer(&mut connection, &id).await?;
    }
}

/// Answers a call, which nobody else does.
pub async fn answer(connection: &mut Connection, id: &str) -> anyhow::Result<()> {
    let reply = connection.post(&format!("/v1/calls/{id}/answer"), &calls::answer(id)).await?;
    let text = || String::from_utf8_lossy(&reply.body).into_owned();
    ensure!(reply.status == 200, "the only answer to {id} was refused with {}: {}", reply.status, text());
    Ok(())
}
