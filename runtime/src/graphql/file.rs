//! Files among the variables of a document.

use std::{cell::RefCell, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{Upload, Value};

/// A file in the variables of a document, for a scalar such as `Upload`. The document is sent as a form with the file
/// (GraphQL multipart request specification).
///
/// ```
/// use driftless_runtime::{Upload, graphql::File};
///
/// let file = File::from(Upload::file("/var/lib/report.csv"));
/// # let _ = file;
/// ```
#[derive(Clone, Debug)]
pub struct File(Arc<Upload>);

impl From<Upload> for File {
    fn from(upload: Upload) -> Self {
        Self(Arc::new(upload))
    }
}

/// Two files are equal if they are the same one.
impl PartialEq for File {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The placeholder of a file while variables are serialized. No text of a program begins like this.
const MARK: &str = "\u{0}\u{1}file ";

thread_local! {
    /// The files of the variables that are being serialized on this thread.
    static FILES: RefCell<Option<Vec<Upload>>> = const { RefCell::new(None) };
}

impl Serialize for File {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let index = FILES.with_borrow_mut(|files| {
            let files = files.as_mut()?;
            files.push(Upload::clone(&self.0));
            Some(files.len() - 1)
        });
        match index {
            Some(index) => serializer.serialize_str(&format!("{MARK}{index}")),
            None => serializer.serialize_none(),
        }
    }
}

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(de::Error::custom("a file is sent, and never read"))
    }
}

/// Serializes with `write`, and returns the files, each with the path of its null.
pub(super) fn written(
    write: impl FnOnce() -> Result<Vec<u8>, serde_json::Error>,
) -> Result<(String, Vec<(String, Upload)>), serde_json::Error> {
    let outer = FILES.replace(Some(Vec::new()));
    let written = write();
    let files = FILES.replace(outer).unwrap_or_default();
    let text = String::from_utf8(written?).map_err(serde::ser::Error::custom)?;
    if files.is_empty() {
        return Ok((text, Vec::new()));
    }
    let mut tree = Value::read(&text).map_err(<serde_json::Error as serde::ser::Error>::custom)?;
    let mut places = Vec::new();
    take(&mut tree, "variables", &mut places);
    let uploads = places.into_iter().filter_map(|(path, index)| Some((path, files.get(index)?.clone())));
    Ok((tree.to_string(), uploads.collect()))
}

/// Replaces each file by null.
fn take(tree: &mut Value, path: &str, places: &mut Vec<(String, usize)>) {
    match tree {
        Value::String(text) => {
            if let Some(index) = text.strip_prefix(MARK).and_then(|index| index.parse().ok()) {
                places.push((path.to_owned(), index));
                *tree = Value::Null;
            }
        }
        Value::Array(items) => {
            items.iter_mut().enumerate().for_each(|(index, item)| take(item, &format!("{path}.{index}"), places));
        }
        Value::Object(members) => {
            members.iter_mut().for_each(|(name, value)| take(value, &format!("{path}.{name}"), places));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
