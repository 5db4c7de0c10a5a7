//! `stac-explorer` in process, against a catalogue and a tiler that misbehave in every way they can.

mod contract;
mod map;
mod search;
mod upstream;
