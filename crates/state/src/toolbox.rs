//! All tools of all connected servers, each under a name that is its alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use crate::{Connection, Tool, Warning};

/// The tools a model may call.
#[derive(Debug, Clone, Default)]
pub struct Toolbox {
    tools: Vec<Tool>,
    by_exposed_name: BTreeMap<String, usize>,
}

impl Toolbox {
    /// Binds the tool lists of all servers.
    ///
    /// A name that several servers use, or that is one of the `reserved` names of the host's own tools, is qualified to
    /// `<server>__<tool>` for each of them. A second tool of one name on one server is left out with a warning.
    #[must_use]
    pub fn bind(servers: &[(Arc<Connection>, Vec<Value>)], reserved: &[&str]) -> (Self, Vec<Warning>) {
        let mut warnings = Vec::new();
        let mut tools = Vec::new();
        for (connection, declarations) in servers {
            let mut seen = BTreeSet::new();
            for declaration in declarations {
                let (tool, found) = Tool::bind(connection, declaration);
                warnings.extend(found);
                match tool {
                    Some(tool) if seen.insert(tool.name().to_owned()) => tools.push(tool),
                    Some(tool) => warnings.push(repeated(&tool)),
                    None => {}
                }
            }
        }
        qualify(&mut tools, reserved, &mut warnings);
        let by_exposed_name = tools
            .iter()
            .enumerate()
            .map(|(index, tool)| (tool.exposed_name.clone(), index))
            .collect();
        (
            Self {
                tools,
                by_exposed_name,
            },
            warnings,
        )
    }

    /// The tool that the model calls by this name.
    #[must_use]
    pub fn get(&self, exposed_name: &str) -> Option<&Tool> {
        self.tools.get(*self.by_exposed_name.get(exposed_name)?)
    }

    /// All tools, in the order of the servers and of their lists.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tools that declare that they publish this key.
    pub fn producers(&self, key: &str) -> impl Iterator<Item = &Tool> {
        self.tools
            .iter()
            .filter(move |tool| tool.produces().values().any(|produced| produced.as_str() == key))
    }
}

fn repeated(tool: &Tool) -> Warning {
    Warning::Declaration {
        server: tool.connection().name().to_owned(),
        tool: tool.name().to_owned(),
        problem: "the server lists this name twice; the second tool is left out".to_owned(),
    }
}

/// Qualifies every name that is not one tool's alone.
fn qualify(tools: &mut [Tool], reserved: &[&str], warnings: &mut Vec<Warning>) {
    let mut servers_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for tool in tools.iter() {
        servers_of
            .entry(tool.name().to_owned())
            .or_default()
            .push(tool.connection().name().to_owned());
    }
    let mut taken: BTreeSet<String> = reserved.iter().map(|&name| name.to_owned()).collect();
    taken.extend(servers_of.keys().cloned());
    for tool in tools.iter_mut() {
        let is_shared = servers_of
            .get(tool.name())
            .is_some_and(|servers| servers.len() > 1);
        if is_shared || reserved.contains(&tool.name()) {
            tool.exposed_name = qualified(tool, &mut taken);
        }
    }
    for (name, servers) in servers_of {
        if servers.len() > 1 || reserved.contains(&name.as_str()) {
            warnings.push(Warning::NameCollision { name, servers });
        }
    }
}

fn qualified(tool: &Tool, taken: &mut BTreeSet<String>) -> String {
    let mut name = format!("{}__{}", tool.connection().name(), tool.name());
    // Another tool may really be called so.
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn servers(lists: &[(&str, &[&str])]) -> Vec<(Arc<Connection>, Vec<Value>)> {
        let named = |name: &&str| json!({ "name": name });
        lists
            .iter()
            .map(|(server, tools)| {
                (
                    Arc::new(Connection::new(server).unwrap()),
                    tools.iter().map(named).collect(),
                )
            })
            .collect()
    }

    fn exposed(toolbox: &Toolbox) -> Vec<&str> {
        toolbox.tools().iter().map(Tool::exposed_name).collect()
    }

    #[test]
    fn a_name_of_two_servers_is_qualified_for_both() {
        let (toolbox, warnings) = Toolbox::bind(
            &servers(&[("clip-view", &["clip", "info"]), ("raster", &["clip"])]),
            &[],
        );
        assert_eq!(exposed(&toolbox), ["clip-view__clip", "info", "raster__clip"]);
        assert_eq!(toolbox.get("raster__clip").unwrap().connection().name(), "raster");
        assert!(toolbox.get("clip").is_none());
        assert_eq!(
            warnings,
            [Warning::NameCollision {
                name: "clip".to_owned(),
                servers: vec!["clip-view".to_owned(), "raster".to_owned()]
            }]
        );
    }

    #[test]
    fn a_name_of_the_hosts_own_tools_is_qualified() {
        let (toolbox, _) = Toolbox::bind(
            &servers(&[("s", &["inspect_state", "s__inspect_state"])]),
            &["inspect_state"],
        );
        assert_eq!(exposed(&toolbox), ["s__inspect_state_", "s__inspect_state"]);
    }

    #[test]
    fn a_name_listed_twice_by_one_server_is_bound_once() {
        let (toolbox, warnings) = Toolbox::bind(&servers(&[("s", &["t", "t"])]), &[]);
        assert_eq!(exposed(&toolbox), ["t"]);
        assert!(matches!(&warnings[..], [Warning::Declaration { .. }]));
    }
}
