mod sent;
mod xml;

use serde_json::{Value, json};

use super::answer::{Answer, BodyForm, Flaw};
use super::bytes::{Part, Shape, is_sent, write};
use super::request::take;
use super::same::{answer, difference};
use super::variant::variants;
use super::{Judge, Offer, Recorded, Verdict};
use crate::contract::SchemaRef;
use crate::contract::Style::{self, DeepObject, Form, Label, Matrix, Pipe, Simple, Space};

/// The table "Style Examples" of OpenAPI 3.0.4 and 3.1.1: style, explode, then empty, string, array and object. `-`: not defined.
const EXAMPLES: &[(Style, bool, [&str; 4])] = &[
    (Matrix, false, [";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"]),
    (Matrix, true, [";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"]),
    (Label, false, [".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"]),
    (Label, true, [".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"]),
    (Simple, false, ["", "blue", "blue,black,brown", "R,100,G,200,B,150"]),
    (Simple, true, ["", "blue", "blue,black,brown", "R=100,G=200,B=150"]),
    (Form, false, ["color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"]),
    (Form, true, ["color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"]),
    (Space, false, ["-", "-", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"]),
    (Pipe, false, ["-", "-", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"]),
    (DeepObject, true, ["-", "-", "-", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"]),
];

#[test]
fn the_examples_of_the_specification_are_what_is_expected() {
    let values = [json!(""), json!("blue"), json!(["blue", "black", "brown"]), json!({ "R": 100, "G": 200, "B": 150 })];
    for (style, explode, row) in EXAMPLES {
        for (value, example) in values.iter().zip(row) {
            let written = write("color", *style, *explode, &Shape::of_value(value).unwrap());
            let part = if matches!(style, Matrix | Label | Simple) { Part::Path } else { Part::Query };
            if *example == "-" {
                assert_eq!(written, None, "{style:?} {explode} {value}");
                continue;
            }
            let written = written.unwrap();
            let sent: Vec<&str> = example.split('&').collect();
            assert_eq!(written.len(), sent.len(), "{example}");
            for (pair, sent) in written.iter().zip(sent) {
                assert!(is_sent(pair, sent.as_bytes(), part), "{example}: {written:?}");
            }
        }
    }
}

#[test]
fn a_character_that_means_something_else_has_to_be_encoded() {
    let cases: &[(&str, &str, Part, bool)] = &[
        ("a b", "a%20b", Part::Query, true),
        ("a b", "a+b", Part::Query, true),
        ("a b", "a+b", Part::Path, false),
        ("a+b", "a+b", Part::Query, false),
        ("a+b", "a%2Bb", Part::Query, true),
        ("a/b", "a/b", Part::Path, false),
        ("a/b", "a%2fb", Part::Path, true),
        ("a/b", "a/b", Part::Query, true),
        ("a&b", "a&b", Part::Reserved, false),
        ("a,b", "a,b", Part::Reserved, true),
        ("a,b", "a,b", Part::Query, false),
        ("é", "%C3%A9", Part::Path, true),
        ("é", "é", Part::Path, false),
        ("ab", "abc", Part::Path, false),
        ("abc", "ab", Part::Path, false),
        ("a%", "a%", Part::Query, false),
    ];
    for (value, sent, part, expected) in cases {
        let written = write("", Simple, false, &Shape::One((*value).to_owned())).unwrap().concat();
        assert_eq!(is_sent(&written, sent.as_bytes(), *part), *expected, "{value} {sent} {part:?}");
    }
}

#[test]
fn delimited_values_of_a_path_have_no_name() {
    let written = write("", Pipe, false, &Shape::List(vec!["a".to_owned(), "b".to_owned()])).unwrap().concat();
    assert!(is_sent(&written, b"a%7Cb", Part::Path));
}

#[test]
fn a_delimiter_is_not_encoded() {
    let written = write("color", Form, false, &Shape::List(vec!["a".to_owned(), "b".to_owned()])).unwrap().concat();
    assert!(is_sent(&written, b"color=a,b", Part::Query));
    assert!(!is_sent(&written, b"color=a%2Cb", Part::Query));
}

#[test]
fn the_values_of_a_list_keep_their_order() {
    let list = write("a", Form, true, &Shape::of_value(&json!([1, 2])).unwrap()).unwrap();
    let members = write("a", Form, true, &Shape::of_value(&json!({ "R": 1, "G": 2 })).unwrap()).unwrap();
    for (pairs, query, is_right) in [
        (&list, "a=1&a=2", true),
        (&list, "a=1&b=3&a=2", true),
        (&list, "a=2&a=1", false),
        (&list, "a=1", false),
        (&members, "G=2&R=1", true),
    ] {
        let (mut sent, mut last) = (query.split('&').collect::<Vec<_>>(), None);
        assert_eq!(pairs.iter().all(|pair| take(&mut sent, pair, Part::Query, &mut last)), is_right, "{query}");
    }
}

#[test]
fn values_are_compared_digit_by_digit() {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    for (one, other) in
        [("1", "1.0"), ("1e1", "10"), ("-0", "0"), ("0.10", "0.1"), ("[1,{\"a\":2}]", "[1.0,{\"a\":2}]")]
    {
        assert_eq!(difference(&read(one), &read(other)), None, "{one} {other}");
    }
    for (one, other, at) in [
        ("1", "\"1\"", ""),
        ("0.1", "0.10000000000000002", ""),
        ("9007199254740993", "9007199254740992", ""),
        ("{\"a\":1}", "{}", "/a"),
        ("{}", "{\"a\":null}", "/a"),
        ("{\"a/b\":[1,2]}", "{\"a/b\":[1,3]}", "/a~1b/1"),
    ] {
        assert_eq!(difference(&read(one), &read(other)).map(|(at, ..)| at), Some(at.to_owned()), "{one} {other}");
    }
}

/// Each keyword that names values gives a variant for each of them, wherever its schema stands.
#[test]
fn every_value_of_an_enumeration_and_every_bound_is_a_variant() {
    let document = json!({ "components": { "schemas": {
        "Kind": { "type": "string", "enum": ["a", "b", "c"] },
        "Tree": { "type": "object", "properties": {
            "kind": { "$ref": "#/components/schemas/Kind" },
            "next": { "allOf": [{ "$ref": "#/components/schemas/Tree" }] },
            "size": { "type": "integer", "minimum": 1, "exclusiveMaximum": 9 },
            "share": { "type": "number", "maximum": 0.5 },
            "name": { "type": "string", "minLength": 2, "maxLength": 4 },
            "day": { "type": "string", "format": "date", "minLength": 1 },
            "tags": { "type": "array", "maxItems": 2, "items": { "type": "boolean" } },
        } },
    } } });
    let sample = json!({ "kind": "a", "next": { "kind": "b", "next": {} }, "size": 5, "share": 0.25, "name": "abc", "tags": [true], "day": "2030-01-31" });
    let schema = SchemaRef::Pointer("/components/schemas/Tree".into());
    let varied = variants(&document, &schema, &sample);
    let names: Vec<&str> = varied.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "/kind = \"b\"",
        "/kind = \"c\"",
        "/next/kind = \"a\"",
        "/next/kind = \"c\"",
        "/size = 1",
        "/size = 2",
        "/size = 8",
        "/share = 0.5",
        "/name of 2 characters",
        "/name of 4 characters",
        "/tags/0 = false",
        "/tags of 2 items",
    ];
    assert_eq!(names, expected);
    for (name, value) in &varied {
        let differing = difference(&sample, value).unwrap();
        assert!(name.starts_with(&differing.0), "{name}: {differing:?}");
    }
}

#[test]
fn a_schema_that_contains_itself_has_a_bounded_number_of_variants() {
    let all = json!({ "allOf": [{ "$ref": "#/components/schemas/All" }], "enum": (0..1000).collect::<Vec<_>>() });
    let document = json!({ "components": { "schemas": { "All": all } } });
    let varied = variants(&document, &SchemaRef::Pointer("/components/schemas/All".into()), &json!(1));
    assert_eq!(varied.len(), 200);
}

/// A client may refuse any answer with a flaw. It may never give a value for an answer that has none, nor another value.
#[test]
fn a_value_out_of_an_answer_without_one_is_a_fault() {
    let plain = Answer {
        status: 200,
        form: BodyForm::Json,
        media_type: "application/json".to_owned(),
        value: json!({ "a": [1] }),
        document: String::new(),
        flaw: Flaw::None,
    };
    let (read, other) = (plain.value.clone(), json!({ "a": [] }));
    let is_fault = |verdict: &Verdict| matches!(verdict, Verdict::Fault(_));
    for flaw in Flaw::ALL {
        let flawed = Answer { flaw, ..plain.clone() };
        assert_ne!(flawed.bytes(), plain.bytes(), "{flaw:?}");
        assert_eq!(answer(&flawed, &Err(None)), Verdict::Right, "{flaw:?}");
        assert!(is_fault(&answer(&flawed, &Ok(other.clone()))), "{flaw:?}");
        assert_eq!(is_fault(&answer(&flawed, &Ok(read.clone()))), flaw.hides_value(), "{flaw:?}");
    }
    assert!(is_fault(&answer(&plain, &Err(None))));
}

/// The value of the first answer of `GET /a` with these responses.
fn first_answer(responses: &Value) -> Answer {
    let contract = json!({
        "openapi": "3.0.3", "info": { "title": "a", "version": "1" }, "paths": { "/a": { "get": { "responses": responses } } },
        "components": { "schemas": { "Item": { "allOf": [{ "properties": { "id": { "type": "integer" } } }] } } },
    });
    let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
    let (method, pointer) = ("GET".to_owned(), "/paths/~1a/get".to_owned());
    let offer = Offer { method, pointer, accept: "application/json".to_owned(), ..Offer::default() };
    judge.cases(&offer).swap_remove(0).unwrap().answer
}

#[test]
fn an_answer_has_no_members_that_only_an_example_has() {
    let answer = |schema: Value| {
        let content = json!({ "application/json": { "schema": schema } });
        first_answer(&json!({ "200": { "description": "", "content": content } })).value
    };
    let example = json!({ "data": 1, "items": [{ "id": 2, "other": 3 }] });
    let items = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Item" } });
    let declared = json!({ "type": "object", "properties": { "items": items }, "example": example });
    assert_eq!(answer(declared.clone()), json!({ "items": [{ "id": 2 }] }));
    // A schema that allows others, or that declares none, has all of them.
    let mut open = declared;
    open["additionalProperties"] = json!(true);
    assert_eq!(answer(open), example);
    assert_eq!(answer(json!({ "type": "object", "example": example })), example);
}

#[test]
fn the_default_response_describes_a_success_that_is_not_declared() {
    let content = json!({ "application/json": { "schema": { "type": "string", "enum": ["a"] } } });
    let answer = first_answer(&json!({ "default": { "description": "", "content": content } }));
    assert_eq!((answer.status, answer.value), (200, json!("a")));
}

#[test]
fn a_form_without_parts_that_has_a_file_contradicts_itself() {
    let verdict = |property: Value| {
        let form = json!({ "schema": { "type": "object", "properties": { "member": property } } });
        let body = json!({ "required": true, "content": { "application/x-www-form-urlencoded": form } });
        let post = json!({ "post": { "requestBody": body, "responses": { "204": { "description": "" } } } });
        let contract = json!({ "openapi": "3.0.3", "info": { "title": "a", "version": "1" }, "paths": { "/a": post } });
        let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
        let (method, pointer) = ("POST".to_owned(), "/paths/~1a/post".to_owned());
        let offer = Offer { method, pointer, media_type: Some("multipart/form-data".to_owned()), ..Offer::default() };
        judge.cases(&offer).swap_remove(0).unwrap_err().1
    };
    assert!(matches!(verdict(json!({ "type": "string", "format": "binary" })), Verdict::Contradiction(_)));
    assert!(matches!(verdict(json!({ "type": "string" })), Verdict::Fault(_)));
}

#[test]
fn no_request_carries_the_fragment_of_a_path() {
    let id = json!({ "name": "i#d", "in": "path", "required": true, "schema": { "enum": ["b"] } });
    let get = json!({ "get": { "parameters": [id], "responses": { "204": { "description": "" } } } });
    let contract = json!({ "openapi": "3.0.3", "info": { "title": "a", "version": "1" }, "paths": { "/a/{i#d}/c#Action=d/{e}": get } });
    let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
    let pointer = "/paths/~1a~1{i#d}~1c#Action=d~1{e}/get".to_owned();
    let parameters = vec![("path".to_owned(), "i#d".to_owned())];
    let case = judge.cases(&Offer { method: "GET".to_owned(), pointer, parameters, ..Offer::default() }).swap_remove(0);
    let verdict = |target: &str| {
        let request = Recorded { method: "GET".to_owned(), target: target.to_owned(), ..Recorded::default() };
        judge.judge(case.as_ref().unwrap(), &[request], &Ok(Value::Null))
    };
    assert_eq!(verdict("/a/b/c"), Verdict::Right);
    for other in ["/a/b/c#Action=d", "/a/b/c%23Action=d", "/a/b", "/a/b/"] {
        assert!(matches!(verdict(other), Verdict::Fault(_)), "{other}");
    }
}

/// The answers with a status below 400 that a client can give without a success in the contract.
#[test]
fn a_redirection_is_the_answer_where_nothing_else_is_declared() {
    let described = || json!({ "description": "" });
    assert_eq!(first_answer(&json!({ "404": described(), "302": described() })).status, 302);
    assert_eq!(first_answer(&json!({ "3XX": described() })).status, 302);
    assert_eq!(first_answer(&json!({ "302": described(), "default": described() })).status, 200);
    assert_eq!(first_answer(&json!({ "302": described(), "204": described() })).status, 204);
    assert_eq!(first_answer(&json!({ "304": described() })).status, 200);
    let redirected = first_answer(&json!({ "302": described() }));
    assert!(String::from_utf8(redirected.bytes()).unwrap().contains("\r\nlocation: /elsewhere\r\n"));
    assert_eq!(answer(&redirected, &Ok(Value::Null)), Verdict::Right);
    assert!(matches!(answer(&redirected, &Err(Some(302))), Verdict::Fault(_)));
}

/// A sample may accuse if the schema accepts it, whatever the media type.
#[test]
fn a_text_of_an_answer_is_a_value_of_its_schema() {
    let made = |media_type: &str, schema: Value| {
        let content = json!({ (media_type): { "schema": schema } });
        let get = json!({ "get": { "responses": { "200": { "description": "", "content": content } } } });
        let schemas = json!({ "File": { "$ref": "#/components/schemas/Bytes" }, "Bytes": { "type": "string", "format": "binary" } });
        let contract = json!({ "openapi": "3.1.1", "info": { "title": "a", "version": "1" }, "paths": { "/a": get }, "components": { "schemas": schemas } });
        let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
        let (method, pointer) = ("GET".to_owned(), "/paths/~1a/get".to_owned());
        let offer = Offer { method, pointer, accept: "*/*".to_owned(), ..Offer::default() };
        judge
            .cases(&offer)
            .swap_remove(0)
            .map(|case| (case.answer.form, case.answer.value))
            .map_err(|(_, verdict)| verdict)
    };
    let text = || (BodyForm::Text, json!("a file, or a text\n"));
    let file = || json!({ "type": "string", "format": "binary" });
    assert_eq!(made("text/plain", json!({ "type": "string" })), Ok(text()));
    assert_eq!(made("text/plain", json!({ "type": "string", "enum": ["a"] })), Ok((BodyForm::Text, json!("a"))));
    assert_eq!(made("text/plain", json!({ "type": "integer", "enum": [3] })), Ok((BodyForm::Text, json!(3))));
    assert!(matches!(made("text/plain", json!({ "type": "object" })), Err(Verdict::Limit(_))));
    // A file is its bytes, in JSON, too.
    assert_eq!(made("application/json", file()), Ok(text()));
    assert_eq!(made("application/octet-stream", file()), Ok(text()));
    assert_eq!(made("application/json", json!({ "$ref": "#/components/schemas/File" })), Ok(text()));
    assert_eq!(made("application/json", json!({ "type": ["string", "null"], "format": "binary" })), Ok(text()));
    let (form, _) = made("application/json", json!({ "type": ["string", "integer"], "format": "binary" })).unwrap();
    assert_eq!(form, BodyForm::Json);
    assert_eq!(made("application/json", json!({ "enum": ["a"] })), Ok((BodyForm::Json, json!("a"))));
    let number =
        Answer { value: json!(3), form: BodyForm::Text, ..first_answer(&json!({ "204": { "description": "" } })) };
    assert!(number.bytes().ends_with(b"\r\n\r\n3"));
    assert_eq!(answer(&number, &Ok(json!("3"))), Verdict::Right);
    assert!(matches!(answer(&number, &Ok(json!("4"))), Verdict::Fault(_)));
}

#[test]
fn a_placeholder_without_a_parameter_contradicts_the_contract() {
    let id = json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
    for (path, is_right) in [
        ("/a/{id}", true),
        ("/a/{Id}", true),
        ("/a/{id}/{other}", false),
        ("/a/{id}?b={b}", false),
        ("/a/{id}?b=1", true),
    ] {
        let get = json!({ "get": { "parameters": [id], "responses": { "204": { "description": "" } } } });
        let contract = json!({ "openapi": "3.0.3", "info": { "title": "a", "version": "1" }, "paths": { path: get } });
        let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
        let pointer = format!("/paths/{}/get", path.replace('/', "~1"));
        let name = if path.contains("{Id}") { "Id" } else { "id" };
        let parameters = vec![("path".to_owned(), name.to_owned())];
        let offer = Offer { method: "GET".to_owned(), pointer, parameters, ..Offer::default() };
        for case in judge.cases(&offer) {
            // The client has the name of the placeholder or of the parameter.
            assert!(case.as_ref().is_ok_and(|case| case.arguments[0].name == name) == is_right, "{path}");
            let is_contradiction = matches!(case, Err((_, Verdict::Contradiction(_))));
            assert_eq!(is_contradiction, !is_right, "{path}: {case:?}");
        }
    }
}

#[test]
fn a_closed_base_whose_subtypes_all_need_more_contradicts_itself() {
    let made = |required: Value, is_closed: bool, target: &str| {
        let mapping = json!({ "cat": target });
        let mut pet = json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "type": "string" } }, "discriminator": { "propertyName": "kind", "mapping": mapping } });
        if is_closed {
            pet["additionalProperties"] = json!(false);
        }
        let own = json!({ "type": "object", "required": required, "properties": { "claws": { "type": "integer" } } });
        let cat = json!({ "allOf": [{ "$ref": "#/components/schemas/Pet" }, own] });
        let pets = json!({ "type": "array", "minItems": 1, "items": { "$ref": "#/components/schemas/Pet" } });
        let schema = json!({ "type": "object", "required": ["pets"], "properties": { "pets": pets } });
        let content = json!({ "application/json": { "schema": schema } });
        let get = json!({ "get": { "responses": { "200": { "description": "", "content": content } } } });
        let contract = json!({ "openapi": "3.0.3", "info": { "title": "a", "version": "1" }, "paths": { "/a": get }, "components": { "schemas": { "Pet": pet, "Cat": cat } } });
        let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
        let (method, pointer) = ("GET".to_owned(), "/paths/~1a/get".to_owned());
        let offer = Offer { method, pointer, accept: "application/json".to_owned(), ..Offer::default() };
        judge.cases(&offer).swap_remove(0).map(|_| ()).map_err(|(_, verdict)| verdict)
    };
    for target in ["#/components/schemas/Cat", "Cat"] {
        assert!(matches!(made(json!(["claws"]), true, target), Err(Verdict::Contradiction(_))), "{target}");
        assert_eq!(made(json!(["claws"]), false, target), Ok(()), "{target}");
        assert_eq!(made(json!(["kind"]), true, target), Ok(()), "{target}");
    }
}

#[test]
fn a_token_is_in_the_header_of_four_kinds_of_schemes() {
    for (scheme, expected) in [
        (json!({ "type": "apiKey", "in": "header", "name": "Authorization" }), false),
        (json!({ "type": "http", "scheme": "basic" }), false),
        (json!({ "type": "http", "scheme": "bearer" }), true),
        (json!({ "type": "http", "scheme": "dpop" }), true),
        (json!({ "type": "oauth2", "flows": {} }), true),
        (json!({ "type": "openIdConnect", "openIdConnectUrl": "https://a.example" }), true),
        (json!({ "type": "mutualTLS" }), false),
        (json!({ "type": "other" }), false),
    ] {
        let document = json!({ "openapi": "3.1.0", "paths": {}, "components": { "securitySchemes": { "a": scheme } } });
        let judge = Judge::read(document.to_string().as_bytes(), 1).unwrap();
        assert_eq!(judge.takes_token(), expected, "{scheme}");
    }
}
