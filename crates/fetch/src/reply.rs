//! An answer, read to its end.

use bytes::{Bytes, BytesMut};
use reqwest::{Response, StatusCode, header::HeaderMap};

use crate::FetchError;

/// What a service answered.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Its status, which may be that of a failure.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// The whole body; of a failure at most as much as was asked for.
    pub body: Bytes,
}

/// Reads a body of at most `limit` bytes, counted after decompression; a page that comes with a failure is cut there.
///
/// # Errors
/// [`FetchError::TooLarge`] as soon as there is more, or that the connection broke.
pub async fn body(mut response: Response, limit: usize) -> Result<Bytes, FetchError> {
    let is_success = response.status().is_success();
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        let left = limit - body.len();
        if chunk.len() > left {
            if is_success {
                return Err(FetchError::TooLarge(limit));
            }
            body.extend_from_slice(&chunk.slice(..left));
            break;
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}
