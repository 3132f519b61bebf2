//! Reads the settings of a credential as keys of a table: of a profile, and of the tool's configuration.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, MapAccess, Visitor},
};

use super::table::{KEY_SETTINGS, KeySettings, SettingSlot};

/// A table that has the keys of a credential among its own.
pub trait Table: Default {
    /// Returns every key that the table takes.
    fn keys() -> Vec<&'static str>;

    /// Returns the slot for the value of a key that is a setting.
    fn slot(&mut self, key: &str) -> Option<SettingSlot<'_>>;

    /// Reads the value of another key.
    ///
    /// # Errors
    ///
    /// The value has another type.
    fn own<'de, A: MapAccess<'de>>(&mut self, _key: &str, _map: &mut A) -> Result<(), A::Error> {
        Ok(())
    }
}

/// Reads a table. An unknown key is an error.
///
/// # Errors
///
/// A key is unknown, or its value has another type.
pub fn table<'de, T: Table, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(TableVisitor(PhantomData))
}

struct TableVisitor<T>(PhantomData<T>);

impl<'de, T: Table> Visitor<'de> for TableVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let known = T::keys();
        let mut table = T::default();
        while let Some(key) = map.next_key_seed(Known(&known))? {
            match table.slot(&key) {
                Some(SettingSlot::Text(value) | SettingSlot::Env(value)) => *value = Some(map.next_value()?),
                Some(SettingSlot::Path(value)) => *value = Some(map.next_value()?),
                Some(SettingSlot::Words(value)) => *value = Some(map.next_value()?),
                Some(SettingSlot::Flag(value)) => *value = Some(map.next_value()?),
                Some(SettingSlot::Keys(value)) => *value = map.next_value()?,
                None => table.own(&key, &mut map)?,
            }
        }
        Ok(table)
    }
}

/// One of the known keys. The error of an unknown one is attached to the key, so that it has its line.
struct Known<'a>(&'a [&'static str]);

impl<'de> DeserializeSeed<'de> for Known<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let key = String::deserialize(deserializer)?;
        if self.0.contains(&key.as_str()) {
            return Ok(key);
        }
        Err(D::Error::custom(format!("unknown field `{key}`, expected one of `{}`", self.0.join("`, `"))))
    }
}

impl Table for KeySettings {
    fn keys() -> Vec<&'static str> {
        KEY_SETTINGS.iter().map(|setting| setting.key).collect()
    }

    fn slot(&mut self, key: &str) -> Option<SettingSlot<'_>> {
        let setting = KEY_SETTINGS.iter().find(|setting| setting.key == key)?;
        Some((setting.slot)(self))
    }
}

impl<'de> Deserialize<'de> for KeySettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        table(deserializer)
    }
}
