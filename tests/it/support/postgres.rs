//! A throw-away Postgres for the tests: one cluster for the whole run, one database for each test.
//!
//! The cluster is an `initdb` into a temporary directory, on a free port of 127.0.0.1. The first test that asks starts
//! it. Where every test is its own process (nextest), the processes of one run share it through a file under a lock.
//! A guard process stops it and removes the directory once the run is over, however the run ended.
//!
//! Without Postgres the tests that need it return early, saying so; with `CI` set that is a failure instead.
//! `ASKHUB_TEST_FSYNC=off` makes commits cheap, for tests that are not about durability.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::task::spawn_blocking;

/// Between looking for a free port and Postgres binding it, somebody else may take it.
const START_ATTEMPTS_MAX: usize = 5;

/// Makes an empty database on the run's shared cluster and returns its URL; `None` where Postgres is not installed.
pub async fn database() -> Option<String> {
    let cluster = spawn_blocking(Cluster::shared).await.expect("starting Postgres does not panic")?;
    Some(cluster.database().await)
}

/// One running Postgres.
#[derive(Debug)]
pub struct Cluster {
    programs: Programs,
    directory: PathBuf,
    port: u16,
    is_shared: bool,
}

impl Cluster {
    /// Starts a cluster of its own, for a test that stops or restarts it; it ends when this value is dropped.
    pub async fn start() -> Option<Self> {
        spawn_blocking(|| {
            let programs = Programs::find_or_skip()?;
            let directory = unique_directory();
            Some(Self::start_in(programs, directory, std::process::id(), false))
        })
        .await
        .expect("starting Postgres does not panic")
    }

    /// Makes an empty database and returns its URL.
    pub async fn database(&self) -> String {
        let name = format!("test_{}", uuid::Uuid::new_v4().simple());
        let mut connection = PgConnection::connect(&self.url("postgres")).await.expect("the cluster takes connections");
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await
            .expect("the name is new");
        connection.close().await.expect("the connection was idle");
        self.url(&name)
    }

    /// Kills Postgres without a checkpoint, as a power cut would, and starts it again on the same port.
    pub async fn restart_immediate(&self) {
        assert!(!self.is_shared, "other tests use the shared cluster: take one of your own with `Cluster::start`");
        let mut command = self.programs.control(&self.directory);
        command.args(["restart", "--wait", "--silent", "--mode=immediate", "--log"]).arg(self.directory.join("log"));
        spawn_blocking(move || run(command)).await.expect("running pg_ctl does not panic").expect("Postgres restarts");
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// The cluster of this run: in nextest of all processes with the same run id, else of this process.
    fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        SHARED
            .get_or_init(|| {
                let programs = Programs::find_or_skip()?;
                let Some(run_id) = variable("NEXTEST_RUN_ID") else {
                    return Some(Self::start_in(programs, unique_directory(), std::process::id(), true));
                };
                let directory = std::env::temp_dir().join(format!("askhub-postgres-{run_id}"));
                Some(Self::start_once_in(programs, directory))
            })
            .as_ref()
    }

    /// Starts the cluster, or finds the one that another process of the run has started.
    fn start_once_in(programs: Programs, directory: PathBuf) -> Self {
        let lock_path = directory.with_extension("lock");
        let lock = File::create(&lock_path).expect("the temporary directory is writable");
        lock.lock().expect("a local file can be locked");
        let port_path = directory.with_extension("port");
        if let Ok(port) = fs::read_to_string(&port_path) {
            let port = port.parse().expect("the file holds the port and nothing else");
            return Self { programs, directory, port, is_shared: true };
        }
        let cluster = Self::start_in(programs, directory, std::os::unix::process::parent_id(), true);
        fs::write(port_path, cluster.port.to_string()).expect("the temporary directory is writable");
        cluster
    }

    /// Starts a cluster that lives at most as long as the process `owner`.
    fn start_in(programs: Programs, directory: PathBuf, owner: u32, is_shared: bool) -> Self {
        let mut init = programs.command("initdb");
        init.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--pgdata"]);
        init.arg(&directory);
        output(&mut init).expect("initdb makes a cluster");

        let mut last_error = String::new();
        for _ in 0..START_ATTEMPTS_MAX {
            let port = free_port();
            let mut start = programs.control(&directory);
            start.args(["start", "--wait", "--silent", "--log"]).arg(directory.join("log"));
            start.arg(format!("--options={}", settings(port)));
            match run(start) {
                Ok(()) => {
                    programs.guard(&directory, owner);
                    return Self { programs, directory, port, is_shared };
                }
                Err(error) => last_error = error,
            }
        }
        let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
        panic!("Postgres did not start: {last_error}\n{log}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let mut stop = self.programs.control(&self.directory);
        stop.args(["stop", "--wait", "--silent", "--mode=immediate"]);
        if let Err(error) = run(stop) {
            loud(&format!("Postgres did not stop, the guard will try again: {error}"));
        }
    }
}

/// Where the programs of Postgres are, and as whom to run them.
#[derive(Debug)]
struct Programs {
    bin: PathBuf,
    /// Postgres refuses to run as root: then everything runs as the user `postgres`, whom its package made.
    is_root: bool,
}

impl Programs {
    fn find_or_skip() -> Option<Self> {
        let reason = match Self::find() {
            Ok(programs) => return Some(programs),
            Err(reason) => reason,
        };
        let is_ci = variable("CI").is_some_and(|value| !["", "0", "false"].contains(&value.as_str()));
        assert!(!is_ci, "CI is set, and a test needs Postgres: {reason}");
        loud(&format!("SKIPPED: no Postgres: {reason}"));
        None
    }

    fn find() -> Result<Self, String> {
        let bin = newest_debian_bin().or_else(bin_on_path).ok_or("initdb was not found")?;
        let is_root = output(Command::new("id").arg("-u"))? == "0";
        if is_root {
            output(Command::new("id").args(["-u", "postgres"])).map_err(|_| "there is no user `postgres`")?;
        }
        Ok(Self { bin, is_root })
    }

    /// A program of Postgres, run as somebody Postgres accepts, in a directory that this somebody can enter.
    fn command(&self, program: &str) -> Command {
        let path = self.bin.join(program);
        let mut command = if self.is_root {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    fn control(&self, directory: &Path) -> Command {
        let mut command = self.command("pg_ctl");
        command.arg("--pgdata").arg(directory);
        command
    }

    /// Leaves a process behind that ends the cluster when the process `owner` is gone.
    fn guard(&self, directory: &Path, owner: u32) {
        use std::os::unix::process::CommandExt as _;
        // In the background of a shell that ends at once, so that nobody has to wait for the guard.
        let script = r#"
            owner=$1 directory=$2; shift 2
            (
                while kill -0 "$owner"; do sleep 1; done
                "$@" stop --wait --silent --mode=immediate
                rm -rf "$directory" "$directory.lock" "$directory.port"
            ) &
        "#;
        let control = self.control(directory);
        let mut guard = Command::new("sh");
        guard.args(["-c", script, "guard", &owner.to_string()]).arg(directory);
        guard.arg(control.get_program()).args(control.get_args()).current_dir("/");
        guard.stdin(Stdio::null());
        // Its own group: an interrupt from the keyboard ends the tests, and the guard has to outlive them.
        guard.process_group(0);
        run(guard).expect("a shell can be started");
    }
}

fn settings(port: u16) -> String {
    let fsync = if variable("ASKHUB_TEST_FSYNC").as_deref() == Some("off") { "off" } else { "on" };
    format!(
        "-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories= -c max_connections=300 \
         -c shared_buffers=32MB -c fsync={fsync} -c log_min_messages=warning"
    )
}

fn newest_debian_bin() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|entry| entry.path().join("bin"));
    let with_initdb = versions.filter(|bin| bin.join("initdb").exists());
    with_initdb.max_by_key(|bin| bin.to_string_lossy().split('/').find_map(|part| part.parse::<u32>().ok()))
}

/// The directory of the `initdb` on the path; links are followed, because the other programs are beside the real one.
fn bin_on_path() -> Option<PathBuf> {
    let path = variable("PATH")?;
    let initdb = std::env::split_paths(&path).map(|bin| bin.join("initdb")).find(|initdb| initdb.exists())?;
    Some(fs::canonicalize(initdb).ok()?.parent()?.to_owned())
}

fn unique_directory() -> PathBuf {
    std::env::temp_dir().join(format!("askhub-postgres-{}", uuid::Uuid::new_v4().simple()))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
    listener.local_addr().expect("a bound socket has an address").port()
}

fn run(mut command: Command) -> Result<(), String> {
    // Not `output()`: Postgres inherits the pipe, and reading it to the end would wait for Postgres to end.
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[expect(clippy::disallowed_methods, reason = "says where and how the tests run; askhub itself never reads it")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Says something even if the test passes: the harness holds back only what `eprintln!` prints.
fn loud(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

#[tokio::test]
async fn every_test_gets_an_empty_database_of_its_own() {
    let (Some(first), Some(second)) = (database().await, database().await) else {
        return;
    };
    assert_ne!(first, second);
    let mut connection = PgConnection::connect(&first).await.expect("the URL is right");
    sqlx::raw_sql("CREATE TABLE mine (id INT)").execute(&mut connection).await.expect("the database is writable");
    let mut connection = PgConnection::connect(&second).await.expect("the URL is right");
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        .fetch_one(&mut connection)
        .await
        .expect("the catalogue is readable");
    assert_eq!(tables, 0);
}

#[tokio::test]
async fn a_cluster_keeps_what_was_committed_when_it_is_killed() {
    let Some(cluster) = Cluster::start().await else { return };
    let url = cluster.database().await;
    let mut connection = PgConnection::connect(&url).await.expect("the URL is right");
    sqlx::raw_sql("CREATE TABLE kept (id INT)").execute(&mut connection).await.expect("the database is writable");
    cluster.restart_immediate().await;
    let mut connection = PgConnection::connect(&url).await.expect("the port is the same");
    let kept: i64 =
        sqlx::query_scalar("SELECT count(*) FROM kept").fetch_one(&mut connection).await.expect("it is there");
    assert_eq!(kept, 0);
}
