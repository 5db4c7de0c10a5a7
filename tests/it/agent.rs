//! The agent in the terminal and over HTTP, from the outside.

use e2e::{Periplus, Server};
use serde_json::{Value, json};

const SECRET: &str = "tell-nobody-77aa";

/// A binary whose model says these turns, in order.
fn scripted(turns: &Value) -> (Periplus, String) {
    let periplus = Periplus::new();
    periplus.write("script.json", &json!({ "turns": turns }).to_string());
    let model = format!("scripted:{}", periplus.folder().join("script.json").display());
    (periplus, model)
}

/// The events of a run.
async fn run(server: &Server, body: &Value) -> Vec<Value> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let response = reqwest::Client::new()
        .post(format!("{}/runs", server.url()))
        .json(body)
        .send()
        .await
        .expect("the server answers");
    assert_eq!(response.status().as_u16(), 200);
    let text = response.text().await.expect("the stream ends");
    text.split_terminator("\n\n")
        .filter_map(|frame| frame.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).expect("an event is JSON"))
        .collect()
}

async fn get(server: &Server, path: &str) -> Value {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = format!("{}/{path}", server.url());
    let response = reqwest::Client::new()
        .get(url)
        .send()
        .await
        .expect("the server answers");
    response.json().await.expect("the answer is JSON")
}

fn message(thread: &str, text: &str) -> Value {
    json!({ "threadId": thread, "messages": [{ "id": "u1", "role": "user", "content": text }] })
}

#[test]
fn a_fresh_machine_talks_with_the_guide_without_a_key_a_server_or_a_network() {
    let finished = Periplus::new()
        .run_with_input(&["chat"], "what can you do?\n")
        .expect(0);
    assert!(finished.stdout.contains("I am the guide"), "{}", finished.stdout);
    assert!(
        finished.stdout.contains("collection_select"),
        "{}",
        finished.stdout
    );
    assert!(
        finished.stderr.contains("no language model"),
        "{}",
        finished.stderr
    );
}

#[test]
fn the_guide_goes_from_a_place_to_figures_that_name_their_source() {
    let finished = Periplus::new()
        .run_with_input(&["chat"], "tree cover loss in Pará, Brazil since 2015\n")
        .expect(0);
    for step in [
        "→ pick_aoi",
        "→ pick_dataset",
        "→ pull_data",
        "→ generate_insight",
    ] {
        assert!(finished.stderr.contains(step), "{step}: {}", finished.stderr);
    }
    assert!(
        finished
            .stderr
            .contains("aoi_selection ← zeno-aoi/pick_aoi/aoi_selection"),
        "the area goes by reference: {}",
        finished.stderr
    );
    assert!(finished.stdout.contains("2016"), "{}", finished.stdout);
}

#[test]
fn a_profile_tells_the_model_its_rules_and_the_day_before_every_call() {
    let system = json!([
        "`pick_aoi`, `pick_dataset`, `pull_data`, `generate_insight`",
        "in the person's own words",
        "never choose among places",
        "needs no place",
        "check that the areas named in a result",
        "Values by reference",
        "Today is ",
    ]);
    let tools = json!(["pick_aoi", "pick_dataset", "pull_data", "generate_insight"]);
    let (periplus, model) = scripted(&json!([
        { "expect": { "system": system, "tools": tools, "absent": ["collection_select"] },
          "tool_calls": [{ "name": "pick_aoi", "arguments": { "question": "Zoom to Portugal" } }] },
        { "expect": { "system": system, "tool_results": ["Portugal"] }, "text": "There it is." },
    ]));
    let finished = periplus
        .run_with_input(
            &["chat", "--profile", "zeno", "--model", &model],
            "Zoom to Portugal\n",
        )
        .expect(0);
    assert!(finished.stdout.contains("There it is."), "{}", finished.stdout);
    assert!(
        finished.stderr.contains("the toolsets of the profile zeno"),
        "{}",
        finished.stderr
    );
}

#[test]
fn the_guide_answers_in_a_profile_as_well() {
    let finished = Periplus::new()
        .env("MCP_AGENT_PROFILE", "zeno")
        .run_with_input(&["chat"], "tree cover loss in Pará, Brazil since 2015\n")
        .expect(0);
    assert!(
        finished.stderr.contains("→ generate_insight"),
        "{}",
        finished.stderr
    );
    assert!(finished.stdout.contains("2016"), "{}", finished.stdout);
}

#[tokio::test]
async fn a_profile_serves_its_own_toolsets_over_http() {
    let server = Periplus::new().web(&["--profile", "zeno"]);
    let connections = get(&server, "connections").await.to_string();
    assert!(
        connections.contains("zeno-aoi") && connections.contains("zeno-analysis"),
        "{connections}"
    );
    assert!(!connections.contains("credential-demo"), "{connections}");
}

#[test]
fn a_thread_goes_on_in_another_process() {
    let periplus = Periplus::new();
    let thread = ["chat", "--thread", "my-thread"];
    let first = periplus.run_with_input(&thread, "Zoom to Portugal\n").expect(0);
    assert!(
        first.stderr.contains("published zeno-aoi/pick_aoi/aoi_selection"),
        "{}",
        first.stderr
    );
    let later = periplus.run_with_input(&thread, "/state\n").expect(0);
    assert!(
        later.stdout.contains("zeno-aoi/pick_aoi/aoi_selection"),
        "{}",
        later.stdout
    );
    let other = periplus.run_with_input(&["chat"], "/state\n").expect(0);
    assert!(
        other.stdout.contains("nothing was published yet"),
        "{}",
        other.stdout
    );
}

#[test]
fn a_question_is_answered_by_number_and_the_turn_goes_on() {
    let options = json!([{ "value": "a", "label": "The first" }, { "value": "b", "label": "The second" }]);
    let (periplus, model) = scripted(&json!([
        { "tool_calls": [{ "name": "interrupt", "arguments": { "question": "Which one?", "options": options } }] },
        { "text": "Then the second.", "expect": { "tool_results": ["The second (value: b)"] } },
    ]));
    let finished = periplus
        .run_with_input(&["chat", "--model", &model], "choose\n2\n")
        .expect(0);
    for part in ["Which one?", "1. The first", "2. The second", "Then the second."] {
        assert!(finished.stdout.contains(part), "{part}: {}", finished.stdout);
    }
}

#[test]
fn a_turn_that_fails_is_told_and_the_conversation_goes_on() {
    let (periplus, model) = scripted(&json!([
        { "fault": { "kind": "refused" } },
        { "text": "Here I am." },
    ]));
    let finished = periplus
        .run_with_input(
            &["chat", "--model", &model, "--checkpoint", "memory"],
            "one\ntwo\n/unknown\n",
        )
        .expect(1);
    assert!(finished.stdout.contains("Here I am."), "{}", finished.stdout);
    assert_eq!(
        finished.stderr.matches("error:").count(),
        2,
        "{}",
        finished.stderr
    );
}

#[test]
fn a_script_gets_no_answer_where_no_server_can_be_reached() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("http://{}", closed.local_addr().expect("it has an address"));
    drop(closed);
    let finished = Periplus::new()
        .run_with_input(&["chat", &address], "hello\n")
        .expect(3);
    assert_eq!(finished.stdout, "");
    for part in ["cannot reach", "no server can be reached", "ends in /mcp"] {
        assert!(finished.stderr.contains(part), "{part}: {}", finished.stderr);
    }
}

#[test]
fn a_mistake_in_the_configuration_is_named_before_anything_starts() {
    let cases: &[(&str, &str, &str)] = &[
        ("PROVIDER_MODEL", "gpt-4o", "PROVIDER_MODEL"),
        ("PROVIDER_MODEL", "openai:gpt-4o-mini", "needs a key"),
        (
            "PROVIDER_MODEL",
            "scripted:/nowhere.json",
            "cannot read the script",
        ),
        ("MCP_AGENT_CHECKPOINT", "redis://x", "MCP_AGENT_CHECKPOINT"),
        ("MCP_AGENT_STATE", "maybe", "use on or off"),
        ("MCP_AGENT_PROFILE", "zenon", "the profiles are zeno"),
    ];
    for (name, value, part) in cases {
        let finished = Periplus::new().env(name, value).run(&["chat"]).expect(2);
        assert!(
            finished.stderr.contains(part),
            "{name}={value}: {}",
            finished.stderr
        );
    }
}

#[tokio::test]
async fn a_thread_survives_a_kill_and_its_next_run_goes_on() {
    let periplus = Periplus::new();
    let server = periplus.web(&[]);
    let events = run(&server, &message("t1", "Zoom to Portugal")).await;
    assert_eq!(events.last().expect("there are events")["type"], "RUN_FINISHED");
    let before = get(&server, "threads/t1").await;
    assert!(
        before["state"]["zeno-aoi/pick_aoi/aoi_selection"].is_object(),
        "{before}"
    );
    server.signal("KILL");
    drop(server.wait());

    let server = periplus.web(&[]);
    let after = get(&server, "threads/t1").await;
    assert_eq!(after, before);
    let key = "threads/t1/state/zeno-aoi/pick_aoi/aoi_selection";
    let value = get(&server, key).await;
    assert_eq!(value["value"]["name"], "Portugal", "{value}");
    let events = run(&server, &message("t1", "tree cover loss since 2015")).await;
    assert_eq!(events.last().expect("there are events")["type"], "RUN_FINISHED");
    server.signal("TERM");
    assert_eq!(server.wait().0, Some(0));
}

#[tokio::test]
async fn a_credential_of_the_environment_reaches_its_toolset_and_nothing_else() {
    let (periplus, model) = scripted(&json!([
        { "tool_calls": [{ "name": "whoami" }] },
        { "text": "Done." },
    ]));
    let periplus = periplus
        .env("X_DEMO_TOKEN", SECRET)
        .env("PROVIDER_API_KEY", SECRET)
        .env("PERIPLUS_LOG", "trace");
    let server = periplus.web(&["--model", &model]);
    let events = run(&server, &message("t1", "who am I?")).await;
    let told = Value::from(events).to_string();
    assert!(told.contains("user-"), "the tool has seen the credential: {told}");
    let read = get(&server, "threads/t1").await.to_string();
    let connections = get(&server, "connections").await;
    assert!(
        connections.to_string().contains(r#""supplied":true"#),
        "{connections}"
    );
    server.signal("TERM");
    let (_, log) = server.wait();
    let store = std::fs::read(periplus.folder().join(".local/share/periplus/threads.sqlite"))
        .expect("threads are kept");
    let stored = String::from_utf8_lossy(&store);
    for (place, text) in [("events", &told), ("thread", &read), ("log", &log)] {
        assert!(!text.contains(SECRET), "{place}");
    }
    assert!(!stored.contains(SECRET), "store");
}

/// Reads a run until an event of a type has come; the rest of the stream is returned, so that the run goes on.
async fn run_until(server: &Server, body: &Value, kind: &str) -> reqwest::Response {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let request = reqwest::Client::new()
        .post(format!("{}/runs", server.url()))
        .json(body);
    let mut response = request.send().await.expect("the server answers");
    let mut read = String::new();
    while !read.contains(&format!(r#""type":"{kind}""#)) {
        let piece = response.chunk().await.expect("the stream is readable");
        assert!(piece.is_some(), "the stream ended without {kind}: {read}");
        let piece = piece.unwrap_or_default();
        read += &String::from_utf8_lossy(&piece);
    }
    response
}

/// A turn that finds an area and then never ends.
fn stalled() -> Value {
    json!([
        { "tool_calls": [{ "name": "pick_aoi", "arguments": { "question": "Portugal" } }] },
        { "text": "I was about to say", "fault": { "kind": "stall", "after": 1 } },
    ])
}

fn model_of(periplus: &Periplus, name: &str, turns: &Value) -> String {
    periplus.write(name, &json!({ "turns": turns }).to_string());
    format!("scripted:{}", periplus.folder().join(name).display())
}

#[tokio::test]
async fn a_kill_in_the_middle_of_a_turn_loses_no_step_and_the_thread_goes_on() {
    let (periplus, model) = scripted(&stalled());
    let server = periplus.web(&["--model", &model]);
    let stream = run_until(&server, &message("t1", "Portugal"), "TEXT_MESSAGE_CONTENT").await;
    server.signal("KILL");
    drop(server.wait());
    drop(stream);

    let model = model_of(&periplus, "later.json", &json!([{ "text": "Here I am." }]));
    let server = periplus.web(&["--model", &model]);
    let thread = get(&server, "threads/t1").await;
    assert_eq!(thread["running"], false, "a dead process holds no thread");
    let key = "zeno-aoi/pick_aoi/aoi_selection";
    assert!(
        thread["state"][key].is_object(),
        "what was told is stored: {thread}"
    );
    let events = run(
        &server,
        &json!({ "threadId": "t1", "messages": [{ "id": "u2", "role": "user", "content": "go on" }] }),
    )
    .await;
    assert_eq!(events.last().expect("there are events")["type"], "RUN_FINISHED");
    let thread = get(&server, "threads/t1").await;
    let last = thread["messages"].as_array().and_then(|messages| messages.last());
    assert_eq!(last.expect("there are messages")["content"], "Here I am.");
}

#[tokio::test]
async fn of_two_servers_over_one_database_one_works_on_a_thread_until_it_is_killed() {
    let Some(address) = e2e::postgres() else { return };
    let thread = format!("two-servers-{}", std::process::id());
    let place = ["--checkpoint", address.as_str(), "--model"];
    let (first, model) = scripted(&stalled());
    let first = first.web(&[&place[..], &[&model]].concat());
    let (second, model) = scripted(&json!([{ "text": "Now it is mine." }]));
    let second = second.web(&[&place[..], &[&model]].concat());

    let stream = run_until(&first, &message(&thread, "Portugal"), "TEXT_MESSAGE_CONTENT").await;
    let refused = reqwest::Client::new()
        .post(format!("{}/runs", second.url()))
        .json(&message(&thread, "mine"));
    assert_eq!(refused.send().await.expect("it answers").status().as_u16(), 409);
    assert_eq!(get(&second, &format!("threads/{thread}")).await["running"], true);
    first.signal("KILL");
    drop(first.wait());
    drop(stream);
    let idle = get(&second, &format!("threads/{thread}/idle")).await;
    assert_eq!(idle, json!({ "running": false }));
    let body = json!({ "threadId": thread, "messages": [{ "id": "u2", "role": "user", "content": "mine" }] });
    let events = run(&second, &body).await;
    assert_eq!(
        events.last().expect("there are events")["outcome"]["type"],
        "success"
    );
    let stored = get(&second, &format!("threads/{thread}")).await;
    assert!(
        stored["state"]["zeno-aoi/pick_aoi/aoi_selection"].is_object(),
        "{stored}"
    );
}

#[tokio::test]
async fn any_script_comes_back_as_it_was_written_and_a_long_message_is_refused() {
    let text = "كم هكتارًا؟ 森林 \u{202e}abc\u{202c} 👩‍👩‍👧 e\u{301} \u{0} {\"@state:\": \"x\"} \u{2028}";
    let (periplus, model) = scripted(&json!([{ "text": text }]));
    let server = periplus.web(&["--model", &model]);
    let events = run(&server, &message("t1", text)).await;
    let said: String = events
        .iter()
        .filter(|event| event["type"] == "TEXT_MESSAGE_CONTENT")
        .filter_map(|event| event["delta"].as_str())
        .collect();
    assert_eq!(said, text);
    let thread = get(&server, "threads/t1").await;
    let contents: Vec<&Value> = thread["messages"]
        .as_array()
        .expect("there are messages")
        .iter()
        .map(|message| &message["content"])
        .collect();
    assert_eq!(contents, [text, text]);

    for (bytes, expected) in [(300 * 1024, 422), (9 * 1024 * 1024, 413)] {
        let long = reqwest::Client::new()
            .post(format!("{}/runs", server.url()))
            .json(&message("t2", &"x".repeat(bytes)));
        let response = long.send().await.expect("the server answers");
        assert_eq!(response.status().as_u16(), expected, "{bytes}");
        let body: Value = response.json().await.expect("a refusal is JSON");
        assert!(body["detail"].is_string(), "{body}");
    }
}

#[test]
fn what_a_terminal_would_obey_reaches_no_output() {
    let hostile = "\u{1b}]0;owned\u{7}Hello\u{9b}2J **Ada**";
    let (periplus, model) = scripted(&json!([{ "text": hostile }]));
    let finished = periplus
        .run_with_input(&["chat", "--model", &model], "hello\n")
        .expect(0);
    assert_eq!(finished.stdout, "]0;ownedHello2J Ada\n");
    assert!(!finished.stderr.contains('\u{1b}'), "{}", finished.stderr);
}

#[test]
fn an_origin_that_no_browser_sends_is_refused_before_anything_is_served() {
    for origin in ["*", "chat.example.org", "https://chat.example.org/app"] {
        let finished = Periplus::new()
            .run(&["web", "--port", "0", "--origin", origin])
            .expect(2);
        assert!(
            finished.stderr.contains("origin"),
            "{origin}: {}",
            finished.stderr
        );
    }
}
