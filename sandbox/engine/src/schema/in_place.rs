//! Keywords whose subschemas apply to the same value.

pub(super) const IN_PLACE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
pub(super) const IN_PLACE: [&str; 4] = ["not", "if", "then", "else"];
