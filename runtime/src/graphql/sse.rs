//! A subscription as a request: server-sent events, in the distinct-connections mode of GraphQL over SSE.

use std::{pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    connect::{secret, token},
    hub::Hub,
    query::prepare,
    queue::Feed,
    schedule::{Due, Renewal, Schedule},
};
use crate::{
    Error, EventStream,
    client::{Options, Session, send},
    clock,
    protocol::{Content, Event, decode},
};

const ACCEPT: &str = "text/event-stream";

/// Reads the events until the stream ends. Before its token expires, the stream is replaced by another one.
pub(super) async fn run(session: Arc<Session>, payload: Arc<str>, feed: Arc<Feed>, epoch: u64) {
    let end = read(&session, &payload, &feed, epoch).await;
    feed.end(epoch, end.err());
}

/// One request, and the time of its replacement.
struct Opened {
    events: EventStream,
    renewal: Renewal,
}

type Opening<'a> = Pin<Box<dyn Future<Output = Result<Opened, Error>> + Send + 'a>>;

async fn read(session: &Session, payload: &str, feed: &Feed, epoch: u64) -> Result<(), Error> {
    let mut schedule = Schedule::new();
    let Opened { events: mut current, renewal } = open(session, payload, schedule.open()).await?;
    schedule.opened(clock::now(), renewal);
    let mut opening: Option<Opening<'_>> = None;
    // The replaced stream, while it overlaps.
    let mut old: Option<EventStream> = None;
    loop {
        let (at, due) = schedule.next();
        tokio::select! {
            event = current.next() => {
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
                    schedule.retired();
                }
            }
            outcome = opened(&mut opening) => {
                opening = None;
                match outcome {
                    Ok(Opened { events, renewal }) => {
                        schedule.opened(clock::now(), renewal);
                        old = Some(std::mem::replace(&mut current, events));
                        feed.move_to(epoch, true);
                        tracing::debug!("a stream of events is replaced");
                    }
                    Err(error) => {
                        tracing::debug!(code = error.code(), "no second stream of events");
                        schedule.refused(clock::now());
                    }
                }
            }
            () = at.sleep() => match due {
                Due::Renew => opening = Some(Box::pin(open(session, payload, schedule.open()))),
                // The idle time is that of sockets.
                Due::Retire | Due::Idle => {
                    old = None;
                    schedule.retired();
                }
            },
        }
    }
}

async fn next(old: &mut Option<EventStream>) -> Option<Result<Event, Error>> {
    match old {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}

async fn opened(opening: &mut Option<Opening<'_>>) -> Result<Opened, Error> {
    match opening {
        Some(opening) => opening.as_mut().await,
        None => std::future::pending().await,
    }
}

/// Sends the request, after a pause.
async fn open(session: &Session, payload: &str, pause: Duration) -> Result<Opened, Error> {
    clock::sleep(pause).await;
    let settings = Hub::for_session(session).options();
    let usable_for = token(session, settings.connect, None).await?.and_then(|token| token.usable_for());
    let renewal = Renewal::new(clock::now(), usable_for, settings.overlap);
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
