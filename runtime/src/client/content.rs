//! Request bodies.

use std::{
    collections::VecDeque,
    path::Path,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use http_body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead as _, ReadBuf};

use crate::{
    clock,
    error::{Error, Kind},
    protocol::{Chunks, Content, Part, Parts, Upload, UploadSource},
};

/// The largest piece of a file that is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// Returns whether the body can be sent more than once.
pub(crate) fn is_replayable(content: &Content) -> bool {
    let is_stream = |upload: &Upload| matches!(upload.source, UploadSource::Stream(..));
    match content {
        Content::None | Content::Bytes(_) => true,
        Content::Upload(upload) => !is_stream(upload),
        Content::Parts(parts) => !parts.parts.iter().any(|part| is_stream(&part.upload)),
    }
}

/// Creates the body of one attempt. Files are opened here.
pub(crate) async fn body(content: &Content, headers: &mut HeaderMap) -> Result<Option<reqwest::Body>, Error> {
    Ok(Some(match content {
        Content::None => return Ok(None),
        Content::Bytes(bytes) => bytes.clone().into(),
        Content::Upload(upload) => match &upload.source {
            UploadSource::Bytes(bytes) => bytes.clone().into(),
            _ => Segments::from_segments([segment(upload).await?]),
        },
        Content::Parts(parts) => {
            let boundary = clock::unique();
            let media_type =
                headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let media_type = HeaderValue::try_from(format!("{media_type}; boundary={boundary}"))
                .map_err(|_| Error::with(Kind::Request, "the form has no valid media type"))?;
            headers.insert(header::CONTENT_TYPE, media_type);
            multipart(parts, &boundary).await?
        }
    }))
}

/// A `multipart/form-data` body (RFC 7578).
async fn multipart(parts: &Parts, boundary: &str) -> Result<reqwest::Body, Error> {
    let mut segments = Vec::with_capacity(parts.parts.len() * 3 + 1);
    for part in &parts.parts {
        segments.push(Segment::Bytes(head(part, boundary)?.into()));
        segments.push(segment(&part.upload).await?);
        segments.push(Segment::Bytes(Bytes::from_static(b"\r\n")));
    }
    segments.push(Segment::Bytes(format!("--{boundary}--\r\n").into()));
    Ok(Segments::from_segments(segments))
}

fn head(part: &Part, boundary: &str) -> Result<String, Error> {
    let mut head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&part.name));
    let name = part.upload.name().or_else(|| part.file.then(|| part.name.clone().into_owned()));
    if let Some(name) = name {
        head += &format!("; filename=\"{}\"", quoted(&name));
    }
    if let Some(media_type) = part.media_type() {
        if HeaderValue::try_from(media_type).is_err() {
            return Err(Error::with(Kind::Request, format!("the part `{}` has no valid media type", part.name)));
        }
        head += &format!("\r\nContent-Type: {media_type}");
    }
    for (name, value) in part.headers {
        if HeaderName::from_bytes(name.as_bytes()).is_err() || HeaderValue::try_from(*value).is_err() {
            return Err(Error::with(
                Kind::Request,
                format!("the part `{}` has a header that cannot be sent", part.name),
            ));
        }
        head += &format!("\r\n{name}: {value}");
    }
    Ok(head + "\r\n\r\n")
}

/// A quoted name, as in the HTML standard. All control characters are escaped as line breaks are.
fn quoted(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            // Some servers parse a backslash as the start of an escape, and a semicolon as the end of the parameter.
            '"' | '\\' | ';' => out.push_str(&format!("%{:02X}", character as u32)),
            control if control.is_ascii_control() => out.push_str(&format!("%{:02X}", control as u32)),
            other => out.push(other),
        }
    }
    out
}

/// One piece of a body.
enum Segment {
    Bytes(Bytes),
    File(tokio::fs::File, u64),
    Stream(Chunks, Option<u64>),
}

async fn segment(upload: &Upload) -> Result<Segment, Error> {
    match &upload.source {
        UploadSource::Bytes(bytes) => Ok(Segment::Bytes(bytes.clone())),
        UploadSource::File(path) => open_file(path).await.map(|(file, length)| Segment::File(file, length)),
        UploadSource::Stream(stream, length) => {
            match UploadSource::take(stream) {
                Some(chunks) => Ok(Segment::Stream(chunks, *length)),
                None => Err(Error::with(Kind::Request, "the stream has already been sent")
                    .hint("make a new upload for each call")),
            }
        }
    }
}

/// Opens a file to send, and returns its length.
pub(crate) async fn open_file(path: &Path) -> Result<(tokio::fs::File, u64), Error> {
    let refuse = |message: &str, hint: &str| {
        Error::with(Kind::File, format!("the file `{}` {message}", path.display())).hint(hint)
    };
    let unreadable =
        |cause: std::io::Error| refuse(&format!("cannot be read: {cause}"), "nothing was sent: check the path");
    let file = tokio::fs::File::open(path).await.map_err(unreadable)?;
    let about = file.metadata().await.map_err(unreadable)?;
    if !about.is_file() {
        return Err(refuse("is not a regular file", "nothing was sent: name a regular file"));
    }
    Ok((file, about.len()))
}

/// A body made of consecutive segments.
struct Segments {
    // `reqwest` requires bodies to be `Sync`, which streams of users need not be. It never shares them.
    queue: Mutex<VecDeque<Segment>>,
    length: Option<u64>,
}

impl Segments {
    fn from_segments(segments: impl IntoIterator<Item = Segment>) -> reqwest::Body {
        let queue: VecDeque<_> = segments.into_iter().collect();
        let length = queue.iter().try_fold(0_u64, |total, segment| {
            let length = match segment {
                Segment::Bytes(bytes) => Some(bytes.len() as u64),
                Segment::File(_, length) => Some(*length),
                Segment::Stream(_, length) => *length,
            };
            total.checked_add(length?)
        });
        reqwest::Body::wrap(Self { queue: Mutex::new(queue), length })
    }
}

impl Body for Segments {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let queue = self.get_mut().queue.get_mut().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Some(segment) = queue.front_mut() else { return Poll::Ready(None) };
            let chunk = match segment {
                Segment::Bytes(bytes) => Some(Ok(std::mem::take(bytes))),
                Segment::File(file, left) => ready!(read(file, left, context)).transpose(),
                Segment::Stream(chunks, _) => ready!(chunks.as_mut().poll_next(context)),
            };
            match chunk {
                Some(Ok(chunk)) if !chunk.is_empty() => return Poll::Ready(Some(Ok(Frame::data(chunk)))),
                Some(Err(cause)) => return Poll::Ready(Some(Err(cause))),
                Some(Ok(_)) if matches!(segment, Segment::Stream(..)) => {}
                _ => drop(queue.pop_front()),
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

/// The next chunk of a file; `None` after the announced length. A file that grew is cut there; one that shrank is an
/// error.
fn read(file: &mut tokio::fs::File, left: &mut u64, context: &mut Context<'_>) -> Poll<std::io::Result<Option<Bytes>>> {
    if *left == 0 {
        return Poll::Ready(Ok(None));
    }
    let size = usize::try_from(*left).unwrap_or(CHUNK).min(CHUNK);
    let mut chunk = BytesMut::zeroed(size);
    let mut buffer = ReadBuf::new(&mut chunk);
    ready!(Pin::new(file).poll_read(context, &mut buffer))?;
    let length = buffer.filled().len();
    if length == 0 {
        return Poll::Ready(Err(std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "the file became shorter")));
    }
    *left -= length as u64;
    chunk.truncate(length);
    Poll::Ready(Ok(Some(chunk.freeze())))
}
