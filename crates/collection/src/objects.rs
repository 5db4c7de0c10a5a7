//! Batches of objects by id.

use std::collections::HashSet;
use std::hash::Hash;

use crate::{Budget, Collection, Error, snapshot::StoredObject};

/// Ids of one batch.
pub const MAX_BATCH: usize = 100;

/// Objects of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectsPage {
    /// Those that exist, in the order asked for.
    pub objects: Vec<StoredObject>,
    /// Ids that the snapshot does not have; a normal result, not a failure.
    pub missing: Vec<u64>,
}

impl Collection {
    /// Reads a batch of 1 to [`MAX_BATCH`] distinct objects.
    ///
    /// # Errors
    /// Empty or too long batches, repeated or zero ids; an ended budget; a store that cannot be read.
    pub fn objects(&self, object_ids: &[u64], budget: &Budget<'_>) -> Result<ObjectsPage, Error> {
        check_batch("objectIds", object_ids)?;
        if object_ids.contains(&0) {
            return Err(Error::InvalidArgument {
                argument: "objectIds",
                problem: "holds 0; object ids are positive".into(),
            });
        }
        let mut page = ObjectsPage {
            objects: Vec::with_capacity(object_ids.len()),
            missing: Vec::new(),
        };
        for &id in object_ids {
            budget.check()?;
            match self.catalogue.object(id)? {
                Some(object) => page.objects.push(object),
                None => page.missing.push(id),
            }
        }
        Ok(page)
    }
}

/// Refuses empty and too long batches and repeated ids.
pub(crate) fn check_batch<T: Eq + Hash + std::fmt::Display>(
    argument: &'static str,
    ids: &[T],
) -> Result<(), Error> {
    let invalid = |problem| Error::InvalidArgument { argument, problem };
    if ids.is_empty() || ids.len() > MAX_BATCH {
        return Err(invalid(format!(
            "has {} ids; 1 to {MAX_BATCH} are allowed",
            ids.len()
        )));
    }
    let mut seen = HashSet::with_capacity(ids.len());
    match ids.iter().find(|id| !seen.insert(*id)) {
        None => Ok(()),
        Some(repeated) => Err(invalid(format!("repeats {repeated}; give each id once"))),
    }
}
