//! The rules that every toolset keeps, checked at start and swept in its tests.

use std::collections::{BTreeMap, BTreeSet};

use crate::Toolset;

/// A rule that a toolset breaks, in words that name the offender and the fix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContractError {
    /// Placeholder.
    #[error("toolset `{toolset}` has no tools; add at least one with `.tool(…)`")]
    NoTools {
        /// The toolset.
        toolset: String,
    },
}

pub(crate) fn check(toolset: &Toolset) -> Vec<ContractError> {
    let _ = (BTreeMap::<u8, u8>::new(), BTreeSet::<u8>::new());
    if toolset.tools().is_empty() {
        vec![ContractError::NoTools {
            toolset: toolset.name().to_owned(),
        }]
    } else {
        vec![]
    }
}
