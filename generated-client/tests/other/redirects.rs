//! Redirections that the contract declares.

use driftless_runtime::auth::StaticToken;

use crate::Declared;
use crate::families::other::operations::GetArchive;
use crate::service::Service;
use crate::types::GetThumbnailResponse;

#[tokio::test]
async fn a_redirection_is_the_answer_and_is_not_followed() {
    let elsewhere = Service::start(200, &[], "\"stolen\"").await;
    let location = format!("location: {}/archive.zip?signature=secret", elsewhere.url);
    let service = Service::start(302, &[&location, "x-expires: 60"], "").await;
    let platform = service.builder().credential(StaticToken::new("the-token")).build().unwrap();
    let response = platform.other().get_archive().with_response().await.unwrap();
    assert_eq!(response.declared().x_expires().unwrap(), Some(60));
    let redirect = response.value();
    let place = format!("{}/archive.zip?signature=secret", elsewhere.url);
    assert_eq!((redirect.status().as_u16(), redirect.location()), (302, Some(place.as_str())));
    assert_eq!(Declared::<GetArchive>::from(redirect.headers()).location().unwrap(), Some(place));
    assert!(redirect.bytes().is_empty() && !format!("{redirect:?}").contains("secret"));
    assert_eq!(elsewhere.requests(), [""; 0], "nobody asked the client to go there");
}

#[tokio::test]
async fn an_address_may_be_relative_bad_or_missing_and_a_body_may_come() {
    let redirect = async |headers: &[&str], body: &str| {
        let service = Service::start(302, headers, body).await;
        (service.url.clone(), service.client().other().get_archive().await.unwrap())
    };
    let (url, relative) = redirect(&["location: ../b?c", "content-type: application/json"], "{\"a\": 1}").await;
    assert_eq!(relative.location(), Some(format!("{url}/b?c").as_str()));
    assert_eq!(relative.json::<driftless_runtime::Object>().unwrap().get::<i32>("a").unwrap(), Some(1));
    for headers in [&[][..], &["location: http://["], &["location: \u{fc}"]] {
        let (_, lost) = redirect(headers, "").await;
        assert_eq!((lost.status().as_u16(), lost.location()), (302, None), "{headers:?}");
    }
}

#[tokio::test]
async fn another_status_than_the_declared_ones_is_an_error() {
    for status in [200, 303, 307] {
        let service = Service::start(status, &["location: /b"], "\"a\"").await;
        let error = service.client().other().get_archive().await.unwrap_err();
        assert_eq!(error.status().map(|status| status.as_u16()), Some(status), "{error}");
        let raw = service.client().other().get_archive().raw().await;
        assert_eq!(raw.is_ok(), status == 200);
    }
}

#[tokio::test]
async fn beside_a_success_it_is_one_of_several_answers() {
    let thumbnail = async |status| {
        let service = Service::start(status, &["location: /b"], "\"a\"").await;
        let answer = service.client().other().get_thumbnail().await;
        (service.url.clone(), answer)
    };
    let (_, here) = thumbnail(200).await;
    assert!(matches!(here, Ok(GetThumbnailResponse::Ok(text)) if text == "a"));
    let (url, there) = thumbnail(302).await;
    let Ok(GetThumbnailResponse::Found(redirect)) = there else { panic!("{there:?}") };
    assert_eq!(redirect.location(), Some(format!("{url}/b").as_str()));
    // A redirect that preserves the request is no answer to it.
    let (_, moved) = thumbnail(307).await;
    assert_eq!(moved.unwrap_err().headers()["location"], "/b");
}
