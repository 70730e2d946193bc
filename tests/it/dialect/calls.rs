//! Calls that came as a dialect's, at any stage: by the rules of the domain, without a store.

use askhub::domain::{
    AgentInfo, Ask, Asker, Attempt, By, ByKind, Call, CallId, Command, DialectUse, Digest, GivenAnswer, JsonText,
    NewCall, OnTimeout, OnUnattended, Question, Settlement, Terms, Timestamp, Via, check_answers, decide, expire,
};

/// When every call is asked.
const ASKED_AT: Timestamp = Timestamp::from_millis(1_796_083_443_007);

/// A pending call with a deadline of one minute.
pub fn asked(questions: Vec<Question>, dialect: DialectUse) -> Call {
    Call::asked(new_call(questions, dialect, None), ASKED_AT)
}

/// The same call with answers declared for its deadline; none declares nothing.
pub fn with_default(call: &Call, answers: Vec<GivenAnswer>) -> Call {
    let dialect = call.dialect.clone().expect("it came as a dialect's");
    let on_timeout = (!answers.is_empty()).then_some(OnTimeout { answers });
    Call::asked(new_call(call.ask.questions.clone(), dialect, on_timeout), ASKED_AT)
}

/// What a call would be if nobody could be reached when it was asked.
pub fn unattended(call: &Call) -> Call {
    let dialect = call.dialect.clone().expect("it came as a dialect's");
    let on_timeout = call.ask.on_timeout.clone();
    let new = NewCall { unattended: true, ..new_call(call.ask.questions.clone(), dialect, on_timeout) };
    apply(&Command::Ask(Box::new(new)), None)
}

/// The call after its deadline.
pub fn expired(call: &Call) -> Call {
    let deadline = call.expires_at.expect("every call here has a deadline");
    expire(call, deadline).expect("it is due").0
}

/// The call with a person's answers, which must fit.
pub fn answered(call: &Call, answers: &[GivenAnswer]) -> Call {
    let answers = check_answers(&call.ask.questions, answers, call.is_lenient());
    let answers = answers.unwrap_or_else(|faults| panic!("the answers do not fit: {faults:?}"));
    settled(call, Settlement::Answer { answers, reply: None })
}

/// The call as a person ended it.
pub fn settled(call: &Call, settlement: Settlement) -> Call {
    let by = By { kind: ByKind::Person, id: "p1".to_owned(), name: "Ada".to_owned(), via: Via::Page };
    apply(&Command::Settle { call: call.id, by, settlement, terms: Terms::default(), attempt: attempt() }, Some(call))
}

/// The call after its asker withdrew it.
pub fn cancelled(call: &Call) -> Call {
    apply(&Command::Cancel { call: call.id, by: agent(), reason: None, attempt: attempt() }, Some(call))
}

fn apply(command: &Command, call: Option<&Call>) -> Call {
    decide(command, call, None, ASKED_AT).store.expect("the command changes the call")
}

fn new_call(questions: Vec<Question>, dialect: DialectUse, on_timeout: Option<OnTimeout>) -> NewCall {
    NewCall {
        id: CallId(uuid::Uuid::nil()),
        space: "default".to_owned(),
        asker: Asker { kind: ByKind::Agent, id: "a1".to_owned(), name: "bot".to_owned() },
        ask: Ask {
            key: None,
            title: None,
            questions,
            context: None,
            agent: AgentInfo::default(),
            priority: 50,
            tags: Vec::new(),
            follows: None,
            timeout_seconds: Some(60),
            hard_deadline: false,
            on_timeout,
            on_unattended: OnUnattended::Wait,
            callback_url: None,
            metadata: JsonText::empty_object(),
        },
        same_ask: Digest::of(b""),
        dialect: Some(dialect),
        unattended: false,
        by: agent(),
    }
}

fn agent() -> By {
    By { kind: ByKind::Agent, id: "a1".to_owned(), name: "bot".to_owned(), via: Via::Api }
}

fn attempt() -> Attempt {
    Attempt { id: "x".to_owned(), body: Digest::of(b"") }
}
