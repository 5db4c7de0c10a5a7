//! What a program sees that speaks HTTP to the server.

use std::time::Duration;

use e2e::Periplus;
use serde_json::{Value, json};

fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .tls_certs_only([])
        .no_proxy()
        .build()
        .expect("a client without TLS roots builds")
}

async fn get(url: String) -> (u16, Value) {
    let response = client()
        .get(url)
        .header("accept", "application/json")
        .send()
        .await
        .expect("the server answers");
    (
        response.status().as_u16(),
        response.json().await.unwrap_or_default(),
    )
}

/// Waits until a server of one toolset works on a call.
pub(crate) async fn until_a_call_runs(url: &str) {
    let metrics = format!("{url}/metrics");
    let is_running = async || {
        let response = client().get(&metrics).send().await.expect("the server answers");
        let text = response.text().await.expect("figures are text");
        text.lines()
            .any(|line| line.starts_with("periplus_calls_running{") && line.ends_with(" 1"))
    };
    let waiting = async {
        while !is_running().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    waited.expect("the call reaches the server");
}

#[tokio::test]
async fn the_directory_and_health_documents_are_there() {
    let server = Periplus::new().serve(&["hello", "credential-demo"]);
    let (status, index) = get(format!("{}/", server.url())).await;
    assert_eq!(status, 200);
    assert_eq!(index["connections"]["hello"]["transport"], "streamable_http");
    assert_eq!(
        index["connections"]["hello"]["url"],
        format!("{}/hello/mcp", server.url())
    );
    let (status, health) = get(format!("{}/credential-demo/health", server.url())).await;
    assert_eq!(
        (status, &health["credential_headers"]),
        (200, &json!(["x-demo-token"]))
    );
    for path in ["/health", "/health/liveness", "/health/readiness"] {
        assert_eq!(get(format!("{}{path}", server.url())).await.0, 200, "{path}");
    }
}

#[tokio::test]
async fn a_public_url_and_a_path_prefix_are_in_every_link() {
    let server = Periplus::new().serve(&["hello", "credential-demo", "--path-prefix", "/tools"]);
    let (status, index) = get(server.url().to_owned()).await;
    assert_eq!(status, 200, "the announced address includes the prefix");
    let url = index["connections"]["hello"]["url"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(url.ends_with("/tools/hello/mcp"), "{url}");
    let _ = Periplus::new()
        .run(&["call", "hello/hello", "--url", server.url()])
        .expect(0);
}
