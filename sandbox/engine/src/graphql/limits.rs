//! The limits of a request, before it is executed.

use std::collections::HashMap;

use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Operation, Selection, SelectionSet};

/// Levels of fields, as deep as the introspection query of common tools goes, and more.
const MOST_DEPTH: usize = 30;

/// Fields that the selections of a request have, those of each spread of a fragment included.
const MOST_FIELDS: usize = 10_000;

/// Depth and fields of a selection set.
type Size = (usize, usize);

pub(super) fn check(document: &ExecutableDocument, operation: &Operation) -> Result<(), String> {
    let (depth, fields) = size(document, &operation.selection_set, &mut HashMap::new());
    if depth > MOST_DEPTH {
        return Err(format!("the request has {depth} levels of fields, and the limit of the sandbox is {MOST_DEPTH}"));
    }
    if fields > MOST_FIELDS {
        return Err(format!("the request has {fields} fields, and the limit of the sandbox is {MOST_FIELDS}"));
    }
    Ok(())
}

/// Each fragment is counted once, so fragments that spread each other take linear time. A valid document has no circle of them.
fn size<'d>(document: &'d ExecutableDocument, set: &'d SelectionSet, fragments: &mut HashMap<&'d str, Size>) -> Size {
    let mut depth = 0;
    let mut fields: usize = 0;
    for selection in &set.selections {
        let (levels, more) = match selection {
            Selection::Field(field) => {
                let (levels, more) = size(document, &field.selection_set, fragments);
                (levels + 1, more.saturating_add(1))
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
                    (None, None) => (0, 0),
                }
            }
        };
        depth = depth.max(levels);
        fields = fields.saturating_add(more);
    }
    (depth, fields)
}
