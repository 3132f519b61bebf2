//! The paths of the repository.

use std::path::{Component, Path, PathBuf};
use std::{env, fs};

use crate::failure::Failure;
use crate::tree::Tree;

/// Path of the configuration, relative to the workspace.
pub const CONFIGURATION: &str = "specs/codegen.toml";
/// Path of the lock, relative to the workspace.
pub const LOCK: &str = "specs/codegen.lock";
/// Path of the names that were given, relative to the workspace.
pub const NAMES: &str = "specs/names.lock";
/// Folder of pinned contracts, relative to the workspace.
pub const CONTRACTS: &str = "specs/contracts";
/// The generated features of the client's manifest, in the lock and in messages.
pub const BLOCK: &str = "generated-client/Cargo.toml#features";
/// Path of the report on the last change of the contracts, relative to the workspace.
pub const DRIFT: &str = "specs/drift.md";
/// Path of the drift that was accepted, relative to the workspace.
pub const ACCEPTED: &str = "specs/accepted-drift.toml";
/// Path of the faults of the client that were accepted, relative to the workspace.
pub const ACCEPTED_FAULTS: &str = "specs/accepted-faults.toml";
/// Folder of GraphQL documents, and of the schema that they are checked against, relative to the workspace.
pub const GRAPHQL: &str = "specs/graphql";
/// The pinned GraphQL schema, relative to the workspace.
pub const SCHEMA: &str = "specs/graphql/schema.graphql";
/// The manifest of trusted documents, relative to the workspace.
pub const MANIFEST: &str = "specs/graphql/manifest.json";
/// Folder of generated sources, relative to the workspace.
pub const GENERATED: &str = "generated-client/src/generated";
/// Manifest that holds the generated features, relative to the workspace.
pub const CLIENT_MANIFEST: &str = "generated-client/Cargo.toml";
/// Folder in which new contents are staged, relative to the workspace.
pub const STAGING: &str = "specs/.regenerate";

/// The operations and public items of the client, for programs, relative to the workspace.
pub const CLIENT: &str = "specs/client.txt";
/// Manifest of the program for the shell, relative to the workspace. A workspace without it has no table of operations.
pub const PROGRAM_MANIFEST: &str = "cli/Cargo.toml";
/// The operations, for that program, relative to the workspace.
pub const TABLE: &str = "cli/src/operations.table";
/// Entries of the configuration that the contracts suggest, relative to the workspace.
pub const PROPOSALS: &str = "specs/proposals.toml";
/// Folder of the texts of the pinned contracts that reviewers accepted, relative to the workspace.
pub const SNAPSHOTS: &str = "specs/snapshots";

/// Single files that only the tool writes, relative to the workspace.
pub const REPORTS: [&str; 6] = [CLIENT, MANIFEST, PROPOSALS, SCHEMA, TABLE, "specs/ledger.txt"];

/// Returns whether only the tool writes here; the path is relative to the workspace.
pub fn is_territory(path: &str) -> bool {
    let plain = path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    plain && (REPORTS.contains(&path) || below(GENERATED) || below(CONTRACTS))
}

/// Path of a pinned contract.
pub fn pinned_path(name: &str) -> String {
    format!("{CONTRACTS}/{name}.json")
}

/// Returns whether the tool writes here: its own folders and files, the lock, the names, the report on drift, the accepted
/// drift and faults, the first snapshots, and the manifest that holds the generated features.
pub fn is_written(path: &str) -> bool {
    let is_snapshot =
        path.strip_prefix(SNAPSHOTS).is_some_and(|rest| rest.starts_with('/') && !rest[1..].contains('/'));
    is_snapshot
        || is_territory(path)
        || [LOCK, NAMES, DRIFT, ACCEPTED, ACCEPTED_FAULTS, CLIENT_MANIFEST].contains(&path)
}

/// A file of GraphQL documents, by its name.
pub fn is_graphql(path: &str) -> bool {
    path.ends_with(".graphql") || path.ends_with(".gql")
}

/// The workspace that a command works on.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The path of a file or folder of the workspace, from its root on and with `/`; `None` of another one.
    pub fn relative(&self, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok()?;
        let parts = path.strip_prefix(&self.root).ok()?.components().map(|part| part.as_os_str().to_str());
        Some(parts.collect::<Option<Vec<_>>>()?.join("/"))
    }

    /// The named folder, else the nearest one above the current folder that holds `specs/codegen.toml`, else the one
    /// that this program was built in.
    pub fn find(named: Option<PathBuf>) -> Result<Self, Failure> {
        let root = match named {
            Some(root) => root,
            None => Self::search().ok_or_else(|| {
                Failure::configuration(
                    "configuration/no-workspace",
                    format!("no folder from here upwards holds {CONFIGURATION}"),
                    "run the command inside the workspace",
                )
            })?,
        };
        let root = root.canonicalize().map_err(|error| Failure::file("open", &root, &error))?;
        Ok(Self { root })
    }

    fn search() -> Option<PathBuf> {
        let marked = |folder: &Path| folder.join(CONFIGURATION).is_file();
        if let Some(folder) = env::current_dir().ok()?.ancestors().find(|folder| marked(folder)) {
            return Some(folder.to_path_buf());
        }
        let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
        manifest.parent().filter(|folder| marked(folder)).map(Path::to_path_buf)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The place of a path that is relative to the workspace and written with `/`.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The files of the tool.
    pub(crate) fn tree(&self) -> Result<Tree, Failure> {
        Tree::open(&self.root)
    }

    /// The bytes of a file, or `None` where there is none. In `specs` and where the tool writes, no link is followed.
    pub fn read(&self, relative: &str) -> Result<Option<Vec<u8>>, Failure> {
        if relative.starts_with("specs/") || is_written(relative) {
            return self.tree()?.read(relative);
        }
        let path = self.path(relative);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::file("read", &path, &error)),
        }
    }

    /// All files below a folder, as sorted paths relative to the workspace.
    pub fn files_below(&self, folder: &str) -> Result<Vec<String>, Failure> {
        self.tree()?.check(folder)?;
        let mut files: Vec<String> = Vec::new();
        let mut waiting = vec![folder.to_owned()];
        while let Some(folder) = waiting.pop() {
            let path = self.path(&folder);
            let entries = match fs::read_dir(&path) {
                Ok(entries) => entries,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Failure::file("list", &path, &error)),
            };
            for entry in entries {
                let entry = entry.map_err(|error| Failure::file("list", &path, &error))?;
                let kind = entry.file_type().map_err(|error| Failure::file("inspect", &entry.path(), &error))?;
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if kind.is_dir() {
                    waiting.push(name);
                } else {
                    files.push(name);
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// Returns the recorded form of a file named by the user: its path relative to the workspace, if it was named so or lies
    /// inside of it; else its name alone, because the lock contains no path of one machine.
    pub fn recorded(&self, named: &Path) -> String {
        let name = || named.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if named.is_absolute() {
            let inside = named.canonicalize().ok().and_then(|path| path.strip_prefix(&self.root).map(slashed).ok());
            return inside.unwrap_or_else(name);
        }
        let here = env::current_dir().and_then(|here| here.canonicalize()).ok();
        let here = here.as_deref().and_then(|here| here.strip_prefix(&self.root).ok());
        here.map_or_else(name, |here| normalised(&here.join(named)))
    }
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Takes `.` and `a/..` out, without asking the file system.
fn normalised(path: &Path) -> String {
    let mut kept: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(kept.last(), Some(Component::Normal(_))) => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    slashed(&kept.iter().collect::<PathBuf>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_taken_out_lexically() {
        assert_eq!(normalised(Path::new("a/./b/../c.json")), "a/c.json");
        assert_eq!(normalised(Path::new("../shared/c.json")), "../shared/c.json");
        assert_eq!(normalised(Path::new("a/../../c.json")), "../c.json");
    }

    #[test]
    fn an_absolute_path_outside_is_recorded_by_its_name() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let other = tempfile::tempdir().expect("a temporary folder");
        let workspace = Workspace::find(Some(folder.path().to_path_buf())).expect("a workspace");
        let outside = other.path().join("contract.json");
        fs::write(&outside, "{}").expect("written");
        assert_eq!(workspace.recorded(&outside), "contract.json");
        let inside = folder.path().join("specs.json");
        fs::write(&inside, "{}").expect("written");
        assert_eq!(workspace.recorded(&inside), "specs.json");
    }
}
