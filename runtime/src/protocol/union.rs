//! Unions: by a tag, by the name of a member, or by the best fit. Values are distinguished by their text, so that
//! numbers keep their digits.

use std::fmt;

use serde::{
    Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, Visitor},
    ser::SerializeMap,
};

use super::record::covered;
use crate::json::{self, Object, Value, lenient};

/// The text of a value whose variant is not known yet.
type Kept = String;

/// A variant of a union, which its constructor implements.
pub trait Variant<U> {
    /// Reads the variant that a tag or the name of a member names: numbers may be strings.
    ///
    /// # Errors
    ///
    /// The value does not fit the variant.
    fn named(&self, text: &str) -> Result<U, serde_json::Error>;

    /// Reads the variant of an untagged union: numbers must not be strings. `whole` allows integers with a fraction of zero
    /// or an exponent.
    ///
    /// # Errors
    ///
    /// The value does not fit the variant.
    fn fitting(&self, text: &str, whole: bool) -> Result<U, serde_json::Error>;
}

impl<T: DeserializeOwned, U> Variant<U> for fn(T) -> U {
    fn named(&self, text: &str) -> Result<U, serde_json::Error> {
        lenient::from_str(text).map(self)
    }

    fn fitting(&self, text: &str, whole: bool) -> Result<U, serde_json::Error> {
        lenient::from_str_strictly(text, whole).map(self)
    }
}

/// One variant of a union that is picked by its tag.
type Tagged<'v, U> = (&'static [&'static str], &'v dyn Variant<U>);

/// Reads a value as its text.
fn kept<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Kept, D::Error> {
    json::raw(deserializer)
}

/// Reads a union whose variants have tags. A value with an unknown tag is kept as it is.
///
/// # Errors
///
/// The value does not fit the variant that its tag names, or is nested too deeply.
pub fn tagged<'de, U, V: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
    union: &'static str,
    tag: &str,
    variants: &[Tagged<'_, U>],
    unknown: fn(V) -> U,
) -> Result<U, D::Error> {
    let text = kept(deserializer)?;
    picked(union, &text, by_tag(&text, tag, variants), unknown)
}

/// Reads a union without tags. A value that fits no variant is kept as it is.
///
/// # Errors
///
/// The value is nested too deeply.
pub fn untagged<'de, U, V: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
    union: &'static str,
    variants: &[&dyn Variant<U>],
    unknown: fn(V) -> U,
) -> Result<U, D::Error> {
    let text = kept(deserializer)?;
    picked(union, &text, by_fit(&text, variants), unknown)
}

/// Reads a union whose only member names the variant.
///
/// # Errors
///
/// The value is not an object with one member that names a variant, or the member does not fit it.
pub fn by_key<'de, U, D: Deserializer<'de>>(
    deserializer: D,
    union: &'static str,
    variants: &[(&str, &dyn Variant<U>)],
) -> Result<U, D::Error> {
    let text = kept(deserializer)?;
    let (name, value) = only_member(&text)?;
    let Some((_, variant)) = variants.iter().find(|(key, _)| *key == name) else {
        return Err(super::missing(union, "one of its members"));
    };
    variant.named(&value).map_err(|cause| in_union(union, &cause))
}

fn picked<U, V: DeserializeOwned, E: serde::de::Error>(
    union: &'static str,
    text: &str,
    variant: Result<Option<U>, serde_json::Error>,
    unknown: fn(V) -> U,
) -> Result<U, E> {
    let value = match variant {
        Ok(None) => {
            super::enums::unfit();
            unknown.fitting(text, false)
        }
        Ok(Some(variant)) => return Ok(variant),
        Err(cause) => Err(cause),
    };
    value.map_err(|cause| in_union(union, &cause))
}

/// Returns the variant that the tag of the value names; `None` if it names none. Without a tag, the only variant that
/// fits.
fn by_tag<T>(text: &str, tag: &str, variants: &[Tagged<'_, T>]) -> Result<Option<T>, serde_json::Error> {
    let tag = match tag_of(text, tag) {
        Tag::Text(tag) => tag,
        Tag::Absent => return only_fit(text, variants),
        Tag::Other => return Ok(None),
    };
    let variant = variants.iter().find(|(tags, _)| tags.contains(&tag.as_str()));
    variant.map(|(_, variant)| json::within(text, || variant.named(text))?).transpose()
}

/// Returns the variant that decodes the value and covers more of it than any other; `None` if two cover as much.
fn only_fit<T>(text: &str, variants: &[Tagged<'_, T>]) -> Result<Option<T>, serde_json::Error> {
    let mut best: Option<(T, i64)> = None;
    let mut is_alone = false;
    for (_, variant) in variants {
        let (candidate, points) = covered(|| json::within(text, || variant.named(text)));
        let Ok(candidate) = candidate? else { continue };
        match &best {
            Some((_, most)) if points < *most => {}
            Some((_, most)) if points == *most => is_alone = false,
            _ => {
                best = Some((candidate, points));
                is_alone = true;
            }
        }
    }
    let variant = best.filter(|_| is_alone);
    if let Some((_, points)) = &variant {
        super::record::cover(*points);
    }
    Ok(variant.map(|(variant, _)| variant))
}

/// The member that names the variant of a value.
enum Tag {
    Text(String),
    /// It is missing, or null.
    Absent,
    /// The value is not an object, or the tag is not a text.
    Other,
}

/// The text or the number of the last member of a name. .NET may use numbers as tags.
fn tag_of(text: &str, name: &str) -> Tag {
    struct Find<'n>(&'n str);

    impl<'de> Visitor<'de> for Find<'_> {
        type Value = Option<Value>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<Value>, A::Error> {
            let mut variant = None;
            while let Some(is_it) = map.next_key_seed(Is(self.0))? {
                match is_it {
                    true => variant = Some(map.next_value()?),
                    false => drop(map.next_value::<IgnoredAny>()?),
                }
            }
            Ok(variant)
        }
    }

    struct Is<'n>(&'n str);

    impl<'de> DeserializeSeed<'de> for Is<'_> {
        type Value = bool;

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
            deserializer.deserialize_str(self)
        }
    }

    impl Visitor<'_> for Is<'_> {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the name of a member")
        }

        fn visit_str<E>(self, name: &str) -> Result<bool, E> {
            Ok(name == self.0)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    match (&mut deserializer).deserialize_map(Find(name)) {
        Ok(Some(Value::String(text))) => Tag::Text(text),
        Ok(Some(Value::Number(number))) => Tag::Text(number.to_string()),
        Ok(None | Some(Value::Null)) => Tag::Absent,
        Ok(Some(_)) | Err(_) => Tag::Other,
    }
}

/// Returns the variant that decodes the value and covers most of it; the first of equals. Integers in other notations
/// are tried only if nothing fits without them.
fn by_fit<T>(text: &str, variants: &[&dyn Variant<T>]) -> Result<Option<T>, serde_json::Error> {
    for whole in [false, true] {
        let mut best: Option<(T, i64)> = None;
        for variant in variants {
            let (candidate, points) = covered(|| json::within(text, || variant.fitting(text, whole)));
            if let Ok(candidate) = candidate?
                && best.as_ref().is_none_or(|(_, most)| points > *most)
            {
                best = Some((candidate, points));
            }
        }
        if let Some((variant, points)) = best {
            super::record::cover(points);
            return Ok(Some(variant));
        }
    }
    Ok(None)
}

/// Converts the error of a variant into the format's.
fn in_union<E: serde::de::Error>(union: &'static str, cause: &serde_json::Error) -> E {
    E::custom(format_args!("`{union}`: {cause}"))
}

/// Writes a variant, with its tag if the variant does not write it itself.
pub fn with_tag<S: Serializer>(
    serializer: S,
    tag: &'static str,
    text: &'static str,
    variant: &dyn super::Argument,
) -> Result<S::Ok, S::Error> {
    let value = super::to_value(variant).map_err(serde::ser::Error::custom)?;
    let Value::Object(mut members) = value else { return value.serialize(serializer) };
    let own = members.remove(tag).filter(|value| !value.is_null());
    // Readers of tagged unions in .NET require the tag first.
    let mut tagged = Object::new();
    tagged.set(tag, own.unwrap_or_else(|| text.into()));
    tagged.extend(members);
    tagged.serialize(serializer)
}

/// Writes a variant as the only member of an object.
pub fn keyed<S: Serializer>(serializer: S, name: &'static str, variant: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, variant)?;
    map.end()
}

/// Returns the only member of an object that is not null: its name, and its value as text.
fn only_member<E: serde::de::Error>(text: &str) -> Result<(String, Kept), E> {
    let Ok(Value::Object(members)) = Value::read(text) else {
        return Err(E::custom("an object with one member is expected"));
    };
    let mut set = members.into_iter().filter(|(_, value)| !value.is_null());
    match (set.next(), set.next()) {
        (Some((name, value)), None) => Ok((name, value.to_string())),
        _ => Err(E::custom("exactly one member has a value")),
    }
}

/// Implements serde for an enum with `Unknown(Value)`: the member `tag` names the variant.
#[doc(hidden)]
#[macro_export]
macro_rules! __tagged_union {
    ($type:ident, $tag:literal { $($variant:ident($inner:ty) = $first:literal $(| $more:literal)*),* $(,)? }) => {
        impl<'de> $crate::codegen::Deserialize<'de> for $type {
            fn deserialize<D: $crate::codegen::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::codegen::tagged(
                    deserializer,
                    ::core::stringify!($type),
                    $tag,
                    &[$((&[$first $(, $more)*], &(Self::$variant as fn($inner) -> Self))),*],
                    Self::Unknown,
                )
            }
        }
        impl $crate::codegen::Serialize for $type {
            fn serialize<S: $crate::codegen::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(inner) => $crate::codegen::with_tag(serializer, $tag, $first, inner),)*
                    Self::Unknown(value) => $crate::codegen::Serialize::serialize(value, serializer),
                }
            }
        }
    };
}

/// Implements serde for an enum: the value is an object whose only member names the variant.
#[doc(hidden)]
#[macro_export]
macro_rules! __keyed_union {
    ($type:ident { $($variant:ident($inner:ty) = $name:literal),* $(,)? }) => {
        impl<'de> $crate::codegen::Deserialize<'de> for $type {
            fn deserialize<D: $crate::codegen::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::codegen::by_key(
                    deserializer,
                    ::core::stringify!($type),
                    &[$(($name, &(Self::$variant as fn($inner) -> Self))),*],
                )
            }
        }
        impl $crate::codegen::Serialize for $type {
            fn serialize<S: $crate::codegen::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(inner) => $crate::codegen::keyed(serializer, $name, inner),)*
                }
            }
        }
    };
}

/// Implements serde for an enum with `Unknown(Value)`: the best fitting variant is used.
#[doc(hidden)]
#[macro_export]
macro_rules! __untagged_union {
    ($type:ident { $($variant:ident($inner:ty)),* $(,)? }) => {
        impl<'de> $crate::codegen::Deserialize<'de> for $type {
            fn deserialize<D: $crate::codegen::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::codegen::untagged(
                    deserializer,
                    ::core::stringify!($type),
                    &[$(&(Self::$variant as fn($inner) -> Self)),*],
                    Self::Unknown,
                )
            }
        }
        impl $crate::codegen::Serialize for $type {
            fn serialize<S: $crate::codegen::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(inner) => $crate::codegen::Serialize::serialize(inner, serializer),)*
                    Self::Unknown(value) => $crate::codegen::Serialize::serialize(value, serializer),
                }
            }
        }
    };
}

/// Converts the value of each variant into the union, if all have types of their own.
#[doc(hidden)]
#[macro_export]
macro_rules! __from_variants {
    ($union:ident { $($variant:ident($type:ty) $kind:ident),* $(,)? }) => {
        $(impl ::core::convert::From<$type> for $union {
            #[inline]
            fn from(value: $type) -> Self {
                $crate::codegen::from_variants!(@ $variant value $kind)
            }
        })*
    };
    (@ $variant:ident $value:ident boxed) => { Self::$variant(::std::boxed::Box::new($value)) };
    (@ $variant:ident $value:ident plain) => { Self::$variant($value) };
}
