//! Documents by the XML Object: what is expected of a request, and what an answer has.

use serde_json::{Value, json};

use super::super::xml::{of_value, plain};
use super::super::{Answer, BodyForm, Case, Judge, Offer, Recorded, Verdict};
use crate::contract::SchemaRef;

fn inline(schema: Value) -> SchemaRef {
    SchemaRef::Inline(std::sync::Arc::new(schema))
}

/// The examples of OpenAPI 3.0.4 and 3.1.1, "XML Object Examples": schema, value and document.
#[test]
fn the_examples_of_the_specification_are_what_is_expected() {
    let document = json!({ "components": { "schemas": { "Person": { "type": "object", "properties": {
        "id": { "type": "integer", "xml": { "attribute": true } },
        "name": { "type": "string", "xml": { "namespace": "https://example.com/schema/sample", "prefix": "sample" } },
    } } } } });
    let animals = |list: Value| json!({ "type": "object", "properties": { "animals": list } });
    let list = |items: Value, about: Value| json!({ "type": "array", "items": items, "xml": about });
    let text = || json!({ "type": "string" });
    let named = |name: &str| json!({ "type": "string", "xml": { "name": name } });
    let two = json!({ "animals": ["one", "two"] });
    let person = json!({ "$ref": "#/components/schemas/Person" });
    let rows = [
        (
            person,
            json!({ "id": 123, "name": "example" }),
            "<Person id=\"123\"><sample:name xmlns:sample=\"https://example.com/schema/sample\">example</sample:name></Person>",
        ),
        (animals(named("animal")), json!({ "animals": "one" }), "<a><animal>one</animal></a>"),
        (animals(list(text(), json!({}))), two.clone(), "<a><animals>one</animals><animals>two</animals></a>"),
        (animals(list(named("animal"), json!({}))), two.clone(), "<a><animal>one</animal><animal>two</animal></a>"),
        (
            animals(list(named("animal"), json!({ "name": "aliens" }))),
            two.clone(),
            "<a><animal>one</animal><animal>two</animal></a>",
        ),
        (
            animals(list(text(), json!({ "wrapped": true }))),
            two.clone(),
            "<a><animals><animals>one</animals><animals>two</animals></animals></a>",
        ),
        (
            animals(list(named("animal"), json!({ "name": "aliens", "wrapped": true }))),
            two.clone(),
            "<a><aliens><animal>one</animal><animal>two</animal></aliens></a>",
        ),
        (
            animals(list(text(), json!({ "name": "aliens", "wrapped": true }))),
            two,
            "<a><aliens><aliens>one</aliens><aliens>two</aliens></aliens></a>",
        ),
    ];
    for (schema, value, sent) in rows {
        let expected = of_value(&document, &inline(schema.clone()), &value).unwrap();
        assert_eq!(expected.difference(sent.as_bytes()), None, "{schema}");
        // The document of an answer is one that a request could have.
        assert_eq!(expected.difference(expected.document().unwrap().as_bytes()), None, "{schema}");
    }
}

#[test]
fn another_document_is_a_difference_at_its_place() {
    let schema = json!({ "type": "object", "xml": { "name": "pet", "namespace": "urn:pets", "prefix": "p" }, "properties": {
        "id": { "type": "integer", "xml": { "attribute": true } },
        "name": { "type": "string" },
        "tags": { "type": "array", "items": { "type": "string" } },
        "gone": { "type": "string", "nullable": true },
        "empty": { "type": "array", "items": { "type": "string" } },
    } });
    let value = json!({ "id": 1, "name": " a<b ", "tags": ["one", "two"], "gone": null, "empty": [] });
    let expected = of_value(&Value::Null, &inline(schema), &value).unwrap();
    let written = expected.document().unwrap();
    let pet = |attributes: &str, inner: &str| format!("<p:pet xmlns:p=\"urn:pets\"{attributes}>{inner}</p:pet>");
    let name = "<name> a&lt;b </name>";
    let tags = "<tags>one</tags><tags>two</tags>";
    let nil = "<gone xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"/>";
    for (sent, at) in [
        (written, None),
        (pet(" id=\"1\"", &format!("\n  {tags}\n  {name}{nil}\n")), None),
        (pet(" id=\"1\"", &format!("<tags>one</tags>{name}<tags>two</tags>")), None),
        (format!("<q:pet xmlns:q=\"urn:pets\" id=\"1\">{name}{tags}</q:pet>"), None),
        (pet("", &format!("{name}{tags}")), Some("/pet")),
        (pet(" id=\"2\"", &format!("{name}{tags}")), Some("/pet")),
        (pet(" id=\"1\" more=\"1\"", &format!("{name}{tags}")), Some("/pet")),
        (pet(" id=\"1\"", &format!("<name>a&lt;b</name>{tags}")), Some("/pet/name")),
        (pet(" id=\"1\"", &format!("{name}<tags>two</tags><tags>one</tags>")), Some("/pet/tags")),
        (pet(" id=\"1\"", &format!("{name}<tags>one</tags>")), Some("/pet")),
        (pet(" id=\"1\"", &format!("{name}{tags}<more/>")), Some("/pet")),
        (pet(" id=\"1\"", &format!("{name}{tags}<gone/>")), Some("/pet/gone")),
        (pet(" id=\"1\"", &format!("text{name}{tags}")), Some("/pet")),
        (format!("<pet id=\"1\">{name}{tags}</pet>"), Some("/pet")),
        (format!("<pets xmlns=\"urn:pets\" id=\"1\">{name}{tags}</pets>"), Some("/pets")),
        ("<pet>".to_owned(), Some("")),
    ] {
        assert_eq!(expected.difference(sent.as_bytes()).map(|(at, ..)| at).as_deref(), at, "{sent}");
    }
    assert!(expected.difference(b"\xff").is_some());
}

/// Null is a missing element in a list, too; space in an element without content is layout; in 3.1, keywords stand beside a `$ref`.
#[test]
fn what_a_document_can_leave_open_is_no_difference() {
    let document = json!({ "components": { "schemas": {
        "Named": { "type": "object", "properties": { "name": { "type": "string" } } },
    } } });
    let list = |about: Value| json!({ "type": "array", "items": { "type": ["string", "null"] }, "xml": about });
    let listed = |about: Value| json!({ "xml": { "name": "a" }, "properties": { "x": list(about) } });
    let beside = json!({ "xml": { "name": "a" }, "$ref": "#/components/schemas/Named", "properties": {
        "id": { "type": "integer", "xml": { "attribute": true } },
    } });
    let object = json!({ "xml": { "name": "a" }, "type": "object" });
    let nil = "<x xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"/>";
    let holes = json!({ "x": [null, "a", null, "b"] });
    for (schema, value, sent, is_it) in [
        (listed(json!({})), holes.clone(), "<a><x>a</x><x>b</x></a>".to_owned(), true),
        (listed(json!({})), holes.clone(), format!("<a>{nil}<x>a</x>{nil}<x>b</x></a>"), true),
        (listed(json!({})), holes.clone(), format!("<a><x>a</x>{nil}<x>b</x></a>"), true),
        (listed(json!({})), holes.clone(), "<a><x>b</x><x>a</x></a>".to_owned(), false),
        (listed(json!({})), holes.clone(), "<a><x>a</x></a>".to_owned(), false),
        (listed(json!({})), holes.clone(), format!("<a>{nil}{nil}{nil}<x>a</x><x>b</x></a>"), false),
        (listed(json!({})), json!({ "x": [null] }), "<a><x/></a>".to_owned(), false),
        (listed(json!({ "wrapped": true })), holes, "<a><x><x>a</x><x>b</x></x></a>".to_owned(), true),
        (beside.clone(), json!({ "id": 1, "name": "b" }), "<a id=\"1\"><name>b</name></a>".to_owned(), true),
        (beside, json!({ "id": 1, "name": "b" }), "<a><id>1</id><name>b</name></a>".to_owned(), false),
        (object.clone(), json!({}), "<a>\n</a>".to_owned(), true),
        (object, json!({}), "<a>b</a>".to_owned(), false),
        (listed(json!({ "wrapped": true })), json!({ "x": [] }), "<a>\n<x>\n</x>\n</a>".to_owned(), true),
        (json!({ "xml": { "name": "a" } }), json!(""), "<a>\n</a>".to_owned(), false),
    ] {
        let expected = of_value(&document, &inline(schema.clone()), &value).unwrap();
        assert_eq!(expected.difference(sent.as_bytes()).is_none(), is_it, "{schema} {sent}");
    }
}

#[test]
fn a_prefix_is_declared_where_it_is_used_first() {
    let id = json!({ "type": "integer", "xml": { "attribute": true, "prefix": "p", "namespace": "urn:p" } });
    let schema = json!({ "xml": { "name": "a", "prefix": "p" }, "properties": { "id": id } });
    let root = of_value(&Value::Null, &inline(schema), &json!({ "id": 1 })).unwrap();
    let written = root.document().unwrap();
    assert!(written.contains("<a xmlns:p=\"urn:p\" p:id=\"1\">"), "{written}");
    assert_eq!(root.difference(written.as_bytes()), None);
}

#[test]
fn a_part_that_the_specification_does_not_define_is_named() {
    let list = || json!({ "type": "array", "items": { "type": "string" } });
    for (schema, value) in [
        (list(), json!(["a"])),
        (json!({ "properties": { "a": { "type": "array", "items": list() } } }), json!({ "a": [["a"]] })),
        (json!({ "properties": { "a": { "xml": { "attribute": true } } } }), json!({ "a": {} })),
        (json!({ "properties": { "a": { "xml": { "nodeType": "cdata" } } } }), json!({ "a": "a" })),
        (json!({ "additionalProperties": list() }), json!({ "a": ["a"] })),
        (json!({}), Value::Null),
    ] {
        assert!(of_value(&Value::Null, &inline(schema.clone()), &value).is_err(), "{schema}");
    }
    let deep = (0..100).fold(json!(1), |inner, _| json!({ "a": inner }));
    assert!(of_value(&Value::Null, &inline(json!({})), &deep).is_err());
    // Branches that lead back to themselves take no time.
    let again = json!({ "$ref": "#/components/schemas/Again" });
    let document =
        json!({ "components": { "schemas": { "Again": { "allOf": [again, again], "anyOf": [again, again] } } } });
    assert!(of_value(&document, &inline(again), &json!({ "a": 1 })).is_ok());
    let root = of_value(&Value::Null, &inline(json!({ "xml": { "name": "not a name" } })), &json!("a")).unwrap();
    assert_eq!(root.document(), None);
}

#[test]
fn values_are_compared_as_a_document_has_them() {
    assert_eq!(plain(&json!({ "a": 1, "b": [], "c": null, "d": [true] })), json!({ "a": "1", "d": ["true"] }));
    assert_ne!(plain(&json!({ "a": "01" })), plain(&json!({ "a": 1 })));
}

/// The judge of one operation that takes and returns XML, and its case with all arguments.
fn judge(schema: &Value, offer: Offer) -> (Judge, Case) {
    let content = json!({ "application/xml": { "schema": schema } });
    let post = json!({ "post": {
        "requestBody": { "required": true, "content": content }, "responses": { "2XX": { "description": "", "content": content } },
    } });
    let contract = json!({ "openapi": "3.0.4", "info": { "title": "a", "version": "1" }, "paths": { "/a": post } });
    let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
    let (method, pointer) = ("POST".to_owned(), "/paths/~1a/post".to_owned());
    let (media_type, accept) = (Some("application/xml".to_owned()), "application/xml".to_owned());
    let case = judge.cases(&Offer { method, pointer, media_type, accept, ..offer }).swap_remove(1).unwrap();
    (judge, case)
}

fn verdict(judge: &Judge, case: &Case, body: &[u8], read: &Value) -> Verdict {
    let length = body.len().to_string();
    let headers = [("content-type", "application/xml"), ("content-length", &length), ("accept", "application/xml")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let (method, target, body) = ("POST".to_owned(), "/a".to_owned(), body.into());
    let request = Recorded { method, target, headers, body, ..Recorded::default() };
    judge.judge(case, &[request], &Ok(read.clone()))
}

#[test]
fn a_value_in_xml_is_judged_by_its_document() {
    let schema = json!({ "type": "object", "required": ["n"], "xml": { "name": "a" }, "properties": { "n": { "type": "integer", "enum": [3], "xml": { "name": "m" } } } });
    let offer = Offer { writes_xml: true, reads_xml: vec!["2XX".to_owned()], ..Offer::default() };
    let (judge, case) = judge(&schema, offer);
    let Answer { form, value, .. } = &case.answer;
    assert_eq!((*form, value, &case.body), (BodyForm::Xml, &json!({ "n": 3 }), &Some(json!({ "n": 3 }))));
    assert!(String::from_utf8(case.answer.bytes()).unwrap().contains("<a><m>3</m></a>"));
    assert_eq!(verdict(&judge, &case, b"<a><m>3</m></a>", value), Verdict::Right);
    let place = |verdict: Verdict| match verdict {
        Verdict::Fault(fault) => fault.place,
        other => panic!("{other:?}"),
    };
    assert_eq!(place(verdict(&judge, &case, b"<a><n>3</n></a>", value)), "body /a");
    assert_eq!(place(verdict(&judge, &case, b"<a><m>3</m></a>", &json!({}))), "answer /n");
}

#[test]
fn a_text_in_xml_arrives_as_it_is() {
    let (judge, case) = judge(&json!({ "type": "string" }), Offer::default());
    let text = case.body.clone().unwrap();
    let bytes = text.as_str().unwrap().as_bytes();
    assert_eq!(case.answer.value, text);
    assert_eq!(verdict(&judge, &case, bytes, &text), Verdict::Right);
    // Another text of the same document.
    let other = text.as_str().unwrap().replace('\n', "");
    assert!(matches!(verdict(&judge, &case, other.as_bytes(), &text), Verdict::Fault(_)));
    assert!(matches!(verdict(&judge, &case, bytes, &Value::from(other)), Verdict::Fault(_)));
}
