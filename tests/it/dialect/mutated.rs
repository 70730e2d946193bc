//! Ten thousand mutated vectors over HTTP: a dialect takes what it can ask a person, and refuses the rest in its own words.

use std::collections::BTreeMap;

use askhub::domain::json::Json;
use askhub::domain::{Question, QuestionKind};
use futures_util::{StreamExt, stream};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use super::cases::{Case, NESTING};
use super::filling;
use super::vectors::{Vectors, all};
use crate::plain::{Form, attribute};
use crate::support::app::{Client, Setting, TestApp, id};
use crate::support::seed;

/// What is read of a call from the reply's own text: `Value` would round the bounds of a form's numbers.
#[derive(serde::Deserialize)]
struct Asked {
    call: AskedCall,
}

#[derive(serde::Deserialize)]
struct AskedCall {
    questions: Vec<Question>,
}

/// How many arguments are tried.
const CASES: u64 = 10_000;
/// How many at a time.
const AT_A_TIME: usize = 16;

/// Texts that are hard to get right.
const TEXTS: &[&str] = &[
    "",
    " ",
    "o1",
    "q1",
    "\u{0}",
    "\u{feff}",
    "\u{85}",
    "</script>",
    "\"",
    "__proto__",
    "1",
    "ﬁ ẞ ſ",
    "a\r\nb",
    "\u{202e}",
];
/// Numbers that are.
const NUMBERS: &[&str] = &["0", "-0", "1e999", "1.0", "18446744073709551617", "0.1e-7", "5"];

#[tokio::test]
async fn what_a_dialect_takes_can_be_stored_and_answered_on_the_plain_page() {
    let directory = tempfile::tempdir().expect("there is room");
    let database_url = format!("sqlite:{}", directory.path().join("askhub.db").display());
    let app = TestApp::with(Setting { database_url: Some(database_url), ..Setting::default() }).await;
    let page = app.page().await;
    let cases = all();
    let seeds = seed::random("mutated vectors").random::<u64>();
    let run = |number: u64| {
        let (app, page, cases) = (&app, &page, &cases);
        async move {
            let mut random = StdRng::seed_from_u64(seeds.wrapping_add(number));
            // A change spoils most arguments: mostly such as were good are taken.
            let wanted = random.random_ratio(1, 5);
            let fitting = |(_, case): &&(&dyn Vectors, Case)| wanted == case.is_rejected();
            let fitting: Vec<_> = cases.iter().filter(fitting).collect();
            let (vectors, case) = fitting.choose(&mut random).expect("there are cases");
            let arguments = mutated(&case.arguments(), &mut random);
            let context: Value = serde_json::from_str(&vectors.context(case).to_text()).expect("a context is JSON");
            let body = json!({ "raw_arguments": arguments, "context": context });
            let told = format!("{} {}: {arguments:?}", vectors.dialect(), case.name);
            through(app, page, vectors.dialect(), &body, &told).await
        }
    };
    let ends: Vec<&str> = stream::iter(0..CASES).map(run).buffer_unordered(AT_A_TIME).collect().await;
    let mut counts = BTreeMap::new();
    for end in ends {
        *counts.entry(end).or_insert(0_u64) += 1;
    }
    println!("{counts:?}");
    assert!(counts.get("answered").is_some_and(|answered| *answered > CASES / 10), "too few were taken: {counts:?}");
    assert!(counts.get("refused").is_some_and(|refused| *refused > CASES / 10), "too few were refused: {counts:?}");
}

/// Asks, answers on the plain page, and reads what the model is told: how it ended.
async fn through(app: &TestApp, page: &Client, dialect: &str, body: &Value, told: &str) -> &'static str {
    let path = format!("/v1/dialects/{dialect}/calls");
    let asked = app.agent().post(&path, body).await;
    let reply: Value =
        serde_json::from_str(&asked.text).unwrap_or_else(|error| panic!("{told}: {error}: {}", asked.text));
    match asked.status {
        201 => {}
        200 => {
            assert!(reply["call"].is_null() && reply["tool_result"]["text"].is_string(), "{told}: {reply}");
            return "nobody asked";
        }
        422 if reply["code"] == "tool_refused" => {
            assert!(reply["tool_result"]["text"].is_string(), "{told}: {reply}");
            return "refused";
        }
        422 => {
            assert!(reply["errors"][0]["pointer"].is_string(), "{told}: {reply}");
            return "a fault of the request";
        }
        status => panic!("{told}: {status} {reply}"),
    }
    let call = id(&reply["call"]);
    let plain = format!("/plain/a/{call}");
    let shown = page.get(&plain).await;
    assert_eq!(shown.status, 200, "{told}: {}", shown.text);
    let Asked { call: AskedCall { questions } } = serde_json::from_str(&asked.text).expect("the call is there");
    let form = with_values(filled_in(Form::on(&shown, plain), &shown.text), &questions);
    let answered = form.press(page, "answer").await;
    assert_eq!(answered.status, 303, "{told}: {}", answered.text);
    let read = app.agent().get(&format!("{path}/{call}")).await.expect(200);
    assert_eq!(read["call"]["status"], "answered", "{told}: {read}");
    assert!(read["tool_result"]["text"].is_string() || read["user_message"].is_string(), "{told}: {read}");
    "answered"
}

/// The form as somebody fills it in who takes the first option of every question and writes a word where there is none.
fn filled_in(form: Form, html: &str) -> Form {
    let fields: Vec<String> = form.fields.iter().map(|(name, _)| name.clone()).collect();
    let has_options = |name: &str| html.contains(&format!("name=\"{}\"", name.replace(".custom", ".selected")));
    let texts = fields.iter().filter(|name| name.ends_with(".custom") && !has_options(name));
    let form = texts.fold(form, |form, name| form.fill(name, "x"));
    let inputs = html.split("<input ").filter_map(|tag| tag.split('>').next());
    inputs.filter(|tag| tag.contains(".selected\"")).fold(form, |form, tag| {
        let (name, value) = (attribute(tag, "name").unwrap_or_default(), attribute(tag, "value").unwrap_or_default());
        if form.fields.iter().any(|(field, _)| *field == name) { form } else { form.check(&name, &value) }
    })
}

/// The same with every field of a question that is a form.
fn with_values(mut form: Form, questions: &[Question]) -> Form {
    for (index, question) in questions.iter().enumerate().filter(|(_, question)| question.kind == QuestionKind::Form) {
        form.fields.retain(|(name, _)| !name.starts_with(&format!("q.{index}.form.")));
        for (place, values) in filling::typed(question).into_iter().enumerate() {
            let name = format!("q.{index}.form.{place}");
            form.fields.extend(values.into_iter().map(|value| (name.clone(), value)));
        }
    }
    form
}

/// The arguments' text with up to three changes of its values, or of its characters.
fn mutated(arguments: &str, random: &mut StdRng) -> String {
    let Ok(mut value) = Json::parse(arguments, NESTING) else { return scratched(arguments, random) };
    if random.random_ratio(1, 12) {
        return scratched(arguments, random);
    }
    for _ in 0..random.random_range(0..=3) {
        change(&mut value, random);
    }
    value.to_text()
}

/// Changes a value or, more often, something inside it.
fn change(value: &mut Json, random: &mut StdRng) {
    let goes_in = random.random_ratio(4, 5);
    match value {
        Json::Array(items) if goes_in && !items.is_empty() => {
            let place = random.random_range(0..items.len());
            match random.random_range(0..10) {
                0 => drop(items.remove(place)),
                1 => items.insert(place, items[place].clone()),
                2 => {
                    let copies = random.random_range(2..12);
                    items.extend(std::iter::repeat_n(items[place].clone(), copies));
                }
                _ => change(&mut items[place], random),
            }
        }
        Json::Object(members) if goes_in && !members.is_empty() => {
            let place = random.random_range(0..members.len());
            match random.random_range(0..12) {
                0 => drop(members.remove(place)),
                1 => members.insert(place, members[place].clone()),
                2 => members[place].0 = hard_text(random),
                _ => change(&mut members[place].1, random),
            }
        }
        _ => *value = other(value, random),
    }
}

/// Another value in the place of this one.
fn other(value: &Json, random: &mut StdRng) -> Json {
    match random.random_range(0..9) {
        0 => Json::Null,
        1 => Json::Bool(random.random()),
        2 => Json::Number((*NUMBERS.choose(random).expect("there are some")).to_owned()),
        3 => Json::Array(vec![value.clone()]),
        4 => Json::Array(Vec::new()),
        5 => Json::Object(vec![(hard_text(random), value.clone())]),
        _ => Json::String(hard_text(random)),
    }
}

fn hard_text(random: &mut StdRng) -> String {
    let text = *TEXTS.choose(random).expect("there are some");
    if random.random_ratio(1, 10) { text.repeat(200) } else { text.to_owned() }
}

/// The text with a character gone, added, or with its end cut off.
fn scratched(text: &str, random: &mut StdRng) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let place = random.random_range(0..=characters.len());
    match random.random_range(0..4) {
        0 => characters.truncate(place),
        1 if place < characters.len() => drop(characters.remove(place)),
        2 => characters.splice(place..place, "\\ud800".chars()).for_each(drop),
        _ => {
            characters.insert(place, *['{', '"', '\\', ',', 'é', '\u{0}', '1'].choose(random).expect("there are some"))
        }
    }
    characters.into_iter().collect()
}
