//! Unions: by a tag, or by what fits.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{lenient::Lenient, record::covered};

/// One variant of a union that is picked by its tag.
pub(crate) type Tagged<T> = (&'static [&'static str], Read<T>);

/// Reads a value as a tree.
pub fn tree<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Value::deserialize(deserializer)
}

/// Reads a `T` out of a tree.
pub fn from_tree<T: DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    T::deserialize(value)
}

/// As [`from_tree`], for a variant that a tag names: numbers may come as text.
pub fn from_tree_leniently<T: DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    T::deserialize(Lenient(value))
}

/// The variant that the tag of `value` names; `None` when there is no tag, or one that is not declared.
pub fn by_tag<T>(value: &Value, tag: &str, variants: &[Tagged<T>]) -> Result<Option<T>, serde_json::Error> {
    let tag = match value.get(tag) {
        Some(Value::String(text)) => text.clone(),
        // .NET may tell subtypes apart by numbers.
        Some(Value::Number(number)) => number.to_string(),
        _ => return Ok(None),
    };
    variants.iter().find(|(tags, _)| tags.contains(&tag.as_str())).map(|(_, read)| read(value)).transpose()
}

/// How one variant of an untagged union is read.
pub type Read<T> = fn(&Value) -> Result<T, serde_json::Error>;

/// The variant that decodes `value` and covers most of it; the first of equals.
pub fn by_fit<T>(value: &Value, variants: &[Read<T>]) -> Option<T> {
    let mut best: Option<(T, i64)> = None;
    for read in variants {
        let (candidate, points) = covered(|| read(value));
        if let Ok(candidate) = candidate
            && best.as_ref().is_none_or(|(_, most)| points > *most)
        {
            best = Some((candidate, points));
        }
    }
    let (found, points) = best?;
    super::record::cover(points);
    Some(found)
}

/// [`by_fit`] for the integers that a tree holds as floats, because they came with a fraction of zero or an exponent.
#[cold]
pub fn by_fit_written_out<T>(value: &Value, variants: &[Read<T>]) -> Option<T> {
    let text = serde_json::to_vec(value).ok()?;
    let whole = serde_json::from_slice(&super::whole::written_out(&text)?).ok()?;
    by_fit(&whole, variants)
}

/// Turns the error of a variant into the format's.
pub fn in_union<E: serde::de::Error>(union: &'static str, cause: &serde_json::Error) -> E {
    E::custom(format_args!("`{union}`: {cause}"))
}

/// Writes a variant, with its tag where the variant does not write it itself.
pub fn with_tag<S: Serializer>(
    serializer: S,
    tag: &'static str,
    text: &'static str,
    variant: &dyn super::Argument,
) -> Result<S::Ok, S::Error> {
    let value = super::to_value(variant).map_err(serde::ser::Error::custom)?;
    let Value::Object(members) = value else { return value.serialize(serializer) };
    let own = members.get(tag).filter(|value| !value.is_null()).cloned();
    // Readers of tagged unions in .NET want the tag first.
    let tagged: Map<String, Value> = [(tag.to_owned(), own.unwrap_or_else(|| Value::from(text)))]
        .into_iter()
        .chain(members.into_iter().filter(|(name, _)| name != tag))
        .collect();
    tagged.serialize(serializer)
}

/// Gives an enum with `Unknown(Value)` its serde implementations: the member `tag` names the variant.
#[doc(hidden)]
#[macro_export]
macro_rules! __tagged_union {
    ($type:ident, $tag:literal { $($variant:ident($inner:ty) = $first:literal $(| $more:literal)*),* $(,)? }) => {
        impl<'de> $crate::codegen::Deserialize<'de> for $type {
            fn deserialize<D: $crate::codegen::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = $crate::codegen::tree(deserializer)?;
                let found = $crate::codegen::by_tag(&value, $tag, &[
                    $((&[$first $(, $more)*], |value| $crate::codegen::from_tree_leniently(value).map(Self::$variant)),)*
                ]);
                match found {
                    Ok(Some(found)) => Ok(found),
                    Ok(None) => {
                        $crate::codegen::unfit();
                        Ok(Self::Unknown(value))
                    }
                    Err(cause) => Err($crate::codegen::in_union(stringify!($type), &cause)),
                }
            }
        }
        impl $crate::codegen::Serialize for $type {
            fn serialize<S: $crate::codegen::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(inner) => $crate::codegen::with_tag(serializer, $tag, $first, inner),)*
                    Self::Unknown(value) => $crate::codegen::Serialize::serialize(value, serializer),
                }
            }
        }
    };
}

/// Gives an enum with `Unknown(Value)` its serde implementations: the variant that fits best is taken.
#[doc(hidden)]
#[macro_export]
macro_rules! __untagged_union {
    ($type:ident { $($variant:ident($inner:ty)),* $(,)? }) => {
        impl<'de> $crate::codegen::Deserialize<'de> for $type {
            fn deserialize<D: $crate::codegen::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = $crate::codegen::tree(deserializer)?;
                let variants: &[$crate::codegen::Read<Self>] = &[
                    $(|value| $crate::codegen::from_tree(value).map(Self::$variant),)*
                ];
                let found = $crate::codegen::by_fit(&value, variants).or_else(|| $crate::codegen::by_fit_written_out(&value, variants));
                Ok(found.unwrap_or_else(|| {
                    $crate::codegen::unfit();
                    Self::Unknown(value)
                }))
            }
        }
        impl $crate::codegen::Serialize for $type {
            fn serialize<S: $crate::codegen::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(inner) => $crate::codegen::Serialize::serialize(inner, serializer),)*
                    Self::Unknown(value) => $crate::codegen::Serialize::serialize(value, serializer),
                }
            }
        }
    };
}
