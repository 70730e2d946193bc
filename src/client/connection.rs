//! One request and its reply.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderValue, ORIGIN, RETRY_AFTER, SET_COOKIE};
use reqwest::{Method, Response, StatusCode, Url, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{ClientError, Refusal};
use crate::wire::ProblemReply;

/// The server knows by this name that somebody uses the command line.
const USER_AGENT: &str = concat!("askhub-cli/", env!("CARGO_PKG_VERSION"));
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long a reply may take beyond what the request asked it to be held: after that the connection is dead.
const REPLY_MAX: Duration = Duration::from_secs(30);

/// A way to one askhub, as one asker or person. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Arc<str>,
}

/// A reply, read and as it came.
#[derive(Debug, Clone)]
pub struct Received<T> {
    /// What it says.
    pub value: T,
    /// The body, byte for byte.
    pub text: String,
}

/// What a request has beside its path.
#[derive(Debug, Default)]
pub(super) struct Sent<'a> {
    pub query: Vec<(&'a str, String)>,
    pub body: Option<String>,
    /// How long the server holds it.
    pub held: Duration,
}

impl Client {
    /// A way to the askhub at `url`; nothing is sent yet.
    ///
    /// # Errors
    /// [`ClientError::Setting`], if URL or token cannot be used.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, ClientError> {
        let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let Some(parsed) = parsed.filter(|url| url.query().is_none() && url.fragment().is_none()) else {
            return Err(ClientError::Setting(format!(
                "{url:?} is no URL of an askhub: it is like http://127.0.0.1:7440"
            )));
        };
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            headers.insert(AUTHORIZATION, secret(&format!("Bearer {token}"), "token")?);
        }
        Self::with_headers(url, &parsed, headers)
    }

    /// The same askhub, as the person whom a sign-in link signs in: as a browser does, by its form and its cookie.
    ///
    /// # Errors
    /// [`ClientError`]: the link is over, or is no link.
    pub async fn signed_in(&self, link: &str) -> Result<Self, ClientError> {
        let here = self.target("/", &[])?;
        let code = Url::parse(link).ok().and_then(|link| {
            let code = link.query_pairs().find(|(name, _)| name == "code")?;
            Some(code.1.into_owned())
        });
        let code = code.ok_or_else(|| ClientError::Setting("this is no sign-in link".to_owned()))?;
        let origin = here.origin().ascii_serialization();
        let mut form = Url::parse("form:").map_err(|error| ClientError::Setting(error.to_string()))?;
        form.query_pairs_mut().append_pair("code", &code);
        let request = self.http.post(self.target("/sign-in", &[])?).timeout(REPLY_MAX).header(ORIGIN, &origin);
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let body = form.query().unwrap_or_default().to_owned();
        let response = request.body(body).send().await.map_err(|error| self.failed(error))?;
        let cookie = response.headers().get(SET_COOKIE).and_then(|cookie| cookie.to_str().ok());
        let Some(cookie) = cookie.and_then(|cookie| cookie.split(';').next()) else {
            return Err(self.foreign(format!("it signed nobody in: HTTP {}", response.status())));
        };
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, secret(cookie, "cookie")?);
        headers.insert(ORIGIN, secret(&origin, "origin")?);
        Self::with_headers(&self.base, &here, headers)
    }

    fn with_headers(url: &str, parsed: &Url, headers: HeaderMap) -> Result<Self, ClientError> {
        let builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .default_headers(headers)
            .connect_timeout(CONNECT_MAX)
            // A token is for the askhub that was named, for nobody whom that one names.
            .redirect(redirect::Policy::none());
        // What is on this machine is not reached through a proxy.
        let builder = if is_loopback(parsed) { builder.no_proxy() } else { builder };
        let http = with_tls(builder, parsed.scheme() == "https")?
            .build()
            .map_err(|error| ClientError::Setting(format!("cannot make connections: {error:?}")))?;
        Ok(Self { http, base: url.trim_end_matches('/').into() })
    }

    /// Where it goes.
    pub fn url(&self) -> &str {
        &self.base
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<Received<T>, ClientError> {
        self.send(Method::GET, path, Sent::default()).await
    }

    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        form: &impl Serialize,
    ) -> Result<Received<T>, ClientError> {
        let body = serde_json::to_string(form)
            .map_err(|error| ClientError::Setting(format!("cannot write the request: {error}")))?;
        self.send(Method::POST, path, Sent { body: Some(body), ..Sent::default() }).await
    }

    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        sent: Sent<'_>,
    ) -> Result<Received<T>, ClientError> {
        let text = self.exchange(method, path, sent).await?;
        match serde_json::from_str(&text) {
            Ok(value) => Ok(Received { value, text }),
            Err(error) => Err(self.foreign(format!("its reply cannot be read: {error}"))),
        }
    }

    /// Sends a request; the text of the reply, if that says yes.
    pub(super) async fn exchange(&self, method: Method, path: &str, sent: Sent<'_>) -> Result<String, ClientError> {
        let mut request = self.http.request(method, self.target(path, &sent.query)?).timeout(sent.held + REPLY_MAX);
        if let Some(body) = sent.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let response = request.send().await.map_err(|error| self.failed(error))?;
        let status = response.status();
        let retry_after = retry_after(&response);
        let text = response.text().await.map_err(|error| self.failed(error))?;
        if status.is_success() { Ok(text) } else { Err(self.refused(status, retry_after, text)) }
    }

    fn target(&self, path: &str, query: &[(&str, String)]) -> Result<Url, ClientError> {
        let mut url = Url::parse(&format!("{}{path}", self.base))
            .map_err(|error| ClientError::Setting(format!("{} is no URL: {error}", self.base)))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }

    fn failed(&self, error: reqwest::Error) -> ClientError {
        let url = self.base.to_string();
        // The request's own URL may have words of people in its query; ours is said anyway.
        let source = error.without_url();
        if source.is_connect() { ClientError::Unreachable { url, source } } else { ClientError::Broken { url, source } }
    }

    fn refused(&self, status: StatusCode, retry_after: Option<Duration>, text: String) -> ClientError {
        if let Ok(problem) = serde_json::from_str::<ProblemReply>(&text) {
            return ClientError::Refused(Box::new(Refusal { problem, retry_after, text }));
        }
        // A proxy in front of askhub speaks HTML; what it says passes when askhub is back.
        if matches!(status.as_u16(), 429 | 502..=504) {
            let problem = proxy_problem(status);
            return ClientError::Refused(Box::new(Refusal { problem, retry_after, text: String::new() }));
        }
        let hint = if status.is_redirection() { "; is this the whole URL?" } else { "" };
        self.foreign(format!("HTTP {status}{hint}"))
    }

    fn foreign(&self, detail: String) -> ClientError {
        ClientError::Foreign { url: self.base.to_string(), detail }
    }
}

/// A header that no log may show.
fn secret(text: &str, what: &str) -> Result<HeaderValue, ClientError> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| ClientError::Setting(format!("the {what} has characters that no {what} has")))?;
    value.set_sensitive(true);
    Ok(value)
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("base", &self.base).finish_non_exhaustive()
    }
}

/// Plain HTTP needs no certificates, and a container may have none: then looking for them would fail.
fn with_tls(builder: reqwest::ClientBuilder, is_https: bool) -> Result<reqwest::ClientBuilder, ClientError> {
    if is_https {
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            // Somebody else may be quicker: then there is one, and that is all that is needed.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        return Ok(builder);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ClientError::Setting(format!("cannot make connections: {error}")))?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Ok(builder.tls_backend_preconfigured(config))
}

pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
            address.is_ok_and(|address| address.to_canonical().is_loopback())
        }
        None => false,
    }
}

/// Whole seconds; the form with a date is for caches.
fn retry_after(response: &Response) -> Option<Duration> {
    let text = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}

fn proxy_problem(status: StatusCode) -> ProblemReply {
    ProblemReply {
        kind: "about:blank".to_owned(),
        title: status.canonical_reason().unwrap_or_default().to_owned(),
        status: status.as_u16(),
        code: "proxy".to_owned(),
        detail: format!("the proxy in front of askhub says {status}"),
        errors: Vec::new(),
        call: None,
        tool_result: None,
        tool_error_code: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_of_servers_are_taken() {
        for url in ["http://127.0.0.1:7440", "https://ask.example/ask/", "http://[::1]:7440"] {
            Client::new(url, None).unwrap();
        }
        for url in ["", "127.0.0.1:7440", "ftp://a", "http://", "http://a/?x=1", "http://a/#b", "unix:/run/a"] {
            assert!(matches!(Client::new(url, None), Err(ClientError::Setting(_))), "{url}");
        }
    }

    #[test]
    fn paths_go_below_the_path_of_the_url() {
        let client = Client::new("https://ask.example/ask/", None).unwrap();
        let target = client.target("/v1/calls", &[("q", "a b&c".to_owned())]).unwrap();
        assert_eq!(target.as_str(), "https://ask.example/ask/v1/calls?q=a+b%26c");
    }

    #[test]
    fn this_machine_is_known_by_each_of_its_names() {
        let is_here = |url: &str| is_loopback(&Url::parse(url).unwrap());
        assert!(
            ["http://localhost:1", "http://127.0.0.1", "http://[::1]:2", "http://127.1.2.3"].into_iter().all(is_here)
        );
        assert!(!["http://localhost.example", "http://10.0.0.1", "http://[fe80::1]"].into_iter().any(is_here));
    }

    #[test]
    fn a_token_is_not_shown() {
        let client = Client::new("http://127.0.0.1:1", Some("askhub_secret")).unwrap();
        assert!(!format!("{client:?} {:?}", client.http).contains("secret"));
        let refused = Client::new("http://127.0.0.1:1", Some("askhub_sec\nret")).unwrap_err();
        assert!(!format!("{refused:?}").contains("sec\n"));
    }

    #[test]
    fn what_a_proxy_says_is_told_from_what_a_stranger_says() {
        let client = Client::new("http://127.0.0.1:1", None).unwrap();
        let refused = |status: u16| client.refused(StatusCode::from_u16(status).unwrap(), None, "<html>".to_owned());
        assert!(refused(502).is_passing());
        assert!(matches!(refused(404), ClientError::Foreign { .. }));
        assert!(matches!(refused(301), ClientError::Foreign { .. }));
    }
}
