//! `doctor` tells what is wrong, and with which of the parts.

use e2e::Periplus;
use serde_json::Value;

fn verdict<'a>(report: &'a Value, check: &str) -> &'a str {
    let found = report
        .as_array()
        .into_iter()
        .flatten()
        .find(|item| item["check"] == check);
    found
        .and_then(|item| item["verdict"].as_str())
        .unwrap_or("absent")
}

#[test]
fn without_a_server_everything_else_is_fine() {
    let periplus = Periplus::new()
        .env("MCP_URL", "http://127.0.0.1:9")
        .env("PORT", "0");
    let report = periplus.run(&["doctor", "--json"]).expect(0).json();
    assert_eq!(verdict(&report, "toolset hello"), "ok");
    assert_eq!(verdict(&report, "cache folder"), "ok");
    assert_eq!(verdict(&report, "server"), "note");
}

#[test]
fn a_running_server_is_found() {
    let periplus = Periplus::new();
    let server = periplus.serve(&["hello"]);
    let report = periplus
        .run(&["doctor", "--json", "--url", server.url()])
        .expect(0)
        .json();
    assert_eq!(verdict(&report, "server"), "ok");
}

#[test]
fn a_failed_check_is_exit_code_1() {
    let periplus = Periplus::new()
        .env("XDG_CACHE_HOME", "/proc/no-such-folder")
        .env("PORT", "0");
    let finished = periplus.run(&["doctor"]).expect(1);
    let line = finished
        .stdout
        .lines()
        .find(|line| line.contains("cache folder"))
        .unwrap_or_default();
    assert!(line.starts_with("fail"), "{}", finished.stdout);
}
