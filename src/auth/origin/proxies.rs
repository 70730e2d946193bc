//! Which peers are our own proxies, and what may be believed of the headers that they set.
//!
//! Invariant: a forwarded header counts only if the peer of the connection is a trusted proxy, and then only what that
//! proxy itself wrote: the last value. Used by `http`, for every request; pure.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use super::public_url::{BadSetting, Scheme};

/// The networks of `--trusted-proxy`.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Vec<Network>);

/// All values of a request's forwarded headers, in the order in which they came. `Forwarded` itself is never read: a
/// proxy that sets the `X-` ones passes a client's `Forwarded` on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forwarded<'a> {
    /// `X-Forwarded-For`.
    pub client: &'a [&'a str],
    /// `X-Forwarded-Proto`.
    pub scheme: &'a [&'a str],
    /// `X-Forwarded-Host`.
    pub host: &'a [&'a str],
}

/// Where a request really came from, as far as can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen<'a> {
    /// How the client sent it: `http`, unless a trusted proxy says otherwise.
    pub scheme: Scheme,
    /// Who sent it: the peer, or the last address before our own proxies.
    pub client_ip: IpAddr,
    /// The host that the client asked for, if a trusted proxy says so; it stands for the `Host` header.
    pub host: Option<&'a str>,
}

/// All addresses that begin with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    base: IpAddr,
    bits: u32,
}

impl TrustedProxies {
    /// Reads networks like `10.0.0.0/8` and `fd00::/8`, and single addresses.
    ///
    /// # Errors
    /// The first that cannot be read, with what to type.
    pub fn parse<T: AsRef<str>>(networks: &[T]) -> Result<Self, BadSetting> {
        networks.iter().map(|text| text.as_ref().parse()).collect::<Result<_, _>>().map(Self)
    }

    /// Whether the address is one of our proxies.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// What is true of a request from `peer`.
    pub fn see<'a>(&self, peer: IpAddr, forwarded: &Forwarded<'a>) -> Seen<'a> {
        // A socket that listens on [::] shows IPv4 peers as ::ffff:a.b.c.d.
        let peer = peer.to_canonical();
        if !self.contains(peer) {
            return Seen { scheme: Scheme::Http, client_ip: peer, host: None };
        }
        Seen {
            scheme: last(forwarded.scheme).and_then(Scheme::parse).unwrap_or(Scheme::Http),
            client_ip: self.client(peer, forwarded.client),
            host: last(forwarded.host),
        }
    }

    /// Each proxy adds its peer at the end, so the client is the last address that is not one of ours. What stands
    /// before it was written by the client and may be anything.
    fn client(&self, peer: IpAddr, values: &[&str]) -> IpAddr {
        let mut client = peer;
        for entry in values.iter().rev().flat_map(|value| value.rsplit(',')) {
            let Some(address) = parse_entry(entry.trim()) else { break };
            client = address;
            if !self.contains(client) {
                break;
            }
        }
        client
    }
}

impl Network {
    fn contains(&self, address: IpAddr) -> bool {
        match (self.base, address.to_canonical()) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                mask(u128::from(base.to_bits()) << 96, self.bits)
                    == mask(u128::from(address.to_bits()) << 96, self.bits)
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                mask(base.to_bits(), self.bits) == mask(address.to_bits(), self.bits)
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |why: &str| BadSetting(format!("`--trusted-proxy {text}`: {why}"));
        let usage = "it must be an address or a network, like `--trusted-proxy 10.0.0.0/8`";
        let (base, bits) = text.split_once('/').map_or((text, None), |(base, bits)| (base, Some(bits)));
        let base: IpAddr = base.parse().map_err(|_| bad(usage))?;
        if base != base.to_canonical() {
            return Err(bad(&format!("write it as IPv4: `--trusted-proxy {}`", base.to_canonical())));
        }
        let bits_max = if base.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => bits_max,
            Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok().filter(|bits| *bits <= bits_max).ok_or_else(|| bad(usage))?
            }
            Some(_) => return Err(bad(usage)),
        };
        let first = first_of(base, bits);
        if first != base {
            // One of the two numbers is a slip, and the wider reading would trust strangers.
            let (one, all) = (format!("--trusted-proxy {base}"), format!("--trusted-proxy {first}/{bits}"));
            return Err(bad(&format!("is it one machine or a network? Type `{one}` or `{all}`")));
        }
        Ok(Self { base, bits })
    }
}

/// The first `bits` bits of 128, the rest zero.
fn mask(value: u128, bits: u32) -> u128 {
    value & u128::MAX.checked_shl(128 - bits).unwrap_or(0)
}

fn first_of(base: IpAddr, bits: u32) -> IpAddr {
    match base {
        IpAddr::V4(base) => {
            let kept = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            IpAddr::V4((base.to_bits() & kept).into())
        }
        IpAddr::V6(base) => IpAddr::V6(mask(base.to_bits(), bits).into()),
    }
}

/// The last value of a header that may be a list and may come more than once.
fn last<'a>(values: &[&'a str]) -> Option<&'a str> {
    values.last().and_then(|value| value.rsplit(',').next()).map(str::trim).filter(|value| !value.is_empty())
}

/// An address as proxies write it: bare, in brackets, or with a port.
fn parse_entry(entry: &str) -> Option<IpAddr> {
    let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    let address = bare.parse().or_else(|_| entry.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_contains_its_addresses_and_no_others() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("10.0.0.0/8", "::ffff:10.1.2.3", "::10.1.2.3"),
            ("127.0.0.1", "127.0.0.1", "127.0.0.2"),
            ("192.168.4.0/22", "192.168.7.255", "192.168.8.0"),
            ("0.0.0.0/0", "8.8.8.8", "2001:db8::1"),
            ("::1", "::1", "127.0.0.1"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"),
            ("::/0", "2001:db8::1", "10.0.0.1"),
            ("10.0.0.1/32", "10.0.0.1", "10.0.0.0"),
        ] {
            let proxies = TrustedProxies::parse(&[network]).unwrap();
            assert!(proxies.contains(ip(inside)), "{inside} is in {network}");
            assert!(!proxies.contains(ip(outside)), "{outside} is not in {network}");
        }
        assert!(!TrustedProxies::default().contains(ip("127.0.0.1")));
    }

    #[test]
    fn a_network_that_cannot_be_used_says_what_to_type() {
        for (text, words) in [
            ("proxy", "10.0.0.0/8"),
            ("", "10.0.0.0/8"),
            ("10.0.0.0/33", "10.0.0.0/8"),
            ("10.0.0.0/", "10.0.0.0/8"),
            ("10.0.0.0/+8", "10.0.0.0/8"),
            ("10.0.0.0/8/8", "10.0.0.0/8"),
            ("::1/129", "10.0.0.0/8"),
            ("10.1.2.3/8", "`--trusted-proxy 10.1.2.3` or `--trusted-proxy 10.0.0.0/8`"),
            ("fd00::1/8", "`--trusted-proxy fd00::/8`"),
            ("::ffff:10.0.0.1", "`--trusted-proxy 10.0.0.1`"),
        ] {
            let error = TrustedProxies::parse(&[text]).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn forwarded_headers_of_a_stranger_count_for_nothing() {
        let proxies = TrustedProxies::parse(&["10.0.0.1"]).unwrap();
        let forwarded = Forwarded { client: &["127.0.0.1"], scheme: &["https"], host: &["localhost"] };
        let seen = proxies.see(ip("10.0.0.2"), &forwarded);
        assert_eq!(seen, Seen { scheme: Scheme::Http, client_ip: ip("10.0.0.2"), host: None });
    }

    #[test]
    fn a_trusted_proxy_is_believed_and_what_the_client_wrote_before_is_not() {
        let proxies = TrustedProxies::parse(&["10.0.0.0/8", "::1"]).unwrap();
        let forwarded = Forwarded {
            client: &["127.0.0.1, 1.1.1.1", "203.0.113.9, 10.0.0.7"],
            scheme: &["http, HTTPS"],
            host: &["evil.example", " ask.example "],
        };
        let seen = proxies.see(ip("::ffff:10.0.0.1"), &forwarded);
        assert_eq!(seen, Seen { scheme: Scheme::Https, client_ip: ip("203.0.113.9"), host: Some("ask.example") });
    }

    #[test]
    fn the_client_is_the_last_address_that_can_be_believed() {
        let proxies = TrustedProxies::parse(&["10.0.0.0/8"]).unwrap();
        for (client, expected) in [
            (&[][..], "10.0.0.1"),
            (&["nonsense"], "10.0.0.1"),
            (&["1.2.3.4, nonsense, 10.0.0.5"], "10.0.0.5"),
            (&["1.2.3.4:5678"], "1.2.3.4"),
            (&["[2001:db8::7]"], "2001:db8::7"),
            (&["[2001:db8::7]:99"], "2001:db8::7"),
            (&["10.0.0.3"], "10.0.0.3"),
            (&["::ffff:1.2.3.4"], "1.2.3.4"),
        ] {
            let seen = proxies.see(ip("10.0.0.1"), &Forwarded { client, ..Forwarded::default() });
            assert_eq!(seen.client_ip, ip(expected), "{client:?}");
            assert_eq!((seen.scheme, seen.host), (Scheme::Http, None));
        }
    }

    proptest! {
        #[test]
        fn no_setting_and_no_header_makes_a_parser_panic(
            text in "\\PC{0,20}|[0-9a-f:./]{0,20}",
            value in "\\PC{0,30}|[0-9a-f:.,\\[\\] ]{0,30}",
        ) {
            let _ = TrustedProxies::parse(&[&text]);
            let values = [value.as_str(), text.as_str()];
            let forwarded = Forwarded { client: &values, scheme: &values, host: &values };
            TrustedProxies::parse(&["0.0.0.0/0"]).unwrap().see(ip("10.0.0.1"), &forwarded);
        }
    }
}
