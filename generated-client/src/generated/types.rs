//! The types of the contract.

use crate::wire::prelude::*;

/// What creates a project.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreateProject {
    /// The name.
    pub name: Option<String>,
}
record!(CreateProject { name: optional "name" });
