//! A whole askhub in this process, on a port of its own, with a clock that the test moves.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use askhub::auth::origin::{AllowedHost, HostPolicy, PublicUrl, TrustedProxies};
use askhub::clock::{Clock, TestClock};
use askhub::http::Reach;
use askhub::server::{Parts, Running};
use askhub::store::{AuthStore, CallStore, MemoryStore};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::postgres;

/// A service under test.
pub struct TestApp {
    pub address: SocketAddr,
    pub clock: TestClock,
    running: Option<Running>,
    owner: String,
    agent: String,
    http: reqwest::Client,
}

/// How a [`TestApp`] differs from the usual one.
#[derive(Default)]
pub struct Setting {
    pub public_url: Option<String>,
    pub allow_hosts: Vec<&'static str>,
    pub trusted_proxies: Vec<&'static str>,
    pub connections_max: Option<usize>,
    /// Instead of memory.
    pub database_url: Option<String>,
}

/// A client with one credential, or none.
#[derive(Clone)]
pub struct Client {
    address: SocketAddr,
    headers: Vec<(&'static str, String)>,
    http: reqwest::Client,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl TestApp {
    /// A service over memory.
    pub async fn start() -> Self {
        Self::with(Setting::default()).await
    }

    /// A service that differs from the usual one.
    pub async fn with(setting: Setting) -> Self {
        let clock = TestClock::default();
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let (calls, identities) = stores(setting.database_url.as_deref(), &shared).await;
        Self::over(calls, identities, clock, setting).await
    }

    /// A service over stores that the test has made.
    pub async fn over(
        calls: Arc<dyn CallStore>,
        identities: Arc<dyn AuthStore>,
        clock: TestClock,
        setting: Setting,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("the listener is bound");
        let public_url =
            setting.public_url.as_ref().map(|url| url.parse::<PublicUrl>().expect("the test's URL is one"));
        let allowed = setting.allow_hosts.iter().map(|host| host.parse::<AllowedHost>().expect("the host is one"));
        let reach = Reach {
            hosts: HostPolicy::new(public_url, allowed.collect(), true),
            proxies: TrustedProxies::parse(&setting.trusted_proxies).expect("the networks are such"),
            local_url: format!("http://{address}"),
        };
        let running = askhub::server::start(Parts {
            listener,
            calls,
            identities,
            clock: Arc::new(clock.clone()),
            reach,
            connections_max: setting.connections_max,
            drain_delay: Duration::ZERO,
        })
        .expect("the service starts");
        let person = running.auth.ensure_owner().await.expect("the store works");
        let owner = running.auth.create_person_token(&person, "owner").await.expect("the store works").0;
        let agent = running.auth.create_agent_token("agent").await.expect("the store works").0;
        Self {
            address,
            clock,
            owner: owner.expose().to_owned(),
            agent: agent.expose().to_owned(),
            running: Some(running),
            http: http_client(),
        }
    }

    /// Without a credential.
    pub fn nobody(&self) -> Client {
        Client { address: self.address, headers: Vec::new(), http: self.http.clone() }
    }

    /// The agent.
    pub fn agent(&self) -> Client {
        self.bearer(&self.agent)
    }

    /// The owner, who is an admin.
    pub fn owner(&self) -> Client {
        self.bearer(&self.owner)
    }

    /// Whoever holds this token.
    pub fn bearer(&self, token: &str) -> Client {
        self.nobody().header("authorization", format!("Bearer {token}"))
    }

    /// The agent's token.
    pub fn agent_token(&self) -> &str {
        &self.agent
    }

    /// The owner's token.
    pub fn owner_token(&self) -> &str {
        &self.owner
    }

    /// Another agent.
    pub async fn another_agent(&self, name: &str) -> Client {
        let made = self.owner().post("/v1/tokens", &json!({ "name": name })).await;
        self.bearer(made.expect(201)["token"].as_str().expect("a new token is shown"))
    }

    /// A responder who is no admin, signed in by token.
    pub async fn responder(&self, name: &str) -> Client {
        let auth = &self.running().auth;
        let person = auth.add_person(name, false).await.expect("the name is new");
        let token = auth.create_person_token(&person, name).await.expect("the store works").0;
        self.bearer(token.expose())
    }

    /// A browser that the owner has signed in with, without a page's Origin.
    pub async fn browser(&self) -> Client {
        let link = self.owner().post("/v1/sign-in-links", &json!({})).await.expect(201);
        let url = link["url"].as_str().expect("a link has a URL").to_owned();
        let code = url.rsplit_once("code=").expect("a link has a code").1.to_owned();
        let origin = format!("http://{}", self.address);
        let form = self.nobody().header("origin", origin);
        let signed_in = form.send_form("/sign-in", &[("code", &code)]).await;
        assert_eq!(signed_in.status, 303, "{}", signed_in.text);
        let cookie = signed_in.headers["set-cookie"].to_str().expect("a cookie is text");
        let cookie = cookie.split(';').next().expect("a cookie has a value").to_owned();
        self.nobody().header("cookie", cookie)
    }

    /// A page of ours in that browser.
    pub async fn page(&self) -> Client {
        let origin = format!("http://{}", self.address);
        self.browser().await.header("origin", origin).header("sec-fetch-site", "same-origin".to_owned())
    }

    /// The parts under the routes.
    pub fn running(&self) -> &Running {
        self.running.as_ref().expect("the service runs until it is stopped")
    }

    /// Expires what is due, as the sweeper does.
    pub async fn sweep(&self) {
        askhub::sweeper::sweep(&self.running().broker).await;
    }

    /// Stops the service as a signal does.
    pub async fn stop(mut self) {
        self.running.take().expect("the service runs until it is stopped").stop().await;
    }
}

/// An HTTP client that follows nothing by itself.
pub fn http_client() -> reqwest::Client {
    // Only the first of many tests in one process finds nothing installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("the client is plain")
}

async fn stores(url: Option<&str>, clock: &Arc<dyn Clock>) -> (Arc<dyn CallStore>, Arc<dyn AuthStore>) {
    match url {
        Some(url) => askhub::store::open(url, Arc::clone(clock)).await.expect("the database opens"),
        None => {
            let store = Arc::new(MemoryStore::new(Arc::clone(clock)));
            (Arc::clone(&store) as Arc<dyn CallStore>, store)
        }
    }
}

impl Client {
    /// The same client, talking to a proxy.
    pub fn through(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// The same client with one header more.
    pub fn header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None, "").await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_text(path, &body.to_string()).await
    }

    /// Posts a body as it is.
    pub async fn post_text(&self, path: &str, body: &str) -> Reply {
        self.send(Method::POST, path, Some(body.as_bytes().to_vec()), "application/json").await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, None, "").await
    }

    /// Posts a form as a browser does.
    pub async fn send_form(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let encode = |text: &str| {
            text.bytes().fold(String::new(), |done, byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => done + &char::from(byte).to_string(),
                _ => format!("{done}%{byte:02X}"),
            })
        };
        let body: Vec<_> = fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        self.send(Method::POST, path, Some(body.join("&").into_bytes()), "application/x-www-form-urlencoded").await
    }

    /// Sends a request.
    pub async fn send(&self, method: Method, path: &str, body: Option<Vec<u8>>, content_type: &str) -> Reply {
        let response = self.request(method, path, body, content_type).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Reply { status, headers, text: response.text().await.expect("the reply has an end") }
    }

    /// Sends a request whose reply may go on for ever.
    pub async fn request(&self, method: Method, path: &str, body: Option<Vec<u8>>, content_type: &str) -> Response {
        let mut request = self.http.request(method, format!("http://{}{path}", self.address));
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        if let Some(body) = body {
            request = request.header("content-type", content_type).body(body);
        }
        request.send().await.expect("the service replies")
    }

    /// Asks one question with the options A and B, and whatever `more` says: the call.
    pub async fn ask(&self, more: Value) -> Value {
        let mut body =
            json!({ "questions": [{ "question": "Which?", "options": [{ "label": "A" }, { "label": "B" }] }] });
        merge(&mut body, more);
        let reply = self.post("/v1/calls", &body).await;
        assert!(matches!(reply.status, 200 | 201), "{} {}", reply.status, reply.text);
        reply.json()
    }

    /// Answers the one question of a call.
    pub async fn answer(&self, call: &str, selected: &str) -> Reply {
        let body = json!({ "answers": [{ "id": "q1", "selected": [selected] }] });
        self.post(&format!("/v1/calls/{call}/answer"), &body).await
    }

    /// Reads a call.
    pub async fn read(&self, call: &str) -> Value {
        self.get(&format!("/v1/calls/{call}")).await.expect(200)
    }
}

impl Reply {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The body, if the status is this one.
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    /// The body of a problem with this status and code.
    pub fn expect_problem(&self, status: u16, code: &str) -> Value {
        let body = self.expect(status);
        assert_eq!(body["code"], code, "{}", self.text);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        body
    }
}

/// The id of a call.
pub fn id(call: &Value) -> &str {
    call["id"].as_str().expect("a call has an id")
}

/// Lays the members of one object over those of another.
pub fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

/// Asks again until the predicate holds, at most ten seconds: the value that made it hold.
pub async fn eventually<T: std::fmt::Debug>(mut look: impl AsyncFnMut() -> T, holds: impl Fn(&T) -> bool) -> T {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    loop {
        let last = look().await;
        if holds(&last) {
            return last;
        }
        assert!(tokio::time::Instant::now() < deadline, "it never came to that; last seen: {last:?}");
        tokio::time::sleep(Duration::from_millis(5)).await; // real time: polls a condition, bounded by the deadline
    }
}

/// Runs a test against a hub on each store.
pub async fn on_every_store(test: impl AsyncFn(TestApp)) {
    test(TestApp::start().await).await;
    let directory = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite:{}", directory.path().join("askhub.db").display());
    for database_url in [Some(sqlite), postgres::database().await].into_iter().flatten() {
        test(TestApp::with(Setting { database_url: Some(database_url), ..Setting::default() }).await).await;
    }
}
