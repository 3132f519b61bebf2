//! The items of a connection, page by page.

use std::{
    collections::{BTreeSet, VecDeque},
    fmt,
    future::poll_fn,
    hash::{BuildHasher as _, RandomState},
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures_core::Stream;
use serde::de::DeserializeOwned;

use super::{
    answer::{Answer, Types},
    connect::secret,
    connection::{ConnectionData, ConnectionPaging},
    query::{Ask, NAME, Query, exchange},
};
use crate::{
    Client, Error, Value,
    client::{MOST_EMPTY_PAGES, MOST_PAGES, Options, circle},
    error::Kind,
    json::lenient,
};

type PageFuture<'a> = Pin<Box<dyn Future<Output = Result<Bytes, Error>> + Send + 'a>>;

/// The items of a connection: a [`Stream`] that requests a page when an item of it is needed, and ends after the last
/// item, and after an error.
///
/// Every page is the document of the query with the variables of the first page, except for the cursor. A null in the
/// list of a page is left out, because the service has no item for it.
///
/// These end it with an error: a page with errors, also if it has data; an object on the way to the connection that is
/// null; a page that says that there is another one, and names no cursor or one that was read before; 100 pages
/// without an item in a row. No item of such a page is returned.
#[must_use = "items are read by `next`, or as a stream"]
pub struct ConnectionItems<'a, I> {
    client: &'a Client,
    ask: Result<Ask, Error>,
    types: Types,
    options: Options,
    paging: ConnectionPaging,
    /// The cursor of the next page.
    next: NextCursor,
    page: Option<PageFuture<'a>>,
    waiting: VecDeque<Value>,
    left: Option<u64>,
    keys: RandomState,
    /// Hashes of the cursors that led to pages.
    cursors: BTreeSet<u64>,
    pages: usize,
    /// Pages without items in a row.
    empty: usize,
    item: PhantomData<fn() -> I>,
}

/// The way to the next page.
#[derive(Debug)]
enum NextCursor {
    /// The variables of the query.
    First,
    At(Value),
    Over,
}

impl<'a, T: DeserializeOwned> Query<'a, T> {
    /// Returns the items of all pages of the document's connection, in order. A page is requested when the stream
    /// reaches it; options of the query apply to each page.
    ///
    /// The first page has the variables of the query: without a cursor, it is the first one of the connection. A
    /// connection that is read by `before` returns its items from the last one to the first one.
    ///
    /// ```
    /// # mod documents {
    /// #     pub mod projects {
    /// #         use driftless_runtime::codegen::prelude::*;
    /// #         #[derive(Clone, Debug, PartialEq)]
    /// #         pub struct Data;
    /// #         record!(Data {});
    /// #         connection!(Data {
    /// #             item: Value,
    /// #             forward: "after",
    /// #             connection: "/projects",
    /// #             list: "/nodes",
    /// #             node: "",
    /// #             more: "/pageInfo/hasNextPage",
    /// #             cursor: "/pageInfo/endCursor",
    /// #         });
    /// #     }
    /// #     pub const PROJECTS: driftless_runtime::graphql::Document<[(&str, u32); 1], projects::Data> =
    /// #         driftless_runtime::graphql::Document::new("query Projects($first: Int, $after: String) { projects(first: $first, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } } }");
    /// # }
    /// # async fn run(client: driftless_runtime::Client) -> Result<(), driftless_runtime::Error> {
    /// let mut projects = client.graphql().query(&documents::PROJECTS, [("first", 50)]).with_items();
    /// while let Some(project) = projects.next().await {
    ///     println!("{}", project?["name"]);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// Another document is refused by the compiler, with the parts that it has to select:
    ///
    /// ```compile_fail,E0277
    /// # fn run(client: driftless_runtime::Client) {
    /// use driftless_runtime::Value;
    ///
    /// let items = client.graphql().query::<Value, _>("{ a }", ()).with_items();
    /// # }
    /// ```
    pub fn with_items(self) -> ConnectionItems<'a, T::Item>
    where
        T: ConnectionData,
    {
        let (client, ask, types, options) = self.into_parts();
        let (keys, mut cursors) = (RandomState::default(), BTreeSet::new());
        let given = ask.as_ref().ok().and_then(|ask| ask.variable(T::PAGING.variable));
        if let Some(cursor) = given.filter(|cursor| !cursor.is_null()) {
            cursors.insert(keys.hash_one(cursor.to_string()));
        }
        ConnectionItems {
            client,
            ask,
            types,
            options,
            paging: T::PAGING,
            next: NextCursor::First,
            page: None,
            waiting: VecDeque::new(),
            left: None,
            keys,
            cursors,
            pages: 0,
            empty: 0,
            item: PhantomData,
        }
    }
}

impl<'a, I> ConnectionItems<'a, I> {
    /// Ends after this many items. No page is requested beyond them.
    pub fn limit(mut self, items: u64) -> Self {
        self.left = Some(self.left.map_or(items, |left| left.min(items)));
        self
    }

    /// Begins the request of the next page; `None` after the last one.
    fn begin(&mut self) -> Result<Option<PageFuture<'a>>, Error> {
        let next = std::mem::replace(&mut self.next, NextCursor::Over);
        if matches!(next, NextCursor::Over) {
            return Ok(None);
        }
        let mut ask = self.ask.clone()?;
        if let NextCursor::At(cursor) = next {
            ask.set_variable(self.paging.variable, cursor)?;
        }
        if self.pages >= MOST_PAGES {
            let message = format!("the service returns more than {MOST_PAGES} pages");
            return Err(Error::with(Kind::Decode, message).hint("narrow the request down"));
        }
        let (client, options) = (self.client, self.options.clone());
        Ok(Some(Box::pin(async move { exchange(&client.session, ask, options).await })))
    }

    /// Takes the items of a page, and determines the next one.
    fn arrive(&mut self, body: &Bytes) -> Result<(), Error> {
        let secret = secret(&self.client.session);
        let data = Answer::<Value>::read(body, secret.as_ref(), self.types)?.into_data()?;
        let is_first = self.pages == 0;
        self.pages += 1;
        let Some(connection) = connection(&data, self.paging.connection, is_first)? else { return Ok(()) };
        let paging = self.paging;
        let list = match connection.pointer(paging.list) {
            Some(Value::Array(list)) => list.as_slice(),
            None | Some(Value::Null) => &[],
            Some(_) => return Err(refusal(format!("the page has no list at `{}{}`", paging.connection, paging.list))),
        };
        let items = list.iter().filter_map(|element| element.pointer(paging.node)).filter(|item| !item.is_null());
        self.waiting = items.cloned().collect();
        if paging.backward {
            self.waiting.make_contiguous().reverse();
        }
        self.empty = if self.waiting.is_empty() { self.empty + 1 } else { 0 };
        match connection.pointer(paging.more) {
            Some(Value::Bool(false)) => return Ok(()),
            Some(Value::Bool(true)) => {}
            _ => {
                let place = format!("`{}{}`", paging.connection, paging.more);
                return Err(refusal(format!("the page has neither `true` nor `false` at {place}")));
            }
        }
        let cursor = match connection.pointer(paging.cursor) {
            Some(cursor @ (Value::String(_) | Value::Number(_))) if cursor.as_str() != Some("") => cursor.clone(),
            _ => {
                let place = format!("`{}{}`", paging.connection, paging.cursor);
                return Err(refusal(format!("the page says that there is another one, and has no cursor at {place}")));
            }
        };
        if !self.cursors.insert(self.keys.hash_one(cursor.to_string())) {
            return Err(circle());
        }
        if self.empty >= MOST_EMPTY_PAGES {
            return Err(refusal(format!("{MOST_EMPTY_PAGES} pages in a row have no items, but name a next page")));
        }
        self.next = NextCursor::At(cursor);
        Ok(())
    }
}

/// The connection in the data of a page. On the first page it may be absent: a directive or a fragment leaves it out.
fn connection<'v>(data: &'v Value, pointer: &str, is_first: bool) -> Result<Option<&'v Value>, Error> {
    let mut value = data;
    let mut end = 0;
    for step in pointer.split('/').skip(1) {
        end += step.len() + 1;
        let place = pointer.get(..end).unwrap_or(pointer);
        value = match value.get(step) {
            Some(next @ Value::Object(_)) => next,
            None if is_first && value.is_object() => return Ok(None),
            None | Some(Value::Null) => {
                let message = match is_first {
                    true => format!("`{place}` of the answer is null, so it has no items to read"),
                    false => {
                        format!("`{place}` of the answer is null, and the page before said that there is another one")
                    }
                };
                return Err(Error::with(Kind::Decode, message)
                    .hint("the service has no such object, or does not show it to the caller: check the variables"));
            }
            Some(_) => return Err(refusal(format!("`{place}` of the answer is not an object"))),
        };
    }
    Ok(Some(value))
}

fn refusal(message: String) -> Error {
    Error::with(Kind::Decode, message)
        .hint("the service breaks the GraphQL Cursor Connections Specification: report it to its maintainers")
}

impl<I: DeserializeOwned> ConnectionItems<'_, I> {
    /// Returns the next item; `None` after the last one, and after an error.
    pub async fn next(&mut self) -> Option<Result<I, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns all items up to the limit, in memory.
    ///
    /// # Errors
    ///
    /// A page cannot be obtained, or an item does not match the schema.
    pub async fn collect(mut self) -> Result<Vec<I>, Error> {
        let mut all = Vec::new();
        while let Some(item) = self.next().await {
            all.push(item?);
        }
        Ok(all)
    }

    fn fail(&mut self, error: Error) -> Poll<Option<Result<I, Error>>> {
        self.end();
        Poll::Ready(Some(Err(error.at(NAME))))
    }

    fn end(&mut self) {
        self.next = NextCursor::Over;
        self.page = None;
        self.waiting.clear();
    }
}

/// The type is never structurally pinned, so it can be moved at any time.
impl<I> Unpin for ConnectionItems<'_, I> {}

impl<I: DeserializeOwned> Stream for ConnectionItems<'_, I> {
    type Item = Result<I, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if this.left == Some(0) {
                this.end();
                return Poll::Ready(None);
            }
            if let Some(value) = this.waiting.pop_front() {
                this.left = this.left.map(|left| left - 1);
                return match lenient::from_str(&value.to_string()) {
                    Ok(item) => Poll::Ready(Some(Ok(item))),
                    Err(cause) => this.fail(Error::decode("an item of the page", &cause).hint(this.types.hint())),
                };
            }
            if this.page.is_none() {
                match this.begin() {
                    Ok(Some(page)) => this.page = Some(page),
                    Ok(None) => return Poll::Ready(None),
                    Err(error) => return this.fail(error),
                }
            }
            let Some(page) = &mut this.page else { return Poll::Ready(None) };
            let outcome = ready!(page.as_mut().poll(context));
            this.page = None;
            if let Err(error) = outcome.and_then(|body| this.arrive(&body)) {
                return this.fail(error);
            }
        }
    }
}

impl<I> fmt::Debug for ConnectionItems<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionItems").field("pages", &self.pages).finish_non_exhaustive()
    }
}
