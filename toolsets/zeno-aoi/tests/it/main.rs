//! `zeno-aoi` as its callers see it.

mod chain;
mod contract;
mod database;
mod postgis;
mod sets;
