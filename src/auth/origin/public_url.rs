//! The one URL at which people and agents reach this hub: `--public-url`.
//!
//! Invariant: links, cookies and checks are built from this, never from a request's `Host` (which whoever sends the
//! request chooses). Used by `server`, which reads it, and by `http` and `mcp`; pure.

use std::fmt;
use std::str::FromStr;

use super::authority::{Authority, BadAuthority, HostName};

/// How a request came, or a URL begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Not encrypted.
    Http,
    /// Encrypted, here always by a proxy.
    Https,
}

/// A public URL: scheme, host, port and a path prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    scheme: Scheme,
    host: HostName,
    port: u16,
    /// Empty, or `/a/b`: begins with a slash and does not end with one.
    prefix: String,
}

/// Why a setting cannot be used, in words that say what to type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSetting(pub(super) String);

impl Scheme {
    /// The port that is meant where none is written.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// How a URL begins.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// Reads `http` or `https`, in any letter case.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Http, Self::Https].into_iter().find(|scheme| text.eq_ignore_ascii_case(scheme.as_str()))
    }
}

impl PublicUrl {
    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host.
    pub fn host(&self) -> &HostName {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether browsers reach it encrypted: then cookies are `Secure`.
    pub fn is_https(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// The path under which everything is served: empty, or `/ask`, without a slash at the end.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What a browser sends as `Origin` from its pages: scheme, host and, unless it is the default, the port.
    pub fn origin(&self) -> String {
        let scheme = self.scheme.as_str();
        if self.port == self.scheme.default_port() {
            return format!("{scheme}://{}", self.host);
        }
        format!("{scheme}://{}:{}", self.host, self.port)
    }

    /// The whole URL of one of our paths, which begins with a slash.
    pub fn join(&self, path: &str) -> String {
        format!("{self}{path}")
    }
}

impl FromStr for PublicUrl {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |why: &str| BadSetting(format!("`--public-url {text}`: {why}"));
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(bad(&format!("it must begin with http:// or https://; type `--public-url https://{text}`")));
        };
        let scheme = Scheme::parse(scheme).ok_or_else(|| bad("it must begin with http:// or https://"))?;
        if let Some(at) = rest.find(['?', '#']) {
            let shorter = format!("{}://{}", scheme.as_str(), &rest[..at]);
            return Err(bad(&format!("it may not have a query or fragment; type `--public-url {shorter}`")));
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let authority: Authority = authority.parse().map_err(|error| bad(&say(error)))?;
        let prefix = path.trim_end_matches('/');
        if !is_prefix(prefix) {
            return Err(bad("its path may only have letters, digits and - . _ ~ between single slashes, like /ask"));
        }
        let port = authority.port_or(scheme.default_port());
        Ok(Self { scheme, host: authority.host, port, prefix: prefix.to_owned() })
    }
}

impl fmt::Display for PublicUrl {
    /// The URL without a slash at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.prefix)
    }
}

fn say(error: BadAuthority) -> String {
    match error {
        BadAuthority::UserInfo => "it may not have a user name or password: everybody sees it".to_owned(),
        BadAuthority::Unspecified => {
            "nobody can reach that address; use the name or address that browsers use".to_owned()
        }
        BadAuthority::Host => {
            "its host is neither a name nor an address; write a name with other letters in its xn-- form".to_owned()
        }
        other => other.to_string(),
    }
}

/// The characters that mean the same in a route, a cookie's `Path` and a link without any escaping.
fn is_prefix(prefix: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_segment = |segment: &str| !matches!(segment, "" | "." | "..") && segment.bytes().all(is_plain);
    prefix.is_empty() || prefix.strip_prefix('/').is_some_and(|path| path.split('/').all(is_segment))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_public_url_is_kept_in_one_form() {
        for (text, whole, origin, prefix) in [
            ("https://ask.example", "https://ask.example", "https://ask.example", ""),
            ("HTTPS://Ask.Example:443/", "https://ask.example", "https://ask.example", ""),
            ("http://ask.example:7440/ask/", "http://ask.example:7440/ask", "http://ask.example:7440", "/ask"),
            ("http://[::1]:80/a/b//", "http://[::1]/a/b", "http://[::1]", "/a/b"),
        ] {
            let url: PublicUrl = text.parse().unwrap();
            assert_eq!((url.to_string().as_str(), url.origin().as_str(), url.prefix()), (whole, origin, prefix));
        }
        let url: PublicUrl = "https://ask.example/ask".parse().unwrap();
        assert_eq!(url.join("/sign-in"), "https://ask.example/ask/sign-in");
        assert!(url.is_https());
    }

    #[test]
    fn a_public_url_that_cannot_be_used_says_what_to_type() {
        for (text, words) in [
            ("ask.example", "type `--public-url https://ask.example`"),
            ("ftp://ask.example", "http:// or https://"),
            ("https://ask.example/ask?x=1", "type `--public-url https://ask.example/ask`"),
            ("https://ask.example#top", "type `--public-url https://ask.example`"),
            ("https://me:pw@ask.example", "user name"),
            ("https://0.0.0.0:7440", "nobody can reach"),
            ("https://bücher.example", "xn--"),
            ("https://", "names no host"),
            ("https://ask.example:0", "port"),
            ("https://ask.example/a//b", "single slashes"),
            ("https://ask.example/../b", "single slashes"),
            ("https://ask.example/a%2fb", "letters, digits"),
            ("https://ask.example/a b", "letters, digits"),
            ("https://ask.example\\@evil.example", "user name"),
        ] {
            let error = text.parse::<PublicUrl>().unwrap_err().to_string();
            assert!(error.contains(words) && error.contains(text), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_what_is_read_can_be_read_again(text in "(https?://)?[\\PC]{0,40}") {
            if let Ok(url) = text.parse::<PublicUrl>() {
                prop_assert_eq!(url.to_string().parse(), Ok(url));
            }
        }
    }
}
