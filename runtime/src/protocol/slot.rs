//! The kinds of members: required, optional, nullable, maybe, extra, rest.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize, de::MapAccess, ser::SerializeMap};

use crate::{
    Maybe,
    json::{Object, Value},
};

/// The slot for the value of one member while a record is read.
pub trait Slot<'de, A: MapAccess<'de>> {
    /// Reads the value of the member.
    fn read(&mut self, map: &mut A) -> Result<(), A::Error>;

    /// Reads the value of an undeclared member.
    fn extra(&mut self, _name: String, map: &mut A) -> Result<(), A::Error> {
        map.next_value::<serde::de::IgnoredAny>().map(drop)
    }

    /// Ends the reading of the record. The slot of a required member has a value afterwards.
    ///
    /// # Errors
    ///
    /// The member is required, and missing.
    fn end(&mut self, _record: &'static str, _name: &'static str) -> Result<(), A::Error> {
        Ok(())
    }
}

/// The error of a record that lacks a required member.
pub fn missing<E: serde::de::Error>(record: &'static str, field: &'static str) -> E {
    E::custom(format_args!("field `{field}` of `{record}` is missing"))
}

/// The slot of a required member.
#[derive(Debug)]
pub struct Required<T>(pub Option<T>);

impl<'de, A: MapAccess<'de>, T: Deserialize<'de>> Slot<'de, A> for Required<T> {
    fn read(&mut self, map: &mut A) -> Result<(), A::Error> {
        self.0 = Some(map.next_value()?);
        Ok(())
    }

    fn end(&mut self, record: &'static str, name: &'static str) -> Result<(), A::Error> {
        #[cfg(feature = "testing")]
        if self.0.is_none() {
            self.0 = super::blank::blank();
        }
        if self.0.is_some() { Ok(()) } else { Err(missing(record, name)) }
    }
}

/// The slot of an optional member of which null is a value.
#[derive(Debug)]
pub struct AnySlot<T>(pub Option<T>);

impl<'de, A: MapAccess<'de>, T: Deserialize<'de>> Slot<'de, A> for AnySlot<T> {
    fn read(&mut self, map: &mut A) -> Result<(), A::Error> {
        self.0 = Some(map.next_value()?);
        Ok(())
    }
}

impl<'de, A: MapAccess<'de>, T: Deserialize<'de>> Slot<'de, A> for Option<T> {
    fn read(&mut self, map: &mut A) -> Result<(), A::Error> {
        *self = map.next_value()?;
        Ok(())
    }
}

impl<'de, A: MapAccess<'de>, T: Deserialize<'de>> Slot<'de, A> for Maybe<T> {
    fn read(&mut self, map: &mut A) -> Result<(), A::Error> {
        *self = map.next_value()?;
        Ok(())
    }
}

impl<'de, A: MapAccess<'de>, T: Deserialize<'de>> Slot<'de, A> for BTreeMap<String, T> {
    fn read(&mut self, map: &mut A) -> Result<(), A::Error> {
        self.extra(String::new(), map)
    }

    fn extra(&mut self, name: String, map: &mut A) -> Result<(), A::Error> {
        let value = map.next_value()?;
        self.insert(name, value);
        Ok(())
    }
}

/// Members that the contract does not declare, of a type that is read and written back. They are kept unchanged, so
/// that a program loses nothing that a later version of the service has added. Without any, it has the size of a
/// pointer.
#[derive(Clone, Default, PartialEq)]
pub struct Undeclared(Option<Box<Object>>);

impl<'de, A: MapAccess<'de>> Slot<'de, A> for Undeclared {
    fn read(&mut self, map: &mut A) -> Result<(), A::Error> {
        self.extra(String::new(), map)
    }

    fn extra(&mut self, name: String, map: &mut A) -> Result<(), A::Error> {
        let value: Value = map.next_value()?;
        self.0.get_or_insert_default().set(name, value);
        Ok(())
    }
}

impl<M: SerializeMap> Put<M> for Undeclared {
    fn put(&self, _name: &'static str, map: &mut M) -> Result<(), M::Error> {
        let Some(members) = &self.0 else { return Ok(()) };
        members.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
    }
}

impl fmt::Debug for Undeclared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().flat_map(|members| members.iter())).finish()
    }
}

/// A value that is written as one member, or as none.
pub trait Put<M: SerializeMap> {
    /// Writes the member.
    fn put(&self, name: &'static str, map: &mut M) -> Result<(), M::Error>;
}

impl<M: SerializeMap, T: Serialize> Put<M> for T {
    fn put(&self, name: &'static str, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry(name, self)
    }
}

/// A member that is left out when it is `None`.
#[derive(Debug)]
pub struct IfSome<'a, T>(pub &'a Option<T>);

impl<M: SerializeMap, T: Serialize> Put<M> for IfSome<'_, T> {
    fn put(&self, name: &'static str, map: &mut M) -> Result<(), M::Error> {
        self.0.as_ref().map_or(Ok(()), |value| map.serialize_entry(name, value))
    }
}

/// A member that is left out when it is absent.
#[derive(Debug)]
pub struct IfPresent<'a, T>(pub &'a Maybe<T>);

impl<M: SerializeMap, T: Serialize> Put<M> for IfPresent<'_, T> {
    fn put(&self, name: &'static str, map: &mut M) -> Result<(), M::Error> {
        if self.0.is_absent() { Ok(()) } else { map.serialize_entry(name, self.0) }
    }
}

/// Undeclared members.
#[derive(Debug)]
pub struct EachEntry<'a, T>(pub &'a BTreeMap<String, T>);

impl<M: SerializeMap, T: Serialize> Put<M> for EachEntry<'_, T> {
    fn put(&self, _name: &'static str, map: &mut M) -> Result<(), M::Error> {
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
    }
}
