//! Threads: what survives, what is closed, who may write.

use std::sync::Arc;

use periplus_agent::{
    Agent, AgentError, Append, CheckpointError, Checkpoints, MemoryCheckpoints, MessageBody, Opening, Record,
    RunId, ThreadId, ToolSource, TurnOutcome, UserMessage,
};
use periplus_llm::{
    AssistantMessage, Continuation, Message, ToolCall, Usage,
    scripted::{Expect, FaultKind, Turn},
};
use serde_json::{Map, json};

use crate::support::{agent, failure, on, script, serve, thread, toolsets};

#[tokio::test]
async fn two_runs_on_one_thread_are_told_apart_and_the_second_is_busy() {
    let (slow, pace) = toolsets::slow();
    let server = serve(vec![slow]);
    let model = script([Turn::call("wait", json!({})), Turn::say("Later.")]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    let first = agent.stream_turn(on(&id), "wait".into()).await.unwrap();
    pace.begun.notified().await;
    let busy = agent.stream_turn(on(&id), "me too".into()).await.err().unwrap();
    assert!(
        matches!(busy, AgentError::Checkpoint(CheckpointError::Busy { .. })),
        "{busy}"
    );
    assert!(agent.checkpoints().is_running(&id).await.unwrap());
    // Whoever stops listening stops the run, and the thread is free again.
    drop(first);
    agent.checkpoints().wait_idle(&id).await.unwrap();
    let next = agent.run_turn(on(&id), "and now?".into()).await.unwrap();
    assert_eq!(next.answer, "Later.");
}

#[tokio::test]
async fn a_stream_that_is_never_polled_releases_its_thread() {
    let model = script([Turn::say("Nobody hears this."), Turn::say("Heard.")]);
    let agent = agent(&model, &[]).await;
    let id = ThreadId::random();
    drop(agent.stream_turn(on(&id), "hello".into()).await.unwrap());
    agent.checkpoints().wait_idle(&id).await.unwrap();
    assert!(!agent.checkpoints().is_running(&id).await.unwrap());
}

#[tokio::test]
async fn a_cancelled_run_keeps_what_it_had_and_the_thread_goes_on() {
    let (slow, pace) = toolsets::slow();
    let server = serve(vec![slow, toolsets::dataset_search()]);
    let both = Turn::call("search_datasets", json!({ "query": "severn" })).and_call("wait", json!({}));
    let model = script([both, Turn::say("Going on.")]);
    let agent = agent(&model, &[&server]).await;
    let context = on(&ThreadId::random());
    let (id, run) = (context.thread.clone(), context.run.clone());
    let running = tokio::spawn({
        let agent = agent.clone();
        async move { agent.run_turn(context, "find".into()).await }
    });
    pace.begun.notified().await;
    assert!(agent.cancel(&run));
    let result = running.await.unwrap().unwrap();
    assert_eq!(result.outcome, Some(TurnOutcome::Cancelled));
    assert!(!agent.cancel(&run), "it is over");
    let next = agent.run_turn(on(&id), "go on".into()).await.unwrap();
    assert_eq!(next.answer, "Going on.");
    assert_every_call_is_answered(&model.requests()[1].messages);
}

#[tokio::test]
async fn a_run_id_is_that_of_one_run_until_it_is_over() {
    let (slow, pace) = toolsets::slow();
    let server = serve(vec![slow]);
    let model = script([Turn::call("wait", json!({})), Turn::say("Free again.")]);
    let agent = agent(&model, &[&server]).await;
    let first = on(&ThreadId::random());
    let with_its_id = || {
        let mut context = on(&ThreadId::random());
        context.run = first.run.clone();
        context
    };
    let stream = agent.stream_turn(first.clone(), "wait".into()).await.unwrap();
    pace.begun.notified().await;
    let refused = agent
        .stream_turn(with_its_id(), "hello".into())
        .await
        .err()
        .unwrap();
    assert!(
        matches!(&refused, AgentError::RunInProgress(run) if *run == first.run),
        "{refused}"
    );
    assert!(
        !agent.cancel_if(&first.run, |owner| owner == Some("somebody")),
        "it has no owner"
    );
    assert!(agent.cancel(&first.run), "the refused run did not take its place");
    drop(stream);
    agent.checkpoints().wait_idle(&first.thread).await.unwrap();
    agent.run_turn(with_its_id(), "hello".into()).await.unwrap();
}

#[tokio::test]
async fn a_run_that_is_kept_to_its_own_threads_finds_no_other() {
    let model = script([Turn::say("Hello Ada."), Turn::say("Hello again.")]);
    let agent = agent(&model, &[]).await;
    let id = ThreadId::random();
    let by = |owner: &str| {
        let mut context = on(&id);
        context.owner = Some(owner.to_owned());
        context.own_threads_only = true;
        context
    };
    agent.run_turn(by("ada"), "hello".into()).await.unwrap();
    let refused = agent.run_turn(by("bob"), "hello".into()).await.unwrap_err();
    assert!(matches!(refused, AgentError::NoSuchThread(_)), "{refused}");
    let refused = agent.resume_turn(by("bob"), Vec::new()).await.unwrap_err();
    assert!(matches!(refused, AgentError::NoSuchThread(_)), "{refused}");
    agent.run_turn(by("ada"), "again".into()).await.unwrap();
}

#[tokio::test]
async fn what_was_said_before_an_answer_broke_off_stays() {
    let model = script([
        Turn::say("The Thames rises at").failing(FaultKind::Interrupted, 2),
        Turn::say("Kemble."),
    ]);
    let agent = agent(&model, &[]).await;
    let id = ThreadId::random();
    let error = failure(agent.stream_turn(on(&id), "where?".into()).await.unwrap()).await;
    assert!(matches!(error, AgentError::Model(_)), "{error}");
    let stored = thread(&agent, &id).await;
    assert!(matches!(
        stored.turns[0].outcome,
        Some(TurnOutcome::Failed { .. })
    ));
    assert_eq!(
        stored.messages[1].body,
        MessageBody::Assistant(AssistantMessage {
            text: "The Thames ".to_owned(),
            ..AssistantMessage::default()
        })
    );
    agent.run_turn(on(&id), "again?".into()).await.unwrap();
}

/// What a killed process leaves: a call without a result, in a turn without an end.
async fn killed(store: &dyn Checkpoints, id: &ThreadId) {
    let at = chrono::Utc::now();
    let message = AssistantMessage {
        tool_calls: vec![ToolCall::new("c1", "search_datasets", Map::new())],
        ..AssistantMessage::default()
    };
    let records = [
        Record::TurnStarted {
            turn: 1,
            run: RunId::random(),
            message_id: "u1".to_owned(),
            text: "find".to_owned(),
            at,
        },
        Record::Answered {
            message_id: "a1".to_owned(),
            message,
            usage: Usage::default(),
        },
    ];
    let opening = Opening {
        created_at: at,
        owner: None,
        question: "find".to_owned(),
    };
    let append = Append {
        thread: id,
        after: 0,
        turn: 1,
        opening: &opening,
        records: &records,
        values: &[],
        snapshot: None,
    };
    store.append(append).await.unwrap();
}

#[tokio::test]
async fn a_run_that_was_killed_between_call_and_result_is_healed_by_the_next_turn() {
    let store = MemoryCheckpoints::default();
    let id = ThreadId::random();
    killed(&store, &id).await;
    let model = script([Turn::say("Going on.")]);
    let agent = Agent::builder(Arc::new(model.clone()), Arc::new(store))
        .connect()
        .await;
    let result = agent.run_turn(on(&id), "go on".into()).await.unwrap();
    assert_eq!(result.turn, 2);
    assert_every_call_is_answered(&model.requests()[0].messages);
    let thread = thread(&agent, &id).await;
    assert!(matches!(
        thread.turns[0].outcome,
        Some(TurnOutcome::Failed { .. })
    ));
    let healed = &thread.messages[2].body;
    assert!(
        matches!(healed, MessageBody::Tool { result, .. } if result.call_id == "c1" && result.is_error),
        "{healed:?}"
    );
}

/// What every provider checks: each call has its result right behind it, and a person speaks after an answer.
fn assert_every_call_is_answered(messages: &[Message]) {
    let mut open: Vec<&str> = Vec::new();
    let mut last_was_answer = true;
    for message in messages {
        match message {
            Message::User { text } => {
                assert!(open.is_empty(), "{open:?} before {text:?}");
                assert!(last_was_answer, "{messages:?}");
                last_was_answer = false;
            }
            Message::Assistant(answer) => {
                assert!(open.is_empty(), "{open:?}");
                open = answer.tool_calls.iter().map(|call| call.id.as_str()).collect();
                last_was_answer = true;
            }
            Message::Tool(result) => {
                assert_eq!(open.first(), Some(&result.call_id.as_str()));
                open.remove(0);
                last_was_answer = false;
            }
        }
    }
}

#[tokio::test]
async fn an_id_that_the_thread_holds_does_not_overwrite_a_message() {
    let model = script([Turn::say("One."), Turn::say("Two.")]);
    let agent = agent(&model, &[]).await;
    let id = ThreadId::random();
    let message = |text: &str| UserMessage {
        id: Some("m1".to_owned()),
        text: text.to_owned(),
    };
    agent.run_turn(on(&id), message("first")).await.unwrap();
    agent.run_turn(on(&id), message("second")).await.unwrap();
    let thread = thread(&agent, &id).await;
    let mut ids: Vec<&str> = thread
        .messages
        .iter()
        .map(|message| message.id.as_str())
        .collect();
    assert_eq!((thread.messages.len(), ids[0]), (4, "m1"));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn ids_of_calls_are_unique_in_a_thread_even_if_the_model_repeats_them() {
    let server = serve(vec![toolsets::dataset_search()]);
    let mut turn = Turn::call("search_datasets", json!({ "query": "a" }))
        .and_call("search_datasets", json!({ "query": "b" }));
    for call in &mut turn.tool_calls {
        call.id = Some("call_1".to_owned());
    }
    let model = script([turn.clone(), Turn::say("One."), turn, Turn::say("Two.")]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    for _ in 0..2 {
        agent.run_turn(on(&id), "find".into()).await.unwrap();
    }
    let thread = thread(&agent, &id).await;
    let mut calls: Vec<&str> = thread
        .messages
        .iter()
        .filter_map(|message| match &message.body {
            MessageBody::Tool { result, .. } => Some(result.call_id.as_str()),
            MessageBody::User { .. } | MessageBody::Assistant(_) => None,
        })
        .collect();
    calls.sort_unstable();
    calls.dedup();
    assert_eq!(calls.len(), 4);
}

#[tokio::test]
async fn another_agent_goes_on_with_the_same_thread() {
    let store = Arc::new(MemoryCheckpoints::default());
    let id = ThreadId::random();
    let first = script([Turn::say("Hello Ada.")]);
    let agent = Agent::builder(Arc::new(first), store.clone()).connect().await;
    agent.run_turn(on(&id), "I am Ada".into()).await.unwrap();
    let second = script([Turn::say("Ada.").expecting(Expect {
        message_count: Some(3),
        ..Expect::default()
    })]);
    let agent = Agent::builder(Arc::new(second), store).connect().await;
    let result = agent.run_turn(on(&id), "who am I?".into()).await.unwrap();
    assert_eq!((result.turn, result.history.len()), (2, 4));
}

#[tokio::test]
async fn a_run_can_bring_its_own_model() {
    let theirs = script([Turn::say("Theirs.")]);
    let agent = agent(&script([]), &[]).await;
    let mut context = on(&ThreadId::random());
    context.model = Some(Arc::new(theirs));
    assert_eq!(
        agent.run_turn(context, "hello".into()).await.unwrap().answer,
        "Theirs."
    );
}

#[tokio::test]
async fn what_a_provider_wants_to_see_again_is_stored_untouched() {
    let store = MemoryCheckpoints::default();
    let id = ThreadId::random();
    let mut call = ToolCall::new("c1", "t", Map::new());
    call.signatures = vec!["sig==".to_owned()];
    let message = AssistantMessage {
        text: String::new(),
        tool_calls: vec![call],
        continuation: Some(Continuation {
            provider: "anthropic".to_owned(),
            parts: vec![json!({ "type": "thinking", "signature": "x/+=" })],
        }),
    };
    let record = Record::Answered {
        message_id: "a".to_owned(),
        message: message.clone(),
        usage: Usage::default(),
    };
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    killed(&store, &id).await;
    let opening = store.load(&id).await.unwrap().unwrap().head.opening;
    let append = Append {
        thread: &id,
        after: 2,
        turn: 1,
        opening: &opening,
        records: &[record],
        values: &[],
        snapshot: None,
    };
    store.append(append).await.unwrap();
    let model = script([Turn::say("Done.")]);
    let agent = Agent::builder(Arc::new(model.clone()), Arc::new(store))
        .connect()
        .await;
    agent.run_turn(on(&id), "go on".into()).await.unwrap();
    assert!(
        model.requests()[0]
            .messages
            .contains(&Message::Assistant(message))
    );
}

#[tokio::test]
async fn a_thread_is_deleted_with_everything_it_holds_unless_a_run_has_it() {
    let (slow, pace) = toolsets::slow();
    let server = serve(vec![slow]);
    let model = script([Turn::call("wait", json!({}))]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    let running = agent.stream_turn(on(&id), "wait".into()).await.unwrap();
    pace.begun.notified().await;
    let busy = agent.delete(&id).await.unwrap_err();
    assert!(
        matches!(busy, AgentError::Checkpoint(CheckpointError::Busy { .. })),
        "{busy}"
    );
    drop(running);
    agent.checkpoints().wait_idle(&id).await.unwrap();
    assert!(agent.delete(&id).await.unwrap());
    assert!(agent.thread(&id).await.unwrap().is_none());
    assert!(!agent.delete(&id).await.unwrap());
}

#[tokio::test]
async fn a_message_without_text_is_refused_before_anything_is_stored() {
    let agent = agent(&script([]), &[]).await;
    let id = ThreadId::random();
    let error = agent.run_turn(on(&id), " \n".into()).await.unwrap_err();
    assert!(matches!(error, AgentError::EmptyMessage));
    assert!(agent.thread(&id).await.unwrap().is_none());
}

#[tokio::test]
async fn every_message_says_which_tool_of_which_server_it_came_from() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([
        Turn::call("search_datasets", json!({ "query": "a" })),
        Turn::say("One."),
    ]);
    let agent = agent(&model, &[&server]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "find".into())
        .await
        .unwrap();
    let source = result
        .new_messages
        .iter()
        .find_map(|message| match &message.body {
            MessageBody::Tool { source, .. } => source.clone(),
            MessageBody::User { .. } | MessageBody::Assistant(_) => None,
        });
    let expected = ToolSource {
        server: "dataset-search".to_owned(),
        tool: "search_datasets".to_owned(),
    };
    assert_eq!(source, Some(expected));
}
