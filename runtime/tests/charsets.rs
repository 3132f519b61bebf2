//! Every reader of a body reads it in the charset of the response.

use std::{fs, path::Path, pin::Pin};

use driftless_runtime::{
    Call, Client, Error, Method, Object, Value,
    auth::ClientCredentials,
    codegen::prelude::{NextPage, Operation, Paging, Payload, decode},
};

use crate::support::{Reply, Server, WATCHDOG};

static OPERATION: Operation = Operation { name: "get_x", path: "/x", ..Operation::family("things") };
static STREAM: Operation = Operation { name: "stream_x", path: "/x", stream: true, ..Operation::family("things") };

type Read<'a> = Pin<Box<dyn Future<Output = Result<String, Error>> + 'a>>;

/// A way to read a body: its file, the status and media type of the body, the body, and the function that reads `ü` from it.
struct Reader {
    file: &'static str,
    status: u16,
    media_type: &'static str,
    body: &'static str,
    read: for<'a> fn(&'a Client) -> Read<'a>,
}

const fn reader(
    file: &'static str,
    status: u16,
    media_type: &'static str,
    body: &'static str,
    read: for<'a> fn(&'a Client) -> Read<'a>,
) -> Reader {
    Reader { file, status, media_type, body, read }
}

const JSON: &str = "application/json";

fn call<T>(client: &Client, decode: fn(driftless_runtime::codegen::Raw) -> Result<T, Error>) -> Call<'_, T> {
    Call::new(client, &OPERATION, &[], Payload::None, decode).deadline(WATCHDOG)
}

fn first(list: Vec<String>) -> String {
    list.concat()
}

const READERS: &[Reader] = &[
    reader("protocol/raw.rs", 200, JSON, r#"["ü"]"#, |client| {
        Box::pin(async move { call(client, decode::json).await.map(first) })
    }),
    reader("protocol/raw.rs", 200, "text/plain", "ü", |client| {
        Box::pin(async move { call(client, decode::text).await })
    }),
    reader("client/items.rs", 200, JSON, r#"["ü"]"#, |client| {
        let paging = Paging::new("", NextPage::Link);
        Box::pin(async move { call(client, decode::json::<Value>).items(paging).collect().await.map(first) })
    }),
    reader("transport/stream.rs", 200, "text/plain", "ü", |client| {
        let stream = Call::new(client, &STREAM, &[], Payload::None, decode::stream).deadline(WATCHDOG);
        Box::pin(async move { stream.await?.text().await })
    }),
    reader("transport/stream.rs", 200, "text/plain", "ü", |client| {
        Box::pin(async move { call(client, decode::stream).await?.text().await })
    }),
    reader("error/problem.rs", 400, "application/problem+json", r#"{"title":"ü"}"#, |client| {
        Box::pin(async move {
            let error = call(client, decode::empty).await.unwrap_err();
            error.problem().and_then(|problem| problem.title.clone()).ok_or(error)
        })
    }),
    reader("error/mod.rs", 400, JSON, r#"{"a":"ü"}"#, |client| {
        Box::pin(async move {
            let body: Object = call(client, decode::empty).await.unwrap_err().body_as()?;
            Ok(body["a"].as_str().unwrap().to_owned())
        })
    }),
    reader("transport/mod.rs", 400, JSON, r#"{"error":"x","error_description":"ü"}"#, |client| {
        Box::pin(async move {
            let credential = ClientCredentials::new(client.base_url(), "client", Secret);
            let credential = credential.token_endpoint(client.base_url());
            let client = Client::builder(client.base_url()).credential(credential).no_retry().build()?;
            let error = client.request(Method::Get, "/x").send().await.unwrap_err().to_string();
            Ok(error.chars().filter(|char| !char.is_ascii()).collect())
        })
    }),
    #[cfg(feature = "xml")]
    reader("protocol/decode.rs", 200, "application/xml", "<?xml version='1.0'?><a>ü</a>", |client| {
        use driftless_runtime::codegen::xml;
        static ROOT: xml::Root = xml::Root { name: xml::Name::plain("a"), shape: &xml::Shape::Text };
        Box::pin(async move { call(client, |raw| decode::xml(raw, &ROOT)).await })
    }),
    #[cfg(feature = "graphql")]
    reader("graphql/query.rs", 200, JSON, r#"{"data":{"a":"ü"}}"#, |client| {
        Box::pin(async move {
            let answer = client.graphql().query::<Value, _>("{ a }", ()).await?;
            Ok(answer.data().unwrap()["a"].as_str().unwrap().to_owned())
        })
    }),
    #[cfg(feature = "graphql")]
    reader("graphql/query.rs", 400, JSON, r#"{"errors":[{"message":"ü"}]}"#, graphql_error),
    #[cfg(feature = "graphql")]
    reader("error/graphql.rs", 401, JSON, r#"{"errors":[{"message":"ü"}]}"#, graphql_error),
    #[cfg(feature = "operations")]
    reader("operations/submit.rs", 202, JSON, r#"{"result":{"id":"ü"}}"#, |client| {
        Box::pin(async move {
            let operations = client.operations().with_binding(&crate::support_operations::THING);
            let request = client.request(Method::Post, "/rooms/1/things").deadline(WATCHDOG);
            let operation = request.submit(&operations, "thing", None).await?;
            assert_eq!(operation.accepted::<Value>()?["result"]["id"], Value::from("ü"));
            Ok(operation.reference().id().to_owned())
        })
    }),
];

#[cfg(feature = "graphql")]
fn graphql_error(client: &Client) -> Read<'_> {
    Box::pin(async move {
        let error = client.graphql().query::<Value, _>("{ a }", ()).await.unwrap_err();
        Ok(error.graphql_errors().iter().map(|error| error.message()).collect())
    })
}

/// Files that read JSON or UTF-8 which is no body in a charset of its own.
const OTHERS: &[(&str, &str)] = &[
    ("auth/authorization_code.rs", "addresses"),
    ("auth/claims.rs", "a part of a token (RFC 7519 §3: UTF-8)"),
    ("auth/command.rs", "the output of a program"),
    ("auth/device_code.rs", "a reply of `transport/mod.rs`"),
    ("auth/discovery.rs", "a reply of `transport/mod.rs`"),
    ("auth/echo.rs", "texts"),
    ("auth/grant.rs", "a reply of `transport/mod.rs`"),
    ("auth/key.rs", "a header"),
    ("auth/loopback.rs", "the head of a request"),
    ("auth/secret_file.rs", "a file"),
    ("client/identity.rs", "a header"),
    ("client/refused.rs", "a header"),
    ("error/display.rs", "blanks out a secret before anything is decoded"),
    ("graphql/answer.rs", "a body of `graphql/query.rs`, or a message, which is UTF-8 (RFC 6455 §5.6)"),
    ("graphql/connect.rs", "a header"),
    ("graphql/file.rs", "what is sent"),
    ("graphql/items.rs", "a part of a body of `graphql/query.rs`"),
    ("json/charset.rs", "the charset itself"),
    ("json/lenient.rs", "a part of what another file reads"),
    ("operations/accepted.rs", "a body of `operations/submit.rs`"),
    ("operations/contents.rs", "what is sent"),
    ("operations/operation.rs", "a body of `operations/submit.rs`"),
    ("operations/row.rs", "a store"),
    ("operations/sqlite/rows.rs", "a store"),
    ("protocol/argument.rs", "what is sent"),
    ("protocol/blank.rs", "what a test makes"),
    ("protocol/events.rs", "server-sent events are UTF-8 with replacement (HTML standard, 9.2.6)"),
    ("protocol/headers.rs", "headers"),
    ("protocol/member.rs", "what is sent"),
    ("protocol/prepare.rs", "what is sent"),
    ("protocol/union.rs", "a part of what was read"),
    ("testing/call.rs", "what is sent"),
    ("value/typed.rs", "a value"),
];

struct Secret;

impl driftless_runtime::auth::SecretSource for Secret {
    fn read(&self) -> Result<driftless_runtime::auth::SecretString, Error> {
        Ok("a-long-secret".to_owned().into())
    }
}

fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|char| u8::try_from(u32::from(char)).unwrap()).collect()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

async fn read(reader: &Reader, charset: &str, body: &[u8]) -> Result<String, Error> {
    let media_type = format!("{}{charset}", reader.media_type);
    let server = Server::always(Reply::new(reader.status, &[("content-type", &media_type)], body)).await;
    let client = Client::builder(&server.url).no_retry().build()?;
    (reader.read)(&client).await
}

#[tokio::test]
async fn every_reader_reads_a_body_in_its_charset() {
    for reader in READERS {
        let Reader { file, media_type, body, .. } = reader;
        let is_json = media_type.ends_with("json");
        for (charset, bytes) in [
            ("", body.as_bytes().to_vec()),
            ("; charset=iso-8859-1", latin(body)),
            ("; x=1; Charset=\"windows-1252\"", latin(body)),
            ("; charset=utf-16le", utf16(body)),
            ("; charset=iso-8859-1", utf16(&format!("\u{feff}{body}"))),
        ] {
            let text = read(reader, charset, &bytes).await;
            assert_eq!(text.as_deref().ok(), Some("ü"), "{file}: {media_type}{charset}: {text:?}");
        }
        // RFC 8259 §8.1: JSON is UTF-8, and §11: its media type has no charset.
        for label in ["utf8mb4", "binary", "cp65001", "iso-8859-1"] {
            let text = read(reader, &format!("; charset={label}"), body.as_bytes()).await;
            match (is_json, label) {
                (true, _) => assert_eq!(text.as_deref().ok(), Some("ü"), "{file}: {label}: {text:?}"),
                (false, "iso-8859-1") => assert_eq!(text.as_deref().ok(), Some("Ã¼"), "{file}"),
                (false, _) => assert!(text.unwrap_err().is_decode(), "{file}: {label}"),
            }
        }
        // Nothing is replaced without an error: bytes that are no text are not decoded.
        for charset in ["", "; charset=utf-8", "; charset=klingon"] {
            let text = read(reader, charset, &latin(body)).await;
            assert!(!text.is_ok_and(|text| text.contains(['ü', '\u{fffd}'])), "{file}: {charset}");
        }
    }
}

/// A new reader is in the table, or says why it is none.
#[test]
fn the_table_names_every_reader() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source.clone()];
    let mut readers = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
            } else if !name.contains("tests") {
                let text = fs::read_to_string(&path).unwrap();
                let product = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
                let reads = ["from_utf8", "_json::from_slice", "lenient::from_slice(", "charset::"];
                if reads.iter().any(|read| product.contains(read)) {
                    readers.push(name);
                }
            }
        }
    }
    let named =
        |name: &str| READERS.iter().any(|reader| reader.file == name) || OTHERS.iter().any(|(file, _)| *file == name);
    readers.retain(|name| !named(name));
    if cfg!(all(feature = "graphql", feature = "operations", feature = "xml")) {
        assert!(readers.is_empty(), "in neither table: {readers:?}");
    }
}

/// A token that a service repeats in a charset of its own is blanked out of what can be read.
#[tokio::test]
async fn a_token_is_blanked_out_in_every_charset() {
    let body = r#"{"title":"ü canary-token"}"#;
    for (charset, bytes) in [
        ("utf-8", body.as_bytes().to_vec()),
        ("iso-8859-1", latin(body)),
        ("utf-16le", utf16(body)),
        ("", utf16(&format!("\u{feff}{body}"))),
    ] {
        let kind = format!("application/problem+json; charset={charset}");
        let server = Server::always(Reply::new(400, &[("content-type", &kind)], bytes)).await;
        let credential = driftless_runtime::auth::StaticToken::new("canary-token");
        let client = Client::builder(&server.url).credential(credential).build().unwrap();
        let error = client.request(Method::Get, "/x").send().await.unwrap_err();
        let title = error.problem().and_then(|problem| problem.title.as_deref());
        assert_eq!(title, Some("ü [redacted]"), "{charset}");
        let raw: String = error.raw_body().iter().filter(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
        assert!(!raw.contains("canary"), "{charset}: {raw}");
    }
}

/// An empty body has no charset.
#[tokio::test]
async fn an_empty_body_is_empty_in_every_charset() {
    for charset in ["utf8mb4", "binary", "utf-16", "klingon"] {
        let kind = format!("application/json; charset={charset}");
        let server = Server::always(Reply::new(200, &[("content-type", &kind)], "")).await;
        let client = Client::builder(&server.url).build().unwrap();
        assert_eq!(call(&client, decode::json::<Option<i32>>).await.unwrap(), None, "{charset}");
        assert_eq!(call(&client, decode::optional_json::<i32>).await.unwrap(), None, "{charset}");
    }
}
