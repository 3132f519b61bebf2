//! The stream of a subscription.

use std::{
    fmt,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    answer::{Answer, Types},
    connect::secret,
    hub::Hub,
    query::Ask,
    queue::{Feed, Gap, Item, Queue},
    supervisor,
    trusted::explained,
};
use crate::{Client, Error, client::Session, error::Kind, telemetry::OpenSubscription};

/// An item of a subscription.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Delivery<T> {
    /// A message. It may have errors instead of data.
    Next(Answer<T>),
    /// Messages may be missing or repeated here: use a query for the current state.
    Gap(Gap),
}

/// The messages of a subscription. Dropping it ends the subscription.
///
/// After an error, it ends: the socket broke or was closed ([`close_code`](Error::close_code)), or the service refused
/// the document ([`graphql_errors`](Error::graphql_errors)). It is not restarted, because missed events would go
/// unnoticed.
pub struct Subscription<T> {
    session: Arc<Session>,
    queue: Arc<Queue>,
    types: Types,
    answer: PhantomData<fn() -> T>,
    _open: OpenSubscription,
}

impl<T> Subscription<T> {
    pub(super) fn new(client: &Client, document: &str, types: Types, variables: &impl Serialize) -> Self {
        let session = Arc::clone(&client.session);
        let queue = Hub::for_session(&session).queue();
        let feed = Feed::new(&queue);
        let ask = Ask::new(document, variables).and_then(|ask| match ask.is_plain() {
            true => Ok(ask),
            false => Err(Error::with(Kind::Request, "a subscription cannot send files").hint("nothing was sent")),
        });
        let payload = |ask: &Ask| ask.payload(Hub::for_session(&session).options()).into();
        let added = ask.and_then(|ask| Hub::add(&session, payload(&ask), Arc::clone(&feed), supervisor::start));
        if let Err(error) = added {
            feed.fail(error);
        }
        Self { session, queue, types, answer: PhantomData, _open: OpenSubscription::new() }
    }
}

impl<T: DeserializeOwned> Subscription<T> {
    /// Returns the next delivery; `None` if the service has completed the subscription.
    pub async fn next(&mut self) -> Option<Result<Delivery<T>, Error>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<T: DeserializeOwned> Stream for Subscription<T> {
    type Item = Result<Delivery<T>, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let item = ready!(this.queue.poll(context));
        Poll::Ready(item.map(|item| {
            match item {
                Ok(Item::Next(message)) => {
                    Answer::read(&message, secret(&this.session).as_ref(), this.types).map(Delivery::Next)
                }
                Ok(Item::Gap(gap)) => Ok(Delivery::Gap(gap)),
                Err(error) => Err(match Hub::for_session(&this.session).options().trusted {
                    Some(_) => explained(error),
                    None => error,
                }
                .at("graphql")),
            }
        }))
    }
}

impl<T> Drop for Subscription<T> {
    fn drop(&mut self) {
        Hub::for_session(&self.session).remove(&self.queue);
    }
}

impl<T> fmt::Debug for Subscription<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}
