//! Agents that ask and wait, people who answer, and one reader of the feed: none of them gives up when the broker dies.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::history::{CallSeen, Journal, LogEvent, Moment, Seen};
use super::http::{Connection, Feed, FeedItem, Reply};

/// Where the broker is, in which life so ever, and what was seen of it.
pub struct World {
    pub address: SocketAddr,
    pub owner: String,
    pub agent: String,
    pub journal: Journal,
    /// Nobody asks anything new from then on.
    pub closing: CancellationToken,
    /// Calls that people have been told of and not answered yet.
    pub to_answer: AtomicUsize,
    /// The number of the last event that the reader has.
    pub position: AtomicU64,
    /// Requests that broke off.
    pub cut: AtomicUsize,
}

/// A connection that is opened anew when it breaks.
pub struct Line {
    world: Arc<World>,
    token: String,
    connection: Option<Connection>,
}

/// Longer than any request may take on a broker that is alive.
const HANGS: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);

impl Line {
    pub fn of_agent(world: &Arc<World>) -> Self {
        Self { world: Arc::clone(world), token: world.agent.clone(), connection: None }
    }

    pub fn of_person(world: &Arc<World>) -> Self {
        Self { world: Arc::clone(world), token: world.owner.clone(), connection: None }
    }

    pub async fn get(&mut self, path: &str) -> (Moment, Reply) {
        self.exchange(path, None).await
    }

    async fn post(&mut self, path: &str, body: &str) -> (Moment, Reply) {
        self.exchange(path, Some(body)).await
    }

    /// Sends it again until there is a reply; when the request that was replied to began.
    async fn exchange(&mut self, path: &str, body: Option<&str>) -> (Moment, Reply) {
        loop {
            let began = self.world.journal.begin();
            let reply = timeout(HANGS, self.try_exchange(path, body)).await;
            match reply.unwrap_or_else(|_| panic!("no reply to {path} within {HANGS:?}")) {
                Ok(reply) if reply.status < 500 => return (began, reply),
                Ok(_) | Err(_) => self.connection = None,
            }
            self.world.cut.fetch_add(1, Ordering::Relaxed);
            // real time: the broker is being started again
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn try_exchange(&mut self, path: &str, body: Option<&str>) -> io::Result<Reply> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(Connection::open(self.world.address, &self.token).await?),
        };
        match body {
            Some(body) => connection.post(path, body).await,
            None => connection.get(path).await,
        }
    }

    /// Reads a call and notes what came.
    pub async fn read(&mut self, id: &str, wait: u64) -> Option<CallSeen> {
        let (began, reply) = self.get(&format!("/v1/calls/{id}?wait={wait}")).await;
        let call = match reply.status {
            200 => Some(CallSeen::read(&reply.body)),
            404 => None,
            _ => panic!("a read was refused: {reply:?}"),
        };
        self.world.journal.note(began, Seen::Read { id: id.to_owned(), call: call.clone() });
        call
    }
}

/// Asks one call after the other, each until it has the outcome.
pub async fn agent(world: Arc<World>, number: usize, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut line = Line::of_agent(&world);
    let mut count = 0;
    while !world.closing.is_cancelled() {
        let key = format!("{number}-{count}");
        let mut call = ask(&mut line, &key).await;
        while !call.is_settled() {
            // A client that lost its connection comes back either way.
            let by_id = if random.random() { line.read(&call.id, 2).await } else { None };
            call = match by_id {
                Some(call) => call,
                None => ask(&mut line, &key).await,
            };
        }
        count += 1;
    }
}

async fn ask(line: &mut Line, key: &str) -> CallSeen {
    let body = json!({ "key": key, "questions": [{ "id": "q", "question": "What now?" }] }).to_string();
    let (began, reply) = line.post("/v1/calls?wait=2", &body).await;
    assert!(matches!(reply.status, 200 | 201), "an ask was refused: {reply:?}");
    let call = CallSeen::read(&reply.body);
    line.world.journal.note(began, Seen::Asked { key: key.to_owned(), call: call.clone() });
    call
}

/// Answers one call after the other, each until that is acknowledged.
pub async fn person(world: Arc<World>, number: usize, inbox: Arc<Mutex<mpsc::UnboundedReceiver<String>>>) {
    let mut line = Line::of_person(&world);
    for count in 0.. {
        let next = inbox.lock().await.recv().await;
        let Some(id) = next else { return };
        let answer = format!("{number}-{count}");
        let body = json!({ "answers": [{ "id": "q", "custom": answer }], "answer_id": answer }).to_string();
        let (began, reply) = line.post(&format!("/v1/calls/{id}/answer"), &body).await;
        let seen = match reply.status {
            200 => Seen::Won { answer, call: CallSeen::read(&reply.body) },
            409 => {
                let (code, call) = CallSeen::read_refusal(&reply.body);
                assert_eq!(code, "already_settled", "{reply:?}");
                Seen::Lost { answer, call }
            }
            404 => Seen::Read { id, call: None },
            _ => panic!("an answer was refused: {reply:?}"),
        };
        world.journal.note(began, seen);
        world.to_answer.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Follows the feed from where it was, in whatever life of the broker, and tells people what was asked.
pub struct Reader {
    world: Arc<World>,
    feed: Feed,
    cursor: String,
    inbox: mpsc::UnboundedSender<String>,
    random: StdRng,
}

impl Reader {
    pub async fn open(world: &Arc<World>, inbox: mpsc::UnboundedSender<String>, seed: u64) -> Self {
        let mut feed = Feed::open(world.address, &world.owner, None).await.expect("the broker is up");
        let ready = feed.next().await.expect("a feed begins");
        assert_eq!(ready.name, "ready");
        let (world, random) = (Arc::clone(world), StdRng::seed_from_u64(seed));
        Self { world, feed, cursor: ready.cursor, inbox, random }
    }

    /// Ends when it is told to.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            let item = tokio::select! {
                item = self.feed.next() => item,
                () = stop.cancelled() => return,
            };
            match item {
                Ok(item) => self.take(item).await,
                Err(_) => tokio::select! {
                    () = self.reopen() => {}
                    () = stop.cancelled() => return,
                },
            }
        }
    }

    async fn reopen(&mut self) {
        loop {
            match Feed::open(self.world.address, &self.world.owner, Some(&self.cursor)).await {
                Ok(feed) => {
                    self.feed = feed;
                    return;
                }
                // real time: the broker is being started again
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    async fn take(&mut self, item: FeedItem) {
        let began = self.world.journal.begin();
        self.cursor = item.cursor;
        match item.name.as_str() {
            "ready" => panic!("a feed that continues is told that it starts"),
            "reset" => {
                self.world.journal.note(began, Seen::Reset { reader: 0 });
                self.tell_pending().await;
            }
            _ => {
                let event: LogEvent = serde_json::from_str(&item.data).expect("an event is JSON");
                let (kind, id) = (event.kind.clone(), event.call_id.clone());
                self.world.position.store(event.seq, Ordering::Relaxed);
                self.world.journal.note(began, Seen::Fed { reader: 0, event });
                if kind == "call.asked" {
                    self.tell(&id);
                }
            }
        }
    }

    /// One person, and often a second one.
    fn tell(&mut self, id: &str) {
        for _ in 0..self.random.random_range(1..=2) {
            self.world.to_answer.fetch_add(1, Ordering::Relaxed);
            self.inbox.send(id.to_owned()).expect("people stay until the reader goes");
        }
    }

    /// What a client does that cannot continue: reads everything anew.
    async fn tell_pending(&mut self) {
        #[derive(Deserialize)]
        struct Page {
            calls: Vec<Listed>,
        }
        #[derive(Deserialize)]
        struct Listed {
            id: String,
        }
        let (_, reply) = Line::of_person(&self.world).get("/v1/calls?status=pending&limit=200").await;
        let page: Page = serde_json::from_slice(&reply.body).expect("a list of calls");
        for call in page.calls {
            self.tell(&call.id);
        }
    }
}

/// The whole log.
pub async fn read_log(world: &Arc<World>) -> Vec<LogEvent> {
    #[derive(Deserialize)]
    struct Page {
        events: Vec<LogEvent>,
        next: String,
        reset: bool,
    }
    let mut line = Line::of_person(world);
    let mut log = Vec::new();
    let mut path = "/v1/sync".to_owned();
    loop {
        let (_, reply) = line.get(&path).await;
        let page: Page = serde_json::from_slice(&reply.body).expect("a page of the log");
        assert!(!page.reset, "a cursor that was just given is good");
        if page.events.is_empty() {
            return log;
        }
        log.extend(page.events);
        path = format!("/v1/sync?after={}", page.next);
    }
}

/// Reads every call that was acknowledged, over several connections.
pub async fn read_all(world: &Arc<World>, ids: Vec<String>) {
    const LINES: usize = 8;
    let mut tasks = JoinSet::new();
    for start in 0..LINES {
        let mut line = Line::of_agent(world);
        let ids: Vec<_> = ids.iter().skip(start).step_by(LINES).cloned().collect();
        tasks.spawn(async move {
            for id in ids {
                line.read(&id, 0).await;
            }
        });
    }
    tasks.join_all().await;
}
