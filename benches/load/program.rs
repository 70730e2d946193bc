//! The askhub program as a child process, with a data directory and the tokens that it wrote there.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context as _, bail};

/// A running broker. Killed with SIGKILL when dropped.
pub struct Program {
    child: Child,
    // Held so that nothing the program prints later meets a closed pipe.
    _stdout: BufReader<ChildStdout>,
    pub address: SocketAddr,
    /// The person's token: answers, administers, sees everything.
    pub owner: String,
    /// The asker's token.
    pub agent: String,
}

const READY: &str = "askhub listening on http://";

impl Program {
    /// Starts it and returns when it says that it is ready. What it logs goes to `askhub.log` in the data directory.
    pub fn start(binary: &Path, data: &Path, listen: &str, database: Option<&str>) -> anyhow::Result<Self> {
        let log_path = data.join("askhub.log");
        let log = File::options().create(true).append(true).open(&log_path)?;
        let mut command = Command::new(binary);
        command.arg("serve").args(["--listen", listen]).arg("--data-dir").arg(data);
        if let Some(url) = database {
            command.args(["--database-url", url]);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn();
        let mut child = child.with_context(|| format!("could not start {}", binary.display()))?;
        let mut stdout = BufReader::new(child.stdout.take().context("the child's stdout is a pipe")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let Some(address) = line.trim_end().strip_prefix(READY) else {
            child.kill()?;
            child.wait()?;
            let log = fs::read_to_string(&log_path)?;
            bail!("askhub is not ready; it printed {line:?} and logged:\n{log}");
        };
        let token = |name: &str| fs::read_to_string(data.join(name)).map(|text| text.trim().to_owned());
        let (owner, agent) = (token("owner.token")?, token("agent.token")?);
        Ok(Self { child, _stdout: stdout, address: address.parse()?, owner, agent })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Both fail only if it has ended before, which is what is wanted.
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}
