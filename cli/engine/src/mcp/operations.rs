//! The operations of a service, as the server of tools needs them. The table of operations implements it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde_json::{Map, Value};

use crate::Failure;

/// A future of an operation. It is dropped if the client cancels the call.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// The service whose operations are tools.
#[derive(Clone, Debug, Default)]
pub struct ServedService {
    /// Its name: letters, digits, `-`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The version of the program.
    pub version: String,
    /// One paragraph for the model: the purpose of the service, and its terms.
    pub instructions: String,
}

/// The effect of an operation on the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It changes nothing: a safe method.
    Read,
    /// It adds something.
    Create,
    /// It changes something that exists.
    Change,
    /// It removes something, or cannot be undone.
    Destroy,
}

impl Effect {
    /// The word for it in lists.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Change => "change",
            Self::Destroy => "destroy",
        }
    }
}

/// An operation in a list.
#[derive(Clone, Debug)]
pub struct OperationEntry {
    /// Its route family.
    pub family: String,
    /// Its name in the family.
    pub name: String,
    /// One line about it.
    pub summary: String,
    /// The method of HTTP.
    pub method: String,
    /// The path, with `{name}` for each parameter.
    pub path: String,
    /// Its effect.
    pub effect: Effect,
    /// `true` if a second call with the same arguments changes nothing more.
    pub is_idempotent: bool,
    /// `true` if the contract does not document it.
    pub is_assumed: bool,
    /// `true` if it is deprecated.
    pub is_deprecated: bool,
    /// `true` if its answer is a reference to work that goes on.
    pub is_asynchronous: bool,
}

/// The documentation and the schemas of an operation, which are read when a client asks for them.
#[derive(Clone, Debug)]
pub struct OperationDetails {
    /// Markdown.
    pub description: String,
    /// JSON Schema of the arguments: an object, with `$defs`. No argument is a credential.
    pub arguments: Value,
    /// JSON Schema of the result, with `$defs`.
    pub result: Option<Value>,
}

/// The answer of an operation.
#[derive(Clone, Debug)]
pub struct ToolAnswer {
    /// The status of HTTP, for the log.
    pub status: u16,
    /// The body.
    pub body: ToolBody,
    /// The reference of the work that the operation started.
    pub reference: Option<String>,
}

/// The body of an answer.
#[derive(Clone)]
pub enum ToolBody {
    /// No content.
    Empty,
    /// JSON.
    Json(Value),
    /// A text of another media type.
    Text {
        /// The media type.
        media_type: String,
        /// The text.
        text: String,
    },
    /// Bytes.
    Bytes {
        /// The media type.
        media_type: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

/// Contents of answers do not reach a log by accident.
impl fmt::Debug for ToolBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Empty"),
            Self::Json(_) => f.write_str("Json(..)"),
            Self::Text { media_type, .. } => {
                f.debug_struct("Text").field("media_type", media_type).finish_non_exhaustive()
            }
            Self::Bytes { media_type, bytes } => {
                f.debug_struct("Bytes").field("media_type", media_type).field("length", &bytes.len()).finish()
            }
        }
    }
}

/// The state of an asynchronous operation.
#[derive(Clone, Debug)]
pub struct OperationState {
    /// The state in the words of the service.
    pub state: String,
    /// A text of the service about it. Can be empty.
    pub message: String,
    /// The share that is done, from 0 to 1.
    pub share: Option<f64>,
    /// `true` if the state does not change any more.
    pub is_final: bool,
    /// `true` if it ended with success.
    pub is_success: bool,
    /// The result, if there is one.
    pub result: Option<Value>,
}

/// Receives the states of an operation during a wait.
pub type Report<'a> = dyn Fn(&OperationState) + Send + Sync + 'a;

/// The operations of a service.
///
/// A failure is shown to the model: its texts contain no secret.
pub trait Operations: Send + Sync + 'static {
    /// The service.
    fn service(&self) -> &ServedService;

    /// All operations, by family. The index of an operation is its identity in the other methods.
    fn entries(&self) -> &[OperationEntry];

    /// Documentation and schemas of an operation. `None`: no operation has this index.
    fn details(&self, index: usize) -> Option<OperationDetails>;

    /// Calls an operation. The arguments fit the schema, apart from the warnings of [`crate::schema`]. At most `limit` bytes of the answer are read;
    /// a longer one is a failure.
    fn call(&self, index: usize, arguments: Map<String, Value>, limit: usize) -> Pending<'_, ToolAnswer>;

    /// The state of an asynchronous operation by the reference in an answer. The reference is a text from the model.
    fn state<'a>(&'a self, reference: &'a str) -> Pending<'a, OperationState>;

    /// Waits for the final state, and reports each other state. It is dropped after the time that the model asked for.
    fn wait<'a>(&'a self, reference: &'a str, report: &'a Report<'a>) -> Pending<'a, OperationState>;

    /// Asks the service to cancel an asynchronous operation.
    fn cancel<'a>(&'a self, reference: &'a str) -> Pending<'a, OperationState>;
}
