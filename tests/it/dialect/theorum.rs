//! The vectors of theorum: who is asked, and the output of the tool.

use askhub::domain::json::Json;

use super::cases::{Case, Ending};
use super::pure::same;
use super::vectors::{Seen, Told, Vectors};

/// `theorum.json`.
pub struct Theorum;

impl Vectors for Theorum {
    fn file(&self) -> &'static str {
        "theorum"
    }

    fn count(&self) -> usize {
        51
    }

    fn ending(&self, _case: &Case) -> Ending {
        Ending::Pending
    }

    fn told(&self, case: &Case) -> Told {
        let (result, is_error) = (case.result(), case.result_is_error());
        Told { result, is_error, user_message: Some(None), ends_run: Some(false) }
    }

    fn check(&self, case: &Case, seen: &Seen<'_>) -> Result<(), String> {
        same("awaiting", &Some(!seen.questions.is_empty()), &case.field("awaiting"))?;
        let result = seen.rendered.and_then(|rendered| rendered.tool_result.as_ref()).ok_or("there is no result")?;
        same("normalized", &result.structured, &case.json("normalized").map(|json: Json| json.to_text()))
    }
}
