//! The table of styles of OpenAPI 3.0.4, and the formats of Swagger 2.0.

use serde_json::{Value, json};

use super::{Request, contract, places, send};

fn schema(kind: &str) -> Value {
    match kind {
        "list" => json!({ "type": "array", "items": { "type": "string" } }),
        "object" => json!({ "type": "object", "additionalProperties": false, "properties": {
            "R": { "type": "integer" }, "G": { "type": "integer" }, "B": { "type": "integer" } } }),
        _ => json!({ "type": "string" }),
    }
}

fn expected(kind: &str) -> Value {
    match kind {
        "list" => json!(["blue", "black", "brown"]),
        "object" => json!({ "R": 100, "G": 200, "B": 150 }),
        "empty" => json!(""),
        _ => json!("blue"),
    }
}

#[test]
fn a_parameter_is_read_in_each_style() {
    let table = [
        ("path", "matrix", false, "empty", ";color"),
        ("path", "matrix", false, "string", ";color=blue"),
        ("path", "matrix", false, "list", ";color=blue,black,brown"),
        ("path", "matrix", false, "object", ";color=R,100,G,200,B,150"),
        ("path", "matrix", true, "string", ";color=blue"),
        ("path", "matrix", true, "list", ";color=blue;color=black;color=brown"),
        ("path", "matrix", true, "object", ";R=100;G=200;B=150"),
        ("path", "label", false, "empty", "."),
        ("path", "label", false, "string", ".blue"),
        ("path", "label", false, "list", ".blue,black,brown"),
        ("path", "label", false, "object", ".R,100,G,200,B,150"),
        ("path", "label", true, "list", ".blue.black.brown"),
        ("path", "label", true, "object", ".R=100.G=200.B=150"),
        ("path", "simple", false, "string", "blue"),
        ("path", "simple", false, "list", "blue,black,brown"),
        ("path", "simple", false, "object", "R,100,G,200,B,150"),
        ("path", "simple", true, "list", "blue,black,brown"),
        ("path", "simple", true, "object", "R=100,G=200,B=150"),
        ("header", "simple", false, "list", "blue, black, brown"),
        ("header", "simple", true, "object", "R=100,G=200,B=150"),
        ("query", "form", false, "empty", "color="),
        ("query", "form", false, "string", "color=blue"),
        ("query", "form", false, "list", "color=blue,black,brown"),
        ("query", "form", false, "object", "color=R,100,G,200,B,150"),
        ("query", "form", true, "list", "color=blue&color=black&color=brown"),
        ("query", "form", true, "object", "R=100&G=200&B=150"),
        ("query", "spaceDelimited", false, "list", "color=blue%20black%20brown"),
        ("query", "spaceDelimited", false, "list", "color=blue+black+brown"),
        ("query", "spaceDelimited", false, "object", "color=R%20100%20G%20200%20B%20150"),
        ("query", "pipeDelimited", false, "list", "color=blue%7Cblack%7Cbrown"),
        ("query", "pipeDelimited", false, "object", "color=R|100|G|200|B|150"),
        ("query", "deepObject", true, "object", "color%5BR%5D=100&color[G]=200&color[B]=150"),
        ("cookie", "form", false, "string", "other=1; color=blue"),
        ("cookie", "form", false, "list", "color=blue,black,brown"),
    ];
    for (location, style, explode, kind, text) in table {
        let parameter = json!({ "name": "color", "in": location, "style": style, "explode": explode, "required": true, "schema": schema(kind) });
        let mut request = Request { path: &[("color", "unused")], ..Request::default() };
        let (path, headers);
        match location {
            "path" => {
                path = [("color", text)];
                request.path = &path;
            }
            "query" => request.query = text,
            "header" => {
                headers = [("color", text)];
                request.headers = &headers;
            }
            _ => {
                headers = [("cookie", text)];
                request.headers = &headers;
            }
        }
        let read = send(&contract(&json!({ "parameters": [parameter], "responses": {} })), &request);
        let read = read.unwrap_or_else(|error| panic!("{location} {style} {explode} {kind}: {error:?}"));
        let values = [&read.path, &read.query, &read.headers, &read.cookies];
        let values: Vec<&Value> = values.iter().filter_map(|values| values.get("color")).collect();
        assert!(values.contains(&&expected(kind)), "{location} {style} {explode} {kind}: {read:?}");
    }
}

#[test]
fn each_collection_format_of_swagger_2_is_read() {
    let table = [
        ("csv", "ids=1,2,3"),
        ("ssv", "ids=1%202%203"),
        ("tsv", "ids=1%092%093"),
        ("pipes", "ids=1|2|3"),
        ("multi", "ids=1&ids=2&ids=3"),
    ];
    for (format, query) in table {
        let parameter = json!({ "name": "ids", "in": "query", "type": "array", "items": { "type": "integer" }, "collectionFormat": format });
        let contract =
            json!({ "swagger": "2.0", "paths": { "/x": { "get": { "parameters": [parameter], "responses": {} } } } });
        let read = send(&contract, &Request { query, ..Request::default() }).unwrap();
        assert_eq!(read.query["ids"], json!([1, 2, 3]), "{format}");
    }
}

#[test]
fn each_violation_names_its_parameter() {
    let parameters = json!([
        { "name": "limit", "in": "query", "schema": { "type": "integer", "maximum": 100 } },
        { "name": "ids", "in": "query", "schema": { "type": "array", "items": { "type": "integer" } } },
        { "name": "X-Page", "in": "header", "required": true, "schema": { "type": "integer" } },
        { "name": "filter", "in": "query", "style": "deepObject", "schema": { "type": "object", "properties": { "tags": { "type": "array", "items": { "type": "string" } }, "n": { "type": "integer" } } } },
        { "name": "json", "in": "query", "content": { "application/json": { "schema": { "type": "object", "required": ["a"] } } } },
    ]);
    let contract = contract(&json!({ "parameters": parameters, "responses": {} }));
    let color: &[(&str, &str)] = &[("color", "red")];
    let query = "limit=101&ids=1&ids=x&filter[n]=x&json=%7B%7D";
    let answer = send(&contract, &Request { path: color, query, ..Request::default() });
    assert_eq!(places(answer), ["query.limit", "query.ids/1", "header.X-Page", "query.filter/n", "query.json/a"]);
    let query = "limit=7&ids=1&filter[tags][]=a&filter[tags][]=b&json=%7B%22a%22%3A1%7D";
    let read =
        send(&contract, &Request { path: color, query, headers: &[("x-page", "2")], ..Request::default() }).unwrap();
    assert_eq!(
        Value::Object(read.query),
        json!({ "limit": 7, "ids": [1], "filter": { "tags": ["a", "b"] }, "json": { "a": 1 } })
    );
}

#[test]
fn an_empty_value_is_allowed_where_the_contract_says_so() {
    for (allows, is_read) in [(true, true), (false, false)] {
        let parameter =
            json!({ "name": "flag", "in": "query", "allowEmptyValue": allows, "schema": { "type": "boolean" } });
        let contract =
            json!({ "openapi": "3.0.0", "paths": { "/x": { "get": { "parameters": [parameter], "responses": {} } } } });
        assert_eq!(send(&contract, &Request { query: "flag", ..Request::default() }).is_ok(), is_read);
    }
}

#[test]
fn hostile_queries_are_read_in_bounded_time() {
    let filter =
        json!({ "name": "f", "in": "query", "style": "deepObject", "schema": { "type": "object", "properties": {} } });
    let contract =
        json!({ "openapi": "3.0.0", "paths": { "/x": { "get": { "parameters": [filter], "responses": {} } } } });
    let deep = format!("f{}=1", "[a]".repeat(100_000));
    let far = "f[a][99999999999]=1&f[a][4000000]=1&f[]=1&f[=1&f]=&[]=&f[a]=1&f[a][b][c]=%ff".to_owned();
    let many = "f[a]=1&".repeat(100_000);
    for query in [deep, far, many] {
        let _ = send(&contract, &Request { query: &query, ..Request::default() });
    }
}

#[test]
fn a_number_that_is_sent_twice_is_a_violation_and_of_texts_the_last_is_taken() {
    let parameter = |name: &str, schema: Value| json!({ "name": name, "in": "query", "schema": schema });
    let operation = json!({ "parameters": [
        parameter("limit", json!({ "type": "integer" })),
        parameter("ids", json!({ "type": "array", "items": { "type": "integer" } })),
        parameter("any", json!({})),
        parameter("key", json!({ "type": "string" })),
    ] });
    let contract = contract(&operation);
    let send = |query| send(&contract, &Request { path: &[("color", "red")], query, ..Request::default() });
    let read = send("ids=1&ids=2&any=a&any=b&key=1&key=2&limit=3").unwrap();
    assert_eq!(Value::Object(read.query), json!({ "limit": 3, "ids": [1, 2], "any": "b", "key": "2" }));
    assert_eq!(places(send("limit=1&limit=2")), ["query.limit"]);
}
