//! The client of another contract that `generated-client/tests/other` calls.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use driftless_codegen::{ClientNames, Config, Contract, Names, Setup, generate};

use crate::support::{read, root};

const PLACE: &str = "generated-client/tests/other";

/// The written files are those that the generator produces now. `INSTA_UPDATE=always` writes them.
#[test]
fn the_client_of_another_contract_is_fresh() {
    let contract = read(&format!("{PLACE}/contract.yaml"));
    let contract = Contract { name: "other", bytes: contract.as_bytes() };
    let client = ClientNames { package: "other".to_owned(), name: "Other".to_owned(), variables: "OTHER_".to_owned() };
    let setup = Setup::from(Config { client, ..Config::default() });
    let output = generate(&[contract], &setup, &Names::default()).unwrap();
    // The crate of this test has no feature of that family.
    let text = |text: String| text.replace("#[cfg(feature = \"other\")]\n", "");
    let wanted: BTreeMap<String, String> = output.files.into_iter().map(|(path, file)| (path, text(file))).collect();
    let folder = root().join(PLACE).join("generated");
    if std::env::var("INSTA_UPDATE").is_ok_and(|mode| mode == "always") {
        let _ = fs::remove_dir_all(&folder);
        for (path, text) in &wanted {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let mut actual = BTreeMap::new();
    files(&folder, &folder, &mut actual);
    assert!(actual == wanted, "{PLACE} is not fresh: run INSTA_UPDATE=always cargo test -p platform-tests other");
}

fn files(top: &Path, folder: &Path, into: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files(top, &path, into);
        } else {
            let name = path.strip_prefix(top).unwrap().to_string_lossy().replace('\\', "/");
            into.insert(name, fs::read_to_string(path).unwrap());
        }
    }
}
