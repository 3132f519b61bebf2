use support::{Reply, Server};

use super::support;
use crate::{Client, ClientBuilder};
use crate::{codegen::prelude::*, protocol::to_value};

/// A JSON value.
macro_rules! json {
    ($($json:tt)+) => {
        Value::from(serde_json::json!($($json)+))
    };
}

/// Sends one value as one parameter of `/x` or `/x/{p}`, and returns the target, or the value of the header.
async fn send(parameter: Parameter, value: impl Argument) -> Result<String, Error> {
    let server = Server::always(Reply::json(200, "null")).await;
    let platform = Client::builder(&server.url).build()?;
    let in_path = format!("{parameter:?}").contains("Path");
    let operation = Operation {
        name: "probe",
        path: if in_path { "/x/{p}" } else { "/x" },
        parameters: Box::leak(Box::new([parameter])),
        ..Operation::family("test")
    };
    let operation: &'static Operation = Box::leak(Box::new(operation));
    platform.call::<()>(operation, &[&value], Payload::None, decode::empty).await?;
    let request = server.last();
    Ok(match request.header("p").or(request.header("cookie")) {
        Some(value) => value.to_owned(),
        None => request.target,
    })
}

async fn table(cases: Vec<(Parameter, Value, &str)>) {
    for (parameter, value, expected) in cases {
        let sent = send(parameter, value.clone()).await.unwrap();
        assert_eq!(sent, expected, "{parameter:?} {value}");
    }
}

fn list() -> Value {
    json!(["blue", "black", "brown"])
}

fn object() -> Value {
    [("R", 100), ("G", 200), ("B", 150)].into_iter().collect::<Object>().into()
}

#[tokio::test]
async fn whole_floats_are_sent_without_a_fraction() {
    assert_eq!(send(path("p"), 7.0).await.unwrap(), "/x/7");
    assert_eq!(send(query("p"), 7.0_f32).await.unwrap(), "/x?p=7");
    assert_eq!(send(query("p"), [-7.0, 0.5, 1e300]).await.unwrap(), "/x?p=-7&p=0.5&p=1e%2B300");
    assert_eq!(send(query("p"), Value::from([-7.0, 0.5, 1e300])).await.unwrap(), "/x?p=-7&p=0.5&p=1e%2B300");
    assert_eq!(send(query("p").json(), BTreeMap::from([("a", 7.0)])).await.unwrap(), "/x?p=%7B%22a%22%3A7%7D");
    assert_eq!(send(header("p"), 7.0).await.unwrap(), "7");
    // A value that was read is sent with the same digits.
    let read: Value = serde_json::from_str("[7.0,1.10]").unwrap();
    assert_eq!(send(query("p").unexploded(), read).await.unwrap(), "/x?p=7.0,1.10");
}

/// JSON has neither NaN nor infinity, and null would be left out, or have another meaning: nothing is sent, wherever
/// the number is.
#[tokio::test]
async fn numbers_that_json_does_not_have_are_errors() {
    use std::collections::BTreeMap;

    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let single = [f32::NAN, f32::INFINITY][usize::from(number.is_infinite())];
        let inside: [Box<dyn Argument>; 10] = [
            Box::new(number),
            Box::new(single),
            Box::new(Some(number)),
            Box::new(vec![1.0, number]),
            Box::new((1, number)),
            Box::new(BTreeMap::from([("a", Some([number]))])),
            Box::new(super::types::Circle { radius: number }),
            Box::new(Some(super::types::Either::Number(number))),
            Box::new(Value::from(number)),
            Box::new(Object::from_iter([("a", vec![number])])),
        ];
        for (index, value) in inside.iter().enumerate() {
            assert!(crate::protocol::to_bytes(&**value).is_err(), "{number} in {index}");
        }
        for parameter in [query("p"), path("p"), header("p")] {
            let error = send(parameter, number).await.unwrap_err();
            assert!(error.to_string().contains("`p`") && !error.is_retryable(), "{error}");
        }
    }
    let whole = (1.0, Some(2.5f32), None::<f64>, serde_json::json!({ "a": [1.5] }));
    assert_eq!(crate::protocol::to_bytes(&whole).unwrap(), br#"[1,2.5,null,{"a":[1.5]}]"#);
}

#[tokio::test]
async fn an_operation_with_servers_of_its_own_is_sent_by_a_client_of_one_of_them_only() {
    let server = Server::always(Reply::json(200, "null")).await;
    let send = |builder: ClientBuilder, own: &'static [&'static str]| async move {
        let operation = Operation { name: "probe", path: "/x", servers: own, ..Operation::family("test") };
        let operation: &'static Operation = Box::leak(Box::new(operation));
        builder.build()?.call::<()>(operation, &[], Payload::None, decode::empty).await
    };
    let at = |path: &str| Client::builder(format!("{}{path}", server.url));
    let leak = |text: String| -> &'static [&'static str] { Box::leak(Box::new([&*Box::leak(text.into_boxed_str())])) };
    let other = leak(format!("{}/v2", server.url));
    let elsewhere: &[&[&str]] =
        &[&["/v2"], &["https://files.example"], &["not//an:address"], &["https://{}.files.example"]];
    for (path, own) in [("/v1", other), ("", other)].into_iter().chain(elsewhere.iter().map(|own| ("", *own))) {
        let error = send(at(path), own).await.unwrap_err();
        assert!(
            error.is_request() && error.to_string().contains(own[0]) && !error.is_retryable(),
            "{path} {own:?}: {error}"
        );
    }
    assert!(server.requests().is_empty());
    let several: &[&str] = &["https://eu.example", "/v2"];
    for own in
        [other, &["/v2"], &["/v2/"], &[], several, &["/{}"], leak(server.url.replace("127.0.0.1", "{.}") + "/{}")]
    {
        send(at("/v2"), own).await.unwrap();
    }
    assert_eq!(server.requests().len(), 7);
    // A server that has everything, as whoever builds the client says.
    for own in elsewhere {
        send(at("").operations_of_other_servers(), own).await.unwrap();
    }
    assert_eq!(server.requests().len(), 11);
}

/// Two lists that differ are never written as one text, in any style and location: an ambiguous list is an error.
#[test]
fn no_two_lists_are_written_alike() {
    use crate::protocol::{Style, style};

    let items = ["a", "b", "a,b", "a|b", "a b", "a\tb", "a.b", "a;p=b", "a&p=b", "a%20b", "a+b", ","];
    let lists: Vec<Vec<&str>> = items
        .iter()
        .map(|item| vec![*item])
        .chain(items.iter().flat_map(|one| items.iter().map(move |other| vec![*one, *other])))
        .collect();
    let query: fn(Style, &Value, style::Encode) -> Option<String> =
        |style, value, encode| Some(style::pairs("p", style, value, encode).join("&"));
    let path: fn(Style, &Value, style::Encode) -> Option<String> =
        |style, value, encode| style::expand("p", style, value, encode);
    let (in_query, in_path) = (
        [Style::Form, Style::FormUnexploded, Style::Space, Style::Pipe, Style::Tab],
        [
            Style::Simple,
            Style::SimpleExploded,
            Style::Label,
            Style::LabelExploded,
            Style::Matrix,
            Style::MatrixExploded,
        ],
    );
    let places = in_query
        .into_iter()
        .flat_map(|how| {
            [style::strict as style::Encode, style::reserved, style::form].map(|encode| (how, encode, query))
        })
        .chain(
            in_path
                .into_iter()
                .flat_map(|how| [style::strict as style::Encode, style::reserved].map(|encode| (how, encode, path))),
        )
        .chain([(Style::Simple, style::plain as style::Encode, path), (Style::SimpleExploded, style::plain, path)]);
    for (how, encode, write) in places {
        let mut written: BTreeMap<String, &Vec<&str>> = BTreeMap::new();
        for list in &lists {
            let value = Value::from(serde_json::json!(list));
            if style::check("p", how, &value, encode).is_err() {
                continue;
            }
            let text = write(how, &value, encode).unwrap();
            if let Some(other) = written.insert(text.clone(), list) {
                panic!("{how:?}: {list:?} and {other:?} are both {text}");
            }
        }
        assert!(written.len() > 4, "{how:?} takes {} lists only", written.len());
    }
}

#[tokio::test]
async fn an_item_that_holds_its_separator_is_an_error_before_sending() {
    for parameter in
        [query("p").pipe(), query("p").space(), query("p").tab(), header("p"), path("p").label().exploded()]
    {
        let item = if format!("{parameter:?}").contains("Pipe") {
            "a|b"
        } else if format!("{parameter:?}").contains("Path") {
            "d.e"
        } else {
            "a b\tc,d"
        };
        let error = send(parameter, json!(["x", item])).await.unwrap_err();
        assert!(error.to_string().contains("separates the items") && !error.is_retryable(), "{error}");
    }
}

#[tokio::test]
async fn path_parameters_in_every_style() {
    table(vec![
        (path("p"), json!(5), "/x/5"),
        (path("p"), list(), "/x/blue,black,brown"),
        (path("p"), object(), "/x/R,100,G,200,B,150"),
        (path("p").exploded(), object(), "/x/R=100,G=200,B=150"),
        (path("p").label(), json!("blue"), "/x/.blue"),
        (path("p").label(), list(), "/x/.blue,black,brown"),
        (path("p").label().exploded(), list(), "/x/.blue.black.brown"),
        (path("p").label(), object(), "/x/.R,100,G,200,B,150"),
        (path("p").label().exploded(), object(), "/x/.R=100.G=200.B=150"),
        (path("p").matrix(), json!("blue"), "/x/;p=blue"),
        (path("p").matrix(), list(), "/x/;p=blue,black,brown"),
        (path("p").matrix().exploded(), list(), "/x/;p=blue;p=black;p=brown"),
        (path("p").matrix(), object(), "/x/;p=R,100,G,200,B,150"),
        (path("p").matrix().exploded(), object(), "/x/;R=100;G=200;B=150"),
        (path("p").pipe(), list(), "/x/blue%7Cblack%7Cbrown"),
        (path("p").json(), json!({"a": [1]}), "/x/%7B%22a%22%3A%5B1%5D%7D"),
        (path("p").reserved(), json!("src/main.rs"), "/x/src/main.rs"),
        (path("p"), json!("a b?c#d&e=ü,;"), "/x/a%20b%3Fc%23d%26e%3D%C3%BC%2C%3B"),
        (path("p"), json!("50%"), "/x/50%25"),
        (path("p"), json!("..."), "/x/..."),
        (path("p"), json!("a/b"), "/x/a%2Fb"),
        (path("p"), json!("/"), "/x/%2F"),
        (path("p"), json!("a//b\\.c/"), "/x/a%2F%2Fb%5C.c%2F"),
        (path("p"), json!("a%2fb"), "/x/a%252fb"),
        (path("p"), json!(["a/b", "c"]), "/x/a%2Fb,c"),
        (path("p"), json!("a\u{2215}b"), "/x/a%E2%88%95b"),
    ])
    .await;
}

#[tokio::test]
async fn query_parameters_in_every_style() {
    table(vec![
        (query("p"), json!("a b&c"), "/x?p=a%20b%26c"),
        (query("p"), json!(true), "/x?p=true"),
        (query("p"), json!(""), "/x?p="),
        (query("p"), json!(null), "/x"),
        (query("p"), json!([]), "/x"),
        (query("p").unexploded(), json!([]), "/x"),
        (query("p"), list(), "/x?p=blue&p=black&p=brown"),
        (query("p"), object(), "/x?R=100&G=200&B=150"),
        (query("p"), json!({"a": [1, 2], "b": null}), "/x?a=1&a=2"),
        (query("p").unexploded(), json!(["a,b", "c"]), "/x?p=a%2Cb,c"),
        (query("p").unexploded(), object(), "/x?p=R,100,G,200,B,150"),
        (query("p").space(), list(), "/x?p=blue%20black%20brown"),
        (query("p").pipe(), list(), "/x?p=blue%7Cblack%7Cbrown"),
        (query("p").tab(), list(), "/x?p=blue%09black%09brown"),
        (query("p").pipe().exploded(), list(), "/x?p=blue&p=black&p=brown"),
        (query("p").deep(), object(), "/x?p%5BR%5D=100&p%5BG%5D=200&p%5BB%5D=150"),
        (query("p").deep(), json!({"a": {"b": [1, 2]}}), "/x?p%5Ba%5D%5Bb%5D=1&p%5Ba%5D%5Bb%5D=2"),
        (query("p").json(), json!({"a": 1}), "/x?p=%7B%22a%22%3A1%7D"),
        (query("p").reserved(), json!("a/b?c=d&e#f+g"), "/x?p=a/b?c=d%26e%23f%2Bg"),
        (query("$p"), json!(1), "/x?%24p=1"),
    ])
    .await;
}

#[tokio::test]
async fn decimals_keep_their_digits() {
    let text = |decimal: &str| to_value(&Decimal::new(decimal).unwrap()).unwrap().to_string();
    for decimal in ["79228162514264337593543950335", "19.90", "1"] {
        assert_eq!(text(decimal), decimal);
    }
}

#[tokio::test]
async fn headers_and_cookies_in_every_style() {
    table(vec![
        (header("p"), json!("a b,c"), "a b,c"),
        (header("p"), list(), "blue,black,brown"),
        (header("p"), object(), "R,100,G,200,B,150"),
        (header("p").exploded(), object(), "R=100,G=200,B=150"),
        (header("p").pipe(), list(), "blue|black|brown"),
        (header("p").tab(), list(), "blue\tblack\tbrown"),
        (header("p").json(), json!({"a": 1}), "{\"a\":1}"),
        (header("p"), json!(null), "/x"),
        (cookie("sid"), json!("a;b c"), "sid=a%3Bb%20c"),
        (cookie("sid"), list(), "sid=blue; sid=black; sid=brown"),
        (cookie("sid").unexploded(), list(), "sid=blue,black,brown"),
        (cookie("sid"), json!(null), "/x"),
        // The service looks for exactly this name.
        (cookie("$sid!#&'*+^`|~.x-y_Z"), json!("a=b"), "$sid!#&'*+^`|~.x-y_Z=a%3Db"),
        (cookie("sid"), json!({"a.b$": "1;2"}), "a.b$=1%3B2"),
    ])
    .await;
}

#[tokio::test]
async fn no_cookie_has_a_name_that_others_would_read_otherwise() {
    for name in ["a=b;c", "a b", "a,b", "", "a[b]", "größe", "a\"b", "a\r\nb", "a%3Db;c"] {
        let value = [(name, 1)].into_iter().collect::<Object>();
        let error = send(cookie("sid"), Value::from(value)).await.unwrap_err();
        assert!(error.to_string().contains("`sid`"), "{name:?}: {error}");
    }
}

#[tokio::test]
async fn the_header_and_the_parameters_of_cookies_go_together() {
    static OPERATION: Operation = Operation {
        path: "/x",
        parameters: &[Parameter::cookie("first"), Parameter::header("Cookie"), Parameter::cookie("last")],
        ..Operation::family("test")
    };
    let server = Server::always(Reply::new(204, &[], "")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    platform.call::<()>(&OPERATION, &[&"1", &"a=b; c=d", &"2"], Payload::None, decode::empty).await.unwrap();
    assert_eq!(server.last().header("cookie"), Some("a=b; c=d; first=1; last=2"));
}

#[tokio::test]
async fn nothing_leaves_the_template() {
    let refused = [
        "",
        ".",
        "..",
        "../x",
        "a/..",
        "a/../b",
        "./a",
        "..\\..\\x",
        "a\\.",
        "%2e%2e",
        "%2E",
        "%2e%2e%2fx",
        "a%2f..%5cb",
        "%252e%252e",
        "a\0b",
        "%00",
        "a\r\nb",
        "a/\n",
        "\u{85}",
        "%0a",
        "%252525252f",
    ];
    for value in refused {
        let error = send(path("p"), json!(value)).await.unwrap_err();
        assert!(error.is_request(), "{value:?}: {error}");
        assert!(error.to_string().contains("`p`"), "{error}");
        let in_list = send(path("p"), json!(["a", value])).await.unwrap_err();
        assert!(in_list.is_request(), "{value:?}: {in_list}");
    }
    for value in [json!(null), json!([]), json!({})] {
        assert!(send(path("p"), value.clone()).await.unwrap_err().is_request(), "{value}");
    }
    for value in ["../etc", "a/../b", "a//b", "/a", "a/", "a/%2e%2e/b"] {
        assert!(send(path("p").reserved(), json!(value)).await.unwrap_err().is_request(), "{value}");
    }
}

#[tokio::test]
async fn what_the_path_of_the_contract_fixes_is_sent() {
    static FIXED: Operation = Operation {
        name: "probe",
        path: "/a%20b/%C3%BC/{p}",
        query: "kind=all&n=%27",
        headers: &[("X-Action", "List")],
        parameters: &[path("p"), query("page")],
        ..Operation::family("test")
    };
    let server = Server::always(Reply::json(200, "null")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    platform.call::<()>(&FIXED, &[&"x", &None::<i32>], Payload::None, decode::empty).await.unwrap();
    assert_eq!(server.last().target, "/a%20b/%C3%BC/x?kind=all&n=%27");
    assert_eq!(server.last().header("x-action"), Some("List"));
    platform.call::<()>(&FIXED, &[&"x", &Some(2)], Payload::None, decode::empty).await.unwrap();
    assert_eq!(server.last().target, "/a%20b/%C3%BC/x?kind=all&n=%27&page=2");
}

#[tokio::test]
async fn header_values_with_line_breaks_are_refused_without_echo() {
    for value in ["canary\r\nx: y", "canary\n", "canary\0"] {
        for parameter in [header("p"), header("p").exploded()] {
            let error = send(parameter, json!(value)).await.unwrap_err();
            assert!(error.is_request());
            assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        }
    }
    // JSON text escapes them.
    assert_eq!(send(header("p").json(), json!("a\r\nb")).await.unwrap(), "\"a\\r\\nb\"");
}

#[tokio::test]
async fn the_version_of_the_interface_is_configured_once() {
    static QUERY: Operation = Operation {
        name: "probe",
        path: "/x",
        api_version: Some(query("api-version").default_value("1.0")),
        ..Operation::family("test")
    };
    static PATH: Operation = Operation {
        name: "probe",
        path: "/v{version}/x",
        api_version: Some(path("version")),
        ..Operation::family("test")
    };
    let server = Server::always(Reply::json(200, "null")).await;
    let plain = Client::builder(&server.url).build().unwrap();
    let chosen = Client::builder(&server.url).api_version("2.0").build().unwrap();
    plain.call::<()>(&QUERY, &[], Payload::None, decode::empty).await.unwrap();
    assert_eq!(server.last().target, "/x?api-version=1.0");
    chosen.call::<()>(&QUERY, &[], Payload::None, decode::empty).await.unwrap();
    assert_eq!(server.last().target, "/x?api-version=2.0");
    chosen.call::<()>(&PATH, &[], Payload::None, decode::empty).await.unwrap();
    assert_eq!(server.last().target, "/v2.0/x");
    let sent = server.requests().len();
    let error = plain.call::<()>(&PATH, &[], Payload::None, decode::empty).await.unwrap_err();
    assert!(error.to_string().contains("`version`") && format!("{error:?}").contains("api_version("), "{error:?}");
    static WITHOUT: Operation =
        Operation { name: "probe", path: "/x", api_version: Some(query("api-version")), ..Operation::family("test") };
    let error = plain.call::<()>(&WITHOUT, &[], Payload::None, decode::empty).await.unwrap_err();
    assert_eq!(error.code(), "configuration", "{error}");
    assert_eq!(server.requests().len(), sent, "nothing is sent without a version");
    chosen.call::<()>(&WITHOUT, &[], Payload::None, decode::empty).await.unwrap();
    assert_eq!(server.last().target, "/x?api-version=2.0");
}

#[tokio::test]
async fn what_is_optional_is_set_on_the_call() {
    static OPERATION: Operation = Operation {
        method: Post,
        path: "/{id}",
        parameters: &[
            Parameter::path("id"),
            Parameter::query("category"),
            Parameter::header("X-Page"),
            Parameter::cookie("mode"),
        ],
        ..Operation::family("test")
    };
    let server = Server::always(Reply::new(204, &[], "")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    let call = || platform.call::<()>(&OPERATION, &[&"a"], Payload::None, decode::empty);
    call().await.unwrap();
    let sent = server.last();
    assert_eq!((sent.target.as_str(), sent.header("x-page"), sent.header("cookie")), ("/a", None, None));
    let mut set = call();
    {
        // An argument is written when it is set, and not borrowed.
        let category = "x & y".to_owned();
        set.set(3, &"dark");
        set.set(1, &"replaced");
        set.set(1, &category);
        set.set(2, &2);
        set.set_body(Payload::Json(&[1]));
        set.set_body(Payload::Text("last"));
    }
    set.no_retry().await.unwrap();
    let sent = server.last();
    assert_eq!(sent.target, "/a?category=x%20%26%20y");
    assert_eq!((sent.header("x-page"), sent.header("cookie")), (Some("2"), Some("mode=dark")));
    assert_eq!((sent.header("content-type"), sent.text().as_str()), (Some("text/plain; charset=utf-8"), "last"));
    // A value that cannot be sent is an error when the call is awaited; the first one is reported.
    let before = server.requests().len();
    let mut broken = call();
    broken.set(2, &"line\nbreak");
    assert!(broken.await.unwrap_err().to_string().contains("X-Page"));
    let mut broken = call();
    broken.set(9, &1);
    broken.set(1, &"fine");
    assert!(broken.await.unwrap_err().to_string().contains("no such parameter"));
    assert_eq!(server.requests().len(), before);
}
