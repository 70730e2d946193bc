//! The command line against the real server, both as the program that people run.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::program::{Ended, Program, eventually, run_alone};

const ASK: [&str; 6] = ["ask", "Ship build 41?", "--option", "Ship it", "--option", "Hold"];
const NO_CALL: &str = "0190c3a1-7e2b-7c11-9d3e-2f6a5b4c3d2e";

fn id_of(call: &Value) -> String {
    call["id"].as_str().expect("a call has an id").to_owned()
}

fn and<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [first, more].concat()
}

async fn ask_and(program: &Program, more: &[&str], act: &[&str]) -> Ended {
    let asking = program.spawn(&and(&ASK, more));
    let id = id_of(&program.pending_call().await);
    let acted = program.run(&[&act[..1], &[id.as_str()], &act[1..]].concat()).await;
    assert_eq!(acted.code, Some(0), "{acted:?}");
    asking.end().await
}

// --- asking ----------------------------------------------------------------------------------------------------------

#[tokio::test]
async fn an_ask_from_a_shell_prints_the_answer_that_a_person_gave() {
    let program = Program::start().await;
    let asked = ask_and(&program, &[], &["answer", "--select", "Ship it", "--note", "after lunch"]).await;
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(0), "Ship it\n"), "{asked:?}");
    assert!(asked.stderr.contains("note: after lunch"), "{asked:?}");
    assert!(asked.stderr.contains(&format!("asked: {}/", program.url)), "{asked:?}");
}

#[tokio::test]
async fn an_answer_that_was_printed_is_confirmed() {
    let program = Program::start().await;
    let asked = ask_and(&program, &["--json"], &["answer", "--text", "neither"]).await;
    let call: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!(call["outcome"]["answers"][0]["custom"], "neither");
    assert_eq!(call["outcome"]["by"]["via"], "cli");
    let shown = program.call(&id_of(&call)).await;
    assert!(shown["acked_at"].is_string(), "{shown}");
    assert_eq!(shown["outcome"], call["outcome"]);
}

#[tokio::test]
async fn a_declined_ask_exits_10() {
    let program = Program::start().await;
    let asked = ask_and(&program, &[], &["answer", "--decline", "--reason", "not my call"]).await;
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(10), ""), "{asked:?}");
    assert!(asked.stderr.contains("Reason: not my call"), "{asked:?}");
}

#[tokio::test]
async fn a_model_gets_the_whole_outcome_as_text() {
    let program = Program::start().await;
    let asked = ask_and(&program, &["--text"], &["answer", "--clarify", "--reply", "Which of the two?"]).await;
    assert_eq!(asked.code, Some(10), "{asked:?}");
    assert!(asked.stdout.contains("wants to be asked differently") && asked.stdout.contains("Which of the two?"));
}

#[tokio::test]
async fn an_expired_ask_exits_11() {
    let program = Program::start().await;
    let asked = program.run(&and(&ASK, &["--timeout", "1"])).await;
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(11), ""), "{asked:?}");
    assert!(asked.stderr.contains("Nobody answered in time"), "{asked:?}");
}

#[tokio::test]
async fn a_default_is_printed_only_for_who_accepts_it() {
    let program = Program::start().await;
    let default = and(&ASK, &["--timeout", "1s", "--default", "Hold"]);
    let accepting = and(&default, &["--accept-default"]);
    let (refused, accepted) = tokio::join!(program.run(&default), program.run(&accepting));
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(11), ""), "{refused:?}");
    assert_eq!((accepted.code, accepted.stdout.as_str()), (Some(0), "Hold\n"), "{accepted:?}");
}

#[tokio::test]
async fn a_cancelled_ask_exits_12() {
    let program = Program::start().await;
    let asked = ask_and(&program, &[], &["cancel", "--reason", "found out"]).await;
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(12), ""), "{asked:?}");
}

#[tokio::test]
async fn several_choices_are_printed_one_a_line() {
    let program = Program::start().await;
    let answer = ["answer", "--select", "Hold", "--select", "o1", "--text", "and rest"];
    let asked = ask_and(&program, &["--multi"], &answer).await;
    assert_eq!(asked.stdout, "Hold\nShip it\nand rest\n");
}

#[tokio::test]
async fn a_whole_ask_comes_from_a_file() {
    let program = Program::start().await;
    let file = program.data_dir().join("ask.json");
    let ask = json!({"key": "release", "title": "Release", "metadata": {"n": 1},
        "questions": [{"id": "day", "question": "When?", "options": [{"label": "Tuesday"}]},
                      {"id": "who", "question": "Who?"}]});
    std::fs::write(&file, ask.to_string()).unwrap();
    let asking = program.spawn(&["ask", "--file", file.to_str().unwrap()]);
    let call = program.pending_call().await;
    assert_eq!((call["key"].as_str(), call["title"].as_str()), (Some("release"), Some("Release")));
    let id = id_of(&call);
    let which = program.run(&["answer", &id, "--text", "me"]).await;
    assert!(which.code == Some(2) && which.stderr.contains("who: Who?"), "{which:?}");
    let answers = r#"[{"id": "day", "selected": ["Tuesday"]}, {"id": "who", "custom": "me"}]"#;
    assert_eq!(program.run(&["answer", &id, "--answers", answers]).await.code, Some(0));
    let asked = asking.end().await;
    assert!(asked.stdout.contains("Answer: Tuesday") && asked.stdout.contains("Answer: me"), "{asked:?}");
}

#[tokio::test]
async fn asking_again_with_the_same_key_finds_the_answer() {
    let program = Program::start().await;
    let first = ask_and(&program, &["--key", "ship-41"], &["answer", "--select", "Hold"]).await;
    let again = program.run(&and(&ASK, &["--key", "ship-41"])).await;
    assert_eq!((again.code, again.stdout), (Some(0), first.stdout));
    let other = program.run(&["ask", "Another question", "--key", "ship-41"]).await;
    assert_eq!(other.code, Some(2), "{other:?}");
}

// --- not waiting, interrupts, restarts -------------------------------------------------------------------------------

#[tokio::test]
async fn an_ask_that_does_not_wait_prints_the_id_to_wait_for() {
    let program = Program::start().await;
    let asked = program.run(&and(&ASK, &["--no-wait"])).await;
    assert_eq!(asked.code, Some(75), "{asked:?}");
    let id = asked.stdout.trim();
    let impatient = program.run(&["wait", id, "--wait-max", "1"]).await;
    assert_eq!((impatient.code, impatient.stdout.trim()), (Some(75), id), "{impatient:?}");
    let waiting = program.spawn(&["wait", id]);
    assert_eq!(program.run(&["answer", id, "--select", "Hold"]).await.code, Some(0));
    let waited = waiting.end().await;
    assert_eq!((waited.code, waited.stdout.as_str()), (Some(0), "Hold\n"), "{waited:?}");
}

#[tokio::test]
async fn a_wait_for_several_calls_prints_each_as_it_comes() {
    let program = Program::start().await;
    let mut ids = Vec::new();
    for question in ["One?", "Two?"] {
        ids.push(program.run(&["ask", question, "--no-wait"]).await.stdout.trim().to_owned());
    }
    let waiting = program.spawn(&["wait", &ids[0], &ids[1], NO_CALL, "--json"]);
    assert_eq!(program.run(&["answer", &ids[1], "--text", "second"]).await.code, Some(0));
    assert_eq!(program.run(&["answer", &ids[0], "--decline"]).await.code, Some(0));
    let waited = waiting.end().await;
    let calls: Vec<Value> = waited.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut came: Vec<_> = calls.iter().map(id_of).collect();
    came.sort();
    assert_eq!(came, ids, "{waited:?}");
    assert!(waited.stderr.contains(NO_CALL), "{waited:?}");
    assert_eq!(waited.code, Some(10), "the first of the ids was declined: {waited:?}");
}

#[tokio::test]
async fn an_interrupt_leaves_the_call_pending_and_prints_its_id() {
    let program = Program::start().await;
    for signal in ["INT", "TERM"] {
        let asking = program.spawn(&and(&ASK, &["--key", signal]));
        asking.has_said("waiting for an answer").await;
        asking.signal(signal);
        let asked = asking.end().await;
        assert_eq!(asked.code, Some(130), "{asked:?}");
        let call = program.call(asked.stdout.trim()).await;
        assert_eq!((call["status"].as_str(), call["key"].as_str()), (Some("pending"), Some(signal)));
    }
}

#[tokio::test]
async fn cancel_on_interrupt_withdraws_it() {
    let program = Program::start().await;
    let asking = program.spawn(&and(&ASK, &["--cancel-on-interrupt", "--json"]));
    asking.has_said("waiting for an answer").await;
    asking.signal("INT");
    let asked = asking.end().await;
    assert_eq!(asked.code, Some(130), "{asked:?}");
    let call: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!(program.call(&id_of(&call)).await["status"], "cancelled");
}

#[tokio::test]
async fn an_ask_survives_a_restart_of_the_server() {
    let mut program = Program::start().await;
    let asking = program.spawn(&ASK);
    let id = id_of(&program.pending_call().await);
    asking.has_said("waiting for an answer").await;
    program.kill().await;
    asking.has_said("trying again").await;
    program.start_again().await;
    assert_eq!(program.run(&["answer", &id, "--select", "Ship it"]).await.code, Some(0));
    let asked = asking.end().await;
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(0), "Ship it\n"), "{asked:?}");
    assert!(asked.stderr.contains("connected again"), "{asked:?}");
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_stops_with_somebody_waiting() {
    let mut program = Program::start().await;
    let asking = program.spawn(&ASK);
    asking.has_said("waiting for an answer").await;
    assert!(program.stop("TERM").await.success(), "{}", program.said());
    asking.has_said("trying again").await;
    asking.signal("INT");
    assert_eq!(asking.end().await.code, Some(130));
}

// --- finding the server, exit codes ----------------------------------------------------------------------------------

#[tokio::test]
async fn the_command_line_finds_the_server_of_its_data_directory() {
    let program = Program::start().await;
    let server: Value = serde_json::from_str(&program.file("server.json")).unwrap();
    assert_eq!(server["url"], program.url);
    assert_eq!(program.json(&["list"]).await["calls"], json!([]));
    let path = program.run(&["token", "path"]).await.stdout;
    assert_eq!(Path::new(path.trim()), program.data_dir().join("agent.token"));
}

#[tokio::test]
async fn exit_codes_say_what_went_wrong() {
    let program = Program::start().await;
    let settled = program.run(&and(&ASK, &["--no-wait"])).await.stdout.trim().to_owned();
    assert_eq!(program.run(&["answer", &settled, "--skip"]).await.code, Some(0));
    let pending = program.run(&and(&ASK, &["--no-wait"])).await.stdout.trim().to_owned();
    for (arguments, code, words) in [
        (&["show", NO_CALL][..], 4, ""),
        (&["show", "0190"], 4, "ids are written in full"),
        (&["wait", NO_CALL], 4, ""),
        (&["answer", &settled, "--select", "Hold"], 5, "Answer: (skipped)"),
        (&["cancel", &settled], 5, ""),
        (&["answer", &pending, "--select", "Neither"], 2, "/answers/0/selected/0: this question has no option"),
        (&["answer", &pending], 2, ""),
        (&["ask", "One?", "--option", " "], 2, "/questions/0/options/0/label"),
        (&["ask"], 2, ""),
        (&["ask", "--file", "/nowhere"], 2, "cannot read /nowhere"),
        (&["user", "add", "owner"], 2, ""),
        (&["login", "--user", "nobody"], 4, ""),
        (&["token", "revoke", "../users"], 2, ""),
        (
            &["list", "--url", "http://127.0.0.1:1"],
            69,
            "no askhub at http://127.0.0.1:1: start one with `askhub serve`",
        ),
        (&["list", "--url", "http://192.0.2.1:7440"], 77, "ASKHUB_TOKEN"),
        (&["list", "--url", "nonsense"], 2, "is no URL of an askhub"),
    ] {
        let ended = program.run(arguments).await;
        assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains(words) && !ended.stderr.is_empty(), "{arguments:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{arguments:?}");
    }
}

#[tokio::test]
async fn a_token_decides_what_one_may_do() {
    let program = Program::start().await;
    let id = program.run(&and(&ASK, &["--no-wait"])).await.stdout.trim().to_owned();
    let agent = program.file("agent.token");
    let refused = program.spawn_with(&["answer", &id, "--skip"], &[("ASKHUB_TOKEN", &agent)]).end().await;
    assert_eq!(refused.code, Some(77), "{refused:?}");
    let unknown = program.spawn_with(&["list"], &[("ASKHUB_TOKEN", "askhub_nobody")]).end().await;
    assert_eq!(unknown.code, Some(77), "{unknown:?}");
    let made = program.json(&["token", "create", "--name", "ci"]).await;
    let ci = made["token"].as_str().unwrap();
    let foreign = program.spawn_with(&["wait", &id], &[("ASKHUB_TOKEN", ci)]).end().await;
    assert_eq!(foreign.code, Some(4), "{foreign:?}");
    assert_eq!(program.run(&["token", "revoke", made["id"].as_str().unwrap()]).await.code, Some(0));
    let revoked = program.spawn_with(&["wait", &id], &[("ASKHUB_TOKEN", ci)]).end().await;
    assert_eq!(revoked.code, Some(77), "{revoked:?}");
}

#[tokio::test]
async fn with_json_a_refusal_is_json_too() {
    let program = Program::start().await;
    let refused = program.run(&["ask", "One?", "--option", " ", "--json"]).await;
    assert_eq!(refused.code, Some(2));
    let problem: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(problem["errors"][0]["pointer"], "/questions/0/options/0/label");
}

#[tokio::test]
async fn without_a_server_there_is_a_hint() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("server.json"), r#"{"url": "http://127.0.0.1:1"}"#).unwrap();
    for arguments in [&["list"][..], &ASK, &["demo"]] {
        let ended = run_alone(directory.path(), arguments).await;
        assert_eq!(ended.code, Some(69), "{ended:?}");
        assert!(ended.stderr.contains("no askhub at http://127.0.0.1:1: start one with `askhub serve`"), "{ended:?}");
    }
}

#[tokio::test]
async fn a_public_address_without_a_name_is_refused_with_the_line_to_type() {
    let directory = tempfile::tempdir().unwrap();
    let ended = run_alone(directory.path(), &["--listen", "0.0.0.0:7440"]).await;
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("askhub serve --listen 0.0.0.0:7440 --public-url http://HOST:7440"), "{ended:?}");
    assert!(!directory.path().join("data").exists(), "a refused server writes nothing");
}

#[tokio::test]
async fn a_taken_port_says_who_has_it() {
    let program = Program::start().await;
    let address = program.url.strip_prefix("http://").unwrap();
    let ended = program.run(&["serve", "--listen", address]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains(&format!("an askhub runs there already, at {}", program.url)), "{ended:?}");
}

// --- people, tokens, the terminal ------------------------------------------------------------------------------------

#[tokio::test]
async fn people_are_added_and_get_a_link() {
    let program = Program::start().await;
    let added = program.run(&["user", "add", "ann"]).await;
    assert!(added.stdout.starts_with(&format!("{}/", program.url)), "{added:?}");
    let list = program.run(&["user", "list"]).await.stdout;
    assert!(list.contains("ann") && list.contains("owner"), "{list}");
    let link = program.run(&["login", "--user", "ann", "--qr"]).await;
    assert!(link.stdout.lines().count() > 10, "{link:?}");
    assert!(link.stderr.contains("signs ann in") && link.stderr.contains("--public-url"), "{link:?}");
}

#[tokio::test]
async fn tokens_are_never_printed() {
    let program = Program::start().await;
    let (owner, agent) = (program.file("owner.token"), program.file("agent.token"));
    let id = program.run(&and(&ASK, &["--no-wait"])).await.stdout.trim().to_owned();
    let mut said = program.said();
    for arguments in [
        &["token", "list"][..],
        &["token", "list", "--json"],
        &["token", "path"],
        &["token", "path", "--owner"],
        &["user", "list", "--json"],
        &["list", "--all"],
        &["show", &id],
        &["show", &id, "--json"],
        &["wait", NO_CALL, "--json"],
        &["list", "--url", "http://127.0.0.1:1"],
        &["--help"],
        &["serve", "--help"],
    ] {
        let variables = [("ASKHUB_TOKEN", owner.as_str())];
        for ended in [program.run(arguments).await, program.spawn_with(arguments, &variables).end().await] {
            said.push_str(&ended.stdout);
            said.push_str(&ended.stderr);
        }
    }
    assert!(!said.contains(&owner) && !said.contains(&agent));
}

#[tokio::test]
async fn no_agent_drives_the_terminal() {
    let program = Program::start().await;
    let title = "\u{1b}]0;owned\u{7}\u{202e}title";
    let id = program.run(&and(&ASK, &["--title", title, "--no-wait"])).await.stdout.trim().to_owned();
    for arguments in [&["list"][..], &["show", &id]] {
        let shown = program.run(arguments).await;
        assert!(shown.stdout.contains("\\u{1b}]0;owned"), "{shown:?}");
        assert!(!shown.stdout.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown:?}");
    }
}

#[tokio::test]
async fn the_demonstration_shows_what_comes_back() {
    let program = Program::start().await;
    let demo = program.spawn(&["demo"]);
    let calls = eventually("all seven are asked", async || {
        let calls = program.json(&["list"]).await["calls"].as_array().cloned()?;
        (calls.len() == 7).then_some(calls)
    })
    .await;
    for call in &calls {
        assert_eq!(program.run(&["answer", &id_of(call), "--skip"]).await.code, Some(0));
    }
    let shown = demo.end().await;
    assert_eq!(shown.code, Some(0), "{shown:?}");
    for call in &calls {
        let line = format!("{}: answered", call["title"].as_str().unwrap());
        assert!(shown.stdout.contains(&line), "{line}: {shown:?}");
    }
}

#[tokio::test]
async fn a_demonstration_that_is_interrupted_leaves_nothing_behind() {
    let program = Program::start().await;
    let demo = program.spawn(&["demo"]);
    demo.has_said("waiting for your answers").await;
    demo.signal("INT");
    assert_eq!(demo.end().await.code, Some(130));
    assert_eq!(program.json(&["list"]).await["calls"], json!([]));
}

#[cfg(unix)]
#[tokio::test]
async fn secrets_are_readable_by_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let program = Program::start().await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&program.data_dir()), 0o700);
    for name in ["owner.token", "agent.token", "server.json", "askhub.db"] {
        assert_eq!(mode(&program.data_dir().join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn a_hub_is_filled_with_calls_of_several_agents_ended_by_several_people() {
    let program = Program::start().await;
    let seeded = program.run(&["seed", "--calls", "60", "--people", "3", "--open", "25"]).await;
    assert_eq!(seeded.code, Some(0), "{seeded:?}");
    assert!(seeded.stderr.contains("60 calls are there, 15 of them wait"), "{seeded:?}");
    let list = async |status: &str| program.json(&["list", "--status", status]).await;
    assert_eq!(list("pending").await["calls"].as_array().unwrap().len(), 15);
    let answered = list("answered").await["calls"].as_array().unwrap().clone();
    let names = |of: &dyn Fn(&Value) -> String| answered.iter().map(of).collect::<std::collections::BTreeSet<_>>();
    let people = names(&|call| call["outcome"]["by"]["name"].to_string());
    assert_eq!(people.into_iter().collect::<Vec<_>>(), ["\"Ana\"", "\"Ben\"", "\"Chloe\""]);
    assert!(names(&|call| call["agent"]["name"].to_string()).len() > 3);
    assert_eq!(answered[0]["outcome"]["by"]["via"], "page", "people answer as a browser does");
    let again = program.run(&["seed", "--calls", "5", "--people", "1", "--open", "0"]).await;
    assert_eq!(again.code, Some(0), "the people are there already: {again:?}");
    let refused = program.run(&["seed", "--calls", "100000", "--open", "50"]).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
