//! The dialects against the golden vectors, on the pure module: every case to the byte.
//!
//! `tests/vectors/NOT_OVER_HTTP.md` says which cases only run here and which do not run at all; a case that is neither
//! run nor listed fails the test.

mod calls;
pub mod cases;
mod endings;
mod no_panic;
mod over_http;

use askhub::dialect::claude_code::render_record;
use askhub::dialect::{AskParts, Dialect, Parsed, Rendered, Request, ToolResult, dialect};
use askhub::domain::json::Json;
use askhub::domain::{Call, Settlement, check_answers};

use self::cases::{Case, Ending, NESTING, Way, cases};

#[test]
fn claude_code_says_what_the_original_says() {
    let all = cases("claude-code");
    let runnable: Vec<&Case> = all.iter().filter(|case| case.way != Way::NotRun).collect();
    let failures: Vec<String> =
        runnable.iter().filter_map(|case| run(case).err().map(|why| format!("{}: {why}", case.name))).collect();
    let over_http = all.iter().filter(|case| cases::over_http(case)).count();
    let run_here = runnable.len() - failures.len();
    println!(
        "claude-code: {} cases, {run_here} run, {over_http} of them also over HTTP, {} not run",
        all.len(),
        all.len() - runnable.len()
    );
    assert!(failures.is_empty(), "{} of {} cases fail:\n{}", failures.len(), runnable.len(), failures.join("\n"));
    assert_eq!(run_here, all.len() - cases::listed("claude-code", Way::NotRun).len());
    assert_eq!(all.len(), 161, "the vectors are a copy and do not change");
}

#[test]
fn every_listed_case_exists_and_has_a_reason() {
    let names: Vec<String> = cases("claude-code").into_iter().map(|case| case.name).collect();
    for way in [Way::Pure, Way::NotRun] {
        for (name, reason) in cases::listed("claude-code", way) {
            assert!(names.contains(&name), "{name} is listed, the vectors do not have it");
            assert!(!reason.is_empty(), "{name} is listed without a reason");
        }
    }
}

#[test]
fn what_goes_over_http_needs_nothing_but_answers_or_a_refusal() {
    for case in cases("claude-code").iter().filter(|case| cases::over_http(case)) {
        let can = case.is_rejected() || matches!(case.ending(), Some(Ending::Answers(_) | Ending::Declined { .. }));
        assert!(can, "{} cannot go over HTTP: list it with the reason", case.name);
    }
}

/// Runs one case: verdict, result, error flag, and what the host is given.
fn run(case: &Case) -> Result<(), String> {
    let dialect = dialect("claude-code").ok_or("the dialect is missing")?;
    let (raw, context) = (case.arguments(), case.context());
    let request = Request::check(dialect, &raw, &context).map_err(|faults| format!("{faults:?}"))?;
    match dialect.parse(&request).map_err(|faults| format!("{faults:?}"))? {
        Parsed::Refused { result, .. } if case.is_rejected() => same_result(case, Some(&result)),
        Parsed::Ask(parts) if !case.is_rejected() => run_accepted(case, dialect, &request, &parts),
        other => Err(format!("should be {}, is {other:?}", if case.is_rejected() { "rejected" } else { "accepted" })),
    }
}

fn run_accepted(case: &Case, dialect: &dyn Dialect, request: &Request<'_>, parts: &AskParts) -> Result<(), String> {
    if let (Some(record), Some(result)) = (case.record(), case.result()) {
        same("render_record", &render_record(&record.answers, &record.annotations), &result)?;
    }
    let call = calls::asked(parts.questions.clone(), request.to_use(dialect));
    let rendered = match case.ending().ok_or("the case says not how it ends")? {
        Ending::Record => return Ok(()),
        Ending::Pending => render(&call),
        Ending::Unattended => render(&calls::unattended(&call)),
        Ending::Declined { clarify, answers } => {
            let answers = check_answers(&call.ask.questions, &answers, true).map_err(|faults| format!("{faults:?}"))?;
            let decline = Settlement::Decline { reason: None, clarify, reply: None, answers };
            render(&calls::settled(&call, decline))
        }
        Ending::Answers(answers) => {
            let rendered = render(&calls::answered(&call, &answers));
            same_input(case, rendered.tool_result.as_ref().and_then(|result| result.structured.as_deref()))?;
            rendered
        }
    };
    same_result(case, rendered.tool_result.as_ref())
}

fn render(call: &Call) -> Rendered {
    askhub::dialect::render(call).expect("the call came as a dialect's")
}

fn same_result(case: &Case, result: Option<&ToolResult>) -> Result<(), String> {
    same("result", &result.map(|result| &result.text), &case.result().as_ref())?;
    same("result_is_error", &result.is_some_and(|result| result.is_error), &case.result_is_error())
}

/// The structured result holds the questions as the original's host is given them, and the answers as it gives them.
fn same_input(case: &Case, structured: Option<&str>) -> Result<(), String> {
    let text = structured.ok_or("there is no structured result")?;
    let input = Json::parse(text, NESTING).map_err(|error| error.to_string())?;
    for (name, field) in [("answers", "answers_record"), ("annotations", "annotations")] {
        // Blank annotations stand for none: they never reach the original's host.
        if case.has(field) && !(name == "annotations" && case.has_blank_annotations()) {
            let text = |json: Option<&Json>| json.map(Json::to_canonical_text);
            let expected = case.json(field).or((name == "answers").then(|| Json::Object(Vec::new())));
            same(name, &text(input.get(name)), &text(expected.as_ref()))?;
        }
    }
    let expected = case.json("normalized").ok_or("the case has no normalized questions")?;
    same("normalized", &input.get("questions"), &expected.get("questions"))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}\n    is        {found:?}\n    should be {expected:?}")) }
}
