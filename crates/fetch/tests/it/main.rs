//! A fetcher against hosts that misbehave.

use std::{convert::Infallible, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, StatusCode, header},
    response::Redirect,
    routing::get,
};
use futures::stream;
use periplus_fetch::{FetchError, Fetcher, Options, Reply};
use tokio::{net::TcpListener, task::JoinSet};
use url::Url;

/// Serves routes on a free port until the set is dropped.
async fn serve(hosts: &mut JoinSet<()>, router: Router) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound listener has an address");
    hosts.spawn(async move {
        axum::serve(listener, router)
            .await
            .expect("it serves until it is dropped")
    });
    format!("http://{address}/").parse().expect("it is a URL")
}

fn following(redirects: usize) -> Fetcher {
    Fetcher::new(Options {
        redirects,
        ..Options::new("test/1")
    })
}

async fn fetch(fetcher: &Fetcher, url: Url, limit: usize) -> Result<Reply, FetchError> {
    let request = fetcher.client(&url)?.get(url).bearer_auth("s3cret");
    fetcher.send(request, limit).await
}

/// What a host was sent, as its answer.
async fn told(headers: HeaderMap) -> String {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("-")
    };
    format!("{} {}", text(header::AUTHORIZATION), text(header::USER_AGENT))
}

#[tokio::test]
async fn an_answer_comes_whole_with_its_status_and_headers() {
    let mut hosts = JoinSet::new();
    let missing = || async { (StatusCode::NOT_FOUND, [("x-reason", "gone")], "nothing here") };
    let root = serve(
        &mut hosts,
        Router::new().route("/", get(told)).route("/gone", get(missing)),
    )
    .await;
    let reply = fetch(&following(0), root.clone(), 100).await.expect("it answers");
    assert_eq!(&reply.body[..], b"Bearer s3cret test/1");
    let reply = fetch(&following(0), root.join("gone").unwrap(), 100)
        .await
        .expect("it answers");
    assert_eq!(
        (reply.status, &reply.headers["x-reason"]),
        (StatusCode::NOT_FOUND, &"gone".parse().unwrap())
    );
    assert_eq!(&reply.body[..], b"nothing here");
}

#[tokio::test]
async fn a_body_is_read_up_to_the_limit_and_no_further() {
    let mut hosts = JoinSet::new();
    // Without an announced length, as a host that never ends would send it.
    let endless = || async { Body::from_stream(stream::repeat_with(|| Ok::<_, Infallible>("chunk"))) };
    let failing = move || async move { (StatusCode::BAD_GATEWAY, endless().await) };
    let root = serve(
        &mut hosts,
        Router::new().route("/", get(endless)).route("/bad", get(failing)),
    )
    .await;
    let refused = fetch(&following(0), root.clone(), 1000).await.unwrap_err();
    assert_eq!(refused, FetchError::TooLarge(1000));
    // Of a failure the status says more than the size of its page.
    let cut = fetch(&following(0), root.join("bad").unwrap(), 1000)
        .await
        .expect("it answers");
    assert_eq!((cut.status, cut.body.len()), (StatusCode::BAD_GATEWAY, 1000));
}

#[tokio::test]
async fn a_redirect_is_followed_within_the_host_and_never_beyond() {
    let mut hosts = JoinSet::new();
    let elsewhere = serve(&mut hosts, Router::new().route("/", get(told))).await;
    let away = move || async move { Redirect::temporary(elsewhere.as_str()) };
    let router = Router::new()
        .route("/", get(told))
        .route("/once", get(|| async { Redirect::temporary("/") }))
        .route("/round", get(|| async { Redirect::permanent("/round") }))
        .route("/away", get(away));
    let root = serve(&mut hosts, router).await;
    let ask = async |redirects: usize, path: &str| {
        fetch(&following(redirects), root.join(path).unwrap(), 100).await
    };
    let body = ask(3, "once").await.expect("it is followed").body;
    assert!(
        body.starts_with(b"Bearer s3cret"),
        "the credential stays with its host"
    );
    assert_eq!(ask(3, "away").await.unwrap_err(), FetchError::Redirect);
    assert_eq!(ask(3, "round").await.unwrap_err(), FetchError::Redirect);
    let unfollowed = ask(0, "once").await.expect("a redirect is an answer");
    assert_eq!(unfollowed.status, StatusCode::TEMPORARY_REDIRECT);
}

#[tokio::test]
async fn what_went_wrong_is_named_by_its_root_cause_and_without_the_address() {
    // A port that was free a moment ago: nobody listens there.
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound listener has an address");
    drop(listener);
    let url: Url = format!("http://{address}/?key=s3cret").parse().unwrap();
    let error = fetch(&following(0), url, 100).await.unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(error, FetchError::Unreachable(_)) && text.contains("refused"),
        "{text}"
    );
    assert!(
        !text.contains("s3cret") && !text.contains(&address.port().to_string()),
        "{text}"
    );
}

#[tokio::test]
async fn a_host_that_does_not_answer_is_given_up() {
    let mut hosts = JoinSet::new();
    let root = serve(
        &mut hosts,
        Router::new().route("/", get(std::future::pending::<String>)),
    )
    .await;
    let fetcher = following(0);
    let request = fetcher
        .client(&root)
        .unwrap()
        .get(root)
        .timeout(Duration::from_millis(20));
    assert_eq!(fetcher.send(request, 100).await.unwrap_err(), FetchError::Timeout);
}
