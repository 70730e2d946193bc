//! Following a space's log: in order, without a gap, or with an announced one.

use std::collections::VecDeque;

use super::{Broker, BrokerError};
use crate::domain::{Event, Principal, limits};
use crate::registry::FeedHints;
use crate::store::LogBounds;

/// One open feed: yields the events of a space that its principal may see, from a cursor on.
pub struct Feed {
    broker: Broker,
    who: Principal,
    hints: FeedHints,
    epoch: String,
    position: u64,
    ready: VecDeque<FeedItem>,
}

/// What a feed yields.
#[derive(Debug, Clone)]
pub enum FeedItem {
    /// The feed stands at this cursor; only what comes after it follows.
    Ready(String),
    /// What the client knew cannot be continued: read everything anew, then go on from this cursor.
    Reset(String),
    /// An event, and the cursor after it.
    Event(Event, String),
}

/// A piece of a space's log.
#[derive(Debug, Clone)]
pub struct SyncPage {
    /// The events after the cursor that was given, in order.
    pub events: Vec<Event>,
    /// The cursor after them.
    pub next: String,
    /// Whether the cursor that was given cannot be continued from.
    pub reset: bool,
}

impl Broker {
    /// The events after a cursor; from the oldest kept without one.
    ///
    /// # Errors
    /// What the store says.
    pub async fn sync(&self, who: &Principal, after: Option<&str>) -> Result<SyncPage, BrokerError> {
        let bounds = self.store.log_bounds(&who.space).await?;
        let position = match after {
            None => Some(bounds.before_first),
            Some(cursor) => position_of(cursor, &bounds),
        };
        let Some(position) = position else {
            return Ok(SyncPage { events: Vec::new(), next: cursor(&bounds.epoch, bounds.last), reset: true });
        };
        let events = self.store.events_after(&who.space, position, limits::SYNC_EVENTS_MAX).await?;
        let next = events.last().map_or(position, |event| event.seq);
        let events = events.into_iter().filter(|event| may_see(who, event)).collect();
        Ok(SyncPage { events, next: cursor(&bounds.epoch, next), reset: false })
    }

    /// Opens a feed after a cursor; from now on without one.
    ///
    /// # Errors
    /// [`BrokerError::TooManyWaiters`] at 20 feeds of the principal.
    pub async fn follow(&self, who: &Principal, after: Option<&str>) -> Result<Feed, BrokerError> {
        // Subscribed before the log's end is read: no event can fall between the two.
        let hints = self.registry.follow(&who.space, &who.id)?;
        let bounds = self.store.log_bounds(&who.space).await?;
        let known = after.map(|cursor| position_of(cursor, &bounds));
        let position = known.flatten().unwrap_or(bounds.last);
        let first = match known {
            None => Some(FeedItem::Ready(cursor(&bounds.epoch, position))),
            Some(None) => Some(FeedItem::Reset(cursor(&bounds.epoch, position))),
            Some(Some(_)) => None,
        };
        let ready = first.into_iter().collect();
        Ok(Feed { broker: self.clone(), who: who.clone(), hints, epoch: bounds.epoch, position, ready })
    }
}

impl Feed {
    /// Takes what the feed begins with, if it begins with `Ready` or `Reset`; none if it goes on from a cursor.
    pub fn opening(&mut self) -> Option<FeedItem> {
        match self.ready.front() {
            Some(FeedItem::Ready(_) | FeedItem::Reset(_)) => self.ready.pop_front(),
            _ => None,
        }
    }

    /// The next item; none when the broker stops. May be dropped and called again without losing anything.
    ///
    /// # Errors
    /// What the store says.
    pub async fn next(&mut self) -> Result<Option<FeedItem>, BrokerError> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            if self.broker.is_stopping() {
                return Ok(None);
            }
            self.hints.look();
            if self.fetch().await? {
                continue;
            }
            let stopping = self.broker.stopping.clone();
            tokio::select! {
                () = self.hints.hinted() => {}
                () = stopping.cancelled() => return Ok(None),
            }
        }
    }

    /// Reads on; whether there was anything, be it for this principal or not.
    async fn fetch(&mut self) -> Result<bool, BrokerError> {
        let store = &self.broker.store;
        let events = store.events_after(&self.who.space, self.position, FEED_PAGE_EVENTS).await?;
        let any = !events.is_empty();
        for event in events {
            self.position = event.seq;
            if may_see(&self.who, &event) {
                let cursor = cursor(&self.epoch, event.seq);
                self.ready.push_back(FeedItem::Event(event, cursor));
            }
        }
        Ok(any)
    }
}

/// Events that one feed holds in memory at most: a slow reader costs no more than this.
const FEED_PAGE_EVENTS: usize = 256;

/// An agent's feed holds its own calls alone.
fn may_see(who: &Principal, event: &Event) -> bool {
    who.is_person() || event.asker == who.id
}

fn cursor(epoch: &str, position: u64) -> String {
    format!("{epoch}-{position}")
}

/// The place that a cursor names; none if it is of another database, of the future, or older than what is kept.
fn position_of(cursor: &str, bounds: &LogBounds) -> Option<u64> {
    let (epoch, position) = cursor.rsplit_once('-')?;
    let position: u64 = position.parse().ok().filter(|number: &u64| number.to_string() == position)?;
    let is_known = epoch == bounds.epoch && (bounds.before_first..=bounds.last).contains(&position);
    is_known.then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_continued_only_in_its_own_log() {
        let bounds = LogBounds { epoch: "e1".to_owned(), before_first: 3, last: 9 };
        assert_eq!(position_of("e1-3", &bounds), Some(3));
        assert_eq!(position_of("e1-9", &bounds), Some(9));
        for foreign in
            ["e1-2", "e1-10", "e2-5", "5", "", "e1-", "e1-+5", "e1-05", "e1-5\r\n", "e1-99999999999999999999"]
        {
            assert_eq!(position_of(foreign, &bounds), None, "{foreign:?}");
        }
    }
}
