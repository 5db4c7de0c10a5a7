//! One file per tool.

mod example;

pub(crate) use example::example;
