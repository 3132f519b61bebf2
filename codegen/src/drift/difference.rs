//! The parts of both contracts that a finding is about, and how they differ line by line.

use serde_json::Value;

use super::finding::{Drift, Excerpt};
use super::side::Side;
use super::sides::{Sides, When};
use crate::pointer;

/// A line of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// On both sides.
    Same,
    /// Before only.
    Gone,
    /// After only.
    New,
    /// Lines on both sides that are left out.
    Left,
}

/// Lines of a part that are shown, and characters of a text in them.
const LINES: usize = 80;
const CHARACTERS: usize = 160;
/// Equal lines around a difference.
const AROUND: usize = 3;
/// Pairs of lines that are compared. Beyond it, everything between the first and the last difference differs.
const PAIRS: usize = 100_000;

/// Keeps with each finding the parts that it is about.
pub(super) fn keep(drift: &mut Drift, Sides { before, after }: Sides<&Side>) {
    let sides = Sides { before, after };
    let Some(met) = drift.met.get(&before.document.name) else { return };
    for finding in &mut drift.findings {
        let own = Sides { before: finding.before.as_ref(), after: finding.after.as_ref() };
        let mut places = own.zip(sides).map(|(own, side)| Some(whole(side.published(), &own?.pointer)));
        for side in When::BOTH {
            let other = side.other();
            // A keyword that only one side has: the schema that has it is on both.
            let (None, Some(counterpart), Some(site)) = (&places[side], &places[other], own[other]) else { continue };
            if *counterpart == site.pointer {
                continue;
            }
            let pairs = finding.places.schemas.iter().filter_map(|number| met.schemas.get(*number));
            let paired = pairs.map(|(pair, _)| pair).find(|pair| pair[other] == *counterpart);
            places[side] = Some(paired.map_or_else(|| counterpart.clone(), |pair| pair[side].clone()));
        }
        for (side, place) in places {
            let Some(place) = place else { continue };
            let value = sides[side].published().pointer(&place).cloned();
            let name = pointer::tokens(&place).last().unwrap_or_default();
            finding.places.parts[side] = value.map(|value| Excerpt { name, value });
        }
    }
}

/// The nearest object at a place, or around it.
fn whole(document: &Value, place: &str) -> String {
    let mut place = place;
    while !document.pointer(place).is_some_and(Value::is_object) && !place.is_empty() {
        place = place.rfind('/').map_or("", |end| &place[..end]);
    }
    place.to_owned()
}

/// The lines of both parts: the differences, and a few equal lines around them. None if only the place differs.
pub(super) fn lines(parts: &Sides<Option<Excerpt>>) -> Vec<(Mark, String)> {
    let Sides { before: old, after: new } =
        parts.as_ref().map(|part| part.as_ref().map(Excerpt::lines).unwrap_or_default());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let middle = middle(&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let same = |line: &String| (Mark::Same, line.clone());
    let all: Vec<(Mark, String)> =
        old[..head].iter().map(same).chain(middle).chain(old_rest[old_rest.len() - tail..].iter().map(same)).collect();
    near(&all)
}

/// The lines between the first difference and the last one.
fn middle(old: &[String], new: &[String]) -> Vec<(Mark, String)> {
    let gone = |line: &String| (Mark::Gone, line.clone());
    let fresh = |line: &String| (Mark::New, line.clone());
    if old.len() * new.len() > PAIRS {
        return old.iter().map(gone).chain(new.iter().map(fresh)).collect();
    }
    // The longest common subsequence from each pair of lines on.
    let width = new.len() + 1;
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for row in (0..old.len()).rev() {
        for column in (0..new.len()).rev() {
            longest[row * width + column] = match old[row] == new[column] {
                true => longest[(row + 1) * width + column + 1] + 1,
                false => longest[(row + 1) * width + column].max(longest[row * width + column + 1]),
            };
        }
    }
    let (mut row, mut column, mut lines) = (0, 0, Vec::new());
    while row < old.len() && column < new.len() {
        if old[row] == new[column] {
            lines.push((Mark::Same, old[row].clone()));
            (row, column) = (row + 1, column + 1);
        } else if longest[(row + 1) * width + column] >= longest[row * width + column + 1] {
            lines.push(gone(&old[row]));
            row += 1;
        } else {
            lines.push(fresh(&new[column]));
            column += 1;
        }
    }
    lines.extend(old[row..].iter().map(gone));
    lines.extend(new[column..].iter().map(fresh));
    lines
}

/// Leaves out equal lines that are far from differences.
fn near(all: &[(Mark, String)]) -> Vec<(Mark, String)> {
    let mut is_near = vec![false; all.len()];
    for (index, _) in all.iter().enumerate().filter(|(_, (mark, _))| *mark != Mark::Same) {
        let end = (index + AROUND + 1).min(all.len());
        is_near[index.saturating_sub(AROUND)..end].fill(true);
    }
    let mut lines: Vec<(Mark, String)> = Vec::new();
    if !is_near.contains(&true) {
        return lines;
    }
    for ((mark, line), is_near) in all.iter().zip(is_near) {
        if is_near {
            lines.push((*mark, line.clone()));
        } else if lines.last().is_none_or(|(mark, _)| *mark != Mark::Left) {
            lines.push((Mark::Left, "…".to_owned()));
        }
    }
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push((Mark::Left, "…".to_owned()));
    }
    lines
}

impl Excerpt {
    /// The part as JSON, members by name.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        write(&mut lines, 0, &format!("{}: ", quoted(&self.name)), &self.value, "");
        lines
    }
}

fn write(lines: &mut Vec<String>, depth: usize, label: &str, value: &Value, end: &str) {
    let indent = "  ".repeat(depth);
    let mut line = |text: String| lines.push(format!("{indent}{text}"));
    match value {
        Value::Object(members) if !members.is_empty() => {
            line(format!("{label}{{"));
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            let last = sorted.len() - 1;
            for (index, (name, value)) in sorted.into_iter().enumerate() {
                let end = if index == last { "" } else { "," };
                write(lines, depth + 1, &format!("{}: ", quoted(name)), value, end);
            }
            lines.push(format!("{indent}}}{end}"));
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            line(format!("{label}["));
            let last = items.len() - 1;
            for (index, item) in items.iter().enumerate() {
                write(lines, depth + 1, "", item, if index == last { "" } else { "," });
            }
            lines.push(format!("{indent}]{end}"));
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(scalar).collect();
            line(format!("{label}[{}]{end}", items.join(", ")));
        }
        value => line(format!("{label}{}{end}", scalar(value))),
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let short = match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    Value::String(short).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(before: Option<Value>, after: Option<Value>) -> String {
        let part = |value: Option<Value>| value.map(|value| Excerpt { name: "size".to_owned(), value });
        let parts = Sides { before: part(before), after: part(after) };
        let line = |(mark, line): (Mark, String)| {
            let sign = match mark {
                Mark::Same => ' ',
                Mark::Gone => '-',
                Mark::New => '+',
                Mark::Left => '.',
            };
            format!("{sign}{line}\n")
        };
        lines(&parts).into_iter().map(line).collect()
    }

    #[test]
    fn lines_that_differ_have_a_sign_and_far_ones_are_left_out() {
        let (before, after) =
            (json!({"type": "integer", "format": "int32"}), json!({"format": "int64", "type": "integer"}));
        let both = report(Some(before.clone()), Some(after));
        assert_eq!(
            both,
            " \"size\": {\n-  \"format\": \"int32\",\n+  \"format\": \"int64\",\n   \"type\": \"integer\"\n }\n"
        );
        assert!(report(Some(before.clone()), None).lines().all(|line| line.starts_with('-')));
        assert_eq!(report(Some(before.clone()), Some(before)), "");
        let many =
            |last: &str| json!({"a": [1, 2], "all": (0..20).map(|n| json!({ "n": n })).collect::<Vec<_>>(), "z": last});
        let far = report(Some(many("a")), Some(many("b")));
        assert_eq!(far.lines().filter(|line| line.starts_with('.')).count(), 1, "{far}");
        assert!(far.contains("-  \"z\": \"a\"\n+  \"z\": \"b\"\n"), "{far}");
    }

    #[test]
    fn a_part_of_any_size_is_a_few_lines() {
        let large = |offset: u32| Value::Array((0..2000).map(|n| json!({"n": n + offset})).collect());
        let text = report(Some(large(0)), Some(large(5000)));
        assert!(text.lines().count() <= LINES + 1, "{}", text.lines().count());
    }
}
