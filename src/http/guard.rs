//! The door: which host a request may name, whose it is, and from which page it may come. Before every handler.

use std::net::SocketAddr;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use super::problem::{Code, Problem};
use crate::auth::origin::{Forwarded, Refusal, Seen, Site, Target};
use crate::auth::{How, Identity, bearer_token};
use crate::domain::{Principal, Via, can_administer};

/// Who sends this request, proven, and by which way.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Who it is.
    pub who: Principal,
    /// By which way.
    pub via: Via,
    /// The proof.
    pub identity: Identity,
}

/// Who sends this request, if anybody proven does.
pub struct MaybeCaller(pub Option<Caller>);

/// Where a request came in: the site it named and the path under which that site is served.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The site.
    pub site: Site,
    /// Empty, or the prefix of the public URL: what paths in replies must begin with.
    pub base: String,
}

/// The peer of the connection; put there by the accept loop.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// Whether the path that came had the public URL's prefix; put there when it was taken off.
#[derive(Debug, Clone, Copy)]
pub struct HadPrefix;

/// Paths that anybody may ask under any host name: what a balancer asks.
const HEALTH_PATHS: &[&str] = &["/healthz", "/readyz"];

impl Caller {
    /// The holder of a bearer token, on a socket.
    pub async fn by_token(app: &App, token: &str) -> Option<Self> {
        let identity = app.auth.authenticate_bearer(token).await.ok()??;
        Some(Self { who: identity.principal.clone(), via: Via::Ws, identity })
    }

    /// The same caller on a socket.
    #[must_use]
    pub fn over_ws(self) -> Self {
        Self { via: Via::Ws, ..self }
    }

    /// Whether this is a signed-in browser that can answer: while its feed is open, a person can be reached.
    pub fn is_page(&self) -> bool {
        self.identity.how() == How::Session && self.who.is_person()
    }

    /// Whether the caller administers.
    pub fn is_admin(&self) -> bool {
        can_administer(&self.who)
    }

    /// Ends when the token or session is good no more.
    pub async fn ended(&self, app: &App) {
        app.auth.until_ended(&self.identity).await;
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(unauthorized)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for MaybeCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        Ok(Self(parts.extensions.get::<Caller>().cloned()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Entry {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| Problem::new(Code::BadRequest, "no host is named"))
    }
}

/// Checks host, credential and origin; whoever passes is in the request's extensions.
pub async fn check(State(app): State<App>, mut request: Request, next: Next) -> Response {
    if HEALTH_PATHS.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    let entry = match enter(&app, &request) {
        Ok(entry) => entry,
        Err(refusal) => return refused(&refusal).into_response(),
    };
    // Only these parts: a reference to a whole request may not be held while waiting.
    let (method, headers) = (request.method().clone(), request.headers().clone());
    match identify(&app, &method, &headers, &entry.site).await {
        Ok(Some(caller)) => {
            request.extensions_mut().insert(caller);
        }
        Ok(None) => {}
        Err(problem) => return problem.into_response(),
    }
    request.extensions_mut().insert(entry);
    next.run(request).await
}

/// Refuses whoever was not identified: a route behind this cannot be left open by forgetting to ask.
pub async fn require_caller(request: Request, next: Next) -> Response {
    if request.extensions().get::<Caller>().is_some() {
        next.run(request).await
    } else {
        unauthorized().into_response()
    }
}

fn unauthorized() -> Problem {
    Problem::new(Code::Unauthorized, "send `Authorization: Bearer …`, or sign in with `askhub login`")
}

fn refused(refusal: &Refusal) -> Problem {
    let code = match refusal {
        Refusal::ForeignOrigin | Refusal::UnknownOrigin => Code::OriginNotAllowed,
        refusal if refusal.is_malformed() => Code::BadRequest,
        _ => Code::HostNotAllowed,
    };
    Problem::new(code, refusal.to_string())
}

fn enter(app: &App, request: &Request) -> Result<Entry, Refusal> {
    let headers = request.headers();
    let hosts = values(headers, header::HOST.as_str());
    let authority = request.uri().authority().map(axum::http::uri::Authority::as_str);
    let target = Target { hosts: &hosts, uri_authority: authority };
    let clients = values(headers, "x-forwarded-for");
    let schemes = values(headers, "x-forwarded-proto");
    let forwarded_hosts = values(headers, "x-forwarded-host");
    let forwarded = Forwarded { client: &clients, scheme: &schemes, host: &forwarded_hosts };
    let seen: Seen<'_> = app.proxies().see(peer(request).ip(), &forwarded);
    let site = app.hosts().check_host(&target, &seen)?;
    let origins = values(headers, header::ORIGIN.as_str());
    if !app.hosts().check_origin(joined(&origins).as_deref(), &site) {
        return Err(Refusal::ForeignOrigin);
    }
    let is_public =
        app.hosts().public_url().is_some_and(|url| *url.host() == site.authority.host && url.port() == site.port());
    let had_prefix = request.extensions().get::<HadPrefix>().is_some();
    let base = if is_public || had_prefix { app.base_path().to_owned() } else { String::new() };
    Ok(Entry { site, base })
}

async fn identify(app: &App, method: &Method, headers: &HeaderMap, site: &Site) -> Result<Option<Caller>, Problem> {
    let credentials = values(headers, header::AUTHORIZATION.as_str());
    if let [authorization] = credentials.as_slice() {
        let Some(token) = bearer_token(authorization) else { return Err(unauthorized()) };
        let identity = app.auth.admit_bearer(token, user_agent(headers)).await?.ok_or_else(unauthorized)?;
        return Ok(Some(Caller { who: identity.principal.clone(), via: by_agent(headers), identity }));
    }
    if credentials.len() > 1 {
        return Err(Problem::new(Code::BadRequest, "Authorization is sent twice"));
    }
    let Some(cookie) = session_cookie(headers, &app.cookie_name(site)) else { return Ok(None) };
    let Some(identity) = app.auth.authenticate_session(&cookie).await? else { return Ok(None) };
    check_page(app, method, headers, site).map_err(|refusal| refused(&refusal))?;
    Ok(Some(Caller { who: identity.principal.clone(), via: Via::Page, identity }))
}

/// A browser sends its cookie with whatever any page makes it ask for: only our own pages may change something or
/// open a socket.
fn check_page(app: &App, method: &Method, headers: &HeaderMap, site: &Site) -> Result<(), Refusal> {
    let origins = values(headers, header::ORIGIN.as_str());
    let origin = joined(&origins);
    if headers.contains_key(header::UPGRADE) {
        return app.hosts().check_upgrade(origin.as_deref(), site);
    }
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let fetch_sites = values(headers, "sec-fetch-site");
    app.hosts().check_unsafe_request(joined(&fetch_sites).as_deref(), origin.as_deref(), site)
}

fn by_agent(headers: &HeaderMap) -> Via {
    if user_agent(headers).starts_with("askhub-cli/") { Via::Cli } else { Via::Api }
}

fn user_agent(headers: &HeaderMap) -> &str {
    headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default()
}

fn session_cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}

fn peer(request: &Request) -> SocketAddr {
    // Without an accept loop of ours there is no peer, and so no loopback privilege.
    let nobody = SocketAddr::from(([0, 0, 0, 0], 0));
    request.extensions().get::<Peer>().map_or(nobody, |peer| peer.0)
}

/// All values of a header; one that is no text stands as itself cannot match anything.
fn values<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a str> {
    headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("unreadable")).collect()
}

fn joined(values: &[&str]) -> Option<String> {
    if values.is_empty() { None } else { Some(values.join(",")) }
}
