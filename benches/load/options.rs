//! What the command line asks for.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};

pub const HELP: &str = "\
usage: cargo bench --bench load -- [OPTIONS]

  --smoke          small counts, a few seconds in all; checks answers, fails on no time
  --seconds N      how long each rate is measured (default 5)
  --only NAME      one of start, asks, trips, latency, parked (may be repeated)
  --postgres URL   on this database, which should be empty, instead of SQLite
  --data DIR       where the data directories are made (default: the system's temporary directory)
  --bin PATH       another askhub than the one built with this

To see where askhub spends its time, see docs/performance.md.";

#[derive(Debug, Clone)]
pub struct Options {
    pub smoke: bool,
    pub time: Duration,
    pub only: Vec<String>,
    pub postgres: Option<String>,
    pub data: PathBuf,
    pub binary: PathBuf,
    pub is_own_binary: bool,
    pub help: bool,
    /// Whether this process was started again with more files.
    pub raised: bool,
}

pub const SCENARIOS: &[&str] = &["start", "asks", "trips", "latency", "parked"];
/// Given to itself only.
pub const RAISED: &str = "--raised";

impl Options {
    pub fn read(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--smoke" => options.smoke = true,
                "--seconds" => {
                    let seconds = value()?.parse().context("--seconds takes a whole number")?;
                    options.time = Duration::from_secs(seconds);
                }
                "--only" => options.only.push(value()?),
                "--postgres" => options.postgres = Some(value()?),
                "--data" => options.data = value()?.into(),
                "--bin" => {
                    options.binary = value()?.into();
                    options.is_own_binary = false;
                }
                "--help" | "-h" => options.help = true,
                RAISED => options.raised = true,
                // cargo adds it.
                "--bench" => {}
                other => bail!("{other} is not known\n\n{HELP}"),
            }
        }
        if let Some(unknown) = options.only.iter().find(|name| !SCENARIOS.contains(&name.as_str())) {
            bail!("there is no {unknown:?} to measure: {}", SCENARIOS.join(", "));
        }
        if options.smoke {
            options.time = Duration::from_millis(300);
        }
        Ok(options)
    }

    pub fn wants(&self, scenario: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == scenario)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            smoke: false,
            time: Duration::from_secs(5),
            only: Vec::new(),
            postgres: None,
            data: std::env::temp_dir(),
            binary: env!("CARGO_BIN_EXE_askhub").into(),
            is_own_binary: true,
            help: false,
            raised: false,
        }
    }
}
