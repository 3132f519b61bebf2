//! The bodies of requests: each arrives in time, or its reader gets an error.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::BoxError;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};

/// The time for a body, from the first look at it.
const WHOLE: Duration = Duration::from_secs(300);
/// The time for the next part of a body.
const PART: Duration = Duration::from_secs(30);

/// The body of a request. The server gives it to all handlers, so that none of them waits for ever for a body that does not come.
pub(crate) struct Upload<B> {
    body: B,
    /// Completes when the server stops. A body that has arrived needs none.
    stop: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    end: Option<Instant>,
    /// Completes when the next part is late. It begins when a reader waits, so that a slow reader has all parts that have arrived.
    late: Option<Pin<Box<Sleep>>>,
}

/// The server stops, and the body of a request is incomplete: the request has not been handled.
#[derive(Debug)]
pub struct Stopped;

/// The body of a request is incomplete, and its next part has not come in time.
#[derive(Debug)]
pub struct TooSlow;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server stops, and the body is incomplete")
    }
}

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::DETAIL)
    }
}

impl Error for Stopped {}
impl Error for TooSlow {}

impl Stopped {
    /// Returns whether a body cannot be read because the server stops.
    pub fn is_cause_of(error: &(dyn Error + 'static)) -> bool {
        is_caused_by::<Self>(error)
    }
}

impl TooSlow {
    /// The sentence of a refusal.
    pub const DETAIL: &str = "The body is too slow: the sandbox waits 30 s for its next part, and 300 s for all.";

    /// Returns whether a body cannot be read because it does not come in time.
    pub fn is_cause_of(error: &(dyn Error + 'static)) -> bool {
        is_caused_by::<Self>(error)
    }
}

fn is_caused_by<E: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<E>() {
            return true;
        }
        next = error.source();
    }
    false
}

impl<B: Body> Upload<B> {
    pub(crate) fn new(body: B, mut goodbye: watch::Receiver<()>) -> Self {
        let stop = async move {
            // An error means that the sender was dropped, which stops the server as well.
            let _ = goodbye.changed().await;
        };
        let stop: Option<Pin<Box<dyn Future<Output = ()> + Send>>> =
            if body.is_end_stream() { None } else { Some(Box::pin(stop)) };
        Self { body, stop, end: None, late: None }
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for Upload<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let end = *this.end.get_or_insert_with(|| Instant::now() + WHOLE);
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            this.late = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        if this.stop.as_mut().is_some_and(|stop| stop.as_mut().poll(context).is_ready()) {
            this.stop = None;
            return Poll::Ready(Some(Err(Stopped.into())));
        }
        let late = this.late.get_or_insert_with(|| Box::pin(sleep_until(end.min(Instant::now() + PART))));
        match late.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Some(Err(TooSlow.into()))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use futures_util::{StreamExt as _, stream};
    use tokio::time::sleep;

    use super::*;

    /// Reads a body whose parts come at these intervals of seconds, and which ends then or never: the number of bytes or the error,
    /// with the seconds that it took.
    async fn read(intervals: impl IntoIterator<Item = u64>, is_complete: bool) -> (Result<usize, axum::Error>, u64) {
        let parts: Vec<u64> = intervals.into_iter().collect();
        let parts = stream::iter(parts).then(|seconds| async move {
            sleep(Duration::from_secs(seconds)).await;
            Ok::<_, BoxError>("part")
        });
        let rest = if is_complete { stream::empty().left_stream() } else { stream::pending().right_stream() };
        let (_server, goodbye) = watch::channel(());
        let body = axum::body::Body::from_stream(parts.chain(rest));
        let start = Instant::now();
        let read = to_bytes(axum::body::Body::new(Upload::new(body, goodbye)), 1_000).await;
        (read.map(|bytes| bytes.len()), start.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_comes_in_time_or_is_refused() {
        let late = |(read, seconds): (Result<usize, axum::Error>, u64)| {
            let error = read.unwrap_err();
            (TooSlow::is_cause_of(&error) && !Stopped::is_cause_of(&error), seconds)
        };
        assert_eq!(late(read([], false).await), (true, 30));
        assert_eq!(late(read([20, 29], false).await), (true, 79));
        assert_eq!(late(read([1, 31], true).await), (true, 31));
        assert_eq!(late(read([29; 20], true).await), (true, 300));
        let (all, seconds) = read([29; 10], true).await;
        assert_eq!((all.unwrap(), seconds), (40, 290));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_gets_the_parts_that_have_arrived() {
        let (_server, goodbye) = watch::channel(());
        let body = axum::body::Body::from_stream(stream::iter(["a", "b"]).map(Ok::<_, BoxError>));
        let mut read = axum::body::Body::new(Upload::new(body, goodbye)).into_data_stream();
        for part in ["a", "b"] {
            sleep(WHOLE).await;
            assert_eq!(read.next().await.unwrap().unwrap(), part);
        }
    }
}
