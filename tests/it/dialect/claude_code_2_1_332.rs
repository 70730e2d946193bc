//! The vectors of claude-code 2.1.332: what its hosts answer, as answers of a person.

use askhub::dialect::claude_code::render_answers;
use askhub::domain::json::Json;

use super::cases::{Case, Ending, NESTING};
use super::claude_code::{self, answered, answers_of, member, record, string};
use super::pure::same;
use super::vectors::{Seen, Vectors};

/// `claude-code-2.1.332.json`.
pub struct Later;

impl Vectors for Later {
    fn file(&self) -> &'static str {
        "claude-code-2.1.332"
    }

    fn dialect(&self) -> &'static str {
        "claude-code"
    }

    fn count(&self) -> usize {
        60
    }

    fn context(&self, case: &Case) -> Json {
        let mut context = vec![("variant".to_owned(), Json::String("2.1.332".to_owned()))];
        context.extend(claude_code::preview_format(case).map(|format| ("preview_format".to_owned(), format)));
        Json::Object(context)
    }

    fn ending(&self, case: &Case) -> Ending {
        let outcome = case.text("outcome").unwrap_or_default();
        let declined = |clarify| Ending::Declined { clarify, reason: None, reply: None, answers: Vec::new() };
        match (outcome.as_str(), case.result().as_deref()) {
            ("declined", _) => return declined(false),
            ("replied_in_chat", _) => return declined(true),
            (_, None) => return Ending::Pending,
            (_, Some(text)) if text.contains("No such tool available") => {
                return Ending::Unattended { declared: Vec::new() };
            }
            _ => {}
        }
        if let Some(answers) = case.given("answers") {
            return answered(answers);
        }
        match (record(case), response(case)) {
            (None, reply) => Ending::Answers { answers: Vec::new(), reply },
            (Some(record), reply) => {
                answers_of(case, &record).map_or(Ending::Own, |answers| Ending::Answers { answers, reply })
            }
        }
    }

    fn check(&self, case: &Case, seen: &Seen<'_>) -> Result<(), String> {
        if let (Some(record), Some(result), false) = (record(case), case.result(), case.result_is_error()) {
            let response = response(case);
            let told = render_answers(seen.questions, &record.answers, &record.annotations, response.as_deref());
            same("render_answers", &told, &result)?;
        }
        let structured = seen.rendered.and_then(|rendered| rendered.tool_result.as_ref()?.structured.as_deref());
        let (Some(structured), Some(normalized)) = (structured, case.json("normalized")) else { return Ok(()) };
        let input = Json::parse(structured, NESTING).map_err(|error| error.to_string())?;
        same("normalized", &input.get("questions"), &normalized.get("questions"))
    }
}

/// What the host says in the place of all answers.
fn response(case: &Case) -> Option<String> {
    let host = case.json("host")?;
    member(&host, &["canUseTool", "merge", "response"]).map(string)
}
