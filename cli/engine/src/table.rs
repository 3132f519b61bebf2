//! The table of operations, which `driftless` writes. A line is read when its operation is needed, so that a contract of a thousand
//! operations costs a program no time.

mod described;

use driftless_runtime::Value;
use serde::Deserialize;

#[cfg(feature = "mcp")]
pub(crate) use described::BodyForm;
pub(crate) use described::{
    Described, Form, Next, Page, PageNumber, ParameterLine, ParameterPlace, PartKind, PartLine, SchemeLine,
};

use crate::failure::{Exit, Failure};

/// The version of the table that this crate reads.
const VERSION: u32 = 1;

/// The table of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table(&'static str);

/// A family of operations.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Family {
    /// Its name in Rust.
    #[serde(skip)]
    pub(crate) name: &'static str,
    /// Its coverage, in words of the configuration.
    #[serde(default)]
    pub(crate) covers: String,
    /// The server that has its operations, if it is not the main one.
    pub(crate) server: Option<String>,
}

/// The beginning of an operation: enough for a list.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Head {
    /// Its name in Rust.
    #[serde(skip)]
    pub(crate) name: &'static str,
    pub(crate) method: String,
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) docs: String,
    #[serde(default)]
    pub(crate) provenance: String,
    #[serde(default)]
    pub(crate) deprecated: bool,
    /// The kind under which it is bound as asynchronous.
    #[cfg(feature = "mcp")]
    pub(crate) binding: Option<String>,
}

impl Head {
    /// The first line of its documentation; without one, its method and path.
    pub(crate) fn summary(&self) -> String {
        let line = self.docs.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line = crate::terminal::plain(line);
        match line.is_empty() {
            true => crate::terminal::plain(&format!("{} {}", self.method, self.path)).into_owned(),
            false => line.trim_end_matches('.').to_owned(),
        }
    }

    pub(crate) fn is_assumed(&self) -> bool {
        self.provenance == "assumed"
    }
}

#[derive(Deserialize)]
struct Client {
    version: u32,
}

impl Table {
    /// Reads the first line, which has the version.
    pub(crate) fn new(text: &'static str) -> Result<Self, Failure> {
        let table = Self(text);
        let client: Option<Client> = table.line("client ").map(read).transpose()?;
        match client {
            Some(Client { version: VERSION }) => Ok(table),
            _ => Err(broken("it was not written for this version of driftless-cli")),
        }
    }

    /// The families, by name.
    pub(crate) fn families(self) -> Result<Vec<Family>, Failure> {
        let lines = self.lines("family ").filter_map(|line| line.split_once(' '));
        lines.map(|(name, json)| Ok(Family { name, ..read(json)? })).collect()
    }

    /// The beginnings of a family's operations, by name.
    pub(crate) fn heads(self, family: &str) -> Result<Vec<Head>, Failure> {
        let beginning = format!("operation {family} ");
        let lines: Vec<_> = self.lines(&beginning).filter_map(|line| line.split_once(' ')).collect();
        lines.into_iter().map(|(name, json)| Ok(Head { name, ..read(json)? })).collect()
    }

    /// The names of a family's operations.
    pub(crate) fn names(self, family: &str) -> Vec<&'static str> {
        let beginning = format!("operation {family} ");
        self.lines(&beginning).filter_map(|line| line.split_once(' ')).map(|(name, _)| name).collect()
    }

    /// An operation.
    pub(crate) fn operation(self, family: &str, name: &str) -> Result<Described, Failure> {
        let line = self.line(&format!("operation {family} {name} "));
        line.map_or_else(|| Err(broken("it lacks an operation that it names")), read)
    }

    /// The schema of a named type, as text.
    pub(crate) fn definition(self, name: &str) -> Option<&'static str> {
        self.line(&format!("type {name} "))
    }

    /// A binding of an asynchronous operation, as text.
    pub(crate) fn binding(self, kind: &str) -> Option<Value> {
        read(self.line(&format!("binding {kind} "))?).ok()
    }

    /// Returns a test of a parameter: it is the key by which the service recognises a repeated submission. A submission has its own key, so that
    /// it is sent once: a key of the caller would be replaced.
    pub(crate) fn submission_key(self, operation: &Described) -> impl Fn(&ParameterLine) -> bool + use<> {
        let kind = operation.binding.as_deref().filter(|_| cfg!(feature = "operations"));
        let binding = kind.and_then(|kind| self.binding(kind));
        let key = binding.and_then(|binding| binding.pointer("/idempotency")?.as_str().map(str::to_owned));
        move |parameter| {
            parameter.place == ParameterPlace::Header
                && key.as_ref().is_some_and(|key| parameter.wire.eq_ignore_ascii_case(key))
        }
    }

    /// The names of all bindings.
    #[cfg(feature = "operations")]
    pub(crate) fn bindings(self) -> Vec<&'static str> {
        self.lines("binding ").filter_map(|line| line.split_once(' ')).map(|(name, _)| name).collect()
    }

    fn line(self, beginning: &str) -> Option<&'static str> {
        self.0.lines().find_map(|line| line.strip_prefix(beginning))
    }

    fn lines(self, beginning: &str) -> impl Iterator<Item = &'static str> {
        self.0.lines().filter_map(move |line| line.strip_prefix(beginning))
    }
}

fn read<'t, T: Deserialize<'t>>(json: &'t str) -> Result<T, Failure> {
    serde_json::from_str(json).map_err(|error| broken(&error.to_string()))
}

fn broken(reason: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        format!("the table of operations cannot be read: {reason}"),
        "write it again with `cargo xtask regenerate --offline`, and build this program again",
    )
}
