//! The description of the HTTP interface: valid, complete, and readable without a network.

use periplus_runtime::{
    directory::{Index, IndexOptions, Place, Source},
    server::{Server, ServerConfig},
};
use periplus_toolset::{Access, Secret, Tool, Toolset};
use serde_json::{Value, json};

use crate::support::{TestServer, local, object, probe, text_tool};

fn check(document: &Value) {
    let schema: Value = serde_json::from_str(include_str!("../openapi/schema-3.1.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let mut missing = Vec::new();
    references(document, &mut |reference| {
        let path = reference
            .strip_prefix('#')
            .expect("every reference stays in the document");
        if document.pointer(path).is_none() {
            missing.push(reference.to_owned());
        }
    });
    assert!(missing.is_empty(), "references to nothing: {missing:?}");
}

fn references(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                found(reference);
            }
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// A toolset whose schemas refer within themselves.
fn tree() -> Toolset {
    let input = json!({
        "type": "object",
        "required": ["root"],
        "properties": { "root": { "$ref": "#/$defs/node", "description": "A tree." } },
        "additionalProperties": false,
        "$defs": { "node": { "type": "object", "properties": {
            "children": { "type": "array", "items": { "$ref": "#/$defs/node" } },
        } } },
    });
    let output = json!({ "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"] });
    let tool = Tool::builder("grow")
        .description("Grows <trees>.")
        .input_schema(object(input))
        .output_schema(object(output))
        .handler(|_, _| Box::pin(async { Ok(json!({ "message": "grown" })) }));
    Toolset::new("tree").tool(tool)
}

fn closed() -> Toolset {
    let access = Access {
        bearer: Some(Secret::new("s3cret")),
        ..Access::default()
    };
    let tool = text_tool("hidden", |_, _| Box::pin(async { Ok(json!({ "message": "x" })) }));
    Toolset::new("closed").tool(tool).access(access)
}

#[tokio::test]
async fn the_description_of_several_toolsets_is_valid_and_has_their_schemas() {
    let server = TestServer::start_with(local(), vec![probe().0, tree(), closed()]);
    let reply = server.get("/openapi.json").await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let document = reply.json();
    check(&document);
    assert_eq!(
        document["servers"][0]["url"],
        format!("http://{}", server.address)
    );
    for path in [
        "/",
        "/docs",
        "/openapi.json",
        "/health",
        "/health/readiness",
        "/metrics",
        "/probe/health",
    ] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
        assert!(document["paths"][path]["get"].is_object(), "{path}");
    }
    let schemas = &document["components"]["schemas"];
    assert_eq!(
        schemas["tree.grow.arguments"]["properties"]["root"]["$ref"],
        "#/components/schemas/tree.grow.arguments/$defs/node"
    );
    let headers = &document["paths"]["/probe/mcp"]["post"]["parameters"];
    assert_eq!(
        (&headers[0]["name"], &headers[0]["in"]),
        (&json!("x-demo-token"), &json!("header"))
    );
}

#[tokio::test]
async fn a_toolset_with_a_secret_shows_its_schemas_to_nobody_else() {
    let server = TestServer::start_with(local(), vec![closed(), tree()]);
    let document = server.get("/openapi.json").await.json();
    check(&document);
    let post = &document["paths"]["/closed/mcp"]["post"];
    assert_eq!(post["security"], json!([{ "closed.bearer": [] }]));
    assert!(
        document["components"]["schemas"]
            .get("closed.hidden.arguments")
            .is_none()
    );
    assert!(
        !server
            .get("/docs")
            .await
            .text()
            .contains("closed.hidden.arguments")
    );
}

#[tokio::test]
async fn answers_fit_the_schemas_of_the_description() {
    let server = TestServer::start_with(local(), vec![probe().0, tree()]);
    let document = server.get("/openapi.json").await.json();
    for (path, schema) in [
        ("/", "IndexDocument"),
        ("/probe/health", "HealthDocument"),
        ("/health", "Status"),
    ] {
        let mut whole = document.clone();
        whole["$ref"] = format!("#/components/schemas/{schema}").into();
        let validator = jsonschema::draft202012::new(&whole).unwrap();
        let answer = server.get(path).await.json();
        let errors: Vec<String> = validator
            .iter_errors(&answer)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{path}: {errors:?}");
        assert!(!validator.is_valid(&json!({})), "{schema} demands something");
    }
}

#[tokio::test]
async fn the_examples_of_the_description_are_answered() {
    let server = TestServer::start_with(local(), vec![probe().0, tree()]);
    let document = server.get("/openapi.json").await.json();
    let examples =
        &document["paths"]["/probe/mcp"]["post"]["requestBody"]["content"]["application/json"]["examples"];
    let echo = &examples["echo"]["value"];
    let reply = server
        .post_to("/probe/mcp", &[], echo.to_string().as_bytes())
        .await;
    assert_eq!(reply.result()["isError"], false);
}

#[tokio::test]
async fn the_page_has_everything_and_loads_nothing() {
    let server = TestServer::start_with(local(), vec![probe().0, tree()]);
    let reply = server.get("/docs").await;
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    let page = reply.text();
    for part in [
        "/probe/mcp",
        "x-demo-token",
        "tree.grow.arguments",
        "Grows &lt;trees&gt;.",
        "/health/readiness",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for loading in ["<script", "src=", "@import", "url(", "<link"] {
        assert!(!page.contains(loading), "{loading}");
    }
    assert!(
        reply
            .header("content-security-policy")
            .unwrap()
            .starts_with("default-src 'none'")
    );
}

#[tokio::test]
async fn one_toolset_alone_has_no_directory_to_describe() {
    let server = TestServer::start(probe().0);
    for path in ["/", "/docs", "/openapi.json"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_description_of_a_directory_is_valid_and_names_its_toolsets() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url: url::Url = "https://tools.example.org".parse().unwrap();
    let source = Source::Fixed(vec![Place::new("away", "http://127.0.0.1:9").unwrap()]);
    let options = IndexOptions {
        public_url: Some(url.clone()),
        ..IndexOptions::default()
    };
    let config = ServerConfig {
        public_url: Some(url),
        ..local()
    };
    let index = Index::start(source, &options).unwrap();
    let server = TestServer::run(Server::index(config, index).unwrap());
    while server.get("/").await.status != 200 {
        tokio::task::yield_now().await;
    }
    let document = server.get("/openapi.json").await.json();
    check(&document);
    let toolset = &document["paths"]["/{toolset}/mcp"]["post"]["parameters"][0];
    assert_eq!(toolset["schema"]["enum"], json!(["away"]));
    assert!(server.get("/docs").await.text().contains("/{toolset}/health"));
}
