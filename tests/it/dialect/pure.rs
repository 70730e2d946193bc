//! One case on the pure module: verdict, result, error flag, and what its file alone has.

use askhub::dialect::{self, Dialect, Parsed, Rendered, Request, ToolResult};
use askhub::domain::{Call, Question, Settlement, check_answers};

use super::calls;
use super::cases::{Case, Ending};
use super::vectors::{Seen, Told, Vectors};

/// Runs a case.
///
/// # Errors
/// What is not as the case has it.
pub fn run(vectors: &dyn Vectors, case: &Case) -> Result<(), String> {
    let dialect = dialect::dialect(vectors.dialect()).ok_or("the dialect is missing")?;
    let (raw, context) = (case.arguments(), vectors.context(case));
    let request = Request::check(dialect, &raw, &context).map_err(|faults| format!("{faults:?}"))?;
    match dialect.parse(&request).map_err(|faults| format!("{faults:?}"))? {
        Parsed::Refused { result, code } if case.is_rejected() => {
            same_code(case, &code)?;
            same_told(vectors, case, &told(&at_once(result)), "")
        }
        Parsed::Done(result) if !case.is_rejected() => {
            let rendered = at_once(result);
            vectors.check(case, &Seen { questions: &[], rendered: Some(&rendered) })?;
            same_told(vectors, case, &told(&rendered), "")
        }
        Parsed::Ask(parts) if !case.is_rejected() => {
            let call = calls::asked(parts.questions, request.to_use(dialect));
            run_asked(vectors, case, dialect, &call)
        }
        other => Err(format!("should be {}, is {other:?}", if case.is_rejected() { "rejected" } else { "accepted" })),
    }
}

fn run_asked(vectors: &dyn Vectors, case: &Case, dialect: &dyn Dialect, asked: &Call) -> Result<(), String> {
    let questions = &asked.ask.questions;
    let ended = match vectors.ending(case) {
        Ending::Own => return vectors.check(case, &Seen { questions, rendered: None }),
        Ending::Pending => asked.clone(),
        Ending::Cancelled => calls::cancelled(asked),
        Ending::Expired { declared } => calls::expired(&calls::with_default(asked, declared)),
        Ending::Unattended { declared } => calls::unattended(&calls::with_default(asked, declared)),
        Ending::Answers { answers, reply } => {
            let answers = check_answers(questions, &answers, true).map_err(|faults| format!("{faults:?}"))?;
            calls::settled(asked, Settlement::Answer { answers, reply })
        }
        Ending::Declined { clarify, reason, reply, answers } => {
            let answers =
                check_answers(&optional(questions), &answers, true).map_err(|faults| format!("{faults:?}"))?;
            calls::settled(asked, Settlement::Decline { reason, clarify, reply, answers })
        }
    };
    let rendered = dialect::render(&ended).ok_or_else(|| format!("{} does not render", dialect.name()))?;
    vectors.check(case, &Seen { questions, rendered: Some(&rendered) })?;
    let deadline = ended.expires_at.map(|at| at.to_string()).unwrap_or_default();
    same_told(vectors, case, &told(&rendered), &deadline)
}

/// The questions as they are for somebody who declines: nothing must be answered.
fn optional(questions: &[Question]) -> Vec<Question> {
    let optional = |question: &Question| Question { required: false, min_selected: None, ..question.clone() };
    questions.iter().map(optional).collect()
}

fn at_once(result: ToolResult) -> Rendered {
    Rendered { tool_result: Some(result), ..Rendered::default() }
}

fn told(rendered: &Rendered) -> Told {
    Told {
        result: rendered.tool_result.as_ref().map(|result| result.text.clone()),
        is_error: rendered.tool_result.as_ref().is_some_and(|result| result.is_error),
        user_message: Some(rendered.user_message.clone()),
        ends_run: Some(rendered.ends_run),
    }
}

fn same_told(vectors: &dyn Vectors, case: &Case, found: &Told, deadline: &str) -> Result<(), String> {
    same("told", found, &vectors.told(case).matching(found, deadline))
}

fn same_code(case: &Case, found: &str) -> Result<(), String> {
    case.text("error_code").map_or(Ok(()), |code| same("error_code", &found, &code.as_str()))
}

/// Whether two things are equal.
///
/// # Errors
/// Both, if they are not.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}\n    is        {found:?}\n    should be {expected:?}")) }
}
