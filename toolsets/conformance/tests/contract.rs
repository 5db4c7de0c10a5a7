//! What the suite relies on.

use periplus_toolset::{Failure, json, testing::call};

#[test]
fn the_rules_of_the_start_are_kept() {
    // Not the whole sweep: these schemas are the suite's, and meant to be hard to read.
    periplus_conformance::toolset().check().unwrap();
}

#[tokio::test]
async fn an_error_is_the_text_that_the_suite_expects() {
    let toolset = periplus_conformance::toolset();
    let failure = call(&toolset, "test_error_handling", json!({}))
        .await
        .unwrap_err();
    assert_eq!(
        toolset.describe_failure("test_error_handling", &failure),
        "This tool intentionally returns an error for testing"
    );
}

#[tokio::test]
async fn a_schema_written_by_hand_is_checked_as_it_is_written() {
    let toolset = periplus_conformance::toolset();
    let contact = json!({ "name": "Ada", "contactMethod": "phone", "email": "ada@example.org" });
    let refused = call(&toolset, "json_schema_2020_12_tool", contact).await;
    assert!(matches!(refused, Err(Failure::Arguments(_))), "{refused:?}");
    let contact = json!({ "name": "Ada", "contactMethod": "email", "email": "ada@example.org" });
    call(&toolset, "json_schema_2020_12_tool", contact).await.unwrap();
}
