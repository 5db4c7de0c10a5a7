//! Toolsets of a cluster: found, followed, and told as outdated when they can be followed no more.

use std::time::{Duration, Instant};

use axum::response::IntoResponse as _;
use periplus_runtime::directory::{Cluster, DirectoryError, Index, Place, Source};
use serde_json::json;

use super::{
    connected,
    fake::{FakeCluster, Mood},
    healthy, install_tls, options, serve_fake, start, statuses, wait_for,
};
use crate::support::TestServer;

const PUBLIC: &str = "https://tools.example.org";

/// Waits until something has happened that the directory does not show.
async fn until(what: &str, happened: impl Fn() -> bool) {
    let end = Instant::now() + super::PATIENCE;
    while !happened() {
        assert!(Instant::now() < end, "it never happened: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn with_hello() -> (FakeCluster, TestServer, std::net::SocketAddr) {
    let cluster = FakeCluster::start().await;
    let (hello, _) = healthy("127.0.0.2", &["hello"], &[]).await;
    cluster.apply("hello", hello);
    let server = start(cluster.source(), &options(Some(PUBLIC)));
    wait_for(&server, |document| statuses(document) == ["hello=ok"]).await;
    (cluster, server, hello)
}

#[tokio::test]
async fn labelled_services_are_listed_under_their_public_address() {
    let (cluster, server, _) = with_hello().await;
    let document = server.get("/").await.json();
    let url = "https://tools.example.org/hello/mcp";
    assert_eq!(
        document,
        json!({
            "connections": { "hello": { "transport": "streamable_http", "url": url } },
            "toolsets": [{
                "name": "hello", "url": url, "status": "ok", "tools": ["hello"], "credential_headers": [],
                "state": { "produces": [], "not_authored": [] },
            }],
        })
    );
    let list = &cluster.asked()[0];
    assert_eq!(
        list.query,
        [("labelSelector".to_owned(), "mcp-toolsets/toolset".to_owned())].into()
    );
    assert_eq!(list.authorization.as_deref(), Some("Bearer first-token"));
    until("a watch", || cluster.watches() == 1).await;
    let watch = cluster.asked().remove(1);
    assert_eq!(watch.query["resourceVersion"], "101");
    assert_eq!(watch.query["labelSelector"], "mcp-toolsets/toolset");
}

#[tokio::test]
async fn what_is_deployed_moved_or_removed_is_seen_by_the_watch() {
    let (cluster, server, hello) = with_hello().await;
    until("a watch", || cluster.watches() == 1).await;
    let (met, _) = healthy("127.0.0.3", &["rank"], &[]).await;
    cluster.apply("met", met);
    wait_for(&server, |document| statuses(document) == ["hello=ok", "met=ok"]).await;
    let (moved, _) = healthy("127.0.0.3", &["rank", "select"], &[]).await;
    cluster.apply("met", moved);
    wait_for(&server, |document| {
        document["toolsets"][1]["tools"] == json!(["rank", "select"])
    })
    .await;
    cluster.delete(hello);
    let document = wait_for(&server, |document| statuses(document) == ["met=ok"]).await;
    assert_eq!(connected(&document), ["met"]);
    assert_eq!(
        (cluster.lists(), cluster.watches()),
        (1, 1),
        "one list and one watch were enough"
    );
}

#[tokio::test]
async fn a_watch_that_ends_goes_on_from_where_it_was() {
    let (cluster, server, _) = with_hello().await;
    until("a watch", || cluster.watches() == 1).await;
    cluster.set_mood(Mood::Fine);
    until("a second watch", || cluster.watches() == 2).await;
    assert_eq!(cluster.lists(), 1);
    let (met, _) = healthy("127.0.0.3", &["rank"], &[]).await;
    cluster.apply("met", met);
    wait_for(&server, |document| statuses(document) == ["hello=ok", "met=ok"]).await;
}

#[tokio::test]
async fn a_version_that_is_too_old_leads_to_a_new_list() {
    for mood in [Mood::ForgetsVersions, Mood::RefusesToWatch(410)] {
        let (cluster, server, _) = with_hello().await;
        until("a watch", || cluster.watches() == 1).await;
        cluster.set_mood(mood);
        let (met, _) = healthy("127.0.0.3", &["rank"], &[]).await;
        cluster.apply("met", met);
        let document = wait_for(&server, |document| statuses(document) == ["hello=ok", "met=ok"]).await;
        assert!(cluster.lists() >= 2, "{mood:?}");
        assert_eq!(document.get("stale_seconds"), None, "a new list is no outage");
    }
}

#[tokio::test]
async fn without_the_right_to_watch_the_list_is_read_again_and_again() {
    let cluster = FakeCluster::start().await;
    cluster.set_mood(Mood::RefusesToWatch(403));
    let (hello, _) = healthy("127.0.0.2", &["hello"], &[]).await;
    cluster.apply("hello", hello);
    let server = start(cluster.source(), &options(Some(PUBLIC)));
    wait_for(&server, |document| statuses(document) == ["hello=ok"]).await;
    let (met, _) = healthy("127.0.0.3", &["rank"], &[]).await;
    cluster.apply("met", met);
    let document = wait_for(&server, |document| statuses(document) == ["hello=ok", "met=ok"]).await;
    assert_eq!(document.get("stale_seconds"), None);
    until("three lists", || cluster.lists() >= 3).await;
    assert_eq!(cluster.watches(), 1, "a refusal is not asked for twice");
}

#[tokio::test]
async fn a_rotated_token_is_read_again_when_the_old_one_is_refused() {
    let (cluster, server, _) = with_hello().await;
    until("a watch", || cluster.watches() == 1).await;
    cluster.rotate_token("second-token");
    cluster.set_mood(Mood::Fine);
    until("a watch with the new token", || {
        let last = cluster.asked().pop().unwrap();
        last.is_watch() && last.authorization.as_deref() == Some("Bearer second-token")
    })
    .await;
    let document = server.get("/").await.json();
    assert_eq!(
        document.get("stale_seconds"),
        None,
        "nobody has noticed: {document}"
    );
}

#[tokio::test]
async fn a_token_is_read_again_after_a_while_even_if_it_still_works() {
    let cluster = FakeCluster::start().await;
    cluster.set_mood(Mood::RefusesToWatch(403));
    let source = cluster.source_with_token_of(Duration::from_millis(1));
    let _server = start(source, &options(Some(PUBLIC)));
    until("a list", || cluster.lists() >= 1).await;
    cluster.rotate_token("second-token");
    until("a list with the new token", || {
        cluster.asked().pop().unwrap().authorization.as_deref() == Some("Bearer second-token")
    })
    .await;
}

#[tokio::test]
async fn an_outage_of_the_api_server_is_told_with_its_age_and_passes() {
    for outage in [Mood::Fails(500), Mood::Fails(401), Mood::Hangs] {
        let (cluster, server, _) = with_hello().await;
        until("a watch", || cluster.watches() == 1).await;
        cluster.set_mood(outage);
        let document = wait_for(&server, |document| document["stale_seconds"].is_u64()).await;
        assert_eq!(connected(&document), ["hello"], "what was known is still told");
        let ready = server.get("/health/readiness").await;
        assert_eq!(ready.status, 200, "an outdated directory is better than none");
        let page = server.send("GET", "/", &[("accept", "text/html")], b"").await;
        assert!(page.text().contains("may be outdated"), "{}", page.text());
        cluster.set_mood(Mood::Fine);
        wait_for(&server, |document| document.get("stale_seconds").is_none()).await;
    }
}

#[tokio::test]
async fn until_the_first_answer_there_is_no_directory_and_the_process_is_alive() {
    let cluster = FakeCluster::start().await;
    cluster.set_mood(Mood::Fails(503));
    let server = start(cluster.source(), &options(Some(PUBLIC)));
    let reply = server.get("/").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    assert_eq!(reply.json()["error"], "starting");
    assert_eq!(server.get("/health").await.json(), json!({ "status": "ok" }));
    let ready = server.get("/health/readiness").await;
    assert_eq!(
        (ready.status, ready.json()),
        (503, json!({ "status": "starting" }))
    );
    cluster.set_mood(Mood::Fine);
    let document = wait_for(&server, |_| true).await;
    assert_eq!(
        document,
        json!({ "connections": {}, "toolsets": [] }),
        "no toolset is an answer too"
    );
}

#[tokio::test]
async fn the_token_reaches_the_api_server_and_nobody_else() {
    let cluster = FakeCluster::start().await;
    let (hello, asked) = healthy("127.0.0.2", &["hello"], &[]).await;
    let (elsewhere, strayed) = serve_fake("127.0.0.1", |_, _| axum::Json(json!({})).into_response()).await;
    cluster.apply("hello", hello);
    let server = start(cluster.source(), &options(Some(PUBLIC)));
    wait_for(&server, |document| statuses(document) == ["hello=ok"]).await;
    cluster.set_mood(Mood::Redirects(elsewhere));
    wait_for(&server, |document| document["stale_seconds"].is_u64()).await;
    assert!(strayed.lock().unwrap().is_empty(), "a redirect is not followed");
    let asked = asked.lock().unwrap();
    assert!(!asked.is_empty());
    assert!(
        asked
            .iter()
            .all(|(_, headers)| !headers.contains_key("authorization"))
    );
}

#[tokio::test]
async fn a_cluster_needs_an_account_and_a_public_address() {
    install_tls();
    let cluster = FakeCluster::start().await;
    let error = Index::start(cluster.source(), &options(None)).unwrap_err();
    assert!(matches!(error, DirectoryError::NoPublicUrl), "{error}");
    let server = || "https://kubernetes.default.svc".parse().unwrap();
    let folder = cluster.token_file().parent().unwrap().to_owned();
    std::fs::write(folder.join("namespace"), "../kube-system").unwrap();
    let error = Cluster::of_account(&folder, server()).unwrap_err();
    assert!(matches!(error, DirectoryError::Namespace { .. }), "{error}");
    std::fs::write(folder.join("namespace"), "tools").unwrap();
    std::fs::write(folder.join("ca.crt"), "no certificate").unwrap();
    let source = Source::Kubernetes(Box::new(Cluster::of_account(&folder, server()).unwrap()));
    let error = Index::start(source, &options(Some(PUBLIC))).unwrap_err();
    assert!(matches!(error, DirectoryError::Certificates { .. }), "{error}");
    std::fs::remove_file(cluster.token_file()).unwrap();
    let error = Cluster::of_account(&folder, server()).unwrap_err().to_string();
    assert!(error.contains("/token"), "{error}");
    let place = Place::new("a", "http://h").unwrap();
    let error = Index::start(Source::Fixed(vec![place.clone(), place]), &options(None)).unwrap_err();
    assert!(matches!(error, DirectoryError::DuplicatePlace { .. }), "{error}");
}
