//! The items of GraphQL connections, page by page.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::support::{Reply, Server};
use driftless_runtime::{Client, Error, Object, Value, graphql::Document};
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::json;

mod nodes {
    use driftless_runtime::codegen::prelude::*;

    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Data;
    record!(Data {});
    connection!(Data {
        item: u64,
        forward: "after",
        connection: "/viewer/projects",
        list: "/nodes",
        node: "",
        more: "/pageInfo/hasNextPage",
        cursor: "/pageInfo/endCursor",
    });
}

mod edges {
    use driftless_runtime::codegen::prelude::*;

    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Node {
        pub(super) id: u64,
    }
    record!(Node { id: required "id" });

    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Data;
    record!(Data {});
    connection!(Data {
        item: Node,
        backward: "start",
        connection: "/list",
        list: "/links",
        node: "/it",
        more: "/info/more",
        cursor: "/info/next",
    });
}

const NODES: Document<Value, nodes::Data> = Document::new("query Nodes($after: String) { viewer }");
const EDGES: Document<Value, edges::Data> = Document::new("query Edges($start: String) { list }");

/// A page of `NODES`.
fn page(items: &str, more: bool, cursor: &str) -> String {
    format!(
        r#"{{"data":{{"viewer":{{"projects":{{"nodes":{items},"pageInfo":{{"hasNextPage":{more},"endCursor":{cursor}}}}}}}}}}}"#
    )
}

fn variables(request: &crate::support::Recorded) -> Value {
    let body: Value = serde_json::from_str(&request.text()).unwrap();
    body["variables"].clone()
}

/// Returns the items, the error that ended the stream, and the variables of each request. The pages are served in order, and the
/// last one again and again.
async fn all(pages: &[String]) -> (Vec<u64>, Option<Error>, Vec<Value>) {
    let (pages, count) = (pages.to_vec(), AtomicUsize::new(0));
    let server = Server::start(move |_| {
        let index = count.fetch_add(1, Ordering::SeqCst).min(pages.len() - 1);
        Reply::json(200, &pages[index])
    })
    .await;
    let client = Client::builder(&server.url).no_retry().build().unwrap();
    let mut items = client.graphql().query(&NODES, Value::from(json!({}))).with_items();
    let (mut read_items, mut failed) = (Vec::new(), None);
    while let Some(item) = items.next().await {
        assert!(failed.is_none(), "nothing comes after an error");
        match item {
            Ok(item) => read_items.push(item),
            Err(error) => failed = Some(error),
        }
    }
    assert!(items.next().await.is_none());
    (read_items, failed, server.requests().iter().map(variables).collect())
}

/// Numbers that look random, the same ones for each seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A service whose pages have random sizes, and which deletes items between pages, also those that a cursor names.
struct Model {
    random: Random,
    items: BTreeSet<u64>,
    deleted: BTreeSet<u64>,
    pages: usize,
}

impl Model {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let count = random.below(40);
        let items = (0..count).map(|index| index * 3 + random.below(3)).collect();
        Self { random, items, deleted: BTreeSet::new(), pages: 0 }
    }

    /// The next page: its items, and the cursor of the page behind it.
    fn page(&mut self, cursor: Option<u64>, backward: bool) -> (Vec<u64>, Option<u64>) {
        if self.pages > 0 {
            for _ in 0..self.random.below(3) {
                let candidates: Vec<u64> = self.items.iter().copied().collect();
                if !candidates.is_empty() {
                    let item = candidates[self.random.below(candidates.len() as u64) as usize];
                    self.items.remove(&item);
                    self.deleted.insert(item);
                }
            }
        }
        self.pages += 1;
        let size = 1 + self.random.below(5) as usize;
        let mut rest: Vec<u64> = match (cursor, backward) {
            (None, _) => self.items.iter().copied().collect(),
            (Some(cursor), false) => self.items.iter().copied().filter(|item| *item > cursor).collect(),
            (Some(cursor), true) => self.items.iter().copied().filter(|item| *item < cursor).collect(),
        };
        if backward {
            let page = rest.split_off(rest.len().saturating_sub(size));
            let next = page.first().copied().filter(|_| !rest.is_empty());
            return (page, next);
        }
        let rest_after = rest.split_off(size.min(rest.len()));
        let next = rest.last().copied().filter(|_| !rest_after.is_empty());
        (rest, next)
    }
}

#[tokio::test]
async fn the_stream_has_the_items_of_the_service_in_order_and_each_once() {
    for (seed, backward) in (0..60).flat_map(|seed| [(seed, false), (seed, true)]) {
        let model = Arc::new(Mutex::new(Model::new(seed)));
        let before = model.lock().unwrap().items.clone();
        let served = Arc::clone(&model);
        let server = Server::start(move |request| {
            let variables = variables(request);
            assert_eq!(variables["kind"], "OPEN", "{variables}");
            let cursor = &variables[if backward { "start" } else { "after" }];
            let cursor = cursor.as_str().map(|cursor| cursor.trim_start_matches("c-").parse::<u64>().unwrap());
            let (items, next) = served.lock().unwrap().page(cursor, backward);
            let cursor = next.map_or("null".to_owned(), |next| format!("\"c-{next}\""));
            let more = next.is_some();
            if !backward {
                return Reply::json(200, &page(&format!("{items:?}"), more, &cursor));
            }
            let links: Vec<String> = items.iter().map(|id| format!(r#"{{"it":{{"id":{id}}}}}"#)).collect();
            let links = links.join(",");
            let body =
                format!(r#"{{"data":{{"list":{{"links":[{links}],"info":{{"more":{more},"next":{cursor}}}}}}}}}"#);
            Reply::json(200, &body)
        })
        .await;
        let client = Client::builder(&server.url).build().unwrap();
        let variables = Value::from(json!({ "kind": "OPEN" }));
        let mut items: Vec<u64> = match backward {
            false => client.graphql().query(&NODES, variables).with_items().collect().await.unwrap(),
            true => {
                let items: Vec<edges::Node> =
                    client.graphql().query(&EDGES, variables).with_items().try_collect().await.unwrap();
                items.into_iter().map(|node| node.id).collect()
            }
        };
        if backward {
            assert!(items.is_sorted_by(|one, other| one > other), "{seed}: {items:?}");
            items.reverse();
        }
        let model = model.lock().unwrap();
        assert!(items.is_sorted_by(|one, other| one < other), "{seed}: {items:?}");
        let kept: Vec<u64> = model.items.iter().copied().collect();
        let read_items: BTreeSet<u64> = items.iter().copied().collect();
        assert!(kept.iter().all(|item| read_items.contains(item)), "{seed}: {items:?} of {kept:?}");
        assert!(read_items.is_subset(&before), "{seed}: {items:?} of {before:?}");
        assert!(read_items.difference(&model.items).all(|item| model.deleted.contains(item)), "{seed}");
        assert_eq!(server.requests().len(), model.pages, "{seed}");
    }
}

#[tokio::test]
async fn each_page_has_the_variables_of_the_first_one_and_a_cursor_of_its_own() {
    let answer = |cursor: &Value| match cursor.as_str() {
        Some("7") => page("[3]", false, "null"),
        Some("a\\\"b") => page("[2]", true, "12345678901234567890123"),
        _ if cursor.as_number().is_some() => page("[4]", false, "\"end\""),
        _ => page("[1]", true, r#""a\\\"b""#),
    };
    let server = Server::start(move |request| Reply::json(200, &answer(&variables(request)["after"]))).await;
    let client = Client::builder(&server.url).build().unwrap();
    let given = json!({ "first": 2, "filter": { "price": 1.5 } });
    let items = client.graphql().query(&NODES, Value::from(given.clone())).header("x-own", "1").with_items();
    assert!(server.requests().is_empty(), "nothing is sent before it is read");
    assert_eq!(items.collect().await.unwrap(), [1, 2, 4]);
    let requests = server.requests();
    assert_eq!(variables(&requests[0]), given);
    for (request, cursor) in requests[1..].iter().zip(["\"a\\\\\\\"b\"", "12345678901234567890123"]) {
        let text = format!(r#""variables":{{"first":2,"filter":{{"price":1.5}},"after":{cursor}}}"#);
        assert!(request.text().contains(&text), "{}", request.text());
        assert!(
            request.text().starts_with(r#"{"query":"query Nodes($after: String) { viewer }","operationName":"Nodes""#)
        );
        assert_eq!(request.header("x-own"), Some("1"));
    }
    // The caller's own cursor is that of the first page.
    let items = client.graphql().query(&NODES, Value::from(json!({ "after": "7" }))).with_items();
    assert_eq!(items.collect().await.unwrap(), [3]);
    assert_eq!(variables(&server.last()), json!({ "after": "7" }));
}

#[tokio::test]
async fn no_page_is_requested_beyond_the_limit() {
    let server = Server::start(|request| match variables(request)["after"].as_str() {
        None => Reply::json(200, &page("[1,2]", true, "\"2\"")),
        Some(cursor) => {
            let last: u64 = cursor.parse().unwrap();
            Reply::json(200, &page(&format!("[{},{}]", last + 1, last + 2), true, &format!("\"{}\"", last + 2)))
        }
    })
    .await;
    let client = Client::builder(&server.url).build().unwrap();
    let items = || client.graphql().query(&NODES, Value::from(json!({}))).with_items();
    assert!(items().limit(0).collect().await.unwrap().is_empty() && server.requests().is_empty());
    assert_eq!(items().limit(4).limit(9).collect().await.unwrap(), [1, 2, 3, 4]);
    assert_eq!(server.requests().len(), 2);
    let three: Vec<u64> = items().take(3).try_collect().await.unwrap();
    assert_eq!((three, server.requests().len()), (vec![1, 2, 3], 4));
}

#[tokio::test]
async fn a_page_that_has_no_items_or_nulls_is_a_page() {
    let pages = [
        page("[]", true, "\"a\""),
        page("null", true, "\"b\""),
        page("[null,1,null]", true, "7"),
        page("[2]", false, "7"),
    ];
    let (items, error, asked) = all(&pages).await;
    assert_eq!((items, error.is_none()), (vec![1, 2], true));
    assert_eq!(asked, [json!({}), json!({"after": "a"}), json!({"after": "b"}), json!({"after": 7})]);
    // A flag that is false is the end, also with a cursor and without items.
    let (items, error, asked) = all(&[page("[]", false, "\"a\"")]).await;
    assert!(items.is_empty() && error.is_none() && asked.len() == 1);
}

/// Each way in which a service may break the specification, or fail, ends the stream with an error that says so.
#[tokio::test]
async fn a_service_in_a_circle_or_without_a_cursor_ends_the_stream() {
    let first = page("[1]", true, "\"a\"");
    let data = |text: &str| format!(r#"{{"data":{text}}}"#);
    let with_error = |text: &str| format!(r#"{{"data":{text},"errors":[{{"message":"no b","path":["viewer"]}}]}}"#);
    let partial = r#"{"viewer":{"projects":{"nodes":[2],"pageInfo":{"hasNextPage":true,"endCursor":"b"}}}}"#;
    let rows: Vec<(String, &str)> = vec![
        (first.clone(), "circles"),
        (page("[2]", true, "null"), "no cursor at `/viewer/projects/pageInfo/endCursor`"),
        (page("[2]", true, "\"\""), "no cursor"),
        (page("[2]", true, "{}"), "no cursor"),
        (page("[2]", true, "true"), "no cursor"),
        (page("7", false, "null"), "no list at `/viewer/projects/nodes`"),
        (page("[2]", false, "null").replace("false", "null"), "neither `true` nor `false`"),
        (page("[2]", false, "null").replace("false", "\"false\""), "neither `true` nor `false`"),
        (data(r#"{"viewer":{"projects":{"nodes":[2],"pageInfo":null}}}"#), "neither `true` nor `false`"),
        (data(r#"{"viewer":{"projects":null}}"#), "`/viewer/projects` of the answer is null"),
        (data(r#"{"viewer":null}"#), "`/viewer` of the answer is null"),
        (data("{}"), "`/viewer` of the answer is null"),
        (data(r#"{"viewer":[]}"#), "`/viewer` of the answer is not an object"),
        (data("null"), "neither"),
        (with_error("null"), "no b"),
        (with_error(r#"{"viewer":null}"#), "no b"),
        (with_error(partial), "no b"),
        (r#"{"errors":[{"message":"no b"}]}"#.to_owned(), "no b"),
        ("<html>".to_owned(), "not a GraphQL response"),
    ];
    for (later, says) in rows {
        let (items, error, asked) = all(&[first.clone(), later.clone()]).await;
        let error = error.unwrap_or_else(|| panic!("{later}: {items:?}"));
        let text = error.to_string();
        // No item of such a page is returned.
        assert_eq!(items, [1], "{later}: {text}");
        assert_eq!(asked.len(), 2, "{later}: {text}");
        if later != data("null") {
            assert!(text.contains(says), "{later}: {text}");
        }
    }
    // An item that does not match its type ends the stream after the items before it.
    let (items, error, _) = all(&[page("[1,\"x\",3]", false, "null")]).await;
    assert!(items == [1] && error.as_ref().is_some_and(Error::is_decode), "{error:?}");
}

#[tokio::test]
async fn a_connection_that_the_service_does_not_have_is_an_error_and_one_that_was_left_out_is_empty() {
    for (body, says) in [
        (r#"{"data":{"viewer":null}}"#, Some("`/viewer` of the answer is null")),
        (r#"{"data":{"viewer":{"projects":null}}}"#, Some("`/viewer/projects` of the answer is null")),
        (r#"{"data":{"viewer":{}}}"#, None),
        (r#"{"data":{}}"#, None),
    ] {
        let (items, error, asked) = all(&[body.to_owned()]).await;
        assert!(items.is_empty() && asked.len() == 1, "{body}");
        let text = error.map(|error| error.to_string());
        assert_eq!(text.is_some(), says.is_some(), "{body}: {text:?}");
        assert!(text.is_none_or(|text| text.contains(says.unwrap()) && text.contains("check the variables")), "{body}");
    }
}

#[tokio::test]
async fn pages_without_end_and_without_items_end() {
    let count = AtomicUsize::new(0);
    let server = Server::start(move |_| {
        let cursor = count.fetch_add(1, Ordering::SeqCst);
        Reply::json(200, &page("[null]", true, &cursor.to_string()))
    })
    .await;
    let client = Client::builder(&server.url).build().unwrap();
    let error = client.graphql().query(&NODES, Value::from(json!({}))).with_items().collect().await.unwrap_err();
    assert!(error.to_string().contains("100 pages in a row have no items"), "{error}");
    assert_eq!(server.requests().len(), 100);
}

#[tokio::test]
async fn a_page_is_sent_again_like_a_query() {
    let count = AtomicUsize::new(0);
    let server = Server::start(move |request| {
        match (count.fetch_add(1, Ordering::SeqCst), variables(request)["after"].as_str()) {
            (1, _) => Reply::new(503, &[("retry-after", "0")], ""),
            (_, None) => Reply::json(200, &page("[1]", true, "\"a\"")),
            _ => Reply::json(200, &page("[2]", false, "null")),
        }
    })
    .await;
    let client = Client::builder(&server.url).build().unwrap();
    let query = || client.graphql().query(&NODES, Value::from(json!({})));
    assert_eq!(query().with_items().collect().await.unwrap(), [1, 2]);
    assert_eq!(server.requests().len(), 3);
    let refused = client.graphql().query::<nodes::Data, _>(NODES.text(), json!(1)).with_items().collect().await;
    assert!(refused.is_err_and(|error| error.is_request()));
    let mut refused = client.graphql().query::<nodes::Data, _>(NODES.text(), json!(1)).with_items();
    assert!(refused.next().await.is_some_and(|item| item.is_err()));
    assert!(refused.next().await.is_none(), "the stream is over");
    let text = client.graphql().query::<nodes::Data, _>(NODES.text(), ()).with_items().limit(1);
    assert_eq!(text.collect().await.unwrap(), [1]);
    assert!(serde_json::from_str::<Object>(&server.last().text()).unwrap().value("variables").is_none());
}
