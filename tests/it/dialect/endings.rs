//! What claude-code is told for each way in which a call can end, beyond what the vectors show.

use askhub::dialect::{Parsed, Rendered, Request, dialect, render};
use askhub::domain::json::Json;
use askhub::domain::{Call, DialectUse, GivenAnswer, Question, Settlement, check_answers};

use super::calls;

const ARGUMENTS: &str = r#"{"questions":[
    {"question":"Which database?","header":"DB","options":[
        {"label":"Postgres","description":"s","preview":"PG"},{"label":"SQLite","description":"f"}]},
    {"question":"Which languages?","header":"Lang","multiSelect":true,"options":[
        {"label":"Rust","description":"r","preview":"RS"},{"label":"Go","description":"g"}]}]}"#;

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was \
    a file edit, the new_string was NOT written to the file). ";
const SAID: &str = "To tell you how to proceed, the user said:\n";

fn parse(raw: &str) -> (Vec<Question>, DialectUse) {
    let claude_code = dialect("claude-code").expect("it is spoken");
    let request = Request::check(claude_code, raw, &Json::Null).expect("the context is one");
    match claude_code.parse(&request).expect("the request makes sense") {
        Parsed::Ask(parts) => (parts.questions, request.to_use(claude_code)),
        other => panic!("{raw} gave {other:?}"),
    }
}

fn pending() -> Call {
    let (questions, dialect) = parse(ARGUMENTS);
    calls::asked(questions, dialect)
}

fn pending_with_default() -> Call {
    let (questions, dialect) = parse(ARGUMENTS);
    calls::asked_with_default(questions, dialect, vec![selected("q1", &["SQLite"])])
}

fn selected(id: &str, labels: &[&str]) -> GivenAnswer {
    let labels = labels.iter().map(|label| (*label).to_owned()).collect();
    GivenAnswer { id: id.to_owned(), selected: Some(labels), ..GivenAnswer::default() }
}

fn own_words(id: &str, words: &str) -> GivenAnswer {
    GivenAnswer { id: id.to_owned(), custom: Some(words.to_owned()), ..GivenAnswer::default() }
}

fn with_notes(answer: GivenAnswer, notes: &str) -> GivenAnswer {
    GivenAnswer { notes: Some(notes.to_owned()), ..answer }
}

fn rendered(call: &Call) -> Rendered {
    render(call).expect("it came as a dialect's")
}

/// The result's text and whether it is an error.
fn result(call: &Call) -> (String, bool) {
    let result = rendered(call).tool_result.expect("it has a result");
    (result.text, result.is_error)
}

fn answered_text(answers: &[GivenAnswer]) -> String {
    let (text, is_error) = result(&calls::answered(&pending(), answers));
    assert!(!is_error);
    let told = text.strip_prefix("User has answered your questions: ").expect("it starts so");
    told.strip_suffix(". You can now continue with the user's answers in mind.").expect("it ends so").to_owned()
}

fn declined(clarify: bool, reason: Option<&str>, reply: Option<&str>, answers: &[GivenAnswer]) -> Rendered {
    let call = pending();
    let text = |text: Option<&str>| text.map(str::to_owned);
    let answers = check_answers(&call.ask.questions, answers, true).expect("they fit");
    let decline = Settlement::Decline { reason: text(reason), clarify, reply: text(reply), answers };
    rendered(&calls::settled(&call, decline))
}

fn declined_text(clarify: bool, reason: Option<&str>, reply: Option<&str>, answers: &[GivenAnswer]) -> String {
    let rendered = declined(clarify, reason, reply, answers);
    let result = rendered.tool_result.expect("it has a result");
    assert!(result.is_error && result.structured.is_none());
    let text = result.text.strip_prefix(REJECTED).expect("it starts so");
    assert_eq!(rendered.ends_run, text.starts_with("STOP"));
    text.to_owned()
}

#[test]
fn a_pending_call_has_no_result_yet() {
    assert_eq!(rendered(&pending()), Rendered::default());
}

#[test]
fn an_answer_is_told_with_preview_and_trimmed_notes() {
    let single = with_notes(selected("q1", &["Postgres"]), "\u{feff} big \n");
    assert_eq!(answered_text(&[single]), "\"Which database?\"=\"Postgres\" selected preview:\nPG user notes: big");
}

#[test]
fn own_words_stand_last_and_untrimmed() {
    let both = GivenAnswer { custom: Some(" Zig ".to_owned()), ..selected("q2", &["Go", "Rust"]) };
    assert_eq!(answered_text(&[both]), "\"Which languages?\"=\"Go, Rust,  Zig \"");
}

#[test]
fn own_words_that_are_a_label_have_its_preview_and_several_choices_have_none() {
    let answers = [own_words("q1", "Postgres"), selected("q2", &["Rust"])];
    let expected = "\"Which database?\"=\"Postgres\" selected preview:\nPG, \"Which languages?\"=\"Rust\"";
    assert_eq!(answered_text(&answers), expected);
}

#[test]
fn an_option_may_be_named_by_its_id() {
    assert_eq!(answered_text(&[selected("q1", &["o2"])]), "\"Which database?\"=\"SQLite\"");
}

#[test]
fn an_answer_may_hold_nul() {
    assert_eq!(answered_text(&[own_words("q1", "a\0b")]), "\"Which database?\"=\"a\0b\"");
}

#[test]
fn all_skipped_is_an_answer_and_no_error() {
    assert_eq!(answered_text(&[]), "");
}

#[test]
fn words_without_a_place_in_the_sentence_become_the_users_message() {
    let call = pending();
    let note = with_notes(selected("q1", &[]), " ask Bob ");
    let answers = check_answers(&call.ask.questions, &[note, selected("q2", &["Go"])], true).expect("they fit");
    let answer = Settlement::Answer { answers, reply: Some("thanks".to_owned()) };
    let rendered = rendered(&calls::settled(&call, answer));
    assert_eq!(
        rendered.user_message.as_deref(),
        Some("thanks\n\nNote on the unanswered question \"Which database?\": ask Bob")
    );
    let text = rendered.tool_result.expect("it has a result").text;
    assert!(text.contains("questions: \"Which languages?\"=\"Go\"."), "{text}");
    assert!(!rendered.ends_run);
}

#[test]
fn an_answer_has_the_form_that_a_hook_returns() {
    let call = calls::answered(&pending(), &[with_notes(selected("q1", &["Postgres"]), "n")]);
    let structured = rendered(&call).tool_result.and_then(|result| result.structured).expect("it has one");
    let tail =
        r#""answers":{"Which database?":"Postgres"},"annotations":{"Which database?":{"preview":"PG","notes":"n"}}}"#;
    assert!(structured.starts_with(r#"{"questions":[{"question":"Which database?","header":"DB","options":["#));
    assert!(structured.ends_with(tail), "{structured}");
}

#[test]
fn answers_that_a_model_sends_are_dropped() {
    let raw = ARGUMENTS.replacen('{', r#"{"answers":{"Which database?":"SQLite"},"annotations":{"x":{}},"#, 1);
    let (questions, dialect) = parse(&raw);
    assert_eq!(dialect.raw, raw);
    let (text, _) = result(&calls::answered(&calls::asked(questions, dialect), &[]));
    assert_eq!(text, "User has answered your questions: . You can now continue with the user's answers in mind.");
}

#[test]
fn a_refusal_without_a_word_stops_the_run() {
    let stop = "STOP what you are doing and wait for the user to tell you how to proceed.";
    assert_eq!(declined_text(false, None, None, &[]), stop);
    assert_eq!(declined_text(false, Some(" \n"), Some(""), &[]), stop);
}

#[test]
fn a_refusal_with_words_hands_them_on() {
    assert_eq!(declined_text(false, Some("not now"), None, &[]), format!("{SAID}not now"));
    assert_eq!(declined_text(false, Some("no"), Some("later"), &[]), format!("{SAID}no\n\nlater"));
}

#[test]
fn a_refusal_hands_on_what_was_typed_before() {
    let typed = [with_notes(selected("q2", &["Go"]), "maybe")];
    let list = "Questions asked and answers provided:\n- \"Which database?\"\n  (No answer provided)\n\
        - \"Which languages?\"\n  Answer: Go\n  User notes: maybe";
    assert_eq!(declined_text(false, None, None, &typed), format!("{SAID}{list}"));
    assert_eq!(declined_text(false, Some("no"), None, &typed), format!("{SAID}no\n\n{list}"));
    let note_alone = [with_notes(selected("q1", &[]), "which one runs here?")];
    let text = declined_text(false, None, None, &note_alone);
    assert!(text.contains("(No answer provided)\n  User notes: which one runs here?\n"), "{text}");
}

#[test]
fn a_wish_to_be_asked_differently_hands_on_words_and_answers() {
    let text = declined_text(true, Some("what is the load?"), None, &[selected("q1", &["SQLite"])]);
    let expected = "what is the load?\n\nThe user wants to clarify these questions.\n    This means they may have \
        additional information, context or questions for you.\n    Take their response into account and then \
        reformulate the questions if appropriate.\n\n    Questions asked:\n- \"Which database?\"\n  Answer: SQLite\n\
        - \"Which languages?\"\n  (No answer provided)";
    assert_eq!(text, format!("{SAID}{expected}"));
    let wordless = declined_text(true, None, None, &[]);
    assert!(wordless.contains("    Start by asking them what they would like to clarify.\n\n    Questions asked:"));
}

#[test]
fn a_withdrawn_call_has_no_result_and_ends_the_run() {
    let expected = Rendered { ends_run: true, ..Rendered::default() };
    assert_eq!(rendered(&calls::cancelled(&pending())), expected);
}

#[test]
fn silence_is_an_error_that_names_the_deadline() {
    let (text, is_error) = result(&calls::expired(&pending()));
    assert!(is_error);
    assert_eq!(
        text,
        "No person answered: the deadline (2026-12-01T00:05:03.007Z) passed. Nothing was chosen; do not take this as \
         agreement."
    );
}

#[test]
fn a_declared_default_says_that_no_person_answered() {
    let call = calls::expired(&pending_with_default());
    let (text, is_error) = result(&call);
    assert!(!is_error);
    let structured = rendered(&call).tool_result.and_then(|result| result.structured);
    assert_eq!(structured, None, "from it a host would make a person's answer");
    assert_eq!(
        text,
        "No person answered: the deadline (2026-12-01T00:05:03.007Z) passed, and these answers were declared for that \
         case when the questions were asked.\nUser has answered your questions: \"Which database?\"=\"SQLite\". You \
         can now continue with the user's answers in mind."
    );
}

#[test]
fn nobody_to_ask_is_told_as_the_original_does() {
    assert_eq!(result(&calls::unattended(&pending())), ("Answer questions?".to_owned(), true));
    let (text, is_error) = result(&calls::unattended(&pending_with_default()));
    assert!(!is_error);
    assert!(text.starts_with("No person answered: nobody could be reached, and these answers were declared"), "{text}");
    assert!(text.contains("\"Which database?\"=\"SQLite\""), "{text}");
}

#[test]
fn a_call_that_came_as_no_tool_is_not_rendered() {
    let mut call = pending();
    call.dialect.as_mut().expect("it has one").name = "klingon".to_owned();
    assert_eq!(render(&call), None);
    call.dialect = None;
    assert_eq!(render(&call), None);
}
