//! Filters and pages of collections, by what the query parameters are called.

use serde_json::{Map, Value, json};

use super::store::Item;

/// The items that match every parameter whose name, or singular, is a field of theirs.
pub(crate) fn filtered<'a>(items: impl Iterator<Item = &'a Item>, parameters: &Map<String, Value>) -> Vec<&'a Item> {
    items.filter(|item| parameters.iter().all(|(name, wanted)| matches(item, name, wanted))).collect()
}

/// A page of a collection: the items from `skip` on, `take` of them.
pub(crate) fn page(items: Vec<Value>, parameters: &Map<String, Value>) -> Item {
    let number = |name: &str| parameters.get(name).and_then(Value::as_i64).and_then(|n| usize::try_from(n).ok());
    let total = items.len();
    let skip = number("skip").unwrap_or(0);
    let take = number("take").unwrap_or(total);
    let items: Vec<Value> = items.into_iter().skip(skip).take(take).collect();
    match json!({ "items": items, "totalCount": total, "skip": skip, "take": take }) {
        Value::Object(page) => page,
        _ => Map::new(),
    }
}

fn matches(item: &Item, name: &str, wanted: &Value) -> bool {
    match wanted {
        Value::Object(fields) => fields.iter().all(|(name, wanted)| matches(item, name, wanted)),
        Value::Array(wanted) => {
            let field = item.get(name).or_else(|| item.get(name.strip_suffix('s')?));
            match field {
                Some(Value::Array(held)) => wanted.iter().any(|one| held.contains(one)),
                Some(held) => wanted.contains(held),
                None => true,
            }
        }
        _ => item.get(name).is_none_or(|held| held == wanted),
    }
}
