//! `askhub ask`: asks, waits, prints the answer.
//!
//! Invariant: once the server has the question, nothing but its outcome or the user ends the wait: not a restart, not
//! a dropped connection. The question is there first and waited for second, so its link is shown at once.

use std::time::Duration;

use super::exit::{Exit, Failure};
use super::outcome::{self, PrintFlags};
use super::progress::Progress;
use super::question::QuestionFlags;
use super::signals::Signals;
use super::wait::{Ended, until_settled};
use super::{Common, connect, parting, terminal};
use crate::client::{CallReply, Client, Patience, Received};
use crate::config::parse_duration;
use crate::domain::Status;

const EXAMPLES: &str = "\
Prints the answer on stdout: the labels that were chosen, one a line, or the words that were typed. \
Several questions (--file) are printed whole, as by --text. \
What comes instead of an answer goes to stderr; the exit code says what it was. \
On exit 75 and 130 stdout has the call's id.

Examples:
  askhub ask \"Ship it?\" --option Ship --option Hold --describe \"Hold=until Monday\"
  askhub ask \"Which regions?\" --option EU --option US --option Asia --multi --no-custom
  askhub ask \"Drop the table?\" --confirm --timeout 30m --default no --accept-default
  askhub ask \"What should the changelog say?\" --context @diff.md --key changelog-41
  id=$(askhub ask \"Rename it to what?\" --no-wait); askhub wait \"$id\"
  askhub ask --file ask.json --json";

/// Flags of `ask`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct AskFlags {
    #[command(flatten)]
    question: QuestionFlags,
    /// Ask and go: print the id, exit 75
    #[arg(long)]
    no_wait: bool,
    /// Stop waiting after this time with exit 75; the question stays
    #[arg(long, value_name = "TIME", value_parser = parse_duration, conflicts_with = "no_wait")]
    wait_max: Option<Duration>,
    /// Withdraw the question when interrupted (SIGINT, SIGTERM)
    #[arg(long)]
    cancel_on_interrupt: bool,
    #[command(flatten)]
    print: PrintFlags,
    #[command(flatten)]
    common: Common,
}

/// Runs it.
///
/// # Errors
/// The question was not taken.
pub async fn run(flags: AskFlags) -> Result<Exit, Failure> {
    let asking =
        Asking { cancel_on_interrupt: flags.cancel_on_interrupt, print: flags.print, as_json: flags.common.json };
    let as_json = flags.common.json;
    let body = flags.question.body()?;
    let client = connect::connect(&flags.common.connect, connect::As::Agent).await?;
    let mut signals = Signals::listen()?;
    let sending = Patience::Short.repeat(|| client.ask(&body), |_| {});
    let sent = parting::sent(sending, &mut signals).await;
    let (call, was_interrupted) = sent.map_err(|failure| failure.with_json(as_json))?;
    asking.say(&format!("asked: {}", call.value.url));
    if call.value.status != Status::Pending {
        return outcome::finish(&client, &call, &asking.print, as_json).await;
    }
    if was_interrupted {
        return asking.part(&client, &call, &mut signals).await;
    }
    if flags.no_wait {
        outcome::print_pending(&call, as_json)?;
        return Ok(Exit::Pending);
    }
    asking.wait(&client, call, flags.wait_max, &mut signals).await
}

struct Asking {
    cancel_on_interrupt: bool,
    print: PrintFlags,
    as_json: bool,
}

impl Asking {
    async fn wait(
        &self,
        client: &Client,
        call: Received<CallReply>,
        limit: Option<Duration>,
        signals: &mut Signals,
    ) -> Result<Exit, Failure> {
        let progress = Progress::start("an answer", self.print.quiet);
        let ended = until_settled(client, call.value.id, limit, signals, &progress).await;
        progress.clear();
        match ended.map_err(|failure| failure.with_json(self.as_json))? {
            Ended::Settled(call) => outcome::finish(client, &call, &self.print, self.as_json).await,
            Ended::TimeUp => {
                self.say(&format!("still pending; go on with: askhub wait {}", call.value.id));
                outcome::print_pending(&call, self.as_json)?;
                Ok(Exit::Pending)
            }
            Ended::Interrupted => self.part(client, &call, signals).await,
        }
    }

    /// What an interrupt does: nothing to the call, unless it should be withdrawn. A second one ends even that.
    async fn part(&self, client: &Client, call: &Received<CallReply>, signals: &mut Signals) -> Result<Exit, Failure> {
        let id = call.value.id;
        let withdrawn = match self.cancel_on_interrupt {
            true => parting::withdrawn(client, id, signals).await,
            false => None,
        };
        match withdrawn {
            None => {
                terminal::note(&format!("interrupted; the question stays: askhub wait {id}"));
                outcome::print_pending(call, self.as_json)?;
                Ok(Exit::Interrupted)
            }
            Some(Ok(call)) => {
                terminal::note("interrupted; the question is withdrawn");
                if self.as_json {
                    terminal::print_json(&call.text)?;
                }
                Ok(Exit::Interrupted)
            }
            // Somebody answered in the last moment: what was waited for is there.
            Some(Err(error)) if error.code() == "already_settled" => {
                let call = client.call(id, 0).await?;
                outcome::finish(client, &call, &self.print, self.as_json).await
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    fn say(&self, text: &str) {
        if !self.print.quiet {
            terminal::note(text);
        }
    }
}
