//! Lists: filters, order, pages.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::part::{Extent, Filter};
use super::{Call, Engine, Outcome};
use crate::infer::{Collection, Pages, is_identifying};
use crate::number;
use crate::state::{Instance, Item, Owner};

/// Elements of a page that nobody has limited.
pub(crate) const DEFAULT_LIMIT: usize = 1_000;

/// Items that are looked at for members that no schema declares.
const MOST_LOOKED_AT: usize = 10;

/// Items before a page that are passed over in the time that a look at one takes.
const PASSED_OVER: usize = 100;

/// Items are only added for a list if its instance has fewer.
const MOST_ADDED: usize = 200;

/// One page of a list.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) page: Vec<Arc<Value>>,
    /// Elements of all pages.
    pub(crate) total: usize,
    /// The number of items that were looked at, and of others that took as long.
    looked_at: usize,
    /// The number of filters of a part that apply.
    filters: usize,
    /// Position of the page's first element.
    pub(crate) start: usize,
    pub(crate) limit: usize,
    pub(crate) has_more: bool,
    pub(crate) is_invented: bool,
}

impl Engine {
    pub(super) fn list(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Outcome {
        let owner = self.owner(call, index, collection);
        self.begin(&owner, collection);
        let pages = &call.planned.pages;
        let query = Query { call, pages };
        if let Some(members) = self.missing(&query, &owner, collection) {
            self.add_invented(&owner, collection, &members);
        }
        let state = self.state();
        let Some(instance) = state.instance(&owner) else { return Outcome::Invented };
        let (start, limit) = (query.start(), query.limit());
        let filters = self.filters(call, instance, collection);
        if !query.is_selective() && filters.is_empty() {
            let items = instance.items().skip(start).take(limit);
            let (mut page, mut is_invented) = (Vec::new(), true);
            for (_, item) in items {
                page.push(Arc::clone(&item.value));
                is_invented &= item.is_invented();
            }
            let total = instance.len();
            return Outcome::List(Listed {
                has_more: start.saturating_add(page.len()) < total,
                looked_at: page.len() + start.min(total) / PASSED_OVER,
                filters: 0,
                page,
                total,
                start,
                limit,
                is_invented,
            });
        }
        let is_selected = |item: &Value| query.selects(item) && filters.iter().all(|filter| filter.selects(item));
        let selected = instance.items().map(|(_, item)| item).filter(|item| is_selected(&item.value));
        let window = start..start.saturating_add(limit);
        let (total, items) = match query.order() {
            Some((member, is_descending)) => ordered(selected.collect(), window, &member, is_descending),
            None => {
                let (mut total, mut items) = (0, Vec::new());
                for item in selected {
                    items.extend(window.contains(&total).then_some(item));
                    total += 1;
                }
                (total, items)
            }
        };
        let is_invented = items.iter().all(|item| item.is_invented());
        let page: Vec<_> = items.into_iter().map(|item| Arc::clone(&item.value)).collect();
        let (looked_at, filters) = (instance.len(), filters.len());
        let has_more = start.saturating_add(page.len()) < total;
        Outcome::List(Listed { page, total, looked_at, filters, start, limit, has_more, is_invented })
    }

    /// The filters of a part that apply: the schema of the items declares their members, or one of the first items has them.
    fn filters<'c>(&self, call: &Call<'c>, instance: &Instance, collection: &Collection) -> Vec<&'c Filter> {
        let Some(part) = call.part else { return Vec::new() };
        let outline = collection.item.as_ref().map(|schema| self.plan.outlines.get(schema));
        let applies = |filter: &&Filter| {
            let declared =
                outline.as_ref().is_some_and(|outline| outline.members.keys().any(|name| filter.names(name)));
            declared || instance.items().take(MOST_LOOKED_AT).any(|(_, item)| filter.has_member(&item.value))
        };
        part.filters.iter().filter(applies).collect()
    }

    /// The members that a list requires of its elements, if no element has them: as a path's parents do, they name a list of its own.
    fn missing(&self, query: &Query<'_>, owner: &Owner, collection: &Collection) -> Option<Map<String, Value>> {
        let parameters = &query.call.operation.parameters;
        let is_required =
            |name: &String| parameters.iter().any(|parameter| parameter.required && parameter.name == *name);
        let required = query.pages.filters.iter().filter(|(name, _)| is_required(name));
        let members: Map<String, Value> =
            required.filter_map(|(name, member)| Some((member.clone(), query.value(Some(name))?.clone()))).collect();
        let state = self.state();
        let instance = state.instance(owner)?;
        let has_members = |item: &Value| {
            members.iter().all(|(name, wanted)| item.get(name).is_some_and(|value| is_same(wanted, value)))
        };
        let is_full = instance.len() >= MOST_ADDED;
        if members.is_empty() || is_full || instance.items().any(|(_, item)| has_members(&item.value)) {
            return None;
        }
        drop(state);
        Some(self.renamed(collection, members))
    }

    pub(super) fn count(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Outcome {
        let owner = self.owner(call, index, collection);
        self.begin(&owner, collection);
        Outcome::Count(self.state().instance(&owner).map_or(0, |instance| instance.len()))
    }
}

impl Listed {
    pub(crate) fn extent(&self) -> Extent {
        Extent { total: self.total, looked_at: self.looked_at, filters: self.filters }
    }
}

/// The query of a list.
struct Query<'c> {
    call: &'c Call<'c>,
    pages: &'c Pages,
}

impl Query<'_> {
    fn value(&self, name: Option<&String>) -> Option<&Value> {
        self.call.read.query.get(name?)
    }

    fn number(&self, name: Option<&String>) -> Option<usize> {
        match self.value(name)? {
            Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn limit(&self) -> usize {
        if let Some(part) = self.call.part {
            return part.limit;
        }
        self.number(self.pages.limit.as_ref()).filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(DEFAULT_LIMIT)
    }

    /// Pages count from 1. A page 0 is the first one, too.
    fn start(&self) -> usize {
        if let Some(part) = self.call.part {
            return part.start;
        }
        let page = || Some(self.number(self.pages.page.as_ref())?.saturating_sub(1).saturating_mul(self.limit()));
        let offset = self.number(self.pages.offset.as_ref()).or_else(|| self.number(self.pages.cursor.as_ref()));
        offset.or_else(page).unwrap_or(0)
    }

    fn is_selective(&self) -> bool {
        let names = self.pages.filters.iter().map(|(name, _)| name).chain(&self.pages.text).chain(&self.pages.sort);
        names.into_iter().any(|name| self.call.read.query.contains_key(name))
    }

    fn selects(&self, item: &Value) -> bool {
        let filters =
            self.pages.filters.iter().filter_map(|(name, member)| Some((self.value(Some(name))?, item.get(member))));
        let text = self.value(self.pages.text.as_ref()).and_then(Value::as_str).unwrap_or_default().to_lowercase();
        let has_text = || {
            let members = item.as_object().into_iter().flatten();
            members
                .into_iter()
                .any(|(_, value)| value.as_str().is_some_and(|value| value.to_lowercase().contains(&text)))
        };
        filters.into_iter().all(|(wanted, value)| value.is_some_and(|value| is_same(wanted, value)))
            && (text.is_empty() || has_text())
    }

    /// The member to order by, and whether the order is descending: `name`, `-name`, `name:desc`, `name desc`.
    fn order(&self) -> Option<(String, bool)> {
        let sort = match self.value(self.pages.sort.as_ref())? {
            Value::Array(names) => names.first()?.as_str()?.to_owned(),
            value => value.as_str()?.to_owned(),
        };
        let direction = self.value(self.pages.direction.as_ref()).and_then(Value::as_str).unwrap_or_default();
        let is_descending = |text: &str| text.to_ascii_lowercase().starts_with("desc");
        let mut words = sort.split([':', ' ', ',']);
        let first = words.next()?;
        let is_reversed = first.starts_with('-') || words.next().is_some_and(is_descending) || is_descending(direction);
        Some((first.trim_start_matches(['-', '+']).to_owned(), is_reversed))
    }
}

/// Returns whether a value is the wanted one, or one of the wanted ones. Texts are compared without regard to case.
fn is_same(wanted: &Value, value: &Value) -> bool {
    match (wanted, value) {
        (Value::Array(wanted), value) => wanted.iter().any(|wanted| is_same(wanted, value)),
        (wanted, Value::Array(values)) => values.iter().any(|value| is_same(wanted, value)),
        // A reference to another item.
        (wanted, Value::Object(members)) => {
            members.iter().any(|(name, value)| is_identifying(name, "") && !value.is_object() && is_same(wanted, value))
        }
        (Value::String(wanted), Value::String(value)) => wanted.eq_ignore_ascii_case(value),
        (Value::String(wanted), value) => value.to_string().as_str() == wanted,
        (Value::Number(wanted), Value::Number(value)) => number::order(wanted, value).is_eq(),
        (wanted, value) => wanted == value,
    }
}

/// The number of items, and those of a window in the order of a member. Only these are sorted, not the whole list before and behind them.
fn ordered<'i>(
    items: Vec<&'i Item>,
    window: Range<usize>,
    member: &str,
    is_descending: bool,
) -> (usize, Vec<&'i Item>) {
    let total = items.len();
    let (start, end) = (window.start.min(total), window.end.min(total));
    // Items that are equal keep their order.
    let mut items: Vec<(Option<&Value>, usize, &Item)> =
        items.into_iter().enumerate().map(|(place, item)| (item.value.get(member), place, item)).collect();
    type Placed<'v, 'i> = (Option<&'v Value>, usize, &'i Item);
    let order = |one: &Placed<'_, '_>, other: &Placed<'_, '_>| {
        let order = compare(one.0, other.0);
        let order = if is_descending { order.reverse() } else { order };
        order.then(one.1.cmp(&other.1))
    };
    if end < total {
        items.select_nth_unstable_by(end, order);
        items.truncate(end);
    }
    if 0 < start && start < items.len() {
        items.select_nth_unstable_by(start, order);
    }
    let mut items = items.split_off(start);
    items.sort_unstable_by(order);
    (total, items.into_iter().map(|(_, _, item)| item).collect())
}

fn compare(one: Option<&Value>, other: Option<&Value>) -> Ordering {
    match (one, other) {
        (Some(Value::Number(one)), Some(Value::Number(other))) => number::order(one, other),
        (Some(Value::String(one)), Some(Value::String(other))) => one.cmp(other),
        (Some(Value::Bool(one)), Some(Value::Bool(other))) => one.cmp(other),
        (one, other) => rank(one).cmp(&rank(other)),
    }
}

/// The place of a kind of values in the order: a sort needs one place for each value, whatever the others are.
fn rank(value: Option<&Value>) -> u8 {
    match value {
        None => 0,
        Some(Value::Null) => 1,
        Some(Value::Bool(_)) => 2,
        Some(Value::Number(_)) => 3,
        Some(Value::String(_)) => 4,
        Some(Value::Array(_) | Value::Object(_)) => 5,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Catches a window that is not the part of the sorted list, and equal items that change places.
    #[test]
    fn a_window_is_the_part_of_the_sorted_list() {
        let items: Vec<Item> =
            (0..50_u64).map(|place| Item::new(json!({ "rank": place * 7 % 5, "place": place }), false)).collect();
        for is_descending in [false, true] {
            let mut sorted: Vec<&Item> = items.iter().collect();
            sorted.sort_by(|one, other| {
                let order = compare(one.value.get("rank"), other.value.get("rank"));
                if is_descending { order.reverse() } else { order }
            });
            let places = |items: &[&Item]| items.iter().map(|item| item.value["place"].clone()).collect::<Vec<_>>();
            for window in [0..0, 0..1, 0..50, 0..99, 7..20, 49..50, 49..99, 50..60, 60..70, 3..usize::MAX] {
                let part = sorted.get(window.start.min(50)..window.end.min(50)).unwrap_or_default();
                let (total, ordered) = ordered(items.iter().collect(), window.clone(), "rank", is_descending);
                assert_eq!((total, places(&ordered)), (50, places(part)), "{window:?} {is_descending}");
            }
        }
    }
}
