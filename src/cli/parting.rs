//! What a command still does after a signal: it leaves nothing half done, but not for long.
//!
//! Invariant: a second signal, or a hub that does not reply in time, ends it.

use std::time::Duration;

use super::exit::{Exit, Failure};
use super::question::fresh_key;
use super::signals::Signals;
use crate::client::{CallReply, CancelForm, Client, ClientError, Patience, Received};
use crate::domain::CallId;

/// How long an interrupted command may take to find out, or undo, what it did.
const PARTING_MAX: Duration = Duration::from_secs(5);

/// Sends a question, and whether a signal came meanwhile. A signal in the middle does not leave it unknown whether the
/// question was taken.
///
/// # Errors
/// It was not taken.
pub async fn sent<T>(
    sending: impl Future<Output = Result<T, ClientError>>,
    signals: &mut Signals,
) -> Result<(T, bool), Failure> {
    tokio::pin!(sending);
    tokio::select! {
        sent = &mut sending => return Ok((sent?, false)),
        () = signals.next() => {}
    }
    match tokio::time::timeout(PARTING_MAX, sending).await {
        Ok(sent) => Ok((sent?, true)),
        Err(_) => Err(Failure::new(Exit::Interrupted, "interrupted; it is unknown whether the question was taken")),
    }
}

/// Withdraws the call of an interrupted command; nothing if that takes too long.
pub async fn withdrawn(
    client: &Client,
    id: CallId,
    signals: &mut Signals,
) -> Option<Result<Received<CallReply>, ClientError>> {
    let form = CancelForm { reason: Some("interrupted".to_owned()), answer_id: Some(fresh_key()) };
    let withdrawing = Patience::Short.repeat(|| client.cancel(id, &form), |_| {});
    let withdrawn = tokio::select! {
        withdrawn = tokio::time::timeout(PARTING_MAX, withdrawing) => withdrawn.ok(),
        () = signals.next() => None,
    };
    if withdrawn.is_none() {
        super::terminal::note("askhub did not reply in time: the question may still be pending");
    }
    withdrawn
}
