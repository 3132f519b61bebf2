//! Opens the page of `cargo xtask drift --format html` in Chromium. Without Chromium the tests print SKIPPED and check nothing.
//! `DRIFT_PICTURES=docs/images` keeps the pictures that it takes, with `DRIFT_PAGE` of that page, and with `DRIFT_TERMINAL` of
//! the output of a terminal.

use std::fs;
use std::path::{Path, PathBuf};

use crate::browser::Browser;
use crate::support::{Workspace, contract};
use serde_json::{Value, json};

const SHOWN: &str = "[...document.querySelectorAll('details.finding:not([hidden])')].map((finding) => finding.id)";

/// The page of a change that has something in each section.
fn page(workspace: &Workspace) -> String {
    page_of(workspace, [include_str!("page/before.json"), include_str!("page/after.json")])
}

fn page_of(workspace: &Workspace, contracts: [&str; 2]) -> String {
    let path = workspace.path("drift.html");
    for (name, text) in ["before.json", "after.json"].iter().zip(contracts) {
        workspace.write(name, text);
    }
    let run = workspace.run(&[
        "drift",
        "before.json",
        "after.json",
        "--format",
        "html",
        "--output",
        "drift.html",
        "--links",
        "https://host.example/owner/name/blob/main",
        "--fail-on",
        "none",
    ]);
    run.succeeds(&[]);
    format!("file://{}", path.display())
}

fn started() -> Option<Browser> {
    let browser = Browser::start();
    if browser.is_none() {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
    }
    browser
}

/// Nothing was asked of the network, and nothing complained.
#[track_caller]
fn is_quiet(browser: &mut Browser) {
    browser.value("document.title");
    assert_eq!((&browser.requests, &browser.complaints), (&Vec::new(), &Vec::new()));
}

#[test]
#[ignore = "in Chromium: .ci/run runs it"]
fn the_page_is_searched_and_filtered_by_keyboard() {
    let Some(mut browser) = started() else { return };
    let workspace = Workspace::new();
    let url = page(&workspace);
    browser.open(&url);
    let all = browser.value(SHOWN);
    let count = all.as_array().expect("findings").len();
    for letter in ["B", "R", "A", "N"] {
        assert!(all.as_array().expect("findings").contains(&json!(format!("{letter}1"))), "{letter}: {all}");
    }
    browser.wait(&format!("document.getElementById('shown').textContent === '{count} of {count} shown'"));

    browser.press("/");
    browser.wait("document.activeElement.id === 'filter' && document.activeElement.value === ''");
    browser.write("THREADS gone");
    assert_eq!(browser.value(SHOWN), json!(["B1"]));
    browser.wait(&format!("document.getElementById('shown').textContent === '1 of {count} shown'"));
    // A section without rows goes with its heading.
    assert_eq!(browser.value("getComputedStyle(document.getElementById('A')).display"), "none");
    browser.press("/");
    browser.wait("document.activeElement.value === 'THREADS gone/'");
    browser.press("Escape");
    assert_eq!(browser.value(SHOWN), all);

    // The box behind the filter is that of the first section.
    browser.press("Tab");
    browser.press(" ");
    browser.wait("document.activeElement.value === 'B' && !document.activeElement.checked");
    let rest: Vec<Value> =
        all.as_array().expect("findings").iter().filter(|id| !id.to_string().starts_with("\"B")).cloned().collect();
    assert_eq!(browser.value(SHOWN), json!(rest));
    browser.press(" ");
    assert_eq!(browser.value(SHOWN), all);
    // Behind the other boxes and the switch of the grouping stand the rows.
    for _ in 0..5 {
        browser.press("Tab");
    }
    browser.wait("document.activeElement.parentElement.id === 'B1' && !document.activeElement.parentElement.open");
    browser.press("Enter");
    browser.wait("document.getElementById('B1').open");
    is_quiet(&mut browser);
}

#[test]
#[ignore = "in Chromium: .ci/run runs it"]
fn what_is_no_row_stays_and_rows_are_grouped_by_operation() {
    let Some(mut browser) = started() else { return };
    let workspace = Workspace::new();
    let [before, after] = contract::swapped();
    let mut after: Value = serde_json::from_str(&after).expect("JSON");
    after["paths"]["/api/things"].as_object_mut().expect("a path").remove("post");
    after["components"]["schemas"]["Thing"]["properties"]["count"] = json!({"type": "string"});
    let url = page_of(&workspace, [&before, &after.to_string()]);
    browser.open(&url);
    let is_shown = |id: &str| format!("document.getElementById('{id}').getClientRects().length > 0");
    // A filter is for rows: other elements stay.
    for words in ["", "nothing has this text"] {
        browser.press("/");
        browser.write(words);
        for id in ["people", "items", "rest", "changelog"] {
            assert_eq!(browser.value(&is_shown(id)), json!(true), "{id} with {words:?}");
        }
        browser.press("Escape");
    }
    assert_eq!(browser.value(&is_shown("by-operation")), json!(false));

    // The same rows, below each operation that meets them.
    browser.value("document.querySelector('input[value=operation]').click()");
    assert_eq!(browser.value(&is_shown("B")), json!(false));
    let operations = "[...document.querySelectorAll('.operation:not([hidden])')]";
    let gone = "POST /api/things";
    let with = format!("{operations}.find((operation) => operation.textContent.startsWith('{gone}'))");
    assert_eq!(browser.value(&format!("{with}.textContent")), json!(format!("{gone} B1")));
    browser.value(&format!("{with}.open = true"));
    browser.wait(&format!("{with}.querySelectorAll('details.copy').length === 1"));
    assert_eq!(browser.value("document.querySelectorAll('#B1').length"), 1, "a copy has no identifier");
    // The member that changed is a difference of lines.
    let lines = "[...document.querySelectorAll('#B2 .diff span')].map((line) => line.textContent)";
    let expected = [
        "  \"count\": {",
        "-   \"format\": \"int32\",",
        "-   \"type\": \"integer\"",
        "+   \"type\": \"string\"",
        "  }",
    ];
    assert_eq!(browser.value(lines), json!(expected));
    browser.press("/");
    browser.write("nothing has this text");
    assert_eq!(browser.value(&format!("{operations}.length")), 0);
    // A link to a row leads back to the causes.
    browser.value("location.hash = '#B2'");
    browser.wait("document.getElementById('B2').open && document.getElementById('B2').getClientRects().length > 0");
    assert_eq!(browser.value(&is_shown("by-operation")), json!(false));
    is_quiet(&mut browser);
}

#[test]
#[ignore = "in Chromium: .ci/run runs it"]
fn a_link_opens_its_row() {
    let Some(mut browser) = started() else { return };
    let workspace = Workspace::new();
    let url = page(&workspace);
    browser.open(&format!("{url}#B3"));
    let is_seen = |id: &str| {
        format!(
            "document.getElementById('{id}').open && document.getElementById('{id}').getBoundingClientRect().top >= 0 \
             && document.getElementById('{id}').getBoundingClientRect().top < innerHeight"
        )
    };
    browser.wait(&is_seen("B3"));
    assert_eq!(browser.value("document.querySelectorAll('details[open]').length"), 1);
    // In a page that is open already, and where the filter hides the row.
    browser.press("/");
    browser.write("nothing has this text");
    assert_eq!(browser.value(SHOWN), json!([]));
    browser.value("document.querySelector('input[value=R]').click(); location.hash = '#R1'");
    browser.wait(&is_seen("R1"));
    for fragment in ["#B999", "#", "#%E0%A4%A", "#filter", "#h%22x"] {
        browser.open(&format!("{url}{fragment}"));
        browser.wait("document.getElementById('shown').textContent.endsWith(' shown')");
        assert_eq!(browser.value("document.querySelectorAll('details[open]').length"), 0, "{fragment}");
    }
    is_quiet(&mut browser);
}

/// The path that a variable names, from the root of the repository.
fn named(variable: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::env::var_os(variable).map(|path| root.join(path))
}

/// The contrast of each text with its background, by WCAG 2: the lowest, with its element.
const CONTRAST: &str = "(() => {
  const part = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number); return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  let lowest = [99, ''];
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    if (!element.getClientRects().length || element instanceof HTMLScriptElement) continue;
    const [one, other] = [getComputedStyle(element).color, behind(element)].map(light).sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < lowest[0]) lowest = [ratio, element.outerHTML.slice(0, 200)];
  }
  return lowest;
})()";

#[test]
#[ignore = "in Chromium: .ci/run runs it"]
fn the_page_fits_a_phone_and_follows_the_colours_of_the_system() {
    let Some(mut browser) = started() else { return };
    let workspace = Workspace::new();
    let pictures = named("DRIFT_PICTURES");
    let given = named("DRIFT_PAGE").filter(|_| pictures.is_some());
    let url = given.map_or_else(|| page(&workspace), |page| format!("file://{}", page.display()));
    for (name, scheme, width, height, mobile) in [
        ("drift-light", "light", 1000, 760, false),
        ("drift-dark", "dark", 1000, 760, false),
        ("drift-phone", "light", 390, 780, true),
    ] {
        browser.size(width, height, mobile);
        browser.colours(scheme);
        browser.open(&url);
        browser.wait("document.getElementById('shown').textContent.endsWith(' shown')");
        let picture = |browser: &mut Browser| {
            browser.value("document.getElementById('B2').open = true");
            browser.picture()
        };
        let picture = picture(&mut browser);
        assert!(picture.starts_with(b"\x89PNG"));
        if let Some(folder) = &pictures {
            fs::create_dir_all(folder).expect("created");
            fs::write(folder.join(format!("{name}.png")), picture).expect("written");
        }
        browser.value("document.querySelectorAll('details').forEach((finding) => { finding.open = true; })");
        let [wide, seen] = ["document.documentElement.scrollWidth", "innerWidth"].map(|width| browser.value(width));
        assert_eq!((&wide, &seen), (&json!(width), &json!(width)), "{name} is scrolled from side to side");
        let contrast = browser.value(CONTRAST);
        assert!(contrast[0].as_f64().expect("a number") >= 4.5, "{name}: {contrast}");
        let back = browser.value("getComputedStyle(document.body).backgroundColor");
        assert_eq!(back == "rgb(255, 255, 255)", scheme == "light", "{name}: {back}");
    }
    is_quiet(&mut browser);
}

/// The page of a terminal that shows `text`: each colour is an element with its number as class.
fn terminal(text: &str) -> String {
    let style = "body{margin:0;background:#1c1f24}pre{margin:0;padding:14px 18px;font:13px/1.45 'DejaVu Sans Mono',monospace;\
        color:#d6dae0;white-space:pre-wrap}.c1{font-weight:bold}.c2{color:#9aa3ae}.c31{color:#ff7b72}.c32{color:#7ee787}\
        .c33{color:#f2cc60}.c34{color:#79c0ff}.c35{color:#e2a3ff}.c36{color:#7fd7e0}";
    let (mut html, mut open) = (String::new(), 0);
    for (index, part) in text.replace('\r', "").split("\u{1b}[").enumerate() {
        let (code, words) = if index == 0 { ("", part) } else { part.split_once('m').expect("a colour") };
        match code {
            "" => {}
            "0" => html.push_str(&"</span>".repeat(std::mem::take(&mut open))),
            code => {
                assert!(code.parse::<u8>().is_ok(), "{code} does not name a colour");
                open += 1;
                html.push_str(&format!("<span class=\"c{code}\">"));
            }
        }
        html.push_str(&words.replace('&', "&amp;").replace('<', "&lt;"));
    }
    assert_eq!(open, 0, "a colour does not end");
    format!("<!doctype html><meta charset=utf-8><title>Drift</title><style>{style}</style><pre>{html}</pre>")
}

#[test]
#[ignore = "in Chromium: .ci/run runs it"]
fn a_terminal_shows_the_report_in_colours() {
    let Some(mut browser) = started() else { return };
    let workspace = Workspace::new();
    page(&workspace);
    let report = |colours: &[(&str, &str)]| workspace.run_with(&["drift", "before.json", "after.json"], colours).stdout;
    let (plain, coloured) = (report(&[]), report(&[("CLICOLOR_FORCE", "1")]));
    assert!(!plain.contains('\u{1b}'));

    let open = |browser: &mut Browser, text: &str| {
        workspace.write("terminal.html", &terminal(text));
        browser.size(1000, 760, false);
        browser.open(&format!("file://{}", workspace.path("terminal.html").display()));
    };
    let narrow = report(&[("CLICOLOR_FORCE", "1"), ("COLUMNS", "60")]);
    assert!(narrow.lines().count() > coloured.lines().count(), "{narrow}");
    open(&mut browser, &coloured);
    let text = browser.value("document.querySelector('pre').textContent");
    assert_eq!(text, json!(plain.replace('`', "")));
    for (class, begins) in
        [("c31", "B1"), ("c33", "R1"), ("c32", "A1"), ("c34", "N1"), ("c1", "DELETE "), ("c36", "Forum::")]
    {
        let first = format!(
            "[...document.querySelectorAll('.{class}')].some((part) => part.textContent.startsWith('{begins}'))"
        );
        assert_eq!(browser.value(&first), json!(true), "{begins} as {class}: {coloured}");
    }
    let picture = browser.picture();
    assert!(picture.starts_with(b"\x89PNG"));
    if let Some((folder, text)) = named("DRIFT_PICTURES").zip(named("DRIFT_TERMINAL")) {
        open(&mut browser, &fs::read_to_string(text).expect("what the terminal showed"));
        fs::create_dir_all(&folder).expect("created");
        fs::write(folder.join("drift-terminal.png"), browser.picture()).expect("written");
    }
    is_quiet(&mut browser);
}
