//! Items of paginated operations, as the configuration binds them.

use std::{
    collections::{BTreeSet, VecDeque},
    fmt,
    future::poll_fn,
    hash::{BuildHasher as _, RandomState},
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;
use http::{StatusCode, header};
use serde::de::DeserializeOwned;
use url::Url;

use super::{Call, Client, Options, link, pages::circle, send};
use crate::{
    Error, Value,
    error::Kind,
    json::lenient,
    protocol::{Draft, NextPage, Paging, Raw},
    transport::address,
};

/// The most pages without items in a row.
const EMPTY: usize = 100;

/// The most pages of one stream, so that an endless service does not keep a program busy for ever.
const PAGES: usize = 1_000_000;

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
    paging: Paging,
    /// The request of the next page; `None` after the last page.
    next: Option<Next>,
    /// The URL of the current page.
    url: Option<Url>,
    page: Option<PageFuture<'a>>,
    waiting: VecDeque<Value>,
    left: Option<u64>,
    read: Read,
    item: PhantomData<fn() -> I>,
}

type PageFuture<'a> = Pin<Box<dyn Future<Output = Result<Raw, Error>> + Send + 'a>>;

/// The request of a page.
enum Next {
    /// The parameters of the call.
    First,
    /// This value for the parameter at this position.
    Parameter(usize, Value),
    Address(Url),
}

/// The progress so far.
#[derive(Default)]
struct Read {
    keys: RandomState,
    /// Hashes of the requests that led to pages.
    ways: BTreeSet<u64>,
    /// The hash of the last page.
    last: Option<u64>,
    items: u64,
    /// The most items of a page.
    longest: usize,
    pages: usize,
    /// Pages without items in a row.
    empty: usize,
}

impl<'a, T> Call<'a, T> {
    /// Returns the items of all pages, in order. Called by generated operations with a pagination.
    #[doc(hidden)]
    pub fn items<I>(self, paging: Paging) -> Items<'a, I> {
        let unsent = self.unsent;
        let (client, operation) = (unsent.client, unsent.operation);
        let (draft, mut options) = unsent.into_draft();
        options.stream = Some(false);
        Items {
            client,
            operation,
            draft,
            options: Arc::new(options),
            paging,
            next: Some(Next::First),
            url: None,
            page: None,
            waiting: VecDeque::new(),
            left: None,
            read: Read::default(),
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

    /// Returns the request for the next page; `None` after the last one.
    fn begin(&mut self) -> Result<Option<PageFuture<'a>>, Error> {
        let Some(next) = self.next.take() else { return Ok(None) };
        if self.read.pages == PAGES {
            return Err(Error::with(Kind::Decode, format!("the service returns more than {PAGES} pages"))
                .hint("narrow the request down"));
        }
        let mut draft = match &self.draft {
            Ok(draft) => draft.again()?,
            Err(error) => return Err(error.clone()),
        };
        if let Next::Parameter(position, value) = &next {
            draft.set_value(*position, value.clone())?;
        }
        let session = &self.client.session;
        let mut prepared = draft.prepare(&session.base, session.api_version.as_deref(), session.any_server)?;
        if let Next::Address(url) = next {
            prepared.url = url;
        }
        self.url = Some(prepared.url.clone());
        let (client, options) = (self.client, Arc::clone(&self.options));
        Ok(Some(Box::pin(async move { send(&client.session, &prepared, &options).await })))
    }

    /// Takes the items of a page, and determines the next one.
    fn arrive(&mut self, raw: &Raw) -> Result<(), Error> {
        let body = raw.bytes();
        // A response without content is a page without items.
        let read = match raw.status {
            StatusCode::NO_CONTENT => Some(Value::Null),
            _ => Value::read(&raw.json_text()?).ok(),
        };
        let refuse = |what: String| {
            Error::with(Kind::Decode, what)
                .hint(
                    "the service does not paginate as `[[pagination]]` says: correct the configuration, and regenerate",
                )
                .with_status(raw.status)
        };
        let page = read.ok_or_else(|| refuse("the page is not JSON".to_owned()))?;
        let place = self.paging.items;
        // A list that is left out, or null, has no items.
        let mut items = match page.pointer(place) {
            Some(Value::Array(items)) => items.clone(),
            None | Some(Value::Null) => Vec::new(),
            Some(_) => return Err(refuse(format!("the page has no list at `{place}`"))),
        };
        let mark = self.read.keys.hash_one(body.as_ref());
        let repeats = self.read.last.replace(mark) == Some(mark) && !items.is_empty();
        self.read.pages += 1;
        self.read.items = self.read.items.saturating_add(items.len() as u64);
        self.read.empty = if items.is_empty() { self.read.empty + 1 } else { 0 };
        self.read.longest = self.read.longest.max(items.len());
        let is_last = match self.paging.total.and_then(|pointer| Some((pointer, page.pointer(pointer)?))) {
            None | Some((_, Value::Null)) => false,
            Some((pointer, total)) => {
                let number = match total {
                    Value::String(text) => text.parse().ok(),
                    total => total.as_u64(),
                };
                let total = number.ok_or_else(|| refuse(format!("the page has no number at `{pointer}`")))?;
                self.before().is_some_and(|before| before.saturating_add(self.read.items) >= total)
            }
        };
        let next = match self.paging.next {
            _ if is_last => None,
            NextPage::Offset { .. } | NextPage::Number { .. } if items.is_empty() => None,
            NextPage::Offset { .. } | NextPage::Number { .. } if repeats => {
                // The last page is shorter than others, and some services return it for all later positions.
                if items.len() == self.read.longest {
                    return Err(circle());
                }
                items.clear();
                None
            }
            NextPage::Offset { parameter } => {
                let first = self.given(parameter).unwrap_or(0);
                Some(Next::Parameter(parameter, Value::from(first.saturating_add(self.read.items))))
            }
            NextPage::Number { parameter, first } => {
                let first = self.given(parameter).unwrap_or(first);
                Some(Next::Parameter(parameter, Value::from(first.saturating_add(self.read.pages as u64))))
            }
            NextPage::Cursor { parameter, pointer } => match page.pointer(pointer) {
                None | Some(Value::Null) => None,
                Some(Value::String(text)) if text.is_empty() => None,
                Some(cursor @ (Value::String(_) | Value::Number(_))) => {
                    Some(Next::Parameter(parameter, cursor.clone()))
                }
                Some(_) => return Err(refuse(format!("the page has neither text nor a number at `{pointer}`"))),
            },
            NextPage::Header { parameter, name } => match raw.headers.get(name).map(|value| value.to_str()) {
                None | Some(Ok("")) => None,
                Some(Ok(cursor)) => Some(Next::Parameter(parameter, Value::from(cursor))),
                Some(Err(_)) => return Err(refuse(format!("the header `{name}` is not text"))),
            },
            NextPage::Link => match link::next(raw.headers.get_all(header::LINK)) {
                Some(target) => Some(Next::Address(self.follow(&target)?)),
                None => None,
            },
        };
        let way = match &next {
            Some(Next::Parameter(_, value)) => Some(value.to_string()),
            Some(Next::Address(url)) => Some(url.to_string()),
            _ => None,
        };
        if way.is_some_and(|way| !self.read.ways.insert(self.read.keys.hash_one(way))) {
            return Err(circle());
        }
        if next.is_some() && self.read.empty >= EMPTY {
            return Err(refuse(format!("{EMPTY} pages in a row have no items, but name a next page")));
        }
        self.next = next;
        self.waiting = items.into();
        Ok(())
    }

    /// Returns the number of items before the first requested page; `None` if it cannot be derived from the call.
    fn before(&self) -> Option<u64> {
        match self.paging.next {
            NextPage::Offset { parameter } => Some(self.given(parameter).unwrap_or(0)),
            NextPage::Number { parameter, first } => {
                self.given(parameter).is_none_or(|page| page == first).then_some(0)
            }
            NextPage::Cursor { parameter, .. } | NextPage::Header { parameter, .. } => {
                let is_set = |draft: &Draft| !matches!(draft.value(parameter), None | Some(Value::Null));
                self.draft.as_ref().is_ok_and(|draft| !is_set(draft)).then_some(0)
            }
            NextPage::Link => None,
        }
    }

    /// Returns the number that the call sets for a parameter.
    fn given(&self, parameter: usize) -> Option<u64> {
        self.draft.as_ref().ok()?.value(parameter)?.as_u64()
    }

    /// Returns the URL of a link. The token is sent with it, so it has to be on the same server.
    fn follow(&self, target: &str) -> Result<Url, Error> {
        let base = &self.client.session.base;
        let url = self.url.as_ref().unwrap_or(base).join(target).ok();
        url.filter(|url| address::is_same_origin(base, url) && url.username().is_empty() && url.password().is_none())
            .ok_or_else(|| {
                Error::with(Kind::Decode, "the link to the next page leads to another server").hint(
                    "nothing was sent there: check the base address, and the address that the service uses for itself",
                )
            })
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
                return Poll::Ready(None);
            }
            if let Some(value) = this.waiting.pop_front() {
                this.left = this.left.map(|left| left - 1);
                return match lenient::from_slice(value.to_string().as_bytes()) {
                    Ok(item) => Poll::Ready(Some(Ok(item))),
                    Err(cause) => this.fail(Error::decode("an item of the page", &cause)),
                };
            }
            let mut page = match this.page.take() {
                Some(page) => page,
                None => match this.begin() {
                    Ok(Some(page)) => page,
                    Ok(None) => return Poll::Ready(None),
                    Err(error) => return this.fail(error),
                },
            };
            let Poll::Ready(outcome) = page.as_mut().poll(context) else {
                this.page = Some(page);
                return Poll::Pending;
            };
            if let Err(error) = outcome.and_then(|raw| this.arrive(&raw)) {
                return this.fail(error);
            }
        }
    }
}

impl<I> fmt::Debug for Items<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("operation", &self.operation)
            .field("pages", &self.read.pages)
            .finish_non_exhaustive()
    }
}
