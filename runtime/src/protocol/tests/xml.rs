//! A call with XML bodies, as it is generated for `codegen/tests/cases/xml`.

use super::support::{Reply, Server};
use crate::Client;
use crate::codegen::prelude::*;
use crate::protocol::xml::{Member, Name, Place, Root, Shape};

#[derive(Clone, Debug, Default, PartialEq)]
struct Pet {
    id: Option<i64>,
    friend: Option<Vec<Pet>>,
    name: String,
    photo_urls: Vec<String>,
    price: Option<Decimal>,
    tags: Option<Vec<Tag>>,
    tame: Option<bool>,
}
record!(Pet {
    id: optional "id",
    friend: optional "friend",
    name: required "name",
    photo_urls: required "photoUrls",
    price: optional "price",
    tags: optional "tags",
    tame: optional "tame",
});

#[derive(Clone, Debug, Default, PartialEq)]
struct Tag {
    id: Option<i64>,
    name: Option<String>,
}
record!(Tag { id: optional "id", name: optional "name" });

static TEXT: Shape = Shape::Text;
static NUMBER: Shape = Shape::Number;
static BOOLEAN: Shape = Shape::Boolean;
static URLS: Shape = Shape::List(Name::plain("photoUrl"), &TEXT);
static TAG: Shape = Shape::Object(
    &[
        Member { wire: "id", name: Name::plain("id"), place: Place::Element, shape: &NUMBER },
        Member { wire: "name", name: Name::plain("name"), place: Place::Element, shape: &TEXT },
    ],
    None,
);
static TAGS: Shape = Shape::List(Name::plain("tag"), &TAG);
static PET: Shape = Shape::Object(
    &[
        Member { wire: "friend", name: Name::plain("friend"), place: Place::Items, shape: &PET },
        Member { wire: "id", name: Name::plain("id"), place: Place::Attribute, shape: &NUMBER },
        Member { wire: "name", name: Name::plain("name"), place: Place::Element, shape: &TEXT },
        Member { wire: "photoUrls", name: Name::plain("photoUrls"), place: Place::Element, shape: &URLS },
        Member { wire: "price", name: Name::plain("price"), place: Place::Element, shape: &TEXT },
        Member { wire: "tags", name: Name::plain("tagList"), place: Place::Element, shape: &TAGS },
        Member { wire: "tame", name: Name::plain("tame"), place: Place::Element, shape: &BOOLEAN },
    ],
    None,
);
static ROOT: Root = Root { name: Name::within("pet", "", "http://pets.example"), shape: &PET };
static OPERATION: Operation = Operation {
    name: "put_pet",
    method: Put,
    path: "/pets",
    body: "application/xml",
    accept: "application/xml",
    ..Operation::family("pets")
};

#[derive(Debug)]
enum Answer {
    Ok(Pet),
    Accepted(#[allow(dead_code, reason = "this answer does not come")] String),
}
responses!(Answer { 200 => Ok(xml ROOT), 202 => Accepted(text) });

#[tokio::test]
async fn a_document_is_sent_and_read() {
    let answer = "<?xml version=\"1.0\"?><pet xmlns=\"http://pets.example\" id=\"12\"><name>Ida</name>\
                  <photoUrls><photoUrl>a</photoUrl></photoUrls><tagList><tag><id>1</id><name>x</name></tag></tagList>\
                  <friend><name>Bo</name><photoUrls/></friend><price>19.90</price><tame>true</tame></pet>";
    let server = Server::always(Reply::new(200, &[("content-type", "application/xml")], answer)).await;
    let platform = Client::builder(&server.url).build().unwrap();
    let tag = Tag { id: Some(1), name: Some("x & y".to_owned()) };
    let body = Pet { id: Some(12), name: "Ida".to_owned(), tags: Some(vec![tag]), ..Pet::default() };
    let call = || platform.call(&OPERATION, &[], Payload::Xml(&body, &ROOT), |raw| decode::xml::<Pet>(raw, &ROOT));
    let read = call().await.unwrap();
    let friend = Pet { name: "Bo".to_owned(), friend: Some(Vec::new()), ..Pet::default() };
    assert_eq!(read.friend, Some(vec![friend]));
    assert_eq!((read.id, read.name.as_str(), read.tame), (Some(12), "Ida", Some(true)));
    assert_eq!(read.price, Decimal::new("19.90"));
    assert_eq!(read.photo_urls, ["a"]);
    let sent = server.requests().pop().unwrap();
    assert_eq!(sent.header("content-type"), Some("application/xml"));
    assert_eq!(sent.header("accept"), Some("application/xml, application/problem+json"));
    assert_eq!(
        String::from_utf8_lossy(&sent.body),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><pet xmlns=\"http://pets.example\" id=\"12\"><name>Ida</name>\
         <photoUrls></photoUrls><tagList><tag><id>1</id><name>x &amp; y</name></tag></tagList></pet>"
    );
    let by_status = platform.call(&OPERATION, &[], Payload::None, Answer::decode).await.unwrap();
    assert!(matches!(by_status, Answer::Ok(pet) if pet.name == "Ida"));
}

#[tokio::test]
async fn a_document_that_does_not_fit_says_where_and_not_what() {
    for (answer, expected) in [
        ("<pet id='canary'><name>n</name><photoUrls/></pet>", "field `id` of `Pet`"),
        ("<pet><name>canary</name></pet>", "field `photoUrls` of `Pet` is missing"),
        ("<!DOCTYPE pet [<!ENTITY e 'canary'>]><pet>&e;</pet>", "a DTD, which is refused"),
        ("<pet><name>canary</pet>", "not well-formed at line 1, column 18"),
    ] {
        let server = Server::always(Reply::new(200, &[("content-type", "application/xml")], answer)).await;
        let platform = Client::builder(&server.url).build().unwrap();
        let call = platform.call(&OPERATION, &[], Payload::None, |raw| decode::xml::<Pet>(raw, &ROOT));
        let error = call.await.unwrap_err();
        assert!(error.is_decode() && error.to_string().contains(expected), "{error}");
        assert!(!error.to_string().contains("canary"), "{error}");
    }
}

#[tokio::test]
async fn what_xml_cannot_carry_is_not_sent() {
    let server = Server::always(Reply::new(200, &[], "")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    let body = Pet { name: "canary\u{1}".to_owned(), ..Pet::default() };
    let error = platform.call(&OPERATION, &[], Payload::Xml(&body, &ROOT), decode::empty).await.unwrap_err();
    assert!(error.to_string().contains("U+0001, which is invalid in XML"), "{error}");
    assert!(!format!("{error:?}").contains("canary"));
    assert!(server.requests().is_empty());
}
