//! The API server is known by the certificates of the service account, and gets the token only if it is.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use periplus_runtime::directory::{Cluster, Source};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use super::{install_tls, options, start, wait_for};

/// What came to the server.
#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    requests: AtomicUsize,
}

/// An API server of an empty namespace, behind the certificate for `localhost`.
async fn serve() -> (SocketAddr, Arc<Seen>) {
    install_tls();
    let certificates = CertificateDer::pem_slice_iter(include_bytes!("../../tls/server.crt"));
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../../tls/server.key")).unwrap();
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(certificates.collect::<Result<_, _>>().unwrap(), key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Seen::default());
    let log = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            log.connections.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(answer(acceptor.clone(), stream, Arc::clone(&log)));
        }
    });
    (address, seen)
}

/// Answers one list request; a peer that does not trust the certificate never gets here.
async fn answer(acceptor: TlsAcceptor, stream: TcpStream, seen: Arc<Seen>) {
    let Ok(mut stream) = acceptor.accept(stream).await else {
        return;
    };
    let mut buffer = [0; 8192];
    let Ok(read) = stream.read(&mut buffer).await else {
        return;
    };
    let request = String::from_utf8_lossy(&buffer[..read]).to_ascii_lowercase();
    if request.contains("authorization: bearer the-token") {
        seen.requests.fetch_add(1, Ordering::SeqCst);
    }
    let body =
        json!({ "kind": "ServiceList", "metadata": { "resourceVersion": "1" }, "items": [] }).to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn source(folder: &Path, address: SocketAddr, authority: &str) -> Source {
    std::fs::write(folder.join("token"), "the-token").unwrap();
    std::fs::write(folder.join("namespace"), "tools").unwrap();
    std::fs::write(folder.join("ca.crt"), authority).unwrap();
    let server = format!("https://localhost:{}", address.port()).parse().unwrap();
    Source::Kubernetes(Box::new(Cluster::of_account(folder, server).unwrap()))
}

#[tokio::test]
async fn the_authority_of_the_account_vouches_for_the_api_server() {
    let (address, seen) = serve().await;
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path(), address, include_str!("../../tls/ca.crt"));
    let server = start(source, &options(Some("https://tools.example.org")));
    let document = wait_for(&server, |_| true).await;
    assert_eq!(document, json!({ "connections": {}, "toolsets": [] }));
    assert!(seen.requests.load(Ordering::SeqCst) >= 1);
}

#[tokio::test]
async fn an_api_server_that_nobody_vouches_for_never_sees_the_token() {
    let (address, seen) = serve().await;
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path(), address, include_str!("../../tls/other.crt"));
    let server = start(source, &options(Some("https://tools.example.org")));
    let end = Instant::now() + super::PATIENCE;
    while seen.connections.load(Ordering::SeqCst) < 2 {
        assert!(Instant::now() < end, "it is tried again");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(seen.requests.load(Ordering::SeqCst), 0);
    assert_eq!(server.get("/").await.status, 503);
}
