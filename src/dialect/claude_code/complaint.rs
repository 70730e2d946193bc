//! What a model is told of arguments that do not keep the schema.
//!
//! 2.1.89: if anything is missing, unexpected or of the wrong type, only that, in this order; else zod's own list of
//! issues as indented JSON. 2.1.332 tells wrong lengths with the rest, cuts long lists, and says first what to do about
//! a question that leaves nothing to decide.

use std::fmt::Write as _;

use super::schema::{Bound, Issues, Length, WrongType};
use super::version::Version;
use super::{TOOL, shown};
use crate::domain::json::Json;

/// So many parameters are listed by 2.1.332, or one more if it is the last; and so many other issues.
const LISTED_MAX: usize = 20;
/// The longest list that zod wrote itself which 2.1.332 tells.
const ZOD_MAX: usize = 4000;
/// In so many questions 2.1.332 looks for one with nothing to decide.
const STEERED_MAX: usize = 256;

const NOTHING_TO_DECIDE: &str = "This call included a question with fewer than 2 options, so it was rejected and the \
    person never saw it. A question with a single option has no decision in it. Do not retry this call and do not \
    invent a filler second option. Instead, state the one path you were going to offer as the approach you are taking, \
    then continue with the task. If this call also contained questions with 2 to 4 options (each with distinct labels), \
    you may re-ask those questions alone in a new call. Ask a question only when the person has at least two genuinely \
    distinct choices.";

const REPEATS: &str = "Question texts must be unique, option labels must be unique within each question";

/// The text for the issues of these arguments.
pub(super) fn tell(version: Version, arguments: &Json, issues: &Issues) -> String {
    match version {
        Version::V89 if issues.are_of_types() => {
            list(types(issues, [usize::MAX; 3], &|name| name.to_owned()).collect::<Vec<_>>())
        }
        Version::V89 => as_zod(issues),
        Version::V332 => {
            let zod = (!issues.are_of_types()).then(|| as_zod(issues)).filter(|text| text.len() <= ZOD_MAX);
            let told = zod.unwrap_or_else(|| list(cut(issues)));
            if has_nothing_to_decide(arguments) { format!("{NOTHING_TO_DECIDE}\n\n{told}") } else { told }
        }
    }
}

fn list(lines: Vec<String>) -> String {
    let word = shown::plural(lines.len(), "issue");
    format!("{TOOL} failed due to the following {word}:\n{}", lines.join("\n"))
}

/// The lines of 2.1.332.
fn cut(issues: &Issues) -> Vec<String> {
    let total = issues.missing.total + issues.wrong_types.total + issues.unexpected.total;
    let mut room = if total == LISTED_MAX + 1 { total } else { LISTED_MAX };
    let mut take = |wanted: usize| {
        let taken = wanted.min(room);
        room -= taken;
        taken
    };
    let (missing, wrong_types) = (take(issues.missing.total), take(issues.wrong_types.total));
    let unexpected = take(issues.unexpected.total);
    let mut lines: Vec<String> = types(issues, [missing, unexpected, wrong_types], &shown::name).collect();
    let more = |number: usize, word| {
        (number > 0).then(|| format!("({number} more {} not listed)", shown::plural(number, word)))
    };
    lines.extend(more(total - lines.len(), "parameter"));
    let lengths = issues
        .lengths
        .first
        .iter()
        .map(|length| format!("The parameter `{}` is invalid: {}", length.path(), length.bound.message()));
    let repeats = issues.repeats.then(|| format!("The input is invalid: {REPEATS}"));
    lines.extend(lengths.chain(repeats).take(LISTED_MAX));
    lines.extend(more((issues.lengths.total + usize::from(issues.repeats)).saturating_sub(LISTED_MAX), "issue"));
    lines
}

/// So many lines of each: what is missing, what is unexpected, what has the wrong type.
fn types<'a>(
    issues: &'a Issues,
    [missing, unexpected, wrong_types]: [usize; 3],
    show: &'a dyn Fn(&str) -> String,
) -> impl Iterator<Item = String> + 'a {
    let missing = issues.missing.first.iter().take(missing);
    let unexpected = issues.unexpected.first.iter().take(unexpected);
    let wrong_types = issues.wrong_types.first.iter().take(wrong_types);
    missing
        .map(move |path| format!("The required parameter `{}` is missing", show(path)))
        .chain(unexpected.map(move |name| format!("An unexpected parameter `{}` was provided", show(name))))
        .chain(wrong_types.map(move |WrongType { path, expected, received }| {
            format!("The parameter `{}` type is expected as `{expected}` but provided as `{received}`", show(path))
        }))
}

/// Whether some question has a list of less than two options, whatever else is wrong with it.
fn has_nothing_to_decide(arguments: &Json) -> bool {
    let Some(Json::Array(questions)) = arguments.get("questions") else { return false };
    let is_short = |question: &Json| matches!(question.get("options"), Some(Json::Array(options)) if options.len() < 2);
    questions.iter().take(STEERED_MAX).any(is_short)
}

/// The issues as `JSON.stringify(issues, null, 2)` writes them.
fn as_zod(issues: &Issues) -> String {
    let repeats = issues
        .repeats
        .then(|| format!("  {{\n    \"code\": \"custom\",\n    \"path\": [],\n    \"message\": \"{REPEATS}\"\n  }}"));
    let items: Vec<String> = issues.lengths.first.iter().map(Length::as_zod).chain(repeats).collect();
    format!("[\n{}\n]", items.join(",\n"))
}

impl Length {
    fn path(&self) -> String {
        self.options_of.map_or_else(|| "questions".to_owned(), |question| format!("questions[{question}].options"))
    }

    fn as_zod(&self) -> String {
        let mut path = "\n      \"questions\"".to_owned();
        if let Some(question) = self.options_of {
            let _ = write!(path, ",\n      {question},\n      \"options\"");
        }
        let (code, name, bound) = match self.bound {
            Bound::AtLeast(bound) => ("too_small", "minimum", bound),
            Bound::AtMost(bound) => ("too_big", "maximum", bound),
        };
        format!(
            "  {{\n    \"origin\": \"array\",\n    \"code\": \"{code}\",\n    \"{name}\": {bound},\n    \"inclusive\": \
             true,\n    \"path\": [{path}\n    ],\n    \"message\": \"{}\"\n  }}",
            self.bound.message()
        )
    }
}

impl Bound {
    fn message(self) -> String {
        match self {
            Self::AtLeast(bound) => format!("Too small: expected array to have >={bound} items"),
            Self::AtMost(bound) => format!("Too big: expected array to have <={bound} items"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema::check;
    use super::*;

    fn told(version: Version, arguments: &str) -> String {
        let arguments = Json::parse(arguments, 64).unwrap();
        check(version, &arguments).err().map(|issues| tell(version, &arguments, &issues)).unwrap_or_default()
    }

    fn complaint(arguments: &str) -> String {
        told(Version::V89, arguments)
    }

    fn option(label: &str) -> String {
        format!(r#"{{"label":"{label}","description":"d"}}"#)
    }

    fn question(text: &str, labels: &[&str]) -> String {
        let options: Vec<String> = labels.iter().map(|label| option(label)).collect();
        format!(r#"{{"question":"{text}","header":"h","options":[{}]}}"#, options.join(","))
    }

    fn arguments(questions: &[String], more: &str) -> String {
        format!(r#"{{"questions":[{}]{more}}}"#, questions.join(","))
    }

    /// Code and path of each issue that zod lists.
    fn zod_issues(complaint: &str) -> Vec<(String, String)> {
        let Json::Array(issues) = Json::parse(complaint, 64).unwrap() else { panic!("{complaint} is no list") };
        let member = |issue: &Json, name| issue.get(name).map(Json::to_text).unwrap_or_default();
        issues.iter().map(|issue| (member(issue, "code"), member(issue, "path"))).collect()
    }

    // What zod 4.3.6 says of the same schema stands in these tests.

    #[test]
    fn wrong_lengths_are_told_from_the_inside_out_with_uniqueness_last() {
        let all = [question("a", &["x"]), question("b", &["1", "2", "3", "4", "5"]), question("a", &["x", "y"])];
        let pair = |code: &str, path: &str| (format!("\"{code}\""), path.to_owned());
        let expected = [
            pair("too_small", r#"["questions",0,"options"]"#),
            pair("too_big", r#"["questions",1,"options"]"#),
            pair("custom", "[]"),
        ];
        assert_eq!(zod_issues(&complaint(&arguments(&all, ""))), expected);
        let five: Vec<String> = ["a", "b", "c", "d", "e"].iter().map(|text| question(text, &["x", "y"])).collect();
        assert_eq!(zod_issues(&complaint(&arguments(&five, ""))), [pair("too_big", r#"["questions"]"#)]);
    }

    #[test]
    fn a_type_issue_hides_lengths_and_uniqueness() {
        let twice = [question("a", &["x", "x"]), question("a", &["x"])];
        let text = complaint(&arguments(&twice, r#","zz":1"#));
        assert_eq!(
            text,
            "AskUserQuestion failed due to the following issue:\nAn unexpected parameter `zz` was provided"
        );
    }

    #[test]
    fn arguments_that_are_no_object_have_an_empty_path() {
        for (arguments, name) in
            [("[]", "array"), ("null", "null"), ("\"x\"", "string"), ("1", "number"), ("true", "boolean")]
        {
            let expected = format!("The parameter `` type is expected as `object` but provided as `{name}`");
            assert!(complaint(arguments).ends_with(&expected), "{}", complaint(arguments));
        }
    }

    #[test]
    fn records_are_checked_to_the_last_member_but_for_the_prototype() {
        let more =
            r#","answers":{"__proto__":1,"b":2},"annotations":{"a":null,"c":{"preview":1,"notes":2},"__proto__":3}"#;
        let lines = [
            "AskUserQuestion failed due to the following issues:",
            "The parameter `answers.b` type is expected as `string` but provided as `number`",
            "The parameter `annotations.a` type is expected as `object` but provided as `null`",
            "The parameter `annotations.c.preview` type is expected as `string` but provided as `number`",
            "The parameter `annotations.c.notes` type is expected as `string` but provided as `number`",
        ];
        assert_eq!(complaint(&arguments(&[question("a", &["x", "y"])], more)), lines.join("\n"));
    }

    #[test]
    fn a_megabyte_of_issues_is_cut() {
        let many = vec!["0".to_owned(); 100_000];
        assert_eq!(complaint(&arguments(&many, "")).lines().count(), 1001);
    }

    // What 2.1.332 says stands in these.

    #[test]
    fn the_later_version_tells_lengths_with_the_rest_and_cuts_the_list() {
        let options: Vec<String> = vec![option("x"); 5];
        let one = format!(r#"{{"question":1,"header":"h","options":[{}]}}"#, options.join(","));
        assert_eq!(
            told(Version::V332, &format!(r#"{{"questions":[{one}]}}"#)),
            "AskUserQuestion failed due to the following issues:\nThe parameter `questions[0].question` type is expected \
             as `string` but provided as `number`\nThe parameter `questions[0].options` is invalid: Too big: expected \
             array to have <=4 items"
        );
        for (many, lines) in [(20, 20), (21, 21), (22, 21), (23, 21)] {
            let text = told(Version::V332, &arguments(&vec!["0".to_owned(); many], ""));
            let length = usize::from(many > 4);
            assert_eq!(text.lines().count(), 1 + lines + length, "{text}");
            let more = ["(2 more parameters not listed)", "(3 more parameters not listed)"];
            assert_eq!(more.iter().any(|more| text.contains(more)), many > 21, "{text}");
        }
        let many =
            format!(r#"{{"questions":[],{}}}"#, (0..30).map(|n| format!("\"<{n}\":1")).collect::<Vec<_>>().join(","));
        let text = told(Version::V332, &many);
        assert!(
            text.contains("An unexpected parameter `‹19` was provided\n(10 more parameters not listed)\n"),
            "{text}"
        );
        assert!(text.ends_with("The parameter `questions` is invalid: Too small: expected array to have >=1 items"));
    }

    #[test]
    fn the_later_version_cuts_a_long_list_of_lengths() {
        let many: Vec<String> = (0..40).map(|n| question(&n.to_string(), &["x", "y", "z", "u", "v"])).collect();
        let text = told(Version::V332, &arguments(&many, ""));
        assert!(text.starts_with("AskUserQuestion failed due to the following issues:\nThe parameter `questions[0]"));
        assert!(
            text.ends_with(
                "`questions[19].options` is invalid: Too big: expected array to have <=4 items\n(21 more \
            issues not listed)"
            ),
            "{text}"
        );
        let same: Vec<String> = vec![question("a", &["x", "y"]); 2];
        assert_eq!(zod_issues(&told(Version::V332, &arguments(&same, ""))).len(), 1);
    }

    #[test]
    fn a_question_with_nothing_to_decide_is_told_first_whatever_else_is_wrong() {
        for options in ["[]", "[1]"] {
            let text = told(Version::V332, &format!(r#"{{"questions":[1,{{"options":{options}}}],"z":1}}"#));
            assert!(text.starts_with(NOTHING_TO_DECIDE), "{text}");
        }
        for fine in [r#"{"questions":[{"options":[1,2]}]}"#, r#"{"questions":[{}]}"#, r#"{"questions":{}}"#, "[]"] {
            assert!(told(Version::V332, fine).starts_with("AskUserQuestion failed"), "{fine}");
        }
    }

    #[test]
    fn the_later_version_takes_lists_of_texts_as_answers() {
        let good = [question("a", &["x", "y"])];
        let with = |value: &str| arguments(&good, &format!(r#","answers":{{"a":{value}}}"#));
        assert_eq!(told(Version::V332, &with(r#"["x","y"]"#)), "");
        assert!(told(Version::V332, &with(r#"["x",1]"#)).ends_with("as `string` but provided as `array`"));
        assert!(told(Version::V89, &with("[]")).ends_with("as `string` but provided as `array`"));
    }
}
