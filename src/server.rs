//! Puts the parts together and runs them. Owns none of their logic.

mod accept;
mod start;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use start::{StartError, run};

use crate::auth::Auth;
use crate::broker::Broker;
use crate::clock::Clock;
use crate::domain::limits::{CONNECTIONS_MAX_DEFAULT, SHUTDOWN_MAX};
use crate::http::{App, Reach};
use crate::registry::Registry;
use crate::store::{AuthStore, CallStore};
use crate::sweeper;

use accept::Serving;

/// What a server is made of.
pub struct Parts {
    /// Where it listens.
    pub listener: TcpListener,
    /// Where calls are kept.
    pub calls: Arc<dyn CallStore>,
    /// Where identities are kept.
    pub identities: Arc<dyn AuthStore>,
    /// Its time.
    pub clock: Arc<dyn Clock>,
    /// How it is reached.
    pub reach: Reach,
    /// Connections at most; 20 000 if none is given.
    pub connections_max: Option<usize>,
    /// How long it goes on taking requests after it was told to stop, while balancers learn of it.
    pub drain_delay: Duration,
}

/// A server that runs. Dropping it does not stop it: [`Running::stop`] does.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its use cases.
    pub broker: Broker,
    /// Who is asking.
    pub auth: Auth,
    app: App,
    serving: Arc<Serving>,
    background: TaskTracker,
    drain_delay: Duration,
}

/// Starts serving. Requests are taken from the moment on at which this returns.
///
/// # Errors
/// The listener has no address.
pub fn start(parts: Parts) -> std::io::Result<Running> {
    let address = parts.listener.local_addr()?;
    let broker = Broker::new(parts.calls, Registry::default(), Arc::clone(&parts.clock));
    let auth = Auth::new(parts.identities, parts.clock);
    let (app, router) = App::new(broker.clone(), auth.clone(), parts.reach);
    let serving = Arc::new(Serving {
        app: app.clone(),
        router,
        connections_max: parts.connections_max.unwrap_or(CONNECTIONS_MAX_DEFAULT),
        closing: CancellationToken::new(),
        ending: CancellationToken::new(),
        connections: TaskTracker::new(),
    });
    broker.start();
    let background = TaskTracker::new();
    background.spawn(sweeper::run(broker.clone()));
    background.spawn(accept::run(parts.listener, Arc::clone(&serving)));
    Ok(Running { address, broker, auth, app, serving, background, drain_delay: parts.drain_delay })
}

/// How long connections may take to end by themselves; the rest of the time is for the writes.
const CONNECTIONS_END_MAX: Duration = Duration::from_secs(7);

impl Running {
    /// A sign-in link with a code.
    pub fn sign_in_url(&self, code: &str) -> String {
        self.app.sign_in_url(code)
    }

    /// Stops within ten seconds, with any number of waiters: balancers are told, waits end with what there is, sockets
    /// close with 1012, what was begun is finished, and the store is closed last.
    pub async fn stop(self) {
        self.app.drain();
        tokio::time::sleep(self.drain_delay).await;
        self.serving.closing.cancel();
        self.broker.stop_waits();
        self.serving.ending.cancel();
        self.serving.connections.close();
        let sockets = self.app.sockets();
        sockets.close();
        let ended = async {
            self.serving.connections.wait().await;
            sockets.wait().await;
        };
        if tokio::time::timeout(CONNECTIONS_END_MAX, ended).await.is_err() {
            tracing::warn!(left = self.serving.connections.len(), "connections were left open when stopping");
        }
        self.background.close();
        let closed = async {
            self.broker.close().await;
            self.background.wait().await;
        };
        if tokio::time::timeout(SHUTDOWN_MAX - CONNECTIONS_END_MAX, closed).await.is_err() {
            tracing::error!("the store did not close in time");
        }
    }
}
