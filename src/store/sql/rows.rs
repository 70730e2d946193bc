//! Between rows and what they mean. Bodies are JSON text, instants milliseconds, truth values 0 and 1.

use std::collections::VecDeque;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::domain::{Call, CallId, Digest, Earlier, Ended, Event, EventKind, LateAnswer, Status, Timestamp};
use crate::store::batch::{AttemptKey, KeptLate, Updated};
use crate::store::{Cause, Cursor, Person, Session, Sort, StoreError, Token, search};

/// One value of a statement or a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum Cell {
    Int(Option<i64>),
    Text(Option<String>),
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Int(Some(value))
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Int(Some(i64::from(value)))
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Self::Int(Some(i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Int(Some(i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<Timestamp> for Cell {
    fn from(value: Timestamp) -> Self {
        value.as_millis().into()
    }
}

impl From<Option<Timestamp>> for Cell {
    fn from(value: Option<Timestamp>) -> Self {
        Self::Int(value.map(Timestamp::as_millis))
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(Some(value.to_owned()))
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(Some(value))
    }
}

impl From<&Option<String>> for Cell {
    fn from(value: &Option<String>) -> Self {
        Self::Text(value.clone())
    }
}

impl From<CallId> for Cell {
    fn from(value: CallId) -> Self {
        value.to_string().into()
    }
}

/// The values of a row that were not taken yet, from the first column on.
#[derive(Debug)]
pub(in crate::store) struct Row(pub VecDeque<Cell>);

type Read<T> = Result<T, StoreError>;

impl Row {
    fn cell(&mut self) -> Read<Cell> {
        self.0.pop_front().ok_or_else(|| corrupt("a row has too few columns"))
    }

    pub fn int_or_null(&mut self) -> Read<Option<i64>> {
        match self.cell()? {
            Cell::Int(value) => Ok(value),
            Cell::Text(None) => Ok(None),
            Cell::Text(Some(_)) => Err(corrupt("a text stands where a number should")),
        }
    }

    pub fn text_or_null(&mut self) -> Read<Option<String>> {
        match self.cell()? {
            Cell::Text(value) => Ok(value),
            Cell::Int(None) => Ok(None),
            Cell::Int(Some(_)) => Err(corrupt("a number stands where a text should")),
        }
    }

    pub fn int(&mut self) -> Read<i64> {
        self.int_or_null()?.ok_or_else(|| corrupt("a number is missing"))
    }

    pub fn count(&mut self) -> Read<u64> {
        u64::try_from(self.int()?).map_err(corrupt)
    }

    pub fn text(&mut self) -> Read<String> {
        self.text_or_null()?.ok_or_else(|| corrupt("a text is missing"))
    }

    pub fn instant(&mut self) -> Read<Timestamp> {
        self.int().map(Timestamp::from_millis)
    }

    pub fn call_id(&mut self) -> Read<CallId> {
        self.text()?.parse().map_err(corrupt)
    }

    fn instant_or_null(&mut self) -> Read<Option<Timestamp>> {
        Ok(self.int_or_null()?.map(Timestamp::from_millis))
    }

    fn json<T: DeserializeOwned>(&mut self) -> Read<T> {
        serde_json::from_str(&self.text()?).map_err(corrupt)
    }

    fn json_or_null<T: DeserializeOwned>(&mut self) -> Read<Option<T>> {
        self.text_or_null()?.map(|text| serde_json::from_str(&text).map_err(corrupt)).transpose()
    }

    fn status(&mut self) -> Read<Status> {
        Status::named(&self.text()?).ok_or_else(|| corrupt("a status is unknown"))
    }

    fn digest(&mut self) -> Read<Digest> {
        Digest::from_hex(&self.text()?).ok_or_else(|| corrupt("a digest cannot be read"))
    }

    /// Reads the columns of a call.
    pub fn call(&mut self) -> Read<Call> {
        Ok(Call {
            id: self.call_id()?,
            space: self.text()?,
            asker: self.json()?,
            ask: self.json()?,
            same_ask: self.digest()?,
            dialect: self.json_or_null()?,
            status: self.status()?,
            rev: self.count()?,
            asked_at: self.instant()?,
            expires_at: self.int_or_null()?.filter(|deadline| *deadline < i64::MAX).map(Timestamp::from_millis),
            settled_at: self.instant_or_null()?,
            outcome: self.text_or_null()?.map(RawValue::from_string).transpose().map_err(corrupt)?,
            late_answers_total: self.count()?,
            delivered_at: self.instant_or_null()?,
            acked_at: self.instant_or_null()?,
            erased_at: self.instant_or_null()?,
            held: self.json_or_null()?,
            claim: self.json_or_null()?,
            claim_epoch: self.count()?,
            typing_seconds: self.count()?,
        })
    }

    pub fn late_answer(&mut self) -> Read<LateAnswer> {
        self.json()
    }

    pub fn event(&mut self) -> Read<Event> {
        Ok(Event {
            space: self.text()?,
            seq: self.count()?,
            kind: EventKind::named(&self.text()?).ok_or_else(|| corrupt("a kind of event is unknown"))?,
            at: self.instant()?,
            call_id: self.call_id()?,
            rev: self.count()?,
            status: self.status()?,
            by: self.json_or_null()?,
            asker: self.text()?,
        })
    }

    pub fn attempt(&mut self) -> Read<(AttemptKey, Earlier)> {
        let act = AttemptKey { call: self.call_id()?, principal: self.text()?, attempt: self.text()? };
        let body = self.digest()?;
        let ended = match self.int()? {
            0 => Ended::Lost,
            1 => Ended::Won,
            2 => Ended::Held,
            _ => return Err(corrupt("how an act ended is unknown")),
        };
        Ok((act, Earlier { body, ended }))
    }

    pub fn person(&mut self) -> Read<Person> {
        self.person_or_null()?.ok_or_else(|| corrupt("a person is missing"))
    }

    pub fn person_or_null(&mut self) -> Read<Option<Person>> {
        let Some(id) = self.text_or_null()? else { return Ok(None) };
        let name = self.text()?;
        let is_admin = self.int()? != 0;
        Ok(Some(Person { id, name, is_admin, space: self.text()?, created_at: self.instant()? }))
    }

    pub fn token(&mut self) -> Read<Token> {
        Ok(Token {
            id: self.text()?,
            name: self.text()?,
            hash: self.text()?,
            person: self.text_or_null()?,
            space: self.text()?,
            created_at: self.instant()?,
            revoked_at: self.instant_or_null()?,
        })
    }

    pub fn session(&mut self) -> Read<Session> {
        Ok(Session { hash: self.text()?, person: self.text()?, created_at: self.instant()?, used_at: self.instant()? })
    }
}

fn corrupt(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Corrupt(Cause::new(cause))
}

/// Values as the JSON text that a set-based statement takes.
pub(super) fn json<T: Serialize>(rows: &[T]) -> String {
    serde_json::to_string(rows).expect("texts and numbers can always be written as JSON")
}

fn json_text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("domain values can always be written as JSON")
}

/// A call's body, as it is stored.
pub(super) fn ask_text(call: &Call) -> String {
    json_text(&call.ask)
}

/// A new call as a row.
#[derive(Serialize)]
pub(super) struct InsertedRow<'a> {
    space: &'a str,
    key: Option<&'a str>,
    asker_id: &'a str,
    session: &'a str,
    agent_name: Option<&'a str>,
    asker: String,
    ask: String,
    search: String,
    same_ask: String,
    dialect: Option<String>,
    asked_at: i64,
    #[serde(flatten)]
    state: StateRow<'a>,
}

/// A changed call as a row, with what it must still be.
#[derive(Serialize)]
pub(super) struct UpdatedRow<'a> {
    was_status: &'static str,
    was_rev: u64,
    #[serde(flatten)]
    state: StateRow<'a>,
}

/// What of a call changes.
#[derive(Serialize)]
struct StateRow<'a> {
    id: CallId,
    status: &'static str,
    rev: u64,
    deadline: i64,
    settled_at: Option<i64>,
    outcome: Option<&'a str>,
    late_answers_total: u64,
    delivered_at: Option<i64>,
    acked_at: Option<i64>,
    erased_at: Option<i64>,
    due_at: i64,
    held: Option<String>,
    claim: Option<String>,
    claim_epoch: u64,
    typing_seconds: u64,
}

impl<'a> From<&'a Call> for InsertedRow<'a> {
    fn from(call: &'a Call) -> Self {
        Self {
            space: &call.space,
            key: call.ask.key.as_deref(),
            asker_id: &call.asker.id,
            session: call.ask.agent.session.as_deref().unwrap_or_default(),
            agent_name: call.ask.agent.name.as_deref(),
            asker: json_text(&call.asker),
            ask: ask_text(call),
            search: search::text_of(&call.ask),
            same_ask: call.same_ask.to_hex(),
            dialect: call.dialect.as_ref().map(json_text),
            asked_at: call.asked_at.as_millis(),
            state: call.into(),
        }
    }
}

impl<'a> From<&'a Updated> for UpdatedRow<'a> {
    fn from(updated: &'a Updated) -> Self {
        Self { was_status: updated.was_status.name(), was_rev: updated.was_rev, state: (&updated.call).into() }
    }
}

impl<'a> From<&'a Call> for StateRow<'a> {
    fn from(call: &'a Call) -> Self {
        Self {
            id: call.id,
            status: call.status.name(),
            rev: call.rev,
            deadline: Cursor::of(call, Sort::Due).at,
            settled_at: call.settled_at.map(Timestamp::as_millis),
            outcome: call.outcome.as_ref().map(|outcome| outcome.get()),
            late_answers_total: call.late_answers_total,
            delivered_at: call.delivered_at.map(Timestamp::as_millis),
            acked_at: call.acked_at.map(Timestamp::as_millis),
            erased_at: call.erased_at.map(Timestamp::as_millis),
            due_at: call.due_at().map_or(i64::MAX, Timestamp::as_millis),
            held: call.held.as_ref().map(json_text),
            claim: call.claim.as_ref().map(json_text),
            claim_epoch: call.claim_epoch,
            typing_seconds: call.typing_seconds,
        }
    }
}

#[derive(Serialize)]
pub(super) struct LateRow {
    call_id: CallId,
    number: u64,
    body: String,
}

impl From<&KeptLate> for LateRow {
    fn from(late: &KeptLate) -> Self {
        Self { call_id: late.call, number: late.number, body: json_text(&late.answer) }
    }
}

#[derive(Serialize)]
pub(super) struct AttemptRow<'a> {
    call_id: CallId,
    principal: &'a str,
    attempt: &'a str,
    body: String,
    won: i64,
}

impl<'a> From<&'a (AttemptKey, Earlier)> for AttemptRow<'a> {
    fn from((act, earlier): &'a (AttemptKey, Earlier)) -> Self {
        Self {
            call_id: act.call,
            principal: &act.principal,
            attempt: &act.attempt,
            body: earlier.body.to_hex(),
            won: match earlier.ended {
                Ended::Lost => 0,
                Ended::Won => 1,
                Ended::Held => 2,
            },
        }
    }
}

#[derive(Serialize)]
pub(super) struct EventRow<'a> {
    space: &'a str,
    seq: u64,
    kind: &'static str,
    happened_at: i64,
    call_id: CallId,
    rev: u64,
    status: &'static str,
    done_by: Option<String>,
    asker_id: &'a str,
}

impl<'a> From<&'a Event> for EventRow<'a> {
    fn from(event: &'a Event) -> Self {
        Self {
            space: &event.space,
            seq: event.seq,
            kind: event.kind.name(),
            happened_at: event.at.as_millis(),
            call_id: event.call_id,
            rev: event.rev,
            status: event.status.name(),
            done_by: event.by.as_ref().map(json_text),
            asker_id: &event.asker,
        }
    }
}
