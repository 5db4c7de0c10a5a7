//! Analyses that were asked for, by a thumbprint of what was asked.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::{answer::Outcome, endpoint::Endpoint};

/// Analyses that are remembered; an older one is asked for again by its payload.
const MAX_KEPT: usize = 512;

/// The id of an analysis: the same payload gives the same id, on any machine.
pub(crate) fn id_of(endpoint: Endpoint, payload: &Value) -> Uuid {
    let mut digest = Sha256::new();
    digest.update(endpoint.name());
    digest.update(sorted(payload).to_string());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The same value with the keys of every object in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            Value::Object(
                entries
                    .into_iter()
                    .map(|(name, value)| (name.clone(), sorted(value)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// One analysis.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub(crate) endpoint: Endpoint,
    pub(crate) outcome: Arc<Outcome>,
    ready: Instant,
}

impl Resource {
    pub(crate) fn is_pending(&self) -> bool {
        Instant::now() < self.ready
    }
}

/// The latest analyses.
#[derive(Debug, Default)]
pub(crate) struct Resources(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    by_id: HashMap<Uuid, Resource>,
    order: VecDeque<Uuid>,
}

impl Resources {
    pub(crate) fn get(&self, id: Uuid) -> Option<Resource> {
        self.lock().by_id.get(&id).cloned()
    }

    pub(crate) fn insert(&self, id: Uuid, endpoint: Endpoint, outcome: Outcome, delay: Duration) {
        let mut kept = self.lock();
        let resource = Resource {
            endpoint,
            outcome: Arc::new(outcome),
            ready: Instant::now() + delay,
        };
        if kept.by_id.insert(id, resource).is_some() {
            return;
        }
        kept.order.push_back(id);
        if kept.order.len() > MAX_KEPT
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.by_id.remove(&oldest);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_id_depends_on_what_is_asked_and_not_on_how_it_is_written() {
        let id = |payload: Value| id_of(Endpoint::TreeCover, &payload);
        let one = id(json!({ "aoi": { "type": "admin", "ids": ["BRA"] }, "canopy_cover": 30 }));
        assert_eq!(
            one,
            id(json!({ "canopy_cover": 30, "aoi": { "ids": ["BRA"], "type": "admin" } }))
        );
        assert_ne!(
            one,
            id(json!({ "canopy_cover": 50, "aoi": { "ids": ["BRA"], "type": "admin" } }))
        );
        let payload = json!({ "aoi": { "type": "admin", "ids": ["BRA"] } });
        assert_ne!(
            id_of(Endpoint::NaturalLands, &payload),
            id_of(Endpoint::LandCoverChange, &payload)
        );
    }

    #[test]
    fn only_the_latest_analyses_are_kept() {
        let resources = Resources::default();
        let id = |n: usize| id_of(Endpoint::TreeCover, &json!({ "n": n }));
        for n in 0..=MAX_KEPT {
            resources.insert(
                id(n),
                Endpoint::TreeCover,
                Outcome::Failed("no".to_owned()),
                Duration::ZERO,
            );
        }
        assert!(resources.get(id(0)).is_none());
        assert!(resources.get(id(1)).is_some() && resources.get(id(MAX_KEPT)).is_some());
    }
}
