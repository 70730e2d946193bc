//! The accept loop: our own, because it must bound connections and the time a header takes, and must end in time
//! with any number of waiters (DESIGN.md 8).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::domain::limits::HEADER_TIMEOUT;
use crate::http::App;
use crate::http::guard::{HadPrefix, Peer};

/// Streams that one HTTP/2 connection may have open.
const H2_STREAMS_MAX: u32 = 250;
/// Bytes of a request's header.
const HEADER_BYTES_MAX: usize = 32 << 10;

/// What the accept loop serves.
pub(super) struct Serving {
    pub app: App,
    pub router: Router,
    pub connections_max: usize,
    /// No more connections are taken.
    pub closing: CancellationToken,
    /// Connections end after the request that they are in.
    pub ending: CancellationToken,
    pub connections: TaskTracker,
}

/// Takes connections until `closing`.
pub(super) async fn run(listener: TcpListener, serving: Arc<Serving>) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = serving.closing.cancelled() => return,
        };
        match accepted {
            Ok((stream, peer)) => admit(stream, peer, &serving),
            Err(error) => {
                // Out of file descriptors, mostly: those who are served need a moment to leave.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

fn admit(stream: TcpStream, peer: SocketAddr, serving: &Arc<Serving>) {
    let open = serving.app.count_connection(true);
    let serving = Arc::clone(serving);
    let connections = serving.connections.clone();
    connections.spawn(async move {
        if open > serving.connections_max {
            refuse(stream).await;
        } else {
            serve(stream, peer, Arc::clone(&serving)).await;
        }
        serving.app.count_connection(false);
    });
}

/// At the limit new connections are refused; nobody is thrown out for them (BUGS 043).
async fn refuse(mut stream: TcpStream) {
    let reply = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let written = tokio::time::timeout(Duration::from_secs(1), stream.write_all(reply)).await;
    if !matches!(written, Ok(Ok(()))) {
        tracing::debug!("a connection over the limit was gone before it could be refused");
    }
}

async fn serve(stream: TcpStream, peer: SocketAddr, serving: Arc<Serving>) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "could not set TCP_NODELAY");
    }
    let Ok(Some(version)) = tokio::time::timeout(HEADER_TIMEOUT, version_of(&stream)).await else { return };
    let builder = auto::Builder::new(TokioExecutor::new());
    let mut builder = match version {
        Version::Http1 => builder.http1_only(),
        Version::Http2 => builder.http2_only(),
    };
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(HEADER_BYTES_MAX)
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(H2_STREAMS_MAX)
        .max_header_list_size(u32::try_from(HEADER_BYTES_MAX).unwrap_or(u32::MAX))
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20));
    let ending = serving.ending.clone();
    let service = service_fn(move |request| answer(request, peer, Arc::clone(&serving)));
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = ending.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, error, "a connection ended early");
    }
}

#[derive(Clone, Copy)]
enum Version {
    Http1,
    Http2,
}

/// What an HTTP/2 client that needs no negotiation sends first (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Which version the client speaks; none if it goes away first. The library would wait for these bytes without a
/// limit, and a connection that says nothing must not stay (BUGS 052).
async fn version_of(stream: &TcpStream) -> Option<Version> {
    let mut first = [0; PREFACE.len()];
    loop {
        let count = stream.peek(&mut first).await.ok().filter(|count| *count > 0)?;
        if !PREFACE.starts_with(&first[..count]) {
            return Some(Version::Http1);
        }
        if count == PREFACE.len() {
            return Some(Version::Http2);
        }
        // The preface came in pieces; peeking again returns the same piece at once.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn answer(
    request: Request<Incoming>,
    peer: SocketAddr,
    serving: Arc<Serving>,
) -> Result<Response<Body>, Infallible> {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(Peer(peer));
    take_prefix_off(&mut request, serving.app.base_path());
    serving.router.clone().oneshot(request).await
}

/// Routes are served under the public URL's prefix and at `/`, so that a proxy may strip it or not.
fn take_prefix_off(request: &mut Request<Body>, base: &str) {
    if base.is_empty() {
        return;
    }
    let path = request.uri().path();
    let Some(rest) = path.strip_prefix(base).filter(|rest| rest.is_empty() || rest.starts_with('/')) else { return };
    let path = if rest.is_empty() { "/" } else { rest };
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = request.uri().clone().into_parts();
    let Ok(path_and_query) = format!("{path}{query}").parse() else { return };
    parts.path_and_query = Some(path_and_query);
    let Ok(uri) = Uri::from_parts(parts) else { return };
    *request.uri_mut() = uri;
    request.extensions_mut().insert(HadPrefix);
}
