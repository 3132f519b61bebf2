//! References into parts that an upgrade has moved.

use serde_json::Value;

use super::journal::Journal;
use crate::members::Members as _;
use crate::{pointer, walk};

const PASS: &str = "upgrade/references";

/// Points references into moved parts, such as `#/parameters/Page/items`, to where these parts went.
pub(super) fn follow(tree: &mut Value, journal: &mut Journal<'_>) {
    let mut dangling = Vec::new();
    walk::each(tree, &mut |_, value, pointer| {
        if let Some(target) = value.member("$ref").and_then(Value::as_str).and_then(local)
            && !shallow(&target)
        {
            dangling.push((pointer.to_owned(), target));
        }
    });
    for (pointer, target) in dangling {
        // A place that only the upgraded tree has was written by an upgrade, and is right already.
        if !journal.published.has(&target) {
            continue;
        }
        let moved = journal.origins.target(&target);
        if moved == target || tree.pointer(&moved).is_none() {
            continue;
        }
        if let Some(reference) = tree.pointer_mut(&pointer).and_then(|holder| holder.get_mut("$ref")) {
            *reference = Value::from(format!("#{}", moved.replace('%', "%25")));
            journal.same(PASS, &pointer, format!("pointed the reference to `#{target}` to its new position"));
        }
    }
}

/// Returns whether a pointer names a component itself; passes rewrite these on their own.
fn shallow(pointer: &str) -> bool {
    pointer.starts_with("/components/") && pointer.bytes().filter(|byte| *byte == b'/').count() == 3
}

/// The JSON pointer of a reference into the same document.
pub(super) fn local(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    (fragment.is_empty() || fragment.starts_with('/')).then(|| pointer::percent_decode(fragment))
}

/// A reference token as text: percent-encoding and the escapes of JSON pointers undone.
pub(super) fn token(raw: &str) -> String {
    pointer::unescape(&pointer::percent_decode(raw))
}
