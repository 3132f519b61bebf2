use super::*;

const JOB: Watched = Watched {
    path: "/rooms/{room}/jobs/{job}?api-version={api-version}&view=short",
    parameter: "job",
    header: Some("Operation-Location"),
};

fn addressed(text: &str) -> Result<(String, Vec<(String, String)>), Error> {
    let request = Url::parse("https://service.example/v1/rooms/7/start").unwrap();
    let base = Url::parse("https://service.example/v1").unwrap();
    let Addressed { id, parameters } = read(text, &JOB, &request, &base)?;
    Ok((id, parameters.into_iter().collect()))
}

#[test]
fn an_address_of_the_service_identifies_the_operation() {
    let version = ("api-version".to_owned(), "2".to_owned());
    for (text, id, room, has_version) in [
        ("https://service.example/v1/rooms/7/jobs/17", "17", "7", false),
        ("https://service.example:443/v1/rooms/7/jobs/17?api-version=2&t=secret", "17", "7", true),
        ("HTTPS://SERVICE.example/v1/rooms/7/jobs/17#end", "17", "7", false),
        ("/v1/rooms/7/jobs/17?x=1&api-version=2", "17", "7", true),
        ("//service.example/v1/rooms/7/jobs/17", "17", "7", false),
        ("/v1/Rooms/7/JOBS/17?api-version=", "17", "7", false),
        ("jobs/17", "17", "7", false),
        (" ../8/jobs/a%20b ", "a b", "8", false),
        ("/v1/rooms/%C3%A9/jobs/a%2Fb", "a/b", "\u{e9}", false),
    ] {
        let room = ("room".to_owned(), room.to_owned());
        let parameters = if has_version { vec![version.clone(), room] } else { vec![room] };
        assert_eq!(addressed(text).unwrap(), (id.to_owned(), parameters), "{text}");
    }
}

#[test]
fn an_address_of_something_else_is_an_error() {
    for text in [
        "",
        "   ",
        "https://",
        "https://[",
        "http://service.example/v1/rooms/7/jobs/17",
        "https://service.example:8443/v1/rooms/7/jobs/17",
        "https://service.example.evil.example/v1/rooms/7/jobs/17",
        "https://evil.example/v1/rooms/7/jobs/17",
        "//evil.example/v1/rooms/7/jobs/17",
        "https://user@service.example/v1/rooms/7/jobs/17",
        "https://service.example@evil.example/v1/rooms/7/jobs/17",
        "/v2/rooms/7/jobs/17",
        "/v11/rooms/7/jobs/17",
        "/v1",
        "/v1/rooms/7/jobs/17/",
        "/v1/rooms/7/jobs/17/result",
        "/v1/rooms/7/jobs/",
        "/v1/rooms//jobs/17",
        "/v1/rooms/7/jobs/../../../../v2/rooms/7/jobs/17",
        "/v1/rooms/7/jobs/%2e%2e",
        "/v1/rooms/7/jobs/%252e%252e",
        "/v1/rooms/7/jobs/a%2F..",
        "/v1/rooms/7/jobs/%ff",
        "data:text/plain,17",
        "mailto:17",
    ] {
        let error = addressed(text).expect_err(text);
        assert!(error.is_decode(), "{text}: {error}");
    }
}

#[test]
fn a_query_takes_the_parameters_that_are_known() {
    let known = |name: &str| (name == "v").then_some("1&x=2");
    for (query, expected) in [
        ("", ""),
        ("view=short", "view=short"),
        ("v={v}", "v=1%26x%3D2"),
        ("a=1&v={v}&w={w}&b", "a=1&v=1%26x%3D2&b"),
        ("w={w}", ""),
    ] {
        assert_eq!(fill_query(query, known), expected, "{query}");
    }
}
