//! The changes between two revisions of a service, in one report.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::drift::{self, Heading, Sides, Wire};
use driftless_codegen::{Config, Contract, Names, Setup, api, generate};
use platform_sandbox::Options;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The paged operations of the sandbox. The configuration of the workspace is for the pinned contract.
const PAGES: &str = r#"
[[pagination]]
operation = "GET /api/marketplace/v1/store-items"
items = "/items"
skip = "skip"

[[pagination]]
operation = "GET /api/forum/v1/threads"
items = "/items"
skip = "skip"
"#;

/// The sandbox's contract in a revision.
async fn contract(revision: u32) -> Vec<u8> {
    let options = Options { contract_revision: revision, ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let url = sandbox.contract_url();
    let (host, path) = url.trim_start_matches("http://").split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = format!("GET /{path} HTTP/1.0\r\nhost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let body = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    answer.split_off(body + 4)
}

/// Lines that git shows as removed or added: all but the longest common subsequence.
fn differing(before: &str, after: &str) -> usize {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut longest = vec![0; after.len() + 1];
    for old in &before {
        let mut diagonal = 0;
        for (column, new) in after.iter().enumerate() {
            let above = longest[column + 1];
            longest[column + 1] = if old == new { diagonal + 1 } else { above.max(longest[column]) };
            diagonal = above;
        }
    }
    before.len() + after.len() - 2 * longest[after.len()]
}

#[tokio::test]
async fn the_second_revision_of_the_sandbox_is_one_page() {
    let (before, after) = (contract(1).await, contract(2).await);
    let [before, after] = [&before, &after].map(|bytes| [Contract { name: "platform", bytes }]);
    let mut there = drift::compare(Sides { before: &before, after: &after }, "2026-01-01").unwrap();
    let mut setup = Setup::from(toml::from_str::<Config>(PAGES).unwrap());
    setup.config.client = crate::support::setup().config.client;
    let (old, names) = api(&before, &setup, &Names::default()).unwrap();
    let (new, _) = api(&after, &setup, &names).unwrap();
    there.with_items(Sides { before: &old, after: &new });
    assert_eq!(there.unexplained, Some(Vec::new()));
    let heading = Heading { what: "platform, revision 1 → 2", version: Some("0.1.0"), links: &[] };
    let report = there.report(&heading).markdown();
    insta::assert_snapshot!("revision-2", report);
    assert!(there.not_judged.is_empty(), "{:?}", there.not_judged);
    // The pull request: the report, the lines for the changelog, and the snapshots.
    let review = |contracts: &[Contract<'_>]| generate(contracts, &setup, &names).unwrap().review;
    let (old, new) = (review(&before), review(&after));
    let texts: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let text = |side: &BTreeMap<String, String>, name: &String| side.get(name).cloned().unwrap_or_default();
    let snapshots: usize = texts.iter().map(|name| differing(&text(&old, name), &text(&new, name))).sum();
    let (report, changelog) = (report.lines().count(), there.changelog().len());
    let all = report + changelog + snapshots;
    assert!(all <= 250, "a reviewer reads {all} lines: {report} + {changelog} + {snapshots}");
    // All changes are of assumed operations.
    assert!(there.findings.iter().all(|finding| finding.assumed || finding.client == Wire::None));

    let back = drift::compare(Sides { before: &after, after: &before }, "2026-01-01").unwrap();
    let rules = |drift: &drift::Drift, mirrored: bool| {
        let rule = |finding: &drift::Finding| if mirrored { finding.rule.mirror() } else { finding.rule };
        let mut rules: Vec<_> = drift.findings.iter().map(rule).collect();
        rules.sort();
        rules
    };
    assert_eq!(rules(&there, true), rules(&back, false));
}
