//! Calls and identities in memory: the executable specification of a store, and the fast one for tests.
//!
//! Keeps nothing over a restart. One mutex guards all; it is never held across an await, and a command changes the
//! state only after all of it was decided.

mod auth;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;

use super::batch::{AskerScope, AttemptKey, Batch, Changes, KeyScope, Loaded, Wants};
use super::{CallStore, Cursor, Fetched, ListQuery, LogBounds, Page, Reply, Sort, StoreError, search};
use crate::clock::Clock;
use crate::domain::limits::PRESENCE_LIFE;
use crate::domain::{Applied, Call, CallId, Command, Earlier, Event, LateAnswer, Timestamp};

/// Keeps everything in memory.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    epoch: String,
    state: Mutex<State>,
}

/// When it is due and its id: sorted, so that what is due comes first.
type Due = (i64, CallId);

#[derive(Default)]
struct State {
    is_closed: bool,
    calls: HashMap<CallId, Call>,
    keys: HashMap<KeyScope, CallId>,
    pending: BTreeMap<AskerScope, BTreeSet<Due>>,
    attempts: HashMap<AttemptKey, Earlier>,
    late: HashMap<CallId, Vec<LateAnswer>>,
    logs: BTreeMap<String, Vec<Event>>,
    /// Space and end of each presence lease.
    presence: HashMap<String, (String, Timestamp)>,
    auth: auth::State,
}

impl MemoryStore {
    /// An empty store that decides deadlines by this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let mut state = State::default();
        state.logs.insert("default".to_owned(), Vec::new());
        Self { clock, epoch: super::new_epoch(), state: Mutex::new(state) }
    }

    /// Nothing panics between two changes of the state, so a poisoned mutex guards a whole one.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reply that is made when it is awaited, under the mutex.
    fn reply<'a, T: Send>(&'a self, make: impl FnOnce(&mut State) -> T + Send + 'a) -> Reply<'a, T> {
        Box::pin(async move { Ok(make(&mut self.state())) })
    }
}

impl CallStore for MemoryStore {
    fn write(&self, command: Command) -> Reply<'_, Applied> {
        Box::pin(async move {
            let mut state = self.state();
            if state.is_closed {
                return Err(StoreError::Closed);
            }
            Ok(state.apply(&command, self.clock.now()))
        })
    }

    fn get_many<'a>(&'a self, ids: &'a [CallId]) -> Reply<'a, Fetched> {
        self.reply(move |state| {
            let distinct: BTreeSet<&CallId> = ids.iter().collect();
            let calls = distinct.into_iter().filter_map(|id| state.calls.get(id)).cloned().collect();
            Fetched { calls, now: self.clock.now() }
        })
    }

    fn list<'a>(&'a self, query: &'a ListQuery) -> Reply<'a, Page> {
        self.reply(move |state| {
            let needle = query.text.as_deref().map(search::fold);
            let mut calls: Vec<&Call> =
                state.calls.values().filter(|call| matches(call, query, needle.as_deref())).collect();
            match query.sort {
                Sort::Newest => calls.sort_by_key(|call| std::cmp::Reverse(Cursor::of(call, query.sort).place())),
                Sort::Due => calls.sort_by_key(|call| Cursor::of(call, query.sort).place()),
            }
            calls.truncate(query.limit.saturating_add(1));
            Page::cut(calls.into_iter().cloned().collect(), query, self.clock.now())
        })
    }

    fn late_answers(&self, call: CallId, limit: usize) -> Reply<'_, Vec<LateAnswer>> {
        self.reply(move |state| state.late.get(&call).into_iter().flatten().take(limit).cloned().collect())
    }

    fn events_after<'a>(&'a self, space: &'a str, after: u64, limit: usize) -> Reply<'a, Vec<Event>> {
        self.reply(move |state| {
            let skipped = usize::try_from(after).unwrap_or(usize::MAX);
            state.logs.get(space).into_iter().flatten().skip(skipped).take(limit).cloned().collect()
        })
    }

    fn events_of(&self, call: CallId, limit: usize) -> Reply<'_, Vec<Event>> {
        self.reply(move |state| {
            let space = state.calls.get(&call).map(|call| call.space.as_str()).unwrap_or_default();
            let log = state.logs.get(space).into_iter().flatten();
            log.filter(|event| event.call_id == call).take(limit).cloned().collect()
        })
    }

    fn log_bounds<'a>(&'a self, space: &'a str) -> Reply<'a, LogBounds> {
        self.reply(move |state| LogBounds { epoch: self.epoch.clone(), before_first: 0, last: state.last(space) })
    }

    fn log_ends(&self) -> Reply<'_, Vec<(String, u64)>> {
        self.reply(|state| state.logs.iter().map(|(space, log)| (space.clone(), log.len() as u64)).collect())
    }

    fn due(&self, limit: usize) -> Reply<'_, Vec<CallId>> {
        self.reply(move |state| {
            let now = self.clock.now();
            let mut due: Vec<&Due> = state.pending.values().flat_map(|calls| up_to(calls, now)).collect();
            due.sort();
            due.into_iter().take(limit).map(|(_, id)| *id).collect()
        })
    }

    fn next_deadline(&self) -> Reply<'_, Option<Timestamp>> {
        self.reply(|state| {
            let first = state.pending.values().filter_map(|calls| calls.first()).map(|(deadline, _)| *deadline).min();
            first.filter(|deadline| *deadline < i64::MAX).map(Timestamp::from_millis)
        })
    }

    fn be_present<'a>(&'a self, space: &'a str, lease: &'a str) -> Reply<'a, ()> {
        self.reply(move |state| {
            let now = self.clock.now();
            state.presence.retain(|_, (_, until)| *until > now);
            let until = now.plus_seconds(PRESENCE_LIFE.as_secs());
            state.presence.insert(lease.to_owned(), (space.to_owned(), until));
        })
    }

    fn leave<'a>(&'a self, lease: &'a str) -> Reply<'a, ()> {
        self.reply(move |state| {
            state.presence.remove(lease);
        })
    }

    fn is_attended<'a>(&'a self, space: &'a str) -> Reply<'a, bool> {
        self.reply(move |state| {
            let now = self.clock.now();
            state.presence.values().any(|(at, until)| at == space && *until > now)
        })
    }

    fn now(&self) -> Reply<'_, Timestamp> {
        self.reply(|_| self.clock.now())
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.state().is_closed = true })
    }
}

impl State {
    fn apply(&mut self, command: &Command, now: Timestamp) -> Applied {
        let loaded = self.load(&Wants::of([command]), now);
        let mut batch = Batch::new(loaded, now);
        let applied = batch.apply(command);
        self.store(batch.into_changes());
        applied
    }

    fn load(&self, wants: &Wants, now: Timestamp) -> Loaded {
        let by_key = wants.keys.iter().filter_map(|scope| self.keys.get(scope));
        let ids: BTreeSet<&CallId> = wants.calls.iter().chain(by_key).collect();
        let attempts = wants.attempts.iter().filter_map(|act| Some((act.clone(), *self.attempts.get(act)?)));
        let count = |scope| {
            let calls = self.pending.get(scope)?;
            Some((scope.clone(), calls.len() - up_to(calls, now).count()))
        };
        let mut pending: HashMap<AskerScope, usize> = wants.askers.iter().map(|scope| (scope.clone(), 0)).collect();
        pending.extend(wants.askers.iter().filter_map(count));
        Loaded {
            calls: ids.into_iter().filter_map(|id| self.calls.get(id)).cloned().collect(),
            attempts: attempts.collect(),
            pending,
        }
    }

    fn store(&mut self, changes: Changes) {
        for call in changes.inserted {
            self.keys.extend(KeyScope::of(&call).map(|scope| (scope, call.id)));
            self.put(call);
        }
        for updated in changes.updated {
            if updated.erases {
                self.late.remove(&updated.call.id);
            }
            self.put(updated.call);
        }
        for late in changes.late {
            self.late.entry(late.call).or_default().push(late.answer);
        }
        self.attempts.extend(changes.attempts);
        for mut event in changes.events {
            let log = self.logs.entry(event.space.clone()).or_default();
            event.seq = log.len() as u64 + 1;
            log.push(event);
        }
    }

    fn put(&mut self, call: Call) {
        let pending = self.pending.entry(AskerScope::of(&call)).or_default();
        if let Some(before) = self.calls.get(&call.id) {
            pending.remove(&(due_at(before), call.id));
        }
        if !call.is_settled() {
            pending.insert((due_at(&call), call.id));
        }
        if pending.is_empty() {
            self.pending.remove(&AskerScope::of(&call));
        }
        self.calls.insert(call.id, call);
    }

    fn last(&self, space: &str) -> u64 {
        self.logs.get(space).map_or(0, |log| log.len() as u64)
    }
}

fn due_at(call: &Call) -> i64 {
    call.due_at().map_or(i64::MAX, Timestamp::as_millis)
}

fn up_to(calls: &BTreeSet<Due>, now: Timestamp) -> impl Iterator<Item = &Due> {
    calls.iter().take_while(move |(deadline, _)| *deadline <= now.as_millis())
}

fn matches(call: &Call, query: &ListQuery, needle: Option<&str>) -> bool {
    let is_beyond = |after: Cursor| {
        let place = Cursor::of(call, query.sort).place();
        match query.sort {
            Sort::Newest => place < after.place(),
            Sort::Due => place > after.place(),
        }
    };
    call.space == query.space
        && query.asker.as_ref().is_none_or(|asker| *asker == call.asker.id)
        && query.status.is_none_or(|filter| filter.admits(call.status))
        && query.key.as_ref().is_none_or(|key| call.ask.key.as_ref() == Some(key))
        && query.agent.as_ref().is_none_or(|agent| call.ask.agent.name.as_ref() == Some(agent))
        && needle.is_none_or(|needle| search::text_of(&call.ask).contains(needle))
        && query.after.is_none_or(is_beyond)
}
