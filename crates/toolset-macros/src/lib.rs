//! `#[tool]` and `#[derive(ToolResult)]`: an async function and its doc comments become a tool.
//!
//! Use them through `periplus_toolset`, which documents them. All mistakes of one item are reported together, and the
//! function is still emitted with them, so that an editor keeps its bearings while the author types.

mod attribute;
mod docs;
mod mistakes;
mod options;
mod parameter;
mod result;
mod tool;
mod types;

use proc_macro::TokenStream;

/// Turns an async function into a tool.
///
/// The doc comment of the function is the tool's description, those of its parameters describe the arguments. A
/// parameter `cx: &Context` gets the context of the call. The result is a struct with `#[derive(ToolResult)]`, or
/// `Result<ThatStruct, ToolError>`.
///
/// After expansion `search` is a function that builds the [`Tool`](../periplus_toolset/struct.Tool.html), to be passed
/// to `Toolset::tool`, and `call_search(…)` is the function as it was written, for tests and other tools.
///
/// Options of the tool: `name = "…"`, `title = "…"`, `read_only`, `destructive`, `idempotent`, `open_world = true`,
/// `closed_world`, `timeout = "10s"`, `max_result_bytes = 65536`, `concurrency = "class"`, `rename_all = "camelCase"`.
/// The hints for hosts take a value too: `destructive = false`.
///
/// Options of a parameter, as `#[tool(…)]` before it: `name = "…"`, `default = 8`, `range(1..=50)`, `min_length(1)`,
/// `max_length(500)`, `min_items(1)`, `max_items(20)`, `not_authored`, `schema = …` (a `JsonObject` written by hand,
/// in place of the type's), `unchecked` (the tool checks the value itself). A parameter of type `Option<T>` may be
/// left out.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), item.into()).into()
}

/// Makes a struct the result of a tool.
///
/// It needs a field `message: String`, the sentence that a model can quote, and a doc comment on every field: that is
/// the field's description in the output schema. Fields of type `Option<T>` are left out when `None`. Options:
/// `#[tool(rename_all = "camelCase")]` on the struct, `#[tool(name = "…")]` on a field.
#[proc_macro_derive(ToolResult, attributes(tool, serde))]
pub fn tool_result(item: TokenStream) -> TokenStream {
    result::expand(item.into()).into()
}
