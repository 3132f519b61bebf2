//! Headers that the contract declares.

use std::time::{Duration, SystemTime};

use crate::families::other::operations::ListPages;
use crate::service::Service;
use crate::types::ListPagesXState;
use crate::{Declared, Response};

async fn pages(headers: &[&str]) -> Response<Vec<String>, ListPages> {
    let service = Service::start(200, headers, "[]").await;
    service.client().other().list_pages().with_response().await.unwrap()
}

#[tokio::test]
async fn each_has_its_type() {
    let page = pages(&[
        "link: <https://service.example/pages?page=2>; rel=\"next\"",
        "x-total: 7",
        "x-is-stale: True",
        "last-modified: Sun, 06 Nov 1994 08:49:37 GMT",
        "x-tags: a, b",
        "X-TAGS: c",
        "x-state: closed",
        "x-json: [1, 2]",
        "set-cookie: a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT",
        "set-cookie: b=2",
    ])
    .await;
    let declared = page.declared();
    assert_eq!(declared.link().unwrap().unwrap(), "<https://service.example/pages?page=2>; rel=\"next\"");
    assert_eq!((declared.x_total().unwrap(), declared.x_is_stale().unwrap()), (Some(7), Some(true)));
    let changed = SystemTime::try_from(&declared.last_modified().unwrap().unwrap()).unwrap();
    assert_eq!(changed.duration_since(SystemTime::UNIX_EPOCH).unwrap(), Duration::from_secs(784_111_777));
    assert_eq!(declared.x_tags().unwrap().unwrap(), ["a", "b", "c"]);
    assert_eq!(declared.x_state().unwrap(), Some(ListPagesXState::Closed));
    assert_eq!(declared.x_json().unwrap().unwrap(), [1, 2]);
    assert_eq!(declared.set_cookie().unwrap().unwrap().len(), 2);
    assert_eq!((page.status().as_u16(), page.header("x-total")), (200, Some("7")));
    let (_, headers, value) = page.into_parts();
    assert!(value.is_empty() && headers.contains_key("x-state"));
}

#[tokio::test]
async fn what_is_not_there_or_not_of_its_type_stops_nothing() {
    let page = pages(&["x-total: many", "x-state: between", "x-json: ["]).await;
    assert!(page.value().is_empty());
    let declared = page.declared();
    assert!(declared.link().unwrap().is_none() && declared.x_tags().unwrap().is_none());
    assert_eq!(declared.x_state().unwrap(), Some(ListPagesXState::Unknown("between".to_owned())));
    let error = declared.x_total().unwrap_err();
    assert!(error.is_decode() && error.to_string().contains("X-Total") && !error.to_string().contains("many"));
    assert!(declared.x_json().unwrap_err().is_decode());
}

#[tokio::test]
async fn those_of_an_error_are_read_alike() {
    let service = Service::start(429, &["retry-after: 7"], "").await;
    let error = service.client().other().list_pages().await.unwrap_err();
    assert!(error.is_rate_limited());
    assert_eq!(Declared::<ListPages>::from(error.headers()).retry_after().unwrap(), Some(7));
}
