//! Does a history keep the promises? Pure: a call is written once, so each promise is one pass over what was seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::history::{CallSeen, Entry, History, LogEvent, Moment, Seen};

/// What was promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// What was acknowledged as asked can be read for ever after.
    Readable,
    /// One key names one call.
    OneCallForAKey,
    /// Everybody sees the same outcome, byte for byte.
    OneOutcome,
    /// An answer that was acknowledged is the outcome; one that was refused was told another, and is kept.
    AnswersCount,
    /// What is final stays final.
    FinalStays,
    /// A reader that follows the feed sees the whole log: no gap, no repeat, never back.
    WholeFeed,
    /// The log says once that a call was asked, and once that it was settled.
    OneSettling,
}

/// A promise that was broken, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub promise: Promise,
    detail: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.promise, self.detail)
    }
}

/// Every broken promise.
pub fn check(history: &History) -> Vec<Broken> {
    let mut broken = Complaints::default();
    let entries = &history.entries;
    readable(entries, &mut broken);
    one_call_for_a_key(entries, &mut broken);
    one_outcome(entries, &mut broken);
    answers_count(entries, &mut broken);
    final_stays(entries, &mut broken);
    whole_feed(history, &mut broken);
    one_settling(history, &mut broken);
    broken.found
}

#[derive(Default)]
struct Complaints {
    found: Vec<Broken>,
}

impl Complaints {
    fn add(&mut self, promise: Promise, detail: impl Into<String>) {
        self.found.push(Broken { promise, detail: detail.into() });
    }
}

fn readable(entries: &[Entry], broken: &mut Complaints) {
    let mut acknowledged: BTreeMap<&str, Moment> = BTreeMap::new();
    let mut last_read: BTreeMap<&str, (Moment, bool)> = BTreeMap::new();
    for entry in entries {
        match &entry.seen {
            Seen::Asked { call, .. } => {
                acknowledged.entry(&call.id).or_insert(entry.ended);
            }
            Seen::Read { id, call } => {
                let last = last_read.entry(id).or_insert((entry.began, call.is_some()));
                if entry.began >= last.0 {
                    *last = (entry.began, call.is_some());
                }
                if call.is_none() && acknowledged.get(id.as_str()).is_some_and(|moment| *moment < entry.began) {
                    broken.add(Promise::Readable, format!("{id} was acknowledged and then not there"));
                }
            }
            _ => {}
        }
    }
    for id in acknowledged.keys().filter(|id| !last_read.contains_key(**id)) {
        broken.add(Promise::Readable, format!("{id} was acknowledged and nobody read it in the end"));
    }
}

fn one_call_for_a_key(entries: &[Entry], broken: &mut Complaints) {
    let mut calls: BTreeMap<&str, &str> = BTreeMap::new();
    for entry in entries {
        if let Seen::Asked { key, call } = &entry.seen {
            let first = *calls.entry(key).or_insert(&call.id);
            if first != call.id {
                broken.add(Promise::OneCallForAKey, format!("{key} names {first} and {}", call.id));
            }
        }
    }
}

fn one_outcome(entries: &[Entry], broken: &mut Complaints) {
    let mut outcomes: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for call in entries.iter().filter_map(|entry| entry.seen.call()) {
        let Some(outcome) = call.outcome.as_deref() else {
            if call.is_settled() {
                broken.add(Promise::OneOutcome, format!("{} is {} without an outcome", call.id, call.status));
            }
            continue;
        };
        let seen = (call.status.as_str(), outcome);
        let first = *outcomes.entry(&call.id).or_insert(seen);
        if first != seen {
            broken.add(Promise::OneOutcome, format!("{} ended as {first:?} and as {seen:?}", call.id));
        }
    }
}

fn answers_count(entries: &[Entry], broken: &mut Complaints) {
    let mut kept: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for call in entries.iter().filter_map(|entry| entry.seen.call()) {
        kept.entry(&call.id).or_default().extend(call.late.iter().map(String::as_str));
    }
    let is_kept = |call: &CallSeen, answer: &str| kept.get(call.id.as_str()).is_some_and(|kept| kept.contains(answer));
    for entry in entries {
        match &entry.seen {
            Seen::Won { answer, call } if !call.has_words(answer) => {
                broken.add(Promise::AnswersCount, format!("{answer} won and the outcome is {:?}", call.outcome));
            }
            Seen::Lost { answer, call } if call.has_words(answer) => {
                broken.add(Promise::AnswersCount, format!("{answer} is the outcome and was refused"));
            }
            Seen::Lost { answer, call } if !call.is_settled() || !is_kept(call, answer) => {
                broken.add(Promise::AnswersCount, format!("{answer} was refused and is not kept: {call:?}"));
            }
            _ => {}
        }
    }
}

fn final_stays(entries: &[Entry], broken: &mut Complaints) {
    let mut settled: BTreeMap<&str, Moment> = BTreeMap::new();
    for entry in entries {
        if let Some(call) = entry.seen.call().filter(|call| call.is_settled()) {
            settled.entry(&call.id).or_insert(entry.ended);
        }
    }
    for entry in entries {
        // Only a read that began after somebody had the outcome must see it.
        let pending = entry.seen.call().filter(|call| !call.is_settled());
        if let Some(call) = pending.filter(|call| settled.get(call.id.as_str()).is_some_and(|at| *at < entry.began)) {
            broken.add(Promise::FinalStays, format!("{} was settled and is pending", call.id));
        }
    }
}

fn whole_feed(history: &History, broken: &mut Complaints) {
    let log = &history.log;
    for pair in log.windows(2).filter(|pair| pair[1].seq != pair[0].seq + 1) {
        broken.add(Promise::WholeFeed, format!("in the log {} follows {}", pair[1].seq, pair[0].seq));
    }
    let last = log.last().map_or(0, |event| event.seq);
    let mut readers: BTreeMap<usize, Vec<&LogEvent>> = BTreeMap::new();
    for entry in &history.entries {
        match &entry.seen {
            // What came after the log was read is not in it.
            Seen::Fed { reader, event } if event.seq <= last => readers.entry(*reader).or_default().push(event),
            Seen::Reset { reader } => {
                broken.add(Promise::WholeFeed, format!("reader {reader} could not continue"));
            }
            _ => {}
        }
    }
    for (reader, events) in readers {
        let first_difference = events.iter().zip(log).find(|(fed, logged)| **fed != *logged);
        if let Some((fed, logged)) = first_difference {
            broken.add(Promise::WholeFeed, format!("reader {reader} got {fed:?} where the log has {logged:?}"));
        } else if events.len() != log.len() {
            broken.add(Promise::WholeFeed, format!("reader {reader} got {} of {} events", events.len(), log.len()));
        }
    }
}

fn one_settling(history: &History, broken: &mut Complaints) {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for event in &history.log {
        *counts.entry((&event.call_id, &event.kind)).or_default() += 1;
    }
    let mut seen: BTreeMap<&str, bool> = BTreeMap::new();
    for call in history.entries.iter().filter_map(|entry| entry.seen.call()) {
        *seen.entry(&call.id).or_default() |= call.is_settled();
    }
    for (id, is_settled) in seen {
        for (kind, expected) in [("call.asked", 1), ("call.settled", usize::from(is_settled))] {
            let count = counts.get(&(id, kind)).copied().unwrap_or(0);
            if count != expected {
                broken.add(Promise::OneSettling, format!("the log has {count} times {kind} for {id}, not {expected}"));
            }
        }
    }
}

/// Hand-made histories: a good one, and for each promise one that breaks it. Without these the checker could be blind.
mod tests {
    use super::*;

    fn call(id: &str, answer: Option<&str>) -> CallSeen {
        CallSeen {
            id: id.to_owned(),
            status: if answer.is_some() { "answered" } else { "pending" }.to_owned(),
            outcome: answer.map(|answer| format!("{{\"answers\":[{{\"custom\":\"{answer}\"}}]}}")),
            late: Vec::new(),
        }
    }

    fn asked(id: &str) -> Seen {
        Seen::Asked { key: format!("key of {id}"), call: call(id, None) }
    }

    fn read(id: &str, answer: Option<&str>) -> Seen {
        Seen::Read { id: id.to_owned(), call: Some(call(id, answer)) }
    }

    fn won(id: &str, answer: &str) -> Seen {
        Seen::Won { answer: answer.to_owned(), call: call(id, Some(answer)) }
    }

    fn event(seq: u64, kind: &str, id: &str) -> LogEvent {
        LogEvent { seq, kind: kind.to_owned(), call_id: id.to_owned() }
    }

    fn log() -> Vec<LogEvent> {
        vec![event(1, "call.asked", "a"), event(2, "call.settled", "a")]
    }

    fn fed(event: LogEvent) -> Seen {
        Seen::Fed { reader: 0, event }
    }

    /// One after the other, none at the same time.
    fn history(seen: Vec<Seen>, log: Vec<LogEvent>) -> History {
        let entries = seen.into_iter().enumerate();
        let entries = entries.map(|(at, seen)| Entry { began: 2 * at, ended: 2 * at + 1, seen }).collect();
        History { entries, log }
    }

    fn good() -> Vec<Seen> {
        let lost = CallSeen { late: vec!["too late".to_owned()], ..call("a", Some("yes")) };
        let lost = Seen::Lost { answer: "too late".to_owned(), call: lost };
        let feed = log().into_iter().map(fed);
        [asked("a"), won("a", "yes"), lost, read("a", Some("yes"))].into_iter().chain(feed).collect()
    }

    fn promises(history: &History) -> Vec<Promise> {
        check(history).into_iter().map(|broken| broken.promise).collect()
    }

    fn broken_by(seen: Seen) -> Vec<Promise> {
        promises(&history(good().into_iter().chain([seen]).collect(), log()))
    }

    #[test]
    fn a_good_history_keeps_every_promise() {
        assert_eq!(check(&history(good(), log())), []);
    }

    #[test]
    fn a_call_that_was_acknowledged_and_is_gone_is_found() {
        assert_eq!(broken_by(Seen::Read { id: "a".to_owned(), call: None }), [Promise::Readable]);
        let unread = good().into_iter().filter(|seen| !matches!(seen, Seen::Read { .. })).collect();
        assert_eq!(promises(&history(unread, log())), [Promise::Readable]);
    }

    #[test]
    fn a_key_that_names_two_calls_is_found() {
        let again = Seen::Asked { key: "key of a".to_owned(), call: call("b", None) };
        assert!(broken_by(again).contains(&Promise::OneCallForAKey));
    }

    #[test]
    fn a_second_outcome_is_found() {
        assert_eq!(broken_by(read("a", Some("no"))), [Promise::OneOutcome]);
        let expired = CallSeen { status: "expired".to_owned(), ..call("a", Some("yes")) };
        assert_eq!(broken_by(Seen::Read { id: "a".to_owned(), call: Some(expired) }), [Promise::OneOutcome]);
    }

    #[test]
    fn an_acknowledged_answer_that_is_not_the_outcome_is_found() {
        let robbed = Seen::Won { answer: "mine".to_owned(), call: call("a", Some("yes")) };
        assert_eq!(broken_by(robbed), [Promise::AnswersCount]);
    }

    #[test]
    fn a_winner_that_was_refused_and_a_loser_that_was_dropped_are_found() {
        let refused = Seen::Lost { answer: "yes".to_owned(), call: call("a", Some("yes")) };
        assert_eq!(broken_by(refused), [Promise::AnswersCount]);
        let dropped = Seen::Lost { answer: "dropped".to_owned(), call: call("a", Some("yes")) };
        assert_eq!(broken_by(dropped), [Promise::AnswersCount]);
    }

    #[test]
    fn a_call_that_is_pending_again_is_found_unless_the_read_began_before() {
        assert_eq!(broken_by(read("a", None)), [Promise::FinalStays]);
        let mut history = history(good().into_iter().chain([read("a", None)]).collect(), log());
        history.entries.last_mut().unwrap().began = 0;
        assert_eq!(check(&history), []);
    }

    #[test]
    fn a_gap_a_repeat_and_a_reset_of_the_feed_are_found() {
        assert_eq!(broken_by(fed(event(2, "call.settled", "a"))), [Promise::WholeFeed], "a repeat");
        let gap = good().into_iter().filter(|seen| !matches!(seen, Seen::Fed { event, .. } if event.seq == 1));
        assert_eq!(promises(&history(gap.collect(), log())), [Promise::WholeFeed], "a gap");
        assert_eq!(broken_by(Seen::Reset { reader: 0 }), [Promise::WholeFeed], "a reset");
        let short = good().into_iter().filter(|seen| !matches!(seen, Seen::Fed { event, .. } if event.seq == 2));
        assert_eq!(promises(&history(short.collect(), log())), [Promise::WholeFeed], "an end too early");
    }

    #[test]
    fn a_call_that_settles_twice_or_without_a_word_is_found() {
        let log = log().into_iter().chain([event(3, "call.settled", "a")]).collect::<Vec<_>>();
        let seen = good().into_iter().chain([fed(event(3, "call.settled", "a"))]).collect();
        assert_eq!(promises(&history(seen, log)), [Promise::OneSettling]);
        let silent = good().into_iter().filter(|seen| !matches!(seen, Seen::Fed { event, .. } if event.seq == 2));
        assert_eq!(promises(&history(silent.collect(), self::log()[..1].to_vec())), [Promise::OneSettling]);
    }
}
