//! What ties an asynchronous operation to a deployment.

use super::OperationState;
use crate::{Method, Value};

/// Which operation is asynchronous, where its identifier lies, and how it is watched. The constants of a generated client
/// are written from `[[operation]]` in `specs/codegen.toml`, and are checked against contract and schema.
///
/// Places in JSON are pointers (RFC 6901). The first of them is the empty text, for the whole.
///
/// ```
/// use driftless_runtime::{Method, operations::{Binding, States}};
///
/// static RENDERING: Binding = Binding {
///     kind: "rendering",
///     method: Method::Post,
///     path: "/renderings",
///     identifier: "/id",
///     query: "query ($id: ID!) { rendering(id: $id) { state } }",
///     state: "/rendering/state",
///     states: States { pending: &["WAITING"], succeeded: &["DONE"], failed: &["BROKEN"], cancelled: &[] },
///     ..Binding::NONE
/// };
/// # assert_eq!(RENDERING.variable, "id");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Its name, in references and in stores.
    pub kind: &'static str,
    /// The method of the operation that submits.
    pub method: Method,
    /// The path template of the operation that submits.
    pub path: &'static str,
    /// Where the identifier lies in the accepted result.
    pub identifier: &'static str,
    /// The GraphQL query that shows the operation.
    pub query: &'static str,
    /// The GraphQL subscription that says when to look.
    pub subscription: Option<&'static str>,
    /// The variable of both documents that takes the identifier.
    pub variable: &'static str,
    /// Where the state lies in the data of the query.
    pub state: &'static str,
    /// Where the state lies in the data of the subscription.
    pub pushed_state: Option<&'static str>,
    /// What the states mean.
    pub states: States,
    /// The follow-up events that a success needs.
    pub events: Option<Events>,
    /// How it is cancelled.
    pub cancel: Option<Cancel>,
    /// The header by which the service recognises a repeated submission.
    pub idempotency: Option<&'static str>,
}

/// The bindings of a generated client, as an extension of its sessions.
#[derive(Clone, Copy, Debug)]
pub struct Bindings(pub &'static [&'static Binding]);

/// What the states of the service mean. A state that is in none of the lists is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct States {
    /// On the way, in the order in which they come.
    pub pending: &'static [&'static str],
    /// Done.
    pub succeeded: &'static [&'static str],
    /// Failed.
    pub failed: &'static [&'static str],
    /// Cancelled.
    pub cancelled: &'static [&'static str],
}

/// Follow-up events.
#[derive(Clone, Copy, Debug)]
pub struct Events {
    /// Where the list of events lies in the data of the query.
    pub list: &'static str,
    /// Where the name lies in an event.
    pub name: &'static str,
    /// Where an event, or a list of them, lies in the data of the subscription.
    pub pushed: Option<&'static str>,
    /// The names of the events that a success needs.
    pub required: &'static [&'static str],
}

/// The operation that cancels.
#[derive(Clone, Copy, Debug)]
pub struct Cancel {
    /// Its method.
    pub method: Method,
    /// Its path template. Its parameters are those of the submission, and the one below.
    pub path: &'static str,
    /// The parameter that takes the identifier.
    pub parameter: &'static str,
}

impl Binding {
    /// A binding of nothing: the base of a struct update.
    pub const NONE: Self = Self {
        kind: "",
        method: Method::Post,
        path: "",
        identifier: "/id",
        query: "",
        subscription: None,
        variable: "id",
        state: "",
        pushed_state: None,
        states: States { pending: &[], succeeded: &[], failed: &[], cancelled: &[] },
        events: None,
        cancel: None,
        idempotency: None,
    };
}

impl States {
    /// What a state means.
    pub(super) fn read(&self, raw: &str) -> OperationState {
        let lists = [
            (self.pending, OperationState::Pending),
            (self.succeeded, OperationState::Succeeded),
            (self.failed, OperationState::Failed),
            (self.cancelled, OperationState::Cancelled),
        ];
        lists.into_iter().find(|(list, _)| list.contains(&raw)).map_or(OperationState::Unknown, |(_, state)| state)
    }

    /// How far a state is on the way. Final states are beyond all others.
    pub(super) fn rank(&self, raw: &str) -> usize {
        match self.read(raw) {
            OperationState::Pending => self.pending.iter().position(|known| *known == raw).unwrap_or_default(),
            OperationState::Unknown | OperationState::NotVisible => 0,
            OperationState::Succeeded | OperationState::Failed | OperationState::Cancelled => usize::MAX,
        }
    }
}

impl Events {
    /// The names of the events at a place: one event, or a list of them.
    pub(super) fn names(&self, data: &Value, place: &str) -> Vec<String> {
        let found = data.pointer(place);
        let list = match found {
            Some(Value::Array(list)) => list.as_slice(),
            Some(single) => std::slice::from_ref(single),
            None => &[],
        };
        list.iter().filter_map(|event| event.pointer(self.name)).filter_map(text).collect()
    }
}

/// A scalar as text: identifiers and states may be numbers.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}
