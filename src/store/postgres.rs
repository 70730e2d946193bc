//! Postgres: several nodes over one database, which alone knows the time and who was first.
//!
//! Nothing lives in a session but prepared statements and, while the tables are brought up to date at the start, one
//! lock: no `SET`, so that a pool of connections that knows prepared statements may stand between.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgPoolOptions, PgRow};
use sqlx::{Arguments as _, ConnectOptions as _, Connection as _, Postgres};

use super::StoreError;
use super::open::{cannot, run_migrations};
use super::sql::{Backend, Cell, Row, SetStatements, SqlStore, Statement, call_columns, cells_of, now};
use crate::clock::Clock;

/// Connections of one node that read.
const READERS: u32 = 8;
/// Connections of one node that write: the writer's, and a few for identities and presence.
const WRITERS: u32 = 4;
/// How long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection that was idle for longer is tried before it is used: the server may be gone.
const IDLE_TRUSTED_MAX: Duration = Duration::from_secs(2);

/// The time, and the one thing that a commit must not do: reply before it is on disk. A transaction overrides the
/// server's setting for itself; stricter settings stay.
const NOW_IN: &str = "SELECT millis + $1, CASE WHEN current_setting('synchronous_commit') = 'off' \
    THEN set_config('synchronous_commit', 'on', true) END FROM clock";

/// Postgres, as a [`Backend`].
pub(super) struct PostgresBackend;

/// Opens a database that exists, and makes or renews its tables.
pub(super) async fn open(url: &str, clock: Arc<dyn Clock>) -> Result<SqlStore<PostgresBackend>, StoreError> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|error| cannot("read the Postgres URL".to_owned(), error))?
        .application_name("askhub")
        .extra_float_digits(None)
        .statement_cache_capacity(512)
        .disable_statement_logging();
    let place = place(&options);
    let pool = |connections: u32| {
        PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(CONNECT_TIMEOUT)
            .test_before_acquire(false)
            .before_acquire(|connection, meta| {
                Box::pin(async move {
                    if meta.idle_for > IDLE_TRUSTED_MAX {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
    };
    let writes = pool(WRITERS).connect_with(options.clone()).await;
    let writes = writes.map_err(|error| cannot(format!("connect to {place}"), error))?;
    if let Err(error) = run_migrations(&sqlx::migrate!("migrations/postgres"), &writes).await {
        writes.close().await;
        return Err(cannot(format!("use {place}"), error));
    }
    SqlStore::start(pool(READERS).connect_lazy_with(options), writes, clock).await
}

/// Where the database is, without the password.
fn place(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or("the user's own");
    format!("the Postgres database {database} at {}:{}", options.get_host(), options.get_port())
}

impl Backend for PostgresBackend {
    type Db = Postgres;
    const IS_SHARED: bool = true;
    // Each statement sees what was committed before it, whatever the server's default: a loser must see the winner.
    const BEGIN: &'static str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
    const POSITION: &'static str = "strpos";
    const SETS: SetStatements = SETS;

    fn time_base(clock: &dyn Clock) -> i64 {
        clock.offset()
    }

    async fn now_in(connection: &mut PgConnection, clock: &dyn Clock) -> Result<i64, sqlx::Error> {
        sqlx::query_scalar(NOW_IN).bind(clock.offset()).fetch_one(connection).await
    }

    async fn fetch(connection: &mut PgConnection, statement: Statement) -> Result<Vec<Row>, sqlx::Error> {
        let values = bound(statement.values)?;
        let rows = sqlx::query_with(statement.sql, values).fetch_all(connection).await?;
        rows.iter().map(row).collect()
    }

    async fn execute(connection: &mut PgConnection, statement: Statement) -> Result<u64, sqlx::Error> {
        let values = bound(statement.values)?;
        Ok(sqlx::query_with(statement.sql, values).execute(connection).await?.rows_affected())
    }

    /// A deadlock or a serialization failure: the server undid this transaction to let another one pass.
    fn is_collision(error: &sqlx::Error) -> bool {
        class(error).is_some_and(|class| class == "40")
    }

    /// Lost connections, too few resources, a read-only standby, a server that starts or stops, a broken disk.
    fn is_down(error: &sqlx::Error) -> bool {
        class(error).is_some_and(|class| ["08", "25", "53", "57", "58"].contains(&class.as_str()))
    }

    /// Only a server that says that it rolled back is believed: one that stops may have committed before.
    fn is_undone(error: &sqlx::Error) -> bool {
        class(error).is_some_and(|class| class == "40" || class == "23")
    }
}

/// The class of an error that the server reported: the first two characters of its SQLSTATE.
fn class(error: &sqlx::Error) -> Option<String> {
    let code = error.as_database_error()?.code()?;
    code.get(..2).map(str::to_owned)
}

fn bound(values: Vec<Cell>) -> Result<PgArguments, sqlx::Error> {
    let mut bound = PgArguments::default();
    for value in values {
        match value {
            Cell::Int(value) => bound.add(value),
            Cell::Text(value) => bound.add(value),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(bound)
}

fn row(row: &PgRow) -> Result<Row, sqlx::Error> {
    cells_of!(row, "INT8")
}

const SETS: SetStatements = SetStatements {
    get_many: concat!(
        "SELECT ",
        call_columns!(),
        ", ",
        now!(),
        " FROM calls WHERE calls.id IN (SELECT json_array_elements_text($2::json))"
    ),
    load_calls: concat!(
        "SELECT ",
        call_columns!(),
        " FROM calls WHERE calls.id IN (SELECT json_array_elements_text($1::json) UNION \
         SELECT known.id FROM json_to_recordset($2::json) AS asks (space text, key text, asker_id text, session text) \
         JOIN calls AS known ON known.space = asks.space AND known.key = asks.key \
         AND known.asker_id = asks.asker_id AND known.session = asks.session) \
         ORDER BY calls.id FOR UPDATE OF calls"
    ),
    load_attempts: "SELECT attempts.call_id, attempts.principal, attempts.attempt, attempts.body, attempts.won \
        FROM json_to_recordset($1::json) AS acts (call_id text, principal text, attempt text) \
        JOIN attempts ON attempts.call_id = acts.call_id AND attempts.principal = acts.principal \
        AND attempts.attempt = acts.attempt",
    count_pending: "SELECT askers.space, askers.asker_id, (SELECT count(*) FROM calls \
        WHERE calls.status = 'pending' AND calls.space = askers.space AND calls.asker_id = askers.asker_id \
        AND calls.due_at > $2) FROM json_to_recordset($1::json) AS askers (space text, asker_id text)",
    insert_calls: "INSERT INTO calls (id, space, key, asker_id, session, agent_name, asker, ask, search, same_ask, \
        dialect, status, rev, asked_at, deadline, settled_at, outcome, late_answers_total, delivered_at, acked_at, \
        erased_at, due_at, held, claim, claim_epoch, typing_seconds) \
        SELECT id, space, key, asker_id, session, agent_name, asker, ask, search, same_ask, dialect, status, rev, \
        asked_at, deadline, settled_at, outcome, late_answers_total, delivered_at, acked_at, erased_at, due_at, held, \
        claim, claim_epoch, typing_seconds \
        FROM json_to_recordset($1::json) AS new (id text, space text, key text, asker_id text, session text, \
        agent_name text, asker text, ask text, search text, same_ask text, dialect text, status text, rev bigint, \
        asked_at bigint, deadline bigint, settled_at bigint, outcome text, late_answers_total bigint, \
        delivered_at bigint, acked_at bigint, erased_at bigint, due_at bigint, held text, claim text, \
        claim_epoch bigint, typing_seconds bigint) \
        ON CONFLICT DO NOTHING RETURNING id",
    update_calls: "UPDATE calls SET status = new.status, rev = new.rev, deadline = new.deadline, \
        settled_at = new.settled_at, outcome = new.outcome, late_answers_total = new.late_answers_total, \
        delivered_at = new.delivered_at, acked_at = new.acked_at, erased_at = new.erased_at, \
        due_at = new.due_at, held = new.held, claim = new.claim, claim_epoch = new.claim_epoch, \
        typing_seconds = new.typing_seconds \
        FROM json_to_recordset($1::json) AS new (id text, was_status text, was_rev bigint, status text, rev bigint, \
        deadline bigint, settled_at bigint, outcome text, late_answers_total bigint, delivered_at bigint, \
        acked_at bigint, erased_at bigint, due_at bigint, held text, claim text, claim_epoch bigint, \
        typing_seconds bigint) \
        WHERE calls.id = new.id AND calls.status = new.was_status AND calls.rev = new.was_rev",
    insert_late_answers: "INSERT INTO late_answers (call_id, number, body) SELECT call_id, number, body \
        FROM json_to_recordset($1::json) AS new (call_id text, number bigint, body text)",
    insert_attempts: "INSERT INTO attempts (call_id, principal, attempt, body, won) \
        SELECT call_id, principal, attempt, body, won \
        FROM json_to_recordset($1::json) AS new (call_id text, principal text, attempt text, body text, won bigint)",
    insert_events: "INSERT INTO events (space, seq, kind, happened_at, call_id, rev, status, done_by, asker_id) \
        SELECT space, seq, kind, happened_at, call_id, rev, status, done_by, asker_id \
        FROM json_to_recordset($1::json) AS new (space text, seq bigint, kind text, happened_at bigint, call_id text, \
        rev bigint, status text, done_by text, asker_id text)",
};
