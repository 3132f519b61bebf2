//! Bytes: images, exports, and the files of a repository by branch.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::call::{Call, missing, split};
use super::input::{File, Payload};
use crate::state::{Item, StoredFile};

/// The default branch of requests.
const DEFAULT_BRANCH: &str = "main";

/// The bytes at the address.
pub(super) fn get(call: &Call<'_>) -> Response {
    sent(call.view.file(&call.address))
}

pub(super) fn put(mut call: Call<'_>) -> Response {
    let blob = blob(&mut call);
    call.view.put_file(&call.address, blob);
    call.send("204", &Item::new())
}

/// The item above the address as bytes, since exports are never uploaded.
pub(super) fn export(call: &Call<'_>) -> Response {
    let item = call.parent().cloned().unwrap_or_default();
    let media = call.operation.content("200").first().map_or("application/octet-stream", |(media, _)| *media);
    ([(CONTENT_TYPE, media)], Value::Object(item).to_string()).into_response()
}

pub(super) fn upload(mut call: Call<'_>) -> Response {
    let files = match &mut call.input.payload {
        Payload::Form(_, files) => std::mem::take(files),
        _ => Vec::new(),
    };
    let fields = call.body();
    let branch = fields.get("branch").and_then(Value::as_str).filter(|branch| !branch.is_empty());
    let branch = branch.unwrap_or(DEFAULT_BRANCH);
    let mut stored: Vec<Value> = Vec::new();
    for File { name, bytes } in files {
        let fields = file(&name, branch, &bytes);
        let key = key(branch, &name);
        let blob = StoredFile { media_type: "application/octet-stream".to_owned(), bytes };
        call.view.put_file(&content(&call.address, &key), blob);
        call.view.put(&call.address, &key, fields.clone());
        stored.push(fields.into());
    }
    call.json(StatusCode::CREATED, &stored.into())
}

pub(super) fn get_file(call: &Call<'_>) -> Response {
    let (collection, key) = named(call);
    sent(call.view.file(&content(collection, &key)))
}

pub(super) fn put_file(mut call: Call<'_>) -> Response {
    let blob = blob(&mut call);
    let (collection, key) = named(&call);
    let collection = collection.to_owned();
    let file = file(path(&call), branch(&call), &blob.bytes);
    let content = content(&collection, &key);
    let status = match call.view.file(&content) {
        Some(old) if **old == blob => "204",
        Some(_) => "200",
        None => "201",
    };
    call.view.put_file(&content, blob);
    call.view.put(&collection, &key, file.clone());
    call.send(status, &file)
}

pub(super) fn remove_file(mut call: Call<'_>) -> Response {
    let (collection, key) = named(&call);
    let collection = collection.to_owned();
    call.view.remove(&collection, &key);
    let content = content(&collection, &key);
    if call.view.file(&content).is_none() {
        return missing();
    }
    call.view.clear(&content);
    call.send("204", &Item::new())
}

fn sent(blob: Option<&Arc<StoredFile>>) -> Response {
    match blob {
        Some(blob) => ([(CONTENT_TYPE, blob.media_type.clone())], blob.bytes.clone()).into_response(),
        None => missing(),
    }
}

/// Takes the body of the request.
fn blob(call: &mut Call<'_>) -> StoredFile {
    match std::mem::replace(&mut call.input.payload, Payload::None) {
        Payload::Bytes(media_type, bytes) => StoredFile { media_type, bytes },
        _ => StoredFile { media_type: "application/octet-stream".to_owned(), bytes: Bytes::new() },
    }
}

/// The collection of files that contains the address, and the key of the file that the parameters name.
fn named<'a>(call: &'a Call<'_>) -> (&'a str, String) {
    (split(&call.address).0, key(branch(call), path(call)))
}

fn path<'a>(call: &'a Call<'_>) -> &'a str {
    call.input.text("path").unwrap_or_default()
}

fn branch<'a>(call: &'a Call<'_>) -> &'a str {
    call.input.text("branch").filter(|branch| !branch.is_empty()).unwrap_or(DEFAULT_BRANCH)
}

fn key(branch: &str, path: &str) -> String {
    format!("{branch}:{path}")
}

/// The address of the bytes of a file.
fn content(collection: &str, key: &str) -> String {
    format!("{collection}/content?{key}")
}

fn file(path: &str, branch: &str, bytes: &Bytes) -> Item {
    let sha256 = Sha256::digest(bytes).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    match json!({ "path": path, "branch": branch, "size": bytes.len(), "sha256": sha256 }) {
        Value::Object(file) => file,
        _ => Item::new(),
    }
}
