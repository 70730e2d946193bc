//! Reading calls: each by who may see it, and none pending past its deadline.

use super::{Broker, BrokerError};
use crate::domain::{
    Call, CallId, Command, Event, LateAnswer, Principal, Timestamp, can_see, expire, is_asker, limits,
};
use crate::store::{Cursor, ListQuery, Sort, StatusFilter, StoreError};

/// A call with what is known beside it.
#[derive(Debug, Clone)]
pub struct View {
    /// The call.
    pub call: Call,
    /// The first answers that came too late.
    pub late: Vec<LateAnswer>,
    /// How many parties wait for it on this node.
    pub waiters: usize,
}

/// A page of calls.
#[derive(Debug, Clone)]
pub struct ViewPage {
    /// The calls, in order.
    pub views: Vec<View>,
    /// Where the next page begins.
    pub next: Option<Cursor>,
}

/// Which calls to list.
#[derive(Debug, Clone, Default)]
pub struct CallQuery {
    /// Only those with such a status.
    pub status: Option<StatusFilter>,
    /// Only those with this key.
    pub key: Option<String>,
    /// Only those whose agent has this name.
    pub agent: Option<String>,
    /// Only those that contain this text.
    pub text: Option<String>,
    /// The order.
    pub sort: Sort,
    /// Where the page before ended.
    pub after: Option<Cursor>,
    /// At most so many.
    pub limit: usize,
}

impl Broker {
    /// The call, if the principal may see it. Counts as delivered when its asker reads the outcome.
    ///
    /// # Errors
    /// [`BrokerError::NotFound`] also for a call of somebody else's.
    pub async fn get(&self, who: &Principal, id: CallId) -> Result<View, BrokerError> {
        let (call, _) = self.read(who, id).await?;
        self.note_delivery(who, &call);
        self.view(call).await
    }

    /// What happened to a call, in order: the first few hundred events.
    ///
    /// # Errors
    /// [`BrokerError::NotFound`] also for a call of somebody else's.
    pub async fn trail(&self, who: &Principal, id: CallId) -> Result<Vec<Event>, BrokerError> {
        let (call, _) = self.read(who, id).await?;
        Ok(self.store.events_of(call.id, limits::TRAIL_EVENTS_MAX).await?)
    }

    /// A page of the calls that the principal may see.
    ///
    /// # Errors
    /// What the store says.
    pub async fn list(&self, who: &Principal, query: CallQuery) -> Result<ViewPage, BrokerError> {
        let wanted = query.status;
        let query = ListQuery {
            space: who.space.clone(),
            asker: (!who.is_person()).then(|| who.id.clone()),
            status: query.status,
            key: query.key,
            agent: query.agent,
            text: query.text,
            sort: query.sort,
            after: query.after,
            limit: query.limit,
        };
        let page = self.store.list(&query).await?;
        let mut views = Vec::with_capacity(page.calls.len());
        for call in page.calls {
            let call = self.expire_if_due(call, page.now).await?;
            if wanted.is_none_or(|filter| filter.admits(call.status)) {
                self.note_delivery(who, &call);
                views.push(self.view(call).await?);
            }
        }
        Ok(ViewPage { views, next: page.next })
    }

    /// The call as it is now and the store's time; expired first if it is due.
    pub(super) async fn read(&self, who: &Principal, id: CallId) -> Result<(Call, Timestamp), BrokerError> {
        let fetched = self.store.get_many(&[id]).await?;
        let call = fetched.calls.into_iter().next().filter(|call| is_visible(who, call));
        let call = call.ok_or(BrokerError::NotFound)?;
        Ok((self.expire_if_due(call, fetched.now).await?, fetched.now))
    }

    /// Whoever meets a due call expires it, so that nobody reads `pending` past the deadline.
    pub(super) async fn expire_if_due(&self, call: Call, now: Timestamp) -> Result<Call, StoreError> {
        if expire(&call, now).is_none() {
            return Ok(call);
        }
        self.write(Command::Expire { call: call.id }).await?;
        let fetched = self.store.get_many(&[call.id]).await?;
        Ok(fetched.calls.into_iter().next().unwrap_or(call))
    }

    pub(super) async fn view(&self, mut call: Call) -> Result<View, BrokerError> {
        // A claim whose time is over is none.
        call.claim = call.claim_at(self.clock.now()).cloned();
        let late = if call.late_answers_total > 0 {
            self.store.late_answers(call.id, limits::LATE_ANSWERS_SHOWN_MAX).await?
        } else {
            Vec::new()
        };
        let waiters = self.registry.waiters(call.id);
        Ok(View { call, late, waiters })
    }

    /// Notes, off the reply's path, that the asker has been handed the outcome.
    pub(super) fn note_delivery(&self, who: &Principal, call: &Call) {
        if !call.is_settled() || call.delivered_at.is_some() || !is_asker(who, call) {
            return;
        }
        let broker = self.clone();
        let id = call.id;
        self.tasks.spawn(async move {
            match broker.store.write(Command::Deliver { call: id }).await {
                Ok(applied) => broker.hint(&applied),
                Err(error) => tracing::warn!(call.id = %id, %error, "could not note the delivery of call {id}"),
            }
        });
    }
}

/// An erased call is gone for everybody; its events stay.
pub(super) fn is_visible(who: &Principal, call: &Call) -> bool {
    call.erased_at.is_none() && can_see(who, call)
}
