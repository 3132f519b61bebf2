//! A part of a list that a front asks for, instead of a page of the operation.

use serde_json::Value;

use crate::infer::plain;
use crate::number;

/// A part of a list.
#[derive(Clone, Debug)]
pub(crate) struct ListPart {
    /// The position of its first element.
    pub(crate) start: usize,
    pub(crate) limit: usize,
    /// Conditions that the operation does not know. One whose member the items do not have applies to none.
    pub(crate) filters: Vec<Filter>,
}

/// A condition of the elements of a list.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) name: String,
    pub(crate) wanted: Value,
    /// The value of the member is the wanted one. Otherwise, it is one of several, whatever their letters.
    pub(crate) is_exact: bool,
}

/// The size of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The number of its elements, on all pages.
    pub(crate) total: usize,
    /// The number of items that were looked at.
    pub(crate) looked_at: usize,
    /// The number of filters that apply.
    pub(crate) filters: usize,
}

impl ListPart {
    /// All elements.
    pub(crate) fn whole() -> Self {
        Self { start: 0, limit: usize::MAX, filters: Vec::new() }
    }
}

impl Filter {
    pub(super) fn names(&self, member: &str) -> bool {
        plain(member) == plain(&self.name)
    }

    pub(super) fn has_member(&self, item: &Value) -> bool {
        member(item, &self.name).is_some()
    }

    pub(super) fn selects(&self, item: &Value) -> bool {
        member(item, &self.name).is_some_and(|value| match self.is_exact {
            true => *value == self.wanted,
            false => is_same(&self.wanted, value),
        })
    }
}

/// The member of a name, whatever its letters.
pub(crate) fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let members = value.as_object()?;
    members.get(name).or_else(|| {
        let wanted = plain(name);
        members.iter().find(|(other, _)| plain(other) == wanted).map(|(_, value)| value)
    })
}

/// Returns whether an argument selects a value: it is the value, or one of several.
fn is_same(wanted: &Value, value: &Value) -> bool {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match (wanted, value) {
        (Value::Array(wanted), _) => wanted.iter().any(|wanted| is_same(wanted, value)),
        (Value::Number(wanted), Value::Number(value)) => number::order(wanted, value).is_eq(),
        _ => plain(&text(wanted)) == plain(&text(value)),
    }
}
