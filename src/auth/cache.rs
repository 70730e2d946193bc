//! What was looked up a moment ago, so that a hot token costs no query.
//!
//! Invariant: nothing is believed for longer than [`AUTH_CACHE_LIFE`] after its lookup *began*, and what was ended here
//! is not believed for a moment more: a lookup during which anything ended is not remembered. Private to `auth`; no
//! lock is held across an await, because nothing here waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::domain::limits::AUTH_CACHE_LIFE;
use crate::domain::{Digest, Principal, Timestamp};
use crate::store::Session;

/// Most tokens and sessions that are remembered at once; more are looked up each time.
const ENTRIES_MAX: usize = 10_000;

/// Whom a secret belongs to.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// Who.
    pub principal: Principal,
    /// The session, if the secret is a session's.
    pub session: Option<Session>,
}

/// What the cache says of a secret.
#[derive(Debug)]
pub(super) enum Look {
    /// It is this one's.
    Known(Arc<Known>),
    /// It was ended.
    Ended,
    /// Ask the store, and give the number back with what it says: so many secrets were ended before.
    Miss(u64),
}

/// The cache of one node.
#[derive(Debug)]
pub(super) struct Cache {
    entries: Mutex<Entries>,
    ends: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Entries {
    by_digest: HashMap<Digest, Entry>,
    ends: u64,
    purged_at: Option<Timestamp>,
}

#[derive(Debug)]
struct Entry {
    /// None: it was ended at `read_at`. Kept for a while, so that its many waiters do not all ask the store.
    known: Option<Arc<Known>>,
    /// When the lookup began.
    read_at: Timestamp,
    /// Somebody is looking again, while the others still go by this.
    is_renewed: bool,
}

impl Entry {
    fn age(&self, now: Timestamp) -> Duration {
        // A clock that was set back makes an entry old, not eternal.
        if self.read_at > now { AUTH_CACHE_LIFE } else { self.read_at.until(now) }
    }
}

impl Cache {
    pub(super) fn new() -> Self {
        Self { entries: Mutex::default(), ends: watch::Sender::new(()) }
    }

    /// Changes whenever something is ended.
    pub(super) fn ends(&self) -> watch::Receiver<()> {
        self.ends.subscribe()
    }

    /// What is known of a secret. In the second half of an entry's life the first who looks is sent to the store and
    /// the others are not: ten thousand streams of one token cost one query each time, not ten thousand.
    pub(super) fn look(&self, digest: Digest, now: Timestamp) -> Look {
        let mut entries = self.lock();
        let miss = Look::Miss(entries.ends);
        let Some(entry) = entries.by_digest.get_mut(&digest) else { return miss };
        let age = entry.age(now);
        if age >= AUTH_CACHE_LIFE {
            return miss;
        }
        let Some(known) = &entry.known else { return Look::Ended };
        if age >= AUTH_CACHE_LIFE / 2 && !entry.is_renewed {
            entry.is_renewed = true;
            return miss;
        }
        Look::Known(Arc::clone(known))
    }

    /// Remembers what a lookup that began at `read_at` found, unless anything was ended since [`Look::Miss`] said
    /// `ends`: it may have been this one, and the lookup may have been too early to see it. Time could not tell, for
    /// clocks are set back.
    pub(super) fn keep(&self, digest: Digest, known: Arc<Known>, read_at: Timestamp, ends: u64) {
        let mut entries = self.lock();
        if entries.ends == ends && (entries.by_digest.contains_key(&digest) || entries.make_room(read_at)) {
            entries.by_digest.insert(digest, Entry { known: Some(known), read_at, is_renewed: false });
        }
    }

    /// Notes that a secret is good no more, and tells whoever waits for that. Call it after the store has it.
    pub(super) fn end(&self, digest: Digest, now: Timestamp) {
        let mut entries = self.lock();
        // Ends are rare and each was good before: they need no bound beyond their short life.
        entries.make_room(now);
        entries.ends += 1;
        entries.by_digest.insert(digest, Entry { known: None, read_at: now, is_renewed: false });
        drop(entries);
        self.ends.send_replace(());
    }

    /// Notes that a lookup found nobody. Only what was good before is noted: strangers' guesses take no room.
    pub(super) fn found_nobody(&self, digest: Digest, now: Timestamp) {
        if self.lock().by_digest.get(&digest).is_some_and(|entry| entry.known.is_some()) {
            self.end(digest, now);
        }
    }

    /// Forgets a secret, so that the store is asked next time.
    pub(super) fn forget(&self, digest: Digest) {
        self.lock().by_digest.remove(&digest);
    }

    /// Whether a session's last use is `interval` or more ago, as far as is known; if so, it is `now` from here on, so
    /// that of many requests at once only one writes it down.
    pub(super) fn claim_touch(&self, digest: Digest, now: Timestamp, interval: Duration) -> bool {
        let mut entries = self.lock();
        let known = entries.by_digest.get_mut(&digest).and_then(|entry| entry.known.as_mut());
        let Some(known) = known else { return true };
        let is_due = known.session.as_ref().is_some_and(|session| session.used_at.until(now) >= interval);
        if is_due && let Some(session) = &mut Arc::make_mut(known).session {
            session.used_at = now;
        }
        is_due
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // Each change is one insert or remove: a panic elsewhere leaves nothing half done.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().by_digest.len()
    }
}

impl Entries {
    /// Whether one more fits, after the old ones are thrown out. Looking through all is dear, so not for each newcomer.
    fn make_room(&mut self, now: Timestamp) -> bool {
        let is_due = self.purged_at.is_none_or(|at| at > now || at.until(now) >= AUTH_CACHE_LIFE / 2);
        if self.by_digest.len() >= ENTRIES_MAX && is_due {
            self.by_digest.retain(|_, entry| entry.age(now) < AUTH_CACHE_LIFE);
            self.purged_at = Some(now);
        }
        self.by_digest.len() < ENTRIES_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::PrincipalKind;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_000_000 + millis)
    }

    fn digest(number: usize) -> Digest {
        Digest::of(&number.to_le_bytes())
    }

    fn somebody() -> Arc<Known> {
        let name = "ci".to_owned();
        let principal = Principal { kind: PrincipalKind::Agent, id: name.clone(), name, space: "default".into() };
        Arc::new(Known { principal, session: None })
    }

    /// A lookup that nothing interferes with.
    fn keep(cache: &Cache, digest: Digest, now: Timestamp) {
        let ends = cache.lock().ends;
        cache.keep(digest, somebody(), now, ends);
    }

    fn is_known(cache: &Cache, digest: Digest, now: Timestamp) -> bool {
        matches!(cache.look(digest, now), Look::Known(_))
    }

    #[test]
    fn one_of_many_looks_again_in_the_second_half_of_an_entrys_life() {
        let cache = Cache::new();
        keep(&cache, digest(1), at(0));
        assert!(is_known(&cache, digest(1), at(2_499)));
        assert!(!is_known(&cache, digest(1), at(2_500)), "the first is sent to the store");
        assert!(is_known(&cache, digest(1), at(2_500)), "the others are not");
        assert!(!is_known(&cache, digest(1), at(5_000)), "then all are");
    }

    #[test]
    fn a_lookup_that_began_before_the_end_does_not_bring_a_secret_back() {
        let cache = Cache::new();
        let Look::Miss(ends) = cache.look(digest(1), at(0)) else { panic!("nothing is known yet") };
        cache.end(digest(1), at(0));
        cache.keep(digest(1), somebody(), at(0), ends);
        assert!(matches!(cache.look(digest(1), at(1)), Look::Ended));
        assert!(matches!(cache.look(digest(1), at(5_000)), Look::Miss(1)), "the store decides again");
    }

    #[test]
    fn a_clock_that_is_set_back_makes_an_entry_old() {
        let cache = Cache::new();
        keep(&cache, digest(1), at(60_000));
        assert!(!is_known(&cache, digest(1), at(0)));
        keep(&cache, digest(1), at(0));
        assert!(is_known(&cache, digest(1), at(1)));
    }

    #[test]
    fn unknown_secrets_take_no_room_and_known_ones_a_bounded_one() {
        let cache = Cache::new();
        for number in 0..ENTRIES_MAX + 10 {
            cache.found_nobody(digest(number), at(0));
        }
        assert_eq!(cache.len(), 0);
        for number in 0..ENTRIES_MAX + 10 {
            keep(&cache, digest(number), at(0));
        }
        assert_eq!(cache.len(), ENTRIES_MAX);
        cache.end(digest(ENTRIES_MAX + 20), at(1));
        assert!(matches!(cache.look(digest(ENTRIES_MAX + 20), at(1)), Look::Ended), "an end always fits");
        keep(&cache, digest(ENTRIES_MAX + 30), at(6_000));
        assert_eq!(cache.len(), 1, "the old ones made room");
    }

    #[test]
    fn whoever_waits_for_an_end_is_told() {
        let cache = Cache::new();
        let mut ends = cache.ends();
        keep(&cache, digest(1), at(0));
        assert!(!ends.has_changed().unwrap());
        cache.found_nobody(digest(1), at(3_000));
        assert!(ends.has_changed().unwrap());
        ends.mark_unchanged();
        cache.end(digest(2), at(3_000));
        assert!(ends.has_changed().unwrap());
    }
}
