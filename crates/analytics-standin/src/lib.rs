//! Published forest statistics behind the HTTP contract of the analytics service, for machines without a network.
//!
//! Nothing here computes on images: rows of published files and recorded results are looked up by area. What is not
//! held is a failed analysis that names what is, never a zero: a zero is a statement about a forest.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let server = periplus_analytics_standin::start(Default::default()).await?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]
#![cfg_attr(
    test,
    expect(
        clippy::needless_pass_by_value,
        reason = "json!(…) reads best where it stands"
    )
)]

mod answer;
mod endpoint;
mod holdings;
mod http;
mod request;
mod resource;
mod sheet;
mod source;
mod table;

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use tokio::{net::TcpListener, task::JoinHandle};

/// Where to listen, and how long an analysis seems to take.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address to listen on; port 0 takes a free one.
    pub address: SocketAddr,
    /// How long a new analysis stays pending; nothing is computed meanwhile.
    pub delay: Duration,
}

impl Default for Options {
    /// A free loopback port, no delay.
    fn default() -> Self {
        Self {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            delay: Duration::ZERO,
        }
    }
}

/// A running stand-in; dropping it stops it.
#[derive(Debug)]
pub struct Server {
    url: String,
    task: JoinHandle<io::Result<()>>,
}

impl Server {
    /// The root URL, without a final slash.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits until the server ends, which it does only by failing.
    ///
    /// # Errors
    /// Why it ended.
    pub async fn ended(mut self) -> io::Result<()> {
        (&mut self.task).await.map_err(io::Error::other)?
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts to serve on the current async runtime.
///
/// # Errors
/// The address cannot be listened on.
pub async fn start(options: Options) -> io::Result<Server> {
    let listener = TcpListener::bind(options.address).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let router = http::router(url.clone(), options.delay);
    let task = tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(Server { url, task })
}
