//! One store for two databases: SQLite and Postgres.
//!
//! Every statement stands here once; those that write or load sets differ and stand with their database
//! ([`super::sqlite`], [`super::postgres`]). Calls are written by the [`super::writer`] alone, many in one transaction;
//! identities by single statements. Reads take one statement each.

mod auth;
mod calls;
mod list;
mod rows;
mod transaction;

use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool, SqlSafeStr as _, SqlStr};

pub(super) use rows::{Cell, Row};

use super::writer::Writer;
use super::{Cause, StoreError};
use crate::clock::Clock;

/// Columns of a call, in the order in which [`rows`] reads them.
macro_rules! call_columns {
    () => {
        "calls.id, calls.space, calls.asker, calls.ask, calls.same_ask, calls.dialect, calls.status, calls.rev, \
         calls.asked_at, calls.deadline, calls.settled_at, calls.outcome, calls.late_answers_total, \
         calls.delivered_at, calls.acked_at, calls.erased_at, calls.held, calls.claim, calls.claim_epoch, \
         calls.typing_seconds"
    };
}

/// The store's time; `$1` is what [`Backend::time_base`] says.
macro_rules! now {
    () => {
        "(SELECT millis + $1 FROM clock)"
    };
}

/// The values of a driver's row; `$int` is what the driver calls whole numbers.
macro_rules! cells_of {
    ($row:expr, $int:literal) => {{
        use sqlx::{Row as _, TypeInfo as _, ValueRef as _};
        let mut cells = std::collections::VecDeque::with_capacity($row.len());
        for place in 0..$row.len() {
            let raw = $row.try_get_raw(place)?;
            let is_int = raw.type_info().name() == $int;
            cells.push_back(match (raw.is_null(), is_int) {
                (true, _) => Cell::Text(None),
                (false, true) => Cell::Int(Some($row.try_get_unchecked(place)?)),
                (false, false) => Cell::Text(Some($row.try_get_unchecked(place)?)),
            });
        }
        Ok(Row(cells))
    }};
}

pub(super) use {call_columns, cells_of, now};

macro_rules! statements {
    ($($name:ident = $sql:expr;)+) => {
        $(const $name: &str = $sql;)+
        /// Every statement that both databases share, for the test that prepares each.
        const SHARED: &[&str] = &[$($name),+];
    };
}

statements! {
    NOW = concat!("SELECT ", now!());
    GET_ONE = concat!("SELECT ", call_columns!(), ", ", now!(), " FROM calls WHERE calls.id = $2");
    LATE_ANSWERS = "SELECT body FROM late_answers WHERE call_id = $1 ORDER BY number LIMIT $2";
    EVENTS_AFTER = "SELECT space, seq, kind, happened_at, call_id, rev, status, done_by, asker_id FROM events \
        WHERE space = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    EVENTS_OF = "SELECT space, seq, kind, happened_at, call_id, rev, status, done_by, asker_id FROM events \
        WHERE call_id = $1 ORDER BY seq LIMIT $2";
    LOG_BOUNDS = "SELECT (SELECT value FROM meta WHERE name = 'epoch'), \
        (SELECT min(seq) FROM events WHERE space = $1), (SELECT seq FROM spaces WHERE id = $1)";
    LOG_ENDS = "SELECT id, seq FROM spaces ORDER BY id";
    DUE = concat!("SELECT id FROM calls WHERE status = 'pending' AND due_at <= ", now!(), " \
        ORDER BY due_at, id LIMIT $2");
    NEXT_DEADLINE = "SELECT due_at FROM calls WHERE status = 'pending' AND due_at < 9223372036854775807 \
        ORDER BY due_at, id LIMIT 1";
    SET_EPOCH = "INSERT INTO meta (name, value) VALUES ('epoch', $1) ON CONFLICT (name) DO NOTHING";
    ADVANCE_LOG = "INSERT INTO spaces (id, seq) VALUES ($1, $2) \
        ON CONFLICT (id) DO UPDATE SET seq = spaces.seq + excluded.seq RETURNING seq";
    ERASE_CALL = "UPDATE calls SET ask = $2, search = '', dialect = NULL, agent_name = NULL WHERE id = $1";
    ERASE_LATE_ANSWERS = "DELETE FROM late_answers WHERE call_id = $1";
    BE_PRESENT = concat!("INSERT INTO presence (lease, space, ends_at) VALUES ($2, $3, ", now!(), " + $4) \
        ON CONFLICT (lease) DO UPDATE SET space = excluded.space, ends_at = excluded.ends_at");
    FORGET_PRESENCE = concat!("DELETE FROM presence WHERE ends_at <= ", now!());
    LEAVE = "DELETE FROM presence WHERE lease = $1";
    IS_ATTENDED = concat!("SELECT lease FROM presence WHERE space = $2 AND ends_at > ", now!(), " LIMIT 1");

    ADD_PERSON = "INSERT INTO people (id, name, is_admin, space, created_at) VALUES ($1, $2, $3, $4, $5) \
        ON CONFLICT (name) DO NOTHING RETURNING id";
    PEOPLE = "SELECT id, name, is_admin, space, created_at FROM people ORDER BY created_at, id";
    PERSON_NAMED = "SELECT id, name, is_admin, space, created_at FROM people WHERE name = $1";
    PERSON = "SELECT id, name, is_admin, space, created_at FROM people WHERE id = $1";
    ADD_TOKEN = "INSERT INTO tokens (id, name, hash, person_id, space, created_at, revoked_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    TOKENS = "SELECT id, name, hash, person_id, space, created_at, revoked_at FROM tokens ORDER BY created_at, id";
    TOKEN_BY_HASH = "SELECT tokens.id, tokens.name, tokens.hash, tokens.person_id, tokens.space, tokens.created_at, \
        tokens.revoked_at, people.id, people.name, people.is_admin, people.space, people.created_at \
        FROM tokens LEFT JOIN people ON people.id = tokens.person_id \
        WHERE tokens.hash = $1 AND tokens.revoked_at IS NULL";
    REVOKE_TOKEN = "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id";
    ADD_SESSION = "INSERT INTO sessions (hash, person_id, created_at, used_at) VALUES ($1, $2, $3, $4)";
    FORGET_SESSIONS = concat!("DELETE FROM sessions WHERE created_at <= ", now!(), " - $2");
    SESSION_BY_HASH = "SELECT sessions.hash, sessions.person_id, sessions.created_at, sessions.used_at, \
        people.id, people.name, people.is_admin, people.space, people.created_at \
        FROM sessions JOIN people ON people.id = sessions.person_id WHERE sessions.hash = $1";
    TOUCH_SESSION = "UPDATE sessions SET used_at = $2 WHERE hash = $1";
    REMOVE_SESSION = "DELETE FROM sessions WHERE hash = $1 RETURNING hash";
    HAS_SESSION = "SELECT hash FROM sessions WHERE person_id = $1 AND used_at >= $2 LIMIT 1";
    ADD_SIGN_IN_CODE = "INSERT INTO sign_in_codes (hash, person_id, expires_at) VALUES ($1, $2, $3)";
    FORGET_SIGN_IN_CODES = concat!("DELETE FROM sign_in_codes WHERE expires_at <= ", now!());
    PEEK_SIGN_IN_CODE = "SELECT people.id, people.name, people.is_admin, people.space, people.created_at \
        FROM sign_in_codes JOIN people ON people.id = sign_in_codes.person_id \
        WHERE sign_in_codes.hash = $1 AND sign_in_codes.expires_at > $2";
    USE_SIGN_IN_CODE = "DELETE FROM sign_in_codes WHERE hash = $1 AND expires_at > $2 RETURNING person_id";
}

/// The statements that take or give sets, as JSON in `$1`.
#[derive(Debug)]
pub(super) struct SetStatements {
    /// Calls by an array of ids; `$2` is the time base.
    pub get_many: &'static str,
    /// Calls by an array of ids and, in `$2`, one of key scopes, for update and in the order of their ids.
    pub load_calls: &'static str,
    /// What is remembered of an array of acts.
    pub load_attempts: &'static str,
    /// For an array of askers the number of their calls that are pending and not due at `$2`.
    pub count_pending: &'static str,
    /// Stores new calls and returns the ids of those that were new.
    pub insert_calls: &'static str,
    /// Stores changed calls that are as they were loaded.
    pub update_calls: &'static str,
    pub insert_late_answers: &'static str,
    pub insert_attempts: &'static str,
    pub insert_events: &'static str,
}

/// What SQLite and Postgres do each in their own way.
pub(super) trait Backend: Send + Sync + Sized + 'static {
    /// The driver.
    type Db: Database;
    /// Whether other nodes may write to the same database.
    const IS_SHARED: bool;
    /// Begins a transaction that writes.
    const BEGIN: &'static str;
    /// The function that finds a text in a text.
    const POSITION: &'static str;
    /// What differs.
    const SETS: SetStatements;

    /// What the view `clock` lacks to the store's time.
    fn time_base(clock: &dyn Clock) -> i64;

    /// The time of a transaction, read when its locks are held.
    fn now_in(
        connection: &mut <Self::Db as Database>::Connection,
        clock: &dyn Clock,
    ) -> impl Future<Output = Result<i64, sqlx::Error>> + Send;

    /// Runs a statement that returns rows.
    fn fetch(
        connection: &mut <Self::Db as Database>::Connection,
        statement: Statement,
    ) -> impl Future<Output = Result<Vec<Row>, sqlx::Error>> + Send;

    /// Runs a statement that returns none: how many rows it changed.
    fn execute(
        connection: &mut <Self::Db as Database>::Connection,
        statement: Statement,
    ) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;

    /// Whether the transaction failed for nothing but another one running beside it.
    fn is_collision(error: &sqlx::Error) -> bool;

    /// Whether the database serves nobody at the moment, whatever the statement.
    fn is_down(error: &sqlx::Error) -> bool;

    /// Whether it is sure, after a commit that failed so, that nothing was stored.
    fn is_undone(error: &sqlx::Error) -> bool;
}

/// A statement with its values.
#[derive(Debug)]
pub(super) struct Statement {
    pub sql: SqlStr,
    pub values: Vec<Cell>,
}

impl Statement {
    pub fn new(sql: &'static str) -> Self {
        Self { sql: sql.into_sql_str(), values: Vec::new() }
    }

    #[must_use]
    pub fn bind(mut self, value: impl Into<Cell>) -> Self {
        self.values.push(value.into());
        self
    }
}

/// Keeps calls and identities in a database.
pub(super) struct SqlStore<B: Backend> {
    pub(super) reads: Pool<B::Db>,
    pub(super) writes: Pool<B::Db>,
    clock: Arc<dyn Clock>,
    writer: Writer,
}

/// What the writer's task and its store share.
pub(super) struct Committer<B: Backend> {
    writes: Pool<B::Db>,
    clock: Arc<dyn Clock>,
}

/// Closing a connection whose server is gone must not hold the writer.
const CLOSE_MAX: Duration = Duration::from_secs(1);
/// How many dead connections may be met in a row before the server is taken for dead: more than a pool has.
const STALE_MAX: usize = 10;
/// Longest that a statement, a commit, or all of a transaction before its commit may take: beyond it the server or the
/// way to it is taken for dead.
const ANSWER_MAX: Duration = Duration::from_secs(30);

impl<B: Backend> SqlStore<B> {
    /// Begins to serve a database whose schema is there.
    pub async fn start(reads: Pool<B::Db>, writes: Pool<B::Db>, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let committer: Committer<B> = Committer { writes: writes.clone(), clock: Arc::clone(&clock) };
        let writer = Writer::start(committer);
        let store = Self { reads, writes, clock, writer };
        store.execute(Statement::new(SET_EPOCH).bind(super::new_epoch())).await?;
        Ok(store)
    }

    /// Every statement that this store sends.
    pub fn statements() -> Vec<String> {
        let sets = &B::SETS;
        let own = [
            sets.get_many,
            sets.load_calls,
            sets.load_attempts,
            sets.count_pending,
            sets.insert_calls,
            sets.update_calls,
            sets.insert_late_answers,
            sets.insert_attempts,
            sets.insert_events,
        ];
        SHARED.iter().chain(&own).map(|sql| (*sql).to_owned()).chain(list::every_text(B::POSITION)).collect()
    }

    fn time_base(&self) -> i64 {
        B::time_base(&*self.clock)
    }

    /// Reads outside of any transaction. A connection that died unnoticed is worth another try.
    async fn read(&self, make: impl Fn() -> Statement + Send + Sync) -> Result<Vec<Row>, StoreError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let mut connection = self.reads.acquire().await.map_err(store_error)?;
            let error = match in_time(B::fetch(&mut connection, make())).await {
                Ok(rows) => return Ok(rows),
                Err(error) => error,
            };
            discard::<B>(connection).await;
            if tries > STALE_MAX || !is_stale(&error) {
                return Err(store_error(error));
            }
        }
    }

    /// One writing statement in a transaction of its own, which returns rows.
    async fn write_rows(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        let mut connection = self.writes.acquire().await.map_err(store_error)?;
        match in_time(B::fetch(&mut connection, statement)).await {
            Ok(rows) => Ok(rows),
            Err(error) => {
                discard::<B>(connection).await;
                Err(store_error(error))
            }
        }
    }

    async fn execute(&self, statement: Statement) -> Result<u64, StoreError> {
        let mut connection = self.writes.acquire().await.map_err(store_error)?;
        match in_time(B::execute(&mut connection, statement)).await {
            Ok(rows) => Ok(rows),
            Err(error) => {
                discard::<B>(connection).await;
                Err(store_error(error))
            }
        }
    }
}

/// Closes a connection on which something failed: a new one costs less than to know in which state this one is.
async fn discard<B: Backend>(connection: PoolConnection<B::Db>) {
    let _ = tokio::time::timeout(CLOSE_MAX, connection.close()).await;
}

/// The result, unless it takes longer than anything may.
async fn in_time<T>(result: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    tokio::time::timeout(ANSWER_MAX, result).await.unwrap_or_else(|_| Err(too_late()))
}

/// Whether the connection was found dead at once, as all of a pool are when their server restarts.
fn is_stale(error: &sqlx::Error) -> bool {
    let is_too_late = matches!(error, sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut);
    is_lost(error) && !is_too_late
}

/// Like a connection that is gone: nobody knows what became of the statement.
fn too_late() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::from(std::io::ErrorKind::TimedOut))
}

/// Whether the connection is gone.
fn is_lost(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed)
}

/// Whether trying again at once, with other commands, is in vain.
fn is_down<B: Backend>(error: &sqlx::Error) -> bool {
    is_lost(error) || matches!(error, sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed) || B::is_down(error)
}

pub(super) fn store_error(error: sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::PoolClosed => StoreError::Closed,
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => StoreError::Corrupt(Cause::new(error)),
        other => StoreError::Unavailable(Cause::new(other)),
    }
}
