//! What can be wrong with a toolset, in words that name the offender and the fix.

/// A rule that a toolset breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the names in each message")]
pub enum ContractError {
    /// The toolset's name is a URL segment and a state key prefix.
    #[error("toolset name `{toolset}` is not kebab case; use lower-case letters, digits and single hyphens")]
    ToolsetName { toolset: String },
    /// A toolset without tools serves nothing.
    #[error("toolset `{toolset}` has no tools; add at least one with `.tool(…)`")]
    NoTools { toolset: String },
    /// Clients refuse other names.
    #[error("tool name `{tool}` is not usable; take 1 to 64 of the characters A-Z a-z 0-9 _ . -")]
    ToolName { tool: String },
    /// A call could mean either tool.
    #[error("two tools are named `{tool}`; rename one")]
    DuplicateTool { tool: String },
    /// Clients read documents by their URIs.
    #[error("`{uri}` is no URI of a resource; write a scheme, `://` and a path")]
    ResourceUri { uri: String },
    /// A read could mean either.
    #[error("two resources have the URI `{uri}`; change one")]
    DuplicateResource { uri: String },
    /// A name could mean either prompt.
    #[error("two prompts are named `{prompt}`; rename one")]
    DuplicatePrompt { prompt: String },
    /// People choose prompts, and fill them, by their descriptions.
    #[error("prompt `{prompt}` or one of its arguments has no description; add it")]
    UndescribedPrompt { prompt: String },
    /// A model chooses tools by their descriptions.
    #[error("tool `{tool}` has no description; write a doc comment, or call `.description(…)`")]
    NoDescription { tool: String },
    /// A model fills arguments, and people read results, by their descriptions.
    #[error("{side} property `{property}` of tool `{tool}` has no description; add one")]
    UndescribedProperty {
        tool: String,
        side: &'static str,
        property: String,
    },
    /// The schema cannot be used for checking.
    #[error("tool `{tool}`: {cause}")]
    BrokenSchema { tool: String, cause: String },
    /// Arguments and results are objects in MCP.
    #[error("the {side} schema of tool `{tool}` does not say `\"type\": \"object\"` at its root; say so")]
    NotAnObject { tool: String, side: &'static str },
    /// The mark would have no effect.
    #[error("tool `{tool}` marks `{parameter}` as not authored, which is no parameter of it; it has {known}")]
    NotAuthoredUnknown {
        tool: String,
        parameter: String,
        known: String,
    },
    /// Published values are objects and lists.
    #[error(
        "tool `{tool}` marks the scalar `{parameter}` as not authored; only objects and lists can be published"
    )]
    NotAuthoredScalar { tool: String, parameter: String },
    /// Leaving the parameter out would always fail.
    #[error("the default of `{parameter}` of tool `{tool}` breaks its own schema: {cause}")]
    BrokenDefault {
        tool: String,
        parameter: String,
        cause: String,
    },
    /// A call without the parameter fails, and one with it is refused.
    #[error("tool `{tool}` requires `{parameter}`, which its schema does not declare; declare it")]
    UndeclaredRequired { tool: String, parameter: String },
    /// Clients capture exactly the listed keys.
    #[error("tool `{tool}` lists the data keys [{listed}], but its output schema has [{declared}]")]
    Produces {
        tool: String,
        listed: String,
        declared: String,
    },
    /// A limit of zero refuses every call.
    #[error("tool `{tool}` has the limit {limit} = 0, which no call can keep; raise it")]
    ZeroLimit { tool: String, limit: &'static str },
    /// The class would bound nothing.
    #[error(
        "tool `{tool}` is in the concurrency class `{class}`, which the toolset does not declare; add `.concurrency(\"{class}\", …)`"
    )]
    UnknownClass { tool: String, class: String },
    /// No call of the class could ever run.
    #[error("the concurrency class `{class}` lets 0 calls run; allow at least 1")]
    NothingRuns { class: String },
    /// The view would never be shown.
    #[error("view `{view}` belongs to `{tool}`, which is no tool of the toolset; it has {known}")]
    ViewOfUnknownTool {
        view: String,
        tool: String,
        known: String,
    },
    /// The id is part of a URI.
    #[error("view id `{view}` is not kebab case; use lower-case letters, digits and single hyphens")]
    ViewId { view: String },
    /// The page was not built.
    #[error("the page of view `{view}` is empty; build the views of the toolset")]
    EmptyView { view: String },
    /// One URI cannot serve two pages.
    #[error("view `{view}` is one page for `{first}` and another for `{second}`; give them two ids")]
    ViewConflict {
        view: String,
        first: String,
        second: String,
    },
    /// Only one view can be shown beside a result.
    #[error("tool `{tool}` is given two views; keep one")]
    TwoViews { tool: String },
    /// No client could send it.
    #[error("`{header}` is not a valid HTTP header name; rename the credential header")]
    HeaderName { header: String },
    /// The header means something to the transport already.
    #[error(
        "the header `{header}` belongs to the transport; choose another for the credential, such as `x-demo-token`"
    )]
    ReservedHeader { header: String },
    /// A declaration that says nothing new.
    #[error("the credential header `{header}` is declared twice; keep one")]
    DuplicateHeader { header: String },
    /// Large schemas crowd out the conversation.
    #[error("the schemas of tool `{tool}` have {bytes} bytes, more than {limit}; simplify its types")]
    SchemaTooLarge {
        tool: String,
        bytes: usize,
        limit: usize,
    },
    /// No client would see it.
    #[error("an example belongs to `{tool}`, which is no tool of the toolset; name the tool that answers it")]
    ExampleOfUnknownTool { tool: String },
    /// A client that follows it would be refused.
    #[error("the example \"{question}\" of tool `{tool}` cannot be followed: {problem}")]
    BrokenExample {
        tool: String,
        question: String,
        problem: String,
    },
    /// Some host or model API cannot read it.
    #[error("the {side} schema of tool `{tool}` is not portable at `{pointer}`: {reason}")]
    NotPortable {
        tool: String,
        side: &'static str,
        pointer: String,
        reason: &'static str,
    },
}
