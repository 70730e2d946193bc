//! The arguments' text, read as each version reads it.

use super::super::javascript::trim;
use super::super::json::{read_arguments, read_as_javascript};
use super::version::Version;
use super::{TOOL, shown};
use crate::domain::Faults;
use crate::domain::json::{Json, JsonError};

/// The arguments, or what the model is told of a text that is no JSON.
///
/// # Errors
/// Too deep nesting, which is a fault of the request.
pub(super) fn read(version: Version, raw: &str) -> Result<Result<Json, String>, Faults> {
    let is_nothing = version == Version::V332 && trim(raw) == "null";
    let arguments = read_arguments(if is_nothing { "" } else { raw })?;
    Ok(match (version, arguments) {
        (Version::V89, arguments) => arguments.map_err(|error| no_json(&error)),
        (Version::V332, Ok(arguments)) => Ok(repair(arguments)),
        (Version::V332, Err(_)) => Err(not_parsed(raw)),
    })
}

/// Ours: what 2.1.89 says is not recorded.
fn no_json(error: &JsonError) -> String {
    format!("{TOOL} was called without JSON: {error}")
}

fn not_parsed(raw: &str) -> String {
    let (start, taken) = shown::start(raw);
    format!(
        "{TOOL} was called with input that could not be parsed as JSON.\nYou sent (first {taken} of {} bytes): {start}\n\
         Common causes: unescaped backslashes in file paths (use / or \\\\), unescaped control characters, or truncated \
         output. Retry with valid JSON.",
        shown::units(raw)
    )
}

/// What 2.1.332 does before it looks at the schema: a member that should be a list or an object and is the JSON text of
/// one is read, and `__proto__` is taken out. Only of the outermost object: further in, nothing can tell.
fn repair(mut arguments: Json) -> Json {
    if let Json::Object(members) = &mut arguments {
        members.retain(|(name, _)| name != "__proto__");
        for (name, value) in members {
            let Json::String(text) = &*value else { continue };
            match (name.as_str(), read_as_javascript(text)) {
                ("questions", Ok(list @ Json::Array(_))) => *value = list,
                ("metadata", Ok(object @ Json::Object(_))) => *value = object,
                _ => {}
            }
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_332(raw: &str) -> Result<String, String> {
        read(Version::V332, raw).unwrap().map(|arguments| arguments.to_text())
    }

    #[test]
    fn json_text_in_the_place_of_json_is_read_by_the_later_version() {
        let raw = r#"{"questions":" [{\"a\":1,\"a\":2}]\n","metadata":"{}","answers":"{}","__proto__":1,"x":"[]"}"#;
        let read_by_332 = r#"{"questions":[{"a":2}],"metadata":{},"answers":"{}","x":"[]"}"#;
        assert_eq!(read_332(raw).unwrap(), read_by_332);
        assert!(read(Version::V89, raw).unwrap().unwrap().to_text().starts_with(r#"{"questions":" [{"#));
        for kept in [r#"{"questions":"{}"}"#, r#"{"metadata":"[]"}"#, r#"{"questions":"[1"}"#, r#"["[]"]"#] {
            assert_eq!(read_332(kept).unwrap(), kept);
        }
        let deep = format!(r#"{{"questions":"{}{}"}}"#, "[".repeat(65), "]".repeat(65));
        assert_eq!(read_332(&deep).unwrap(), deep);
    }

    #[test]
    fn nothing_is_an_object_without_members() {
        for raw in ["", "null", " null\n"] {
            assert_eq!(read_332(raw).unwrap(), "{}");
        }
        assert_eq!(read(Version::V89, "null").unwrap().unwrap(), Json::Null);
    }

    #[test]
    fn what_is_no_json_is_told_with_its_start() {
        assert_eq!(
            read_332("{\"a\":\n😀").unwrap_err(),
            "AskUserQuestion was called with input that could not be parsed as JSON.\nYou sent (first 8 of 8 bytes): \
             {\"a\":\\u{A}😀\nCommon causes: unescaped backslashes in file paths (use / or \\\\), unescaped control \
             characters, or truncated output. Retry with valid JSON."
        );
        assert!(read_332(&"x".repeat(300)).unwrap_err().contains("(first 200 of 300 bytes)"));
        assert!(read(Version::V332, &"[".repeat(65)).is_err());
    }
}
