//! The binding of an asynchronous operation to a deployment.

use super::OperationState;
use crate::{Method, Value};

/// An asynchronous operation: how it is submitted, identified and watched. The constants of a generated client are
/// written from `[[operation]]` in `specs/codegen.toml`, and are checked against contract and schema.
///
/// Members of JSON are addressed by JSON Pointers (RFC 6901). The empty text is the whole value.
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
    /// The pointer to the identifier in the accepted result; not used if `watch` names a header.
    pub identifier: &'static str,
    /// The GraphQL query that returns the operation; not used with `watch`.
    pub query: &'static str,
    /// The operation of the contract that returns it, instead of a query.
    pub watch: Option<Watched>,
    /// The GraphQL subscription that triggers queries.
    pub subscription: Option<&'static str>,
    /// The variable of both documents that takes the identifier.
    pub variable: &'static str,
    /// The pointer to the state in the data of the query, or in the body that `watch` returns.
    pub state: &'static str,
    /// The pointer to the state in the data of the subscription.
    pub pushed_state: Option<&'static str>,
    /// The meaning of the states.
    pub states: States,
    /// The follow-up events that a success needs.
    pub events: Option<Events>,
    /// The operation that cancels it.
    pub cancel: Option<Cancel>,
    /// The header by which the service recognises a repeated submission.
    pub idempotency: Option<&'static str>,
}

/// The bindings of a generated client, as an extension of its sessions.
#[derive(Clone, Copy, Debug)]
pub struct Bindings(pub &'static [&'static Binding]);

/// The meaning of the service's states. A state that is in none of the lists is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct States {
    /// In progress, in order.
    pub pending: &'static [&'static str],
    /// Succeeded.
    pub succeeded: &'static [&'static str],
    /// Failed.
    pub failed: &'static [&'static str],
    /// Cancelled.
    pub cancelled: &'static [&'static str],
}

/// Follow-up events.
#[derive(Clone, Copy, Debug)]
pub struct Events {
    /// The pointer to the list of events in the data of the query.
    pub list: &'static str,
    /// The pointer to the name in an event.
    pub name: &'static str,
    /// The pointer to an event, or to a list of them, in the data of the subscription.
    pub pushed: Option<&'static str>,
    /// The names of the events that a success needs.
    pub required: &'static [&'static str],
}

/// The operation that returns another, by `GET`. If it returns 404, the operation is not visible.
///
/// ```
/// use driftless_runtime::operations::Watched;
///
/// // `Operation-Location: https://service.example/jobs/17` identifies the job 17.
/// const JOB: Watched = Watched { path: "/jobs/{job}", parameter: "job", header: Some("Operation-Location") };
/// # assert_eq!(JOB.parameter, "job");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    /// Its path template. Its parameters are those of the submission, and the one below.
    pub path: &'static str,
    /// The parameter that takes the identifier.
    pub parameter: &'static str,
    /// The header of the accepted response whose value is the address of the operation, such as `Operation-Location`.
    /// The address has to be one of the client's service, and has to fit the path: its parameters, the identifier among
    /// them, are taken from the address, and so are those of the query (`?version={version}`). `None`: the identifier is
    /// in the body.
    pub header: Option<&'static str>,
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
    /// The empty binding: the base of a struct update.
    pub const NONE: Self = Self {
        kind: "",
        method: Method::Post,
        path: "",
        identifier: "/id",
        query: "",
        watch: None,
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
    /// Returns the meaning of a state.
    pub(super) fn read(&self, raw: &str) -> OperationState {
        let lists = [
            (self.pending, OperationState::Pending),
            (self.succeeded, OperationState::Succeeded),
            (self.failed, OperationState::Failed),
            (self.cancelled, OperationState::Cancelled),
        ];
        lists.into_iter().find(|(list, _)| list.contains(&raw)).map_or(OperationState::Unknown, |(_, state)| state)
    }

    /// Returns the rank of a state in its order. Final states rank above all others.
    pub(super) fn rank(&self, raw: &str) -> usize {
        match self.read(raw) {
            OperationState::Pending => self.pending.iter().position(|known| *known == raw).unwrap_or_default(),
            OperationState::Unknown | OperationState::NotVisible => 0,
            OperationState::Succeeded | OperationState::Failed | OperationState::Cancelled => usize::MAX,
        }
    }
}

impl Events {
    /// Returns the names of the events at a pointer: one event, or a list of them.
    pub(super) fn names(&self, data: &Value, pointer: &str) -> Vec<String> {
        let value = data.pointer(pointer);
        let list = match value {
            Some(Value::Array(list)) => list.as_slice(),
            Some(single) => std::slice::from_ref(single),
            None => &[],
        };
        list.iter().filter_map(|event| event.pointer(self.name)).filter_map(text).collect()
    }
}

/// Returns a scalar as text: identifiers and states may be numbers.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}
