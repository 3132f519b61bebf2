//! Pages that were requested and not read.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll},
};

use url::Url;

use super::NextRequest;
use crate::{Error, protocol::Raw};

pub(super) type PageFuture<'a> = Pin<Box<dyn Future<Output = Result<Raw, Error>> + Send + 'a>>;

/// The requested pages, in order.
#[derive(Default)]
pub(super) struct Ahead<'a>(VecDeque<Requested<'a>>);

struct Requested<'a> {
    request: NextRequest,
    url: Url,
    state: State<'a>,
}

enum State<'a> {
    Asked(PageFuture<'a>),
    Answered(Box<Result<Raw, Error>>),
}

impl<'a> Ahead<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, request: NextRequest, url: Url, future: PageFuture<'a>) {
        self.0.push_back(Requested { request, url, state: State::Asked(future) });
    }

    /// Drops all requests, unless the first one is the next page.
    pub(super) fn retain_from(&mut self, next: Option<&NextRequest>) {
        if self.0.front().map(|first| &first.request) != next {
            self.0.clear();
        }
    }

    /// Takes the first page once it has arrived; the others are on their way meanwhile.
    pub(super) fn poll_first(&mut self, context: &mut Context<'_>) -> Poll<(Url, Result<Raw, Error>)> {
        for page in &mut self.0 {
            if let State::Asked(future) = &mut page.state
                && let Poll::Ready(outcome) = future.as_mut().poll(context)
            {
                page.state = State::Answered(Box::new(outcome));
            }
        }
        match self.0.pop_front() {
            Some(Requested { url, state: State::Answered(outcome), .. }) => Poll::Ready((url, *outcome)),
            Some(first) => {
                self.0.push_front(first);
                Poll::Pending
            }
            None => Poll::Pending,
        }
    }
}
