//! SQLite: one file, one writing connection, a few reading ones. For one node.
//!
//! What is committed is on disk: write-ahead log with `synchronous = FULL`. The settings are read back when the file
//! is opened, because SQLite ignores in silence what it does not know or cannot do.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{Arguments as _, ConnectOptions as _, Sqlite, SqlitePool};

use super::open::{cannot, run_migrations};
use super::sql::{Backend, Cell, Row, SetStatements, SqlStore, Statement, call_columns, cells_of, now};
use super::{Cause, StoreError};
use crate::clock::Clock;

/// How many statements may read at once.
const READERS: u32 = 4;
/// How long to wait for a lock that another process holds: a backup, or a person with a shell.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// What is left of the log's file after it was copied into the database, in bytes.
const JOURNAL_BYTES_KEPT: &str = "67108864";

/// Settings that are read back, with what they must say.
const SETTINGS: &[(&str, &str)] =
    &[("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1"), ("journal_size_limit", JOURNAL_BYTES_KEPT)];

/// SQLite, as a [`Backend`].
pub(super) struct SqliteBackend;

/// Opens the file at `path`, and makes it, readable for its owner alone, if it is not there.
pub(super) async fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<SqlStore<SqliteBackend>, StoreError> {
    make_file(path).map_err(|error| cannot(format!("open {}", path.display()), error))?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("fullfsync", "1")
        .pragma("checkpoint_fullfsync", "1")
        .pragma("journal_size_limit", JOURNAL_BYTES_KEPT)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(256)
        .disable_statement_logging();
    let pool = |connections: u32| {
        let pool = SqlitePoolOptions::new().max_connections(connections).test_before_acquire(false);
        pool.idle_timeout(None).max_lifetime(None)
    };
    let writes = pool(1).connect_with(options.clone()).await;
    let writes = writes.map_err(|error| cannot(format!("open {}", path.display()), error))?;
    let prepared = async {
        check_settings(&writes).await?;
        run_migrations(&sqlx::migrate!("migrations/sqlite"), &writes).await
    };
    if let Err(error) = prepared.await {
        writes.close().await;
        return Err(cannot(format!("use {}", path.display()), error));
    }
    let reads = pool(READERS).connect_lazy_with(options.pragma("query_only", "1"));
    SqlStore::start(reads, writes, clock).await
}

/// SQLite makes its file readable for everybody; the log's files get the same permissions as the file.
fn make_file(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(directory)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

async fn check_settings(pool: &SqlitePool) -> Result<(), Cause> {
    for (setting, wanted) in SETTINGS {
        let sql = sqlx::AssertSqlSafe(format!("SELECT CAST({setting} AS TEXT) FROM pragma_{setting}"));
        let found: String = sqlx::query_scalar(sql).fetch_one(pool).await.map_err(Cause::new)?;
        if !found.eq_ignore_ascii_case(wanted) {
            let text = format!("{setting} is {found} and must be {wanted}: is the file on a network share?");
            return Err(Cause::new(text));
        }
    }
    Ok(())
}

impl Backend for SqliteBackend {
    type Db = Sqlite;
    const IS_SHARED: bool = false;
    // Takes the lock at once: a transaction that reads first and writes later can fail at any time.
    const BEGIN: &'static str = "BEGIN IMMEDIATE";
    const POSITION: &'static str = "instr";
    const SETS: SetStatements = SETS;

    fn time_base(clock: &dyn Clock) -> i64 {
        clock.now().as_millis()
    }

    async fn now_in(_connection: &mut SqliteConnection, clock: &dyn Clock) -> Result<i64, sqlx::Error> {
        Ok(clock.now().as_millis())
    }

    async fn fetch(connection: &mut SqliteConnection, statement: Statement) -> Result<Vec<Row>, sqlx::Error> {
        let values = bound(statement.values)?;
        let rows = sqlx::query_with(statement.sql, values).fetch_all(connection).await?;
        rows.iter().map(row).collect()
    }

    async fn execute(connection: &mut SqliteConnection, statement: Statement) -> Result<u64, sqlx::Error> {
        let values = bound(statement.values)?;
        Ok(sqlx::query_with(statement.sql, values).execute(connection).await?.rows_affected())
    }

    fn is_collision(_error: &sqlx::Error) -> bool {
        false
    }

    /// Busy, full and broken constraints leave nothing behind. After a failed write of the log nobody can be sure.
    fn is_undone(error: &sqlx::Error) -> bool {
        let code = error.as_database_error().and_then(|error| error.code()).and_then(|code| code.parse::<u32>().ok());
        matches!(code.map(|code| code & 0xff), Some(5 | 13 | 19))
    }
}

fn bound(values: Vec<Cell>) -> Result<SqliteArguments, sqlx::Error> {
    let mut bound = SqliteArguments::default();
    for value in values {
        match value {
            Cell::Int(value) => bound.add(value),
            Cell::Text(value) => bound.add(value),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(bound)
}

fn row(row: &SqliteRow) -> Result<Row, sqlx::Error> {
    cells_of!(row, "INTEGER")
}

const SETS: SetStatements = SetStatements {
    get_many: concat!(
        "SELECT ",
        call_columns!(),
        ", ",
        now!(),
        " FROM calls WHERE calls.id IN (SELECT value FROM json_each($2))"
    ),
    load_calls: concat!(
        "SELECT ",
        call_columns!(),
        " FROM calls WHERE calls.id IN (SELECT value FROM json_each($1) UNION \
         SELECT known.id FROM json_each($2) AS asks JOIN calls AS known \
         ON known.space = asks.value ->> 'space' AND known.key = asks.value ->> 'key' \
         AND known.asker_id = asks.value ->> 'asker_id' AND known.session = asks.value ->> 'session') \
         ORDER BY calls.id"
    ),
    load_attempts: "SELECT attempts.call_id, attempts.principal, attempts.attempt, attempts.body, attempts.won \
        FROM json_each($1) AS acts JOIN attempts ON attempts.call_id = acts.value ->> 'call_id' \
        AND attempts.principal = acts.value ->> 'principal' AND attempts.attempt = acts.value ->> 'attempt'",
    count_pending: "SELECT value ->> 'space', value ->> 'asker_id', (SELECT count(*) FROM calls \
        WHERE status = 'pending' AND space = value ->> 'space' AND asker_id = value ->> 'asker_id' \
        AND deadline > $2) FROM json_each($1)",
    insert_calls: "INSERT INTO calls (id, space, key, asker_id, session, agent_name, asker, ask, search, same_ask, \
        dialect, status, rev, asked_at, deadline, settled_at, outcome, late_answers_total, delivered_at, acked_at, \
        erased_at) \
        SELECT value ->> 'id', value ->> 'space', value ->> 'key', value ->> 'asker_id', value ->> 'session', \
        value ->> 'agent_name', value ->> 'asker', value ->> 'ask', value ->> 'search', value ->> 'same_ask', \
        value ->> 'dialect', value ->> 'status', value ->> 'rev', value ->> 'asked_at', value ->> 'deadline', \
        value ->> 'settled_at', value ->> 'outcome', value ->> 'late_answers_total', value ->> 'delivered_at', \
        value ->> 'acked_at', value ->> 'erased_at' FROM json_each($1) WHERE true \
        ON CONFLICT DO NOTHING RETURNING id",
    update_calls: "UPDATE calls SET status = new.value ->> 'status', rev = new.value ->> 'rev', \
        deadline = new.value ->> 'deadline', settled_at = new.value ->> 'settled_at', \
        outcome = new.value ->> 'outcome', late_answers_total = new.value ->> 'late_answers_total', \
        delivered_at = new.value ->> 'delivered_at', acked_at = new.value ->> 'acked_at', \
        erased_at = new.value ->> 'erased_at' FROM json_each($1) AS new WHERE calls.id = new.value ->> 'id' \
        AND calls.status = new.value ->> 'was_status' AND calls.rev = new.value ->> 'was_rev'",
    insert_late_answers: "INSERT INTO late_answers (call_id, number, body) \
        SELECT value ->> 'call_id', value ->> 'number', value ->> 'body' FROM json_each($1)",
    insert_attempts: "INSERT INTO attempts (call_id, principal, attempt, body, won) \
        SELECT value ->> 'call_id', value ->> 'principal', value ->> 'attempt', value ->> 'body', value ->> 'won' \
        FROM json_each($1)",
    insert_events: "INSERT INTO events (space, seq, kind, happened_at, call_id, rev, status, done_by, asker_id) \
        SELECT value ->> 'space', value ->> 'seq', value ->> 'kind', value ->> 'happened_at', value ->> 'call_id', \
        value ->> 'rev', value ->> 'status', value ->> 'done_by', value ->> 'asker_id' FROM json_each($1)",
};
