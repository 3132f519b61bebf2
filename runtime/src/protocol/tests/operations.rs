use std::sync::Arc;

use serde_json::json;

use super::support::{Recorded, Reply, Server};
use crate::Client;
use crate::codegen::prelude::*;

const FAMILY: Operation = Operation { method: Post, path: "/x", ..Operation::family("test") };

#[derive(Clone, Debug, PartialEq)]
struct Filter {
    name: Option<String>,
    tags: Vec<String>,
    owner: Option<Object>,
}
record!(Filter { name: optional "name", tags: required "tags", owner: optional "owner" });

fn filter() -> Filter {
    Filter {
        name: Some("a b&c".to_owned()),
        tags: vec!["x".to_owned(), "y,z".to_owned()],
        owner: Some([("id", 1)].into_iter().collect()),
    }
}

async fn send(operation: &'static Operation, payload: Payload<'_>) -> Recorded {
    let server = Server::always(Reply::new(204, &[], "")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    platform.call::<()>(operation, &[], payload, decode::empty).await.unwrap();
    server.last()
}

#[tokio::test]
async fn json_bodies() {
    static JSON: Operation = Operation { name: "json", body: "application/merge-patch+json", ..FAMILY };
    let sent = send(&JSON, Payload::Json(&filter())).await;
    assert_eq!(sent.header("content-type"), Some("application/merge-patch+json"));
    assert_eq!(sent.header("accept"), Some("application/json"));
    assert_eq!(sent.text(), r#"{"name":"a b&c","tags":["x","y,z"],"owner":{"id":1}}"#);
    let sent = send(&FAMILY, Payload::Json(&filter())).await;
    assert_eq!(sent.header("content-type"), Some("application/json"));
    let sent = send(&FAMILY, Payload::None).await;
    assert_eq!(
        (sent.header("content-type"), sent.header("content-length"), sent.text().as_str()),
        (None, Some("0"), "")
    );
}

#[tokio::test]
async fn forms() {
    let sent = send(&FAMILY, Payload::Form(&filter())).await;
    assert_eq!(sent.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(sent.text(), "name=a+b%26c&tags=x&tags=y%2Cz&owner=%7B%22id%22%3A1%7D");
    static STYLED: Operation =
        Operation { name: "form", encoding: &[("tags", Style::FormUnexploded), ("owner", Style::Deep)], ..FAMILY };
    let sent = send(&STYLED, Payload::Form(&filter())).await;
    assert_eq!(sent.text(), "name=a+b%26c&tags=x,y%2Cz&owner%5Bid%5D=1");
    let server = Server::always(Reply::new(204, &[], "")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    let error = platform.call::<()>(&FAMILY, &[], Payload::Form(&5), decode::empty).await.unwrap_err();
    assert!(error.is_request() && server.requests().is_empty());
}

#[derive(Clone, Debug, PartialEq)]
struct UploadForm {
    file: Upload,
    files: Vec<Upload>,
    name: String,
    level: Option<i32>,
    tags: Vec<String>,
    meta: Option<Filter>,
}
multipart!(UploadForm {
    file: file "file",
    files: files "files",
    name: text "name",
    level: optional_text "level",
    tags: texts "tags",
    meta: optional_json "meta",
});

#[tokio::test]
async fn a_body_of_no_bytes_says_its_length() {
    static EVERY: [Method; 5] = [Get, Put, Post, Delete, Patch];
    for method in EVERY {
        let operation: &'static Operation = Box::leak(Box::new(Operation { method, ..FAMILY }));
        for payload in [
            Payload::Form(&json!({})),
            Payload::Text(""),
            Payload::Binary(Upload::bytes("")),
            Payload::Binary(Upload::stream(Once(None), Some(0))),
        ] {
            let case = format!("{payload:?}");
            let sent = send(operation, payload).await;
            assert_eq!(sent.header("content-length"), Some("0"), "{method:?} {case}");
            assert!(!sent.chunked && sent.body.is_empty());
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let on_disk = folder.path().join("empty");
    std::fs::write(&on_disk, "").unwrap();
    let sent = send(&FAMILY, Payload::Binary(Upload::file(&on_disk))).await;
    assert_eq!((sent.header("content-length"), sent.chunked), (Some("0"), false));
}

#[tokio::test]
async fn whole_numbers_have_no_fraction() {
    let body = json!({"a": 7.0, "b": [0.5, -2.0, 1e300, 9_007_199_254_740_992_u64], "c": 3.0_f32});
    let sent = send(&FAMILY, Payload::Json(&body)).await;
    assert_eq!(sent.text(), r#"{"a":7,"b":[0.5,-2,1e+300,9007199254740992],"c":3}"#);
    let sent = send(&FAMILY, Payload::Form(&json!({"a": 7.0}))).await;
    assert_eq!(sent.text(), "a=7");
    let sent = send(&FAMILY, Payload::Json(&(1.5_f32, 16_777_216.0_f32, Decimal::new("7.0").unwrap()))).await;
    assert_eq!(sent.text(), "[1.5,16777216,7.0]", "a decimal keeps its digits");
}

#[tokio::test]
async fn multipart_forms() {
    let folder = tempfile::tempdir().unwrap();
    let on_disk = folder.path().join("report.csv");
    std::fs::write(&on_disk, "1,2").unwrap();
    let form = UploadForm {
        file: Upload::bytes("data").file_name("a\"b;c\\d\r\nX-Evil: 1\0.txt").content_type("text/plain"),
        files: vec![Upload::file(&on_disk), Upload::bytes("two")],
        name: "ü".to_owned(),
        level: None,
        tags: vec!["x".to_owned(), "y".to_owned()],
        meta: Some(Filter { name: None, tags: Vec::new(), owner: None }),
    };
    let sent = send(&FAMILY, Payload::Multipart(form.into_parts())).await;
    let media_type = sent.header("content-type").unwrap();
    let boundary = media_type.strip_prefix("multipart/form-data; boundary=").unwrap();
    assert!(!sent.chunked, "the length is known");
    let expected = "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a%22b%3Bc%5Cd%0D%0AX-Evil: 1%00.txt\"\r\n\
        Content-Type: text/plain\r\n\r\ndata\r\n\
        --B\r\nContent-Disposition: form-data; name=\"files\"; filename=\"report.csv\"\r\n\
        Content-Type: application/octet-stream\r\n\r\n1,2\r\n\
        --B\r\nContent-Disposition: form-data; name=\"files\"; filename=\"files\"\r\n\
        Content-Type: application/octet-stream\r\n\r\ntwo\r\n\
        --B\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nü\r\n\
        --B\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\nx\r\n\
        --B\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\ny\r\n\
        --B\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"tags\":[]}\r\n\
        --B--\r\n";
    assert_eq!(sent.text(), expected.replace("--B", &format!("--{boundary}")));
}

/// RFC 2387: the first part is the root, and `type` is its media type.
#[tokio::test]
async fn a_related_body_says_the_media_type_of_its_root() {
    static RELATED: Operation = Operation { body: "multipart/related", ..FAMILY };
    type Add = fn(&mut Parts);
    let roots: [(Add, &str); 5] = [
        (|parts| parts.json("meta", json!({"a": 1})), "application/json"),
        (|parts| parts.file("file", Upload::bytes("x")), "application/octet-stream"),
        (|parts| parts.file("file", Upload::bytes("x").content_type("text/csv; charset=\"utf-8\"")), "text/csv"),
        (|parts| parts.text("note", "x"), "text/plain"),
        (
            |parts| {
                parts.json("meta", json!({"a": 1}));
                parts.encode(0, "application/vnd.meta+json", &[]);
            },
            "application/vnd.meta+json",
        ),
    ];
    for (add, expected) in roots {
        let mut parts = Parts::default();
        add(&mut parts);
        parts.file("last", Upload::bytes("y").content_type("image/png"));
        let sent = send(&RELATED, Payload::Multipart(parts)).await;
        let media_type = sent.header("content-type").unwrap();
        let start = format!("multipart/related; type=\"{expected}\"; boundary=");
        assert!(media_type.starts_with(&start), "{media_type}");
        assert!(sent.text().contains("\r\n\r\ny\r\n--"), "{}", sent.text());
    }
}

#[derive(Clone, Debug, PartialEq)]
struct EncodedForm {
    picture: Upload,
    plain: Upload,
    rows: Vec<Filter>,
    more: Option<Vec<Filter>>,
    note: String,
    tags: Vec<String>,
    ids: Option<Vec<i32>>,
    filter: Option<Filter>,
    ratio: f64,
}
multipart!(EncodedForm {
    picture: file "picture" ("image/png", ("X-Kind", "cover")),
    plain: file "plain" ("image/png"),
    rows: jsons "rows" ("application/vnd.row+json"),
    more: optional_jsons "more" ("", ("X-More", "1")),
    note: text "note" ("text/markdown"),
    tags: joined "tags",
    ids: optional_piped "ids",
    filter: optional_deep "filter",
    ratio: text "ratio",
});

#[tokio::test]
async fn multipart_forms_as_the_contract_encodes_them() {
    let row = |name: &str| Filter { name: Some(name.to_owned()), tags: Vec::new(), owner: None };
    let form = EncodedForm {
        picture: Upload::bytes("1"),
        plain: Upload::bytes("2").content_type("text/plain"),
        rows: vec![row("a"), row("b")],
        more: Some(vec![row("c")]),
        note: "n".to_owned(),
        tags: vec!["x y".to_owned(), "ü&z".to_owned()],
        ids: Some(vec![1, 2]),
        filter: Some(filter()),
        ratio: 2.0,
    };
    let sent = send(&FAMILY, Payload::Multipart(form.into_parts())).await;
    let boundary = sent.header("content-type").unwrap().split_once("boundary=").unwrap().1.to_owned();
    let expected = "--B\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"picture\"\r\n\
        Content-Type: image/png\r\nX-Kind: cover\r\n\r\n1\r\n\
        --B\r\nContent-Disposition: form-data; name=\"plain\"; filename=\"plain\"\r\n\
        Content-Type: text/plain\r\n\r\n2\r\n\
        --B\r\nContent-Disposition: form-data; name=\"rows\"\r\n\
        Content-Type: application/vnd.row+json\r\n\r\n{\"name\":\"a\",\"tags\":[]}\r\n\
        --B\r\nContent-Disposition: form-data; name=\"rows\"\r\n\
        Content-Type: application/vnd.row+json\r\n\r\n{\"name\":\"b\",\"tags\":[]}\r\n\
        --B\r\nContent-Disposition: form-data; name=\"more\"\r\n\
        Content-Type: application/json\r\nX-More: 1\r\n\r\n{\"name\":\"c\",\"tags\":[]}\r\n\
        --B\r\nContent-Disposition: form-data; name=\"note\"\r\nContent-Type: text/markdown\r\n\r\nn\r\n\
        --B\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\nx y,ü&z\r\n\
        --B\r\nContent-Disposition: form-data; name=\"ids\"\r\n\r\n1|2\r\n\
        --B\r\nContent-Disposition: form-data; name=\"filter[name]\"\r\n\r\na b&c\r\n\
        --B\r\nContent-Disposition: form-data; name=\"filter[tags]\"\r\n\r\nx\r\n\
        --B\r\nContent-Disposition: form-data; name=\"filter[tags]\"\r\n\r\ny,z\r\n\
        --B\r\nContent-Disposition: form-data; name=\"filter[owner][id]\"\r\n\r\n1\r\n\
        --B\r\nContent-Disposition: form-data; name=\"ratio\"\r\n\r\n2\r\n\
        --B--\r\n";
    assert_eq!(sent.text(), expected.replace("--B", &format!("--{boundary}")));
}

#[tokio::test]
async fn bytes_files_streams_and_text() {
    static BINARY: Operation = Operation { name: "binary", body: "application/zip", ..FAMILY };
    let sent = send(&BINARY, Payload::Binary(Upload::bytes(vec![0, 159, 146, 150]))).await;
    assert_eq!((sent.header("content-type"), sent.body.as_slice()), (Some("application/zip"), &[0, 159, 146, 150][..]));
    let sent = send(&BINARY, Payload::Binary(Upload::bytes("x").content_type("image/png"))).await;
    assert_eq!(sent.header("content-type"), Some("image/png"));

    let folder = tempfile::tempdir().unwrap();
    let large: Vec<u8> = (0..300_000_u32).map(|index| (index % 251) as u8).collect();
    let on_disk = folder.path().join("large");
    std::fs::write(&on_disk, &large).unwrap();
    let sent = send(&FAMILY, Payload::Binary(Upload::file(&on_disk))).await;
    assert_eq!(sent.header("content-type"), Some("application/octet-stream"));
    assert!(!sent.chunked && sent.body == large);

    let sent = send(&FAMILY, Payload::Binary(Upload::stream(Once(Some("streamed")), None))).await;
    assert!(sent.chunked && sent.text() == "streamed");
    let sent = send(&FAMILY, Payload::Binary(Upload::stream(Once(Some("streamed")), Some(8)))).await;
    assert!(!sent.chunked && sent.text() == "streamed");

    let sent = send(&FAMILY, Payload::Text("héllo")).await;
    assert_eq!((sent.header("content-type"), sent.text().as_str()), (Some("text/plain; charset=utf-8"), "héllo"));
}

struct Once(Option<&'static str>);

impl futures_core::Stream for Once {
    type Item = std::io::Result<Bytes>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(self.get_mut().0.take().map(|text| Ok(Bytes::from_static(text.as_bytes()))))
    }
}

#[tokio::test]
async fn a_stream_is_sent_once_and_a_missing_file_is_named() {
    let server = Server::always(Reply::json(503, "{}")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    let upload = Upload::stream(Once(Some("x")), None);
    let send = |upload: Upload| platform.call::<()>(&FAMILY, &[], Payload::Binary(upload), decode::empty).idempotent();
    assert!(send(upload.clone()).await.unwrap_err().is_server_error());
    assert_eq!(server.requests().len(), 1, "a stream is not replayed");
    assert!(send(upload).await.unwrap_err().to_string().contains("has already been sent"));
    let error = send(Upload::file("/nowhere/at/all")).await.unwrap_err();
    assert_eq!(error.code(), "file");
    assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    let error = send(Upload::file("/")).await.unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[tokio::test]
async fn every_method_goes_out_as_it_is() {
    for method in [Get, Put, Post, Delete, Options, Head, Patch, Trace, Other("PURGE")] {
        let server = Server::always(Reply::new(204, &[], "")).await;
        let platform = Client::builder(&server.url).build().unwrap();
        let operation: &'static Operation = Box::leak(Box::new(Operation { method, ..FAMILY }));
        platform.call::<()>(operation, &[], Payload::None, decode::empty).await.unwrap();
        assert_eq!(server.last().method, method.as_str());
    }
}

/// The shape of a generated family.
#[derive(Clone, Copy, Debug)]
struct Things<'a>(&'a Client);

impl<'a> Things<'a> {
    fn find(
        self,
        thing_id: &Uuid,
        path: &str,
        ids: &[i64],
        filter: Option<&Filter>,
        page: Option<i32>,
    ) -> Call<'a, Vec<Object>> {
        static OPERATION: Operation = Operation {
            name: "find",
            method: Get,
            path: "/things/{thing_id}/{path}",
            parameters: &[
                Parameter::path("thing_id"),
                Parameter::path("path"),
                Parameter::query("ids").unexploded(),
                Parameter::query("filter").deep(),
                Parameter::header("X-Page"),
            ],
            ..FAMILY
        };
        self.0.call(&OPERATION, &[thing_id, &path, &ids, &filter, &page], Payload::None, decode::json)
    }
}

#[tokio::test]
async fn a_call_borrows_only_the_client_and_can_be_spawned() {
    let server = Server::always(Reply::json(200, "[{}]")).await;
    let platform = Arc::new(Client::builder(format!("{}/base/", server.url)).build().unwrap());
    let task = tokio::spawn({
        let platform = Arc::clone(&platform);
        async move {
            let call = {
                let (name, ids) = ("a".to_owned(), vec![1, 2]);
                Things(&platform).find(&Uuid::nil(), &name, &ids, Some(&filter()), Some(3))
            };
            assert_eq!(format!("{call:?}"), "Call { operation: \"find\", .. }");
            call.header("X-More", "1").await
        }
    });
    assert_eq!(task.await.unwrap().unwrap().len(), 1);
    let sent = server.last();
    assert_eq!(sent.path(), "/base/things/00000000-0000-0000-0000-000000000000/a");
    assert_eq!(
        sent.query(),
        "ids=1,2&filter%5Bname%5D=a%20b%26c&filter%5Btags%5D=x&filter%5Btags%5D=y%2Cz&filter%5Bowner%5D%5Bid%5D=1"
    );
    assert_eq!((sent.header("x-page"), sent.header("x-more")), (Some("3"), Some("1")));
    let without = Things(&platform).find(&Uuid::nil(), "a", &[], None, None).await.unwrap();
    assert_eq!(without, vec![Object::new()]);
    assert_eq!((server.last().query(), server.last().header("x-page")), ("", None));
}

#[test]
fn values_that_cannot_be_written_come_out_when_awaited() {
    let platform = Client::builder("http://127.0.0.1:1").build().unwrap();
    let broken: std::collections::HashMap<Vec<u8>, i32> = [(vec![1], 1)].into();
    let call = platform.call::<()>(&FAMILY, &[], Payload::Json(&broken), decode::empty);
    let error =
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(call.into_future()).unwrap_err();
    assert!(error.is_request(), "{error}");
    let _ = json!(null);
}
