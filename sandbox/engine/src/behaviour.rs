//! The behaviour file: corrections of the inference, and behaviour that no contract describes. It is read here; `infer` checks it
//! against the contract.

use std::collections::HashSet;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use crate::error::Error;

/// A behaviour file, such as `specs/sandbox.toml`.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    name: String,
    text: String,
    pub(crate) entries: Entries,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Entries {
    #[serde(rename = "collection")]
    pub(crate) collections: Vec<CollectionEntry>,
    #[serde(rename = "operation")]
    pub(crate) operations: Vec<OperationEntry>,
    #[serde(rename = "status")]
    pub(crate) statuses: Vec<StatusEntry>,
    #[serde(rename = "work")]
    pub(crate) works: Vec<WorkEntry>,
}

/// `[[collection]]`: the collection at a path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CollectionEntry {
    pub(crate) path: Spanned<String>,
    /// The member that holds the identifier of an item.
    pub(crate) identifier: Option<Spanned<String>>,
    /// Members whose values no two items share.
    #[serde(default)]
    pub(crate) unique: Vec<Spanned<String>>,
    /// The items that the collection begins with.
    pub(crate) seeds: Option<Vec<Spanned<toml::Table>>>,
}

/// `[[operation]]`: an operation that was taken for another thing than it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperationEntry {
    pub(crate) operation: Spanned<String>,
    pub(crate) role: Spanned<String>,
    /// The path of the collection that it belongs to.
    pub(crate) collection: Option<Spanned<String>>,
}

/// `[[status]]`: a status under a condition.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusEntry {
    pub(crate) operation: Spanned<String>,
    pub(crate) status: Spanned<u16>,
    pub(crate) path: Option<Spanned<String>>,
    pub(crate) query: Option<Spanned<String>>,
    pub(crate) header: Option<Spanned<String>>,
    pub(crate) body: Option<Spanned<String>>,
    pub(crate) equals: Option<Spanned<toml::Value>>,
}

/// `[[work]]`: an operation that begins asynchronous work.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkEntry {
    pub(crate) operation: Spanned<String>,
    /// The member of the item that holds the state.
    pub(crate) member: Spanned<String>,
    pub(crate) states: Spanned<Vec<String>>,
    /// Duration of each state on the clock of the sandbox. Without it, each read of the item reaches the next one.
    pub(crate) milliseconds: Option<Spanned<u64>>,
}

impl Behaviour {
    /// Reads a behaviour file. `name` is its name in messages.
    ///
    /// # Errors
    ///
    /// Fails if the text is not TOML, or has an unknown key or a value of another type. Names that the contract does not have are
    /// refused when a sandbox starts.
    pub fn read(name: impl Into<String>, text: impl Into<String>) -> Result<Self, Error> {
        let (name, text) = (name.into(), text.into());
        match toml::from_str(&text) {
            Ok(entries) => Ok(Self { name, text, entries }),
            Err(error) => {
                let behaviour = Self { name, text, entries: Entries::default() };
                Err(behaviour.error(error.span().unwrap_or_default(), "", error.message()))
            }
        }
    }

    /// The place of an entry, for people.
    pub(crate) fn place(&self, span: &Range<usize>) -> String {
        let before = self.text.get(..span.start).unwrap_or_default();
        format!("{}:{}", self.name, before.matches('\n').count() + 1)
    }

    pub(crate) fn error(&self, span: Range<usize>, key: &str, problem: &str) -> Error {
        let key = if key.is_empty() { String::new() } else { format!("`{key}` ") };
        let advice = "correct the file; `explain` lists the operations and collections, and the README the keys";
        Error::new("behaviour", "", format!("{}: {key}{problem}", self.place(&span)), advice)
    }

    /// Fails at the first entry that names nothing of the contracts. `used` has the places of the others.
    pub(crate) fn all_used(&self, used: &HashSet<usize>) -> Result<(), Error> {
        let Entries { collections, operations, statuses, works } = &self.entries;
        let collections = collections.iter().map(|entry| ("collection.path", &entry.path));
        let operations = operations.iter().map(|entry| ("operation.operation", &entry.operation));
        let statuses = statuses.iter().map(|entry| ("status.operation", &entry.operation));
        let works = works.iter().map(|entry| ("work.operation", &entry.operation));
        let mut names = collections.chain(operations).chain(statuses).chain(works);
        match names.find(|(_, name)| !used.contains(&name.span().start)) {
            None => Ok(()),
            Some((key, name)) => {
                let kind = if key.starts_with("collection") { "collection" } else { "operation" };
                let problem = format!("names {:?}, and the contract has no such {kind}", name.get_ref());
                Err(self.error(name.span(), key, &problem))
            }
        }
    }
}

/// A value of TOML as JSON. A date is its text.
pub(crate) fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => Value::from(*number),
        toml::Value::Boolean(is) => Value::from(*is),
        toml::Value::Datetime(time) => Value::from(time.to_string()),
        toml::Value::Array(values) => values.iter().map(json).collect(),
        toml::Value::Table(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), json(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Behaviour;

    #[test]
    fn an_unknown_key_and_a_wrong_type_are_named_with_file_and_line() {
        for (text, start, word) in [
            ("[[collection]]\npath = '/a'\ncolour = 1\n", "specs/sandbox.toml:3: ", "colour"),
            ("\n[[operations]]\n", "specs/sandbox.toml:2: ", "operations"),
            ("[[status]]\noperation = 'GET /a'\nstatus = 'x'\n", "specs/sandbox.toml:3: ", "u16"),
            ("[[work]]\noperation = 'GET /a'\nmember = 'a'\n", "specs/sandbox.toml:1: ", "states"),
            ("a = \n", "specs/sandbox.toml:1: ", ""),
        ] {
            let error = Behaviour::read("specs/sandbox.toml", text).unwrap_err().to_string();
            assert!(error.starts_with(start) && error.contains(word), "{error}");
        }
    }
}
