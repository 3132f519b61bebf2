//! Server-sent events.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf as _, BytesMut};
use futures_core::Stream;
use serde::de::DeserializeOwned;

use crate::{
    error::{Error, Kind},
    transport::ByteStream,
};

/// One server-sent event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The last identifier of the stream, for `Last-Event-ID`. Empty: none.
    pub id: String,
    /// The type of the event; `message` unless the server sets another.
    pub event: String,
    /// The data: its lines, joined by line feeds.
    pub data: String,
    /// The reconnection time that the stream set last.
    pub retry: Option<Duration>,
}

impl Event {
    /// Decodes the data as JSON.
    ///
    /// # Errors
    ///
    /// The data is not JSON of that type.
    pub fn data_as<T: DeserializeOwned>(&self) -> Result<T, Error> {
        crate::json::lenient::from_str(&self.data).map_err(|cause| Error::decode("the data of the event", &cause))
    }
}

/// A stream of server-sent events (`text/event-stream`). It does not reconnect. The longest event is the client's
/// [`body_limit`](crate::ClientBuilder::body_limit), 16 MiB unless set; the length of the stream is not limited.
pub struct EventStream {
    body: ByteStream,
    parser: Parser,
    done: bool,
}

impl EventStream {
    pub(crate) fn new(body: ByteStream) -> Self {
        Self { body: body.patient(), parser: Parser::default(), done: false }
    }

    /// Parses the events of a subscription: some services send the last one without data. The stream ends with an error
    /// after a silence of this time, in which not even a comment arrives.
    #[cfg(feature = "graphql")]
    pub(crate) fn of_subscription(mut self, silence: Duration) -> Self {
        self.body = self.body.with_silence(silence);
        self.parser.takes_names = true;
        self
    }

    /// Returns the next event; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl Stream for EventStream {
    type Item = Result<Event, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.parser.next() {
                return Poll::Ready(Some(Ok(event)));
            }
            if this.done {
                return Poll::Ready(None);
            }
            match ready!(Pin::new(&mut this.body).poll_next(context)) {
                // Lines without an empty line after them are not an event.
                None => this.done = true,
                Some(Err(error)) => {
                    this.done = true;
                    return Poll::Ready(Some(Err(error)));
                }
                Some(Ok(chunk)) => {
                    this.parser.buffer.extend_from_slice(&chunk);
                    let limit = this.body.limit();
                    if this.parser.size() > limit {
                        this.done = true;
                        this.parser = Parser::default();
                        let error = Error::with(Kind::TooLarge, format!("an event is longer than {limit} bytes"))
                            .hint("set a higher `body_limit`")
                            .at(this.body.operation());
                        return Poll::Ready(Some(Err(error)));
                    }
                }
            }
        }
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").field("operation", &self.body.operation()).finish_non_exhaustive()
    }
}

/// The parser of the HTML standard, "Interpreting an event stream".
#[derive(Default)]
struct Parser {
    buffer: BytesMut,
    /// The length of the buffer's part without a line ending.
    scanned: usize,
    started: bool,
    after_return: bool,
    id: String,
    event: String,
    data: String,
    has_data: bool,
    /// An event may have only a name, without data.
    takes_names: bool,
    retry: Option<Duration>,
}

impl Parser {
    fn size(&self) -> usize {
        self.buffer.len() + self.data.len()
    }

    fn next(&mut self) -> Option<Event> {
        while let Some(line) = self.line() {
            if !line.is_empty() {
                self.field(&line);
                continue;
            }
            let event = std::mem::take(&mut self.event);
            let data = std::mem::take(&mut self.data);
            if std::mem::take(&mut self.has_data) || (self.takes_names && !event.is_empty()) {
                let event = if event.is_empty() { "message".to_owned() } else { event };
                return Some(Event { id: self.id.clone(), event, data, retry: self.retry });
            }
        }
        None
    }

    /// Returns the next whole line, without its ending: CR, LF or CR LF.
    fn line(&mut self) -> Option<String> {
        if !self.started {
            if b"\xef\xbb\xbf".starts_with(&self.buffer) && self.buffer.len() < 3 {
                return None;
            }
            if self.buffer.starts_with(b"\xef\xbb\xbf") {
                self.buffer.advance(3);
            }
            self.started = true;
        }
        // CR LF is one line ending, and may be split between two chunks.
        if self.after_return && !self.buffer.is_empty() {
            self.after_return = false;
            if self.buffer.first() == Some(&b'\n') {
                self.buffer.advance(1);
            }
        }
        let unscanned = self.buffer.get(self.scanned..).unwrap_or_default();
        let Some(length) = unscanned.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
            self.scanned = self.buffer.len();
            return None;
        };
        let end = self.scanned + length;
        let line = self.buffer.split_to(end);
        self.after_return = self.buffer.first() == Some(&b'\r');
        self.buffer.advance(1);
        self.scanned = 0;
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut self.event),
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            "id" if !value.contains('\0') => value.clone_into(&mut self.id),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().map(Duration::from_millis);
            }
            _ => {}
        }
    }
}
