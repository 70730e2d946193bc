//! Where brokers are started: each with a data directory of its own.

use anyhow::Context as _;
use tempfile::TempDir;

use super::options::Options;
use super::program::Program;

/// Starts brokers as the options say.
pub struct Lab {
    pub options: Options,
}

/// A broker and its data. Both go when this is dropped: the broker first.
pub struct Broker {
    pub program: Program,
    _data: TempDir,
}

impl Lab {
    pub fn new_data(&self) -> anyhow::Result<TempDir> {
        let directory = tempfile::Builder::new().prefix("askhub-load-").tempdir_in(&self.options.data);
        directory.with_context(|| format!("could not make a directory in {}", self.options.data.display()))
    }

    /// Starts a broker that knows nothing yet.
    pub fn broker(&self) -> anyhow::Result<Broker> {
        let data = self.new_data()?;
        Ok(Broker { program: self.program(&data)?, _data: data })
    }

    /// Starts a broker on data that may be there already.
    pub fn program(&self, data: &TempDir) -> anyhow::Result<Program> {
        let options = &self.options;
        Program::start(&options.binary, data.path(), "127.0.0.1:0", options.postgres.as_deref())
    }

    /// The full count, or the small one of a smoke run.
    pub fn count(&self, full: usize, smoke: usize) -> usize {
        if self.options.smoke { smoke } else { full }
    }
}
