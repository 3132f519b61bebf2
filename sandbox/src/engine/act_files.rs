//! Bytes: images, and the files of a repository by branch.

use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Call;
use super::act::{address, send};
use super::act_write::body;
use super::input::File;
use super::store::{Blob, Item};
use crate::contract::operation::Operation;
use crate::reply;

/// The branch of a request that names none.
const DEFAULT_BRANCH: &str = "main";

pub(super) fn put(operation: &'static Operation, mut call: Call<'_>, blob: Blob) -> Response {
    let place = blob_address(operation, &call);
    let Some(path) = call.input.text("path").map(str::to_owned) else {
        call.shelf.put_blob(&place, blob);
        return send(operation, &call, "204", &Item::new());
    };
    let branch = branch(&call).to_owned();
    let file = file(&path, &branch, &blob.bytes);
    let replaced = call.shelf.put_blob(&place, blob.clone());
    call.shelf.put(&collection(operation, &call), &key(&branch, &path), file.clone());
    let status = match replaced {
        Some(old) if old == blob => "204",
        Some(_) => "200",
        None => "201",
    };
    send(operation, &call, status, &file)
}

pub(super) fn upload(operation: &'static Operation, mut call: Call<'_>, files: Vec<File>) -> Response {
    let listed = address(&operation.path, &call.input.path);
    let fields = body(&mut call);
    let branch = fields.get("branch").and_then(Value::as_str).filter(|branch| !branch.is_empty());
    let branch = branch.unwrap_or(DEFAULT_BRANCH);
    let mut stored: Vec<Value> = Vec::new();
    for File { name, bytes } in files {
        let fields = file(&name, branch, &bytes);
        let key = key(branch, &name);
        let blob = Blob { media_type: "application/octet-stream".to_owned(), bytes };
        call.shelf.put_blob(&format!("{listed}/content?{key}"), blob);
        call.shelf.put(&listed, &key, fields.clone());
        stored.push(fields.into());
    }
    reply::json(StatusCode::CREATED, &call.input.headers, &stored.into())
}

/// Removes the file that a request names. Says whether there was one.
pub(super) fn remove(operation: &Operation, call: &mut Call<'_>) -> bool {
    let key = key(branch(call), call.input.text("path").unwrap_or_default());
    let (listed, place) = (collection(operation, call), blob_address(operation, call));
    call.shelf.remove(&listed, &key);
    call.shelf.remove_blob(&place)
}

/// Where the bytes of an operation lie: below its address, by branch and path where it has a path.
pub(super) fn blob_address(operation: &Operation, call: &Call<'_>) -> String {
    let address = address(&operation.path, &call.input.path);
    match call.input.text("path") {
        Some(path) => format!("{address}?{}", key(branch(call), path)),
        None => address,
    }
}

fn branch<'a>(call: &'a Call<'_>) -> &'a str {
    call.input.text("branch").filter(|branch| !branch.is_empty()).unwrap_or(DEFAULT_BRANCH)
}

fn key(branch: &str, path: &str) -> String {
    format!("{branch}:{path}")
}

/// The collection that lists the files whose bytes an operation addresses.
fn collection(operation: &Operation, call: &Call<'_>) -> String {
    let address = address(&operation.path, &call.input.path);
    address.strip_suffix("/content").unwrap_or(&address).to_owned()
}

fn file(path: &str, branch: &str, bytes: &Bytes) -> Item {
    let sha256 = Sha256::digest(bytes).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    match json!({ "path": path, "branch": branch, "size": bytes.len(), "sha256": sha256 }) {
        Value::Object(file) => file,
        _ => Item::new(),
    }
}
