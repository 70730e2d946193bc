//! How a command ends: exit codes, and failures with what to say about them. The only place with exit codes.

use std::error::Error as _;

use super::{terminal, words};
use crate::client::{self, ClientError, Refusal};
use crate::config::BadConfig;
use crate::domain::{Outcome, Provenance, Status};

/// The exit codes of the command line. They are a promise: scripts branch on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Answered; for commands that do not ask: done.
    Done = 0,
    /// What has no code of its own: the server did not start, stdout cannot be written.
    Failed = 1,
    /// The command or the request is not valid.
    Usage = 2,
    /// There is no such thing.
    NotFound = 4,
    /// Somebody was first.
    AlreadySettled = 5,
    /// Over a limit of the server.
    OverLimit = 6,
    /// A person declined.
    Declined = 10,
    /// The deadline passed.
    Expired = 11,
    /// The asker or an admin withdrew it.
    Cancelled = 12,
    /// The server cannot be reached.
    Unavailable = 69,
    /// There is no outcome yet.
    Pending = 75,
    /// Not allowed, or not known.
    NotAllowed = 77,
    /// A signal ended it.
    Interrupted = 130,
}

impl Exit {
    /// How a command ends that waited for this. A default is no answer, unless it is accepted as one.
    pub fn of(status: Status, outcome: Option<&Outcome>, accept_default: bool) -> Self {
        let is_default = outcome.is_some_and(|outcome| outcome.provenance == Provenance::Default);
        match status {
            Status::Pending => Self::Pending,
            Status::Answered => Self::Done,
            Status::Declined => Self::Declined,
            Status::Expired if is_default && accept_default => Self::Done,
            Status::Expired => Self::Expired,
            Status::Cancelled => Self::Cancelled,
        }
    }
}

/// A command that came to nothing: why, in words, and with which exit code.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What to say on stderr; agents' words in it are not safe for a terminal yet.
    pub message: String,
    /// The server's own words, for `--json`.
    json: Option<String>,
    is_json_wanted: bool,
}

impl Failure {
    /// A failure with its words.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), json: None, is_json_wanted: false }
    }

    /// A mistake of the one who typed the command.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// The same failure for somebody who wants JSON, or does not.
    #[must_use]
    pub fn with_json(self, is_json_wanted: bool) -> Self {
        Self { is_json_wanted, ..self }
    }

    /// Says it: words on stderr, the server's reply on stdout if it was asked for.
    pub fn print(&self) {
        if let Some(json) = self.json.as_ref().filter(|_| self.is_json_wanted) {
            // This is a failure already, and its words on stderr say more than a second one could.
            let _ = terminal::print_json(json);
        }
        terminal::note(&format!("askhub: {}", self.message));
    }
}

impl From<BadConfig> for Failure {
    fn from(bad: BadConfig) -> Self {
        Self::usage(bad.to_string())
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let exit = exit_of(&error);
        match error {
            ClientError::Unreachable { url, source } => Self::new(exit, words_of_absence(&url, &source)),
            ClientError::Broken { ref source, .. } => Self::new(exit, format!("{error}: {}", root_of(source))),
            ClientError::Refused(refusal) => {
                let message = words_of_refusal(&refusal);
                let json = Some(refusal.text).filter(|text| !text.is_empty());
                Self { json, ..Self::new(exit, message) }
            }
            ClientError::Setting(_) | ClientError::Foreign { .. } => Self::new(exit, error.to_string()),
        }
    }
}

fn exit_of(error: &ClientError) -> Exit {
    let refusal = match error {
        ClientError::Setting(_) => return Exit::Usage,
        ClientError::Unreachable { .. } | ClientError::Broken { .. } | ClientError::Foreign { .. } => {
            return Exit::Unavailable;
        }
        ClientError::Refused(refusal) => refusal,
    };
    match (refusal.problem.status, refusal.problem.code.as_str()) {
        (401 | 403, _) => Exit::NotAllowed,
        (404, _) => Exit::NotFound,
        (409, "already_settled") => Exit::AlreadySettled,
        (409, "not_settled") => Exit::Pending,
        (429, _) => Exit::OverLimit,
        (400..=499, _) => Exit::Usage,
        _ => Exit::Unavailable,
    }
}

/// Everything that is wrong with a request, each with its place; for a call that was settled before, how.
fn words_of_refusal(refusal: &Refusal) -> String {
    let problem = &refusal.problem;
    let outcome = problem.call.as_ref().and_then(|call| call.read_outcome());
    if let Some(outcome) = outcome.filter(|_| problem.code == "already_settled") {
        return format!("the call is settled already:\n{}", words::indented(&outcome.text));
    }
    let mut lines = vec![problem.detail.clone()];
    // With one fault the detail mostly is that fault.
    for fault in problem.errors.iter().filter(|fault| fault.detail != problem.detail || !fault.pointer.is_empty()) {
        let place = if fault.pointer.is_empty() { "(the whole)" } else { &fault.pointer };
        lines.push(format!("  {place}: {}", fault.detail));
    }
    lines.join("\n")
}

fn words_of_absence(url: &str, source: &reqwest::Error) -> String {
    let is_local = client::is_loopback(url);
    let cause = if is_local { String::new() } else { format!(" ({})", root_of(source)) };
    format!("no askhub at {url}{cause}: start one with `askhub serve`")
}

/// The innermost cause: reqwest's own words only say that something failed.
fn root_of(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    let mut words = error.to_string();
    while let Some(inner) = cause {
        words = inner.to_string();
        cause = inner.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::ProblemReply;
    use crate::domain::{Fault, FaultCode, Timestamp};

    fn refused(status: u16, code: &str) -> ClientError {
        let errors = vec![Fault {
            pointer: "/questions/0/options".to_owned(),
            detail: "a choice needs at least one option".to_owned(),
            code: FaultCode::Invalid,
        }];
        let problem = ProblemReply {
            kind: String::new(),
            title: String::new(),
            status,
            code: code.to_owned(),
            detail: "1 thing is wrong".to_owned(),
            errors,
            call: None,
            tool_result: None,
            tool_error_code: None,
        };
        ClientError::Refused(Box::new(Refusal { problem, retry_after: None, text: "{}".to_owned() }))
    }

    fn outcome(status: Status, provenance: Provenance) -> Outcome {
        Outcome {
            status,
            provenance,
            reason: None,
            reply: None,
            clarify: false,
            by: None,
            at: Timestamp::from_millis(0),
            answers: Vec::new(),
            text: String::new(),
        }
    }

    #[test]
    fn every_refusal_has_its_exit_code() {
        for (status, code, exit) in [
            (400, "malformed_json", 2),
            (401, "unauthorized", 77),
            (403, "forbidden", 77),
            (404, "not_found", 4),
            (409, "already_settled", 5),
            (409, "not_settled", 75),
            (409, "key_reused", 2),
            (413, "body_too_large", 2),
            (422, "invalid", 2),
            (429, "too_many_pending", 6),
            (500, "internal", 69),
            (503, "unavailable", 69),
        ] {
            assert_eq!(Failure::from(refused(status, code)).exit as u8, exit, "{status} {code}");
        }
    }

    #[test]
    fn every_status_has_its_exit_code() {
        for (status, exit) in [
            (Status::Pending, 75),
            (Status::Answered, 0),
            (Status::Declined, 10),
            (Status::Expired, 11),
            (Status::Cancelled, 12),
        ] {
            assert_eq!(Exit::of(status, None, true) as u8, exit, "{status:?}");
        }
    }

    #[test]
    fn a_default_is_an_answer_only_for_who_accepts_it() {
        let default = outcome(Status::Expired, Provenance::Default);
        assert_eq!(Exit::of(Status::Expired, Some(&default), false), Exit::Expired);
        assert_eq!(Exit::of(Status::Expired, Some(&default), true), Exit::Done);
        let silence = outcome(Status::Expired, Provenance::Clock);
        assert_eq!(Exit::of(Status::Expired, Some(&silence), true), Exit::Expired);
    }

    #[test]
    fn a_refusal_names_each_fault_with_its_place() {
        let failure = Failure::from(refused(422, "invalid"));
        assert_eq!(failure.message, "1 thing is wrong\n  /questions/0/options: a choice needs at least one option");
    }
}
