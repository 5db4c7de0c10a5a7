//! Concurrency classes: how many calls run at once, and how many may wait.

use std::time::Duration;

use periplus_toolset::{Concurrency, Failure};
use tokio::sync::{Semaphore, SemaphorePermit};

/// The places of one class.
#[derive(Debug)]
pub(super) struct Gate {
    running: Semaphore,
    waiting: Semaphore,
    retry_after: Duration,
}

impl Gate {
    pub(super) fn new(limit: Concurrency) -> Self {
        Self {
            running: Semaphore::new(limit.running.clamp(1, Semaphore::MAX_PERMITS)),
            waiting: Semaphore::new(limit.waiting.min(Semaphore::MAX_PERMITS)),
            retry_after: limit.retry_after,
        }
    }

    /// Takes a place, waiting at most `patience` for one.
    ///
    /// # Errors
    /// [`Failure::Busy`] if as many as may are waiting already, or none came free in time.
    pub(super) async fn enter(&self, patience: Duration) -> Result<SemaphorePermit<'_>, Failure> {
        if let Ok(place) = self.running.try_acquire() {
            return Ok(place);
        }
        let Ok(_queued) = self.waiting.try_acquire() else {
            return Err(self.busy());
        };
        match tokio::time::timeout(patience, self.running.acquire()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(self.busy()),
        }
    }

    fn busy(&self) -> Failure {
        Failure::Busy {
            retry_after: self.retry_after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(running: usize, waiting: usize) -> Gate {
        Gate::new(Concurrency {
            running,
            waiting,
            retry_after: Duration::from_secs(2),
        })
    }

    #[tokio::test]
    async fn a_full_queue_is_an_answer_and_not_a_wait() {
        let gate = gate(1, 1);
        let place = gate.enter(Duration::from_secs(5)).await.unwrap();
        let waiter = gate.enter(Duration::from_secs(5));
        tokio::pin!(waiter);
        assert!(futures::poll!(&mut waiter).is_pending());
        assert!(matches!(
            gate.enter(Duration::from_secs(5)).await,
            Err(Failure::Busy { .. })
        ));
        drop(place);
        assert!(waiter.await.is_ok());
    }

    #[tokio::test]
    async fn a_waiter_that_gives_up_leaves_its_place_in_the_queue() {
        let gate = gate(1, 1);
        let _place = gate.enter(Duration::ZERO).await.unwrap();
        assert!(gate.enter(Duration::from_millis(1)).await.is_err());
        let waiter = gate.enter(Duration::from_secs(5));
        tokio::pin!(waiter);
        assert!(futures::poll!(&mut waiter).is_pending());
    }
}
