//! What an asker sends: questions with their context, deadline and wishes.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::{Answer, GivenAnswer, check_answers};
use super::approval::{Approval, Verdict};
use super::fault::{Fault, Faults};
use super::ids::CallId;
use super::limits::{
    ID_BYTES_MAX, NAME_BYTES_MAX, PRIORITY_MAX, QUESTIONS_MAX, TAGS_MAX, TEXT_BYTES_MAX, TIMEOUT_SECONDS_MAX,
    TIMEOUT_SECONDS_MIN,
};
use super::question::{Question, QuestionForm, QuestionKind};
use super::raw::JsonText;

/// What was asked, valid and complete.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Ask {
    /// The asker's own name for the call.
    pub key: Option<String>,
    /// What the call is about, in a line.
    pub title: Option<String>,
    /// 1 to 200 questions, answered together.
    pub questions: Vec<Question>,
    /// Markdown: what the responder needs to know.
    pub context: Option<String>,
    /// What the asker says of itself.
    pub agent: AgentInfo,
    /// 0 to 100; 50 is usual.
    pub priority: u8,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// The call that this one continues.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub follows: Option<CallId>,
    /// Seconds from asking to the deadline; none waits for ever.
    pub timeout_seconds: Option<u64>,
    /// Whether nobody may move the deadline.
    pub hard_deadline: bool,
    /// What the outcome carries if the deadline passes.
    pub on_timeout: Option<OnTimeout>,
    /// What happens if no person can be reached while asking.
    pub on_unattended: OnUnattended,
    /// Not built yet: always null.
    pub callback_url: Option<String>,
    /// The asker's own data, kept as sent.
    #[schema(value_type = Object)]
    pub metadata: JsonText,
}

/// What an asker says of itself. Not proven: the token says who it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentInfo {
    /// Its name.
    pub name: Option<String>,
    /// The run or conversation that asks. Part of the scope of `key`.
    pub session: Option<String>,
    /// The machine on which it runs.
    pub host: Option<String>,
    /// Its IANA time zone.
    pub time_zone: Option<String>,
}

/// Answers declared by the asker for the case that the deadline passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OnTimeout {
    /// As for `POST …/answer`; an empty list declares nothing.
    pub answers: Vec<GivenAnswer>,
}

/// What to do if no person can be reached at the moment of asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnUnattended {
    /// Wait for one.
    #[default]
    Wait,
    /// Expire at once with the reason `unattended`.
    Return,
}

/// An ask as it was sent: right types, rules not checked yet. Also what a client sends.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[expect(missing_docs, reason = "members are those of Ask")]
pub struct AskForm {
    pub key: Option<String>,
    pub title: Option<String>,
    pub questions: Vec<QuestionForm>,
    pub context: Option<String>,
    pub agent: Option<AgentInfo>,
    pub priority: Option<u64>,
    pub tags: Option<Vec<String>>,
    pub follows: Option<String>,
    pub timeout_seconds: Option<u64>,
    pub hard_deadline: Option<bool>,
    pub on_timeout: Option<OnTimeout>,
    pub on_unattended: Option<OnUnattended>,
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<JsonText>,
}

impl AskForm {
    /// The ask, if it keeps every rule.
    ///
    /// # Errors
    /// Every fault, each with a pointer into the body.
    pub fn check(mut self) -> Result<Ask, Faults> {
        let mut faults = Faults::new();
        let questions = check_questions(std::mem::take(&mut self.questions), &mut faults);
        self.check_rest(questions, false, faults)
    }

    /// The ask around the questions of a dialect, which are as that dialect accepts them, within askhub's limits.
    ///
    /// # Errors
    /// As [`AskForm::check`]; what exceeds a limit is a fault of the `arguments` from which the questions came.
    pub fn check_around(self, questions: Vec<Question>) -> Result<Ask, Faults> {
        let mut faults = Faults::new();
        if questions.len() > QUESTIONS_MAX {
            faults.add("/arguments", format!("a call has at most {QUESTIONS_MAX} questions"));
        }
        if self.title.as_ref().is_some_and(|title| title.len() > TEXT_BYTES_MAX) {
            faults.add("/arguments", format!("a title has at most {TEXT_BYTES_MAX} bytes"));
        }
        for (index, excess) in questions.iter().enumerate().filter_map(|(index, one)| Some((index, one.excess()?))) {
            faults.add("/arguments", format!("question {}: {excess}", index + 1));
        }
        self.check_rest(questions, true, faults)
    }

    fn check_rest(self, questions: Vec<Question>, lenient: bool, mut faults: Faults) -> Result<Ask, Faults> {
        let agent = self.agent.unwrap_or_default();
        let tags = self.tags.unwrap_or_default();
        check_key(self.key.as_deref(), &mut faults);
        check_agent(&agent, &mut faults);
        check_tags(&tags, &mut faults);
        let priority = check_priority(self.priority, &mut faults);
        let follows = check_follows(self.follows.as_deref(), &mut faults);
        check_timeout(self.timeout_seconds, &mut faults);
        let mut ask = Ask {
            key: self.key,
            title: self.title,
            questions,
            context: self.context,
            agent,
            priority,
            tags,
            follows,
            timeout_seconds: self.timeout_seconds,
            hard_deadline: self.hard_deadline.unwrap_or(false),
            on_timeout: None,
            on_unattended: self.on_unattended.unwrap_or_default(),
            callback_url: None,
            metadata: self.metadata.unwrap_or_else(JsonText::empty_object),
        };
        if faults.is_empty() {
            ask.on_timeout = check_on_timeout(self.on_timeout, &ask, lenient, &mut faults);
        }
        faults.or(Some(ask))
    }
}

impl Ask {
    /// What the deadline's outcome carries: the declared answers, checked; none if nothing was declared.
    pub fn declared_answers(&self, lenient: bool) -> Option<Vec<Answer>> {
        let declared = self.on_timeout.as_ref().filter(|declared| !declared.answers.is_empty())?;
        check_answers(&self.questions, &declared.answers, lenient).ok()
    }

    /// What a list shows: the title, else the first question's text.
    pub fn headline(&self) -> &str {
        let title = self.title.as_deref().filter(|title| !title.trim().is_empty());
        title.unwrap_or_else(|| self.questions.first().map_or("", |question| question.question.as_str()))
    }

    /// Who asks, by its own word.
    pub fn agent_name(&self) -> Option<&str> {
        self.agent.name.as_deref().filter(|name| !name.trim().is_empty())
    }
}

fn check_key(key: Option<&str>, faults: &mut Faults) {
    let Some(key) = key else { return };
    if key.is_empty() || key.len() > ID_BYTES_MAX {
        faults.add("/key", format!("a key has 1 to {ID_BYTES_MAX} bytes"));
    } else if key.chars().any(char::is_control) {
        faults.add("/key", "a key has no control characters");
    }
}

fn check_agent(agent: &AgentInfo, faults: &mut Faults) {
    let members =
        [("name", &agent.name), ("session", &agent.session), ("host", &agent.host), ("time_zone", &agent.time_zone)];
    for (member, value) in members {
        if value.as_ref().is_some_and(|value| value.len() > NAME_BYTES_MAX) {
            faults.add(format!("/agent/{member}"), format!("{member} has at most {NAME_BYTES_MAX} bytes"));
        }
    }
}

fn check_tags(tags: &[String], faults: &mut Faults) {
    if tags.len() > TAGS_MAX {
        faults.add("/tags", format!("a call has at most {TAGS_MAX} tags"));
    }
    for (index, tag) in tags.iter().enumerate().take(TAGS_MAX) {
        if tag.trim().is_empty() || tag.len() > NAME_BYTES_MAX {
            faults.add(format!("/tags/{index}"), format!("a tag has 1 to {NAME_BYTES_MAX} bytes"));
        }
    }
}

fn check_priority(priority: Option<u64>, faults: &mut Faults) -> u8 {
    let usual = 50;
    let Some(priority) = priority else { return usual };
    match u8::try_from(priority) {
        Ok(priority) if priority <= PRIORITY_MAX => priority,
        _ => {
            faults.add("/priority", format!("priority is a whole number from 0 to {PRIORITY_MAX}"));
            usual
        }
    }
}

fn check_follows(follows: Option<&str>, faults: &mut Faults) -> Option<CallId> {
    let parsed = follows?.parse();
    if parsed.is_err() {
        faults.add("/follows", "follows is the id of a call");
    }
    parsed.ok()
}

fn check_timeout(timeout: Option<u64>, faults: &mut Faults) {
    let range = TIMEOUT_SECONDS_MIN..=TIMEOUT_SECONDS_MAX;
    if timeout.is_some_and(|seconds| !range.contains(&seconds)) {
        let detail = format!("timeout_seconds is from {TIMEOUT_SECONDS_MIN} to {TIMEOUT_SECONDS_MAX} (366 days)");
        faults.add("/timeout_seconds", detail);
    }
}

fn check_questions(forms: Vec<QuestionForm>, faults: &mut Faults) -> Vec<Question> {
    if forms.is_empty() {
        faults.add("/questions", "a call needs at least one question");
    }
    if forms.len() > QUESTIONS_MAX {
        faults.add("/questions", format!("a call has at most {QUESTIONS_MAX} questions"));
        return Vec::new();
    }
    let named = forms.iter().filter(|form| form.id.is_some()).count();
    let all_named = named == forms.len();
    let mut seen = HashSet::new();
    let mut questions = Vec::with_capacity(forms.len());
    for (index, mut form) in forms.into_iter().enumerate() {
        let pointer = format!("/questions/{index}");
        if named > 0 && !all_named && form.id.is_none() {
            faults.add(format!("{pointer}/id"), "give every question an id, or none");
        }
        let id = form.id.take().unwrap_or_else(|| format!("q{}", index + 1));
        if !seen.insert(id.clone()) {
            faults.add(format!("{pointer}/id"), format!("another question of this call has the id {id:?}"));
        }
        questions.extend(form.check(id, &pointer, faults));
    }
    questions
}

fn check_on_timeout(form: Option<OnTimeout>, ask: &Ask, lenient: bool, faults: &mut Faults) -> Option<OnTimeout> {
    let form = form?;
    if !form.answers.is_empty() {
        if ask.timeout_seconds.is_none() {
            faults.add("/on_timeout", "a default answer needs timeout_seconds");
        }
        refuse_silent_approvals(ask, &form, faults);
        if let Err(found) = check_answers(&ask.questions, &form.answers, lenient) {
            for Fault { pointer, detail, .. } in found.into_vec() {
                faults.add(format!("/on_timeout{pointer}"), detail);
            }
        }
    }
    Some(form)
}

/// Silence may deny a tool its call, but never approve it.
fn refuse_silent_approvals(ask: &Ask, form: &OnTimeout, faults: &mut Faults) {
    for (index, answer) in form.answers.iter().enumerate() {
        let is_approval = ask.questions.iter().any(|one| one.id == answer.id && one.kind == QuestionKind::Approval);
        if is_approval && Approval::of(answer.value.as_ref()).is_some_and(|one| one.decision == Verdict::Approve) {
            let pointer = format!("/on_timeout/answers/{index}/value/decision");
            faults.add(pointer, "a deadline that passes approves nothing: declare \"deny\", or nothing");
        }
    }
}
