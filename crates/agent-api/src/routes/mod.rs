//! One file for each kind of thing that has an address.

pub(crate) mod connections;
pub(crate) mod docs;
pub(crate) mod health;
pub(crate) mod runs;
pub(crate) mod threads;
pub(crate) mod views;
