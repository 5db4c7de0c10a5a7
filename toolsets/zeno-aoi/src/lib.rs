//! From the name of a place to an area with an id, a source and a shape.
