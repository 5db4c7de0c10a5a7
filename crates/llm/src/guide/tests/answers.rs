//! What it says without a call.

use super::*;

#[test]
fn greetings_and_questions_about_itself_are_answered_from_the_declarations() {
    for question in [
        "hi",
        "Hello!",
        "good morning",
        "What can you do?",
        "help",
        "Who are you?",
    ] {
        let answer = said(Talk::new(everything()).ask(question));
        assert!(
            answer.contains("I am the guide") && answer.contains("- `pick_aoi`: Pick the area"),
            "{question}: {answer}"
        );
        assert!(answer.contains("Which objects mention [topic]?"), "{answer}");
    }
    let alone = said(Talk::new(vec![]).ask("hi"));
    assert!(alone.contains("No tools are connected"), "{alone}");
}

#[test]
fn what_it_does_not_understand_it_says() {
    let answer = said(Talk::new([hello(), met()].concat()).ask("Why is the sky blue?"));
    assert!(
        answer.contains("did not understand “Why is the sky blue?”"),
        "{answer}"
    );
    let mut talk = Talk::new(hello());
    talk.ask("Say hello to Ada in Klingon rhyme");
    let answer = said(talk.result("Hello, Ada!", &[]));
    assert!(answer.contains("I made no use of: Klingon, rhyme."), "{answer}");
}

#[test]
fn a_value_nobody_publishes_is_named() {
    let orphan: Vec<_> = zeno()
        .into_iter()
        .filter(|tool| tool.name == "generate_insight")
        .collect();
    let answer = said(Talk::new(orphan).ask("Generate an insight with charts"));
    assert!(
        answer.contains("`generate_insight`") && answer.contains("`statistics`"),
        "{answer}"
    );
}

#[test]
fn where_no_call_is_allowed_it_says_what_there_is() {
    let mut talk = Talk::new(zeno());
    talk.ask("Tree cover loss in Pará");
    talk.request.tool_choice = ToolChoice::None;
    let answer = said(talk.result("Selected AOIs:\n- Pará", &["zeno-aoi/pick_aoi/aoi_selection"]));
    assert!(
        answer.starts_with("Selected AOIs:") && answer.contains("would call `pick_dataset` next"),
        "{answer}"
    );
}

#[tokio::test]
async fn it_streams_like_a_model_and_refuses_to_write_json() {
    let guide = Guide::new();
    let request = ChatRequest::new(vec![Message::user("hi")]).with_tools(hello());
    let events: Vec<_> = guide
        .stream(request.clone(), CancellationToken::new())
        .collect()
        .await;
    assert!(
        events.len() > 10 && matches!(events.last(), Some(Ok(crate::ChatEvent::Finished(_)))),
        "{events:?}"
    );
    let error = guide
        .reply(request.with_format("x", json!({})), CancellationToken::new())
        .await
        .unwrap_err();
    assert!(matches!(error, ChatError::Refused { .. }), "{error}");
}
