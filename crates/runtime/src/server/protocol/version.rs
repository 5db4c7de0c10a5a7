//! Protocol versions, and which era a request belongs to.
//!
//! Legacy clients open with `initialize` and name the version in a header; modern ones carry version and
//! capabilities in every request. One endpoint serves both.

use http::HeaderMap;

use super::{Request, RpcError, envelope::text_of};

/// The versions served, oldest first.
pub(in crate::server) const SUPPORTED: [&str; 4] = ["2025-03-26", "2025-06-18", LATEST_LEGACY, MODERN];
/// The versions of the legacy era among [`SUPPORTED`].
pub(in crate::server) const LEGACY: [&str; 3] = ["2025-03-26", "2025-06-18", LATEST_LEGACY];
/// What `initialize` is answered with when it asks for a version that it cannot have.
pub(in crate::server) const LATEST_LEGACY: &str = "2025-11-25";
/// The first version without a handshake; versions compare as text.
const MODERN: &str = "2026-07-28";

/// The header that repeats a modern request's version.
pub(in crate::server) const VERSION_HEADER: &str = "mcp-protocol-version";

/// The two ways of speaking the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Era {
    /// `initialize` first, versions up to 2025-11-25.
    Legacy,
    /// Every request for itself, from 2026-07-28 on.
    Modern,
}

/// The era of a request.
///
/// # Errors
/// If the version is not served, header and body disagree, or a modern request lacks its `_meta`.
pub(in crate::server) fn era_of(request: &Request<'_>, headers: &HeaderMap) -> Result<Era, RpcError> {
    let header = version_header(headers)?;
    let meta = request.params.meta.as_ref();
    let Some(version) = meta.and_then(|meta| meta.protocol_version) else {
        return era_without_meta(request, header);
    };
    let Some(version) = text_of(version) else {
        return Err(lacking("io.modelcontextprotocol/protocolVersion, a string"));
    };
    match header {
        None => {
            return Err(RpcError::header_mismatch(
                "the MCP-Protocol-Version header is missing",
            ));
        }
        Some(header) if header != version => {
            return Err(RpcError::header_mismatch(
                "the MCP-Protocol-Version header and the version in `_meta` differ",
            ));
        }
        Some(_) => {}
    }
    if !SUPPORTED.contains(&version.as_ref()) {
        return Err(RpcError::unsupported_version(&version));
    }
    let capabilities = meta.and_then(|meta| meta.client_capabilities);
    if !capabilities.is_some_and(|raw| raw.get().starts_with('{')) {
        return Err(lacking("io.modelcontextprotocol/clientCapabilities, an object"));
    }
    Ok(if version.as_ref() < MODERN {
        Era::Legacy
    } else {
        Era::Modern
    })
}

fn era_without_meta(request: &Request<'_>, header: Option<&str>) -> Result<Era, RpcError> {
    // The handshake exists in the legacy era only, so it selects that era whatever the header says.
    if request.method == "initialize" {
        return Ok(Era::Legacy);
    }
    if request.method == "server/discover" || header.is_some_and(|version| version == MODERN) {
        return Err(lacking(
            "io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities",
        ));
    }
    match header {
        Some(version) if !SUPPORTED.contains(&version) => Err(RpcError::unsupported_version_header(version)),
        _ => Ok(Era::Legacy),
    }
}

/// The era of a message without an answer, which has no `_meta` to look at.
pub(in crate::server) fn era_of_header(headers: &HeaderMap) -> Result<Era, RpcError> {
    match version_header(headers)? {
        None => Ok(Era::Legacy),
        Some(version) if !SUPPORTED.contains(&version) => Err(RpcError::unsupported_version_header(version)),
        Some(version) => Ok(if version < MODERN {
            Era::Legacy
        } else {
            Era::Modern
        }),
    }
}

fn version_header(headers: &HeaderMap) -> Result<Option<&str>, RpcError> {
    let Some(value) = headers.get(VERSION_HEADER) else {
        return Ok(None);
    };
    let Ok(version) = value.to_str() else {
        return Err(RpcError::unsupported_version_header("(not ASCII)"));
    };
    Ok(Some(version))
}

fn lacking(what: &str) -> RpcError {
    RpcError::malformed_meta(format!("`params._meta` lacks {what}"))
}
