//! An interactive session with a server: what is typed, what can be completed, what is known so far.
//!
//! A session handles values as an agent does: what a call publishes is kept under a key, and the next call takes it by
//! handle. So a person can walk the way that a model would walk.

mod complete;
mod input;
mod line;
mod session;

pub(crate) use self::{
    complete::Vocabulary,
    input::{Input, Next},
    line::Line,
    session::{Prepared, Session, Step},
};
