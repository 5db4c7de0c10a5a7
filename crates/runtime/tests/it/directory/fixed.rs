//! A directory of a fixed list: who is reachable, what people see, what slow and dead toolsets do.

use std::time::{Duration, Instant};

use axum::response::IntoResponse as _;
use http::{StatusCode, header};
use periplus_runtime::directory::{Index, IndexOptions, Place, Source};
use periplus_runtime::server::{Server, ServerConfig};
use serde_json::json;

use super::{connected, healthy, install_tls, options, serve_fake, start, statuses, wait_for};
use crate::support::{TestServer, local, probe};

fn list(places: &[(&str, String)]) -> Source {
    Source::Fixed(
        places
            .iter()
            .map(|(name, url)| Place::new(name, url).unwrap())
            .collect(),
    )
}

fn at(address: std::net::SocketAddr) -> String {
    format!("http://{address}")
}

#[tokio::test]
async fn real_servers_are_listed_with_what_they_declare() {
    let toolset = TestServer::start(probe().0);
    let source = list(&[("probe", format!("http://{}/mcp", toolset.address))]);
    let server = start(source, &options(None));
    let document = wait_for(&server, |document| statuses(document) == ["probe=ok"]).await;
    let own = toolset.get("/health").await.json();
    let entry = &document["toolsets"][0];
    for key in ["tools", "credential_headers", "state"] {
        assert_eq!(entry[key], own[key], "{key}");
    }
    assert_eq!(entry["url"], format!("http://{}/mcp", toolset.address));
}

#[tokio::test]
async fn toolsets_that_cannot_be_reached_are_listed_and_left_out_of_the_connections() {
    let (fine, _) = healthy("127.0.0.1", &["a"], &[]).await;
    let slow = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (failing, _) = serve_fake("127.0.0.1", |_, _| {
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    })
    .await;
    let (page, _) = serve_fake("127.0.0.1", |_, _| "<html>hello</html>".into_response()).await;
    let (odd, _) = serve_fake("127.0.0.1", |_, _| {
        axum::Json(json!({ "tools": 5 })).into_response()
    })
    .await;
    let (huge, _) = serve_fake("127.0.0.1", |_, _| {
        axum::Json(json!({ "status": "x".repeat(2 * 1024 * 1024) })).into_response()
    })
    .await;
    let target = at(fine);
    let (away, _) = serve_fake("127.0.0.1", move |_, _| {
        (
            StatusCode::FOUND,
            [(header::LOCATION, format!("{target}/health"))],
        )
            .into_response()
    })
    .await;
    let source = list(&[
        ("fine", at(fine)),
        ("dead", "http://127.0.0.1:9".to_owned()),
        ("slow", at(slow.local_addr().unwrap())),
        ("failing", at(failing)),
        ("page", at(page)),
        ("odd", at(odd)),
        ("huge", at(huge)),
        ("away", at(away)),
    ]);
    let server = start(source, &options(None));
    let expected = [
        "away=unreachable",
        "dead=unreachable",
        "failing=unreachable",
        "fine=ok",
        "huge=unreachable",
        "odd=unreachable",
        "page=unreachable",
        "slow=unreachable",
    ];
    let document = wait_for(&server, |document| statuses(document) == expected).await;
    assert_eq!(connected(&document), ["fine"]);
    assert_eq!(document["toolsets"][1]["tools"], json!([]));
}

#[tokio::test]
async fn a_slow_toolset_never_slows_a_reader_down() {
    let (fine, _) = healthy("127.0.0.1", &["a"], &[]).await;
    let slow = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let source = list(&[("fine", at(fine)), ("slow", at(slow.local_addr().unwrap()))]);
    let server = start(source, &options(None));
    wait_for(&server, |_| true).await;
    // From now on a round of checks is always under way; readers who waited for it would need a minute.
    let began = Instant::now();
    for _ in 0..30 {
        assert_eq!(server.get("/").await.status, 200);
    }
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_toolset_that_comes_up_or_goes_down_changes_its_status() {
    let toolset = TestServer::start(probe().0);
    let port = toolset.address.port();
    let server = start(list(&[("probe", at(toolset.address))]), &options(None));
    wait_for(&server, |document| connected(document) == ["probe"]).await;
    drop(toolset);
    wait_for(&server, |document| statuses(document) == ["probe=unreachable"]).await;
    let config = ServerConfig { port, ..local() };
    let _again = TestServer::start_with(config, vec![probe().0]);
    wait_for(&server, |document| statuses(document) == ["probe=ok"]).await;
}

#[tokio::test]
async fn many_readers_ask_a_toolset_no_more_often_than_one() {
    let (fine, asked) = healthy("127.0.0.1", &["a"], &[]).await;
    let rare = IndexOptions {
        refresh: Duration::from_secs(600),
        ..options(None)
    };
    let server = start(list(&[("fine", at(fine))]), &rare);
    wait_for(&server, |_| true).await;
    let readers = (0..50).map(|_| server.get("/"));
    for reply in futures::future::join_all(readers).await {
        assert_eq!(reply.status, 200);
    }
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_public_address_stands_before_every_toolset_and_lets_its_host_pass() {
    let (fine, _) = healthy("127.0.0.1", &["a"], &[]).await;
    install_tls();
    let options = options(Some("https://mcp.example.org/tools/"));
    let config = ServerConfig {
        public_url: options.public_url.clone(),
        path_prefix: "/tools".to_owned(),
        ..local()
    };
    let index = Index::start(list(&[("fine", at(fine))]), &options).unwrap();
    let server = TestServer::run(Server::index(config, index).unwrap());
    // The route without the prefix is for probes only.
    assert_eq!(server.get("/").await.status, 404);
    let end = Instant::now() + super::PATIENCE;
    let document = loop {
        let reply = server
            .send("GET", "/tools", &[("host", "mcp.example.org")], b"")
            .await;
        if reply.status == 200 {
            break reply.json();
        }
        assert!(Instant::now() < end);
    };
    assert_eq!(
        document["connections"]["fine"]["url"],
        "https://mcp.example.org/tools/fine/mcp"
    );
    for path in [
        "/tools/",
        "/tools/docs",
        "/tools/openapi.json",
        "/health",
        "/tools/health",
        "/metrics",
    ] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn strangers_are_refused_and_what_toolsets_say_is_escaped() {
    let (evil, _) = healthy("127.0.0.1", &["<script>alert(1)</script>"], &["x-\"><b>"]).await;
    let server = start(list(&[("evil", at(evil))]), &options(None));
    wait_for(&server, |_| true).await;
    for path in ["/", "/docs", "/openapi.json"] {
        let reply = server
            .send("GET", path, &[("host", "evil.example.com")], b"")
            .await;
        assert_eq!(reply.status, 403, "{path}");
    }
    let page = server.send("GET", "/", &[("accept", "text/html")], b"").await;
    assert!(
        page.text().contains("&lt;script&gt;") && !page.text().contains("<script"),
        "{}",
        page.text()
    );
    assert!(page.text().contains("x-&quot;&gt;&lt;b&gt;"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert_eq!(server.send("POST", "/", &[], b"").await.status, 405);
    assert_eq!(
        server.get("/evil/mcp").await.status,
        404,
        "calls go to the toolset itself"
    );
}
