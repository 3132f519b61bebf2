//! The names that `docs/reading.md` lists exist in the clients.

use std::collections::BTreeSet;

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

/// The items of a client, as the page calls them: `family.operation`, or the path of a type without its module.
fn names(service: &Service, contract: &[u8], side: Side) -> BTreeSet<String> {
    let output = client(service, contract, side);
    let operations = output.names.operations.values().cloned();
    let items = output.api.items.iter().map(|item| item.path.clone());
    let items =
        items.filter_map(|path| path.strip_prefix("types::").or(path.strip_prefix("families::")).map(str::to_owned));
    operations.chain(items).collect()
}

#[test]
#[ignore = "generates twelve clients: .ci/run runs it"]
fn the_names_of_the_reading_page_exist() {
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
            let names = names(service, &contract, side);
            for row in &rows {
                let text = &row[index];
                let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.:".contains(c))).unwrap_or(text.len());
                if !names.contains(text[..end].trim_end_matches(':')) {
                    wrong.push(format!("{} {}: {text}", service.name, side.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
