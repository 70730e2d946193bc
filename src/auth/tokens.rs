//! Bearer tokens: made, listed, revoked, and taken over from a machine's files.
//!
//! Invariant: a revoked token never becomes good again, whoever still has its text. Part of `auth`; files are read and
//! written by `server`.

use uuid::Uuid;

use super::cache::Known;
use super::people::{NameError, SPACE_DEFAULT, check_name};
use super::{Auth, Secret, SecretKind, principal_of};
use crate::domain::{Digest, Principal, PrincipalKind};
use crate::store::{Person, StoreError, Token};

/// Who acts by a token.
#[derive(Debug, Clone, Copy)]
pub enum TokenFor<'a> {
    /// An agent: the token itself is the asker.
    Agent,
    /// This person.
    Person(&'a Person),
}

impl Auth {
    /// Makes a token for an agent; its text is shown once, here.
    ///
    /// # Errors
    /// [`NameError`], never [`NameError::Taken`]: names of tokens need not differ.
    pub async fn create_agent_token(&self, name: &str) -> Result<(Secret, Token), NameError> {
        check_name(name)?;
        Ok(self.create_token(TokenFor::Agent, name).await?)
    }

    /// Makes a token by which a person acts; its text is shown once, here.
    ///
    /// # Errors
    /// [`NameError`], never [`NameError::Taken`].
    pub async fn create_person_token(&self, person: &Person, name: &str) -> Result<(Secret, Token), NameError> {
        check_name(name)?;
        Ok(self.create_token(TokenFor::Person(person), name).await?)
    }

    /// All tokens, oldest first, revoked ones too.
    ///
    /// # Errors
    /// The store's.
    pub async fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.store.tokens().await
    }

    /// Revokes a token; false if there is none of that id, or it is revoked already. It is good no more on this node
    /// when this returns.
    ///
    /// # Errors
    /// The store's; after [`StoreError::Unknown`] it may be revoked.
    pub async fn revoke_token(&self, id: &str) -> Result<bool, StoreError> {
        let token = self.store.tokens().await?.into_iter().find(|token| token.id == id);
        let Some(credential) = token.and_then(|token| Digest::from_hex(&token.hash)) else { return Ok(false) };
        let revoked = self.store.revoke_token(id, self.now()).await;
        match revoked {
            // Also when another node was faster: this one may not know yet.
            Ok(_) => self.cache.end(credential, self.now()),
            Err(_) => self.cache.forget(credential),
        }
        revoked
    }

    /// The token of a machine's file: the given one if it is good or this database has never seen it (a new database,
    /// a second node), else a fresh one, which the caller writes to the file.
    ///
    /// One that was revoked, or that is somebody else's, is never taken over: a restart undoes no revocation, and an
    /// owner's token in an agent's file makes no agent an owner.
    ///
    /// # Errors
    /// The store's.
    pub async fn ensure_token(
        &self,
        secret: Option<Secret>,
        whose: TokenFor<'_>,
        name: &str,
    ) -> Result<Secret, StoreError> {
        if let Some(secret) = secret {
            match self.state_of(&secret, whose).await? {
                State::Good => return Ok(secret),
                State::Unseen => {
                    self.store.add_token(&self.new_token(&secret, whose, name)).await?;
                    return Ok(secret);
                }
                State::Spoilt => {
                    tracing::warn!(name, "a token file held a token that is not good; it gets a fresh one")
                }
            }
        }
        self.create_token(whose, name).await.map(|(secret, _)| secret)
    }

    pub(super) async fn read_token(&self, credential: Digest) -> Result<Option<Known>, StoreError> {
        let found = self.store.token_by_hash(&credential.to_hex()).await?;
        Ok(found
            .and_then(|(token, person)| principal(token, person))
            .map(|principal| Known { principal, session: None }))
    }

    async fn state_of(&self, secret: &Secret, whose: TokenFor<'_>) -> Result<State, StoreError> {
        let hash = secret.digest().to_hex();
        let Some(token) = self.store.tokens().await?.into_iter().find(|token| token.hash == hash) else {
            return Ok(State::Unseen);
        };
        let is_good = token.revoked_at.is_none() && token.person == whose.person();
        Ok(if is_good { State::Good } else { State::Spoilt })
    }

    async fn create_token(&self, whose: TokenFor<'_>, name: &str) -> Result<(Secret, Token), StoreError> {
        let secret = Secret::generate(SecretKind::Token);
        let token = self.new_token(&secret, whose, name);
        self.store.add_token(&token).await?;
        Ok((secret, token))
    }

    fn new_token(&self, secret: &Secret, whose: TokenFor<'_>, name: &str) -> Token {
        let (prefix, space) = match whose {
            TokenFor::Agent => ("agent", SPACE_DEFAULT),
            TokenFor::Person(person) => ("token", person.space.as_str()),
        };
        Token {
            id: format!("{prefix}_{}", Uuid::new_v4()),
            name: name.to_owned(),
            hash: secret.digest().to_hex(),
            person: whose.person(),
            space: space.to_owned(),
            created_at: self.now(),
            revoked_at: None,
        }
    }
}

/// What a database knows of the token in a machine's file.
enum State {
    Good,
    Unseen,
    Spoilt,
}

impl TokenFor<'_> {
    fn person(self) -> Option<String> {
        match self {
            Self::Agent => None,
            Self::Person(person) => Some(person.id.clone()),
        }
    }
}

/// Who acts by a token; nobody by one of a person who is gone.
fn principal(token: Token, person: Option<Person>) -> Option<Principal> {
    match (&token.person, person) {
        (None, _) => Some(Principal { kind: PrincipalKind::Agent, id: token.id, name: token.name, space: token.space }),
        (Some(id), Some(person)) if *id == person.id => Some(principal_of(person, token.space)),
        (Some(_), _) => None,
    }
}
