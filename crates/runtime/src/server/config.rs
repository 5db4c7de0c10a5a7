//! What an operator decides about a server.

use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use periplus_toolset::Secret;
use url::Url;

/// Where a server listens, who may reach it, and its bounds.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Address to listen on; a loopback address listens on both loopback families. 127.0.0.1 unless set.
    pub host: IpAddr,
    /// Port to listen on, 0 for any free one. 8000 unless set.
    pub port: u16,
    /// The address clients use when it differs from the one listened on (a proxy, an ingress); its host and
    /// origin are accepted, and the directory's links start with it.
    pub public_url: Option<Url>,
    /// Path in front of every route, such as `/tools`; empty for none.
    pub path_prefix: String,
    /// `Host` values accepted beside loopback names and `public_url`; with or without a port, `*` for all.
    pub allowed_hosts: Vec<String>,
    /// `Origin` values accepted beside loopback origins and `public_url`; without a port only the scheme's
    /// default port, `:*` for any port, `*` for all origins.
    pub allowed_origins: Vec<String>,
    /// Bounds on what one client can ask for.
    pub limits: ServerLimits,
    /// How many processes serve under one address. 1; with more, what one process keeps in memory is not offered:
    /// tasks, and questions on the streams of legacy clients.
    pub replicas: u32,
    /// Signs the state that clients carry between the rounds of a call; the same on all replicas. Random unless set,
    /// and then a restart ends unanswered questions.
    pub state_key: Option<Secret>,
    /// How long running calls may take to finish once the server is told to stop. 10 s unless set.
    pub drain: Duration,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 8000,
            public_url: None,
            path_prefix: String::new(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            limits: ServerLimits::default(),
            replicas: 1,
            state_key: None,
            drain: Duration::from_secs(10),
        }
    }
}

/// Bounds of a server; beyond each of them the client gets an answer that names the limit.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Largest request body in bytes. 4 MiB: areas of interest are the largest arguments in practice.
    pub max_body_bytes: usize,
    /// Requests served at once over all toolsets; more are answered 503. 256.
    pub max_concurrent_requests: usize,
    /// Open connections; more wait to be accepted. 4,096.
    pub max_connections: usize,
    /// Longest run of one call, whatever its tool declares. 5 minutes.
    pub request_timeout: Duration,
    /// Longest run of a call that became a task, whatever its tool declares. 1 hour.
    pub task_timeout: Duration,
    /// Tasks kept at once per toolset, until an hour after they began. 256.
    pub max_tasks: usize,
    /// Streams of news open at once over all toolsets. 1,024.
    pub max_listeners: usize,
    /// Longest time to receive a body. 30 s.
    pub body_timeout: Duration,
    /// Longest time to receive a request's headers, idle time of a kept connection included. 60 s.
    pub header_timeout: Duration,
    /// Largest result in bytes, whatever its tool declares. 10 MiB.
    pub max_result_bytes: usize,
    /// A call that runs longer than this is answered as an event stream, which can be kept alive. 5 s.
    pub stream_after: Duration,
    /// Pause between the comments that keep an event stream alive. 15 s.
    pub keep_alive: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            max_body_bytes: 4 * 1024 * 1024,
            max_concurrent_requests: 256,
            max_connections: 4096,
            request_timeout: Duration::from_secs(300),
            task_timeout: Duration::from_secs(3600),
            max_tasks: 256,
            max_listeners: 1024,
            body_timeout: Duration::from_secs(30),
            header_timeout: Duration::from_secs(60),
            max_result_bytes: 10 * 1024 * 1024,
            stream_after: Duration::from_secs(5),
            keep_alive: Duration::from_secs(15),
        }
    }
}
