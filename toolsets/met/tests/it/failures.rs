//! Every failed call answers `{code, message, supportedAlternatives}` with the code of its kind.

use std::{collections::BTreeSet, time::Duration};

use periplus_met::{CODES, Config, Source};
use periplus_toolset::{Failure, Toolset, testing};
use serde_json::{Value, json};

use super::support::{body, call, refusal, served, snapshot, toolset};

async fn receipt(toolset: &Toolset, predicate: Value) -> Value {
    call(toolset, "collection_select", json!({ "predicate": predicate })).await["selection"].clone()
}

fn check(body: &Value, code: &str, words: &str) {
    assert_eq!(body["code"], code, "{body}");
    assert!(
        CODES.iter().any(|(known, _)| *known == code),
        "{code} is not documented"
    );
    assert!(body["supportedAlternatives"].is_array(), "{body}");
    let text = body.to_string();
    assert!(text.contains(words), "`{words}` in {text}");
}

#[tokio::test]
async fn a_wrong_argument_has_the_code_of_what_is_wrong() {
    let toolset = toolset().await;
    let title =
        |op: &str, value: Value| json!({ "predicate": { "field": "title", "op": op, "value": value } });
    let deep = (0..5).fold(
        json!({ "field": "title", "op": "is_missing" }),
        |inner, _| json!({ "not": inner }),
    );
    for (tool, arguments, code, words) in [
        (
            "collection_select",
            json!({ "predicat": {} }),
            "UNKNOWN_ARGUMENT",
            "predicate",
        ),
        (
            "collection_select",
            json!({ "predicate": {}, "pagesize": 5 }),
            "UNKNOWN_ARGUMENT",
            "pageSize",
        ),
        ("collection_select", json!({}), "INVALID_ARGUMENT", "predicate"),
        (
            "collection_select",
            json!({ "predicate": { "field": "title", "op": "is_missing" }, "pageSize": 0 }),
            "INVALID_ARGUMENT",
            "/pageSize",
        ),
        (
            "collection_select",
            json!({ "predicate": { "field": "title", "op": "is_missing" }, "pageSize": 101 }),
            "INVALID_ARGUMENT",
            "/pageSize",
        ),
        (
            "collection_select",
            json!({ "predicate": { "field": "title", "op": "is_missing" }, "policies": { "unknwn": "include" } }),
            "INVALID_ARGUMENT",
            "policies",
        ),
        (
            "collection_select",
            json!({ "predicate": { "field": "colour", "op": "eq", "value": "red" } }),
            "UNSUPPORTED_FIELD",
            "colour",
        ),
        (
            "collection_select",
            title("like", json!("x")),
            "INVALID_PREDICATE",
            "/op",
        ),
        (
            "collection_select",
            title("eq", json!(true)),
            "INVALID_PREDICATE",
            "/value",
        ),
        (
            "collection_select",
            title("contains_normalized", json!("\u{301}")),
            "INVALID_PREDICATE",
            "/value",
        ),
        (
            "collection_select",
            json!({ "predicate": { "field": "title", "op": "is_missing", "extra": 1 } }),
            "INVALID_PREDICATE",
            "extra",
        ),
        (
            "collection_select",
            title("eq", json!("x".repeat(501))),
            "PREDICATE_LIMIT",
            "500",
        ),
        (
            "collection_select",
            json!({ "predicate": deep }),
            "PREDICATE_LIMIT",
            "5",
        ),
        (
            "collection_facets",
            json!({ "field": "title" }),
            "UNSUPPORTED_FIELD",
            "department",
        ),
        (
            "collection_facets",
            json!({ "field": "culture", "prefix": "\u{301}" }),
            "INVALID_ARGUMENT",
            "prefix",
        ),
        (
            "collection_facets",
            json!({ "field": "culture", "selection": "sel1.x.y" }),
            "INVALID_RECEIPT",
            "collection_select again",
        ),
        (
            "collection_objects",
            json!({ "objectIds": [] }),
            "INVALID_ARGUMENT",
            "objectIds",
        ),
        (
            "collection_objects",
            json!({ "objectIds": [1, 1] }),
            "INVALID_ARGUMENT",
            "repeats 1",
        ),
        (
            "collection_objects",
            json!({ "objectIds": [0] }),
            "INVALID_ARGUMENT",
            "objectIds",
        ),
        (
            "collection_objects",
            json!({ "objectIds": ["x"] }),
            "INVALID_ARGUMENT",
            "/objectIds/0",
        ),
        (
            "collection_evidence",
            json!({ "evidenceIds": ["", "a"] }),
            "INVALID_ARGUMENT",
            "evidenceIds",
        ),
        (
            "collection_evidence",
            json!({ "evidenceIds": ["x".repeat(301)] }),
            "INVALID_ARGUMENT",
            "evidenceIds",
        ),
    ] {
        check(&refusal(&toolset, tool, arguments).await, code, words);
    }
}

#[tokio::test]
async fn a_ranking_is_refused_with_the_code_of_its_reason() {
    let toolset = toolset().await;
    let all = receipt(
        &toolset,
        json!({ "not": { "field": "object_name", "op": "is_missing" } }),
    )
    .await;
    let some = receipt(
        &toolset,
        json!({ "field": "department", "op": "eq", "value": "Islamic Art" }),
    )
    .await;
    let rank = |selection: &Value, anchor: Value, axis: &str, method: &str, extra: Value| {
        let mut arguments =
            json!({ "selection": selection, "anchor": anchor, "axis": axis, "method": method });
        arguments
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().cloned().unwrap());
        arguments
    };
    let object = |id: u64| json!({ "type": "object_id", "objectId": id });
    let topic = |text: &str| json!({ "type": "topic_text", "topicText": text });
    let none = || json!({});
    for (arguments, code, words) in [
        (
            rank(&all, topic("garden"), "topic", "lexical_bm25_v1", none()),
            "TOO_MANY_CANDIDATES",
            "2179",
        ),
        (
            rank(
                &some,
                topic("garden"),
                "topic",
                "lexical_bm25_v1",
                json!({ "maxCandidates": 5001 }),
            ),
            "INVALID_ARGUMENT",
            "5000",
        ),
        (
            rank(&some, topic("garden"), "context", "metadata_rule_v1", none()),
            "UNSUPPORTED_TRIPLE",
            "object_id",
        ),
        (
            rank(&some, object(444408), "style", "siglip2_cosine_v1", none()),
            "STYLE_NOT_SUPPORTED",
            "not style",
        ),
        (
            rank(&some, object(444408), "visual", "siglip2_cosine_v1", none()),
            "VECTORS_UNAVAILABLE",
            "technique_material",
        ),
        (
            rank(&some, object(1), "context", "metadata_rule_v1", none()),
            "ANCHOR_NOT_FOUND",
            "1",
        ),
        (
            rank(&some, topic("of the and"), "topic", "lexical_bm25_v1", none()),
            "ANCHOR_NOT_SEARCHABLE",
            "word",
        ),
        (
            rank(
                &some,
                json!({ "type": "object_id" }),
                "topic",
                "lexical_bm25_v1",
                none(),
            ),
            "INVALID_ARGUMENT",
            "anchor",
        ),
        (
            rank(&some, topic("x"), "colour", "lexical_bm25_v1", none()),
            "INVALID_ARGUMENT",
            "/axis",
        ),
        (
            rank(
                &some,
                topic("garden"),
                "topic",
                "lexical_bm25_v1",
                json!({ "cursor": some }),
            ),
            "INVALID_CURSOR",
            "cursor",
        ),
    ] {
        check(
            &refusal(&toolset, "collection_rank", arguments).await,
            code,
            words,
        );
    }
}

#[tokio::test]
async fn a_cursor_continues_only_the_call_it_came_from() {
    let toolset = toolset().await;
    let page = json!({ "field": "culture", "pageSize": 1 });
    let cursor = call(&toolset, "collection_facets", page).await["nextCursor"].clone();
    let other = json!({ "field": "medium", "cursor": cursor });
    check(
        &refusal(&toolset, "collection_facets", other).await,
        "CURSOR_MISMATCH",
        "field",
    );
    let select = json!({ "predicate": { "field": "title", "op": "is_missing" }, "cursor": cursor });
    let code = refusal(&toolset, "collection_select", select).await["code"].clone();
    assert!(code == "INVALID_CURSOR" || code == "CURSOR_MISMATCH", "{code}");
}

#[tokio::test]
async fn a_receipt_signed_with_another_key_is_invalid() {
    let open = toolset().await;
    let keyed = |key: &[u8]| Config {
        receipt_key: Some(key.to_vec()),
        ..Config::new(Source::Directory(snapshot()))
    };
    let signing = served(keyed(b"0123456789abcdef0123456789abcdef")).await;
    let receipt = receipt(
        &open,
        json!({ "field": "culture", "op": "eq", "value": "French" }),
    )
    .await;
    let arguments = json!({ "field": "culture", "selection": receipt });
    check(
        &refusal(&signing, "collection_facets", arguments).await,
        "INVALID_RECEIPT",
        "collection_select again",
    );
}

#[tokio::test]
async fn a_catalogue_that_is_not_there_says_so_and_leaks_no_path() {
    let toolset = periplus_met::toolset(Config::new(Source::Directory("/no/such/secret-folder".into())));
    while matches!(toolset.ready().await, periplus_toolset::Readiness::Starting(_)) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let failure = testing::call(&toolset, "collection_capabilities", json!({}))
        .await
        .unwrap_err();
    let body = body(&toolset, "collection_capabilities", &failure);
    check(&body, "SNAPSHOT_NOT_READY", "not ready");
    assert!(!body.to_string().contains("secret-folder"), "{body}");
    assert!(!format!("{:?}", toolset.ready().await).contains("secret-folder"));
}

#[tokio::test]
async fn a_query_without_time_left_is_a_timeout_and_not_a_wrong_answer() {
    let toolset = served(Config {
        budget: Duration::ZERO,
        ..Config::new(Source::Directory(snapshot()))
    })
    .await;
    let arguments =
        json!({ "predicate": { "field": "metadata_text", "op": "contains_normalized", "value": "garden" } });
    check(
        &refusal(&toolset, "collection_select", arguments).await,
        "QUERY_TIMEOUT",
        "narrow",
    );
}

#[tokio::test]
async fn what_the_runtime_ends_has_a_code_too() {
    let toolset = toolset().await;
    let limit = Duration::from_secs(12);
    for (failure, code, words) in [
        (Failure::Timeout { limit }, "QUERY_TIMEOUT", "narrow"),
        (
            Failure::Busy {
                retry_after: Duration::from_secs(2),
            },
            "SERVER_BUSY",
            "retryAfterSeconds",
        ),
        (
            Failure::TooLarge { bytes: 2, limit: 1 },
            "RESULT_TOO_LARGE",
            "pageSize",
        ),
        (
            Failure::Internal {
                incident: "i-1".into(),
                cause: "a secret".into(),
            },
            "INTERNAL",
            "i-1",
        ),
    ] {
        let body = body(&toolset, "collection_select", &failure);
        check(&body, code, words);
        assert!(!body.to_string().contains("a secret"));
    }
}

#[test]
fn codes_are_unique_and_explained() {
    let names: BTreeSet<&str> = CODES.iter().map(|(code, _)| *code).collect();
    assert_eq!(names.len(), CODES.len());
    assert!(
        CODES.iter().all(
            |(code, about)| code.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') && !about.is_empty()
        )
    );
}
