//! The part of OpenAPI's Schema Object that the contract uses, written in Swashbuckle's key order.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{Provenance, Revision};

/// A Schema Object.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Schema {
    #[serde(rename = "$ref", skip_serializing_if = "Option::is_none", serialize_with = "reference_path")]
    pub(crate) reference: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) required: Vec<&'static str>,
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_length: Option<u32>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) all_of: Vec<Schema>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) one_of: Vec<Schema>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "super::as_map")]
    pub(crate) properties: Vec<(&'static str, Schema)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) items: Option<Box<Schema>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) additional_properties: Option<Additional>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) nullable: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) read_only: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) discriminator: Option<Discriminator>,
    #[serde(rename = "x-enum-varnames", skip_serializing_if = "Vec::is_empty")]
    pub(crate) varnames: Vec<&'static str>,
    #[serde(rename = "x-provenance", skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<Provenance>,
    /// The contract that references point to.
    #[serde(skip)]
    pub(crate) revision: Revision,
}

/// The additional properties that an object may have.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Additional {
    /// `false`: nothing, as Swashbuckle writes it on nearly every object.
    #[serde(serialize_with = "as_false")]
    Closed,
    /// Values of this schema; the empty schema takes anything.
    Of(Box<Schema>),
}

/// A Discriminator Object: the tag's property, and the schema that each tag stands for.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Discriminator {
    pub(crate) property_name: &'static str,
    #[serde(serialize_with = "mapping_paths")]
    pub(crate) mapping: Vec<(&'static str, &'static str)>,
}

impl Schema {
    pub(crate) fn describe(mut self, text: &'static str) -> Self {
        self.description = Some(text);
        self
    }

    pub(crate) fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    pub(crate) fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    pub(crate) fn varnames(mut self, names: &[&'static str]) -> Self {
        self.varnames = names.to_vec();
        self
    }

    pub(crate) fn required(mut self, names: &[&'static str]) -> Self {
        self.required = names.to_vec();
        self
    }

    pub(crate) fn min_length(mut self, length: u32) -> Self {
        self.min_length = Some(length);
        self
    }

    pub(crate) fn tagged(mut self, property: &'static str, mapping: &[(&'static str, &'static str)]) -> Self {
        self.discriminator = Some(Discriminator { property_name: property, mapping: mapping.to_vec() });
        self
    }

    /// Allows additional properties.
    pub(crate) fn open(mut self) -> Self {
        self.additional_properties = None;
        self
    }

    /// Adds a schema that the value has to satisfy as well.
    pub(crate) fn derives(mut self, base: &'static str) -> Self {
        self.all_of.push(reference(base));
        self
    }

    /// Replaces a property.
    pub(crate) fn set(&mut self, name: &str, schema: Schema) {
        if let Some((_, property)) = self.properties.iter_mut().find(|(key, _)| *key == name) {
            *property = schema;
        }
    }

    /// Sets the contract that the references in a schema point to.
    pub(crate) fn set_revision(&mut self, revision: Revision) {
        self.revision = revision;
        let parts = self.all_of.iter_mut().chain(&mut self.one_of).chain(self.items.as_deref_mut());
        let rest = match &mut self.additional_properties {
            Some(Additional::Of(schema)) => Some(schema.as_mut()),
            Some(Additional::Closed) | None => None,
        };
        for part in parts.chain(self.properties.iter_mut().map(|(_, property)| property)).chain(rest) {
            part.set_revision(revision);
        }
    }

    pub(crate) fn is_binary(&self) -> bool {
        self.kind == Some("string") && self.format == Some("binary")
    }

    pub(crate) fn is_array(&self) -> bool {
        self.kind == Some("array")
    }
}

impl From<&'static str> for Schema {
    fn from(name: &'static str) -> Self {
        reference(name)
    }
}

/// The empty schema: any value.
pub(crate) fn any() -> Schema {
    Schema::default()
}

/// A component by its name.
pub(crate) fn reference(name: &'static str) -> Schema {
    Schema { reference: Some(name), ..Schema::default() }
}

/// A .NET `string`, which Swashbuckle writes as nullable.
pub(crate) fn text() -> Schema {
    string().nullable()
}

/// A string that is never null.
pub(crate) fn string() -> Schema {
    scalar("string", None)
}

pub(crate) fn uuid() -> Schema {
    scalar("string", Some("uuid"))
}

pub(crate) fn date_time() -> Schema {
    scalar("string", Some("date-time"))
}

pub(crate) fn binary() -> Schema {
    scalar("string", Some("binary"))
}

pub(crate) fn int() -> Schema {
    scalar("integer", Some("int32"))
}

pub(crate) fn long() -> Schema {
    scalar("integer", Some("int64"))
}

pub(crate) fn double() -> Schema {
    scalar("number", Some("double"))
}

pub(crate) fn boolean() -> Schema {
    scalar("boolean", None)
}

pub(crate) fn list(items: impl Into<Schema>) -> Schema {
    Schema { kind: Some("array"), items: Some(Box::new(items.into())), ..Schema::default() }
}

/// A .NET dictionary: an object whose values share one schema.
pub(crate) fn dictionary(values: Schema) -> Schema {
    Schema { kind: Some("object"), additional_properties: Some(Additional::Of(Box::new(values))), ..Schema::default() }
}

/// A closed object. Nothing is required, as in Swashbuckle's output for a plain class.
pub(crate) fn object<const N: usize>(properties: [(&'static str, Schema); N]) -> Schema {
    Schema {
        kind: Some("object"),
        properties: properties.into(),
        additional_properties: Some(Additional::Closed),
        ..Schema::default()
    }
}

/// An enum as Swashbuckle writes it by default: its numbers, without names.
pub(crate) fn numbers(values: &[i32]) -> Schema {
    Schema { values: values.iter().map(|&value| Value::from(value)).collect(), ..int() }
}

/// An enum that a string converter writes by its names.
pub(crate) fn words(values: &[&'static str]) -> Schema {
    Schema { values: values.iter().map(|&value| Value::from(value)).collect(), ..string() }
}

pub(crate) fn one_of(names: &[&'static str]) -> Schema {
    Schema { one_of: names.iter().map(|&name| reference(name)).collect(), ..Schema::default() }
}

fn scalar(kind: &'static str, format: Option<&'static str>) -> Schema {
    Schema { kind: Some(kind), format, ..Schema::default() }
}

fn as_false<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(false)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

fn reference_path<S: Serializer>(name: &Option<&'static str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("#/components/schemas/{}", name.unwrap_or_default()))
}

fn mapping_paths<S: Serializer>(mapping: &[(&'static str, &'static str)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(mapping.iter().map(|(tag, name)| (tag, format!("#/components/schemas/{name}"))))
}
