//! GraphQL: queries over HTTP, subscriptions over a WebSocket or server-sent events, with the client's credential.
//!
//! The GraphQL interface of a service lies beside REST and takes the same bearer token. An OpenAPI document contains
//! neither its address nor its schema: [`GraphqlOptions`] has the address, with a usual default.
//!
//! ```no_run
//! # async fn run(client: driftless_runtime::Client) -> Result<(), driftless_runtime::Error> {
//! use driftless_runtime::{Value, graphql::Delivery};
//!
//! let answer = client.graphql().query::<Value, _>("{ __typename }", ()).await?;
//! println!("{:?}", answer.data());
//!
//! let document = "subscription ($id: ID!) { changed(id: $id) { state } }";
//! let mut changes = client.graphql().subscribe::<Value, _>(document, [("id", "17")]);
//! while let Some(delivery) = changes.next().await {
//!     match delivery? {
//!         Delivery::Next(answer) => println!("{:?}", answer.data()),
//!         Delivery::Gap(gap) => println!("{gap:?}: look with a query"),
//!         _ => {}
//!     }
//! }
//! # Ok(()) }
//! ```
//!
//! The subscriptions of a client share one socket, or as many as they need if the service limits the subscriptions of
//! one. It is opened for the first of them, replaced by one with a fresh token before the old token expires, and closed
//! some seconds after the last of them is dropped. If the service refuses the upgrade, server-sent events are used for
//! a minute or more, and then a socket is tried again. Over server-sent events, each subscription is a request, which
//! is replaced in the same way. All of this runs on two threads of this library, which the first subscription of a
//! process starts: it does not depend on the program's runtimes. A task reads all messages: a slow consumer loses the
//! oldest messages of its own subscription, and gets a [`Gap`] instead.

mod answer;
mod background;
mod close;
mod connect;
mod connection;
mod document;
mod endpoint;
mod file;
mod full;
mod hub;
mod items;
mod link;
mod message;
mod options;
mod persisted;
mod query;
mod queue;
mod refusals;
mod schedule;
mod source;
mod sse;
mod subscription;
mod supervisor;
mod total;
mod trusted;

pub use crate::error::{GraphqlError, GraphqlLocation};
pub use answer::Answer;
use answer::Types;
pub use connection::ConnectionData;
#[doc(hidden)]
pub use connection::ConnectionPaging;
pub use file::File;
#[cfg(feature = "operations")]
pub(crate) use hub::Hub;
pub use items::ConnectionItems;
pub use options::{GraphqlOptions, SubscriptionTransport, TrustedDocuments};
pub use query::Query;
pub use queue::Gap;
pub use source::{Document, DocumentSource, Untyped};
pub use subscription::{Delivery, Subscription};

use serde::{Serialize, de::DeserializeOwned};

use crate::Client;

impl Client {
    /// Returns the GraphQL interface of the service.
    pub fn graphql(&self) -> Graphql<'_> {
        Graphql(self)
    }
}

/// The GraphQL interface of the service: see [the module](self).
#[derive(Clone, Copy, Debug)]
pub struct Graphql<'a>(&'a Client);

impl<'a> Graphql<'a> {
    /// Creates a query or mutation. With a constant of `driftless_runtime::documents`, variables and answer have the
    /// types of the schema. With a text, `variables` is any value that serializes to an object, `()` sends none, and
    /// the caller chooses the type of the answer.
    ///
    /// A document without a mutation is retried like `GET`; a mutation is sent once.
    pub fn query<T: DeserializeOwned, V: Serialize>(
        self,
        document: &(impl DocumentSource<V, T> + ?Sized),
        variables: V,
    ) -> Query<'a, T> {
        Query::new(self.0, document.text(), Types::from_schema(document.is_typed()), &variables)
    }

    /// Starts a subscription, of a document or a text as in [`query`](Self::query). It is sent at once; its errors are
    /// returned by the stream. The service acknowledges no subscription, so events right after this call may be missed:
    /// use a query for the current state.
    ///
    /// It may be called on any thread, and read on any runtime: it runs on threads of this library.
    pub fn subscribe<T: DeserializeOwned, V: Serialize>(
        self,
        document: &(impl DocumentSource<V, T> + ?Sized),
        variables: V,
    ) -> Subscription<T> {
        Subscription::new(self.0, document.text(), Types::from_schema(document.is_typed()), &variables)
    }
}
