//! The command line: reads what was typed, does it through `client` (or starts a `server`), prints what came of it.
//!
//! Invariant: stdout has the result and nothing else, stderr everything for people, and how a command ended is in its
//! exit code (`exit::Exit`). Decides nothing about questions: that is the server's. Used by `main`.

mod answer;
mod ask;
mod cancel;
mod connect;
mod demo;
mod exit;
mod hook;
mod list;
mod login;
mod outcome;
mod parting;
mod progress;
mod question;
mod seed;
mod show;
mod signals;
mod terminal;
mod token;
mod user;
mod wait;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::{ConnectFlags, ServeFlags};
use crate::server;
use exit::{Exit, Failure};

const EXAMPLES: &str = "\
Without a command askhub serves.

Examples:
  askhub                                                 start askhub on 127.0.0.1:7440
  askhub ask \"Ship it?\" --option Yes --option Later      ask, wait, print the answer
  askhub list                                            what waits for an answer
  askhub login                                           a link that signs you in

The commands find the askhub of this machine by themselves; for another one set ASKHUB_URL and ASKHUB_TOKEN.

Exit codes:
   0  answered, done           10  declined     69  askhub cannot be reached
   2  usage, or not valid      11  expired      75  still pending
   4  not found                12  cancelled    77  not allowed
   5  already settled                          130  interrupted
   6  over a limit                               1  anything else";

#[derive(Debug, Parser)]
#[command(name = "askhub", version, about = "Agents ask, people answer.", after_help = EXAMPLES, subcommand_required = true, max_term_width = 120)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server
    Serve(Box<ServeFlags>),
    /// Ask a question, wait, and print the answer
    Ask(Box<ask::AskFlags>),
    /// Wait for the outcome of calls that were asked before
    Wait(wait::WaitFlags),
    /// Answer a call, or decline to
    Answer(answer::AnswerFlags),
    /// List calls
    List(list::ListFlags),
    /// Show one call with its questions and its outcome
    Show(show::ShowFlags),
    /// Withdraw a call
    Cancel(cancel::CancelFlags),
    /// Make a link that signs a person in, once
    Login(login::LoginFlags),
    /// Add and list the people who answer
    User(user::UserFlags),
    /// Make, list and revoke the tokens of agents
    Token(token::TokenFlags),
    /// Ask one question of each kind and print what comes back
    Demo(demo::DemoFlags),
    /// Fill a hub with calls to look at, asked by agents and answered by people
    Seed(seed::SeedFlags),
    /// Answer the hooks of an agent's host: these commands are called by the host
    Hook(hook::HookFlags),
}

/// What every command that talks to a server takes.
#[derive(Debug, Clone, clap::Args)]
struct Common {
    /// Print the server's reply as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connect: ConnectFlags,
}

/// Runs the command that was typed.
pub fn main() -> ExitCode {
    let arguments = with_command(std::env::args_os().collect());
    let usage = if arguments.get(1).is_some_and(|command| command == "hook") { hook::USAGE } else { Exit::Usage };
    let typed = match Cli::try_parse_from(arguments) {
        Ok(typed) => typed,
        Err(error) => {
            // Help goes to stdout, a mistake to stderr; where neither can be written there is nobody to tell.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { usage } else { Exit::Done } as u8);
        }
    };
    let ended = runtime(&typed.command).and_then(|runtime| runtime.block_on(run(typed.command)));
    match ended {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.exit as u8)
        }
    }
}

/// `askhub` alone, and `askhub --listen …`, serve.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_flag = |argument: &OsString| argument.to_string_lossy().starts_with('-');
    let is_about = |argument: &OsString| ["-h", "--help", "-V", "--version"].iter().any(|flag| argument == flag);
    if arguments.get(1).is_none_or(|first| is_flag(first) && !is_about(first)) {
        arguments.insert(arguments.len().min(1), "serve".into());
    }
    arguments
}

fn runtime(command: &Command) -> Result<tokio::runtime::Runtime, Failure> {
    let mut builder = match command {
        Command::Serve(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    builder.enable_all().build().map_err(|error| Failure::new(Exit::Failed, format!("cannot start: {error}")))
}

async fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Serve(flags) => serve(*flags).await,
        Command::Ask(flags) => ask::run(*flags).await,
        Command::Wait(flags) => wait::run(flags).await,
        Command::Answer(flags) => answer::run(flags).await,
        Command::List(flags) => list::run(flags).await,
        Command::Show(flags) => show::run(flags).await,
        Command::Cancel(flags) => cancel::run(flags).await,
        Command::Login(flags) => login::run(flags).await,
        Command::User(flags) => user::run(flags).await,
        Command::Token(flags) => token::run(flags).await,
        Command::Demo(flags) => demo::run(flags).await,
        Command::Seed(flags) => seed::run(flags).await,
        Command::Hook(flags) => hook::run(flags).await,
    }
}

async fn serve(flags: ServeFlags) -> Result<Exit, Failure> {
    let config = flags.check()?;
    match server::run(config).await {
        Ok(()) => Ok(Exit::Done),
        Err(error) => {
            let exit = if matches!(error, server::StartError::Usage(_)) { Exit::Usage } else { Exit::Failed };
            Err(Failure::new(exit, format!("{:#}", anyhow::Error::new(error))))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn typed(arguments: &[&str]) -> Result<Command, clap::Error> {
        let arguments = ["askhub"].iter().chain(arguments).map(OsString::from).collect();
        Cli::try_parse_from(with_command(arguments)).map(|cli| cli.command)
    }

    #[test]
    fn the_flags_fit_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn without_a_command_it_serves() {
        assert!(matches!(typed(&[]), Ok(Command::Serve(_))));
        let Ok(Command::Serve(flags)) = typed(&["--listen", "127.0.0.1:0"]) else { panic!("it should serve") };
        assert_eq!(flags.listen.port(), 0);
        assert!(matches!(typed(&["list"]), Ok(Command::List(_))));
        assert_eq!(with_command(Vec::new()), ["serve"]);
    }

    #[test]
    fn help_and_version_are_no_commands_to_serve() {
        for flag in ["-h", "--help", "-V", "--version", "help"] {
            let shown = typed(&[flag]).unwrap_err();
            assert_eq!(shown.exit_code(), 0, "{flag}");
        }
    }

    #[test]
    fn what_is_no_command_is_a_mistake_of_usage() {
        for wrong in [&["frobnicate"][..], &["ask"], &["answer"], &["token", "revoke"], &["list", "--status", "open"]] {
            assert_eq!(typed(wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
        }
    }

    #[test]
    fn no_flag_takes_a_token() {
        let mut command = Cli::command();
        let help: String =
            command.get_subcommands_mut().map(|command| command.render_long_help().to_string()).collect();
        assert!(!help.contains("--token") && !help.contains("askhub_"));
    }
}
