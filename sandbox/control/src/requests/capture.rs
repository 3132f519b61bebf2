//! Recording bodies while they are streamed: the beginning of each is kept, and the body stays unchanged.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use http::header::EXPECT;
use http_body::{Body as _, Frame, SizeHint};
use tokio::time::timeout;

/// The maximum number of bytes of a body that are kept.
pub(super) const KEPT: usize = 16 * 1024;
/// The longest wait for the beginning of a body, before the request is handled without it.
const PATIENCE: Duration = Duration::from_secs(1);

/// The headers of a message, and the beginning of its body, which may still be streaming. It holds secrets, which are masked when
/// it is presented.
#[derive(Clone)]
pub(super) struct Captured(Arc<Inner>);

struct Inner {
    headers: HeaderMap,
    announced: Option<u64>,
    body: Mutex<BodyBeginning>,
}

#[derive(Clone, Default)]
pub(super) struct BodyBeginning {
    pub(super) bytes: Vec<u8>,
    /// The announced length of the body; its length so far if none was announced.
    pub(super) length: usize,
}

struct Tee {
    body: Body,
    captured: Captured,
}

/// A body whose first frames were read before.
struct Resumed {
    read: VecDeque<Result<Frame<Bytes>, axum::Error>>,
    rest: Body,
}

impl Captured {
    /// Records a body, and returns one that replaces it.
    pub(super) fn record(headers: HeaderMap, body: Body) -> (Self, Body) {
        let captured = Self(Arc::new(Inner { headers, announced: body.size_hint().exact(), body: Mutex::default() }));
        (captured.clone(), Body::new(Tee { body, captured }))
    }

    /// Records the body of a request. Its beginning is read at once, because the request may be answered before a handler reads it.
    /// A client that expects to be asked for the body (RFC 9110, section 10.1.1) sends it only then.
    pub(super) async fn record_request(headers: HeaderMap, body: Body) -> (Self, Body) {
        let is_unsent = body.is_end_stream() || headers.contains_key(EXPECT);
        let (captured, mut rest) = Self::record(headers, body);
        if is_unsent {
            return (captured, rest);
        }
        let mut read = VecDeque::new();
        let beginning = async {
            while captured.received() <= KEPT {
                let Some(frame) = poll_fn(|context| Pin::new(&mut rest).poll_frame(context)).await else { break };
                let is_broken = frame.is_err();
                read.push_back(frame);
                if is_broken {
                    break;
                }
            }
        };
        // A body that does not arrive in time is recorded as far as the handler reads it.
        let _ = timeout(PATIENCE, beginning).await;
        (captured, Body::new(Resumed { read, rest }))
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    pub(super) fn body(&self) -> BodyBeginning {
        let body = self.0.body.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let announced = self.0.announced.and_then(|length| usize::try_from(length).ok()).unwrap_or_default();
        BodyBeginning { length: body.length.max(announced), ..body }
    }

    fn received(&self) -> usize {
        self.0.body.lock().unwrap_or_else(PoisonError::into_inner).length
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

impl http_body::Body for Resumed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.read.pop_front() {
            Some(frame) => Poll::Ready(Some(frame)),
            None => Pin::new(&mut self.rest).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.read.is_empty() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let length = |frame: &Result<Frame<Bytes>, _>| frame.as_ref().ok()?.data_ref().map(Bytes::len);
        let read = self.read.iter().filter_map(length).sum::<usize>() as u64;
        let rest = self.rest.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower().saturating_add(read));
        rest.upper().into_iter().for_each(|upper| hint.set_upper(upper.saturating_add(read)));
        hint
    }
}
