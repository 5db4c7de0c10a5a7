//! The analytics service: what is asked of it, how, and what it answers.

mod analysis;
mod base;
mod client;
mod error;
mod read;
mod request;
mod table;
#[cfg(test)]
mod tests;
mod wait;

pub(crate) use self::{
    analysis::{Analysis, Metadata},
    client::Analytics,
    error::AnalyticsError,
    request::{Query, Request, asks_for_change},
    table::Table,
};
pub use self::{
    base::{Service, ServiceError, Stage},
    wait::Patience,
};
