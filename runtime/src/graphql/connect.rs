//! Opens a socket: the upgrade, and the initialization of the protocol.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderMap, StatusCode, Version, header};
use reqwest::Upgraded;
use ring::{digest, rand::SecureRandom as _};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tokio_websockets::{ClientBuilder, CloseCode, Config, Limits, Message, WebSocketStream};

use super::{
    close,
    hub::Hub,
    message::{self, PROTOCOL, ServerMessage},
};
use crate::{
    auth::{CachedToken, Generation, Rejected},
    client::Session,
    clock::{self, Until},
    error::{Error, Kind, scrub, scrub_text},
    protocol::{encode_path, url},
    transport::ERROR_LIMIT,
    transport::body::excerpt,
};

/// The limit of unsent bytes before the socket accepts no more messages, in either direction.
const UNSENT: usize = 64 * 1024;

/// RFC 6455 §1.3.
const ACCEPT_SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// A socket whose connection is acknowledged.
pub(super) struct Opened {
    pub(super) socket: WebSocketStream<Upgraded>,
    pub(super) secret: Option<SecretString>,
    /// The time for which its token is valid; `None` if nothing limits it.
    pub(super) usable_for: Option<Duration>,
}

/// The reason that there is no socket.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) error: Error,
    /// The server does not upgrade: another transport may work.
    pub(super) no_upgrade: bool,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { error, no_upgrade: false }
    }
}

/// Opens a socket. A token that is refused is refreshed once.
pub(super) async fn open(session: &Session) -> Result<Opened, Refused> {
    let limit = Hub::for_session(session).options().connect;
    let attempts = async {
        let cached = token(session, limit, None).await?;
        match start(session, cached.as_deref()).await {
            Err(refused) if refused.error.is_unauthorized() => {
                let Some(cached) = cached else { return Err(refused) };
                match token(session, limit, Some(cached.generation)).await {
                    Ok(Some(fresh)) if fresh.header != cached.header => start(session, Some(&fresh)).await,
                    _ => Err(refused),
                }
            }
            other => other,
        }
    };
    match clock::limit(limit, attempts).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::with(Kind::Timeout, format!("no WebSocket connection within {}", clock::seconds(limit)))
            .hint("the service does not acknowledge the connection: check the path and the network")
            .into()),
    }
}

/// Returns the token for a new connection; `None` without a credential.
pub(super) async fn token(
    session: &Session,
    limit: Duration,
    rejected: Option<Generation>,
) -> Result<Option<Arc<CachedToken>>, Error> {
    match &session.credential {
        Some(cache) => {
            let rejected = rejected.map(|generation| Rejected { generation, operation: "graphql subscription" });
            cache.token(&session.transport, Until::after(limit), rejected).await.map(Some)
        }
        None => Ok(None),
    }
}

/// Returns the current token, to blank it out of the service's messages.
pub(super) fn secret(session: &Session) -> Option<SecretString> {
    session.credential.as_ref()?.current().map(|cached| cached.secret.clone())
}

async fn start(session: &Session, cached: Option<&CachedToken>) -> Result<Opened, Refused> {
    let options = Hub::for_session(session).options();
    let mut socket = upgrade(session, cached).await?;
    let payload = options
        .payload_key
        .as_ref()
        .zip(cached)
        .map(|(key, cached)| json!({ key: format!("Bearer {}", cached.secret.expose_secret()) }));
    let send = |cause| Refused::from(close::broken(&cause));
    socket.send(Message::text(message::init(payload))).await.map_err(send)?;
    loop {
        let message = match socket.next().await {
            Some(Ok(message)) if message.is_ping() || message.is_pong() => continue,
            Some(Ok(message)) => message,
            Some(Err(cause)) => return Err(close::broken(&cause).into()),
            None => return Err(close::ended().into()),
        };
        if let Some((code, reason)) = message.as_close() {
            return Err(close::closed(code.into(), reason, cached.map(|cached| &cached.secret)).into());
        }
        let Some(text) = message.as_text() else {
            return Err(give_up(&mut socket, "a message that is not text").await);
        };
        match ServerMessage::read(text) {
            Some(ServerMessage::Acknowledged) => break,
            Some(ServerMessage::Ping(payload)) => {
                socket.send(Message::text(message::pong(payload))).await.map_err(send)?;
            }
            Some(ServerMessage::Pong) => {}
            _ => return Err(give_up(&mut socket, "another message before the acknowledgement").await),
        }
    }
    Ok(Opened {
        socket,
        secret: cached.map(|cached| cached.secret.clone()),
        usable_for: cached.and_then(CachedToken::usable_for),
    })
}

/// Sends a close frame, and waits until the service has read it.
pub(super) async fn close(
    socket: &mut WebSocketStream<Upgraded>,
    code: u16,
    reason: &str,
) -> Result<(), tokio_websockets::Error> {
    if let Ok(code) = CloseCode::try_from(code) {
        socket.send(Message::close(Some(code), reason)).await?;
    }
    socket.close().await
}

async fn give_up(socket: &mut WebSocketStream<Upgraded>, message: &str) -> Refused {
    // The caller gets the error in any case; the service only if it still reads.
    let _ = close(socket, 4400, "unexpected message").await;
    close::protocol(message).into()
}

/// The upgrade of RFC 6455 §4.1, with the connections, the certificates and the proxy of all other requests.
async fn upgrade(session: &Session, cached: Option<&CachedToken>) -> Result<WebSocketStream<Upgraded>, Refused> {
    let options = Hub::for_session(session).options();
    let url = url(&session.base, &encode_path(options.subscriptions()), "")?;
    let key = key()?;
    let mut request = session
        .transport
        .upgrade_client(&url)?
        .get(url)
        .headers(session.headers.clone())
        .version(Version::HTTP_11)
        .header(header::CONNECTION, "Upgrade")
        .header(header::UPGRADE, "websocket")
        .header(header::SEC_WEBSOCKET_VERSION, "13")
        .header(header::SEC_WEBSOCKET_PROTOCOL, PROTOCOL)
        .header(header::SEC_WEBSOCKET_KEY, &key);
    if let Some(cached) = cached.filter(|_| options.header) {
        request = request.header(header::AUTHORIZATION, cached.header.clone());
    }
    let mut response = request.send().await.map_err(|cause| session.transport.broken(cause))?;
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(not_upgraded(session, &mut response, cached).await);
    }
    check(response.headers(), &key)?;
    let upgraded = response.upgrade().await.map_err(|cause| crate::transport::broken(&cause.without_url()))?;
    // Each message is flushed when it is sent: none waits for more.
    let builder = ClientBuilder::new()
        .config(Config::default().flush_threshold(UNSENT))
        .limits(Limits::default().max_payload_len(Some(options.message_limit)));
    Ok(builder.take_over(upgraded))
}

fn key() -> Result<String, Error> {
    let mut bytes = [0; 16];
    ring::rand::SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Error::with(Kind::Socket, "the operating system returns no random numbers").hint("try again"))?;
    Ok(STANDARD.encode(bytes))
}

/// RFC 6455 §4.1: the response proves that the server read the request, and names the requested protocol.
fn check(headers: &HeaderMap, key: &str) -> Result<(), Error> {
    let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{ACCEPT_SUFFIX}").as_bytes());
    let says = |name, expected: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| value.trim() == expected)
    };
    if !says(header::SEC_WEBSOCKET_ACCEPT, &STANDARD.encode(digest)) {
        return Err(close::protocol("the upgrade is not confirmed"));
    }
    if !says(header::SEC_WEBSOCKET_PROTOCOL, PROTOCOL) {
        return Err(close::protocol("it chose no subprotocol, or another than graphql-transport-ws"));
    }
    Ok(())
}

async fn not_upgraded(session: &Session, response: &mut reqwest::Response, cached: Option<&CachedToken>) -> Refused {
    let status = response.status();
    let secret = cached.map(|cached| &cached.secret);
    let wait = crate::transport::retry_after(response.headers(), std::time::SystemTime::now());
    let body = excerpt(response, ERROR_LIMIT, session.idle).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    let body = scrub(kind, body, secret);
    let mut message = format!("{status}, and no WebSocket");
    if let Some(challenge) = response.headers().get(header::WWW_AUTHENTICATE) {
        let challenge = String::from_utf8_lossy(challenge.as_bytes()).into_owned();
        let challenge = secret.map_or(challenge.clone(), |secret| scrub_text(&challenge, secret.expose_secret()));
        message += &format!(" [{challenge}]");
    }
    let hint = match status.as_u16() {
        401 | 403 => "check the credential, and the caller's roles",
        300..=399 => "redirects are not followed: check the path",
        429 | 500 | 502..=599 => "connect again later",
        _ => "check the path of subscriptions; server-sent events are the other transport",
    };
    let error = if status.is_success() {
        close::protocol(&message)
    } else {
        Error::status_code(status, kind, body, message, hint.to_owned()).with_graphql(secret).with_retry_after(wait)
    };
    // 501 and the 4xx that are not about the caller: the server has no WebSocket here.
    let no_upgrade = status.is_success() || matches!(status.as_u16(), 400 | 404 | 405 | 406 | 415 | 426 | 501);
    Refused { error, no_upgrade }
}
