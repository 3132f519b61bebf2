//! The names and signatures that `docs/reading.md` lists are those of the clients.

use std::collections::BTreeMap;

use super::layout::client;
use super::{SERVICES, Service, Side};
use crate::support::read;

/// The platform's client, from its pinned contract.
#[cfg(contract = "sandbox")]
const PLATFORM: Service = Service {
    name: "platform",
    title: "The platform",
    contract: "specs/contracts/platform.json",
    features: &[],
    programs: &[],
};

/// The rows below the heading of a client: the texts before and after.
fn rows(page: &str, title: &str) -> Vec<[String; 2]> {
    let (_, section) = page.split_once(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("no heading {title}"));
    let section = section.split("\n## ").next().unwrap_or_default();
    let cell = |text: &str| text.split('`').nth(1).unwrap_or_default().to_owned();
    section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.split(" | ").collect();
            [cell(cells[0]), cell(cells[1])]
        })
        .collect()
}

/// The items of a client, as the page calls them: `family.operation`, or the path of a type without its module. Each has its
/// signatures without the module of types, and an operation those of its setters as well: `[id: &str]`.
fn items(service: &Service, contract: &[u8], side: Side) -> BTreeMap<String, String> {
    let output = client(service, contract, side);
    let mut signatures: BTreeMap<String, String> = BTreeMap::new();
    let mut setters: BTreeMap<String, String> = BTreeMap::new();
    for item in &output.api.items {
        let signature = item.signature.replace("types::", "");
        let parts: Vec<&str> = item.path.split("::").collect();
        match parts.as_slice() {
            ["families", family, "operations", operation, _] => {
                let own = setters.entry(format!("{family}::operations::{operation}")).or_default();
                own.push_str(&signature.replace("(self, ", "[").replace(") -> Self", "] "));
            }
            ["families", family, _, operation] if item.kind == "fn" => {
                signatures.insert(format!("{family}.{operation}"), signature);
            }
            [_, path @ ..] => drop(signatures.insert(path.join("::"), signature)),
            [] => {}
        }
    }
    for (name, signature) in &mut signatures {
        let family = name.split('.').next().unwrap_or_default();
        let operation = signature.rsplit("operations::").next().unwrap_or_default().trim_end_matches('>');
        let own = setters.get(&format!("{family}::operations::{operation}"));
        own.inspect(|own| signature.push_str(own));
    }
    signatures
}

/// The parts of a row's text that its signatures lack: its arguments, each with its type if the row says it, their number unless the
/// row has `…`, and its result.
fn lacks(text: &str, signatures: &str) -> Vec<String> {
    let (call, result) = text.split_once(" -> ").map_or((text, None), |(call, result)| (call, Some(result)));
    let arguments = call.split_once('(').map(|(_, rest)| rest.strip_suffix(')').unwrap_or(rest));
    let parts: Vec<&str> =
        arguments.unwrap_or("…").split(['{', '}', ',']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let mut lacking: Vec<String> = parts
        .iter()
        .filter(|part| **part != "…")
        .map(|part| match part.ends_with("Arguments") || part.contains(':') {
            true => (*part).to_owned(),
            false => format!("{part}:"),
        })
        .collect();
    lacking.extend(result.map(|result| format!("-> Call<'a, {result},")));
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '<';
    let has = |part: &str| {
        signatures.match_indices(part).any(|(at, _)| {
            let (before, behind) = (&signatures[..at], &signatures[at + part.len()..]);
            !before.ends_with(is_word) && !behind.starts_with(is_word)
        })
    };
    lacking.retain(|part| !has(part));
    // Setters, in brackets, do not count as arguments.
    let named = parts.iter().filter(|part| !part.starts_with('[') && !part.ends_with("Arguments")).count();
    let own = signatures.split(" -> ").next().unwrap_or_default().matches(": ").count();
    if !parts.iter().any(|part| part.contains('…')) && named != own {
        lacking.push(format!("{own} arguments"));
    }
    lacking
}

#[test]
#[ignore = "generates twelve clients: .ci/run --all runs it"]
fn the_names_and_signatures_of_the_reading_page_exist() {
    let page = read("docs/reading.md");
    let services = SERVICES.iter();
    #[cfg(contract = "sandbox")]
    let services = services.chain([&PLATFORM]);
    let mut wrong = Vec::new();
    for service in services {
        let Some(contract) = service.contract() else {
            println!("LEFT OUT: {} is not there", service.contract);
            continue;
        };
        let rows = rows(&page, service.title);
        assert!((15..=20).contains(&rows.len()), "{}: {} rows", service.name, rows.len());
        for (side, index) in [(Side::Before, 0), (Side::After, 1)] {
            let items = items(service, &contract, side);
            for row in &rows {
                let text = &row[index];
                let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.:".contains(c))).unwrap_or(text.len());
                let lacking = match items.get(text[..end].trim_end_matches(':')) {
                    Some(signatures) => lacks(text, signatures),
                    None => vec!["the name".to_owned()],
                };
                if !lacking.is_empty() {
                    wrong.push(format!("{} {}: {text}: {lacking:?}", service.name, side.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
