//! Files of a workspace in memory: a command reads them once, before it decides anything.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::failure::Failure;
use crate::workspace::{
    CLIENT_MANIFEST, CONFIGURATION, CONTRACTS, GENERATED, GRAPHQL, LOCK, NAMES, PROGRAM_MANIFEST, REPORTS, SNAPSHOTS,
    Workspace, is_graphql,
};

/// Contents by path, relative to the workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    /// Reads every file that a command can depend on.
    pub(crate) fn read(workspace: &Workspace) -> Result<Self, Failure> {
        let single = [CONFIGURATION, LOCK, NAMES, CLIENT_MANIFEST, PROGRAM_MANIFEST, "Cargo.toml"];
        let mut paths: Vec<String> = single.map(str::to_owned).into();
        paths.extend(REPORTS.iter().filter(|path| workspace.path(path).is_file()).map(|path| (*path).to_owned()));
        for folder in [GENERATED, CONTRACTS, SNAPSHOTS] {
            paths.extend(workspace.files_below(folder)?);
        }
        let mut files = Self::graphql(workspace, GRAPHQL)?;
        files.add(workspace, paths)?;
        Ok(files)
    }

    /// Reads the GraphQL documents and the schema of a folder.
    pub(crate) fn graphql(workspace: &Workspace, folder: &str) -> Result<Self, Failure> {
        let mut files = Self::default();
        files.add(workspace, workspace.files_below(folder)?.into_iter().filter(|path| is_graphql(path)))?;
        Ok(files)
    }

    fn add(&mut self, workspace: &Workspace, paths: impl IntoIterator<Item = String>) -> Result<(), Failure> {
        for path in paths {
            if let Some(bytes) = workspace.read(&path)? {
                self.0.insert(path, bytes);
            }
        }
        Ok(())
    }

    pub(crate) fn get(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// The text of a file. Bytes that are not UTF-8 are replaced.
    pub(crate) fn text(&self, path: &str) -> Option<Cow<'_, str>> {
        self.get(path).map(String::from_utf8_lossy)
    }

    /// The files below a folder, sorted by path.
    pub(crate) fn below(&self, folder: &str) -> impl Iterator<Item = (&str, &[u8])> {
        let start = format!("{folder}/");
        let files = self.0.range(start.clone()..).take_while(move |(path, _)| path.starts_with(&start));
        files.map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }
}

impl<P: Into<String>, C: Into<Vec<u8>>> FromIterator<(P, C)> for Files {
    fn from_iter<I: IntoIterator<Item = (P, C)>>(files: I) -> Self {
        Self(files.into_iter().map(|(path, content)| (path.into(), content.into())).collect())
    }
}
