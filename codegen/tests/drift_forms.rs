//! The forms of a report: they say the same, and no text of a contract is markup in any of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use driftless_codegen::drift::{self, Drift, Heading, Line, Link, Role, Sides};
use driftless_codegen::{Contract, Names, Setup, api};
use serde_json::{Value, json};

fn compare(before: &[u8], after: &[u8]) -> Drift {
    let [before, after] = [before, after].map(|bytes| [Contract { name: "contract", bytes }]);
    let mut drift = drift::compare(Sides { before: &before, after: &after }, "2026-01-01").unwrap();
    let setup = Setup::default();
    let old = api(&before, &setup, &Names::default());
    if let Ok((old, (new, _))) = old.and_then(|(old, names)| Ok((old, api(&after, &setup, &names)?))) {
        drift.with_items(Sides { before: &old, after: &new });
    }
    drift
}

/// The three forms of a report.
struct Forms {
    markdown: String,
    page: String,
    lines: Vec<Line>,
}

fn forms(drift: &Drift, what: &str, links: &[Option<Link>]) -> Forms {
    let report = drift.report(&Heading { what, version: Some("0.4.2"), links });
    Forms { markdown: report.markdown(), page: report.html(), lines: report.lines(1000) }
}

/// The words of a line of Markdown, which has nothing but code, strong words and escapes.
fn of_markdown(text: &str) -> String {
    let mut words = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => words.extend(chars.next()),
            '`' => {}
            char => words.push(char),
        }
    }
    words.replace("**", "").trim().to_owned()
}

/// The words of HTML.
fn of_page(html: &str) -> String {
    let words: String = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    let words = words.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    words.replace("&amp;", "&").replace('`', "").trim().to_owned()
}

impl Forms {
    /// Each row by its number, as each form has it.
    fn rows(&self) -> [BTreeMap<String, String>; 3] {
        let is_number = |text: &str| {
            text.starts_with(['B', 'R', 'A', 'N']) && text[1..].chars().all(|char| char == '.' || char.is_ascii_digit())
        };
        let markdown = self.markdown.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
        let markdown = markdown.filter(|(number, _)| is_number(number)).map(|(number, rest)| {
            (number.to_owned(), of_markdown(rest.split(" | ").next().unwrap().trim_end_matches(" |")))
        });
        let page = self.page.split("<summary><b>").skip(1).map(|row| {
            let (number, rest) = row.split_once("</b>").unwrap();
            (number.to_owned(), of_page(rest.split_once("</summary>").unwrap().0))
        });
        let rows = self.lines.iter().filter(|line| line.indent == 2);
        let lines = rows.filter_map(|line| line.spans.split_first()).filter(|(first, _)| is_number(first.text.trim()));
        let lines = lines.map(|(number, rest)| {
            let words: String = rest.iter().map(|span| span.text.as_str()).collect();
            (number.text.trim().to_owned(), words.trim().to_owned())
        });
        [markdown.collect(), page.collect(), lines.collect()]
    }

    /// All words of each form.
    fn words(&self) -> [String; 3] {
        let lines = self.lines.iter().map(|line| line.spans.iter().map(|span| span.text.as_str()).collect::<String>());
        [of_markdown(&self.markdown), of_page(&self.page), lines.collect::<Vec<_>>().join("\n")]
    }
}

#[test]
fn the_three_forms_say_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drift");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        let read = |name: &str| {
            let files = ["json", "yaml"].map(|kind| folder.join(format!("{name}.{kind}")));
            files.iter().find_map(|file| std::fs::read(file).ok()).unwrap()
        };
        for [before, after] in [["before", "after"], ["after", "before"]] {
            let drift = compare(&read(before), &read(after));
            let forms = forms(&drift, "case", &[]);
            let [markdown, page, mut lines] = forms.rows();
            assert_eq!(markdown, page, "{}", folder.display());
            // A terminal shows no parts of a row.
            lines.extend(
                page.iter().filter(|(number, _)| number.contains('.')).map(|(n, row)| (n.clone(), row.clone())),
            );
            assert_eq!(lines, page, "{}", folder.display());
            let plain = |text: &str| text.replace(['`', '*'], "");
            let mut sentences = vec![plain(&drift.verdict())];
            for row in drift.rows() {
                assert!(page[&row.number].starts_with(&plain(&row.subject)), "{}", row.number);
                sentences.extend(row.noticed().iter().map(|sentence| plain(sentence)));
                count += 1;
            }
            sentences.extend(drift.unexplained.iter().flatten().map(|change| plain(&change.says())));
            sentences.extend(drift.not_judged.iter().map(|place| place.pointer.clone()));
            for words in forms.words() {
                for sentence in &sentences {
                    assert!(plain(&words).contains(sentence), "{}: {sentence}\n{words}", folder.display());
                }
            }
        }
    }
    assert!(count > 200, "{count} rows");
}

/// A contract in which `text` stands at each place that a report may quote, and something else there: `changed`.
fn contract(text: &str, changed: bool) -> String {
    let kind = if changed { "string" } else { "integer" };
    let name = if changed { format!("{text} ") } else { text.to_owned() };
    let schema = json!({"type": "object", "required": if changed { json!([]) } else { json!([text]) },
        "properties": {(text): {"type": kind}, (format!("gone{name}")): {"type": "string", "enum": [name, "a"], "pattern": name, "default": name}}});
    let mut document = json!({"openapi": "3.0.4", "info": {"title": text, "version": text},
        "x-generator": format!("{name} v{}", u8::from(changed)), "servers": [{"url": format!("https://{name}.example/")}],
        "paths": {(format!("/a/{text}")): {"post": {"operationId": name, "tags": [text], "deprecated": changed,
            "parameters": [{"name": name, "in": "query", "schema": {"type": kind}}, {"name": text, "in": "header", "schema": {"type": kind}}],
            "requestBody": {"content": {(format!("application/{name}")): {"schema": {}}, "application/json": {"schema": {"$ref": "#/components/schemas/One"}}}},
            "responses": {"200": {"description": name, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/One"}}}}}}}},
        "components": {"schemas": {"One": schema}, "securitySchemes": {(name.clone()): {"type": "apiKey", "in": "header", "name": name}}},
        "security": [{(name.clone()): []}]});
    document["paths"][format!("/b{name}")] = json!({"get": {"responses": {"204": {"description": ""}}}});
    // A keyword that no rule knows.
    document["paths"][format!("/a/{text}")]["post"]["requestBody"]["content"]["application/json"]["encoding"][text] =
        Value::from(kind);
    document.to_string()
}

/// Texts that end a cell, a row, an element, a fold, a comment or a line; start a link, a command or a colour.
fn hostile() -> Vec<String> {
    const PARTS: [&str; 24] = [
        "`",
        "``",
        "|",
        "\\",
        "</td>",
        "</code>",
        "</script>",
        "<script>",
        "<img src=x onerror=a()>",
        "\"",
        "'",
        "&lt;",
        "**",
        "](x)",
        "[a](javascript:b)",
        "\n",
        "\r\n| B9 | x |",
        "\n# x",
        "\u{1b}[2J",
        "\u{202e}",
        "##vso[a]",
        "##[b]",
        "</details>",
        "<!--",
    ];
    let mut seed = 7_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        PARTS[(seed >> 33) as usize % PARTS.len()]
    };
    let mixed: Vec<String> = (0..16).map(|_| [next(), "x", next(), next()].concat()).collect();
    PARTS.iter().map(|part| format!("x{part}y")).chain(mixed).collect()
}

/// The tags of a page, without numbers of rows.
fn tags(page: &str) -> BTreeSet<String> {
    let body = page.split_once("<main>").unwrap().1.rsplit_once("</main>").unwrap().0;
    let tags = body.split('<').skip(1).map(|part| part.split_once('>').expect("a tag").0);
    tags.map(|tag| tag.replace(|char: char| char.is_ascii_digit() || char == '.', "")).collect()
}

#[test]
fn no_text_of_a_contract_is_markup_or_steers_a_terminal() {
    let compared = |text: &str| compare(contract(text, false).as_bytes(), contract(text, true).as_bytes());
    let link = |address: &str| [(); 99].map(|()| Some(Link { address: address.to_owned(), text: "file:1".to_owned() }));
    let harmless = forms(&compared("plain"), "plain", &link("file#L1"));
    let mut known = tags(&harmless.page);
    // Effects and marks of lines that another text may have.
    for class in ["break", "risk", "safe", "none"] {
        known.extend(
            ["finding", "part"]
                .map(|kind| format!("details class=\"{kind} {class}\" id=\"{}\"", class[..1].to_uppercase())),
        );
    }
    assert!(harmless.rows()[1].len() > 12, "{:#?}", harmless.rows()[1]);
    for text in hostile() {
        let forms = forms(&compared(&text), &text, &link("file#L1"));
        let unknown: Vec<String> = tags(&forms.page).difference(&known).cloned().collect();
        assert!(
            unknown.iter().all(|tag| ["br", "details class=\"finding safe\" id=\"A\""].contains(&tag.as_str())),
            "{text:?}: {unknown:?}"
        );
        let hidden = |all: &str| all.chars().any(|char| char != '\n' && char.is_control() || char == '\u{202e}');
        let command = |all: &str| ["##vso[", "##["].iter().any(|command| all.contains(command));
        for form in [&forms.markdown, &forms.page] {
            assert!(!hidden(form) && !command(form), "{text:?}: {form}");
        }
        for line in &forms.lines {
            let words: String = line.spans.iter().map(|span| span.text.as_str()).collect();
            assert!(!hidden(&words) && !words.contains('\n') && !command(&words), "{text:?}: {words}");
        }
        assert!(forms.lines[0].spans.iter().all(|span| span.role == Role::Strong));
        is_plain_markdown(&forms.markdown);
    }
}

/// Each row has the columns of the head of its table, code ends in its line, and nothing outside of code is a link or an element
/// that the report does not write.
fn is_plain_markdown(markdown: &str) {
    let mut columns = 0;
    for row in markdown.lines() {
        let starts = [
            "# ",
            "## ",
            "**",
            "Version: ",
            "The documents look",
            "Documentation: ",
            "| ",
            "|--",
            "- ",
            "<details><summary>",
            "</details>",
        ];
        assert!(row.is_empty() || starts.iter().any(|start| row.starts_with(start)), "{row}");
        // In code, a backslash escapes nothing; code is in no title.
        let row = if row.starts_with("# ") { &row.replace("\\`", "") } else { row };
        assert_eq!(row.matches('`').count() % 2, 0, "{row}");
        let outside: String = row.split('`').step_by(2).collect();
        let outside =
            ["\\\\", "\\|", "\\[", "\\<", "\\*", "\\&"].iter().fold(outside, |text, escape| text.replace(escape, ""));
        if !row.starts_with("<details><summary>") && row != "</details>" {
            assert!(!outside.contains(['<', '\\']), "{row}");
        }
        let links = outside.matches('[').count();
        assert_eq!(links, usize::from(row.starts_with("| [") && outside.contains("](file#L1) |")), "{row}");
        let bars = row.replace("\\|", "").matches('|').count();
        columns = match (row.starts_with('|'), columns) {
            (false, _) => 0,
            (true, 0) => bars,
            (true, columns) => columns,
        };
        assert!(columns == 0 || columns == bars, "{row}");
    }
}
