//! Every rule of values by reference in one conversation, over the built binary with a scripted model.

use e2e::{Periplus, Server};
use serde_json::{Value, json};

const AREA: &str = "zeno-aoi/pick_aoi/aoi_selection";
/// A value that is too large to be read at once.
const BIG: &str = "met/collection_capabilities/predicate";

/// What the model does, request after request.
fn script() -> Value {
    let pick_dataset = |area: Value| json!({ "tool_calls": [{ "name": "pick_dataset", "arguments": { "query": "tree cover loss", "aoi_selection": area } }] });
    let handle = format!("@state:{AREA}");
    json!({ "turns": [
        // The first turn.
        { "tool_calls": [{ "name": "pick_aoi", "arguments": { "question": "Portugal" } }] },
        pick_dataset(json!({ "name": "Portugal", "aois": [] })),
        pick_dataset(json!("@state:zeno-aoi/pick_aoi/nothing")),
        pick_dataset(json!({ "name": "Portugal", "aois": [handle] })),
        pick_dataset(json!(handle)),
        { "tool_calls": [{ "name": "inspect_state", "arguments": { "key": AREA, "path": "aois[0].name" } }] },
        // A parameter that the model writes takes a reference as a whole only.
        { "tool_calls": [{ "name": "collection_select", "arguments": { "predicate": { "field": "title", "op": "eq", "value": handle } } }] },
        { "tool_calls": [{ "name": "collection_capabilities" }] },
        { "tool_calls": [{ "name": "inspect_state", "arguments": { "key": BIG } }] },
        { "tool_calls": [{ "name": "show_map", "arguments": { "collection_id": "sentinel-2-l2a" } }] },
        { "text": "Done." },
        // The second.
        { "tool_calls": [{ "name": "pick_aoi", "arguments": { "question": "Spain" } }] },
        { "text": "Spain it is." },
        // The third fails.
        { "text": "I was about to say, ", "fault": { "kind": "refused", "after": 1 } },
        // The fourth asks.
        { "tool_calls": [{ "name": "interrupt", "arguments": { "question": "Which one?", "options": [
            { "value": "a", "label": "The first" }, { "value": "b", "label": "The second" },
        ] } }] },
        { "text": "The second, then.", "expect": { "tool_results": ["The second (value: b)"] } },
        // The fifth does not end by itself.
        { "fault": { "kind": "stall" } },
    ] })
}

struct Client {
    http: reqwest::Client,
    url: String,
}

impl Client {
    fn of(server: &Server) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            http: reqwest::Client::new(),
            url: server.url().to_owned(),
        }
    }

    async fn post(&self, body: &Value) -> (u16, String) {
        let request = self.http.post(format!("{}/runs", self.url)).json(body);
        let response = request.send().await.expect("the server answers");
        let status = response.status().as_u16();
        (status, response.text().await.expect("the answer ends"))
    }

    async fn say(&self, run: &str, text: &str) -> Vec<Value> {
        let body = json!({ "threadId": "t1", "runId": run, "messages": [{ "id": run, "role": "user", "content": text }] });
        self.run(&body).await
    }

    async fn run(&self, body: &Value) -> Vec<Value> {
        let (status, text) = self.post(body).await;
        assert_eq!(status, 200, "{text}");
        text.split_terminator("\n\n")
            .filter_map(|frame| frame.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).expect("an event is JSON"))
            .collect()
    }

    async fn read(&self, path: &str) -> (u16, Value) {
        let response = self
            .http
            .get(format!("{}/{path}", self.url))
            .send()
            .await
            .expect("the server answers");
        let status = response.status().as_u16();
        (status, response.json().await.expect("the answer is JSON"))
    }
}

/// The events of a type or of an activity.
fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let is_kind = |event: &&Value| event["type"] == kind || event["activityType"] == kind;
    events.iter().filter(is_kind).collect()
}

fn results(events: &[Value]) -> Vec<&str> {
    let results = of(events, "TOOL_CALL_RESULT");
    results
        .iter()
        .filter_map(|event| event["content"].as_str())
        .collect()
}

#[tokio::test]
async fn values_by_reference_hold_over_turns_failures_questions_and_restarts() {
    let periplus = Periplus::new();
    periplus.write("script.json", &script().to_string());
    let model = format!("scripted:{}", periplus.folder().join("script.json").display());
    let server = periplus.web(&["--model", &model]);
    let client = Client::of(&server);

    let events = client.say("r1", "map the forest of Portugal").await;
    refusals_and_receipts(&events);
    views_and_order(&events);

    client.say("r2", "and Spain").await;
    let name = |value: &Value| value["value"]["name"].clone();
    let now = client.read(&format!("threads/t1/state/{AREA}")).await.1;
    let then = client.read(&format!("threads/t1/state/{AREA}?turn=1")).await.1;
    assert_eq!((name(&now), name(&then)), (json!("Spain"), json!("Portugal")));
    assert_eq!(
        client.read(&format!("threads/t1/state/{AREA}?turn=9")).await.0,
        404
    );

    let events = client.say("r3", "go on").await;
    let kinds: Vec<&Value> = events.iter().map(|event| &event["type"]).collect();
    assert_eq!(
        kinds[kinds.len() - 2..],
        ["TEXT_MESSAGE_END", "RUN_ERROR"],
        "{kinds:?}"
    );

    let events = client.say("r4", "choose").await;
    let question = &events.last().expect("there are events")["outcome"]["interrupts"][0];
    let busy = json!({ "threadId": "t1", "messages": [{ "id": "r5", "role": "user", "content": "something else" }] });
    assert_eq!(
        client.post(&busy).await.0,
        409,
        "a thread that asks takes no new message"
    );
    let answer = |id: &Value| json!({ "threadId": "t1", "resume": [{ "interruptId": id, "status": "resolved", "payload": { "choice": "b" } }] });
    assert_eq!(client.post(&answer(&json!("unknown"))).await.0, 409);
    let events = client.run(&answer(&question["id"])).await;
    assert_eq!(
        events.last().expect("there are events")["outcome"],
        json!({ "type": "success" })
    );

    a_busy_thread_takes_no_other_run(&client).await;

    let before = client.read("threads/t1").await;
    server.signal("KILL");
    drop(server.wait());
    let server = periplus.web(&[]);
    assert_eq!(
        Client::of(&server).read("threads/t1").await,
        before,
        "nothing is lost with the process"
    );
}

/// A run that goes on holds its thread until it is cancelled.
async fn a_busy_thread_takes_no_other_run(client: &Client) {
    let body = |run: &str| json!({ "threadId": "t1", "runId": run, "messages": [{ "id": run, "role": "user", "content": "more" }] });
    let request = client.http.post(format!("{}/runs", client.url)).json(&body("r6"));
    let running = request.send().await.expect("the server answers");
    for run in ["r6", "r7"] {
        let (status, text) = client.post(&body(run)).await;
        assert_eq!(status, 409, "{text}");
        assert!(text.contains("run_in_progress"), "{text}");
    }
    let cancel = client.http.post(format!("{}/runs/r6/cancel", client.url));
    assert_eq!(cancel.send().await.expect("it answers").status().as_u16(), 202);
    let told = running.text().await.expect("the stream ends");
    assert!(told.contains(r#""outcome":{"type":"cancelled"}"#), "{told}");
    let idle = client.read("threads/t1/idle").await;
    assert_eq!(idle, (200, json!({ "running": false })));
}

fn refusals_and_receipts(events: &[Value]) {
    let results = results(events);
    assert!(
        results[0].contains(&format!("[state updated: {AREA}")),
        "{}",
        results[0]
    );
    assert!(
        !results[0].contains("src_id"),
        "the value is not in the text: {}",
        results[0]
    );
    // A handle within a value makes it no less a value that the model wrote.
    let expected = ["a value you wrote", "no such key", "a value you wrote"];
    for (result, part) in results[1..4].iter().zip(expected) {
        assert!(
            result.contains("was not called") && result.contains(part),
            "{part}: {result}"
        );
        assert!(result.contains(AREA), "a refusal offers what there is: {result}");
    }
    assert!(
        results[4].contains("[state updated: zeno-analysis/pick_dataset/dataset"),
        "{}",
        results[4]
    );
    assert!(
        results[5].contains("Portugal"),
        "a part of a value can be read: {}",
        results[5]
    );
    assert!(
        results[6].contains("was not called")
            && results[6].contains("predicate.value")
            && results[6].contains("whole argument"),
        "{}",
        results[6]
    );
    assert!(
        results[7].contains("[state updated: ") && results[7].contains(BIG),
        "{}",
        results[7]
    );
    let outline: Value = serde_json::from_str(results[8]).expect("an outline is JSON");
    assert_eq!(outline["key"], BIG);
    assert!(
        outline["size_chars"].as_u64() > Some(4000) && outline["outline"].is_object(),
        "{outline}"
    );
    let consumed = of(events, "state.consumed");
    assert_eq!(consumed.len(), 1, "refused calls received nothing");
    assert_eq!(consumed[0]["content"]["received"]["aoi_selection"]["key"], AREA);
}

fn views_and_order(events: &[Value]) {
    let view = of(events, "mcp.view");
    assert_eq!(view[0]["content"]["uri"], "ui://stac-explorer/map");
    assert!(view[0]["content"]["data"]["message"].is_string());
    let deltas = of(events, "STATE_DELTA");
    assert_eq!(deltas[0]["delta"][0]["path"], "/toolState");
    let last_two: Vec<&Value> = events[events.len() - 2..]
        .iter()
        .map(|event| &event["type"])
        .collect();
    assert_eq!(last_two, ["MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
}
