//! Bodies of each media type.

use serde_json::{Value, json};

use super::{Request, contract, places, send};
use crate::request::{Read, Refusal};

fn pet() -> Value {
    json!({ "type": "object", "required": ["name"], "properties": {
        "name": { "type": "string", "minLength": 2 },
        "age": { "type": "integer", "nullable": true },
        "tags": { "type": "array", "items": { "type": "string" } },
        "owner": { "type": "object", "properties": { "id": { "type": "integer" } } },
        "photo": { "type": "string", "format": "binary" },
    } })
}

fn post(content: &Value, content_type: &str, body: &[u8]) -> Result<Read, Refusal> {
    let contract = contract(&json!({ "requestBody": { "required": true, "content": content }, "responses": {} }));
    let headers = [("content-type", content_type)];
    let headers = if content_type.is_empty() { &[][..] } else { &headers[..] };
    send(&contract, &Request { path: &[("color", "red")], headers, body, ..Request::default() })
}

#[test]
fn json_is_checked_by_its_schema() {
    let content = json!({ "application/json": { "schema": pet() } });
    let read = post(&content, "application/json; charset=utf-8", b"\xef\xbb\xbf{\"name\":\"Rex\"}").unwrap();
    assert_eq!(read.body, Some(json!({ "name": "Rex" })));
    assert_eq!(places(post(&content, "application/json", br#"{"age":"x"}"#)), ["body/name", "body/age"]);
    assert_eq!(places(post(&content, "application/json", b"{")), ["body"]);
    assert_eq!(places(post(&content, "application/json", b"")), ["body"]);
}

#[test]
fn a_message_contains_no_value_of_the_request() {
    let content = json!({ "application/json": { "schema": { "properties": { "password": { "type": "string", "minLength": 20 } } } } });
    let answer = post(&content, "application/json", br#"{"password":"hunter2"}"#);
    assert!(!format!("{answer:?}").contains("hunter2"), "{answer:?}");
}

#[test]
fn an_unknown_media_type_is_unsupported() {
    let content = json!({ "application/json": {}, "application/*+json": {}, "image/*": {} });
    for (media_type, body) in [("text/xml", "<a/>"), ("", "{}"), ("json", "{}")] {
        let answer = post(&content, media_type, body.as_bytes());
        assert!(
            matches!(&answer, Err(Refusal::Unsupported { allowed, .. }) if allowed.len() == 3),
            "{media_type}: {answer:?}"
        );
    }
    assert_eq!(post(&content, "application/merge-patch+json", b"{}").unwrap().body, Some(json!({})));
    let file = post(&content, "image/png", b"\x89PNG").unwrap().files.remove(0);
    assert_eq!((file.media_type.as_str(), file.bytes.as_slice()), ("image/png", &b"\x89PNG"[..]));
}

/// A path that names nothing has no media types.
#[test]
fn a_wrong_parameter_is_named_before_a_wrong_media_type() {
    let parameter = json!({ "name": "color", "in": "path", "required": true, "schema": { "enum": ["red"] } });
    let content = json!({ "application/json": {} });
    let contract =
        contract(&json!({ "parameters": [parameter], "requestBody": { "content": content }, "responses": {} }));
    let headers = [("content-type", "text/xml")];
    let answer = |color| {
        send(&contract, &Request { path: &[("color", color)], headers: &headers, body: b"<a/>", ..Request::default() })
    };
    assert_eq!(places(answer("blue")), ["path.color"]);
    assert!(matches!(answer("red"), Err(Refusal::Unsupported { .. })));
}

#[test]
fn a_urlencoded_form_is_an_object() {
    let content = json!({ "application/x-www-form-urlencoded": { "schema": pet() } });
    let body = b"name=Rex+the+dog&age=7&tags=a&tags=b%2Cc&owner[id]=5";
    let read = post(&content, "application/x-www-form-urlencoded", body).unwrap();
    assert_eq!(read.body, Some(json!({ "name": "Rex the dog", "age": 7, "tags": ["a", "b,c"], "owner": { "id": 5 } })));
    let body = b"name=Rex&owner=%7B%22id%22%3A5%7D";
    let read = post(&content, "application/x-www-form-urlencoded", body).unwrap();
    assert_eq!(read.body, Some(json!({ "name": "Rex", "owner": { "id": 5 } })));
    assert_eq!(places(post(&content, "application/x-www-form-urlencoded", b"age=x")), ["body/name", "body/age"]);
    assert_eq!(places(post(&content, "application/x-www-form-urlencoded", b"")), ["body/name"]);
}

#[test]
fn a_field_that_is_sent_twice_is_no_single_value() {
    let content = json!({ "application/x-www-form-urlencoded": { "schema": pet() } });
    assert_eq!(places(post(&content, "application/x-www-form-urlencoded", b"name=Rex&age=7&age=7")), ["body/age"]);
    let read = post(&content, "application/x-www-form-urlencoded", b"name=Rex&name=Max").unwrap();
    assert_eq!(read.body, Some(json!({ "name": "Max" })));
}

/// Browsers send the media type of a file: a JSON document that is uploaded is a file. An object that the contract declares is a value,
/// whether the client named a file for it or not.
#[test]
fn a_json_file_is_a_file_and_a_json_object_a_value() {
    let content = json!({ "multipart/form-data": { "schema": pet() } });
    for (json, name) in [("{}", "photo"), ("\"x\"", "photo"), ("[1]", "photo")] {
        let part = |name: &str, rest: &str, body: &str| {
            format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"{rest}\r\n\r\n{body}\r\n")
        };
        let file = "; filename=\"a.json\"\r\nContent-Type: application/json";
        let body = part("name", "", "Rex") + &part(name, file, json) + &part("owner", file, "{\"id\":1}") + "--b--\r\n";
        let read = post(&content, "multipart/form-data; boundary=b", body.as_bytes()).unwrap();
        assert_eq!((read.files.len(), read.files[0].bytes.as_slice()), (1, json.as_bytes()), "{json}");
        assert_eq!(read.body.unwrap()["owner"], json!({ "id": 1 }), "{json}");
    }
}

#[test]
fn an_empty_body_is_a_file_or_text_and_nothing_else() {
    let schema = || json!({ "schema": pet() });
    let content = json!({ "application/json": schema(), "text/json": schema(), "application/*+json": schema() });
    for media_type in ["application/json", "text/json", "application/merge-patch+json", ""] {
        assert_eq!(places(post(&content, media_type, b"")), ["body"], "{media_type}");
    }
    let file = json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } });
    let read = post(&file, "application/octet-stream", b"").unwrap();
    assert_eq!((read.files.len(), read.files[0].bytes.len()), (1, 0));
    assert_eq!(places(post(&file, "", b"")), ["body"]);
    assert_eq!(places(post(&file, "image/png", b"")), ["body"]);
    assert_eq!(post(&json!({ "text/plain": {} }), "text/plain", b"").unwrap().body, None);
}

#[test]
fn a_member_that_is_not_declared_has_its_place() {
    let closed = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    let nested = json!({ "type": "object", "properties": { "b": closed }, "additionalProperties": false });
    let content = json!({ "application/json": { "schema": nested } });
    let answer = post(&content, "application/json", br#"{"b":{"x/y":1,"a":2},"c":3}"#);
    let Err(Refusal::Invalid(violations)) = &answer else { panic!("{answer:?}") };
    assert!(violations.iter().all(|violation| violation.message == "is not declared"), "{answer:?}");
    let mut places = places(answer);
    places.sort();
    assert_eq!(places, ["body/b/x~1y", "body/c"]);
    let composed = json!({ "allOf": [closed, { "type": "object", "properties": { "d": {} } }] });
    let content = json!({ "application/json": { "schema": composed } });
    assert_eq!(super::places(post(&content, "application/json", br#"{"a":1,"d":2,"e":3}"#)), ["body/e"]);
}

#[test]
fn a_multipart_form_keeps_its_files() {
    let content = json!({ "multipart/form-data": { "schema": pet() } });
    let body = b"preamble\r\n--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nRex\r\n\
        --b\r\ncontent-disposition: form-data; name=tags\r\n\r\na\r\n\
        --b\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\nb\r\n\
        --b\r\nContent-Disposition: form-data; name=\"owner\"\r\nContent-Type: application/json\r\n\r\n{\"id\":5}\r\n\
        --b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a \\\"b\\\".png\"\r\nContent-Type: image/png\r\n\r\n\x89\r\n--c\r\n--b--\r\n";
    let read = post(&content, "multipart/form-data; boundary=\"b\"", body).unwrap();
    let photo = "a \"b\".png";
    assert_eq!(read.body, Some(json!({ "name": "Rex", "tags": ["a", "b"], "owner": { "id": 5 }, "photo": photo })));
    let [file] = read.files.as_slice() else { panic!("{read:?}") };
    assert_eq!(
        (file.field.as_str(), file.file_name.as_deref(), file.media_type.as_str()),
        ("photo", Some(photo), "image/png")
    );
    assert_eq!(file.bytes, b"\x89\r\n--c");
}

#[test]
fn a_broken_multipart_form_is_a_violation() {
    let content = json!({ "multipart/form-data": { "schema": pet() } });
    let head = "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nRex\r\n";
    let cut: Vec<&str> = (1..head.len()).map(|end| &head[..end]).collect();
    for body in
        cut.into_iter().chain(["--b", "--b--x", "x", "--b\r\n\r\nx\r\n--b--", "--b\r\nname: x\r\n\r\n\r\n--b--"])
    {
        let answer = post(&content, "multipart/form-data; boundary=b", body.as_bytes());
        assert!(matches!(answer, Err(Refusal::Invalid(_))), "{body:?}: {answer:?}");
    }
    for media_type in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\""] {
        assert_eq!(places(post(&content, media_type, b"--b--")), ["body"]);
    }
}

#[test]
fn text_is_a_value_of_its_schema() {
    let content = json!({ "text/plain": { "schema": { "type": "integer" } } });
    assert_eq!(post(&content, "text/plain", b"7").unwrap().body, Some(json!(7)));
    assert_eq!(places(post(&content, "text/plain", b"x")), ["body"]);
    assert_eq!(places(post(&content, "text/plain", b"\xff")), ["body"]);
}

#[test]
fn a_form_of_swagger_2_is_checked() {
    let contract = json!({ "swagger": "2.0", "paths": { "/x": { "post": {
        "consumes": ["multipart/form-data"], "responses": {},
        "parameters": [
            { "in": "formData", "name": "file", "type": "file", "required": true },
            { "in": "formData", "name": "n", "type": "integer" },
        ],
    } } } });
    let headers = [("content-type", "multipart/form-data; boundary=b")];
    let body = b"--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nx\r\n--b--";
    assert_eq!(
        places(send(&contract, &Request { headers: &headers, body, ..Request::default() })),
        ["body/file", "body/n"]
    );
    let body = b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\nx\r\n--b--";
    let read = send(&contract, &Request { headers: &headers, body, ..Request::default() }).unwrap();
    assert_eq!(read.files[0].bytes, b"x");
}

#[test]
fn a_form_of_many_fields_takes_linear_time() {
    let schema = json!({ "type": "object", "additionalProperties": true });
    let content = json!({ "application/x-www-form-urlencoded": { "schema": schema } });
    let start = std::time::Instant::now();
    for field in ["f{}", "f[{}]", "f[x][n{}]"] {
        let body: Vec<String> = (0..10_000).map(|index| field.replace("{}", &format!("{index}a")) + "=1").collect();
        let read = post(&content, "application/x-www-form-urlencoded", body.join("&").as_bytes()).unwrap();
        let count = read.body.unwrap().to_string().matches("\"1\"").count();
        assert_eq!(count, 10_000, "{field}");
    }
    // Comparing each field with each other one takes a minute.
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
}
