//! Which guards stood around a program, for whoever has to know how far to trust the machine it ran on.

use serde::{Deserialize, Serialize};

/// Whether one guard stood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Guard {
    /// It stood.
    Enforced,
    /// It stood in part: the kernel does not know all of it.
    Partial(String),
    /// It did not stand, with the reason.
    Unavailable(String),
}

impl Guard {
    /// A guard that stands if `result` is fine.
    pub(crate) fn of<E: ToString>(result: Result<(), E>) -> Self {
        match result {
            Ok(()) => Self::Enforced,
            Err(error) => Self::Unavailable(error.to_string()),
        }
    }
}

/// The guards around one program.
///
/// The languages themselves offer neither files nor network; these guards hold if an interpreter has a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Memory is counted; without it only the address space bounds it.
    pub memory: Guard,
    /// Descriptors other than the three pipes are closed.
    pub descriptors: Guard,
    /// Limits on address space, processor time, descriptors, file sizes and processes.
    pub resources: Guard,
    /// No program started from here can gain privileges.
    pub privileges: Guard,
    /// No path can be opened, no port bound or connected.
    pub files: Guard,
    /// Only the system calls that computing needs are let through.
    pub system_calls: Guard,
}

impl Confinement {
    /// The guards that do not fully stand, each as `name: reason`.
    #[must_use]
    pub fn gaps(&self) -> Vec<String> {
        let guards = [
            ("memory", &self.memory),
            ("descriptors", &self.descriptors),
            ("resources", &self.resources),
            ("privileges", &self.privileges),
            ("files", &self.files),
            ("system calls", &self.system_calls),
        ];
        guards
            .into_iter()
            .filter_map(|(name, guard)| match guard {
                Guard::Enforced => None,
                Guard::Partial(reason) => Some(format!("{name}: only in part ({reason})")),
                Guard::Unavailable(reason) => Some(format!("{name}: unavailable ({reason})")),
            })
            .collect()
    }
}
