//! From what was typed to the body of an ask.
//!
//! Says only what was typed: defaults and rules are the server's, which names each mistake with its place.

use std::io::Read as _;
use std::time::Duration;

use uuid::Uuid;

use super::exit::Failure;
use crate::config::{self, parse_duration};
use crate::domain::json::Json;
use crate::domain::limits::NESTING_MAX;
use crate::domain::{AgentInfo, AskForm, GivenAnswer, OnTimeout, OptionForm, QuestionForm};

/// What is asked.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct QuestionFlags {
    /// The question; `-` reads it from stdin
    #[arg(required_unless_present = "file")]
    pub question: Option<String>,
    /// Ask what is in this JSON file instead: a whole body of `POST /v1/calls`; `-` reads stdin
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    pub file: Option<String>,
    /// Something to choose; repeat it
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["file", "confirm"])]
    pub option: Vec<String>,
    /// What choosing an option means; repeat it
    #[arg(long, value_name = "LABEL=TEXT", requires = "option")]
    pub describe: Vec<String>,
    /// Mark an option as the one you would choose; repeat it
    #[arg(long, value_name = "LABEL", requires = "option")]
    pub recommend: Vec<String>,
    /// Several options may be chosen
    #[arg(long, requires = "option")]
    pub multi: bool,
    /// Only the options: no answer in own words
    #[arg(long, requires = "option")]
    pub no_custom: bool,
    /// Ask for yes or no
    #[arg(long, conflicts_with = "file")]
    pub confirm: bool,
    /// A short name for the question
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub header: Option<String>,
    /// What it is about, in a line
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub title: Option<String>,
    /// What one needs to know to answer, in markdown; @FILE reads it from a file, @- from stdin
    #[arg(long, value_name = "TEXT|@FILE", conflicts_with = "file")]
    pub context: Option<String>,
    /// Your own name for this call: asking again with it finds the same call [default: a fresh one]
    #[arg(long)]
    pub key: Option<String>,
    /// The run or conversation that asks; part of what a key belongs to
    #[arg(long, conflicts_with = "file")]
    pub session: Option<String>,
    /// Who asks [default: your user name]
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    pub agent_name: Option<String>,
    /// On which machine [default: this one]
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    pub host: Option<String>,
    /// Nobody can answer after this time: 3600, 30m, 1h30m, 2d [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, conflicts_with = "file")]
    pub timeout: Option<Duration>,
    /// What the outcome carries if nobody answers in time (--confirm: yes or no); see --accept-default
    #[arg(long, value_name = "LABEL", requires = "timeout")]
    pub default: Vec<String>,
    /// A word to filter by; repeat it
    #[arg(long, value_name = "WORD", conflicts_with = "file")]
    pub tag: Vec<String>,
    /// 0 to 100; 50 is usual
    #[arg(long, value_name = "NUMBER", conflicts_with = "file")]
    pub priority: Option<u64>,
}

/// The one question's id, which its default answer names.
const QUESTION_ID: &str = "q1";

impl QuestionFlags {
    /// The body to send. It always has a key: without one, repeating it would ask twice.
    ///
    /// # Errors
    /// Files that cannot be read, options that are not there.
    pub fn body(self) -> Result<String, Failure> {
        match &self.file {
            Some(file) => with_key(&read_file(file)?, self.key),
            None => self.form()?.to_text(),
        }
    }

    fn form(self) -> Result<Form, Failure> {
        let options = self.options()?;
        let question = match self.question.as_deref() {
            Some("-") => read_file("-")?.trim_end().to_owned(),
            question => question.unwrap_or_default().to_owned(),
        };
        let context = match self.context {
            Some(context) => Some(context.strip_prefix('@').map_or_else(|| Ok(context.clone()), read_file)?),
            None => None,
        };
        let answers = default_answers(&self.default, options.is_none() && !self.confirm);
        let question = QuestionForm {
            kind: self.confirm.then(|| "confirm".to_owned()),
            header: self.header,
            question: Some(question),
            multi_select: self.multi.then_some(true),
            allow_custom: self.no_custom.then_some(false),
            options,
            ..QuestionForm::default()
        };
        let agent = AgentInfo {
            name: self.agent_name.or_else(config::user_name).or_else(|| Some("askhub-cli".to_owned())),
            session: self.session,
            host: self.host.or_else(config::host_name),
            time_zone: None,
        };
        Ok(Form(AskForm {
            key: Some(self.key.unwrap_or_else(fresh_key)),
            title: self.title,
            questions: vec![question],
            context,
            agent: Some(agent),
            priority: self.priority,
            tags: Some(self.tag).filter(|tags| !tags.is_empty()),
            timeout_seconds: self.timeout.map(|timeout| timeout.as_secs()),
            on_timeout: answers.map(|answers| OnTimeout { answers }),
            ..AskForm::default()
        }))
    }

    fn options(&self) -> Result<Option<Vec<OptionForm>>, Failure> {
        let mut options: Vec<_> = self
            .option
            .iter()
            .map(|label| OptionForm { label: Some(label.clone()), ..OptionForm::default() })
            .collect();
        for described in &self.describe {
            let (option, text) = self.described(described)?;
            options[option].description = Some(text.to_owned());
        }
        for label in &self.recommend {
            let option = self.option.iter().position(|option| option == label);
            let option =
                option.ok_or_else(|| Failure::usage(format!("--recommend: there is no --option {label:?}")))?;
            options[option].recommended = Some(true);
        }
        Ok(Some(options).filter(|options| !options.is_empty()))
    }

    /// Labels may have an equals sign themselves: the longest that fits is meant.
    fn described<'a>(&self, described: &'a str) -> Result<(usize, &'a str), Failure> {
        let text_of = |label: &String| described.strip_prefix(label.as_str())?.strip_prefix('=');
        let fitting = self.option.iter().enumerate().filter_map(|(index, label)| Some((index, text_of(label)?)));
        // The longest label leaves the shortest text.
        fitting.min_by_key(|(_, text)| text.len()).ok_or_else(|| {
            Failure::usage(format!("--describe {described:?}: write LABEL=TEXT, with the label of an --option"))
        })
    }
}

struct Form(AskForm);

impl Form {
    /// The body, without the members that say nothing.
    fn to_text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string(&self.0).map_err(|error| Failure::usage(error.to_string()))?;
        let mut body = Json::parse(&text, NESTING_MAX).map_err(|error| Failure::usage(error.to_string()))?;
        drop_nulls(&mut body);
        Ok(body.to_text())
    }
}

/// The text of a file, or of stdin for `-`.
///
/// # Errors
/// It cannot be read, or is no text.
pub fn read_file(path: &str) -> Result<String, Failure> {
    let read = if path == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    let name = if path == "-" { "stdin" } else { path };
    read.map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))
}

/// A key that nobody else has.
pub fn fresh_key() -> String {
    format!("cli-{}", Uuid::new_v4())
}

fn default_answers(labels: &[String], in_own_words: bool) -> Option<Vec<GivenAnswer>> {
    if labels.is_empty() {
        return None;
    }
    let mut answer = GivenAnswer { id: QUESTION_ID.to_owned(), ..GivenAnswer::default() };
    if in_own_words {
        answer.custom = Some(labels.join("\n"));
    } else {
        answer.selected = Some(labels.to_vec());
    }
    Some(vec![answer])
}

/// The body as it is, digit for digit, with the key asked for, or a fresh one if it has none.
fn with_key(text: &str, key: Option<String>) -> Result<String, Failure> {
    let body =
        Json::parse(text, NESTING_MAX).map_err(|error| Failure::usage(format!("--file is not JSON: {error}")))?;
    let Json::Object(mut members) = body else {
        return Err(Failure::usage(format!("--file is not an ask: it is {}", body.kind())));
    };
    let has_key = members.iter().any(|(name, value)| name == "key" && *value != Json::Null);
    if key.is_some() || !has_key {
        members.retain(|(name, _)| name != "key");
        members.push(("key".to_owned(), Json::String(key.unwrap_or_else(fresh_key))));
    }
    Ok(Json::Object(members).to_text())
}

fn drop_nulls(value: &mut Json) {
    match value {
        Json::Object(members) => {
            members.retain(|(_, value)| *value != Json::Null);
            members.iter_mut().for_each(|(_, value)| drop_nulls(value));
        }
        Json::Array(items) => items.iter_mut().for_each(drop_nulls),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ask;

    fn asked(flags: QuestionFlags) -> Ask {
        let body = flags.body().unwrap();
        crate::wire::read_ask(&Json::parse(&body, NESTING_MAX).unwrap()).unwrap()
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn choice() -> QuestionFlags {
        QuestionFlags { question: Some("Which?".to_owned()), option: texts(&["A", "A=B", "C"]), ..Default::default() }
    }

    #[test]
    fn what_is_typed_is_asked() {
        let ask = asked(QuestionFlags {
            describe: texts(&["A=first", "A=B=the second = x"]),
            recommend: texts(&["C"]),
            no_custom: true,
            default: texts(&["C"]),
            timeout: Some(Duration::from_secs(1800)),
            tag: texts(&["prod"]),
            priority: Some(70),
            ..choice()
        });
        let options = &ask.questions[0].options;
        assert_eq!(options[0].description.as_deref(), Some("first"));
        assert_eq!(options[1].description.as_deref(), Some("the second = x"));
        assert!(options[2].recommended && !options[0].recommended);
        assert!(!ask.questions[0].allow_custom);
        assert_eq!((ask.timeout_seconds, ask.priority), (Some(1800), 70));
        assert_eq!(ask.on_timeout.unwrap().answers[0].selected, Some(texts(&["C"])));
    }

    #[test]
    fn every_kind_can_be_asked_and_have_a_default() {
        let timeout = Some(Duration::from_secs(60));
        let question = Some("Well?".to_owned());
        let confirm = QuestionFlags {
            question: question.clone(),
            confirm: true,
            default: texts(&["no"]),
            timeout,
            ..Default::default()
        };
        assert_eq!(asked(confirm).questions[0].kind.name(), "confirm");
        let text = QuestionFlags { question, default: texts(&["later"]), timeout, ..Default::default() };
        let ask = asked(text);
        assert_eq!(ask.questions[0].kind.name(), "text");
        assert_eq!(ask.on_timeout.unwrap().answers[0].custom.as_deref(), Some("later"));
    }

    #[test]
    fn there_is_always_a_key() {
        let one = asked(choice()).key.unwrap();
        assert_ne!(one, asked(choice()).key.unwrap());
        assert_eq!(asked(QuestionFlags { key: Some("mine".to_owned()), ..choice() }).key.as_deref(), Some("mine"));
    }

    #[test]
    fn a_file_is_sent_as_it_is_but_for_the_key() {
        let text = r#"{"metadata": {"n": 18446744073709551617}, "questions": [], "questions": 1.0}"#;
        let body = with_key(text, Some("k".to_owned())).unwrap();
        assert_eq!(body, r#"{"metadata":{"n":18446744073709551617},"questions":[],"questions":1.0,"key":"k"}"#);
        assert_eq!(with_key(r#"{"key":"own"}"#, None).unwrap(), r#"{"key":"own"}"#);
        assert_eq!(with_key(r#"{"key":"own"}"#, Some("k".to_owned())).unwrap(), r#"{"key":"k"}"#);
        assert!(with_key(r#"{"key":null}"#, None).unwrap().contains(r#""key":"cli-"#));
        assert!(with_key("[]", None).is_err() && with_key("{", None).is_err());
    }

    #[test]
    fn an_option_that_is_not_there_cannot_be_described() {
        for (describe, recommend) in [(&["D=x"][..], &[][..]), (&["A"], &[]), (&[], &["D"])] {
            let flags = QuestionFlags { describe: texts(describe), recommend: texts(recommend), ..choice() };
            assert_eq!(flags.body().unwrap_err().exit as u8, 2);
        }
    }
}
