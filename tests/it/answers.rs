//! Tools that ask before they answer, called by scripts and by people at a terminal.

use e2e::{Finished, Periplus, Server};

const ONE: &str = "conformance/test_input_required_result_elicitation";
const TWO: &str = "conformance/test_input_required_result_multi_round";

fn server() -> (Periplus, Server) {
    let periplus = Periplus::new();
    let server = periplus.serve(&["conformance"]);
    let periplus = periplus.env("MCP_URL", server.url());
    (periplus, server)
}

/// Where a tool can run: behind the server, and in the process of the command.
const PLACES: [&[&str]; 2] = [&[], &["--local"]];

fn call(periplus: &Periplus, place: &[&str], tool: &str, flags: &[&str]) -> Finished {
    periplus.run(&[&["call", tool], place, flags].concat())
}

#[test]
fn a_script_answers_what_a_tool_asks_by_flags() {
    let (periplus, _server) = server();
    for place in PLACES {
        let one = call(&periplus, place, ONE, &["--answer", "name=Ada"]).expect(0);
        assert!(one.stdout.contains("Hello, Ada!"), "{}", one.stdout);
        assert_eq!(one.stderr, "", "{place:?}");
        let two = ["--answer", "name=Ada", "--answer", "color=blue"];
        let two = call(&periplus, place, TWO, &two).expect(0);
        assert!(two.stdout.contains("Ada likes blue."), "{}", two.stdout);
    }
}

#[test]
fn a_question_that_nobody_answers_is_exit_code_2_and_names_question_and_flag() {
    let (periplus, _server) = server();
    for place in PLACES {
        let none = call(&periplus, place, ONE, &[]).expect(2);
        assert_eq!(none.stdout, "");
        for part in ["What is your name?", "--answer name=…", "Your name"] {
            assert!(none.stderr.contains(part), "{part}: {}", none.stderr);
        }
        let second = call(&periplus, place, TWO, &["--answer", "name=Ada", "--json"]).expect(2);
        assert!(second.stderr.contains("--answer color=…"), "{}", second.stderr);
        let misspelt = call(&periplus, place, ONE, &["--answer", "nme=Ada"]).expect(2);
        assert!(
            misspelt.stderr.contains("What is your name?"),
            "{}",
            misspelt.stderr
        );
    }
    let _ = call(&periplus, &[], ONE, &["--answer", "novalue"]).expect(2);
}

#[test]
fn an_answer_that_nothing_asked_for_is_told_and_no_failure() {
    let periplus = Periplus::new();
    let told = call(
        &periplus,
        &["--local"],
        "hello/hello",
        &["--answer", "color=blue"],
    )
    .expect(0);
    assert!(
        told.stderr.contains("did not ask for \"color\""),
        "{}",
        told.stderr
    );
}

#[test]
fn what_only_a_model_can_answer_is_said_to_be_that() {
    let (periplus, _server) = server();
    for place in PLACES {
        let tool = "conformance/test_input_required_result_sampling";
        let refused = call(&periplus, place, tool, &["--answer", "a=b"]).expect(1);
        assert!(refused.stderr.contains("sampling"), "{}", refused.stderr);
    }
}

/// With a terminal of their own, which `script` of Linux makes.
#[cfg(target_os = "linux")]
mod terminal {
    use std::{
        io::{Read as _, Write as _},
        process::{Command, Stdio},
    };

    use e2e::Periplus;

    use super::{ONE, TWO, server};

    /// What the terminal asks first.
    const NAME: &str = "name, Your name:";

    /// Runs a command in a terminal of its own, types once it asks, and reads everything that the terminal shows.
    fn in_terminal(periplus: &Periplus, command: &str, asks: &str, typed: &str) -> (Option<i32>, String) {
        let inner = periplus.command(&[]);
        let line = format!("{} {command}", inner.get_program().display());
        let mut script = Command::new("script");
        script
            .args(["--quiet", "--return", "--command", &line, "/dev/null"])
            .current_dir(periplus.folder())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        for (name, value) in inner.get_envs() {
            script.env(name, value.unwrap_or_default());
        }
        let mut child = script.spawn().expect("`script` of util-linux starts");
        let mut keyboard = child.stdin.take().expect("the input is piped");
        let mut output = child.stdout.take().expect("the output is piped");
        let (mut screen, mut chunk) = (Vec::new(), [0; 1024]);
        // A key that is hit before there is anybody to read it may be lost.
        while !String::from_utf8_lossy(&screen).contains(asks) {
            let count = output.read(&mut chunk).expect("the terminal can be read");
            assert!(count > 0, "it never asks: {}", String::from_utf8_lossy(&screen));
            screen.extend_from_slice(&chunk[..count]);
        }
        keyboard
            .write_all(typed.as_bytes())
            .expect("the terminal takes input");
        output.read_to_end(&mut screen).expect("the terminal can be read");
        let status = child.wait().expect("the command ends");
        (status.code(), String::from_utf8_lossy(&screen).into_owned())
    }

    #[test]
    fn a_person_at_a_terminal_is_asked_until_the_answer_fits() {
        let (periplus, _server) = server();
        let (code, screen) = in_terminal(&periplus, &format!("call {ONE}"), NAME, "\nAda\n");
        assert_eq!(code, Some(0), "{screen}");
        for part in [
            "What is your name?",
            "name, Your name:",
            "name is needed",
            "Hello, Ada!",
        ] {
            assert!(screen.contains(part), "{part}: {screen}");
        }
        let (code, screen) = in_terminal(
            &periplus,
            &format!("call {TWO} --answer name=Ada"),
            "color:",
            "blue\n",
        );
        assert_eq!(code, Some(0), "{screen}");
        assert!(
            !screen.contains("Step 1"),
            "what a flag answers is not asked: {screen}"
        );
        assert!(screen.contains("Ada likes blue."), "{screen}");
    }

    #[test]
    fn the_end_of_the_input_declines() {
        let (periplus, _server) = server();
        let (_, screen) = in_terminal(&periplus, &format!("call {ONE}"), NAME, "\u{4}");
        assert!(screen.contains("declined"), "{screen}");
    }

    #[test]
    fn an_interrupt_at_a_question_ends_the_command() {
        let (periplus, _server) = server();
        let (code, screen) = in_terminal(&periplus, &format!("call {ONE}"), NAME, "\u{3}");
        assert_eq!(code, Some(130), "{screen}");
        assert!(!screen.contains("Hello"), "{screen}");
    }
}
