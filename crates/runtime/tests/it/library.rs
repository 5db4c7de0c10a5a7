//! Documents and prompts beside the tools.

use serde_json::{Value, json};

use crate::support::{TestServer, asking, probe};

#[tokio::test]
async fn documents_are_listed_and_read() {
    let server = TestServer::start(asking().0);
    let listed = server.legacy("resources/list", json!({})).await.result();
    assert_eq!(
        listed["resources"][0],
        json!({ "uri": "asking://note", "name": "note", "mimeType": "text/plain", "description": "A note." })
    );
    let templates = server
        .legacy("resources/templates/list", json!({}))
        .await
        .result();
    assert_eq!(
        templates["resourceTemplates"][0]["uriTemplate"],
        "asking://{id}/row"
    );
    for (uri, expected) in [
        (
            "asking://note",
            json!({ "uri": "asking://note", "mimeType": "text/plain", "text": "A note." }),
        ),
        (
            "asking://bytes",
            json!({ "uri": "asking://bytes", "mimeType": "image/png", "blob": "AQID" }),
        ),
        (
            "asking://7/row",
            json!({ "uri": "asking://7/row", "mimeType": "text/plain", "text": "Row 7" }),
        ),
    ] {
        let legacy = server
            .legacy("resources/read", json!({ "uri": uri }))
            .await
            .result();
        assert_eq!(legacy, json!({ "contents": [expected] }));
        let modern = server
            .modern("resources/read", json!({ "uri": uri }))
            .await
            .result();
        assert_eq!(modern["contents"], json!([expected]));
        assert_eq!(
            (&modern["resultType"], &modern["cacheScope"]),
            (&json!("complete"), &json!("private"))
        );
        assert!(modern["ttlMs"].is_u64());
    }
    for uri in ["asking://none/row", "asking://7/8/row", "asking://other"] {
        let legacy = server.legacy("resources/read", json!({ "uri": uri })).await;
        assert_eq!(legacy.code(), -32002, "{uri}");
        let modern = server.modern("resources/read", json!({ "uri": uri })).await;
        assert_eq!(
            (modern.code(), &modern.json()["error"]["data"]["uri"]),
            (-32602, &json!(uri))
        );
    }
}

async fn verse(server: &TestServer, params: Value) -> crate::support::Reply {
    let capabilities = json!({ "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } });
    server.modern_with("prompts/get", params, capabilities, &[]).await
}

#[tokio::test]
async fn prompts_are_listed_and_written() {
    let server = TestServer::start(asking().0);
    let listed = server.legacy("prompts/list", json!({})).await.result();
    let argument = json!({ "name": "topic", "description": "What it is about.", "required": true });
    assert_eq!(
        listed["prompts"],
        json!([{ "name": "verse", "description": "A verse about something.", "arguments": [argument] }])
    );
    let written = verse(
        &server,
        json!({ "name": "verse", "arguments": { "topic": "moss" } }),
    )
    .await
    .result();
    assert_eq!(
        written["messages"],
        json!([{ "role": "user", "content": { "type": "text", "text": "Write about moss." } }])
    );
    assert_eq!(written["resultType"], "complete");
    for params in [
        json!({ "name": "verse" }),
        json!({ "name": "verse", "arguments": { "topic": 7 } }),
        json!({ "name": "ode" }),
        json!({}),
    ] {
        assert_eq!(
            server.legacy("prompts/get", params.clone()).await.code(),
            -32602,
            "{params}"
        );
    }
    let without = TestServer::start(probe().0);
    assert_eq!(
        without
            .legacy("prompts/get", json!({ "name": "verse" }))
            .await
            .code(),
        -32601
    );
}

#[tokio::test]
async fn a_prompt_may_ask_like_a_tool() {
    let server = TestServer::start(asking().0);
    let params = json!({ "name": "verse", "arguments": { "topic": "you" } });
    let asked = verse(&server, params.clone()).await.result();
    assert_eq!(asked["resultType"], "input_required");
    let mut again = params.clone();
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({ "user": { "action": "accept", "content": { "name": "Ada" } } });
    let written = verse(&server, again).await.result();
    assert_eq!(written["messages"][0]["content"]["text"], "Write about Ada.");
    let refused = server.modern("prompts/get", params).await;
    assert_eq!((refused.status, refused.code()), (400, -32021));
}

#[tokio::test]
async fn arguments_of_prompts_are_completed() {
    let server = TestServer::start(asking().0);
    let complete = |name: &str, argument: &str, value: &str| json!({ "ref": { "type": "ref/prompt", "name": name }, "argument": { "name": argument, "value": value } });
    let completed = server
        .legacy("completion/complete", complete("verse", "topic", "mo"))
        .await
        .result();
    assert_eq!(
        completed["completion"],
        json!({ "values": ["moon", "moss"], "total": 2, "hasMore": false })
    );
    for params in [
        complete("ode", "topic", ""),
        complete("verse", "length", ""),
        json!({ "ref": [], "argument": {} }),
        json!({}),
    ] {
        assert_eq!(server.legacy("completion/complete", params).await.code(), -32602);
    }
}

#[tokio::test]
async fn what_there_is_is_declared_and_nothing_else() {
    let capabilities = |toolset| async {
        let server = TestServer::start(toolset);
        server.modern("server/discover", json!({})).await.result()["capabilities"].clone()
    };
    let all = capabilities(asking().0).await;
    assert_eq!(all["tools"], json!({ "listChanged": true }));
    assert_eq!(all["prompts"], json!({ "listChanged": true }));
    assert_eq!(
        all["resources"],
        json!({ "listChanged": true, "subscribe": true })
    );
    assert_eq!(all["completions"], json!({}));
    let few = capabilities(probe().0).await;
    assert_eq!(few["tools"], json!({}));
    assert!(few.get("prompts").is_none() && few.get("completions").is_none());
}
