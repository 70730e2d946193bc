//! What the clients of one run saw, in the order in which they saw it.

use std::sync::Mutex;

use serde::Deserialize;
use serde_json::value::RawValue;

/// A place in the order of everything that was begun and seen.
pub type Moment = usize;

/// Everything that was seen.
#[derive(Debug, Default, Clone)]
pub struct History {
    pub entries: Vec<Entry>,
    /// The whole log, read at the end.
    pub log: Vec<LogEvent>,
}

/// One reply or one item of a feed.
#[derive(Debug, Clone)]
pub struct Entry {
    /// When the request was sent: what the reply says was true at some moment after this and before `ended`.
    pub began: Moment,
    pub ended: Moment,
    pub seen: Seen,
}

#[derive(Debug, Clone)]
pub enum Seen {
    /// An ask was acknowledged.
    Asked { key: String, call: CallSeen },
    /// A call was read; none if it was said not to exist.
    Read { id: String, call: Option<CallSeen> },
    /// An answer was acknowledged as the outcome.
    Won { answer: String, call: CallSeen },
    /// An answer was refused because there is an outcome.
    Lost { answer: String, call: CallSeen },
    /// A feed went on.
    Fed { reader: usize, event: LogEvent },
    /// A feed could not be continued from where its reader was.
    Reset { reader: usize },
}

/// A call as a reply showed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSeen {
    pub id: String,
    pub status: String,
    /// The outcome's bytes.
    pub outcome: Option<String>,
    /// The ids of the late answers.
    pub late: Vec<String>,
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LogEvent {
    pub seq: u64,
    #[serde(rename = "type")]
    pub kind: String,
    pub call_id: String,
}

/// Takes down what is seen, while it is seen.
#[derive(Debug, Default)]
pub struct Journal {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    next: Moment,
    entries: Vec<Entry>,
}

impl Journal {
    /// Before a request is sent.
    pub fn begin(&self) -> Moment {
        self.inner.lock().unwrap().tick()
    }

    /// After its reply was read.
    pub fn note(&self, began: Moment, seen: Seen) {
        let mut inner = self.inner.lock().unwrap();
        let ended = inner.tick();
        inner.entries.push(Entry { began, ended, seen });
    }

    pub fn entries(&self) -> Vec<Entry> {
        self.inner.lock().unwrap().entries.clone()
    }
}

impl Inner {
    fn tick(&mut self) -> Moment {
        self.next += 1;
        self.next
    }
}

#[derive(Deserialize)]
struct CallBody<'a> {
    id: String,
    status: String,
    #[serde(borrow)]
    outcome: Option<&'a RawValue>,
    late_answers: Vec<LateBody>,
}

#[derive(Deserialize)]
struct LateBody {
    answer_id: String,
}

impl CallSeen {
    /// Reads a call out of a reply, its outcome byte for byte.
    pub fn read(body: &[u8]) -> Self {
        let body: CallBody<'_> =
            serde_json::from_slice(body).unwrap_or_else(|_| panic!("no call: {}", String::from_utf8_lossy(body)));
        Self {
            id: body.id,
            status: body.status,
            outcome: body.outcome.map(|outcome| outcome.get().to_owned()),
            late: body.late_answers.into_iter().map(|late| late.answer_id).collect(),
        }
    }

    /// Reads the call out of a refusal.
    pub fn read_refusal(body: &[u8]) -> (String, Self) {
        #[derive(Deserialize)]
        struct Refusal<'a> {
            code: String,
            #[serde(borrow)]
            call: Option<&'a RawValue>,
        }
        let text = || String::from_utf8_lossy(body).into_owned();
        let refusal: Refusal<'_> = serde_json::from_slice(body).unwrap_or_else(|_| panic!("no problem: {}", text()));
        let call = refusal.call.unwrap_or_else(|| panic!("a refusal without the call: {}", text()));
        (refusal.code, Self::read(call.get().as_bytes()))
    }

    pub fn is_settled(&self) -> bool {
        self.status != "pending"
    }

    /// Whether the outcome carries this answer, whose id and words are the same.
    pub fn has_words(&self, answer: &str) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| outcome.contains(&format!("\"custom\":\"{answer}\"")))
    }
}

impl Seen {
    /// The call that was shown, if any.
    pub fn call(&self) -> Option<&CallSeen> {
        match self {
            Self::Asked { call, .. } | Self::Won { call, .. } | Self::Lost { call, .. } => Some(call),
            Self::Read { call, .. } => call.as_ref(),
            Self::Fed { .. } | Self::Reset { .. } => None,
        }
    }
}
