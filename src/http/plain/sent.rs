//! A form as a browser sends it, read strictly; and what a person typed, to be drawn again.
//!
//! Fields: `nonce`, `answer_id`, `rev`, `action`, `reason`, and for each question by its place from 0 those that
//! `typed` knows, such as `q.0.custom`. Places instead of ids: an id may hold what a browser changes on its way, such as
//! line breaks.

use uuid::Uuid;

use super::typed::{self, Typed, place};
use crate::domain::{Digest, Faults, GivenAnswer, Question};
use crate::http::problem::{Code, Problem};

/// One field of a form.
pub type Field = (String, String);

/// What a person typed and chose, whether it is right or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Made when the form was drawn: sending it twice is sending it once.
    pub id: Uuid,
    /// One for each question.
    pub answers: Vec<Typed>,
    /// Why the person does not answer.
    pub reason: String,
}

/// Which button was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Send the answer.
    Answer,
    /// Decline to answer.
    Decline,
    /// Ask to be asked differently.
    Clarify,
    /// Move the deadline.
    Extend,
}

/// A form that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Proves for which session it was drawn.
    pub nonce: String,
    /// The revision of the call that it was drawn from.
    pub rev: Option<u64>,
    /// The button.
    pub action: Action,
    /// The rest.
    pub draft: Draft,
}

impl Action {
    const ALL: [Self; 4] = [Self::Answer, Self::Decline, Self::Clarify, Self::Extend];

    /// The button's value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Decline => "decline",
            Self::Clarify => "clarify",
            Self::Extend => "extend",
        }
    }
}

impl Draft {
    /// Nothing typed yet.
    pub fn new(questions: usize) -> Self {
        Self { id: Uuid::new_v4(), answers: vec![Typed::default(); questions], reason: String::new() }
    }

    /// The same, to be sent as another act.
    #[must_use]
    pub fn renewed(self) -> Self {
        Self { id: Uuid::new_v4(), ..self }
    }

    /// Whether nothing was typed or chosen.
    pub fn is_blank(&self) -> bool {
        self.answers.iter().all(Typed::is_blank)
    }

    /// The answers, one for each question, so that a fault's pointer has the question's place.
    ///
    /// # Errors
    /// What contradicts itself in a way that only a form can.
    pub fn given(&self, questions: &[Question]) -> Result<Vec<GivenAnswer>, Faults> {
        let mut faults = Faults::new();
        let typed = questions.iter().zip(&self.answers).enumerate();
        let answers = typed.map(|(index, (question, typed))| typed.given(question, index, &mut faults)).collect();
        faults.or(Some(answers))
    }

    /// The act's own id. What is sent is part of it: going back and sending something else is another act, which is
    /// kept as a late answer, and not a mistake.
    pub fn answer_id(&self, body: Digest) -> String {
        let hex = body.to_hex();
        format!("{}-{}", self.id, hex.get(..16).unwrap_or(&hex))
    }

    /// All that was typed and chosen as one text, to be copied.
    pub fn to_text(&self, questions: &[Question]) -> String {
        let mut parts = Vec::new();
        for (question, typed) in questions.iter().zip(&self.answers) {
            let lines = typed.lines(question);
            if !lines.is_empty() {
                parts.push(format!("{}\n{}", question.question, lines.join("\n")));
            }
        }
        parts.extend(Some(self.reason.clone()).filter(|reason| !reason.is_empty()));
        parts.join("\n\n")
    }
}

impl Sent {
    /// Reads the fields of a form that was drawn for these questions.
    ///
    /// # Errors
    /// A field that the form does not have, or has once only.
    pub fn read(fields: Vec<Field>, questions: &[Question]) -> Result<Self, Problem> {
        let mut sent =
            Self { nonce: String::new(), rev: None, action: Action::Answer, draft: Draft::new(questions.len()) };
        let mut seen = std::collections::HashSet::new();
        for (name, value) in fields {
            if !typed::may_repeat(&name) && !seen.insert(name.clone()) {
                return Err(bad(format!("the field {name:?} is repeated")));
            }
            let known = sent.take(&name, value, questions);
            known.ok_or_else(|| {
                bad(format!("the field {name:?} does not belong into this form, or has no such value"))
            })?;
        }
        Ok(sent)
    }

    fn take(&mut self, name: &str, value: String, questions: &[Question]) -> Option<()> {
        match name {
            "nonce" => self.nonce = value,
            "answer_id" => self.draft.id = Uuid::try_parse(&value).ok()?,
            "rev" => self.rev = Some(value.parse().ok()?),
            "action" => self.action = Action::ALL.into_iter().find(|action| action.name() == value)?,
            "reason" => self.draft.reason = value,
            _ => {
                let (index, part) = name.strip_prefix("q.")?.split_once('.')?;
                let index = place(index)?;
                self.draft.answers.get_mut(index)?.take(questions.get(index)?, part, value)?;
            }
        }
        Some(())
    }
}

/// Reads an urlencoded body.
///
/// # Errors
/// It is not UTF-8 or not properly encoded.
pub fn parse_fields(body: &[u8]) -> Result<Vec<Field>, Problem> {
    let mut fields = Vec::new();
    for pair in body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
        let middle = pair.iter().position(|byte| *byte == b'=').ok_or_else(|| bad("a field has no value"))?;
        let (name, value) = (decode(&pair[..middle]), decode(&pair[middle + 1..]));
        let (Some(name), Some(value)) = (name, value) else { return Err(bad("the form is not properly encoded")) };
        fields.push((name, value));
    }
    Ok(fields)
}

/// Percent-decodes; a library for this would put signs of its own in the place of broken input.
fn decode(text: &[u8]) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (digits, tail) = tail.split_at_checked(2)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
                rest = tail;
            }
            other => bytes.push(*other),
        }
    }
    // Browsers send every line break of a form as CR LF; the person typed one key.
    String::from_utf8(bytes).ok().map(|text| text.replace("\r\n", "\n"))
}

fn bad(detail: impl Into<String>) -> Problem {
    Problem::new(Code::BadRequest, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AskForm, OptionForm, QuestionForm};

    fn questions() -> Vec<Question> {
        let option = |label: &str| OptionForm { label: Some(label.to_owned()), ..OptionForm::default() };
        let choice = QuestionForm {
            question: Some("Which?".to_owned()),
            options: Some(vec![option("red"), option("blue")]),
            ..QuestionForm::default()
        };
        let confirm = QuestionForm {
            question: Some("Sure?".to_owned()),
            kind: Some("confirm".to_owned()),
            ..QuestionForm::default()
        };
        let text = QuestionForm { question: Some("Why?".to_owned()), ..QuestionForm::default() };
        AskForm { questions: vec![choice, confirm, text], ..AskForm::default() }.check().unwrap().questions
    }

    fn read(body: &str) -> Result<Sent, Problem> {
        Sent::read(parse_fields(body.as_bytes())?, &questions())
    }

    #[test]
    fn a_form_becomes_answers_in_the_questions_order() {
        let sent =
            read("nonce=n&rev=3&action=answer&q.0.selected=1&q.1.selected=yes&q.2.custom=a+%C3%A4%0D%0Ab&q.2.notes=+")
                .unwrap();
        assert_eq!((sent.nonce.as_str(), sent.rev, sent.action), ("n", Some(3), Action::Answer));
        let given = sent.draft.given(&questions()).unwrap();
        assert_eq!(given[0].selected.as_deref(), Some(&["o2".to_owned()][..]));
        assert_eq!(given[1].selected.as_deref(), Some(&["yes".to_owned()][..]));
        assert_eq!(given[2].custom.as_deref(), Some("a ä\nb"));
        assert_eq!(given[2].notes, None);
        assert_eq!(sent.draft.to_text(&questions()), "Which?\nblue\n\nSure?\nYes\n\nWhy?\na ä\nb\n ");
    }

    #[test]
    fn what_a_form_of_ours_cannot_send_is_refused() {
        let bodies = [
            "nonce=a&nonce=b",
            "other=1",
            "q.3.custom=x",
            "q.00.custom=x",
            "q.0.selected=2",
            "q.0.selected=red",
            "q.1.selected=0",
            "q.2.selected=0",
            "q.0.custom=a&q.0.custom=b",
            "q.x.custom=a",
            "q.0.more=1",
            "rev=-1",
            "answer_id=1",
            "action=delete",
            "nonce",
            "nonce=%F0%28",
            "nonce=%4",
            "nonce=%zz",
            "nonce=%+1",
            "q.0.selected=+1",
        ];
        for body in bodies {
            assert!(read(body).is_err(), "{body}");
        }
        assert!(read("").unwrap().draft.is_blank());
    }

    #[test]
    fn own_words_that_are_chosen_must_be_there() {
        let faults = read("q.0.selected=own&q.0.custom=+").unwrap().draft.given(&questions()).unwrap_err();
        assert_eq!(faults.into_vec()[0].pointer, "/answers/0/custom");
        let faults = read("q.0.selected=skip&q.0.custom=x").unwrap().draft.given(&questions()).unwrap_err();
        assert_eq!(faults.into_vec()[0].pointer, "/answers/0/selected");
        let given = read("q.0.selected=own&q.0.custom=x&q.1.selected=skip").unwrap().draft.given(&questions()).unwrap();
        assert_eq!((given[0].custom.as_deref(), given[1].selected.as_deref()), (Some("x"), Some(&[][..])));
    }

    #[test]
    fn the_same_form_with_other_words_is_another_act() {
        let draft = Draft::new(1);
        let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
        assert_eq!(draft.answer_id(one), draft.answer_id(one));
        assert_ne!(draft.answer_id(one), draft.answer_id(two));
        assert_ne!(draft.answer_id(one), draft.clone().renewed().answer_id(one));
        assert!(draft.answer_id(one).len() < crate::domain::limits::ID_BYTES_MAX);
    }

    proptest::proptest! {
        #[test]
        fn any_body_is_read_or_refused_without_a_panic(body in "([a-z.0-9]{0,8}=[%a-fA-F0-9+ ]{0,8}&?){0,4}|\\PC{0,40}") {
            let _ = read(&body);
        }

        #[test]
        fn what_a_browser_encodes_is_read_back(text in "\\PC{0,30}") {
            let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let fields = parse_fields(format!("a={encoded}").as_bytes()).unwrap();
            proptest::prop_assert_eq!(&fields[0].1, &text);
        }
    }
}
