//! The input of a generation besides contracts and names.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Config;

/// The configuration, and the files beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// The configuration file.
    pub config: Config,
    /// GraphQL documents and their schema.
    pub graphql: GraphqlFiles,
    /// Names that the client takes for itself.
    pub reserved: Reserved,
    /// `true`: the output has the table of operations for a program at the shell.
    pub table: bool,
}

impl From<Config> for Setup {
    fn from(config: Config) -> Self {
        Self { config, ..Self::default() }
    }
}

/// GraphQL documents, and the schema that they are written for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GraphqlFiles {
    /// The texts of the documents, by file name.
    pub documents: BTreeMap<String, String>,
    /// The schema, in the schema definition language. Without one, documents are neither checked nor typed.
    pub schema: Option<String>,
}

/// Names that the hand-written client defines; no name of a contract may be one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reserved {
    /// Cargo features.
    pub features: BTreeSet<String>,
    /// Methods of the client, which has an accessor for each family.
    pub methods: BTreeSet<String>,
    /// Types that generated code imports, and those that stand beside the client.
    pub types: BTreeSet<String>,
}
