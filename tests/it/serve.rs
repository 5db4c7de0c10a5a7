//! Starting and stopping.

use std::process::Stdio;

use e2e::Periplus;
use serde_json::Value;

/// The `mcpServers` snippet of a server's announcement.
fn snippet(log: &str) -> Value {
    let start = log.find("{\n").expect("there is a snippet");
    let end = log.find("\n}").expect("the snippet ends") + 2;
    serde_json::from_str(&log[start..end]).expect("the snippet is JSON")
}

#[test]
fn the_announcement_has_everything_a_host_needs() {
    let mut server = Periplus::new().serve(&["hello", "credential-demo"]);
    server.wait_for_log("In a second terminal");
    let log = server.log();
    let hello = format!("{}/hello/mcp", server.url());
    assert!(
        log.lines()
            .any(|line| line.contains("hello ") && line.contains("1 tool") && line.ends_with(&hello))
    );
    let servers = &snippet(&log)["mcpServers"];
    assert_eq!(servers["hello"]["url"], hello);
    assert_eq!(
        servers["credential-demo"]["headers"]["x-demo-token"],
        "<your value>"
    );
}

#[test]
fn a_single_toolset_is_served_at_mcp() {
    let mut server = Periplus::new().serve(&["hello"]);
    server.wait_for_log("In a second terminal");
    assert_eq!(
        snippet(&server.log())["mcpServers"]["hello"]["url"],
        format!("{}/mcp", server.url())
    );
}

#[test]
fn the_environment_chooses_the_toolsets() {
    for (name, value) in [("TOOLSET", "hello"), ("TOOLSETS", "hello,credential-demo")] {
        let periplus = Periplus::new().env(name, value);
        let mut server = periplus.serve(&[]);
        server.wait_for_log("In a second terminal");
        assert!(!server.log().contains("/met/mcp"), "{}", server.log());
        let list = periplus.run(&["list", server.url(), "--json"]).expect(0).json();
        assert_eq!(list.as_array().map(Vec::len), Some(value.split(',').count()));
    }
}

#[test]
fn service_links_of_a_cluster_are_ignored() {
    let periplus = Periplus::new()
        .env("MCP_HELLO_PORT", "tcp://10.0.0.7:8000")
        .env("HOST", "tcp://10.0.0.7:8000");
    let server = periplus.serve(&["hello"]);
    assert!(server.url().starts_with("http://127.0.0.1:"));
    assert!(server.log().contains("ignoring HOST="), "{}", server.log());
    assert!(!server.log().contains("MCP_HELLO_PORT"), "{}", server.log());
}

#[test]
fn both_stop_signals_end_in_success() {
    for signal in ["TERM", "INT"] {
        let periplus = Periplus::new();
        let server = periplus.serve(&["hello"]);
        let url = server.url().to_owned();
        server.signal(signal);
        let (code, log) = server.wait();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("stopping"), "{log}");
        let _ = periplus.run(&["list", &url]).expect(3);
    }
}

#[tokio::test]
async fn a_second_signal_does_not_wait_for_running_calls() {
    let periplus = Periplus::new();
    let mut server = periplus.serve(&["conformance", "--drain-seconds", "600"]);
    let url = server.url().to_owned();
    let mut caller = periplus
        .command(&["call", "slow_compute", "seconds=600", "--url", &url])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    crate::http::until_a_call_runs(&url).await;
    server.signal("TERM");
    server.wait_for_log("a second signal ends at once");
    server.signal("TERM");
    let (code, log) = server.wait();
    assert_eq!(code, Some(130), "{log}");
    let _ = caller.kill();
    let _ = caller.wait();
}

#[test]
fn a_taken_port_is_named() {
    let periplus = Periplus::new();
    let server = periplus.serve(&["hello"]);
    let port = server.url().rsplit(':').next().expect("the URL has a port");
    let finished = periplus.run(&["serve", "hello", "--port", port]).expect(3);
    assert!(
        finished.stderr.contains(&format!("127.0.0.1:{port}")),
        "{}",
        finished.stderr
    );
}

#[test]
fn mistakes_are_told_before_anything_is_served() {
    for (arguments, part) in [
        (["serve", "helo"], "did you mean \"hello\""),
        (["serve", "--port=many"], "--port has the value \"many\""),
        (["serve", "--host=localhost"], "no IP address"),
        (["serve", "--public-url=x"], "no URL"),
    ] {
        let finished = Periplus::new().run(&arguments).expect(2);
        assert!(
            finished.stderr.contains(part),
            "{arguments:?}: {}",
            finished.stderr
        );
        assert_eq!(finished.stdout, "");
    }
}
