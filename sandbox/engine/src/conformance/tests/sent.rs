//! Requests that a client should not send: each of them is a fault at its place.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::super::{Case, Judge, Offer, Recorded, Recorder, Verdict};

/// The judge of one operation, and its case with all arguments.
fn judge(operation: &Value, offer: Offer) -> (Judge, Case) {
    let schemes = json!({
        "header": { "type": "apiKey", "in": "header", "name": "X-Key" },
        "cookie": { "type": "apiKey", "in": "cookie", "name": "key" },
        "token": { "type": "http", "scheme": "bearer" },
    });
    let method = offer.method.to_ascii_lowercase();
    let contract = json!({
        "openapi": "3.0.4", "info": { "title": "a", "version": "1" }, "paths": { "/a": { method: operation } },
        "components": { "securitySchemes": schemes },
    });
    let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
    let case = judge.cases(&offer).swap_remove(1).unwrap();
    (judge, case)
}

fn offer(method: &str, parameters: &[(&str, &str)]) -> Offer {
    let pointer = format!("/paths/~1a/{}", method.to_ascii_lowercase());
    let parameters = parameters.iter().map(|(place, name)| ((*place).to_owned(), (*name).to_owned())).collect();
    Offer { method: method.to_owned(), pointer, parameters, ..Offer::default() }
}

fn request(method: &str, headers: &[(&str, &str)], body: &[u8]) -> Recorded {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Recorded { method: method.to_owned(), target: "/a".to_owned(), headers, body: body.into(), ..Recorded::default() }
}

/// The place of a fault; nothing for a right request.
fn place(judge: &Judge, case: &Case, request: Recorded) -> String {
    match judge.judge(case, &[request], &Ok(Value::Null)) {
        Verdict::Right => String::new(),
        Verdict::Fault(fault) => fault.place,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_header_or_a_cookie_that_nothing_asks_for_is_a_fault() {
    let parameter = |place: &str, name: &str, value: &str, required: bool| {
        let required = required.then_some(json!({ "required": true }));
        let mut parameter = json!({ "name": name, "in": place, "schema": { "type": "string", "enum": [value] } });
        parameter.as_object_mut().unwrap().extend(required.iter().flat_map(|it| it.as_object().unwrap().clone()));
        parameter
    };
    let operation = json!({ "responses": { "204": { "description": "" } }, "parameters": [
        parameter("header", "X-Given", "g", false),
        parameter("header", "X-Own", "o", true),
        parameter("header", "X-Other", "o", false),
        parameter("cookie", "session", "s", false),
        parameter("cookie", "own", "o", true),
        parameter("cookie", "other", "o", false),
    ] });
    let (judge, case) = judge(&operation, offer("GET", &[("header", "X-Given"), ("cookie", "session")]));
    let right = [("host", "a"), ("x-given", "g"), ("cookie", "session=s"), ("accept", "*/*"), ("user-agent", "a/1")];
    let table: &[(&[(&str, &str)], &str)] = &[
        (&[], ""),
        (&[("x-own", "o"), ("x-key", "k"), ("authorization", "Bearer t"), ("accept", "a/b")], ""),
        (&[("x-other", "o")], "headers"),
        (&[("x-debug", "1")], "headers"),
        (&[("host", "b")], "header host"),
        (&[("x-given", "g")], "header X-Given"),
        (&[("content-type", "text/plain")], "header content-type"),
        (&[("content-length", "0")], ""),
        (&[("content-length", "1")], "header content-length"),
        (&[("content-length", "0"), ("content-length", "0")], "header content-length"),
        (&[("content-length", "0"), ("transfer-encoding", "chunked")], "header content-length"),
    ];
    for (more, expected) in table {
        assert_eq!(place(&judge, &case, request("GET", &[&right, *more].concat(), b"")), *expected, "{more:?}");
    }
    for (cookies, expected) in [
        ("session=s; own=o; key=k", ""),
        ("key=k; session=s", ""),
        ("own=o", "cookie session"),
        ("session=s; other=o", "cookies"),
        ("session=s; debug=1", "cookies"),
        ("session=s; session=s", "cookies"),
        ("session=t", "cookie session"),
    ] {
        let request = request("GET", &[("x-given", "g"), ("cookie", cookies)], b"");
        assert_eq!(place(&judge, &case, request), expected, "{cookies}");
    }
    let two_lines = [("x-given", "g"), ("cookie", "session=s"), ("cookie", "key=k")];
    assert_eq!(place(&judge, &case, request("GET", &two_lines, b"")), "header cookie");
}

#[test]
fn a_method_with_content_says_that_it_has_none() {
    let (judge, case) = judge(&json!({ "responses": { "204": { "description": "" } } }), offer("POST", &[]));
    assert_eq!(place(&judge, &case, request("POST", &[("content-length", "0")], b"")), "");
    assert_eq!(place(&judge, &case, request("POST", &[], b"")), "header content-length");
}

#[test]
fn a_value_in_json_has_its_members_in_any_order() {
    let schema = json!({ "type": "object", "required": ["b", "a"], "properties": { "b": { "enum": ["x+y"] }, "a": { "enum": [1] } } });
    let parameter = |place: &str, name: &str| json!({ "name": name, "in": place, "content": { "application/json": { "schema": schema } } });
    let parameters = [parameter("query", "q"), parameter("cookie", "c")];
    let operation = json!({ "responses": { "204": { "description": "" } }, "parameters": parameters });
    let (judge, case) = judge(&operation, offer("GET", &[("query", "q"), ("cookie", "c")]));
    let with = |query: &str, cookie: &str| {
        let target = format!("/a?{query}");
        Recorded { target, ..request("GET", &[("cookie", cookie)], b"") }
    };
    let (one, other) = ("%7B%22b%22:%22x%2By%22%2C%22a%22:1%7D", "%7B%22a%22:1%2C%22b%22:%22x%2By%22%7D");
    for (query, cookie, expected) in [
        (one, one, ""),
        (other, other, ""),
        ("%7B%22a%22:2%2C%22b%22:%22x%2By%22%7D", other, "query q"),
        ("%7B%22a%22:1%2C%22b%22:%22x+y%22%7D", other, "query q"),
        ("%7B%22a%22:1%7D", other, "query q"),
        // Characters of no URL.
        ("{\"a\":1,\"b\":\"x%2By\"}", other, "query q"),
        (one, "%7B%22a%22:1%7D", "cookie c"),
    ] {
        let request = with(&format!("q={query}"), &format!("c={cookie}"));
        assert_eq!(place(&judge, &case, request), expected, "{query} {cookie}");
    }
    assert_eq!(place(&judge, &case, with(&format!("r={one}"), &format!("c={one}"))), "query q");
}

/// A path or a header has a value alone, without a name and `=` in front. So an `=` belongs to the value. A header is not percent-encoded.
#[test]
fn json_of_a_path_or_a_header_has_its_members_in_any_order() {
    let schema = json!({ "type": "object", "required": ["b=", "a"], "properties": { "b=": { "enum": ["x=y"] }, "a": { "enum": [1] } } });
    let parameter = |place: &str, name: &str| json!({ "name": name, "in": place, "required": true, "content": { "application/json": { "schema": schema } } });
    let parameters = [parameter("path", "p"), parameter("header", "X-H")];
    let get = json!({ "get": { "responses": { "204": { "description": "" } }, "parameters": parameters } });
    let contract = json!({ "openapi": "3.0.4", "info": { "title": "a", "version": "1" }, "paths": { "/a/{p}": get } });
    let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
    let pointer = "/paths/~1a~1{p}/get".to_owned();
    let case = judge.cases(&Offer { pointer, ..offer("GET", &[("path", "p"), ("header", "X-H")]) }).swap_remove(1);
    let case = case.unwrap();
    let (one, other) = ("{\"b=\":\"x=y\",\"a\":1}", "{\"a\":1, \"b=\":\"x=y\"}");
    let encoded =
        |text: &str| percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string();
    for (path, header, expected) in [
        (one, one, ""),
        (other, other, ""),
        ("{\"a\":2,\"b=\":\"x=y\"}", other, "path"),
        (one, "{\"a\":2,\"b=\":\"x=y\"}", "header X-H"),
        (one, "{\"a\":1,\"b=\":\"x=y\"", "header X-H"),
        (one, &*encoded(other), "header X-H"),
    ] {
        let target = format!("/a/{}", encoded(path));
        let request = Recorded { target, ..request("GET", &[("x-h", header)], b"") };
        assert_eq!(place(&judge, &case, request), expected, "{path} {header}");
    }
}

/// A part: name, file name, media type and text.
type Sent<'s> = (&'s str, Option<&'s str>, Option<&'s str>, &'s str);

fn form(parts: &[Sent<'_>]) -> Recorded {
    let mut body = String::new();
    for (name, file, media_type, text) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        let media_type = media_type.map(|it| format!("\r\nContent-Type: {it}")).unwrap_or_default();
        body += &format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{file}{media_type}\r\n\r\n{text}\r\n");
    }
    body += "--x--\r\n";
    let length = body.len().to_string();
    let headers = [("content-type", "multipart/form-data; boundary=x"), ("content-length", &length)];
    request("POST", &headers, body.as_bytes())
}

#[test]
fn a_form_has_the_parts_of_its_value_and_no_others() {
    let text = |value: &str| json!({ "type": "string", "enum": [value] });
    let list = |item: Value| json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": item });
    let file = json!({ "type": "string", "format": "binary" });
    let object = json!({ "type": "object", "required": ["k"], "properties": { "k": { "enum": [1] } } });
    let properties = json!({
        "note": text("n"), "tags": list(text("t")), "data": object, "picture": text("p"), "file": file, "size": { "enum": [1], "type": "integer" },
    });
    let schema = json!({ "type": "object", "required": ["note", "tags", "data", "picture", "file", "size"], "properties": properties });
    let encoding = json!({ "picture": { "contentType": "image/png, image/jpeg" } });
    let content = json!({ "multipart/form-data": { "schema": schema, "encoding": encoding } });
    let operation = json!({ "requestBody": { "required": true, "content": content }, "responses": { "204": { "description": "" } } });
    let media_type = Some("multipart/form-data".to_owned());
    let (judge, case) = judge(&operation, Offer { media_type, ..offer("POST", &[]) });
    let text = case.body.as_ref().unwrap()["file"].as_str().unwrap().to_owned();
    let bytes = (Some("file"), Some("application/octet-stream"), text.as_str());
    let right: [Sent<'_>; 7] = [
        ("note", None, None, "n"),
        ("tags", None, None, "t"),
        ("tags", None, Some("text/plain; charset=utf-8"), "t"),
        ("data", None, Some("application/json"), "{\"k\":1.0}"),
        ("picture", None, Some("image/jpeg"), "p"),
        ("file", bytes.0, bytes.1, bytes.2),
        ("size", None, None, "1"),
    ];
    assert_eq!(place(&judge, &case, form(&right)), "");
    // A list can be one part of JSON.
    let mut whole = right.to_vec();
    whole.remove(1);
    whole[1] = ("tags", None, Some("application/json"), "[\"t\",\"t\"]");
    assert_eq!(place(&judge, &case, form(&whole)), "");
    let mut both = right.to_vec();
    both.insert(3, whole[1]);
    assert_eq!(place(&judge, &case, form(&both)), "body tags", "the list, and its items");

    let replaced: &[(usize, Sent<'_>, &str)] = &[
        (0, ("note", None, None, "m"), "body note"),
        (0, ("note", None, Some("application/json"), "n"), "body note content-type"),
        (0, ("note", Some("note"), None, "n"), "body note filename"),
        (2, ("tags", Some("tags"), None, "t"), "body tags filename"),
        (3, ("data", None, None, "{\"k\":1}"), "body data content-type"),
        (3, ("data", None, Some("application/json"), "{\"k\":2}"), "body data"),
        (4, ("picture", None, Some("image/gif"), "p"), "body picture content-type"),
        (4, ("picture", None, None, "p"), "body picture content-type"),
        (5, ("file", None, bytes.1, bytes.2), "body file filename"),
        (5, ("file", Some("other"), bytes.1, bytes.2), "body file filename"),
        (5, ("file", bytes.0, None, bytes.2), "body file content-type"),
        (6, ("size", None, None, "2"), "body size"),
    ];
    for (index, part, expected) in replaced {
        let mut parts = right.to_vec();
        parts[*index] = *part;
        assert_eq!(place(&judge, &case, form(&parts)), *expected, "{part:?}");
    }
    for (index, part) in right.iter().enumerate() {
        let expected = format!("body {}", part.0);
        let doubled = [&right[..index], &[*part], &right[index..]].concat();
        assert_eq!(place(&judge, &case, form(&doubled)), expected, "doubled: {part:?}");
        let missing = [&right[..index], &right[index + 1..]].concat();
        assert_eq!(place(&judge, &case, form(&missing)), expected, "missing: {part:?}");
    }
    let more = [&right[..], &[("more", None, None, "m")]].concat();
    assert_eq!(place(&judge, &case, form(&more)), "body more");
    let mut swapped = right;
    swapped.swap(0, 4);
    assert_eq!(place(&judge, &case, form(&swapped)), "body");
    swapped.swap(0, 4);
    swapped.swap(1, 3);
    assert_eq!(place(&judge, &case, form(&swapped)), "body");
}

/// A pinned contract has its keys in the order of the alphabet.
#[test]
fn parts_are_in_the_order_that_the_contract_lists() {
    let text = |value: &str| json!({ "type": "string", "enum": [value] });
    for (listed, right, wrong) in [(None, "ab", "ba"), (Some(json!(["b", "a"])), "ba", "ab")] {
        let mut schema =
            json!({ "type": "object", "required": ["a", "b"], "properties": { "a": text("a"), "b": text("b") } });
        listed.into_iter().for_each(|listed| schema["x-part-order"] = listed);
        let content = json!({ "multipart/form-data": { "schema": schema } });
        let operation = json!({ "requestBody": { "required": true, "content": content }, "responses": { "204": { "description": "" } } });
        let media_type = Some("multipart/form-data".to_owned());
        let (judge, case) = judge(&operation, Offer { media_type, ..offer("POST", &[]) });
        for (order, expected) in [(right, ""), (wrong, "body")] {
            let parts: Vec<Sent<'_>> = (0..2).map(|at| (&order[at..=at], None, None, &order[at..=at])).collect();
            assert_eq!(place(&judge, &case, form(&parts)), expected, "{order}");
        }
    }
}

/// Swagger 2.0 joins the items of a list, unless it says `multi`.
#[test]
fn a_list_of_a_form_follows_its_style() {
    let field = |name: &str, format: &str| {
        json!({ "name": name, "in": "formData", "type": "array", "required": true, "minItems": 2, "maxItems": 2,
            "items": { "type": "string", "enum": ["a"] }, "collectionFormat": format })
    };
    let operation = json!({ "consumes": ["multipart/form-data"], "responses": { "204": { "description": "" } },
        "parameters": [field("joined", "pipes"), field("each", "multi")] });
    let contract =
        json!({ "swagger": "2.0", "info": { "title": "a", "version": "1" }, "paths": { "/a": { "post": operation } } });
    let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
    let offer = Offer { media_type: Some("multipart/form-data".to_owned()), ..offer("POST", &[]) };
    let case = judge.cases(&offer).swap_remove(1).unwrap();
    let each: Sent<'_> = ("each", None, None, "a");
    assert_eq!(place(&judge, &case, form(&[("joined", None, None, "a|a"), each, each])), "");
    for other in ["a,a", "[\"a\",\"a\"]"] {
        assert_eq!(place(&judge, &case, form(&[("joined", None, None, other), each, each])), "body joined", "{other}");
    }
    assert_eq!(place(&judge, &case, form(&[("joined", None, None, "a|a"), ("each", None, None, "a|a")])), "body each");
}

/// The flaw of each request that the server records of the bytes of one connection.
fn flaws(bytes: &[u8]) -> Vec<Option<String>> {
    let recorder = Recorder::start().unwrap();
    let mut stream = TcpStream::connect(recorder.address().trim_start_matches("http://")).unwrap();
    stream.write_all(bytes).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
    recorder.recorded().into_iter().map(|request| request.flaw).collect()
}

#[test]
fn a_body_of_another_length_than_its_headers_say_is_recorded() {
    assert_eq!(flaws(b"POST /a HTTP/1.1\r\ncontent-length: 2\r\n\r\nab"), [None]);
    assert_eq!(flaws(b"POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"), [None]);
    for wrong in [
        &b"POST /a HTTP/1.1\r\ncontent-length: 1\r\n\r\nab"[..],
        b"POST /a HTTP/1.1\r\ncontent-length: 3\r\n\r\nab",
        b"POST /a HTTP/1.1\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nab",
        b"POST /a HTTP/1.1\r\ncontent-length: two\r\n\r\nab",
        b"POST /a HTTP/1.1\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        b"POST /a HTTP/1.1\r\n\r\nab",
    ] {
        let flaws = flaws(wrong);
        assert!(matches!(flaws.as_slice(), [Some(_)]), "{flaws:?}: {}", String::from_utf8_lossy(wrong));
    }
    let mut flawed = request("POST", &[("content-length", "1")], b"a");
    let (judge, case) = judge(&json!({ "responses": { "204": { "description": "" } } }), offer("POST", &[]));
    flawed.flaw = Some("1 bytes behind a body".to_owned());
    assert_eq!(place(&judge, &case, flawed), "framing");
}

#[test]
fn connections_are_counted() {
    let recorder = Recorder::start().unwrap();
    let address = recorder.address().trim_start_matches("http://").to_owned();
    let answer = super::Answer {
        status: 204,
        form: super::BodyForm::Empty,
        media_type: String::new(),
        value: Value::Null,
        document: String::new(),
        flaw: super::Flaw::None,
    };
    recorder.prepare(&answer);
    let mut streams: Vec<TcpStream> = Vec::new();
    for index in [0, 0, 1] {
        if streams.len() <= index {
            streams.push(TcpStream::connect(&address).unwrap());
        }
        streams[index].write_all(b"GET /a HTTP/1.1\r\n\r\n").unwrap();
        assert!(streams[index].read(&mut [0; 256]).unwrap() > 0);
    }
    let connections: Vec<usize> = recorder.recorded().into_iter().map(|request| request.connection).collect();
    assert_eq!(connections, [0, 0, 1]);
}

/// A client repeats a request after a failure of the service at most.
#[test]
fn a_request_that_was_sent_twice_is_a_fault() {
    let responses = json!({ "204": { "description": "" }, "404": { "description": "" }, "503": { "description": "" } });
    let (judge, _) = judge(&json!({ "responses": responses }), offer("GET", &[]));
    let cases: Vec<Case> = judge.cases(&offer("GET", &[])).into_iter().map(Result::unwrap).collect();
    for (status, is_right) in [(204, false), (404, false), (503, true)] {
        let case = cases.iter().find(|case| case.answer.status == status).unwrap();
        let result = if status < 400 { Ok(Value::Null) } else { Err(Some(status)) };
        let two = [request("GET", &[], b""), request("GET", &[], b"")];
        assert_eq!(judge.judge(case, &two[..1], &result), Verdict::Right);
        assert_eq!(judge.judge(case, &two, &result) == Verdict::Right, is_right, "{status}");
        // One wrong attempt is a fault, whichever it is.
        for wrong in 0..2 {
            let mut two = two.clone();
            two[wrong].method = "POST".to_owned();
            assert!(matches!(judge.judge(case, &two, &result), Verdict::Fault(_)), "{status}, {wrong}");
        }
    }
}
