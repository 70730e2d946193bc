//! Waiting: subscribe, read the store, sleep until a hint, read again. Never the other order.

use std::time::Duration;

use tokio::time::Instant;

use super::read::is_visible;
use super::{Broker, BrokerError, View};
use crate::domain::{Call, CallId, Principal, Timestamp};
use crate::registry::Waiter;

/// How long one request may be held. Ends the request, never the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// So long.
    For(Duration),
    /// Until the outcome: for connections that show that they live, such as a WebSocket.
    Unlimited,
}

/// What came of waiting for several calls.
#[derive(Debug, Clone)]
pub struct AnyWait {
    /// Those that have their outcome.
    pub settled: Vec<View>,
    /// Those that have none yet.
    pub pending: Vec<CallId>,
    /// Those that are not there for this principal.
    pub unknown: Vec<CallId>,
}

impl Budget {
    /// Whole seconds.
    pub fn seconds(seconds: u64) -> Self {
        Self::For(Duration::from_secs(seconds))
    }

    /// Whether there is nothing to wait with.
    pub fn is_zero(self) -> bool {
        self == Self::For(Duration::ZERO)
    }

    /// When it is used up, if ever.
    fn end(self) -> Option<Instant> {
        match self {
            Self::For(time) => Some(Instant::now() + time),
            Self::Unlimited => None,
        }
    }
}

impl Broker {
    /// Waits until the call is settled, the budget is used up or the broker stops: the call as it is then.
    ///
    /// # Errors
    /// [`BrokerError::NotFound`]; [`BrokerError::TooManyWaiters`].
    pub async fn wait(&self, who: &Principal, id: CallId, budget: Budget) -> Result<View, BrokerError> {
        let call = self.wait_call(who, id, budget).await?;
        self.note_delivery(who, &call);
        self.view(call).await
    }

    /// Waits until at least one of the calls is settled, as [`Broker::wait`] does for one.
    ///
    /// # Errors
    /// [`BrokerError::TooManyWaiters`].
    pub async fn wait_any(&self, who: &Principal, ids: &[CallId], budget: Budget) -> Result<AnyWait, BrokerError> {
        let mut waiters = Vec::new();
        if !budget.is_zero() {
            for id in ids {
                waiters.push(self.registry.wait_for(*id)?);
            }
        }
        let end = budget.end();
        loop {
            waiters.iter_mut().for_each(Waiter::look);
            let (state, nap) = self.read_any(who, ids).await?;
            let is_over = end.is_some_and(|end| Instant::now() >= end) || self.is_stopping();
            if !state.settled.is_empty() || state.pending.is_empty() || is_over {
                return Ok(state);
            }
            let hints = waiters.iter_mut().map(|waiter| Box::pin(waiter.hinted()));
            tokio::select! {
                _ = futures_util::future::select_all(hints) => {}
                () = self.nap(nap) => {}
                () = until(end) => {}
                () = self.stopped() => {}
            }
        }
    }

    pub(super) async fn wait_call(&self, who: &Principal, id: CallId, budget: Budget) -> Result<Call, BrokerError> {
        if budget.is_zero() {
            return Ok(self.read(who, id).await?.0);
        }
        let waiter = self.registry.wait_for(id)?;
        self.wait_from(who, waiter, None, budget).await
    }

    /// Waits with a party that is registered already. `seen` is the call as it was read after registering.
    pub(super) async fn wait_from(
        &self,
        who: &Principal,
        mut waiter: Waiter,
        seen: Option<Call>,
        budget: Budget,
    ) -> Result<Call, BrokerError> {
        let end = budget.end();
        let mut seen = match seen {
            Some(call) => {
                let now = call.asked_at;
                Some((call, now))
            }
            None => None,
        };
        loop {
            let (call, now) = match seen.take() {
                Some(seen) => seen,
                None => {
                    waiter.look();
                    self.read(who, waiter.call()).await?
                }
            };
            let is_over = end.is_some_and(|end| Instant::now() >= end) || self.is_stopping();
            if call.is_settled() || is_over {
                return Ok(call);
            }
            tokio::select! {
                () = waiter.hinted() => {}
                () = self.nap(until_deadline(&call, now)) => {}
                () = until(end) => {}
                () = self.stopped() => {}
            }
        }
    }

    async fn read_any(&self, who: &Principal, ids: &[CallId]) -> Result<(AnyWait, Option<Duration>), BrokerError> {
        let fetched = self.store.get_many(ids).await?;
        let mut state = AnyWait { settled: Vec::new(), pending: Vec::new(), unknown: ids.to_vec() };
        let mut nap: Option<Duration> = None;
        for call in fetched.calls.into_iter().filter(|call| is_visible(who, call)) {
            let call = self.expire_if_due(call, fetched.now).await?;
            state.unknown.retain(|id| *id != call.id);
            if call.is_settled() {
                self.note_delivery(who, &call);
                state.settled.push(self.view(call).await?);
            } else {
                let left = until_deadline(&call, fetched.now);
                nap = [nap, left].into_iter().flatten().min();
                state.pending.push(call.id);
            }
        }
        Ok((state, nap))
    }

    /// Sleeps as long as the store's clock says it is until a deadline; for ever without one.
    async fn nap(&self, time: Option<Duration>) {
        match time {
            Some(time) => {
                let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
                let at = Timestamp::from_millis(self.clock.now().as_millis().saturating_add(millis));
                self.clock.sleep_until(at).await;
            }
            None => std::future::pending().await,
        }
    }
}

fn until_deadline(call: &Call, now: Timestamp) -> Option<Duration> {
    // A millisecond more than nothing: a clock that lags the store's must not spin.
    call.due_at().map(|deadline| now.until(deadline).max(Duration::from_millis(1)))
}

async fn until(end: Option<Instant>) {
    match end {
        Some(end) => tokio::time::sleep_until(end).await,
        None => std::future::pending().await,
    }
}
