//! The table of proofs in `docs/dialects.md`: how many vectors prove each cell, counted anew in every run.

use askhub::dialect::{self, Parsed, Request};
use askhub::domain::GivenAnswer;

use super::cases::{Case, Ending, Way};
use super::vectors::{Vectors, all};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dialects.md");
const START: &str = "<!-- the table of proofs: ASKHUB_WRITE_DOCS=1 cargo nextest run the_table_of_proofs -->\n";
const END: &str = "<!-- end of the table -->";

/// The columns after the dialect's name; a case counts in one of the first two, an accepted one in one of the others too.
const COLUMNS: [&str; 14] = [
    "accepted",
    "rejected",
    "answered",
    "partly",
    "skipped",
    "declined",
    "clarify",
    "cancelled",
    "expired",
    "default",
    "unattended",
    "pending",
    "nobody asked",
    "own form",
];

#[test]
#[expect(clippy::disallowed_methods, reason = "a developer says that the page is to be written")]
fn the_table_of_proofs_is_that_of_the_vectors() {
    let page = std::fs::read_to_string(PAGE).expect("the page is there");
    let (before, rest) = page.split_once(START).expect("the table has a start");
    let (found, after) = rest.split_once(END).expect("the table has an end");
    let table = table();
    if std::env::var_os("ASKHUB_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, format!("{before}{START}{table}{END}{after}")).expect("the page is writable");
    } else {
        assert!(found == table, "the table of proofs in docs/dialects.md should be\n{table}");
    }
}

fn table() -> String {
    let cases = all();
    let mut table = format!("| dialect | {} |\n|---{}|\n", COLUMNS.join(" | "), "|---".repeat(COLUMNS.len()));
    for dialect in dialect::dialects() {
        let mut counts = [0_usize; COLUMNS.len()];
        for (vectors, case) in cases.iter().filter(|(vectors, _)| vectors.dialect() == dialect.name()) {
            for column in columns(*vectors, case) {
                let place = COLUMNS.iter().position(|name| *name == column).expect("it is a column");
                counts[place] += 1;
            }
        }
        let cells = counts.map(|count| if count == 0 { "·".to_owned() } else { count.to_string() });
        table.push_str(&format!("| `{}` | {} |\n", dialect.name(), cells.join(" | ")));
    }
    table
}

/// Where a case counts; nowhere if it does not run.
fn columns(vectors: &dyn Vectors, case: &Case) -> Vec<&'static str> {
    if case.way == Way::NotRun {
        return Vec::new();
    }
    if case.is_rejected() {
        return vec!["rejected"];
    }
    let Some(asked) = questions(vectors, case) else { return vec!["accepted", "nobody asked"] };
    let column = match vectors.ending(case) {
        Ending::Answers { answers, .. } => answered(&answers, asked),
        Ending::Declined { clarify: false, .. } => "declined",
        Ending::Declined { clarify: true, .. } => "clarify",
        Ending::Cancelled => "cancelled",
        Ending::Expired { declared } if declared.is_empty() => "expired",
        Ending::Unattended { declared } if declared.is_empty() => "unattended",
        Ending::Expired { .. } | Ending::Unattended { .. } => "default",
        Ending::Pending => "pending",
        Ending::Own => "own form",
    };
    vec!["accepted", column]
}

/// How many questions a person is asked; none if nobody is.
fn questions(vectors: &dyn Vectors, case: &Case) -> Option<usize> {
    let dialect = dialect::dialect(vectors.dialect()).expect("it is spoken");
    let (raw, context) = (case.arguments(), vectors.context(case));
    let request = Request::check(dialect, &raw, &context).expect("the context is one");
    match dialect.parse(&request).expect("the request makes sense") {
        Parsed::Ask(parts) => Some(parts.questions.len()),
        Parsed::Done(_) | Parsed::Refused { .. } => None,
    }
}

fn answered(answers: &[GivenAnswer], asked: usize) -> &'static str {
    let says = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let is_chosen = |answer: &GivenAnswer| answer.selected.as_ref().is_some_and(|selected| !selected.is_empty());
    match answers.iter().filter(|answer| is_chosen(answer) || says(&answer.custom)).count() {
        0 => "skipped",
        given if given < asked => "partly",
        _ => "answered",
    }
}
