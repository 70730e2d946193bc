//! Many commands in one transaction: lock and load what they name, read the time, decide, write, number the events.
//!
//! Locks are taken in one order by every node: calls by id, then keys, then spaces by id, so that no two wait for each
//! other for ever. The space's counter is the last lock before the commit, and every other node waits for it.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use sqlx::{Connection as _, Database};

use super::rows::{AttemptRow, EventRow, InsertedRow, LateRow, UpdatedRow, ask_text, json};
use super::{
    ADVANCE_LOG, ANSWER_MAX, Backend, Committer, ERASE_CALL, ERASE_LATE_ANSWERS, STALE_MAX, Statement, discard,
    in_time, is_down, is_stale, store_error, too_late,
};
use crate::clock::Clock;
use crate::domain::{Applied, Command, Event, Timestamp};
use crate::store::batch::{AskerScope, Batch, Changes, Loaded, Wants};
use crate::store::writer::{Commit, CommitError};
use crate::store::{Cause, StoreError};

/// How often a batch is tried again when another node is in its way.
const COLLISIONS_MAX: usize = 5;

type Link<B> = <<B as Backend>::Db as Database>::Connection;

/// Why a transaction was not committed.
enum Failure {
    /// Another node stored a call of the same key first: what it stored can be loaded now.
    Beaten,
    /// A statement failed.
    Statement(sqlx::Error),
    /// The commit failed.
    Commit(sqlx::Error),
    /// What was read makes no sense.
    Row(StoreError),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Statement(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Row(error)
    }
}

impl<B: Backend> Commit for Committer<B> {
    async fn commit(&self, commands: &[Command]) -> Result<Vec<Applied>, CommitError> {
        let (mut collisions, mut stale) = (0, 0);
        loop {
            match self.try_once(commands).await {
                Ok(applied) => return Ok(applied),
                Err(Failure::Beaten) if collisions < COLLISIONS_MAX => collisions += 1,
                Err(Failure::Statement(error)) if B::is_collision(&error) && collisions < COLLISIONS_MAX => {
                    collisions += 1;
                }
                Err(Failure::Statement(error)) if is_stale(&error) && stale < STALE_MAX => stale += 1,
                Err(failure) => return Err(failure.into_error::<B>()),
            }
        }
    }

    async fn close(&self) {
        self.writes.close().await;
    }
}

impl Failure {
    fn into_error<B: Backend>(self) -> CommitError {
        match self {
            Self::Beaten => {
                let cause = Cause::new("other nodes kept storing calls of the same keys");
                CommitError { error: StoreError::Unavailable(cause), is_worth_splitting: false }
            }
            Self::Statement(error) => {
                let is_worth_splitting = !is_down::<B>(&error);
                CommitError { error: store_error(error), is_worth_splitting }
            }
            Self::Commit(error) if B::is_undone(&error) => {
                CommitError { error: StoreError::Unavailable(Cause::new(error)), is_worth_splitting: true }
            }
            Self::Commit(error) => {
                CommitError { error: StoreError::Unknown(Cause::new(error)), is_worth_splitting: false }
            }
            Self::Row(error) => CommitError { error, is_worth_splitting: true },
        }
    }
}

impl<B: Backend> Committer<B> {
    async fn try_once(&self, commands: &[Command]) -> Result<Vec<Applied>, Failure> {
        let mut connection = self.writes.acquire().await?;
        let result = transact::<B>(&mut connection, &*self.clock, commands).await;
        if result.is_err() {
            discard::<B>(connection).await;
        }
        result
    }
}

async fn transact<B: Backend>(
    connection: &mut Link<B>,
    clock: &dyn Clock,
    commands: &[Command],
) -> Result<Vec<Applied>, Failure> {
    let mut transaction = in_time(connection.begin_with(B::BEGIN)).await?;
    let stored = tokio::time::timeout(ANSWER_MAX, decide_and_store::<B>(&mut transaction, clock, commands)).await;
    let (applied, has_changes) = stored.map_err(|_| too_late())??;
    if has_changes {
        in_time(transaction.commit()).await.map_err(Failure::Commit)?;
    } else {
        in_time(transaction.rollback()).await?;
    }
    Ok(applied)
}

/// All of the transaction before its end: the replies, and whether there is anything to commit.
async fn decide_and_store<B: Backend>(
    connection: &mut Link<B>,
    clock: &dyn Clock,
    commands: &[Command],
) -> Result<(Vec<Applied>, bool), Failure> {
    let (loaded, now) = load::<B>(connection, clock, &Wants::of(commands)).await?;
    let mut batch = Batch::new(loaded, now);
    let applied = commands.iter().map(|command| batch.apply(command)).collect();
    let changes = batch.into_changes();
    // An act without effect is remembered, and a lease is renewed without an event.
    let has_changes = !changes.events.is_empty() || !changes.attempts.is_empty() || !changes.updated.is_empty();
    if has_changes {
        store::<B>(connection, changes).await?;
    }
    Ok((applied, has_changes))
}

#[derive(Serialize)]
struct KeyRow<'a> {
    space: &'a str,
    key: &'a str,
    asker_id: &'a str,
    session: &'a str,
}

#[derive(Serialize)]
struct ActRow<'a> {
    call_id: crate::domain::CallId,
    principal: &'a str,
    attempt: &'a str,
}

#[derive(Serialize)]
struct AskerRow<'a> {
    space: &'a str,
    asker_id: &'a str,
}

async fn load<B: Backend>(
    connection: &mut Link<B>,
    clock: &dyn Clock,
    wants: &Wants,
) -> Result<(Loaded, Timestamp), Failure> {
    let mut loaded = Loaded::default();
    let ids: Vec<_> = wants.calls.iter().collect();
    let keys: Vec<_> = wants
        .keys
        .iter()
        .map(|scope| KeyRow { space: &scope.space, key: &scope.key, asker_id: &scope.asker, session: &scope.session })
        .collect();
    let statement = Statement::new(B::SETS.load_calls).bind(json(&ids)).bind(json(&keys));
    for mut row in B::fetch(connection, statement).await? {
        loaded.calls.push(row.call()?);
    }
    if !wants.attempts.is_empty() {
        let acts: Vec<_> = wants
            .attempts
            .iter()
            .map(|act| ActRow { call_id: act.call, principal: &act.principal, attempt: &act.attempt })
            .collect();
        for mut row in B::fetch(connection, Statement::new(B::SETS.load_attempts).bind(json(&acts))).await? {
            loaded.attempts.extend([row.attempt()?]);
        }
    }
    // Read when the calls are locked: whoever held them may have taken a while.
    let now = B::now_in(connection, clock).await?;
    loaded.pending = count_pending::<B>(connection, wants, now).await?;
    Ok((loaded, Timestamp::from_millis(now)))
}

async fn count_pending<B: Backend>(
    connection: &mut Link<B>,
    wants: &Wants,
    now: i64,
) -> Result<HashMap<AskerScope, usize>, Failure> {
    let mut pending = HashMap::new();
    if wants.askers.is_empty() {
        return Ok(pending);
    }
    let askers: Vec<_> =
        wants.askers.iter().map(|scope| AskerRow { space: &scope.space, asker_id: &scope.asker }).collect();
    let statement = Statement::new(B::SETS.count_pending).bind(json(&askers)).bind(now);
    for mut row in B::fetch(connection, statement).await? {
        let scope = AskerScope { space: row.text()?, asker: row.text()? };
        pending.insert(scope, usize::try_from(row.count()?).unwrap_or(usize::MAX));
    }
    Ok(pending)
}

async fn store<B: Backend>(connection: &mut Link<B>, mut changes: Changes) -> Result<(), Failure> {
    insert_calls::<B>(connection, &changes).await?;
    update_calls::<B>(connection, &changes).await?;
    let late: Vec<LateRow> = changes.late.iter().map(LateRow::from).collect();
    insert::<B, _>(connection, B::SETS.insert_late_answers, &late).await?;
    let attempts: Vec<AttemptRow<'_>> = changes.attempts.iter().map(AttemptRow::from).collect();
    insert::<B, _>(connection, B::SETS.insert_attempts, &attempts).await?;
    number::<B>(connection, &mut changes.events).await?;
    let events: Vec<EventRow<'_>> = changes.events.iter().map(EventRow::from).collect();
    insert::<B, _>(connection, B::SETS.insert_events, &events).await
}

async fn insert<B: Backend, T: Serialize + Sync>(
    connection: &mut Link<B>,
    sql: &'static str,
    rows: &[T],
) -> Result<(), Failure> {
    if !rows.is_empty() {
        B::execute(connection, Statement::new(sql).bind(json(rows))).await?;
    }
    Ok(())
}

async fn insert_calls<B: Backend>(connection: &mut Link<B>, changes: &Changes) -> Result<(), Failure> {
    if changes.inserted.is_empty() {
        return Ok(());
    }
    let rows: Vec<InsertedRow<'_>> = changes.inserted.iter().map(InsertedRow::from).collect();
    let stored = B::fetch(connection, Statement::new(B::SETS.insert_calls).bind(json(&rows))).await?;
    if stored.len() < rows.len() { Err(Failure::Beaten) } else { Ok(()) }
}

/// Changes calls that are as they were loaded. They are locked since, so all are; a count that says otherwise stops
/// the transaction before two outcomes of one call can be stored.
async fn update_calls<B: Backend>(connection: &mut Link<B>, changes: &Changes) -> Result<(), Failure> {
    if changes.updated.is_empty() {
        return Ok(());
    }
    let rows: Vec<UpdatedRow<'_>> = changes.updated.iter().map(UpdatedRow::from).collect();
    let changed = B::execute(connection, Statement::new(B::SETS.update_calls).bind(json(&rows))).await?;
    if changed != rows.len() as u64 {
        let cause = Cause::new(format!("{} locked calls were to change and {changed} did", rows.len()));
        return Err(Failure::Row(StoreError::Corrupt(cause)));
    }
    for updated in changes.updated.iter().filter(|updated| updated.erases) {
        let id = updated.call.id;
        B::execute(connection, Statement::new(ERASE_CALL).bind(id).bind(ask_text(&updated.call))).await?;
        B::execute(connection, Statement::new(ERASE_LATE_ANSWERS).bind(id)).await?;
    }
    Ok(())
}

/// Gives every event its number in its space's log.
async fn number<B: Backend>(connection: &mut Link<B>, events: &mut [Event]) -> Result<(), Failure> {
    let mut spaces: BTreeMap<String, Vec<&mut Event>> = BTreeMap::new();
    for event in events {
        spaces.entry(event.space.clone()).or_default().push(event);
    }
    for (space, events) in spaces {
        let count = events.len() as u64;
        let statement = Statement::new(ADVANCE_LOG).bind(space).bind(count);
        let rows = B::fetch(connection, statement).await?;
        let mut row = rows.into_iter().next().ok_or(sqlx::Error::RowNotFound)?;
        let first = row.count()? - count + 1;
        for (seq, event) in (first..).zip(events) {
            event.seq = seq;
        }
    }
    Ok(())
}
