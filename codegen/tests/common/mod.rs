//! Reading cases and contracts.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

use platform_codegen::{Config, Contract, Names, Output, Report, generate};

/// One contract, and how it is generated.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) config: Config,
}

impl Case {
    /// Reads a folder of `tests/cases`.
    pub(crate) fn read(folder: &Path) -> Self {
        let contract = ["contract.yaml", "contract.json"].iter().map(|file| folder.join(file));
        let contract = contract.into_iter().find(|path| path.exists()).unwrap();
        let config = fs::read_to_string(folder.join("codegen.toml")).unwrap_or_default();
        Self {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            bytes: fs::read(contract).unwrap(),
            config: toml::from_str(&config).unwrap_or_else(|error| panic!("{}: {error}", folder.display())),
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

    /// Generates the client.
    pub(crate) fn generate(&self) -> Result<Output, Report> {
        self.with(&self.bytes, &Names::default())
    }

    /// Generates the client from other bytes, or with pinned names.
    pub(crate) fn with(&self, bytes: &[u8], names: &Names) -> Result<Output, Report> {
        generate(&[Contract { name: "platform", bytes }], &self.config, names)
    }
}
