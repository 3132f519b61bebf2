//! Bodies that stop in the middle.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use http::header::CONTENT_LENGTH;

/// The delay before the connection closes, in which the beginning of the body is sent.
const HEAD_START: Duration = Duration::from_millis(20);

/// Sends the first bytes of a body, then closes the connection. `Content-Length` is that of the whole body.
pub(super) fn truncate(response: Response, bytes: usize) -> Response {
    cut(response, bytes, async {
        tokio::time::sleep(HEAD_START).await;
        Some(Err(io::ErrorKind::UnexpectedEof.into()))
    })
}

/// Sends the first bytes of a body, then stalls.
pub(super) fn stall(response: Response, bytes: usize) -> Response {
    cut(response, bytes, std::future::pending())
}

/// A body of known length keeps its `Content-Length`, which is at least one byte more than is sent, so that an empty body stalls,
/// too.
fn cut(
    response: Response,
    bytes: usize,
    then: impl Future<Output = Option<io::Result<Bytes>>> + Send + 'static,
) -> Response {
    let (mut parts, body) = response.into_parts();
    if let Some(whole) = body.size_hint().exact() {
        let more = u64::try_from(bytes).unwrap_or(u64::MAX).saturating_add(1);
        parts.headers.insert(CONTENT_LENGTH, whole.max(more).into());
    }
    // The body is not buffered first: an event stream has no end.
    let beginning = stream::unfold((body.into_data_stream(), bytes), async |(mut pieces, left)| {
        if left == 0 {
            return None;
        }
        let mut piece = pieces.next().await?.unwrap_or_default();
        piece.truncate(left);
        let left = left - piece.len();
        Some((Ok(piece), (pieces, left)))
    });
    let rest = stream::once(then).filter_map(std::future::ready);
    Response::from_parts(parts, Body::from_stream(beginning.chain(rest)))
}
