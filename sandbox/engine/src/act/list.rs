//! Lists: filters, order, pages.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Call, Engine, Outcome};
use crate::infer::{Collection, Pages, is_identifying};
use crate::state::Owner;

/// Elements of a page that nobody has limited.
pub(crate) const DEFAULT_LIMIT: usize = 1_000;

/// Items are only added for a list if its instance has fewer.
const MOST_ADDED: usize = 200;

/// One page of a list.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) page: Vec<Arc<Value>>,
    /// Elements of all pages.
    pub(crate) total: usize,
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
        if !query.is_selective() {
            let items = instance.items().skip(start).take(limit);
            let (mut page, mut is_invented) = (Vec::new(), true);
            for (_, item) in items {
                page.push(Arc::clone(&item.value));
                is_invented &= item.is_invented;
            }
            let total = instance.len();
            return Outcome::List(Listed {
                has_more: start + page.len() < total,
                page,
                total,
                start,
                limit,
                is_invented,
            });
        }
        let mut items: Vec<_> =
            instance.items().map(|(_, item)| item).filter(|item| query.selects(&item.value)).collect();
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
        Outcome::List(Listed { has_more: start + page.len() < total, page, total, start, limit, is_invented })
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
        if self.call.is_whole {
            return usize::MAX;
        }
        self.number(self.pages.limit.as_ref()).filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(DEFAULT_LIMIT)
    }

    /// Pages count from 1. A page 0 is the first one, too.
    fn start(&self) -> usize {
        if self.call.is_whole {
            return 0;
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
        (Some(Value::Number(one)), Some(Value::Number(other))) => {
            one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal)
        }
        (Some(Value::String(one)), Some(Value::String(other))) => one.cmp(other),
        (one, other) => one.is_some().cmp(&other.is_some()),
    }
}
