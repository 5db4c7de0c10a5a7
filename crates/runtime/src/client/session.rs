//! Which protocol era a server speaks, and what must accompany each request in it.

use ::http::{HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ClientError, ClientOptions, http::fixed, params, rpc::RpcError};

/// The revision of the modern era: no handshake, everything in `_meta`.
pub(super) const MODERN: &str = "2026-07-28";

/// The revisions of the legacy era, newest first.
pub(super) const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// Errors that only a modern server gives: header mismatch, missing capability.
const MODERN_ERRORS: [i64; 2] = [-32020, -32021];
const UNSUPPORTED_VERSION: i64 = -32022;

/// A protocol era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Modern,
    Legacy,
}

/// What was agreed with a server.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) era: Era,
    /// The agreed revision.
    pub(super) version: String,
    /// The id of a legacy session, if the server keeps any.
    pub(super) id: Option<String>,
    /// The name under which the server introduces itself.
    pub(super) server: Option<String>,
}

impl Session {
    /// The parameters as this era wants them.
    pub(super) fn params(&self, params: Value, options: &ClientOptions) -> Value {
        match self.era {
            Era::Legacy => params,
            Era::Modern => with_meta(params, options),
        }
    }

    /// The headers this era wants beside a request.
    pub(super) fn headers(&self, method: &str, name: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Ok(version) = HeaderValue::from_str(&self.version) {
            headers.insert(fixed("mcp-protocol-version"), version);
        }
        match self.era {
            Era::Modern => {
                headers.insert(fixed("mcp-method"), params::encode(method));
                headers.extend(name.map(|name| (fixed("mcp-name"), params::encode(name))));
            }
            Era::Legacy => {
                let id = self.id.as_deref().and_then(|id| HeaderValue::from_str(id).ok());
                headers.extend(id.map(|id| (fixed("mcp-session-id"), id)));
            }
        }
        headers
    }

    /// What a modern request looks like before anything was agreed.
    pub(super) fn modern() -> Self {
        Self {
            era: Era::Modern,
            version: MODERN.to_owned(),
            id: None,
            server: None,
        }
    }
}

fn with_meta(mut params: Value, options: &ClientOptions) -> Value {
    let (name, version) = &options.identity;
    if let Some(params) = params.as_object_mut() {
        params.insert(
            "_meta".to_owned(),
            json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": options.capabilities,
                "io.modelcontextprotocol/clientInfo": { "name": name, "version": version },
            }),
        );
    }
    params
}

/// What the answer to `server/discover` says about the era.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Discovered {
    supported_versions: Vec<String>,
    #[serde(rename = "_meta")]
    meta: Option<Value>,
}

impl Discovered {
    /// The session, if the server speaks the modern revision.
    pub(super) fn session(self) -> Option<Session> {
        self.supported_versions
            .iter()
            .any(|version| version == MODERN)
            .then(|| {
                let info = self
                    .meta
                    .as_ref()
                    .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
                Session {
                    server: info.and_then(name_of),
                    ..Session::modern()
                }
            })
    }
}

/// Whether an error means that a modern server refuses, rather than that the server is of the legacy era.
pub(super) fn is_modern_error(error: &RpcError) -> bool {
    let lists_modern =
        error.code == UNSUPPORTED_VERSION && error.data.as_deref().is_some_and(supports_modern);
    MODERN_ERRORS.contains(&error.code) || lists_modern
}

/// Whether the data of an error lists the modern revision among those that are spoken.
pub(super) fn supports_modern(data: &Value) -> bool {
    let supported = data.get("supported").and_then(Value::as_array);
    supported.is_some_and(|versions| versions.iter().any(|version| version == MODERN))
}

/// The answer to `initialize`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Initialized {
    protocol_version: String,
    server_info: Option<Value>,
}

impl Initialized {
    /// The session, if the server chose a revision that is spoken here.
    pub(super) fn session(self, id: Option<String>) -> Result<Session, String> {
        if LEGACY.contains(&self.protocol_version.as_str()) {
            let server = self.server_info.as_ref().and_then(name_of);
            Ok(Session {
                era: Era::Legacy,
                version: self.protocol_version,
                id,
                server,
            })
        } else {
            Err(format!(
                "it speaks protocol revision {:?}; known are {MODERN} and {}",
                self.protocol_version,
                LEGACY.join(", ")
            ))
        }
    }
}

/// The parameters of `initialize`.
pub(super) fn initialize_params(options: &ClientOptions) -> Value {
    let (name, version) = &options.identity;
    json!({
        "protocolVersion": LEGACY[0],
        "capabilities": options.capabilities,
        "clientInfo": { "name": name, "version": version },
    })
}

fn name_of(info: &Value) -> Option<String> {
    info.get("name")?.as_str().map(str::to_owned)
}

/// Whether an error is worth one more try after asking anew which era the server speaks.
pub(super) fn is_stale(session: &Session, error: &ClientError) -> bool {
    match (session.era, error) {
        // A modern server that was replaced by a legacy one refuses the headers or the method.
        (Era::Modern, ClientError::Status { status, .. }) => (400..500).contains(status),
        (Era::Modern, ClientError::Rpc { code, .. }) => matches!(code, -32600 | -32601 | -32022),
        // A session that the server forgot, or a legacy server that became a modern one.
        (Era::Legacy, ClientError::Status { status, .. }) => matches!(status, 400 | 404),
        (Era::Legacy, ClientError::Rpc { code, .. }) => matches!(code, -32600 | -32022),
        _ => false,
    }
}
