//! One request of the journal.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::arrived::Arrived;
use super::capture::Captured;
use super::filter::RequestFilter;
use super::mask;
use super::verified::NearMiss;

/// A request that was answered, or whose connection was reset instead.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequestRecord {
    /// The number, counted from 1.
    pub number: u64,
    /// The method.
    pub method: String,
    /// The part of the sandbox that answered.
    pub server: &'static str,
    /// The path without its query.
    pub path: String,
    /// The query, with its secrets masked by `***`.
    pub query: Option<String>,
    /// The path template of the operation. A request that no operation takes has its path here.
    pub template: String,
    /// The status of the answer.
    pub status: u16,
    /// The milliseconds from the request to the head of the answer.
    pub milliseconds: u64,
    /// The time of the answer in RFC 3339 format.
    pub at: String,
    /// The fault that was applied to it.
    pub fault: Option<String>,
    /// The rule of the fault.
    pub fault_id: Option<u64>,
    pub(super) arrived: Arc<Arrived>,
    pub(super) response: Captured,
}

/// Headers and body of a request or an answer, with secrets masked by `***`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Headers as names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body, if it is text of at most 16 KiB.
    pub body: Option<String>,
    /// The length of the body in bytes: the announced one, or the length so far.
    pub length: usize,
}

impl RequestRecord {
    /// Returns headers and body of the request.
    pub fn request(&self) -> Message {
        Message::from_captured(&self.arrived.request)
    }

    /// Returns headers and body of the answer.
    pub fn response(&self) -> Message {
        Message::from_captured(&self.response)
    }

    /// Returns whether a GraphQL answer, of any status, has errors.
    pub fn has_graphql_errors(&self) -> bool {
        let errors = |body: &[u8]| body.windows(10).any(|part| part == b"\"errors\":[");
        self.arrived.is_graphql() && errors(&self.response.body().bytes)
    }

    fn differences(&self, filter: &RequestFilter) -> Vec<String> {
        filter.differences(&self.arrived, self.number, Some(self.status))
    }

    pub(super) fn is_taken_by(&self, filter: &RequestFilter) -> bool {
        self.differences(filter).is_empty()
    }

    pub(super) fn near_miss(&self, filter: &RequestFilter) -> Option<NearMiss> {
        filter.near_miss(&self.arrived, Some(self.number), self.differences(filter))
    }

    /// The record with the parts that lists omit.
    pub fn whole(&self) -> impl Serialize + '_ {
        Whole(self)
    }

    fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("number", &self.number)?;
        map.serialize_entry("method", &self.method)?;
        map.serialize_entry("server", self.server)?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("query", &self.query)?;
        map.serialize_entry("template", &self.template)?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("hasGraphqlErrors", &self.has_graphql_errors())?;
        map.serialize_entry("milliseconds", &self.milliseconds)?;
        map.serialize_entry("at", &self.at)?;
        map.serialize_entry("fault", &self.fault)?;
        map.serialize_entry("faultId", &self.fault_id)
    }
}

impl Serialize for RequestRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.members(&mut map)?;
        map.end()
    }
}

struct Whole<'a>(&'a RequestRecord);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.members(&mut map)?;
        map.serialize_entry("request", &self.0.request())?;
        map.serialize_entry("response", &self.0.response())?;
        map.end()
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("headers", &self.headers)?;
        map.serialize_entry("body", &self.body)?;
        map.serialize_entry("length", &self.length)?;
        map.end()
    }
}

impl Message {
    fn from_captured(captured: &Captured) -> Self {
        let beginning = captured.body();
        let body = mask::body(captured.headers(), &beginning);
        Self { headers: mask::headers(captured.headers()), body, length: beginning.length }
    }
}
