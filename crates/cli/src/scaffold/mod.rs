//! New toolsets and new workspaces, written as a whole or not at all.
//!
//! A workspace of toolsets is a cargo workspace with a folder `toolsets` and a package `app` whose `main.rs` lists what
//! the binary ships. Nothing registers itself: a new toolset is a folder and one line in each of three lists.

mod change;
mod list;
mod name;
mod source;
mod template;
mod workspace;

pub(crate) use self::{change::Change, name::Name, source::Source, workspace::Workspace};
