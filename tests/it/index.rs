//! The directory of several servers, as people use it.

use std::{
    io::{Read as _, Write as _},
    time::{Duration, Instant},
};

use e2e::{Periplus, Server};
use serde_json::{Value, json};

/// Longest wait for the first round of health checks on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// `hello` and `credential-demo` in two processes, a third toolset that nobody serves, and their directory.
struct Site {
    periplus: Periplus,
    index: Server,
    _toolsets: [Server; 2],
}

fn site() -> Site {
    let periplus = Periplus::new();
    let toolsets = [periplus.serve(&["hello"]), periplus.serve(&["credential-demo"])];
    let [hello, demo] = [&toolsets[0], &toolsets[1]].map(Server::url);
    let index = periplus.index(&[
        "--static",
        &format!("hello={hello}"),
        "--static",
        &format!("credential-demo={demo}/mcp"),
        "--static",
        "dead=http://127.0.0.1:9",
    ]);
    let site = Site {
        periplus,
        index,
        _toolsets: toolsets,
    };
    let end = Instant::now() + PATIENCE;
    while site.list().is_none() {
        assert!(Instant::now() < end, "the directory never became ready");
    }
    site
}

impl Site {
    /// What `list` says, once the directory has something to say.
    fn list(&self) -> Option<Value> {
        let listed = self.periplus.run(&["list", "--json", self.index.url()]);
        (listed.code == 0).then(|| listed.json())
    }
}

#[test]
fn a_session_starts_with_the_servers_that_are_there_and_names_the_others() {
    let site = site();
    let session = ["repl", "--url", site.index.url()];
    let finished = site
        .periplus
        .run_with_input(&session, "hello name=Ada\n")
        .expect(0);
    assert_eq!(finished.stdout, "Hello, Ada!\n");
    assert!(
        finished.stderr.contains("dead is unreachable and left out"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_directory_leads_to_the_tools_of_every_server() {
    let site = site();
    let listed = site.list().expect("the directory is ready");
    let shown: Vec<_> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| {
            (
                entry["toolset"].clone(),
                entry["status"].clone(),
                entry["tools"][0]["name"].clone(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (json!("credential-demo"), json!("ok"), json!("whoami")),
            (json!("hello"), json!("ok"), json!("hello")),
            (json!("dead"), json!("unreachable"), Value::Null),
        ]
    );
    let url = site.index.url();
    let finished = site
        .periplus
        .run(&["call", "hello/hello", "name=Ada", "--url", url])
        .expect(0);
    assert_eq!(finished.json(), json!({ "message": "Hello, Ada!" }));
    let dead = site.periplus.run(&["call", "dead/any", "--url", url]).expect(3);
    assert!(dead.stderr.contains("\"dead\" is unreachable"), "{}", dead.stderr);
    let unknown = site
        .periplus
        .run(&["call", "nothing/any", "--url", url])
        .expect(2);
    assert!(
        unknown.stderr.contains("credential-demo, hello"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_credential_travels_through_the_directory_in_every_spelling() {
    let site = site();
    let url = site.index.url();
    let call = |header: &str| {
        let finished = site
            .periplus
            .run(&["call", "whoami", "--url", url, "--json", "-H", header])
            .expect(0);
        finished.json()["account"].clone()
    };
    let account = call("X-Demo-Token: s3");
    assert!(
        account
            .as_str()
            .is_some_and(|account| account.starts_with("user-")),
        "{account}"
    );
    for header in [
        "x-demo-token: s3",
        "x-demo-token:s3",
        "x-demo-token=s3",
        "X-DEMO-TOKEN = s3",
    ] {
        assert_eq!(call(header), account, "{header}");
    }
    let missing = site.periplus.run(&["call", "whoami", "--url", url]).expect(1);
    assert!(missing.stderr.contains("x-demo-token"), "{}", missing.stderr);
}

#[test]
fn the_environment_names_the_toolsets_and_origins_are_shown() {
    let hello = Periplus::new().serve(&["hello"]);
    let periplus = Periplus::new().env("TOOLSETS_STATIC", &format!("hello={}", hello.url()));
    let mut index = periplus.index(&[]);
    index.wait_for_log("periplus list");
    assert!(index.log().contains("the directory of hello"), "{}", index.log());
    let shown = periplus.run(&["config", "show", "--origin"]).expect(0).stdout;
    for (value, origin) in [
        ("TOOLSETS_STATIC=hello=http://", "environment TOOLSETS_STATIC"),
        (
            "PERIPLUS_KUBERNETES_URL=https://kubernetes.default.svc",
            "default",
        ),
        ("PERIPLUS_SERVICE_ACCOUNT_DIR=/var/run/secrets", "default"),
    ] {
        let line = shown
            .lines()
            .find(|line| line.starts_with(value))
            .unwrap_or_default();
        assert!(line.ends_with(origin), "{value}: {shown}");
    }
    index.signal("TERM");
    assert_eq!(index.wait().0, Some(0));
}

#[test]
fn a_directory_that_cannot_find_toolsets_says_what_to_set() {
    let periplus = Periplus::new();
    for (arguments, part) in [
        (vec!["index"], "TOOLSETS_STATIC"),
        (vec!["index", "--static", "hello"], "hello=http://"),
        (
            vec!["index", "--static", "a=http://h", "--static", "a=http://i"],
            "listed twice",
        ),
        (vec!["index", "--static", "a=http://user:s3cret@h"], "password"),
    ] {
        let finished = periplus.run(&arguments).expect(2);
        assert!(
            finished.stderr.contains(part),
            "{arguments:?}: {}",
            finished.stderr
        );
        assert!(!finished.stderr.contains("s3cret"), "{}", finished.stderr);
    }
    periplus.write("token", "the-token");
    periplus.write("namespace", "tools");
    let folder = periplus.folder().display().to_string();
    let in_cluster = Periplus::new().env("PERIPLUS_SERVICE_ACCOUNT_DIR", &folder);
    let finished = in_cluster.run(&["index"]).expect(2);
    assert!(finished.stderr.contains("PUBLIC_URL"), "{}", finished.stderr);
    let open = in_cluster.env("PERIPLUS_KUBERNETES_URL", "http://api.example.org");
    let finished = open.run(&["index", "--public-url", "https://h"]).expect(2);
    assert!(finished.stderr.contains("use https"), "{}", finished.stderr);
}

#[test]
fn a_tool_that_two_toolsets_have_is_never_chosen_silently() {
    let periplus = Periplus::new();
    let hello = periplus.serve(&["hello"]);
    let (one, two) = (format!("one={}", hello.url()), format!("two={}", hello.url()));
    let mut index = periplus.index(&["--static", &one, "--static", &two]);
    index.wait_for_log("a toolset of the directory");
    let refused = periplus.run(&["call", "hello", "--url", index.url()]).expect(2);
    assert!(
        refused.stderr.contains("one/hello, two/hello"),
        "{}",
        refused.stderr
    );
    for tool in ["one/hello", "two/hello"] {
        let _ = periplus.run(&["call", tool, "--url", index.url()]).expect(0);
    }
}

/// An API server that lists one Service and forbids to watch; it notes the requests it got.
fn api_server(port_of_toolset: &str) -> (String, std::sync::Arc<std::sync::Mutex<Vec<String>>>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("the listener has an address");
    let service = json!({
        "metadata": { "name": "127.0.0.1", "resourceVersion": "7", "labels": { "mcp-toolsets/toolset": "hello" } },
        "spec": { "ports": [{ "port": port_of_toolset.parse::<u16>().expect("a port") }] },
    });
    let list = json!({ "kind": "ServiceList", "metadata": { "resourceVersion": "7" }, "items": [service] })
        .to_string();
    let requests = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = std::sync::Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut buffer = [0; 8192];
            let count = stream.read(&mut buffer).unwrap_or(0);
            let request = String::from_utf8_lossy(&buffer[..count]).into_owned();
            let (status, body) = if request.contains("watch=true") {
                ("403 Forbidden", "{}")
            } else {
                ("200 OK", list.as_str())
            };
            log.lock().expect("no reader panics").push(request);
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
        }
    });
    (format!("http://{address}"), requests)
}

#[test]
fn in_a_cluster_the_toolsets_are_found_by_their_label() {
    let hello = Periplus::new().serve(&["hello"]);
    let port = hello.url().rsplit(':').next().expect("the URL has a port");
    let (api, requests) = api_server(port);
    let periplus = Periplus::new();
    periplus.write("token", "the-token");
    periplus.write("namespace", "tools");
    let folder = periplus.folder().display().to_string();
    let periplus = periplus
        .env("PERIPLUS_SERVICE_ACCOUNT_DIR", &folder)
        .env("PERIPLUS_KUBERNETES_URL", &api)
        .env("PERIPLUS_LOG", "trace");
    let mut index = periplus.index(&["--public-url", "https://tools.example.org"]);
    index.wait_for_log("status=\"ok\"");
    assert!(
        index.log().contains("the toolsets in namespace tools"),
        "{}",
        index.log()
    );
    index.signal("TERM");
    let (code, log) = index.wait();
    assert_eq!(code, Some(0));
    assert!(!log.contains("the-token"), "{log}");
    let requests = requests.lock().expect("the server does not panic");
    let list = &requests[0];
    assert!(
        list.starts_with("GET /api/v1/namespaces/tools/services?labelSelector=mcp-toolsets%2Ftoolset "),
        "{list}"
    );
    assert!(list.contains("authorization: Bearer the-token"), "{list}");
}
