//! The kind `approval`: may the agent call this tool with these arguments?
//!
//! Invariant: nothing but a person's own decision approves. Silence, a declared default and arguments that nobody could
//! see whole never do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fault::Faults;
use super::json::{Json, push_pointer};
use super::limits::{ID_BYTES_MAX, NAME_BYTES_MAX, OPTIONS_MAX};
use super::question::{Question, is_blank};
use super::raw::JsonText;

/// The call of a tool that waits for a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments, as they would be passed.
    #[schema(value_type = Object)]
    pub arguments: JsonText,
    /// What the tool does.
    pub description: Option<String>,
}

/// How much harm a call could do, by its asker's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Nothing that matters.
    Low,
    /// Something that can be put right.
    Medium,
    /// Something that is hard to put right.
    High,
    /// Something that cannot be undone.
    Destructive,
}

impl Risk {
    /// Every risk with its name on the wire, from the least on.
    pub const NAMES: [(&'static str, Self); 4] =
        [("low", Self::Low), ("medium", Self::Medium), ("high", Self::High), ("destructive", Self::Destructive)];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// The members of an approval as they were sent: right types, rules not checked yet.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[expect(missing_docs, reason = "members are those of ToolCall")]
pub struct ToolForm {
    pub name: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub arguments: Option<JsonText>,
    pub description: Option<String>,
}

/// What a person decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The tool may be called.
    Approve,
    /// It may not.
    Deny,
}

/// A decision with what belongs to it: the `value` of an answer to an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Yes or no.
    pub decision: Verdict,
    /// Other arguments, to be passed instead of those that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<JsonText>,
    /// For how much it holds: one of the question's `scopes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

impl ToolForm {
    pub(super) fn check(self, pointer: &str, faults: &mut Faults) -> ToolCall {
        let name = self.name.unwrap_or_default();
        if is_blank(&name) || name.len() > NAME_BYTES_MAX {
            faults.add(format!("{pointer}/name"), format!("a tool's name has 1 to {NAME_BYTES_MAX} bytes"));
        }
        ToolCall {
            name,
            arguments: self.arguments.unwrap_or_else(JsonText::empty_object),
            description: self.description,
        }
    }
}

/// Scopes that can be told apart.
pub(super) fn check_scopes(scopes: Option<Vec<String>>, pointer: &str, faults: &mut Faults) -> Vec<String> {
    let scopes = scopes.unwrap_or_default();
    if scopes.len() > OPTIONS_MAX {
        faults.add(format!("{pointer}/scopes"), format!("a question has at most {OPTIONS_MAX} scopes"));
        return Vec::new();
    }
    for (index, scope) in scopes.iter().enumerate() {
        if is_blank(scope) || scope.len() > ID_BYTES_MAX {
            faults.add(format!("{pointer}/scopes/{index}"), format!("a scope has 1 to {ID_BYTES_MAX} bytes"));
        } else if scopes[..index].contains(scope) {
            faults.add(format!("{pointer}/scopes/{index}"), "this scope is there twice");
        }
    }
    scopes
}

impl Approval {
    /// What an answer's value says; none if it is no decision.
    pub fn of(value: Option<&JsonText>) -> Option<Self> {
        serde_json::from_str(value?.get()).ok()
    }

    /// The decision, if it is one that this question takes.
    pub(super) fn check(question: &Question, value: &Json, pointer: &str, faults: &mut Faults) -> Option<Self> {
        let Json::Object(members) = value else {
            faults.add(pointer, format!("a decision is an object, not {}", value.kind()));
            return None;
        };
        for (index, (name, _)) in members.iter().enumerate() {
            let mut below = pointer.to_owned();
            push_pointer(&mut below, name);
            if members[..index].iter().any(|(earlier, _)| earlier == name) {
                faults.add(below, "this key is repeated");
            } else if !["decision", "arguments", "scope"].contains(&name.as_str()) {
                faults.add(below, "unknown key; known here: decision, arguments, scope");
            }
        }
        let verdict = match value.string("decision") {
            Some("approve") => Verdict::Approve,
            Some("deny") => Verdict::Deny,
            _ => {
                faults.add(format!("{pointer}/decision"), "a decision is \"approve\" or \"deny\"");
                return None;
            }
        };
        if verdict == Verdict::Approve && question.arguments_truncated {
            let detail = "the agent sent only a part of the arguments: what nobody can see whole cannot be approved";
            faults.add(format!("{pointer}/decision"), detail);
        }
        let of_approval = |name: &str| value.get(name).filter(|value| **value != Json::Null);
        let arguments = of_approval("arguments");
        if let Some(arguments) = arguments {
            check_arguments(question, verdict, arguments, &format!("{pointer}/arguments"), faults);
        }
        let scope = of_approval("scope");
        if let Some(scope) = scope {
            check_scope(question, verdict, scope, &format!("{pointer}/scope"), faults);
        }
        let scope = value.string("scope").map(str::to_owned);
        Some(Self { decision: verdict, arguments: arguments.map(JsonText::of), scope })
    }

    /// A decision with nothing beside it.
    pub fn new(decision: Verdict) -> Self {
        Self { decision, arguments: None, scope: None }
    }

    /// It as an answer's value.
    pub fn to_value(&self) -> JsonText {
        let text = |text: &str| Json::String(text.to_owned());
        let decision = if self.decision == Verdict::Approve { "approve" } else { "deny" };
        let mut members = vec![("decision".to_owned(), text(decision))];
        members.extend(self.arguments.as_ref().map(|arguments| ("arguments".to_owned(), arguments.parse())));
        members.extend(self.scope.as_deref().map(|scope| ("scope".to_owned(), text(scope))));
        JsonText::of(&Json::Object(members))
    }

    /// The decision in words.
    pub fn words(&self) -> String {
        let mut words = match self.decision {
            Verdict::Approve => "Approved".to_owned(),
            Verdict::Deny => return "Denied".to_owned(),
        };
        if let Some(scope) = &self.scope {
            words.push_str(&format!(" for: {scope}"));
        }
        if let Some(arguments) = &self.arguments {
            words.push_str(&format!(" with other arguments: {}", arguments.get()));
        }
        words
    }
}

fn check_arguments(question: &Question, verdict: Verdict, arguments: &Json, pointer: &str, faults: &mut Faults) {
    if verdict == Verdict::Deny {
        faults.add(pointer, "arguments go with an approval; what is denied has none");
    } else if !question.editable {
        faults.add(pointer, "the agent does not take other arguments: approve these, or deny with a reason");
    } else if !matches!(arguments, Json::Object(_)) {
        faults.add(pointer, format!("a tool's arguments are an object, not {}", arguments.kind()));
    }
}

fn check_scope(question: &Question, verdict: Verdict, scope: &Json, pointer: &str, faults: &mut Faults) {
    let is_offered = matches!(scope, Json::String(scope) if question.scopes.contains(scope));
    if verdict == Verdict::Deny {
        faults.add(pointer, "a scope goes with an approval");
    } else if question.scopes.is_empty() {
        faults.add(pointer, "the agent offers no scopes");
    } else if !is_offered {
        faults.add(pointer, format!("the scopes are {}", question.scopes.join(", ")));
    }
}
