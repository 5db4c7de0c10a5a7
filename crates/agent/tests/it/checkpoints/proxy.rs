//! A way to a server that can be cut and mended: to its clients, the server goes down and comes up again.

use std::net::SocketAddr;

use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tokio_util::task::AbortOnDropHandle;

/// Forwards connections while it is up.
pub(crate) struct Proxy {
    target: SocketAddr,
    pub(crate) here: SocketAddr,
    running: Option<AbortOnDropHandle<()>>,
}

impl Proxy {
    pub(crate) async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self {
            target,
            here: listener.local_addr().unwrap(),
            running: Some(forward(listener, target)),
        }
    }

    /// Ends all connections and takes no new ones.
    pub(crate) async fn cut(&mut self) {
        let running = self.running.take().expect("it is up");
        running.abort();
        assert!(running.await.unwrap_err().is_cancelled());
    }

    /// Takes connections again, at the same port.
    pub(crate) async fn mend(&mut self) {
        let listener = TcpListener::bind(self.here).await.unwrap();
        self.running = Some(forward(listener, self.target));
    }
}

fn forward(listener: TcpListener, target: SocketAddr) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        // Dropped with the task that accepts, and with it every connection.
        let mut connections = JoinSet::new();
        while let Ok((mut client, _)) = listener.accept().await {
            connections.spawn(async move {
                let mut server = TcpStream::connect(target).await?;
                tokio::io::copy_bidirectional(&mut client, &mut server).await
            });
        }
    }))
}
