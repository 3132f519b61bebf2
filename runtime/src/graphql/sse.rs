//! A subscription as a request: server-sent events, in the distinct-connections mode of GraphQL over SSE.

use std::{pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    connect::{secret, token},
    hub::Hub,
    query::prepare,
    queue::Feed,
    renewal::{Renewal, pause},
};
use crate::{
    Error, EventStream,
    client::{Options, Session, send},
    clock::{self, Until},
    protocol::{Content, Event, decode},
};

const ACCEPT: &str = "text/event-stream";

/// Reads the events until the stream ends. Before its token expires, the stream is replaced by another one.
pub(super) async fn run(session: Arc<Session>, payload: Arc<str>, feed: Arc<Feed>, epoch: u64) {
    let end = read(&session, &payload, &feed, epoch).await;
    feed.end(epoch, end.err());
}

/// One request, and its duration.
struct Opened {
    events: EventStream,
    renewal: Renewal,
}

type Opening<'a> = Pin<Box<dyn Future<Output = Result<Opened, Error>> + Send + 'a>>;

async fn read(session: &Session, payload: &str, feed: &Feed, epoch: u64) -> Result<(), Error> {
    let mut current = open(session, payload, 0).await?;
    let mut opening: Option<Opening<'_>> = None;
    // The replaced stream, while it overlaps.
    let mut old: Option<(EventStream, Until)> = None;
    let mut failures = 0_u32;
    loop {
        let renew = if opening.is_none() { current.renewal.at } else { Until::NEVER };
        let retire = old.as_ref().map_or(Until::NEVER, |(_, until)| *until);
        tokio::select! {
            event = current.events.next() => {
                // An end without `complete` is the end of the connection, and not of the subscription.
                let event = event.transpose().map_err(|error| silent(session, error))?;
                let event = event.ok_or_else(super::close::incomplete)?;
                if !push(session, feed, event)? {
                    return Ok(());
                }
            }
            // Its end does not matter, since another stream has replaced it.
            event = next(&mut old) => {
                let event = event.and_then(Result::ok);
                if !event.is_some_and(|event| push(session, feed, event).unwrap_or(false)) {
                    old = None;
                }
            }
            outcome = opened(&mut opening) => {
                opening = None;
                match outcome {
                    Ok(next) => {
                        failures = 0;
                        let last = std::mem::replace(&mut current, next);
                        old = Some((last.events, Until::after(last.renewal.overlap)));
                        feed.move_to(epoch, true);
                        tracing::debug!("a stream of events is replaced");
                    }
                    Err(error) => {
                        // The old stream goes on while it can.
                        tracing::debug!(code = error.code(), "no second stream of events");
                        failures = failures.saturating_add(1);
                        current.renewal.at = Until::after(Duration::ZERO);
                    }
                }
            }
            () = renew.sleep() => opening = Some(Box::pin(open(session, payload, failures))),
            () = retire.sleep() => old = None,
        }
    }
}

async fn next(old: &mut Option<(EventStream, Until)>) -> Option<Result<Event, Error>> {
    match old {
        Some((events, _)) => events.next().await,
        None => std::future::pending().await,
    }
}

async fn opened(opening: &mut Option<Opening<'_>>) -> Result<Opened, Error> {
    match opening {
        Some(opening) => opening.as_mut().await,
        None => std::future::pending().await,
    }
}

/// Sends the request, after a pause that grows with failures.
async fn open(session: &Session, payload: &str, failures: u32) -> Result<Opened, Error> {
    clock::sleep(pause(failures)).await;
    let settings = Hub::for_session(session).options();
    let usable_for = token(session, settings.connect, None).await?.and_then(|token| token.usable_for());
    let renewal = Renewal::new(usable_for, settings);
    let body = Bytes::copy_from_slice(payload.as_bytes());
    let prepared = prepare(session, settings.subscriptions(), Content::Bytes(body), "", ACCEPT, true)?;
    // A subscription changes nothing, so it may be retried.
    let options = Options { idempotent: true, ..Options::default() };
    let raw = send(session, &prepared, &options).await.map_err(|error| error.with_graphql(secret(session).as_ref()))?;
    let kind = raw.headers.get(http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.to_ascii_lowercase().starts_with(ACCEPT) {
        let kind = crate::error::escape(kind);
        return Err(super::close::protocol(&format!(
            "the service answers a subscription with the content type `{kind}`, not with events"
        )));
    }
    let events = decode::events(raw)?.of_subscription(settings.silence());
    Ok(Opened { events, renewal })
}

/// Adds to the error of a silent stream the option that sets the limit.
fn silent(session: &Session, error: Error) -> Error {
    if error.is_timeout() { super::close::silent(Hub::for_session(session).options().silence()) } else { error }
}

/// Passes a message on. Returns `false` if the subscription is complete.
fn push(session: &Session, feed: &Feed, event: Event) -> Result<bool, Error> {
    match event.event.as_str() {
        "next" if event.data.len() > Hub::for_session(session).options().message_limit => {
            Err(super::close::too_large(Hub::for_session(session).options().message_limit))
        }
        "next" => {
            // Boxed to the length of the message: a string that grew has spare capacity.
            feed.push(event.data.into_boxed_str().into_boxed_bytes().into());
            Ok(true)
        }
        "complete" => Ok(false),
        // Other kinds are extensions of the service.
        _ => Ok(true),
    }
}
