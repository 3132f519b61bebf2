//! Pages of other origins (CORS): the origins that may call, the headers that they may read, and the paths that stay closed to
//! them.

use crate::browser::Browser;
use crate::support::{Caller, PROJECTS, http};
use platform_sandbox::{FaultRule, Options, RequestFilter, Sandbox};
use reqwest::{Method, Response};
use serde_json::json;

const PAGE: &str = "http://localhost:5173";
const OTHER: &str = "http://localhost:5174";

async fn started(origins: &[&str]) -> Sandbox {
    let cors = origins.iter().map(|&origin| origin.to_owned()).collect();
    platform_sandbox::start_with(Options { cors, ..Options::default() }).await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

/// The preflight of a browser before a page sends JSON with a token.
async fn preflight(base: &str, path: &str, origin: &str) -> Response {
    let request = http().request(Method::OPTIONS, format!("{base}{path}")).header("origin", origin);
    let request = request.header("access-control-request-method", "POST");
    request.header("access-control-request-headers", "authorization,content-type").send().await.unwrap()
}

async fn get(base: &str, path: &str, origin: &str) -> Response {
    http().get(format!("{base}{path}")).header("origin", origin).send().await.unwrap()
}

fn is_let_in(response: &Response, origin: &str) -> bool {
    header(response, "access-control-allow-origin") == Some(origin)
}

#[tokio::test]
async fn nobody_is_let_in_by_default() {
    let sandbox = started(&[]).await;
    for base in [sandbox.base_url(), sandbox.compliance_url()] {
        for answer in [preflight(base, PROJECTS, PAGE).await, get(base, PROJECTS, PAGE).await] {
            assert!(!answer.headers().keys().any(|name| name.as_str().starts_with("access-control")), "{answer:?}");
        }
    }
    assert_eq!(preflight(sandbox.base_url(), PROJECTS, PAGE).await.status(), 405);
}

#[tokio::test]
async fn an_origin_that_is_named_is_let_in_with_cookies_and_no_other_is() {
    let sandbox = started(&[PAGE, "https://app.example"]).await;
    let places = [
        (sandbox.base_url(), PROJECTS),
        (sandbox.base_url(), "/identity/.well-known/openid-configuration"),
        (sandbox.base_url(), "/identity/connect/token"),
        (sandbox.base_url(), "/graphql"),
        (sandbox.base_url(), "/sandbox/faults"),
        (sandbox.base_url(), "/nothing"),
        (sandbox.compliance_url(), "/api/compliance/frameworks"),
    ];
    for (base, path) in places {
        for origin in [PAGE, "https://app.example"] {
            let asked = preflight(base, path, origin).await;
            assert!(is_let_in(&asked, origin), "{path}: {asked:?}");
            assert_eq!(header(&asked, "access-control-allow-credentials"), Some("true"));
            assert_eq!(header(&asked, "access-control-allow-methods"), Some("POST"));
            assert_eq!(header(&asked, "access-control-allow-headers"), Some("authorization,content-type"));
            let answer = get(base, path, origin).await;
            assert!(is_let_in(&answer, origin), "{path}: {answer:?}");
            assert!(header(&answer, "vary").unwrap().to_ascii_lowercase().contains("origin"));
            let exposed = header(&answer, "access-control-expose-headers").unwrap();
            assert!(exposed.contains("location") && exposed.contains("retry-after"), "{exposed}");
        }
        for origin in [OTHER, "null", "http://localhost:51730", "http://app.example", "http://localhost:5173.example"] {
            for answer in [preflight(base, path, origin).await, get(base, path, origin).await] {
                assert_eq!(header(&answer, "access-control-allow-origin"), None, "{path} {origin}");
            }
        }
    }
}

/// A page can read why its request failed, and its preflight does not consume a fault.
#[tokio::test]
async fn a_fault_reaches_the_page_and_not_the_preflight() {
    let sandbox = started(&[PAGE]).await;
    sandbox.faults().next(1, PROJECTS, "status=503, retry-after=1".parse().unwrap()).unwrap();
    assert_eq!(preflight(sandbox.base_url(), PROJECTS, PAGE).await.status(), 200);
    let failed = get(sandbox.base_url(), PROJECTS, PAGE).await;
    assert_eq!((failed.status().as_u16(), header(&failed, "retry-after")), (503, Some("1")));
    assert!(is_let_in(&failed, PAGE));
}

/// As with WireMock's `--enable-stub-cors`, a preflight is answered before the rules for any request. A rule that names `OPTIONS`
/// applies to it, like a stub for `OPTIONS` without that flag. The rules are the same with and without `--cors`.
#[tokio::test]
async fn a_preflight_meets_the_faults_that_name_its_method() {
    for (origins, status) in [(&[PAGE][..], 200), (&["*"], 200), (&[], 405)] {
        let sandbox = started(origins).await;
        for base in [sandbox.base_url(), sandbox.compliance_url()] {
            let path = if base == sandbox.base_url() { PROJECTS } else { "/api/compliance/frameworks" };
            let any = sandbox.faults().next(1, path, "status=503".parse().unwrap()).unwrap();
            assert_eq!(preflight(base, path, PAGE).await.status(), status, "{origins:?}");
            let options = FaultRule::new("status=418".parse().unwrap())
                .matching(RequestFilter::new().method("OPTIONS").path(path))
                .times(1);
            let own = sandbox.faults().add(options).unwrap();
            let met = preflight(base, path, PAGE).await;
            assert_eq!(
                (met.status().as_u16(), header(&met, "access-control-allow-origin")),
                (418, None),
                "{origins:?}"
            );
            let last = sandbox.requests().last().pop().unwrap();
            assert_eq!((last.method.as_str(), last.fault_id), ("OPTIONS", Some(own)));
            // The rule for any request is still pending for the request itself.
            assert_eq!(sandbox.faults().list().iter().map(|waits| waits.id).collect::<Vec<_>>(), [any]);
            assert_eq!(preflight(base, path, PAGE).await.status(), status);
            assert_eq!(get(base, path, PAGE).await.status(), 503);
            // An `OPTIONS` request that is no preflight is a request like any other.
            sandbox.faults().next(1, path, "status=503".parse().unwrap()).unwrap();
            let plain = http().request(Method::OPTIONS, format!("{base}{path}")).send().await.unwrap();
            assert_eq!(plain.status(), 503, "{origins:?}");
            let reset = FaultRule::new("reset=before".parse().unwrap())
                .matching(RequestFilter::new().method("OPTIONS").path(path))
                .times(1);
            sandbox.faults().add(reset).unwrap();
            let asked = http().request(Method::OPTIONS, format!("{base}{path}")).header("origin", PAGE);
            assert!(asked.header("access-control-request-method", "POST").send().await.is_err(), "{origins:?}");
        }
    }
}

/// These pages are for navigation: no script of another origin may read them (RFC 9700, section 2.6).
#[tokio::test]
async fn the_pages_of_the_issuer_are_closed_to_pages_of_other_origins() {
    for origins in [[PAGE], ["*"]] {
        let sandbox = started(&origins).await;
        for path in ["/identity/connect/authorize", "/identity/account/login", "/identity/profile/api-tokens"] {
            for answer in [preflight(sandbox.base_url(), path, PAGE).await, get(sandbox.base_url(), path, PAGE).await] {
                assert_eq!(header(&answer, "access-control-allow-origin"), None, "{path}");
            }
        }
    }
}

#[tokio::test]
async fn any_origin_is_let_in_without_cookies_and_not_to_the_control() {
    let sandbox = started(&["*"]).await;
    for origin in [PAGE, OTHER, "null"] {
        for path in [PROJECTS, "/identity/connect/token", "/graphql"] {
            for answer in
                [preflight(sandbox.base_url(), path, origin).await, get(sandbox.base_url(), path, origin).await]
            {
                assert!(is_let_in(&answer, origin), "{path} {origin}");
                assert_eq!(header(&answer, "access-control-allow-credentials"), None);
            }
        }
        for path in ["/sandbox", "/sandbox/requests", "/sandbox/issuer/api-tokens"] {
            for answer in
                [preflight(sandbox.base_url(), path, origin).await, get(sandbox.base_url(), path, origin).await]
            {
                assert_eq!(header(&answer, "access-control-allow-origin"), None, "{path}");
            }
        }
    }
}

#[tokio::test]
async fn an_origin_that_no_browser_sends_is_refused_with_the_reason() {
    for (origins, says) in [
        (&["http://localhost:5173/"][..], "leave the path out"),
        (&["http://localhost:5173/app"], "leave the path out"),
        (&["localhost:5173"], "scheme, host and port"),
        (&["http://localhost:80"], "leave the port"),
        (&["https://app.example:443"], "leave the port"),
        (&["http://App.example"], "lower case"),
        (&["http://user@app.example"], "leave the path out"),
        (&["http://x:99999"], "from 1 to 65535"),
        (&["http://x:0"], "from 1 to 65535"),
        (&["http://x:"], "invalid CORS origin"),
        (&["http://x:05173"], "from 1 to 65535"),
        (&["http://-x"], "neither a name nor an address"),
        (&["http://999.1.1.1"], "neither a name nor an address"),
        (&["http://[::x]"], "invalid CORS origin"),
        (&["null"], "scheme, host and port"),
        (&[""], "invalid CORS origin"),
        (&["http://a b"], "invalid CORS origin"),
        (&["*", PAGE], "stands alone"),
        (&[PAGE, "http://*.example"], "in full"),
    ] {
        let cors = origins.iter().map(|&origin| origin.to_owned()).collect();
        let started = platform_sandbox::start_with(Options { cors, ..Options::default() }).await;
        let error = started.expect_err(&format!("{origins:?}"));
        assert_eq!(error.code(), "sandbox-cors", "{origins:?}");
        assert!(error.to_string().contains(says), "{origins:?}: {error}");
    }
}

/// The effect of the headers in a real browser. The page is of another sandbox: another port is another origin.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn a_browser_lets_a_page_of_a_named_origin_call() {
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return;
    };
    let page = started(&[]).await;
    for (origin, is_open) in [(page.base_url(), true), (PAGE, false)] {
        let sandbox = started(&[origin]).await;
        let token = Caller::new(&sandbox, 0).await.token().to_owned();
        browser.open(&format!("{}/swagger/v1/swagger.json", page.base_url())).await;
        browser.wait(&format!("location.href.startsWith({})", json!(page.base_url()))).await;
        let call = format!(
            "fetch({}, {{ method: 'POST', credentials: 'include', body: '{{}}', headers: {{ \
               authorization: {}, 'content-type': 'application/json', 'x-sandbox-fault': 'status=418, retry-after=7' }} }}) \
             .then(answer => answer.status + ' ' + answer.headers.get('retry-after'), error => error.name)",
            json!(format!("{}{PROJECTS}", sandbox.base_url())),
            json!(format!("Bearer {token}")),
        );
        let result = browser.value(&call).await;
        assert_eq!(result, json!(if is_open { "418 7" } else { "TypeError" }), "{origin}");
    }
}
