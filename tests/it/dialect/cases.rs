//! The golden vectors, read so that nothing of their text is lost, with the way in which each case is run.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use askhub::domain::json::Json;
use askhub::domain::{GivenAnswer, JsonText};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// Deep enough for every case.
pub const NESTING: usize = 64;

/// The fields of a case that belong into the request's context, each with its name there.
const CONTEXT_FIELDS: &[(&str, &str)] = &[
    ("variant", "variant"),
    ("latest_user_text", "latest_user_text"),
    ("session_events", "session_events"),
    ("caller", "caller"),
    ("preview_format", "preview_format"),
    ("interactive", "interactive"),
    ("strict", "strict"),
    ("profileType", "profile_type"),
    ("resume", "resume"),
    ("snapshot", "snapshot"),
    ("allow", "allow"),
];

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

/// How a call ends that a case asks.
pub enum Ending {
    /// With a person's answers, and words beside them.
    Answers { answers: Vec<GivenAnswer>, reply: Option<String> },
    /// With a refusal, and what was typed before.
    Declined { clarify: bool, reason: Option<String>, reply: Option<String>, answers: Vec<GivenAnswer> },
    /// By the asker, who withdraws it.
    Cancelled,
    /// At its deadline, with the answers declared for it, if any.
    Expired { declared: Vec<GivenAnswer> },
    /// At once, with nobody to ask, with the answers declared for that, if any.
    Unattended { declared: Vec<GivenAnswer> },
    /// Not at all: told as it is while pending.
    Pending,
    /// In a way that is the original's alone: only [`super::vectors::Vectors::check`] says whether it is right.
    Own,
}

/// A neutral answer, as the vectors have it.
#[derive(Deserialize)]
struct Neutral {
    #[serde(default)]
    selected: Vec<String>,
    custom: Option<String>,
    notes: Option<String>,
    value: Option<JsonText>,
    #[serde(default)]
    skipped: bool,
}

/// Every case of a vector file, in their order.
pub fn cases(file: &str) -> Vec<Case> {
    let text = read(&format!("{file}.json"));
    let all: Vec<HashMap<String, Box<RawValue>>> = serde_json::from_str(&text).expect("the vectors are an array");
    let (pure, not_run) = (listed(file, Way::Pure), listed(file, Way::NotRun));
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

/// The cases listed for a way in `NOT_OVER_HTTP.md`, each with its reason.
pub fn listed(file: &str, way: Way) -> BTreeMap<String, String> {
    let heading = match way {
        Way::Http => return BTreeMap::new(),
        Way::Pure => format!("## {file}: on the pure module only"),
        Way::NotRun => format!("## {file}: not run"),
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

    /// A text; none if it is absent or null.
    pub fn text(&self, name: &str) -> Option<String> {
        self.field(name)
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

    /// The request's context: the case's own, or those of its fields that a context has.
    pub fn context(&self) -> Json {
        let present = CONTEXT_FIELDS.iter().filter_map(|(field, name)| Some(((*name).to_owned(), self.json(field)?)));
        self.json("context").unwrap_or_else(|| Json::Object(present.collect()))
    }

    /// The arguments' text.
    pub fn arguments(&self) -> String {
        self.text("raw_arguments").unwrap_or_else(|| self.fields["input"].get().to_owned())
    }

    /// Whether the tool refuses the arguments.
    pub fn is_rejected(&self) -> bool {
        self.text("verdict").as_deref() == Some("reject")
    }

    /// The model-facing text; none while the tool waits.
    pub fn result(&self) -> Option<String> {
        self.text("result")
    }

    /// Whether the result is an error.
    pub fn result_is_error(&self) -> bool {
        self.field("result_is_error").unwrap_or(false)
    }

    /// The neutral answers of a field, by question; none if it is absent.
    pub fn given(&self, name: &str) -> Option<Vec<GivenAnswer>> {
        let answers = self.field::<Vec<Option<Neutral>>>(name)?.into_iter().enumerate();
        let given = answers.filter_map(|(index, answer)| {
            let Neutral { selected, custom, notes, value, skipped } = answer?;
            let (selected, id) = (Some(selected), format!("q{}", index + 1));
            (!skipped).then_some(GivenAnswer { id, selected, custom, notes, value })
        });
        Some(given.collect())
    }
}
