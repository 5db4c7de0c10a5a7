//! Tool names on the wire.
//!
//! The library turns a tool with one of a provider's own names into that provider's built-in tool, silently dropping the
//! schema: a toolset's `web_search` would become the provider's. Such names travel under another one.

/// Names the library gives a meaning of its own.
const RESERVED: &[&str] = &[
    "web_search",
    "googleSearch",
    "googleSearchRetrieval",
    "codeExecution",
    "urlContext",
];

/// The renamed tools of one request; most have none.
#[derive(Debug, Default)]
pub(super) struct ToolNames {
    renamed: Vec<(String, String)>,
}

impl ToolNames {
    pub(super) fn new(names: &[&str]) -> Self {
        let renamed = names
            .iter()
            .filter(|name| RESERVED.contains(name))
            .map(|&name| {
                let mut wire = format!("{name}_tool");
                while names.contains(&wire.as_str()) {
                    wire.push('_');
                }
                (name.to_owned(), wire)
            })
            .collect();
        Self { renamed }
    }

    /// The name as the provider sees it.
    pub(super) fn on_wire<'a>(&'a self, name: &'a str) -> &'a str {
        self.renamed
            .iter()
            .find(|(own, _)| own == name)
            .map_or(name, |(_, wire)| wire)
    }

    /// The name as declared.
    pub(super) fn declared<'a>(&'a self, name: &'a str) -> &'a str {
        self.renamed
            .iter()
            .find(|(_, wire)| wire == name)
            .map_or(name, |(own, _)| own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reserved_names_travel_under_another_one() {
        let names = ToolNames::new(&["hello", "web_search", "web_search_tool"]);
        assert_eq!(names.on_wire("hello"), "hello");
        assert_eq!(names.on_wire("web_search"), "web_search_tool_");
        assert_eq!(names.declared("web_search_tool_"), "web_search");
        assert_eq!(names.declared("web_search_tool"), "web_search_tool");
        assert_eq!(names.declared("anything"), "anything");
    }
}
