//! Reading threads: transcript, turns, values, whether a run is in progress; listing and removing them.

use axum::{
    Json,
    extract::{
        Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
};
use http::{HeaderMap, StatusCode};
use periplus_agent::{Agent, ListThreads, Thread, ThreadId, TurnState};
use periplus_state::{Detail, tool_state};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Api, error::ApiError, extract::NamedThread, transcript};

/// Threads on the largest page of a listing.
const MAX_PAGE: usize = 200;

pub(crate) async fn read(NamedThread { agent, thread }: NamedThread) -> Result<Json<Value>, ApiError> {
    let messages = transcript::messages(&thread, agent.checkpoints(), &agent.toolsets()).await?;
    Ok(Json(json!({
        "threadId": thread.head.id,
        "messages": messages,
        "state": tool_state(&thread.state, Detail::Settled),
        "interrupts": thread.interrupts(),
        "running": agent.checkpoints().is_running(&thread.head.id).await?,
    })))
}

pub(crate) async fn turns(NamedThread { agent, thread }: NamedThread) -> Result<Json<Value>, ApiError> {
    let mut history = Vec::new();
    for turn in thread.turns.iter().filter(|turn| turn.is_retained) {
        if let TurnState::Found(state) = thread.state_at(agent.checkpoints(), turn.turn).await? {
            history.push(json!({
                "turn": turn.turn,
                "question": turn.question,
                "checkpointId": format!("{}.{}", thread.head.id, turn.turn),
                "state": tool_state(&state, Detail::Settled),
            }));
        }
    }
    Ok(Json(json!({
        "threadId": thread.head.id,
        "turns": history.len(),
        "total": thread.head.turns,
        "history": history,
    })))
}

#[derive(Debug, Deserialize)]
pub(crate) struct AtTurn {
    turn: Option<String>,
}

pub(crate) async fn value(
    NamedThread { agent, thread }: NamedThread,
    path: Result<Path<(String, String)>, PathRejection>,
    at: Result<Query<AtTurn>, QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    let Path((id, key)) = path?;
    let turn = at?.turn.as_deref().map(turn_number).transpose()?;
    let past = match turn {
        Some(turn) => Some(past_state(&agent, &thread, turn).await?),
        None => None,
    };
    let state = past.as_ref().unwrap_or(&thread.state);
    let entry = state.get(&key).ok_or_else(|| {
        let when = turn.map_or_else(String::new, |turn| format!(" at the end of turn {turn}"));
        ApiError::NotFound(format!("thread '{id}' has no value under '{key}'{when}"))
    })?;
    Ok(Json(json!({
        "key": key,
        "tool": entry.tool,
        "seq": entry.seq,
        "inputs": entry.inputs,
        "turn": entry.turn,
        "value": entry.value.json(),
    })))
}

fn turn_number(text: &str) -> Result<u32, ApiError> {
    let number = text.parse().ok().filter(|turn| *turn > 0);
    number.ok_or_else(|| ApiError::Invalid(format!("turn '{text}' is not a number from 1")))
}

async fn past_state(agent: &Agent, thread: &Thread, turn: u32) -> Result<periplus_state::State, ApiError> {
    match thread.state_at(agent.checkpoints(), turn).await? {
        TurnState::Found(state) => Ok(state),
        TurnState::NoSuchTurn { turns } => Err(ApiError::NotFound(format!(
            "turn {turn} never happened: the thread has {turns}"
        ))),
        TurnState::Dropped { retained } => Err(ApiError::Gone(format!(
            "the values of turn {turn} were dropped to save space: those of {} of {} turns remain",
            retained.len(),
            thread.head.turns
        ))),
    }
}

/// Answers when no run holds the thread any more, or when the client has waited long enough.
pub(crate) async fn idle(
    State(api): State<Api>,
    NamedThread { agent, thread }: NamedThread,
) -> Result<Json<Value>, ApiError> {
    let waiting = agent.checkpoints().wait_idle(&thread.head.id);
    let running = match tokio::time::timeout(api.config().limits.idle_wait, waiting).await {
        Ok(outcome) => outcome.map(|()| false)?,
        Err(_elapsed) => true,
    };
    Ok(Json(json!({ "running": running })))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    limit: Option<usize>,
    after: Option<ThreadId>,
}

/// The caller's threads, the newest first.
pub(crate) async fn list(
    State(api): State<Api>,
    page: Result<Query<Page>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Json<Value>, ApiError> {
    let agent = api.agent()?;
    let Query(page) = page?;
    let owner = api.config().owners.caller(&headers)?;
    let query = ListThreads {
        owner: Some(owner.ok_or(ApiError::NoIdentity)?),
        after: page.after,
        limit: page.limit.unwrap_or(50).clamp(1, MAX_PAGE),
    };
    let threads: Vec<Value> = agent
        .checkpoints()
        .list(&query)
        .await?
        .iter()
        .map(|head| {
            json!({ "threadId": head.id, "createdAt": head.opening.created_at, "question": head.opening.question })
        })
        .collect();
    Ok(Json(json!({ "threads": threads })))
}

/// Removes a thread with its values. One that a run works on is left alone.
pub(crate) async fn remove(NamedThread { agent, thread }: NamedThread) -> Result<StatusCode, ApiError> {
    agent.delete(&thread.head.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
