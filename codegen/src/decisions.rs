//! Checks the rules of the configuration, by themselves and against the contracts.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::{ClientNames, MAIN};
use crate::model::{Routes, family_name};
use crate::naming::case::snake;
use crate::naming::ident::{camel, member_name};
use crate::output::Unused;
use crate::rules::{about, includes, problem, scoped, trimmed};
use crate::text::Ident;
use crate::{Config, Names, Report, Setup, ids, pointer};

/// Checks the rules by themselves.
pub(crate) fn check(setup: &Setup) -> Result<(), Report> {
    let mut report = Report::default();
    client(setup, &mut report);
    servers(setup, &mut report);
    families(setup, &mut report);
    for (key, prefixes) in [("include", &setup.config.include), ("exclude", &setup.config.exclude)] {
        let mut seen = BTreeMap::new();
        for (index, prefix) in prefixes.iter().enumerate() {
            let (document, prefix) = scoped(prefix);
            check_prefix((document, prefix), format!("/{key}/{index}"), &mut seen, key, &mut report);
        }
    }
    ids::check(setup, &mut report);
    for (key, name) in setup.config.rename.iter().filter(|(_, name)| Ident::new(name).is_none()) {
        report.push(problem(
            "configuration/rename",
            pointer::join("/rename", key),
            format!("`{name}` is not a valid name in Rust"),
            "choose letters, digits and `_`, at most 120 of them, and no keyword",
        ));
    }
    report.into_result(())
}

fn client(setup: &Setup, report: &mut Report) {
    let ClientNames { package, name, variables } = &setup.config.client;
    let mut wrong = |key: &str, value: &str, is: &str, hint: &str| {
        let message = format!("{value:?} is not {is}");
        report.push(problem("configuration/client", format!("/client/{key}"), message, hint));
    };
    let is_name = |text: &str, more: char| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.len() <= 64
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == more)
    };
    if !is_name(&package.replace('_', "-"), '-') || Ident::new(&package.replace('-', "_")).is_none() {
        wrong("package", package, "a name of a package", "use letters, digits and `-`, beginning with a letter");
    }
    if !is_name(name, '_') || camel(name) != *name || setup.reserved.types.contains(name) {
        wrong(
            "type",
            name,
            "a free name of a type",
            "write it in camel case, such as `Orders`, and choose a name that no type of the runtime has",
        );
    }
    if !is_name(variables, '_') || variables.to_ascii_uppercase() != *variables || !variables.ends_with('_') {
        wrong(
            "variables",
            variables,
            "the prefix of variables",
            "use upper-case letters, digits and `_`, ending with `_`",
        );
    }
}

/// Names of a client for a service of this title: `Orders API` is `orders-client`, `Orders` and `ORDERS_`.
#[must_use]
pub fn client_names(title: &str, setup: &Setup) -> ClientNames {
    const SAY_NOTHING: [&str; 10] =
        ["api", "client", "http", "openapi", "public", "rest", "service", "swagger", "the", "web"];
    let says = |word: &&str| {
        let lower = word.to_lowercase();
        let number = lower.strip_prefix('v').unwrap_or(&lower);
        !SAY_NOTHING.contains(&lower.as_str()) && !number.chars().all(|c| c.is_ascii_digit())
    };
    let words: Vec<String> = title.split(|c: char| !c.is_alphanumeric()).filter(says).take(4).map(camel).collect();
    // Joined words may be other words: `US` and `Epa` are `UsEpa`.
    let name = camel(&words.concat());
    let is_usable = name.len() <= 40 && Ident::new(&name).is_some() && name.is_ascii();
    if words.is_empty() || !is_usable || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return ClientNames::default();
    }
    let name = if setup.reserved.types.contains(&name) { name + "Service" } else { name };
    let snake = snake(&name);
    ClientNames { package: format!("{}-client", snake.replace('_', "-")), variables: snake.to_uppercase() + "_", name }
}

fn servers(setup: &Setup, report: &mut Report) {
    let mut names = BTreeSet::new();
    let mut documents: BTreeMap<&str, &str> = BTreeMap::new();
    for (index, server) in setup.config.servers.iter().enumerate() {
        let place = format!("/server/{index}");
        let mut problem = |key: &str, message: String, hint: &str| {
            report.push(problem("configuration/server", format!("{place}/{key}"), message, hint));
        };
        if Ident::new(&server.name).is_none() || member_name(&server.name) != server.name {
            let hint = "use lower-case letters, digits and `_`, beginning with a letter";
            problem("name", format!("the server name {:?} is not a name in snake case", server.name), hint);
        }
        if !names.insert(&server.name) {
            problem(
                "name",
                format!("two [[server]] have the name {:?}", server.name),
                "name all documents in one entry",
            );
        }
        for (number, document) in server.documents.iter().enumerate() {
            if let Some(other) = documents.insert(document, &server.name) {
                let message = format!("the document {document:?} is that of the server {other:?} already");
                problem(&format!("documents/{number}"), message, "a document has one server");
            }
        }
    }
}

fn families(setup: &Setup, report: &mut Report) {
    let mut names = BTreeSet::new();
    let mut seen = BTreeMap::new();
    for (index, family) in setup.config.families.iter().enumerate() {
        let place = format!("/family/{index}");
        let server = family.server.as_deref().filter(|name| *name != MAIN);
        if let Some(name) = server.filter(|name| !setup.config.servers.iter().any(|server| server.name == **name)) {
            report.push(problem(
                "configuration/server",
                format!("{place}/server"),
                format!("the family {:?} is of the server {name:?}, which no [[server]] names", family.name),
                "add the [[server]], or leave the key out for the main server",
            ));
        }
        let free = family_name(setup, &family.name);
        if *free != *family.name {
            let reason = match free.strip_prefix(family.name.as_str()) {
                Some(_) => "is taken by the language, the file system or the client",
                None => "is not a name in snake case",
            };
            report.push(problem(
                "configuration/family",
                format!("{place}/name"),
                format!("the family name {:?} {reason}", family.name),
                &format!("write name = \"{free}\""),
            ));
        }
        if !names.insert((server, &family.name)) {
            report.push(problem(
                "configuration/family",
                format!("{place}/name"),
                format!("two [[family]] have the name {:?}", family.name),
                "name all prefixes of a family in one entry",
            ));
        }
        if family.prefixes.is_empty() {
            report.push(problem(
                "configuration/prefix",
                format!("{place}/prefixes"),
                format!("the family {:?} has no prefix", family.name),
                "write one, such as prefixes = [\"/api/projects/v1\"], or remove the entry",
            ));
        }
        for (number, prefix) in family.prefixes.iter().enumerate() {
            let owner = format!("the family {:?}", family.name);
            check_prefix((server, prefix), format!("{place}/prefixes/{number}"), &mut seen, &owner, report);
        }
    }
}

/// A prefix begins paths of the contract, and stands once for a document or server. `seen`: prefix → who has it.
fn check_prefix<'c>(
    (scope, prefix): (Option<&'c str>, &'c str),
    place: String,
    seen: &mut BTreeMap<(Option<&'c str>, &'c str), String>,
    owner: &str,
    report: &mut Report,
) {
    let odd = |letter: char| letter.is_whitespace() || letter.is_control();
    let (message, hint) = if prefix.is_empty() {
        ("the prefix is empty".to_owned(), "write \"/\" for all paths, or remove it")
    } else if !prefix.starts_with('/') {
        (format!("the prefix {prefix:?} does not begin with `/`"), "write it as the paths of the contract begin")
    } else if prefix.contains("//") {
        (format!("the prefix {prefix:?} holds `//`"), "write one `/` between segments")
    } else if prefix.split('/').any(|segment| matches!(segment, "." | "..")) {
        (format!("the prefix {prefix:?} holds `.` or `..`"), "write the path that it leads to")
    } else if prefix.contains(['?', '#']) || prefix.contains(odd) {
        (
            format!("the prefix {prefix:?} contains characters that no path can"),
            "write the path alone, without query, fragment or spaces",
        )
    } else if let Some(other) = seen.insert((scope, trimmed(prefix)), owner.to_owned()) {
        (format!("the prefix {prefix:?} appears twice, the first time in {other}"), "keep one of them")
    } else {
        return;
    };
    report.push(problem("configuration/prefix", place, message, hint));
}

/// Returns the rules that change nothing. Rules that leave no operation of the contracts are a problem.
pub(crate) fn unused(config: &Config, routes: &Routes, names: &Names) -> Result<Vec<Unused>, Report> {
    if routes.admitted == 0 && !routes.templates.is_empty() {
        let key = if config.include.is_empty() { "exclude" } else { "include" };
        let first: Vec<&str> = routes.templates.iter().take(3).map(|(_, path)| path.as_str()).collect();
        return Err(Report::from(problem(
            "configuration/nothing-left",
            format!("/{key}"),
            format!(
                "include and exclude leave none of the {} paths of the contract, such as {}",
                routes.templates.len(),
                first.join(", ")
            ),
            "write prefixes that paths of the contract begin with",
        )));
    }
    let mut unused = Vec::new();
    let mut say = |pointer: String, what: String| unused.push(Unused { pointer, what });
    let known = |entry: &str| routes.templates.iter().any(|(document, path)| about(entry, document, path));
    for (index, prefix) in config.include.iter().enumerate().filter(|(_, prefix)| !known(prefix)) {
        say(format!("/include/{index}"), format!("include {prefix:?}: no path of the contract begins with it"));
    }
    for (index, prefix) in config.exclude.iter().enumerate() {
        let mut included = routes.templates.iter().filter(|(document, path)| includes(config, document, path));
        if !included.any(|(document, path)| about(prefix, document, path)) {
            say(format!("/exclude/{index}"), format!("exclude {prefix:?}: no path that is included begins with it"));
        }
    }
    for (index, server) in config.servers.iter().enumerate() {
        for (number, document) in server.documents.iter().enumerate() {
            if !routes.documents.contains(document) {
                let what = format!("document {document:?} of the server {:?}: no contract has this name", server.name);
                say(format!("/server/{index}/documents/{number}"), what);
            }
        }
    }
    for (index, family) in config.families.iter().enumerate() {
        let place = format!("/family/{index}");
        let server = family.server.clone().filter(|name| name != MAIN);
        if !routes.families.contains(&(server.clone(), family.name.clone())) {
            say(place, format!("family {:?}: it has no operation", family.name));
            continue;
        }
        for (number, prefix) in family.prefixes.iter().enumerate() {
            if !routes.prefixes.contains(&(server.clone(), trimmed(prefix).to_owned())) {
                let reason =
                    if known(prefix) { "longer prefixes take all of its paths" } else { "no path begins with it" };
                say(
                    format!("{place}/prefixes/{number}"),
                    format!("prefix {prefix:?} of family {:?}: {reason}", family.name),
                );
            }
        }
    }
    unused.extend(renames(config, names));
    Ok(unused)
}

/// Renames whose key nothing has, and those whose name was taken.
fn renames(config: &Config, names: &Names) -> Vec<Unused> {
    let given = |key: &str| {
        let operation = names.operations.get(key).and_then(|name| name.split_once('.')).map(|(_, name)| name);
        let others = [&names.types, &names.members, &names.graphql];
        let header = || names.headers.get(key).and_then(|name| name.split(' ').next());
        operation.or_else(|| others.iter().find_map(|names| names.get(key)).map(String::as_str)).or_else(header)
    };
    let mut unused = Vec::new();
    for (key, name) in &config.rename {
        let what = match given(key) {
            Some(other) if other == name => continue,
            Some(other) => format!("rename {key:?}: `{name}` is taken, so the name is `{other}`"),
            None => format!("rename {key:?}: nothing has this key; the keys stand in specs/names.lock"),
        };
        unused.push(Unused { pointer: pointer::join("/rename", key), what });
    }
    unused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_client_are_those_of_the_title_and_always_valid() {
        let setup = Setup {
            reserved: crate::Reserved { types: ["Call".to_owned()].into(), ..Default::default() },
            ..Setup::default()
        };
        for (title, package, name, variables) in [
            ("Radarr", "radarr-client", "Radarr", "RADARR_"),
            ("Swagger Petstore - OpenAPI 3.0", "petstore-client", "Petstore", "PETSTORE_"),
            ("The Orders Web API v2", "orders-client", "Orders", "ORDERS_"),
            ("eShop - Catalog HTTP API", "e-shop-catalog-client", "EShopCatalog", "E_SHOP_CATALOG_"),
            ("Call", "call-service-client", "CallService", "CALL_SERVICE_"),
            ("U.S. EPA Enforcement", "us-epa-enforcement-client", "UsEpaEnforcement", "US_EPA_ENFORCEMENT_"),
            ("", "service-client", "Service", "SERVICE_"),
            ("API", "service-client", "Service", "SERVICE_"),
            ("3D \u{202e}; fn x() {}", "n3d-fn-x-client", "N3dFnX", "N3D_FN_X_"),
            ("Größe", "grosse-client", "Grosse", "GROSSE_"),
        ] {
            let names = client_names(title, &setup);
            assert_eq!((&*names.package, &*names.name, &*names.variables), (package, name, variables), "{title}");
            let checked = Setup { config: Config { client: names.clone(), ..Config::default() }, ..setup.clone() };
            assert!(check(&checked).is_ok(), "{title}: {names:?}");
        }
    }
}
