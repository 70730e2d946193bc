//! What the system says: the machine, a process's memory and time, the disk's.

use std::fs::{self, File};
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use tokio::time::Instant;

/// `/proc` counts in these, on every architecture that Linux still gets built for.
const TICKS_PER_SECOND: u32 = 100;

/// A line on the machine: a figure without it says nothing.
pub fn description() -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let kernel = first_line("/proc/sys/kernel/osrelease");
    let load = first_line("/proc/loadavg");
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown");
    let model = model.trim_start_matches([' ', '\t', ':']);
    format!("{cores} cores, {model}, Linux {kernel}, load before {load}")
}

fn first_line(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// How many files a process may have open: now, and at most.
pub fn file_limits() -> Option<(u64, u64)> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let mut numbers = line.split_whitespace().map(|word| word.parse().unwrap_or(u64::MAX));
    Some((numbers.next()?, numbers.next()?))
}

/// Memory that a process has in use, in bytes.
pub fn resident_bytes(process: u32) -> anyhow::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a process has VmRSS")?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib << 10)
}

/// Time that a process has computed, on all cores.
pub fn computed(process: u32) -> anyhow::Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The second field is the program's name in parentheses and may hold anything.
    let (_, fields) = stat.rsplit_once(") ").context("a process has a name")?;
    let ticks: u32 = fields.split(' ').skip(11).take(2).map(|field| field.parse::<u32>().unwrap_or(0)).sum();
    Ok(Duration::from_secs(1) * ticks / TICKS_PER_SECOND)
}

/// How many cores a process keeps busy, from now until asked.
pub struct Busy {
    process: u32,
    since: Instant,
    before: Duration,
}

impl Busy {
    pub fn from_now(process: u32) -> anyhow::Result<Self> {
        Ok(Self { process, since: Instant::now(), before: computed(process)? })
    }

    pub fn cores(&self) -> anyhow::Result<f64> {
        let spent = computed(self.process)?.saturating_sub(self.before);
        Ok(spent.as_secs_f64() / self.since.elapsed().as_secs_f64())
    }
}

/// How long it takes to write 4 KiB so that they are on the disk, sorted: no commit is faster.
pub fn sync_times(directory: &Path) -> anyhow::Result<Vec<Duration>> {
    let mut file = File::create(directory.join("sync"))?;
    let mut times = Vec::new();
    for _ in 0..100 {
        let begin = Instant::now();
        file.rewind()?;
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(begin.elapsed());
    }
    times.sort();
    Ok(times)
}
