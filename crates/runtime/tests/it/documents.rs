//! Health, directory and metrics.

use futures::FutureExt as _;
use periplus_runtime::server::ServerConfig;
use periplus_toolset::{Readiness, Toolset, View};
use serde_json::{Value, json};

use crate::support::{TestServer, local, object, probe, request, text_tool};

fn publisher() -> Toolset {
    let clip = periplus_toolset::Tool::builder("clip")
        .description("Clips.")
        .input_schema(object(json!({
            "type": "object",
            "properties": { "aoi": { "type": "object", "description": "An area." } },
            "additionalProperties": false,
        })))
        .not_authored("aoi")
        .output_schema(object(json!({
            "type": "object",
            "properties": {
                "message": { "type": "string" },
                "extra": { "type": "integer" },
                "matches": { "type": "integer" },
            },
            "required": ["message"],
        })))
        .handler(|_, _| Box::pin(async { Ok(json!({ "message": "ok" })) }));
    Toolset::new("probe-kit").title("Probe <kit>").tool(clip)
}

fn state() -> Value {
    json!({
        "produces": [
            { "tool": "clip", "field": "extra", "state_key": "probe-kit/clip/extra" },
            { "tool": "clip", "field": "matches", "state_key": "probe-kit/clip/matches" },
        ],
        "not_authored": [{ "tool": "clip", "parameter": "aoi" }],
    })
}

fn plain() -> Toolset {
    Toolset::new("plain").tool(text_tool("say", |_, _| {
        Box::pin(async { Ok(json!({ "message": "x" })) })
    }))
}

#[tokio::test]
async fn one_toolset_is_served_at_the_root_with_its_declarations_in_health() {
    let server = TestServer::start(publisher());
    let health = server.get("/health").await;
    assert_eq!(
        (health.status, health.header("content-type")),
        (200, Some("application/json"))
    );
    assert_eq!(
        health.json(),
        json!({ "status": "ok", "tools": ["clip"], "credential_headers": [], "state": state() })
    );
    assert_eq!(server.send("HEAD", "/health", &[], b"").await.status, 200);
    let refused = server.send("POST", "/health", &[], b"").await;
    assert_eq!(
        (refused.status, refused.json()["error"].as_str()),
        (405, Some("method_not_allowed"))
    );
}

#[tokio::test]
async fn several_toolsets_are_served_under_their_names_with_a_directory_above() {
    let server = TestServer::start_with(local(), vec![publisher(), probe().0]);
    let host = server.address.to_string();
    let index = server.get("/").await.json();
    let url = format!("http://{host}/probe-kit/mcp");
    assert_eq!(
        index["connections"]["probe-kit"],
        json!({ "transport": "streamable_http", "url": url })
    );
    assert_eq!(
        index["toolsets"][0],
        json!({ "name": "probe-kit", "url": url, "status": "ok", "tools": ["clip"], "credential_headers": [], "state": state() })
    );
    assert_eq!(
        index["toolsets"][1]["credential_headers"],
        json!(["x-demo-token"])
    );
    assert_eq!(server.get("/health").await.json(), json!({ "status": "ok" }));
    assert_eq!(server.get("/probe/health").await.json()["tools"][0], "echo");
    let ping = request("ping", json!({})).to_string();
    for path in ["/probe/mcp", "/probe/mcp/", "/probe-kit/mcp"] {
        assert_eq!(
            server.post_to(path, &[], ping.as_bytes()).await.status,
            200,
            "{path}"
        );
    }
    assert_eq!(
        server.post_to("/nope/mcp", &[], ping.as_bytes()).await.status,
        404
    );
    assert_eq!(server.post_to("/mcp", &[], ping.as_bytes()).await.status, 404);
}

#[tokio::test]
async fn a_browser_sees_the_directory_as_a_page_with_its_text_escaped() {
    let server = TestServer::start_with(local(), vec![publisher(), plain()]);
    let reply = server
        .send(
            "GET",
            "/",
            &[("accept", "text/html,application/xhtml+xml,*/*;q=0.8")],
            b"",
        )
        .await;
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(reply.text().contains("Probe &lt;kit&gt;") && reply.text().contains("/plain/mcp"));
    let evil = server
        .send("GET", "/", &[("host", "evil.example.com")], b"")
        .await;
    assert_eq!(evil.status, 403, "the directory is no probe");
}

#[tokio::test]
async fn the_public_address_and_the_path_prefix_are_in_the_links_and_the_routes() {
    let config = ServerConfig {
        public_url: Some("https://mcp.example.org/tools/".parse().unwrap()),
        path_prefix: "tools/".to_owned(),
        ..local()
    };
    let server = TestServer::start_with(config, vec![publisher(), plain()]);
    for path in ["/tools", "/tools/"] {
        let index = server.get(path).await.json();
        assert_eq!(
            index["connections"]["plain"]["url"],
            "https://mcp.example.org/tools/plain/mcp"
        );
    }
    assert_eq!(server.get("/tools/plain/health").await.status, 200);
    assert_eq!(server.get("/plain/health").await.status, 404);
    assert_eq!(
        server.get("/health").await.status,
        200,
        "probes do not come through the proxy"
    );
}

#[tokio::test]
async fn a_forwarding_header_changes_no_link() {
    let server = TestServer::start_with(local(), vec![publisher(), plain()]);
    let expected = server.get("/").await.text().to_owned();
    let headers = [
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-prefix", "/evil"),
        ("forwarded", "host=evil.example;proto=https"),
    ];
    assert_eq!(server.send("GET", "/", &headers, b"").await.text(), expected);
}

#[tokio::test]
async fn readiness_follows_the_toolsets_and_tells_their_status_only() {
    for (answer, code, status) in [
        (Readiness::Ready, 200, "ok"),
        (
            Readiness::Starting("loading /secret/path".to_owned()),
            503,
            "starting",
        ),
        (
            Readiness::Failed("no database at 10.0.0.1".to_owned()),
            503,
            "failed",
        ),
    ] {
        let toolset = plain().readiness(move || {
            let answer = answer.clone();
            async move { answer }.boxed()
        });
        let server = TestServer::start(toolset);
        for path in ["/health/readiness", "/readyz"] {
            let reply = server.get(path).await;
            assert_eq!((reply.status, reply.json()), (code, json!({ "status": status })));
        }
        for path in ["/health/liveness", "/healthz"] {
            assert_eq!(
                server.get(path).await.json(),
                json!({ "status": "ok" }),
                "slow is not dead"
            );
        }
        let health = server.get("/health").await;
        assert_eq!(
            (health.status, health.json()["status"].as_str()),
            (200, Some(status))
        );
        assert!(!health.text().contains("secret") && !health.text().contains("10.0.0.1"));
    }
}

#[tokio::test]
async fn a_readiness_probe_that_panics_is_a_failed_one() {
    let server = TestServer::start(plain().readiness(|| async { panic!("no") }.boxed()));
    assert_eq!(server.get("/readyz").await.json(), json!({ "status": "failed" }));
}

#[tokio::test]
async fn metrics_count_calls_by_outcome() {
    let server = TestServer::start(probe().0);
    server.call("echo", json!({ "text": "a" })).await;
    server.call("echo", json!({ "text": 5, "nope": 1 })).await;
    server.call("panics", json!({})).await;
    server.post(&[], b"{").await;
    let reply = server.get("/metrics").await;
    assert!(reply.header("content-type").unwrap().starts_with("text/plain"));
    let count = |line: &str| {
        let found = reply
            .text()
            .lines()
            .find_map(|l| l.strip_prefix(line)?.trim().parse::<f64>().ok());
        found.unwrap_or_else(|| panic!("no {line} in\n{}", reply.text()))
    };
    assert_eq!(
        count(r#"periplus_tool_calls_total{toolset="probe",tool="echo",outcome="ok"}"#),
        1.0
    );
    assert_eq!(
        count(r#"periplus_tool_calls_total{toolset="probe",tool="echo",outcome="arguments"}"#),
        1.0
    );
    assert_eq!(
        count(r#"periplus_tool_calls_total{toolset="probe",tool="panics",outcome="internal"}"#),
        1.0
    );
    assert_eq!(
        count(r#"periplus_tool_call_seconds_count{toolset="probe",tool="echo"}"#),
        2.0
    );
    assert_eq!(
        count(r#"periplus_requests_total{toolset="probe",status="2xx"}"#),
        3.0
    );
    assert_eq!(
        count(r#"periplus_requests_total{toolset="probe",status="4xx"}"#),
        1.0
    );
    assert_eq!(count(r#"periplus_calls_running{toolset="probe"}"#), 0.0);
}

#[tokio::test]
async fn toolsets_that_share_tool_and_view_names_are_kept_apart_by_their_paths() {
    let toolset = |name: &str, says: &'static str, page: &'static str| {
        let tool = text_tool("clip", move |_, _| {
            Box::pin(async move { Ok(json!({ "message": says })) })
        });
        Toolset::new(name)
            .tool(tool)
            .view("clip", View::embedded("panel", page))
    };
    let server = TestServer::start_with(
        local(),
        vec![
            toolset("raster", "a raster", "<p>raster</p>"),
            toolset("vector", "a vector", "<p>vector</p>"),
        ],
    );
    for (name, says, page) in [
        ("raster", "a raster", "<p>raster</p>"),
        ("vector", "a vector", "<p>vector</p>"),
    ] {
        let path = format!("/{name}/mcp");
        let call = request("tools/call", json!({ "name": "clip" })).to_string();
        let result = server.post_to(&path, &[], call.as_bytes()).await.result();
        assert_eq!(result["structuredContent"]["message"], says);
        let uri = format!("ui://{name}/panel");
        let read = request("resources/read", json!({ "uri": uri })).to_string();
        let result = server.post_to(&path, &[], read.as_bytes()).await.result();
        assert_eq!(result["contents"][0]["text"], page);
        let other = request("resources/read", json!({ "uri": "ui://other/panel" })).to_string();
        assert_eq!(server.post_to(&path, &[], other.as_bytes()).await.code(), -32002);
    }
    let index = server.get("/").await.json();
    for (position, name) in ["raster", "vector"].iter().enumerate() {
        assert_eq!(index["toolsets"][position]["name"], *name);
        assert_eq!(index["toolsets"][position]["tools"], json!(["clip"]));
    }
}
