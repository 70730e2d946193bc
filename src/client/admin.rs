//! The routes about people, tokens and sign-in links. All but admins are refused.

use reqwest::Method;
use serde::{Deserialize, Serialize};

use super::connection::{Client, Received, Sent};
use super::error::ClientError;
use crate::wire::{PersonForm, PersonReply, SignInLinkForm, SignInLinkReply, TokenForm, TokenReply};

/// Everybody who may answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct People {
    /// The people.
    pub users: Vec<PersonReply>,
}

/// Every token, without its secret.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tokens {
    /// The tokens, revoked ones too.
    pub tokens: Vec<TokenReply>,
}

impl Client {
    /// Adds a person; the reply has a link that signs it in.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn add_person(&self, name: &str) -> Result<Received<PersonReply>, ClientError> {
        self.post("/v1/users", &PersonForm { name: name.to_owned() }).await
    }

    /// All people.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn people(&self) -> Result<Received<People>, ClientError> {
        self.get("/v1/users").await
    }

    /// Makes a link that signs a person in, once: the one of that name, else the one who asks for it.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn sign_in_link(&self, user: Option<&str>) -> Result<Received<SignInLinkReply>, ClientError> {
        self.post("/v1/sign-in-links", &SignInLinkForm { user: user.map(str::to_owned) }).await
    }

    /// Makes an agent's token; the reply has its secret.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn add_token(&self, name: &str) -> Result<Received<TokenReply>, ClientError> {
        self.post("/v1/tokens", &TokenForm { name: name.to_owned() }).await
    }

    /// All tokens.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn tokens(&self) -> Result<Received<Tokens>, ClientError> {
        self.get("/v1/tokens").await
    }

    /// Revokes a token.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn revoke_token(&self, id: &str) -> Result<(), ClientError> {
        // What has a slash or a dot in it would be another path.
        if id.is_empty() || !id.chars().all(|character| character.is_ascii_alphanumeric() || "-_".contains(character)) {
            return Err(ClientError::Setting(format!("{id:?} is no id of a token: `askhub token list` shows them")));
        }
        self.exchange(Method::DELETE, &format!("/v1/tokens/{id}"), Sent::default()).await.map(drop)
    }
}
