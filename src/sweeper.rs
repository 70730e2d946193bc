//! Expires what is due when nobody looks: at the start, at deadlines, and at least every five seconds.

use std::time::Duration;

use crate::broker::{Broker, SWEEP_CALLS_MAX};
use crate::domain::limits::SWEEP_INTERVAL;

/// Sweeps until the broker stops.
pub async fn run(broker: Broker) {
    loop {
        let pause = sweep(&broker).await;
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = broker.stopped() => return,
        }
    }
}

/// Expires what is due; how long to wait until the next look.
pub async fn sweep(broker: &Broker) -> Duration {
    match broker.expire_due().await {
        Ok(SWEEP_CALLS_MAX) => Duration::ZERO,
        Ok(_) => next_look(broker).await,
        Err(error) => {
            tracing::warn!(%error, "could not look for calls that are due");
            SWEEP_INTERVAL
        }
    }
}

/// At the next deadline, if that is sooner than the interval. Never shorter than this, so that clocks which disagree
/// by a moment do not make it spin.
const PAUSE_MIN: Duration = Duration::from_millis(20);

async fn next_look(broker: &Broker) -> Duration {
    let until_deadline = broker.until_next_deadline(SWEEP_INTERVAL).await;
    until_deadline.unwrap_or(SWEEP_INTERVAL).max(PAUSE_MIN)
}
