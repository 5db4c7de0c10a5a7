//! `repl`, driven through a pipe as a script drives it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStderr, ChildStdout, Command, Stdio},
};

use e2e::{Finished, Periplus, Server};

fn server() -> (Periplus, Server) {
    let periplus = Periplus::new().env("X_DEMO_TOKEN", "s3");
    let server = periplus.serve(&["hello", "credential-demo", "stac-explorer"]);
    let periplus = periplus.env("MCP_URL", server.url());
    (periplus, server)
}

fn script(periplus: &Periplus, lines: &[&str]) -> Finished {
    periplus.run_with_input(&["repl"], &lines.join("\n"))
}

#[test]
fn a_published_value_is_passed_on_by_its_handle() {
    let (periplus, _server) = server();
    let lines = [
        "# who am I, and greet that account",
        "whoami",
        "hello name=@state:credential-demo/whoami/account",
        "state",
        "inspect credential-demo/whoami/account",
        "exit",
        "hello name='never reached'",
    ];
    let finished = script(&periplus, &lines).expect(0);
    let out: Vec<&str> = finished.stdout.lines().collect();
    let account = out[0]
        .trim_start_matches("This call is made for the account ")
        .trim_end_matches('.');
    assert!(account.starts_with("user-"), "{account}");
    assert_eq!(
        out[1],
        format!("Hello, {account}!"),
        "the value went in, not the handle"
    );
    assert!(
        out[3].starts_with("credential-demo/whoami/account "),
        "{}",
        out[3]
    );
    assert_eq!(out[4], format!("\"{account}\""));
    assert_eq!(out.len(), 5);
    let notes = &finished.stderr;
    assert!(
        notes.contains(&format!("@state:credential-demo/whoami/account = \"{account}\"")),
        "{notes}"
    );
    assert!(
        notes.contains("name ← credential-demo/whoami/account, published by whoami in turn 1"),
        "{notes}"
    );
}

#[test]
fn what_fails_is_told_and_the_next_line_is_read() {
    let (periplus, _server) = server();
    let lines = [
        "hello nme=Ada",
        "helo",
        "hello 'Ada",
        "hello Ada",
        "hello name=@state:no/such/key",
        "hello name='Ada Lovelace'",
    ];
    let finished = script(&periplus, &lines).expect(1);
    assert_eq!(finished.stdout, "Hello, Ada Lovelace!\n");
    for part in [
        "tool hello failed: invalid arguments: /nme",
        "did you mean \"hello\"",
        "the quote ' is not closed",
        "is not of the form name=value",
        "name: @state:no/such/key: no such key",
    ] {
        assert!(finished.stderr.contains(part), "{part}: {}", finished.stderr);
    }
}

#[test]
fn large_results_are_kept_and_parts_of_them_shown() {
    let (periplus, _server) = server();
    let lines = [
        "search_collections query=landsat limit=1",
        "inspect stac-explorer/search_collections/collections [0].id",
        "tools show",
        "help stac-explorer/show_map",
    ];
    let finished = script(&periplus, &lines).expect(0);
    for part in [
        "\n\"landsat-c2-l2\"\n",
        "\nshow_map ",
        "collection_id: string",
        "publishes tile_url as @state:",
    ] {
        assert!(finished.stdout.contains(part), "{part}: {}", finished.stdout);
    }
}

#[test]
fn one_endpoint_publishes_under_the_name_of_its_toolset() {
    let (periplus, server) = server();
    let url = format!("{}/credential-demo/mcp", server.url());
    let finished = periplus
        .run_with_input(&["repl", &url], "whoami\nstate\n")
        .expect(0);
    assert!(
        finished.stdout.contains("credential-demo/whoami/account"),
        "{}",
        finished.stdout
    );
    let _ = Periplus::new()
        .run_with_input(&["repl", "http://127.0.0.1:9"], "")
        .expect(3);
}

#[test]
fn what_a_tool_asks_is_answered_by_the_next_lines() {
    let periplus = Periplus::new();
    let server = periplus.serve(&["conformance"]);
    let periplus = periplus.env("MCP_URL", server.url());
    let lines = ["test_input_required_result_elicitation", "", "Ada"];
    let finished = script(&periplus, &lines).expect(0);
    assert_eq!(finished.stdout, "Hello, Ada!\n");
    for part in ["What is your name?", "name, Your name:", "name is needed"] {
        assert!(finished.stderr.contains(part), "{part}: {}", finished.stderr);
    }
    let silent = script(&periplus, &["test_input_required_result_elicitation"]);
    assert_eq!(silent.stdout, "", "who says nothing declines");
    let model = script(&periplus, &["test_input_required_result_sampling"]).expect(1);
    assert!(!model.stderr.is_empty());
}

/// A session that the test interrupts.
struct Session {
    child: Child,
    out: BufReader<ChildStdout>,
    err: BufReader<ChildStderr>,
}

impl Session {
    fn start(periplus: &Periplus) -> Self {
        let mut child = periplus
            .command(&["repl", "--log", "periplus_cli=debug"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let out = BufReader::new(child.stdout.take().expect("standard output is piped"));
        let err = BufReader::new(child.stderr.take().expect("standard error is piped"));
        Self { child, out, err }
    }

    fn write(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().expect("the input is open");
        writeln!(input, "{line}").expect("the session reads");
    }

    fn read(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("the session answers");
        line
    }

    /// Reads standard error up to a line with this text.
    fn told(&mut self, text: &str) {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(
                self.err.read_line(&mut line).expect("it is text") > 0,
                "no line with {text:?}"
            );
        }
    }

    fn interrupt(&self) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .expect("kill starts")
                .success()
        );
    }
}

#[test]
fn an_interrupt_ends_the_call_and_not_the_session() {
    let (periplus, server) = server();
    let mut session = Session::start(&periplus);
    session.write("hello name=first");
    assert_eq!(session.read(), "Hello, first!\n");
    session.told("calling");
    // A server that is halted answers nothing.
    server.signal("STOP");
    session.write("hello name=second");
    session.told("calling");
    session.interrupt();
    session.told("the call of hello was cancelled");
    server.signal("CONT");
    session.write("hello name=third");
    assert_eq!(session.read(), "Hello, third!\n");
    drop(session.child.stdin.take());
    let mut rest = String::new();
    session.err.read_to_string(&mut rest).expect("the session ends");
    assert_eq!(session.child.wait().expect("it ends").code(), Some(1), "{rest}");
}

#[test]
fn an_interrupt_of_an_idle_session_ends_it() {
    let (periplus, _server) = server();
    let mut session = Session::start(&periplus);
    session.write("hello name=first");
    assert_eq!(session.read(), "Hello, first!\n");
    // Waiting for a child closes its input, and where that ends the session ends too.
    let _input = session.child.stdin.take();
    session.interrupt();
    assert_eq!(session.child.wait().expect("it ends").code(), Some(130));
}
