//! `askhub seed`: fills a hub with calls to look at, as agents ask them and people end them.

use futures_util::stream::{self, StreamExt as _};

use super::exit::{Exit, Failure};
use super::question::fresh_key;
use super::{Common, connect, demo, terminal};
use crate::client::{AnswerForm, CancelForm, Client, ClientError, DeclineForm};
use crate::domain::limits::PENDING_PER_ASKER_MAX;
use crate::domain::{AgentInfo, Approval, AskForm, CallId, GivenAnswer, JsonText, Question, QuestionKind, Verdict};

/// Flags of `seed`.
#[derive(Debug, clap::Args)]
pub struct SeedFlags {
    /// How many calls
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    calls: u64,
    /// How many people answer them; they are added where they are missing
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=20))]
    people: u64,
    /// How many of a hundred calls still wait in the end
    #[arg(long, value_name = "PERCENT", default_value_t = 20, value_parser = clap::value_parser!(u64).range(0..=100))]
    open: u64,
    #[command(flatten)]
    common: Common,
}

/// Requests under way at once.
const AT_ONCE: usize = 32;
const PEOPLE: [&str; 20] = [
    "Ana", "Ben", "Chloe", "David", "Emma", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kim", "Lea", "Mia", "Nils",
    "Olga", "Paul", "Rosa", "Sam", "Tara", "Umut",
];
const AGENTS: [(&str, &str); 6] = [
    ("billing-bot", "prod-eu-1"),
    ("infra-agent", "ci"),
    ("ui-agent", "laptop"),
    ("docs-agent", "ci"),
    ("night-run", "prod-us-2"),
    ("data-agent", "warehouse"),
];
const SUBJECTS: [&str; 8] = [
    "for 214 failed orders",
    "in the new region",
    "before the release",
    "for the empty state",
    "of the weekly report",
    "after the incident",
    "for the mobile app",
    "in the staging cluster",
];
const TIMEOUTS: [Option<u64>; 6] = [None, Some(20 * 60), Some(3600), None, Some(8 * 3600), Some(3 * 24 * 3600)];

/// Runs it.
///
/// # Errors
/// The hub takes no calls, or not so many.
pub async fn run(flags: SeedFlags) -> Result<Exit, Failure> {
    let waiting = flags.calls * flags.open / 100;
    if waiting > PENDING_PER_ASKER_MAX as u64 {
        let most = format!("an agent has at most {PENDING_PER_ASKER_MAX} calls waiting: choose a smaller --open");
        return Err(Failure::usage(most));
    }
    let agent = connect::connect(&flags.common.connect, connect::As::Agent).await?;
    let owner = connect::connect(&flags.common.connect, connect::As::Owner).await?;
    let people = sign_people_in(&owner, flags.people).await?;
    let numbers = stream::iter(0..flags.calls);
    // What waits is spread evenly over the others, so that both lists have some of everything.
    let stays = |number: u64| (number + 1) * flags.open / 100 > number * flags.open / 100;
    let made = numbers.map(|number| make(&agent, &people, number, stays(number))).buffer_unordered(AT_ONCE);
    let mut made = std::pin::pin!(made);
    let mut done = 0;
    while let Some(result) = made.next().await {
        result?;
        done += 1;
        if done % 1000 == 0 {
            terminal::note(&format!("{done} of {} calls", flags.calls));
        }
    }
    terminal::note(&format!("{} calls are there, {waiting} of them wait for an answer", flags.calls));
    Ok(Exit::Done)
}

async fn sign_people_in(owner: &Client, count: u64) -> Result<Vec<Client>, Failure> {
    let mut people = Vec::new();
    for name in PEOPLE.iter().take(usize::try_from(count).unwrap_or(PEOPLE.len())) {
        let known = owner.people().await?.value.users.into_iter().any(|person| person.name == *name);
        if !known {
            owner.add_person(name).await?;
        }
        let link = owner.sign_in_link(Some(name)).await?.value.url;
        people.push(owner.signed_in(&link).await?);
    }
    Ok(people)
}

/// Asks one call and lets it come to its end, unless it stays open.
async fn make(agent: &Client, people: &[Client], number: u64, stays_open: bool) -> Result<(), Failure> {
    let body = serde_json::to_string(&ask(number)).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    let call = agent.ask(&body).await?.value;
    if stays_open {
        return Ok(());
    }
    let person = &people[pick(number, 1, people.len())];
    match pick(number, 2, 20) {
        0 => agent
            .cancel(call.id, &CancelForm { reason: Some("the build was stopped".to_owned()), answer_id: None })
            .await
            .map(drop),
        1 => decline(person, call.id, false).await,
        2 => decline(person, call.id, true).await,
        _ => {
            let answers = call.questions.iter().map(|question| answer(question, number)).collect();
            person.answer(call.id, &AnswerForm { answers, ..AnswerForm::default() }).await.map(drop)
        }
    }?;
    agent.call(call.id, 0).await?;
    Ok(())
}

async fn decline(person: &Client, id: CallId, clarify: bool) -> Result<(), ClientError> {
    let reason = if clarify { "Which of the two do you mean?" } else { "That is not for us to decide." };
    let form = DeclineForm { reason: Some(reason.to_owned()), clarify: Some(clarify), ..DeclineForm::default() };
    person.decline(id, &form).await.map(drop)
}

fn ask(number: u64) -> AskForm {
    let mut kinds = demo::asks();
    let mut ask = kinds.swap_remove(pick(number, 3, kinds.len()));
    let (name, host) = AGENTS[pick(number, 4, AGENTS.len())];
    let subject = SUBJECTS[pick(number, 5, SUBJECTS.len())];
    ask.key = Some(fresh_key());
    ask.title = ask.title.map(|title| format!("{} {subject} (#{number})", title.trim_end_matches('?')));
    ask.agent = Some(AgentInfo {
        name: Some(name.to_owned()),
        host: Some(host.to_owned()),
        session: Some(format!("run-{}", number / 7)),
        time_zone: Some("Europe/Berlin".to_owned()),
    });
    ask.priority = Some(if pick(number, 6, 12) == 0 { 90 } else { 50 });
    ask.tags = Some(vec!["seed".to_owned(), host.to_owned()]);
    ask.timeout_seconds = TIMEOUTS[pick(number, 7, TIMEOUTS.len())];
    ask
}

/// An answer that fits, of the kind that a person would give.
fn answer(question: &Question, number: u64) -> GivenAnswer {
    let mut given = GivenAnswer { id: question.id.clone(), ..GivenAnswer::default() };
    let value = |text: &str| JsonText::read(text).ok();
    match question.kind {
        QuestionKind::Choice => {
            let option = &question.options[pick(number, 8, question.options.len())];
            given.selected = Some(vec![option.id.clone()]);
        }
        QuestionKind::Text => given.custom = Some("The people who wait for it most.".to_owned()),
        QuestionKind::Confirm => {
            given.selected = Some(vec![if number.is_multiple_of(3) { "no" } else { "yes" }.to_owned()])
        }
        QuestionKind::Number => given.value = value("1250.50"),
        QuestionKind::Date => given.value = value("\"2026-12-24\""),
        QuestionKind::DateTime => given.value = value("\"2026-12-24T09:00:00+01:00\""),
        QuestionKind::Form => given.value = value(r#"{"name": "ACME", "size": 42, "plan": "Yearly"}"#),
        QuestionKind::Approval => {
            let verdict = if number.is_multiple_of(4) { Verdict::Deny } else { Verdict::Approve };
            given.value = Some(Approval::new(verdict).to_value());
        }
    }
    if pick(number, 9, 5) == 0 {
        given.notes = Some("Tell me when it is done, please.".to_owned());
    }
    given
}

/// The same choice for the same number each time, and another one for each purpose.
fn pick(number: u64, purpose: u64, choices: usize) -> usize {
    // SplitMix64's mixing: neighbours get numbers that have nothing in common.
    let mut mixed = number.wrapping_add(purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let choice = (mixed ^ (mixed >> 31)) % (choices.max(1) as u64);
    usize::try_from(choice).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::check_answers;

    #[test]
    fn every_call_is_valid_and_every_answer_fits() {
        for number in 0..300 {
            let ask = ask(number).check().unwrap();
            let answers: Vec<GivenAnswer> = ask.questions.iter().map(|question| answer(question, number)).collect();
            check_answers(&ask.questions, &answers, false).unwrap();
        }
    }
}
