//! A named set of tools with what they share: state, credentials, views, limits.

use std::{any::Any, collections::BTreeMap, fmt, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use serde_json::Value;

use crate::{
    Access, Changes, ContextBuilder, ContractError, Failure, Prompt, Resource, ResourceTemplate, Tool, View,
    contract,
};

/// Whether a toolset can answer now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// Calls will be answered.
    Ready,
    /// Still loading; the text says what.
    Starting(String),
    /// Not able to answer; the text says why, without paths or secrets.
    Failed(String),
}

/// How many calls of one class run at once, and how many more may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concurrency {
    /// Calls that run at once.
    pub running: usize,
    /// Calls that may wait for a place; more are refused as busy.
    pub waiting: usize,
    /// What a refused caller is told to wait.
    pub retry_after: Duration,
}

type Probe = dyn Fn() -> BoxFuture<'static, Readiness> + Send + Sync;
type FailureText = dyn Fn(&str, &Failure) -> Option<String> + Send + Sync;

/// A named set of tools.
#[derive(Clone)]
pub struct Toolset {
    name: String,
    title: Option<String>,
    version: String,
    instructions: Option<String>,
    tools: Vec<Tool>,
    views: BTreeMap<String, View>,
    /// Tools that were given a second view.
    twice_viewed: Vec<String>,
    examples: BTreeMap<String, Vec<Value>>,
    credential_headers: Vec<String>,
    concurrency: BTreeMap<&'static str, Concurrency>,
    access: Access,
    state: Option<Arc<dyn Any + Send + Sync>>,
    probe: Option<Arc<Probe>>,
    failure_text: Option<Arc<FailureText>>,
    error_codes: &'static [(&'static str, &'static str)],
    resources: Vec<Resource>,
    resource_templates: Vec<ResourceTemplate>,
    prompts: Vec<Prompt>,
    changes: Option<Changes>,
    legacy: LegacyStreams,
}

/// What legacy clients get on the stream of a call without asking for it in the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LegacyStreams {
    /// Log lines from `info` on.
    pub logs: bool,
    /// Questions, whose answers must reach the process that asks: for a server of one replica.
    pub questions: bool,
}

impl Toolset {
    /// An empty toolset. The name is kebab case; it is the URL prefix and the state key prefix.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            title: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
            tools: Vec::new(),
            views: BTreeMap::new(),
            twice_viewed: Vec::new(),
            examples: BTreeMap::new(),
            credential_headers: Vec::new(),
            concurrency: BTreeMap::new(),
            access: Access::default(),
            state: None,
            probe: None,
            failure_text: None,
            error_codes: &[],
            resources: Vec::new(),
            resource_templates: Vec::new(),
            prompts: Vec::new(),
            changes: None,
            legacy: LegacyStreams::default(),
        }
    }

    /// The name for people.
    #[must_use]
    pub fn title(mut self, title: &str) -> Self {
        self.title = Some(title.to_owned());
        self
    }

    /// The version that clients see; that of this crate unless set.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        self.version = version.to_owned();
        self
    }

    /// What a model should know before using the tools.
    #[must_use]
    pub fn instructions(mut self, text: &str) -> Self {
        self.instructions = Some(text.to_owned());
        self
    }

    /// Adds a tool; `#[tool]` turns a function into what is passed here.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<Tool>) -> Self {
        self.tools.push(tool.into());
        self
    }

    /// Gives a tool a view.
    #[must_use]
    pub fn view(mut self, tool: &str, view: View) -> Self {
        if self.views.insert(tool.to_owned(), view).is_some() {
            self.twice_viewed.push(tool.to_owned());
        }
        self
    }

    /// Declares a question that a call of the tool answers, for clients that suggest or plan; one tool may have several.
    ///
    /// Either a text, or `{"question", "arguments", "then": [{"tool", "arguments"}]}`: words in braces are gaps of the
    /// question, `{gap}` and `{gap:number}` in arguments stand for what fills them, `@state:…` for an earlier result.
    #[must_use]
    pub fn example(mut self, tool: &str, example: Value) -> Self {
        self.examples.entry(tool.to_owned()).or_default().push(example);
        self
    }

    /// Declares a header that carries a user's credential; tools can read declared headers only.
    #[must_use]
    pub fn credential_header(mut self, name: &str) -> Self {
        self.credential_headers.push(name.to_ascii_lowercase());
        self.credential_headers.sort();
        self
    }

    /// Bounds the calls of the tools that name this class.
    #[must_use]
    pub fn concurrency(mut self, class: &'static str, limit: Concurrency) -> Self {
        self.concurrency.insert(class, limit);
        self
    }

    /// Who may reach the toolset.
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// A value that every tool can read from its [`Context`](crate::Context).
    #[must_use]
    pub fn state<T: Any + Send + Sync>(mut self, state: T) -> Self {
        self.state = Some(Arc::new(state));
        self
    }

    /// How to find out whether the toolset can answer; ready unless given.
    #[must_use]
    pub fn readiness<F>(mut self, probe: F) -> Self
    where
        F: Fn() -> BoxFuture<'static, Readiness> + Send + Sync + 'static,
    {
        self.probe = Some(Arc::new(probe));
        self
    }

    /// Phrases failures the toolset's own way; `None` keeps the default text.
    #[must_use]
    pub fn failure_text<F>(mut self, text: F) -> Self
    where
        F: Fn(&str, &Failure) -> Option<String> + Send + Sync + 'static,
    {
        self.failure_text = Some(Arc::new(text));
        self
    }

    /// Lists the stable codes of the toolset's own error bodies, each with when it occurs, for the reference.
    #[must_use]
    pub fn error_codes(mut self, codes: &'static [(&'static str, &'static str)]) -> Self {
        self.error_codes = codes;
        self
    }

    /// Adds a document that clients can list and read.
    #[must_use]
    pub fn resource(mut self, resource: Resource) -> Self {
        self.resources.push(resource);
        self
    }

    /// Adds a family of documents.
    #[must_use]
    pub fn resource_template(mut self, template: ResourceTemplate) -> Self {
        self.resource_templates.push(template);
        self
    }

    /// Adds a prompt.
    #[must_use]
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.prompts.push(prompt);
        self
    }

    /// Lets clients listen to these changes.
    #[must_use]
    pub fn changes(mut self, changes: Changes) -> Self {
        self.changes = Some(changes);
        self
    }

    /// Sends legacy clients, which cannot ask for it call by call, log lines or questions on the stream of a call.
    #[must_use]
    pub fn legacy_streams(mut self, legacy: LegacyStreams) -> Self {
        self.legacy = legacy;
        self
    }

    /// The kebab-case name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name for people, if one was given.
    #[must_use]
    pub fn display_title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The version that clients see.
    #[must_use]
    pub fn declared_version(&self) -> &str {
        &self.version
    }

    /// What a model should know, if anything was said.
    #[must_use]
    pub fn declared_instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// The tools, in the order they were added.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.declaration().name == name)
    }

    /// The view of a tool.
    #[must_use]
    pub fn view_of(&self, tool: &str) -> Option<&View> {
        self.views.get(tool)
    }

    /// All views by tool name.
    #[must_use]
    pub fn views(&self) -> &BTreeMap<String, View> {
        &self.views
    }

    pub(crate) fn twice_viewed(&self) -> &[String] {
        &self.twice_viewed
    }

    /// The example questions by tool name.
    #[must_use]
    pub fn examples(&self) -> &BTreeMap<String, Vec<Value>> {
        &self.examples
    }

    /// Declared credential headers, lower case and sorted.
    #[must_use]
    pub fn credential_headers(&self) -> &[String] {
        &self.credential_headers
    }

    /// The declared concurrency classes.
    #[must_use]
    pub fn concurrency_classes(&self) -> &BTreeMap<&'static str, Concurrency> {
        &self.concurrency
    }

    /// Who may reach the toolset.
    #[must_use]
    pub fn access_rules(&self) -> &Access {
        &self.access
    }

    /// The documents, in the order they were added.
    #[must_use]
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The families of documents, in the order they were added.
    #[must_use]
    pub fn resource_templates(&self) -> &[ResourceTemplate] {
        &self.resource_templates
    }

    /// The prompts, in the order they were added.
    #[must_use]
    pub fn prompts(&self) -> &[Prompt] {
        &self.prompts
    }

    /// The changes that clients can listen to, if there are any.
    #[must_use]
    pub fn announced_changes(&self) -> Option<&Changes> {
        self.changes.as_ref()
    }

    /// What legacy clients get without asking.
    #[must_use]
    pub fn legacy(&self) -> LegacyStreams {
        self.legacy
    }

    /// Whether the toolset can answer now.
    pub async fn ready(&self) -> Readiness {
        match &self.probe {
            Some(probe) => probe().await,
            None => Readiness::Ready,
        }
    }

    /// The text that a failed call answers with.
    #[must_use]
    pub fn describe_failure(&self, tool: &str, failure: &Failure) -> String {
        self.failure_text
            .as_ref()
            .and_then(|text| text(tool, failure))
            .unwrap_or_else(|| format!("Error executing tool {tool}: {failure}"))
    }

    /// The codes of the toolset's own error bodies, each with when it occurs; empty if it has none.
    #[must_use]
    pub fn declared_error_codes(&self) -> &'static [(&'static str, &'static str)] {
        self.error_codes
    }

    /// Checks what the types cannot: names, duplicates, references between tools, views, headers and classes.
    ///
    /// # Errors
    /// Every rule that is broken; a server must not start with any.
    pub fn check(&self) -> Result<(), Vec<ContractError>> {
        let broken = contract::check(self);
        if broken.is_empty() { Ok(()) } else { Err(broken) }
    }

    /// Starts the context of one call: declared headers and shared state are set.
    #[must_use]
    pub fn context(&self) -> ContextBuilder {
        ContextBuilder::new(self.credential_headers.clone(), self.state.clone())
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolset")
            .field("name", &self.name)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
