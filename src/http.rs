//! All routes in one table. Adapters: parse, one broker call, render.

mod admin;
mod body;
mod calls;
mod claims;
mod dialects;
mod docs;
mod feed;
pub mod guard;
mod headers;
mod history;
mod html;
mod meta;
mod mockup;
mod nodes;
mod page;
mod plain;
mod problem;
mod sign_in;
mod ws;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tokio_util::task::TaskTracker;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use docs::Security;

use crate::auth::Auth;
use crate::auth::origin::{HostPolicy, Site, TrustedProxies};
use crate::broker::{Broker, View};
use crate::domain::CallId;
use crate::wire::CallReply;

/// What every handler has at hand. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The use cases.
    pub broker: Broker,
    /// Who is asking.
    pub auth: Auth,
    shared: Arc<Shared>,
}

/// How this server is reached.
#[derive(Debug, Clone)]
pub struct Reach {
    /// Which hosts may be named.
    pub hosts: HostPolicy,
    /// Whose forwarded headers count.
    pub proxies: TrustedProxies,
    /// Where links begin when there is no public URL: `http://127.0.0.1:7440`.
    pub local_url: String,
}

struct Shared {
    reach: Reach,
    openapi: utoipa::openapi::OpenApi,
    sockets: TaskTracker,
    connections: AtomicUsize,
    is_draining: AtomicBool,
}

#[derive(OpenApi)]
#[openapi(
    info(title = "askhub", description = "Agents ask, people answer.", license(name = "Apache-2.0")),
    modifiers(&Security),
    security(("token" = []), ("session" = []))
)]
struct Api;

impl App {
    /// The app, and the router that serves it.
    pub fn new(broker: Broker, auth: Auth, reach: Reach) -> (Self, Router) {
        let (private, openapi) = OpenApiRouter::with_openapi(Api::openapi()).merge(private_routes()).split_for_parts();
        let (public, public_api) = public_routes().split_for_parts();
        let mut openapi = openapi;
        openapi.merge(public_api);
        let shared = Shared {
            reach,
            openapi,
            sockets: TaskTracker::new(),
            connections: AtomicUsize::new(0),
            is_draining: AtomicBool::new(false),
        };
        let app = Self { broker, auth, shared: Arc::new(shared) };
        let private = private.merge(reference_routes()).route_layer(from_fn(guard::require_caller));
        let router = private
            .merge(public)
            .merge(page_routes())
            .fallback(headers::nothing_here)
            .method_not_allowed_fallback(headers::wrong_method)
            .layer(from_fn_with_state(app.clone(), guard::check))
            .layer(from_fn_with_state(app.clone(), headers::secure))
            .layer(CatchPanicLayer::custom(headers::after_panic))
            .with_state(app.clone());
        (app, router)
    }

    /// A call as every way shows it.
    pub fn call_reply(&self, view: &View) -> CallReply {
        CallReply::new(&view.call, &view.late, view.waiters, self.call_url(view.call.id))
    }

    /// The page of a call.
    pub fn call_url(&self, id: CallId) -> String {
        self.url(&format!("/a/{id}"))
    }

    /// The link that signs somebody in with a code. The one place where a secret is in a URL.
    pub fn sign_in_url(&self, code: &str) -> String {
        self.url(&format!("/sign-in?code={code}"))
    }

    /// The description of all routes.
    pub fn openapi(&self) -> &utoipa::openapi::OpenApi {
        &self.shared.openapi
    }

    /// The path of the public URL: empty or `/ask`.
    pub fn base_path(&self) -> &str {
        self.hosts().public_url().map_or("", |url| url.prefix())
    }

    /// Whether cookies must go by TLS alone.
    pub fn is_https(&self) -> bool {
        self.hosts().public_url().is_some_and(crate::auth::origin::PublicUrl::is_https)
    }

    /// Has the port in it: cookies ignore ports, and two hubs on one machine must not sign each other out.
    pub fn cookie_name(&self, site: &Site) -> String {
        format!("askhub_session_{}", site.port())
    }

    /// Which hosts may be named.
    pub fn hosts(&self) -> &HostPolicy {
        &self.shared.reach.hosts
    }

    /// Whose forwarded headers count.
    pub fn proxies(&self) -> &TrustedProxies {
        &self.shared.reach.proxies
    }

    /// The open sockets, to wait for when stopping.
    pub fn sockets(&self) -> TaskTracker {
        self.shared.sockets.clone()
    }

    /// Counts a connection in (1) or out (-1); how many there are then.
    pub fn count_connection(&self, opened: bool) -> usize {
        if opened {
            self.shared.connections.fetch_add(1, Ordering::Relaxed) + 1
        } else {
            self.shared.connections.fetch_sub(1, Ordering::Relaxed) - 1
        }
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Tells balancers to send nothing more.
    pub fn drain(&self) {
        self.shared.is_draining.store(true, Ordering::Relaxed);
    }

    /// Whether balancers were told so.
    pub fn is_draining(&self) -> bool {
        self.shared.is_draining.load(Ordering::Relaxed)
    }

    fn url(&self, path: &str) -> String {
        match self.hosts().public_url() {
            Some(url) => url.join(path),
            None => format!("{}{path}", self.shared.reach.local_url),
        }
    }
}

/// What takes a token or a session: all of the API.
fn private_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(calls::ask, calls::list))
        .routes(routes!(calls::get, calls::erase))
        .routes(routes!(calls::wait))
        .routes(routes!(calls::answer))
        .routes(routes!(calls::decline))
        .routes(routes!(calls::cancel))
        .routes(routes!(calls::extend))
        .routes(routes!(calls::ack))
        .routes(routes!(history::trail))
        .routes(routes!(history::export))
        .routes(routes!(claims::undo))
        .routes(routes!(claims::claim))
        .routes(routes!(claims::release))
        .routes(routes!(claims::typing))
        .routes(routes!(feed::events))
        .routes(routes!(feed::sync))
        .routes(routes!(dialects::list))
        .routes(routes!(dialects::tool))
        .routes(routes!(dialects::ask))
        .routes(routes!(dialects::get))
        .routes(routes!(admin::add_person, admin::people))
        .routes(routes!(admin::sign_in_link))
        .routes(routes!(admin::add_token, admin::tokens))
        .routes(routes!(admin::revoke_token))
        .routes(routes!(admin::connections))
        .routes(routes!(meta::limits))
        .routes(routes!(meta::me))
        .routes(routes!(meta::metrics))
}

/// The API's description of itself.
fn reference_routes() -> Router<App> {
    Router::new().route("/openapi.json", get(meta::openapi)).route("/docs", get(meta::docs))
}

/// What anybody may ask; the socket asks for a credential itself.
fn public_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(meta::healthz))
        .routes(routes!(meta::readyz))
        .routes(routes!(meta::version))
        .routes(routes!(ws::open))
}

/// Pages: each sends whoever is not signed in to the sign-in page.
fn page_routes() -> Router<App> {
    Router::new()
        .route("/", get(page::app))
        .route("/a/{id}", get(page::app))
        .route("/history", get(page::app))
        .route("/connect", get(page::app))
        .route("/preview/{call}/{question}/{option}", get(mockup::show))
        .route("/assets/{*path}", get(page::asset))
        .route("/sw.js", get(page::root_file))
        .route("/manifest.webmanifest", get(page::root_file))
        .route("/icon.svg", get(page::root_file))
        .route("/sign-in", get(sign_in::show).post(sign_in::submit))
        .route("/sign-out", axum::routing::post(sign_in::sign_out))
        .route("/plain", get(plain::list))
        .route("/plain/", get(plain::list))
        .route("/plain/history", get(plain::history))
        .route("/plain/style.css", get(plain::style))
        .route("/plain/a/{id}", get(plain::show).post(plain::submit))
}
