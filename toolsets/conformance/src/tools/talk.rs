//! Tools that say something before they answer, or take their time.

use std::time::Duration;

use periplus_toolset::{LogLevel, Tool, prelude::*};
use tokio::time::sleep;

const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn all() -> Vec<Tool> {
    vec![
        test_tool_with_progress(),
        test_tool_with_logging(),
        test_logging_tool(),
        test_reconnection(),
    ]
}

/// Tells how far it has come.
#[tool(read_only)]
async fn test_tool_with_progress(cx: &Context) -> Content {
    for (done, pause) in [(0.0, PAUSE), (50.0, PAUSE), (100.0, Duration::ZERO)] {
        cx.progress(done, Some(100.0), None);
        sleep(pause).await;
    }
    Content::text("Progress told.")
}

/// Writes three log lines.
#[tool(read_only)]
async fn test_tool_with_logging(cx: &Context) -> Content {
    for line in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        cx.log(LogLevel::Info, line.into());
        sleep(PAUSE).await;
    }
    Content::text("Three lines logged.")
}

/// Writes a log line for callers that want log lines.
#[tool(read_only)]
async fn test_logging_tool(cx: &Context) -> Content {
    cx.log(LogLevel::Info, "A line for who asked".into());
    Content::text("A line logged.")
}

/// Takes a moment.
#[tool(read_only)]
async fn test_reconnection() -> Content {
    sleep(2 * PAUSE).await;
    Content::text("Still here.")
}
