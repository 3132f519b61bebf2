//! The query parameters of a list: pages, filters, order.

use super::names::{CURSOR, DIRECTION, LIMIT, OFFSET, PAGE, SORT, TEXT, is_one, plain};
use crate::contract::{Location, Operation};
use crate::outline::Outline;

/// The names of query parameters, by their meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pages {
    pub(crate) limit: Option<String>,
    pub(crate) offset: Option<String>,
    pub(crate) page: Option<String>,
    pub(crate) cursor: Option<String>,
    pub(crate) sort: Option<String>,
    pub(crate) direction: Option<String>,
    pub(crate) text: Option<String>,
    /// Parameters and the members of an item that they filter by.
    pub(crate) filters: Vec<(String, String)>,
}

impl Pages {
    pub(super) fn read(operation: &Operation, item: Option<&Outline>) -> Self {
        let mut pages = Self::default();
        let query = operation.parameters.iter().filter(|parameter| parameter.location == Location::Query);
        for name in query.map(|parameter| &parameter.name) {
            let fields = [
                (LIMIT, &mut pages.limit),
                (OFFSET, &mut pages.offset),
                (PAGE, &mut pages.page),
                (CURSOR, &mut pages.cursor),
                (SORT, &mut pages.sort),
                (DIRECTION, &mut pages.direction),
                (TEXT, &mut pages.text),
            ];
            let member = item.and_then(|item| item.members.keys().find(|member| plain(member) == plain(name)));
            // If the item has a member with this name, the parameter filters by it: the `size` of a shirt is not a page size.
            let field = fields.into_iter().find(|(names, field)| field.is_none() && is_one(name, names));
            match (member, field) {
                (Some(member), _) => pages.filters.push((name.clone(), member.clone())),
                (None, Some((_, field))) => *field = Some(name.clone()),
                (None, None) => {}
            }
        }
        pages
    }

    /// The parameters in words, for `explain`.
    pub(super) fn describe(&self) -> String {
        let named = [
            ("limit", &self.limit),
            ("offset", &self.offset),
            ("page", &self.page),
            ("cursor", &self.cursor),
            ("order", &self.sort),
            ("text", &self.text),
        ];
        let mut parts: Vec<String> =
            named.into_iter().filter_map(|(meaning, name)| Some(format!("{meaning} `{}`", name.as_ref()?))).collect();
        parts.extend(self.filters.iter().map(|(parameter, member)| format!("filter `{parameter}` by `{member}`")));
        parts.join(", ")
    }
}
