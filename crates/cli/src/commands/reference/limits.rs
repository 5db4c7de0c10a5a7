//! The page of limits, from the values that are compiled in.

use std::time::Duration;

use periplus_agent_api::ApiLimits;
use periplus_runtime::{client::ClientOptions, server::ServerLimits};
use periplus_state::{CaptureLimits, MAX_ENTRIES, MAX_STATE_BYTES};
use periplus_toolset::Limits;

/// What is bounded, the bound, what happens beyond it.
type Row = (&'static str, String, &'static str);

pub(super) fn page() -> String {
    let intro = "# Limits\n\n\
        Everything a caller can send is bounded before it is worked on.\n\
        Beyond a limit the caller gets an answer that names it.\n";
    let sections = [
        (
            "A server",
            "A program that embeds the server sets these in `ServerConfig::limits`.",
            server(&ServerLimits::default()),
        ),
        (
            "A tool",
            "An author sets these in `#[tool(…)]`; the limits of the server hold as well.",
            tool(&Limits::default()),
        ),
        (
            "The client",
            "`list`, `call`, `repl` and the agent; an embedding program sets these in `ClientOptions`.",
            client(&ClientOptions::default()),
        ),
        (
            "The agent over HTTP",
            "`periplus web`; connections are bounded as those of a server. An embedding program sets these in `ApiConfig::limits`.",
            api(&ApiLimits::default()),
        ),
        (
            "Values of one conversation",
            "An embedding program sets the first two in `CaptureLimits`.",
            state(&CaptureLimits::default()),
        ),
    ];
    sections
        .into_iter()
        .fold(intro.to_owned(), |page, (title, about, rows)| {
            let rows: String = rows
                .iter()
                .map(|(what, limit, beyond)| format!("| {what} | {limit} | {beyond} |\n"))
                .collect();
            format!(
                "{page}\n## {title}\n\n{about}\n\n| What | Limit | Beyond it |\n| --- | --- | --- |\n{rows}"
            )
        })
}

fn server(limits: &ServerLimits) -> Vec<Row> {
    vec![
        ("Body of a request", bytes(limits.max_body_bytes), "413"),
        (
            "Requests answered at once",
            limits.max_concurrent_requests.to_string(),
            "503 with `Retry-After`",
        ),
        (
            "Open connections",
            limits.max_connections.to_string(),
            "the next one waits to be accepted",
        ),
        (
            "Run of one call, whatever its tool declares",
            time(limits.request_timeout),
            "a failed result that names the limit",
        ),
        (
            "Run of a call that became a task",
            time(limits.task_timeout),
            "a failed task that names the limit",
        ),
        (
            "Tasks kept at once by one toolset",
            limits.max_tasks.to_string(),
            "the call is refused",
        ),
        (
            "Streams of news open at once",
            limits.max_listeners.to_string(),
            "503 with `Retry-After`",
        ),
        ("Time to receive a body", time(limits.body_timeout), "408"),
        (
            "Time to receive headers, and idle time of a connection",
            time(limits.header_timeout),
            "the connection is closed",
        ),
        (
            "Result of a call, whatever its tool declares",
            bytes(limits.max_result_bytes),
            "a failed result that names the limit",
        ),
        (
            "Time until a call is answered as an event stream",
            time(limits.stream_after),
            "comments keep the stream alive",
        ),
    ]
}

fn tool(limits: &Limits) -> Vec<Row> {
    vec![
        (
            "Run (`timeout = \"60s\"`)",
            time(limits.timeout),
            "a failed result that names the limit; the tool's cancellation fires",
        ),
        (
            "Result (`max_result_bytes = 10_000`)",
            bytes(limits.max_result_bytes),
            "a failed result that names the limit",
        ),
        (
            "Calls at once (`concurrency = \"class\"`)",
            "none".to_owned(),
            "more wait or are refused, as `Toolset::concurrency` says",
        ),
    ]
}

fn client(options: &ClientOptions) -> Vec<Row> {
    vec![
        (
            "Time to connect",
            time(options.connect_timeout),
            "the server counts as unreachable",
        ),
        (
            "Time of one request",
            time(options.request_timeout),
            "the call is given up",
        ),
        (
            "Answer",
            bytes(options.max_response_bytes),
            "the answer is refused",
        ),
        (
            "Pages of one list",
            options.max_pages.to_string(),
            "the list is refused as endless",
        ),
    ]
}

fn api(limits: &ApiLimits) -> Vec<Row> {
    vec![
        ("Body of a request", bytes(limits.body_bytes), "413"),
        ("Time to receive a request", time(limits.body_time), "408"),
        ("Runs at once", limits.runs.to_string(), "503"),
        (
            "Time of one run",
            time(limits.run_time),
            "it is cancelled; what it had finished stays in its thread",
        ),
        (
            "Wait for the end of a run",
            time(limits.idle_wait),
            "the answer says that it goes on",
        ),
    ]
}

fn state(limits: &CaptureLimits) -> Vec<Row> {
    vec![
        (
            "Field of a result that is not declared as published",
            limits.field_bytes.map_or("none".to_owned(), bytes),
            "kept under a key instead of shown",
        ),
        (
            "Text of a result",
            bytes(limits.text_bytes),
            "its beginning is shown, the whole is kept under a key",
        ),
        ("All values", bytes(MAX_STATE_BYTES), "the oldest are dropped"),
        (
            "Number of values",
            MAX_ENTRIES.to_string(),
            "the oldest are dropped",
        ),
    ]
}

fn bytes(count: usize) -> String {
    const UNITS: [(usize, &str); 2] = [(1024 * 1024, "MiB"), (1024, "KiB")];
    let unit = UNITS
        .iter()
        .find(|(size, _)| count >= *size && count.is_multiple_of(*size));
    match unit {
        Some((size, name)) => format!("{} {name}", count / size),
        None => format!("{count} bytes"),
    }
}

fn time(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 60 && seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_the_largest_unit_that_fits() {
        assert_eq!(bytes(4 * 1024 * 1024), "4 MiB");
        assert_eq!(bytes(2048), "2 KiB");
        assert_eq!(bytes(1500), "1500 bytes");
        assert_eq!(time(Duration::from_secs(300)), "5 min");
        assert_eq!(time(Duration::from_secs(5)), "5 s");
    }
}
