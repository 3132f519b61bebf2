//! Compares the `source` effects of a drift report with the compiler: a program that uses every item of the old client is
//! compiled against the new one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::{Mutex, OnceLock};

use driftless_codegen::drift::{self, Drift, Sides, Source};
use driftless_codegen::{Api, Contract, Item, Names, Output};
use serde_json::Value;

use super::scripted::{CHANGES, Scripted};
use super::{Case, cases, consumer, lay_out};
use crate::support::{Programs, cargo, read, root};

/// A change at its position, and the report of this change alone.
pub(super) struct Reported {
    pub(super) what: &'static str,
    /// The contract with this change alone.
    pub(super) contract: Value,
    pub(super) drift: Drift,
}

/// A contract with all changes, each at a position of its own, and the report of each.
pub(super) type Script = (Value, Vec<Reported>);

pub(super) fn scripted(case: &Case, before: &Output) -> Script {
    let pages = case.setup.config.paginations.iter().map(|entry| entry.operation.clone());
    // Nor those that send files: the program of `wire` has none.
    let mut all = Scripted::new(&case.contract, pages.chain(forms(&case.contract)));
    let mut reported = Vec::new();
    for change in CHANGES {
        let what = change.0;
        // The positions that are taken, in the unchanged contract.
        let mut alone = all.with(&case.contract);
        let is_there = change.1(&mut alone).is_some();
        if is_there {
            assert!(all.repeat(*change, &alone).is_some(), "{}: {what}", case.name);
            let (after, _) = case.items(&alone.contract, &before.names);
            let drift = compared(case, &alone.contract, Sides { before: &before.api, after: &after });
            reported.push(Reported { what, contract: alone.contract, drift });
        }
    }
    (all.contract, reported)
}

/// The same for a case of all tests here, which takes as long as fifty clients: it is made once.
pub(super) fn known(case: &Case, before: &Output) -> &'static Script {
    static KNOWN: Mutex<BTreeMap<&str, &OnceLock<Script>>> = Mutex::new(BTreeMap::new());
    let known = *KNOWN.lock().unwrap().entry(case.name).or_insert_with(|| Box::leak(Box::default()));
    known.get_or_init(|| scripted(case, before))
}

/// The operations whose body is a form with parts, as method and path.
fn forms(contract: &Value) -> Vec<String> {
    let paths = contract["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, item)| item.as_object().unwrap().iter().map(move |operation| (path, operation)));
    let is_form = |value: &Value| value["requestBody"]["content"].get("multipart/form-data").is_some();
    all.filter(|(_, (_, value))| is_form(value))
        .map(|(path, (method, _))| format!("{} {path}", method.to_uppercase()))
        .collect()
}

pub(super) fn compared(case: &Case, contract: &Value, items: Sides<&Api>) -> Drift {
    let [old, new] = [&case.contract, contract].map(|contract| serde_json::to_vec(contract).unwrap());
    let [old, new] = [&old, &new].map(|bytes| [Contract { name: case.name, bytes }]);
    let mut drift = drift::compare(Sides { before: &old, after: &new }, "2026-01-01").unwrap();
    drift.with_items(items);
    assert_eq!(drift.unexplained, Some(Vec::new()), "{}", case.name);
    assert_eq!(drift.not_judged, Vec::new(), "{}", case.name);
    drift
}

/// Items of the old client that, by the report, a program cannot use as before.
#[derive(Default)]
pub(super) struct Broken<'a> {
    items: BTreeSet<(&'a str, &'a str)>,
    /// Removed or renamed items: their members, and the items that name them, go along.
    gone: BTreeSet<&'a str>,
    /// Types that are of another kind, such as an alias: their members are gone, and not each use of the name breaks.
    other: BTreeSet<&'a str>,
    /// Operations whose method is gone or called otherwise: their markers and setters go along.
    operations: BTreeSet<&'a str>,
}

impl<'a> Broken<'a> {
    pub(super) fn from_drift(drift: &'a Drift, before: &'a Output) -> Self {
        let mut broken = Self::default();
        for (change, _) in drift.items() {
            let Some(state) = change.before.as_ref().filter(|_| change.source == Source::Major) else { continue };
            let after = change.after.as_ref();
            // The program turns every feature on.
            let is_same = after.is_some_and(|after| after.signature == state.signature && after.path == state.path);
            if is_same && after.is_some_and(|after| after.features != state.features) {
                continue;
            }
            if after.is_some_and(|after| after.kind != state.kind) {
                broken.other.insert(&state.path);
                continue;
            }
            broken.items.insert((&state.path, state.kind));
            if after.is_none_or(|after| after.path != state.path) {
                broken.gone.insert(&state.path);
            }
        }
        let methods = before.api.items.iter().filter(|item| {
            item.kind == "fn" && !item.path.contains("::operations::") && broken.gone.contains(item.path.as_str())
        });
        broken.operations = methods.map(|item| item.origin.operation.as_str()).filter(|key| !key.is_empty()).collect();
        broken
    }

    /// Returns whether the report says that a program which uses this item does not compile.
    pub(super) fn has(&self, item: &Item) -> bool {
        let mut mentioned = item.signature.split(|letter: char| !(letter.is_alphanumeric() || "_:".contains(letter)));
        let is_field = item.kind == "fn" && self.items.contains(&(item.path.as_str(), "field"));
        self.items.contains(&(item.path.as_str(), item.kind))
            || is_field
            || self.gone.contains(item.parent())
            || self.other.contains(item.parent())
            || mentioned.any(|word| word.starts_with("types::") && self.gone.contains(word))
            || self.operations.contains(item.origin.operation.as_str())
    }
}

/// The lines of the program that do not compile. An unresolved name hides type errors: those lines are removed, and the rest is
/// compiled again.
fn refused(case: &Case, client: &Output, before: &Output, program: &str) -> BTreeSet<usize> {
    let folder = Programs::get().target().join("growth").join(format!("{}-scripted", case.name));
    let mut lines: Vec<&str> = program.lines().collect();
    let mut refused = BTreeSet::new();
    loop {
        lay_out(&folder, client, before, &lines.join("\n"));
        let run = cargo(&["check", "--quiet", "--offline", "--message-format", "short"])
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", Programs::get().target().join("growth/target"))
            .output()
            .unwrap();
        if run.status.success() {
            return refused;
        }
        let log = String::from_utf8_lossy(&run.stderr).into_owned();
        let errors = log.lines().filter(|line| line.contains(": error"));
        let failed: BTreeSet<usize> = errors
            .map(|line| {
                let place = line.strip_prefix("consumer/src/lib.rs:").and_then(|rest| rest.split(':').next());
                place.and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("{}: {line}\n{log}", case.name))
            })
            .collect();
        assert!(!failed.is_empty(), "{}: {log}", case.name);
        for line in &failed {
            lines[line - 1] = "";
        }
        refused.extend(failed);
    }
}

/// By number of the line of the program: the item that it uses.
fn used<'a>(before: &'a Output, program: &str) -> BTreeMap<usize, &'a Item> {
    let number = |line: &str| line.strip_prefix("pub fn use_")?.split(['(', '<']).next()?.parse::<usize>().ok();
    let lines = program.lines().enumerate();
    lines.filter_map(|(index, line)| Some((index + 1, before.api.items.get(number(line)?)?))).collect()
}

#[test]
#[ignore = "compiles a client that breaks in fifty places: .ci/run --all runs it"]
fn the_compiler_says_what_the_report_says() {
    let mut wrong = Vec::new();
    for case in cases().into_iter().filter(|case| case.name != "grown") {
        let before = case.client(&case.contract, &Names::default());
        let (contract, reported) = known(&case, &before);
        assert!(reported.len() >= 45, "{}: {} changes", case.name, reported.len());
        let after = case.client(contract, &before.names);
        let program = consumer::program(&before.api.index());
        let used = used(&before, &program);
        assert!(used.len() > 500, "{}", used.len());
        let refused = refused(&case, &after, &before, &program);

        let whole = compared(&case, contract, Sides { before: &before.api, after: &after.api });
        let broken = Broken::from_drift(&whole, &before);
        for (line, item) in &used {
            match (refused.contains(line), broken.has(item)) {
                (true, false) => {
                    wrong.push(format!("{}: the report does not say that {} breaks", case.name, item.line()))
                }
                (false, true) => {
                    wrong.push(format!("{}: the report says that {} breaks, and it compiles", case.name, item.line()))
                }
                _ => {}
            }
        }
        for Reported { what, drift, .. } in reported {
            let own = Broken::from_drift(drift, &before);
            let breaks = used.iter().any(|(line, item)| refused.contains(line) && own.has(item));
            // An item that moves behind another feature breaks no program that enables all of them.
            let is_told = drift.source() == Source::Major && !(own.items.is_empty() && own.other.is_empty());
            if breaks != is_told {
                wrong.push(format!("{}: {what}: told {:?}, and the compiler says {breaks}", case.name, drift.source()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} verdicts are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The table of the guide: each change with its report, for the sandbox's contract and for Radarr's.
#[test]
#[ignore = "generates a client for each change of the guide: .ci/run --all runs it"]
fn the_guide_says_what_each_change_costs() {
    const GUIDE: &str = "docs/drift.md";
    const HEAD: &str =
        "| change | a running program | its requests | the answers | the next compile |\n|---|---|---|---|---|\n";
    let met = read(super::wire::MET);
    let met: BTreeMap<(&str, &str), String> = met
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(case, rest)| Some((case, rest.split_once('\t')?)))
        .map(|(case, (what, met))| ((case, what), met.replace('\t', " | ")))
        .collect();
    let mut rows: BTreeMap<usize, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.name != "grown").collect();
    for case in &cases {
        let before = case.client(&case.contract, &Names::default());
        for Reported { what, drift, .. } in &known(case, &before).1 {
            let what = *what;
            let met = met.get(&(case.name, what)).unwrap_or_else(|| panic!("nobody has tried {what} ({})", case.name));
            let verdict = format!("{} | {met} | {}", drift.client().as_str(), drift.source().as_str());
            let row = CHANGES.iter().position(|(known, _)| *known == what).unwrap();
            rows.entry(row).or_default().entry(verdict).or_default().push(case.name);
        }
    }
    if cases.len() < 2 {
        return;
    }
    let mut table = HEAD.to_owned();
    for (row, verdicts) in rows {
        let what = CHANGES[row].0;
        let several = verdicts.len() > 1;
        for (verdict, names) in verdicts {
            let where_ = if several { format!(" ({})", names.join(", ")) } else { String::new() };
            table.push_str(&format!("| {what}{where_} | {verdict} |\n"));
        }
    }
    let guide = read(GUIDE);
    let (head, rest) = guide.split_once(HEAD).unwrap_or_else(|| panic!("{GUIDE} has no table of scripted changes"));
    let rest = rest.split_once("\n\n").map_or("", |(_, rest)| rest);
    let wanted = format!("{head}{table}\n{rest}");
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(root().join(GUIDE), &wanted).unwrap();
    }
    assert!(
        read(GUIDE) == wanted,
        "run INSTA_UPDATE=always cargo test -p platform-tests --test workspace -- the_guide_says\n{table}"
    );
}
