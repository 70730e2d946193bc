//! Who is asking: tokens, people, sessions and sign-in links.
//!
//! Invariant: the only writer of [`AuthStore`]. Every way in goes through [`Auth::authenticate_bearer`] or
//! [`Auth::authenticate_session`], and what they return is the only proof of a [`Principal`] there is; what a principal
//! may do is decided in `domain`. Revoking a token or signing out holds at once on this node and within
//! [`AUTH_CACHE_LIFE`] on every other. Used by `server`, `http` and `mcp`.
//!
//! [`origin`] is the other half of the door: which hosts and pages a request may come through.

mod cache;
mod nonce;
pub mod origin;
mod people;
mod secret;
mod seen;
mod sign_in;
mod tokens;

use std::fmt;
use std::sync::Arc;

pub use people::{BadName, NameError};
pub use secret::{Secret, SecretKind};
pub use seen::{RefusedToken, SeenToken};
pub use tokens::TokenFor;

pub use crate::store::{Person, Token};

use cache::{Cache, Known, Look};
use nonce::FormKey;
use seen::SeenTokens;

use crate::clock::Clock;
use crate::domain::limits::AUTH_CACHE_LIFE;
use crate::domain::{Digest, Principal, PrincipalKind, Timestamp};
use crate::store::{AuthStore, StoreError};

/// The one who knows who is asking. Clones are cheap and share everything.
#[derive(Clone)]
pub struct Auth {
    store: Arc<dyn AuthStore>,
    clock: Arc<dyn Clock>,
    cache: Arc<Cache>,
    seen: Arc<SeenTokens>,
}

/// A principal, proven, and how.
#[derive(Debug, Clone)]
pub struct Identity {
    /// Who it is.
    pub principal: Principal,
    credential: Digest,
    /// A session's; a token sends no forms.
    form_key: Option<FormKey>,
}

/// How an identity was proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By a bearer token: nothing that a browser would send by itself.
    Bearer,
    /// By a session's cookie, which a browser also sends when another site's page asks it to: see [`origin`].
    Session,
}

impl Identity {
    /// How it was proven.
    pub fn how(&self) -> How {
        if self.form_key.is_some() { How::Session } else { How::Bearer }
    }

    /// Names the token or session, to count by; it is no secret.
    pub fn credential(&self) -> Digest {
        self.credential
    }

    /// A fresh nonce for a form that this session will send; none for a token.
    pub fn form_nonce(&self) -> Option<String> {
        self.form_key.as_ref().map(FormKey::nonce)
    }

    /// Whether the nonce of a form was made for this session.
    pub fn check_form_nonce(&self, nonce: &str) -> bool {
        self.form_key.as_ref().is_some_and(|key| key.made(nonce))
    }
}

/// The token in the value of an `Authorization` header, if it is a bearer's.
pub fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start())
}

impl Auth {
    /// Knows whom the store knows.
    pub fn new(store: Arc<dyn AuthStore>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, cache: Arc::new(Cache::new()), seen: Arc::default() }
    }

    /// Whose bearer token this is; nobody's if it is unknown, revoked or no token at all.
    ///
    /// # Errors
    /// The store cannot say.
    pub async fn authenticate_bearer(&self, token: &str) -> Result<Option<Identity>, StoreError> {
        let Some(secret) = Secret::parse(SecretKind::Token, token) else { return Ok(None) };
        let credential = secret.digest();
        let known = self.look_up(How::Bearer, credential).await?;
        Ok(known.map(|known| Identity { principal: known.principal.clone(), credential, form_key: None }))
    }

    /// As [`Auth::authenticate_bearer`] for a request: notes who came, or that somebody was refused.
    ///
    /// # Errors
    /// The store cannot say.
    pub async fn admit_bearer(&self, token: &str, user_agent: &str) -> Result<Option<Identity>, StoreError> {
        let identity = self.authenticate_bearer(token).await?;
        match &identity {
            Some(identity) => self.seen.note(&identity.principal.id, self.now(), user_agent),
            None => self.seen.note_refusal(self.now(), user_agent),
        }
        Ok(identity)
    }

    /// Who came with a token to this node since it started, and who was refused: the latest first.
    pub fn seen_tokens(&self) -> (Vec<SeenToken>, Vec<RefusedToken>) {
        self.seen.all()
    }

    /// Whose session has this cookie; nobody's if it is unknown, over or signed out. Notes that it is used.
    ///
    /// # Errors
    /// The store cannot say.
    pub async fn authenticate_session(&self, cookie: &str) -> Result<Option<Identity>, StoreError> {
        let Some(secret) = Secret::parse(SecretKind::Session, cookie) else { return Ok(None) };
        let credential = secret.digest();
        let Some(known) = self.look_up(How::Session, credential).await? else { return Ok(None) };
        if !self.use_session(credential, &known).await {
            return Ok(None);
        }
        let form_key = Some(FormKey::of(&secret));
        Ok(Some(Identity { principal: known.principal.clone(), credential, form_key }))
    }

    /// Whether the token or session is still good, as of at most [`AUTH_CACHE_LIFE`] ago. It counts as no use of it.
    ///
    /// # Errors
    /// The store cannot say.
    pub async fn is_still_valid(&self, identity: &Identity) -> Result<bool, StoreError> {
        let Some(known) = self.look_up(identity.how(), identity.credential).await? else { return Ok(false) };
        Ok(known.session.as_ref().is_none_or(|session| !sign_in::is_over(session, self.now())))
    }

    /// Ends when the token or session is good no more: at once if it was ended here, within [`AUTH_CACHE_LIFE`] if
    /// elsewhere. For streams, which would otherwise outlive what opened them. While the store cannot say, it waits:
    /// nothing new can be read then either.
    pub async fn until_ended(&self, identity: &Identity) {
        // Subscribe before looking: an end in between is then seen by the wait.
        let mut ends = self.cache.ends();
        while !matches!(self.is_still_valid(identity).await, Ok(false)) {
            // Twice in the life of what the cache holds, so that the older half is looked up again in time.
            let again = self.now().plus_seconds(AUTH_CACHE_LIFE.as_secs() / 2);
            tokio::select! {
                _ = ends.changed() => {}
                () = self.clock.sleep_until(again) => {}
            }
        }
    }

    async fn look_up(&self, how: How, credential: Digest) -> Result<Option<Arc<Known>>, StoreError> {
        let read_at = self.now();
        let ends = match self.cache.look(credential, read_at) {
            Look::Known(known) => return Ok(Some(known)),
            Look::Ended => return Ok(None),
            Look::Miss(ends) => ends,
        };
        let found = match how {
            How::Bearer => self.read_token(credential).await?,
            How::Session => self.read_session(credential).await?,
        };
        let known = found.map(Arc::new);
        match &known {
            Some(known) => self.cache.keep(credential, Arc::clone(known), read_at, ends),
            None => self.cache.found_nobody(credential, self.now()),
        }
        Ok(known)
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Auth").finish_non_exhaustive()
    }
}

/// A person as a principal that acts in `space`.
fn principal_of(person: Person, space: String) -> Principal {
    let kind = if person.is_admin { PrincipalKind::Admin } else { PrincipalKind::Responder };
    Principal { kind, id: person.id, name: person.name, space }
}

#[cfg(test)]
mod tests;
