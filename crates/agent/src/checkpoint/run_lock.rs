//! Who works on which thread, within this process. Stores that are shared between processes ask here first.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use crate::{CheckpointError, RunId, ThreadId};

/// The claim of a run on a thread; dropping it ends the claim.
#[must_use = "the thread is released when the guard is dropped"]
pub struct RunGuard(Option<Box<dyn FnOnce() + Send>>);

impl RunGuard {
    /// A claim that is given up by calling `release`, once.
    pub fn new(release: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(release)))
    }
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        if let Some(release) = self.0.take() {
            release();
        }
    }
}

impl fmt::Debug for RunGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunGuard")
    }
}

/// The threads that runs of this process hold. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct RunLocks(Arc<Mutex<HashMap<ThreadId, Held>>>);

#[derive(Debug)]
struct Held {
    run: RunId,
    /// Closes when the claim ends, which wakes everyone who waits.
    ended: watch::Sender<()>,
}

impl RunLocks {
    /// Claims a thread, at once or not at all.
    ///
    /// # Errors
    /// [`CheckpointError::Busy`] if it is claimed.
    pub fn lock(&self, thread: &ThreadId, run: &RunId) -> Result<RunGuard, CheckpointError> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.contains_key(thread) {
            return Err(CheckpointError::Busy {
                thread: thread.clone(),
            });
        }
        let claim = Held {
            run: run.clone(),
            ended: watch::Sender::new(()),
        };
        held.insert(thread.clone(), claim);
        let (locks, thread) = (self.clone(), thread.clone());
        Ok(RunGuard::new(move || {
            locks
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&thread);
        }))
    }

    /// The run that holds a thread.
    #[must_use]
    pub fn holder(&self, thread: &ThreadId) -> Option<RunId> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.get(thread).map(|held| held.run.clone())
    }

    /// Waits until no run of this process holds the thread.
    pub async fn wait_idle(&self, thread: &ThreadId) {
        while let Some(mut ended) = self.watch(thread) {
            while ended.changed().await.is_ok() {}
        }
    }

    fn watch(&self, thread: &ThreadId) -> Option<watch::Receiver<()>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.get(thread).map(|held| held.ended.subscribe())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_thread_is_held_by_one_run_until_its_guard_is_dropped() {
        let locks = RunLocks::default();
        let (thread, run) = (ThreadId::random(), RunId::random());
        let guard = locks.lock(&thread, &run).unwrap();
        assert!(matches!(
            locks.lock(&thread, &RunId::random()),
            Err(CheckpointError::Busy { .. })
        ));
        assert_eq!(locks.holder(&thread), Some(run));
        let other = locks.lock(&ThreadId::random(), &RunId::random());
        assert!(other.is_ok());
        drop(guard);
        assert_eq!(locks.holder(&thread), None);
    }

    #[tokio::test]
    async fn those_who_wait_are_woken_when_the_run_ends() {
        let locks = RunLocks::default();
        let thread = ThreadId::random();
        let guard = locks.lock(&thread, &RunId::random()).unwrap();
        let waiting = tokio::spawn({
            let (locks, thread) = (locks.clone(), thread.clone());
            async move { locks.wait_idle(&thread).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(guard);
        tokio::time::timeout(Duration::from_secs(5), waiting)
            .await
            .expect("it is woken")
            .unwrap();
    }
}
