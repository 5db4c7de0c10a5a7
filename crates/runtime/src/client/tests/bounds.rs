//! Lists, sizes and waits have an end.

use super::*;

/// A modern server whose list is cut into pages by `next`: the cursor given, the cursor to give.
async fn paged(next: impl Fn(Option<&str>) -> Option<String> + Send + Sync + 'static) -> Fake {
    Fake::start(move |seen| match seen.rpc() {
        "server/discover" => discovered(seen),
        _ => {
            let cursor = seen.body["params"]["cursor"].as_str();
            let mut page = json!({ "tools": [tool(&format!("after-{}", cursor.unwrap_or("nothing")))] });
            if let Some(next) = next(cursor) {
                page["nextCursor"] = json!(next);
            }
            reply(seen, &page)
        }
    })
    .await
}

#[tokio::test]
async fn all_pages_are_read() {
    let fake = paged(|cursor| cursor.is_none().then(|| "p2".to_owned())).await;
    let names = names(&fake.connection(DeclaredHeaders::Unknown)).await.unwrap();
    assert_eq!(names, ["after-nothing", "after-p2"]);
}

#[tokio::test]
async fn a_list_that_does_not_end_is_an_error() {
    let repeating = paged(|_| Some("same".to_owned())).await;
    let error = names(&repeating.connection(DeclaredHeaders::Unknown))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("\"same\" came back"), "{error}");
    let counting = paged(|cursor| Some(format!("x{}", cursor.unwrap_or_default()))).await;
    let error = names(&counting.connection(DeclaredHeaders::Unknown))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("more than 100 pages"), "{error}");
}

#[tokio::test]
async fn an_empty_cursor_is_followed_once() {
    let fake = paged(|_| Some(String::new())).await;
    let names = names(&fake.connection(DeclaredHeaders::Unknown)).await.unwrap();
    assert_eq!(names, ["after-nothing", "after-"]);
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_refused() {
    let fake = Fake::start(|seen| {
        modern(seen, |seen| {
            reply(
                seen,
                &json!({ "content": [{ "type": "text", "text": "x".repeat(100_000) }] }),
            )
        })
    })
    .await;
    let client = Client::new(ClientOptions {
        max_response_bytes: 50_000,
        ..ClientOptions::default()
    });
    let connection = client.connection("fake", &fake.mcp(), DeclaredHeaders::Unknown);
    let error = call(&connection, json!({})).await.unwrap_err();
    assert!(
        matches!(error, ClientError::TooLarge { limit: 50_000, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_slow_server_ends_in_a_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url: Url = format!("http://{}/mcp", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    let options = ClientOptions {
        request_timeout: Duration::from_millis(100),
        ..ClientOptions::default()
    };
    let error = Client::new(options).open(&url).await.unwrap_err();
    assert!(matches!(error, ClientError::Timeout { .. }), "{error}");
    drop(listener);
    let error = client().open(&url).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
}
