//! No circle between the modules of a package: those that lie side by side know each other in one direction.
//!
//! An arrow runs from the code that imports, calls or names something to the file that declares it, tests apart. A
//! re-export is no end of an arrow, so a `mod.rs` that declares and re-exports its children is part of no circle. A
//! child may name its parent's declarations: a parent and its children are one module to their siblings.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::modules::{Modules, Named};
use super::{File, Finding, outside_strings};

/// The roots of a package's crates.
const ROOTS: [&str; 2] = ["src/lib.rs", "src/main.rs"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let members = files.iter().filter_map(|file| file.path.strip_suffix("Cargo.toml"));
    let roots =
        members.filter(|member| member.ends_with('/')).flat_map(|member| ROOTS.map(|root| format!("{member}{root}")));
    roots.flat_map(|root| of_crate(&root, files)).collect()
}

/// Modules by their paths, the modules that each of them knows, and one reason for each.
type Arrows = BTreeMap<Vec<String>, BTreeMap<Vec<String>, Named>>;

fn of_crate(root: &str, files: &[File]) -> Vec<Finding> {
    // The modules that have one parent, by the path of that parent.
    let mut levels: BTreeMap<Vec<String>, Arrows> = BTreeMap::new();
    for named in Modules::read(root, files).named() {
        let shared = named.by.module.iter().zip(&named.owner.module).take_while(|(by, owner)| by == owner).count();
        let (Some(by), Some(owner)) = (named.by.module.get(..=shared), named.owner.module.get(..=shared)) else {
            continue;
        };
        let (by, owner) = (by.to_vec(), owner.to_vec());
        let level = by.get(..shared).unwrap_or_default().to_vec();
        levels.entry(level).or_default().entry(by).or_default().entry(owner).or_insert(named);
    }
    levels.values().flat_map(|arrows| circles(arrows, files)).collect()
}

/// A finding for each group of modules that reach each other.
fn circles(arrows: &Arrows, files: &[File]) -> Vec<Finding> {
    let mut reported = BTreeSet::new();
    let mut findings = Vec::new();
    for module in arrows.keys() {
        if !reported.contains(module)
            && let Some(way) = way_back(module, arrows)
        {
            let mutual = |other: &&Vec<String>| reached(other, arrows).contains(module);
            reported.extend(reached(module, arrows).iter().filter(mutual).cloned());
            findings.extend(finding(&way, files));
        }
    }
    findings
}

/// The shortest way from a module to itself, by the reasons for its arrows.
fn way_back<'a>(module: &Vec<String>, arrows: &'a Arrows) -> Option<Vec<&'a Named>> {
    let mut ways = VecDeque::from([(module, Vec::new())]);
    let mut seen = BTreeSet::new();
    while let Some((at, way)) = ways.pop_front() {
        for (to, named) in arrows.get(at).into_iter().flatten() {
            let way = [way.as_slice(), &[named]].concat();
            if to == module {
                return Some(way);
            }
            if seen.insert(to) {
                ways.push_back((to, way));
            }
        }
    }
    None
}

/// The modules that a module knows, and those that they know.
fn reached(module: &Vec<String>, arrows: &Arrows) -> BTreeSet<Vec<String>> {
    let mut reached = BTreeSet::new();
    let mut next = vec![module];
    while let Some(at) = next.pop() {
        for to in arrows.get(at).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(to.clone()) {
                next.push(to);
            }
        }
    }
    reached
}

fn finding(way: &[&Named], files: &[File]) -> Option<Finding> {
    let first = way.first()?;
    let step = |named: &&Named| format!("{} names `{}` of {}", named.by.file, named.name, named.owner.file);
    let text = files.iter().find(|file| file.path == first.by.file).and_then(File::text).unwrap_or_default();
    let line = text.lines().position(|line| outside_strings(line).contains(&first.name));
    Some(Finding {
        file: first.by.file.clone(),
        line: line.map_or(1, |index| index + 1),
        rule: "circle",
        what: way.iter().map(step).collect::<Vec<_>>().join(", "),
        fix: "move what both need into a module that knows neither, or hand it down as a value or a trait",
    })
}
