//! Being told to stop. A harness that gives up on its tool sends SIGTERM, a person SIGINT: both mean the same.

use std::io;

use super::exit::{Exit, Failure};

/// Listens for signals from when it is made: none is missed between two waits, and none kills the process any more.
pub struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    /// Starts to listen.
    ///
    /// # Errors
    /// The system lets nobody listen.
    pub fn listen() -> Result<Self, Failure> {
        Self::open().map_err(|error| Failure::new(Exit::Failed, format!("cannot listen for signals: {error}")))
    }

    #[cfg(unix)]
    fn open() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    #[cfg(not(unix))]
    fn open() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Ends at the next signal.
    #[cfg(unix)]
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Ends at the next Ctrl-C.
    #[cfg(not(unix))]
    pub async fn next(&mut self) {
        // Where nobody can listen, Ctrl-C still ends the process by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
