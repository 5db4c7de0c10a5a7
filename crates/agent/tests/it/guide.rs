//! The guide carries whole turns, with no model, key or network.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use periplus_agent::{Agent, MemoryCheckpoints, MessageBody, ThreadId, ThreadMessage};
use periplus_collection_import::{Silent, met};
use periplus_llm::guide::Guide;
use periplus_met::{Config, Source};
use periplus_state::{Origin, StateKey};
use periplus_toolset::Readiness;

use crate::support::{Served, on, results, serve};

/// The snapshot of the shipped rows, built once for all test processes.
fn snapshot() -> PathBuf {
    let folder = Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("target/tmp")).join("met");
    met::bundled(&folder, &Silent).expect("the shipped rows import")
}

async fn museum() -> Served {
    let toolset = periplus_met::toolset(Config::new(Source::Directory(snapshot())));
    while toolset.ready().await != Readiness::Ready {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    serve(vec![periplus_hello::toolset(), toolset])
}

async fn guide(server: &Served) -> Agent {
    Agent::builder(Arc::new(Guide::new()), Arc::new(MemoryCheckpoints::default()))
        .toolsets(server.url.clone())
        .connect()
        .await
}

#[tokio::test]
async fn a_research_question_is_carried_from_the_words_to_objects_with_their_sources() {
    let server = museum().await;
    let agent = guide(&server).await;
    let id = ThreadId::random();
    let question = "Which objects made between 1500 and 1900 are about landscape?";
    let result = agent.run_turn(on(&id), question.into()).await.unwrap();
    let called: Vec<String> = result.new_messages.iter().filter_map(tool_of).collect();
    assert_eq!(
        called,
        ["collection_select", "collection_rank"],
        "{}",
        result.answer
    );
    assert!(result.answer.contains("Found by the guide"), "{}", result.answer);
    // The answer names objects with their addresses, and cites them.
    let address = "https://www.metmuseum.org/art/collection/search/";
    assert!(
        result.citations.iter().any(|cited| cited.starts_with(address)),
        "{}",
        result.answer
    );
    // The receipt of the selection went on by handle, and what was ranked says where it stands.
    let selection = "met/collection_select/selection";
    let ranked = result
        .state
        .get("met/collection_rank/results")
        .expect("results are kept");
    assert_eq!(
        ranked.inputs["selection"],
        Origin::Key(StateKey::parse(selection).unwrap())
    );
    let first = &ranked.value.json()[0];
    assert!(first["objectId"].as_u64().is_some_and(|id| id > 0), "{first}");
    let evidence = format!("object:{}:csv", first["objectId"]);
    assert_eq!(first["evidenceIds"][0], evidence);
}

fn tool_of(message: &ThreadMessage) -> Option<String> {
    match &message.body {
        MessageBody::Tool { result, .. } => Some(result.tool.clone()),
        MessageBody::User { .. } | MessageBody::Assistant(_) => None,
    }
}

#[tokio::test]
async fn a_greeting_is_answered_without_a_call() {
    let server = museum().await;
    let agent = guide(&server).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "Hello!".into())
        .await
        .unwrap();
    assert!(
        result.answer.starts_with("Hello. I am the guide"),
        "{}",
        result.answer
    );
    assert!(results(&result).is_empty());
}

#[tokio::test]
async fn what_it_can_do_is_told_from_what_is_connected() {
    let server = museum().await;
    let agent = guide(&server).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "What can you do?".into())
        .await
        .unwrap();
    for tool in ["`hello`", "`collection_select`", "`collection_rank`"] {
        assert!(result.answer.contains(tool), "{}", result.answer);
    }
    assert!(results(&result).is_empty());
}
