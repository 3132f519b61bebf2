//! The configuration of a new client.

use driftless_codegen::{ClientNames, FamilyRule, line};
use url::Url;

use crate::settings::is_name;
use crate::source::stripped;
use crate::suggestions::quoted;

/// The name of the contract among the pinned ones.
pub(super) fn document_name(names: &ClientNames) -> String {
    let name = names.package.trim_end_matches("-client").to_lowercase();
    if is_name(&name) { name } else { "service".to_owned() }
}

/// The configuration before the families.
pub(super) fn head(names: &ClientNames, base: Option<&Url>) -> String {
    let ClientNames { package, name, variables } = names;
    let base =
        base.map(|base| format!("base_url = {}\n", quoted(stripped(base).trim_end_matches('/')))).unwrap_or_default();
    format!(
        "# The configuration of the client. `cargo xtask regenerate` reads it; unknown keys are errors.\n\n\
         [client]\npackage = {}\ntype = {}\nvariables = {}\n\n\
         # The rules by which names are derived. A later version changes no name until it is written here.\n[style]\nversion = 2\n\n\
         # The variable overrides `base_url`.\n[source]\nname = {}\n{base}base_url_env = {}\n\n\
         # The credentials of the download come from the variables that programs read. No key holds a secret.\n\
         [source.token]\nvariables = {}\n",
        quoted(package),
        quoted(name),
        quoted(variables),
        quoted(&document_name(names)),
        quoted(&format!("{variables}BASE_URL")),
        quoted(variables),
    )
}

/// The whole configuration: names, source, the place of the document if it was named, and the families.
pub(super) fn configuration(
    names: &ClientNames,
    base: Option<&Url>,
    document: Option<&str>,
    places: &str,
    families: &[FamilyRule],
) -> String {
    let mut text = head(names, base) + places;
    if let Some(place) = document {
        let (name, place) = (quoted(&document_name(names)), quoted(place));
        text.push_str(&format!("\n[[source.document]]\nname = {name}\ncontract = {place}\n"));
    }
    if !families.is_empty() {
        text.push_str(
            "\n# Route families: a module, a cargo feature and a method of the client each. Paths without a prefix here go by their tag.\n",
        );
    }
    for family in families {
        let list: Vec<String> = family.prefixes.iter().map(|prefix| quoted(prefix)).collect();
        text.push_str(&format!("[[family]]\nname = {}\nprefixes = [{}]\n", quoted(&family.name), list.join(", ")));
        if !family.covers.is_empty() {
            text.push_str(&format!("covers = {}\n", quoted(&line(&family.covers))));
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}
