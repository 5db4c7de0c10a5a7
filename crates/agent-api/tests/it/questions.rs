//! Runs that stop for the person, and go on with the answer.

use periplus_llm::scripted::{Expect, Turn};
use serde_json::{Value, json};

use crate::support::{message, names, serve};

fn ask() -> Turn {
    Turn::call(
        "interrupt",
        json!({ "question": "Which severn?", "options": [{ "value": "uk", "label": "The river" }, { "value": "ca", "label": "The town" }] }),
    )
}

fn answer(thread: &str, id: &Value, payload: &Value) -> Value {
    json!({ "threadId": thread, "resume": [{ "interruptId": id, "status": "resolved", "payload": { "choice": payload } }] })
}

#[tokio::test]
async fn a_question_ends_the_run_and_its_answer_goes_on_with_the_turn() {
    let api = serve([
        ask(),
        Turn::say("The river it is.").expecting(Expect::tool_result("The river")),
    ])
    .await;
    let events = api.run(&message("t1", "r1", "severn")).await;
    let finished = events.last().unwrap();
    assert_eq!(finished["outcome"]["type"], "interrupt");
    let question = &finished["outcome"]["interrupts"][0];
    assert_eq!(question["message"], "Which severn?");
    assert!(names(&events).contains(&"MESSAGES_SNAPSHOT".to_owned()));
    assert_eq!(&api.json("threads/t1").await["interrupts"][0], question);

    let (status, detail) = api
        .refusal(api.post("runs", &message("t1", "r2", "another")).await)
        .await;
    assert_eq!(status, 409);
    assert!(detail.as_str().unwrap().contains("Which severn?"), "{detail}");

    let events = api.run(&answer("t1", &question["id"], &json!("uk"))).await;
    assert_eq!(events.last().unwrap()["outcome"], json!({"type": "success"}));
    assert_eq!(api.json("threads/t1").await["interrupts"], json!([]));
}

#[tokio::test]
async fn an_answer_that_does_not_fit_leaves_the_question_open() {
    let api = serve([ask(), Turn::say("The town.")]).await;
    let events = api.run(&message("t1", "r1", "severn")).await;
    let id = events.last().unwrap()["outcome"]["interrupts"][0]["id"].clone();
    let both = json!({
        "threadId": "t1",
        "messages": [{ "id": "new", "role": "user", "content": "and the thames?" }],
        "resume": [{ "interruptId": id, "status": "resolved", "payload": { "choice": "uk" } }],
    });
    let cases = [
        (answer("t1", &json!("unknown"), &json!("uk")), 409),
        (answer("t1", &id, &json!("mars")), 422),
        (answer("t2", &id, &json!("uk")), 404),
        (both, 422),
    ];
    for (body, expected) in cases {
        let (status, detail) = api.refusal(api.post("runs", &body).await).await;
        assert_eq!(status, expected, "{body}: {detail}");
    }
    // The client sends the conversation along, as the official one does; that is no new message.
    let mut body = answer("t1", &id, &json!("ca"));
    body["messages"] = json!([{ "id": "u-r1", "role": "user", "content": "severn" }]);
    let events = api.run(&body).await;
    assert_eq!(events.last().unwrap()["outcome"], json!({"type": "success"}));
}
