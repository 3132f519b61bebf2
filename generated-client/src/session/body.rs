//! Reads and writes bodies.

use bytes::{Bytes, BytesMut};

use super::broken;
use crate::error::{Error, Kind};

/// The whole body, up to `limit` bytes.
pub(crate) async fn read(response: &mut reqwest::Response, limit: usize) -> Result<Bytes, Error> {
    let too_large = || {
        Error::new(Kind::TooLarge, format!("the body is longer than {limit} bytes"))
            .hint("ask for less, or use the operation's streaming form")
    };
    // What the server announces is checked first, and never believed: it reserves no memory.
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let Some(first) = chunk(response).await? else { return Ok(Bytes::new()) };
    let Some(second) = chunk(response).await? else {
        return if first.len() > limit { Err(too_large()) } else { Ok(first) };
    };
    let mut whole = BytesMut::from(first);
    let mut next = Some(second);
    while let Some(chunk_of) = next {
        if whole.len() + chunk_of.len() > limit {
            return Err(too_large());
        }
        whole.extend_from_slice(&chunk_of);
        next = chunk(response).await?;
    }
    Ok(whole.freeze())
}

/// The body of an error, cut off at `limit` bytes. A connection that breaks only shortens it: the status is known.
pub(crate) async fn excerpt(response: &mut reqwest::Response, limit: usize) -> Bytes {
    let mut whole = BytesMut::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = limit.saturating_sub(whole.len());
        whole.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if whole.len() >= limit {
            break;
        }
    }
    whole.freeze()
}

async fn chunk(response: &mut reqwest::Response) -> Result<Option<Bytes>, Error> {
    response.chunk().await.map_err(|cause| broken(&cause.without_url()))
}
