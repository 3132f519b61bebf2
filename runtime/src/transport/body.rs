//! Reads and writes bodies.

use std::{
    future::poll_fn,
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};

use super::{Flow, MinThroughput, broken};
use crate::error::{Error, Kind};

/// Reads the whole body, up to `limit` bytes.
pub(crate) async fn read(response: &mut reqwest::Response, limit: usize, mut flow: Flow) -> Result<Bytes, Error> {
    let too_large = || {
        Error::with(Kind::TooLarge, format!("the body is longer than {limit} bytes"))
            .hint("ask for less, or use the operation's streaming form")
    };
    // The announced length is checked first, and never trusted: it reserves no memory.
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let Some(first) = chunk(response, &mut flow).await? else { return Ok(Bytes::new()) };
    let Some(second) = chunk(response, &mut flow).await? else {
        return if first.len() > limit { Err(too_large()) } else { Ok(first) };
    };
    let mut whole = BytesMut::from(first);
    let mut next = Some(second);
    while let Some(chunk_of) = next {
        if whole.len() + chunk_of.len() > limit {
            return Err(too_large());
        }
        whole.extend_from_slice(&chunk_of);
        next = chunk(response, &mut flow).await?;
    }
    Ok(whole.freeze())
}

/// Reads the body of an error, cut off at `limit` bytes. If the connection breaks, the body is only shortened: the
/// status is known.
pub(crate) async fn excerpt(response: &mut reqwest::Response, limit: usize, idle: Duration) -> Bytes {
    let (mut whole, mut flow) = (BytesMut::new(), Flow::new(idle, MinThroughput::default()));
    while let Ok(Some(chunk)) = chunk(response, &mut flow).await {
        let room = limit.saturating_sub(whole.len());
        whole.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if whole.len() >= limit {
            break;
        }
    }
    whole.freeze()
}

async fn chunk(response: &mut reqwest::Response, flow: &mut Flow) -> Result<Option<Bytes>, Error> {
    let mut chunk = pin!(response.chunk());
    // Most bodies arrive together with their head: a timer is needed only for a wait.
    let outcome = match poll_fn(|context| Poll::Ready(chunk.as_mut().poll(context))).await {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => flow.wait(Instant::now()).limit(chunk).await.map_err(|_| flow.error())?,
    };
    let chunk = outcome.map_err(|cause| broken(&cause.without_url()))?;
    flow.received(chunk.as_ref().map_or(0, Bytes::len), Instant::now);
    Ok(chunk)
}
