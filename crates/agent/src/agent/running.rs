//! The runs of this process that are in progress, by their ids.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use crate::{AgentError, RunContext, RunId};

/// The table of runs.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<HashMap<RunId, InProgress>>);

#[derive(Debug)]
struct InProgress {
    owner: Option<String>,
    cancel: CancellationToken,
}

impl Running {
    /// Enters a run until the guard is dropped. Its id must not be that of another one: then either could be cancelled
    /// in place of the other.
    pub(super) fn enter(self: &Arc<Self>, context: &RunContext) -> Result<RunningGuard, AgentError> {
        let cancel = context.cancel.child_token();
        match self.table().entry(context.run.clone()) {
            Entry::Occupied(_) => return Err(AgentError::RunInProgress(context.run.clone())),
            Entry::Vacant(place) => place.insert(InProgress {
                owner: context.owner.clone(),
                cancel: cancel.clone(),
            }),
        };
        Ok(RunningGuard {
            running: Arc::clone(self),
            run: context.run.clone(),
            cancel,
        })
    }

    /// Cancels a run if its owner is an accepted one, and says whether it did.
    pub(super) fn cancel(&self, run: &RunId, accepts: impl FnOnce(Option<&str>) -> bool) -> bool {
        let table = self.table();
        let Some(run) = table.get(run).filter(|run| accepts(run.owner.as_deref())) else {
            return false;
        };
        run.cancel.cancel();
        true
    }

    fn table(&self) -> MutexGuard<'_, HashMap<RunId, InProgress>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run in the table.
#[derive(Debug)]
pub(super) struct RunningGuard {
    running: Arc<Running>,
    run: RunId,
    /// Cancels this run alone.
    pub(super) cancel: CancellationToken,
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        self.running.table().remove(&self.run);
    }
}
