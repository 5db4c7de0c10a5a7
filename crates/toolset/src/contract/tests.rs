use std::time::Duration;

use futures::FutureExt as _;
use serde_json::{Value, json};

use super::*;
use crate::{Concurrency, JsonObject, Prompt, Resource, ResourceTemplate, Tool, ToolBuilder, View};

fn object(schema: Value) -> JsonObject {
    serde_json::from_value(schema).unwrap()
}

fn builder(name: &'static str) -> ToolBuilder {
    Tool::builder(name)
        .description("Does something.")
        .input_schema(object(json!({ "type": "object", "additionalProperties": false })))
        .output_schema(object(json!({
            "type": "object",
            "properties": { "message": { "type": "string", "description": "What was done." } },
            "required": ["message"]
        })))
}

fn build(builder: ToolBuilder) -> Tool {
    builder.handler(|_, _| async { Ok(json!({ "message": "done" })) }.boxed())
}

fn tool(name: &'static str) -> Tool {
    build(builder(name))
}

/// The only thing wrong with the toolset, as text.
fn only(toolset: &Toolset) -> String {
    let broken = check(toolset);
    assert_eq!(broken.len(), 1, "{broken:?}");
    broken[0].to_string()
}

fn with_input(schema: Value) -> Toolset {
    Toolset::new("demo").tool(build(builder("work").input_schema(object(schema))))
}

#[test]
fn a_sound_toolset_passes() {
    let toolset = Toolset::new("demo")
        .tool(tool("work"))
        .credential_header("X-Demo-Token");
    assert_eq!(toolset.check(), Ok(()));
    sweep(&toolset);
}

#[test]
fn a_toolset_needs_a_kebab_name_and_a_tool() {
    for name in ["", "Demo", "demo_set", "-demo", "demo-", "de--mo", "démo"] {
        assert!(
            only(&Toolset::new(name).tool(tool("work"))).contains("is not kebab case"),
            "{name}"
        );
    }
    assert_eq!(
        only(&Toolset::new("demo")),
        "toolset `demo` has no tools; add at least one with `.tool(…)`"
    );
}

#[test]
fn tools_need_distinct_usable_names_and_descriptions() {
    let toolset = Toolset::new("demo").tool(tool("work")).tool(tool("work"));
    assert_eq!(only(&toolset), "two tools are named `work`; rename one");
    assert!(
        only(&Toolset::new("demo").tool(tool("do work"))).starts_with("tool name `do work` is not usable")
    );
    let silent = build(builder("work").description(" "));
    assert!(only(&Toolset::new("demo").tool(silent)).contains("has no description"));
}

#[test]
fn a_schema_that_does_not_compile_is_reported_and_never_called() {
    let toolset = with_input(json!({ "type": "object", "properties": { "a": { "type": "text" } } }));
    assert!(only(&toolset).starts_with("tool `work`: the input schema is not valid JSON Schema"));
    let failure = crate::testing::call(&toolset, "work", json!({}))
        .now_or_never()
        .unwrap()
        .unwrap_err();
    assert!(matches!(failure, crate::Failure::Internal { .. }));
}

#[test]
fn schemas_are_objects_at_their_root() {
    let open = with_input(json!({ "properties": {} }));
    assert!(only(&open).contains("the input schema of tool `work` does not say"));
}

#[test]
fn a_default_keeps_the_schema_of_its_parameter() {
    let toolset = with_input(json!({
        "type": "object",
        "properties": { "limit": { "type": "integer", "maximum": 5, "default": 8 } }
    }));
    let expected = "the default of `limit` of tool `work` breaks its own schema: expected at most 5, found 8";
    assert_eq!(only(&toolset), expected);
}

#[test]
fn a_required_parameter_is_declared() {
    let toolset = with_input(json!({ "type": "object", "required": ["query"] }));
    assert!(only(&toolset).contains("requires `query`, which its schema does not declare"));
}

#[test]
fn only_objects_and_lists_can_be_not_authored() {
    let schema = json!({
        "type": "object",
        "properties": { "area": { "type": "object" }, "count": { "type": "integer" } }
    });
    let marked = |parameter| {
        let tool = build(
            builder("work")
                .input_schema(object(schema.clone()))
                .not_authored(parameter),
        );
        Toolset::new("demo").tool(tool)
    };
    assert_eq!(marked("area").check(), Ok(()));
    assert!(only(&marked("count")).contains("marks the scalar `count`"));
    assert!(only(&marked("shape")).ends_with("it has area, count"));
}

#[test]
fn views_belong_to_tools_and_ids_to_one_page() {
    let toolset = || Toolset::new("demo").tool(tool("a")).tool(tool("b"));
    let view = |id: &str, html| View::embedded(id, html);
    assert_eq!(
        toolset()
            .view("a", view("map", "<p>"))
            .view("b", view("map", "<p>"))
            .check(),
        Ok(())
    );
    let conflict = toolset()
        .view("a", view("map", "<p>"))
        .view("b", view("map", "<q>"));
    assert!(only(&conflict).contains("one page for `a` and another for `b`"));
    assert!(only(&toolset().view("c", view("map", "<p>"))).ends_with("it has a, b"));
    assert!(only(&toolset().view("a", view("Map", "<p>"))).contains("view id `Map`"));
    assert!(only(&toolset().view("a", view("map", " "))).contains("is empty"));
    let twice = toolset()
        .view("a", view("map", "<p>"))
        .view("a", view("list", "<p>"));
    assert_eq!(only(&twice), "tool `a` is given two views; keep one");
}

#[test]
fn credential_headers_are_valid_distinct_and_not_the_transports() {
    let toolset = || Toolset::new("demo").tool(tool("work"));
    assert!(only(&toolset().credential_header("x token")).contains("not a valid HTTP header name"));
    assert!(only(&toolset().credential_header("Content-Type")).contains("belongs to the transport"));
    assert!(only(&toolset().credential_header("mcp-session-id")).contains("belongs to the transport"));
    assert!(only(&toolset().credential_header("x-a").credential_header("X-A")).contains("declared twice"));
}

#[test]
fn concurrency_classes_are_declared_and_let_something_run() {
    let classed = || Toolset::new("demo").tool(build(builder("work").concurrency("heavy")));
    assert!(only(&classed()).contains("add `.concurrency(\"heavy\", …)`"));
    let limit = |running| Concurrency {
        running,
        waiting: 1,
        retry_after: Duration::from_secs(1),
    };
    assert_eq!(classed().concurrency("heavy", limit(1)).check(), Ok(()));
    assert!(only(&classed().concurrency("heavy", limit(0))).contains("lets 0 calls run"));
}

#[test]
fn a_limit_of_zero_is_refused() {
    let tool = build(builder("work").timeout(Duration::ZERO));
    assert!(only(&Toolset::new("demo").tool(tool)).contains("timeout = 0"));
}

#[test]
fn data_keys_are_those_of_the_output_schema() {
    let sound = tool("work");
    let mut declaration = sound.declaration().clone();
    declaration.produces = vec!["rows".to_owned()];
    let tool = Tool::from_parts(declaration, |_, _| {
        async { Ok(json!({ "message": "done" }).into()) }.boxed()
    });
    assert!(only(&Toolset::new("demo").tool(tool)).contains("lists the data keys [rows]"));
}

/// What the sweep says beyond the start's rules.
fn swept(schema: Value) -> Vec<String> {
    let mut broken = Vec::new();
    portable::check(
        build(builder("work").input_schema(object(schema))).declaration(),
        &mut broken,
    );
    broken.iter().map(ToString::to_string).collect()
}

#[test]
fn the_sweep_finds_what_hosts_cannot_read() {
    let texts = swept(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "a": { "description": "a", "type": ["string", "null"] },
            "b": { "description": "b", "type": "array", "items": { "type": "integer", "format": "uint8" } },
            "c": { "description": "c", "$ref": "#/$defs/plain" },
            "d": { "description": "d", "$ref": "#/$defs/tree" },
            "e": { "type": "string" }
        },
        "$defs": {
            "plain": { "type": "string" },
            "tree": { "type": "array", "items": { "$ref": "#/$defs/branch" } },
            "branch": { "type": "object", "properties": { "tree": { "$ref": "#/$defs/tree" } } }
        }
    }));
    let all = texts.join("\n");
    for expected in [
        "at ``: leave `$schema` out",
        "at `/properties/a`: a list of types",
        "at `/properties/b/items`: validators warn",
        "at `/properties/c`: some hosts lose",
        "at ``: say `\"additionalProperties\": false`",
        "input property `e` of tool `work` has no description",
    ] {
        assert!(all.contains(expected), "{expected} in\n{all}");
    }
    assert_eq!(texts.len(), 6, "{all}");
}

#[test]
fn the_sweep_bounds_the_size_of_schemas() {
    let description = "x".repeat(40_000);
    let texts = swept(json!({
        "type": "object", "additionalProperties": false,
        "properties": { "a": { "type": "string", "description": description } }
    }));
    assert!(
        texts.len() == 1 && texts[0].contains("more than 32768"),
        "{texts:?}"
    );
}

#[test]
#[should_panic(expected = "toolset `Demo` breaks its contract")]
fn the_sweep_fails_a_test() {
    sweep(&Toolset::new("Demo").tool(tool("work")));
}

#[test]
fn documents_and_prompts_are_distinct_and_described() {
    let demo = || Toolset::new("demo").tool(tool("work"));
    let note = |uri: &str| Resource::text(uri, "note", "text/plain", "A note.");
    let rows = || ResourceTemplate::new("x://{id}", "rows", "text/plain", |_| Box::pin(async { None }));
    let sound = demo()
        .resource(note("x://note"))
        .resource_template(rows())
        .prompt(Prompt::fixed("hello", "Says hello.", "Hello"));
    assert_eq!(sound.check(), Ok(()));
    let twice = demo().resource(note("x://note")).resource(note("x://note"));
    assert!(only(&twice).contains("two resources have the URI `x://note`"));
    assert!(only(&demo().resource(note("note"))).contains("`note` is no URI"));
    let hello = |description: &str| Prompt::fixed("hello", description, "Hello");
    let twice = demo()
        .prompt(hello("Says hello."))
        .prompt(hello("Says it again."));
    assert!(only(&twice).contains("two prompts are named `hello`"));
    assert!(only(&demo().prompt(hello(""))).contains("prompt `hello`"));
    let silent = demo().prompt(hello("Says hello.").argument("to", " "));
    assert!(only(&silent).contains("one of its arguments"));
}

#[test]
fn a_tool_that_answers_with_values_declares_what_they_are() {
    let nameless = Tool::builder("work")
        .description("Works.")
        .handler(|_, _| async { Ok(json!({ "message": "done" })) }.boxed());
    assert!(only(&Toolset::new("demo").tool(nameless)).contains("the output schema of tool `work`"));
}
