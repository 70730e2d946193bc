//! The ask tools of other agents, spoken as they are: their arguments come in, their results go out.
//!
//! A dialect is one file and one line in `DIALECTS`. It is pure: what it says depends on the arguments, the context
//! and the call, on nothing else, so the same call is told in the same bytes for ever. What a dialect accepts can be
//! stored, answered and rendered, however it ends. For the ways in that speak dialects (`http`, `mcp`).

pub mod claude_code;
mod cline;
mod codex;
mod endings;
mod fold;
mod gemini_cli;
mod go;
mod hydra;
mod javascript;
mod json;
mod langgraph;
mod mcp_elicitation;
mod message;
mod opencode;
mod roo;
mod rust;
mod telos;
mod theorum;
mod utf16;
mod words;
mod zero;

use crate::domain::json::{Json, push_pointer};
use crate::domain::limits::NESTING_MAX;
use crate::domain::{Call, ChoiceOption, DialectUse, Faults, Question};

/// Every dialect that is spoken.
const DIALECTS: &[&dyn Dialect] = &[
    &claude_code::ClaudeCode,
    &hydra::Hydra,
    &zero::Zero,
    &telos::Telos,
    &theorum::Theorum,
    &codex::Codex,
    &opencode::Opencode,
    &gemini_cli::GeminiCli,
    &cline::Cline,
    &roo::Roo,
    &mcp_elicitation::McpElicitation,
    &langgraph::Langgraph,
];

/// The members of `context`: what some original's host knows and the arguments do not say. A dialect reads its own
/// ones; the others are accepted, so that a host may send the same context to every dialect.
const CONTEXT_MEMBERS: &[&str] = &[
    "variant",
    "latest_user_text",
    "session_events",
    "caller",
    "preview_format",
    "interactive",
    "strict",
    "profile_type",
    "resume",
    "snapshot",
    "allow",
];

/// One existing ask tool: how it reads its arguments, and what it tells its model.
pub trait Dialect: Sync {
    /// Its name in paths and stores.
    fn name(&self) -> &'static str;

    /// The versions of its texts that are spoken; the first is the default.
    fn variants(&self) -> &'static [&'static str];

    /// The definition to hand to a model; none if it is no tool of a model but a message between programs.
    fn tool(&self) -> Option<Tool>;

    /// Reads the arguments as the original does.
    ///
    /// # Errors
    /// Faults of the request itself, which no model can mend: a context that makes no sense, too deep nesting. What
    /// the original would tell its model is [`Parsed::Refused`].
    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults>;

    /// What the original would tell its model about the call as it is, pending or settled.
    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered;
}

/// With what another tool was called.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The arguments' text, as it was sent.
    pub raw: &'a str,
    /// What the tool's own host knows: an object, or null.
    pub context: &'a Json,
    /// Which version of the tool's texts.
    pub variant: &'static str,
}

/// What came of reading the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// A person is to be asked.
    Ask(Box<AskParts>),
    /// The tool accepts, and asks nobody.
    Done(ToolResult),
    /// The tool refuses its arguments.
    Refused {
        /// What the model must see.
        result: ToolResult,
        /// The tool's own name for the error.
        code: String,
    },
}

/// What the arguments say of a call; key, agent, deadline and the rest come from the request around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskParts {
    /// Valid, with the ids `q1`, `q2`, ….
    pub questions: Vec<Question>,
    /// What the call is about, where the tool has a place for it.
    pub title: Option<String>,
}

/// What the model gets as the tool's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The text, byte for byte as the original has it.
    pub text: String,
    /// Whether it is an error result.
    pub is_error: bool,
    /// The same as JSON text, where the tool has such a form.
    pub structured: Option<String>,
}

/// A call, told as another tool tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The tool's result; none while the tool would still wait, and none if it will never have one.
    pub tool_result: Option<ToolResult>,
    /// What the model is to get as the user's next message.
    pub user_message: Option<String>,
    /// Whether the original would stop the run here.
    pub ends_run: bool,
}

/// A tool's definition, as it is handed to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// The name by which the model calls it.
    pub name: &'static str,
    /// What it is for, in words for a model.
    pub description: &'static str,
    /// The arguments' JSON Schema, as JSON text.
    pub input_schema: &'static str,
}

/// Every dialect, in the order in which they are listed.
pub fn dialects() -> &'static [&'static dyn Dialect] {
    DIALECTS
}

/// The dialect of that name.
pub fn dialect(name: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.name() == name)
}

/// What the tool as which a call came tells its model about it; none if the call came as no tool that is spoken here.
pub fn render(call: &Call) -> Option<Rendered> {
    let stored = call.dialect.as_ref()?;
    let dialect = dialect(&stored.name)?;
    let variant = variant_of(dialect, &stored.variant)?;
    let context = Json::parse(&stored.context, NESTING_MAX).unwrap_or(Json::Null);
    Some(dialect.render(&Request { raw: &stored.raw, context: &context, variant }, call))
}

impl<'a> Request<'a> {
    /// The request, if the context is one.
    ///
    /// # Errors
    /// A context that is no object, unknown members of it and an unknown variant, with pointers from `/context` on.
    pub fn check(dialect: &dyn Dialect, raw: &'a str, context: &'a Json) -> Result<Self, Faults> {
        let mut faults = Faults::new();
        match context {
            Json::Null => {}
            Json::Object(members) => check_names(members, &mut faults),
            other => faults.add("/context", format!("context is an object, not {}", other.kind())),
        }
        let variant = check_variant(dialect, context.get("variant"), &mut faults);
        let request = faults.or(variant.map(|variant| Self { raw, context, variant }))?;
        request.flag("strict")?;
        Ok(request)
    }

    /// Whether the caller prefers sense over exactness where the original has a trap.
    pub fn is_strict(&self) -> bool {
        self.flag("strict").is_ok_and(|strict| strict == Some(true))
    }

    /// A text of the context; none if it is absent or null.
    ///
    /// # Errors
    /// Another type.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, Faults> {
        match self.context.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(name, "a text", other)),
        }
    }

    /// A flag of the context; none if it is absent or null.
    ///
    /// # Errors
    /// Another type.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Faults> {
        match self.context.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(wrong_type(name, "true or false", other)),
        }
    }

    /// What is stored with the call.
    pub fn to_use(&self, dialect: &dyn Dialect) -> DialectUse {
        DialectUse {
            name: dialect.name().to_owned(),
            variant: self.variant.to_owned(),
            raw: self.raw.to_owned(),
            context: self.context.to_text(),
        }
    }
}

impl ToolResult {
    /// A result without another form than its text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false, structured: None }
    }

    /// A result that is JSON, in its text and in its structured form.
    pub fn json(value: &Json) -> Self {
        let text = value.to_text();
        Self { structured: Some(text.clone()), ..Self::text(text) }
    }

    /// An error result.
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true, structured: None }
    }
}

fn wrong_type(name: &str, wanted: &str, value: &Json) -> Faults {
    Faults::of(format!("/context/{name}"), format!("{name} is {wanted}, not {}", value.kind()))
}

fn check_names(members: &[(String, Json)], faults: &mut Faults) {
    for (name, _) in members.iter().filter(|(name, _)| !CONTEXT_MEMBERS.contains(&name.as_str())) {
        let mut pointer = "/context".to_owned();
        push_pointer(&mut pointer, name);
        faults.add(pointer, format!("context has no member {name:?}: it has {}", CONTEXT_MEMBERS.join(", ")));
    }
}

fn check_variant(dialect: &dyn Dialect, wanted: Option<&Json>, faults: &mut Faults) -> Option<&'static str> {
    let found = match wanted {
        None | Some(Json::Null) => dialect.variants().first().copied(),
        Some(Json::String(name)) => variant_of(dialect, name),
        Some(_) => None,
    };
    if found.is_none() {
        let detail = format!("the variants of {} are {}", dialect.name(), dialect.variants().join(", "));
        faults.add("/context/variant", detail);
    }
    found
}

fn variant_of(dialect: &dyn Dialect, name: &str) -> Option<&'static str> {
    dialect.variants().iter().copied().find(|variant| *variant == name)
}

/// The id of the question at that place: `q1`, `q2`, ….
fn question_id(index: usize) -> String {
    format!("q{}", index + 1)
}

/// Options of labels with descriptions, in their order.
fn choice_options(given: impl IntoIterator<Item = (String, Option<String>)>) -> Vec<ChoiceOption> {
    let given: Vec<(String, Option<String>)> = given.into_iter().collect();
    let ids = option_ids(&given.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>());
    let option = |(id, (label, description))| ChoiceOption {
        id,
        label,
        description,
        preview: None,
        preview_format: None,
        recommended: false,
    };
    ids.into_iter().zip(given).map(option).collect()
}

/// A JSON object with these members.
fn object<'a>(members: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A JSON text.
fn text(text: &str) -> Json {
    Json::String(text.to_owned())
}

/// Ids for options: `o1`, `o2`, …, or with more letters, so that none is also a label.
///
/// Answers name options by id or by label, ids first: an id that were another option's label would take its answers.
fn option_ids(labels: &[&str]) -> Vec<String> {
    let taken: std::collections::HashSet<&str> = labels.iter().copied().collect();
    let ids_with = |prefix: &str| (1..=labels.len()).map(|number| format!("{prefix}{number}")).collect::<Vec<_>>();
    let mut prefix = "o".to_owned();
    let mut ids = ids_with(&prefix);
    let mut attempt = 0_u32;
    // Each label can spoil one prefix, so there are at most as many attempts as labels, and prefixes stay short.
    while ids.iter().any(|id| taken.contains(id.as_str())) {
        prefix.truncate(1);
        prefix.push_str(&letters(attempt));
        attempt += 1;
        ids = ids_with(&prefix);
    }
    ids
}

/// `a` … `z`, `aa`, `ba`, …: another text for each number.
fn letters(mut number: u32) -> String {
    let mut text = String::new();
    loop {
        text.extend(char::from_digit(10 + number % 26, 36));
        number /= 26;
        if number == 0 {
            return text;
        }
        number -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(text: &str) -> Json {
        Json::parse(text, NESTING_MAX).unwrap()
    }

    fn faults(text: &str) -> Vec<(String, String)> {
        let context = context(text);
        let faults = Request::check(DIALECTS[0], "{}", &context).unwrap_err().into_vec();
        faults.into_iter().map(|fault| (fault.pointer, fault.detail)).collect()
    }

    #[test]
    fn dialects_have_names_of_their_own_and_are_found_by_them() {
        for one in dialects() {
            let found = dialect(one.name()).expect("it is in the table");
            assert_eq!(found.tool(), one.tool());
            assert!(!found.variants().is_empty());
            assert!(one.tool().is_none_or(|tool| Json::parse(tool.input_schema, NESTING_MAX).is_ok()));
        }
        assert!(dialect("klingon").is_none());
    }

    #[test]
    fn a_context_that_no_dialect_has_is_refused_with_its_place() {
        assert_eq!(faults("[]")[0].0, "/context");
        assert_eq!(faults(r#"{"x/y":1}"#)[0].0, "/context/x~1y");
        let unknown = faults(r#"{"variant":"9.9"}"#);
        assert_eq!(
            unknown,
            [("/context/variant".to_owned(), "the variants of claude-code are 2.1.89, 2.1.332".to_owned())]
        );
        assert_eq!(faults(r#"{"variant":2,"nope":1}"#).len(), 2);
        assert_eq!(
            faults(r#"{"strict":1}"#),
            [("/context/strict".to_owned(), "strict is true or false, not a number".to_owned())]
        );
    }

    #[test]
    fn a_context_of_another_dialect_is_accepted() {
        let context = context(r#"{"variant":null,"latest_user_text":"hi","caller":{"a":1},"allow":[]}"#);
        assert_eq!(Request::check(DIALECTS[0], "{}", &context).unwrap().variant, "2.1.89");
        assert!(Request::check(DIALECTS[0], "{}", &Json::Null).is_ok());
    }

    #[test]
    fn an_option_id_is_never_a_label() {
        assert_eq!(option_ids(&["A", "B"]), ["o1", "o2"]);
        assert_eq!(option_ids(&["o2", "o9"]), ["oa1", "oa2"]);
        assert_eq!(option_ids(&["o2", "oa1"]), ["ob1", "ob2"]);
        let spoilers: Vec<String> =
            std::iter::once("o1".to_owned()).chain((0..999).map(|n| format!("o{}1", letters(n)))).collect();
        let labels: Vec<&str> = spoilers.iter().map(String::as_str).collect();
        let ids = option_ids(&labels);
        assert!(ids.iter().all(|id| id.len() < 10 && !spoilers.contains(id)));
    }
}
