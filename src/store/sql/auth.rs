//! People, tokens, sessions and sign-in codes in a database: single statements, each a transaction of its own.

use super::{
    ADD_PERSON, ADD_SESSION, ADD_SIGN_IN_CODE, ADD_TOKEN, Backend, FORGET_SESSIONS, FORGET_SIGN_IN_CODES, HAS_SESSION,
    PEEK_SIGN_IN_CODE, PEOPLE, PERSON, PERSON_NAMED, REMOVE_SESSION, REVOKE_TOKEN, Row, SESSION_BY_HASH, SqlStore,
    Statement, TOKEN_BY_HASH, TOKENS, TOUCH_SESSION, USE_SIGN_IN_CODE,
};
use crate::domain::Timestamp;
use crate::domain::limits::SESSION_LIFE_MAX;
use crate::store::{AuthStore, Person, Reply, Session, SignInCode, StoreError, Token};

impl<B: Backend> SqlStore<B> {
    async fn first(&self, make: impl Fn() -> Statement + Send + Sync) -> Result<Option<Row>, StoreError> {
        Ok(self.read(make).await?.into_iter().next())
    }
}

impl<B: Backend> AuthStore for SqlStore<B> {
    fn add_person<'a>(&'a self, person: &'a Person) -> Reply<'a, bool> {
        Box::pin(async move {
            let statement = Statement::new(ADD_PERSON)
                .bind(person.id.as_str())
                .bind(person.name.as_str())
                .bind(person.is_admin)
                .bind(person.space.as_str())
                .bind(person.created_at);
            Ok(!self.write_rows(statement).await?.is_empty())
        })
    }

    fn people(&self) -> Reply<'_, Vec<Person>> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(PEOPLE)).await?;
            rows.into_iter().map(|mut row| row.person()).collect()
        })
    }

    fn person_named<'a>(&'a self, name: &'a str) -> Reply<'a, Option<Person>> {
        Box::pin(async move {
            // Postgres refuses a text with NUL, and no stored one has it.
            if name.contains('\0') {
                return Ok(None);
            }
            let row = self.first(|| Statement::new(PERSON_NAMED).bind(name)).await?;
            row.map(|mut row| row.person()).transpose()
        })
    }

    fn add_token<'a>(&'a self, token: &'a Token) -> Reply<'a, ()> {
        Box::pin(async move {
            let statement = Statement::new(ADD_TOKEN)
                .bind(token.id.as_str())
                .bind(token.name.as_str())
                .bind(token.hash.as_str())
                .bind(&token.person)
                .bind(token.space.as_str())
                .bind(token.created_at)
                .bind(token.revoked_at);
            self.execute(statement).await?;
            Ok(())
        })
    }

    fn tokens(&self) -> Reply<'_, Vec<Token>> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(TOKENS)).await?;
            rows.into_iter().map(|mut row| row.token()).collect()
        })
    }

    fn token_by_hash<'a>(&'a self, hash: &'a str) -> Reply<'a, Option<(Token, Option<Person>)>> {
        Box::pin(async move {
            let row = self.first(|| Statement::new(TOKEN_BY_HASH).bind(hash)).await?;
            row.map(|mut row| Ok((row.token()?, row.person_or_null()?))).transpose()
        })
    }

    fn revoke_token<'a>(&'a self, id: &'a str, at: Timestamp) -> Reply<'a, bool> {
        Box::pin(async move {
            let rows = self.write_rows(Statement::new(REVOKE_TOKEN).bind(id).bind(at)).await?;
            Ok(!rows.is_empty())
        })
    }

    fn add_session<'a>(&'a self, session: &'a Session) -> Reply<'a, ()> {
        Box::pin(async move {
            let life = i64::try_from(SESSION_LIFE_MAX.as_millis()).unwrap_or(i64::MAX);
            self.execute(Statement::new(FORGET_SESSIONS).bind(self.time_base()).bind(life)).await?;
            let statement = Statement::new(ADD_SESSION)
                .bind(session.hash.as_str())
                .bind(session.person.as_str())
                .bind(session.created_at)
                .bind(session.used_at);
            self.execute(statement).await?;
            Ok(())
        })
    }

    fn session_by_hash<'a>(&'a self, hash: &'a str) -> Reply<'a, Option<(Session, Person)>> {
        Box::pin(async move {
            let row = self.first(|| Statement::new(SESSION_BY_HASH).bind(hash)).await?;
            row.map(|mut row| Ok((row.session()?, row.person()?))).transpose()
        })
    }

    fn touch_session<'a>(&'a self, hash: &'a str, at: Timestamp) -> Reply<'a, ()> {
        Box::pin(async move {
            self.execute(Statement::new(TOUCH_SESSION).bind(hash).bind(at)).await?;
            Ok(())
        })
    }

    fn remove_session<'a>(&'a self, hash: &'a str) -> Reply<'a, bool> {
        Box::pin(async move {
            let rows = self.write_rows(Statement::new(REMOVE_SESSION).bind(hash)).await?;
            Ok(!rows.is_empty())
        })
    }

    fn has_session<'a>(&'a self, person: &'a str, since: Timestamp) -> Reply<'a, bool> {
        Box::pin(async move {
            let row = self.first(|| Statement::new(HAS_SESSION).bind(person).bind(since)).await?;
            Ok(row.is_some())
        })
    }

    fn add_sign_in_code<'a>(&'a self, code: &'a SignInCode) -> Reply<'a, ()> {
        Box::pin(async move {
            self.execute(Statement::new(FORGET_SIGN_IN_CODES).bind(self.time_base())).await?;
            let statement = Statement::new(ADD_SIGN_IN_CODE)
                .bind(code.hash.as_str())
                .bind(code.person.as_str())
                .bind(code.expires_at);
            self.execute(statement).await?;
            Ok(())
        })
    }

    fn peek_sign_in_code<'a>(&'a self, hash: &'a str, now: Timestamp) -> Reply<'a, Option<Person>> {
        Box::pin(async move {
            let row = self.first(|| Statement::new(PEEK_SIGN_IN_CODE).bind(hash).bind(now)).await?;
            row.map(|mut row| row.person()).transpose()
        })
    }

    fn use_sign_in_code<'a>(&'a self, hash: &'a str, now: Timestamp) -> Reply<'a, Option<Person>> {
        Box::pin(async move {
            let used = self.write_rows(Statement::new(USE_SIGN_IN_CODE).bind(hash).bind(now)).await?;
            let Some(mut row) = used.into_iter().next() else { return Ok(None) };
            let id = row.text()?;
            let row = self.first(|| Statement::new(PERSON).bind(id.as_str())).await?;
            row.map(|mut row| row.person()).transpose()
        })
    }
}
