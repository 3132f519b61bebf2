//! Recording bodies while they are streamed: the beginning of each is kept, and the body stays unchanged.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use http_body::{Frame, SizeHint};

/// The maximum number of bytes of a body that are kept.
pub(super) const KEPT: usize = 16 * 1024;

/// The headers of a message, and the beginning of its body, which may still be streaming. It holds secrets, which are masked when
/// it is presented.
#[derive(Clone)]
pub(super) struct Captured(Arc<Inner>);

struct Inner {
    headers: HeaderMap,
    body: Mutex<BodyBeginning>,
}

#[derive(Clone, Default)]
pub(super) struct BodyBeginning {
    pub(super) bytes: Vec<u8>,
    /// The length of the body so far.
    pub(super) length: usize,
}

struct Tee {
    body: Body,
    captured: Captured,
}

impl Captured {
    /// Records a body, and returns one that replaces it.
    pub(super) fn record(headers: HeaderMap, body: Body) -> (Self, Body) {
        let captured = Self(Arc::new(Inner { headers, body: Mutex::default() }));
        (captured.clone(), Body::new(Tee { body, captured }))
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    pub(super) fn body(&self) -> BodyBeginning {
        self.0.body.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, bytes: &[u8]) {
        let mut body = self.0.body.lock().unwrap_or_else(PoisonError::into_inner);
        let left = KEPT.saturating_sub(body.bytes.len());
        body.bytes.extend(bytes.iter().take(left));
        body.length = body.length.saturating_add(bytes.len());
    }
}

impl fmt::Debug for Captured {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Captured(..)")
    }
}

impl http_body::Body for Tee {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(bytes) = frame.data_ref()
        {
            self.captured.add(bytes);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
