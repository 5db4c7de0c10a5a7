//! Connecting: what is reachable, under which names, and who is given what.

use std::{collections::BTreeMap, sync::Arc};

use chrono::TimeZone;
use futures::future::BoxFuture;
use periplus_agent::{Grant, HostTool, ThreadId, ToolsetSources};
use periplus_llm::{
    ToolDefinition,
    scripted::{Expect, Turn},
};
use periplus_runtime::client::Credentials;
use periplus_state::JsonObject;
use serde_json::json;
use tokio::net::TcpListener;
use url::Url;

use crate::support::{agent, builder, on, results, script, serve, toolsets};

fn offered(agent: &periplus_agent::Agent) -> Vec<String> {
    agent
        .toolsets()
        .tools()
        .iter()
        .map(|tool| tool.offered_name.clone())
        .collect()
}

/// An address where nobody answers.
async fn nowhere() -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    format!("http://someone:secret@{address}/mcp?token=t0ken")
        .parse()
        .unwrap()
}

#[tokio::test]
async fn it_starts_with_what_is_reachable_and_reports_the_rest() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([Turn::say("Hello.")]);
    let agent = builder(&model)
        .toolsets(server.url.clone())
        .toolsets(nowhere().await)
        .connect()
        .await;
    assert_eq!(offered(&agent), ["search_datasets"]);
    let toolsets = agent.toolsets();
    let [missing] = toolsets.unreachable() else {
        panic!("{:?}", toolsets.unreachable());
    };
    let text = missing.to_string();
    assert!(text.contains("cannot connect"), "{text}");
    assert!(!text.contains("secret") && !text.contains("t0ken"), "{text}");
    agent
        .run_turn(on(&ThreadId::random()), "hello".into())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_server_that_was_addressed_directly_is_named_after_its_toolset() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([]);
    let agent = builder(&model).toolsets(server.endpoint()).connect().await;
    let toolsets = agent.toolsets();
    assert_eq!(toolsets.connected()[0].name, "dataset-search");
    assert_eq!(toolsets.warnings(), [] as [&str; 0]);
}

#[tokio::test]
async fn tools_of_one_name_are_told_apart_by_their_servers() {
    let server = serve(vec![toolsets::clip_view(), toolsets::raster()]);
    let model = script([
        Turn::call(
            "raster__clip_raster",
            json!({ "dataset_id": "d", "aoi": "@state:a/b/c" }),
        ),
        Turn::say("No."),
    ]);
    let agent = agent(&model, &[&server]).await;
    assert_eq!(
        offered(&agent),
        ["clip-view__clip_raster", "count_text", "raster__clip_raster"]
    );
    let result = agent
        .run_turn(on(&ThreadId::random()), "clip".into())
        .await
        .unwrap();
    assert!(
        results(&result)[0].starts_with("raster__clip_raster was not called"),
        "{result:?}"
    );
    assert!(agent.toolsets().warnings()[0].contains("clip_raster is offered by clip-view, raster"));
}

#[tokio::test]
async fn two_servers_of_one_name_do_not_share_a_prefix() {
    let (one, two) = (
        serve(vec![toolsets::dataset_search()]),
        serve(vec![toolsets::dataset_search()]),
    );
    let model = script([
        Turn::call("dataset-search-2__search_datasets", json!({ "query": "severn" })),
        Turn::say("Found."),
    ]);
    let agent = agent(&model, &[&one, &two]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "find".into())
        .await
        .unwrap();
    let keys: Vec<String> = result.state.iter().map(|(key, _)| key.to_string()).collect();
    assert_eq!(
        keys,
        [
            "dataset-search-2/search_datasets/area_of_interest",
            "dataset-search-2/search_datasets/datasets"
        ]
    );
}

#[tokio::test]
async fn a_server_is_given_only_what_it_may_receive() {
    let server = serve(vec![toolsets::dataset_search(), toolsets::clip_view()]);
    let area = "@state:dataset-search/search_datasets/area_of_interest";
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::call("clip_raster", json!({ "dataset_id": "d", "aoi": area })),
        Turn::say("No.").expecting(Expect::tool_result("this server may not be given that value")),
    ]);
    let grant = Grant {
        receives: Some(vec!["met".to_owned()]),
        ..Grant::default()
    };
    let sources = ToolsetSources {
        urls: vec![server.url.clone()],
        grants: BTreeMap::from([("clip-view".to_owned(), grant)]),
        ..ToolsetSources::default()
    };
    let agent = builder(&model).sources(sources).connect().await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "clip".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "No.");
}

#[tokio::test]
async fn a_server_that_may_not_publish_leaves_nothing_behind() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::say("Found."),
    ]);
    let sources = ToolsetSources {
        urls: vec![server.url.clone()],
        default_grant: Grant {
            publishes: false,
            ..Grant::default()
        },
        ..ToolsetSources::default()
    };
    let agent = builder(&model).sources(sources).connect().await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "find".into())
        .await
        .unwrap();
    assert!(result.state.is_empty());
}

#[tokio::test]
async fn a_server_that_was_away_is_found_by_a_later_run_and_a_missing_one_keeps_its_tools() {
    let server = serve(vec![toolsets::dataset_search()]);
    let model = script([]);
    let agent = agent(&model, &[&server]).await;
    let url = server.url.clone();
    drop(server);
    // The socket closes once the server's task has seen the stop.
    while tokio::net::TcpStream::connect((url.host_str().unwrap(), url.port().unwrap()))
        .await
        .is_ok()
    {
        tokio::task::yield_now().await;
    }
    agent.refresh().await;
    assert_eq!(offered(&agent), ["search_datasets"]);
    assert_eq!(agent.toolsets().unreachable().len(), 1);
}

#[tokio::test]
async fn a_credential_reaches_only_the_server_that_declares_it() {
    let (account, seen) = toolsets::account();
    let server = serve(vec![account, toolsets::dataset_search()]);
    let model = script([
        Turn::call("whoami", json!({})).and_call("search_datasets", json!({ "query": "a" })),
        Turn::say("You.").expecting(Expect::tool_result("You are user 6.")),
    ]);
    let agent = agent(&model, &[&server]).await;
    let mut context = on(&ThreadId::random());
    context.credentials = Credentials::new([("X-Demo-Token", "s3cret"), ("x-other", "o")]).unwrap();
    agent.run_turn(context, "who am I?".into()).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["s3cret"]);
}

#[tokio::test]
async fn a_missing_credential_is_named_to_the_model() {
    let (account, _seen) = toolsets::account();
    let server = serve(vec![account]);
    let model = script([
        Turn::call("whoami", json!({})),
        Turn::say("I need a token.").expecting(Expect::tool_result("x-demo-token")),
    ]);
    let agent = agent(&model, &[&server]).await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "who am I?".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "I need a token.");
}

/// A tool of the host.
#[derive(Debug)]
struct Twice;

impl HostTool for Twice {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition::new("search_datasets", "The host's own.", json!({ "type": "object" }))
    }

    fn call(&self, arguments: JsonObject) -> BoxFuture<'static, Result<String, String>> {
        Box::pin(async move { Ok(format!("{} argument(s)", arguments.len())) })
    }
}

#[tokio::test]
async fn a_host_adds_tools_a_prompt_and_a_word_before_each_call() {
    let server = serve(vec![toolsets::dataset_search()]);
    let everything = Expect {
        system: vec![
            "You are the host's.".to_owned(),
            "Today is Tuesday, 1 December 2026.".to_owned(),
        ],
        tools: vec![
            "search_datasets".to_owned(),
            "dataset-search__search_datasets".to_owned(),
        ],
        ..Expect::default()
    };
    let model = script([
        Turn::call("search_datasets", json!({ "a": 1 })).expecting(everything),
        Turn::say("Done.").expecting(Expect::tool_result("1 argument(s)")),
    ]);
    let settings = periplus_agent::AgentSettings {
        system_prompt: Some("You are the host's.".to_owned()),
        ..Default::default()
    };
    let now = chrono::Utc.with_ymd_and_hms(2026, 12, 1, 0, 30, 0).unwrap();
    let agent = builder(&model)
        .toolsets(server.url.clone())
        .host_tool(Arc::new(Twice))
        .clock(Arc::new(move || now))
        .settings(settings)
        .connect()
        .await;
    let id = ThreadId::random();
    agent.run_turn(on(&id), "go".into()).await.unwrap();
    assert_eq!(
        agent.thread(&id).await.unwrap().unwrap().head.opening.created_at,
        now
    );
}

/// A tool of the host that is broken.
#[derive(Debug)]
struct Broken;

impl HostTool for Broken {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition::new("broken", "Broken.", json!({ "type": "object" }))
    }

    fn call(&self, _arguments: JsonObject) -> BoxFuture<'static, Result<String, String>> {
        panic!("a bug")
    }
}

#[tokio::test]
async fn a_tool_of_the_host_that_panics_ends_its_call_and_nothing_else() {
    let model = script([
        Turn::call("broken", json!({})),
        Turn::say("It broke.").expecting(Expect::tool_result("broken broke down")),
    ]);
    let agent = builder(&model).host_tool(Arc::new(Broken)).connect().await;
    let result = agent
        .run_turn(on(&ThreadId::random()), "go".into())
        .await
        .unwrap();
    assert_eq!(result.answer, "It broke.");
}
