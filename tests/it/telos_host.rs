//! `docs/hosts/telos.rs` against a real hub. telos-agent itself needs a newer Rust than this repository: its session is
//! played here, by a result of its tool that was recorded.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::app::http_client;
use crate::support::program::Program;

#[path = "../../docs/hosts/telos.rs"]
mod host;

use host::{Ended, Hub, Session, ToolResult, converse};

/// An agent that asks in its first turn, and nothing later.
#[derive(Default)]
struct Agent {
    texts: Vec<String>,
}

impl Session for Agent {
    type Error = Infallible;

    async fn run_turn(&mut self, text: &str) -> Result<Vec<ToolResult>, Infallible> {
        self.texts.push(text.to_owned());
        let asked = ToolResult { tool_call_id: "call_0".to_owned(), content: asked() };
        let other = ToolResult { tool_call_id: "call_1".to_owned(), content: json!({"status": "done"}) };
        Ok(if self.texts.len() == 1 { vec![asked, other] } else { vec![other] })
    }
}

/// What the tool said when it was run: one question, "Q?".
fn asked() -> Value {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("../vectors/telos.json")).unwrap();
    let case = vectors.iter().find(|case| case["verdict"] == "accept").unwrap();
    serde_json::from_str(case["result"].as_str().unwrap()).unwrap()
}

fn hub(url: &str, token: &str) -> Hub {
    Hub {
        url: url.to_owned(),
        token: token.to_owned(),
        session: "session-1".to_owned(),
        time_limit: None,
        client: http_client(),
    }
}

fn hub_of(program: &Program) -> Hub {
    hub(&program.url, &program.file("agent.token"))
}

async fn pending_call(program: &Program) -> (String, Value) {
    let call = program.pending_call().await;
    (call["id"].as_str().unwrap().to_owned(), call)
}

#[tokio::test]
async fn the_answer_is_the_next_message_of_the_user() {
    let program = Program::start().await;
    let (mut agent, hub) = (Agent::default(), hub_of(&program));
    let person = async {
        let (id, call) = pending_call(&program).await;
        assert_eq!(call["dialect"]["name"], "telos");
        let label = call["questions"][0]["options"][0]["label"].as_str().unwrap().to_owned();
        assert_eq!(program.run(&["answer", &id, "--select", &label]).await.code, Some(0));
        label
    };
    let (ended, label) = tokio::join!(converse(&mut agent, &hub, "Set it up.", pending()), person);
    ended.unwrap();
    let answer = format!("The user answered your question.\n\nQuestion: Q?\nAnswer: {label}");
    assert_eq!(agent.texts, ["Set it up.", answer.as_str()]);
}

#[tokio::test]
async fn silence_is_told_as_silence() {
    let program = Program::start().await;
    let (mut agent, hub) = (Agent::default(), Hub { time_limit: Some(Duration::from_secs(1)), ..hub_of(&program) });
    converse(&mut agent, &hub, "Set it up.", pending()).await.unwrap();
    assert!(agent.texts[1].starts_with("No person answered: the deadline ("), "{}", agent.texts[1]);
}

#[tokio::test]
async fn a_withdrawn_question_is_the_end_of_the_run() {
    let program = Program::start().await;
    let (mut agent, hub) = (Agent::default(), hub_of(&program));
    let asker = async {
        let (id, _) = pending_call(&program).await;
        assert_eq!(program.run(&["cancel", &id]).await.code, Some(0));
    };
    let (ended, ()) = tokio::join!(converse(&mut agent, &hub, "Set it up.", pending()), asker);
    ended.unwrap();
    assert_eq!(agent.texts, ["Set it up."]);
}

#[tokio::test]
async fn stopping_the_host_withdraws_its_question() {
    let program = Program::start().await;
    let (mut agent, hub) = (Agent::default(), hub_of(&program));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let stopper = async {
        let (id, _) = pending_call(&program).await;
        stop.send(()).unwrap();
        id
    };
    let until_stopped = async { stopped.await.unwrap() };
    let (ended, id) = tokio::join!(converse(&mut agent, &hub, "Set it up.", until_stopped), stopper);
    assert!(matches!(ended, Err(Ended::Stopped)), "{ended:?}");
    let call = program.call(&id).await;
    assert_eq!((&call["status"], &call["outcome"]["reason"]), (&json!("cancelled"), &json!("the run was stopped")));
}

#[tokio::test]
async fn a_restart_of_the_hub_does_not_lose_the_answer_for_the_host() {
    let mut program = Program::start().await;
    let (mut agent, hub) = (Agent::default(), hub_of(&program));
    let person = async {
        let (id, _) = pending_call(&program).await;
        program.kill().await;
        program.start_again().await;
        assert_eq!(program.run(&["answer", &id, "--decline"]).await.code, Some(0));
    };
    let (ended, ()) = tokio::join!(converse(&mut agent, &hub, "Set it up.", pending()), person);
    ended.unwrap();
    assert!(agent.texts[1].starts_with("The user declined to answer."), "{}", agent.texts[1]);
}

#[tokio::test]
async fn without_a_hub_the_host_fails_soon_with_a_sentence_for_its_user() {
    let mut program = Program::start().await;
    let hub = hub_of(&program);
    program.kill().await;
    let ended = converse(&mut Agent::default(), &hub, "Set it up.", pending()).await;
    let Err(Ended::Hub(why)) = ended else { panic!("{ended:?}") };
    assert!(why.starts_with(&format!("askhub at {}: it cannot be reached: ", program.url)), "{why}");
}

#[tokio::test]
async fn a_token_that_is_not_known_is_told_at_once() {
    let program = Program::start().await;
    let ended = converse(&mut Agent::default(), &hub(&program.url, "none"), "Set it up.", pending()).await;
    let Err(Ended::Hub(why)) = ended else { panic!("{ended:?}") };
    assert!(why.contains("it says no (401 Unauthorized): "), "{why}");
}

#[tokio::test]
async fn what_is_no_askhub_is_told_at_once() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let foreign = axum::Router::new().fallback(async || "{}");
    tokio::spawn(async { axum::serve(listener, foreign).await });
    let ended = converse(&mut Agent::default(), &hub(&url, "none"), "Set it up.", pending()).await;
    let Err(Ended::Hub(why)) = ended else { panic!("{ended:?}") };
    assert_eq!(why, format!("askhub at {url}: it answers unlike askhub"));
}
