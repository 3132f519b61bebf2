//! Lists: filters, order, pages.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::part::{Extent, Filter};
use super::{Call, Engine, Outcome};
use crate::infer::{Collection, Pages, is_identifying};
use crate::number;
use crate::state::{Instance, Owner};

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
                is_invented &= item.is_invented;
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
        let items = instance.items().map(|(_, item)| item);
        let mut items: Vec<_> = items.filter(|item| is_selected(&item.value)).collect();
        if let Some((member, is_descending)) = query.order() {
            items.sort_by(|one, other| {
                let order = compare(one.value.get(&member), other.value.get(&member));
                if is_descending { order.reverse() } else { order }
            });
        }
        let total = items.len();
        let items: Vec<_> = items.into_iter().skip(start).take(limit).collect();
        let is_invented = items.iter().all(|item| item.is_invented);
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
        (wanted, value) => wanted == value,
    }
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
