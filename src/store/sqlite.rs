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
const BUSY_TIMEOUT: Duration = Duration::from_millis(5000);
/// What is left of the log's file after it was copied into the database, in bytes.
const JOURNAL_BYTES_KEPT: &str = "67108864";

/// Pages kept in memory by the writer and by each reader, in KiB (negative is how SQLite wants KiB). Its default of
/// 2 MiB makes the writer read the upper pages of its indexes from the system again and again.
const WRITER_CACHE: &str = "-32768";
const READER_CACHE: &str = "-8192";

/// Settings that are read back, with what they must say.
const SETTINGS: &[(&str, &str)] = &[
    ("PRAGMA journal_mode", "wal"),
    // 2 is FULL: a commit is synced before it is acknowledged.
    ("PRAGMA synchronous", "2"),
    ("PRAGMA foreign_keys", "1"),
    ("PRAGMA busy_timeout", "5000"),
    ("PRAGMA journal_size_limit", JOURNAL_BYTES_KEPT),
];

/// SQLite, as a [`Backend`].
pub(super) struct SqliteBackend;

/// Opens the file at `path`, and makes it, readable for its owner alone, if it is not there.
pub(super) async fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<SqlStore<SqliteBackend>, StoreError> {
    make_file(path).map_err(|error| cannot(format!("open {}", path.display()), error))?;
    let options = options(path);
    let pool = |connections: u32| {
        let pool = SqlitePoolOptions::new().max_connections(connections).test_before_acquire(false);
        pool.idle_timeout(None).max_lifetime(None)
    };
    let writes = pool(1).connect_with(options.clone().pragma("cache_size", WRITER_CACHE)).await;
    let writes = writes.map_err(|error| cannot(format!("open {}", path.display()), error))?;
    let prepared = async {
        check_settings(&writes).await?;
        run_migrations(&sqlx::migrate!("migrations/sqlite"), &writes).await
    };
    if let Err(error) = prepared.await {
        writes.close().await;
        return Err(cannot(format!("use {}", path.display()), error));
    }
    let options = options.pragma("cache_size", READER_CACHE).pragma("query_only", "1");
    let reads = pool(READERS).connect_lazy_with(options);
    SqlStore::start(reads, writes, clock).await
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("fullfsync", "1")
        .pragma("checkpoint_fullfsync", "1")
        .pragma("journal_size_limit", JOURNAL_BYTES_KEPT)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(256)
        .disable_statement_logging()
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
    let mut connection = pool.acquire().await.map_err(Cause::new)?;
    for &(setting, wanted) in SETTINGS {
        let rows = SqliteBackend::fetch(&mut connection, Statement::new(setting)).await.map_err(Cause::new)?;
        let found = match rows.into_iter().next().and_then(|mut row| row.0.pop_front()) {
            Some(Cell::Int(Some(number))) => number.to_string(),
            Some(Cell::Text(Some(text))) => text,
            _ => "unknown".to_owned(),
        };
        if found != wanted {
            let text = format!("{setting} says {found} and must say {wanted}: is the file on a network share?");
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

    /// Busy, out of memory, read-only, broken disk or file, full disk.
    fn is_down(error: &sqlx::Error) -> bool {
        matches!(code(error), Some(5 | 7 | 8 | 10 | 11 | 13 | 14 | 26))
    }

    /// Busy, full and broken constraints leave nothing behind. After a failed write of the log nobody can be sure.
    fn is_undone(error: &sqlx::Error) -> bool {
        matches!(code(error), Some(5 | 13 | 19))
    }
}

/// The primary result code of an error that SQLite reported.
fn code(error: &sqlx::Error) -> Option<u32> {
    let extended: u32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(extended & 0xff)
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
        " FROM calls WHERE calls.id IN (SELECT value FROM jsonb_each($2))"
    ),
    load_calls: concat!(
        "SELECT ",
        call_columns!(),
        " FROM calls WHERE calls.id IN (SELECT value FROM jsonb_each($1) UNION \
         SELECT known.id FROM jsonb_each($2) AS asks JOIN calls AS known \
         ON known.space = asks.value ->> 'space' AND known.key = asks.value ->> 'key' \
         AND known.asker_id = asks.value ->> 'asker_id' AND known.session = asks.value ->> 'session') \
         ORDER BY calls.id"
    ),
    load_attempts: "SELECT attempts.call_id, attempts.principal, attempts.attempt, attempts.body, attempts.won \
        FROM jsonb_each($1) AS acts JOIN attempts ON attempts.call_id = acts.value ->> 'call_id' \
        AND attempts.principal = acts.value ->> 'principal' AND attempts.attempt = acts.value ->> 'attempt'",
    count_pending: "SELECT value ->> 'space', value ->> 'asker_id', (SELECT count(*) FROM calls \
        WHERE status = 'pending' AND space = value ->> 'space' AND asker_id = value ->> 'asker_id' \
        AND due_at > $2) FROM jsonb_each($1)",
    insert_calls: "INSERT INTO calls (id, space, key, asker_id, session, agent_name, asker, ask, search, same_ask, \
        dialect, status, rev, asked_at, deadline, settled_at, outcome, late_answers_total, delivered_at, acked_at, \
        erased_at, due_at, held, claim, claim_epoch, typing_seconds) \
        SELECT value ->> 'id', value ->> 'space', value ->> 'key', value ->> 'asker_id', value ->> 'session', \
        value ->> 'agent_name', value ->> 'asker', value ->> 'ask', value ->> 'search', value ->> 'same_ask', \
        value ->> 'dialect', value ->> 'status', value ->> 'rev', value ->> 'asked_at', value ->> 'deadline', \
        value ->> 'settled_at', value ->> 'outcome', value ->> 'late_answers_total', value ->> 'delivered_at', \
        value ->> 'acked_at', value ->> 'erased_at', value ->> 'due_at', value ->> 'held', value ->> 'claim', \
        value ->> 'claim_epoch', value ->> 'typing_seconds' FROM jsonb_each($1) WHERE true \
        ON CONFLICT DO NOTHING RETURNING id",
    update_calls: "UPDATE calls SET status = new.value ->> 'status', rev = new.value ->> 'rev', \
        deadline = new.value ->> 'deadline', settled_at = new.value ->> 'settled_at', \
        outcome = new.value ->> 'outcome', late_answers_total = new.value ->> 'late_answers_total', \
        delivered_at = new.value ->> 'delivered_at', acked_at = new.value ->> 'acked_at', \
        erased_at = new.value ->> 'erased_at', due_at = new.value ->> 'due_at', held = new.value ->> 'held', \
        claim = new.value ->> 'claim', claim_epoch = new.value ->> 'claim_epoch', \
        typing_seconds = new.value ->> 'typing_seconds' FROM jsonb_each($1) AS new WHERE calls.id = new.value ->> 'id' \
        AND calls.status = new.value ->> 'was_status' AND calls.rev = new.value ->> 'was_rev'",
    insert_late_answers: "INSERT INTO late_answers (call_id, number, body) \
        SELECT value ->> 'call_id', value ->> 'number', value ->> 'body' FROM jsonb_each($1)",
    insert_attempts: "INSERT INTO attempts (call_id, principal, attempt, body, won) \
        SELECT value ->> 'call_id', value ->> 'principal', value ->> 'attempt', value ->> 'body', value ->> 'won' \
        FROM jsonb_each($1)",
    insert_events: "INSERT INTO events (space, seq, kind, happened_at, call_id, rev, status, done_by, asker_id) \
        SELECT value ->> 'space', value ->> 'seq', value ->> 'kind', value ->> 'happened_at', value ->> 'call_id', \
        value ->> 'rev', value ->> 'status', value ->> 'done_by', value ->> 'asker_id' FROM jsonb_each($1)",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TestClock;
    use crate::store::{AuthStore as _, CallStore as _, Person};

    fn file() -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("askhub.db");
        (directory, path)
    }

    fn person(name: String) -> Person {
        let created_at = crate::domain::Timestamp::from_millis(0);
        Person { id: name.clone(), name, is_admin: false, space: "default".to_owned(), created_at }
    }

    #[tokio::test]
    async fn a_file_that_would_acknowledge_before_it_syncs_is_refused() {
        let (_directory, path) = file();
        make_file(&path).unwrap();
        let lax = options(&path).synchronous(SqliteSynchronous::Normal);
        let pool = SqlitePoolOptions::new().connect_with(lax).await.unwrap();
        let refusal = check_settings(&pool).await.unwrap_err().to_string();
        assert!(refusal.contains("PRAGMA synchronous says 1 and must say 2"), "{refusal}");
        let strict = SqlitePoolOptions::new().connect_with(options(&path)).await.unwrap();
        check_settings(&strict).await.unwrap();
    }

    #[tokio::test]
    async fn readers_cannot_write() {
        let (_directory, path) = file();
        let store = open(&path, Arc::new(TestClock::default())).await.unwrap();
        let refused = sqlx::query("DELETE FROM calls").execute(&store.reads).await.unwrap_err();
        assert_eq!(code(&refused), Some(8), "{refused}");
    }

    #[tokio::test]
    async fn a_full_disk_fails_what_does_not_fit_and_nothing_later() {
        let (_directory, path) = file();
        let store = open(&path, Arc::new(TestClock::default())).await.unwrap();
        sqlx::query("PRAGMA max_page_count = 1").execute(&store.writes).await.unwrap();
        let mut written = 0;
        let full = loop {
            match store.add_person(&person(format!("{written:01000}"))).await {
                Ok(_) => written += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(full, StoreError::Unavailable(_)), "{full:?}");
        assert!(store.add_person(&person("after".to_owned())).await.unwrap());
        assert_eq!(store.people().await.unwrap().len(), written + 1);
        store.close().await;
    }
}
