//! How a node learns what others wrote to the same database: it asks once a second.
//!
//! A hint may come late or twice; it may not be lost. Each space's log is read from where it was left, so every
//! change of every node is seen once here, in order.

use std::collections::HashMap;

use super::Broker;
use crate::domain::limits::{POLL_INTERVAL, SYNC_EVENTS_MAX};
use crate::store::StoreError;

/// Polls until the broker stops.
pub(super) async fn run(broker: Broker) {
    let mut positions: Option<HashMap<String, u64>> = None;
    loop {
        match look(&broker, positions.as_ref()).await {
            Ok(new) => positions = Some(new),
            Err(error) => tracing::warn!(%error, "could not look for what other nodes wrote"),
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = broker.stopped() => return,
        }
    }
}

/// Wakes whoever is concerned by what was written since `positions`; the new positions.
async fn look(broker: &Broker, positions: Option<&HashMap<String, u64>>) -> Result<HashMap<String, u64>, StoreError> {
    let mut ends: HashMap<String, u64> = broker.store.log_ends().await?.into_iter().collect();
    let Some(positions) = positions else { return Ok(ends) };
    for (space, end) in &mut ends {
        let mut position = positions.get(space).copied().unwrap_or(0);
        let is_new = position < *end;
        while position < *end {
            let events = broker.store.events_after(space, position, SYNC_EVENTS_MAX).await?;
            let Some(last) = events.last() else { break };
            position = last.seq;
            events.iter().for_each(|event| broker.registry.hint_call(event.call_id));
        }
        *end = position;
        if is_new {
            broker.registry.hint_space(space);
        }
    }
    Ok(ends)
}
