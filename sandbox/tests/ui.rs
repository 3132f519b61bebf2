//! The pages in a real browser: Debian's Chromium, headless. Without Chromium the test prints SKIPPED and checks nothing.

use std::path::Path;
use std::time::Duration;

use crate::browser::Browser;
use crate::support::{Caller, PROJECTS, deployment, project};
use platform_sandbox::{Options, Sandbox};
use serde_json::json;

/// Logs in as a user, from a page with a button for it, and returns to that page.
async fn log_in(browser: &mut Browser, sandbox: &Sandbox, page: &str) {
    browser.value("document.getElementById('log-in').click()").await;
    browser
        .wait("location.pathname === '/identity/account/login' && document.querySelector('input[name=password]')")
        .await;
    let password = sandbox.user("ada").unwrap().password();
    let log_in = format!(
        "document.querySelector('input[name=user]').value = 'ada'; document.querySelector('input[name=password]').value = {}; \
         document.querySelector('form').submit()",
        json!(password)
    );
    browser.value(&log_in).await;
    let back = format!("location.pathname === '{page}' && document.querySelector('#who button:not(#log-in)')");
    browser.wait(&back).await;
}

/// Creates deployments until a subscribed page displays one.
async fn wait_for_event(browser: &mut Browser, sandbox: &Sandbox, place: &str) {
    let caller = Caller::new(sandbox, 0).await;
    let is_shown = format!("document.querySelector('{place}').textContent.includes('workload-ready')");
    // The subscription begins at some moment after the click.
    let mut attempts = 0;
    while browser.value(&is_shown).await != json!(true) {
        attempts += 1;
        assert!(attempts < 200, "no event is shown");
        deployment(sandbox, &caller).await;
        sandbox.clock().advance(Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// GraphiQL is not a part of the program: `sandbox/graphiql/install.sh` installs it into the folder of this test.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn graphiql_runs_queries_and_subscriptions() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("graphiql");
    if !folder.join("node_modules").is_dir() {
        eprintln!("SKIPPED: GraphiQL is not installed; sandbox/graphiql/install.sh");
        return;
    }
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return;
    };
    let options = Options { graphiql: Some(folder), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    browser.open(&format!("{}/graphiql", sandbox.base_url())).await;
    browser.wait("document.getElementById('log-in')").await;
    // Without a login, the page explains that, and displays no stack of a script.
    browser.wait("document.querySelector('.graphiql-response')?.textContent.includes('log in first')").await;
    let text = browser.value("document.body.innerText").await;
    assert!(!text.as_str().unwrap().contains("graphiql.js") && !text.as_str().unwrap().contains("\"stack\""), "{text}");
    log_in(&mut browser, &sandbox, "/graphiql").await;
    browser.wait("document.querySelector('.graphiql-query-editor .cm-property')").await;
    browser.value("document.querySelector('.graphiql-execute-button').click()").await;
    browser.wait("document.querySelector('.graphiql-response')?.textContent.includes('viewer')").await;
    let text = browser.value("document.querySelector('.graphiql-response').textContent").await;
    assert!(text.as_str().unwrap().contains(&sandbox.user("ada").unwrap().id.to_string()), "{text}");
    browser.value("document.querySelector('button[aria-label=\"Show Documentation Explorer\"]').click()").await;
    browser.wait("document.querySelector('.graphiql-doc-explorer')?.textContent.includes('subscription')").await;
    browser
        .value(
            "document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.setValue(\
             'subscription { operationsChanged { operation { id state } event { kind } } }')",
        )
        .await;
    browser.value("document.querySelector('.graphiql-execute-button').click()").await;
    browser.wait("document.querySelector('.graphiql-execute-button[aria-label^=\"Stop\"]')").await;
    wait_for_event(&mut browser, &sandbox, ".graphiql-response").await;
}

#[tokio::test]
async fn a_folder_without_graphiql_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { graphiql: Some(folder.path().to_owned()), ..Options::default() };
    let error = platform_sandbox::start_with(options).await.unwrap_err();
    assert_eq!(error.code(), "sandbox-graphiql");
    assert!(error.to_string().contains("install.sh"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn a_person_logs_in_sends_requests_and_sees_what_goes_on() {
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return;
    };
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    caller.create(PROJECTS, &project(&sandbox)).await;

    // The contract: log in with the authorization code, then send a request from the form of an operation.
    browser.open(&format!("{}/swagger", sandbox.base_url())).await;
    browser.wait("document.querySelector('.opblock')").await;
    log_in(&mut browser, &sandbox, "/swagger/index.html").await;
    let list = "document.querySelector('.opblock-get:has([data-path=\"/api/projects/v1/projects\"])')";
    // The page renders only the visible part: its address opens the operation and scrolls to it.
    browser.open(&format!("{}/sandbox", sandbox.base_url())).await;
    let address = "swagger/index.html#/Projects/get_api_projects_v1_projects";
    browser.open(&format!("{}/{address}", sandbox.base_url())).await;
    browser.wait(&format!("{list}?.querySelector('.execute')")).await;
    browser.value(&format!("{list}.querySelector('.execute').click()")).await;
    let status = format!("{list}.querySelector('.live-responses-table tbody .response-col_status')?.textContent");
    browser.wait(&format!("{status}?.startsWith('200')")).await;
    let text = browser.value(&format!("{list}.querySelector('.live-responses-table tbody').textContent")).await;
    assert!(text.as_str().unwrap().contains("\"name\": \"Aurora\""), "{text}");
    // The displayed request for the shell has no token.
    let text = browser.value("document.body.textContent").await;
    assert!(text.as_str().unwrap().contains("curl -X") && !text.as_str().unwrap().contains("Bearer ey"));

    // The initial body of the creation is a valid request.
    browser.open(&format!("{}/swagger/index.html#/Projects/post_api_projects_v1_projects", sandbox.base_url())).await;
    let post = "document.querySelector('.opblock-post:has([data-path=\"/api/projects/v1/projects\"])')";
    browser.wait(&format!("{post}?.querySelector('.execute')")).await;
    browser.value(&format!("{post}.querySelector('.execute').click()")).await;
    let status = format!("{post}.querySelector('.live-responses-table tbody .response-col_status')?.textContent");
    browser.wait(&format!("{status}?.startsWith('201')")).await;
    let names = caller.get_json(PROJECTS).await;
    assert!(names.as_array().unwrap().iter().any(|project| project["name"] == "My project"), "{names}");

    // Documented operations come first, assumed ones are marked, and the filter matches path, method and summary.
    browser.open(&format!("{}/swagger", sandbox.base_url())).await;
    browser.wait("document.querySelectorAll('.opblock').length >= 5").await;
    let marks = "[...document.querySelectorAll('.opblock .provenance')].map((mark) => mark.textContent).join(' ')";
    let marks = browser.value(marks).await.as_str().unwrap().to_owned();
    assert!(marks.starts_with("documented documented documented assumed"), "{marks}");
    let paths = "[...document.querySelectorAll('.opblock-summary-path')].map((path) => path.dataset.path)";
    browser.value("document.querySelector('.operation-filter-input').focus()").await;
    browser.write("shutdown-timer").await;
    browser.wait(&format!("{paths}.length > 0 && {paths}.every((path) => path.includes('shutdown-timer'))")).await;
    browser.value("document.querySelector('.operation-filter-input').select()").await;
    browser.write("documented").await;
    browser.wait(&format!("{paths}.length === 3")).await;

    // GraphQL: the initial query of the page, and the schema.
    browser.open(&format!("{}/graphiql", sandbox.base_url())).await;
    browser.wait("document.getElementById('schema')?.textContent.includes('type Operation')").await;
    browser.value("document.getElementById('run').click()").await;
    browser.wait("document.getElementById('result').textContent.includes('— end —')").await;
    let text = browser.value("document.getElementById('result').textContent").await;
    assert!(text.as_str().unwrap().contains(&sandbox.user("ada").unwrap().id.to_string()), "{text}");
    // A subscription continues to report.
    browser
        .value(
            "document.getElementById('query').value = \
             'subscription { operationsChanged { operation { id state } event { kind } } }'; \
             document.getElementById('run').click()",
        )
        .await;
    wait_for_event(&mut browser, &sandbox, "#result").await;

    // A login from a fragment of a page leads back to it, and the login page has links to the other pages.
    browser.open(&format!("{}/sandbox#/clock", sandbox.base_url())).await;
    browser.value("document.querySelector('#who button').click()").await;
    browser.wait("document.getElementById('log-in')").await;
    browser.open(&format!("{}/identity/account/login", sandbox.base_url())).await;
    for link in ["/sandbox", "/swagger/index.html", "/graphiql"] {
        browser.wait(&format!("document.querySelector('a[href=\"{link}\"]')")).await;
    }
    browser.open(&format!("{}/sandbox#/clock", sandbox.base_url())).await;
    browser.value("document.getElementById('log-in').click()").await;
    browser
        .wait("location.pathname === '/sandbox' && location.hash === '#/clock' && !document.getElementById('log-in')")
        .await;

    // An API token: created, and used for a request.
    browser.open(&format!("{}/profile/api-tokens", sandbox.auth_url())).await;
    browser.wait("document.querySelector('input[name=name]')").await;
    browser
        .value("document.querySelector('input[name=name]').value = 'robot'; document.querySelector('form').submit()")
        .await;
    browser.wait("document.getElementById('token')").await;
    let token = browser.value("document.getElementById('token').textContent").await.as_str().unwrap().to_owned();
    assert_eq!(Caller::with_token(&sandbox, token).get(PROJECTS).await.status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn a_click_signs_in_and_a_request_is_sent_again_edited() {
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return;
    };
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let broken = caller.request(reqwest::Method::POST, PROJECTS).header("content-type", "application/json").body("{");
    assert_eq!(broken.send().await.unwrap().status(), 400);
    let number = sandbox.requests().last().last().unwrap().number;
    browser.open(&format!("{}/sandbox#/addresses", sandbox.base_url())).await;
    browser.click("[data-user=ada]").await;
    browser.wait("location.hash === '#/addresses' && document.querySelector('#who button:not(#log-in)')").await;
    // The console shows the body that was refused, and sends another one.
    browser.value(&format!("location.hash = '#/requests/{number}'")).await;
    browser.wait("document.querySelector('#again-body')?.value === '{'").await;
    browser.fill("#again-body", &project(&sandbox).to_string()).await;
    browser.click("#again-send").await;
    browser.wait_text("#again-answer", "201").await;
    assert_eq!(caller.get_json(PROJECTS).await.as_array().unwrap().len(), 1);
    browser.value("location.hash = '#/issuer'").await;
    browser.wait("document.querySelector('#token-lifetime')?.value === '3600'").await;
    browser.fill("#token-lifetime", "77").await;
    browser.click("#issuer-save").await;
    browser.wait_text("#notices", "Saved").await;
    let settings = crate::support::fetch(format!("{}/sandbox/issuer", sandbox.base_url())).await.unwrap();
    assert_eq!(settings.json::<serde_json::Value>().await.unwrap()["tokenLifetimeSeconds"], 77);
}
