//! A host with or without a port, as `Host`, `Origin` and the request line spell it.
//!
//! Invariant: two spellings that a browser takes for one host are equal here, and what a browser might read in another
//! way than we do is no authority at all. Used by the checks in `auth::origin`; pure.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A host and, if it was written, a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    /// The host.
    pub host: HostName,
    /// The port, 1 to 65535.
    pub port: Option<u16>,
}

/// A host: a name in lower case, or an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostName {
    /// A name, in lower case and without a trailing dot.
    Name(String),
    /// An IPv4 or IPv6 address.
    Address(IpAddr),
}

/// Why a text names no host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadAuthority {
    /// No host.
    #[error("it names no host")]
    Empty,
    /// `name@host`.
    #[error("it has a user name before the host")]
    UserInfo,
    /// What is neither a name nor an address.
    #[error("it is neither a host name nor an address")]
    Host,
    /// `host.`: the same host for the resolver, another one for browsers.
    #[error("it ends with a dot")]
    TrailingDot,
    /// `0.0.0.0` and `[::]`: where a server listens, never where a client connects to.
    #[error("it is the unspecified address, which nothing can be reached at")]
    Unspecified,
    /// No number from 1 to 65535.
    #[error("its port is not a number from 1 to 65535")]
    Port,
}

/// Longest DNS name, in bytes.
const NAME_BYTES_MAX: usize = 253;
/// Longest part of a DNS name, in bytes.
const LABEL_BYTES_MAX: usize = 63;

impl Authority {
    /// The port that is meant where none is written: `default`.
    pub fn port_or(&self, default: u16) -> u16 {
        self.port.unwrap_or(default)
    }
}

impl HostName {
    /// Whether it can only mean the machine itself: `localhost`, an address of 127.0.0.0/8, or `[::1]`.
    ///
    /// An attacker's name may *resolve* to these (DNS rebinding), but then the browser sends that name.
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Name(name) => name == "localhost",
            Self::Address(address) => address.is_loopback(),
        }
    }
}

impl FromStr for Authority {
    type Err = BadAuthority;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains('@') {
            return Err(BadAuthority::UserInfo);
        }
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']').ok_or(BadAuthority::Host)?;
                (address_v6(address)?, port)
            }
            None => {
                let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
                (host.parse()?, port)
            }
        };
        let port = match port.strip_prefix(':') {
            Some(digits) => Some(parse_port(digits)?),
            None if port.is_empty() => None,
            None => return Err(BadAuthority::Port),
        };
        Ok(Self { host, port })
    }
}

impl FromStr for HostName {
    type Err = BadAuthority;

    /// Reads a name or an IPv4 address; IPv6 addresses stand in brackets, which [`Authority`] takes off.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err(BadAuthority::Empty);
        }
        if text.ends_with('.') {
            return Err(BadAuthority::TrailingDot);
        }
        if text.len() > NAME_BYTES_MAX || !text.split('.').all(is_label) {
            return Err(BadAuthority::Host);
        }
        if !ends_in_a_number(text) {
            return Ok(Self::Name(text.to_ascii_lowercase()));
        }
        // Browsers read `127.1`, `0x7f.0.0.1` and `2130706433` as addresses and send them in four decimal parts, the
        // only form that is read here: so nothing is a name for us and an address for somebody else.
        specified(text.parse::<Ipv4Addr>().map_err(|_| BadAuthority::Host)?.into())
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => self.host.fmt(f),
        }
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

fn address_v6(text: &str) -> Result<HostName, BadAuthority> {
    specified(text.parse::<Ipv6Addr>().map_err(|_| BadAuthority::Host)?.into())
}

fn specified(address: IpAddr) -> Result<HostName, BadAuthority> {
    if address.to_canonical().is_unspecified() {
        return Err(BadAuthority::Unspecified);
    }
    Ok(HostName::Address(address))
}

fn is_label(label: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !label.is_empty() && label.len() <= LABEL_BYTES_MAX && label.bytes().all(is_plain)
}

/// The rule of the URL standard for "this is an IPv4 address, or nothing".
fn ends_in_a_number(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or(host);
    let hexadecimal = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
    last.bytes().all(|byte| byte.is_ascii_digit())
        || hexadecimal.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn parse_port(digits: &str) -> Result<u16, BadAuthority> {
    // `u16::from_str` would also take a plus sign.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(BadAuthority::Port);
    }
    digits.parse().ok().filter(|port| *port != 0).ok_or(BadAuthority::Port)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<String, BadAuthority> {
        text.parse::<Authority>().map(|authority| authority.to_string())
    }

    #[test]
    fn one_host_has_one_spelling() {
        for (text, expected) in [
            ("ask.example", "ask.example"),
            ("ASK.Example:7440", "ask.example:7440"),
            ("LOCALHOST", "localhost"),
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("[::1]", "[::1]"),
            ("[0:0:0:0:0:0:0:1]:7440", "[::1]:7440"),
            ("[2001:DB8::1]", "[2001:db8::1]"),
            ("my_service:00080", "my_service:80"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_a_browser_may_read_differently_is_no_host() {
        use BadAuthority::{Empty, Host, Port, TrailingDot, Unspecified, UserInfo};
        for (text, expected) in [
            ("", Empty),
            (":80", Empty),
            ("user@localhost", UserInfo),
            ("localhost@evil.example", UserInfo),
            ("localhost.", TrailingDot),
            ("localhost.:7440", TrailingDot),
            ("0.0.0.0", Unspecified),
            ("0.0.0.0:7440", Unspecified),
            ("[::]", Unspecified),
            ("[::ffff:0.0.0.0]", Unspecified),
            ("127.1", Host),
            ("0x7f.0.0.1", Host),
            ("0", Host),
            ("2130706433", Host),
            ("127.000.0.1", Host),
            ("::1", Empty),
            ("a..b", Host),
            ("a b", Host),
            ("a,b", Host),
            ("a/b", Host),
            ("a%2eb", Host),
            ("höst", Host),
            ("[::1", Host),
            ("[fe80::1%25eth0]", Host),
            ("[localhost]", Host),
            ("[::1]x", Port),
            ("localhost:", Port),
            ("localhost:0", Port),
            ("localhost:65536", Port),
            ("localhost:+80", Port),
            ("localhost:80:80", Port),
            ("localhost:80x", Port),
            ("localhost: 80", Port),
        ] {
            assert_eq!(read(text), Err(expected), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_what_is_read_can_be_read_again(text in "\\PC{0,40}|[\\[\\]0-9a-fx:.@-]{0,30}") {
            if let Ok(authority) = text.parse::<Authority>() {
                prop_assert_eq!(authority.to_string().parse(), Ok(authority));
            }
        }
    }
}
