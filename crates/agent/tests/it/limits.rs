//! Bounds, and what happens at them.

use std::{sync::atomic::Ordering, time::Duration};

use periplus_agent::{AgentError, AgentSettings, RunLimits, ThreadId, TurnOutcome};
use periplus_llm::{
    ToolChoice,
    scripted::{Expect, FaultKind, Turn},
};
use serde_json::json;

use crate::support::{Served, agent, builder, on, results, script, serve, toolsets};

async fn limited(
    model: &periplus_llm::scripted::Scripted,
    server: &Served,
    limits: RunLimits,
) -> periplus_agent::Agent {
    let settings = AgentSettings {
        limits,
        ..AgentSettings::default()
    };
    builder(model)
        .toolsets(server.url.clone())
        .settings(settings)
        .connect()
        .await
}

fn search() -> Turn {
    Turn::call("search_datasets", json!({ "query": "severn" }))
}

#[tokio::test]
async fn the_last_step_has_to_answer() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([search(), search(), Turn::say("That is all I found.")]);
    let limits = RunLimits {
        steps: 3,
        ..RunLimits::default()
    };
    let agent = limited(&model, &server, limits).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "find".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "That is all I found.");
    assert!(
        matches!(&result.outcome, Some(TurnOutcome::Stopped { reason }) if reason.contains("3 model calls"))
    );
    let choices: Vec<ToolChoice> = model
        .requests()
        .into_iter()
        .map(|request| request.tool_choice)
        .collect();
    assert_eq!(choices, [ToolChoice::Auto, ToolChoice::Auto, ToolChoice::None]);
}

#[tokio::test]
async fn a_model_that_calls_on_the_last_step_is_stopped_and_its_call_is_closed() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([search(), Turn::say("Next turn.")]);
    let limits = RunLimits {
        steps: 1,
        ..RunLimits::default()
    };
    let agent = limited(&model, &server, limits).await;
    let id = ThreadId::random();
    let result = agent.run_turn(on(&id), "find".into()).await.unwrap();
    assert!(matches!(result.outcome, Some(TurnOutcome::Stopped { .. })));
    assert_eq!(
        results(&result).len(),
        1,
        "the call has a result, though it was not made"
    );
    assert!(result.state.is_empty());
    agent.run_turn(on(&id), "go on".into()).await.unwrap();
}

#[tokio::test]
async fn tokens_are_counted_and_bounded() {
    let server = serve(vec![toolsets::dataset_search()]);
    let mut first = search();
    first.usage.input_tokens = Some(900);
    first.usage.output_tokens = Some(200);
    let model = script([first, Turn::say("Enough.")]);
    let limits = RunLimits {
        tokens: Some(1000),
        ..RunLimits::default()
    };
    let agent = limited(&model, &server, limits).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "find".into())
        .await
        .unwrap();
    assert!(
        matches!(&result.outcome, Some(TurnOutcome::Stopped { reason }) if reason.contains("1000 tokens"))
    );
    assert_eq!(
        (result.usage.input_tokens, result.usage.output_tokens),
        (Some(900), Some(200))
    );
    assert_eq!(model.requests()[1].tool_choice, ToolChoice::None);
}

#[tokio::test]
async fn a_tool_that_does_not_end_is_given_up_and_the_model_is_told() {
    let (slow, _pace) = toolsets::slow();
    let server = serve(vec![slow]);
    let model = script([
        Turn::call("wait", json!({})),
        Turn::say("Too slow.").expecting(Expect::tool_result("wait did not finish within 0.1 s")),
    ]);
    let limits = RunLimits {
        tool_timeout: Duration::from_millis(100),
        ..RunLimits::default()
    };
    let agent = limited(&model, &server, limits).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "wait".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "Too slow.");
}

#[tokio::test]
async fn calls_of_one_step_run_side_by_side_within_a_bound() {
    let (slow, pace) = toolsets::slow();
    let server = serve(vec![slow]);
    let many = (0..9).fold(Turn::call("crowd", json!({})), |turn, _| {
        turn.and_call("crowd", json!({}))
    });
    let model = script([many, Turn::say("All.")]);
    let limits = RunLimits {
        parallel_calls: 3,
        ..RunLimits::default()
    };
    let agent = limited(&model, &server, limits).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "crowd".into())
        .await
        .unwrap();
    assert_eq!(results(&result).len(), 10);
    let most = pace.most.load(Ordering::SeqCst);
    assert!((2..=3).contains(&most), "{most}");
}

#[tokio::test]
async fn arguments_that_are_no_json_are_answered_and_can_be_repaired() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([
        Turn::call("search_datasets", json!("{\"query\": ")),
        search().expecting(Expect::tool_result("write the whole call again with valid JSON")),
        Turn::say("Found."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "find".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "Found.");
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_an_answer_not_a_failure() {
    let model = script([
        Turn::call("teleport", json!({})),
        Turn::say("I cannot.").expecting(Expect::tool_result("There is no tool \"teleport\"")),
    ]);
    let agent = agent(&model, &[]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "go".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "I cannot.");
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused() {
    let agent = agent(&script([]), &[]).await;
    let text = "x".repeat(300 * 1024);
    let error = agent
        .run_turn(on(&ThreadId::random()), text.as_str().into())
        .await
        .unwrap_err();
    assert!(
        matches!(error, AgentError::MessageTooLong { limit: 262_144, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_model_that_says_nothing_is_an_error() {
    let agent = agent(&script([Turn::say("")]), &[]).await;
    let error = agent
        .run_turn(on(&ThreadId::random()), "hello".into())
        .await
        .unwrap_err();
    assert!(matches!(error, AgentError::EmptyAnswer), "{error}");
}

#[tokio::test]
async fn a_thread_that_is_too_long_for_the_model_is_shown_in_less_detail() {
    let server = serve(vec![toolsets::dataset_search()]);
    let words = "word ".repeat(200);
    let model = script([
        Turn::call("search_datasets", json!({ "query": words })),
        Turn::say("Found."),
        Turn::fail(FaultKind::ContextLength),
        Turn::fail(FaultKind::ContextLength),
        Turn::say("Still here.").expecting(Expect {
            absent: vec!["'word word".to_owned() + &" word".repeat(150)],
            ..Expect::default()
        }),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    agent.run_turn(on(&id), "find".into()).await.unwrap();
    let result = agent.run_turn(on(&id), "and now?".into()).await.unwrap();
    assert_eq!(result.answer, "Still here.");
    let sent = &model.requests()[4].messages;
    assert!(
        sent[2]
            .text()
            .contains("is left out) [state updated: dataset-search/"),
        "{}",
        sent[2].text()
    );
}

#[tokio::test]
async fn a_thread_that_fits_in_no_way_says_so() {
    let agent = agent(&script((0..3).map(|_| Turn::fail(FaultKind::ContextLength))), &[]).await;
    let error = agent
        .run_turn(on(&ThreadId::random()), "hello".into())
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("does not fit the model's context"),
        "{error}"
    );
}
