//! Where a request goes and where it comes from: the checks that keep other web pages from using a browser's session
//! or a local hub.
//!
//! Invariant: what is unclear is refused. Used by `http` (and, for its settings, by `server`); pure: header values in,
//! a verdict out.
//!
//! In order: [`TrustedProxies::see`] says who really asks, [`HostPolicy::check_host`] which of our sites is meant, then
//! for a request with a cookie [`HostPolicy::check_unsafe_request`] before a change and [`HostPolicy::check_upgrade`]
//! before a WebSocket. A repeated `Origin` or `Sec-Fetch-Site` is passed joined by commas: that never matches.

mod authority;
mod host;
mod proxies;
mod public_url;

pub use authority::{Authority, BadAuthority, HostName};
pub use host::{AllowedHost, HostPolicy, Target};
pub use proxies::{Forwarded, Seen, TrustedProxies};
pub use public_url::{BadSetting, PublicUrl, Scheme};

/// One of our sites, as a request named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// How the client reached it.
    pub scheme: Scheme,
    /// The host, with the port if one was written.
    pub authority: Authority,
}

/// Why a request is not served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No host is named.
    #[error("the request has no Host header")]
    NoHost,
    /// More than one `Host` header.
    #[error("the request has more than one Host header")]
    ManyHosts,
    /// The host cannot be read.
    #[error("the host of the request cannot be used: {0}")]
    BadHost(BadAuthority),
    /// The request line names another host than the header.
    #[error("the request line and the Host header name different hosts")]
    HostsDiffer,
    /// The host is not one of ours.
    #[error("this hub is not known as `{0}`; if it should be, start it with `--allow-host {host}`", host = .0.host)]
    ForeignHost(Authority),
    /// The request comes from a page that is not ours.
    #[error("the request comes from another site's page; behind a proxy, `--public-url` says what our own is")]
    ForeignOrigin,
    /// Nothing says from which page the request comes.
    #[error("the request does not say from which page it comes; without a browser use a token")]
    UnknownOrigin,
}

impl Refusal {
    /// Whether the request is malformed, rather than not allowed.
    pub fn is_malformed(&self) -> bool {
        matches!(self, Self::NoHost | Self::ManyHosts | Self::BadHost(_) | Self::HostsDiffer)
    }
}

impl Site {
    /// The port that is meant.
    pub fn port(&self) -> u16 {
        self.authority.port_or(self.scheme.default_port())
    }

    /// What a browser sends as `Origin` from a page of this site.
    pub fn origin(&self) -> String {
        let port = self.authority.port.filter(|port| *port != self.scheme.default_port());
        let authority = Authority { host: self.authority.host.clone(), port };
        format!("{}://{authority}", self.scheme.as_str())
    }
}

impl HostPolicy {
    /// Whether a request with this `Origin` may be served at all: there is none, or it is the public URL's, or it is
    /// exactly the site's own. Cookies ignore ports, so a page on another port of the same host is foreign.
    pub fn check_origin(&self, origin: Option<&str>, site: &Site) -> bool {
        origin.is_none_or(|origin| self.is_own(origin, site))
    }

    /// Whether a request with a cookie may change something.
    ///
    /// # Errors
    /// [`Refusal::ForeignOrigin`] or [`Refusal::UnknownOrigin`].
    pub fn check_unsafe_request(
        &self,
        sec_fetch_site: Option<&str>,
        origin: Option<&str>,
        site: &Site,
    ) -> Result<(), Refusal> {
        if !self.check_origin(origin, site) {
            return Err(Refusal::ForeignOrigin);
        }
        // Browsers leave `Sec-Fetch-Site` out where the page is not encrypted and not local: there Origin decides.
        match (sec_fetch_site, origin) {
            (Some("same-origin"), _) | (None, Some(_)) => Ok(()),
            (Some(_), _) => Err(Refusal::ForeignOrigin),
            (None, None) => Err(Refusal::UnknownOrigin),
        }
    }

    /// Whether a request with a cookie may become a WebSocket: browsers let any page open one, with our cookies, and
    /// always say which page it was.
    ///
    /// # Errors
    /// [`Refusal::ForeignOrigin`] or [`Refusal::UnknownOrigin`].
    pub fn check_upgrade(&self, origin: Option<&str>, site: &Site) -> Result<(), Refusal> {
        match origin {
            None => Err(Refusal::UnknownOrigin),
            Some(origin) if self.is_own(origin, site) => Ok(()),
            Some(_) => Err(Refusal::ForeignOrigin),
        }
    }

    fn is_own(&self, origin: &str, site: &Site) -> bool {
        // `null` (sandboxed frames, `data:` pages, files) has no scheme and so is nobody's.
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let Some(scheme) = Scheme::parse(scheme) else { return false };
        let Ok(authority) = authority.parse::<Authority>() else { return false };
        let port = authority.port_or(scheme.default_port());
        let is_public = self
            .public_url()
            .is_some_and(|url| url.scheme() == scheme && *url.host() == authority.host && url.port() == port);
        is_public || (site.scheme == scheme && site.authority.host == authority.host && site.port() == port)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn policy() -> HostPolicy {
        HostPolicy::new(Some("https://ask.example/ask".parse().unwrap()), Vec::new(), true)
    }

    fn site(scheme: Scheme, host: &str) -> Site {
        Site { scheme, authority: host.parse().unwrap() }
    }

    fn local() -> Site {
        site(Scheme::Http, "localhost:7440")
    }

    const OURS: [&str; 4] =
        ["http://localhost:7440", "HTTP://LOCALHOST:7440", "https://ask.example", "https://ask.example:443"];
    const FOREIGN: [&str; 22] = [
        "null",
        "",
        "localhost:7440",
        "http://localhost",
        "http://localhost:80",
        "http://localhost:3000",
        "https://localhost:7440",
        "http://127.0.0.1:7440",
        "http://[::1]:7440",
        "http://localhost.evil.example:7440",
        "http://evil.example:7440",
        "http://localhost:7440@evil.example",
        "http://localhost:7440.evil.example",
        "http://localhost.:7440",
        "http://localhost:7440/",
        "http://localhost:7440, http://localhost:7440",
        "http://ask.example",
        "https://ask.example:8443",
        "https://www.ask.example",
        "https://ask.example/ask",
        "file://",
        "chrome-extension://localhost:7440",
    ];

    #[test]
    fn only_the_public_origin_and_the_requests_own_are_ours() {
        for origin in OURS {
            assert!(policy().check_origin(Some(origin), &local()), "{origin}");
            assert_eq!(policy().check_upgrade(Some(origin), &local()), Ok(()), "{origin}");
        }
        for origin in FOREIGN {
            assert!(!policy().check_origin(Some(origin), &local()), "{origin}");
            assert_eq!(policy().check_upgrade(Some(origin), &local()), Err(Refusal::ForeignOrigin), "{origin}");
        }
        assert!(policy().check_origin(None, &local()), "not a browser");
        assert_eq!(policy().check_upgrade(None, &local()), Err(Refusal::UnknownOrigin));
    }

    #[test]
    fn an_unwritten_port_is_the_default_of_its_own_scheme() {
        let plain = site(Scheme::Http, "box.lan");
        assert!(policy().check_origin(Some("http://box.lan"), &plain));
        assert!(policy().check_origin(Some("http://box.lan:80"), &plain));
        assert!(!policy().check_origin(Some("https://box.lan"), &plain));
        assert!(!policy().check_origin(Some("http://box.lan:443"), &plain));
        let encrypted = site(Scheme::Https, "box.lan");
        assert!(policy().check_origin(Some("https://box.lan"), &encrypted));
        assert!(!policy().check_origin(Some("http://box.lan"), &encrypted));
        assert_eq!(encrypted.origin(), "https://box.lan");
        assert_eq!(site(Scheme::Https, "box.lan:443").origin(), "https://box.lan");
        assert_eq!(site(Scheme::Https, "box.lan:80").origin(), "https://box.lan:80");
    }

    #[test]
    fn a_change_with_a_cookie_must_come_from_our_own_page() {
        let check = |sec_fetch_site, origin| policy().check_unsafe_request(sec_fetch_site, origin, &local());
        for origin in OURS.into_iter().map(Some) {
            assert_eq!(check(Some("same-origin"), origin), Ok(()));
            assert_eq!(check(None, origin), Ok(()));
        }
        assert_eq!(check(Some("same-origin"), None), Ok(()));
        assert_eq!(check(None, None), Err(Refusal::UnknownOrigin));
        for sec_fetch_site in ["cross-site", "same-site", "none", "", "Same-Origin", "same-origin, same-origin"] {
            assert_eq!(check(Some(sec_fetch_site), None), Err(Refusal::ForeignOrigin), "{sec_fetch_site}");
            assert_eq!(check(Some(sec_fetch_site), Some(OURS[0])), Err(Refusal::ForeignOrigin), "{sec_fetch_site}");
        }
        for origin in FOREIGN.into_iter().map(Some) {
            assert_eq!(check(None, origin), Err(Refusal::ForeignOrigin), "{origin:?}");
            assert_eq!(check(Some("same-origin"), origin), Err(Refusal::ForeignOrigin), "{origin:?}");
        }
    }

    proptest! {
        #[test]
        fn any_origin_is_judged_without_a_panic(origin in "\\PC{0,30}|https?://[a-z0-9.:\\[\\]@-]{0,20}") {
            let _ = policy().check_upgrade(Some(&origin), &local());
        }
    }
}
