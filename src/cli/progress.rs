//! What is said on stderr while a command waits. On a terminal one line that changes, else a line now and then.

use std::cell::Cell;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use tokio::time::Instant;

use super::{terminal, words};
use crate::client::Notice;

/// Says how long something is waited for.
pub struct Progress {
    what: String,
    is_quiet: bool,
    is_terminal: bool,
    since: Instant,
    has_line: Cell<bool>,
    was_lost: Cell<bool>,
}

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

impl Progress {
    /// Begins to wait for `what`.
    pub fn start(what: &str, is_quiet: bool) -> Self {
        Self {
            what: what.to_owned(),
            is_quiet,
            is_terminal: io::stderr().is_terminal(),
            since: Instant::now(),
            has_line: Cell::new(false),
            was_lost: Cell::new(false),
        }
    }

    /// Goes on saying it. Never ends: select it against what is waited for.
    pub async fn run(&self) {
        self.show();
        loop {
            let waited = self.since.elapsed();
            let next = if self.is_terminal { waited + Duration::from_secs(1) } else { next_line(waited) };
            tokio::time::sleep_until(self.since + next).await;
            self.show();
        }
    }

    /// Says something in between.
    pub fn note(&self, text: &str) {
        if !self.is_quiet {
            self.clear();
            terminal::note(text);
        }
    }

    /// Says that the server is gone, once, and that it is back.
    pub fn notice(&self, notice: Notice<'_>) {
        match notice {
            Notice::Failed(error, _) if !self.was_lost.replace(true) => {
                self.note(&format!("{error}; trying again… (nothing is lost: the question stays)"));
            }
            Notice::Failed(..) => {}
            Notice::Works if self.was_lost.replace(false) => self.note("connected again"),
            Notice::Works => {}
        }
    }

    /// Leaves a clean line for what comes next.
    pub fn clear(&self) {
        if self.has_line.replace(false) {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }

    fn show(&self) {
        if self.is_quiet {
            return;
        }
        let waited = self.since.elapsed();
        let time = if waited.as_secs() == 0 { String::new() } else { format!(" {}", words::duration(waited)) };
        let line = format!("waiting for {}…{time}", self.what);
        if self.is_terminal {
            self.has_line.set(true);
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush());
        } else {
            terminal::note(&line);
        }
    }
}

/// Logs are read by people and models: a line each time the wait has doubled, then hourly.
fn next_line(waited: Duration) -> Duration {
    let mut next = MINUTE;
    while next <= waited {
        next = if next >= HOUR { next + HOUR } else { (next * 2).min(HOUR) };
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gets_fewer_and_fewer_lines() {
        let mut waited = Duration::ZERO;
        let mut minutes = Vec::new();
        for _ in 0..9 {
            waited = next_line(waited);
            minutes.push(waited.as_secs() / 60);
        }
        assert_eq!(minutes, [1, 2, 4, 8, 16, 32, 60, 120, 180]);
    }
}
