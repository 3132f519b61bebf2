//! Members and query parameters that were published under the name that their wire name gives: a word for each, in one line for
//! each type or operation.
//!
//! Their names need no line of their own, but the generator has to know that programs use them. Of `userId` and `user_id`, the
//! one that came first keeps `user_id`, whichever it is.

use std::collections::{BTreeMap, BTreeSet};

use super::Doubles;

/// The wire names of a line of `specs/names.lock`.
pub(crate) fn read(lines: &BTreeMap<String, String>, owner: &str) -> BTreeSet<String> {
    lines.get(owner).into_iter().flat_map(|words| words.split(' ')).map(decode).collect()
}

/// Adds wire names to the line of a type or an operation. Several selections of a GraphQL document may be one type.
pub(crate) fn add(lines: &mut BTreeMap<String, String>, owner: &str, wires: Vec<&str>) {
    if wires.is_empty() {
        return;
    }
    let mut words: BTreeSet<String> = wires.into_iter().map(encode).collect();
    words.extend(lines.get(owner).into_iter().flat_map(|words| words.split(' ')).map(str::to_owned));
    lines.insert(owner.to_owned(), words.into_iter().collect::<Vec<_>>().join(" "));
}

/// Notes the published names of the members of a type or an operation that the contract still has. Two branches each publish one.
pub(crate) fn note(
    doubles: &mut Doubles,
    kind: &'static str,
    owner: &str,
    members: &[(&str, String)],
    published: &BTreeSet<String>,
    renames: &BTreeMap<String, String>,
) {
    for (wire, wish) in members.iter().filter(|(wire, _)| published.contains(*wire)) {
        let key = [owner, ".", wire].concat();
        if !renames.contains_key(&key) {
            doubles.note_published(kind, owner, &key, wish);
        }
    }
}

/// A wire name as one word without ` = `, which ends the key of a line.
fn encode(wire: &str) -> String {
    let mut word = String::with_capacity(wire.len());
    for c in wire.chars() {
        match c {
            '%' | '=' => word.push_str(&format!("%{:x};", u32::from(c))),
            c if c.is_whitespace() || c.is_control() => word.push_str(&format!("%{:x};", u32::from(c))),
            c => word.push(c),
        }
    }
    if word.is_empty() { "%".to_owned() } else { word }
}

fn decode(word: &str) -> String {
    let mut wire = String::with_capacity(word.len());
    let mut rest = word;
    while let Some((plain, encoded)) = rest.split_once('%') {
        wire.push_str(plain);
        let decoded = encoded
            .split_once(';')
            .and_then(|(digits, behind)| Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, behind)));
        rest = match decoded {
            Some((c, behind)) => {
                wire.push(c);
                behind
            }
            None => encoded,
        };
    }
    wire + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_wire_name_comes_back_and_no_line_is_read_otherwise() {
        let wires = ["", " ", "a = b", "=", "%", "%20;", "a%", "\u{2028}", "a\nb", "userId", "$type", "Größe"];
        let mut lines = BTreeMap::new();
        for wire in wires {
            add(&mut lines, "owner", vec![wire]);
        }
        assert_eq!(read(&lines, "owner"), wires.into_iter().map(str::to_owned).collect());
        assert!(!lines["owner"].contains(" = ") && lines["owner"].lines().count() == 1, "{lines:?}");
    }
}
