//! PostgreSQL goes away under a store, and comes back.

use std::time::{Duration, Instant};

use periplus_agent::{CheckpointError, RunId, ThreadId};
use serde_json::json;
use tokio::time::timeout;
use url::Url;

use super::{
    place::{Place, execute, open},
    proxy::Proxy,
    writer::{Writer, state_of},
};
use periplus_agent::Retention;

/// The database of a place, by way of a proxy.
async fn through_proxy(place: &Place) -> (String, Proxy) {
    let mut address = Url::parse(&place.address()).unwrap();
    let server = (
        address.host_str().unwrap().to_owned(),
        address.port().unwrap_or(5432),
    );
    let target = tokio::net::lookup_host(server).await.unwrap().next().unwrap();
    let proxy = Proxy::start(target).await;
    address.set_host(Some("127.0.0.1")).unwrap();
    address.set_port(Some(proxy.here.port())).unwrap();
    (address.to_string(), proxy)
}

fn assert_unavailable(error: &CheckpointError) {
    let CheckpointError::Unavailable { reason, .. } = error else {
        panic!("{error:?}");
    };
    assert!(reason.starts_with("PostgreSQL at 127.0.0.1:"), "{reason}");
}

#[tokio::test]
async fn a_server_that_goes_away_is_reported_and_its_return_goes_unnoticed() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let (address, mut proxy) = through_proxy(&place).await;
    let store = open(&address, Retention::default());
    let mut writer = Writer::random();
    let guard = store.lock(&writer.thread, &RunId::random()).await.unwrap();
    writer
        .turn(&*store, &[("areas/pick/area", json!(1))])
        .await
        .unwrap();
    writer.begin(&*store).await.unwrap();

    proxy.cut().await;
    let asked = Instant::now();
    assert_unavailable(
        &writer
            .publish(&*store, &[("areas/pick/area", json!(2))])
            .await
            .unwrap_err(),
    );
    assert_unavailable(&store.load(&writer.thread).await.unwrap_err());
    assert_unavailable(
        &store
            .lock(&ThreadId::random(), &RunId::random())
            .await
            .unwrap_err(),
    );
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "it took {:?}",
        asked.elapsed()
    );

    proxy.mend().await;
    // What was refused was not stored, and is stored now.
    writer
        .publish(&*store, &[("areas/pick/area", json!(2))])
        .await
        .unwrap();
    writer.finish(&*store).await.unwrap();
    let stored = store.load(&writer.thread).await.unwrap().unwrap();
    assert_eq!(state_of(&*store, &stored).await, writer.state);
    drop(guard);
    timeout(Duration::from_secs(10), store.wait_idle(&writer.thread))
        .await
        .unwrap()
        .unwrap();
    drop(store.lock(&writer.thread, &RunId::random()).await.unwrap());
    place.remove().await;
}

#[tokio::test]
async fn a_server_that_ends_all_sessions_costs_no_operation() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let store = place.open();
    let mut writer = Writer::random();
    writer
        .turn(&*store, &[("areas/pick/area", json!(1))])
        .await
        .unwrap();
    let sessions = "select pg_terminate_backend(pid, 5000) from pg_stat_activity
                    where datname = current_database() and pid <> pg_backend_pid()";
    execute(&place.address(), sessions).await;
    writer
        .turn(&*store, &[("areas/pick/area", json!(2))])
        .await
        .unwrap();
    assert_eq!(
        store.load(&writer.thread).await.unwrap().unwrap().records.len(),
        6
    );
    place.remove().await;
}

#[tokio::test]
async fn a_run_that_lost_its_claim_with_the_connection_cannot_overwrite_the_next_one() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let (address, mut proxy) = through_proxy(&place).await;
    let (store, elsewhere) = (open(&address, Retention::default()), place.open());
    let mut first = Writer::random();
    let _guard = store.lock(&first.thread, &RunId::random()).await.unwrap();
    first.begin(&*store).await.unwrap();
    proxy.cut().await;
    let patience = Duration::from_secs(10);
    timeout(patience, elsewhere.wait_idle(&first.thread))
        .await
        .unwrap()
        .unwrap();
    let _second_guard = elsewhere.lock(&first.thread, &RunId::random()).await.unwrap();
    let mut second = Writer::resume(&*elsewhere, &first.thread).await;
    second
        .turn(&*elsewhere, &[("areas/pick/area", json!("second"))])
        .await
        .unwrap();

    proxy.mend().await;
    let refused = first
        .publish(&*store, &[("areas/pick/area", json!("first"))])
        .await
        .unwrap_err();
    assert!(
        matches!(
            refused,
            CheckpointError::Conflict {
                expected: 1,
                found: 4,
                ..
            }
        ),
        "{refused:?}"
    );
    place.remove().await;
}

#[tokio::test]
async fn a_database_that_is_not_there_is_named_without_its_password() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let address = format!("postgresql://me:hunter2@127.0.0.1:{port}/threads");
    let store = open(&address, Retention::default());
    let error = store.load(&ThreadId::random()).await.unwrap_err();
    let text = format!("{error} {error:?} {store:?}");
    assert!(
        text.contains(&format!(
            "PostgreSQL at 127.0.0.1:{port}/threads: cannot connect: "
        )),
        "{text}"
    );
    assert!(!text.contains("hunter2"), "{text}");
}
