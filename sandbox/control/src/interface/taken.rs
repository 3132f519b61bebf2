//! Inputs of the control interface, and its one form of refusal: a problem document that names the place and the expected value.

use std::fmt;
use std::marker::PhantomData;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, de};
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::problem::{self, Complaint};
use crate::upload::TooSlow;

/// The maximum length of a body.
pub const BODY_LIMIT: usize = 16 * 1024 * 1024;
/// The maximum length of a snapshot: a full state and its notation in JSON.
pub const SNAPSHOT_LIMIT: usize = 1024 * 1024 * 1024;
/// The maximum of the format `int32`, the default integer of most languages.
pub const INT32: i64 = i32::MAX as i64;
/// The maximum of the format `int64`.
pub const INT64: i64 = i64::MAX;

/// The answer to a request of the control interface.
pub type ControlAnswer = Result<Response, ControlRefusal>;

/// A refused request.
#[derive(Debug)]
pub struct ControlRefusal(Box<Response>);

impl ControlRefusal {
    /// One place is invalid: `$.member` of the body, a parameter of the query, a part of the path.
    pub fn at(place: impl Into<String>, message: impl fmt::Display) -> Self {
        Self(Box::new(problem::at(StatusCode::BAD_REQUEST, place.into(), &message.to_string())))
    }

    /// Several places are invalid.
    pub fn from_complaints(complaints: Vec<Complaint>) -> Self {
        Self(Box::new(problem::validation(complaints)))
    }

    /// The request as a whole is refused.
    pub fn whole(status: StatusCode, detail: &str) -> Self {
        Self(Box::new(problem::response(status, detail)))
    }

    /// The request as a whole is refused, and the problem has further members.
    pub fn with(status: StatusCode, detail: &str, members: Value) -> Self {
        Self(Box::new(problem::with(status, detail, members)))
    }

    /// Nothing has this name.
    pub fn missing(name: &str) -> Self {
        Self::whole(StatusCode::NOT_FOUND, &format!("The {name} does not exist."))
    }

    /// The query has an unknown parameter.
    pub fn unknown(name: &str, known: &[&str]) -> Self {
        Self::at(name.escape_debug().to_string(), format!("the parameter is unknown; use {}", known.join(", ")))
    }
}

impl IntoResponse for ControlRefusal {
    fn into_response(self) -> Response {
        *self.0
    }
}

/// The body of a request: one JSON object. A missing body counts as an empty object.
#[derive(Debug)]
pub struct Sent<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Sent<T> {
    type Rejection = ControlRefusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, ControlRefusal> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejected| match rejected.status() {
            status @ StatusCode::PAYLOAD_TOO_LARGE => ControlRefusal::whole(
                status,
                &format!(
                    "The body has more than {BODY_LIMIT} bytes, or {SNAPSHOT_LIMIT} of a snapshot: send a shorter one."
                ),
            ),
            _ if TooSlow::is_cause_of(&rejected) => ControlRefusal::whole(StatusCode::REQUEST_TIMEOUT, TooSlow::DETAIL),
            status => ControlRefusal::whole(status, "The body is incomplete: send all of it."),
        })?;
        read(&bytes).map(Self)
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ControlRefusal> {
    let body = if body.is_empty() { b"{}" } else { body };
    let mut text = serde_json::Deserializer::from_slice(body);
    let Object(read) = serde_path_to_error::deserialize(&mut text).map_err(|error| {
        let place = error.path().iter().fold("$".to_owned(), |place, segment| match segment {
            Segment::Seq { index } => format!("{place}[{index}]"),
            Segment::Map { key } => format!("{place}.{key}"),
            Segment::Enum { .. } | Segment::Unknown => place,
        });
        ControlRefusal::at(place, error.inner())
    })?;
    text.end().map_err(|error| ControlRefusal::at("$", error))?;
    Ok(read)
}

/// Accepts only an object: serde's derive also accepts an array of a struct's members.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members))
            }
        }

        deserializer.deserialize_map(Members(PhantomData)).map(Self)
    }
}

/// A whole number within the bounds that `openapi.yaml` declares for it.
#[derive(Clone, Copy, Debug)]
pub struct Whole<N, const LEAST: i64, const MOST: i64>(pub N);

/// A count of requests, events, or elements of a list.
pub type Count<N> = Whole<N, 0, INT32>;
/// The number of a fault or of a request.
pub type Number = Whole<u64, 1, INT64>;

impl<N: TryFrom<i64>, const LEAST: i64, const MOST: i64> Whole<N, LEAST, MOST> {
    fn new(number: i64) -> Option<Self> {
        (LEAST..=MOST).contains(&number).then(|| N::try_from(number).ok()).flatten().map(Self)
    }

    /// Parses a value of a query or a path.
    pub fn read(place: &str, text: &str) -> Result<N, ControlRefusal> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_plain).and_then(Self::new);
        number.map(|whole| whole.0).ok_or_else(|| ControlRefusal::at(place, format!("write {}", Self::expected())))
    }

    fn expected() -> String {
        format!("a whole number from {LEAST} to {MOST}")
    }
}

impl<'de, N: TryFrom<i64>, const LEAST: i64, const MOST: i64> Deserialize<'de> for Whole<N, LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits<N, const LEAST: i64, const MOST: i64>(PhantomData<N>);

        impl<N: TryFrom<i64>, const LEAST: i64, const MOST: i64> Visitor<'_> for Digits<N, LEAST, MOST> {
            type Value = Whole<N, LEAST, MOST>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&Whole::<N, LEAST, MOST>::expected())
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Whole::new(number).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                let whole = i64::try_from(number).ok().and_then(Whole::new);
                whole.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
            }
        }

        deserializer.deserialize_i64(Digits(PhantomData))
    }
}

/// The only parameter of a path: its name and its text.
pub async fn part<S: Send + Sync>(parts: &mut Parts, state: &S) -> Result<(String, String), ControlRefusal> {
    let all = RawPathParams::from_request_parts(parts, state).await;
    let all = all.map_err(|_not_utf8| ControlRefusal::at("path", "write UTF-8, percent-encoded"))?;
    all.iter()
        .next()
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .ok_or_else(|| ControlRefusal::missing("address"))
}

impl<S: Send + Sync> FromRequestParts<S> for Number {
    type Rejection = ControlRefusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ControlRefusal> {
        let (name, text) = part(parts, state).await?;
        Self::read(&name, &text).map(Self)
    }
}
