//! Every vector file, and how its cases are read: what all files share here, what one alone has in a file of its own.

use std::collections::BTreeMap;

use askhub::dialect::Rendered;
use askhub::domain::Question;
use askhub::domain::json::Json;

use serde_json::Value;

use super::cases::{Case, Ending, Way, cases};
use super::claude_code::ClaudeCode;
use super::claude_code_2_1_332::Later;
use super::hydra::Hydra;
use super::pure::same;
use super::telos::Telos;
use super::theorum::Theorum;
use super::zero::Zero;

/// All of them.
pub const ALL: &[&dyn Vectors] = &[
    &ClaudeCode,
    &Common { file: "claude-code-endings", dialect: "claude-code", count: 22 },
    &Later,
    &Common { file: "claude-code-2.1.332-endings", dialect: "claude-code", count: 21 },
    &Common { file: "codex", dialect: "codex", count: 43 },
    &Common { file: "opencode", dialect: "opencode", count: 44 },
    &Common { file: "gemini-cli", dialect: "gemini-cli", count: 71 },
    &Common { file: "gemini-cli-endings", dialect: "gemini-cli", count: 17 },
    &Common { file: "cline", dialect: "cline", count: 37 },
    &Common { file: "roo", dialect: "roo", count: 32 },
    &Common { file: "mcp-elicitation", dialect: "mcp-elicitation", count: 49 },
    &Common { file: "langgraph", dialect: "langgraph", count: 62 },
    &Telos,
    &Common { file: "telos-endings", dialect: "telos", count: 23 },
    &Theorum,
    &Common { file: "theorum-endings", dialect: "theorum", count: 23 },
    &Hydra,
    &Common { file: "hydra-endings", dialect: "hydra", count: 38 },
    &Zero,
    &Common { file: "zero-endings", dialect: "zero", count: 39 },
];

/// One vector file. The fields that all files have are read the same way; a file overrides what is its own.
pub trait Vectors: Sync {
    /// The file's name without `.json`, as `NOT_OVER_HTTP.md` has it.
    fn file(&self) -> &'static str;

    /// Whose arguments and results these are.
    fn dialect(&self) -> &'static str {
        self.file()
    }

    /// How many cases there are: the vectors are a copy and do not change by accident.
    fn count(&self) -> usize;

    /// The request's `context`.
    fn context(&self, case: &Case) -> Json {
        case.context()
    }

    /// How the call ends that the case asks.
    fn ending(&self, case: &Case) -> Ending {
        by_outcome(case)
    }

    /// What the model is to see.
    fn told(&self, case: &Case) -> Told {
        Told {
            result: case.result(),
            is_error: case.result_is_error(),
            user_message: case.has("user_message").then(|| case.text("user_message")),
            ends_run: case.field("ends_run"),
        }
    }

    /// What else an accepted case shows: what the front end is given, the structured form.
    ///
    /// # Errors
    /// What is not as the case has it.
    fn check(&self, _case: &Case, _seen: &Seen<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// What a case wants to be told.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    pub result: Option<String>,
    pub is_error: bool,
    /// None if the case does not say.
    pub user_message: Option<Option<String>>,
    /// None if the case does not say.
    pub ends_run: Option<bool>,
}

/// What came of an accepted case.
pub struct Seen<'a> {
    /// The questions that a person is asked; none if nobody is.
    pub questions: &'a [Question],
    /// What the model is told.
    pub rendered: Option<&'a Rendered>,
}

impl Told {
    /// What a case wants of what was told: its own silence counts as agreement, the deadline's instant is the call's.
    pub fn matching(mut self, found: &Self, deadline: &str) -> Self {
        let fill = |text: &mut Option<String>| {
            if let Some(text) = text {
                *text = text.replace("{deadline}", deadline);
            }
        };
        fill(&mut self.result);
        match &mut self.user_message {
            Some(message) => fill(message),
            None => self.user_message.clone_from(&found.user_message),
        }
        self.ends_run = self.ends_run.or(found.ends_run);
        self
    }
}

/// A file in the common form alone (`tests/vectors/README.md`).
pub struct Common {
    pub file: &'static str,
    pub dialect: &'static str,
    pub count: usize,
}

impl Vectors for Common {
    fn file(&self) -> &'static str {
        self.file
    }

    fn dialect(&self) -> &'static str {
        self.dialect
    }

    fn count(&self) -> usize {
        self.count
    }

    fn check(&self, case: &Case, seen: &Seen<'_>) -> Result<(), String> {
        let structured = seen.rendered.and_then(|rendered| rendered.tool_result.as_ref()?.structured.clone());
        if case.has("structured") {
            same("structured", &structured, &case.json("structured").map(|json| json.to_text()))?;
        }
        let Some(wanted) = case.field::<Vec<BTreeMap<String, Value>>>("questions") else { return Ok(()) };
        same("the number of questions", &seen.questions.len(), &wanted.len())?;
        for (question, wanted) in seen.questions.iter().zip(wanted) {
            let found = serde_json::to_value(question).expect("a question is JSON");
            for (member, value) in wanted {
                same(&format!("{} {member}", question.id), &found[&member], &value)?;
            }
        }
        Ok(())
    }
}

/// Every case of every file, with its file.
pub fn all() -> Vec<(&'static dyn Vectors, Case)> {
    ALL.iter().flat_map(|vectors| cases(vectors.file()).into_iter().map(move |case| (*vectors, case))).collect()
}

/// Every case that runs over HTTP.
pub fn over_http() -> Vec<(&'static dyn Vectors, Case)> {
    all().into_iter().filter(|(_, case)| case.way == Way::Http).collect()
}

/// The ending by the field `outcome`, as `tests/vectors/README.md` describes it.
pub fn by_outcome(case: &Case) -> Ending {
    let outcome = case.text("outcome").unwrap_or_default();
    let words = |name: &str| case.text(name);
    let answers = case.given("answers").unwrap_or_default();
    let declared = case.given("on_timeout").unwrap_or_default();
    match outcome.as_str() {
        "answers" | "answered" => Ending::Answers { answers, reply: words("reply") },
        "" if case.has("answers") && case.given("answers").is_some() => {
            Ending::Answers { answers, reply: words("reply") }
        }
        "declined" | "clarify" => {
            let clarify = outcome == "clarify";
            Ending::Declined { clarify, reason: words("reason"), reply: words("reply"), answers }
        }
        "cancelled" => Ending::Cancelled,
        "expired" => Ending::Expired { declared },
        "unattended" => Ending::Unattended { declared },
        "" | "pending" => Ending::Pending,
        other => panic!("{}: the outcome {other:?} is not known", case.name),
    }
}
