//! Open enums: strings and integers that keep unknown values.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{self, Error as _, MapAccess, Visitor},
};

use crate::json::{Decimal, digits};

/// Reads a string, without copying it if the format allows.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
    struct Text;
    impl<'de> Visitor<'de> for Text {
        type Value = Cow<'de, str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Cow::Borrowed(text))
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Cow::Owned(text.to_owned()))
        }

        fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
            Ok(Cow::Owned(text))
        }
    }
    deserializer.deserialize_str(Text)
}

/// Reads the value of an open enumeration.
///
/// # Errors
///
/// The value is not a string.
pub fn open<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    known: fn(&str) -> Option<T>,
    unknown: fn(String) -> T,
) -> Result<T, D::Error> {
    let text = text(deserializer)?;
    Ok(known(&text).unwrap_or_else(|| {
        unfit();
        unknown(text.into_owned())
    }))
}

/// Returns the value of an open enumeration for a text.
pub fn or_unknown<T>(text: &str, known: fn(&str) -> Option<T>, unknown: fn(String) -> T) -> T {
    known(text).unwrap_or_else(|| unknown(text.to_owned()))
}

/// Reads an integer, even if it is written with a fraction of zero, or as text.
pub fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    struct Integer;
    impl<'de> Visitor<'de> for Integer {
        type Value = i64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an integer")
        }

        fn visit_i64<E>(self, value: i64) -> Result<i64, E> {
            Ok(value)
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<i64, E> {
            i64::try_from(value).map_err(|_| E::custom("an integer above 64 bits"))
        }

        fn visit_f64<E: de::Error>(self, value: f64) -> Result<i64, E> {
            // From 2^53 on, a double is no longer a unique integer.
            const EXACT: f64 = 9_007_199_254_740_992.0;
            if value.fract() == 0.0 && value.abs() < EXACT {
                Ok(value as i64)
            } else {
                Err(E::custom("a number that is not an integer"))
            }
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<i64, E> {
            text.parse().map_err(|_| E::custom("a string that is not an integer"))
        }

        /// A number, if the feature `arbitrary_precision` of `serde_json` is on.
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<i64, A::Error> {
            let digits = digits(&mut map)?.and_then(Decimal::new);
            let integer = digits.as_ref().and_then(Decimal::to_integer);
            integer.ok_or_else(|| A::Error::custom("a value that is not an integer"))
        }
    }
    deserializer.deserialize_any(Integer)
}

/// Implements texts, `Display`, conversions and serde for an enum with `Unknown(String)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __string_enum {
    ($type:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        impl $type {
            /// Returns the text on the wire.
            #[inline]
            pub fn as_str(&self) -> &::core::primitive::str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(text) => text,
                }
            }
            #[inline]
            fn known(text: &::core::primitive::str) -> ::core::option::Option<Self> {
                match text {
                    $($text => ::core::option::Option::Some(Self::$variant),)*
                    _ => ::core::option::Option::None,
                }
            }
        }
        impl ::core::convert::From<&::core::primitive::str> for $type {
            #[inline]
            fn from(text: &::core::primitive::str) -> Self {
                $crate::codegen::or_unknown(text, Self::known, Self::Unknown)
            }
        }
        impl ::core::convert::From<::std::string::String> for $type {
            #[inline]
            fn from(text: ::std::string::String) -> Self {
                Self::known(&text).unwrap_or(Self::Unknown(text))
            }
        }
        impl ::core::convert::From<$type> for ::std::string::String {
            #[inline]
            fn from(value: $type) -> Self {
                match value {
                    $type::Unknown(text) => text,
                    known => ::std::borrow::ToOwned::to_owned(known.as_str()),
                }
            }
        }
        impl ::core::str::FromStr for $type {
            type Err = ::core::convert::Infallible;
            // Not `Self::Err`: a value may have this name.
            #[inline]
            fn from_str(text: &::core::primitive::str) -> ::core::result::Result<Self, ::core::convert::Infallible> {
                ::core::result::Result::Ok(<Self as ::core::convert::From<&::core::primitive::str>>::from(text))
            }
        }
        impl ::core::convert::AsRef<::core::primitive::str> for $type {
            #[inline]
            fn as_ref(&self) -> &::core::primitive::str {
                self.as_str()
            }
        }
        impl ::core::cmp::PartialEq<::core::primitive::str> for $type {
            #[inline]
            fn eq(&self, other: &::core::primitive::str) -> bool {
                self.as_str() == other
            }
        }
        impl ::core::cmp::PartialEq<&::core::primitive::str> for $type {
            #[inline]
            fn eq(&self, other: &&::core::primitive::str) -> bool {
                self.as_str() == *other
            }
        }
        impl ::core::fmt::Display for $type {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }
        impl $crate::codegen::Serialize for $type {
            fn serialize<S: $crate::codegen::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
        impl<'de> $crate::codegen::Deserialize<'de> for $type {
            fn deserialize<D: $crate::codegen::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::codegen::open(deserializer, Self::known, Self::Unknown)
            }
        }
    };
}

/// Implements numbers, `Display`, conversions and serde for an enum with `Unknown(iN)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __integer_enum {
    ($type:ident : $number:ident { $($variant:ident = $value:literal),* $(,)? }) => {
        impl $type {
            /// Returns the number on the wire.
            #[inline]
            pub const fn value(&self) -> $number {
                match self {
                    $(Self::$variant => $value,)*
                    Self::Unknown(value) => *value,
                }
            }
        }
        impl ::core::convert::From<$number> for $type {
            #[inline]
            fn from(value: $number) -> Self {
                match value {
                    $($value => Self::$variant,)*
                    _ => Self::Unknown(value),
                }
            }
        }
        impl ::core::convert::From<$type> for $number {
            #[inline]
            fn from(value: $type) -> Self {
                value.value()
            }
        }
        impl ::core::fmt::Display for $type {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.value(), f)
            }
        }
        impl $crate::codegen::Serialize for $type {
            fn serialize<S: $crate::codegen::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::codegen::Serialize::serialize(&self.value(), serializer)
            }
        }
        impl<'de> $crate::codegen::Deserialize<'de> for $type {
            fn deserialize<D: $crate::codegen::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                let number = $crate::codegen::integer(deserializer)?;
                let value = <$number as ::core::convert::TryFrom<::core::primitive::i64>>::try_from(number).map_err($crate::codegen::out_of_range)?;
                let read = <Self as ::core::convert::From<$number>>::from(value);
                if let Self::Unknown(_) = &read {
                    $crate::codegen::unfit();
                }
                ::core::result::Result::Ok(read)
            }
        }
    };
}

/// The error of a number that its enum cannot represent.
///
/// The type of the cause differs: no 64-bit number is out of the range of `i64`.
pub fn out_of_range<C, E: de::Error>(_: C) -> E {
    E::custom("a number out of range")
}

/// Records that a value was kept as unknown, so that an untagged union prefers a variant that knows it.
pub fn unfit() {
    super::record::cover(-1);
}
