//! The secrets that prove who is asking, and how they are kept: not at all, only their SHA-256.
//!
//! Invariant: the text of a secret leaves this module through [`Secret::expose`] alone, so a search for that word finds
//! every place where one is written. Made by `auth`; read from files, headers and cookies by `server` and `http`.

use std::fmt;

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use rand::RngExt as _;

use crate::domain::Digest;

/// A token, a session's cookie value or a sign-in code: 256 random bits in base64url after a prefix.
///
/// A slow hash protects guessable secrets; nobody guesses one of 2^256, so SHA-256 is enough to keep, and cheap enough
/// to compute for each request. Secrets are found *by* that hash: whatever time the search takes depends on hash bytes
/// that an attacker cannot steer, so no comparison of secrets takes longer the more of one is right.
#[derive(Clone)]
pub struct Secret(String);

/// What a secret is for. One kind never passes for another: they differ in prefix and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKind {
    /// Sent as `Authorization: Bearer`.
    Token,
    /// The value of a session's cookie.
    Session,
    /// Part of a sign-in link.
    SignInCode,
}

/// Random bytes in a secret.
const RANDOM_BYTES: usize = 32;

impl SecretKind {
    /// How a secret of the kind begins: something that scanners for leaked secrets, and log redaction, can look for.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Token => "askhub_",
            Self::Session => "askhub_session_",
            Self::SignInCode => "askhub_code_",
        }
    }
}

impl Secret {
    /// A fresh secret.
    pub(super) fn generate(kind: SecretKind) -> Self {
        // `rand::rng` is a cryptographic generator, seeded by the operating system.
        let random: [u8; RANDOM_BYTES] = rand::rng().random();
        Self(format!("{}{}", kind.prefix(), BASE64_URL_SAFE_NO_PAD.encode(random)))
    }

    /// The secret that a text is, if it has the form of one of that kind.
    ///
    /// What has another form was not made here: it is refused without asking the store, and a file that holds
    /// something guessable is never taken for a token.
    pub fn parse(kind: SecretKind, text: &str) -> Option<Self> {
        let mut random = [0; RANDOM_BYTES];
        let length = BASE64_URL_SAFE_NO_PAD.decode_slice(text.strip_prefix(kind.prefix())?, &mut random).ok()?;
        (length == RANDOM_BYTES).then(|| Self(text.to_owned()))
    }

    /// The text itself: for a header, a cookie, a link or a file that only its owner can read, and for nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What is stored instead of it.
    pub(super) fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KINDS: [SecretKind; 3] = [SecretKind::Token, SecretKind::Session, SecretKind::SignInCode];

    #[test]
    fn a_secret_does_not_show_what_it_is() {
        let secret = Secret::generate(SecretKind::Token);
        assert_eq!(format!("{secret:?} {:#?}", Some(&secret)), "Secret(…) Some(\n    Secret(…),\n)");
        assert!(secret.expose().starts_with("askhub_") && secret.expose().len() == 50);
    }

    #[test]
    fn a_secret_is_read_back_as_its_own_kind_only() {
        for made in KINDS {
            let secret = Secret::generate(made);
            for kind in KINDS {
                let read = Secret::parse(kind, secret.expose()).map(|read| read.digest());
                assert_eq!(read, (kind == made).then(|| secret.digest()));
            }
        }
    }

    #[test]
    fn what_is_not_256_bits_is_no_secret() {
        let secret = Secret::generate(SecretKind::Token).expose().to_owned();
        let short = &secret[..secret.len() - 1];
        for text in ["", "askhub_", "askhub_hunter2", short, &format!("{secret}A"), &format!("{secret} "), &secret[7..]]
        {
            assert!(Secret::parse(SecretKind::Token, text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn no_two_secrets_are_the_same() {
        let digests: std::collections::HashSet<_> =
            (0..1000).map(|_| Secret::generate(SecretKind::Session).digest()).collect();
        assert_eq!(digests.len(), 1000);
    }

    proptest! {
        #[test]
        fn any_text_is_a_secret_or_not(text in "\\PC{0,80}|askhub_[A-Za-z0-9_-]{42,44}") {
            for kind in KINDS {
                if let Some(secret) = Secret::parse(kind, &text) {
                    prop_assert_eq!(secret.expose(), text.as_str());
                }
            }
        }
    }
}
