//! Connections that can be reset from within a handler.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// One connection. After it is cut it writes nothing more, and its end is a reset.
#[derive(Debug)]
pub struct Line {
    stream: TcpStream,
    connection: Connection,
}

/// The connection of a request, as handlers see it.
#[derive(Clone, Debug)]
pub struct Connection(Arc<AtomicBool>);

impl Connection {
    /// Resets the connection when the server next writes to it.
    pub fn cut(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_cut(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Line {
    /// The connection of a stream.
    pub fn new(stream: TcpStream) -> Self {
        // Without this option, a client only waits a little longer.
        let _ = stream.set_nodelay(true);
        Self { stream, connection: Connection(Arc::default()) }
    }

    /// The handle for handlers.
    pub fn connection(&self) -> Connection {
        self.connection.clone()
    }

    fn check(&self) -> io::Result<()> {
        if !self.connection.is_cut() {
            return Ok(());
        }
        // Without a linger the kernel sends a reset instead of an orderly close.
        self.stream.set_zero_linger()?;
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check()?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
