//! Evaluated selections, and the two most recent of them kept.

use std::sync::{Arc, Mutex, PoisonError};

use fixedbitset::FixedBitSet;

use crate::{
    predicate::Evaluation,
    receipt::{Policy, Receipt},
};

/// How many selections are kept. A cache hit changes nothing but the time an answer takes.
pub const CACHED_SELECTIONS: usize = 2;

/// The objects of a receipt.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) receipt: Receipt,
    pub(crate) eligible: FixedBitSet,
    pub(crate) eligible_count: usize,
    /// Rows the predicate could not judge, whatever the policy.
    pub(crate) unknown_count: usize,
    /// Rows whose sources disagree, whatever the policy.
    pub(crate) conflicting_count: usize,
}

impl Selection {
    /// Applies the receipt's policies to an evaluation of its predicate.
    pub(crate) fn new(receipt: Receipt, evaluation: Evaluation) -> Self {
        let Evaluation {
            matched: mut eligible,
            unknown,
            conflict,
        } = evaluation;
        let policies = receipt.policies;
        for (policy, rows) in [(policies.unknown, &unknown), (policies.conflict, &conflict)] {
            match policy {
                Policy::Exclude => {}
                Policy::Include => eligible.union_with(rows),
            }
        }
        Self {
            eligible_count: eligible.count_ones(..),
            unknown_count: unknown.count_ones(..),
            conflicting_count: conflict.count_ones(..),
            receipt,
            eligible,
        }
    }
}

/// The most recently used selections, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    entries: Mutex<Vec<Arc<Selection>>>,
}

impl Cache {
    /// The selection of a receipt, evaluated outside the lock if it is not kept.
    pub(crate) fn find_or_add<E>(
        &self,
        receipt: Receipt,
        evaluate: impl FnOnce(Receipt) -> Result<Selection, E>,
    ) -> Result<Arc<Selection>, E> {
        if let Some(kept) = self.touch(&receipt) {
            return Ok(kept);
        }
        let selection = Arc::new(evaluate(receipt)?);
        self.add(Arc::clone(&selection));
        Ok(selection)
    }

    fn touch(&self, receipt: &Receipt) -> Option<Arc<Selection>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let position = entries.iter().position(|kept| kept.receipt == *receipt)?;
        let kept = entries.remove(position);
        entries.push(Arc::clone(&kept));
        Some(kept)
    }

    fn add(&self, selection: Arc<Selection>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|kept| kept.receipt != selection.receipt);
        if entries.len() == CACHED_SELECTIONS {
            entries.remove(0);
        }
        entries.push(selection);
    }
}
