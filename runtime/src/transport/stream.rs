//! Streamed bodies.

#[cfg(feature = "graphql")]
use std::time::Duration;
use std::{
    borrow::Cow,
    fmt,
    future::poll_fn,
    path::Path,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Instant,
};

use bytes::{Bytes, BytesMut};
use futures_core::Stream;
use http::HeaderValue;
use http_body::Body as _;
use tokio::io::AsyncWriteExt as _;

use super::Flow;
#[cfg(feature = "graphql")]
use super::MinThroughput;
use crate::{
    error::{Error, Kind},
    json::charset,
};

/// A streamed body: a [`Stream`] of chunks.
///
/// Reading fails if nothing arrives for the idle timeout (30 s, unless the client or the call sets another), and if the
/// body is slower than its [minimum throughput](crate::MinThroughput).
///
/// ```no_run
/// # async fn show(mut body: driftless_runtime::ByteStream) -> Result<(), driftless_runtime::Error> {
/// let mut total = 0;
/// while let Some(chunk) = body.next().await {
///     total += chunk?.len();
/// }
/// # let _ = total;
/// # Ok(()) }
/// ```
pub struct ByteStream {
    operation: &'static str,
    /// The media type.
    kind: Option<HeaderValue>,
    source: BodySource,
    /// `None`: no limit of waiting.
    flow: Option<Flow>,
    /// The most bytes that are kept in memory at once.
    limit: usize,
    silence: Option<Silence>,
}

/// The wait for the next chunk.
type Silence = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

enum BodySource {
    Whole(Option<Bytes>),
    Live(Pin<Box<reqwest::Body>>),
}

impl ByteStream {
    pub(crate) fn whole(operation: &'static str, kind: Option<HeaderValue>, bytes: Bytes) -> Self {
        let source = BodySource::Whole(Some(bytes));
        Self { operation, kind, source, flow: None, limit: usize::MAX, silence: None }
    }

    pub(crate) fn live(
        operation: &'static str,
        kind: Option<HeaderValue>,
        body: reqwest::Body,
        flow: Flow,
        limit: usize,
    ) -> Self {
        Self { operation, kind, source: BodySource::Live(Box::pin(body)), flow: Some(flow), limit, silence: None }
    }

    /// Waits for chunks without a limit: a server may be silent between events.
    pub(crate) fn patient(mut self) -> Self {
        self.flow = None;
        self.silence = None;
        self
    }

    /// Waits for chunks for this long.
    #[cfg(feature = "graphql")]
    pub(crate) fn with_silence(mut self, longest: Duration) -> Self {
        self.flow = Some(Flow::new(longest, MinThroughput::none()));
        self.silence = None;
        self
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns the next chunk; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<Bytes, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns the whole body, up to `limit` bytes.
    ///
    /// # Errors
    ///
    /// The connection breaks or falls silent, or the body is longer than `limit`.
    pub async fn bytes_up_to(mut self, limit: usize) -> Result<Bytes, Error> {
        let mut whole = BytesMut::new();
        while let Some(chunk) = self.next().await {
            let chunk = chunk?;
            if whole.len() + chunk.len() > limit {
                return Err(Error::with(Kind::TooLarge, format!("the body is longer than {limit} bytes"))
                    .hint("read it as a stream, or save it to a file")
                    .at(self.operation));
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }

    /// Returns the whole body, up to the client's [`body_limit`](crate::ClientBuilder::body_limit), 16 MiB unless set.
    /// For more, see [`bytes_up_to`](Self::bytes_up_to) and [`save`](Self::save).
    ///
    /// # Errors
    ///
    /// The connection breaks or falls silent, or the body is longer.
    pub async fn bytes(self) -> Result<Bytes, Error> {
        let limit = self.limit;
        self.bytes_up_to(limit).await
    }

    /// Returns the whole body as text, up to the same limit, in the charset of the response and without its byte-order mark.
    ///
    /// # Errors
    ///
    /// The connection breaks or falls silent, the body is longer, the charset is unknown, or the bytes are not text in it.
    pub async fn text(mut self) -> Result<String, Error> {
        let (operation, kind) = (self.operation, self.kind.take());
        let body = self.bytes().await?;
        charset::text(kind.as_ref(), &body).map(Cow::into_owned).map_err(|cause| {
            let hint = "read the body as bytes: the service does not say how it is encoded, or says it wrongly";
            Error::with(Kind::Decode, cause).hint(hint).at(operation)
        })
    }

    /// Writes the body to a file, which is created or replaced, and returns its length in bytes. On an error, the part
    /// that arrived is left in the file.
    ///
    /// # Errors
    ///
    /// The connection breaks or falls silent, or the file cannot be written.
    pub async fn save(mut self, path: impl AsRef<Path>) -> Result<u64, Error> {
        let path = path.as_ref();
        let refuse = |cause: std::io::Error| {
            Error::with(Kind::File, format!("`{}` cannot be written: {cause}", path.display()))
                .hint("check the folder, its permissions and the space left")
        };
        let mut file = tokio::fs::File::create(path).await.map_err(refuse)?;
        let mut length = 0;
        while let Some(chunk) = self.next().await {
            let chunk = chunk?;
            file.write_all(&chunk).await.map_err(refuse)?;
            length += chunk.len() as u64;
        }
        file.flush().await.map_err(refuse)?;
        Ok(length)
    }
}

impl Stream for ByteStream {
    type Item = Result<Bytes, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let body = match &mut this.source {
            BodySource::Whole(bytes) => return Poll::Ready(bytes.take().filter(|bytes| !bytes.is_empty()).map(Ok)),
            BodySource::Live(body) => body,
        };
        loop {
            match body.as_mut().poll_frame(context) {
                Poll::Ready(frame) => {
                    this.silence = None;
                    let bytes = match &frame {
                        Some(Ok(frame)) => frame.data_ref().map_or(0, Bytes::len),
                        _ => 0,
                    };
                    if let Some(flow) = &mut this.flow {
                        flow.received(bytes, Instant::now);
                    }
                    match frame {
                        None => return Poll::Ready(None),
                        Some(Ok(frame)) => {
                            if let Ok(chunk) = frame.into_data()
                                && !chunk.is_empty()
                            {
                                return Poll::Ready(Some(Ok(chunk)));
                            }
                        }
                        Some(Err(cause)) => {
                            this.source = BodySource::Whole(None);
                            return Poll::Ready(Some(Err(crate::transport::broken(&cause).at(this.operation))));
                        }
                    }
                }
                Poll::Pending => {
                    let Some(flow) = &mut this.flow else { return Poll::Pending };
                    let end = flow.wait(Instant::now());
                    let silence = this.silence.get_or_insert_with(|| Box::pin(end.sleep()));
                    ready!(silence.as_mut().poll(context));
                    this.source = BodySource::Whole(None);
                    return Poll::Ready(Some(Err(flow.error().at(this.operation))));
                }
            }
        }
    }
}

impl fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteStream").field("operation", &self.operation).finish_non_exhaustive()
    }
}
