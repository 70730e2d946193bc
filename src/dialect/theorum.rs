//! `theorum`: the tool `ask_user` of theorum's kernel, to the byte.
//!
//! It completes at once: its result says that input is awaited and repeats the question, so it is made anew from the
//! arguments' text each time. The answer is the user's next turn (`message`). The kernel's own refusals come before
//! the arguments are looked at (`gate`).
//!
//! Texts are marked (`utf16`) until they are told: JavaScript keeps half of a surrogate pair, and its JSON shows it.

mod gate;

use super::javascript::trim;
use super::{AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, choice_options, message, question_id};
use super::{json, utf16};
use crate::domain::json::{Json, write_string};
use crate::domain::{Call, Faults, Question, QuestionKind, Status};

/// The tool's name: also in its error texts.
const TOOL: &str = "ask_user";

/// The definition for a model. The published schema, with a length that the tool checks and one that it should.
const DEFINITION: Tool = Tool {
    name: TOOL,
    description: "Put one question to the person you work for, when you cannot go on without a decision or a fact that \
        only they have. The result only says that their input is awaited: stop there, the answer is their next message. \
        Use kind confirm for yes or no, choice to let them pick one of the options that you list, text for an answer in \
        their own words.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"#,
        r#""kind":{"type":"string","enum":["confirm","choice","text"],"description":"What kind of answer you need."},"#,
        r#""prompt":{"type":"string","minLength":1,"description":"The whole question."},"#,
        r#""options":{"type":"array","items":{"type":"string","minLength":1},"#,
        r#""description":"For kind choice, and only there: what can be chosen, at least one, none of them blank."}},"#,
        r#""required":["kind","prompt"]}"#,
    ),
};

/// The dialect.
#[derive(Debug)]
pub struct Theorum;

impl Dialect for Theorum {
    fn name(&self) -> &'static str {
        "theorum"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["kernel"]
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        if let Some(failure) = gate::failure(request)? {
            return Ok(refuse(failure.code, &failure.message));
        }
        let arguments = match json::read_as_utf16(request.raw) {
            Err(error) if error.too_deep => return Err(Faults::of("/arguments", error.reason)),
            read => read.ok(),
        };
        Ok(match arguments.as_ref().and_then(Output::of) {
            None => refuse("invalid_input", "Tool input validation failed"),
            Some(output) if output.is_awaiting() => {
                Parsed::Ask(Box::new(AskParts { questions: vec![output.question()], title: None }))
            }
            Some(_) if request.is_strict() => {
                refuse("invalid_input", "A question of kind choice needs options, and none of them may be blank")
            }
            Some(output) => Parsed::Done(output.result()),
        })
    }

    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered {
        // An abort is thrown out of the original: then the call has no result.
        let arguments = json::read_as_utf16(request.raw).ok().filter(|_| call.status != Status::Cancelled);
        let output = arguments.as_ref().and_then(Output::of);
        message::render(request, call, output.map(|output| output.result()))
    }
}

fn refuse(code: &str, message: &str) -> Parsed {
    let mut structured = format!(r#"{{"ok":false,"code":"{code}","message":"#);
    write_string(&mut structured, message);
    structured.push('}');
    let text = format!("Tool error ({code}): {message}\n{structured}");
    let result = ToolResult { text, is_error: true, structured: Some(structured) };
    Parsed::Refused { result, code: code.to_owned() }
}

/// What the tool makes of its arguments. Texts are marked.
struct Output<'a> {
    kind: QuestionKind,
    prompt: &'a str,
    /// None unless it is a choice that has some.
    options: Option<Vec<&'a str>>,
}

impl<'a> Output<'a> {
    /// The output, if the arguments keep the schema. The kernel takes `__proto__`, `constructor` and `prototype` out
    /// first; none of them is a member of the schema, and others are dropped anyway.
    fn of(arguments: &'a Json) -> Option<Self> {
        let Json::Object(_) = arguments else { return None };
        let kind = match text(arguments.get("kind")?)? {
            "confirm" => QuestionKind::Confirm,
            "choice" => QuestionKind::Choice,
            "text" => QuestionKind::Text,
            _ => return None,
        };
        let prompt = trim(text(arguments.get("prompt")?)?);
        let options = match arguments.get("options") {
            None => Vec::new(),
            Some(Json::Array(items)) => items.iter().map(text).collect::<Option<_>>()?,
            Some(_) => return None,
        };
        let options = (kind == QuestionKind::Choice && !options.is_empty()).then_some(options);
        (!prompt.is_empty()).then_some(Self { kind, prompt, options })
    }

    /// Whether the kernel takes it for a question: a choice that lacks an option's text is none, and nobody is asked.
    fn is_awaiting(&self) -> bool {
        let is_told = |options: &Vec<&str>| !options.iter().any(|option| trim(option).is_empty());
        self.kind != QuestionKind::Choice || self.options.as_ref().is_some_and(is_told)
    }

    fn result(&self) -> ToolResult {
        let json = self.to_json(utf16::write_json);
        let finding = if self.is_awaiting() {
            format!("Awaiting user input ({}): {}", self.kind.name(), utf16::to_utf8(self.prompt))
        } else {
            json.clone()
        };
        // Not every reader of JSON takes half of a surrogate pair, and this form is read by programs.
        let structured = self.to_json(|out, marked| write_string(out, &utf16::to_utf8(marked)));
        ToolResult { text: format!("{finding}\n{json}"), is_error: false, structured: Some(structured) }
    }

    fn to_json(&self, write: fn(&mut String, &str)) -> String {
        let mut out = format!(r#"{{"status":"awaiting_user_input","kind":"{}","prompt":"#, self.kind.name());
        write(&mut out, self.prompt);
        if let Some(options) = &self.options {
            let mut separator = r#","options":["#;
            for option in options {
                out.push_str(separator);
                write(&mut out, option);
                separator = ",";
            }
            out.push(']');
        }
        out.push('}');
        out
    }

    fn question(&self) -> Question {
        let options = self.options.iter().flatten().map(|option| (utf16::to_utf8(option), None));
        Question {
            options: choice_options(options),
            multiline: self.kind == QuestionKind::Text,
            ..Question::new(question_id(0), self.kind, utf16::to_utf8(self.prompt))
        }
    }
}

fn text(value: &Json) -> Option<&str> {
    match value {
        Json::String(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(raw: &str, context: &str) -> Result<Parsed, Faults> {
        let context = Json::parse(context, 64).unwrap();
        Theorum.parse(&Request::check(&Theorum, raw, &context)?)
    }

    fn code(raw: &str, context: &str) -> String {
        match parse(raw, context).unwrap() {
            Parsed::Refused { result, code } => {
                let structured = result.structured.unwrap();
                assert!(result.is_error && result.text.starts_with(&format!("Tool error ({code}): ")));
                assert!(result.text.ends_with(&format!("\n{structured}")));
                code
            }
            other => panic!("{raw} with {context} gave {other:?}"),
        }
    }

    fn asked(raw: &str) -> Question {
        match parse(raw, "{}").unwrap() {
            Parsed::Ask(mut parts) => parts.questions.remove(0),
            other => panic!("{raw} gave {other:?}"),
        }
    }

    const GOOD: &str = r#"{"kind":"text","prompt":"Name?"}"#;

    #[test]
    fn a_question_becomes_one_of_ours() {
        let choice = asked(r#"{"kind":"choice","prompt":"\ufeff Q \u00a0","options":[" A ","o2"],"x":1}"#);
        assert_eq!((choice.kind, choice.question.as_str()), (QuestionKind::Choice, "Q"));
        let options: Vec<_> = choice.options.iter().map(|option| (option.id.as_str(), option.label.as_str())).collect();
        assert_eq!(options, [("oa1", " A "), ("oa2", "o2")]);
        assert!(choice.allow_custom && !choice.multi_select && !choice.required);
        let text = asked(r#"{"kind":"text","prompt":"\u0085","options":[]}"#);
        assert_eq!((text.kind, text.question.as_str(), text.multiline), (QuestionKind::Text, "\u{85}", true));
        assert_eq!(asked(r#"{"kind":"confirm","prompt":"Q","options":["A"]}"#).kind, QuestionKind::Confirm);
        assert!(asked(r#"{"kind":"confirm","prompt":"Q","options":["A"]}"#).options.is_empty());
    }

    #[test]
    fn what_is_no_input_is_refused_without_details() {
        for raw in [
            "",
            "{\"kind\":",
            "[]",
            "\"kind\"",
            r#"{"kind":"Text","prompt":"x"}"#,
            r#"{"kind":"text ","prompt":"x"}"#,
            r#"{"kind":["text"],"prompt":"x"}"#,
            r#"{"kind":"text","prompt":"\ufeff"}"#,
            r#"{"kind":"text"}"#,
            r#"{"kind":"text","prompt":"x","options":{}}"#,
            r#"{"kind":"confirm","prompt":"x","options":null}"#,
            r#"{"kind":"text","prompt":"x","kind":"other"}"#,
        ] {
            assert_eq!(code(raw, "{}"), "invalid_input", "{raw}");
        }
    }

    #[test]
    fn a_choice_without_something_to_choose_asks_nobody() {
        for options in ["", r#","options":[]"#, r#","options":["\ufeff"]"#, r#","options":["A","","B"]"#] {
            let raw = format!(r#"{{"kind":"choice","prompt":"Q"{options}}}"#);
            let Parsed::Done(result) = parse(&raw, "{}").unwrap() else { panic!("{raw} asks somebody") };
            let (first, second) = result.text.split_once('\n').unwrap();
            assert_eq!(first, second);
            assert!(!result.is_error);
            assert_eq!(code(&raw, r#"{"strict":true}"#), "invalid_input");
        }
        assert!(matches!(parse(r#"{"kind":"choice","prompt":"Q","options":["\u0085"]}"#, "{}"), Ok(Parsed::Ask(_))));
    }

    #[test]
    fn half_a_surrogate_pair_shows_in_the_json_alone() {
        let raw = r#"{"kind":"choice","prompt":"\udc00?","options":["\ud83d","\ufffd"]}"#;
        let arguments = json::read_as_utf16(raw).unwrap();
        let result = Output::of(&arguments).unwrap().result();
        assert_eq!(
            result.text,
            "Awaiting user input (choice): \u{fffd}?\n{\"status\":\"awaiting_user_input\",\"kind\":\"choice\",\
             \"prompt\":\"\\udc00?\",\"options\":[\"\\ud83d\",\"\u{fffd}\"]}"
        );
        assert!(Json::parse(&result.structured.unwrap(), 64).is_ok());
        assert_eq!(asked(raw).options[0].label, "\u{fffd}");
    }

    #[test]
    fn the_kernel_refuses_before_it_looks_at_the_arguments() {
        let turn = r#""snapshot":{"gated":["ask_user"],"visible":["ask_user"]}"#;
        let hidden = r#""snapshot":{"gated":["ask_user"],"visible":[]}"#;
        let none = r#""snapshot":{"gated":[],"visible":["ask_user"]}"#;
        let (granted, denied) = (r#""resume":{"granted":true}"#, r#""resume":{"granted":false,"value":1}"#);
        for (context, expected) in [
            (r#""profile_type":"speech""#.to_owned(), "not_allowed"),
            (r#""allow":["other"]"#.to_owned(), "not_allowed"),
            (format!(r#""allow":[],{denied},{none}"#), "not_allowed"),
            (none.to_owned(), "not_gated"),
            (format!(r#"{none},"resume":{{"value":"x"}}"#), "not_gated"),
            (hidden.to_owned(), "not_loaded"),
            (denied.to_owned(), "denied"),
            (format!("{none},{denied}"), "denied"),
        ] {
            let context = format!("{{{context}}}");
            for raw in [GOOD, "{", "{}"] {
                assert_eq!(code(raw, &context), expected, "{context}");
            }
        }
        let open = [
            turn.to_owned(),
            format!("{none},{granted}"),
            format!("{hidden},{granted}"),
            r#""profile_type":"live","allow":["a","ask_user"],"resume":null,"snapshot":null"#.to_owned(),
        ];
        for context in open {
            assert!(matches!(parse(GOOD, &format!("{{{context}}}")), Ok(Parsed::Ask(_))), "{context}");
        }
    }

    #[test]
    fn a_context_that_the_kernel_cannot_have_is_a_fault() {
        for (context, pointer) in [
            (r#"{"allow":"ask_user"}"#, "/context/allow"),
            (r#"{"allow":[1]}"#, "/context/allow"),
            (r#"{"snapshot":[]}"#, "/context/snapshot"),
            (r#"{"snapshot":{"gated":[]}}"#, "/context/snapshot/visible"),
            (r#"{"resume":true}"#, "/context/resume"),
            (r#"{"resume":{"granted":"yes"}}"#, "/context/resume/granted"),
            (r#"{"profile_type":1}"#, "/context/profile_type"),
        ] {
            assert_eq!(parse(GOOD, context).unwrap_err().into_vec()[0].pointer, pointer, "{context}");
        }
        assert_eq!(parse(&"[".repeat(65), "{}").unwrap_err().into_vec()[0].pointer, "/arguments");
    }
}
