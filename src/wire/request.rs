//! Request bodies: from JSON as it was sent to typed forms.

use serde::Serialize;
use utoipa::ToSchema;

use super::reader::Reader;
use crate::domain::json::Json;
use crate::domain::limits::{WAIT_IDS_MAX, WAIT_SECONDS_MAX};
use crate::domain::{
    AgentInfo, Ask, AskForm, CallId, Digest, Faults, GivenAnswer, JsonText, OnTimeout, OnUnattended, OptionForm,
    PreviewFormat, QuestionForm, Risk, ToolForm,
};

/// `POST /v1/wait`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct AnyWaitForm {
    /// Up to 500 calls.
    pub ids: Vec<String>,
    /// How long the request may be held, in seconds: 0 to 50.
    pub wait: Option<u64>,
}

/// `POST /v1/users`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct PersonForm {
    /// A name that nobody has yet.
    pub name: String,
}

/// `POST /v1/sign-in-links`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct SignInLinkForm {
    /// Whom it signs in, by name; the one who asks for it if absent.
    pub user: Option<String>,
}

/// `POST /v1/tokens`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct TokenForm {
    /// What people read.
    pub name: String,
}

/// `POST /v1/dialects/{dialect}/calls`
#[derive(Debug, Clone, ToSchema)]
pub struct DialectForm {
    /// The tool's arguments; or their text in `raw_arguments`, where the exact bytes matter.
    #[schema(value_type = Option<Object>)]
    pub arguments: Option<Json>,
    /// The tool's arguments as text.
    pub raw_arguments: Option<String>,
    /// What the tool's own host knows and the arguments do not say.
    #[schema(value_type = Option<Object>)]
    pub context: Json,
    /// Key, agent, deadline and the rest, as for an ask of our own; its questions come from the arguments.
    #[schema(inline)]
    pub ask: AskForm,
}

/// Reads `POST /v1/calls`.
///
/// # Errors
/// Every fault of the body, of its types and of its rules.
pub fn read_ask(body: &Json) -> Result<Ask, Faults> {
    let mut faults = Faults::new();
    let form = ask_form(body, &mut faults);
    faults.or(form)?.check()
}

/// Reads `POST /v1/dialects/{dialect}/calls`.
///
/// # Errors
/// Every fault of the body around the arguments; the arguments are the dialect's business.
pub fn read_dialect_ask(body: &Json) -> Result<DialectForm, Faults> {
    read(body, |reader| {
        let raw_arguments = reader.text_with_nul("raw_arguments");
        // A model may well send null; beside a text it is no more than an absent member.
        let arguments = reader.any_or_null("arguments").cloned();
        let arguments = arguments.filter(|arguments| *arguments != Json::Null || raw_arguments.is_none());
        if arguments.is_some() == raw_arguments.is_some() {
            reader.fault("arguments", "give the tool's arguments, or their text in raw_arguments");
        }
        let context = reader.any("context").cloned().unwrap_or(Json::Null);
        let ask = around(reader);
        Some(DialectForm { arguments, raw_arguments, context, ask })
    })
}

impl DialectForm {
    /// The arguments as text: as it was sent, or as compact JSON with order and digits kept.
    pub fn raw(&self) -> String {
        match (&self.raw_arguments, &self.arguments) {
            (Some(raw), _) => raw.clone(),
            (None, Some(arguments)) => arguments.to_text(),
            (None, None) => String::new(),
        }
    }
}

/// What two equal asks share: SHA-256 of the body with keys sorted, nulls dropped and digits kept, without `key` and
/// `agent.host` (WIRE.md 2).
pub fn same_ask(body: &Json) -> Digest {
    let mut body = body.clone();
    if let Json::Object(members) = &mut body {
        members.retain(|(name, _)| name != "key");
        for (_, value) in members.iter_mut().filter(|(name, _)| name == "agent") {
            if let Json::Object(agent) = value {
                agent.retain(|(name, _)| name != "host");
            }
        }
    }
    Digest::of(body.to_canonical_text().as_bytes())
}

/// Reads `POST /v1/wait`: the ids (what is no id of a call is none that exists) and the seconds.
///
/// # Errors
/// Every fault of the body.
pub fn read_any_wait(body: &Json) -> Result<AnyWaitForm, Faults> {
    read(body, |reader| {
        let ids = reader.texts("ids");
        let count = ids.as_ref().map_or(0, Vec::len);
        if count == 0 || count > WAIT_IDS_MAX {
            reader.fault("ids", format!("ids is a list of 1 to {WAIT_IDS_MAX} ids of calls"));
        }
        let wait = reader.whole("wait");
        if wait.is_some_and(|wait| wait > WAIT_SECONDS_MAX) {
            reader.fault("wait", format!("wait is from 0 to {WAIT_SECONDS_MAX} seconds"));
        }
        Some(AnyWaitForm { ids: ids?, wait })
    })
}

/// Reads `POST /v1/users`.
///
/// # Errors
/// Every fault of the body.
pub fn read_person(body: &Json) -> Result<PersonForm, Faults> {
    read(body, |reader| Some(PersonForm { name: required_name(reader)? }))
}

/// Reads `POST /v1/sign-in-links`.
///
/// # Errors
/// Every fault of the body.
pub fn read_sign_in_link(body: &Json) -> Result<SignInLinkForm, Faults> {
    read(body, |reader| Some(SignInLinkForm { user: reader.text("user") }))
}

/// Reads `POST /v1/tokens`.
///
/// # Errors
/// Every fault of the body.
pub fn read_token(body: &Json) -> Result<TokenForm, Faults> {
    read(body, |reader| Some(TokenForm { name: required_name(reader)? }))
}

pub(super) fn read<T>(body: &Json, each: impl FnOnce(&mut Reader<'_>) -> Option<T>) -> Result<T, Faults> {
    let mut faults = Faults::new();
    let form = Reader::open(body, "", &mut faults).and_then(|mut reader| {
        let form = each(&mut reader);
        reader.finish();
        form
    });
    faults.or(form)
}

fn required_name(reader: &mut Reader<'_>) -> Option<String> {
    let name = reader.text("name");
    if name.is_none() {
        reader.fault("name", "a name is missing");
    }
    name
}

pub(super) fn given_answer(value: &Json, pointer: &str, faults: &mut Faults) -> Option<GivenAnswer> {
    let mut reader = Reader::open(value, pointer, faults)?;
    let id = reader.text("id");
    if id.is_none() {
        reader.fault("id", "the question's id is missing");
    }
    let selected = reader.texts("selected");
    let custom = reader.text_with_nul("custom");
    let notes = reader.text_with_nul("notes");
    let value = reader.any("value").map(JsonText::of);
    reader.not_yet("files");
    reader.finish();
    Some(GivenAnswer { id: id?, selected, custom, notes, value })
}

fn ask_form(body: &Json, faults: &mut Faults) -> Option<AskForm> {
    let mut reader = Reader::open(body, "", faults)?;
    let questions = reader.list("questions", question_form);
    if questions.is_none() {
        reader.fault("questions", "a list of questions is missing");
    }
    let context = reader.text("context");
    let form = AskForm { questions: questions.unwrap_or_default(), context, ..around(&mut reader) };
    reader.finish();
    Some(form)
}

/// The members of an ask beside its questions and their context: the same for every dialect.
fn around(reader: &mut Reader<'_>) -> AskForm {
    reader.not_yet("callback_url");
    AskForm {
        key: reader.text("key"),
        title: reader.text("title"),
        questions: Vec::new(),
        context: None,
        agent: reader.object("agent", agent_info),
        priority: reader.whole("priority"),
        tags: reader.texts("tags"),
        follows: reader.text("follows"),
        timeout_seconds: reader.whole("timeout_seconds"),
        hard_deadline: reader.flag("hard_deadline"),
        on_timeout: reader.object("on_timeout", on_timeout),
        on_unattended: reader.word("on_unattended", &[("wait", OnUnattended::Wait), ("return", OnUnattended::Return)]),
        metadata: reader.free_object("metadata"),
    }
}

/// Reads the `agent` member of an ask.
fn agent_info(value: &Json, pointer: &str, faults: &mut Faults) -> Option<AgentInfo> {
    let mut reader = Reader::open(value, pointer, faults)?;
    let info = AgentInfo {
        name: reader.text("name"),
        session: reader.text("session"),
        host: reader.text("host"),
        time_zone: reader.text("time_zone"),
    };
    reader.finish();
    Some(info)
}

/// Reads the `on_timeout` member of an ask.
fn on_timeout(value: &Json, pointer: &str, faults: &mut Faults) -> Option<OnTimeout> {
    let mut reader = Reader::open(value, pointer, faults)?;
    let answers = reader.list("answers", given_answer);
    reader.finish();
    Some(OnTimeout { answers: answers.unwrap_or_default() })
}

fn question_form(value: &Json, pointer: &str, faults: &mut Faults) -> Option<QuestionForm> {
    let mut reader = Reader::open(value, pointer, faults)?;
    let form = QuestionForm {
        id: reader.text("id"),
        kind: reader.text("kind"),
        header: reader.text("header"),
        question: reader.text("question"),
        required: reader.flag("required"),
        options: reader.list("options", option_form),
        multi_select: reader.flag("multi_select"),
        min_selected: reader.whole("min_selected"),
        max_selected: reader.whole("max_selected"),
        allow_custom: reader.flag("allow_custom"),
        placeholder: reader.text("placeholder"),
        multiline: reader.flag("multiline"),
        max_length: reader.whole("max_length"),
        yes_label: reader.text("yes_label"),
        no_label: reader.text("no_label"),
        minimum: reader.any("minimum").map(JsonText::of),
        maximum: reader.any("maximum").map(JsonText::of),
        unit: reader.text("unit"),
        schema: reader.free_object("schema"),
        tool: reader.object("tool", tool_form),
        editable: reader.flag("editable"),
        risk: reader.word("risk", &Risk::NAMES),
        scopes: reader.texts("scopes"),
        arguments_truncated: reader.flag("arguments_truncated"),
    };
    reader.finish();
    Some(form)
}

fn tool_form(value: &Json, pointer: &str, faults: &mut Faults) -> Option<ToolForm> {
    let mut reader = Reader::open(value, pointer, faults)?;
    let form = ToolForm {
        name: reader.text("name"),
        arguments: reader.free_object("arguments"),
        description: reader.text("description"),
    };
    reader.finish();
    Some(form)
}

fn option_form(value: &Json, pointer: &str, faults: &mut Faults) -> Option<OptionForm> {
    let mut reader = Reader::open(value, pointer, faults)?;
    let formats = [("text", PreviewFormat::Text), ("markdown", PreviewFormat::Markdown), ("html", PreviewFormat::Html)];
    let form = OptionForm {
        id: reader.text("id"),
        label: reader.text("label"),
        description: reader.text("description"),
        preview: reader.text("preview"),
        preview_format: reader.word("preview_format", &formats),
        recommended: reader.flag("recommended"),
    };
    reader.finish();
    Some(form)
}

impl AnyWaitForm {
    /// The ids that can be ids of calls, and the texts that cannot.
    pub fn split_ids(&self) -> (Vec<CallId>, Vec<String>) {
        let mut ids = Vec::new();
        let mut others = Vec::new();
        for text in &self.ids {
            match text.parse() {
                Ok(id) => ids.push(id),
                Err(_) => others.push(text.clone()),
            }
        }
        (ids, others)
    }
}
