//! `langgraph`: what a LangGraph graph interrupts with to have a tool's call approved, and the value it is resumed with.
//!
//! Derived by reading, not recorded. Three shapes, told apart by their members: the request of LangChain 1.x's
//! `HumanInTheLoopMiddleware`, the same for one call (`type: "tool_approval"`), and the list of the older Agent Inbox.
//! It is no tool of a model but a message between programs: the arguments are the interrupt's value, the result is what
//! `Command(resume=…)` takes. Whatever happens but a person's own yes, no result approves.

use super::words::{said, with_declared, without_person, words_beside, words_of_refusal};
use super::{AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, object, question_id, text};
use crate::domain::json::Json;
use crate::domain::limits::NESTING_MAX;
use crate::domain::{
    Answer, Answered, Approval, Call, Faults, JsonText, Outcome, Provenance, Question, QuestionKind, Status, ToolCall,
    Verdict,
};

const DENIED: &str = "The user denied this call.";

/// The dialect.
#[derive(Debug)]
pub struct Langgraph;

/// One call that waits for a decision, whichever shape it came in.
struct Action {
    name: String,
    arguments: Json,
    description: Option<String>,
    allowed: Allowed,
}

/// Which decisions the graph takes.
#[derive(Debug, Clone, Copy, Default)]
struct Allowed {
    approve: bool,
    edit: bool,
    reject: bool,
    respond: bool,
}

/// In which shape the decisions go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `{decisions: […]}`
    Middleware,
    /// One decision.
    PerCall,
    /// `[{type, args}]`
    Inbox,
}

impl Dialect for Langgraph {
    fn name(&self) -> &'static str {
        "langgraph"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["1.x"]
    }

    fn tool(&self) -> Option<Tool> {
        None
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let value = match Json::parse(request.raw, NESTING_MAX) {
            Err(error) if error.too_deep => return Err(Faults::of("/arguments", error.to_string())),
            Err(error) => return Ok(refuse(&error.to_string())),
            Ok(value) => value,
        };
        Ok(match read(&value) {
            Err(why) => refuse(&why),
            Ok((shape, actions)) if actions.is_empty() => Parsed::Done(ToolResult::json(&resume(shape, Vec::new()))),
            Ok((_, actions)) => {
                let questions = actions.into_iter().enumerate().map(|(index, action)| action.question(index)).collect();
                Parsed::Ask(Box::new(AskParts { questions, title: None }))
            }
        })
    }

    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered {
        let read =
            Json::parse(request.raw, NESTING_MAX).map_err(|error| error.to_string()).and_then(|value| read(&value));
        let (Some(outcome), Ok((shape, actions))) = (call.read_outcome(), read) else {
            return Rendered { ends_run: call.is_settled(), ..Rendered::default() };
        };
        let all_denied = |words: &str| actions.iter().map(|action| action.denied(shape, Some(words))).collect();
        let decisions: Vec<Json> = match outcome.status {
            // Withdrawn by who asked: there is nothing to resume.
            Status::Pending | Status::Cancelled => return Rendered { ends_run: true, ..Rendered::default() },
            Status::Declined => {
                all_denied(&words_of_refusal(&call.ask.questions, &outcome).unwrap_or(DENIED.to_owned()))
            }
            Status::Expired if outcome.provenance != Provenance::Default => all_denied(&without_person(&outcome)),
            Status::Answered | Status::Expired => actions
                .iter()
                .zip(&outcome.answers)
                .map(|(action, answer)| action.decision(shape, answer, &outcome))
                .collect(),
        };
        Rendered {
            tool_result: Some(ToolResult::json(&resume(shape, decisions))),
            user_message: unsaid(shape, &actions, call, outcome),
            ends_run: false,
        }
    }
}

/// A person's words for which the decisions have no place.
fn unsaid(shape: Shape, actions: &[Action], call: &Call, mut outcome: Outcome) -> Option<String> {
    let questions = &call.ask.questions;
    let is_mute = |action: &Action| shape == Shape::Inbox && !action.allowed.respond;
    match outcome.status {
        Status::Declined if actions.iter().any(is_mute) => words_of_refusal(questions, &outcome),
        Status::Answered => {
            for (_, answer) in actions.iter().zip(&mut outcome.answers).filter(|(action, _)| is_mute(action)) {
                let words = [answer.custom.take(), answer.notes.take()].into_iter().flatten();
                answer.notes = Some(words.collect::<Vec<_>>().join("\n"));
            }
            words_beside(questions, &outcome, false)
        }
        _ => None,
    }
}

fn refuse(why: &str) -> Parsed {
    Parsed::Refused {
        result: ToolResult::error(format!("The interrupt is no request for approval: {why}")),
        code: "invalid_interrupt".to_owned(),
    }
}

fn read(value: &Json) -> Result<(Shape, Vec<Action>), String> {
    match value {
        Json::Array(requests) => Ok((Shape::Inbox, each(requests, inbox)?)),
        _ if value.get("action_request").is_some() => Ok((Shape::Inbox, vec![inbox(value)?])),
        _ if value.string("type") == Some("tool_approval") => Ok((Shape::PerCall, vec![per_call(value)?])),
        _ => match value.get("action_requests") {
            Some(Json::Array(requests)) => {
                let configs = value.items("review_configs");
                Ok((Shape::Middleware, each(requests, |request| middleware(request, configs))?))
            }
            _ => Err("action_requests is a list that must be there".to_owned()),
        },
    }
}

fn each(requests: &[Json], read: impl Fn(&Json) -> Result<Action, String>) -> Result<Vec<Action>, String> {
    let numbered = requests.iter().enumerate();
    numbered.map(|(index, request)| read(request).map_err(|why| format!("request {}: {why}", index + 1))).collect()
}

fn middleware(request: &Json, configs: &[Json]) -> Result<Action, String> {
    let name = request.string("name").ok_or("name is a text that must be there")?;
    let config = configs.iter().find(|config| config.string("action_name") == Some(name));
    let config = config.ok_or_else(|| format!("no review_config says which decisions are allowed for {name:?}"))?;
    let Some(Json::Array(decisions)) = config.get("allowed_decisions") else {
        return Err("allowed_decisions is a list that must be there".to_owned());
    };
    let mut allowed = Allowed::default();
    for decision in decisions {
        match decision {
            Json::String(decision) if decision == "approve" => allowed.approve = true,
            Json::String(decision) if decision == "edit" => allowed.edit = true,
            Json::String(decision) if decision == "reject" => allowed.reject = true,
            Json::String(decision) if decision == "respond" => allowed.respond = true,
            _ => return Err("allowed_decisions are approve, edit, reject and respond".to_owned()),
        }
    }
    if decisions.is_empty() {
        return Err(format!("no decision is allowed for {name:?}"));
    }
    action(request, name, allowed)
}

/// It says nothing of what is allowed: so all is.
fn per_call(request: &Json) -> Result<Action, String> {
    let name = request.string("name").ok_or("name is a text that must be there")?;
    action(request, name, Allowed { approve: true, edit: true, reject: true, respond: true })
}

fn inbox(request: &Json) -> Result<Action, String> {
    let asked = request.get("action_request").ok_or("action_request must be there")?;
    let name = asked.string("action").ok_or("action_request.action is a text that must be there")?;
    let config = request.get("config").ok_or("config must be there")?;
    let may = |name: &str| match config.get(name) {
        None | Some(Json::Null) => Ok(false),
        Some(Json::Bool(flag)) => Ok(*flag),
        Some(_) => Err(format!("config.{name} is true or false")),
    };
    let allowed = Allowed {
        approve: may("allow_accept")?,
        edit: may("allow_edit")?,
        reject: may("allow_ignore")?,
        respond: may("allow_respond")?,
    };
    let Allowed { approve, edit, reject, respond } = allowed;
    if !(approve || edit || reject || respond) {
        return Err("its config allows no answer".to_owned());
    }
    let action = action(asked, name, allowed)?;
    Ok(Action { description: description(request)?, ..action })
}

fn action(request: &Json, name: &str, allowed: Allowed) -> Result<Action, String> {
    let arguments = match request.get("args") {
        Some(arguments @ Json::Object(_)) => arguments.clone(),
        _ => return Err(format!("the args of {name:?} are an object that must be there")),
    };
    Ok(Action { name: name.to_owned(), arguments, description: description(request)?, allowed })
}

fn description(request: &Json) -> Result<Option<String>, String> {
    match request.get("description") {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err("description is a text".to_owned()),
    }
}

impl Action {
    /// A tool that can neither be approved nor edited asks for words: those a person gives stand for its result.
    fn question(self, index: usize) -> Question {
        let Allowed { approve, edit, respond, .. } = self.allowed;
        if respond && !approve && !edit {
            let asked = said(&self.description)
                .map_or_else(|| format!("{}: {}", self.name, self.arguments.to_text()), str::to_owned);
            let question = Question::new(question_id(index), QuestionKind::Text, asked);
            return Question { header: Some(self.name), required: true, multiline: true, ..question };
        }
        let asked = format!("May {} be called?", self.name);
        let tool =
            ToolCall { name: self.name, arguments: JsonText::of(&self.arguments), description: self.description };
        Question {
            required: true,
            tool: Some(tool),
            editable: edit,
            allow_custom: respond,
            ..Question::new(question_id(index), QuestionKind::Approval, asked)
        }
    }

    fn decision(&self, shape: Shape, answer: &Answer, outcome: &Outcome) -> Json {
        // What no person said is marked as such, wherever there are words to mark.
        let is_said = outcome.provenance == Provenance::Human;
        let marked = |words: &str| if is_said { words.to_owned() } else { with_declared(outcome, words) };
        let own = said(&answer.custom).map(marked);
        match Approval::of(answer.value.as_ref()) {
            Some(Approval { decision: Verdict::Approve, arguments, .. }) if is_said => {
                self.approved(shape, arguments.as_ref())
            }
            Some(_) => {
                let unsaid = || (!is_said).then(|| marked(DENIED));
                self.denied(shape, own.or_else(unsaid).as_deref())
            }
            None if answer.status == Answered::Answered => respond(shape, &own.unwrap_or_default()),
            None => self.denied(shape, None),
        }
    }

    /// A graph that does not take a plain yes takes one with the same arguments.
    fn approved(&self, shape: Shape, others: Option<&JsonText>) -> Json {
        let arguments = match others {
            None if self.allowed.approve => {
                return match shape {
                    Shape::Inbox => entry("accept", Json::Null),
                    Shape::Middleware | Shape::PerCall => object([("type", text("approve"))]),
                };
            }
            None => self.arguments.clone(),
            Some(others) => others.parse(),
        };
        match shape {
            Shape::Inbox => entry("edit", object([("action", text(&self.name)), ("args", arguments)])),
            Shape::Middleware | Shape::PerCall => {
                let edited = object([("name", text(&self.name)), ("args", arguments)]);
                object([("type", text("edit")), ("edited_action", edited)])
            }
        }
    }

    /// Where the graph takes no refusal but takes words, the words are the refusal. Where it takes neither, it is told
    /// the refusal all the same: it then fails, and nothing is called.
    fn denied(&self, shape: Shape, words: Option<&str>) -> Json {
        // To ignore has no place for words.
        let is_said_as_response = !self.allowed.reject || (shape == Shape::Inbox && words.is_some());
        if self.allowed.respond && is_said_as_response {
            return respond(shape, words.unwrap_or(DENIED));
        }
        match (shape, words) {
            (Shape::Inbox, _) => entry("ignore", Json::Null),
            (_, Some(words)) => object([("type", text("reject")), ("message", text(words))]),
            (_, None) => object([("type", text("reject"))]),
        }
    }
}

fn respond(shape: Shape, words: &str) -> Json {
    match shape {
        Shape::Inbox => entry("response", text(words)),
        Shape::Middleware | Shape::PerCall => object([("type", text("respond")), ("message", text(words))]),
    }
}

fn entry(kind: &str, args: Json) -> Json {
    object([("type", text(kind)), ("args", args)])
}

fn resume(shape: Shape, mut decisions: Vec<Json>) -> Json {
    match shape {
        Shape::Middleware => object([("decisions", Json::Array(decisions))]),
        Shape::PerCall => decisions.pop().unwrap_or(Json::Null),
        Shape::Inbox => Json::Array(decisions),
    }
}
