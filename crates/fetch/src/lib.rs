//! Requests to other people's services: bounded in time and size, and only to the host they were meant for.
//!
//! ```no_run
//! use periplus_fetch::{Fetcher, Options};
//!
//! # async fn ask() -> Result<(), periplus_fetch::FetchError> {
//! let service = Fetcher::new(Options::new("my-toolset/1.0"));
//! let url = "https://stac.example.org/v1/collections".parse().expect("it is a URL");
//! let reply = service.send(service.client(&url)?.get(url), 4 << 20).await?;
//! # let _ = (reply.status, reply.body);
//! # Ok(())
//! # }
//! ```
//!
//! A client is made at the first request, so a machine without CA certificates can list tools, and can speak plain HTTP.

#![warn(missing_docs)]

mod error;
mod fetcher;
mod reply;

pub use crate::{
    error::{FetchError, root_cause},
    fetcher::{Fetcher, Options, is_this_machine},
    reply::{Reply, body},
};
