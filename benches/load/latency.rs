//! How long an answer takes to the one who waits for it, while there is little to do.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{self, Instant};

use super::calls::{self, Call};
use super::http::Connection;
use super::lab::Lab;
use super::program::Program;
use super::staff;
use super::table::{Figure, Table, millis, percentile, show_millis};

const TRIPS_PER_SECOND: u32 = 100;
/// Enough for the longest trip at that rate.
const PAIRS: usize = 64;
/// Time for a long poll to be parked before it is answered.
const PARKING: Duration = Duration::from_millis(30);

/// An asker's and a person's connection.
struct Pair {
    asker: Connection,
    person: Connection,
}

/// From the moment at which the answer is sent.
struct Times {
    to_waiter: Duration,
    to_person: Duration,
}

type Pool = Arc<Mutex<Vec<Pair>>>;

pub async fn measure(lab: &Lab, table: &mut Table) -> anyhow::Result<()> {
    let broker = lab.broker()?;
    let pool = Arc::new(Mutex::new(pairs(&broker.program).await?));
    let count = usize::try_from(TRIPS_PER_SECOND)? * usize::try_from(lab.options.time.as_millis())? / 1000;
    let mut ticks = time::interval(Duration::from_secs(1) / TRIPS_PER_SECOND);
    let mut tasks = JoinSet::new();
    for number in 0..count {
        ticks.tick().await;
        tasks.spawn(trip_with_any(Arc::clone(&pool), number));
    }
    let mut times = Vec::new();
    while let Some(trip) = tasks.join_next().await {
        times.push(trip??);
    }
    let sorted = |time: fn(&Times) -> Duration| {
        let mut sorted: Vec<_> = times.iter().map(time).collect();
        sorted.sort();
        sorted
    };
    let waiter = sorted(|times| times.to_waiter);
    let person = sorted(|times| times.to_person);
    let note = format!(
        "{count} answers at {TRIPS_PER_SECOND}/s; the person's own reply p50 {}, p99 {}",
        show_millis(percentile(&person, 50)),
        show_millis(percentile(&person, 99))
    );
    table.add(Figure::new("answer to waiter, p50", show_millis(percentile(&waiter, 50))).note(note));
    let p99 = percentile(&waiter, 99);
    let figure = Figure::new("answer to waiter, p99", show_millis(p99)).below(millis(p99), 5.0, " ms");
    table.add(figure.note("from sending the answer to the waiter's bytes, the commit included"));
    Ok(())
}

async fn pairs(program: &Program) -> anyhow::Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for _ in 0..PAIRS {
        pairs.push(Pair {
            asker: Connection::open(program.address, &program.agent).await?,
            person: Connection::open(program.address, &program.owner).await?,
        });
    }
    Ok(pairs)
}

async fn trip_with_any(pool: Pool, number: usize) -> anyhow::Result<Times> {
    let pair = pool.lock().await.pop();
    let mut pair = pair.context("a trip takes so long that every connection is in use")?;
    let times = trip(&mut pair, &format!("trip {number}")).await?;
    pool.lock().await.push(pair);
    Ok(times)
}

async fn trip(pair: &mut Pair, title: &str) -> anyhow::Result<Times> {
    let Pair { asker, person } = pair;
    let asked = Call::of_reply(&asker.post("/v1/calls", &calls::ask(title).to_string()).await?)?;
    let wait = async {
        let reply = asker.get(&format!("/v1/calls/{}?wait=50", asked.id)).await?;
        anyhow::Ok((Instant::now(), reply))
    };
    let answer = async {
        time::sleep(PARKING).await;
        let sent = Instant::now();
        staff::answer(person, &asked.id).await?;
        anyhow::Ok((sent, sent.elapsed()))
    };
    let ((received, reply), (sent, to_person)) = tokio::try_join!(wait, answer)?;
    Call::of_reply(&reply)?.expect_own_answer(title)?;
    Ok(Times { to_waiter: received.saturating_duration_since(sent), to_person })
}
