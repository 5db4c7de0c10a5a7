//! `list` and `call`, against a server and in process.

use std::process::Stdio;

use e2e::{Periplus, Server};
use serde_json::json;

fn both() -> (Periplus, Server) {
    let periplus = Periplus::new();
    let server = periplus.serve(&["hello", "credential-demo"]);
    (periplus, server)
}

#[test]
fn every_url_a_person_may_paste_leads_to_the_tool() {
    let (periplus, server) = both();
    let host = server.url().trim_start_matches("http://");
    let port = host.rsplit(':').next().expect("the URL has a port");
    for url in [
        server.url().to_owned(),
        format!("{}/", server.url()),
        format!("{}/hello/mcp", server.url()),
        format!("{}/hello/mcp/", server.url()),
        format!("{}/hello", server.url()),
        host.to_owned(),
        format!("http://localhost:{port}"),
    ] {
        let finished = periplus
            .run(&["call", "hello/hello", "name=Ada", "--url", &url, "--json"])
            .expect(0);
        assert_eq!(finished.json(), json!({ "message": "Hello, Ada!" }), "{url}");
        assert_eq!(finished.stderr, "", "{url}");
    }
}

#[test]
fn the_root_of_a_server_of_one_toolset_leads_to_the_tool() {
    let periplus = Periplus::new();
    let server = periplus.serve(&["hello"]);
    for tool in ["hello", "hello/hello"] {
        for path in ["", "/", "/mcp"] {
            let url = format!("{}{path}", server.url());
            let _ = periplus.run(&["call", tool, "--url", &url]).expect(0);
        }
    }
    let finished = periplus
        .run(&["call", "met/hello", "--url", server.url()])
        .expect(2);
    assert!(
        finished.stderr.contains("\"hello\", not \"met\""),
        "{}",
        finished.stderr
    );
}

#[test]
fn mcp_url_names_the_server() {
    let (periplus, server) = both();
    let periplus = periplus.env("MCP_URL", server.url());
    let finished = periplus.run(&["call", "hello"]).expect(0);
    assert_eq!(finished.json(), json!({ "message": "Hello, world!" }));
    assert!(
        finished.stdout.contains("\n  \"message\""),
        "people get line breaks"
    );
}

#[test]
fn arguments_come_from_pairs_files_and_standard_input() {
    let (periplus, server) = both();
    let periplus = periplus.env("MCP_URL", server.url());
    periplus.write("arguments.json", r#"{"name": "file"}"#);
    let said = |finished: &e2e::Finished| finished.json()["message"].as_str().map(str::to_owned);
    let file = periplus
        .run(&["call", "hello", "--arg-file", "arguments.json"])
        .expect(0);
    assert_eq!(said(&file).as_deref(), Some("Hello, file!"));
    let pair = periplus
        .run(&["call", "hello", "--arg-file", "arguments.json", "name=1876"])
        .expect(0);
    assert_eq!(said(&pair).as_deref(), Some("Hello, 1876!"));
    let input = periplus
        .run_with_input(&["call", "hello", "--arg-file", "-"], r#"{"name": "pipe"}"#)
        .expect(0);
    assert_eq!(said(&input).as_deref(), Some("Hello, pipe!"));
}

#[test]
fn a_credential_comes_from_a_header_or_its_variable() {
    let (periplus, server) = both();
    let periplus = periplus.env("MCP_URL", server.url());
    let missing = periplus.run(&["call", "whoami"]).expect(1);
    assert!(missing.stderr.contains("x-demo-token"), "{}", missing.stderr);
    assert_eq!(missing.stdout, "");
    let accounts: Vec<_> = ["X-Demo-Token: s3", "x-demo-token=s3"]
        .iter()
        .map(|header| {
            periplus
                .run(&["call", "whoami", "-H", header, "--json"])
                .expect(0)
                .json()["account"]
                .clone()
        })
        .collect();
    assert_eq!(accounts[0], accounts[1]);
    let periplus = periplus.env("X_DEMO_TOKEN", "s3");
    assert_eq!(
        periplus.run(&["call", "whoami", "--json"]).expect(0).json()["account"],
        accounts[0]
    );
}

#[test]
fn a_tool_error_is_on_stderr_and_with_json_also_on_stdout() {
    let (periplus, server) = both();
    let periplus = periplus.env("MCP_URL", server.url());
    let plain = periplus.run(&["call", "hello", "nme=x"]).expect(1);
    assert_eq!(plain.stdout, "");
    assert!(
        plain.stderr.starts_with("error: tool hello failed: "),
        "{}",
        plain.stderr
    );
    assert_eq!(
        plain.stderr.matches("hello").count(),
        1,
        "the tool is named once: {}",
        plain.stderr
    );
    let json = periplus.run(&["call", "hello", "nme=x", "--json"]).expect(1);
    assert_eq!(json.json()["isError"], true);
}

#[test]
fn a_wrong_name_is_answered_with_the_candidates() {
    let (periplus, server) = both();
    let periplus = periplus.env("MCP_URL", server.url());
    let tool = periplus.run(&["call", "helo"]).expect(2);
    assert!(tool.stderr.contains("did you mean \"hello\""), "{}", tool.stderr);
    let toolset = periplus.run(&["call", "nothing/hello"]).expect(2);
    assert!(
        toolset.stderr.contains("hello, credential-demo"),
        "{}",
        toolset.stderr
    );
}

#[test]
fn of_many_tools_the_toolsets_are_named() {
    let finished = Periplus::new()
        .run(&["call", "--local", "no-such-tool"])
        .expect(2);
    assert!(
        finished.stderr.contains("in hello, credential-demo, met"),
        "{}",
        finished.stderr
    );
    assert!(
        !finished.stderr.contains("collection_facets"),
        "{}",
        finished.stderr
    );
}

#[test]
fn what_a_server_says_about_a_wrong_path_is_said_in_its_words() {
    let (periplus, server) = both();
    let url = format!("{}/nothing", server.url());
    let finished = periplus.run(&["list", &url]).expect(1);
    assert!(
        finished.stderr.contains("404: nothing is served at this path"),
        "{}",
        finished.stderr
    );
}

#[test]
fn no_server_is_exit_code_3_with_a_hint() {
    for command in [["call", "hello"], ["list", "--json"]] {
        let finished = Periplus::new()
            .env("MCP_URL", "http://127.0.0.1:9")
            .run(&command)
            .expect(3);
        assert!(finished.stderr.contains("periplus serve"), "{}", finished.stderr);
        assert_eq!(finished.stdout, "");
    }
}

#[test]
fn usage_errors_are_exit_code_2() {
    for arguments in [
        vec!["call"],
        vec!["call", "hello", "novalue", "--local"],
        vec!["call", "hello", "--local", "-H", "nonsense"],
        vec!["call", "hello", "--local", "--arg-file", "no-such.json"],
        vec!["call", "hello", "--url", "ftp://x"],
        vec!["list", "--no-such-flag"],
        vec!["no-such-command"],
        vec![],
    ] {
        let finished = Periplus::new().run(&arguments);
        assert_eq!(finished.code, 2, "{arguments:?}: {}", finished.stderr);
        assert!(!finished.stderr.contains("panicked"), "{}", finished.stderr);
    }
}

#[test]
fn a_tool_runs_without_a_server() {
    let periplus = Periplus::new();
    let hello = periplus
        .run(&["call", "--local", "hello/hello", "name=Ada", "--json"])
        .expect(0);
    assert_eq!(hello.json(), json!({ "message": "Hello, Ada!" }));
    let whoami = periplus
        .run(&["call", "--local", "credential-demo/whoami"])
        .expect(1);
    assert!(whoami.stderr.contains("x-demo-token"), "{}", whoami.stderr);
    let _ = periplus
        .run(&[
            "call",
            "--local",
            "credential-demo/whoami",
            "-H",
            "x-demo-token=s3",
        ])
        .expect(0);
    let wrong = periplus.run(&["call", "--local", "hello/helo"]).expect(2);
    assert!(
        wrong.stderr.contains("did you mean \"hello\""),
        "{}",
        wrong.stderr
    );
}

#[test]
fn what_a_result_holds_besides_text_is_written_into_a_folder_and_the_result_printed_once() {
    let periplus = Periplus::new();
    let server = periplus.serve(&["stac-explorer", "hello"]);
    let periplus = periplus.env("MCP_URL", server.url());
    let call = ["call", "search_collections", "query=land", "--json"];
    let plain = periplus.run(&call).expect(0);
    for expected in ["collection-picker.html", "collection-picker-2.html"] {
        let saved = periplus.run(&[&call[..], &["--save", "out"]].concat()).expect(0);
        assert_eq!(
            saved.stdout, plain.stdout,
            "what is printed does not depend on what is saved"
        );
        assert!(
            saved.stderr.contains(&format!("saved out/{expected} (text/html")),
            "{}",
            saved.stderr
        );
        let page =
            std::fs::read_to_string(periplus.folder().join("out").join(expected)).expect("it is there");
        assert!(page.starts_with("<!doctype html>"));
    }
    let nothing = periplus.run(&["call", "hello/hello", "--save", "none"]).expect(0);
    assert!(nothing.stderr.contains("nothing to save"), "{}", nothing.stderr);
    assert!(!periplus.folder().join("none").exists());
    periplus.write("file", "");
    let refused = periplus.run(&[&call[..], &["--save", "file"]].concat()).expect(4);
    assert!(
        refused.stderr.contains("cannot write file/"),
        "{}",
        refused.stderr
    );
}

#[test]
fn an_image_becomes_a_file() {
    let periplus = Periplus::new();
    let server = periplus.serve(&["conformance"]);
    let periplus = periplus.env("MCP_URL", server.url());
    let told = periplus.run(&["call", "test_image_content"]).expect(0);
    assert!(told.stderr.contains("--save DIR"), "{}", told.stderr);
    let saved = periplus
        .run(&["call", "test_image_content", "--save", "."])
        .expect(0);
    assert!(saved.stderr.contains("image/png"), "{}", saved.stderr);
    let image = std::fs::read(periplus.folder().join("test_image_content-1.png")).expect("it is there");
    assert!(image.starts_with(b"\x89PNG"));
}

#[test]
fn both_listings_agree_on_the_tools() {
    let (periplus, server) = both();
    let remote = periplus.run(&["list", server.url(), "--json"]).expect(0).json();
    let local = periplus.run(&["list", "--local", "--json"]).expect(0).json();
    for toolset in remote.as_array().expect("a list of toolsets") {
        let here = local
            .as_array()
            .into_iter()
            .flatten()
            .find(|here| here["toolset"] == toolset["toolset"]);
        assert_eq!(
            here.expect("it is shipped")["tools"][0]["inputSchema"],
            toolset["tools"][0]["inputSchema"]
        );
    }
    let text = periplus.run(&["list", server.url()]).expect(0).stdout;
    assert!(
        text.lines()
            .any(|line| line.starts_with("hello/hello") && line.contains("name?: string")),
        "{text}"
    );
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let periplus = Periplus::new();
    for arguments in [
        &["completions", "bash"][..],
        &["list", "--local", "--json"],
        &["call", "--local", "hello/hello"],
        &["config", "show"],
        &["man"],
        &["doctor"],
        &["--help"],
    ] {
        let mut child = periplus
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the command ends");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*told), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn what_is_piped_has_no_colours_and_neither_has_a_terminal_that_wants_none() {
    let periplus = Periplus::new();
    for arguments in [
        &["call", "--local", "helo"][..],
        &["calll"],
        &["list", "--local"],
        &["doctor"],
    ] {
        let finished = periplus.run(arguments);
        let all = finished.stdout + &finished.stderr;
        assert!(!all.contains('\u{1b}'), "{arguments:?}: {all:?}");
    }
    // Colours can be asked for, and NO_COLOR is stronger.
    let forced = Periplus::new().env("CLICOLOR_FORCE", "1");
    assert!(forced.run(&["call", "--local", "helo"]).stderr.contains('\u{1b}'));
    let refused = forced.env("NO_COLOR", "1");
    assert!(
        !refused
            .run(&["call", "--local", "helo"])
            .stderr
            .contains('\u{1b}')
    );
}
