//! Identifiers with a type of their own: a scalar on the wire, and no other scalar in Rust.

/// Implements conversions, `Display`, `FromStr` and serde for a struct around one scalar, which has its derives.
#[doc(hidden)]
#[macro_export]
macro_rules! __identifier {
    ($type:ident { String }) => {
        $crate::codegen::identifier!($type { scalar String });
        impl $type {
            /// Returns the text on the wire.
            #[inline]
            pub fn as_str(&self) -> &::core::primitive::str {
                &self.0
            }
        }
        impl ::core::convert::AsRef<::core::primitive::str> for $type {
            #[inline]
            fn as_ref(&self) -> &::core::primitive::str {
                &self.0
            }
        }
        impl ::core::convert::From<&::core::primitive::str> for $type {
            #[inline]
            fn from(text: &::core::primitive::str) -> Self {
                Self(::std::borrow::ToOwned::to_owned(text))
            }
        }
    };
    ($type:ident { $scalar:ident }) => {
        $crate::codegen::identifier!($type { scalar $scalar });
    };
    ($type:ident { scalar $scalar:ident }) => {
        impl ::core::convert::From<$scalar> for $type {
            #[inline]
            fn from(scalar: $scalar) -> Self {
                Self(scalar)
            }
        }
        impl ::core::convert::From<$type> for $scalar {
            #[inline]
            fn from(id: $type) -> Self {
                id.0
            }
        }
        impl ::core::fmt::Display for $type {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.0, f)
            }
        }
        impl ::core::str::FromStr for $type {
            type Err = <$scalar as ::core::str::FromStr>::Err;
            #[inline]
            fn from_str(text: &::core::primitive::str) -> ::core::result::Result<Self, Self::Err> {
                <$scalar as ::core::str::FromStr>::from_str(text).map(Self)
            }
        }
        impl $crate::codegen::Serialize for $type {
            fn serialize<S: $crate::codegen::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::codegen::Serialize::serialize(&self.0, serializer)
            }
        }
        impl<'de> $crate::codegen::Deserialize<'de> for $type {
            fn deserialize<D: $crate::codegen::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                <$scalar as $crate::codegen::Deserialize<'de>>::deserialize(deserializer).map(Self)
            }
        }
    };
}
