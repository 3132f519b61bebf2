//! Short names for named schemas.

use std::collections::BTreeMap;

use crate::naming::ident::type_name;

/// Shortens the full names of .NET types as far as they stay apart.
#[derive(Debug)]
pub(super) struct Shortener {
    /// Number of names in the document with the same short form.
    counts: BTreeMap<String, usize>,
}

impl Shortener {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for name in names {
            *counts.entry(brief(name)).or_default() += 1;
        }
        Self { counts }
    }

    /// The Rust name for a named schema.
    pub(super) fn short(&self, name: &str) -> String {
        let brief = brief(name);
        if self.counts.get(&brief).is_some_and(|count| *count > 1) { type_name(name) } else { brief }
    }
}

/// ``Page`1[[Some.Name.Space.Order]]`` names a generic type and its arguments, each by its full name.
fn brief(name: &str) -> String {
    let generic = name.contains('`');
    // In `[[Some.Type, Assembly, Version=1.0.0.0]]` the first part is the type.
    let sections = name.split(['[', ']']).map(|section| match section.split_once(',') {
        Some((first, _)) if generic => first,
        _ => section,
    });
    let parts = sections.flat_map(|section| section.split(|c: char| !(c.is_alphanumeric() || "._+-".contains(c))));
    let parts = parts.filter(|part| !part.is_empty());
    let parts = parts.filter(|part| !(generic && part.bytes().all(|c| c.is_ascii_digit())));
    let text: Vec<&str> = parts.map(|part| last_of(part, generic)).collect();
    type_name(&text.join(" "))
}

/// The type's own name where the whole looks like a namespace with a type in it.
fn last_of(name: &str, generic: bool) -> &str {
    let segments: Vec<&str> = name.split(['.', '+']).collect();
    let is_full = segments.len() > 2 || (generic || name.contains('+')) && segments.len() > 1;
    match segments.last() {
        Some(last) if is_full && segments.iter().all(|segment| segment.starts_with(char::is_uppercase)) => last,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::Shortener;

    #[test]
    fn full_names_are_cut_where_nothing_else_has_the_same_end() {
        let cases = [
            ("Shop.Models.Order", "Order"),
            ("Shop.Models.User", "ShopModelsUser"),
            ("Admin.Models.User", "AdminModelsUser"),
            ("Page`1[[Shop.Models.Order]]", "PageOrder"),
            ("Shop.Pair`2[[Shop.Models.Order, Shop, Version=1.0.0.0],[System.String, mscorlib]]", "PairOrderString"),
            ("Outer+Inner", "Inner"),
            ("OrderPagedResult", "OrderPagedResult"),
            ("project.updated", "ProjectUpdated"),
        ];
        let shortener = Shortener::new(cases.iter().map(|(name, _)| *name));
        for (name, short) in cases {
            assert_eq!(shortener.short(name), short);
        }
    }
}
