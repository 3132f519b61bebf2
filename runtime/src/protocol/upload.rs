//! Uploads.

use std::{
    fmt,
    path::{Path, PathBuf},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use futures_core::Stream;

/// The chunks of a body that is produced while it is sent.
pub(crate) type Chunks = Pin<Box<dyn Stream<Item = std::io::Result<Bytes>> + Send>>;

/// Bytes to send: from memory, from a file, which is opened when the call is sent, or from a stream, which can be sent
/// once.
///
/// ```
/// use driftless_runtime::Upload;
///
/// let picture = Upload::bytes(vec![0x89, 0x50]).file_name("picture.png").content_type("image/png");
/// let report = Upload::file("/var/lib/report.csv");   // sent under the name `report.csv`
/// # let _ = (picture, report);
/// ```
#[derive(Clone)]
pub struct Upload {
    pub(crate) source: UploadSource,
    pub(crate) file_name: Option<String>,
    pub(crate) content_type: Option<String>,
}

#[derive(Clone)]
pub(crate) enum UploadSource {
    Bytes(Bytes),
    File(PathBuf),
    Stream(Arc<Mutex<Option<Chunks>>>, Option<u64>),
}

impl Upload {
    fn new(source: UploadSource) -> Self {
        Self { source, file_name: None, content_type: None }
    }

    /// Creates an upload from bytes in memory.
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self::new(UploadSource::Bytes(bytes.into()))
    }

    /// Creates an upload from a file. It is opened when the call is sent, and sent under its own name unless another is
    /// set.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self::new(UploadSource::File(path.as_ref().to_owned()))
    }

    /// Creates an upload from a stream of chunks, and their total length in bytes if it is known. It is sent once: a
    /// call with it is not retried, and a second call with the same value (or a clone) fails.
    pub fn stream<S>(chunks: S, length: Option<u64>) -> Self
    where
        S: Stream<Item = std::io::Result<Bytes>> + Send + 'static,
    {
        Self::new(UploadSource::Stream(Arc::new(Mutex::new(Some(Box::pin(chunks)))), length))
    }

    /// Sets the file name in multipart forms.
    #[must_use]
    pub fn file_name(mut self, name: impl Into<String>) -> Self {
        self.file_name = Some(name.into());
        self
    }

    /// Sets the media type.
    #[must_use]
    pub fn content_type(mut self, media_type: impl Into<String>) -> Self {
        self.content_type = Some(media_type.into());
        self
    }

    /// Returns the file name in a form.
    pub(crate) fn name(&self) -> Option<String> {
        match (&self.file_name, &self.source) {
            (Some(name), _) => Some(name.clone()),
            (None, UploadSource::File(path)) => path.file_name().map(|name| name.to_string_lossy().into_owned()),
            _ => None,
        }
    }
}

impl UploadSource {
    /// Takes the chunks of a stream, the first time.
    pub(crate) fn take(stream: &Mutex<Option<Chunks>>) -> Option<Chunks> {
        stream.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Upload");
        match &self.source {
            UploadSource::Bytes(bytes) => out.field("bytes", &bytes.len()),
            UploadSource::File(path) => out.field("file", path),
            UploadSource::Stream(_, length) => out.field("stream", length),
        };
        out.field("file_name", &self.file_name).field("content_type", &self.content_type).finish()
    }
}

/// Streams are equal if they are the same stream.
impl PartialEq for Upload {
    fn eq(&self, other: &Self) -> bool {
        let source = match (&self.source, &other.source) {
            (UploadSource::Bytes(one), UploadSource::Bytes(two)) => one == two,
            (UploadSource::File(one), UploadSource::File(two)) => one == two,
            (UploadSource::Stream(one, _), UploadSource::Stream(two, _)) => Arc::ptr_eq(one, two),
            _ => false,
        };
        source && self.file_name == other.file_name && self.content_type == other.content_type
    }
}

/// An empty upload.
impl Default for Upload {
    fn default() -> Self {
        Self::bytes(Bytes::new())
    }
}

impl From<Vec<u8>> for Upload {
    fn from(bytes: Vec<u8>) -> Self {
        Self::bytes(bytes)
    }
}

impl From<Bytes> for Upload {
    fn from(bytes: Bytes) -> Self {
        Self::bytes(bytes)
    }
}
