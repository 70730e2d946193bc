//! `askhub answer`: a person answers, or declines to, from a shell.

use serde::Serialize;
use serde_json::value::RawValue;

use super::exit::{Exit, Failure};
use super::question::{fresh_key, read_file};
use super::{Common, connect, terminal};
use crate::client::{AnswerForm, CallReply, Client, ClientError, DeclineForm, Patience, Received};
use crate::domain::{Approval, CallId, GivenAnswer, JsonText, Verdict};

const EXAMPLES: &str = "\
Examples:
  askhub answer ID --select \"Ship it\" --note \"after lunch\"
  askhub answer ID --text \"Call it 'Inbox'\"
  askhub answer ID --select yes                          to a question for yes or no
  askhub answer ID --answers '[{\"id\": \"q1\", \"selected\": [\"EU\"]}, {\"id\": \"q2\", \"custom\": \"Ann\"}]'
  askhub answer ID --approve                             to a tool that asks to be called
  askhub answer ID --deny --text \"not on a Friday\"
  askhub answer ID --value '{\"name\": \"Ann\", \"size\": 3}'  to a form
  askhub answer ID --skip
  askhub answer ID --decline --reason \"not my call\"
  askhub answer ID --clarify --reply \"Which of the two databases?\"";

/// Flags of `answer`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true)
    .args(["select", "text", "value", "approve", "deny", "skip", "answers", "decline", "clarify"]))]
pub struct AnswerFlags {
    /// The call's id
    id: String,
    /// An option to choose, by label or id (for a confirmation: yes or no); repeat it
    #[arg(long, value_name = "OPTION")]
    select: Vec<String>,
    /// An answer in own words; beside --approve or --deny, why
    #[arg(long)]
    text: Option<String>,
    /// What to fill into a form, as a JSON object; `-` reads it from stdin
    #[arg(long, value_name = "JSON", conflicts_with_all = ["select", "text", "approve", "deny"])]
    value: Option<String>,
    /// Let the tool be called
    #[arg(long, conflicts_with_all = ["select", "deny"])]
    approve: bool,
    /// Do not let the tool be called
    #[arg(long, conflicts_with = "select")]
    deny: bool,
    /// A note beside the answer
    #[arg(long)]
    note: Option<String>,
    /// Which question, if the call has several (the others are skipped)
    #[arg(long, value_name = "ID", conflicts_with_all = ["answers", "skip", "decline", "clarify"])]
    question: Option<String>,
    /// Skip every question
    #[arg(long, conflicts_with_all = ["select", "text", "note", "value", "approve", "deny"])]
    skip: bool,
    /// Answers to several questions, as a JSON list; `-` reads it from stdin
    #[arg(long, value_name = "JSON", conflicts_with_all = ["select", "text", "note", "value", "approve", "deny", "skip"])]
    answers: Option<String>,
    /// Words beside the answers, or beside the refusal
    #[arg(long, value_name = "TEXT")]
    reply: Option<String>,
    /// Refuse to answer
    #[arg(long, conflicts_with_all = ["select", "text", "note", "value", "approve", "deny", "skip", "answers"])]
    decline: bool,
    /// Ask to be asked differently
    #[arg(long, conflicts_with_all = ["select", "text", "note", "value", "approve", "deny", "skip", "answers"])]
    clarify: bool,
    /// Why you decline
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl AnswerFlags {
    fn value(&self) -> Result<Option<JsonText>, Failure> {
        if self.approve || self.deny {
            let decision = if self.approve { Verdict::Approve } else { Verdict::Deny };
            return Ok(Some(Approval::new(decision).to_value()));
        }
        let Some(typed) = &self.value else { return Ok(None) };
        let text = if typed == "-" { read_file("-")? } else { typed.clone() };
        let value = JsonText::read(&text);
        value.map(Some).map_err(|error| Failure::usage(format!("--value is not JSON: {error}")))
    }
}

/// Answers as they were typed: the server says what is wrong with them.
#[derive(Serialize)]
struct TypedAnswers {
    answers: Box<RawValue>,
    reply: Option<String>,
    answer_id: String,
}

/// Runs it.
///
/// # Errors
/// The answer was not taken.
pub async fn run(flags: AnswerFlags) -> Result<Exit, Failure> {
    let as_json = flags.common.json;
    if flags.reason.is_some() && !flags.decline && !flags.clarify {
        return Err(Failure::usage("--reason goes with --decline or --clarify; beside an answer it is --note"));
    }
    let id = connect::call_id(&flags.id)?;
    let client = connect::connect(&flags.common.connect, connect::As::Owner).await?;
    let sent = send(&client, id, flags).await;
    let call = sent.map_err(|failure| failure.with_json(as_json))?;
    if as_json {
        terminal::print_json(&call.text)?;
    } else {
        terminal::note(call.value.status.name());
    }
    Ok(Exit::Done)
}

async fn send(client: &Client, id: CallId, flags: AnswerFlags) -> Result<Received<CallReply>, Failure> {
    // The same id in every repeat: the server then knows that it is the same answer.
    let answer_id = fresh_key();
    if flags.decline || flags.clarify {
        let form = DeclineForm {
            reason: flags.reason,
            clarify: flags.clarify.then_some(true),
            reply: flags.reply,
            answer_id: Some(answer_id),
            ..DeclineForm::default()
        };
        return Ok(Patience::Short.repeat(|| client.decline(id, &form), |_| {}).await?);
    }
    if let Some(typed) = flags.answers {
        let text = if typed == "-" { read_file("-")? } else { typed };
        let answers = RawValue::from_string(text);
        let answers = answers.map_err(|error| Failure::usage(format!("--answers is not JSON: {error}")))?;
        return repeat(client, id, &TypedAnswers { answers, reply: flags.reply, answer_id }).await;
    }
    let answers = if flags.skip {
        Vec::new()
    } else {
        let value = flags.value()?;
        let question = match flags.question {
            Some(question) => question,
            None => only_question(&client.call(id, 0).await?.value)?,
        };
        let selected = Some(flags.select).filter(|selected| !selected.is_empty());
        vec![GivenAnswer { id: question, selected, custom: flags.text, notes: flags.note, value }]
    };
    repeat(client, id, &AnswerForm { answers, reply: flags.reply, answer_id: Some(answer_id), ..AnswerForm::default() })
        .await
}

async fn repeat(client: &Client, id: CallId, form: &impl Serialize) -> Result<Received<CallReply>, Failure> {
    let answered: Result<_, ClientError> = Patience::Short.repeat(|| client.answer(id, form), |_| {}).await;
    Ok(answered?)
}

/// The question that is meant when none is named.
fn only_question(call: &CallReply) -> Result<String, Failure> {
    if let [question] = call.questions.as_slice() {
        return Ok(question.id.clone());
    }
    let lines = call.questions.iter().map(|question| format!("  {}: {}", question.id, question.question));
    let lines: Vec<_> = lines.collect();
    let hint = "the call has several questions: say which by --question, or answer all by --answers";
    Err(Failure::usage(format!("{hint}\n{}", lines.join("\n"))))
}
