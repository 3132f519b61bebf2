//! Short names for named schemas.

use crate::naming::ident::type_name;

/// The Rust name for a named schema: full names of .NET types keep only as much as tells them apart.
pub(super) fn short(name: &str, all: &[&str]) -> String {
    // `Page`1[[Some.Name.Space.Order]]` names the generic type and its arguments.
    let full = name.split(|c: char| !(c.is_alphanumeric() || "._+".contains(c))).filter(|part| !part.is_empty());
    let parts: Vec<&str> = full.collect();
    let text: String = parts.iter().map(|part| format!("{} ", last_of(part))).collect();
    let brief = type_name(text.trim());
    let is_full_name = |other: &str| other != name && type_name(last_of(other)) == type_name(last_of(name));
    if brief.is_empty() || all.iter().any(|other| is_full_name(other)) { type_name(name) } else { brief }
}

fn last_of(name: &str) -> &str {
    let trimmed = name.trim_end_matches(['.', '+', '_']);
    trimmed.rsplit(['.', '+']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn full_names_are_cut_where_nothing_else_has_the_same_end() {
        let all = ["Shop.Models.Order", "Shop.Models.User", "Admin.User", "Page`1[[Shop.Models.Order]]"];
        assert_eq!(short(all[0], &all), "Order");
        assert_eq!(short(all[1], &all), "ShopModelsUser");
        assert_eq!(short(all[2], &all), "AdminUser");
        assert_eq!(short("OrderPagedResult", &all), "OrderPagedResult");
    }
}
