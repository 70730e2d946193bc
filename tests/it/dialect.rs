//! The dialects against the golden vectors: every case to the byte, on the pure module and over HTTP.
//!
//! `tests/vectors/NOT_OVER_HTTP.md` says which cases only run on the pure module and which do not run at all; a case that
//! is neither run nor listed fails the test.

mod calls;
mod cases;
mod claude_code;
mod claude_code_2_1_332;
mod filling;
mod hydra;
mod mutated;
mod no_panic;
mod over_http;
mod pure;
mod table;
mod telos;
mod theorum;
mod vectors;
mod zero;

use std::collections::HashSet;

use askhub::dialect::render;
use askhub::domain::{DialectUse, Question, QuestionKind};

use self::cases::{Case, Ending, Way, cases, listed};
use self::vectors::{ALL, Vectors, over_http};

#[test]
fn every_dialect_says_what_the_original_says() {
    let mut failures = Vec::new();
    for vectors in ALL {
        let all = cases(vectors.file());
        let runnable: Vec<&Case> = all.iter().filter(|case| case.way != Way::NotRun).collect();
        let failed = runnable.iter().filter_map(|case| Some((case, pure::run(*vectors, case).err()?)));
        let failed: Vec<String> =
            failed.map(|(case, why)| format!("{} {}: {why}", vectors.file(), case.name)).collect();
        println!(
            "{}: {} cases, {} run, {} of them also over HTTP",
            vectors.file(),
            all.len(),
            runnable.len() - failed.len(),
            all.iter().filter(|case| case.way == Way::Http).count()
        );
        failures.extend(failed);
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_file_has_its_cases_and_no_other_file_is_there() {
    let counts = |vectors: &&'static dyn Vectors| (vectors.file(), vectors.count());
    let found = |vectors: &&'static dyn Vectors| (vectors.file(), cases(vectors.file()).len());
    assert_eq!(ALL.iter().map(found).collect::<Vec<_>>(), ALL.iter().map(counts).collect::<Vec<_>>());
    let known: HashSet<String> = ALL.iter().map(|vectors| format!("{}.json", vectors.file())).collect();
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors")).expect("it is there");
    let names = folder.map(|entry| entry.expect("it is readable").file_name().to_string_lossy().into_owned());
    let unknown: Vec<String> = names.filter(|name| name.ends_with(".json") && !known.contains(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?} are not run");
}

#[test]
fn every_listed_case_exists_and_has_a_reason() {
    for vectors in ALL {
        let names: HashSet<String> = cases(vectors.file()).into_iter().map(|case| case.name).collect();
        assert_eq!(names.len(), vectors.count(), "{}: a name is there twice", vectors.file());
        for way in [Way::Pure, Way::NotRun] {
            for (name, reason) in listed(vectors.file(), way) {
                assert!(names.contains(&name), "{name} is listed, the vectors do not have it");
                assert!(!reason.is_empty(), "{name} is listed without a reason");
            }
        }
    }
}

#[test]
fn what_goes_over_http_ends_in_a_way_that_a_request_can_express() {
    for (vectors, case) in over_http() {
        let can = case.is_rejected() || !matches!(vectors.ending(&case), Ending::Own);
        assert!(can, "{} {} cannot go over HTTP: list it with the reason", vectors.file(), case.name);
    }
}

#[test]
fn a_call_that_came_as_no_tool_is_not_rendered() {
    let question = Question::new("q1".to_owned(), QuestionKind::Text, "Why?".to_owned());
    let unknown =
        DialectUse { name: "klingon".to_owned(), variant: "1".to_owned(), raw: String::new(), context: String::new() };
    let mut call = calls::asked(vec![question], unknown);
    assert_eq!(render(&call), None);
    call.dialect = None;
    assert_eq!(render(&call), None);
}
