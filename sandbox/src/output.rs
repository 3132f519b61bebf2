//! Standard output of the program.

use std::io::{self, Write as _};
use std::path::Path;

use platform_sandbox::SecretFolder;
use serde_json::{Map, Value, json};

use crate::failure::{CONFIGURATION, Failure, SYSTEM};

/// Addresses and files as JSON. Secrets and passwords stay in the files.
pub(crate) fn json(addresses: &[(&str, &str)], secrets: &SecretFolder) -> Result<String, Failure> {
    let text = |path: &Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| Failure {
            code: "sandbox-path",
            message: format!("{} cannot be written as JSON: it is not UTF-8", path.display()),
            hint: "pass a folder in UTF-8 with `--secrets`",
            exit: CONFIGURATION,
        })
    };
    let (mut clients, mut users) = (Vec::new(), Vec::new());
    for file in secrets.clients() {
        clients.push(json!({ "client_id": file.client_id, "secret_file": text(&file.path)? }));
    }
    for (name, path) in secrets.users() {
        users.push(json!({ "name": name, "password_file": text(path)? }));
    }
    let mut line: Map<String, Value> =
        addresses.iter().map(|(name, address)| ((*name).to_owned(), (*address).into())).collect();
    line.insert("clients".to_owned(), clients.into());
    line.insert("users".to_owned(), users.into());
    Ok(format!("{}\n", Value::Object(line)))
}

/// Writes to standard output. A closed pipe and a full disk are failures: the requested output is missing.
pub(crate) fn print(text: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    output.write_all(text).and_then(|()| output.flush()).map_err(|error| Failure {
        code: "output",
        message: format!("standard output cannot be written: {error}"),
        hint: "read all of the output, or write it to a disk with free space",
        exit: SYSTEM,
    })
}
