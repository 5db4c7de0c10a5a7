//! The museum toolset on its embedded rows: the six steps from the terminal, and who may reach it.

use std::{
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

use e2e::{Periplus, Server};
use serde_json::{Value, json};

/// Longest wait for the embedded catalogue, which is built at the first start.
const LOAD_DEADLINE: Duration = Duration::from_secs(90);

pub(crate) async fn wait_until_ready(server: &Server) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .tls_certs_only([])
        .no_proxy()
        .build()
        .expect("a client builds");
    let end = Instant::now() + LOAD_DEADLINE;
    loop {
        let answer = client
            .get(format!("{}/health/readiness", server.url()))
            .send()
            .await;
        if answer.is_ok_and(|answer| answer.status().is_success()) {
            return;
        }
        assert!(Instant::now() < end, "the server is not ready:\n{}", server.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn the_six_steps_lead_from_a_question_to_its_evidence() {
    let periplus = Periplus::new();
    let server = periplus.serve(&["hello", "met"]);
    wait_until_ready(&server).await;
    let ask = |tool: &str, arguments: &Value| {
        let tool = format!("met/{tool}");
        let command = ["call", &tool, "--arg-file", "-", "--json", "--url", server.url()];
        periplus
            .run_with_input(&command, &arguments.to_string())
            .expect(0)
            .json()
    };
    let capabilities = ask("collection_capabilities", &json!({}));
    let facets = ask(
        "collection_facets",
        &json!({ "field": "department", "prefix": "isl", "pageSize": 10 }),
    );
    let values = facets["values"].as_array().expect("there are values");
    assert!(
        values
            .iter()
            .any(|entry| entry == &json!({ "value": "Islamic Art", "count": 195 })),
        "{facets}"
    );
    let predicate = json!({ "all": [
        { "field": "department", "op": "eq", "value": "Islamic Art" },
        { "not": { "field": "medium", "op": "contains_normalized", "value": "silver" } },
    ] });
    let selected = ask("collection_select", &json!({ "predicate": predicate }));
    assert_eq!(selected["snapshot"], capabilities["snapshot"]);
    let ranked = ask(
        "collection_rank",
        &json!({
            "selection": selected["selection"],
            "anchor": { "type": "topic_text", "topicText": "garden landscape" },
            "axis": "topic",
            "method": "lexical_bm25_v1",
        }),
    );
    let best = &ranked["results"][0];
    assert!(best["score"].as_f64().is_some_and(|score| score > 0.0), "{best}");
    let objects = ask("collection_objects", &json!({ "objectIds": [best["objectId"]] }));
    assert_eq!(objects["objects"][0]["objectId"], best["objectId"]);
    let evidence = ask(
        "collection_evidence",
        &json!({ "evidenceIds": best["evidenceIds"] }),
    );
    assert_eq!(evidence["missingEvidenceIds"], json!([]));
    assert_eq!(evidence["evidence"][0]["evidenceId"], best["evidenceIds"][0]);
}

#[test]
fn the_museum_answers_without_a_server() {
    let finished = Periplus::new().run(&[
        "call",
        "--local",
        "collection_facets",
        "field=department",
        "--json",
    ]);
    assert_eq!(finished.expect(0).json()["field"], "department");
}

#[test]
fn a_tool_error_of_the_museum_is_its_own_json() {
    let finished = Periplus::new()
        .run(&["call", "--local", "met/collection_facets", "field=colour"])
        .expect(1);
    assert!(
        finished.stderr.contains("UNSUPPORTED_FIELD"),
        "{}",
        finished.stderr
    );
}

#[test]
fn without_a_secret_the_museum_stays_on_loopback() {
    let finished = Periplus::new()
        .run(&["serve", "met", "--host", "0.0.0.0", "--port", "0"])
        .expect(2);
    assert!(finished.stderr.contains("bearer secret"), "{}", finished.stderr);
}

#[tokio::test]
async fn a_secret_is_asked_for_and_accepted() {
    let periplus = Periplus::new().env("MET_MCP_BEARER_TOKEN_FILE", "secret");
    periplus.write("secret", "tell-nobody-7a\n");
    let secret = periplus.folder().join("secret");
    let only_owner = |mode| std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(mode));
    only_owner(0o644).expect("the mode can be changed");
    let open = periplus.run(&["serve", "met", "--port", "0"]).expect(2);
    assert!(open.stderr.contains("chmod 600"), "{}", open.stderr);
    only_owner(0o600).expect("the mode can be changed");
    let server = periplus.serve(&["met"]);
    wait_until_ready(&server).await;
    let call = [
        "call",
        "met/collection_capabilities",
        "--json",
        "--url",
        server.url(),
    ];
    let refused = periplus.run(&call).expect(1);
    assert!(refused.stderr.contains("401"), "{}", refused.stderr);
    let with_secret = [&call[..], &["-H", "Authorization: Bearer tell-nobody-7a"]].concat();
    let _ = periplus.run(&with_secret).expect(0);
    assert!(!server.log().contains("tell-nobody"), "{}", server.log());
}
