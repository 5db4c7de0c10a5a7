//! Servers, agents and what came of a turn.

pub(crate) mod stranger;

use std::sync::Arc;

use futures::StreamExt;
use periplus_agent::{
    Agent, AgentBuilder, AgentError, MemoryCheckpoints, MessageBody, RunContext, Thread, ThreadId, TurnEvent,
    TurnResult, TurnStream,
};
pub(crate) use periplus_fixtures::{self as toolsets, Served, serve};
use periplus_llm::scripted::{Script, Scripted, Turn};

pub(crate) fn script(turns: impl IntoIterator<Item = Turn>) -> Scripted {
    Scripted::new(turns.into_iter().fold(Script::new("test"), Script::turn))
}

/// An agent over an empty store in memory, to be connected.
pub(crate) fn builder(model: &Scripted) -> AgentBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Agent::builder(Arc::new(model.clone()), Arc::new(MemoryCheckpoints::default()))
}

/// An agent with the tools of these servers.
pub(crate) async fn agent(model: &Scripted, servers: &[&Served]) -> Agent {
    let builder = servers.iter().fold(builder(model), |builder, server| {
        builder.toolsets(server.url.clone())
    });
    let agent = builder.connect().await;
    assert_eq!(agent.toolsets().unreachable(), []);
    agent
}

pub(crate) fn on(thread: &ThreadId) -> RunContext {
    RunContext::new(thread.clone())
}

/// One turn, with all its events.
pub(crate) async fn events(stream: TurnStream) -> Vec<TurnEvent> {
    stream
        .map(|item| item.expect("the turn does not fail"))
        .collect()
        .await
}

/// One turn that must fail.
pub(crate) async fn failure(mut stream: TurnStream) -> AgentError {
    while let Some(item) = stream.next().await {
        if let Err(error) = item {
            assert!(stream.next().await.is_none(), "an error is the last item");
            return error;
        }
    }
    panic!("the turn did not fail");
}

/// The texts of the tool results of a run, in the order of the thread.
pub(crate) fn results(result: &TurnResult) -> Vec<String> {
    let text = |body: &'_ MessageBody| match body {
        MessageBody::Tool { result, .. } => Some(result.text.clone()),
        MessageBody::User { .. } | MessageBody::Assistant(_) => None,
    };
    result
        .new_messages
        .iter()
        .filter_map(|message| text(&message.body))
        .collect()
}

pub(crate) async fn thread(agent: &Agent, id: &ThreadId) -> Thread {
    agent.thread(id).await.unwrap().expect("the thread exists")
}
