//! Credentials go where they are declared, and nowhere else.

use super::*;

#[tokio::test]
async fn credentials_reach_only_the_connection_that_declares_them() {
    let fake = Fake::start(|seen| modern(seen, |seen| reply(seen, &json!({ "content": [] })))).await;
    let credentials = Credentials::new([("X-Demo-Token", "s3"), ("X-Other", "o")]).unwrap();
    let declared = DeclaredHeaders::Only(vec!["x-demo-token".to_owned()]);
    fake.connection(declared).list_tools(&credentials).await.unwrap();
    for seen in fake.seen() {
        assert_eq!(seen.header("x-demo-token"), Some("s3"));
        assert_eq!(seen.header("x-other"), None);
    }
}

#[tokio::test]
async fn authorization_is_sent_once_it_is_asked_for() {
    let fake = Fake::start(|seen| match seen.header("authorization") {
        Some("Bearer b") => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
        _ => (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")]).into_response(),
    })
    .await;
    let connection = fake.connection(DeclaredHeaders::Only(vec![]));
    let error = names(&connection).await.unwrap_err();
    assert!(matches!(error, ClientError::Unauthorized { .. }), "{error}");
    let credentials = Credentials::new([("Authorization", "Bearer b")]).unwrap();
    connection.list_tools(&credentials).await.unwrap();
    let refused = fake
        .seen()
        .iter()
        .filter(|seen| seen.header("authorization").is_none())
        .count();
    assert_eq!(
        refused, 2,
        "once without a credential, once before the challenge was known"
    );
}

#[tokio::test]
async fn a_redirect_is_followed_within_the_origin_and_refused_beyond_it() {
    let other = Fake::start(|_| StatusCode::OK.into_response()).await;
    let target = other.url.clone();
    let fake = Fake::start(move |seen| match seen.path.as_str() {
        "/moved/mcp" => (StatusCode::TEMPORARY_REDIRECT, [("location", "/mcp")]).into_response(),
        "/away/mcp" => (StatusCode::TEMPORARY_REDIRECT, [("location", target.as_str())]).into_response(),
        _ => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
    })
    .await;
    let credentials = Credentials::new([("X-Demo-Token", "s3")]).unwrap();
    let moved = client().connection(
        "fake",
        &fake.url.join("moved/mcp").unwrap(),
        DeclaredHeaders::Unknown,
    );
    assert_eq!(moved.list_tools(&credentials).await.unwrap().len(), 1);
    let away = client().connection(
        "fake",
        &fake.url.join("away/mcp").unwrap(),
        DeclaredHeaders::Unknown,
    );
    let error = away.list_tools(&credentials).await.unwrap_err();
    assert!(matches!(error, ClientError::Redirect { .. }), "{error}");
    assert!(other.seen().is_empty(), "nothing reaches the other origin");
}
