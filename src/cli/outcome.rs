//! Prints what came of a call, and confirms to the server that it arrived.
//!
//! Invariant: an outcome is confirmed only after it was written to stdout. stdout has an answer and nothing else: what
//! came instead of one (declined, expired, cancelled) goes to stderr, so that no script takes it for one.

use std::time::Duration;

use super::exit::{Exit, Failure};
use super::terminal;
use crate::client::{CallReply, Client, ClientError, Patience, Received};
use crate::domain::{Answer, Answered, JsonText, Outcome, Status};

/// How to print an outcome.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct PrintFlags {
    /// Print the whole outcome as text, as for a model: who answered, notes, and what came instead of an answer
    #[arg(long, conflicts_with = "json")]
    pub text: bool,
    /// Take a default that --default declared for an answer: exit 0 instead of 11
    #[arg(long)]
    pub accept_default: bool,
    /// Say nothing on stderr while waiting
    #[arg(long, short)]
    pub quiet: bool,
}

/// A confirmation is a courtesy: it may not hold up who has the answer already.
const ACK_MAX: Duration = Duration::from_secs(5);

/// Prints a settled call, confirms it, and says how the command ends.
///
/// # Errors
/// It could not be printed.
pub async fn finish(
    client: &Client,
    call: &Received<CallReply>,
    flags: &PrintFlags,
    as_json: bool,
) -> Result<Exit, Failure> {
    let exit = print(call, flags, as_json)?;
    confirm(client, &call.value).await;
    Ok(exit)
}

/// Prints what there is instead of an outcome: the id of a call that is pending still.
///
/// # Errors
/// It could not be printed.
pub fn print_pending(call: &Received<CallReply>, as_json: bool) -> Result<(), Failure> {
    if as_json { terminal::print_json(&call.text) } else { terminal::print(&call.value.id.to_string()) }
}

/// Tells the server that the outcome arrived.
pub async fn confirm(client: &Client, call: &CallReply) {
    if call.status == Status::Pending || call.acked_at.is_some() {
        return;
    }
    let confirmed = tokio::time::timeout(ACK_MAX, Patience::Short.repeat(|| client.ack(call.id), |_| {})).await;
    match confirmed {
        // Somebody who looks at another's call may not confirm it, and need not.
        Ok(Ok(_) | Err(ClientError::Refused(_))) => {}
        Ok(Err(error)) => terminal::note(&format!("could not tell askhub that the answer arrived: {error}")),
        Err(_) => terminal::note("could not tell askhub that the answer arrived: it did not reply in time"),
    }
}

fn print(call: &Received<CallReply>, flags: &PrintFlags, as_json: bool) -> Result<Exit, Failure> {
    let outcome = call.value.read_outcome();
    let exit = Exit::of(call.value.status, outcome.as_ref(), flags.accept_default);
    if as_json {
        terminal::print_json(&call.text)?;
        return Ok(exit);
    }
    let Some(outcome) = outcome else {
        terminal::note(&format!("this call was {}; its content was erased", call.value.status.name()));
        return Ok(exit);
    };
    if flags.text {
        terminal::print(&outcome.text)?;
    } else if exit == Exit::Done {
        print_answer(&outcome)?;
    } else {
        terminal::note(&outcome.text);
    }
    Ok(exit)
}

/// The bare answer to one question; several questions are printed whole, because each answer needs its question.
fn print_answer(outcome: &Outcome) -> Result<(), Failure> {
    let [answer] = outcome.answers.as_slice() else { return terminal::print(&outcome.text) };
    match answer.status {
        Answered::Skipped => terminal::note("(skipped)"),
        Answered::Answered => terminal::print(&answer_lines(answer))?,
    }
    for (name, words) in [("note", &answer.notes), ("reply", &outcome.reply)] {
        if let Some(words) = words {
            terminal::note(&format!("{name}: {words}"));
        }
    }
    Ok(())
}

/// One line for each label, own words as they were typed, a typed value as JSON.
pub fn answer_lines(answer: &Answer) -> String {
    let chosen = answer.selected.iter().map(|option| option.label.as_str());
    chosen
        .chain(answer.custom.as_deref())
        .chain(answer.value.as_ref().map(JsonText::get))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Selected;

    #[test]
    fn an_answer_is_its_labels_and_its_own_words() {
        let option = |label: &str| Selected { id: "o".to_owned(), label: label.to_owned() };
        let mut answer = Answer {
            id: "q1".to_owned(),
            status: Answered::Answered,
            selected: vec![option("Ship it")],
            custom: None,
            notes: Some("carefully".to_owned()),
            value: None,
        };
        assert_eq!(answer_lines(&answer), "Ship it");
        answer.selected.push(option("Tell Ann"));
        answer.custom = Some("and\nrest".to_owned());
        assert_eq!(answer_lines(&answer), "Ship it\nTell Ann\nand\nrest");
    }
}
