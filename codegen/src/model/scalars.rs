//! Types of JSON that hold one value, by type and format.

use super::types::{Format, Type};

/// The type for a `type` and a `format`; `None`: there is no such type.
pub(super) fn scalar(name: &str, format: &str) -> Option<Type> {
    Some(match (name, format) {
        ("boolean", _) => Type::Boolean,
        ("integer", "int8") => Type::Integer("i8"),
        ("integer", "int16") => Type::Integer("i16"),
        ("integer", "int32") => Type::Integer("i32"),
        ("integer", "uint8" | "byte") => Type::Integer("u8"),
        ("integer", "uint16") => Type::Integer("u16"),
        ("integer", "uint32") => Type::Integer("u32"),
        ("integer", "uint64") => Type::Integer("u64"),
        ("integer", "int128" | "uint128") => Type::Decimal,
        ("integer", _) => Type::Integer("i64"),
        ("number", "float") => Type::Float,
        ("number", "int32") => Type::Integer("i32"),
        ("number", "int64") => Type::Integer("i64"),
        ("number", "decimal") => Type::Decimal,
        ("number", _) => Type::Double,
        ("string", "uuid" | "guid") => Type::String(Format::Uuid),
        ("string", "date-time") => Type::String(Format::DateTime),
        ("string", "date") => Type::String(Format::Date),
        ("string", "time") => Type::String(Format::Time),
        ("string", "date-span" | "duration" | "time-span" | "timespan") => Type::String(Format::TimeSpan),
        ("string", "byte" | "base64") => Type::String(Format::Byte),
        ("string", "binary") => Type::String(Format::Binary),
        ("string", _) => Type::String(Format::Text),
        // Swagger 2.0's `type: file`, where it was left in a 3.0 document.
        ("file", _) => Type::String(Format::Binary),
        _ => return None,
    })
}
