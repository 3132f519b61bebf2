//! The pages that were read, and the request for the next one.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher as _, RandomState},
};

use http::{StatusCode, header};
use url::Url;

use super::{
    super::{
        link,
        pages::{MOST_EMPTY_PAGES, MOST_PAGES, circle},
    },
    NextRequest,
};
use crate::{
    Decimal, Error, Value,
    error::Kind,
    protocol::{Draft, NextPage, PagePlace, Paging, Raw},
    transport::address,
};

/// The progress so far.
pub(super) struct PageProgress {
    paging: Paging,
    /// The number that the call gives the parameter of the next page.
    given: Option<u64>,
    /// The call gives this parameter a value.
    is_given: bool,
    keys: RandomState,
    /// Hashes of the requests that led to pages.
    ways: BTreeSet<u64>,
    /// The hash of the last page.
    last: Option<u64>,
    items: u64,
    /// The most items of a page.
    longest: usize,
    pub(super) pages: usize,
    /// Pages without items in a row.
    empty: usize,
    /// The number of items in all pages, until more were read.
    total: Option<u64>,
}

/// A page that was read.
pub(super) struct Page {
    pub(super) items: Vec<Value>,
    pub(super) next: Option<NextRequest>,
    /// The requests that probably follow it, without the next one.
    pub(super) later: Vec<NextRequest>,
}

impl PageProgress {
    pub(super) fn new(paging: Paging, draft: Option<&Draft>) -> Self {
        let parameter = match paging.next {
            NextPage::Offset { parameter, .. }
            | NextPage::Number { parameter, .. }
            | NextPage::Cursor { parameter, .. }
            | NextPage::Header { parameter, .. }
            | NextPage::Item { parameter, .. } => Some(parameter),
            NextPage::Link | NextPage::Address { .. } => None,
        };
        let value = parameter.and_then(|parameter| match paging.member {
            Some(pointer) => draft?.member(pointer),
            None => draft?.value(parameter).cloned(),
        });
        Self {
            paging,
            given: value.as_ref().and_then(whole),
            is_given: !matches!(value, None | Some(Value::Null)),
            keys: RandomState::default(),
            ways: BTreeSet::new(),
            last: None,
            items: 0,
            longest: 0,
            pages: 0,
            empty: 0,
            total: None,
        }
    }

    /// Returns the pointer to the member of the request's body that leads to a page.
    pub(super) fn member(&self) -> Option<&'static str> {
        self.paging.member
    }

    /// Refuses to go on for ever.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.pages < MOST_PAGES {
            return Ok(());
        }
        Err(Error::with(Kind::Decode, format!("the service returns more than {MOST_PAGES} pages"))
            .hint("narrow the request down"))
    }

    /// Takes the items of a page, and determines the next one. `url` is the page's, and `base` the client's.
    pub(super) fn arrive(&mut self, raw: &Raw, url: &Url, base: &Url) -> Result<Page, Error> {
        let refuse = |message: String| refusal(raw, message);
        // A response without content is a page without items.
        let read = match raw.status {
            StatusCode::NO_CONTENT => Some(Value::Null),
            _ => Value::read(&raw.json_text()?).ok(),
        };
        let page = read.ok_or_else(|| refuse("the page is not JSON".to_owned()))?;
        let place = self.paging.items;
        // A list that is left out, or null, has no items.
        let mut items = match page.pointer(place) {
            Some(Value::Array(items)) => items.clone(),
            None | Some(Value::Null) => Vec::new(),
            Some(_) => return Err(refuse(format!("the page has no list at `{place}`"))),
        };
        let mark = self.keys.hash_one(raw.bytes().as_ref());
        let repeats = self.last.replace(mark) == Some(mark) && !items.is_empty();
        self.pages += 1;
        self.items = self.items.saturating_add(items.len() as u64);
        self.empty = if items.is_empty() { self.empty + 1 } else { 0 };
        self.longest = self.longest.max(items.len());
        self.total = self.total_of(raw, &page)?;
        let is_last = self.total.is_some_and(|total| total <= self.items)
            || self.is_last_number(raw, &page)?
            || self.paging.more.and_then(|pointer| page.pointer(pointer)).and_then(Value::as_bool) == Some(false);
        let next = match self.paging.next {
            _ if is_last => None,
            NextPage::Offset { .. } | NextPage::Number { .. } | NextPage::Item { .. } if items.is_empty() => None,
            NextPage::Offset { .. } | NextPage::Number { .. } if repeats => {
                // The last page is shorter than others, and some services return it for all later positions.
                if items.len() == self.longest {
                    return Err(circle());
                }
                items.clear();
                None
            }
            NextPage::Offset { parameter, first } => {
                let first = self.given.unwrap_or(first);
                Some(NextRequest::Parameter(parameter, Value::from(first.saturating_add(self.items))))
            }
            NextPage::Number { parameter, first } => {
                let first = self.given.unwrap_or(first);
                Some(NextRequest::Parameter(parameter, Value::from(first.saturating_add(self.pages as u64))))
            }
            NextPage::Cursor { parameter, pointer } => match page.pointer(pointer) {
                None | Some(Value::Null) => None,
                Some(Value::String(text)) if text.is_empty() => None,
                Some(cursor @ (Value::String(_) | Value::Number(_))) => {
                    Some(NextRequest::Parameter(parameter, cursor.clone()))
                }
                Some(_) => return Err(refuse(format!("the page has neither text nor a number at `{pointer}`"))),
            },
            NextPage::Header { parameter, name } => match raw.headers.get(name).map(|value| value.to_str()) {
                None | Some(Ok("")) => None,
                Some(Ok(cursor)) => Some(NextRequest::Parameter(parameter, Value::from(cursor))),
                Some(Err(_)) => return Err(refuse(format!("the header `{name}` is not text"))),
            },
            NextPage::Item { parameter, pointer } => match items.last().and_then(|item| item.pointer(pointer)) {
                Some(mark @ (Value::String(_) | Value::Number(_))) => {
                    Some(NextRequest::Parameter(parameter, mark.clone()))
                }
                _ => return Err(refuse(format!("the last item has neither text nor a number at `{pointer}`"))),
            },
            NextPage::Link => match link::next(raw.headers.get_all(header::LINK)) {
                Some(target) => Some(NextRequest::Address(follow(&target, url, base)?)),
                None => None,
            },
            NextPage::Address { pointer } => match page.pointer(pointer) {
                None | Some(Value::Null | Value::Bool(false)) => None,
                Some(Value::String(text)) if text.is_empty() => None,
                Some(Value::String(target)) => Some(NextRequest::Address(follow(target, url, base)?)),
                Some(_) => return Err(refuse(format!("the page has no address at `{pointer}`"))),
            },
        };
        let way = match &next {
            Some(NextRequest::Parameter(_, value)) => Some(value.to_string()),
            Some(NextRequest::Address(url)) => Some(url.to_string()),
            _ => None,
        };
        if way.is_some_and(|way| !self.ways.insert(self.keys.hash_one(way))) {
            return Err(circle());
        }
        if next.is_some() && self.empty >= MOST_EMPTY_PAGES {
            return Err(refuse(format!("{MOST_EMPTY_PAGES} pages in a row have no items, but name a next page")));
        }
        let later = next.as_ref().map(|next| self.later(next, items.len() as u64)).unwrap_or_default();
        Ok(Page { items, next, later })
    }

    /// Returns the number of items that this stream has, if the page says the number of all. A number that is exceeded
    /// by the items is wrong: it says nothing any more.
    fn total_of(&self, raw: &Raw, page: &Value) -> Result<Option<u64>, Error> {
        let Some(place) = self.paging.total else { return Ok(None) };
        let (Some(total), Some(before)) = (number(place, raw, page)?, self.before()) else { return Ok(None) };
        let total = total.saturating_sub(before);
        Ok(Some(total).filter(|total| self.items <= *total || self.longest == 0))
    }

    /// Returns whether the page has the number of the last one.
    fn is_last_number(&self, raw: &Raw, page: &Value) -> Result<bool, Error> {
        let (Some(place), NextPage::Number { first, .. }) = (self.paging.pages, self.paging.next) else {
            return Ok(false);
        };
        let before = self.given.unwrap_or(first).saturating_sub(first);
        Ok(number(place, raw, page)?.is_some_and(|pages| before.saturating_add(self.pages as u64) >= pages))
    }

    /// Returns the number of items before the first requested page; `None` if it cannot be derived from the call.
    fn before(&self) -> Option<u64> {
        match self.paging.next {
            NextPage::Offset { first, .. } => Some(self.given.unwrap_or(first).saturating_sub(first)),
            NextPage::Number { first, .. } => self.given.is_none_or(|page| page == first).then_some(0),
            _ => (!self.is_given).then_some(0),
        }
    }

    /// Returns the requests after the next one, if all pages have as many items as this one. Without a total, nothing
    /// says that there is another page.
    fn later(&self, next: &NextRequest, items: u64) -> Vec<NextRequest> {
        let step = match self.paging.next {
            NextPage::Offset { .. } => items,
            NextPage::Number { .. } => 1,
            _ => return Vec::new(),
        };
        let (Some(total), NextRequest::Parameter(parameter, value)) = (self.total, next) else { return Vec::new() };
        let Some(value) = value.as_u64().filter(|_| items > 0) else { return Vec::new() };
        let pages = total.saturating_sub(self.items).div_ceil(items);
        let at = |page: u64| value.saturating_add(step.saturating_mul(page));
        (1..pages).take(MOST_LATER).map(|page| NextRequest::Parameter(*parameter, Value::from(at(page)))).collect()
    }
}

/// The most pages that are requested at a time.
pub(super) const MOST_LATER: usize = 64;

fn refusal(raw: &Raw, message: String) -> Error {
    Error::with(Kind::Decode, message)
        .hint("the service does not paginate as `[[pagination]]` says: correct the configuration, and regenerate")
        .with_status(raw.status)
}

/// Returns the number at a place of a page; `None` if the page has nothing there, or says that it does not know it (`-1`,
/// `unknown`, `*`).
fn number(place: PagePlace, raw: &Raw, page: &Value) -> Result<Option<u64>, Error> {
    match place {
        PagePlace::Body(pointer) => match page.pointer(pointer) {
            None | Some(Value::Null) => Ok(None),
            Some(number @ (Value::String(_) | Value::Number(_))) => Ok(whole(number)),
            Some(_) => Err(refusal(raw, format!("the page has no number at `{pointer}`"))),
        },
        PagePlace::Header(name) => {
            let text = raw.headers.get(name).and_then(|value| value.to_str().ok());
            Ok(text.and_then(|text| text.trim().parse().ok()))
        }
    }
}

/// Returns the number that a value is, or that its text is: a call may give either.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse::<Decimal>().ok()?.to_integer(),
        value => value.as_u64(),
    }
}

/// Returns the URL of a link. The token is sent with it, so it has to be on the same server.
fn follow(target: &str, url: &Url, base: &Url) -> Result<Url, Error> {
    let url = url.join(target).ok();
    url.filter(|url| address::is_same_origin(base, url) && url.username().is_empty() && url.password().is_none())
        .ok_or_else(|| {
            Error::with(Kind::Decode, "the link to the next page leads to another server").hint(
                "nothing was sent there: check the base address, and the address that the service uses for itself",
            )
        })
}
