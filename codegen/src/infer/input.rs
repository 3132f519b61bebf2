//! The inputs of an operation that can lead to a page: parameters, and members of a JSON body.

use serde_json::Value;

use super::page;
use crate::model::{BodyKind, Location, Model, Operation, Type};
use crate::naming::ident::member_name;
use crate::naming::words::{self, Meaning};

/// A parameter, or a member of the body.
#[derive(Clone, Debug)]
pub(super) struct Input<'m> {
    /// The name on the wire.
    pub(super) wire: &'m str,
    /// The name in the configuration: that of a parameter, or a JSON pointer into the body.
    pub(super) key: String,
    pub(super) ty: &'m Type,
    pub(super) docs: &'m str,
    /// Limits, in words.
    pub(super) limits: String,
    pub(super) default: Option<String>,
}

/// The parameters of the query and of headers.
pub(super) fn parameters(operation: &Operation) -> Vec<Input<'_>> {
    let all = operation.parameters.iter();
    all.filter(|parameter| matches!(parameter.location, Location::Query | Location::Header))
        .map(|parameter| Input {
            wire: &parameter.wire,
            key: parameter.wire.clone(),
            ty: &parameter.ty,
            docs: &parameter.docs,
            limits: parameter.limits.to_string(),
            default: parameter.default.clone(),
        })
        .collect()
}

/// The members of the JSON body, and those of the objects in it that are about a page. `default` gives that of the
/// schema at a place of the contract.
pub(super) fn members<'m, 'd>(
    model: &'m Model,
    operation: &'m Operation,
    default: impl Fn(&str) -> Option<&'d Value>,
) -> Vec<Input<'m>> {
    let Some(BodyKind::Json(ty)) = operation.body.as_ref().map(|body| &body.kind) else { return Vec::new() };
    page::about(model, ty)
        .into_iter()
        .filter(|member| !member.field.read_only && !matches!(page::bare(model, &member.field.ty), Type::Any))
        .map(|member| Input {
            wire: &member.field.wire,
            key: member.pointer(),
            ty: &member.field.ty,
            docs: &member.field.docs,
            limits: member.field.limits.to_string(),
            default: default(&member.field.pointer).map(Value::to_string),
        })
        .collect()
}

/// Returns whether an operation that is sent by POST only reads, by the verb of its name or of its path, or by its documentation.
pub(super) fn reads(operation: &Operation) -> bool {
    // `get_or_create`, `list_and_ack`
    let is_double = operation.name.split('_').any(|word| matches!(word, "or" | "and"));
    if operation.method != "POST" || is_double {
        return false;
    }
    let last = operation.path.rsplit('/').find(|segment| !segment.is_empty() && !segment.contains(['{', '#']));
    let is_change = words::is_action(&operation.name) || words::is_task(&operation.name);
    let is_question = last.is_some_and(|last| words::reads(&member_name(last)));
    let is_said = words::meaning(&operation.docs) == Meaning::Reads;
    words::reads(&operation.name) || !is_change && (is_question || is_said)
}
