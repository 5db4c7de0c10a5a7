//! Questions to the person.

use periplus_agent::{AgentError, AnswerStatus, InterruptAnswer, ThreadId, TurnOutcome, TurnResult};
use periplus_llm::scripted::{Expect, Scripted, Turn};
use serde_json::{Value, json};

use crate::support::{agent, builder, on, results, script, serve, thread, toolsets};

fn options() -> Value {
    json!([{ "value": "a", "label": "Georgia, US" }, { "value": "b", "label": "Georgia" }])
}

fn ask() -> Turn {
    Turn::call(
        "interrupt",
        json!({ "question": "Which one?", "options": options() }),
    )
}

fn answer(result: &TurnResult, choice: &str) -> Vec<InterruptAnswer> {
    result
        .interrupts
        .iter()
        .map(|interrupt| InterruptAnswer {
            interrupt_id: interrupt.id.clone(),
            status: AnswerStatus::Resolved,
            payload: Some(json!({ "choice": choice })),
        })
        .collect()
}

#[tokio::test]
async fn a_question_stops_the_run_and_its_answer_becomes_the_result_of_the_call() {
    let model = script([
        ask().expecting(Expect {
            system: vec!["call `interrupt`".to_owned()],
            tools: vec!["interrupt".to_owned()],
            ..Expect::default()
        }),
        Turn::say("Atlanta.").expecting(Expect::tool_result("User chose: Georgia, US (value: a)")),
    ]);
    let agent = agent(&model, &[]).await;
    let id = ThreadId::random();
    let paused = agent
        .run_turn(on(&id), "capital of Georgia?".into())
        .await
        .unwrap();
    assert_eq!((paused.outcome.clone(), paused.interrupts.len()), (None, 1));
    assert_eq!(paused.interrupts[0].message, "Which one?");
    let result = agent.resume_turn(on(&id), answer(&paused, "a")).await.unwrap();
    assert_eq!((result.answer.as_str(), result.turn), ("Atlanta.", 1));
    assert_eq!(result.outcome, Some(TurnOutcome::Answered));
    assert!(result.interrupts.is_empty());
}

#[tokio::test]
async fn a_paused_thread_keeps_its_question_over_a_restart_and_refuses_a_new_message() {
    let model = script([ask(), Turn::say("Atlanta.")]);
    let agent = agent(&model, &[]).await;
    let id = ThreadId::random();
    let paused = agent.run_turn(on(&id), "capital?".into()).await.unwrap();
    let error = agent.run_turn(on(&id), "never mind".into()).await.unwrap_err();
    assert!(
        matches!(&error, AgentError::Paused { interrupts, .. } if interrupts.len() == 1),
        "{error}"
    );
    let read = thread(&agent, &id).await;
    assert_eq!(read.interrupts(), paused.interrupts);
    assert_eq!(read.messages.len(), 2, "the refused message left nothing");
    agent.resume_turn(on(&id), answer(&paused, "b")).await.unwrap();
}

#[tokio::test]
async fn answers_have_to_fit_the_open_questions() {
    let model = script([ask(), Turn::say("Atlanta.")]);
    let agent = agent(&model, &[]).await;
    let id = ThreadId::random();
    let error = agent.resume_turn(on(&id), vec![]).await.unwrap_err();
    assert!(matches!(error, AgentError::NoSuchThread(_)), "{error}");
    let paused = agent.run_turn(on(&id), "capital?".into()).await.unwrap();
    let good = answer(&paused, "a");
    let unknown = InterruptAnswer {
        interrupt_id: "other".to_owned(),
        ..good[0].clone()
    };
    for bad in [
        vec![],
        vec![unknown.clone()],
        vec![good[0].clone(), unknown],
        vec![good[0].clone(), good[0].clone()],
    ] {
        let error = agent.resume_turn(on(&id), bad).await.unwrap_err();
        assert!(matches!(error, AgentError::AnswersDoNotFit { .. }), "{error}");
    }
    let error = agent
        .resume_turn(on(&id), answer(&paused, "c"))
        .await
        .unwrap_err();
    assert!(matches!(error, AgentError::InvalidAnswer { .. }), "{error}");
    agent.resume_turn(on(&id), good.clone()).await.unwrap();
    let error = agent.resume_turn(on(&id), good).await.unwrap_err();
    assert!(matches!(error, AgentError::AnswersDoNotFit { .. }), "{error}");
}

#[tokio::test]
async fn a_question_that_is_declined_is_answered_too() {
    let model = script([
        ask(),
        Turn::say("Fine.").expecting(Expect::tool_result("did not answer")),
    ]);
    let agent = agent(&model, &[]).await;
    let id = ThreadId::random();
    let paused = agent.run_turn(on(&id), "capital?".into()).await.unwrap();
    let declined = InterruptAnswer {
        interrupt_id: paused.interrupts[0].id.clone(),
        status: AnswerStatus::Cancelled,
        payload: None,
    };
    let result = agent.resume_turn(on(&id), vec![declined]).await.unwrap();
    assert_eq!(result.answer, "Fine.");
}

#[tokio::test]
async fn calls_beside_a_question_are_not_made_again() {
    let server = serve(vec![toolsets::dataset_search()]);
    let both = ask().and_call("search_datasets", json!({ "query": "georgia" }));
    let model = script([
        both,
        Turn::say("Done.").expecting(Expect {
            tool_results: vec![
                "User chose: Georgia (value: b)".to_owned(),
                "Found 2 datasets".to_owned(),
            ],
            ..Expect::default()
        }),
    ]);
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    let paused = agent.run_turn(on(&id), "find".into()).await.unwrap();
    assert_eq!(results(&paused).len(), 1);
    let result = agent.resume_turn(on(&id), answer(&paused, "b")).await.unwrap();
    assert_eq!(results(&result), ["User chose: Georgia (value: b)"]);
    let last = result.state.newest_first()[0].1.seq;
    assert_eq!(last, 2, "two fields, each written once");
}

#[tokio::test]
async fn several_questions_are_answered_together_and_the_older_name_of_the_tool_is_understood() {
    let two = Turn::call("ask_user", json!({ "question": "One?", "options": options() })).and_call(
        "interrupt",
        json!({ "question": "Two?", "options": options(), "multiple": true }),
    );
    let model = script([two, Turn::say("Done.")]);
    let agent = agent(&model, &[]).await;
    let id = ThreadId::random();
    let paused = agent.run_turn(on(&id), "ask me".into()).await.unwrap();
    let mut answers = answer(&paused, "a");
    answers[1].payload = Some(json!({ "choice": ["a", "b"] }));
    answers.reverse();
    let result = agent.resume_turn(on(&id), answers).await.unwrap();
    assert_eq!(
        results(&result),
        [
            "User chose: Georgia, US (value: a)",
            "User chose: Georgia, US (value: a), Georgia (value: b)"
        ]
    );
}

#[tokio::test]
async fn a_question_that_no_client_could_draw_is_no_question() {
    let model = script([
        Turn::call("interrupt", json!({ "question": "Which?", "options": ["a"] })),
        Turn::say("Then not.").expecting(Expect::tool_result("The question was not asked")),
    ]);
    let agent = agent(&model, &[]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "ask me".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "Then not.");
}

fn payload(result: &TurnResult, payload: Value) -> Vec<InterruptAnswer> {
    let [interrupt] = result.interrupts.as_slice() else {
        panic!("{:?}", result.interrupts);
    };
    vec![InterruptAnswer {
        interrupt_id: interrupt.id.clone(),
        status: AnswerStatus::Resolved,
        payload: Some(payload),
    }]
}

fn reserve(result: &str) -> Scripted {
    script([
        Turn::call("reserve", json!({ "place": "Kemble" })),
        Turn::say("Done.").expecting(Expect::tool_result(result)),
    ])
}

#[tokio::test]
async fn a_tool_of_a_server_asks_the_person_and_goes_on_with_the_answers() {
    let server = serve(vec![toolsets::rooms()]);
    let model = reserve("Reserved 3 nights at Kemble.");
    let agent = agent(&model, &[&server]).await;
    let id = ThreadId::random();
    let first = agent.run_turn(on(&id), "book a room".into()).await.unwrap();
    assert_eq!(first.interrupts[0].message, "How many nights?");
    assert_eq!(
        first.interrupts[0].response_schema["properties"]["nights"]["type"],
        "integer"
    );
    let shown = serde_json::to_string(&first).unwrap();
    assert!(
        !shown.contains("requestState"),
        "what the server remembers stays in the thread"
    );
    let second = agent
        .resume_turn(on(&id), payload(&first, json!({ "nights": 3 })))
        .await
        .unwrap();
    assert_eq!(second.interrupts[0].message, "3 nights at Kemble, yes?");
    let last = agent
        .resume_turn(on(&id), payload(&second, json!({ "confirm": true })))
        .await
        .unwrap();
    assert_eq!((last.answer.as_str(), last.turn), ("Done.", 1));
    assert_eq!(results(&last), ["Reserved 3 nights at Kemble."]);
}

#[tokio::test]
async fn a_tool_learns_that_the_person_would_rather_not_say() {
    let server = serve(vec![toolsets::rooms()]);
    let agent = agent(&reserve("declined"), &[&server]).await;
    let id = ThreadId::random();
    let paused = agent.run_turn(on(&id), "book a room".into()).await.unwrap();
    let wrong = agent
        .resume_turn(on(&id), payload(&paused, json!({ "nights": "three" })))
        .await
        .unwrap_err();
    assert!(
        matches!(&wrong, AgentError::InvalidAnswer { problem, .. } if problem.contains("no integer")),
        "{wrong}"
    );
    let mut declined = payload(&paused, json!({}));
    declined[0].status = AnswerStatus::Cancelled;
    let result = agent.resume_turn(on(&id), declined).await.unwrap();
    assert_eq!(result.answer, "Done.");
}

#[tokio::test]
async fn where_nobody_can_be_asked_a_tool_that_asks_is_told_so() {
    let server = serve(vec![toolsets::rooms()]);
    let settings = periplus_agent::AgentSettings {
        question_options: None,
        ..Default::default()
    };
    let model = reserve("cannot be asked here");
    let agent = builder(&model)
        .toolsets(server.url.clone())
        .settings(settings)
        .connect()
        .await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "book a room".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "Done.");
    assert!(
        model.requests()[0]
            .tools
            .iter()
            .all(|tool| tool.name != "interrupt")
    );
}
