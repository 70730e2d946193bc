//! The golden vectors, read so that nothing of their text is lost, with the way in which each case is run.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use askhub::dialect::claude_code::Annotation;
use askhub::domain::GivenAnswer;
use askhub::domain::json::Json;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// Deep enough for every case.
pub const NESTING: usize = 64;

/// One case of a vector file.
pub struct Case {
    /// Unique in its file.
    pub name: String,
    /// Where it runs.
    pub way: Way,
    fields: HashMap<String, Box<RawValue>>,
}

/// Where a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Over HTTP, and on the pure module.
    Http,
    /// On the pure module only.
    Pure,
    /// Nowhere.
    NotRun,
}

/// How a case ends.
pub enum Ending {
    /// With a person's answers.
    Answers(Vec<GivenAnswer>),
    /// With a refusal, and what was typed before.
    Declined { clarify: bool, answers: Vec<GivenAnswer> },
    /// With nobody to ask.
    Unattended,
    /// Not at all.
    Pending,
    /// With answers in the tool's own form only.
    Record,
}

/// Answers in the form of claude-code.
pub struct Record {
    pub answers: Vec<(String, String)>,
    pub annotations: Vec<(String, Annotation)>,
}

/// A neutral answer, as the vectors have it.
#[derive(Deserialize)]
struct Neutral {
    selected: Vec<String>,
    custom: Option<String>,
    notes: Option<String>,
}

/// Every case of a dialect's vectors, in their order.
pub fn cases(dialect: &str) -> Vec<Case> {
    let file = read(&format!("{dialect}.json"));
    let all: Vec<HashMap<String, Box<RawValue>>> = serde_json::from_str(&file).expect("the vectors are an array");
    let (pure, not_run) = (listed(dialect, Way::Pure), listed(dialect, Way::NotRun));
    let with_way = |fields: HashMap<String, Box<RawValue>>| {
        let name: String = serde_json::from_str(fields["name"].get()).expect("every case has a name");
        let way = match (pure.contains_key(&name), not_run.contains_key(&name)) {
            (false, false) => Way::Http,
            (true, false) => Way::Pure,
            (false, true) => Way::NotRun,
            (true, true) => panic!("{name} is listed twice"),
        };
        Case { name, way, fields }
    };
    all.into_iter().map(with_way).collect()
}

/// Whether a case runs over HTTP.
pub fn over_http(case: &Case) -> bool {
    case.way == Way::Http
}

/// The cases listed for a way in `NOT_OVER_HTTP.md`, each with its reason.
pub fn listed(dialect: &str, way: Way) -> BTreeMap<String, String> {
    let heading = match way {
        Way::Http => return BTreeMap::new(),
        Way::Pure => format!("## {dialect}: on the pure module only"),
        Way::NotRun => format!("## {dialect}: not run"),
    };
    let list = read("NOT_OVER_HTTP.md");
    let lines = list.lines().skip_while(|line| *line != heading).skip(1).take_while(|line| !line.starts_with("## "));
    let rows = lines.filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "));
    let rows: Vec<(String, String)> = rows.map(|(name, reason)| (name.to_owned(), reason.to_owned())).collect();
    let listed: BTreeMap<String, String> = rows.iter().cloned().collect();
    assert_eq!(listed.len(), rows.len(), "a case is listed twice under {heading:?}");
    listed
}

fn read(name: &str) -> String {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path} should be readable: {error}"))
}

impl Case {
    /// A field; none if it is absent or null.
    pub fn field<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let raw = self.fields.get(name)?.get();
        serde_json::from_str::<Option<T>>(raw).unwrap_or_else(|error| panic!("{}: {name}: {error}", self.name))
    }

    /// A field as JSON with its members in order; none if it is absent or null.
    pub fn json(&self, name: &str) -> Option<Json> {
        let raw = self.fields.get(name)?.get();
        let json = Json::parse(raw, NESTING).unwrap_or_else(|error| panic!("{}: {name}: {error}", self.name));
        (json != Json::Null).then_some(json)
    }

    /// Whether it has a field, null or not.
    pub fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// The arguments' text.
    pub fn arguments(&self) -> String {
        self.field("raw_arguments").unwrap_or_else(|| self.fields["input"].get().to_owned())
    }

    /// The request's `context`.
    pub fn context(&self) -> Json {
        let host = self.json("host").unwrap_or(Json::Null);
        let of_host = member(&host, &["toolConfig", "askUserQuestion", "previewFormat"]).cloned();
        let format = self.json("preview_format").or(of_host);
        Json::Object(format.into_iter().map(|format| ("preview_format".to_owned(), format)).collect())
    }

    /// Whether the tool refuses the arguments.
    pub fn is_rejected(&self) -> bool {
        self.field::<String>("verdict").as_deref() == Some("reject")
    }

    /// The model-facing text; none while the tool waits.
    pub fn result(&self) -> Option<String> {
        self.field("result")
    }

    /// Whether the result is an error.
    pub fn result_is_error(&self) -> bool {
        self.field("result_is_error").unwrap_or(false)
    }

    /// How it ends; none if it does not say.
    pub fn ending(&self) -> Option<Ending> {
        let outcome = self.field::<String>("outcome").unwrap_or_default();
        let result = self.result();
        match (outcome.as_str(), result.as_deref()) {
            ("declined", _) => return Some(Ending::Declined { clarify: false, answers: Vec::new() }),
            ("replied_in_chat", _) => {
                return Some(Ending::Declined { clarify: true, answers: self.typed_before() });
            }
            ("allowed_without_updated_input", _) => return Some(Ending::Answers(Vec::new())),
            (_, None) => return Some(Ending::Pending),
            (_, Some("Answer questions?")) => return Some(Ending::Unattended),
            _ => {}
        }
        if let Some(answers) = self.field::<Vec<Option<Neutral>>>("answers") {
            return Some(Ending::Answers(given(answers)));
        }
        let record = self.record()?;
        let answers = if self.has("host") { None } else { self.answers_of(&record) };
        Some(answers.map_or(Ending::Record, Ending::Answers))
    }

    /// The answers in the tool's own form: the case's, or those that its host gives.
    pub fn record(&self) -> Option<Record> {
        let host = self.json("host").unwrap_or(Json::Null);
        let given = [&["hook", "updatedInput"], &["canUseTool", "updatedInput"], &["canUseTool", "merge"]];
        let of_host = given.into_iter().find_map(|path| member(&host, path));
        let raw: Option<String> = self.field("answers_record_raw");
        let raw = raw.map(|raw| Json::parse(&raw, NESTING).expect("it is JSON"));
        let (answers, annotations) = match of_host {
            Some(input) => (input.get("answers").cloned(), input.get("annotations").cloned()),
            None => (Some(raw.or_else(|| self.json("answers_record"))?), self.json("annotations")),
        };
        let annotation = |value: &Json| Annotation {
            preview: value.get("preview").map(string),
            notes: value.get("notes").map(string),
        };
        Some(Record { answers: by_name(answers, string), annotations: by_name(annotations, annotation) })
    }

    /// Whether its annotations say nothing.
    pub fn has_blank_annotations(&self) -> bool {
        let annotations = self.record().map(|record| record.annotations).unwrap_or_default();
        let is_blank = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().is_empty();
        annotations.iter().all(|(_, annotation)| is_blank(&annotation.preview) && is_blank(&annotation.notes))
    }

    /// The record as answers of a person; none if it answers what was not asked.
    fn answers_of(&self, record: &Record) -> Option<Vec<GivenAnswer>> {
        let arguments = self.json("normalized")?;
        let Some(Json::Array(questions)) = arguments.get("questions") else { return None };
        let given = |(text, answer): &(String, String)| {
            let place =
                questions.iter().position(|question| question.get("question").map(string).as_ref() == Some(text));
            let (index, Json::Array(options)) = (place?, questions[place?].get("options")?) else { return None };
            let is_label = options.iter().any(|option| option.get("label").map(string).as_ref() == Some(answer));
            let annotation = record.annotations.iter().find(|(name, _)| name == text);
            Some(GivenAnswer {
                id: format!("q{}", index + 1),
                selected: is_label.then(|| vec![answer.clone()]),
                custom: (!is_label).then(|| answer.clone()),
                notes: annotation.and_then(|(_, annotation)| annotation.notes.clone()),
            })
        };
        record.answers.iter().map(given).collect()
    }

    /// What was chosen before the person wished to talk: the case tells it by its keys only.
    fn typed_before(&self) -> Vec<GivenAnswer> {
        let first = |label: &str| GivenAnswer {
            id: "q1".to_owned(),
            selected: Some(vec![label.to_owned()]),
            ..GivenAnswer::default()
        };
        match self.name.as_str() {
            "tui-two-questions-chat-after-first" => vec![first("SQLite")],
            _ => Vec::new(),
        }
    }
}

fn given(answers: Vec<Option<Neutral>>) -> Vec<GivenAnswer> {
    let numbered = answers.into_iter().enumerate();
    numbered
        .filter_map(|(index, answer)| {
            let Neutral { selected, custom, notes } = answer?;
            Some(GivenAnswer { id: format!("q{}", index + 1), selected: Some(selected), custom, notes })
        })
        .collect()
}

fn member<'a>(value: &'a Json, path: &[&str]) -> Option<&'a Json> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

fn string(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => panic!("{other:?} is no text"),
    }
}

fn by_name<T>(record: Option<Json>, read: impl Fn(&Json) -> T) -> Vec<(String, T)> {
    match record {
        Some(Json::Object(members)) => members.iter().map(|(name, value)| (name.clone(), read(value))).collect(),
        _ => Vec::new(),
    }
}
