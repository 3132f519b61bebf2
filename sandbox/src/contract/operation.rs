//! One operation of the contract.

use std::borrow::Cow;

use http::Method;
use serde::Serialize;

use super::behaviour::Behaviour;
use super::schema::{Schema, uuid};
use super::{Contract, Provenance, Revision, as_map};

/// An Operation Object. The fields that are not serialized hold its path and its behaviour.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Operation {
    #[serde(skip)]
    pub(crate) method: Method,
    #[serde(skip)]
    pub(crate) path: String,
    pub(crate) tags: [&'static str; 1],
    pub(crate) summary: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parameters: Vec<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request_body: Option<Body>,
    #[serde(serialize_with = "as_map")]
    pub(crate) responses: Vec<(&'static str, Answer)>,
    #[serde(rename = "x-provenance")]
    pub(crate) provenance: Provenance,
    #[serde(skip)]
    pub(crate) behaviour: Behaviour,
    #[serde(skip)]
    pub(super) revision: Revision,
}

/// A Parameter Object.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Parameter {
    pub(crate) name: Cow<'static, str>,
    #[serde(rename = "in")]
    pub(crate) location: ParameterIn,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) style: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explode: Option<bool>,
    pub(crate) schema: Schema,
}

/// The location of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ParameterIn {
    Path,
    Query,
    Header,
    Cookie,
}

/// A Request Body Object.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Body {
    #[serde(serialize_with = "as_map")]
    pub(crate) content: Vec<(&'static str, Media)>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) required: bool,
}

/// A Response Object.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Answer {
    pub(crate) description: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub(crate) content: Vec<(&'static str, Media)>,
}

/// A Media Type Object.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Media {
    pub(crate) schema: Schema,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub(crate) encoding: Vec<(&'static str, Encoding)>,
}

/// An Encoding Object.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Encoding {
    pub(crate) style: &'static str,
}

impl Operation {
    /// The contract that the operation belongs to.
    pub(crate) fn contract(&self) -> &'static Contract {
        self.revision.contract()
    }

    /// The statuses that count as success, lowest first.
    pub(crate) fn successes(&self) -> impl Iterator<Item = &'static str> {
        self.responses.iter().map(|(status, _)| *status).filter(|status| status.starts_with('2'))
    }

    /// The content of a response.
    pub(crate) fn content(&self, status: &str) -> &[(&'static str, Media)] {
        let answer = self.responses.iter().find(|(code, _)| *code == status);
        answer.map_or(&[], |(_, answer)| answer.content.as_slice())
    }

    /// The JSON schema of a response.
    pub(crate) fn json_schema(&self, status: &str) -> Option<&Schema> {
        let media = self.content(status).iter().find(|(media, _)| *media == "application/json");
        media.map(|(_, media)| &media.schema)
    }
}

impl Parameter {
    pub(super) fn guid(name: &str) -> Self {
        let name = name.to_owned().into();
        Self { name, location: ParameterIn::Path, required: true, style: None, explode: None, schema: uuid() }
    }
}

impl Media {
    pub(crate) fn new(schema: Schema) -> Self {
        Self { schema, encoding: Vec::new() }
    }
}

impl Answer {
    /// A response without a body.
    pub(crate) fn empty(status: &'static str) -> Self {
        Self { description: phrase(status), content: Vec::new() }
    }
}

/// Swashbuckle's description of a status, if the operation has none of its own.
pub(super) fn phrase(status: &str) -> &'static str {
    status.parse::<http::StatusCode>().ok().and_then(|status| status.canonical_reason()).unwrap_or("Success")
}
