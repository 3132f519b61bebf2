//! The reports of `cargo xtask drift` for hosts of code, and accepted findings.

use crate::support::{Workspace, contract};
use serde::Deserialize;
use serde_json::{Value, json};

const PINNED: &str = "specs/contracts/service.json";

/// The small contract after three changes: an operation is gone, a member of a request and a response has another type, and an
/// operation is new. Its name is hostile.
fn drifted() -> Value {
    let mut tree: Value = serde_json::from_str(&contract::small()).expect("JSON");
    tree["paths"]["/api/things"].as_object_mut().expect("a path").remove("post");
    tree["components"]["schemas"]["Thing"]["properties"]["count"] = json!({"type": "string"});
    let new = json!({"get": {"tags": ["things"], "responses": {"200": {"description": "OK"}}}});
    tree["paths"]["/api/things/a%0A::error file=x,line=1::<b>|](x)\r\n::error::"] = new;
    tree
}

fn workspace() -> Workspace {
    let workspace = Workspace::pinned();
    workspace.write("drifted.json", &drifted().to_string());
    workspace
}

/// The line of a text that begins with these words, from 1.
fn line_of(text: &str, words: &str) -> usize {
    let mut lines = text.lines().map(str::trim_start);
    lines.position(|line| line.starts_with(words)).unwrap_or_else(|| panic!("{words}")) + 1
}

fn fingerprints(workspace: &Workspace) -> Vec<(String, String)> {
    let run = workspace.run(&["drift", "--contract", "drifted.json", "--format", "json", "--fail-on", "none"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let findings = report["findings"].as_array().expect("a list").iter();
    findings.map(|finding| (text(&finding["rule"]), text(&finding["fingerprint"]))).collect()
}

#[test]
fn annotations_stand_at_lines_of_the_pinned_contract() {
    let workspace = workspace();
    let run = workspace.run(&["drift", "--contract", "drifted.json", "--format", "github"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    // One line a finding, and nothing of a contract begins one.
    assert_eq!(lines.len(), fingerprints(&workspace).len() + 1, "{}", run.stdout);
    for line in &lines {
        let (properties, message) = line.strip_prefix("::").and_then(|rest| rest.split_once("::")).expect("a command");
        let level = properties.split(' ').next().expect("a level");
        assert!(["error", "warning", "notice"].contains(&level), "{line}");
        assert!(!message.is_empty());
    }
    let pinned = workspace.read(PINNED);
    let (post, count) = (line_of(&pinned, "\"post\": {"), line_of(&pinned, "\"count\": {"));
    let gone = format!("::error file={PINNED},line={post},title=operation-removed::POST /api/things is gone");
    assert!(lines.iter().any(|line| line.starts_with(&gone)), "{gone}\n{}", run.stdout);
    let typed = format!("::error file={PINNED},line={count},title=type-changed::Thing.count ");
    assert!(lines.iter().any(|line| line.starts_with(&typed)), "{typed}\n{}", run.stdout);
    assert!(lines.iter().any(|line| line.starts_with("::notice ") && line.contains("a%250A::error")), "{}", run.stdout);

    // Two files: the second one is annotated, where it lies in the workspace.
    let run = workspace.run(&["drift", "contract.json", "drifted.json", "--format", "github", "--fail-on", "none"]);
    run.succeeds(&["::error file=drifted.json,line=1,title=type-changed::Thing.count"]);
    workspace
        .run(&["drift", "contract.json", "contract.json", "--format", "github"])
        .succeeds(&["::notice title=Contract drift::Nothing changed"]);
}

/// The parts of the schema of SARIF 2.1.0 (OASIS, errata 01) that are written.
mod sarif {
    use super::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Log {
        #[serde(rename = "$schema")]
        pub(super) schema: String,
        pub(super) version: Version,
        pub(super) runs: Vec<Run>,
    }

    #[derive(Debug, Deserialize)]
    pub(super) enum Version {
        #[serde(rename = "2.1.0")]
        V2_1_0,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(super) struct Run {
        pub(super) tool: Tool,
        pub(super) invocations: Vec<Invocation>,
        #[serde(rename = "columnKind")]
        pub(super) _column_kind: ColumnKind,
        pub(super) results: Vec<Outcome>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub(super) enum ColumnKind {
        Utf16CodeUnits,
        UnicodeCodePoints,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Tool {
        pub(super) driver: Driver,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Driver {
        pub(super) name: String,
        pub(super) rules: Vec<Descriptor>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(super) struct Descriptor {
        pub(super) id: String,
        pub(super) short_description: Message,
        pub(super) help: Message,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Message {
        pub(super) text: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(super) struct Invocation {
        pub(super) execution_successful: bool,
        pub(super) tool_execution_notifications: Vec<Notification>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Notification {
        #[serde(rename = "level")]
        pub(super) _level: Level,
        pub(super) message: Message,
    }

    #[derive(Debug, Deserialize, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub(super) enum Level {
        None,
        Note,
        Warning,
        Error,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(super) struct Outcome {
        pub(super) rule_id: String,
        pub(super) rule_index: usize,
        pub(super) level: Level,
        pub(super) message: Message,
        pub(super) partial_fingerprints: std::collections::BTreeMap<String, String>,
        #[serde(default)]
        pub(super) locations: Vec<Location>,
        #[serde(default)]
        pub(super) suppressions: Vec<Suppression>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Suppression {
        pub(super) kind: SuppressionKind,
        pub(super) justification: String,
    }

    #[derive(Debug, Deserialize, PartialEq, Eq)]
    #[serde(rename_all = "camelCase")]
    pub(super) enum SuppressionKind {
        InSource,
        External,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(super) struct Location {
        pub(super) physical_location: PhysicalLocation,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(super) struct PhysicalLocation {
        pub(super) artifact_location: ArtifactLocation,
        pub(super) region: Region,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(super) struct ArtifactLocation {
        /// `uri-reference`.
        pub(super) uri: String,
        pub(super) uri_base_id: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(super) struct Region {
        /// At least 1.
        pub(super) start_line: std::num::NonZeroU32,
        /// At least 1.
        #[serde(rename = "startColumn")]
        pub(super) _start_column: std::num::NonZeroU32,
    }
}

#[test]
fn sarif_holds_every_finding_with_its_rule_and_place() {
    let workspace = workspace();
    let accepted = fingerprints(&workspace).first().expect("a finding").1.clone();
    let accept = ["drift", "accept", &accepted, "--reason", "agreed <b>", "--contract", "drifted.json"];
    workspace.run(&accept).succeeds(&["accepted"]);
    let run = workspace.run(&["drift", "--contract", "drifted.json", "--format", "sarif"]);
    let log: sarif::Log = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}\n{}", run.stdout));
    let sarif::Version::V2_1_0 = log.version;
    assert!(log.schema.starts_with("https://docs.oasis-open.org/sarif/sarif/v2.1.0/"));
    let [run] = log.runs.as_slice() else { panic!("one run") };
    assert!(run.invocations.iter().all(|invocation| invocation.execution_successful));
    assert!(
        run.invocations.iter().flat_map(|one| &one.tool_execution_notifications).all(|n| !n.message.text.is_empty())
    );
    let driver = &run.tool.driver;
    assert_eq!(driver.name, "cargo xtask drift");
    assert!(driver.rules.iter().all(|rule| !rule.short_description.text.is_empty() && !rule.help.text.is_empty()));
    let expected = fingerprints(&workspace);
    let locations: Vec<(String, String)> = run
        .results
        .iter()
        .map(|result| (result.rule_id.clone(), result.partial_fingerprints["drift/v1"].clone()))
        .collect();
    assert_eq!(locations, expected);
    for result in &run.results {
        assert_eq!(driver.rules[result.rule_index].id, result.rule_id);
        assert!(!result.message.text.contains(['\n', '\r']) && !result.message.text.is_empty());
        let [location] = result.locations.as_slice() else { panic!("one place: {result:?}") };
        let physical = &location.physical_location;
        assert_eq!(
            (physical.artifact_location.uri.as_str(), physical.artifact_location.uri_base_id.as_str()),
            (PINNED, "%SRCROOT%")
        );
        assert!(physical.region.start_line.get() as usize <= workspace.read(PINNED).lines().count());
        let of_it = result.partial_fingerprints["drift/v1"] == accepted;
        assert_eq!(result.suppressions.len(), usize::from(of_it));
        for suppression in &result.suppressions {
            assert_eq!(
                (&suppression.kind, suppression.justification.as_str()),
                (&sarif::SuppressionKind::External, "agreed <b>")
            );
        }
    }
    let errors = run.results.iter().filter(|result| result.level == sarif::Level::Error).count();
    assert!(errors >= 2, "{errors}");
}

#[test]
fn rows_link_to_lines_of_the_pinned_contract() {
    let workspace = workspace();
    let pinned = workspace.read(PINNED);
    let post = line_of(&pinned, "\"post\": {");
    let common = ["drift", "--contract", "drifted.json", "--fail-on", "none", "--format"];
    let run = |rest: &[&str]| workspace.run(&[&common[..], rest].concat());
    // On the screen, a relative link leads nowhere.
    assert!(!run(&["markdown"]).stdout.contains("| [B1]("));
    let base = "https://host.example/o/r/blob/abc";
    let linked = format!("]({base}/{PINNED}#L{post}) | `POST /api/things` is gone");
    run(&["markdown", "--links", base]).succeeds(&[&linked]);
    run(&["html", "--links", base]).succeeds(&[&format!("<a href=\"{base}/{PINNED}#L{post}\">{PINNED}:{post}</a>")]);

    workspace.write("reports/deep/.keep", "");
    run(&["markdown", "--output", "reports/deep/drift.md"]).succeeds(&[]);
    let report = workspace.read("reports/deep/drift.md");
    assert!(report.contains(&format!("](../../{PINNED}#L{post}) | `POST")), "{report}");
    // Each row has its own link, and the text between is as it was.
    let plain = run(&["markdown"]).stdout;
    let (rows, links) = (plain.matches("\n| ").count(), report.matches(&format!("](../../{PINNED}#L")).count());
    assert_eq!(
        links,
        plain.lines().filter(|line| ["| A", "| B", "| R", "| N"].iter().any(|row| line.starts_with(row))).count(),
        "{rows}"
    );
    for base in ["ftp://host", "host", "https://host/?a=1", "https://host/#x", "javascript:alert(1)"] {
        assert_eq!(run(&["markdown", "--links", base]).code, Some(5), "{base}");
    }
}

#[test]
fn what_was_accepted_passes_the_gate_until_its_day() {
    let workspace = workspace();
    let drift = |rest: &[&str]| workspace.run(&[&["drift", "--contract", "drifted.json"], rest].concat());
    let accept = |rest: &[&str]| workspace.run(&[&["drift", "accept", "--contract", "drifted.json"], rest].concat());
    let file = "specs/accepted-drift.toml";
    let all: Vec<String> = fingerprints(&workspace).into_iter().map(|(_, fingerprint)| fingerprint).collect();
    assert!(all.len() >= 3);

    // A fingerprint that fits no finding, or several, or an empty reason writes nothing.
    accept(&["ffffffffffff", "--reason", "r"]).fails(5, &["accepted/no-finding", "`ffffffffffff`"]);
    accept(&[&all[0], "no such", "--reason", "r"]).fails(5, &["accepted/no-finding"]);
    accept(&["f", "--reason", "r"]).fails(5, &["accepted/too-short"]);
    accept(&["", "--reason", "r"]).fails(5, &["accepted/too-short"]);
    accept(&[&all[0], "--reason", " \n"]).fails(5, &["accepted/no-reason"]);
    assert_eq!(accept(&[&all[0]]).code, Some(5));
    assert_eq!(accept(&[&all[0], "--reason", "r", "--until", "soon"]).code, Some(5));
    assert!(!workspace.path(file).exists());

    // A beginning is enough where it fits one.
    accept(&[&all[1][..6], &all[0], "--reason", "agreed\n\"x\" = 1", "--until", "2026-12-31"]).succeeds(&["accepted"]);
    let text = workspace.read(file);
    let mut sorted: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("fingerprint = ")).collect();
    assert_eq!(sorted.len(), 2);
    sorted.sort_unstable();
    assert_eq!(sorted, text.lines().filter_map(|line| line.strip_prefix("fingerprint = ")).collect::<Vec<_>>());
    assert!(workspace.run(&["regenerate", "--offline", "--check"]).code == Some(0), "the file is nobody's output");

    assert_eq!(drift(&["--today", "2026-12-30", "--fail-on", "any"]).code, Some(1), "the third one is open");
    let rest: Vec<&str> = all[2..].iter().map(String::as_str).collect();
    accept(&[&rest[..], &["--reason", "known"]].concat()).succeeds(&["accepted"]);
    drift(&["--today", "2026-12-31", "--fail-on", "any"]).succeeds(&["findings are accepted", "is gone"]);
    drift(&["--today", "2026-12-31", "--format", "github"]).succeeds(&["accepted: agreed\\n"]);
    let expired = drift(&["--today", "2027-01-01", "--fail-on", "any"]);
    expired.fails(1, &[file, "was accepted until 2026-12-31"]);
    // In a pull request, the review is the approval.
    assert_eq!(workspace.run(&["drift", "contract.json", "drifted.json"]).code, Some(1));

    // An entry that matches no finding any more is named, and fails nothing.
    let run = workspace.run(&["drift", "--contract", "contract.json", "--fail-on", "any"]);
    run.succeeds(&["matches nothing: take the entry out", &all[0]]);

    // An invalid file opens no gate.
    workspace.write(file, &workspace.read(file).replacen("reason", "raeson", 1));
    drift(&["--fail-on", "none"]).fails(5, &["accepted/invalid", "specs/accepted-drift.toml:", "raeson"]);
    accept(&[&all[0], "--reason", "r"]).fails(5, &["accepted/invalid"]);
}

// The program does not compile any more, and no cause says why: no format may be silent of it.
#[test]
fn every_format_lists_items_without_a_cause() {
    let workspace = Workspace::pinned();
    for (name, text) in ["before.json", "after.json"].iter().zip(contract::swapped()) {
        workspace.write(name, &text);
    }
    let item =
        |text: &str| text.replace(['`', '\\'], "").replace("&amp;", "&").replace("</code>", "").replace("<code>", "");
    for format in ["text", "markdown", "json", "html", "github", "sarif"] {
        let run = workspace.run(&["drift", "before.json", "after.json", "--format", format]);
        assert_eq!(run.code, Some(0), "no program that runs meets it: {}", run.stderr);
        let output = item(&run.stdout);
        let says = match format {
            "json" => "(self, other: &str, one: &str)",
            _ => "Things::find_thing() takes (one: &str, other: &str) → (other: &str, one: &str)",
        };
        assert!(output.contains(says), "{format}: {output}");
        assert!(format == "json" || !output.contains("Nothing changed that"), "{format}: {output}");
        let gate = workspace.run(&["drift", "before.json", "after.json", "--format", format, "--fail-on", "source"]);
        gate.fails(1, &["--fail-on source: 1 Rust item without a cause changed: `Things::find_thing()` takes"]);
    }
}

// A text/plain that is gone concerns no program of this client, and others that ask for it.
#[test]
fn each_gate_has_its_judge() {
    let workspace = Workspace::pinned();
    let with = |media_types: &[&str]| {
        let mut tree: Value = serde_json::from_str(&contract::small()).expect("JSON");
        let content = &mut tree["paths"]["/api/things"]["get"]["responses"]["200"]["content"];
        let schema = content["application/json"].clone();
        media_types.iter().for_each(|name| content[*name] = schema.clone());
        tree.to_string()
    };
    workspace.write("before.json", &with(&["text/plain"]));
    workspace.write("after.json", &with(&[]));
    let gate = |gate: &str| workspace.run(&["drift", "before.json", "after.json", "--fail-on", gate]);
    for open in ["client", "source", "none"] {
        assert_eq!(gate(open).code, Some(0), "{open}");
    }
    gate("contract")
        .fails(1, &["--fail-on contract: 1 finding breaks clients of the contract, or may: GET /api/things 200"]);
    gate("any").fails(1, &["--fail-on any: 1 finding, 0 places"]);
    workspace.write("after.json", &smaller());
    gate("client").fails(
        1,
        &["--fail-on client: 1 finding breaks programs built with this client, or may: POST /api/things is gone"],
    );
    gate("source").fails(1, &["--fail-on source: 1 finding breaks the next compile: POST /api/things is gone"]);
}

/// The small contract with one operation less.
fn smaller() -> String {
    let mut tree: Value = serde_json::from_str(&contract::small()).expect("JSON");
    tree["paths"]["/api/things"].as_object_mut().expect("a path").remove("post");
    tree.to_string()
}

#[test]
fn a_long_section_folds_by_family_and_a_comment_is_cut_where_it_is_full() {
    let workspace = Workspace::pinned();
    let paths: Vec<String> =
        (0..60).flat_map(|number| ["gadgets", "things"].map(|family| format!("/api/{family}/{number}"))).collect();
    let before = contract::with_paths(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let mut after: Value = serde_json::from_str(&before).expect("JSON");
    for path in &paths {
        after["paths"][path].as_object_mut().expect("a path").remove("post");
    }
    workspace.write("before.json", &before);
    workspace.write("after.json", &after.to_string());
    let markdown = ["drift", "before.json", "after.json", "--fail-on", "none", "--format", "markdown"];
    let whole = workspace.run(&markdown).stdout;
    let folded: Vec<&str> = whole.lines().filter(|line| line.contains("<details>")).collect();
    assert_eq!(
        folded,
        [
            "<details><summary>20 more, gadgets</summary>",
            "<details><summary>60 more, things</summary>",
            "<details><summary>For CHANGELOG.md</summary>"
        ]
    );
    // Each row stands there once, under its number.
    for number in 1..=120 {
        assert_eq!(whole.matches(&format!("\n| B{number} | `POST ")).count(), 1, "B{number}");
    }
    let cut = workspace.run(&[&markdown[..], &["--max-characters", "9000"]].concat());
    cut.succeeds(&["The report is cut here: ", "do not fit into 9000 characters"]);
    assert!(cut.stdout.chars().count() <= 9000);
    let rows = |text: &str| text.lines().filter(|line| line.starts_with("| B")).map(str::to_owned).collect::<Vec<_>>();
    let (kept, all) = (rows(&cut.stdout), rows(&whole));
    assert!(kept.len() > 40 && all.starts_with(&kept), "{kept:?}");
    assert!(cut.stdout.contains("\n</details>\n\n**The report is cut"), "{}", cut.stdout);
    workspace.run(&[&markdown[..], &["--max-characters", "999"]].concat()).fails(5, &["--max-characters"]);
    let text = ["drift", "before.json", "after.json", "--max-characters", "9000"];
    workspace.run(&text).fails(5, &["drift/max-characters", "--format markdown"]);
}
