//! `zeno-aoi` as its callers see it.

mod catalogues;
mod choices;
mod contract;
mod database;
mod documents;
mod limits;
mod names;
mod postgis;
mod sets;
mod units;
mod world;
