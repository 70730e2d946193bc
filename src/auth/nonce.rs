//! The nonce in a plain HTML form: proof that the form was drawn for the session that sends it.
//!
//! Invariant: it can be made and checked only by who has the session's secret; neither the database nor a log has it,
//! so no node needs a key of its own. Used by `auth` for `http`.

use std::fmt;

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use rand::RngExt as _;
use subtle::ConstantTimeEq as _;

use super::secret::Secret;
use crate::domain::Digest;

/// What makes the nonces of one session.
#[derive(Clone)]
pub(super) struct FormKey([u8; 32]);

const SALT_BYTES: usize = 16;
const MARK_BYTES: usize = 32;
const LABEL: &[u8] = b"askhub form key\0";

impl FormKey {
    /// The key of the session with that secret. The label keeps it apart from the secret's stored hash.
    pub(super) fn of(secret: &Secret) -> Self {
        Self(Digest::of(&[LABEL, secret.expose().as_bytes()].concat()).0)
    }

    /// A nonce, different each time: a constant one beside text of a stranger could be guessed letter by letter from
    /// the length of compressed pages (BREACH).
    pub(super) fn nonce(&self) -> String {
        let salt: [u8; SALT_BYTES] = rand::rng().random();
        BASE64_URL_SAFE_NO_PAD.encode([&salt[..], &self.mark(salt)].concat())
    }

    /// Whether this key made the nonce.
    pub(super) fn made(&self, nonce: &str) -> bool {
        let mut bytes = [0; SALT_BYTES + MARK_BYTES];
        let Ok(length) = BASE64_URL_SAFE_NO_PAD.decode_slice(nonce, &mut bytes) else { return false };
        let Some((salt, mark)) = bytes.split_first_chunk::<SALT_BYTES>() else { return false };
        length == bytes.len() && self.mark(*salt)[..].ct_eq(mark).into()
    }

    /// A keyed hash. HMAC's second pass guards against longer messages with the same beginning; here key and salt
    /// have a fixed length, no longer message is ever read, and so plain SHA-256 over both is as good.
    fn mark(&self, salt: [u8; SALT_BYTES]) -> [u8; MARK_BYTES] {
        Digest::of(&[&self.0[..], &salt].concat()).0
    }
}

impl fmt::Debug for FormKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FormKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::auth::SecretKind;

    fn key() -> FormKey {
        FormKey::of(&Secret::generate(SecretKind::Session))
    }

    #[test]
    fn a_nonce_is_good_for_its_session_and_no_other() {
        let key = key();
        let (one, two) = (key.nonce(), key.nonce());
        assert_ne!(one, two);
        assert!(key.made(&one) && key.made(&two));
        assert!(!self::key().made(&one));
    }

    #[test]
    fn a_changed_nonce_is_not_good() {
        let key = key();
        let nonce = key.nonce();
        for place in 0..nonce.len() {
            let mut changed = nonce.clone().into_bytes();
            changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
            assert!(!key.made(std::str::from_utf8(&changed).unwrap()), "character {place}");
        }
        assert!(!key.made("") && !key.made(&nonce[1..]) && !key.made(&format!("{nonce}A")));
    }

    proptest! {
        #[test]
        fn no_text_that_was_not_made_here_is_good(text in "\\PC{0,80}|[A-Za-z0-9_-]{63,65}") {
            prop_assert!(!key().made(&text));
        }
    }
}
