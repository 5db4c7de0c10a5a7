//! Waiting for threads that other processes hold: however many wait, the server is asked once an interval.

use std::{collections::HashSet, sync::Arc};

use tokio::{sync::Mutex, time::Instant};

use super::{Fault, IDLE_POLL, PostgresCheckpoints, read};

/// What the server said last.
#[derive(Clone, Default)]
pub(super) struct Claimed(Arc<Mutex<Option<Said>>>);

/// The keys of all claims, at a moment.
struct Said {
    at: Instant,
    keys: HashSet<i64>,
}

impl PostgresCheckpoints {
    /// Whether the claim with this key was held at some moment of the last interval.
    ///
    /// Who has waited for an interval since he saw the claim hears of a moment after that.
    pub(super) async fn was_claimed(&self, key: i64) -> Result<bool, Fault> {
        // Who finds the answer too old asks anew; the others wait here, and find it new.
        let mut claimed = self.claimed.0.lock().await;
        if let Some(said) = claimed.as_ref().filter(|said| said.at.elapsed() < IDLE_POLL) {
            return Ok(said.keys.contains(&key));
        }
        let at = Instant::now();
        let keys = read::claims(&mut self.connection().await?).await?;
        let is_claimed = keys.contains(&key);
        *claimed = Some(Said { at, keys });
        Ok(is_claimed)
    }
}
