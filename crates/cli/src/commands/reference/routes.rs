//! The page of routes, from the descriptions that the servers give of themselves.

use periplus_agent_api::interface as agent;
use periplus_runtime::server::interface as toolsets;
use serde_json::Value;

pub(super) fn page() -> String {
    format!(
        "# Routes\n\n\
        A path prefix stands in front of all of them.\n\n\
        ## Toolsets\n\n\
        What a server of several toolsets answers, `periplus serve` and `periplus index` alike.\n\
        The routes of operation are also answered without a prefix.\n\
        A server of one toolset has that toolset's routes at its root: `/mcp` and `/health`.\n\
        `/healthz` and `/readyz` are other names of liveness and readiness.\n\
        A running server has the schemas of its tools at `/openapi.json`, and a page of them at `/docs`.\n\n\
        {}\n\
        How requests are refused is on the page [Errors](errors.md), how much is too much on [Limits](limits.md).\n\n\
        ## The agent\n\n\
        What `periplus web` answers; [Host the agent](../guides/host-the-agent.md) shows the requests.\n\
        A refusal is a JSON object whose `detail` says why.\n\n\
        {}",
        table(&toolsets()),
        table(&agent(""))
    )
}

fn table(document: &Value) -> String {
    let mut text = "| Method | Path | What it answers |\n| --- | --- | --- |\n".to_owned();
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, methods) in paths.into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let summary = operation
                .get("summary")
                .and_then(Value::as_str)
                .unwrap_or_default();
            text += &format!("| {} | `{path}` | {summary}. |\n", method.to_uppercase());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_says_what_it_answers() {
        let page = page();
        for route in [
            "GET | `/`",
            "POST | `/{toolset}/mcp`",
            "GET | `/{toolset}/health`",
            "GET | `/metrics`",
            "GET | `/openapi.json`",
            "POST | `/runs`",
            "DELETE | `/threads/{thread}`",
            "GET | `/threads/{thread}/state/{key}`",
        ] {
            assert!(page.contains(route), "{page}");
        }
        assert!(!page.contains("|  . |") && !page.contains("| . |"), "{page}");
    }
}
