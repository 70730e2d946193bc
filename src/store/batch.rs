//! Many commands at once: what they do to the rows loaded for them, pure.
//!
//! A store loads what [`Wants`] names, folds the commands over it in the order in which they arrived, and writes the
//! [`Changes`] in one transaction. Each call is changed in memory only, one command after the other, and stored once in
//! its last state: two settles of one call in one batch are decided like two settles in two.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::limits::PENDING_PER_ASKER_MAX;
use crate::domain::{
    Applied, Attempt, By, Call, CallId, Command, Decision, Earlier, Event, LateAnswer, NewCall, Status, Timestamp,
    decide,
};

/// What names a call for its asker.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct KeyScope {
    pub space: String,
    pub key: String,
    pub asker: String,
    /// Empty for an ask without a session.
    pub session: String,
}

/// Whose pending calls are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct AskerScope {
    pub space: String,
    pub asker: String,
}

/// What names one act.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct AttemptKey {
    pub call: CallId,
    pub principal: String,
    pub attempt: String,
}

/// What has to be loaded before some commands can be decided.
#[derive(Debug, Default)]
pub(super) struct Wants {
    pub calls: BTreeSet<CallId>,
    pub keys: BTreeSet<KeyScope>,
    pub attempts: BTreeSet<AttemptKey>,
    pub askers: BTreeSet<AskerScope>,
}

/// What was loaded: of the wanted things those that exist.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub calls: Vec<Call>,
    pub attempts: HashMap<AttemptKey, Earlier>,
    /// Calls that are pending and not due.
    pub pending: HashMap<AskerScope, usize>,
}

/// Commands being folded over what was loaded.
#[derive(Debug)]
pub(super) struct Batch {
    now: Timestamp,
    slots: BTreeMap<CallId, Slot>,
    keys: HashMap<KeyScope, CallId>,
    known: HashMap<AttemptKey, Earlier>,
    pending: HashMap<AskerScope, usize>,
    events: Vec<Event>,
    late: Vec<KeptLate>,
    attempts: Vec<(AttemptKey, Earlier)>,
}

/// What to write: in this order, and each call once.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// New calls. Sorted by their keys, so that two nodes that store the same keys meet in one order.
    pub inserted: Vec<Call>,
    /// Changed calls, sorted by id.
    pub updated: Vec<Updated>,
    /// Late answers, in order.
    pub late: Vec<KeptLate>,
    /// Acts to remember.
    pub attempts: Vec<(AttemptKey, Earlier)>,
    /// Events in order, to be numbered for each space.
    pub events: Vec<Event>,
}

/// A changed call with what it was when it was loaded: the update checks that once more.
#[derive(Debug)]
pub(super) struct Updated {
    pub call: Call,
    pub was_status: Status,
    pub was_rev: u64,
    /// Whether its content and its late answers go.
    pub erases: bool,
}

/// A late answer with its place among those of its call, from 1.
#[derive(Debug)]
pub(super) struct KeptLate {
    pub call: CallId,
    pub number: u64,
    pub answer: LateAnswer,
}

/// One call of the batch.
#[derive(Debug)]
struct Slot {
    call: Call,
    /// Status, revision and whether it was erased when it was loaded; none for a new call.
    was: Option<(Status, u64, bool)>,
    is_changed: bool,
}

impl KeyScope {
    /// The scope of a new call's key.
    pub fn of_new(new: &NewCall) -> Option<Self> {
        Self::of_parts(&new.space, &new.asker.id, &new.ask)
    }

    /// The scope of a stored call's key.
    pub fn of(call: &Call) -> Option<Self> {
        Self::of_parts(&call.space, &call.asker.id, &call.ask)
    }

    fn of_parts(space: &str, asker: &str, ask: &crate::domain::Ask) -> Option<Self> {
        let key = ask.key.clone()?;
        let session = ask.agent.session.clone().unwrap_or_default();
        Some(Self { space: space.to_owned(), key, asker: asker.to_owned(), session })
    }
}

impl AskerScope {
    /// Under which a call is counted.
    pub fn of(call: &Call) -> Self {
        Self { space: call.space.clone(), asker: call.asker.id.clone() }
    }
}

impl AttemptKey {
    fn of(call: CallId, attempt: &Attempt, by: &By) -> Self {
        Self { call, principal: by.id.clone(), attempt: attempt.id.clone() }
    }

    /// The act of a command, where it can be repeated.
    fn of_command(command: &Command) -> Option<Self> {
        let (attempt, by) = command.attempt()?;
        Some(Self::of(command.call()?, attempt, by))
    }
}

impl Wants {
    /// What these commands need.
    pub fn of<'a>(commands: impl IntoIterator<Item = &'a Command>) -> Self {
        let mut wants = Self::default();
        for command in commands {
            wants.calls.extend(command.call());
            wants.attempts.extend(AttemptKey::of_command(command));
            if let Command::Ask(new) = command {
                // By its id too: a broker that was not told whether the call was stored may hand it in again.
                wants.calls.insert(new.id);
                wants.keys.extend(KeyScope::of_new(new));
                wants.askers.insert(AskerScope { space: new.space.clone(), asker: new.asker.id.clone() });
            }
        }
        wants
    }
}

impl Batch {
    /// Begins with what was loaded, at the one time of the transaction.
    pub fn new(loaded: Loaded, now: Timestamp) -> Self {
        let mut batch = Self {
            now,
            slots: BTreeMap::new(),
            keys: HashMap::new(),
            known: loaded.attempts,
            pending: loaded.pending,
            events: Vec::new(),
            late: Vec::new(),
            attempts: Vec::new(),
        };
        for call in loaded.calls {
            batch.keys.extend(KeyScope::of(&call).map(|scope| (scope, call.id)));
            let was = Some((call.status, call.rev, call.erased_at.is_some()));
            batch.slots.insert(call.id, Slot { call, was, is_changed: false });
        }
        batch
    }

    /// Applies the next command.
    pub fn apply(&mut self, command: &Command) -> Applied {
        let current = self.named_by(command).and_then(|id| self.slots.get(&id)).map(|slot| &slot.call);
        let act = AttemptKey::of_command(command);
        let earlier = act.as_ref().and_then(|act| self.known.get(act)).copied();
        let decision = decide(command, current, earlier, self.now);
        if current.is_none() && self.is_over_limit(&decision) {
            return Applied::TooManyPending;
        }
        self.take(command, act, decision)
    }

    /// What to write.
    pub fn into_changes(self) -> Changes {
        let mut changes =
            Changes { late: self.late, attempts: self.attempts, events: self.events, ..Changes::default() };
        for slot in self.slots.into_values().filter(|slot| slot.is_changed) {
            let call = slot.call;
            match slot.was {
                None => changes.inserted.push(call),
                Some((was_status, was_rev, was_erased)) => {
                    let erases = call.erased_at.is_some() && !was_erased;
                    changes.updated.push(Updated { call, was_status, was_rev, erases });
                }
            }
        }
        changes.inserted.sort_by_cached_key(|call| (KeyScope::of(call), call.id));
        changes
    }

    /// The call that a command is about: for an ask the one of its key, or of its id.
    fn named_by(&self, command: &Command) -> Option<CallId> {
        let Command::Ask(new) = command else { return command.call() };
        let known = KeyScope::of_new(new).and_then(|scope| self.keys.get(&scope)).copied();
        Some(known.unwrap_or(new.id))
    }

    fn is_over_limit(&self, decision: &Decision) -> bool {
        let Some(new) = decision.store.as_ref().filter(|call| !call.is_settled()) else { return false };
        self.pending.get(&AskerScope::of(new)).is_some_and(|count| *count >= PENDING_PER_ASKER_MAX)
    }

    fn take(&mut self, command: &Command, act: Option<AttemptKey>, decision: Decision) -> Applied {
        if let Some(call) = decision.store {
            self.store(call);
        }
        self.events.extend(decision.events);
        if let (Some(answer), Some(call)) = (decision.late, command.call()) {
            let number = self.slots.get(&call).map_or(0, |slot| slot.call.late_answers_total);
            self.late.push(KeptLate { call, number, answer });
        }
        if let (Some(ended), Some(act), Some((attempt, _))) = (decision.remember, act, command.attempt()) {
            let earlier = Earlier { body: attempt.body, ended };
            self.known.insert(act.clone(), earlier);
            self.attempts.push((act, earlier));
        }
        decision.applied
    }

    fn store(&mut self, call: Call) {
        let before = self.slots.remove(&call.id);
        let was_counted = before.as_ref().is_some_and(|slot| counts(&slot.call, self.now));
        if let Some(count) = self.pending.get_mut(&AskerScope::of(&call)) {
            *count = (*count + usize::from(counts(&call, self.now))).saturating_sub(usize::from(was_counted));
        }
        if call.erased_at.is_some() {
            self.late.retain(|late| late.call != call.id);
        }
        self.keys.extend(KeyScope::of(&call).map(|scope| (scope, call.id)));
        let was = before.and_then(|slot| slot.was);
        self.slots.insert(call.id, Slot { call, was, is_changed: true });
    }
}

/// Whether a call counts as pending: one that is due does not, even if nobody has met it yet.
fn counts(call: &Call, now: Timestamp) -> bool {
    !call.is_settled() && !call.is_due(now)
}
