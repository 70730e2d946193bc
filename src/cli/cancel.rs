//! `askhub cancel`: withdraws a call, as its asker; as the owner any call.

use super::exit::{Exit, Failure};
use super::question::fresh_key;
use super::{Common, connect, terminal};
use crate::client::{CancelForm, Patience};

/// Flags of `cancel`.
#[derive(Debug, clap::Args)]
pub struct CancelFlags {
    /// The call's id
    id: String,
    /// Why, for people
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// As the owner: a call of any agent
    #[arg(long)]
    owner: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs it.
///
/// # Errors
/// It could not be withdrawn.
pub async fn run(flags: CancelFlags) -> Result<Exit, Failure> {
    let id = connect::call_id(&flags.id)?;
    let who = if flags.owner { connect::As::Owner } else { connect::As::Agent };
    let client = connect::connect(&flags.common.connect, who).await?;
    let form = CancelForm { reason: flags.reason, answer_id: Some(fresh_key()) };
    let cancelled = Patience::Short.repeat(|| client.cancel(id, &form), |_| {}).await;
    let call = cancelled.map_err(|error| Failure::from(error).with_json(flags.common.json))?;
    if flags.common.json {
        terminal::print_json(&call.text)?;
    } else {
        terminal::note(call.value.status.name());
    }
    Ok(Exit::Done)
}
