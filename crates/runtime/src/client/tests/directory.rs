//! A connection is found from an index, a root or an endpoint.

use super::*;

#[tokio::test]
async fn an_index_is_read_and_its_declarations_are_kept() {
    let fake = Fake::start(|seen| match (seen.method.as_str(), seen.path.as_str()) {
        ("GET", "/") => axum::Json(json!({
            "connections": { "a": { "transport": "streamable_http", "url": "/a/mcp" },
                             "b": { "transport": "streamable_http", "url": "/b/mcp" } },
            "toolsets": [{ "name": "a", "status": "ok", "credential_headers": ["X-Demo-Token"] },
                         { "name": "b", "status": "failed", "credential_headers": [] },
                         { "name": "c", "url": "/c/mcp", "status": "unreachable" }],
        }))
        .into_response(),
        _ => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
    })
    .await;
    let directory = client().open(&fake.url).await.unwrap();
    assert!(directory.is_index);
    let [a, b] = directory.entries.as_slice() else {
        panic!("two entries")
    };
    assert_eq!((a.connection.name(), a.status.as_str()), ("a", "ok"));
    assert_eq!(
        a.connection.declared_headers(),
        &DeclaredHeaders::Only(vec!["x-demo-token".to_owned()])
    );
    assert_eq!((b.connection.name(), b.status.as_str()), ("b", "failed"));
    assert_eq!(b.connection.url().path(), "/b/mcp");
    let absent = Absent {
        name: "c".to_owned(),
        url: "/c/mcp".to_owned(),
        status: "unreachable".to_owned(),
    };
    assert_eq!(directory.absent, [absent]);
}

#[tokio::test]
async fn a_malformed_index_is_an_error_that_says_so() {
    for (connections, reason) in [
        (json!({ "a": {} }), "connection `a`"),
        (json!({ "a": { "url": "http://[" } }), "the URL of \"a\""),
        (json!([]), "malformed"),
    ] {
        let fake =
            Fake::start(move |_| axum::Json(json!({ "connections": connections })).into_response()).await;
        let error = client().open(&fake.url).await.unwrap_err().to_string();
        assert!(
            error.contains("index is malformed") && error.contains(reason),
            "{error}"
        );
    }
}

#[tokio::test]
async fn the_root_of_a_server_without_an_index_leads_to_its_endpoint() {
    let fake = Fake::start(|seen| match (seen.method.as_str(), seen.path.as_str()) {
        ("GET", "/health") => {
            axum::Json(json!({ "status": "ok", "credential_headers": ["x-t"] })).into_response()
        }
        ("POST", "/mcp") => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
        _ => StatusCode::NOT_FOUND.into_response(),
    })
    .await;
    for url in [fake.url.clone(), fake.mcp()] {
        let directory = client().open(&url).await.unwrap();
        assert!(!directory.is_index);
        let connection = &directory.entries[0].connection;
        assert_eq!(connection.url(), &fake.mcp());
        assert_eq!(
            connection.declared_headers(),
            &DeclaredHeaders::Only(vec!["x-t".to_owned()])
        );
        assert_eq!(names(connection).await.unwrap(), ["hello"]);
    }
}

#[tokio::test]
async fn an_endpoint_of_another_name_is_found_too() {
    let fake = Fake::start(|seen| match (seen.method.as_str(), seen.path.as_str()) {
        ("POST", "/tools") => modern(seen, |seen| reply(seen, &json!({ "content": [] }))),
        _ => StatusCode::NOT_FOUND.into_response(),
    })
    .await;
    let directory = client().open(&fake.url.join("tools").unwrap()).await.unwrap();
    let connection = &directory.entries[0].connection;
    assert_eq!(connection.declared_headers(), &DeclaredHeaders::Unknown);
    assert_eq!(names(connection).await.unwrap(), ["hello"]);
}
