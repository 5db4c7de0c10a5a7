//! One file per tool.

mod whoami;

pub(crate) use whoami::whoami;
