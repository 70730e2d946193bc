//! `askhub hook claude-code` as Claude Code calls it: the event on stdin, the decision on stdout, the exit code.
//! tests/hosts/claude-code.test.js has Claude Code itself call it.

use serde_json::{Value, json};

use crate::support::program::{Ended, Program, Running};

const HOOK: [&str; 2] = ["hook", "claude-code"];
const REJECTED: &str = "The user doesn't want to proceed with this tool use.";

/// What Claude Code says when its model asks.
fn event() -> Value {
    json!({
        "session_id": "b5d0", "transcript_path": "/nowhere", "cwd": "/srv/shop", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion", "tool_use_id": "toolu_01",
        "tool_input": {"questions": [{
            "question": "Which database?", "header": "Storage", "multiSelect": false,
            "options": [
                {"label": "SQLite", "description": "one file", "preview": "askhub.db"},
                {"label": "Postgres", "description": "a server"},
            ],
        }]},
    })
}

fn asking(program: &Program, more: &[&str]) -> Running {
    program.spawn_given(&[&HOOK, more].concat(), &event().to_string())
}

/// Asks, does `act` to the call, and gives what the hook says then.
async fn ask_and(program: &Program, act: &[&str]) -> (Value, Ended) {
    let hook = asking(program, &[]);
    let id = pending_id(program).await;
    let acted = program.run(&[&act[..1], &[id.as_str()], &act[1..]].concat()).await;
    assert_eq!(acted.code, Some(0), "{acted:?}");
    let ended = hook.end().await;
    (decision(&ended), ended)
}

async fn pending_id(program: &Program) -> String {
    program.pending_call().await["id"].as_str().expect("a call has an id").to_owned()
}

fn decision(ended: &Ended) -> Value {
    assert_eq!(ended.code, Some(0), "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

fn reason_of(output: &Value) -> &str {
    assert_eq!(output["hookSpecificOutput"]["permissionDecision"], "deny", "{output}");
    output["hookSpecificOutput"]["permissionDecisionReason"].as_str().expect("a refusal has its reason")
}

#[tokio::test]
async fn a_persons_answers_go_in_as_the_tools_own_input() {
    let program = Program::start().await;
    let (output, ended) = ask_and(&program, &["answer", "--select", "SQLite", "--note", "for now"]).await;
    let questions = &event()["tool_input"]["questions"];
    let input = json!({
        "questions": questions,
        "answers": {"Which database?": "SQLite"},
        "annotations": {"Which database?": {"preview": "askhub.db", "notes": "for now"}},
    });
    let allowed = json!({"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input});
    assert_eq!(output, json!({ "hookSpecificOutput": allowed }));
    assert!(ended.stderr.contains(&format!("asked: {}/", program.url)), "{ended:?}");
}

#[tokio::test]
async fn who_asked_and_that_it_has_the_answer_can_be_seen() {
    let program = Program::start().await;
    let hook = asking(&program, &["--agent-name", "shop"]);
    let call = program.pending_call().await;
    assert_eq!((&call["agent"]["name"], &call["agent"]["session"]), (&json!("shop"), &json!("b5d0")));
    assert_eq!((&call["key"], &call["dialect"]["name"]), (&json!("toolu_01"), &json!("claude-code")));
    let id = call["id"].as_str().unwrap();
    assert_eq!(program.run(&["answer", id, "--text", "neither"]).await.code, Some(0));
    assert_eq!(decision(&hook.end().await)["hookSpecificOutput"]["permissionDecision"], "allow");
    assert!(program.call(id).await["acked_at"].is_string());
}

#[tokio::test]
async fn a_refusal_stops_the_run_and_a_refusal_with_words_does_not() {
    let program = Program::start().await;
    let (output, _) = ask_and(&program, &["answer", "--decline"]).await;
    assert!(reason_of(&output).starts_with(REJECTED), "{output}");
    assert_eq!((&output["continue"], &output["stopReason"]), (&json!(false), &json!(reason_of(&output))));

    let program = Program::start().await;
    let (output, _) = ask_and(&program, &["answer", "--decline", "--reason", "ask the team"]).await;
    assert!(reason_of(&output).starts_with(REJECTED) && reason_of(&output).contains("ask the team"), "{output}");
    assert_eq!((output.get("continue"), output.get("stopReason")), (None, None));
}

#[tokio::test]
async fn words_beside_the_answers_reach_the_model_too() {
    let program = Program::start().await;
    let (output, _) = ask_and(&program, &["answer", "--select", "Postgres", "--reply", "And be quick."]).await;
    let decision = &output["hookSpecificOutput"];
    assert_eq!(decision["updatedInput"]["answers"], json!({"Which database?": "Postgres"}));
    assert!(decision["additionalContext"].as_str().unwrap().contains("And be quick."), "{output}");
}

#[tokio::test]
async fn silence_is_told_as_silence() {
    let program = Program::start().await;
    let output = decision(&asking(&program, &["--wait-max", "1s"]).end().await);
    assert!(reason_of(&output).starts_with("No person answered: the deadline ("), "{output}");
    assert_eq!(output.get("continue"), None);
}

#[tokio::test]
async fn a_withdrawn_question_stops_the_run() {
    let program = Program::start().await;
    let (output, _) = ask_and(&program, &["cancel"]).await;
    assert_eq!(reason_of(&output), "The question was withdrawn before anybody answered it.");
    assert_eq!(output["continue"], false);
}

#[tokio::test]
async fn an_agent_that_is_stopped_withdraws_its_question() {
    let program = Program::start().await;
    let hook = asking(&program, &[]);
    let id = pending_id(&program).await;
    hook.has_said("asked: ").await;
    // What Claude Code sends when its user interrupts it.
    hook.signal("TERM");
    let ended = hook.end().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(130), ""), "{ended:?}");
    let call = program.call(&id).await;
    assert_eq!((&call["status"], &call["outcome"]["reason"]), (&json!("cancelled"), &json!("interrupted")));
}

#[tokio::test]
async fn a_hook_that_was_killed_finds_its_question_again() {
    let program = Program::start().await;
    let hook = asking(&program, &[]);
    let id = pending_id(&program).await;
    hook.signal("KILL");
    assert_eq!(hook.end().await.code, None);
    assert_eq!(program.run(&["answer", &id, "--select", "SQLite"]).await.code, Some(0));
    let output = decision(&asking(&program, &[]).end().await);
    assert_eq!(output["hookSpecificOutput"]["updatedInput"]["answers"], json!({"Which database?": "SQLite"}));
}

#[tokio::test]
async fn a_restart_of_the_hub_does_not_end_the_wait() {
    let mut program = Program::start().await;
    let hook = asking(&program, &[]);
    let id = pending_id(&program).await;
    hook.has_said("asked: ").await;
    program.kill().await;
    program.start_again().await;
    assert_eq!(program.run(&["answer", &id, "--select", "SQLite"]).await.code, Some(0));
    let output = decision(&hook.end().await);
    assert_eq!(output["hookSpecificOutput"]["permissionDecision"], "allow", "{output}");
}

#[tokio::test]
async fn without_a_hub_there_is_no_decision_and_the_user_is_told_why() {
    let mut program = Program::start().await;
    program.kill().await;
    let ended = asking(&program, &[]).end().await;
    let told = format!("askhub could not answer: no askhub at {}: start one with `askhub serve`", program.url);
    assert_eq!(decision(&ended), json!({ "systemMessage": told }));
}

#[tokio::test]
async fn what_is_not_its_business_passes_in_silence() {
    let program = Program::start().await;
    let refused = json!({"questions": []});
    for (member, other) in [
        ("tool_name", json!("Bash")),
        ("hook_event_name", json!("PostToolUse")),
        // Claude Code refuses these arguments by itself.
        ("tool_input", refused),
    ] {
        let mut event = event();
        event[member] = other;
        let ended = program.spawn_given(&HOOK, &event.to_string()).end().await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{member}: {ended:?}");
    }
    assert_eq!(program.json(&["list"]).await["calls"], json!([]));
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_no_decision() {
    let program = Program::start().await;
    let no_id = {
        let mut event = event();
        event.as_object_mut().unwrap().remove("tool_use_id");
        event.to_string()
    };
    for input in ["", "[]", "{\"hook_event_name\":", no_id.as_str()] {
        let ended = program.spawn_given(&HOOK, input).end().await;
        let output = decision(&ended);
        assert!(output["systemMessage"].as_str().unwrap().contains("event"), "{ended:?}");
        assert_eq!(output.as_object().unwrap().len(), 1, "{output}");
    }
    assert_eq!(program.json(&["list"]).await["calls"], json!([]));
}

#[tokio::test]
async fn a_mistake_in_its_flags_is_no_decision() {
    let program = Program::start().await;
    for flags in [&["--wait-max", "soon"][..], &["--wait"], &["extra"]] {
        let ended = asking(&program, flags).end().await;
        // 2 would deny the tool.
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
        assert!(ended.stderr.contains("error: "), "{ended:?}");
    }
    assert_eq!(program.spawn_given(&["hook"], "").end().await.code, Some(1));
    assert_eq!(program.spawn_given(&["hook", "claude-code", "--help"], "").end().await.code, Some(0));
}
