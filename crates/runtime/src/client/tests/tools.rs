//! What servers say of their tools, and how they refuse.

use super::*;

#[tokio::test]
async fn schemas_arrive_as_they_were_sent() {
    const SCHEMA: &str = r#"{"type":"object","properties":{"b":{"maximum":1.0},"a":{"const":1e2}}}"#;
    let fake = Fake::start(|seen| match seen.rpc() {
        "server/discover" => discovered(seen),
        _ => {
            let id = &seen.body["id"];
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"t","inputSchema":{SCHEMA}}}]}}}}"#
            );
            ([("content-type", "application/json")], text).into_response()
        }
    })
    .await;
    let tools = fake
        .connection(DeclaredHeaders::Unknown)
        .list_tools(&Credentials::default())
        .await
        .unwrap();
    assert_eq!(tools[0].input_schema.get(), SCHEMA);
}

#[tokio::test]
async fn a_tool_with_broken_header_annotations_is_left_out() {
    let fake = Fake::start(|seen| match seen.rpc() {
        "server/discover" => discovered(seen),
        _ => {
            let broken =
                json!({ "type": "object", "properties": { "a": { "type": "object", "x-mcp-header": "A" } } });
            reply(
                seen,
                &json!({ "tools": [tool("fine"), { "name": "broken", "inputSchema": broken }] }),
            )
        }
    })
    .await;
    assert_eq!(
        names(&fake.connection(DeclaredHeaders::Unknown)).await.unwrap(),
        ["fine"]
    );
}

#[tokio::test]
async fn a_tool_that_asks_its_user_is_an_error_of_its_own() {
    let fake = Fake::start(|seen| {
        modern(seen, |seen| {
            reply(
                seen,
                &json!({ "resultType": "input_required", "requestState": "s" }),
            )
        })
    })
    .await;
    let error = call(&fake.connection(DeclaredHeaders::Unknown), json!({}))
        .await
        .unwrap_err();
    assert!(matches!(error, ClientError::InputRequired { .. }), "{error}");
}

#[tokio::test]
async fn refusals_say_what_the_server_said() {
    let fake = Fake::start(|seen| match seen.header("x-case") {
        Some("403") => {
            let error = json!({ "error": { "code": -32600, "message": "host x is not allowed" } });
            (StatusCode::FORBIDDEN, axum::Json(error)).into_response()
        }
        Some("503") => (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "7")]).into_response(),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, Body::from("boom\n\nboom")).into_response(),
    })
    .await;
    for (case, expected) in [
        ("403", "host x is not allowed"),
        ("503", "try again in 7 s"),
        ("500", "status 500: boom boom"),
    ] {
        let credentials = Credentials::new([("x-case", case)]).unwrap();
        let error = fake
            .connection(DeclaredHeaders::Unknown)
            .list_tools(&credentials)
            .await
            .unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
