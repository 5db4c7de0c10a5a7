//! The page of routes, from the description that the server gives of itself.

use periplus_runtime::server::interface;
use serde_json::Value;

pub(super) fn page() -> String {
    let mut text = "# Routes\n\n\
        What a server of several toolsets answers, `periplus serve` and `periplus index` alike.\n\
        A path prefix stands in front of all of them; the routes of operation are also answered without it.\n\
        A server of one toolset has that toolset's routes at its root: `/mcp` and `/health`.\n\
        `/healthz` and `/readyz` are other names of liveness and readiness.\n\
        A running server has the schemas of its tools at `/openapi.json`, and a page of them at `/docs`.\n\n\
        | Method | Path | What it answers |\n| --- | --- | --- |\n"
        .to_owned();
    let document = interface();
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
    text + "\nHow requests are refused is on the page [Errors](errors.md), how much is too much on [Limits](limits.md).\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_says_what_it_answers() {
        let page = page();
        for path in [
            "`/`",
            "`/{toolset}/mcp`",
            "`/{toolset}/health`",
            "`/metrics`",
            "`/openapi.json`",
        ] {
            assert!(page.contains(path), "{page}");
        }
        assert!(!page.contains("|  . |") && !page.contains("| . |"), "{page}");
    }
}
