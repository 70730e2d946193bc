//! What only a database can do wrong: forget, refuse one command, be new, be elsewhere.

use std::sync::Arc;

use askhub::clock::TestClock;
use askhub::domain::Command;
use askhub::store::{Person, StoreError, statements};
use futures_util::future::join_all;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

use super::fixture::*;

/// Runs a statement beside the store.
async fn run(store: &Fixture, sql: &'static str) {
    if store.is_sqlite() {
        let mut connection = SqliteConnection::connect(&store.url).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    } else {
        let mut connection = PgConnection::connect(&store.url).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    }
}

#[tokio::test]
async fn a_restart_keeps_everything() {
    for store in Fixture::databases().await {
        let call = store.ask(keyed("k")).await;
        store.write(answer_as(call.id, "ann", "go", "act")).await;
        store.write(answer(call.id, "bob", "stop")).await;
        let pending = store.ask(with_timeout(60)).await;
        let ann = Person {
            id: "p".to_owned(),
            name: "ann".to_owned(),
            is_admin: false,
            space: "default".to_owned(),
            created_at: call.asked_at,
        };
        store.auth.add_person(&ann).await.unwrap();
        let (settled, late) = (store.get(call.id).await, store.calls.late_answers(call.id, 9).await.unwrap());
        let (bounds, events) = (
            store.calls.log_bounds("default").await.unwrap(),
            store.calls.events_after("default", 0, 9).await.unwrap(),
        );

        let store = store.reopen().await;
        assert_eq!(whole(&store.get(call.id).await), whole(&settled));
        assert_eq!(whole(&store.get(pending.id).await), whole(&pending));
        assert_eq!(store.calls.late_answers(call.id, 9).await.unwrap(), late);
        assert_eq!(store.calls.log_bounds("default").await.unwrap(), bounds);
        assert_eq!(store.calls.events_after("default", 0, 9).await.unwrap(), events);
        assert_eq!(store.auth.people().await.unwrap(), [ann]);
        done(store.write(answer_as(call.id, "ann", "go", "act")).await);
        assert_eq!(existing(store.write(Command::Ask(Box::new(keyed("k")))).await).id, call.id);
        assert_eq!(store.calls.next_deadline().await.unwrap(), pending.expires_at);
    }
}

#[tokio::test]
async fn a_closed_store_takes_nothing_and_has_finished_what_it_took() {
    for store in Fixture::databases().await {
        let asks: Vec<_> = (0..20).map(|_| new_call()).collect();
        let ids: Vec<_> = asks.iter().map(|new| new.id).collect();
        let writes = join_all(asks.into_iter().map(|new| store.try_write(Command::Ask(Box::new(new)))));
        let (results, ()) = tokio::join!(writes, store.calls.close());
        assert!(results.iter().all(Result::is_ok), "{results:?}");
        let refused = store.try_write(Command::Ask(Box::new(new_call()))).await;
        assert!(matches!(refused, Err(StoreError::Closed)), "{refused:?}");
        assert!(matches!(store.calls.get_many(&ids).await, Err(StoreError::Closed)));
        let store = store.reopen().await;
        assert_eq!(store.calls.get_many(&ids).await.unwrap().calls.len(), 20);
    }
}

#[tokio::test]
async fn a_reply_that_nobody_waits_for_undoes_nothing() {
    for store in Fixture::databases().await {
        let new = new_call();
        let id = new.id;
        {
            let mut write = std::pin::pin!(store.try_write(Command::Ask(Box::new(new))));
            // Polled once: the command is on its way, and nobody waits for the reply.
            assert!(futures_util::poll!(&mut write).is_pending());
        }
        let store = store.reopen().await;
        assert_eq!(store.get(id).await.id, id);
    }
}

#[tokio::test]
async fn one_command_that_cannot_be_stored_fails_alone() {
    for store in Fixture::databases().await {
        let poison = match store.is_sqlite() {
            true => {
                "CREATE TRIGGER poison BEFORE INSERT ON calls WHEN new.key = 'poison' \
                 BEGIN SELECT raise(ABORT, 'poison'); END"
            }
            false => {
                "CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS \
                 'BEGIN IF new.key = ''poison'' THEN RAISE ''poison''; END IF; RETURN new; END'; \
                 CREATE TRIGGER poison BEFORE INSERT ON calls FOR EACH ROW EXECUTE FUNCTION poison()"
            }
        };
        run(&store, poison).await;
        let keys = (0..20).map(|number| if number == 7 { "poison".to_owned() } else { format!("k{number}") });
        let asks = keys.map(|key| store.try_write(Command::Ask(Box::new(keyed(&key)))));
        let results = join_all(asks.collect::<Vec<_>>()).await;
        let failed: Vec<_> = (0..20).filter(|number| results[*number].is_err()).collect();
        assert_eq!(failed, [7]);
        assert!(matches!(results[7], Err(StoreError::Unavailable(_))), "{:?}", results[7]);
        assert_eq!(store.event_kinds("default").await.len(), 19, "no number is spent on it");
        store.ask(keyed("after")).await;
    }
}

#[tokio::test]
async fn every_statement_is_understood_by_its_database() {
    for store in Fixture::databases().await {
        let [sqlite, postgres] = statements();
        assert!(sqlite.len() > 400 && postgres.len() == sqlite.len());
        for sql in if store.is_sqlite() { sqlite } else { postgres } {
            let text = AssertSqlSafe(sql.clone());
            let prepared = if store.is_sqlite() {
                let mut connection = SqliteConnection::connect(&store.url).await.unwrap();
                sqlx::Executor::prepare(&mut connection, sqlx::SqlSafeStr::into_sql_str(text)).await.map(drop)
            } else {
                let mut connection = PgConnection::connect(&store.url).await.unwrap();
                sqlx::Executor::prepare(&mut connection, sqlx::SqlSafeStr::into_sql_str(text)).await.map(drop)
            };
            assert!(prepared.is_ok(), "{sql}\n{prepared:?}");
        }
    }
}

#[tokio::test]
async fn no_frequent_read_walks_over_settled_calls() {
    let store = Fixture::sqlite().await;
    let mut connection = SqliteConnection::connect(&store.url).await.unwrap();
    for sql in statements()[0].iter().filter(|sql| sql.contains("FROM calls") || sql.contains("JOIN calls")) {
        let plan = sqlx::query_as(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"))).fetch_all(&mut connection);
        let plan: Vec<(i64, i64, i64, String)> = plan.await.unwrap();
        let steps: Vec<_> = plan.into_iter().map(|(_, _, _, step)| step).collect();
        let walks = |step: &String| step.starts_with("SCAN calls") && !step.contains("USING INDEX calls_pending");
        assert!(!steps.iter().any(walks), "{sql}\n{steps:#?}");
        if sql.contains("status = 'pending'") && !sql.contains("key = $") {
            let indexes = ["calls_pending", "calls_newest_by_status", "calls_newest_by_asker_and_status"];
            let narrow = |step: &String| indexes.iter().any(|index| step.contains(index));
            assert!(steps.iter().any(narrow), "{sql}\n{steps:#?}");
        }
        if sql.contains("calls.key = $") {
            assert!(steps.iter().any(|step| step.contains("calls_key (space=? AND key=?")), "{sql}\n{steps:#?}");
        }
        if sql.contains("ORDER BY calls.asked_at") && !sql.contains("key = $") {
            assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{sql}\n{steps:#?}");
        }
    }
}

#[tokio::test]
async fn a_database_that_is_newer_is_left_alone() {
    for store in Fixture::databases().await {
        store.calls.close().await;
        let newer = match store.is_sqlite() {
            true => "INSERT INTO _sqlx_migrations VALUES (9999, 'newer', CURRENT_TIMESTAMP, true, x'00', 0)",
            false => "INSERT INTO _sqlx_migrations VALUES (9999, 'newer', CURRENT_TIMESTAMP, true, '\\x00', 0)",
        };
        run(&store, newer).await;
        let text = refusal(&store.url).await;
        assert!(text.contains("9999") && text.contains("newer askhub"), "{text}");
    }
}

/// The chain of reasons why a URL is refused.
async fn refusal(url: &str) -> String {
    let opened = askhub::store::open(url, Arc::new(TestClock::default())).await;
    let Err(error) = opened else { panic!("{url} opens") };
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[tokio::test]
async fn a_url_that_cannot_be_used_is_refused_with_the_reason() {
    for (url, reason) in [
        ("mysql://host/db", "unknown scheme \"mysql\""),
        ("askhub.db", "no scheme"),
        ("sqlite:", "names no file"),
        ("sqlite::memory:", "names no file"),
        ("sqlite:a.db?mode=ro", "no parameters"),
        ("sqlite:/proc/none/askhub.db", "cannot open /proc/none/askhub.db"),
        ("postgres://u:hidden@127.0.0.1:1/db", "cannot connect to the Postgres database db at 127.0.0.1:1"),
        ("postgres://u:hidden@127.0.0.1:port/db", "cannot read the Postgres URL"),
    ] {
        let text = refusal(url).await;
        assert!(text.contains(reason), "{text}");
        assert!(!text.contains("hidden"), "{text}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_is_readable_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let store = Fixture::sqlite().await;
    store.ask(new_call()).await;
    let path = std::path::Path::new(store.url.strip_prefix("sqlite:").unwrap());
    for entry in std::fs::read_dir(path.parent().unwrap()).unwrap().flatten() {
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", entry.path().display());
    }
}

#[test]
fn every_migration_file_is_embedded() {
    for (folder, migrator) in
        [("sqlite", sqlx::migrate!("migrations/sqlite")), ("postgres", sqlx::migrate!("migrations/postgres"))]
    {
        let files = std::fs::read_dir(format!("{}/migrations/{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(files.count(), migrator.iter().count(), "touch the file with `migrate!` after adding a migration");
    }
}
