//! From nothing to the first reply.

use std::time::Duration;

use anyhow::ensure;
use tempfile::TempDir;
use tokio::time::Instant;

use super::calls::{self, Call};
use super::http::Connection;
use super::lab::Lab;
use super::staff;
use super::table::{Figure, Table, millis, percentile, show_millis};

/// When things were there, since the process was started.
struct Moments {
    first_reply: Duration,
    first_outcome: Duration,
}

pub async fn measure(lab: &Lab, table: &mut Table) -> anyhow::Result<()> {
    let runs = lab.count(9, 1);
    let mut fresh = Vec::new();
    let mut again = Vec::new();
    for _ in 0..runs {
        let data = lab.new_data()?;
        fresh.push(start(lab, &data).await?);
        again.push(start(lab, &data).await?);
    }
    for (name, moments) in [("start, new data", fresh), ("start, data there", again)] {
        let middle = |moment: fn(&Moments) -> Duration| {
            let mut times: Vec<_> = moments.iter().map(moment).collect();
            times.sort();
            percentile(&times, 50)
        };
        let (reply, outcome) = (middle(|moments| moments.first_reply), middle(|moments| moments.first_outcome));
        let note = format!("middle of {runs}; first call asked, answered and delivered {}", show_millis(outcome));
        let figure = Figure::new(format!("{name}: to the first reply"), show_millis(reply));
        table.add(figure.below(millis(reply), 100.0, " ms").note(note));
    }
    Ok(())
}

async fn start(lab: &Lab, data: &TempDir) -> anyhow::Result<Moments> {
    let begin = Instant::now();
    let program = lab.program(data)?;
    let mut asker = Connection::open(program.address, &program.agent).await?;
    let reply = asker.get("/v1/me").await?;
    let first_reply = begin.elapsed();
    ensure!(reply.status == 200, "the first reply is {}", reply.status);
    let title = format!("first of {}", program.id());
    let asked = Call::of_reply(&asker.post("/v1/calls", &calls::ask(&title).to_string()).await?)?;
    let mut person = Connection::open(program.address, &program.owner).await?;
    staff::answer(&mut person, &asked.id).await?;
    let settled = Call::of_reply(&asker.get(&format!("/v1/calls/{}?wait=50", asked.id)).await?)?;
    settled.expect_own_answer(&title)?;
    Ok(Moments { first_reply, first_outcome: begin.elapsed() })
}
