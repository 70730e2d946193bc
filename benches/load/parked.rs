//! What waiting costs: memory and time of thousands of parked waits, and how fast they all end.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{self, Instant};

use super::http::Connection;
use super::lab::{Broker, Lab};
use super::machine::{Busy, resident_bytes};
use super::sockets;
use super::staff::{self, asked_calls};
use super::table::{Figure, Table, megabytes, rate, show_rate};
use super::trips::trip;

/// So many ask at a time, as agents do that do not all start in one moment: what a burst needs is not what waiting
/// costs. Also below every listener's backlog.
const ASKING_MAX: usize = 100;
const ANSWERING: usize = 64;
const SOCKETS: usize = 10;
/// From the last ask until the server is idle.
const SETTLING: Duration = Duration::from_secs(2);
/// Parked at most; exactly what one asker may have pending.
const PARKED_MAX: usize = 10_000;

/// By which way they wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    LongPolls,
    Sockets,
}

/// Many who wait, each for its own call.
struct Parked {
    waits: JoinSet<anyhow::Result<()>>,
    ids: Vec<String>,
}

pub async fn measure(lab: &Lab, files: u64, table: &mut Table) -> anyhow::Result<()> {
    let long_polls = [lab.count(1_000, 200), lab.count(most_parked(files), 0)];
    for count in long_polls.into_iter().filter(|count| *count > 0) {
        park(lab, Way::LongPolls, count, table).await?;
    }
    park(lab, Way::Sockets, lab.count(PARKED_MAX, 200), table).await
}

/// As many long polls as there may be files, some left for the rest.
fn most_parked(files: u64) -> usize {
    let most = usize::try_from(files.saturating_sub(300)).unwrap_or(usize::MAX).min(PARKED_MAX);
    if most < PARKED_MAX {
        eprintln!("  only {files} files may be open: parking {most} long polls instead of {PARKED_MAX}");
    }
    most
}

async fn park(lab: &Lab, way: Way, count: usize, table: &mut Table) -> anyhow::Result<()> {
    let broker = lab.broker()?;
    warm_up(&broker).await?;
    let before = resident_bytes(broker.program.id())?;
    let begin = Instant::now();
    let parked = Parked::all(&broker, way, count).await?;
    let asking = begin.elapsed();
    let settling = if lab.options.smoke { Duration::from_millis(200) } else { SETTLING };
    time::sleep(settling).await;
    let more = resident_bytes(broker.program.id())?.saturating_sub(before);
    let idle = Busy::from_now(broker.program.id())?;
    let watching = if lab.options.smoke { lab.options.time } else { lab.options.time.max(Duration::from_secs(5)) };
    time::sleep(watching).await;
    let percent = idle.cores()? * 100.0;
    let begin = Instant::now();
    parked.answer_all(&broker).await?;
    let answering = begin.elapsed();
    let name = match way {
        Way::LongPolls => format!("{count} parked long polls"),
        Way::Sockets => format!("{count} waits on {} WebSockets", SOCKETS.min(count)),
    };
    let has_aim = count == PARKED_MAX;
    let memory = Figure::new(format!("{name}: memory"), format!("{:.1} MB", megabytes(more))).note(format!(
        "{} bytes each; parked at {}",
        more / u64::try_from(count)?,
        show_rate(rate(count, asking))
    ));
    table.add(if has_aim { memory.below(megabytes(more), 100.0, " MB").not_judged() } else { memory });
    let cpu = Figure::new(format!("{name}: idle CPU"), format!("{percent:.2} %")).note("of one core");
    table.add(if has_aim { cpu.below(percent, 1.0, " %").not_judged() } else { cpu });
    let storm = Figure::new(format!("{name}: all answered"), show_rate(rate(count, answering)));
    table.add(storm.note("answered and delivered, each its own"));
    Ok(())
}

/// The first calls make pools and caches grow; that is not what waiting costs.
async fn warm_up(broker: &Broker) -> anyhow::Result<()> {
    let mut staff = staff::Staff::hire(&broker.program, 1).await?;
    let mut asker = Connection::open(broker.program.address, &broker.program.agent).await?;
    for number in 0..50 {
        staff.during(trip(&mut asker, &format!("warm-up {number}"))).await?;
    }
    Ok(())
}

impl Parked {
    /// Parks them all; returns when the feed has told that every one is asked.
    async fn all(broker: &Broker, way: Way, count: usize) -> anyhow::Result<Self> {
        let mut feeds = JoinSet::new();
        let mut asked = asked_calls(&broker.program, &mut feeds).await?;
        let mut waits = JoinSet::new();
        let turns = Arc::new(Semaphore::new(ASKING_MAX));
        match way {
            Way::LongPolls => long_polls(broker, count, &turns, &mut waits),
            Way::Sockets => sockets::park(broker, SOCKETS.min(count), count, &turns, &mut waits).await?,
        }
        let mut ids = Vec::with_capacity(count);
        while ids.len() < count {
            tokio::select! {
                id = asked.recv() => {
                    ids.push(id.context("the feed goes on")?);
                    turns.add_permits(1);
                }
                ended = waits.join_next() => {
                    ended.context("somebody waits")??.context("a wait could not be parked")?;
                    anyhow::bail!("a wait ended before its call was answered");
                }
            }
        }
        Ok(Self { waits, ids })
    }

    /// Answers every call; returns when everybody has the own answer.
    async fn answer_all(mut self, broker: &Broker) -> anyhow::Result<()> {
        let program = &broker.program;
        let mut people = JoinSet::new();
        for start in 0..ANSWERING {
            let mut connection = Connection::open(program.address, &program.owner).await?;
            let ids: Vec<_> = self.ids.iter().skip(start).step_by(ANSWERING).cloned().collect();
            people.spawn(async move {
                for id in ids {
                    staff::answer(&mut connection, &id).await?;
                }
                anyhow::Ok(())
            });
        }
        for tasks in [&mut people, &mut self.waits] {
            while let Some(ended) = tasks.join_next().await {
                ended??;
            }
        }
        Ok(())
    }
}

fn long_polls(broker: &Broker, count: usize, turns: &Arc<Semaphore>, waits: &mut JoinSet<anyhow::Result<()>>) {
    let (address, token) = (broker.program.address, broker.program.agent.clone());
    for number in 0..count {
        let (turns, token) = (Arc::clone(turns), token.clone());
        waits.spawn(async move {
            // Given back by the feed.
            turns.acquire().await?.forget();
            let mut connection = Connection::open(address, &token).await?;
            trip(&mut connection, &format!("long poll {number}")).await
        });
    }
}
