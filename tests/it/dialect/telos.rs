//! The vectors of telos: what the tool repeats of its arguments, and the same cases through its host's schema.

use askhub::dialect::{Parsed, Request, dialect, render};
use askhub::domain::json::Json;
use askhub::domain::{DialectUse, GivenAnswer, Question, QuestionKind};
use serde_json::value::RawValue;

use super::calls;
use super::cases::{Case, NESTING, cases};
use super::pure::same;
use super::vectors::{Seen, Told, Vectors};

/// `telos.json`.
pub struct Telos;

impl Vectors for Telos {
    fn file(&self) -> &'static str {
        "telos"
    }

    fn count(&self) -> usize {
        53
    }

    fn told(&self, case: &Case) -> Told {
        // Arguments that are no JSON never reach the original's tool, so it has no result for them: that text is ours.
        let unreadable = || {
            let error = Json::String(case.text("error").expect("a rejected case has an error")).to_text();
            format!(r#"{{"error":{{"kind":"validation_error","message":{error}}}}}"#)
        };
        let result = case.result().or_else(|| case.is_rejected().then(unreadable));
        Told { result, is_error: case.result_is_error(), user_message: Some(None), ends_run: Some(false) }
    }

    fn check(&self, case: &Case, seen: &Seen<'_>) -> Result<(), String> {
        let result = seen.rendered.and_then(|rendered| rendered.tool_result.as_ref()).ok_or("there is no result")?;
        same("structured", &result.structured.as_ref(), &Some(&result.text))?;
        let told = Json::parse(&result.text, NESTING).map_err(|error| error.to_string())?;
        same("normalized", &told.get("questions"), &case.json("normalized").as_ref())
    }
}

#[test]
fn the_host_of_telos_says_what_the_originals_runtime_says() {
    let dialect = dialect("telos").expect("it is spoken");
    let context = Json::parse(r#"{"variant":"host"}"#, NESTING).expect("it is JSON");
    let mut run = 0;
    for case in cases("telos").iter().filter(|case| case.has("host_verdict")) {
        let raw = case.arguments();
        let request = Request::check(dialect, &raw, &context).expect("the context is one");
        let told = match dialect.parse(&request).expect("the request makes sense") {
            Parsed::Refused { result, .. } => Some(result.text),
            Parsed::Ask(_) => None,
            Parsed::Done(_) => panic!("{}: telos always asks", case.name),
        };
        let is_rejected = case.text("host_verdict").as_deref() == Some("reject");
        assert_eq!(told, case.text("host_result").filter(|_| is_rejected), "{}", case.name);
        run += 1;
    }
    assert_eq!(run, 51);
}

#[test]
fn a_rules_answer_is_not_told_as_a_persons() {
    let question = Question::new("q1".to_owned(), QuestionKind::Text, "Why?".to_owned());
    let texts = ["telos", "tool", "{}", "{}"].map(str::to_owned);
    let [name, variant, raw, context] = texts;
    let asked = calls::asked(vec![question], DialectUse { name, variant, raw, context });
    let answer = GivenAnswer { id: "q1".to_owned(), custom: Some("Because.".to_owned()), ..GivenAnswer::default() };
    let mut call = calls::answered(&asked, &[answer]);
    let outcome = call.outcome.take().expect("it is settled");
    let by_rule = outcome.get().replace(r#""provenance":"human""#, r#""provenance":"rule""#);
    call.outcome = Some(RawValue::from_string(by_rule).expect("it is JSON"));
    let message = render(&call).and_then(|rendered| rendered.user_message);
    let expected = "No person answered: a rule did.\nQuestion: Why?\nAnswer: Because.";
    assert_eq!(message.as_deref(), Some(expected));
}
