//! Paginated responses.

use crate::support;
use crate::support::{Reply, Server};
use driftless_runtime::{
    Call, Client, Error, Items, Method, Value,
    codegen::prelude::{NextPage, Operation, PagePlace, Paging, Parameter, Payload},
};
use futures_util::{StreamExt as _, TryStreamExt as _};

/// Pages 1 to 3; page 9 leads to itself.
async fn server() -> Server {
    Server::start(|request| match request.query() {
        "page=1" => Reply::new(200, &[("x-next", "2")], "[1]"),
        "page=2" => Reply::new(200, &[("x-next", "3")], "[2]"),
        "page=3" => Reply::new(200, &[], "[3]"),
        "page=9" => Reply::new(200, &[("x-next", "9")], "[9]"),
        _ => Reply::json(400, "{}"),
    })
    .await
}

async fn read(platform: &Client, first: &str) -> Vec<Result<Value, driftless_runtime::Error>> {
    let page = |number: &str| platform.request(Method::Get, "/x").query("page", number).call::<Value>();
    let mut pages = page(first).paginate_with(|last| Some(page(last.header("x-next")?)));
    let mut read_items = Vec::new();
    while let Some(page) = pages.next().await {
        read_items.push(page);
    }
    assert!(pages.next().await.is_none());
    read_items
}

#[tokio::test]
async fn pages_end_with_the_last_one() {
    let server = server().await;
    let platform = Client::builder(&server.url).build().unwrap();
    let pages: Vec<_> = read(&platform, "1").await.into_iter().map(Result::unwrap).collect();
    assert_eq!(serde_json::json!(pages), serde_json::json!([[1], [2], [3]]));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_circle_and_a_failure_end_them_with_an_error() {
    let server = server().await;
    let platform = Client::builder(&server.url).build().unwrap();
    let pages = read(&platform, "9").await;
    assert_eq!((pages.len(), server.requests().len()), (2, 1));
    assert!(pages[1].as_ref().unwrap_err().to_string().contains("circles"));
    let pages = read(&platform, "7").await;
    assert!(pages.len() == 1 && pages[0].as_ref().unwrap_err().is_bad_request());
}

#[tokio::test]
async fn pages_are_a_stream() {
    let server = server().await;
    let platform = Client::builder(&server.url).build().unwrap();
    let page = |number: &str| platform.request(Method::Get, "/x").query("page", number).call::<Value>();
    let pages = page("1").paginate_with(|last| Some(page(last.header("x-next")?)));
    assert!(server.requests().is_empty(), "nothing is sent before it is read");
    let two: Vec<Value> = pages.take(2).try_collect().await.unwrap();
    assert_eq!(serde_json::json!(two), serde_json::json!([[1], [2]]));
    assert_eq!(server.requests().len(), 2, "what is not read is not asked for");
}

static OPERATION: Operation = Operation {
    name: "list_things",
    path: "/things",
    parameters: &[Parameter::query("filter"), Parameter::query("at")],
    ..Operation::family("things")
};

const AT: usize = 1;

const TOTAL: PagePlace = PagePlace::Body("/total");

fn items<'a>(client: &'a Client, at: Option<i64>, items: &'static str, next: NextPage) -> Items<'a, i64> {
    let call = Call::new(client, &OPERATION, &[&"a b", &at], Payload::None, |_| Ok(()));
    call.items(Paging::new(items, next))
}

/// Returns the items, the error that ended the stream, and the requests.
async fn all(server: &Server, paging: impl Fn(&Client) -> Items<'_, i64>) -> (Vec<i64>, Option<Error>, Vec<String>) {
    let client = Client::builder(&server.url).no_retry().build().unwrap();
    let before = server.requests().len();
    let (mut read_items, mut failed) = (Vec::new(), None);
    let mut items = paging(&client);
    while let Some(item) = items.next().await {
        assert!(failed.is_none(), "nothing comes after an error");
        match item {
            Ok(item) => read_items.push(item),
            Err(error) => failed = Some(error),
        }
    }
    assert!(items.next().await.is_none());
    let asked = server.requests().split_off(before);
    assert!(asked.iter().all(|request| request.query().starts_with("filter=a%20b") || request.path() != "/things"));
    (read_items, failed, asked.iter().map(|request| request.target.replace("/things?filter=a%20b", "")).collect())
}

/// Five items, at most two per page, beginning with `at`.
fn from(at: usize) -> Vec<i64> {
    (1..=5).skip(at).take(2).collect()
}

fn at(request: &support::Recorded) -> usize {
    request.query().split_once("at=").map_or(0, |(_, at)| at.parse().unwrap())
}

#[tokio::test]
async fn items_are_skipped_as_they_were_read() {
    let server = Server::start(|request| Reply::json(200, &format!("{:?}", from(at(request))))).await;
    let offset = NextPage::Offset { parameter: AT, first: 0 };
    let (read_items, error, asked) = all(&server, |client| items(client, None, "", offset)).await;
    assert_eq!((read_items, error.is_none()), (vec![1, 2, 3, 4, 5], true));
    assert_eq!(
        asked,
        ["", "&at=2", "&at=4", "&at=5"],
        "a short page may be the service's limit: an empty one is the end"
    );
    let (read_items, _, asked) = all(&server, |client| items(client, Some(3), "", offset)).await;
    assert_eq!((read_items, asked), (vec![4, 5], vec!["&at=3".to_owned(), "&at=5".to_owned()]));
    let (read_items, _, asked) = all(&server, |client| items(client, None, "", offset).limit(3).limit(9)).await;
    assert_eq!((read_items, asked.len()), (vec![1, 2, 3], 2), "no page is asked for beyond the limit");
    assert!(all(&server, |client| items(client, None, "", offset).limit(0)).await.2.is_empty());
    let client = Client::builder(&server.url).build().unwrap();
    let odd: Vec<i64> = items(&client, None, "", offset)
        .try_filter(|item| std::future::ready(item % 2 == 1))
        .try_collect()
        .await
        .unwrap();
    assert_eq!(odd, [1, 3, 5]);
    assert_eq!(items(&client, Some(1), "", offset).collect().await.unwrap(), [2, 3, 4, 5]);
}

#[tokio::test]
async fn pages_have_numbers() {
    let server = Server::start(|request| match at(request) {
        0 | 1 => Reply::json(200, r#"{"data":{"list":[1,2]}}"#),
        2 => Reply::json(200, r#"{"data":{"list":[3]}}"#),
        3 => Reply::json(200, r#"{"data":{"list":null}}"#),
        _ => Reply::json(200, "{}"),
    })
    .await;
    let number = NextPage::Number { parameter: AT, first: 1 };
    let (read_items, error, asked) = all(&server, |client| items(client, None, "/data/list", number)).await;
    assert_eq!((read_items, error.is_none()), (vec![1, 2, 3], true));
    assert_eq!(asked, ["", "&at=2", "&at=3"]);
    let (read_items, _, asked) = all(&server, |client| items(client, Some(2), "/data/list", number)).await;
    assert_eq!((read_items, asked.len()), (vec![3], 2));
    // The number that a call gives is that of its page, also as a text or as a float.
    let client = Client::builder(&server.url).no_retry().build().unwrap();
    let text = Call::new(&client, &OPERATION, &[&"a b", &"2"], Payload::None, |_| Ok(()));
    let float = Call::new(&client, &OPERATION, &[&"a b", &2.0_f64], Payload::None, |_| Ok(()));
    for call in [text, float] {
        let before = server.requests().len();
        assert_eq!(call.items::<i64>(Paging::new("/data/list", number)).collect().await.unwrap(), [3]);
        assert_eq!(server.requests().len(), before + 2);
    }
}

#[tokio::test]
async fn cursors_stand_in_bodies_and_headers() {
    let server = Server::start(|request| match request.query().rsplit("at=").next().unwrap() {
        "a%2Fb%20%26" => Reply::new(200, &[("x-next", "7")], r#"{"list":[2],"next":7}"#),
        "7" => Reply::new(200, &[("x-next", "")], r#"{"list":[3],"next":null}"#),
        _ => Reply::new(200, &[("x-next", "a/b &")], r#"{"list":[1],"next":"a/b &"}"#),
    })
    .await;
    let places =
        [NextPage::Cursor { parameter: AT, pointer: "/next" }, NextPage::Header { parameter: AT, name: "x-next" }];
    for next in places {
        let (read_items, error, asked) = all(&server, |client| items(client, None, "/list", next)).await;
        assert_eq!((read_items, error.is_none()), (vec![1, 2, 3], true));
        assert_eq!(asked, ["", "&at=a%2Fb%20%26", "&at=7"]);
    }
}

#[tokio::test]
async fn links_are_followed_on_the_same_server_only() {
    let server = Server::start(|request| match request.target.as_str() {
        "/things/2?x=1" => Reply::new(200, &[("link", "<3>; rel=\"next\"")], "[2]"),
        "/things/3" => Reply::new(200, &[("link", "<https://evil.example/>; rel=next")], "[3]"),
        "/things/4" => Reply::new(200, &[("link", "</things/4>; rel=next")], "[4]"),
        target if target.contains("at=4") => Reply::new(200, &[("link", "</things/4>; rel=next")], "[1]"),
        _ => Reply::new(200, &[("link", "</things/9>; rel=prev, </things/2?x=1>; rel=next")], "[1]"),
    })
    .await;
    let (read_items, error, asked) = all(&server, |client| items(client, None, "", NextPage::Link)).await;
    assert_eq!(asked, ["", "/things/2?x=1", "/things/3"]);
    let error = error.unwrap();
    assert_eq!(read_items, [1, 2], "{error}");
    assert!(error.is_decode() && error.to_string().contains("another server"), "{error}");
    let (read_items, error, _) = all(&server, |client| items(client, Some(4), "", NextPage::Link)).await;
    assert!(
        read_items == [1] && error.as_ref().is_some_and(|error| error.to_string().contains("circles")),
        "{error:?}"
    );
}

/// The same for a link in the body: the other server gets no request, and so no token.
#[tokio::test]
async fn a_link_in_a_body_sends_nothing_to_another_server() {
    let other = Server::always(Reply::json(200, r#"{"list":[2]}"#)).await;
    let link = format!("{}/things/2", other.url);
    let server = Server::start(move |_| Reply::json(200, &format!(r#"{{"list":[1],"next":"{link}"}}"#))).await;
    let (read_items, error, asked) =
        all(&server, |client| items(client, None, "/list", NextPage::Address { pointer: "/next" })).await;
    // As with a link in a header, nothing of the page with such a link is read.
    assert_eq!((read_items.len(), asked.len(), other.requests().len()), (0, 1, 0));
    assert!(error.unwrap().to_string().contains("another server"));
}

#[tokio::test]
async fn a_service_that_never_ends_does_not_hang_its_caller() {
    let server = Server::start(|request| match request.query().rsplit("at=").next().unwrap() {
        // The same page for every request.
        "1" => Reply::json(200, "[1]"),
        // The same cursor every time, with other items.
        "100" | "same" => Reply::json(200, r#"{"list":[1],"next":"same"}"#),
        // Another cursor every time, and never an item.
        at => Reply::json(200, &format!(r#"{{"list":[],"next":{}}}"#, at.parse::<u64>().map_or(1_000, |at| at + 1))),
    })
    .await;
    let fixed = Server::always(Reply::json(200, "[1]")).await;
    for next in [NextPage::Offset { parameter: AT, first: 0 }, NextPage::Number { parameter: AT, first: 0 }] {
        let (read_items, error, asked) = all(&fixed, |client| items(client, None, "", next)).await;
        assert_eq!((read_items, asked.len()), (vec![1], 2));
        assert!(error.unwrap().to_string().contains("circles"));
    }
    let cursor = NextPage::Cursor { parameter: AT, pointer: "/next" };
    let (read_items, error, asked) = all(&server, |client| items(client, Some(100), "/list", cursor)).await;
    assert_eq!((read_items, asked.len()), (vec![1], 2));
    assert!(error.unwrap().to_string().contains("circles"));
    let (read_items, error, asked) = all(&server, |client| items(client, Some(200), "/list", cursor)).await;
    assert_eq!((read_items.len(), asked.len()), (0, 100));
    assert!(error.unwrap().to_string().contains("100 pages in a row"));
}

#[tokio::test]
async fn an_answer_without_content_has_no_items() {
    let offset = NextPage::Offset { parameter: AT, first: 0 };
    let server = Server::start(|request| match at(request) {
        0 => Reply::json(200, "[1,2]"),
        _ => Reply::new(204, &[], ""),
    })
    .await;
    let (read_items, error, asked) = all(&server, |client| items(client, None, "", offset)).await;
    assert_eq!((read_items, error.is_none(), asked.len()), (vec![1, 2], true, 2));
    // A 200 with an empty body is an error: only a 204 is a page without items.
    let server = Server::always(Reply::new(200, &[], "")).await;
    assert!(all(&server, |client| items(client, None, "", offset)).await.1.unwrap().is_decode());
}

#[tokio::test]
async fn pages_that_are_not_what_the_configuration_says_are_errors() {
    let offset = NextPage::Offset { parameter: AT, first: 0 };
    let cursor = NextPage::Cursor { parameter: AT, pointer: "/next" };
    for (body, next, says) in [
        ("<html>", offset, "not JSON"),
        (r#"{"list":7}"#, offset, "no list at `/list`"),
        (r#"{"list":["canary"]}"#, offset, "an item of the page"),
        (r#"{"list":[1],"next":{"canary":1}}"#, cursor, "at `/next`"),
    ] {
        let server = Server::always(Reply::json(200, body)).await;
        let (read_items, error, asked) = all(&server, |client| items(client, None, "/list", next)).await;
        let error = error.unwrap();
        assert!(read_items.is_empty() && asked.len() == 1 && error.is_decode(), "{error}");
        assert_eq!(error.operation(), Some("list_things"));
        assert!(error.to_string().contains(says) && !format!("{error:?}").contains("canary"), "{error}");
    }
    let server = Server::always(Reply::json(404, "{}")).await;
    assert!(all(&server, |client| items(client, None, "", offset)).await.1.unwrap().is_not_found());
}

#[tokio::test]
async fn a_total_ends_the_pages_where_the_call_began_at_a_known_place() {
    let server =
        Server::start(|request| Reply::json(200, &format!(r#"{{"list":{:?},"total":"5"}}"#, from(at(request))))).await;
    let client = Client::builder(&server.url).no_retry().build().unwrap();
    let read = async |at: Option<i64>, next: NextPage| {
        let before = server.requests().len();
        let call = Call::new(&client, &OPERATION, &[&"a b", &at], Payload::None, |_| Ok(()));
        let read = call.items::<i64>(Paging::new("/list", next).total(TOTAL)).collect().await.unwrap();
        (read, server.requests().len() - before)
    };
    let offset = NextPage::Offset { parameter: AT, first: 0 };
    assert_eq!(read(None, offset).await, (vec![1, 2, 3, 4, 5], 3));
    assert_eq!(read(Some(3), offset).await, (vec![4, 5], 1));
    // The number of items before a page that the call chose is unknown: an empty page is the end.
    assert_eq!(read(Some(4), NextPage::Number { parameter: AT, first: 0 }).await, (vec![5], 2));
    let server = Server::always(Reply::json(200, r#"{"list":[1],"total":{"canary":1}}"#)).await;
    let client = Client::builder(&server.url).build().unwrap();
    let call = Call::new(&client, &OPERATION, &[&"a b", &None::<i64>], Payload::None, |_| Ok(()));
    let mut items = call.items::<i64>(Paging::new("/list", offset).total(TOTAL));
    let error = items.next().await.unwrap().unwrap_err();
    assert!(error.is_decode() && error.to_string().contains("no number at `/total`"), "{error}");
    assert!(!format!("{error:?}").contains("canary"));
}

#[tokio::test]
async fn a_total_that_is_no_natural_number_says_nothing() {
    let offset = NextPage::Offset { parameter: AT, first: 0 };
    let number = NextPage::Number { parameter: AT, first: 0 };
    for total in ["-1", r#""unknown""#, r#""-1""#, "1.5", r#""""#] {
        let server = Server::start(move |request| {
            Reply::json(200, &format!(r#"{{"list":{:?},"total":{total}}}"#, from(at(request))))
        })
        .await;
        let client = Client::builder(&server.url).no_retry().build().unwrap();
        for (next, paging) in
            [(offset, Paging::new("/list", offset).total(TOTAL)), (number, Paging::new("/list", number).pages(TOTAL))]
        {
            let call = Call::new(&client, &OPERATION, &[&"a b", &None::<i64>], Payload::None, |_| Ok(()));
            let read = call.items::<i64>(paging).collect().await;
            assert!(read.is_ok_and(|items| items.starts_with(&[1, 2])), "{next:?}, {total}");
        }
    }
    for total in ["*", "-1", "\u{e9}"] {
        let server = Server::start(move |request| {
            let body = format!(r#"{{"list":{:?}}}"#, from(at(request)));
            Reply::new(200, &[("content-type", "application/json"), ("x-total-count", total)], &body)
        })
        .await;
        let client = Client::builder(&server.url).no_retry().build().unwrap();
        let call = Call::new(&client, &OPERATION, &[&"a b", &None::<i64>], Payload::None, |_| Ok(()));
        let paging = Paging::new("/list", offset).total(PagePlace::Header("x-total-count"));
        assert_eq!(call.items::<i64>(paging).collect().await.unwrap(), [1, 2, 3, 4, 5], "{total}");
    }
}
