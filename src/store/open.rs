//! From a URL to a store.

use std::path::Path;
use std::sync::Arc;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{Pool, migrate::Migrate};

use super::{AuthStore, CallStore, Cause, MemoryStore, StoreError, postgres, sql::SqlStore, sqlite};
use crate::clock::Clock;

/// One store, for calls and for identities.
pub type Stores = (Arc<dyn CallStore>, Arc<dyn AuthStore>);

const UNDERSTOOD: &str = "understood are sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE and, to try askhub out \
    without keeping anything, memory:";

/// Opens the store that a URL names; makes it if it is a file that does not exist.
///
/// # Errors
/// [`StoreError::Unavailable`] with a cause that says what could not be done, never with the URL's password.
pub async fn open(url: &str, clock: Arc<dyn Clock>) -> Result<Stores, StoreError> {
    let Some((scheme, rest)) = url.split_once(':') else {
        return Err(refused(format!("the database URL has no scheme: {UNDERSTOOD}")));
    };
    match scheme {
        "memory" if rest.is_empty() => Ok(both(MemoryStore::new(clock))),
        "sqlite" => Ok(both(sqlite::open(sqlite_path(rest)?, clock).await?)),
        "postgres" | "postgresql" => Ok(both(postgres::open(url, clock).await?)),
        "memory" => Err(refused("nothing may follow memory: in the database URL".to_owned())),
        scheme => Err(refused(format!("the database URL has the unknown scheme {scheme:?}: {UNDERSTOOD}"))),
    }
}

/// Every statement that is sent to SQLite and to Postgres, for the test that prepares each.
#[doc(hidden)]
pub fn statements() -> [Vec<String>; 2] {
    [SqlStore::<sqlite::SqliteBackend>::statements(), SqlStore::<postgres::PostgresBackend>::statements()]
}

fn both<S: CallStore + AuthStore>(store: S) -> Stores {
    let store = Arc::new(store);
    (Arc::clone(&store) as Arc<dyn CallStore>, store)
}

/// `sqlite:relative/path`, `sqlite:/absolute/path` and `sqlite:///absolute/path`.
fn sqlite_path(rest: &str) -> Result<&Path, StoreError> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.is_empty() || path == ":memory:" {
        let text = "the SQLite URL names no file: write sqlite:PATH, or memory: to keep nothing";
        return Err(refused(text.to_owned()));
    }
    if path.contains('?') {
        return Err(refused("the SQLite URL takes no parameters: write sqlite:PATH".to_owned()));
    }
    Ok(Path::new(path))
}

/// Brings the tables up to date. A database that is newer than this program is left alone.
pub(super) async fn run_migrations<Db: sqlx::Database>(migrator: &Migrator, pool: &Pool<Db>) -> Result<(), Cause>
where
    Db::Connection: Migrate,
{
    migrator.run(pool).await.map_err(|error| {
        let known = migrator.iter().map(|migration| migration.version).max().unwrap_or(0);
        match error {
            MigrateError::VersionMissing(found) if found > known => Cause::new(format!(
                "its schema has version {found} and this askhub knows versions up to {known}: use a newer askhub"
            )),
            other => Cause::new(other),
        }
    })
}

fn refused(text: String) -> StoreError {
    StoreError::Unavailable(Cause::new(text))
}

/// The error of an attempt, told with what was attempted.
pub(super) fn cannot(attempt: String, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable(Cause::new(CannotOpen { attempt, source: Cause::new(source) }))
}

#[derive(Debug, thiserror::Error)]
#[error("cannot {attempt}")]
struct CannotOpen {
    attempt: String,
    source: Cause,
}
