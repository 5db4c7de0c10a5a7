//! Reading a body: bounded in size and in time.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use super::RpcError;
use crate::server::ServerLimits;

/// The whole body.
///
/// # Errors
/// 413 beyond the size limit, 408 beyond the time limit, 400 if the client breaks off.
pub(super) async fn read(headers: &HeaderMap, body: Body, limits: &ServerLimits) -> Result<Bytes, RpcError> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limits.max_body_bytes as u64) {
        return Err(too_large(limits));
    }
    let body = Limited::new(body, limits.max_body_bytes);
    match tokio::time::timeout(limits.body_timeout, body.collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large(limits)),
        Ok(Err(_)) => Err(RpcError::refused(StatusCode::BAD_REQUEST, "the body broke off")),
        Err(_) => Err(RpcError::refused(
            StatusCode::REQUEST_TIMEOUT,
            format!(
                "the body did not arrive within {} s",
                limits.body_timeout.as_secs_f64()
            ),
        )),
    }
}

fn too_large(limits: &ServerLimits) -> RpcError {
    RpcError::refused(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!(
            "the body is larger than the {} bytes that are accepted",
            limits.max_body_bytes
        ),
    )
}
