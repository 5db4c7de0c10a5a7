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
    assert_eq!(verdict(&report, "model of the agent"), "ok");
    assert_eq!(verdict(&report, "threads of the agent"), "ok");
}

#[test]
fn a_model_without_its_key_an_unknown_profile_and_a_place_that_cannot_be_used_are_told() {
    let periplus = Periplus::new()
        .env("PORT", "0")
        .env("PROVIDER_MODEL", "openai:gpt-4o-mini")
        .env("MCP_AGENT_PROFILE", "forests")
        .env(
            "MCP_AGENT_CHECKPOINT",
            "postgresql://me:hunter2@db/x?sslmode=sometimes",
        );
    let finished = periplus.run(&["doctor"]).expect(1);
    let line = |check: &str| {
        let mut lines = finished.stdout.lines();
        lines
            .find(|line| line.contains(check))
            .unwrap_or_default()
            .to_owned()
    };
    let model = line("model of the agent");
    assert!(
        model.starts_with("fail") && model.contains("PROVIDER_API_KEY"),
        "{model}"
    );
    let profile = line("profile of the agent");
    assert!(
        profile.starts_with("fail") && profile.contains("the profiles are zeno"),
        "{profile}"
    );
    let threads = line("threads of the agent");
    assert!(
        threads.starts_with("fail") && threads.contains("sometimes"),
        "{threads}"
    );
    assert!(!finished.stdout.contains("hunter2"), "{}", finished.stdout);
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
