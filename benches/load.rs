//! The load generator: starts the real program, asks, answers and waits as fast as it can, and prints what it measured.
//!
//! `cargo bench --bench load` for all figures, `-- --smoke` for a few seconds of the same, `-- --help` for the rest.
//! It fails when an answer is lost or reaches somebody else, and when a time or a rate is more than five times off its aim.
//! The generator is one thread, so that on a small machine it leaves the server as much as it can; what it needs
//! itself is printed beside each rate. docs/performance.md has figures and says how to profile.

#[path = "load/calls.rs"]
mod calls;
#[path = "load/http.rs"]
mod http;
#[path = "load/lab.rs"]
mod lab;
#[path = "load/latency.rs"]
mod latency;
#[path = "load/machine.rs"]
mod machine;
#[path = "load/options.rs"]
mod options;
#[path = "load/parked.rs"]
mod parked;
#[path = "load/program.rs"]
mod program;
#[path = "load/sockets.rs"]
mod sockets;
#[path = "load/staff.rs"]
mod staff;
#[path = "load/start.rs"]
mod start;
#[path = "load/table.rs"]
mod table;
#[path = "load/trips.rs"]
mod trips;

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use lab::Lab;
use options::{HELP, Options, RAISED};
use table::{Table, percentile, show_millis};

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::read(std::env::args().skip(1))?;
    if options.help {
        println!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let files = raise_file_limit(options.raised)?;
    describe(&options)?;
    let is_smoke = options.smoke;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let table = runtime.block_on(measure(&Lab { options }, files))?;
    println!("{table}");
    if is_smoke {
        println!("a smoke run: every answer was checked, the figures say little");
        return Ok(ExitCode::SUCCESS);
    }
    if table.is_far_off() {
        eprintln!("a time or a rate is more than five times off its aim");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

async fn measure(lab: &Lab, files: u64) -> anyhow::Result<Table> {
    let mut table = Table::default();
    let options = &lab.options;
    if options.wants("start") {
        start::measure(lab, &mut table).await?;
    }
    if options.wants("asks") {
        trips::measure_asks(lab, &mut table).await?;
    }
    if options.wants("trips") {
        trips::measure_trips(lab, &mut table).await?;
    }
    if options.wants("latency") {
        latency::measure(lab, &mut table).await?;
    }
    if options.wants("parked") {
        parked::measure(lab, files, &mut table).await?;
    }
    Ok(table)
}

fn describe(options: &Options) -> anyhow::Result<()> {
    let profile = match (options.is_own_binary, cfg!(debug_assertions)) {
        (true, true) => "dev profile: for figures use `cargo bench --profile release`".to_owned(),
        (true, false) => "optimised".to_owned(),
        (false, _) => options.binary.display().to_string(),
    };
    let data = tempfile::tempdir_in(&options.data)?;
    let syncs = machine::sync_times(data.path())?;
    println!("machine   {}", machine::description());
    println!("program   {profile}");
    println!("database  {}", if options.postgres.is_some() { "Postgres" } else { "SQLite" });
    println!(
        "disk      4 KiB are on it after p50 {}, p99 {}",
        show_millis(percentile(&syncs, 50)),
        show_millis(percentile(&syncs, 99))
    );
    println!();
    Ok(())
}

/// Starts this process anew with as many files as it may have; the broker, its child, inherits them. A process cannot
/// raise its own limit without unsafe code, a shell can.
fn raise_file_limit(is_raised: bool) -> anyhow::Result<u64> {
    let (now, most) = machine::file_limits().unwrap_or((1024, 1024));
    if is_raised || now >= most {
        return Ok(now);
    }
    let script = format!("ulimit -n {most}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(std::env::current_exe()?).args(std::env::args().skip(1)).arg(RAISED);
    Err(command.exec().into())
}
