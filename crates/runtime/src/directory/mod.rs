//! Which toolsets there are, where they are, and how they are doing.
//!
//! `document` has the documents that servers write and clients read. `Index` finds toolsets (a fixed list, or the
//! Services of a Kubernetes namespace), asks each how it is, and keeps the answer; it serves nothing itself.

mod document;
mod error;
mod health;
mod index;
mod kubernetes;
mod place;

pub(crate) use self::document::HealthDocument;
pub use self::{
    document::{
        Declarations, Endpoint, IndexDocument, NotAuthored, Produced, StateDeclarations, ToolsetEntry,
    },
    error::DirectoryError,
    index::{Index, IndexOptions, Source},
    kubernetes::{Cluster, ClusterTiming},
    place::Place,
};
