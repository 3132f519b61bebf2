//! Bodies that stop in the middle.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use http::header::CONTENT_LENGTH;

/// How long the beginning has to leave the server before the connection ends.
const HEAD_START: Duration = Duration::from_millis(20);
const LIMIT: usize = 64 * 1024 * 1024;

/// Sends the first bytes of a body, then closes the connection. The length promises the whole.
pub(super) async fn truncate(response: Response, bytes: usize) -> Response {
    cut(response, bytes, async {
        tokio::time::sleep(HEAD_START).await;
        Some(Err(io::ErrorKind::UnexpectedEof.into()))
    })
    .await
}

/// Sends the first bytes of a body, and then nothing.
pub(super) async fn stall(response: Response, bytes: usize) -> Response {
    cut(response, bytes, std::future::pending()).await
}

async fn cut(
    response: Response,
    bytes: usize,
    then: impl Future<Output = Option<io::Result<Bytes>>> + Send + 'static,
) -> Response {
    let (mut parts, body) = response.into_parts();
    let whole = to_bytes(body, LIMIT).await.unwrap_or_default();
    // One byte more than there is keeps an empty body waiting, too.
    let promised = whole.len().max(bytes.saturating_add(1));
    parts.headers.insert(CONTENT_LENGTH, promised.into());
    let beginning = Ok(whole.slice(..bytes.min(whole.len())));
    let rest = stream::once(then).filter_map(std::future::ready);
    Response::from_parts(parts, Body::from_stream(stream::iter([beginning]).chain(rest)))
}
