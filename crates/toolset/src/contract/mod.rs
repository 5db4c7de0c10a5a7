//! The rules that every toolset keeps: checked at start, swept more strictly in its tests.
//!
//! A toolset's `tests/contract.rs` is one line: `contract::sweep(&my_toolset::toolset());`.

mod error;
mod examples;
mod library;
mod portable;
mod tools;

use std::collections::{BTreeMap, BTreeSet};

use http::HeaderName;

pub use error::ContractError;

use crate::Toolset;

/// Headers that belong to the transport and can carry no credential.
const RESERVED_HEADERS: [&str; 9] = [
    "accept",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "origin",
    "transfer-encoding",
    "upgrade",
];

/// Fails a test with every rule that the toolset breaks: those of the start, those for schemas that all hosts and
/// model APIs can read, and those for example questions.
///
/// # Panics
/// The toolset breaks a rule.
pub fn sweep(toolset: &Toolset) {
    let mut broken = check(toolset);
    for tool in toolset.tools() {
        portable::check(tool.declaration(), &mut broken);
    }
    examples::check(toolset, &mut broken);
    let texts: Vec<String> = broken.iter().map(|error| format!("\n  - {error}")).collect();
    assert!(
        texts.is_empty(),
        "toolset `{}` breaks its contract:{}",
        toolset.name(),
        texts.concat()
    );
}

/// The rules without which a toolset must not start.
pub(crate) fn check(toolset: &Toolset) -> Vec<ContractError> {
    let mut broken = Vec::new();
    if !is_kebab(toolset.name()) {
        broken.push(ContractError::ToolsetName {
            toolset: toolset.name().to_owned(),
        });
    }
    if toolset.tools().is_empty() {
        broken.push(ContractError::NoTools {
            toolset: toolset.name().to_owned(),
        });
    }
    let mut names = BTreeSet::new();
    for tool in toolset.tools() {
        if !names.insert(&*tool.declaration().name) {
            broken.push(ContractError::DuplicateTool {
                tool: tool.declaration().name.to_string(),
            });
        }
        tools::check(tool, toolset, &mut broken);
    }
    check_views(toolset, &names, &mut broken);
    check_headers(toolset, &mut broken);
    library::check(toolset, &mut broken);
    for (class, limit) in toolset.concurrency_classes() {
        if limit.running == 0 {
            broken.push(ContractError::NothingRuns {
                class: (*class).to_owned(),
            });
        }
    }
    broken
}

fn check_views(toolset: &Toolset, tools: &BTreeSet<&str>, broken: &mut Vec<ContractError>) {
    let mut pages: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for (tool, view) in toolset.views() {
        if !tools.contains(tool.as_str()) {
            let known = tools.iter().copied().collect::<Vec<_>>().join(", ");
            broken.push(ContractError::ViewOfUnknownTool {
                view: view.id.clone(),
                tool: tool.clone(),
                known,
            });
        }
        if !is_kebab(&view.id) {
            broken.push(ContractError::ViewId {
                view: view.id.clone(),
            });
        }
        if view.html.trim().is_empty() {
            broken.push(ContractError::EmptyView {
                view: view.id.clone(),
            });
        }
        let (first, html) = *pages.entry(&view.id).or_insert((tool, view.html));
        if html != view.html {
            broken.push(ContractError::ViewConflict {
                view: view.id.clone(),
                first: first.to_owned(),
                second: tool.clone(),
            });
        }
    }
    for tool in toolset.twice_viewed() {
        broken.push(ContractError::TwoViews { tool: tool.clone() });
    }
}

fn check_headers(toolset: &Toolset, broken: &mut Vec<ContractError>) {
    let mut seen = BTreeSet::new();
    for header in toolset.credential_headers() {
        if HeaderName::try_from(header).is_err() {
            broken.push(ContractError::HeaderName {
                header: header.clone(),
            });
        }
        if RESERVED_HEADERS.contains(&header.as_str()) || header.starts_with("mcp-") {
            broken.push(ContractError::ReservedHeader {
                header: header.clone(),
            });
        }
        if !seen.insert(header) {
            broken.push(ContractError::DuplicateHeader {
                header: header.clone(),
            });
        }
    }
}

/// Lower-case words of letters and digits, joined by single hyphens.
fn is_kebab(name: &str) -> bool {
    name.split('-').all(|word| {
        !word.is_empty()
            && word
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests;
