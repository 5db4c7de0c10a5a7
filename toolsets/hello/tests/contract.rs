//! What callers of `hello` rely on.

use periplus_toolset::testing::call;

#[tokio::test]
async fn hello_greets_the_world_unless_told_a_name() {
    let toolset = periplus_hello::toolset();
    let output = call(&toolset, "hello", serde_json::json!({})).await.unwrap();
    assert_eq!(output.text, r#"{"message":"Hello, world!"}"#);
    let output = call(&toolset, "hello", serde_json::json!({ "name": "dev" })).await.unwrap();
    assert_eq!(output.structured["message"], "Hello, dev!");
}
