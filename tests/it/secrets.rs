//! Credentials appear in no output and no log.

use e2e::Periplus;

const SECRET: &str = "tell-nobody-5f1c";

#[test]
fn a_full_log_of_server_directory_and_client_holds_no_secret_and_no_argument() {
    let periplus = Periplus::new()
        .env("PERIPLUS_LOG", "trace")
        .env("X_DEMO_TOKEN", SECRET);
    let server = periplus.serve(&["hello", "credential-demo"]);
    let url = server.url().to_owned();
    let mut index = periplus.index(&["--static", &format!("credential-demo={url}/credential-demo")]);
    index.wait_for_log("a toolset of the directory");
    let index_url = index.url().to_owned();
    let bearer = format!("Authorization: Bearer {SECRET}");
    let header = format!("x-demo-token={SECRET}");
    let argument = format!("name={SECRET}");
    for arguments in [
        vec!["call", "credential-demo/whoami", "--url", &url, "-H", &bearer],
        vec![
            "call",
            "credential-demo/whoami",
            "--url",
            &url,
            "--log-format",
            "json",
        ],
        vec!["call", "hello/hello", &argument, "nme=x", "--url", &url],
        vec!["list", &url, "-H", &bearer],
        vec!["call", "whoami", "--url", &index_url, "-H", &header],
        vec!["list", &index_url, "-H", &header],
        vec!["call", "--local", "credential-demo/whoami"],
        vec!["call", "whoami", "--url", &url, "-H", SECRET],
        vec!["doctor", "--url", &url],
        vec!["config", "show", "--origin"],
    ] {
        let finished = periplus.run(&arguments);
        assert!(
            !finished.stdout.contains(SECRET),
            "{arguments:?}: {}",
            finished.stdout
        );
        assert!(
            !finished.stderr.contains(SECRET),
            "{arguments:?}: {}",
            finished.stderr
        );
    }
    for server in [server, index] {
        server.signal("TERM");
        let (code, log) = server.wait();
        assert_eq!(code, Some(0));
        assert!(log.contains("credential-demo"), "the log is on: {log}");
        assert!(!log.contains(SECRET), "{log}");
    }
}
