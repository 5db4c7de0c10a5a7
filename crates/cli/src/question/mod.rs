//! Questions that a tool asks its user: the form, the lines that fill it, the answers a command line brings along.

mod asker;
mod form;

pub(crate) use self::{
    asker::Asker,
    form::{Field, fields, fill},
};

/// Most rounds of questions that one call is followed through.
pub(crate) const MAX_ROUNDS: usize = 10;
