//! An API server of which a test decides what it knows and how it fails. Answers have the form of the real ones.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{Query, State},
    response::{IntoResponse, Response},
    routing::get,
};
use futures::{StreamExt as _, channel::mpsc};
use http::{HeaderMap, StatusCode, header};
use periplus_runtime::directory::{Cluster, ClusterTiming, Source};
use serde_json::{Value, json};

/// How the fake answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Fine,
    /// Every request fails with this status.
    Fails(u16),
    /// Lists, and refuses to watch with this status.
    RefusesToWatch(u16),
    /// Lists, and says in the stream of a watch that its version is too old.
    ForgetsVersions,
    /// Points to another server.
    Redirects(SocketAddr),
    /// Never answers.
    Hangs,
}

/// One request as it came in.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) query: BTreeMap<String, String>,
    pub(super) authorization: Option<String>,
}

impl Asked {
    pub(super) fn is_watch(&self) -> bool {
        self.query.contains_key("watch")
    }
}

struct Inner {
    mood: Mood,
    services: BTreeMap<String, Value>,
    version: u64,
    tokens: BTreeSet<String>,
    asked: Vec<Asked>,
    watchers: Vec<mpsc::UnboundedSender<Bytes>>,
}

/// The API server with the folder of a service account.
pub(super) struct FakeCluster {
    address: SocketAddr,
    account: tempfile::TempDir,
    inner: Arc<Mutex<Inner>>,
}

const PATH: &str = "/api/v1/namespaces/{namespace}/services";

impl FakeCluster {
    pub(super) async fn start() -> Self {
        let account = tempfile::tempdir().unwrap();
        std::fs::write(account.path().join("namespace"), "tools\n").unwrap();
        let inner = Inner {
            mood: Mood::Fine,
            services: BTreeMap::new(),
            version: 100,
            tokens: BTreeSet::new(),
            asked: Vec::new(),
            watchers: Vec::new(),
        };
        let inner = Arc::new(Mutex::new(inner));
        let router = Router::new()
            .route(PATH, get(answer))
            .with_state(Arc::clone(&inner));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let cluster = Self {
            address,
            account,
            inner,
        };
        cluster.rotate_token("first-token");
        cluster
    }

    /// The namespace `tools`, with pauses that suit a test.
    pub(super) fn source(&self) -> Source {
        self.source_with_token_of(ClusterTiming::default().token)
    }

    /// The same with tokens that are used for so long.
    pub(super) fn source_with_token_of(&self, token: Duration) -> Source {
        let server = format!("http://{}", self.address).parse().unwrap();
        let cluster = Cluster::of_account(self.account.path(), server).unwrap();
        Source::Kubernetes(Box::new(Cluster {
            timing: ClusterTiming {
                poll: Duration::from_millis(20),
                first_retry: Duration::from_millis(10),
                last_retry: Duration::from_millis(40),
                request: Duration::from_secs(2),
                token,
                ..ClusterTiming::default()
            },
            ..cluster
        }))
    }

    pub(super) fn token_file(&self) -> PathBuf {
        self.account.path().join("token")
    }

    /// Writes a new token and accepts no other.
    pub(super) fn rotate_token(&self, token: &str) {
        std::fs::write(self.token_file(), token).unwrap();
        self.inner.lock().unwrap().tokens = [format!("Bearer {token}")].into();
    }

    pub(super) fn set_mood(&self, mood: Mood) {
        let mut inner = self.inner.lock().unwrap();
        inner.mood = mood;
        // Open watches end, as they do when a server goes down.
        inner.watchers.clear();
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.inner.lock().unwrap().asked.clone()
    }

    pub(super) fn watches(&self) -> usize {
        self.asked().iter().filter(|asked| asked.is_watch()).count()
    }

    pub(super) fn lists(&self) -> usize {
        self.asked().len() - self.watches()
    }

    /// Deploys a toolset, or changes its Service.
    pub(super) fn apply(&self, toolset: &str, address: SocketAddr) {
        let mut inner = self.inner.lock().unwrap();
        inner.version += 1;
        // The name of a Service is its host name in a cluster; here it has to be an address of this machine.
        let service = json!({
            "kind": "Service", "apiVersion": "v1",
            "metadata": {
                "name": address.ip().to_string(), "namespace": "tools", "uid": "6b8f0e3c", "resourceVersion": inner.version.to_string(),
                "creationTimestamp": "2026-11-30T12:00:00Z",
                "labels": { "app.kubernetes.io/name": "mcp-toolset", "mcp-toolsets/toolset": toolset },
            },
            "spec": {
                "ports": [{ "name": "http", "protocol": "TCP", "port": address.port(), "targetPort": "http" }],
                "selector": { "app.kubernetes.io/name": "mcp-toolset" },
                "clusterIP": "10.96.14.3", "type": "ClusterIP", "sessionAffinity": "None",
            },
            "status": { "loadBalancer": {} },
        });
        let name = address.ip().to_string();
        let is_new = inner.services.insert(name, service.clone()).is_none();
        inner.tell(if is_new { "ADDED" } else { "MODIFIED" }, &service);
    }

    pub(super) fn delete(&self, address: SocketAddr) {
        let mut inner = self.inner.lock().unwrap();
        inner.version += 1;
        let mut service = inner.services.remove(&address.ip().to_string()).unwrap();
        service["metadata"]["resourceVersion"] = inner.version.to_string().into();
        inner.tell("DELETED", &service);
    }
}

impl Inner {
    fn tell(&mut self, kind: &str, object: &Value) {
        let line = format!("{}\n", json!({ "type": kind, "object": object }));
        // In two halves, because a stream is not cut where lines end.
        let (start, end) = line.as_bytes().split_at(line.len() / 2);
        self.watchers.retain(|watcher| {
            watcher.unbounded_send(Bytes::copy_from_slice(start)).is_ok()
                && watcher.unbounded_send(Bytes::copy_from_slice(end)).is_ok()
        });
    }
}

async fn answer(
    State(inner): State<Arc<Mutex<Inner>>>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let mood = {
        let mut inner = inner.lock().unwrap();
        let authorization = headers
            .get(header::AUTHORIZATION)
            .map(|value| value.to_str().unwrap().to_owned());
        inner.asked.push(Asked {
            query: query.clone(),
            authorization: authorization.clone(),
        });
        if authorization.is_none_or(|token| !inner.tokens.contains(&token)) {
            return failure(401, "Unauthorized");
        }
        inner.mood
    };
    let is_watch = query.contains_key("watch");
    match mood {
        Mood::Hangs => std::future::pending().await,
        Mood::Fails(status) => failure(status, "InternalError"),
        Mood::Redirects(address) => {
            let target = format!("http://{address}/api");
            (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, target)]).into_response()
        }
        Mood::RefusesToWatch(status) if is_watch => failure(status, "Forbidden"),
        Mood::ForgetsVersions if is_watch => {
            let object = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                                 "message": "too old resource version: 100 (101)", "reason": "Expired", "code": 410 });
            format!("{}\n", json!({ "type": "ERROR", "object": object })).into_response()
        }
        _ if is_watch => watch(&mut inner.lock().unwrap(), &query["resourceVersion"]),
        _ => list(&inner.lock().unwrap()),
    }
}

fn list(inner: &Inner) -> Response {
    let items: Vec<&Value> = inner.services.values().collect();
    Json(json!({
        "kind": "ServiceList", "apiVersion": "v1",
        "metadata": { "resourceVersion": inner.version.to_string() },
        "items": items,
    }))
    .into_response()
}

/// A watch that has missed nothing begins with a bookmark and then tells what happens.
fn watch(inner: &mut Inner, version: &str) -> Response {
    if version != inner.version.to_string() {
        return failure(410, "Expired");
    }
    let (sender, events) = mpsc::unbounded();
    inner.watchers.push(sender);
    let bookmark = json!({ "kind": "Service", "apiVersion": "v1",
                           "metadata": { "resourceVersion": inner.version.to_string(), "creationTimestamp": null },
                           "spec": {}, "status": { "loadBalancer": {} } });
    inner.tell("BOOKMARK", &bookmark);
    Body::from_stream(events.map(Ok::<_, std::convert::Infallible>)).into_response()
}

fn failure(status: u16, reason: &str) -> Response {
    let body = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                       "message": reason, "reason": reason, "code": status });
    (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
}
