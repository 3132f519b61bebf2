//! The tools of the server itself: the search, the states of asynchronous operations, and parts of answers.

use serde_json::{Value, json};

/// A tool of the server itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnTool {
    Search,
    Describe,
    Read,
    Change,
    Part,
    State,
    Wait,
    Cancel,
}

/// The longest wait in one call. Hosts end a call after a minute, and the model can wait again.
pub(super) const LONGEST_WAIT: u64 = 50;
/// The wait if the model names none.
pub(super) const USUAL_WAIT: u64 = 25;
/// Operations in one answer of the search.
pub(super) const MOST_RESULTS: u64 = 50;
/// Operations in an answer if the model names no number.
pub(super) const USUAL_RESULTS: u64 = 10;

impl OwnTool {
    pub(super) const ALL: [Self; 8] =
        [Self::Search, Self::Describe, Self::Read, Self::Change, Self::Part, Self::State, Self::Wait, Self::Cancel];

    /// The names, which no operation gets.
    pub(super) const NAMES: [&str; 8] = [
        "search_operations",
        "describe_operation",
        "read_operation",
        "change_operation",
        "answer_part",
        "operation_status",
        "operation_wait",
        "operation_cancel",
    ];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Search => Self::NAMES[0],
            Self::Describe => Self::NAMES[1],
            Self::Read => Self::NAMES[2],
            Self::Change => Self::NAMES[3],
            Self::Part => Self::NAMES[4],
            Self::State => Self::NAMES[5],
            Self::Wait => Self::NAMES[6],
            Self::Cancel => Self::NAMES[7],
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Search => "Search operations",
            Self::Describe => "Describe an operation",
            Self::Read => "Call an operation that reads",
            Self::Change => "Call an operation that changes something",
            Self::Part => "Next part of an answer",
            Self::State => "State of an asynchronous operation",
            Self::Wait => "Wait for an asynchronous operation",
            Self::Cancel => "Cancel an asynchronous operation",
        }
    }

    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Search => {
                "Finds operations of the service by words of their names, summaries and paths, best first. Without words it lists the operations of a \
                 family; without a family, too, it lists the families. Then read describe_operation for the arguments."
            }
            Self::Describe => {
                "Returns the documentation of an operation, and the JSON Schemas of its arguments and its result."
            }
            Self::Read => {
                "Calls an operation that changes nothing. `operation` is a name from search_operations; `arguments` fits the schema in \
                 describe_operation."
            }
            Self::Change => {
                "Calls an operation that creates, changes or removes something. `operation` is a name from search_operations; `arguments` fits the \
                 schema in describe_operation."
            }
            Self::Part => {
                "Returns the next part of a long answer, by the cursor in the part before. It does not call the service again."
            }
            Self::State => {
                "Returns the state of an asynchronous operation, by the reference in the answer that started it."
            }
            Self::Wait => {
                "Waits until an asynchronous operation ends, at most for the given seconds, and returns its state then. If it is not final, wait \
                 again or do something else."
            }
            Self::Cancel => "Asks the service to cancel an asynchronous operation.",
        }
    }

    /// JSON Schema of the arguments.
    pub(super) fn arguments(self) -> Value {
        let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        let reference = json!({"type": "string", "description": "The reference in the answer of the operation."});
        match self {
            Self::Search => object(
                json!({
                    "words": {"type": "string", "description": "Words to look for, such as: create project"},
                    "family": {"type": "string", "description": "Only operations of this route family."},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_RESULTS, "default": USUAL_RESULTS},
                }),
                &[],
            ),
            Self::Describe => object(
                json!({"operation": {"type": "string", "description": "A name from search_operations or of a tool."}}),
                &["operation"],
            ),
            Self::Read | Self::Change => object(
                json!({
                    "operation": {"type": "string", "description": "A name from search_operations."},
                    "arguments": {"type": "object", "description": "The arguments of the operation.", "additionalProperties": true},
                }),
                &["operation"],
            ),
            Self::Part => object(
                json!({"cursor": {"type": "string", "description": "The cursor in the part before."}}),
                &["cursor"],
            ),
            Self::State | Self::Cancel => object(json!({"reference": reference}), &["reference"]),
            Self::Wait => object(
                json!({
                    "reference": reference,
                    "seconds": {"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT, "default": USUAL_WAIT},
                }),
                &["reference"],
            ),
        }
    }
}
