//! Which `Host` a request may name: the guard against DNS rebinding, where a page of an attacker makes its own name
//! resolve to this machine and so reaches a local server as if it were that page's own.
//!
//! Invariant: only names that the operator gave, and loopback names where the machine itself is meant, pass. Used by
//! `http` before routing, on every route but health and readiness; pure.

use std::str::FromStr;

use super::authority::{Authority, BadAuthority};
use super::proxies::Seen;
use super::public_url::{BadSetting, PublicUrl};
use super::{Refusal, Site};

/// The hosts under which this hub may be reached.
#[derive(Debug, Clone)]
pub struct HostPolicy {
    public_url: Option<PublicUrl>,
    allow_hosts: Vec<AllowedHost>,
    bind_is_loopback: bool,
}

/// One `--allow-host`: a host with any port, or with the one given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost(Authority);

/// Where a request says that it goes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Target<'a> {
    /// All values of the `Host` header.
    pub hosts: &'a [&'a str],
    /// The authority of the request target: HTTP/2 has it instead of `Host`, HTTP/1.1 only in the absolute form.
    pub uri_authority: Option<&'a str>,
}

impl HostPolicy {
    /// The policy of one server. `bind_is_loopback`: it listens on a loopback address only.
    pub fn new(public_url: Option<PublicUrl>, allow_hosts: Vec<AllowedHost>, bind_is_loopback: bool) -> Self {
        Self { public_url, allow_hosts, bind_is_loopback }
    }

    /// The public URL, if there is one.
    pub fn public_url(&self) -> Option<&PublicUrl> {
        self.public_url.as_ref()
    }

    /// The site that the request is for, if it may be: exactly one host is named, and it is one of ours.
    ///
    /// # Errors
    /// Why the request must not be served.
    pub fn check_host(&self, target: &Target<'_>, seen: &Seen<'_>) -> Result<Site, Refusal> {
        let named = named_host(target, seen)?;
        let authority = match seen.host {
            Some(forwarded) => forwarded.parse().map_err(Refusal::BadHost)?,
            None => named,
        };
        if !self.is_ours(&authority, seen) {
            return Err(Refusal::ForeignHost(authority));
        }
        Ok(Site { scheme: seen.scheme, authority })
    }

    fn is_ours(&self, authority: &Authority, seen: &Seen<'_>) -> bool {
        let is_public = self.public_url.as_ref().is_some_and(|url| {
            *url.host() == authority.host && url.port() == authority.port_or(url.scheme().default_port())
        });
        is_public
            || self.allow_hosts.iter().any(|allowed| allowed.covers(authority, seen))
            || (authority.host.is_loopback() && (self.bind_is_loopback || seen.client_ip.is_loopback()))
    }
}

impl AllowedHost {
    fn covers(&self, authority: &Authority, seen: &Seen<'_>) -> bool {
        let port = authority.port_or(seen.scheme.default_port());
        self.0.host == authority.host && self.0.port.is_none_or(|allowed| allowed == port)
    }
}

impl FromStr for AllowedHost {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |why: &str| BadSetting(format!("`--allow-host {text}`: {why}"));
        if let Some((_, rest)) = text.split_once("://") {
            let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
            return Err(bad(&format!("it takes a host, not a URL; type `--allow-host {host}`")));
        }
        let is_bare_v6 = text.parse::<std::net::Ipv6Addr>().is_ok();
        let authority = if is_bare_v6 { format!("[{text}]").parse() } else { text.parse() };
        authority.map(Self).map_err(|error: BadAuthority| {
            bad(&format!("{error}; it takes a host with or without a port, like `--allow-host ask.example`"))
        })
    }
}

/// The one host that the request itself names. Two that differ are refused: a proxy in front may have checked the one
/// while we would go by the other.
fn named_host(target: &Target<'_>, seen: &Seen<'_>) -> Result<Authority, Refusal> {
    let header = match target.hosts {
        [] => None,
        [host] => Some(host.parse::<Authority>().map_err(Refusal::BadHost)?),
        _ => return Err(Refusal::ManyHosts),
    };
    let in_target = target.uri_authority.map(str::parse::<Authority>).transpose().map_err(Refusal::BadHost)?;
    match (header, in_target) {
        (None, None) => Err(Refusal::NoHost),
        (Some(only), None) | (None, Some(only)) => Ok(only),
        (Some(header), Some(in_target)) => {
            let port = seen.scheme.default_port();
            let are_same = header.host == in_target.host && header.port_or(port) == in_target.port_or(port);
            if are_same { Ok(header) } else { Err(Refusal::HostsDiffer) }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::auth::origin::{Forwarded, Scheme, TrustedProxies};

    const LOCAL: &str = "127.0.0.1";
    const REMOTE: &str = "203.0.113.9";

    fn policy(public_url: &str, allow_hosts: &[&str], bind_is_loopback: bool) -> HostPolicy {
        let public_url = (!public_url.is_empty()).then(|| public_url.parse().unwrap());
        let allow_hosts = allow_hosts.iter().map(|host| host.parse().unwrap()).collect();
        HostPolicy::new(public_url, allow_hosts, bind_is_loopback)
    }

    fn from(peer: &str) -> Seen<'static> {
        TrustedProxies::default().see(peer.parse().unwrap(), &Forwarded::default())
    }

    fn check(policy: &HostPolicy, host: &str, peer: &str) -> Result<String, Refusal> {
        let target = Target { hosts: &[host], uri_authority: None };
        policy.check_host(&target, &from(peer)).map(|site| site.authority.to_string())
    }

    #[test]
    fn a_local_hub_answers_to_loopback_names_with_any_port_and_to_nothing_else() {
        let policy = policy("", &[], true);
        for host in ["localhost", "localhost:7440", "LOCALHOST:1", "127.0.0.1:7440", "[::1]:7440", "[::1]", "127.0.0.1"]
        {
            assert!(check(&policy, host, LOCAL).is_ok(), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:7440",
            "localhost.evil.example",
            "localhost.evil.example:7440",
            "127.0.0.1.evil.example",
            "evil.localhost",
            "localhost4",
            "192.168.1.5:7440",
            "[::ffff:127.0.0.1]:7440",
        ] {
            assert!(matches!(check(&policy, host, LOCAL), Err(Refusal::ForeignHost(_))), "{host}");
        }
        for host in
            ["0.0.0.0:7440", "0.0.0.0", "[::]", "localhost.", "user@localhost", "", "localhost:0", "localhost:99999"]
        {
            assert!(matches!(check(&policy, host, LOCAL), Err(Refusal::BadHost(_))), "{host}");
        }
    }

    #[test]
    fn loopback_names_on_an_open_bind_are_only_for_the_machine_itself() {
        let policy = policy("", &["ask.example"], false);
        assert!(check(&policy, "localhost:7440", LOCAL).is_ok());
        assert!(check(&policy, "localhost:7440", "::ffff:127.0.0.1").is_ok());
        assert!(check(&policy, "localhost:7440", "::1").is_ok());
        assert!(check(&policy, "localhost:7440", REMOTE).is_err());
        assert!(check(&policy, "0.0.0.0:7440", REMOTE).is_err());
    }

    #[test]
    fn the_public_url_is_matched_with_its_port() {
        let https = policy("https://ask.example/ask", &[], false);
        for host in ["ask.example", "ASK.example:443"] {
            assert!(check(&https, host, REMOTE).is_ok(), "{host}");
        }
        for host in ["ask.example:80", "ask.example:7440", "www.ask.example", "ask.example.evil.example"] {
            assert!(check(&https, host, REMOTE).is_err(), "{host}");
        }
        let odd = policy("http://ask.example:7440", &[], false);
        assert!(check(&odd, "ask.example:7440", REMOTE).is_ok());
        assert!(check(&odd, "ask.example", REMOTE).is_err());
    }

    #[test]
    fn an_allowed_host_has_any_port_unless_one_is_given() {
        let policy = policy("", &["Box.Lan", "other.lan:8080", "plain.lan:80", "::1234", "[2001:db8::1]:9"], false);
        for host in
            ["box.lan", "box.lan:1", "other.lan:8080", "plain.lan", "plain.lan:80", "[::1234]:7", "[2001:db8::1]:9"]
        {
            assert!(check(&policy, host, REMOTE).is_ok(), "{host}");
        }
        for host in ["other.lan", "other.lan:8081", "plain.lan:443", "[2001:db8::1]:10", "lan"] {
            assert!(check(&policy, host, REMOTE).is_err(), "{host}");
        }
    }

    #[test]
    fn exactly_one_host_is_named() {
        let policy = policy("http://ask.example", &[], true);
        let check = |hosts: &[&str], uri_authority| {
            policy.check_host(&Target { hosts, uri_authority }, &from(LOCAL)).map(|site| site.authority.to_string())
        };
        assert_eq!(check(&[], None), Err(Refusal::NoHost));
        assert_eq!(check(&["localhost", "localhost"], None), Err(Refusal::ManyHosts));
        assert_eq!(check(&["localhost", "evil.example"], None), Err(Refusal::ManyHosts));
        assert_eq!(check(&["localhost, evil.example"], None), Err(Refusal::BadHost(BadAuthority::Host)));
        assert_eq!(check(&[], Some("localhost:7440")).as_deref(), Ok("localhost:7440"));
        assert_eq!(check(&["ask.example"], Some("ASK.example:80")).as_deref(), Ok("ask.example"));
        assert_eq!(check(&["localhost"], Some("evil.example")), Err(Refusal::HostsDiffer));
        assert_eq!(check(&["evil.example"], Some("localhost")), Err(Refusal::HostsDiffer));
        assert_eq!(check(&["localhost"], Some("evil@localhost")), Err(Refusal::BadHost(BadAuthority::UserInfo)));
        assert!(matches!(check(&[], Some("evil.example")), Err(Refusal::ForeignHost(_))));
    }

    #[test]
    fn behind_a_trusted_proxy_the_forwarded_host_is_the_one_that_counts() {
        let policy = policy("https://ask.example", &[], false);
        let proxies = TrustedProxies::parse(&["127.0.0.1"]).unwrap();
        let check = |peer: &str, host: &str, client: &str| {
            let forwarded = Forwarded { client: &[client], scheme: &["https"], host: &[host] };
            let seen = proxies.see(peer.parse().unwrap(), &forwarded);
            policy.check_host(&Target { hosts: &["askhub:7440"], uri_authority: None }, &seen)
        };
        let site = check(LOCAL, "ask.example", REMOTE).unwrap();
        assert_eq!((site.scheme, site.authority.to_string().as_str()), (Scheme::Https, "ask.example"));
        assert!(check(LOCAL, "evil.example", REMOTE).is_err());
        // The proxy is local, the client is not.
        assert!(check(LOCAL, "localhost", REMOTE).is_err());
        assert!(check(LOCAL, "", REMOTE).is_err(), "no forwarded host: the direct one is not ours");
        assert!(check(REMOTE, "ask.example", REMOTE).is_err(), "a stranger's header");
    }

    #[test]
    fn an_allowed_host_that_cannot_be_used_says_what_to_type() {
        for (text, words) in [
            ("http://ask.example/x", "type `--allow-host ask.example`"),
            ("0.0.0.0", "unspecified"),
            ("*", "like `--allow-host ask.example`"),
            ("ask.example:0", "port"),
        ] {
            let error = text.parse::<AllowedHost>().unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_foreign_host_passes_a_local_hub(host in "\\PC{0,30}|[a-z0-9.:\\[\\]@-]{0,30}", peer_is_local: bool) {
            let peer = if peer_is_local { LOCAL } else { REMOTE };
            if let Ok(authority) = check(&policy("", &[], true), &host, peer) {
                let host: Authority = authority.parse().unwrap();
                prop_assert!(host.host.is_loopback());
            }
            let _ = host.parse::<AllowedHost>();
        }
    }
}
