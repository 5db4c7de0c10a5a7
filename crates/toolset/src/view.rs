//! Panels that hosts render beside a tool's result (MCP Apps).

/// What a view's page may load from elsewhere; everything empty means nothing at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewSecurity {
    /// Origins it may fetch from.
    pub connect_domains: Vec<String>,
    /// Origins of images, styles and scripts.
    pub resource_domains: Vec<String>,
}

/// A self-contained HTML page, served as `ui://<toolset>/<id>`.
#[derive(Debug, Clone)]
pub struct View {
    /// Kebab-case id, unique within the toolset.
    pub id: String,
    /// The whole page.
    pub html: &'static str,
    /// What the page may load.
    pub security: ViewSecurity,
}

impl View {
    /// A page compiled into the binary.
    #[must_use]
    pub fn embedded(id: &str, html: &'static str) -> Self {
        Self {
            id: id.to_owned(),
            html,
            security: ViewSecurity::default(),
        }
    }

    /// Lets the page load from the named origins.
    #[must_use]
    pub fn security(mut self, security: ViewSecurity) -> Self {
        self.security = security;
        self
    }
}
