//! Objects with declared members: serde by a table of slots, over one shared reader and one shared writer.
//!
//! A derive compiles a state machine for each struct. Here a struct is a list of names and a list of slots, and the
//! loop over the members exists once per format.

use std::{cell::Cell, fmt, marker::PhantomData};

use serde::{
    Serializer,
    de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor},
    ser::SerializeMap,
};

use super::{Index, Put, Slot};

/// A struct that `record!` describes.
pub trait Record<'de>: Sized {
    /// Reads the members.
    ///
    /// # Errors
    ///
    /// A member has another type, or a required one is missing.
    fn read<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error>;
}

/// Reads a record. The name of the type is for errors.
pub fn read<'de, T: Record<'de>, D: Deserializer<'de>>(deserializer: D, name: &'static str) -> Result<T, D::Error> {
    deserializer.deserialize_map(RecordVisitor(name, PhantomData))
}

struct RecordVisitor<T>(&'static str, PhantomData<T>);

impl<'de, T: Record<'de>> Visitor<'de> for RecordVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object (`{}`)", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::read(map)
    }
}

thread_local! {
    /// The coverage of the decoded value by declared members, on this thread. Untagged unions compare it between
    /// variants.
    static COVERED: Cell<i64> = const { Cell::new(0) };
}

/// Adds to the coverage of the value that is being decoded.
pub(crate) fn cover(points: i64) {
    COVERED.with(|covered| covered.set(covered.get().saturating_add(points)));
}

/// Runs a decode, and returns its points of coverage.
pub(crate) fn covered<T>(decode: impl FnOnce() -> T) -> (T, i64) {
    let before = COVERED.with(|covered| covered.replace(0));
    let value = decode();
    let points = COVERED.with(|covered| covered.replace(before));
    (value, points)
}

/// Moves the members of an object into their slots. If the last slot's name is empty, unknown members go there;
/// otherwise they are skipped.
///
/// # Errors
///
/// A slot does not accept its member, or a required one is missing: the error names member and type.
pub fn fields<'de, A: MapAccess<'de>>(
    mut map: A,
    record: &'static str,
    names: &'static [&'static str],
    slots: &mut [&mut dyn Slot<'de, A>],
) -> Result<(), A::Error> {
    let index = Index::get(names);
    let mut name = String::new();
    let mut after = 0;
    let mut known = 0;
    // If all declared members were there, which is the usual case, no slot is asked at the end. Of more than 64 members,
    // there are never as many bits.
    let mut seen = 0_u64;
    let declared = names.len() - usize::from(index.keeps_undeclared());
    while let Some(position) = map.next_key_seed(Key { index, after, name: &mut name })? {
        if let Some(slot) = slots.get_mut(position) {
            if let Err(cause) = slot.read(&mut map) {
                return Err(in_field(record, names, position, cause));
            }
            after = position + 1;
            known += 1;
            if position < declared {
                seen |= 1 << (position % 64);
            }
        } else if let Some(slot) = slots.last_mut().filter(|_| index.keeps_undeclared()) {
            slot.extra(std::mem::take(&mut name), &mut map)?;
        } else {
            map.next_value::<IgnoredAny>()?;
        }
    }
    cover(known);
    // The last slot is asked in any case: the contract may declare a member without a name.
    let complete = if u32::try_from(declared) == Ok(seen.count_ones()) { declared } else { 0 };
    slots.iter_mut().zip(names).skip(complete).try_for_each(|(slot, name)| slot.end(record, name))
}

#[cold]
fn in_field<E: serde::de::Error>(record: &'static str, names: &[&'static str], index: usize, cause: E) -> E {
    let name = names.get(index).copied().unwrap_or_default();
    E::custom(format_args!("field `{name}` of `{record}`: {cause}"))
}

/// Looks up a name among the declared ones.
struct Key<'k> {
    index: &'static Index,
    /// The position of the last declared member plus one; 0 before the first.
    after: usize,
    /// Receives the name of an undeclared member that is kept.
    name: &'k mut String,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = usize;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    #[inline]
    fn visit_str<E>(self, name: &str) -> Result<usize, E> {
        Ok(self.index.position(name, self.after, self.name))
    }
}

/// Writes a record: the names of its members, and their values.
pub fn write<S: Serializer>(
    serializer: S,
    names: &[&'static str],
    members: &[&dyn Put<S::SerializeMap>],
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (name, member) in names.iter().zip(members) {
        member.put(name, &mut map)?;
    }
    map.end()
}

/// The slot of a member, before it is read.
#[doc(hidden)]
#[macro_export]
macro_rules! __slot {
    (required) => {
        $crate::codegen::Required(::core::option::Option::None)
    };
    (optional) => {
        ::core::option::Option::None
    };
    (any) => {
        $crate::codegen::AnySlot(::core::option::Option::None)
    };
    (nullable) => {
        ::core::option::Option::None
    };
    (maybe) => {
        $crate::Maybe::Absent
    };
    (extra) => {
        ::std::collections::BTreeMap::new()
    };
    (rest) => {
        <$crate::codegen::Undeclared as ::core::default::Default>::default()
    };
}

/// The pattern of a slot whose member was read, with the value as the name.
#[doc(hidden)]
#[macro_export]
macro_rules! __full {
    (required $value:ident) => {
        $crate::codegen::Required(::core::option::Option::Some($value))
    };
    (any $value:ident) => {
        $crate::codegen::AnySlot($value)
    };
    ($kind:ident $value:ident) => {
        $value
    };
}

/// A member for writing.
#[doc(hidden)]
#[macro_export]
macro_rules! __put {
    (required $value:expr) => {
        &$value
    };
    (nullable $value:expr) => {
        &$value
    };
    (optional $value:expr) => {
        &$crate::codegen::IfSome(&$value)
    };
    (any $value:expr) => {
        &$crate::codegen::IfSome(&$value)
    };
    (maybe $value:expr) => {
        &$crate::codegen::IfPresent(&$value)
    };
    (extra $value:expr) => {
        &$crate::codegen::EachEntry(&$value)
    };
    (rest $value:expr) => {
        &$value
    };
}

/// Implements serde for a struct, from a table of its members: Rust name, kind, name on the wire.
///
/// Kinds: `required` (`T`), `optional` (`Option<T>`, left out when `None`), `any` (`Option<Value>`, of which null is a
/// value), `nullable` (`Option<T>`, written as null), `maybe` (`Maybe<T>`), and, last and without a name, the
/// undeclared members: `extra` (`BTreeMap<String, T>`), which are public, or `rest` (`Undeclared`), which are kept to
/// be written back.
#[doc(hidden)]
#[macro_export]
macro_rules! __record {
    ($type:ident { $($field:ident : $kind:ident $($wire:literal)?),* $(,)? }) => {
        impl<'de> $crate::codegen::Record<'de> for $type {
            #[allow(irrefutable_let_patterns, reason = "records without required members")]
            fn read<A: $crate::codegen::MapAccess<'de>>(map: A) -> ::core::result::Result<Self, A::Error> {
                let mut slots = ($($crate::codegen::slot!($kind),)*);
                let ($(ref mut $field,)*) = slots;
                $crate::codegen::fields(map, ::core::stringify!($type), &[$(::core::concat!($($wire)?)),*], &mut [$($field),*])?;
                let ($($crate::codegen::full!($kind $field),)*) = slots else {
                    return ::core::result::Result::Err($crate::codegen::missing(::core::stringify!($type), "one of its members"));
                };
                ::core::result::Result::Ok(Self { $($field),* })
            }
        }
        impl<'de> $crate::codegen::Deserialize<'de> for $type {
            fn deserialize<D: $crate::codegen::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::codegen::read(deserializer, ::core::stringify!($type))
            }
        }
        impl $crate::codegen::Serialize for $type {
            fn serialize<S: $crate::codegen::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::codegen::write(serializer, &[$(::core::concat!($($wire)?)),*], &[$($crate::codegen::put!($kind self.$field)),*])
            }
        }
    };
}
