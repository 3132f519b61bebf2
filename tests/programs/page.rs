//! The page that shows the programs.

use super::{SERVICES, Service, Side};
use crate::support::{read, root};

const HEAD: &str = "# Ten programs, before and after

Each program is written twice: against the client of `[style] version = 1`, and against that of `version = 2`
([configuration](configuration.md#style-style)). Both send the same requests, byte for byte, and print the same lines: a test generates both
clients, compiles and runs the programs against a server that records, and compares (`tests/programs`). The requests are beside the programs.

The clients are those that `cargo driftless new` makes of the contracts in `../shared/contracts`.
";

fn page() -> String {
    let mut page = HEAD.to_owned();
    for service in &SERVICES {
        page.push_str(&format!("\n## {}\n", service.title));
        service.programs.iter().for_each(|program| page.push_str(&section(service, program)));
    }
    page
}

/// A program in both forms, as the cells of a table.
fn section(service: &Service, program: &super::Program) -> String {
    let folder = format!("tests/programs/{}/{}", service.name, program.name);
    let [before, after] = Side::BOTH.map(|side| read(&format!("{folder}/{}.rs", side.name())));
    let about = before.lines().next().and_then(|line| line.strip_prefix("//! ")).unwrap_or_default().to_owned();
    assert!(after.starts_with(&format!("//! {about}\n")), "{folder}: both forms have one description");
    let code = |text: &str| {
        let lines: Vec<&str> = text.lines().skip(1).collect();
        format!("```rust,ignore\n{}\n```", lines.join("\n").trim())
    };
    format!(
        "\n### {}\n\n{about} [Requests](../{folder}/requests.snap).\n\n<table>\n<tr><th>before</th><th>after</th></tr>\n<tr><td>\n\n{}\n\n\
         </td><td>\n\n{}\n\n</td></tr>\n</table>\n",
        program.name.replace('_', " "),
        code(&before),
        code(&after)
    )
}

#[test]
fn the_page_shows_the_programs_as_they_are() {
    let page = page();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(root().join("docs/programs.md"), &page).unwrap();
    }
    assert_eq!(
        read("docs/programs.md"),
        page,
        "write the page again: INSTA_UPDATE=always cargo test -p platform-tests programs"
    );
}

/// A program of a user: short, and without a part that only the test needs.
#[test]
fn the_programs_are_short_and_complete() {
    for (service, program) in SERVICES.iter().flat_map(|service| service.programs.iter().map(move |own| (service, own)))
    {
        for side in Side::BOTH {
            let file = service.folder(program).join(format!("{}.rs", side.name()));
            let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert!((15..=40).contains(&text.lines().count()), "{}", file.display());
            assert!(text.contains("pub async fn run("), "{}", file.display());
        }
    }
}
