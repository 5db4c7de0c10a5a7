//! One file per tool.

mod hello;

pub(crate) use hello::hello;
