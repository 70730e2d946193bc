//! The one task of a node that commits: whatever waits is committed together, because a disk can do little more than
//! a few hundred commits a second and each of them can hold hundreds of commands.
//!
//! Commands are taken in the order in which they arrive. One that cannot be stored fails alone. The task never waits
//! for those who wait for it, and dropping a reply undoes nothing.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{Cause, StoreError};
use crate::domain::{Applied, Command};

/// Most commands in one transaction.
const COMMANDS_PER_BATCH_MAX: usize = 512;
/// About the most bytes in one transaction; a single command may be larger.
const BYTES_PER_BATCH_MAX: usize = 4 << 20;
/// Most commands waiting for the writer; then writing waits.
const QUEUED_COMMANDS_MAX: usize = 8192;
/// About the most bytes waiting for the writer.
const QUEUED_BYTES_MAX: usize = 64 << 20;
/// What a command counts for beside its texts.
const COMMAND_BYTES_MIN: usize = 512;

/// What commits a batch.
pub(super) trait Commit: Send + Sync + 'static {
    /// Applies all commands in one transaction: one reply for each, in order.
    fn commit(&self, commands: &[Command]) -> impl Future<Output = Result<Vec<Applied>, CommitError>> + Send;

    /// Lets go of the database.
    fn close(&self) -> impl Future<Output = ()> + Send;
}

/// Why a batch was not committed.
#[derive(Debug)]
pub(super) struct CommitError {
    /// What its commands are told.
    pub error: StoreError,
    /// Whether one command may be the reason, so that the others may do better without it.
    pub is_worth_splitting: bool,
}

/// Hands commands to the writing task.
pub(super) struct Writer {
    queue: mpsc::Sender<Order>,
    room: Arc<Semaphore>,
    stop: CancellationToken,
    done: CancellationToken,
}

/// A command with the way back.
struct Order {
    command: Command,
    bytes: usize,
    reply: oneshot::Sender<Result<Applied, StoreError>>,
    /// Its part of [`QUEUED_BYTES_MAX`], given back when it is done.
    _room: OwnedSemaphorePermit,
}

impl Writer {
    /// Starts the task. It ends when it is closed, or dropped, and all that it took is done.
    pub fn start(commit: impl Commit) -> Self {
        let (queue, orders) = mpsc::channel(QUEUED_COMMANDS_MAX);
        let (stop, done) = (CancellationToken::new(), CancellationToken::new());
        let task = Task { commit, orders, stop: stop.clone() };
        let finished = done.clone().drop_guard();
        tokio::spawn(async move {
            task.run().await;
            drop(finished);
        });
        Self { queue, room: Arc::new(Semaphore::new(QUEUED_BYTES_MAX)), stop, done }
    }

    /// Commits a command, with whatever else waits.
    pub async fn write(&self, command: Command) -> Result<Applied, StoreError> {
        if self.stop.is_cancelled() {
            return Err(StoreError::Closed);
        }
        let bytes = weigh(&command).min(QUEUED_BYTES_MAX);
        let share = u32::try_from(bytes).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(share).await.map_err(|_| StoreError::Closed)?;
        let (reply, answer) = oneshot::channel();
        let order = Order { command, bytes, reply, _room: room };
        self.queue.send(order).await.map_err(|_| StoreError::Closed)?;
        answer.await.unwrap_or_else(|_| Err(StoreError::Unknown(Cause::new("the writer ended before it replied"))))
    }

    /// Takes no more commands, and ends when those taken are done.
    pub async fn close(&self) {
        self.stop.cancel();
        self.done.cancelled().await;
    }
}

struct Task<C> {
    commit: C,
    orders: mpsc::Receiver<Order>,
    stop: CancellationToken,
}

impl<C: Commit> Task<C> {
    async fn run(mut self) {
        loop {
            let first = tokio::select! {
                biased;
                () = self.stop.cancelled(), if !self.orders.is_closed() => {
                    self.orders.close();
                    continue;
                }
                order = self.orders.recv() => order,
            };
            let Some(first) = first else { break };
            let orders = self.gather(first);
            self.serve(orders).await;
        }
        self.commit.close().await;
    }

    /// The first command and what waits behind it, as far as it fits.
    fn gather(&mut self, first: Order) -> Vec<Order> {
        let mut bytes = first.bytes;
        let mut orders = vec![first];
        while orders.len() < COMMANDS_PER_BATCH_MAX && bytes < BYTES_PER_BATCH_MAX {
            let Ok(order) = self.orders.try_recv() else { break };
            bytes += order.bytes;
            orders.push(order);
        }
        orders
    }

    async fn serve(&self, orders: Vec<Order>) {
        let mut commands = Vec::with_capacity(orders.len());
        let mut ways_back = Vec::with_capacity(orders.len());
        for order in orders {
            commands.push(order.command);
            ways_back.push((order.reply, order._room));
        }
        let results = self.apply(&commands).await;
        for ((reply, _room), result) in ways_back.into_iter().zip(results) {
            // Nobody has to wait for it: whoever went away reads the call again.
            let _ = reply.send(result);
        }
    }

    async fn apply(&self, commands: &[Command]) -> Vec<Result<Applied, StoreError>> {
        let failure = match self.commit_guarded(commands).await {
            Ok(applied) => return applied.into_iter().map(Ok).collect(),
            Err(failure) => failure,
        };
        if commands.len() == 1 || !failure.is_worth_splitting {
            return commands.iter().map(|_| Err(failure.error.clone())).collect();
        }
        tracing::warn!(commands = commands.len(), error = %failure.error, "a batch failed, trying each command alone");
        let mut results = Vec::with_capacity(commands.len());
        for command in commands {
            let alone = self.commit_guarded(std::slice::from_ref(command)).await;
            results.push(alone.map_err(|failure| failure.error).and_then(one));
        }
        results
    }

    /// A panic fails what caused it and not the writer: nothing is committed before the last step, which is the commit.
    async fn commit_guarded(&self, commands: &[Command]) -> Result<Vec<Applied>, CommitError> {
        let applied = AssertUnwindSafe(self.commit.commit(commands)).catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!(commands = commands.len(), "the writer panicked; nothing of the batch was stored");
            let error = StoreError::Unavailable(Cause::new("the writer panicked"));
            Err(CommitError { error, is_worth_splitting: true })
        })?;
        if applied.len() == commands.len() {
            return Ok(applied);
        }
        let error = StoreError::Corrupt(Cause::new("a batch has another number of replies than of commands"));
        Err(CommitError { error, is_worth_splitting: false })
    }
}

fn one(applied: Vec<Applied>) -> Result<Applied, StoreError> {
    applied.into_iter().next().ok_or_else(|| StoreError::Corrupt(Cause::new("a command has no reply")))
}

/// About how many bytes a command will write.
fn weigh(command: &Command) -> usize {
    let mut weight = Weight(COMMAND_BYTES_MIN);
    if let Command::Ask(new) = command {
        let _ = serde_json::to_writer(&mut weight, &new.ask);
        let _ = serde_json::to_writer(&mut weight, &new.dialect);
    }
    if let Command::Settle { settlement, .. } = command {
        use crate::domain::Settlement;
        let (Settlement::Answer { answers, reply } | Settlement::Decline { answers, reply, .. }) = settlement;
        let _ = serde_json::to_writer(&mut weight, &(answers, reply));
    }
    weight.0
}

struct Weight(usize);

impl std::io::Write for Weight {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use futures_util::future::join_all;
    use tokio::sync::Notify;
    use uuid::Uuid;

    use super::*;
    use crate::domain::{Attempt, By, ByKind, CallId, Digest, Settlement, Via};

    /// Commits nothing, but notes the sizes of the batches; holds the first back until it is let go.
    #[derive(Clone, Default)]
    struct Fake {
        batches: Arc<Mutex<Vec<usize>>>,
        gate: Arc<Notify>,
        has_begun: Arc<Notify>,
        is_open: Arc<AtomicBool>,
        bad: Option<(CallId, Bad)>,
    }

    #[derive(Clone, Copy)]
    enum Bad {
        Fails,
        Panics,
        IsUnknown,
    }

    impl Commit for Fake {
        async fn commit(&self, commands: &[Command]) -> Result<Vec<Applied>, CommitError> {
            self.batches.lock().unwrap().push(commands.len());
            self.has_begun.notify_one();
            if !self.is_open.swap(true, Ordering::SeqCst) {
                self.gate.notified().await;
            }
            let cause = || Cause::new("bad");
            match self.bad.filter(|(bad, _)| commands.iter().any(|command| command.call() == Some(*bad))) {
                None => Ok(commands.iter().map(|_| Applied::Absent).collect()),
                Some((_, Bad::Panics)) => panic!("a bad command"),
                Some((_, Bad::Fails)) => {
                    Err(CommitError { error: StoreError::Unavailable(cause()), is_worth_splitting: true })
                }
                Some((_, Bad::IsUnknown)) => {
                    Err(CommitError { error: StoreError::Unknown(cause()), is_worth_splitting: false })
                }
            }
        }

        async fn close(&self) {
            self.batches.lock().unwrap().push(0);
        }
    }

    fn command(number: u128) -> Command {
        Command::Expire { call: CallId(Uuid::from_u128(number)) }
    }

    fn with_bad(number: u128, bad: Bad) -> Fake {
        Fake { bad: Some((CallId(Uuid::from_u128(number)), bad)), ..Fake::default() }
    }

    /// Lets one command begin a batch, then hands in `count` more, and lets all go.
    async fn write_behind(fake: &Fake, count: u128) -> (Writer, Vec<Result<Applied, StoreError>>) {
        let writer = Writer::start(fake.clone());
        let first = writer.write(command(0));
        let rest = async {
            fake.has_begun.notified().await;
            // Unconstrained: tokio would let others run before all have handed in.
            let rest = tokio::task::unconstrained(join_all((1..=count).map(|number| writer.write(command(number)))));
            let open = async { fake.gate.notify_one() };
            tokio::join!(rest, open).0
        };
        let (_, rest) = tokio::join!(first, rest);
        (writer, rest)
    }

    #[tokio::test]
    async fn what_waits_is_committed_together() {
        let fake = Fake::default();
        let (writer, replies) = write_behind(&fake, 1000).await;
        assert!(replies.iter().all(Result::is_ok));
        writer.close().await;
        assert_eq!(*fake.batches.lock().unwrap(), [1, 512, 488, 0]);
    }

    #[tokio::test]
    async fn a_command_that_fails_its_batch_fails_alone() {
        for bad in [Bad::Fails, Bad::Panics] {
            let fake = with_bad(3, bad);
            let (_, replies) = write_behind(&fake, 5).await;
            let failed: Vec<_> = (1..).zip(&replies).filter(|(_, reply)| reply.is_err()).map(|(n, _)| n).collect();
            assert_eq!(failed, [3]);
            assert!(matches!(replies[2], Err(StoreError::Unavailable(_))));
            assert_eq!(*fake.batches.lock().unwrap(), [1, 5, 1, 1, 1, 1, 1]);
        }
    }

    #[tokio::test]
    async fn a_batch_of_which_nobody_knows_is_not_tried_again() {
        let fake = with_bad(3, Bad::IsUnknown);
        let (_, replies) = write_behind(&fake, 5).await;
        assert!(replies.iter().all(|reply| matches!(reply, Err(StoreError::Unknown(_)))));
        assert_eq!(*fake.batches.lock().unwrap(), [1, 5]);
    }

    #[tokio::test]
    async fn a_writer_that_closes_finishes_what_it_took_and_takes_nothing_more() {
        let fake = Fake::default();
        let writer = Writer::start(fake.clone());
        let begin = async {
            fake.has_begun.notified().await;
            let behind = writer.write(command(1));
            let close = async {
                let close = writer.close();
                fake.gate.notify_one();
                close.await;
            };
            tokio::join!(behind, close).0
        };
        let (first, behind) = tokio::join!(writer.write(command(0)), begin);
        assert!(first.is_ok() && behind.is_ok());
        assert!(matches!(writer.write(command(2)).await, Err(StoreError::Closed)));
        assert_eq!(*fake.batches.lock().unwrap(), [1, 1, 0]);
    }

    #[tokio::test]
    async fn large_commands_are_spread_over_batches() {
        let fake = Fake::default();
        let large = || Command::Settle {
            call: CallId(Uuid::nil()),
            by: By { kind: ByKind::Person, id: String::new(), name: String::new(), via: Via::Api },
            settlement: Settlement::Answer { answers: Vec::new(), reply: Some("x".repeat(1 << 20)) },
            terms: crate::domain::Terms::default(),
            attempt: Attempt { id: String::new(), body: Digest::of(b"") },
        };
        let writer = Writer::start(fake.clone());
        fake.is_open.store(true, Ordering::SeqCst);
        join_all((0..10).map(|_| writer.write(large()))).await;
        assert_eq!(*fake.batches.lock().unwrap(), [4, 4, 2]);
    }
}
