//! Lists inside an object that only wraps them.

use driftless_runtime::Value;

use super::field;

/// Members that hold the rows of an answer, in the order in which they are looked for.
const LISTS: [&str; 5] = ["items", "data", "value", "results", "records"];

/// Members of a resource: an object that has one is a result itself, and its list is a part of it.
const RESOURCE: [&str; 3] = ["id", "name", "title"];

/// Values beside the rows that are printed.
const NOTES: usize = 10;

/// The rows of an answer, and the values beside them.
#[derive(Debug)]
pub(super) struct Envelope<'v> {
    pub(super) rows: &'v [Value],
    /// Scalars that are not null, such as a total.
    pub(super) others: Vec<(&'v str, &'v Value)>,
}

impl<'v> Envelope<'v> {
    /// Returns the rows of a list, or of an object that wraps one: its list has one of the usual names, or it is the only
    /// list, and its items are objects.
    pub(super) fn open(value: &'v Value) -> Option<Self> {
        if let Value::Array(rows) = value {
            return Some(Self { rows, others: Vec::new() });
        }
        let members = value.as_object()?;
        if RESOURCE.iter().any(|name| members.contains(name)) {
            return None;
        }
        let (list, rows) =
            LISTS.iter().find_map(|name| Some((*name, members.value(name)?.as_array()?))).or_else(|| {
                let mut lists = members.iter().filter_map(|(name, value)| Some((name, value.as_array()?)));
                lists.next().filter(|(_, rows)| lists.next().is_none() && rows.iter().all(Value::is_object))
            })?;
        let others =
            members.iter().filter(|(name, value)| *name != list && field::is_scalar(value) && !value.is_null());
        Some(Self { rows, others: others.collect() })
    }

    /// Lines such as `total: 132`, for people.
    pub(super) fn notes(&self) -> Vec<String> {
        let line = |(name, value): &(&str, &Value)| format!("{name}: {}", field::text(value));
        self.others.iter().take(NOTES).map(line).collect()
    }
}
