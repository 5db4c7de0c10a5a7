//! Hosts, origins and cross-origin rules.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use periplus_runtime::server::{ServeError, Server, ServerConfig};
use periplus_toolset::{Access, Secret, View};
use serde_json::json;

use crate::support::{TestServer, local, probe, request};

fn ping() -> Vec<u8> {
    request("ping", json!({})).to_string().into_bytes()
}

#[tokio::test]
async fn a_host_that_is_not_allowed_is_refused_and_named_with_the_variable() {
    let server = TestServer::start(probe().0);
    let reply = server.post(&[("host", "evil.example.com")], &ping()).await;
    assert_eq!((reply.status, reply.code()), (403, -32600));
    assert!(reply.text().contains("evil.example.com") && reply.text().contains("ALLOWED_HOSTS"));
    for host in ["localhost:1", "127.0.0.1", "[::1]:80"] {
        assert_eq!(
            server.post(&[("host", host)], &ping()).await.status,
            200,
            "{host}"
        );
    }
}

#[tokio::test]
async fn an_origin_that_is_not_allowed_is_refused_and_loopback_origins_pass() {
    let server = TestServer::start(probe().0);
    for origin in ["http://evil.example.com", "null"] {
        let reply = server.post(&[("origin", origin)], &ping()).await;
        assert_eq!((reply.status, reply.code()), (403, -32600), "{origin}");
        assert!(reply.text().contains("ALLOWED_ORIGINS"));
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    for origin in ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:3000"] {
        let reply = server.post(&[("origin", origin)], &ping()).await;
        assert_eq!(
            (reply.status, reply.header("access-control-allow-origin")),
            (200, Some(origin))
        );
        assert_eq!(reply.header("access-control-allow-credentials"), None);
        assert!(
            reply
                .header("access-control-expose-headers")
                .unwrap()
                .contains("mcp-protocol-version")
        );
    }
}

#[tokio::test]
async fn a_preflight_allows_what_clients_send_and_nothing_else() {
    let server = TestServer::start(probe().0);
    let asked = "Content-Type, Mcp-Protocol-Version, Mcp-Method, mcp-param-region, X-Demo-Token, x-evil";
    let headers = [
        ("origin", "http://localhost:5173"),
        ("access-control-request-headers", asked),
    ];
    let reply = server.send("OPTIONS", "/mcp", &headers, b"").await;
    assert_eq!((reply.status, reply.body.len()), (204, 0));
    assert_eq!(
        reply.header("access-control-allow-origin"),
        Some("http://localhost:5173")
    );
    assert_eq!(
        reply.header("access-control-allow-methods"),
        Some("POST, OPTIONS")
    );
    assert_eq!(
        reply.header("access-control-allow-headers"),
        Some("content-type, mcp-protocol-version, mcp-method, mcp-param-region, x-demo-token")
    );
    let evil = server
        .send("OPTIONS", "/mcp", &[("origin", "http://evil.example.com")], b"")
        .await;
    assert_eq!(evil.status, 403);
}

#[tokio::test]
async fn a_preflight_is_answered_before_any_secret_is_asked_for() {
    let access = Access {
        bearer: Some(Secret::new("x")),
        ..Access::default()
    };
    let server = TestServer::start(probe().0.access(access));
    let headers = [
        ("origin", "http://localhost:5173"),
        ("access-control-request-headers", "authorization"),
    ];
    let reply = server.send("OPTIONS", "/mcp", &headers, b"").await;
    assert_eq!(
        (reply.status, reply.header("access-control-allow-headers")),
        (204, Some("authorization"))
    );
    let refused = server.post(&[("origin", "http://localhost:5173")], &ping()).await;
    assert_eq!(refused.status, 401);
    assert_eq!(
        refused.header("access-control-allow-origin"),
        Some("http://localhost:5173"),
        "the page may read why"
    );
}

#[tokio::test]
async fn hosts_and_origins_of_server_and_toolset_are_allowed_beside_the_defaults() {
    let access = Access {
        allowed_hosts: vec!["met.example.org".to_owned()],
        allowed_origins: vec!["https://chat.example.org".to_owned()],
        ..Access::default()
    };
    let config = ServerConfig {
        allowed_hosts: vec!["mcp.example.org:8443".to_owned()],
        public_url: Some("https://public.example.org/tools".parse().unwrap()),
        ..local()
    };
    let server = TestServer::start_with(config, vec![probe().0.access(access)]);
    for host in [
        "met.example.org",
        "mcp.example.org:8443",
        "public.example.org",
        "localhost",
    ] {
        assert_eq!(
            server.post(&[("host", host)], &ping()).await.status,
            200,
            "{host}"
        );
    }
    for origin in ["https://chat.example.org", "https://public.example.org"] {
        assert_eq!(
            server.post(&[("origin", origin)], &ping()).await.status,
            200,
            "{origin}"
        );
    }
    assert_eq!(
        server.post(&[("host", "mcp.example.org")], &ping()).await.status,
        403
    );
    assert_eq!(
        server
            .post(&[("origin", "http://chat.example.org")], &ping())
            .await
            .status,
        403
    );
}

#[tokio::test]
async fn an_address_of_every_interface_keeps_its_allow_list() {
    let config = ServerConfig {
        host: Ipv4Addr::UNSPECIFIED.into(),
        ..local()
    };
    let mut server = TestServer::start_with(config, vec![probe().0]);
    server.address.set_ip(Ipv4Addr::LOCALHOST.into());
    assert_eq!(
        server.post(&[("host", "192.0.2.1:8000")], &ping()).await.status,
        403
    );
    assert_eq!(
        server.post(&[("host", "localhost:8000")], &ping()).await.status,
        200
    );
    for path in [
        "/health/liveness",
        "/health/readiness",
        "/healthz",
        "/readyz",
        "/health",
        "/metrics",
    ] {
        let reply = server.send("GET", path, &[("host", "10.0.0.7:8000")], b"").await;
        assert_eq!(
            reply.status, 200,
            "{path}: probes come by the address of the machine"
        );
    }
}

#[tokio::test]
async fn both_loopback_families_answer_on_one_port() {
    let server = Server::bind(local(), vec![probe().0]).unwrap();
    let families: Vec<IpAddr> = server.addresses().iter().map(|address| address.ip()).collect();
    assert_eq!(families[0], IpAddr::V4(Ipv4Addr::LOCALHOST));
    // A machine without IPv6 has one address only.
    if let Some(second) = families.get(1) {
        assert_eq!(*second, IpAddr::V6(Ipv6Addr::LOCALHOST));
        assert_eq!(server.addresses()[0].port(), server.addresses()[1].port());
    }
}

#[tokio::test]
async fn a_toolset_that_wants_a_secret_elsewhere_is_not_served_without_one() {
    let open = Access {
        loopback_without_bearer: true,
        ..Access::default()
    };
    let elsewhere = ServerConfig {
        host: Ipv4Addr::UNSPECIFIED.into(),
        ..local()
    };
    let error = Server::bind(elsewhere.clone(), vec![probe().0.access(open.clone())]).unwrap_err();
    assert!(matches!(error, ServeError::NeedsBearer { .. }), "{error}");
    assert!(Server::bind(local(), vec![probe().0.access(open.clone())]).is_ok());
    let secured = Access {
        bearer: Some(Secret::new("x")),
        ..open
    };
    assert!(Server::bind(elsewhere, vec![probe().0.access(secured)]).is_ok());
}

#[tokio::test]
async fn what_cannot_be_served_is_refused_before_it_listens() {
    assert!(matches!(
        Server::bind(local(), vec![]),
        Err(ServeError::NoToolset)
    ));
    let twice = Server::bind(local(), vec![probe().0, probe().0]);
    assert!(matches!(twice, Err(ServeError::DuplicateToolset { name }) if name == "probe"));
    let page = |html| View::embedded("panel", html);
    for (broken, offender) in [
        (probe().0.view("no_such_tool", page("<p>x</p>")), "`no_such_tool`"),
        (
            probe().0.view("talks", page("")),
            "the page of view `panel` is empty",
        ),
        (
            probe().0.view("talks", page("<p>another</p>")),
            "one page for `echo` and another for `talks`",
        ),
        (
            probe().0.credential_header("X-Demo-Token"),
            "`x-demo-token` is declared twice",
        ),
        (
            probe().0.credential_header("Host"),
            "`host` belongs to the transport",
        ),
    ] {
        let error = Server::bind(local(), vec![broken]).unwrap_err();
        assert!(matches!(error, ServeError::Contract { .. }));
        assert!(error.to_string().contains(offender), "{error}");
    }
    for config in [
        ServerConfig {
            allowed_hosts: vec!["http://x/y".to_owned()],
            ..local()
        },
        ServerConfig {
            allowed_origins: vec!["x".to_owned()],
            ..local()
        },
        ServerConfig {
            path_prefix: "/a b".to_owned(),
            ..local()
        },
    ] {
        assert!(Server::bind(config, vec![probe().0]).is_err());
    }
}
