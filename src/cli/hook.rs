//! `askhub hook`: what the host of an agent calls by itself. It gets the host's event on stdin and prints a decision.
//!
//! Invariant: a decision tells what a person did, or that nobody did anything. Where askhub cannot be asked there is no
//! decision: the host goes on as if it had no hook, and its user is told why. Whatever happens, the exit code is not 2,
//! which to a host is a decision too.

use std::io::{self, IsTerminal as _, Read as _};
use std::time::Duration;

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::exit::{Exit, Failure};
use super::progress::Progress;
use super::signals::Signals;
use super::wait::{Ended, until_settled};
use super::{connect, outcome, parting, terminal};
use crate::client::{Client, DialectReply, Patience, ToolResultReply};
use crate::config::{self, ConnectFlags, parse_duration};
use crate::domain::{AgentInfo, CallId};

/// Flags of `hook`.
#[derive(Debug, clap::Args)]
pub struct HookFlags {
    #[command(subcommand)]
    host: Host,
}

#[derive(Debug, Subcommand)]
enum Host {
    /// PreToolUse of Claude Code: people on askhub answer its AskUserQuestion
    #[command(after_help = SETTINGS)]
    ClaudeCode(ClaudeCodeFlags),
}

const SETTINGS: &str = r#"In .claude/settings.json, or in a file for `claude --settings`:

  {"hooks": {"PreToolUse": [{"matcher": "AskUserQuestion", "hooks": [
    {"type": "command", "command": "askhub hook claude-code"}]}]}}

Claude Code gives a hook 600 seconds. To wait for longer, raise both:
"timeout": 86400 beside the command, and --wait-max 23h59m, the shorter one."#;

/// Flags of `hook claude-code`.
#[derive(Debug, clap::Args)]
struct ClaudeCodeFlags {
    /// Let the question expire after this time; shorter than the hook's own timeout
    #[arg(long, value_name = "TIME", default_value = "9m30s", value_parser = parse_duration)]
    wait_max: Duration,
    /// The name under which it asks
    #[arg(long, value_name = "NAME", default_value = DIALECT)]
    agent_name: String,
    #[command(flatten)]
    connect: ConnectFlags,
}

/// The name of the dialect, and of the agent if it has no other.
const DIALECT: &str = "claude-code";
/// Its sentences are those of the Claude Code that is tested with: a hook is not told by which one it is called.
const VARIANT: &str = "2.1.332";
const EVENT: &str = "PreToolUse";
const TOOL: &str = "AskUserQuestion";
/// How a hook with a mistake in its flags ends: to a host that is no decision, and its user is shown stderr.
pub const USAGE: Exit = Exit::Failed;
/// More than the hub takes: it refuses what is too long, and says how long.
const INPUT_MAX: u64 = 4 << 20;
/// The hub ends the wait by itself; this is for one that has gone away meanwhile.
const GRACE: Duration = Duration::from_secs(10);

/// What Claude Code says of an event. Members that are not needed are left out.
#[derive(Debug, Deserialize)]
struct Event {
    hook_event_name: String,
    session_id: Option<String>,
    tool_name: Option<String>,
    tool_use_id: Option<String>,
    tool_input: Option<Box<RawValue>>,
}

/// The ask for it.
#[derive(Debug, Serialize)]
struct DialectAsk<'a> {
    key: &'a str,
    arguments: &'a RawValue,
    context: Context,
    agent: AgentInfo,
    timeout_seconds: u64,
}

#[derive(Debug, Serialize)]
struct Context {
    variant: &'static str,
}

/// What Claude Code is told. Nothing in it: no decision.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    goes_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<String>,
    /// Shown to the user, not to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Decision>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Decision {
    hook_event_name: &'static str,
    permission_decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<UpdatedInput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
}

/// What the tool then says by itself. A `response` is not passed on: from a hook, Claude Code drops it.
#[derive(Debug, Serialize, Deserialize)]
struct UpdatedInput {
    questions: Box<RawValue>,
    answers: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annotations: Option<Box<RawValue>>,
    #[serde(default, skip_serializing)]
    response: Option<String>,
}

/// Runs it.
///
/// # Errors
/// It was interrupted; or it was called by a person.
pub async fn run(flags: HookFlags) -> Result<Exit, Failure> {
    let Host::ClaudeCode(flags) = flags.host;
    if io::stdin().is_terminal() {
        return Err(Failure::new(USAGE, "Claude Code calls this command: `askhub hook claude-code --help` says how"));
    }
    match decide(&flags).await {
        Ok(()) => Ok(Exit::Done),
        Err(failure) if failure.exit == Exit::Interrupted => Err(failure),
        Err(failure) => {
            failure.print();
            let system_message = Some(format!("askhub could not answer: {}", terminal::visible(&failure.message)));
            print(&Output { system_message, ..Output::default() })?;
            Ok(Exit::Done)
        }
    }
}

async fn decide(flags: &ClaudeCodeFlags) -> Result<(), Failure> {
    let event = read_event()?;
    if event.hook_event_name != EVENT || event.tool_name.as_deref() != Some(TOOL) {
        return Ok(());
    }
    let (Some(key), Some(arguments)) = (&event.tool_use_id, &event.tool_input) else {
        return Err(Failure::usage("the event has no tool_use_id or no tool_input: Claude Code is too old"));
    };
    let agent = AgentInfo {
        name: Some(flags.agent_name.clone()),
        session: event.session_id.clone(),
        host: config::host_name(),
        time_zone: None,
    };
    let context = Context { variant: VARIANT };
    let ask = DialectAsk { key, arguments, context, agent, timeout_seconds: flags.wait_max.as_secs() };
    let body = serde_json::to_string(&ask).map_err(cannot_write)?;
    let client = connect::connect(&flags.connect, connect::As::Agent).await?;
    let mut signals = Signals::listen()?;
    let sending = async {
        match Patience::Short.repeat(|| client.ask_in(DIALECT, &body), |_| {}).await {
            Ok(reply) => Ok(reply.value.call),
            // Claude Code refuses the same arguments by itself, in the words that its model knows.
            Err(error) if error.code() == "tool_refused" => Ok(None),
            Err(error) => Err(error),
        }
    };
    let (call, was_interrupted) = parting::sent(sending, &mut signals).await?;
    let Some(call) = call else { return Ok(()) };
    if was_interrupted {
        return Err(part(&client, call.id, &mut signals).await);
    }
    terminal::note(&format!("asked: {}", call.url));
    let progress = Progress::start("an answer", false);
    let ended = until_settled(&client, call.id, Some(flags.wait_max + GRACE), &mut signals, &progress).await?;
    match ended {
        Ended::Interrupted => Err(part(&client, call.id, &mut signals).await),
        Ended::TimeUp => Err(Failure::new(Exit::Pending, format!("no word of how {} ended", call.url))),
        Ended::Settled(call) => {
            let told = Patience::Short.repeat(|| client.call_in(DIALECT, call.value.id), |_| {}).await?;
            print(&output(told.value)?)?;
            outcome::confirm(&client, &call.value).await;
            Ok(())
        }
    }
}

fn read_event() -> Result<Event, Failure> {
    let mut input = Vec::new();
    let read = io::stdin().lock().take(INPUT_MAX).read_to_end(&mut input);
    read.map_err(|error| Failure::new(Exit::Failed, format!("cannot read the event: {error}")))?;
    serde_json::from_slice(&input).map_err(|error| Failure::usage(format!("the event on stdin is none: {error}")))
}

/// The agent was stopped: nobody needs to answer any more.
async fn part(client: &Client, id: CallId, signals: &mut Signals) -> Failure {
    let message = match parting::withdrawn(client, id, signals).await {
        Some(Ok(_)) => "interrupted; the question is withdrawn".to_owned(),
        Some(Err(error)) => format!("interrupted; the question is not withdrawn: {error}"),
        None => "interrupted; the question stays until its deadline".to_owned(),
    };
    Failure::new(Exit::Interrupted, message)
}

/// Answers go in as the tool's own input, and Claude Code says them as ever. All else, which it has no input for, denies
/// the tool with the words that the tool's result would have.
fn output(reply: DialectReply) -> Result<Output, Failure> {
    let Some(result) = reply.tool_result else {
        // Withdrawn: the original would stop here, without a result.
        let denied = Decision::deny("The question was withdrawn before anybody answered it.".to_owned());
        return Ok(Output::of(denied, reply.ends_run));
    };
    let ToolResultReply { text, structured, .. } = result;
    let answers = structured.as_deref().map(|structured| serde_json::from_str::<UpdatedInput>(structured.get()));
    let decision = match answers.transpose().map_err(cannot_read)? {
        Some(input) if input.response.is_none() => Decision {
            permission_decision: "allow",
            permission_decision_reason: None,
            updated_input: Some(input),
            ..Decision::deny(String::new())
        },
        _ => Decision::deny(text),
    };
    Ok(Output::of(Decision { additional_context: reply.user_message, ..decision }, reply.ends_run))
}

impl Decision {
    fn deny(reason: String) -> Self {
        Self {
            hook_event_name: EVENT,
            permission_decision: "deny",
            permission_decision_reason: Some(reason),
            updated_input: None,
            additional_context: None,
        }
    }
}

impl Output {
    fn of(decision: Decision, ends_run: bool) -> Self {
        let stop_reason = ends_run.then(|| decision.permission_decision_reason.clone()).flatten();
        Self {
            goes_on: ends_run.then_some(false),
            stop_reason,
            system_message: None,
            hook_specific_output: Some(decision),
        }
    }
}

fn print(output: &Output) -> Result<(), Failure> {
    terminal::print_json(&serde_json::to_string(output).map_err(cannot_write)?)
}

fn cannot_write(error: serde_json::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot write JSON: {error}"))
}

fn cannot_read(error: serde_json::Error) -> Failure {
    Failure::new(Exit::Unavailable, format!("cannot read what askhub says of the answer: {error}"))
}
