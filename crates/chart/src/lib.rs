//! Charts as data: their shape, the labels and units of their columns, and their rendering as SVG and CSV.
//!
//! A [`Chart`] is what tools publish and views draw: a title, a kind, rows of its own, and which columns mean what. It
//! holds everything needed to draw it, so the same object makes a picture in a browser, in a file and in a test.

#![warn(missing_docs)]

mod chart;
mod label;
mod number;
mod series;
mod svg;
mod table;

pub use chart::{Chart, DivergentColors, Kind, Row};
pub use label::{is_hidden, is_time, label, unit};
pub use number::{grouped, short};
