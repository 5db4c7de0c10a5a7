//! The six tools, one file each.

mod capabilities;
mod evidence;
mod facets;
mod objects;
mod rank;
mod select;

pub(crate) use capabilities::collection_capabilities;
pub(crate) use evidence::collection_evidence;
pub(crate) use facets::collection_facets;
pub(crate) use objects::collection_objects;
pub(crate) use rank::collection_rank;
pub(crate) use select::collection_select;
