//! A store that fails in the middle of a turn.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
};

use futures::future::BoxFuture;
use periplus_agent::{
    Agent, Append, CheckpointError, Checkpoints, ListThreads, MemoryCheckpoints, RunGuard, RunId,
    SnapshotLookup, StoredThread, ThreadHead, ThreadId, ValueHash,
};
use periplus_llm::scripted::Turn;
use periplus_state::StoredValue;
use serde_json::json;

use crate::support::{on, script, serve, toolsets};

/// A store that fails at a chosen append.
#[derive(Debug)]
struct Failing {
    store: MemoryCheckpoints,
    /// Appends that still succeed.
    left: AtomicU64,
}

impl Checkpoints for Failing {
    fn append<'a>(&'a self, append: Append<'a>) -> BoxFuture<'a, Result<u64, CheckpointError>> {
        if self
            .left
            .fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1))
            .is_err()
        {
            let error = CheckpointError::Unavailable {
                action: "appending",
                reason: "the disk is full".to_owned(),
            };
            return Box::pin(async { Err(error) });
        }
        self.store.append(append)
    }

    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
    ) -> BoxFuture<'a, Result<Option<StoredThread>, CheckpointError>> {
        self.store.load(thread)
    }

    fn snapshot<'a>(
        &'a self,
        thread: &'a ThreadId,
        turn: u32,
    ) -> BoxFuture<'a, Result<SnapshotLookup, CheckpointError>> {
        self.store.snapshot(thread, turn)
    }

    fn values<'a>(
        &'a self,
        thread: &'a ThreadId,
        hashes: &'a [ValueHash],
    ) -> BoxFuture<'a, Result<BTreeMap<ValueHash, StoredValue>, CheckpointError>> {
        self.store.values(thread, hashes)
    }

    fn list<'a>(&'a self, query: &'a ListThreads) -> BoxFuture<'a, Result<Vec<ThreadHead>, CheckpointError>> {
        self.store.list(query)
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        self.store.delete(thread)
    }

    fn lock<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: &'a RunId,
    ) -> BoxFuture<'a, Result<RunGuard, CheckpointError>> {
        self.store.lock(thread, run)
    }

    fn is_running<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        self.store.is_running(thread)
    }
}

#[tokio::test]
async fn wherever_the_store_fails_a_result_and_what_it_published_are_there_together_or_not_at_all() {
    let server = serve(vec![toolsets::dataset_search()]);
    for appends in 0..=5 {
        let store = Arc::new(Failing {
            store: MemoryCheckpoints::default(),
            left: AtomicU64::new(appends),
        });
        let search = Turn::call("search_datasets", json!({ "query": "severn" }));
        let model = script([search, Turn::say("Found."), Turn::say("Found.")]);
        let agent = Agent::builder(Arc::new(model), store.clone())
            .toolsets(server.url.clone())
            .connect()
            .await;
        let id = ThreadId::random();
        let outcome = agent.run_turn(on(&id), "find".into()).await;
        // The question, the call, its result, the answer and the end are five appends.
        assert_eq!(outcome.is_ok(), appends == 5, "after {appends}");
        let Some(thread) = agent.thread(&id).await.unwrap() else {
            continue;
        };
        let has_result = thread.messages.len() > 2;
        assert_eq!(thread.state.is_empty(), !has_result, "after {appends}");
        // When the store is well again, the thread goes on.
        store.left.store(u64::MAX, SeqCst);
        let next = agent.run_turn(on(&id), "go on".into()).await;
        assert!(
            matches!(&next, Ok(result) if result.turn == 2) || appends < 2,
            "{next:?}"
        );
    }
}
