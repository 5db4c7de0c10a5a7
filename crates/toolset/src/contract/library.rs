//! The rules for documents and prompts.

use std::collections::BTreeSet;

use super::ContractError;
use crate::Toolset;

pub(super) fn check(toolset: &Toolset, broken: &mut Vec<ContractError>) {
    let documents = toolset.resources().iter().map(|resource| &resource.document.uri);
    let templates = toolset
        .resource_templates()
        .iter()
        .map(|template| &template.uri_template);
    let mut uris = BTreeSet::new();
    for uri in documents.chain(templates) {
        if !is_uri(uri) {
            broken.push(ContractError::ResourceUri { uri: uri.clone() });
        }
        if !uris.insert(uri) {
            broken.push(ContractError::DuplicateResource { uri: uri.clone() });
        }
    }
    let mut names = BTreeSet::new();
    for prompt in toolset.prompts() {
        let name = || prompt.name.clone();
        if !names.insert(&prompt.name) {
            broken.push(ContractError::DuplicatePrompt { prompt: name() });
        }
        let described = prompt.arguments.iter().map(|argument| &argument.description);
        if described
            .chain([&prompt.description])
            .any(|text| text.trim().is_empty())
        {
            broken.push(ContractError::UndescribedPrompt { prompt: name() });
        }
    }
}

/// Whether it starts with a scheme.
fn is_uri(uri: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    uri.split_once("://")
        .is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.is_empty())
}
