//! Time, injected. Wall-clock calls are banned everywhere else, so that tests move time instead of sleeping.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::Timestamp;

/// Tells the time and wakes at a moment.
///
/// The stores decide deadlines: by this clock on SQLite and in memory, by the database's own clock plus
/// [`Clock::offset`] on Postgres, where several nodes must agree.
pub trait Clock: Send + Sync + 'static {
    /// The wall-clock time.
    fn now(&self) -> Timestamp;

    /// Ends when the clock has reached `at`, or earlier: callers look again. A timer is only a hint.
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()>;

    /// By how much a test has moved this clock against the real one, in milliseconds. Zero in production.
    fn offset(&self) -> i64 {
        0
    }
}

/// The machine's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

/// Timers stand still while a machine sleeps and may not be longer than two years: look again at least hourly.
const NAP_MAX: Duration = Duration::from_secs(60 * 60);

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> Timestamp {
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let nap = self.now().until(at).min(NAP_MAX);
        Box::pin(tokio::time::sleep(nap))
    }
}

/// A clock that a test moves. It runs with the real one, plus what it was moved by.
#[derive(Debug, Clone)]
pub struct TestClock {
    moved: Arc<watch::Sender<i64>>,
}

impl Default for TestClock {
    fn default() -> Self {
        Self { moved: Arc::new(watch::Sender::new(0)) }
    }
}

impl TestClock {
    /// Moves the clock forward, or back, and wakes whoever sleeps on it.
    pub fn advance_millis(&self, millis: i64) {
        self.moved.send_modify(|moved| *moved += millis);
    }

    /// Moves the clock forward by whole seconds.
    pub fn advance(&self, seconds: i64) {
        self.advance_millis(seconds * 1000);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(SystemClock.now().as_millis() + self.offset())
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let nap = self.now().until(at).min(NAP_MAX);
        let mut moved = self.moved.subscribe();
        Box::pin(async move {
            tokio::select! {
                () = tokio::time::sleep(nap) => {}
                _ = moved.changed() => {}
            }
        })
    }

    fn offset(&self) -> i64 {
        *self.moved.borrow()
    }
}
