//! What askhub is about: calls, questions, answers, outcomes, and who may do what.
//!
//! Pure: no async, I/O, clock or randomness. Every rule takes `now` as an argument, so each is testable in a
//! microsecond. Everything else in the crate may use this module; it uses nothing else.

mod answer;
mod approval;
mod ask;
mod call;
mod command;
mod decide;
mod digest;
mod event;
mod fault;
mod form;
mod ids;
pub mod json;
pub mod limits;
mod outcome;
mod policy;
mod question;
mod raw;
mod text;
mod time;

pub use answer::{Answer, Answered, GivenAnswer, check_answers};
pub use approval::{Approval, Risk, ToolCall, ToolForm, Verdict};
pub use ask::{AgentInfo, Ask, AskForm, OnTimeout, OnUnattended};
pub use call::{Asker, Call, Claim, DialectUse, Held, LateAnswer, NewCall, Status};
pub use command::{Applied, Attempt, Command, Loss, Settlement, Terms};
pub use decide::{Decision, Earlier, Ended, KEY_LIFE, decide, expire};
pub use digest::Digest;
pub use event::{Event, EventKind};
pub use fault::{Fault, FaultCode, Faults};
pub use form::{FieldKind, FieldOption, Form, FormField, Single, TextFormat};
pub use ids::CallId;
pub use outcome::{By, ByKind, Outcome, Provenance, Via};
pub use policy::{Principal, PrincipalKind, can_administer, can_answer, can_see, is_asker};
pub use question::{ChoiceOption, OptionForm, PreviewFormat, Question, QuestionForm, QuestionKind, Selected};
pub use raw::JsonText;
pub use text::parts;
pub use time::Timestamp;
