//! GraphQL over HTTP: answers, partial answers, errors, retries, the token.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::{Reply, Server};
use driftless_runtime::{
    Client, Decimal, Error, Object, Upload, Value,
    auth::StaticToken,
    graphql::{Document, File, GraphqlOptions, Untyped},
};
use serde_json::json;

fn platform(server: &Server) -> Client {
    Client::builder(&server.url).credential(StaticToken::new("canary-token")).build().unwrap()
}

async fn query(server: &Server) -> Result<Value, Error> {
    platform(server).graphql().query::<Value, _>("{ a }", ()).await?.into_data()
}

#[tokio::test]
async fn a_document_says_what_goes_in_and_what_comes_out() {
    const TYPED: Document<[(&str, u8); 1], Object> = Document::new("query A($n: Int!) { a(n: $n) }");
    const UNTYPED: Untyped = Untyped::new("query A($n: Int!) { a(n: $n) }");
    let server = Server::always(Reply::json(200, r#"{"data":{"a":1}}"#)).await;
    let platform = platform(&server);
    let typed = platform.graphql().query(&TYPED, [("n", 7)]).await.unwrap().into_data().unwrap();
    assert_eq!(typed["a"], 1);
    let untyped = platform.graphql().query(&UNTYPED, json!({ "n": 7 })).await.unwrap().into_data().unwrap();
    assert_eq!(untyped, json!({ "a": 1 }));
    let text = TYPED.text().to_owned();
    let answer = platform.graphql().query::<Object, _>(&text, json!({ "n": 7 })).await.unwrap();
    assert_eq!(answer.data(), Some(&typed));
    let bodies: Vec<String> = server.requests().iter().map(|request| request.text()).collect();
    assert_eq!(bodies[0], r#"{"query":"query A($n: Int!) { a(n: $n) }","operationName":"A","variables":{"n":7}}"#);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
}

#[tokio::test]
async fn a_query_is_a_post_with_the_credential_and_both_media_types() {
    let server = Server::always(Reply::json(200, r#"{"data":{"a":1},"extensions":{"cost":3}}"#)).await;
    let answer = platform(&server).graphql().query::<Value, _>("{ a }", json!({ "id": "7" })).await.unwrap();
    assert_eq!(answer.data(), Some(&Value::from(json!({ "a": 1 }))));
    assert_eq!(answer.extensions()["cost"], 3);
    let request = server.last();
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/graphql"));
    assert_eq!(request.header("authorization"), Some("Bearer canary-token"));
    assert_eq!(request.header("accept"), Some("application/graphql-response+json, application/json;q=0.9"));
    assert_eq!(request.text(), r#"{"query":"{ a }","variables":{"id":"7"}}"#);
}

#[tokio::test]
async fn the_path_is_configuration() {
    let server = Server::always(Reply::json(200, r#"{"data":{}}"#)).await;
    let options = GraphqlOptions::new().path("/api/graph ql");
    let platform = Client::builder(format!("{}/base/", server.url)).graphql(options).build().unwrap();
    platform.graphql().query::<Value, _>("{ a }", ()).await.unwrap();
    assert_eq!(server.last().target, "/base/api/graph%20ql");
    let options = GraphqlOptions::new().path("//elsewhere.test/graphql?x");
    let platform = Client::builder(&server.url).graphql(options).build().unwrap();
    let outcome = platform.graphql().query::<Value, _>("{ a }", ()).await;
    assert!(outcome.is_err() || server.last().target.starts_with("//elsewhere.test/"), "it stays on the server");
}

#[tokio::test]
async fn partial_data_comes_with_its_errors() {
    let body = r#"{"data":{"a":1,"b":null},"errors":[{"message":"no b","path":["b",0],
        "locations":[{"line":1,"column":5}],"extensions":{"code":"FORBIDDEN"}}]}"#;
    let server = Server::always(Reply::json(200, body)).await;
    let answer = platform(&server).graphql().query::<Value, _>("{ a b }", ()).await.unwrap();
    assert_eq!(answer.data().unwrap()["a"], 1);
    let error = &answer.errors()[0];
    assert_eq!((error.message(), error.code()), ("no b", Some("FORBIDDEN")));
    assert_eq!(error.path(), [json!("b"), json!(0)]);
    assert_eq!((error.locations()[0].line, error.locations()[0].column), (1, 5));
    let error = answer.into_data().unwrap_err();
    assert!(error.is_graphql());
    assert_eq!(error.code(), "graphql");
}

#[tokio::test]
async fn errors_without_data_are_an_error_whatever_the_status() {
    let body = r#"{"errors":[{"message":"unknown field"},{"message":"and more"}]}"#;
    for (status, kind) in [(200, "application/json"), (400, "application/graphql-response+json"), (500, "text/plain")] {
        let server = Server::always(Reply::new(status, &[("content-type", kind)], body)).await;
        let error = query(&server).await.unwrap_err();
        assert!(error.is_graphql(), "{error:?}");
        assert_eq!(error.graphql_errors().len(), 2);
        assert!(error.to_string().contains("unknown field, and 1 more"), "{error}");
        assert_eq!(error.status().map(|status| status.as_u16()), (status != 200).then_some(status));
    }
}

#[tokio::test]
async fn a_status_with_another_body_stays_a_status() {
    for (status, body) in [
        (400, r#"{"title":"Bad","errors":{"query":["missing"]}}"#),
        (404, ""),
        (401, r#"{"errors":[{"message":"x"}]}"#),
    ] {
        let server = Server::always(Reply::json(status, body)).await;
        let error = query(&server).await.unwrap_err();
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert_eq!(error.code(), "status");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_a_decode_error() {
    for body in ["", "null", "[]", "{}", "<html>", r#"{"data":1}"#, r#"{"data":null}"#, r#"{"data":{"a":1}"#] {
        let server = Server::always(Reply::json(200, body)).await;
        let error = platform(&server)
            .graphql()
            .query::<std::collections::BTreeMap<String, u8>, _>("{ a }", ())
            .await
            .unwrap_err();
        assert!(error.is_decode(), "{body}: {error:?}");
    }
    let server = Server::always(Reply::json(200, r#"{"data":null,"errors":"odd"}"#)).await;
    assert_eq!(query(&server).await.unwrap_err().graphql_errors().len(), 1);
}

#[tokio::test]
async fn queries_are_repeated_and_mutations_are_not() {
    for (document, expected) in [("{ a }", 2), ("mutation { a }", 1)] {
        let count = AtomicU32::new(0);
        let server = Server::start(move |_| match count.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::new(503, &[("retry-after", "0")], ""),
            _ => Reply::json(200, r#"{"data":{}}"#),
        })
        .await;
        let outcome = platform(&server).graphql().query::<Value, _>(document, ()).await;
        assert_eq!(server.requests().len(), expected, "{document}");
        assert_eq!(outcome.is_ok(), expected == 2);
    }
}

#[tokio::test]
async fn variables_that_are_no_object_are_refused_before_sending() {
    let server = Server::always(Reply::json(200, r#"{"data":{}}"#)).await;
    for variables in [json!(1), json!("x"), json!([1]), json!([["a", 1, 2]])] {
        let error = platform(&server).graphql().query::<Value, _>("{ a }", variables).await.unwrap_err();
        assert!(error.is_request());
    }
    assert!(server.requests().is_empty());
    platform(&server).graphql().query::<Value, _>("{ a }", [("id", "1"), ("name", "x")]).await.unwrap();
    assert_eq!(server.last().text(), r#"{"query":"{ a }","variables":{"id":"1","name":"x"}}"#);
}

#[tokio::test]
async fn redirects_are_not_followed_and_a_repeated_token_is_blanked_out() {
    let other = Server::always(Reply::json(200, r#"{"data":{}}"#)).await;
    let location = format!("{}/graphql", other.url);
    for status in [302, 307, 308] {
        let server = Server::always(Reply::new(status, &[("location", &location)], "")).await;
        assert_eq!(query(&server).await.unwrap_err().status().unwrap().as_u16(), status);
    }
    assert!(other.requests().is_empty());
    for (status, body) in [
        (200, r#"{"errors":[{"message":"bad canary-token","extensions":{"t":"canary-token"}}]}"#),
        (400, r#"{"errors":[{"message":"bad canary-token"}]}"#),
    ] {
        let server = Server::always(Reply::json(status, body)).await;
        let error = query(&server).await.unwrap_err();
        let printed = format!("{error} {error:?} {:?} {:?}", error.graphql_errors(), error.raw_body());
        assert!(!printed.contains("canary"), "{printed}");
    }
}

#[tokio::test]
async fn numbers_in_variables_and_answers_keep_their_digits() {
    const DIGITS: &str = "12345678901234567890.12340";
    let server = Server::always(Reply::json(200, &format!(r#"{{"data":{{"a":{DIGITS}}}}}"#))).await;
    let number = Decimal::new(DIGITS).unwrap();
    let variables = std::collections::BTreeMap::from([("a", vec![number.clone()])]);
    let graphql = platform(&server);
    let answer =
        graphql.graphql().query::<std::collections::BTreeMap<String, Decimal>, _>("query A { a }", variables).await;
    assert_eq!(answer.unwrap().data().unwrap()["a"], number);
    let body = server.last().text();
    assert!(body.ends_with(&format!(r#""variables":{{"a":[{DIGITS}]}}}}"#)), "{body}");
    // A list of pairs is an object, with the same digits.
    graphql.graphql().query::<Value, _>("query A { a }", [("a", number)]).await.unwrap();
    assert!(server.last().text().ends_with(&format!(r#""variables":{{"a":{DIGITS}}}}}"#)));
}

#[tokio::test]
async fn an_answer_of_another_content_type_is_named() {
    for (kind, body, words) in [
        ("multipart/mixed; boundary=\"-\"", "---\r\n", ["`multipart/mixed`", "@defer"]),
        ("text/html", "<html>", ["`text/html`", "path"]),
    ] {
        let server = Server::always(Reply::new(200, &[("content-type", kind)], body)).await;
        let error = query(&server).await.unwrap_err();
        let text = error.to_string();
        assert!(error.is_decode() && words.iter().all(|word| text.contains(word)), "{text}");
        assert!(!text.contains("regenerate"), "{text}");
    }
    // A less specific media type is accepted.
    let server = Server::always(Reply::new(200, &[("content-type", "text/plain")], r#" {"data":{"a":1}}"#)).await;
    query(&server).await.unwrap();
}

#[tokio::test]
async fn data_that_breaks_the_schema_says_who_is_at_fault() {
    type Numbers = std::collections::BTreeMap<String, u8>;
    const TYPED: Document<(), Numbers> = Document::new("query A { a }");
    let server = Server::always(Reply::json(200, r#"{"data":{"a":"x"}}"#)).await;
    let client = platform(&server);
    let of_schema = client.graphql().query(&TYPED, ()).await.unwrap_err().to_string();
    assert!(of_schema.contains("the service is at fault") && of_schema.contains("[scalars]"), "{of_schema}");
    let of_caller = client.graphql().query::<Numbers, _>("{ a }", ()).await.unwrap_err().to_string();
    assert!(of_caller.contains("the type that the program asked for"), "{of_caller}");
    // A body that is not even JSON.
    let server = Server::always(Reply::json(200, r#"{"data":[1,}"#)).await;
    let of_service = query(&server).await.unwrap_err().to_string();
    assert!(of_service.contains("the service is at fault"), "{of_service}");
    for text in [of_schema, of_caller, of_service] {
        assert!(!text.contains("regenerate"), "nothing is the same again: {text}");
    }
}

#[tokio::test]
async fn a_persisted_query_is_asked_for_by_its_hash() {
    // It is unknown at first; then the service knows it; another service supports no hashes.
    let known = AtomicU32::new(0);
    let server = Server::start(move |request| {
        let body: Value = serde_json::from_str(&request.text()).unwrap();
        let hash = body["extensions"]["persistedQuery"]["sha256Hash"].as_str().unwrap_or_default().to_owned();
        if !hash.is_empty() && body.get("query").is_some() {
            known.store(1, Ordering::SeqCst);
        }
        match known.load(Ordering::SeqCst) {
            0 => Reply::json(200, r#"{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}"#),
            _ => Reply::json(200, r#"{"data":{"a":1}}"#),
        }
    })
    .await;
    let options = || GraphqlOptions::new().persisted_queries(true);
    let client = Client::builder(&server.url).graphql(options()).build().unwrap();
    for _ in 0..2 {
        client.graphql().query::<Value, _>("query A { a }", ()).await.unwrap();
    }
    let bodies: Vec<Value> =
        server.requests().iter().map(|request| serde_json::from_str(&request.text()).unwrap()).collect();
    let texts: Vec<bool> = bodies.iter().map(|body| body.get("query").is_some()).collect();
    assert_eq!(texts, [false, true, false]);
    let sent = bodies[0]["extensions"]["persistedQuery"]["sha256Hash"].as_str().unwrap();
    let expected = ring::digest::digest(&ring::digest::SHA256, b"query A { a }");
    assert_eq!(sent, expected.as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<String>());

    let server = Server::start(|request| match request.text().contains("sha256Hash") {
        true => Reply::json(400, r#"{"errors":[{"message":"PersistedQueryNotSupported"}]}"#),
        false => Reply::json(200, r#"{"data":{"a":1}}"#),
    })
    .await;
    let client = Client::builder(&server.url).graphql(options()).build().unwrap();
    for _ in 0..3 {
        client.graphql().query::<Value, _>("query A { a }", ()).await.unwrap();
    }
    let by_hash: Vec<bool> = server.requests().iter().map(|request| request.text().contains("sha256Hash")).collect();
    assert_eq!(by_hash, [true, false, false, false], "a refusal is remembered");

    // A service that keeps no hashes gets the text with the hash, once it has shown that.
    let server = Server::start(|request| match request.text().contains("\"query\"") {
        true => Reply::json(200, r#"{"data":{"a":1}}"#),
        false => Reply::json(200, r#"{"errors":[{"message":"PersistedQueryNotFound"}]}"#),
    })
    .await;
    let client = Client::builder(&server.url).graphql(options()).build().unwrap();
    for _ in 0..4 {
        client.graphql().query::<Value, _>("query A { a }", ()).await.unwrap();
    }
    let texts: Vec<bool> = server.requests().iter().map(|request| request.text().contains("\"query\"")).collect();
    assert_eq!(texts, [false, true, false, true, true, true]);
}

#[tokio::test]
async fn a_query_goes_by_get_where_that_is_wanted_and_a_mutation_never() {
    let server = Server::always(Reply::json(200, r#"{"data":{"a":1}}"#)).await;
    let options = GraphqlOptions::new().queries_by_get(true);
    let client = Client::builder(&server.url).graphql(options).build().unwrap();
    client.graphql().query::<Value, _>("query A($b: [Int]) { a }", json!({ "b": [1] })).await.unwrap();
    let request = server.last();
    assert_eq!((request.method.as_str(), request.path()), ("GET", "/graphql"));
    let query: Vec<(String, String)> = url_pairs(request.query());
    let expected = [("query", "query A($b: [Int]) { a }"), ("operationName", "A"), ("variables", r#"{"b":[1]}"#)];
    assert_eq!(query, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert!(request.body.is_empty() && request.header("content-type").is_none());
    client.graphql().query::<Value, _>("mutation A { a }", ()).await.unwrap();
    assert_eq!(server.last().method, "POST");
}

fn url_pairs(query: &str) -> Vec<(String, String)> {
    let decode = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            match byte {
                b'%' => {
                    let pair = [rest.next().unwrap(), rest.next().unwrap()];
                    bytes.push(u8::from_str_radix(std::str::from_utf8(&pair).unwrap(), 16).unwrap());
                }
                byte => bytes.push(byte),
            }
        }
        String::from_utf8(bytes).unwrap()
    };
    query.split('&').map(|pair| pair.split_once('=').unwrap()).map(|(a, b)| (decode(a), decode(b))).collect()
}

#[tokio::test]
async fn files_are_sent_beside_the_variables() {
    #[derive(serde::Serialize)]
    struct Variables {
        name: &'static str,
        files: Vec<Option<File>>,
    }
    let server = Server::always(Reply::json(200, r#"{"data":{"a":1}}"#)).await;
    let file = |text: &'static str| Some(File::from(Upload::bytes(text).file_name("a.txt")));
    let variables = Variables { name: "\u{0}x", files: vec![file("one"), None, file("two")] };
    platform(&server).graphql().query::<Value, _>("mutation A($f: [Upload]) { a }", variables).await.unwrap();
    let request = server.last();
    assert!(request.header("content-type").unwrap().starts_with("multipart/form-data; boundary="));
    assert_eq!(request.header("graphql-require-preflight"), Some("1"));
    let body = request.text();
    let places = [
        r#""variables":{"name":"\u0000x","files":[null,null,null]}"#,
        r#"{"0":["variables.files.0"],"1":["variables.files.2"]}"#,
        "name=\"0\"; filename=\"a.txt\"",
        "one",
        "name=\"1\"; filename=\"a.txt\"",
        "two",
    ];
    let mut at = 0;
    for place in places {
        at += body[at..].find(place).unwrap_or_else(|| panic!("{place} after {at} in {body}"));
    }
    // Outside of a document it is null, and it is never read.
    assert_eq!(serde_json::to_string(&file("x")).unwrap(), "null");
    assert!(serde_json::from_str::<File>("null").is_err());
    let variables = Variables { name: "", files: vec![file("x")] };
    let mut changes = platform(&server).graphql().subscribe::<Value, _>("subscription A { a }", variables);
    let error = changes.next().await.unwrap().unwrap_err();
    assert!(error.to_string().contains("cannot send files"), "{error}");
}

#[tokio::test]
async fn an_answer_in_another_shape_is_an_error_that_names_it() {
    #[derive(Debug, serde::Deserialize)]
    struct Lenient {
        #[expect(dead_code, reason = "what a list would leave out")]
        a: Option<u8>,
    }
    for (body, says) in [
        (r#"[{"data":{"a":1}}]"#, "is a list"),
        (" [null,null]", "is a list"),
        ("[]", "is a list"),
        ("{}", "neither data nor errors"),
        (r#"{"extensions":{},"errors":null}"#, "neither data nor errors"),
    ] {
        let server = Server::always(Reply::json(200, body)).await;
        let error = platform(&server).graphql().query::<Lenient, _>("{ a }", ()).await.unwrap_err();
        assert!(error.is_decode() && error.to_string().contains(says), "{body}: {error}");
    }
}

#[tokio::test]
async fn the_errors_of_a_refusal_of_the_caller_are_shown() {
    for status in [401, 403, 429] {
        let body =
            r#"{"errors":[{"message":"signature canary-token","extensions":{"code":"EXPIRED"}},{"message":"b"}]}"#;
        let server = Server::always(Reply::json(status, body)).await;
        let error = query(&server).await.unwrap_err();
        assert_eq!((error.code(), error.status().unwrap().as_u16()), ("status", status));
        assert_eq!(error.graphql_errors().len(), 2, "{error:?}");
        assert_eq!(error.graphql_errors()[0].code(), Some("EXPIRED"));
        let text = format!("{error} {error:?}");
        assert!(text.contains("signature ") && text.contains("and 1 more") && !text.contains("canary"), "{text}");
    }
}

#[tokio::test]
async fn a_partial_answer_and_the_limit_of_a_body_say_what_to_do() {
    let body = r#"{"data":{"a":1,"b":null},"errors":[{"message":"no b"}]}"#;
    let server = Server::always(Reply::json(200, body)).await;
    let partial = platform(&server).graphql().query::<Value, _>("{ a b }", ()).await.unwrap();
    let text = partial.into_data().unwrap_err().to_string();
    assert!(text.contains("partial") && text.contains("no b") && text.contains("`data`"), "{text}");
    assert!(!text.contains("did not execute"), "{text}");

    let client = Client::builder(&server.url).body_limit(8).build().unwrap();
    let error = client.graphql().query::<Value, _>("{ a b }", ()).await.unwrap_err();
    let text = error.to_string();
    assert!(error.is_too_large() && text.contains("8 bytes") && text.contains("`body_limit`"), "{text}");
    assert!(text.contains("select less") && !text.contains("streaming form"), "{text}");
}
