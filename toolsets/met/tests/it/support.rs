//! The toolset over the shipped rows.

#![expect(clippy::panic, reason = "helpers of tests fail like the tests themselves")]

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use periplus_collection_import::{Silent, met};
use periplus_met::{Config, Source};
use periplus_toolset::{Failure, Readiness, Toolset, testing};
use serde_json::Value;

/// The snapshot of the shipped rows, built once for all test processes.
pub(crate) fn snapshot() -> PathBuf {
    met::bundled(
        &Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("target/tmp")).join("met"),
        &Silent,
    )
    .expect("the shipped rows import")
}

pub(crate) async fn served(config: Config) -> Toolset {
    let toolset = periplus_met::toolset(config);
    let deadline = Instant::now() + Duration::from_secs(60);
    while toolset.ready().await != Readiness::Ready {
        assert!(
            Instant::now() < deadline,
            "the snapshot is not ready: {:?}",
            toolset.ready().await
        );
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    toolset
}

pub(crate) async fn toolset() -> Toolset {
    served(Config::new(Source::Directory(snapshot()))).await
}

/// The structured result of a call that must succeed.
pub(crate) async fn call(toolset: &Toolset, tool: &str, arguments: Value) -> Value {
    match testing::call(toolset, tool, arguments).await {
        Ok(output) => output.structured,
        Err(failure) => panic!("{tool} failed: {}", toolset.describe_failure(tool, &failure)),
    }
}

/// The error body of a call that must fail.
pub(crate) async fn refusal(toolset: &Toolset, tool: &str, arguments: Value) -> Value {
    match testing::call(toolset, tool, arguments).await {
        Ok(output) => panic!("{tool} answered {}", output.text),
        Err(failure) => body(toolset, tool, &failure),
    }
}

/// What a failed call answers, which is JSON whatever failed.
pub(crate) fn body(toolset: &Toolset, tool: &str, failure: &Failure) -> Value {
    let text = match failure {
        Failure::IsError(body) => body.to_string(),
        failure => toolset.describe_failure(tool, failure),
    };
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("no JSON body: {text}"))
}
