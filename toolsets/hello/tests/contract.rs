//! What callers of `hello` rely on.

use periplus_toolset::{Failure, contract, json, testing::call};

#[test]
fn the_contract_holds() {
    contract::sweep(&periplus_hello::toolset());
}

#[tokio::test]
async fn hello_greets_the_world_unless_told_a_name() {
    let toolset = periplus_hello::toolset();
    let output = call(&toolset, "hello", json!({})).await.unwrap();
    assert_eq!(output.text, r#"{"message":"Hello, world!"}"#);
    let output = call(&toolset, "hello", json!({ "name": "dev" })).await.unwrap();
    assert_eq!(output.structured, json!({ "message": "Hello, dev!" }));
}

#[tokio::test]
async fn a_name_is_a_text_of_bounded_length() {
    let toolset = periplus_hello::toolset();
    for (name, expected) in [
        (json!(5), "invalid arguments: /name: expected a string, found 5"),
        (
            json!("x".repeat(201)),
            "invalid arguments: /name: expected at most 200 characters",
        ),
    ] {
        let failure = call(&toolset, "hello", json!({ "name": name }))
            .await
            .unwrap_err();
        assert!(matches!(failure, Failure::Arguments(_)));
        assert!(failure.to_string().starts_with(expected), "{failure}");
    }
}

#[test]
fn nothing_is_published_and_nothing_needed() {
    let toolset = periplus_hello::toolset();
    let tool = toolset.find("hello").unwrap().declaration();
    assert!(tool.produces.is_empty() && tool.not_authored.is_empty());
    assert!(toolset.credential_headers().is_empty() && toolset.views().is_empty());
}
