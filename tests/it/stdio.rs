//! `serve --stdio`, as a host runs it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use e2e::Periplus;
use serde_json::{Value, json};

/// A server and the host's ends of its pipes.
struct Host {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Host {
    fn start(periplus: &Periplus, toolsets: &[&str]) -> Self {
        let mut child = periplus
            .command(&[&["serve", "--stdio"], toolsets].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("standard output is piped"));
        Self { child, input, output }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{request}").expect("the server reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server answers");
        let mut answer: Value = serde_json::from_str(&line).expect("every line is a message");
        answer["result"].take()
    }

    fn greet(&mut self) {
        let welcome = self.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {} }),
        );
        assert_eq!(welcome["protocolVersion"], "2025-11-25");
        let hello = self.ask(
            "tools/call",
            &json!({ "name": "hello", "arguments": { "name": "Ada" } }),
        );
        assert_eq!(hello["structuredContent"], json!({ "message": "Hello, Ada!" }));
    }

    /// Waits for the end: exit code, what was left of standard output, and standard error.
    fn wait(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        self.output.read_to_string(&mut out).expect("the output is UTF-8");
        let mut stderr = self.child.stderr.take().expect("standard error is piped");
        stderr.read_to_string(&mut err).expect("the log is UTF-8");
        (self.child.wait().expect("the server ends").code(), out, err)
    }
}

#[test]
fn a_host_that_runs_the_command_gets_messages_on_standard_output_and_nothing_else() {
    let mut host = Host::start(&Periplus::new(), &["hello"]);
    host.greet();
    drop(host.input.take());
    let (code, out, log) = host.wait();
    assert_eq!((code, out.as_str()), (Some(0), ""), "{log}");
    assert!(log.contains("serves hello (1 tool)"), "{log}");
    assert!(log.contains("call ended"), "the log is on standard error: {log}");
}

#[test]
fn a_signal_ends_it_in_success() {
    let mut host = Host::start(&Periplus::new(), &["hello"]);
    host.greet();
    let id = host.child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .expect("kill starts")
            .success()
    );
    let (code, _, log) = host.wait();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn several_toolsets_are_one_server_and_credentials_come_from_the_environment() {
    let mut host = Host::start(
        &Periplus::new().env("X_DEMO_TOKEN", "s3cret-7"),
        &["hello", "credential-demo"],
    );
    host.greet();
    let whoami = host.ask("tools/call", &json!({ "name": "whoami", "arguments": {} }));
    let account = whoami["structuredContent"]["account"]
        .as_str()
        .expect("there is an account");
    assert!(account.starts_with("user-"), "{account}");
    drop(host.input.take());
    let (code, _, log) = host.wait();
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("s3cret-7"), "{log}");
}

#[test]
fn requests_from_a_file_are_all_answered() {
    let requests: String = (1..=20)
        .map(|id| {
            let params = json!({ "name": "hello", "arguments": { "name": format!("n{id}") } });
            format!(
                "{}\n",
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
            )
        })
        .collect();
    let finished = Periplus::new()
        .run_with_input(&["serve", "--stdio", "hello"], &requests)
        .expect(0);
    let mut ids: Vec<i64> = finished
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("a message")["id"]
                .as_i64()
                .expect("an id")
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=20).collect::<Vec<_>>());
}

#[test]
fn a_pipe_has_no_address() {
    for flag in ["--port=1", "--host=127.0.0.1", "--allowed-host=x"] {
        let finished = Periplus::new().run(&["serve", "--stdio", flag]).expect(2);
        assert!(finished.stderr.contains("--stdio"), "{}", finished.stderr);
    }
}
