//! Paginated responses whose next page the program determines.

use std::{
    collections::BTreeSet,
    fmt,
    future::poll_fn,
    hash::{BuildHasher as _, RandomState},
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;

use super::{Call, CallFuture, Response};
use crate::{
    Error,
    error::Kind,
    protocol::{Content, Prepared},
};

/// The most pages without items in a row.
pub(crate) const MOST_EMPTY_PAGES: usize = 100;

/// The most pages of one stream, so that an endless service does not keep a program busy for ever.
pub(crate) const MOST_PAGES: usize = 1_000_000;

impl<'a, T> Call<'a, T> {
    /// Reads a paginated response. `next` receives a page and makes the call for the next one, or returns that it was
    /// the last. The document describes no pagination, so the caller has to know how a page names the next one.
    ///
    /// ```no_run
    /// # async fn run(client: driftless_runtime::Client) -> Result<(), driftless_runtime::Error> {
    /// use driftless_runtime::{Method, Value};
    ///
    /// let page = |cursor: &str| client.request(Method::Get, "/api/forum/v1/threads").query("cursor", cursor).call::<Value>();
    /// let mut pages = page("").paginate_with(|last| Some(page(last.header("x-next-cursor")?)));
    /// while let Some(threads) = pages.next().await {
    ///     println!("{}", threads?);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// A page that was read before ends it with an error, so that a service that goes in circles does not keep the
    /// caller busy.
    pub fn paginate_with<F>(self, next: F) -> Pages<'a, T, F>
    where
        F: FnMut(&Response<T>) -> Option<Call<'a, T>>,
    {
        Pages { step: Step::Call(Box::new(self)), next, seen: Seen::default() }
    }
}

/// The pages of [`Call::paginate_with`]: a [`Stream`], which ends after the last page and after an error. Nothing is sent before
/// it is read.
#[must_use = "pages are read by `next`, or as a stream"]
pub struct Pages<'a, T, F> {
    step: Step<'a, T>,
    next: F,
    seen: Seen,
}

/// The next step.
enum Step<'a, T> {
    Call(Box<Call<'a, T>>),
    Waiting(CallFuture<'a, Response<T>>),
    Over,
}

/// The type is never structurally pinned, so it can be moved at any time.
impl<T, F> Unpin for Pages<'_, T, F> {}

impl<'a, T: 'a, F> Pages<'a, T, F>
where
    F: FnMut(&Response<T>) -> Option<Call<'a, T>>,
{
    /// Returns the next page; `None` after the last one, and after an error.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<'a, T: 'a, F> Stream for Pages<'a, T, F>
where
    F: FnMut(&Response<T>) -> Option<Call<'a, T>>,
{
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            match std::mem::replace(&mut this.step, Step::Over) {
                Step::Over => return Poll::Ready(None),
                Step::Call(mut call) => {
                    call.unsent = call.unsent.prepare();
                    if let Some(prepared) = call.unsent.request()
                        && !this.seen.is_new(prepared)
                    {
                        return Poll::Ready(Some(Err(circle().at(call.unsent.operation))));
                    }
                    this.step = Step::Waiting(call.with_response());
                }
                Step::Waiting(mut response) => match response.as_mut().poll(context) {
                    Poll::Pending => {
                        this.step = Step::Waiting(response);
                        return Poll::Pending;
                    }
                    Poll::Ready(Err(error)) => return Poll::Ready(Some(Err(error))),
                    Poll::Ready(Ok(response)) => {
                        if let Some(call) = (this.next)(&response) {
                            this.step = Step::Call(Box::new(call));
                        }
                        return Poll::Ready(Some(Ok(response.into_value())));
                    }
                },
            }
        }
    }
}

impl<T, F> fmt::Debug for Pages<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("read", &self.seen.marks.len()).finish_non_exhaustive()
    }
}

/// The error of a service that leads back to an earlier page.
pub(crate) fn circle() -> Error {
    Error::with(Kind::Decode, "the pages go in circles")
        .hint("the service names a page that was already read as the next one, or returns one page in place of another")
}

/// Earlier requests or pages.
#[derive(Default)]
pub(super) struct Seen {
    marks: BTreeSet<u64>,
    keys: RandomState,
}

impl Seen {
    /// Returns whether a request differs from all before it.
    pub(super) fn is_new(&mut self, prepared: &Prepared) -> bool {
        let body = match &prepared.body {
            Content::Bytes(bytes) => bytes.as_ref(),
            _ => &[],
        };
        let headers: Vec<_> = prepared.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        let mark = self.keys.hash_one((prepared.method, prepared.url.as_str(), headers, body));
        self.marks.insert(mark)
    }
}
