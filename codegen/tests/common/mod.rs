//! Reading cases and contracts.

pub(crate) mod merge;
pub(crate) mod random;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use driftless_codegen::{Config, Contract, NameStyle, Names, Output, Report, Setup, StyleVersion, api, generate};

/// One contract, and how it is generated.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) setup: Setup,
}

impl Case {
    /// Reads a folder of `tests/cases`.
    pub(crate) fn read(folder: &Path) -> Self {
        let contract = ["contract.yaml", "contract.json"].iter().map(|file| folder.join(file));
        let contract = contract.into_iter().find(|path| path.exists()).unwrap();
        let config = fs::read_to_string(folder.join("codegen.toml")).unwrap_or_default();
        let config: Config = toml::from_str(&config).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut setup = Setup::from(config);
        setup.graphql.documents = documents(&folder.join("graphql"));
        setup.graphql.schema = setup.graphql.documents.remove("schema.graphql");
        let reserved = fs::read_to_string(folder.join("reserved.toml")).unwrap_or_default();
        setup.reserved = toml::from_str(&reserved).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        Self {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            bytes: fs::read(contract).unwrap(),
            setup,
        }
    }

    /// All cases, by name.
    pub(crate) fn all() -> Vec<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
        let mut folders: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.sort();
        assert!(!folders.is_empty());
        folders.iter().map(|folder| Self::read(folder)).collect()
    }

    /// The same contract in style 2.
    pub(crate) fn in_style_2(mut self) -> Self {
        self.setup.config.style = NameStyle { version: StyleVersion::Two };
        self
    }

    /// Generates the client.
    pub(crate) fn generate(&self) -> Result<Output, Report> {
        self.with(&self.bytes, &Names::default())
    }

    /// Generates the client from other bytes, or with pinned names.
    pub(crate) fn with(&self, bytes: &[u8], names: &Names) -> Result<Output, Report> {
        generate(&[Contract { name: "platform", bytes }], &self.setup, names)
    }

    /// The items and the names of the client, whose files are not written: a fraction of the time.
    pub(crate) fn outline(&self, bytes: &[u8], names: &Names) -> Result<Output, Report> {
        let (api, names) = api(&[Contract { name: "platform", bytes }], &self.setup, names)?;
        Ok(Output { api, names, ..Output::default() })
    }
}

/// The GraphQL documents of a folder, where it exists.
pub(crate) fn documents(folder: &Path) -> BTreeMap<String, String> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    let read =
        |path: PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap());
    entries.map(|entry| read(entry.unwrap().path())).collect()
}

/// Contracts as real projects publish them, where they lie beside the workspace, up to a size in bytes.
pub(crate) fn published(largest: usize) -> Vec<Case> {
    let shared = std::env::var_os("PLATFORM_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let mut all = Vec::new();
    for folder in ["dotnet", "openapi3", "swagger2"] {
        let Ok(entries) = fs::read_dir(shared.join("contracts").join(folder)) else { continue };
        for path in
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "json"))
        {
            let bytes = fs::read(&path).unwrap();
            if bytes.len() <= largest {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                all.push(Case { name, bytes, setup: Setup::default() });
            }
        }
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    if all.is_empty() {
        println!("no contracts at {}: only the cases are tested", shared.display());
    }
    all
}

/// A seeded generator of numbers (xorshift).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap()
    }

    /// The list in another order.
    pub(crate) fn shuffled<T>(&mut self, mut list: Vec<T>) -> Vec<T> {
        for index in (1..list.len()).rev() {
            list.swap(index, self.below(index + 1));
        }
        list
    }
}
