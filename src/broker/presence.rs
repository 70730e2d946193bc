//! Whether a person can be reached: an open page is a lease in the store, which every node reads.

use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::Broker;
use crate::domain::limits::PRESENCE_RENEWAL;

/// An open page that can answer. Leaves when dropped.
pub struct Presence {
    _leaving: DropGuard,
}

impl Broker {
    /// Says that a page which can answer is open in the space, until the guard is dropped.
    ///
    /// Ends when the store knows: an ask that comes after this finds somebody.
    pub async fn attend(&self, space: &str) -> Presence {
        let lease = Uuid::now_v7().to_string();
        let leaving = CancellationToken::new();
        self.renew(space, &lease).await;
        let broker = self.clone();
        let space = space.to_owned();
        let left = leaving.clone();
        self.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = tokio::time::sleep(PRESENCE_RENEWAL) => broker.renew(&space, &lease).await,
                    () = left.cancelled() => break,
                    () = broker.stopped() => break,
                }
            }
            if let Err(error) = broker.store.leave(&lease).await {
                tracing::debug!(%error, "could not give a presence back; it ends by itself");
            }
        });
        Presence { _leaving: leaving.drop_guard() }
    }

    async fn renew(&self, space: &str, lease: &str) {
        if let Err(error) = self.store.be_present(space, lease).await {
            tracing::warn!(%error, "could not note that a page is open in space {space}");
        }
    }
}
