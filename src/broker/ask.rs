//! Asking: stored before it is acknowledged, once for one key.

use uuid::Uuid;

use super::wait::Budget;
use super::{Broker, BrokerError, View};
use crate::domain::{
    Applied, Ask, Asker, ByKind, Call, CallId, Command, DialectUse, Digest, NewCall, OnUnattended, Principal, Via,
};
use crate::store::StoreError;

/// A valid ask, with what the way in knows about it.
#[derive(Debug, Clone)]
pub struct AskRequest {
    /// What is asked.
    pub ask: Ask,
    /// Equal for equal asks.
    pub same_ask: Digest,
    /// The tool whose arguments it came as.
    pub dialect: Option<DialectUse>,
    /// By which way it came.
    pub via: Via,
}

/// What came of asking.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The call, pending or settled.
    pub view: View,
    /// Whether it was made by this request; else the key named it already.
    pub is_new: bool,
}

impl Broker {
    /// Asks, and waits for the outcome if there is a budget for it.
    ///
    /// The same key with the same ask gets the same call again, whatever its state: so a client comes back.
    ///
    /// # Errors
    /// [`BrokerError::Lost`] if the key names another ask; [`BrokerError::TooManyPending`].
    pub async fn ask(&self, who: &Principal, request: AskRequest, budget: Budget) -> Result<Asked, BrokerError> {
        let id = CallId(Uuid::now_v7());
        // Registered before the call exists: no answer can come between the write and the wait.
        let waiter = if budget.is_zero() { None } else { Some(self.registry.wait_for(id)?) };
        let unattended = self.is_unattended(who, &request.ask).await?;
        let new = NewCall {
            id,
            space: who.space.clone(),
            asker: asker(who),
            ask: request.ask,
            same_ask: request.same_ask,
            dialect: request.dialect,
            unattended,
            by: who.by(request.via),
        };
        match self.write(Command::Ask(Box::new(new))).await? {
            Applied::Done(call) => {
                let call = match waiter {
                    Some(waiter) if !call.is_settled() => self.wait_from(who, waiter, Some(*call), budget).await?,
                    _ => *call,
                };
                self.asked(who, call, true).await
            }
            Applied::Held(call) | Applied::Existing(call) => {
                drop(waiter);
                let call = if call.is_settled() { *call } else { self.wait_call(who, call.id, budget).await? };
                self.asked(who, call, false).await
            }
            Applied::Lost(call, loss) => Err(BrokerError::Lost(Box::new(self.view(*call).await?), loss)),
            Applied::TooManyPending => Err(BrokerError::TooManyPending),
            Applied::Absent => Err(BrokerError::NotFound),
        }
    }

    async fn asked(&self, who: &Principal, call: Call, is_new: bool) -> Result<Asked, BrokerError> {
        self.note_delivery(who, &call);
        Ok(Asked { view: self.view(call).await?, is_new })
    }

    async fn is_unattended(&self, who: &Principal, ask: &Ask) -> Result<bool, StoreError> {
        match ask.on_unattended {
            OnUnattended::Wait => Ok(false),
            OnUnattended::Return => Ok(!self.store.is_attended(&who.space).await?),
        }
    }
}

fn asker(who: &Principal) -> Asker {
    let kind = if who.is_person() { ByKind::Person } else { ByKind::Agent };
    Asker { kind, id: who.id.clone(), name: who.name.clone() }
}
