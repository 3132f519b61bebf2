//! Values that are read, changed and written back keep undeclared members.

use serde_json::json;

use crate::service::Service;
use crate::types::{Chase, Movie, Person, Scene, Talk};

#[tokio::test]
async fn what_the_contract_does_not_declare_is_written_back() {
    // `additionalProperties: false` closes the schema for this version of the contract, not for the next one of the service.
    let body = r#"{"rating":9.10,"title":"Alien","new":{"deep":[1e2,null,"x"]},"lead":{"name":"Ripley","born":2092},
        "big":12345678901234567890123,"scenes":[{"lines":3,"kind":"talk","mood":"calm"},{"kind":"chase","cars":2}],"gone":null}"#;
    let service = Service::start(200, &["content-type: application/json"], body).await;
    let mut movie = service.client().other().get_movie(7).await.unwrap();
    movie.year = Some(1979);
    movie.lead.as_mut().unwrap().rest = Some("no".to_owned());
    if let Some(Scene::Talk(talk)) = movie.scenes.as_mut().and_then(|scenes| scenes.first_mut()) {
        talk.lines = Some(4);
    }
    let service = Service::start(204, &[], "").await;
    service.client().other().put_movie(7, &movie).await.unwrap();
    let sent = service.requests().remove(0);
    let sent = sent.split_once("\r\n\r\n").unwrap().1;
    let wanted = concat!(
        r#"{"lead":{"name":"Ripley","rest":"no","born":2092},"#,
        r#""scenes":[{"kind":"talk","lines":4,"mood":"calm"},{"kind":"chase","cars":2}],"title":"Alien","year":1979,"#,
        r#""rating":9.10,"new":{"deep":[1e2,null,"x"]},"big":12345678901234567890123,"gone":null}"#,
    );
    assert_eq!(sent, wanted);
}

#[test]
fn a_value_of_ones_own_has_nothing_more() {
    let movie = Movie::new("Alien").lead(Person::default().name("Ripley"));
    assert_eq!(serde_json::to_value(&movie).unwrap(), json!({"title": "Alien", "lead": {"name": "Ripley"}}));
    let read: Movie = serde_json::from_value(json!({"title": "Alien", "lead": {"name": "Ripley"}})).unwrap();
    assert_eq!(read, movie);
    let other: Movie = serde_json::from_value(json!({"title": "Alien", "lead": {"name": "Ripley"}, "new": 1})).unwrap();
    assert!(other != movie && other.clone() == other);
    assert!(format!("{other:?}").contains("undeclared_: {\"new\""), "{other:?}");
    let scene = Scene::from(Chase::default().cars(2));
    assert_eq!(scene, Scene::Chase(Box::new(Chase::default().cars(2))));
    assert_eq!(serde_json::to_value(&scene).unwrap(), json!({"kind": "chase", "cars": 2}));
    assert_eq!(size_of::<Talk>(), size_of::<Option<i32>>() + size_of::<usize>());
}

#[cfg(feature = "testing")]
#[test]
fn what_only_comes_back_is_made_for_tests() {
    use driftless_runtime::testing::value;

    use crate::types::{Cinema, Ring};

    let cinema: Cinema = value(&json!({"name": "Odeon"})).unwrap();
    assert_eq!((cinema.name.as_str(), cinema.seats, cinema.owner.name.as_str()), ("Odeon", 0, ""));
    assert!(cinema.id.is_nil() && cinema.films.is_empty() && !cinema.is_open && cinema.genre.as_str().is_empty());
    let wrong = value::<Cinema>(&json!({"seats": "many"})).unwrap_err();
    assert!(wrong.is_decode(), "{wrong}");
    // The type requires itself: it has no value.
    assert!(value::<Ring>(&json!({})).is_err());
    // Only tests create blank values.
    assert!(serde_json::from_value::<Cinema>(json!({"name": "Odeon"})).is_err());
}
