//! The page of a list that the arguments of a field ask for, whatever the pages of the operation are.

use serde_json::{Map, Value};

use crate::act::{DEFAULT_LIMIT, Filter, ListPart};
use crate::infer::{Pages, plain};

const LIMITS: &[&str] = &["first", "limit", "take", "pagesize", "perpage"];
const OFFSETS: &[&str] = &["skip", "offset"];
/// The arguments of pages of a connection.
pub(super) const OF_CONNECTIONS: [&str; 4] = ["first", "last", "after", "before"];

/// A part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) start: usize,
    pub(super) limit: usize,
}

impl Window {
    /// No element.
    pub(super) const EMPTY: Self = Self { start: 0, limit: 0 };

    /// Arguments have the names that the operation has for them, or usual ones.
    pub(super) fn new(arguments: &Map<String, Value>, pages: &Pages) -> Self {
        let is_filter = |name: &str| pages.filters.iter().any(|(filter, _)| plain(filter) == plain(name));
        let number = |declared: &Option<String>, usual: &[&str]| {
            let has_name = |name: &str| {
                let name = plain(name);
                declared.as_ref().is_some_and(|declared| plain(declared) == name) || usual.contains(&name.as_str())
            };
            let named = arguments.iter().filter(|(name, _)| has_name(name) && !is_filter(name));
            named.map(|(_, value)| value).find_map(|value| match value {
                Value::String(cursor) => cursor.parse().ok(),
                value => usize::try_from(value.as_u64()?).ok(),
            })
        };
        let limit = number(&pages.limit, LIMITS);
        let page: Option<usize> = number(&pages.page, &[]);
        let start = number(&pages.offset, OFFSETS)
            .or_else(|| number(&pages.cursor, &[]))
            .or_else(|| Some(page?.saturating_sub(1).saturating_mul(limit.unwrap_or(DEFAULT_LIMIT))));
        let whole = if page.is_some() { DEFAULT_LIMIT } else { usize::MAX };
        Self { start: start.unwrap_or(0), limit: limit.unwrap_or(whole) }
    }

    /// The page of a connection (GraphQL Cursor Connections Specification, "Pagination algorithm"), of a list with `total` elements. Without `last`,
    /// the page is the same for any greater total. A cursor is the place of its element in the list. The error is the name of an argument that has another value.
    pub(super) fn of_connection(
        arguments: &Map<String, Value>,
        pages: &Pages,
        total: usize,
    ) -> Result<Self, &'static str> {
        let cursor = |name: &'static str| match arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(cursor)) => cursor.parse::<usize>().map(Some).map_err(|_error| name),
            Some(_) => Err(name),
        };
        let count = |name: &'static str| match arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_u64().map(|count| Some(usize::try_from(count).unwrap_or(usize::MAX))).ok_or(name),
        };
        let others = arguments.iter().filter(|(name, _)| !OF_CONNECTIONS.contains(&name.as_str()));
        let Self { start, limit } =
            Self::new(&others.map(|(name, value)| (name.clone(), value.clone())).collect(), pages);
        let mut start = start.max(cursor("after")?.map_or(0, |place| place.saturating_add(1))).min(total);
        let mut end = cursor("before")?.unwrap_or(total).min(total).max(start);
        end = end.min(start.saturating_add(count("first")?.unwrap_or(limit)));
        start = start.max(end.saturating_sub(count("last")?.unwrap_or(usize::MAX)));
        Ok(Self { start, limit: end - start })
    }

    /// The part of the list that is this page, of the elements that filters select.
    pub(super) fn part(self, filters: Vec<Filter>) -> ListPart {
        ListPart { start: self.start, limit: self.limit, filters }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_have_the_names_of_the_operation_or_usual_ones() {
        let name = |name: &str| Some(name.to_owned());
        let pages = Pages { limit: name("max_results"), page: name("page"), cursor: name("after"), ..Pages::default() };
        let all = usize::MAX;
        for (arguments, start, limit) in [
            (json!({}), 0, all),
            (json!({ "maxResults": 5, "page": 3 }), 10, 5),
            (json!({ "first": 5, "offset": 2 }), 2, 5),
            (json!({ "after": "7" }), 7, all),
            (json!({ "page": 2 }), DEFAULT_LIMIT, DEFAULT_LIMIT),
            (json!({ "page": u64::MAX, "first": u64::MAX }), all, all),
            (json!({ "first": null, "skip": -1, "after": "x" }), 0, all),
        ] {
            let window = Window::new(arguments.as_object().unwrap(), &pages);
            assert_eq!(window, Window { start, limit }, "{arguments}");
        }
        // A parameter that filters by a member is not one of pages.
        let pages = Pages { filters: vec![("take".to_owned(), "take".to_owned())], ..Pages::default() };
        let window = Window::new(json!({ "take": 1 }).as_object().unwrap(), &pages);
        assert_eq!(window, Window { start: 0, limit: all });
    }

    /// The judge is the text of the specification: edges behind and before the cursors, then the first and the last of them.
    #[test]
    fn the_page_of_a_connection_is_that_of_the_specification() {
        let options = [None, Some(0), Some(1), Some(2), Some(5)];
        let all = [0, 1, 2, 3];
        for (after, before, first, last) in options
            .iter()
            .flat_map(|after| options.iter().map(move |before| (after, before)))
            .flat_map(|(after, before)| options.iter().map(move |first| (after, before, first)))
            .flat_map(|(after, before, first)| options.iter().map(move |last| (*after, *before, *first, *last)))
        {
            let mut edges = all.to_vec();
            edges.retain(|place| {
                after.is_none_or(|after| *place > after) && before.is_none_or(|before| *place < before)
            });
            edges.truncate(first.unwrap_or(edges.len()));
            edges.drain(..edges.len() - last.unwrap_or(edges.len()).min(edges.len()));
            let text = |place: Option<usize>| place.map(|place| place.to_string());
            let arguments = json!({ "after": text(after), "before": text(before), "first": first, "last": last });
            // The total is counted for the last elements only.
            for total in [Some(all.len()), last.is_none().then_some(usize::MAX)].into_iter().flatten() {
                let window = Window::of_connection(arguments.as_object().unwrap(), &Pages::default(), total).unwrap();
                let page: Vec<_> = all.iter().skip(window.start).take(window.limit).collect();
                assert_eq!(json!(page), json!(edges), "{arguments}, {total}");
            }
        }
        for (name, value) in [("after", json!("x")), ("before", json!(1)), ("first", json!(-1)), ("last", json!("2"))] {
            let arguments = Map::from_iter([(name.to_owned(), value)]);
            assert_eq!(Window::of_connection(&arguments, &Pages::default(), 4), Err(name));
        }
    }
}
