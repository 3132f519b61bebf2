use std::time::Duration;

use super::support::{Reply, Server, WATCHDOG, limits};
use crate::Client;
use crate::codegen::prelude::*;

const FAMILY: Operation = Operation { name: "probe", path: "/x", ..Operation::family("test") };
static PLAIN: Operation = FAMILY;
static STREAM: Operation = Operation { stream: true, accept: "application/octet-stream", ..FAMILY };
static EVENTS: Operation = Operation { accept: "text/event-stream", ..FAMILY };

async fn get<T: 'static>(
    reply: Reply,
    operation: &'static Operation,
    decode: fn(Raw) -> Result<T, Error>,
) -> Result<T, Error> {
    within(WATCHDOG, reply, operation, decode).await
}

/// The same, with an idle timeout.
async fn within<T: 'static>(
    patience: Duration,
    reply: Reply,
    operation: &'static Operation,
    decode: fn(Raw) -> Result<T, Error>,
) -> Result<T, Error> {
    let server = Server::always(reply).await;
    let platform = Client::builder(&server.url).idle_timeout(patience).no_retry().build()?;
    platform.call(operation, &[], Payload::None, decode).deadline(WATCHDOG).await
}

#[tokio::test]
async fn whole_bodies() {
    assert_eq!(get(Reply::json(200, "[1,2]"), &PLAIN, decode::json::<Vec<i32>>).await.unwrap(), [1, 2]);
    assert_eq!(get(Reply::json(200, "5"), &PLAIN, decode::optional_json::<i32>).await.unwrap(), Some(5));
    assert_eq!(get(Reply::json(200, " \n"), &PLAIN, decode::optional_json::<i32>).await.unwrap(), None);
    assert_eq!(get(Reply::json(200, "null"), &PLAIN, decode::optional_json::<i32>).await.unwrap(), None);
    assert_eq!(get(Reply::new(204, &[], ""), &PLAIN, decode::optional_json::<i32>).await.unwrap(), None);
    get(Reply::json(200, "not json"), &PLAIN, decode::empty).await.unwrap();
    assert_eq!(get(Reply::new(200, &[], "\u{feff}hé"), &PLAIN, decode::text).await.unwrap(), "hé");
    assert_eq!(get(Reply::new(200, &[], [0, 159]), &PLAIN, decode::bytes).await.unwrap().as_ref(), [0, 159]);
}

/// Every charset of a few alphabets, as parameter in several spellings and as byte-order mark, decodes to its text.
#[tokio::test]
async fn text_is_read_in_the_charset_that_the_response_says() {
    let utf16 = |little: bool, text: &str, mark: bool| -> Vec<u8> {
        let mark = mark.then_some(0xfeff);
        let units = mark.into_iter().chain(text.encode_utf16());
        units.flat_map(|unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    let text = "[\"héß\"]";
    let latin: Vec<u8> = text.chars().map(|char| u8::try_from(u32::from(char)).unwrap()).collect();
    let cases: [(&str, Vec<u8>); 9] = [
        ("application/json", text.into()),
        ("application/json", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("application/json; charset=utf-8", text.into()),
        ("application/json; charset=ISO-8859-1", latin.clone()),
        ("application/json; x=1; Charset=\"iso-8859-1\"", latin.clone()),
        ("application/json; charset=utf-16le", utf16(true, text, false)),
        ("application/json; charset=utf-16be", utf16(false, text, false)),
        ("application/json", utf16(true, text, true)),
        // The mark is closer to the bytes than a proxy's header.
        ("application/json; charset=iso-8859-1", utf16(false, text, true)),
    ];
    for (kind, body) in cases {
        let reply = Reply::new(200, &[("content-type", kind)], &body);
        assert_eq!(get(reply, &PLAIN, decode::json::<Vec<String>>).await.unwrap(), ["héß"], "{kind}");
        let reply = Reply::new(200, &[("content-type", &kind.replace("application/json", "text/plain"))], &body);
        assert_eq!(get(reply, &PLAIN, decode::text).await.unwrap(), text, "{kind}");
    }
    for (kind, says) in [("text/plain", "UTF-8"), ("text/plain; charset=klingon\u{b}", "klingon")] {
        let reply = Reply::new(200, &[("content-type", &kind.replace('\u{b}', ""))], &latin);
        let error = get(reply, &PLAIN, decode::text).await.unwrap_err();
        assert!(
            error.is_decode() && error.to_string().contains(says) && error.to_string().contains("bytes"),
            "{error}"
        );
        assert_eq!(error.raw_body(), latin.as_slice());
    }
}

#[tokio::test]
async fn an_empty_body_is_said_to_be_empty_where_its_type_needs_one() {
    for status in [204, 205] {
        let read = get(Reply::new(status, &[], ""), &PLAIN, decode::optional_json::<i32>).await.unwrap();
        assert_eq!(read, None, "{status}");
    }
    assert_eq!(get(Reply::json(200, " \n"), &PLAIN, decode::json::<Option<i32>>).await.unwrap(), None);
    let error = get(Reply::json(200, ""), &PLAIN, decode::json::<i32>).await.unwrap_err();
    assert!(error.is_decode() && error.to_string().contains("the response is empty"), "{error}");
}

#[tokio::test]
async fn an_integer_may_come_with_a_fraction_of_zero_or_an_exponent() {
    let text = r#"[1.0,1e3,9007199254740993.0,-9.223372036854775808e18]"#;
    let read = get(Reply::json(200, text), &PLAIN, decode::json::<Vec<i64>>).await.unwrap();
    assert_eq!(read, [1, 1000, 9_007_199_254_740_993, i64::MIN]);
    let error = get(Reply::json(200, "[4503599627370497.2]"), &PLAIN, decode::json::<Vec<i64>>).await.unwrap_err();
    assert!(error.is_decode(), "a fraction that a float cannot hold is one all the same");
    let read = get(Reply::json(200, "[0.5,2.0]"), &PLAIN, decode::json::<Vec<f64>>).await.unwrap();
    assert_eq!(read, [0.5, 2.0]);
    let mixed = r#"{"good":1.0,"bad":1.5}"#;
    let error = get(Reply::json(200, mixed), &PLAIN, decode::json::<super::types::Whole>).await.unwrap_err();
    // The error names the wrong member, and not one that is merely written in another way.
    assert!(error.to_string().contains("field `bad` of `Whole`"), "{error}");
    let error = get(Reply::json(200, r#"{"good":1.0,"bad":1e19}"#), &PLAIN, decode::json::<super::types::Whole>);
    assert!(error.await.unwrap_err().to_string().contains("field `bad`"));
    let either = get(Reply::json(200, "1e2"), &PLAIN, decode::json::<super::types::NumberOrText>).await.unwrap();
    assert_eq!(either, super::types::NumberOrText::Integer(100));
}

#[tokio::test]
async fn a_body_that_does_not_decode_says_where_and_not_what() {
    let error =
        get(Reply::json(200, r#"{"a":"canary"}"#), &PLAIN, decode::json::<std::collections::HashMap<String, i32>>)
            .await
            .unwrap_err();
    assert!(error.is_decode());
    assert_eq!(error.status().unwrap().as_u16(), 200);
    assert_eq!(error.raw_body(), br#"{"a":"canary"}"#);
    let printed = format!("{error} {error:?}");
    assert!(printed.contains("line 1 column") && !printed.contains("canary"), "{printed}");
    let page = Reply::new(200, &[("content-type", "text/html")], "<html>");
    let error = get(page, &PLAIN, decode::json::<i32>).await.unwrap_err();
    assert!(error.to_string().contains("text/html"), "{error}");
}

#[derive(Debug, PartialEq)]
enum Answer {
    Ok(i32),
    Created(String),
    NoContent,
    Partial(Bytes),
}
responses!(Answer { 200 => Ok(json), 201 => Created(text), 204 => NoContent, 206..=299 => Partial(bytes) });

#[derive(Debug, PartialEq)]
enum Open {
    Accepted,
    Other(Value),
}
responses!(Open { 202 => Accepted, default => Other(json) });

#[tokio::test]
async fn several_statuses() {
    assert_eq!(get(Reply::json(200, "1"), &PLAIN, Answer::decode).await.unwrap(), Answer::Ok(1));
    assert_eq!(
        get(Reply::new(201, &[], "made"), &PLAIN, Answer::decode).await.unwrap(),
        Answer::Created("made".to_owned())
    );
    assert_eq!(get(Reply::new(204, &[], ""), &PLAIN, Answer::decode).await.unwrap(), Answer::NoContent);
    assert_eq!(
        get(Reply::new(226, &[], "x"), &PLAIN, Answer::decode).await.unwrap(),
        Answer::Partial(Bytes::from("x"))
    );
    let error = get(Reply::new(203, &[], "x"), &PLAIN, Answer::decode).await.unwrap_err();
    assert!(error.is_decode() && error.to_string().contains("203"), "{error}");
    assert_eq!(get(Reply::new(202, &[], ""), &PLAIN, Open::decode).await.unwrap(), Open::Accepted);
    assert_eq!(get(Reply::json(200, "{}"), &PLAIN, Open::decode).await.unwrap(), Open::Other(Object::new().into()));
}

#[derive(Debug)]
enum Download {
    File(ByteStream),
    Later(Value),
    NoContent,
}
responses!(Download { 200 => File(stream), 202 => Later(json), 204 => NoContent });

#[tokio::test]
async fn a_stream_beside_json() {
    static OPERATION: Operation = Operation { stream: true, accept: "image/png, application/json", ..FAMILY };
    let picture = Reply::new(200, &[("content-type", "image/png")], "png");
    let Download::File(body) = get(picture, &OPERATION, Download::decode).await.unwrap() else { panic!("no file") };
    assert_eq!(body.bytes().await.unwrap(), "png");
    let later = get(Reply::json(202, "{\"id\":1}"), &OPERATION, Download::decode).await.unwrap();
    assert!(matches!(later, Download::Later(value) if value == serde_json::json!({"id": 1})));
    let none = get(Reply::new(204, &[], ""), &OPERATION, Download::decode).await.unwrap();
    assert!(matches!(none, Download::NoContent));
}

#[tokio::test]
async fn status_and_headers_come_along() {
    let server = Server::always(Reply::new(200, &[("etag", "\"1\"")], "5")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    let response = platform.call(&PLAIN, &[], Payload::None, decode::json::<i32>).with_response().await.unwrap();
    assert_eq!((response.status().as_u16(), response.header("ETag"), response.value()), (200, Some("\"1\""), &5));
}

#[tokio::test]
async fn a_body_that_the_contract_does_not_declare_is_not_lost() {
    let (server, platform) = {
        let server = Server::always(Reply::new(200, &[("content-type", "text/csv")], "\"a\"")).await;
        let platform = Client::builder(&server.url).build().unwrap();
        (server, platform)
    };
    let call = || platform.call(&PLAIN, &[], Payload::None, decode::empty);
    assert_eq!(server_said(&server, call()).await, "application/json", "what the contract names, and nothing else");
    let raw = call().raw().await.unwrap();
    assert_eq!((raw.status().as_u16(), raw.header("content-type")), (200, Some("text/csv")));
    assert_eq!(raw.bytes(), "\"a\"");
    assert_eq!(call().text().await.unwrap(), "\"a\"");
    assert_eq!(call().json::<String>().await.unwrap(), "a");
    assert!(call().json::<i32>().await.unwrap_err().is_decode());
    assert_eq!(call().stream().await.unwrap().bytes().await.unwrap(), "\"a\"");
    assert_eq!(server.last().header("accept"), Some("application/json, */*;q=0.8"), "any type will do");
    // A response that streams by its contract is read whole, and its type stays first.
    let call = || platform.call(&STREAM, &[], Payload::None, decode::stream);
    assert_eq!(call().text().await.unwrap(), "\"a\"");
    assert_eq!(call().raw().with_response().await.unwrap().value().bytes(), "\"a\"");
}

async fn server_said(server: &Server, call: crate::Call<'_, ()>) -> String {
    call.await.unwrap();
    server.last().header("accept").unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_raw_body_has_the_limit_of_others() {
    let server = Server::always(Reply::new(200, &[], "12345")).await;
    let platform = Client::builder(&server.url).body_limit(4).build().unwrap();
    let call = || platform.call(&PLAIN, &[], Payload::None, decode::empty);
    assert!(call().raw().await.unwrap_err().is_too_large());
    assert!(call().text().await.unwrap_err().is_too_large());
    assert_eq!(call().stream().await.unwrap().bytes_up_to(5).await.unwrap(), "12345", "a stream has its own");
}

#[tokio::test]
async fn streams() {
    let chunked = ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "3\r\nabc\r\n", "2\r\nde\r\n", "0\r\n\r\n"];
    let mut body = get(Reply::raw(&chunked), &STREAM, decode::stream).await.unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = body.next().await {
        all.extend_from_slice(&chunk.unwrap());
    }
    assert_eq!(all, b"abcde");
    assert_eq!(get(Reply::raw(&chunked), &STREAM, decode::stream).await.unwrap().text().await.unwrap(), "abcde");
    let error = get(Reply::raw(&chunked), &STREAM, decode::stream).await.unwrap().bytes_up_to(4).await.unwrap_err();
    assert!(error.is_too_large());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    assert_eq!(get(Reply::raw(&chunked), &STREAM, decode::stream).await.unwrap().save(&file).await.unwrap(), 5);
    assert_eq!(std::fs::read(&file).unwrap(), b"abcde");
    let error = get(Reply::raw(&chunked), &STREAM, decode::stream).await.unwrap().save("/nowhere/x").await.unwrap_err();
    assert_eq!(error.code(), "file");
}

#[tokio::test]
async fn a_stream_that_stalls_or_breaks_is_an_error() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n";
    let mut stalled = None;
    for patience in limits() {
        let reply = Reply::raw(&[head, "abc"]).and_hang();
        match within(patience, reply, &STREAM, decode::stream).await {
            Ok(body) => stalled = Some(body),
            // The head was not there in time, either.
            Err(error) => assert!(error.is_timeout(), "{error}"),
        }
        if stalled.is_some() {
            break;
        }
    }
    assert!(stalled.expect("a head").bytes().await.unwrap_err().is_timeout());
    let chunked = ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "3\r\nabc\r\n", "zz\r\n"];
    let body = get(Reply::raw(&chunked), &STREAM, decode::stream).await.unwrap();
    assert_eq!(body.bytes().await.unwrap_err().code(), "transport");
}

#[tokio::test]
async fn server_sent_events() {
    let pieces = [
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
        "\u{feff}: comment\r\nid: 1\r",
        "\nevent: state\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n",
        "retry: 250\ndata\n\n",
        "data:  two\rid\r\r",
        "event: nothing\n\ndata: unfinished\n",
    ];
    let mut events = get(Reply::raw(&pieces), &EVENTS, decode::events).await.unwrap();
    let first = events.next().await.unwrap().unwrap();
    assert_eq!((first.id.as_str(), first.event.as_str(), first.data.as_str()), ("1", "state", "{\"a\":\n1}"));
    assert_eq!(first.data_as::<Value>().unwrap(), serde_json::json!({"a": 1}));
    let second = events.next().await.unwrap().unwrap();
    assert_eq!((second.event.as_str(), second.data.as_str()), ("message", ""));
    assert_eq!(second.retry, Some(Duration::from_millis(250)));
    let third = events.next().await.unwrap().unwrap();
    assert_eq!((third.id.as_str(), third.data.as_str()), ("", " two"));
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn a_body_is_bounded() {
    let announced = "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n";
    let error = get(Reply::raw(&[announced]).and_hang(), &PLAIN, decode::json::<Value>).await.unwrap_err();
    assert!(error.is_too_large(), "{error}");
    let megabyte = format!("100000\r\n{}\r\n", "x".repeat(1024 * 1024));
    let mut pieces = vec!["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"];
    pieces.extend(std::iter::repeat_n(megabyte.as_str(), 17));
    let error = get(Reply::raw(&pieces).and_hang(), &PLAIN, decode::text).await.unwrap_err();
    assert!(error.is_too_large(), "{error}");
    let long = "e".repeat(100_000);
    let error = get(Reply::json(400, &long), &PLAIN, decode::empty).await.unwrap_err();
    assert_eq!(error.raw_body().len(), 64 * 1024);
}
