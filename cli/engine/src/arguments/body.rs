//! The body of a request: a file, standard input, JSON text, and the members that have flags.

use std::io::Read as _;
use std::path::Path;

use clap::ArgMatches;
use driftless_runtime::codegen::{Parts, Style};
use driftless_runtime::{Object, Upload, Value};
use serde_json::Value as Schema;

use super::Flags;
use super::shape::{json, resolved};
use crate::curl::CurlOption;
use crate::describe::{fixed, style};
use crate::failure::Failure;
use crate::table::{Described, PartKind, PartLine, Table};

/// The largest body that is read into memory, in bytes. A file of bytes is not: it is sent as it is read.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A body.
#[derive(Debug)]
pub(crate) enum Content {
    None,
    Value(Value),
    Text(String),
    Upload(Upload),
    Parts(Parts),
}

/// The members of a body that is an object, each with its schema. Those that are only returned are left out.
pub(crate) fn members(table: Table, operation: &Described) -> Vec<(String, Schema)> {
    let Some(body) = operation.body.as_ref().filter(|body| matches!(body.form.as_str(), "json" | "form")) else {
        return Vec::new();
    };
    let schema = body.schema.as_ref().map(|schema| resolved(table, schema)).unwrap_or_default();
    let properties = schema.get("properties").and_then(Schema::as_object);
    let is_sent = |schema: &Schema| schema.get("readOnly") != Some(&Schema::Bool(true));
    let members = properties.into_iter().flatten().filter(|(_, schema)| is_sent(schema));
    members.map(|(name, schema)| (name.clone(), schema.clone())).collect()
}

/// The body that the arguments give.
pub(crate) fn content(operation: &Described, flags: &Flags, matches: &ArgMatches) -> Result<Content, Failure> {
    let Some(body) = &operation.body else { return Ok(Content::None) };
    if body.form == "multipart" {
        return parts(&body.parts, flags, matches);
    }
    let given = matches.get_one::<String>("body");
    let content = match body.form.as_str() {
        "json" | "form" => {
            let mut whole = given.map(|source| value(source)).transpose()?;
            for flag in &flags.members {
                let Some(member) = flag.value(matches)? else { continue };
                match whole.get_or_insert_with(|| Value::Object(Object::new())) {
                    Value::Object(object) => {
                        object.set(flag.wire.clone(), member);
                    }
                    _ => {
                        let message = format!("{} sets a member, and the body is not an object", flag.label());
                        return Err(Failure::usage(message, "nothing was sent; leave one of them out"));
                    }
                }
            }
            whole.map_or(Content::None, Content::Value)
        }
        "text" => given.map(|source| text(source)).transpose()?.map_or(Content::None, Content::Text),
        _ => match given {
            None => Content::None,
            Some(source) => Content::Upload(upload(source)?.content_type(body.media_type.clone())),
        },
    };
    if matches!(content, Content::None) && body.required {
        let hint = match flags.members.first() {
            Some(first) => {
                format!("give {} or other members, or `--body FILE`; `--body-template` prints one", first.label())
            }
            None => "give `--body FILE`, or `--body -` for standard input".to_owned(),
        };
        return Err(Failure::usage("the operation needs a body", hint));
    }
    Ok(content)
}

/// A JSON value: of a file, of standard input, or of a text that begins as an object or a list.
pub(crate) fn value(source: &str) -> Result<Value, Failure> {
    let is_text = source.trim_start().starts_with(['{', '[']);
    let text = if is_text { source.to_owned() } else { text(source)? };
    let name = match source {
        "-" => "standard input",
        _ if is_text => "the body",
        file => file,
    };
    json(&text).map_err(|message| {
        Failure::usage(format!("{name} is {message}"), "nothing was sent; `--body-template` prints a valid body")
    })
}

/// The text of a file, or of standard input.
pub(crate) fn text(source: &str) -> Result<String, Failure> {
    let name = if source == "-" { "standard input" } else { source };
    String::from_utf8(bytes(source)?)
        .map(|text| text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
        .map_err(|_| Failure::usage(format!("{name} is not text in UTF-8"), "nothing was sent; convert it"))
}

/// The bytes of a file, or of standard input.
pub(crate) fn bytes(source: &str) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| {
        let name = if source == "-" { "standard input" } else { source };
        Failure::usage(format!("{name} cannot be read: {error}"), "nothing was sent")
    };
    let mut bytes = Vec::new();
    match source {
        "-" => std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes),
        file => std::fs::File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)),
    }
    .map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(failed(std::io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20))));
    }
    Ok(bytes)
}

/// A file that is sent as it is read, or standard input.
pub(crate) fn upload(source: &str) -> Result<Upload, Failure> {
    if source == "-" {
        return bytes(source).map(Upload::bytes);
    }
    let path = Path::new(source);
    // The runtime opens it when it is sent; a name that was mistyped is an error before that.
    let metadata = std::fs::metadata(path).and_then(|metadata| match metadata.is_dir() {
        true => Err(std::io::Error::other("it is a folder")),
        false => Ok(()),
    });
    metadata.map_err(|error| Failure::usage(format!("{source} cannot be read: {error}"), "nothing was sent"))?;
    let upload = Upload::file(path);
    Ok(match path.file_name().and_then(|name| name.to_str()) {
        Some(name) => upload.file_name(name),
        None => upload,
    })
}

fn parts(lines: &[PartLine], flags: &Flags, matches: &ArgMatches) -> Result<Content, Failure> {
    let mut parts = Parts::default();
    for (flag, line) in flags.members.iter().zip(lines) {
        match line.kind {
            PartKind::File | PartKind::Files => {
                let words = flag.words(matches).unwrap_or_default();
                let files = words.iter().map(|word| upload(word)).collect::<Result<_, _>>()?;
                part(&mut parts, line, files, None);
            }
            _ => part(&mut parts, line, Vec::new(), flag.value(matches)?),
        }
    }
    Ok(Content::Parts(parts))
}

/// Adds a part: its files, or its value.
pub(crate) fn part(parts: &mut Parts, line: &PartLine, files: Vec<Upload>, value: Option<Value>) {
    let first = parts.parts.len();
    let wire = fixed(line.wire.clone());
    match (line.kind, value) {
        (PartKind::File | PartKind::Files, _) => parts.files(wire, files),
        (_, None) => return,
        (PartKind::Json, Some(value)) => parts.json(wire, value),
        (PartKind::Texts, Some(value)) => parts.texts(wire, value),
        (PartKind::Jsons, Some(Value::Array(values))) => parts.jsons(wire, values),
        (PartKind::Jsons, Some(value)) => parts.json(wire, value),
        (PartKind::Styled, Some(value)) => parts.styled(wire, line.style.as_deref().map_or(Style::Form, style), &value),
        (PartKind::Text, Some(value)) => parts.text(wire, value),
    }
    if line.media_type.is_some() || !line.headers.is_empty() {
        let headers = line.headers.iter().map(|(name, value)| (fixed(name.clone()), fixed(value.clone())));
        let headers: &'static [(&str, &str)] = Vec::leak(headers.collect());
        parts.encode(first, fixed(line.media_type.clone().unwrap_or_default()), headers);
    }
}

/// The options of curl for a body that is sent from files: `--data-binary`, or one for each part.
pub(crate) fn curl_options(operation: &Described, flags: &Flags, matches: &ArgMatches) -> Vec<CurlOption> {
    let Some(body) = &operation.body else { return Vec::new() };
    if body.form == "multipart" {
        let parts = flags.members.iter().flat_map(|flag| {
            let (option, mark) = if flag.is_file { ("--form", "@") } else { ("--form-string", "") };
            let words = flag.words(matches).unwrap_or_default().into_iter();
            words.map(move |word| (option, format!("{}={mark}{word}", flag.wire)))
        });
        return parts.collect();
    }
    match matches.get_one::<String>("body") {
        Some(file) if !matches!(body.form.as_str(), "json" | "form" | "text") => {
            vec![("--data-binary", format!("@{file}"))]
        }
        _ => Vec::new(),
    }
}
