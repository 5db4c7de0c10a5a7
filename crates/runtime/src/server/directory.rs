//! What a server says about the toolsets it serves itself: health of one, directory of all.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures::FutureExt as _;
use periplus_toolset::{Readiness, Toolset};

use super::entries::state_key;
use crate::directory::{
    Declarations, Endpoint, HealthDocument, IndexDocument, NotAuthored, Produced, StateDeclarations,
    ToolsetEntry,
};

/// A probe that takes longer counts as not ready.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether a toolset can answer; a probe that hangs or panics is a failed one.
pub(super) async fn readiness(toolset: &Toolset) -> Readiness {
    match tokio::time::timeout(PROBE_TIMEOUT, AssertUnwindSafe(toolset.ready()).catch_unwind()).await {
        Ok(Ok(readiness)) => readiness,
        Ok(Err(_)) => Readiness::Failed("the readiness probe panicked".to_owned()),
        Err(_) => Readiness::Failed("the readiness probe did not answer".to_owned()),
    }
}

/// The one word that a health document has for it.
pub(super) fn status(readiness: &Readiness) -> &'static str {
    match readiness {
        Readiness::Ready => "ok",
        Readiness::Starting(_) => "starting",
        Readiness::Failed(_) => "failed",
    }
}

/// The health document of a toolset: status, tools and declarations.
pub(super) async fn health(toolset: &Toolset) -> HealthDocument {
    HealthDocument {
        status: status(&readiness(toolset).await).to_owned(),
        declares: declarations(toolset),
    }
}

/// The directory of all toolsets, whose addresses start with `base`.
pub(super) async fn index(toolsets: &[&Toolset], base: &str) -> IndexDocument {
    let mut connections = Vec::new();
    let mut entries = Vec::new();
    for toolset in toolsets {
        let url = format!("{base}/{}/mcp", toolset.name());
        connections.push((toolset.name().to_owned(), Endpoint::new(&url)));
        entries.push(ToolsetEntry {
            name: toolset.name().to_owned(),
            url,
            status: status(&readiness(toolset).await).to_owned(),
            declares: declarations(toolset),
        });
    }
    IndexDocument {
        connections,
        toolsets: entries,
        stale_seconds: None,
    }
}

/// Tools in their order, credential headers, and which values are published or must not be authored.
fn declarations(toolset: &Toolset) -> Declarations {
    let tools = || toolset.tools().iter().map(|tool| tool.declaration());
    let produces = tools().flat_map(|tool| {
        tool.produces.iter().map(move |field| Produced {
            tool: tool.name.to_string(),
            field: field.clone(),
            state_key: state_key(toolset, &tool.name, field),
        })
    });
    let not_authored = tools().flat_map(|tool| {
        tool.not_authored.iter().map(move |parameter| NotAuthored {
            tool: tool.name.to_string(),
            parameter: parameter.clone(),
        })
    });
    Declarations {
        tools: tools().map(|tool| tool.name.to_string()).collect(),
        credential_headers: toolset.credential_headers().to_vec(),
        state: StateDeclarations {
            produces: produces.collect(),
            not_authored: not_authored.collect(),
        },
    }
}
