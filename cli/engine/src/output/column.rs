//! The columns of a table and of CSV.

use std::collections::HashSet;

use driftless_runtime::Value;

use super::field::{self, Field};

/// The most members that are columns, if no fields are asked for: rows with different members would make a table whose
/// size is the square of the answer's.
pub(super) const MOST: usize = 1000;

/// Members that come first, without regard to case and underscores.
const FIRST: [&str; 13] = [
    "id",
    "name",
    "displayname",
    "title",
    "state",
    "status",
    "created",
    "createdat",
    "createdon",
    "createdtime",
    "creationdate",
    "creationtime",
    "createddatetime",
];

/// A column.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// A field that was asked for.
    Asked(Field),
    /// A member of the rows.
    Member(String),
    /// Rows that are not objects; the others, too, if `all`.
    Row {
        /// No other column shows the objects.
        all: bool,
    },
}

impl Column {
    /// The name of the column.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Asked(field) => &field.name,
            Self::Member(name) => name,
            Self::Row { .. } => "value",
        }
    }

    /// The value of a row in this column.
    pub(super) fn get<'v>(&self, row: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Asked(field) => field.get(row),
            Self::Member(name) => row.get(name),
            Self::Row { all } => Some(row).filter(|row| *all || !row.is_object()),
        }
    }

    /// All members of the rows, and the number of members that are too many.
    pub(super) fn all(rows: &[Value]) -> (Vec<Self>, usize) {
        let (names, left_out) = members(rows);
        let mut columns: Vec<_> = names.into_iter().map(|name| Self::Member(name.to_owned())).collect();
        if columns.is_empty() || rows.iter().any(|row| !row.is_object()) {
            columns.insert(0, Self::Row { all: columns.is_empty() });
        }
        (columns, left_out)
    }

    /// The columns of a table for people: members that are scalars, and not empty in all rows, the usual ones first.
    pub(super) fn for_people(rows: &[Value]) -> Vec<Self> {
        let (mut names, _) = members(rows);
        names.retain(|name| {
            let mut values = rows.iter().filter_map(|row| row.get(name));
            values.clone().all(field::is_scalar) && values.any(|value| !value.is_null() && value != "")
        });
        names.sort_by_key(|name| {
            let name: String = name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect();
            FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len())
        });
        let mut columns: Vec<_> = names.into_iter().map(|name| Self::Member(name.to_owned())).collect();
        if columns.is_empty() || rows.iter().any(|row| !row.is_object()) {
            columns.insert(0, Self::Row { all: columns.is_empty() });
        }
        columns
    }
}

/// The members of the rows, in the order in which they appear, and the number of those above the limit.
fn members(rows: &[Value]) -> (Vec<&str>, usize) {
    let (mut names, mut known) = (Vec::new(), HashSet::new());
    for (name, _) in rows.iter().filter_map(Value::as_object).flat_map(|members| members.iter()) {
        if known.insert(name) && names.len() < MOST {
            names.push(name);
        }
    }
    let left_out = known.len() - names.len();
    (names, left_out)
}
