//! Rates: asks that are on disk when they are acknowledged, and whole round trips.

use std::time::Duration;

use anyhow::Context as _;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::calls::{self, Call};
use super::http::Connection;
use super::lab::Lab;
use super::machine::Busy;
use super::staff::Staff;
use super::table::{Figure, Table, percentile, rate, show_millis, show_rate};

const CONCURRENT: [usize; 4] = [1, 16, 64, 256];
/// A little less than an asker may have pending.
const ASKS_MAX: usize = 9_500;

/// What one asker did.
#[derive(Clone, Copy)]
enum Work {
    /// Asks without waiting.
    Ask,
    /// Asks and waits for the outcome.
    Trip,
}

/// What all askers of a run did.
struct Done {
    times: Vec<Duration>,
    took: Duration,
}

pub async fn measure_asks(lab: &Lab, table: &mut Table) -> anyhow::Result<()> {
    for concurrent in CONCURRENT {
        // A new broker for each, because what is only asked stays pending and that has a limit.
        let broker = lab.broker()?;
        let (server, client) = (Busy::from_now(broker.program.id())?, Busy::from_now(std::process::id())?);
        let askers = Askers { lab, work: Work::Ask, concurrent, each_max: ASKS_MAX / concurrent };
        let done = askers.run(&broker).await?;
        let figure = done.figure(format!("durable asks, {concurrent} at once"), &server, &client)?;
        table.add(figure);
    }
    Ok(())
}

pub async fn measure_trips(lab: &Lab, table: &mut Table) -> anyhow::Result<()> {
    for concurrent in CONCURRENT {
        let broker = lab.broker()?;
        let mut staff = Staff::hire(&broker.program, concurrent).await?;
        let (server, client) = (Busy::from_now(broker.program.id())?, Busy::from_now(std::process::id())?);
        let askers = Askers { lab, work: Work::Trip, concurrent, each_max: usize::MAX };
        let done = staff.during(askers.run(&broker)).await?;
        let mut figure = done.figure(format!("round trips, {concurrent} at once"), &server, &client)?;
        if concurrent == 64 {
            figure = figure.at_least(done.rate(), 3000.0, "/s");
        }
        table.add(figure);
    }
    Ok(())
}

struct Askers<'a> {
    lab: &'a Lab,
    work: Work,
    concurrent: usize,
    each_max: usize,
}

impl Askers<'_> {
    async fn run(&self, broker: &super::lab::Broker) -> anyhow::Result<Done> {
        let program = &broker.program;
        let mut connections = Vec::new();
        for _ in 0..self.concurrent {
            connections.push(Connection::open(program.address, &program.agent).await?);
        }
        let begin = Instant::now();
        let end = begin + self.lab.options.time;
        let mut tasks = JoinSet::new();
        for (number, connection) in connections.into_iter().enumerate() {
            let name = format!("{} of {}", number, self.concurrent);
            tasks.spawn(ask_until(end, connection, self.work, name, self.each_max));
        }
        let mut times = Vec::new();
        while let Some(asker) = tasks.join_next().await {
            times.extend(asker?.context("an asker could not go on")?);
        }
        let took = begin.elapsed();
        times.sort();
        Ok(Done { times, took })
    }
}

async fn ask_until(
    end: Instant,
    mut connection: Connection,
    work: Work,
    name: String,
    each_max: usize,
) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::new();
    while Instant::now() < end && times.len() < each_max {
        let title = format!("{} by {name}", times.len());
        let begin = Instant::now();
        match work {
            Work::Ask => drop(Call::of_reply(&connection.post("/v1/calls", &calls::ask(&title).to_string()).await?)?),
            Work::Trip => trip(&mut connection, &title).await?,
        }
        times.push(begin.elapsed());
    }
    Ok(times)
}

/// Asks and waits, as often as a wait ends before its call.
pub async fn trip(connection: &mut Connection, title: &str) -> anyhow::Result<()> {
    let mut call = Call::of_reply(&connection.post("/v1/calls?wait=50", &calls::ask(title).to_string()).await?)?;
    while call.is_pending() {
        call = Call::of_reply(&connection.get(&format!("/v1/calls/{}?wait=50", call.id)).await?)?;
    }
    call.expect_own_answer(title)
}

impl Done {
    fn rate(&self) -> f64 {
        rate(self.times.len(), self.took)
    }

    fn figure(&self, name: String, server: &Busy, client: &Busy) -> anyhow::Result<Figure> {
        let note = format!(
            "p50 {}, p99 {}; cores busy: askhub {:.2}, this {:.2}",
            show_millis(percentile(&self.times, 50)),
            show_millis(percentile(&self.times, 99)),
            server.cores()?,
            client.cores()?
        );
        Ok(Figure::new(name, show_rate(self.rate())).note(note))
    }
}
