//! Following a list that changes: list, watch, and list again whenever the watch cannot go on.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tokio::sync::watch;

use super::{
    ClusterTiming,
    api::{Api, ApiError, Change},
    service::{self, Service},
};
use crate::directory::index::Places;

/// Keeps the places current for ever.
pub(in crate::directory) async fn follow(api: Api, places: watch::Sender<Places>) {
    let mut follower = Follower {
        retry: Retry::new(&api.timing),
        api,
        places,
        services: BTreeMap::new(),
        can_watch: true,
        heard_at: Instant::now(),
    };
    loop {
        if let Err(error) = follower.round().await {
            follower.lost(&error);
            tokio::time::sleep(follower.retry.next_pause()).await;
        }
    }
}

struct Follower {
    api: Api,
    places: watch::Sender<Places>,
    /// By name of the Service.
    services: BTreeMap<String, Service>,
    can_watch: bool,
    /// When the API server last said something of use.
    heard_at: Instant,
    retry: Retry,
}

impl Follower {
    /// Lists, then watches for as long as that works. Only a list that fails is an error: it alone says that what is
    /// known may be outdated.
    async fn round(&mut self) -> Result<(), ApiError> {
        let (services, mut version) = self.api.list().await?;
        let by_name = |service: Service| (service.metadata.name.clone(), service);
        self.services = services.into_iter().map(by_name).collect();
        self.publish();
        if !self.can_watch {
            self.retry.reset();
            tokio::time::sleep(self.api.timing.poll).await;
            return Ok(());
        }
        loop {
            let began = Instant::now();
            match self.watch(&mut version).await {
                Ok(()) if began.elapsed() >= self.api.timing.first_retry => self.retry.reset(),
                // A server that ends every watch at once is not asked without a pause.
                Ok(()) => tokio::time::sleep(self.retry.next_pause()).await,
                Err(error) if error.forbids_watching() => {
                    let seconds = self.api.timing.poll.as_secs_f64();
                    tracing::warn!(%error, "the account may not watch Services: they are listed every {seconds} s");
                    self.can_watch = false;
                    return Ok(());
                }
                Err(error) => {
                    tracing::debug!(%error, "the Services are listed again");
                    if began.elapsed() >= self.api.timing.first_retry {
                        self.retry.reset();
                    }
                    tokio::time::sleep(self.retry.next_pause()).await;
                    return Ok(());
                }
            }
        }
    }

    /// One watch, from its beginning to its end.
    async fn watch(&mut self, version: &mut String) -> Result<(), ApiError> {
        let mut watch = self.api.watch(version).await?;
        while let Some(change) = watch.next().await? {
            self.heard_at = Instant::now();
            match change {
                Change::UpTo(reached) => *version = reached,
                Change::Present(service) => {
                    version.clone_from(&service.metadata.resource_version);
                    self.services.insert(service.metadata.name.clone(), service);
                    self.publish();
                }
                Change::Gone(service) => {
                    version.clone_from(&service.metadata.resource_version);
                    self.services.remove(&service.metadata.name);
                    self.publish();
                }
            }
        }
        self.heard_at = Instant::now();
        Ok(())
    }

    fn publish(&mut self) {
        self.heard_at = Instant::now();
        self.places.send_replace(Places {
            known: Some(service::places(self.services.values()).into()),
            lost_at: None,
        });
    }

    /// Keeps what is known, and from when on it may be outdated.
    fn lost(&self, error: &ApiError) {
        let is_new = self.places.borrow().lost_at.is_none();
        if is_new {
            tracing::warn!(%error, "the toolsets of the cluster cannot be followed: the directory may be outdated");
            self.places
                .send_modify(|places| places.lost_at = Some(self.heard_at));
        } else {
            tracing::debug!(%error, "the toolsets of the cluster still cannot be followed");
        }
    }
}

/// Pauses that double from failure to failure.
#[derive(Debug)]
struct Retry {
    first: Duration,
    last: Duration,
    next: Duration,
}

impl Retry {
    fn new(timing: &ClusterTiming) -> Self {
        Self {
            first: timing.first_retry,
            last: timing.last_retry,
            next: timing.first_retry,
        }
    }

    fn next_pause(&mut self) -> Duration {
        let pause = self.next;
        self.next = (self.next * 2).min(self.last);
        pause
    }

    fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_start_over() {
        let timing = ClusterTiming::default();
        let mut retry = Retry::new(&timing);
        let pauses: Vec<f64> = (0..7).map(|_| retry.next_pause().as_secs_f64()).collect();
        assert_eq!(pauses, [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0]);
        retry.reset();
        assert_eq!(retry.next_pause(), timing.first_retry);
    }
}
