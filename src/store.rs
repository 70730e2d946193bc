//! Where calls and identities are kept: the one truth. All else holds hints.
//!
//! [`CallStore`] is written by the broker alone, [`AuthStore`] by `auth` alone. There are three stores: memory (the
//! executable specification), SQLite and Postgres (one `SqlStore`); one conformance suite runs on all of them.
//! The rules of a call are not here: every store asks [`crate::domain::decide`].

mod batch;
mod memory;
mod open;
mod postgres;
mod search;
mod sql;
mod sqlite;
mod writer;

pub use memory::MemoryStore;
#[doc(hidden)]
pub use open::statements;
pub use open::{Stores, open};

use std::fmt;

use futures_util::future::BoxFuture;

use crate::domain::{Applied, Call, CallId, Command, Event, LateAnswer, Status, Timestamp};

/// A store's reply to come.
pub type Reply<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Keeps calls and their log.
pub trait CallStore: Send + Sync + 'static {
    /// Applies a command. When it replies, what it says is on disk.
    ///
    /// # Errors
    /// [`StoreError`]: then nothing of the command was stored, or ([`StoreError::Unknown`]) nobody can tell.
    fn write(&self, command: Command) -> Reply<'_, Applied>;

    /// The calls of these ids that exist, in no order, with the time at which they were read.
    fn get_many<'a>(&'a self, ids: &'a [CallId]) -> Reply<'a, Fetched>;

    /// A page of a space's calls.
    fn list<'a>(&'a self, query: &'a ListQuery) -> Reply<'a, Page>;

    /// The first `limit` late answers to a call, oldest first.
    fn late_answers(&self, call: CallId, limit: usize) -> Reply<'_, Vec<LateAnswer>>;

    /// Up to `limit` events of a space's log after number `after`, in order and without a gap.
    fn events_after<'a>(&'a self, space: &'a str, after: u64, limit: usize) -> Reply<'a, Vec<Event>>;

    /// The first `limit` events of a call, in order.
    fn events_of(&self, call: CallId, limit: usize) -> Reply<'_, Vec<Event>>;

    /// Where a space's log begins and ends.
    fn log_bounds<'a>(&'a self, space: &'a str) -> Reply<'a, LogBounds>;

    /// The end of every space's log: what a node compares to learn that another node wrote.
    fn log_ends(&self) -> Reply<'_, Vec<(String, u64)>>;

    /// Up to `limit` pending calls whose deadline has passed.
    fn due(&self, limit: usize) -> Reply<'_, Vec<CallId>>;

    /// The earliest deadline of a pending call.
    fn next_deadline(&self) -> Reply<'_, Option<Timestamp>>;

    /// Says that a page which can answer is open in the space, until [`crate::domain::limits::PRESENCE_LIFE`] has
    /// passed or [`CallStore::leave`] is called with the same lease.
    fn be_present<'a>(&'a self, space: &'a str, lease: &'a str) -> Reply<'a, ()>;

    /// Gives a presence lease back.
    fn leave<'a>(&'a self, lease: &'a str) -> Reply<'a, ()>;

    /// Whether any page that can answer is open in the space, on any node.
    fn is_attended<'a>(&'a self, space: &'a str) -> Reply<'a, bool>;

    /// The time by which this store decides deadlines.
    fn now(&self) -> Reply<'_, Timestamp>;

    /// Whether other nodes may write to the same database.
    fn is_shared(&self) -> bool;

    /// Stops taking commands, and ends when those taken are done.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// Keeps people, tokens, sessions and sign-in codes. Secrets arrive hashed: none is stored as it is.
pub trait AuthStore: Send + Sync + 'static {
    /// Adds a person; false if the name is taken.
    fn add_person<'a>(&'a self, person: &'a Person) -> Reply<'a, bool>;

    /// All people, oldest first.
    fn people(&self) -> Reply<'_, Vec<Person>>;

    /// The person of that name.
    fn person_named<'a>(&'a self, name: &'a str) -> Reply<'a, Option<Person>>;

    /// Adds a token.
    fn add_token<'a>(&'a self, token: &'a Token) -> Reply<'a, ()>;

    /// All tokens, oldest first, revoked ones too.
    fn tokens(&self) -> Reply<'_, Vec<Token>>;

    /// The token with that hash, unless it is revoked, with the person whose it is.
    fn token_by_hash<'a>(&'a self, hash: &'a str) -> Reply<'a, Option<(Token, Option<Person>)>>;

    /// Revokes a token; false if there is none of that id, or it is revoked already.
    fn revoke_token<'a>(&'a self, id: &'a str, at: Timestamp) -> Reply<'a, bool>;

    /// Adds a session.
    fn add_session<'a>(&'a self, session: &'a Session) -> Reply<'a, ()>;

    /// The session with that hash, whatever its age, with its person.
    fn session_by_hash<'a>(&'a self, hash: &'a str) -> Reply<'a, Option<(Session, Person)>>;

    /// Notes that a session was used.
    fn touch_session<'a>(&'a self, hash: &'a str, at: Timestamp) -> Reply<'a, ()>;

    /// Ends a session; false if there is none.
    fn remove_session<'a>(&'a self, hash: &'a str) -> Reply<'a, bool>;

    /// Whether the person has a session that is used since `since`.
    fn has_session<'a>(&'a self, person: &'a str, since: Timestamp) -> Reply<'a, bool>;

    /// Adds a single-use sign-in code.
    fn add_sign_in_code<'a>(&'a self, code: &'a SignInCode) -> Reply<'a, ()>;

    /// The person whom an unused code that is good at `now` signs in; uses nothing up.
    fn peek_sign_in_code<'a>(&'a self, hash: &'a str, now: Timestamp) -> Reply<'a, Option<Person>>;

    /// Uses a code up: the person, once.
    fn use_sign_in_code<'a>(&'a self, hash: &'a str, now: Timestamp) -> Reply<'a, Option<Person>>;
}

/// Calls that were read, and when by the store's clock.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The calls.
    pub calls: Vec<Call>,
    /// When.
    pub now: Timestamp,
}

/// Which calls to list, and in which order.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// The space.
    pub space: String,
    /// Only those asked by this principal.
    pub asker: Option<String>,
    /// Only those with such a status.
    pub status: Option<StatusFilter>,
    /// Only those with this key.
    pub key: Option<String>,
    /// Only those whose agent has this name.
    pub agent: Option<String>,
    /// Only those whose title, questions or context contain this text; letter case does not matter for ASCII.
    pub text: Option<String>,
    /// The order.
    pub sort: Sort,
    /// Where the page before ended.
    pub after: Option<Cursor>,
    /// At most so many.
    pub limit: usize,
}

/// Which statuses are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusFilter {
    /// This one.
    Is(Status),
    /// Every final one.
    Settled,
}

impl StatusFilter {
    /// Whether a call of that status is listed.
    pub fn admits(self, status: Status) -> bool {
        match self {
            Self::Is(wanted) => status == wanted,
            Self::Settled => status != Status::Pending,
        }
    }

    /// The filter of that name: a status, or `settled`.
    pub fn named(name: &str) -> Option<Self> {
        if name == "settled" { Some(Self::Settled) } else { Status::named(name).map(Self::Is) }
    }
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Last asked first.
    #[default]
    Newest,
    /// Earliest deadline first, those without a deadline last; among equals first asked first.
    Due,
}

/// The place of a call in a list: its sort value and its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// Milliseconds of `asked_at` ([`Sort::Newest`]) or of the deadline ([`Sort::Due`], `i64::MAX` without one).
    pub at: i64,
    /// The call.
    pub id: CallId,
}

impl Cursor {
    /// The place of a call in a list of that order.
    pub fn of(call: &Call, sort: Sort) -> Self {
        let at = match sort {
            Sort::Newest => call.asked_at.as_millis(),
            Sort::Due => call.expires_at.map_or(i64::MAX, Timestamp::as_millis),
        };
        Self { at, id: call.id }
    }

    /// What is compared.
    fn place(self) -> (i64, CallId) {
        (self.at, self.id)
    }
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Page {
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// Where the next page begins; none if this is the last.
    pub next: Option<Cursor>,
    /// The time at which it was read.
    pub now: Timestamp,
}

impl Page {
    /// The page that begins with these calls, of which one more than the page holds was read if there is one.
    fn cut(mut calls: Vec<Call>, query: &ListQuery, now: Timestamp) -> Self {
        let has_more = calls.len() > query.limit;
        calls.truncate(query.limit);
        let next = calls.last().filter(|_| has_more).map(|last| Cursor::of(last, query.sort));
        Self { calls, next, now }
    }
}

/// Where a space's log begins and ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogBounds {
    /// Names this database's life: random, new when a backup is restored.
    pub epoch: String,
    /// The number before the oldest event kept.
    pub before_first: u64,
    /// The number of the last event; 0 if there was none.
    pub last: u64,
}

/// A person who may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Stable id.
    pub id: String,
    /// Unique name.
    pub name: String,
    /// Whether the person administers.
    pub is_admin: bool,
    /// The space in which the person acts.
    pub space: String,
    /// When it was added.
    pub created_at: Timestamp,
}

/// A bearer token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Stable id: for an agent's token the principal's id.
    pub id: String,
    /// What people read.
    pub name: String,
    /// SHA-256 of the secret, in hexadecimal.
    pub hash: String,
    /// The person as whom it acts; none for an agent's token.
    pub person: Option<String>,
    /// The space in which it acts.
    pub space: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// A signed-in browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// SHA-256 of the cookie's secret, in hexadecimal.
    pub hash: String,
    /// Whose it is.
    pub person: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub used_at: Timestamp,
}

/// A single-use code that signs a person in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInCode {
    /// SHA-256 of the code, in hexadecimal.
    pub hash: String,
    /// Whom it signs in.
    pub person: String,
    /// Until when.
    pub expires_at: Timestamp,
}

/// Why a store could not do what it was asked to.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be used now; nothing was stored.
    #[error("the database is not available")]
    Unavailable(#[source] Cause),
    /// The connection was lost while committing: whether it was stored can be learned by asking again.
    #[error("the database did not say whether it stored the change")]
    Unknown(#[source] Cause),
    /// What was read makes no sense.
    #[error("the database holds something that cannot be read")]
    Corrupt(#[source] Cause),
    /// The store is stopping.
    #[error("the store is closed")]
    Closed,
}

/// The cause of a [`StoreError`], shared: one failed batch fails many commands.
#[derive(Debug, Clone)]
pub struct Cause(std::sync::Arc<dyn std::error::Error + Send + Sync>);

impl Cause {
    /// Wraps the error of a database or of a reader.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(std::sync::Arc::from(error.into()))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// A random name for a database's life. Without `-`: on the wire it stands before one.
fn new_epoch() -> String {
    let mut epoch = uuid::Uuid::new_v4().simple().to_string();
    epoch.truncate(16);
    epoch
}
