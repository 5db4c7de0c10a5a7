//! One value that is fetched when it is needed, by one caller at a time, and kept for a while.

use std::{
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::Mutex;

/// A fetched value, or the failure to fetch it, with the time it was fetched.
#[derive(Debug)]
pub(crate) struct Cached<T, E> {
    slot: Mutex<Option<Entry<T, E>>>,
    /// How long a value is good for.
    keep: Duration,
    /// How long a failure is; short, so that callers who waited for it do not all try again in turn.
    keep_failure: Duration,
}

#[derive(Debug)]
struct Entry<T, E> {
    fetched: Instant,
    outcome: Result<Arc<T>, E>,
}

impl<T, E: Clone> Cached<T, E> {
    pub(crate) fn new(keep: Duration, keep_failure: Duration) -> Self {
        Self {
            slot: Mutex::new(None),
            keep,
            keep_failure,
        }
    }

    /// The kept value, or a new one.
    ///
    /// Callers who come while one fetches wait for its outcome; if it is cancelled, the next one fetches.
    pub(crate) async fn get<F>(&self, fetch: impl FnOnce() -> F) -> Result<Arc<T>, E>
    where
        F: Future<Output = Result<T, E>>,
    {
        let mut slot = self.slot.lock().await;
        if let Some(entry) = slot.as_ref().filter(|entry| self.is_fresh(entry)) {
            return entry.outcome.clone();
        }
        let outcome = fetch().await.map(Arc::new);
        *slot = Some(Entry {
            fetched: Instant::now(),
            outcome: outcome.clone(),
        });
        outcome
    }

    fn is_fresh(&self, entry: &Entry<T, E>) -> bool {
        let keep = if entry.outcome.is_ok() {
            self.keep
        } else {
            self.keep_failure
        };
        entry.fetched.elapsed() < keep
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::atomic::{AtomicU32, Ordering},
    };

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    struct Fetches(AtomicU32);

    impl Fetches {
        async fn next(&self) -> Result<u32, &'static str> {
            tokio::task::yield_now().await;
            Ok(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[tokio::test]
    async fn callers_at_the_same_time_share_one_fetch() {
        let (cached, fetches) = (Cached::new(LONG, LONG), Fetches(AtomicU32::new(0)));
        let get = || cached.get(|| fetches.next());
        let (first, second, third) = tokio::join!(get(), get(), get());
        assert_eq!((*first.unwrap(), *second.unwrap(), *third.unwrap()), (0, 0, 0));
    }

    #[tokio::test]
    async fn an_old_value_is_fetched_again() {
        let (cached, fetches) = (Cached::new(Duration::ZERO, LONG), Fetches(AtomicU32::new(0)));
        assert_eq!(*cached.get(|| fetches.next()).await.unwrap(), 0);
        assert_eq!(*cached.get(|| fetches.next()).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_failure_is_kept_for_its_own_time() {
        let kept = Cached::<u32, _>::new(LONG, LONG);
        assert_eq!(kept.get(async || Err("down")).await, Err("down"));
        assert_eq!(kept.get(async || Ok(1)).await, Err("down"));
        let dropped = Cached::<u32, _>::new(LONG, Duration::ZERO);
        assert_eq!(dropped.get(async || Err("down")).await, Err("down"));
        assert_eq!(dropped.get(async || Ok(1)).await, Ok(Arc::new(1)));
    }

    #[tokio::test]
    async fn a_cancelled_fetch_leaves_the_place_to_the_next_caller() {
        let cached = Cached::<u32, &str>::new(LONG, LONG);
        let cancelled = tokio::time::timeout(Duration::from_millis(1), cached.get(pending)).await;
        assert!(cancelled.is_err());
        assert_eq!(cached.get(async || Ok(7)).await, Ok(Arc::new(7)));
    }
}
