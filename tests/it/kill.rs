//! `kill -9` in a loop against the real program: nothing that was acknowledged is lost, nothing settles twice.
//!
//! A crowd of agents and people works through the broker's deaths and writes down every reply. Afterwards a checker
//! compares what they saw with what is there. The control loses data on purpose and must be found out.

mod checker;
mod crowd;
mod history;
// The load generator's, because it says exactly what a connection saw before it broke.
#[path = "../../benches/load/http.rs"]
mod http;
#[path = "../../benches/load/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rand::RngExt as _;
use rand::rngs::StdRng;
use sqlx::{Connection as _, SqliteConnection};
use tempfile::TempDir;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use self::checker::{Broken, Promise, check};
use self::crowd::{Reader, World};
use self::history::{History, LogEvent, Seen};
use self::http::Connection;
use self::program::Program;
use crate::support::seed;

/// How a run goes.
struct Plan {
    cycles: usize,
    agents: usize,
    people: usize,
    /// After this many cycles the database's files are copied, and after two more put back: acknowledged writes go.
    loses_after: Option<usize>,
}

/// From the program's start until it is killed.
const LIFE: std::ops::Range<Duration> = Duration::from_millis(50)..Duration::from_millis(600);
/// For what is left to do when the killing is over.
const END: Duration = Duration::from_secs(60);
/// Includes a debug build's start on a busy machine.
const RESTART_MAX: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_and_nothing_settles_twice_over_thirty_kills() {
    let broken = run(&Plan { cycles: 30, agents: 50, people: 20, loses_after: None }, "kill").await;
    let shown: Vec<_> = broken.iter().take(20).map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{} promises broken, among them:\n{}", broken.len(), shown.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_loses_acknowledged_writes_is_found_out() {
    let broken = run(&Plan { cycles: 5, agents: 20, people: 8, loses_after: Some(1) }, "kill, control").await;
    let promises: BTreeSet<_> = broken.iter().map(|broken| broken.promise).collect();
    println!("broken: {promises:?}");
    assert!(promises.contains(&Promise::Readable), "the loss of calls was not noticed: {promises:?}");
    assert!(promises.contains(&Promise::WholeFeed), "the loss of events was not noticed: {promises:?}");
}

/// Lets the crowd work while the broker is killed again and again: every promise that was broken.
async fn run(plan: &Plan, test: &str) -> Vec<Broken> {
    let mut random = seed::random(test);
    let data = TempDir::new().expect("the temporary directory is writable");
    let listen = format!("127.0.0.1:{}", free_port(&mut random));
    let program = start(&data, &listen).await;
    let world = Arc::new(World {
        address: program.address,
        owner: program.owner.clone(),
        agent: program.agent.clone(),
        journal: history::Journal::default(),
        closing: CancellationToken::new(),
        to_answer: 0.into(),
        position: 0.into(),
        cut: 0.into(),
    });
    let (sender, inbox) = mpsc::unbounded_channel();
    let reader = Reader::open(&world, sender, random.random()).await;
    let stop = CancellationToken::new();
    let mut people = JoinSet::new();
    people.spawn(reader.run(stop.clone()));
    let inbox = Arc::new(Mutex::new(inbox));
    for number in 0..plan.people {
        people.spawn(crowd::person(Arc::clone(&world), number, Arc::clone(&inbox)));
    }
    let mut agents = JoinSet::new();
    for number in 0..plan.agents {
        agents.spawn(crowd::agent(Arc::clone(&world), number, random.random()));
    }
    let program = kill_again_and_again(plan, program, &data, &listen, &mut random).await;
    world.closing.cancel();
    let history =
        timeout(END, finish(&world, &mut agents, &mut people, stop)).await.expect("the crowd comes to an end");
    drop(program);
    assert_eq!(integrity(&data).await, "ok", "the database's own check");
    report(&world, &history);
    check(&history)
}

async fn kill_again_and_again(
    plan: &Plan,
    mut program: Program,
    data: &TempDir,
    listen: &str,
    random: &mut StdRng,
) -> Program {
    let copy = TempDir::new().expect("the temporary directory is writable");
    let mut restarts = Vec::new();
    for cycle in 0..plan.cycles {
        let life = random.random_range(LIFE);
        // real time: another process is killed in the middle of what it does
        sleep(life).await;
        let killed = program.id();
        drop(program);
        if plan.loses_after == Some(cycle) {
            copy_database(data.path(), copy.path());
        }
        if plan.loses_after.is_some_and(|kept| cycle == kept + 2) {
            copy_database(copy.path(), data.path());
        }
        let begin = Instant::now();
        program = start(data, listen).await;
        let mut line = Connection::open(program.address, &program.owner).await.expect("it listens");
        let reply = line.get("/v1/me").await.expect("it replies");
        assert_eq!(reply.status, 200, "the tokens live on");
        restarts.push(begin.elapsed());
        println!("cycle {cycle}: {killed} killed after {life:?}, first 2xx {:?} after the restart", begin.elapsed());
    }
    restarts.sort();
    let (middle, longest) = (restarts[restarts.len() / 2], restarts[restarts.len() - 1]);
    println!("restart to the first 2xx: middle {middle:?}, longest {longest:?}");
    assert!(longest < RESTART_MAX, "a restart took {longest:?}");
    program
}

/// Lets everybody finish what they began, then reads everything that was acknowledged.
async fn finish(
    world: &Arc<World>,
    agents: &mut JoinSet<()>,
    people: &mut JoinSet<()>,
    stop: CancellationToken,
) -> History {
    while let Some(ended) = agents.join_next().await {
        ended.expect("no agent met anything impossible");
    }
    // Every answer is given before the calls are read for the last time: one that comes too late must be found in them.
    follow_to_the_end(world).await;
    until(|| world.to_answer.load(Ordering::Relaxed) == 0).await;
    let entries = world.journal.entries();
    let asked = entries.iter().filter_map(|entry| match &entry.seen {
        Seen::Asked { call, .. } => Some(call.id.clone()),
        _ => None,
    });
    crowd::read_all(world, asked.collect::<BTreeSet<_>>().into_iter().collect()).await;
    let log = follow_to_the_end(world).await;
    stop.cancel();
    while let Some(ended) = people.join_next().await {
        ended.expect("no person met anything impossible");
    }
    History { entries: world.journal.entries(), log }
}

/// Waits until the reader has what the log holds.
async fn follow_to_the_end(world: &Arc<World>) -> Vec<LogEvent> {
    let log = crowd::read_log(world).await;
    let last = log.last().map_or(0, |event| event.seq);
    until(|| world.position.load(Ordering::Relaxed) >= last).await;
    log
}

async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        // real time: other tasks talk to another process; the whole is under a time-out
        sleep(Duration::from_millis(5)).await;
    }
}

async fn start(data: &TempDir, listen: &str) -> Program {
    let (data, listen) = (data.path().to_owned(), listen.to_owned());
    let started = tokio::task::spawn_blocking(move || {
        Program::start(Path::new(env!("CARGO_BIN_EXE_askhub")), &data, &listen, None)
    });
    started.await.expect("starting does not panic").expect("the program starts")
}

/// A port below those that the system gives to connections: one of those could be in use as the broker comes back, or
/// a client could meet itself on it.
fn free_port(random: &mut StdRng) -> u16 {
    loop {
        let port = random.random_range(15_000..32_000);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn copy_database(from: &Path, to: &Path) {
    let files = |directory: &Path| {
        let entries = fs::read_dir(directory).expect("the directory is there").map(|entry| entry.expect("an entry"));
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("askhub.db")).collect::<Vec<_>>()
    };
    for old in files(to) {
        fs::remove_file(old.path()).expect("the file is there");
    }
    for file in files(from) {
        fs::copy(file.path(), to.join(file.file_name())).expect("the file can be copied");
    }
}

async fn integrity(data: &TempDir) -> String {
    let url = format!("sqlite:{}", data.path().join("askhub.db").display());
    let mut connection = SqliteConnection::connect(&url).await.expect("the database opens");
    let verdict = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut connection).await;
    verdict.expect("the database can be checked")
}

fn report(world: &World, history: &History) {
    let count = |is_such: fn(&Seen) -> bool| history.entries.iter().filter(|entry| is_such(&entry.seen)).count();
    println!(
        "{} asks and {} answers acknowledged, {} answers lost to another, {} requests cut, {} events",
        count(|seen| matches!(seen, Seen::Asked { .. })),
        count(|seen| matches!(seen, Seen::Won { .. })),
        count(|seen| matches!(seen, Seen::Lost { .. })),
        world.cut.load(Ordering::Relaxed),
        history.log.len()
    );
}
