//! Every operation of the sandbox's contract, called through the generated client: one file for each family.

#[cfg(has = "families/client_db")]
mod client_db;
#[cfg(has = "families/compliance")]
mod compliance;
#[cfg(has = "families/devops")]
mod devops;
#[cfg(has = "families/forum")]
mod forum;
#[cfg(has = "families/marketplace")]
mod marketplace;
#[cfg(has = "families/projects")]
mod projects;
#[cfg(has = "families/teams")]
mod teams;
#[cfg(has = "families/virtual_machines")]
mod virtual_machines;
#[cfg(has = "families/vm_agent")]
mod vm_agent;

use platform_client::Maybe;

use crate::support::{read, root};

/// A text value.
fn text(value: &str) -> Maybe<String> {
    Maybe::Value(value.to_owned())
}

/// The operations of a surface, as `family.operation`.
fn operations(surface: &str) -> Vec<(&str, &str)> {
    let names = surface.lines().filter_map(|line| line.split_whitespace().next());
    names.map(|name| name.split_once('.').unwrap_or_else(|| panic!("{name} names no family"))).collect()
}

/// The operations that the tests of their family do not call.
fn untested(surface: &str, source: impl Fn(&str) -> String) -> Vec<String> {
    let is_called = |family: &str, operation: &str| {
        let call = format!(".{operation}(");
        source(family).lines().any(|line| !line.trim_start().starts_with("//") && line.contains(&call))
    };
    let missing = operations(surface).into_iter().filter(|(family, operation)| !is_called(family, operation));
    missing.map(|(family, operation)| format!("{family}.{operation}")).collect()
}

#[cfg(contract = "sandbox")]
#[test]
fn every_operation_of_the_surface_is_called() {
    let client = read("specs/client.txt");
    let surface = client.split("\n\n").next().unwrap_or_default();
    assert!(!operations(surface).is_empty());
    let source = |family: &str| {
        let path = root().join("tests/families").join(format!("{family}.rs"));
        std::fs::read_to_string(path).unwrap_or_default()
    };
    assert_eq!(untested(surface, source), Vec::<String>::new(), "no test calls these operations");
}

#[test]
fn an_operation_without_a_test_is_named() {
    let surface = "a.get_one  GET /a\na.get  GET /b\nb.get  GET /c\n";
    let source = |family: &str| match family {
        "a" => "platform.a().get_one(&id)\n// platform.a().get()".to_owned(),
        _ => "platform.b()\n    .get(".to_owned(),
    };
    assert_eq!(untested(surface, source), ["a.get"]);
}
