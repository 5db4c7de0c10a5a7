//! Documents that clients can list and read beside the tools.

use std::{collections::BTreeMap, fmt, sync::Arc};

use bytes::Bytes;
use futures::future::BoxFuture;

use crate::{Document, content::Body};

/// A document that is always there.
#[derive(Debug, Clone)]
pub struct Resource {
    /// Machine name.
    pub name: String,
    /// What it holds, for people and models.
    pub description: String,
    /// The document.
    pub document: Document,
}

impl Resource {
    /// A resource of text.
    pub fn text(uri: &str, name: &str, mime_type: &str, text: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            description: String::new(),
            document: Document::text(uri, mime_type, text),
        }
    }

    /// A resource of bytes.
    pub fn bytes(uri: &str, name: &str, mime_type: &str, bytes: impl Into<Bytes>) -> Self {
        Self {
            name: name.to_owned(),
            description: String::new(),
            document: Document::bytes(uri, mime_type, bytes),
        }
    }

    /// What it holds, for people and models.
    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        description.clone_into(&mut self.description);
        self
    }
}

/// The values of a template's variables.
pub type Variables = BTreeMap<String, String>;

type Read = dyn Fn(Variables) -> BoxFuture<'static, Option<Body>> + Send + Sync;

/// A family of documents under URIs with variables, such as `sheet://{id}/rows`.
#[derive(Clone)]
pub struct ResourceTemplate {
    /// The URI with its variables in braces; a variable stands for one or more characters other than `/`. A query of
    /// variables that may be left out can end it, as RFC 6570 writes it: `sheet://{id}{?row,column}`.
    pub uri_template: String,
    /// Machine name.
    pub name: String,
    /// What the documents hold, for people and models.
    pub description: String,
    /// Their media type.
    pub mime_type: String,
    read: Arc<Read>,
}

impl ResourceTemplate {
    /// A template; `read` finds the document of some variables, `None` if there is none.
    pub fn new<F>(uri_template: &str, name: &str, mime_type: &str, read: F) -> Self
    where
        F: Fn(Variables) -> BoxFuture<'static, Option<Body>> + Send + Sync + 'static,
    {
        Self {
            uri_template: uri_template.to_owned(),
            name: name.to_owned(),
            description: String::new(),
            mime_type: mime_type.to_owned(),
            read: Arc::new(read),
        }
    }

    /// What the documents hold, for people and models.
    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        description.clone_into(&mut self.description);
        self
    }

    /// The variables for which the template gives this URI.
    #[must_use]
    pub fn matches(&self, uri: &str) -> Option<Variables> {
        let mut variables = Variables::new();
        let (mut template, mut uri) = match self.uri_template.split_once("{?") {
            Some((template, names)) => {
                let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
                read_query(query, names.strip_suffix('}')?, &mut variables)?;
                (template, path)
            }
            None => (self.uri_template.as_str(), uri),
        };
        while let Some((literal, rest)) = template.split_once('{') {
            let (name, rest) = rest.split_once('}')?;
            uri = uri.strip_prefix(literal)?;
            let stop = rest.chars().next().filter(|c| *c != '{');
            let end = uri.find(|c| c == '/' || Some(c) == stop).unwrap_or(uri.len());
            let (value, left) = uri.split_at(end);
            if value.is_empty() {
                return None;
            }
            variables.insert(name.to_owned(), value.to_owned());
            (template, uri) = (rest, left);
        }
        (uri == template).then_some(variables)
    }

    /// Reads the document under that URI, which has matched.
    pub async fn read(&self, uri: &str, variables: Variables) -> Option<Document> {
        let body = (self.read)(variables).await?;
        Some(Document {
            uri: uri.to_owned(),
            mime_type: self.mime_type.clone(),
            body,
        })
    }
}

/// Takes the variables of a query; `None` if one is not among the names or comes twice.
fn read_query(query: &str, names: &str, variables: &mut Variables) -> Option<()> {
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        if !names.split(',').any(|known| known == name) {
            return None;
        }
        let earlier = variables.insert(name.to_owned(), value.to_owned());
        if earlier.is_some() {
            return None;
        }
    }
    Some(())
}

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate")
            .field("uri_template", &self.uri_template)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
        let template = ResourceTemplate::new(template, "t", "text/plain", |_| Box::pin(async { None }));
        Some(template.matches(uri)?.into_iter().collect())
    }

    #[test]
    fn a_variable_is_one_segment_and_never_empty() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            variables("sheet://{id}/rows", "sheet://7/rows"),
            Some(vec![pair("id", "7")])
        );
        assert_eq!(
            variables("sheet://{id}/{part}", "sheet://7/é"),
            Some(vec![pair("id", "7"), pair("part", "é")])
        );
        assert_eq!(
            variables("x://{a}-{b}", "x://1-2"),
            Some(vec![pair("a", "1"), pair("b", "2")])
        );
        for uri in [
            "sheet:///rows",
            "sheet://7/8/rows",
            "sheet://7/rows/",
            "sheet://7",
            "other",
        ] {
            assert_eq!(variables("sheet://{id}/rows", uri), None, "{uri}");
        }
    }

    #[test]
    fn variables_of_a_query_may_be_left_out_and_come_in_any_order() {
        let template = "sheet://{id}{?row,column}";
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(variables(template, "sheet://7"), Some(vec![pair("id", "7")]));
        assert_eq!(
            variables(template, "sheet://7?column=b&row="),
            Some(vec![pair("column", "b"), pair("id", "7"), pair("row", "")])
        );
        for uri in [
            "sheet://7?cell=1",
            "sheet://7?row=1&row=2",
            "sheet://7?row",
            "sheet://7/8?row=1",
        ] {
            assert_eq!(variables(template, uri), None, "{uri}");
        }
    }
}
