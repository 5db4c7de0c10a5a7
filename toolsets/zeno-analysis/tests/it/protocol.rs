use std::time::{Duration, Instant};

use axum::http::Method;
use periplus_toolset::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::service::{Host, answer, created, error_of, pull, saved, selection, silence, state};

fn rows() -> Value {
    json!({ "aoi_id": ["BRA"], "aoi_type": ["admin"], "tree_cover_loss_year": [2024], "area_ha": [1.5], "carbon_emissions_MgCO2e": [null] })
}

fn loss() -> Value {
    json!({ "dataset_id": 4 })
}

#[tokio::test]
async fn an_analysis_is_posted_followed_and_asked_until_it_is_finished() {
    let host = Host::playing([
        created("pending"),
        state("pending", Value::Null, "").retry_after("0"),
        answer(
            200,
            json!({ "data": { "result": null, "status": null }, "status": "success" }),
        )
        .retry_after("0"),
        saved(rows()),
    ])
    .await;
    let output = pull(&host.toolset(), loss(), selection(&["BRA"]))
        .await
        .unwrap()
        .structured;
    let statistics = &output["statistics"];
    assert_eq!(statistics["row_count"], 1);
    assert_eq!(statistics["data"], json!({}));
    let seen = host.seen();
    assert_eq!(seen.len(), 4);
    assert_eq!(
        (&seen[0].method, seen[0].path.as_str()),
        (&Method::POST, "/v0/land_change/tree_cover_loss/analytics")
    );
    assert!(
        seen[1..]
            .iter()
            .all(|seen| seen.method == Method::GET && seen.path.ends_with("000000000000"))
    );
    for seen in &seen {
        assert_eq!(seen.headers["authorization"], "Bearer test-token-1");
        assert_eq!(seen.headers["x-environment"], "production");
        assert_eq!(seen.headers["accept"], "application/json");
    }
    // The link named another host; the token stays with the configured one.
    assert!(statistics["source_url"].as_str().unwrap().starts_with(&host.url));
}

#[tokio::test]
async fn a_saved_analysis_is_read_at_once_and_a_lost_one_is_posted_again() {
    let host = Host::playing([
        created("saved"),
        answer(404, json!({ "detail": "Analysis not found" })),
        created("saved"),
        saved(rows()),
    ])
    .await;
    let output = pull(&host.toolset(), loss(), selection(&["BRA"])).await.unwrap();
    assert_eq!(output.structured["statistics"]["row_count"], 1);
    assert_eq!(
        host.seen()
            .iter()
            .filter(|seen| seen.method == Method::POST)
            .count(),
        2
    );
}

#[tokio::test]
async fn a_service_that_serves_no_pending_link_is_asked_by_posting_again() {
    let lost = || answer(404, json!({ "detail": "Analysis not found" }));
    let pending = || created("pending").retry_after("0");
    let mut answers: Vec<_> = (0..6).flat_map(|_| [pending(), lost()]).collect();
    answers.extend([created("saved"), saved(rows())]);
    let host = Host::playing(answers).await;
    let output = pull(&host.toolset(), loss(), selection(&["BRA"])).await.unwrap();
    assert_eq!(output.structured["statistics"]["row_count"], 1);
    // What is finished and not there is no matter of patience.
    let answers = (0..9).flat_map(|_| [created("saved"), lost()]);
    let host = Host::playing(answers).await;
    let (error, text) = error_of(pull(&host.toolset(), loss(), selection(&["BRA"])).await);
    assert_eq!(error, "service_unavailable");
    assert!(text.contains("leads nowhere"), "{text}");
}

#[tokio::test]
async fn what_passes_by_itself_is_tried_again_and_what_the_request_causes_is_not() {
    let busy = || answer(503, json!({})).retry_after("0");
    let host = Host::playing([
        busy(),
        answer(429, json!({})),
        created("pending"),
        answer(502, json!({})),
        saved(rows()),
    ])
    .await;
    assert!(
        pull(&host.toolset(), loss(), selection(&["BRA"]))
            .await
            .unwrap()
            .structured
            .get("statistics")
            .is_some()
    );
    let detail = json!({ "detail": [{ "loc": ["body", "aoi", "ids"], "msg": "Invalid admin ID", "type": "value_error" }] });
    let host = Host::playing([answer(422, detail)]).await;
    let (error, text) = error_of(pull(&host.toolset(), loss(), selection(&["BRA"])).await);
    assert_eq!(error, "request_refused");
    assert!(text.contains("body.aoi.ids: Invalid admin ID"), "{text}");
    assert_eq!(host.seen().len(), 1);
}

#[tokio::test]
async fn a_failure_has_its_own_text_and_never_reads_like_no_data() {
    let mut texts = Vec::new();
    for (answers, code, contains) in [
        (
            vec![answer(401, json!({ "detail": "Invalid token" }))],
            "not_authorized",
            "WRI_BEARER_TOKEN",
        ),
        (
            vec![answer(403, json!({ "detail": "Forbidden" }))],
            "not_authorized",
            "403",
        ),
        (
            vec![answer(500, json!({ "detail": "Internal Server Error" }))],
            "service_unavailable",
            "500",
        ),
        (
            vec![answer(202, json!({ "data": { "link": "x" } }))],
            "service_unavailable",
            "no known `status`",
        ),
        (
            vec![answer(202, json!({ "status": "pending" }))],
            "service_unavailable",
            "no link",
        ),
        (
            vec![
                created("failed"),
                state(
                    "failed",
                    Value::Null,
                    "AOI is too small. Please select a larger AOI ",
                ),
            ],
            "analysis_failed",
            "AOI is too small. Please select a larger AOI",
        ),
        (
            vec![
                created("pending"),
                state("failed", json!({ "error": "no pixels" }), ""),
            ],
            "analysis_failed",
            "analysis failed",
        ),
        (
            vec![created("saved"), saved(json!({ "a": [1], "b": [1, 2] }))],
            "service_unavailable",
            "different length",
        ),
        (
            vec![created("saved"), saved(Value::Null)],
            "no_data",
            "has no rows",
        ),
        (
            vec![created("saved"), saved(json!({ "aoi_id": [], "area_ha": [] }))],
            "no_data",
            "has no rows",
        ),
    ] {
        let host = Host::playing(answers).await;
        let (error, text) = error_of(pull(&host.toolset(), loss(), selection(&["BRA"])).await);
        assert_eq!(error, code, "{text}");
        assert!(text.contains(contains), "{text}");
        assert_eq!(error == "no_data", text.contains("no rows"), "{text}");
        texts.push(text);
    }
    texts.pop();
    let count = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), count);
}

#[tokio::test]
async fn patience_has_an_end_that_is_said() {
    let host = Host::playing([created("pending"), state("pending", Value::Null, "")]).await;
    let toolset = host.toolset_with(|config| {
        config.patience.total = Duration::from_millis(50);
        config.patience.longest_wait = Duration::from_secs(9);
        config.patience.step = Duration::from_secs(9);
    });
    let (error, text) = error_of(pull(&toolset, loss(), selection(&["BRA"])).await);
    assert_eq!(error, "timed_out");
    assert!(text.contains("fewer areas or a shorter period"), "{text}");
}

#[tokio::test]
async fn a_service_that_says_nothing_is_unavailable() {
    let host = Host::playing([silence(), silence()]).await;
    let toolset = host.toolset_with(|config| {
        config.patience.request = Duration::from_millis(30);
        config.patience.total = Duration::from_millis(50);
        config.patience.step = Duration::from_millis(30);
    });
    let (error, text) = error_of(pull(&toolset, loss(), selection(&["BRA"])).await);
    assert_eq!(error, "service_unavailable", "{text}");
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once() {
    let host = Host::playing([silence()]).await;
    let toolset = host.toolset();
    let cancel = CancellationToken::new();
    let cx = toolset.context().cancellation(cancel.clone()).build();
    let arguments = json!({ "query": "x", "dataset": loss(), "aoi_selection": selection(&["BRA"]) });
    let tool = toolset.find("pull_data").unwrap();
    let (outcome, ()) = tokio::join!(tool.call(arguments.as_object().cloned().unwrap(), &cx), async {
        while host.seen().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    assert_eq!(error_of(outcome).0, "cancelled");
}

#[tokio::test]
async fn more_areas_than_fit_are_pulled_in_parts_and_joined() {
    let ids: Vec<String> = (0..1001).map(|n| format!("BRA.{n}_1")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let answers = [created("saved"), created("saved"), saved(rows()), saved(rows())];
    let host = Host::playing(answers).await;
    let started = Instant::now();
    let output = pull(&host.toolset(), loss(), selection(&ids))
        .await
        .unwrap()
        .structured;
    assert!(started.elapsed() < Duration::from_secs(10));
    let statistics = &output["statistics"];
    assert_eq!(statistics["row_count"], 2);
    assert_eq!(statistics["source_urls"].as_array().unwrap().len(), 2);
    assert_eq!(statistics["requests"].as_array().unwrap().len(), 2);
    let posted: Vec<usize> = host
        .seen()
        .iter()
        .filter(|seen| seen.method == Method::POST)
        .map(|seen| seen.body["aoi"]["ids"].as_array().unwrap().len())
        .collect();
    assert_eq!(posted.iter().sum::<usize>(), 1001);
    assert!(output["message"].as_str().unwrap().len() < 6000);
}

#[tokio::test]
async fn a_reply_without_a_status_is_a_clear_error() {
    let host = Host::playing([answer(202, json!({ "data": { "link": "x" } }))]).await;
    let (error, text) = error_of(pull(&host.toolset(), loss(), selection(&["BRA"])).await);
    assert_eq!(error, "service_unavailable");
    assert!(
        text.contains("no known `status`") && text.contains("no finding about the area"),
        "{text}"
    );
}

#[tokio::test]
async fn a_shape_that_is_too_small_is_said_in_the_services_words() {
    let words = "AOI is too small. Please select a larger AOI ";
    let host = Host::playing([created("pending"), state("failed", Value::Null, words)]).await;
    let (_, text) = error_of(pull(&host.toolset(), loss(), selection(&["BRA"])).await);
    assert!(text.contains(words.trim()), "{text}");
}

#[test]
fn a_pull_is_given_two_minutes_and_a_request_thirty_seconds() {
    let patience = periplus_zeno_analysis::Patience::default();
    assert_eq!(patience.total, Duration::from_secs(120));
    assert_eq!(patience.request, Duration::from_secs(30));
}

#[tokio::test]
async fn the_message_names_the_areas_that_were_pulled_and_never_others() {
    let host = Host::playing([created("saved"), saved(rows())]).await;
    let chosen = json!({ "name": "Brazil", "aois": [{ "source": "gadm", "src_id": "BRA", "name": "Brazil", "subtype": "country" }] });
    let arguments = json!({ "query": "tree cover loss in Peru", "dataset": loss(), "aoi_selection": chosen });
    let toolset = host.toolset();
    let output = periplus_toolset::testing::call(&toolset, "pull_data", arguments)
        .await
        .unwrap()
        .structured;
    let message = output["message"].as_str().unwrap();
    assert!(
        message.contains("for Brazil.") && !message.contains("Peru"),
        "{message}"
    );
    assert_eq!(output["statistics"]["selection_name"], "Brazil");
}

#[tokio::test]
async fn many_areas_are_named_up_to_thirty_and_counted_beyond() {
    let ids: Vec<String> = (0..40).map(|n| format!("BRA.{n}_1")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let host = Host::playing([created("saved"), saved(rows())]).await;
    let output = pull(&host.toolset(), loss(), selection(&ids))
        .await
        .unwrap()
        .structured;
    let message = output["message"].as_str().unwrap();
    assert!(message.contains("and 10 more"), "{message}");
    assert!(
        message.contains("Area BRA.29_1") && !message.contains("Area BRA.39_1"),
        "{message}"
    );
}
