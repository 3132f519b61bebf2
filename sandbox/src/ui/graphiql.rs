//! GraphiQL, from the folder of an npm installation. Its files are not part of the program.

use std::path::Path;

use bytes::Bytes;

use crate::Error;

/// The files: their names on the server, their media types, and their paths below `node_modules`.
const FILES: [(&str, &str, &str); 4] = [
    ("graphiql.css", "text/css", "graphiql/graphiql.min.css"),
    ("react.js", "text/javascript", "react/umd/react.production.min.js"),
    ("react-dom.js", "text/javascript", "react-dom/umd/react-dom.production.min.js"),
    ("graphiql.js", "text/javascript", "graphiql/graphiql.min.js"),
];

/// The files of GraphiQL, in the order in which a page needs them.
#[derive(Debug)]
pub(crate) struct Graphiql([Bytes; FILES.len()]);

impl Graphiql {
    /// Reads the files below a folder's `node_modules`.
    pub(crate) fn read(folder: &Path) -> Result<Self, Error> {
        let mut files = [const { Bytes::new() }; FILES.len()];
        for (file, (.., location)) in files.iter_mut().zip(FILES) {
            let path = folder.join("node_modules").join(location);
            *file = std::fs::read(&path).map_err(|source| Error::Graphiql { path, source })?.into();
        }
        Ok(Self(files))
    }

    /// The media type and the bytes of a file.
    pub(super) fn file(&self, name: &str) -> Option<(&'static str, Bytes)> {
        let entry = FILES.iter().zip(&self.0).find(|((known, ..), _)| *known == name);
        entry.map(|((_, media_type, _), bytes)| (*media_type, bytes.clone()))
    }

    /// The names of the files with this suffix.
    pub(super) fn names(ending: &str) -> impl Iterator<Item = &'static str> {
        FILES.iter().map(|(name, ..)| *name).filter(move |name| name.ends_with(ending))
    }
}
