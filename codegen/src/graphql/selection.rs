//! Selection sets, read one by one.

use apollo_compiler::executable::{Field, Selection, SelectionSet};
use apollo_compiler::parser::SourceSpan;
use apollo_compiler::{ExecutableDocument, Node};

/// The field that names the type of an object.
pub(super) const TYPE_NAME: &str = "__typename";

/// A selection set that contributes to an object.
#[derive(Clone, Copy)]
pub(super) struct SelectedSet<'d> {
    pub(super) set: &'d SelectionSet,
    /// `true` if the selection always applies: it has no `@skip` or `@include`.
    pub(super) sure: bool,
}

/// A member of an object, with every place that selects it.
pub(super) struct SelectedField<'d> {
    pub(super) field: &'d Node<Field>,
    pub(super) sure: bool,
    pub(super) places: Vec<SelectedSet<'d>>,
}

/// The beginning of a selection set.
pub(super) fn place(set: &SelectionSet) -> Option<SourceSpan> {
    set.selections.first().and_then(|selection| match selection {
        Selection::Field(field) => field.location(),
        Selection::InlineFragment(inline) => inline.location(),
        Selection::FragmentSpread(spread) => spread.location(),
    })
}

/// True if a selection set itself selects the name of the type, always and by its own name.
pub(super) fn has_type_name(set: &SelectionSet) -> bool {
    set.selections.iter().any(|selection| match selection {
        Selection::Field(field) => field.response_key() == TYPE_NAME && field.name == TYPE_NAME && !decided(selection),
        _ => false,
    })
}

/// The type condition and the selections of a fragment.
pub(super) fn inner<'d>(
    document: &'d ExecutableDocument,
    selection: &'d Selection,
) -> Option<(&'d str, &'d SelectionSet)> {
    match selection {
        Selection::Field(_) => None,
        Selection::InlineFragment(inline) => Some((inline.selection_set.ty.as_str(), &inline.selection_set)),
        Selection::FragmentSpread(spread) => {
            let set = &document.fragments.get(&spread.fragment_name)?.selection_set;
            Some((set.ty.as_str(), set))
        }
    }
}

/// Adds a selection of a field. A field that only an unsure selection contains is there if that selection applies.
pub(super) fn merge<'d>(field: &'d Node<Field>, sure: bool, fields: &mut Vec<SelectedField<'d>>) {
    let set = &field.selection_set;
    match fields.iter_mut().find(|known| known.field.response_key() == field.response_key()) {
        None => fields.push(SelectedField { field, sure, places: vec![SelectedSet { set, sure: true }] }),
        Some(known) => {
            if let [first] = known.places.as_mut_slice() {
                first.sure = known.sure;
            }
            known.places.push(SelectedSet { set, sure });
            known.sure |= sure;
        }
    }
}

/// True if `@skip` or `@include` decides a selection.
pub(super) fn decided(selection: &Selection) -> bool {
    selection.directives().has("skip") || selection.directives().has("include")
}
