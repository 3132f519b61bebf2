//! Answers that come in pages.

use std::{
    collections::BTreeSet,
    fmt,
    hash::{BuildHasher as _, RandomState},
};

use super::{Call, Response};
use crate::{
    Error,
    error::Kind,
    protocol::{Content, Prepared},
};

impl<'a, T> Call<'a, T> {
    /// Reads an answer that comes in pages. `next` makes the call for the page after the one that it is shown, or says that
    /// it was the last. The document shows no pagination, so how a page names the next one is the caller's to say.
    ///
    /// ```no_run
    /// # async fn run(platform: platform_runtime::Client) -> Result<(), platform_runtime::Error> {
    /// use platform_runtime::{Method, Value};
    ///
    /// let page = |cursor: &str| platform.request(Method::Get, "/api/forum/v1/threads").query("cursor", cursor).call::<Value>();
    /// let mut pages = page("").paginate_with(|shown| Some(page(shown.header("x-next-cursor")?)));
    /// while let Some(threads) = pages.next().await {
    ///     println!("{}", threads?);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// A page that was read before ends it with an error: a service that goes in circles does not keep the caller busy.
    pub fn paginate_with<F>(self, next: F) -> Pages<'a, T, F>
    where
        F: FnMut(&Response<T>) -> Option<Call<'a, T>>,
    {
        Pages { call: Some(self), next, seen: BTreeSet::new(), keys: RandomState::new() }
    }
}

/// The pages of [`Call::paginate_with`].
#[must_use = "pages are read by `next`"]
pub struct Pages<'a, T, F> {
    call: Option<Call<'a, T>>,
    next: F,
    seen: BTreeSet<u64>,
    keys: RandomState,
}

impl<'a, T, F> Pages<'a, T, F>
where
    F: FnMut(&Response<T>) -> Option<Call<'a, T>>,
{
    /// The next page; `None` after the last one, and after an error.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        let mut call = self.call.take()?;
        call.unsent = call.unsent.prepare();
        if let Some(prepared) = call.unsent.request()
            && !self.seen.insert(self.mark(prepared))
        {
            let error = Error::of(Kind::Decode, "the pages go in circles")
                .hint("the service names a page as the next one that was read before")
                .at(call.unsent.operation);
            return Some(Err(error));
        }
        let response = match call.with_response().await {
            Ok(response) => response,
            Err(error) => return Some(Err(error)),
        };
        self.call = (self.next)(&response);
        Some(Ok(response.into_value()))
    }

    /// What tells two requests apart.
    fn mark(&self, prepared: &Prepared) -> u64 {
        let body = match &prepared.body {
            Content::Bytes(bytes) => bytes.as_ref(),
            _ => &[],
        };
        let headers: Vec<_> = prepared.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        self.keys.hash_one((prepared.method, prepared.url.as_str(), headers, body))
    }
}

impl<T, F> fmt::Debug for Pages<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("read", &self.seen.len()).finish_non_exhaustive()
    }
}
