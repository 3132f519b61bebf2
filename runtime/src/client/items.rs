//! Items of paginated operations, as the configuration binds them.

mod ahead;
mod page;

use std::{
    collections::VecDeque,
    fmt,
    future::poll_fn,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;
use http::header;
use serde::de::DeserializeOwned;
use url::Url;

use self::{
    ahead::{Ahead, PageFuture},
    page::{MOST_LATER, Page, PageProgress},
};
use super::{Call, Client, Options, send};
use crate::{
    Error, Method, Value,
    json::lenient,
    protocol::{Content, Draft, Paging, Raw},
};

/// The items of a paginated operation: a [`Stream`] that requests a page when an item of it is needed, and ends after
/// the last item, and after an error.
///
/// A page that repeats the previous one, or leads to one that was read, ends it with an error, as does a service that
/// returns page after page without an item. A service may repeat its last page, if that has fewer items than the one
/// before it.
#[must_use = "items are read by `next`, or as a stream"]
pub struct Items<'a, I> {
    client: &'a Client,
    operation: &'static str,
    /// The request of every page.
    draft: Result<Draft, Error>,
    options: Arc<Options>,
    /// The request of the next page; `None` after the last page.
    next: Option<NextRequest>,
    ahead: Ahead<'a>,
    /// The most pages that are requested at a time.
    concurrency: usize,
    waiting: VecDeque<Value>,
    left: Option<u64>,
    progress: PageProgress,
    item: PhantomData<fn() -> I>,
}

/// The request of a page.
#[derive(Clone, Debug, PartialEq)]
enum NextRequest {
    /// The parameters of the call.
    First,
    /// This value for the parameter at this position, or for the member of the body.
    Parameter(usize, Value),
    Address(Url),
}

impl<'a, T> Call<'a, T> {
    /// Returns the items of all pages, in order. Called by generated operations with a pagination.
    #[doc(hidden)]
    pub fn items<I>(self, paging: Paging) -> Items<'a, I> {
        let unsent = self.unsent;
        let (client, operation) = (unsent.client, unsent.operation);
        let (draft, mut options) = unsent.into_draft();
        options.stream = Some(false);
        let progress = PageProgress::new(paging, draft.as_ref().ok());
        Items {
            client,
            operation,
            draft,
            options: Arc::new(options),
            next: Some(NextRequest::First),
            ahead: Ahead::default(),
            concurrency: 1,
            waiting: VecDeque::new(),
            left: None,
            progress,
            item: PhantomData,
        }
    }
}

impl<'a, I> Items<'a, I> {
    /// Ends after this many items. No page is requested beyond them.
    pub fn limit(mut self, items: u64) -> Self {
        self.left = Some(self.left.map_or(items, |left| left.min(items)));
        self
    }

    /// Requests up to this many pages at a time, at most 64; one unless set.
    ///
    /// The order of the items stays the same. It has an effect if the address of a page does not depend on the page before it, and the
    /// service returns the number of all items: pages by number or by the number of skipped items, with a total. A page
    /// that is shorter than the first one moves the positions behind it, whose pages are requested again.
    pub fn concurrency(mut self, pages: usize) -> Self {
        self.concurrency = pages.clamp(1, MOST_LATER);
        self
    }

    /// Begins the request of a page.
    fn begin(&self, next: &NextRequest) -> Result<(Url, PageFuture<'a>), Error> {
        self.progress.check()?;
        let mut draft = match &self.draft {
            Ok(draft) => draft.again()?,
            Err(error) => return Err(error.clone()),
        };
        if let NextRequest::Parameter(position, value) = next {
            match self.progress.member() {
                Some(pointer) => draft.set_member(pointer, value.clone())?,
                None => draft.set_value(*position, value.clone())?,
            }
        }
        let session = &self.client.session;
        let mut prepared = draft.prepare(&session.base, session.api_version.as_deref(), session.any_server)?;
        if let NextRequest::Address(url) = next {
            prepared.url = url.clone();
            // A link is followed by GET, whatever the request of the first page was.
            prepared.method = Method::Get;
            prepared.body = Content::None;
            prepared.headers.remove(header::CONTENT_TYPE);
        }
        let url = prepared.url.clone();
        let (client, options) = (self.client, Arc::clone(&self.options));
        Ok((url, Box::pin(async move { send(&client.session, &prepared, &options).await })))
    }

    /// Requests the next page, unless that was done; `false` after the last one.
    fn advance(&mut self) -> Result<bool, Error> {
        if !self.ahead.is_empty() {
            return Ok(true);
        }
        let Some(next) = self.next.take() else { return Ok(false) };
        let (url, future) = self.begin(&next)?;
        self.ahead.push(next, url, future);
        Ok(true)
    }

    /// Takes a page, and requests the pages behind it.
    fn arrive(&mut self, raw: &Raw, url: &Url) -> Result<(), Error> {
        let Page { items, next, later } = self.progress.arrive(raw, url, &self.client.session.base)?;
        let length = items.len() as u64;
        self.waiting = items.into();
        self.ahead.retain_from(next.as_ref());
        self.next = next;
        if self.concurrency == 1 || self.left.is_some_and(|left| left <= length) {
            return Ok(());
        }
        // No page is requested beyond the limit.
        let wanted = match self.left {
            None => u64::MAX,
            Some(_) if length == 0 => 1,
            Some(left) => (left - length).div_ceil(length),
        };
        let most = self.concurrency.min(usize::try_from(wanted).unwrap_or(usize::MAX));
        for request in self.next.take().into_iter().chain(later).take(most).skip(self.ahead.len()) {
            let (url, future) = self.begin(&request)?;
            self.ahead.push(request, url, future);
        }
        Ok(())
    }
}

impl<I: DeserializeOwned> Items<'_, I> {
    /// Returns the next item; `None` after the last one, and after an error.
    pub async fn next(&mut self) -> Option<Result<I, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns all items up to the limit, in memory.
    ///
    /// # Errors
    ///
    /// A page cannot be obtained, or an item does not match the contract.
    pub async fn collect(mut self) -> Result<Vec<I>, Error> {
        let mut all = Vec::new();
        while let Some(item) = self.next().await {
            all.push(item?);
        }
        Ok(all)
    }

    fn fail(&mut self, error: Error) -> Poll<Option<Result<I, Error>>> {
        self.next = None;
        self.ahead = Ahead::default();
        self.waiting.clear();
        Poll::Ready(Some(Err(error.at(self.operation))))
    }
}

/// The type is never structurally pinned, so it can be moved at any time.
impl<I> Unpin for Items<'_, I> {}

impl<I: DeserializeOwned> Stream for Items<'_, I> {
    type Item = Result<I, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if this.left == Some(0) {
                this.ahead = Ahead::default();
                return Poll::Ready(None);
            }
            if let Some(value) = this.waiting.pop_front() {
                this.left = this.left.map(|left| left - 1);
                return match lenient::from_str(&value.to_string()) {
                    Ok(item) => Poll::Ready(Some(Ok(item))),
                    Err(cause) => this.fail(Error::decode("an item of the page", &cause)),
                };
            }
            match this.advance() {
                Ok(true) => {}
                Ok(false) => return Poll::Ready(None),
                Err(error) => return this.fail(error),
            }
            let Poll::Ready((url, outcome)) = this.ahead.poll_first(context) else { return Poll::Pending };
            if let Err(error) = outcome.and_then(|raw| this.arrive(&raw, &url)) {
                return this.fail(error);
            }
        }
    }
}

impl<I> fmt::Debug for Items<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("operation", &self.operation)
            .field("pages", &self.progress.pages)
            .finish_non_exhaustive()
    }
}
