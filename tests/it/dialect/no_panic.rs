//! Whatever a model sends and a person types: a dialect says something and does not panic.

use askhub::dialect::{Parsed, Request, dialects, render};
use askhub::domain::json::{Json, write_string};
use askhub::domain::{GivenAnswer, Question, QuestionKind, Settlement, check_answers};
use proptest::prelude::*;

use super::{calls, filling};

/// Texts that are hard to get right: quotes, escapes, numbers as names, ids as labels, half pairs, NUL.
fn hard_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ \"\\\\<>/a0-9o\u{0}\u{feff}é]{0,6}", Just("__proto__".to_owned()), "[0-9]{1,11}"]
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}

/// Arguments with the members of some tool, of right and wrong types.
fn near_arguments() -> impl Strategy<Value = String> {
    let names = "questions|question|header|options|label|description|multiSelect|preview|answers|annotations|notes|id\
        |prompt|text|title|kind|type|multi_select|recommended|optionDescriptions|q|value|desc|follow_up|mode|placeholder|isOther|custom\
        |message|requestedSchema|properties|required|enum|action_request|action|args|config|description|action_requests|review_configs|action_name|allowed_decisions|name|allow_accept|items|minLength|minimum|default";
    let leaf = prop_oneof![hard_text().prop_map(|text| quoted(&text)), "-?[0-9]{1,3}", Just("true".to_owned())];
    leaf.prop_recursive(5, 60, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((names, inner), 0..6).prop_map(|members| {
                let members: Vec<String> =
                    members.into_iter().map(|(name, value)| format!("{}:{value}", quoted(&name))).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// Arguments that telos accepts unless texts are empty: its options may be anything.
fn open_arguments() -> impl Strategy<Value = String> {
    let question = (hard_text(), hard_text(), prop::collection::vec(near_arguments(), 1..4), near_arguments());
    let question = question.prop_map(|(question, header, options, multi_select)| {
        let (question, header, options) = (quoted(&question), quoted(&header), options.join(","));
        format!(
            "{{\"question\":{question},\"header\":{header},\"options\":[{options}],\"multiSelect\":{multi_select}}}"
        )
    });
    prop::collection::vec(question, 1..4).prop_map(|questions| format!("{{\"questions\":[{}]}}", questions.join(",")))
}

/// Arguments that theorum accepts unless the prompt is blank; some of its strings hold half of a surrogate pair.
fn one_question() -> impl Strategy<Value = String> {
    let half = "\\\\u(d83d|dc00|fffd)".prop_map(|escape| format!("\"{escape}\""));
    let string = prop_oneof![4 => hard_text().prop_map(|text| quoted(&text)), 1 => half].boxed();
    let options = prop::option::of(prop::collection::vec(string.clone(), 0..4));
    ("confirm|choice|text", string, options).prop_map(|(kind, prompt, options)| {
        let options = options.map(|options| format!(",\"options\":[{}]", options.join(","))).unwrap_or_default();
        format!("{{\"kind\":\"{kind}\",\"prompt\":{prompt}{options}}}")
    })
}

/// Arguments that hydra accepts; some of their strings hold half of a surrogate pair.
fn arguments_with_ids() -> impl Strategy<Value = String> {
    let half = "\\\\u(d83d|dc00|fffd)".prop_map(|escape| format!("\"{escape}\""));
    let string = prop_oneof![4 => hard_text().prop_map(|text| quoted(&text)), 1 => half].boxed();
    let option = string.clone().prop_map(|label| format!("{{\"label\":{label}}}"));
    let question = (string.clone(), string, prop::collection::vec(option, 0..5), any::<bool>());
    let question = question.prop_map(|(id, question, options, multi_select)| {
        let options = options.join(",");
        format!("{{\"id\":{id},\"question\":{question},\"options\":[{options}],\"multi_select\":{multi_select}}}")
    });
    prop::collection::vec(question, 1..5).prop_map(|questions| format!("{{\"questions\":[{}]}}", questions.join(",")))
}

/// Arguments that claude-code accepts unless texts repeat.
fn good_arguments() -> impl Strategy<Value = String> {
    let option = (hard_text(), hard_text(), prop::option::of(hard_text())).prop_map(|(label, description, preview)| {
        let preview = preview.map(|preview| format!(",\"preview\":{}", quoted(&preview))).unwrap_or_default();
        format!("{{\"label\":{},\"description\":{}{preview}}}", quoted(&label), quoted(&description))
    });
    let question = (hard_text(), hard_text(), prop::collection::vec(option, 2..5), any::<bool>());
    let question = question.prop_map(|(question, header, options, multi_select)| {
        let (question, header, options) = (quoted(&question), quoted(&header), options.join(","));
        format!(
            "{{\"question\":{question},\"header\":{header},\"options\":[{options}],\"multiSelect\":{multi_select}}}"
        )
    });
    prop::collection::vec(question, 1..5).prop_map(|questions| format!("{{\"questions\":[{}]}}", questions.join(",")))
}

/// Parses with every variant of every dialect, and renders what it accepts in every ending.
fn speak(raw: &str, context: &Json, words: &str) -> Result<(), TestCaseError> {
    let every = dialects().iter().flat_map(|dialect| dialect.variants().iter().map(move |variant| (dialect, variant)));
    for (dialect, variant) in every {
        let mut context = context.clone();
        if let Json::Object(members) = &mut context {
            members.push(("variant".to_owned(), Json::String((*variant).to_owned())));
        }
        let request = Request::check(*dialect, raw, &context).expect("the context is one");
        let Ok(Parsed::Ask(parts)) = dialect.parse(&request) else { continue };
        let pending = calls::asked(parts.questions, request.to_use(*dialect));
        let questions = &pending.ask.questions;
        let own = |question: &Question| {
            let is_confirm = question.kind == QuestionKind::Confirm;
            let takes_words = !is_confirm && question.kind != QuestionKind::Form;
            // Only words that say something answer what must be answered.
            let is_mute = question.required && words.trim().is_empty();
            GivenAnswer {
                id: question.id.clone(),
                selected: is_confirm.then(|| vec!["no".to_owned()]),
                custom: takes_words.then(|| if is_mute { "x".to_owned() } else { words.to_owned() }),
                notes: Some(words.to_owned()),
                value: filling::value(question),
            }
        };
        let own: Vec<GivenAnswer> = questions.iter().map(own).collect();
        let by_label: Vec<GivenAnswer> = questions
            .iter()
            .map(|question| GivenAnswer {
                id: question.id.clone(),
                selected: question.options.last().map(|option| vec![option.label.clone()]),
                custom: (question.required && question.kind == QuestionKind::Text).then(|| "x".to_owned()),
                value: filling::value(question),
                notes: None,
            })
            .collect();
        for answers in [&own, &by_label] {
            let checked = check_answers(questions, answers, true).expect("what is accepted can be answered");
            let decline =
                Settlement::Decline { reason: Some(words.to_owned()), clarify: true, reply: None, answers: checked };
            prop_assert!(render(&calls::settled(&pending, decline)).is_some());
            let rendered = render(&calls::answered(&pending, answers)).expect("it is rendered");
            let structured = rendered.tool_result.and_then(|result| result.structured).unwrap_or("{}".to_owned());
            prop_assert!(Json::parse(&structured, 64).is_ok());
        }
        for (question, answer) in questions.iter().zip(&by_label).filter(|_| !questions.iter().any(|one| one.required))
        {
            let chosen = check_answers(questions, std::slice::from_ref(answer), true).expect("it fits");
            let chosen = chosen.iter().find(|answer| answer.id == question.id).map(|answer| answer.selected.clone());
            let labels: Vec<String> = chosen.unwrap_or_default().into_iter().map(|option| option.label).collect();
            prop_assert_eq!(labels, answer.selected.clone().unwrap_or_default(), "a label was taken for an id");
        }
        prop_assert!(render(&pending).is_some() && render(&calls::expired(&pending)).is_some());
        prop_assert!(render(&calls::cancelled(&pending)).is_some() && render(&calls::unattended(&pending)).is_some());
    }
    Ok(())
}

proptest! {
    #[test]
    fn on_any_text(raw in any::<String>(), words in hard_text()) {
        speak(&raw, &Json::Object(Vec::new()), &words)?;
    }

    #[test]
    fn on_what_looks_like_arguments(raw in near_arguments(), words in hard_text()) {
        speak(&raw, &Json::Object(Vec::new()), &words)?;
    }

    #[test]
    fn on_arguments_with_options_of_any_kind(raw in open_arguments(), words in hard_text(), is_strict in any::<bool>()) {
        let context = Json::Object(vec![("strict".to_owned(), Json::Bool(is_strict))]);
        speak(&raw, &context, &words)?;
    }

    #[test]
    fn on_arguments_with_ids(raw in arguments_with_ids(), words in hard_text(), is_strict in any::<bool>()) {
        let user_text = ("latest_user_text".to_owned(), Json::String("improve it".to_owned()));
        let context = Json::Object(vec![("strict".to_owned(), Json::Bool(is_strict)), user_text]);
        speak(&raw, &context, &words)?;
    }

    #[test]
    fn on_one_question(raw in one_question(), words in hard_text()) {
        speak(&raw, &Json::Object(Vec::new()), &words)?;
    }

    #[test]
    fn on_arguments(raw in good_arguments(), words in hard_text(), is_html in any::<bool>()) {
        let format = if is_html { "html" } else { "markdown" };
        let context = Json::Object(vec![("preview_format".to_owned(), Json::String(format.to_owned()))]);
        speak(&raw, &context, &words)?;
    }
}
