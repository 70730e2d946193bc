//! Sign-in codes and the sessions that they begin.
//!
//! Invariant: a code works once and for ten minutes; looking at it (a mail scanner, a preview) uses nothing up; the
//! session that it begins has a secret of its own. Part of `auth`.

use std::time::Duration;

use super::cache::Known;
use super::{Auth, How, Identity, Secret, SecretKind, principal_of};
use crate::domain::limits::{SESSION_IDLE_MAX, SESSION_LIFE_MAX, SIGN_IN_LIFE};
use crate::domain::{Digest, Timestamp};
use crate::store::{Person, Session, SignInCode, StoreError};

/// How exactly a session's last use is kept: one write a minute, not one a request.
const TOUCH_INTERVAL: Duration = Duration::from_secs(60);

impl Auth {
    /// Makes a code that signs the person in, once, within [`SIGN_IN_LIFE`].
    ///
    /// # Errors
    /// The store's.
    pub async fn make_sign_in_code(&self, person: &Person) -> Result<Secret, StoreError> {
        let secret = Secret::generate(SecretKind::SignInCode);
        let code = SignInCode {
            hash: secret.digest().to_hex(),
            person: person.id.clone(),
            expires_at: self.now().plus_seconds(SIGN_IN_LIFE.as_secs()),
        };
        self.store.add_sign_in_code(&code).await?;
        Ok(secret)
    }

    /// Whom a code would sign in: for the page with the button. Uses nothing up.
    ///
    /// # Errors
    /// The store's.
    pub async fn peek_sign_in_code(&self, code: &str) -> Result<Option<Person>, StoreError> {
        let Some(secret) = Secret::parse(SecretKind::SignInCode, code) else { return Ok(None) };
        self.store.peek_sign_in_code(&secret.digest().to_hex(), self.now()).await
    }

    /// Uses a code up and begins a session: the value of its cookie, and whose it is. A session that the browser had
    /// before should be signed out by the caller, as it cannot be reached any more.
    ///
    /// # Errors
    /// The store's. The code may be used up then: another one must be made.
    pub async fn sign_in(&self, code: &str) -> Result<Option<(Secret, Person)>, StoreError> {
        let Some(code) = Secret::parse(SecretKind::SignInCode, code) else { return Ok(None) };
        let now = self.now();
        let Some(person) = self.store.use_sign_in_code(&code.digest().to_hex(), now).await? else { return Ok(None) };
        // Fresh, and never the code: whoever saw the link (a mail server, a browser's history) cannot be the session.
        let secret = Secret::generate(SecretKind::Session);
        let hash = secret.digest().to_hex();
        self.store.add_session(&Session { hash, person: person.id.clone(), created_at: now, used_at: now }).await?;
        Ok(Some((secret, person)))
    }

    /// Ends the session by which this was proven; false for a token, or if it had ended. It is good no more on this
    /// node when this returns.
    ///
    /// # Errors
    /// The store's.
    pub async fn sign_out(&self, identity: &Identity) -> Result<bool, StoreError> {
        match identity.how() {
            How::Session => self.end_session(identity.credential()).await,
            How::Bearer => Ok(false),
        }
    }

    /// Whether the person is signed in somewhere.
    ///
    /// # Errors
    /// The store's.
    pub async fn has_live_session(&self, person: &Person) -> Result<bool, StoreError> {
        let idle_millis = i64::try_from(SESSION_IDLE_MAX.as_millis()).unwrap_or(i64::MAX);
        // A session that was last used exactly so long ago is over: one millisecond later than that is not.
        let since = Timestamp::from_millis(self.now().as_millis().saturating_sub(idle_millis).saturating_add(1));
        self.store.has_session(&person.id, since).await
    }

    /// Notes that a session is used; false if it is over, and then it is removed.
    pub(super) async fn use_session(&self, credential: Digest, known: &Known) -> bool {
        let now = self.now();
        let Some(session) = &known.session else { return false };
        if is_over(session, now) {
            // It is over whether or not the database can be tidied.
            if let Err(error) = self.end_session(credential).await {
                tracing::warn!(error = %error, "a session that is over was not removed");
            }
            return false;
        }
        if session.used_at.until(now) >= TOUCH_INTERVAL && self.cache.claim_touch(credential, now, TOUCH_INTERVAL) {
            // A database that takes no writes should not sign everybody out.
            if let Err(error) = self.store.touch_session(&credential.to_hex(), now).await {
                tracing::warn!(error = %error, "the last use of a session was not noted");
            }
        }
        true
    }

    pub(super) async fn read_session(&self, credential: Digest) -> Result<Option<Known>, StoreError> {
        let found = self.store.session_by_hash(&credential.to_hex()).await?;
        Ok(found.map(|(session, person)| {
            let space = person.space.clone();
            Known { principal: principal_of(person, space), session: Some(session) }
        }))
    }

    async fn end_session(&self, credential: Digest) -> Result<bool, StoreError> {
        let removed = self.store.remove_session(&credential.to_hex()).await;
        match removed {
            Ok(_) => self.cache.end(credential, self.now()),
            Err(_) => self.cache.forget(credential),
        }
        removed
    }
}

/// Whether a session was idle for too long, or is too old.
pub(super) fn is_over(session: &Session, now: Timestamp) -> bool {
    session.used_at.until(now) >= SESSION_IDLE_MAX || session.created_at.until(now) >= SESSION_LIFE_MAX
}
