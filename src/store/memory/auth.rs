//! People, tokens, sessions and sign-in codes in memory.

use super::MemoryStore;
use crate::domain::Timestamp;
use crate::domain::limits::SESSION_LIFE_MAX;
use crate::store::{AuthStore, Cause, Person, Reply, Session, SignInCode, StoreError, Token};

#[derive(Default)]
pub(super) struct State {
    people: Vec<Person>,
    tokens: Vec<Token>,
    sessions: Vec<Session>,
    codes: Vec<SignInCode>,
}

impl State {
    fn person(&self, id: &str) -> Option<Person> {
        self.people.iter().find(|person| person.id == id).cloned()
    }
}

impl MemoryStore {
    fn auth<'a, T: Send>(&'a self, make: impl FnOnce(&mut State) -> T + Send + 'a) -> Reply<'a, T> {
        self.reply(move |state| make(&mut state.auth))
    }
}

impl AuthStore for MemoryStore {
    fn add_person<'a>(&'a self, person: &'a Person) -> Reply<'a, bool> {
        self.auth(move |state| {
            let is_free = state.people.iter().all(|known| known.name != person.name);
            if is_free {
                state.people.push(person.clone());
            }
            is_free
        })
    }

    fn people(&self) -> Reply<'_, Vec<Person>> {
        self.auth(|state| {
            let mut people = state.people.clone();
            people.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
            people
        })
    }

    fn person_named<'a>(&'a self, name: &'a str) -> Reply<'a, Option<Person>> {
        self.auth(move |state| state.people.iter().find(|person| person.name == name).cloned())
    }

    fn add_token<'a>(&'a self, token: &'a Token) -> Reply<'a, ()> {
        Box::pin(async move {
            let tokens = &mut self.state().auth.tokens;
            if tokens.iter().any(|known| known.id == token.id || known.hash == token.hash) {
                return Err(StoreError::Unavailable(Cause::new("a token of that id or secret exists")));
            }
            tokens.push(token.clone());
            Ok(())
        })
    }

    fn tokens(&self) -> Reply<'_, Vec<Token>> {
        self.auth(|state| {
            let mut tokens = state.tokens.clone();
            tokens.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
            tokens
        })
    }

    fn token_by_hash<'a>(&'a self, hash: &'a str) -> Reply<'a, Option<(Token, Option<Person>)>> {
        self.auth(move |state| {
            let token = state.tokens.iter().find(|token| token.hash == hash && token.revoked_at.is_none())?;
            let person = token.person.as_ref().and_then(|person| state.person(person));
            Some((token.clone(), person))
        })
    }

    fn revoke_token<'a>(&'a self, id: &'a str, at: Timestamp) -> Reply<'a, bool> {
        self.auth(move |state| {
            let token = state.tokens.iter_mut().find(|token| token.id == id && token.revoked_at.is_none());
            token.map(|token| token.revoked_at = Some(at)).is_some()
        })
    }

    fn add_session<'a>(&'a self, session: &'a Session) -> Reply<'a, ()> {
        let now = self.clock.now().as_millis();
        let life = i64::try_from(SESSION_LIFE_MAX.as_millis()).unwrap_or(i64::MAX);
        self.auth(move |state| {
            state.sessions.retain(|known| known.created_at.as_millis() > now - life && known.hash != session.hash);
            state.sessions.push(session.clone());
        })
    }

    fn session_by_hash<'a>(&'a self, hash: &'a str) -> Reply<'a, Option<(Session, Person)>> {
        self.auth(move |state| {
            let session = state.sessions.iter().find(|session| session.hash == hash)?;
            Some((session.clone(), state.person(&session.person)?))
        })
    }

    fn touch_session<'a>(&'a self, hash: &'a str, at: Timestamp) -> Reply<'a, ()> {
        self.auth(move |state| {
            for session in state.sessions.iter_mut().filter(|session| session.hash == hash) {
                session.used_at = at;
            }
        })
    }

    fn remove_session<'a>(&'a self, hash: &'a str) -> Reply<'a, bool> {
        self.auth(move |state| {
            let before = state.sessions.len();
            state.sessions.retain(|session| session.hash != hash);
            state.sessions.len() < before
        })
    }

    fn has_session<'a>(&'a self, person: &'a str, since: Timestamp) -> Reply<'a, bool> {
        self.auth(move |state| {
            state.sessions.iter().any(|session| session.person == person && session.used_at >= since)
        })
    }

    fn add_sign_in_code<'a>(&'a self, code: &'a SignInCode) -> Reply<'a, ()> {
        let now = self.clock.now();
        self.auth(move |state| {
            state.codes.retain(|known| known.expires_at > now && known.hash != code.hash);
            state.codes.push(code.clone());
        })
    }

    fn peek_sign_in_code<'a>(&'a self, hash: &'a str, now: Timestamp) -> Reply<'a, Option<Person>> {
        self.auth(move |state| {
            let code = state.codes.iter().find(|code| code.hash == hash && code.expires_at > now)?;
            state.person(&code.person)
        })
    }

    fn use_sign_in_code<'a>(&'a self, hash: &'a str, now: Timestamp) -> Reply<'a, Option<Person>> {
        self.auth(move |state| {
            let place = state.codes.iter().position(|code| code.hash == hash && code.expires_at > now)?;
            let code = state.codes.swap_remove(place);
            state.person(&code.person)
        })
    }
}
