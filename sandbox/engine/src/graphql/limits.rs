//! The limits of a request, before it is executed.

use std::collections::HashMap;

use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Operation, Selection, SelectionSet};

/// Levels of fields, as deep as the introspection query of common tools goes, and more.
const MOST_DEPTH: usize = 30;

/// Fields that the selections of a request have, those of each spread of a fragment included.
const MOST_FIELDS: usize = 10_000;

/// Selections of `__schema` and `__type`, the size of whose values the schema decides.
const MOST_INTROSPECTIONS: usize = 10;

/// Fields within them: the query of common tools, which reads all of a schema, has about 250.
const MOST_INTROSPECTED: usize = 1_000;

/// The size of a selection set.
#[derive(Clone, Copy, Default)]
struct Size {
    depth: usize,
    fields: usize,
    introspections: usize,
    /// Fields within the introspections.
    introspected: usize,
}

pub(super) fn check(document: &ExecutableDocument, operation: &Operation) -> Result<(), String> {
    let size = size(document, &operation.selection_set, &mut HashMap::new());
    for (number, most, counted) in [
        (size.depth, MOST_DEPTH, "levels of fields"),
        (size.fields, MOST_FIELDS, "fields"),
        (size.introspections, MOST_INTROSPECTIONS, "fields of introspection, `__schema` or `__type`"),
        (size.introspected, MOST_INTROSPECTED, "fields within those of introspection"),
    ] {
        if number > most {
            return Err(format!("the request has {number} {counted}, and the limit of the sandbox is {most}"));
        }
    }
    Ok(())
}

/// Each fragment is counted once, so fragments that spread each other take linear time. A valid document has no circle of them.
fn size<'d>(document: &'d ExecutableDocument, set: &'d SelectionSet, fragments: &mut HashMap<&'d str, Size>) -> Size {
    let mut all = Size::default();
    for selection in &set.selections {
        let part = match selection {
            Selection::Field(field) => {
                let within = size(document, &field.selection_set, fragments);
                let is_introspection = ["__schema", "__type"].contains(&field.name.as_str());
                Size {
                    depth: within.depth.saturating_add(1),
                    fields: within.fields.saturating_add(1),
                    introspections: within.introspections.saturating_add(usize::from(is_introspection)),
                    introspected: if is_introspection { within.fields } else { within.introspected },
                }
            }
            Selection::InlineFragment(inline) => size(document, &inline.selection_set, fragments),
            Selection::FragmentSpread(spread) => {
                let name = spread.fragment_name.as_str();
                match (fragments.get(name), document.fragments.get(name)) {
                    (Some(known), _) => *known,
                    (None, Some(fragment)) => {
                        let size = size(document, &fragment.selection_set, fragments);
                        fragments.insert(name, size);
                        size
                    }
                    (None, None) => Size::default(),
                }
            }
        };
        all.depth = all.depth.max(part.depth);
        all.fields = all.fields.saturating_add(part.fields);
        all.introspections = all.introspections.saturating_add(part.introspections);
        all.introspected = all.introspected.saturating_add(part.introspected);
    }
    all
}
