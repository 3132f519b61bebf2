//! A subscription as a request of its own: server-sent events, in the distinct-connections mode of GraphQL over SSE.

use std::sync::Arc;

use bytes::Bytes;

use super::{query::prepare, queue::Queue};
use crate::{
    Error,
    session::{Options, Session, send},
    wire::decode,
};

const ACCEPT: &str = "text/event-stream";

/// Reads the events until the stream ends.
pub(super) async fn run(session: Arc<Session>, payload: Arc<str>, queue: Arc<Queue>, epoch: u64) {
    let end = read(&session, &payload, &queue).await;
    queue.end(epoch, end.err());
}

async fn read(session: &Session, payload: &str, queue: &Queue) -> Result<(), Error> {
    let path = session.graphql.options().subscriptions();
    let body = Bytes::copy_from_slice(payload.as_bytes());
    let prepared = prepare(session, path, body, ACCEPT, true)?;
    // A subscription changes nothing, so that it may be asked for again.
    let options = Options { idempotent: true, ..Options::default() };
    let raw = send(session, &prepared, &options).await?;
    let kind = raw.headers.get(http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.to_ascii_lowercase().starts_with(ACCEPT) {
        return Err(super::close::protocol("it answers a subscription with something else than events"));
    }
    let limit = session.graphql.options().message_limit;
    let mut events = decode::events(raw)?;
    while let Some(event) = events.next().await {
        let event = event?;
        match event.event.as_str() {
            "next" => {
                if event.data.len() > limit {
                    return Err(super::close::too_large());
                }
                queue.push(event.data.into());
            }
            "complete" => break,
            // Other kinds are the service's own.
            _ => {}
        }
    }
    Ok(())
}
