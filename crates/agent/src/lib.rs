//! The loop between a person, a model and tools: turns, interrupts, checkpoints.

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod agent;
mod checkpoint;
mod conversation;
mod error;
mod events;
mod host;
mod id;
mod interrupt;
mod log;
mod record;
mod run;
mod settings;
mod thread;
mod toolsets;
mod turn;

pub use crate::{
    agent::{Agent, AgentBuilder},
    checkpoint::{
        Append, CheckpointError, CheckpointPlace, Checkpoints, ListThreads, MemoryCheckpoints, Opening,
        PostgresCheckpoints, Retention, RunGuard, RunLocks, SnapshotLookup, SqliteCheckpoints, StoredThread,
        ThreadHead,
    },
    error::AgentError,
    events::{TurnEvent, TurnStream},
    host::{Clock, HostTool, Note},
    id::{IdError, RunId, ThreadId},
    interrupt::{
        AnswerStatus, Asked, Asker, INTERRUPT, INTERRUPT_ALIAS, Interrupt, InterruptAnswer, QUESTION_PROMPT,
    },
    record::{EntryRecord, Record, Snapshot, ToolSource, TurnOutcome, ValueHash, WriteRecord},
    settings::{AgentSettings, RunLimits},
    thread::{MessageBody, Thread, ThreadMessage, TurnState, TurnSummary},
    toolsets::{Connected, ConnectedTool, Grant, ToolsetSources, Toolsets, Unreachable},
    turn::{Answers, RunContext, TurnResult, UserMessage},
};
