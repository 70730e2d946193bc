//! The use cases: ask, wait, answer, decline, cancel, extend, acknowledge, follow. The only writer of calls.
//!
//! Every way in (HTTP, WebSocket, dialects, command line) ends here, so every rule holds for all of them. Writes run
//! detached from the request that wanted them: a client that goes away cuts nothing in half and cancels nothing.

mod answer;
mod ask;
mod feed;
mod poll;
mod presence;
mod read;
mod wait;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use answer::{AnswerSubmission, DeclineSubmission, Given};
pub use ask::{AskRequest, Asked};
pub use feed::{Feed, FeedItem, SyncPage};
pub use presence::Presence;
pub use read::{CallQuery, View, ViewPage};
pub use wait::{AnyWait, Budget};

use crate::clock::Clock;
use crate::domain::{Applied, Call, Command, Faults, Loss};
use crate::registry::Registry;
use crate::store::{CallStore, Cause};

pub use crate::store::{Cursor, Sort, StatusFilter, StoreError};

/// Matches answers to askers. Cheap to clone.
#[derive(Clone)]
pub struct Broker {
    store: Arc<dyn CallStore>,
    registry: Registry,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

/// Why the broker did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// There is no such call for this principal.
    #[error("there is no such call")]
    NotFound,
    /// The principal sees the call but may not do this.
    #[error("{0}")]
    Forbidden(&'static str),
    /// What was sent breaks rules.
    #[error("the request breaks rules")]
    Invalid(Faults),
    /// Something else won; here is the call as it is.
    #[error("the call does not allow this: {1:?}")]
    Lost(Box<View>, Loss),
    /// The asker has too many pending calls.
    #[error("this asker has too many pending calls")]
    TooManyPending,
    /// Too many parties wait, or too many feeds are open.
    #[error(transparent)]
    TooManyWaiters(#[from] crate::registry::Full),
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Broker {
    /// A broker over a store. [`Broker::start`] sets its background work going.
    pub fn new(store: Arc<dyn CallStore>, registry: Registry, clock: Arc<dyn Clock>) -> Self {
        Self { store, registry, clock, tasks: TaskTracker::new(), stopping: CancellationToken::new() }
    }

    /// Starts looking for what other nodes of the same database write. Alone on a database there is nothing to do.
    pub fn start(&self) {
        if self.store.is_shared() {
            self.tasks.spawn(poll::run(self.clone()));
        }
    }

    /// Ends every wait with what there is, and new ones at once.
    pub fn stop_waits(&self) {
        self.stopping.cancel();
    }

    /// Ends when the broker stops.
    pub async fn stopped(&self) {
        self.stopping.cancelled().await;
    }

    /// Whether the broker is stopping.
    pub fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Stops: ends the waits, finishes the writes that were begun, closes the store.
    pub async fn close(&self) {
        self.stop_waits();
        self.tasks.close();
        self.tasks.wait().await;
        self.store.close().await;
    }

    /// How many parties wait and how many feeds are open on this node.
    pub fn load(&self) -> (usize, usize) {
        (self.registry.waiters_total(), self.registry.feeds_total())
    }

    /// Whether the store can be read.
    ///
    /// # Errors
    /// What the store says.
    pub async fn check(&self) -> Result<crate::domain::Timestamp, StoreError> {
        self.store.now().await
    }

    /// Settles what is due, up to a few hundred calls: how many there were.
    ///
    /// # Errors
    /// What the store says.
    pub async fn expire_due(&self) -> Result<usize, StoreError> {
        let due = self.store.due(SWEEP_CALLS_MAX).await?;
        let commands = due.iter().map(|call| self.write(Command::Expire { call: *call }));
        for applied in futures_util::future::join_all(commands).await {
            applied?;
        }
        Ok(due.len())
    }

    /// How long until the next deadline, at most `at_most`.
    ///
    /// # Errors
    /// What the store says.
    pub async fn until_next_deadline(&self, at_most: std::time::Duration) -> Result<std::time::Duration, StoreError> {
        let Some(deadline) = self.store.next_deadline().await? else { return Ok(at_most) };
        Ok(self.store.now().await?.until(deadline).min(at_most))
    }

    /// Writes, and only then wakes those whom it concerns; goes on if the caller is dropped.
    async fn write(&self, command: Command) -> Result<Applied, StoreError> {
        let broker = self.clone();
        let is_ask = matches!(command, Command::Ask(_));
        let task = self.tasks.spawn(async move {
            let applied = broker.write_surely(command).await?;
            match &applied {
                // Nobody can wait for a call that nobody knows yet, but its asker, who has it in this reply.
                Applied::Done(call) if is_ask => broker.registry.hint_space(&call.space),
                applied => broker.hint(applied),
            }
            Ok(applied)
        });
        match task.await {
            Ok(applied) => applied,
            Err(panic) => Err(StoreError::Unavailable(Cause::new(panic))),
        }
    }

    /// A lost connection while committing leaves open whether the command was stored. Every command carries an id of
    /// its own, so it is safe, and tells, to say it again.
    async fn write_surely(&self, command: Command) -> Result<Applied, StoreError> {
        match self.store.write(command.clone()).await {
            Err(StoreError::Unknown(_)) => self.write_again(command).await,
            applied => applied,
        }
    }

    async fn write_again(&self, command: Command) -> Result<Applied, StoreError> {
        if let Command::Ask(new) = &command {
            let stored = self.store.get_many(&[new.id]).await?.calls.pop();
            if let Some(call) = stored {
                return Ok(Applied::Done(Box::new(call)));
            }
        }
        self.store.write(command).await
    }

    fn hint(&self, applied: &Applied) {
        if let Applied::Done(call) | Applied::Held(call) | Applied::Existing(call) | Applied::Lost(call, _) = applied {
            self.hint_about(call);
        }
    }

    fn hint_about(&self, call: &Call) {
        self.registry.hint_call(call.id);
        self.registry.hint_space(&call.space);
    }
}

/// Calls that one sweep expires at most; the next sweep follows at once if there were so many.
pub const SWEEP_CALLS_MAX: usize = 500;
