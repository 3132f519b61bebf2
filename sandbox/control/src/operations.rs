//! The operations of the service that a sandbox stands in for, as filters, faults and the journal name them.

use std::fmt;

use http::Method;

/// The operations of a sandbox.
pub trait Operations: fmt::Debug + Send + Sync {
    /// The path template of the operation that takes a request.
    fn template(&self, method: &Method, path: &str) -> Option<String>;

    /// The methods of a path template. Empty if the contract does not have it.
    fn methods(&self, template: &str) -> Vec<String>;

    /// The facts about an operation that people are told.
    fn facts(&self, method: &str, template: &str) -> Option<OperationFacts>;

    /// Returns whether a header or a query parameter of this name has a credential. Usual names of secrets are known without it.
    fn is_secret(&self, _name: &str) -> bool {
        false
    }

    /// Returns whether the control interface is served below `/sandbox`. Without it, paths there are those of the service.
    fn has_control_interface(&self) -> bool {
        true
    }

    /// Returns whether a request can begin work whose outcome a fault decides.
    fn has_outcomes(&self) -> bool {
        false
    }
}

/// Returns whether a path is one of the control interface: faults do not apply to it, and it is not recorded.
pub(crate) fn is_control(known: &dyn Operations, path: &str) -> bool {
    let below = path.strip_prefix("/sandbox");
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) && known.has_control_interface()
}

/// The facts about an operation that people are told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationFacts {
    /// One sentence.
    pub summary: Option<String>,
    /// The role that the sandbox gives it, or the source that describes it.
    pub provenance: String,
}
