//! Who waits for what on this node, and how to wake them. Holds hints only: lose it and only a wake-up is lost.
//!
//! The maps are private to this file and no guard outlives a closure or a statement, so none can be held across an
//! await (BUGS 123). A waiter that is dropped leaves by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;
use tokio::sync::watch;

use crate::domain::CallId;
use crate::domain::limits::{FEEDS_PER_PRINCIPAL_MAX, WAITERS_PER_CALL_MAX, WAITERS_PER_NODE_MAX};

/// The waiting parties of one node. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    maps: Arc<Maps>,
}

#[derive(Debug, Default)]
struct Maps {
    calls: DashMap<CallId, watch::Sender<()>>,
    waiters: AtomicUsize,
    spaces: DashMap<String, watch::Sender<()>>,
    feeds: DashMap<String, usize>,
}

/// There are too many waiting parties already; nobody is thrown out for a new one (BUGS 043).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many parties are waiting already")]
pub struct Full;

/// One party waiting for one call. Leaves the registry when dropped.
#[derive(Debug)]
pub struct Waiter {
    maps: Arc<Maps>,
    call: CallId,
    hints: Option<watch::Receiver<()>>,
}

/// One open feed of a space. Gives its place back when dropped.
#[derive(Debug)]
pub struct FeedHints {
    maps: Arc<Maps>,
    principal: String,
    hints: watch::Receiver<()>,
}

impl Registry {
    /// Registers a party that will wait for the call. Register first, then read, then sleep.
    ///
    /// # Errors
    /// [`Full`] at 64 parties for the call or 200 000 on the node.
    pub fn wait_for(&self, call: CallId) -> Result<Waiter, Full> {
        if self.maps.waiters.fetch_add(1, Ordering::Relaxed) >= WAITERS_PER_NODE_MAX {
            self.maps.waiters.fetch_sub(1, Ordering::Relaxed);
            return Err(Full);
        }
        let hints = {
            let entry = self.maps.calls.entry(call).or_insert_with(|| watch::Sender::new(()));
            (entry.receiver_count() < WAITERS_PER_CALL_MAX).then(|| entry.subscribe())
        };
        match hints {
            Some(hints) => Ok(Waiter { maps: Arc::clone(&self.maps), call, hints: Some(hints) }),
            None => {
                self.maps.waiters.fetch_sub(1, Ordering::Relaxed);
                Err(Full)
            }
        }
    }

    /// Tells all who wait for the call to look again.
    pub fn hint_call(&self, call: CallId) {
        if let Some(entry) = self.maps.calls.get(&call) {
            entry.send_replace(());
        }
    }

    /// How many parties wait for the call on this node.
    pub fn waiters(&self, call: CallId) -> usize {
        self.maps.calls.get(&call).map_or(0, |entry| entry.receiver_count())
    }

    /// How many parties wait on this node.
    pub fn waiters_total(&self) -> usize {
        self.maps.waiters.load(Ordering::Relaxed)
    }

    /// Opens a feed of a space for a principal.
    ///
    /// # Errors
    /// [`Full`] at 20 open feeds of the principal.
    pub fn follow(&self, space: &str, principal: &str) -> Result<FeedHints, Full> {
        {
            let mut open = self.maps.feeds.entry(principal.to_owned()).or_insert(0);
            if *open >= FEEDS_PER_PRINCIPAL_MAX {
                return Err(Full);
            }
            *open += 1;
        }
        let hints = {
            let entry = self.maps.spaces.entry(space.to_owned()).or_insert_with(|| watch::Sender::new(()));
            entry.subscribe()
        };
        Ok(FeedHints { maps: Arc::clone(&self.maps), principal: principal.to_owned(), hints })
    }

    /// Tells all feeds of the space to look again.
    pub fn hint_space(&self, space: &str) {
        if let Some(entry) = self.maps.spaces.get(space) {
            entry.send_replace(());
        }
    }

    /// How many feeds are open on this node.
    pub fn feeds_total(&self) -> usize {
        self.maps.feeds.iter().map(|entry| *entry.value()).sum()
    }
}

impl Waiter {
    /// The call that it waits for.
    pub fn call(&self) -> CallId {
        self.call
    }

    /// Forgets the hints so far: what is read after this is newer than they are.
    pub fn look(&mut self) {
        if let Some(hints) = &mut self.hints {
            hints.mark_unchanged();
        }
    }

    /// Ends at the next hint since [`Waiter::look`].
    pub async fn hinted(&mut self) {
        if let Some(hints) = &mut self.hints
            && hints.changed().await.is_ok()
        {
            return;
        }
        // The sender lives as long as this waiter is registered; without it there is nothing to be told.
        std::future::pending::<()>().await;
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.hints = None;
        self.maps.waiters.fetch_sub(1, Ordering::Relaxed);
        self.maps.calls.remove_if(&self.call, |_, entry| entry.receiver_count() == 0);
    }
}

impl FeedHints {
    /// Forgets the hints so far.
    pub fn look(&mut self) {
        self.hints.mark_unchanged();
    }

    /// Ends at the next hint since [`FeedHints::look`].
    pub async fn hinted(&mut self) {
        if self.hints.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for FeedHints {
    fn drop(&mut self) {
        if let Some(mut open) = self.maps.feeds.get_mut(&self.principal) {
            *open = open.saturating_sub(1);
        }
        self.maps.feeds.remove_if(&self.principal, |_, open| *open == 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn call() -> CallId {
        CallId(Uuid::now_v7())
    }

    #[tokio::test]
    async fn a_hint_between_looking_and_sleeping_is_not_lost() {
        let registry = Registry::default();
        let call = call();
        let mut waiter = registry.wait_for(call).unwrap();
        waiter.look();
        registry.hint_call(call);
        waiter.hinted().await;
    }

    #[test]
    fn waiters_leave_no_trace() {
        let registry = Registry::default();
        let call = call();
        let waiters: Vec<_> = (0..3).map(|_| registry.wait_for(call).unwrap()).collect();
        assert_eq!(registry.waiters(call), 3);
        drop(waiters);
        assert_eq!((registry.waiters(call), registry.waiters_total(), registry.maps.calls.len()), (0, 0, 0));
        let feed = registry.follow("default", "person_1").unwrap();
        assert_eq!(registry.feeds_total(), 1);
        drop(feed);
        assert_eq!((registry.feeds_total(), registry.maps.feeds.len()), (0, 0));
    }

    #[test]
    fn the_sixty_fifth_waiter_is_refused_and_the_others_stay() {
        let registry = Registry::default();
        let call = call();
        let waiters: Vec<_> = (0..WAITERS_PER_CALL_MAX).map(|_| registry.wait_for(call).unwrap()).collect();
        assert_eq!(registry.wait_for(call).unwrap_err(), Full);
        assert_eq!(registry.waiters_total(), waiters.len());
    }

    #[test]
    fn waiting_and_leaving_on_many_threads_leaves_no_trace() {
        let registry = Registry::default();
        let calls: Vec<_> = (0..8).map(|_| call()).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..5_000 {
                        let call = calls[round % calls.len()];
                        let waiter = registry.wait_for(call);
                        registry.hint_call(call);
                        drop(waiter);
                    }
                });
            }
        });
        assert_eq!((registry.waiters_total(), registry.maps.calls.len()), (0, 0));
    }
}
