//! A small catalogue chosen from a large one, the same on every machine.
//!
//! Departments take turns, each giving its next object in the order of a digest of the id, so that all
//! departments appear and the choice does not depend on the order of the file.

use std::collections::{BTreeMap, BTreeSet};

use periplus_collection::text;
use sha2::{Digest as _, Sha256};

/// Name and version of the choice.
pub(super) const ALGORITHM: &str = "fixture/1";

/// An object that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The object.
    pub object_id: u64,
    /// Its department; empty if it has none.
    pub department: String,
    /// Whether it has a usable vector.
    pub has_vector: bool,
}

/// Chosen ids, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fixture {
    /// All chosen objects.
    pub records: BTreeSet<u64>,
    /// Those chosen with their vector.
    pub vectors: BTreeSet<u64>,
}

/// Chooses `vector_count` objects with a vector and others without, `record_count` in all, or what there is.
#[must_use]
pub fn choose(candidates: &[Candidate], record_count: usize, vector_count: usize) -> Fixture {
    let (with, without): (Vec<&Candidate>, Vec<&Candidate>) =
        candidates.iter().partition(|candidate| candidate.has_vector);
    let vectors: BTreeSet<u64> = round_robin(&with, vector_count.min(record_count)).collect();
    let others = round_robin(&without, record_count.saturating_sub(vector_count));
    Fixture {
        records: vectors.iter().copied().chain(others).collect(),
        vectors,
    }
}

fn round_robin(candidates: &[&Candidate], count: usize) -> impl Iterator<Item = u64> {
    let mut departments: BTreeMap<(String, &str), Vec<(String, u64)>> = BTreeMap::new();
    for candidate in candidates {
        let department = candidate.department.as_str();
        departments
            .entry((text::norm(department), department))
            .or_default()
            .push((key(candidate.object_id), candidate.object_id));
    }
    let mut queues: Vec<Vec<(String, u64)>> = departments.into_values().collect();
    for queue in &mut queues {
        queue.sort_unstable();
    }
    let longest = queues.iter().map(Vec::len).max().unwrap_or(0);
    let turns: Vec<u64> = (0..longest)
        .flat_map(|turn| {
            queues
                .iter()
                .filter_map(move |queue| queue.get(turn).map(|(_key, id)| *id))
        })
        .take(count)
        .collect();
    turns.into_iter()
}

fn key(object_id: u64) -> String {
    hex::encode(Sha256::digest(format!("met-fixture-v1\n{object_id}")))
}
