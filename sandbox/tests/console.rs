//! The console in a real browser: Debian's Chromium, headless. Without Chromium the tests print SKIPPED and check nothing.

use std::process::Command;
use std::time::Duration;

use crate::browser::Browser;
use crate::support;
use crate::support::{Caller, PROJECTS, deployment, deployment_with, project};
use platform_sandbox::{FaultRule, Sandbox};
use serde_json::{Value, json};

/// A browser on a part of a new sandbox's console.
async fn console(part: &str) -> Option<(Browser, Sandbox)> {
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return None;
    };
    let sandbox = platform_sandbox::start().await.unwrap();
    open(&mut browser, &sandbox, part).await;
    Some((browser, sandbox))
}

async fn open(browser: &mut Browser, sandbox: &Sandbox, part: &str) {
    browser.open(&format!("{}/sandbox#/{part}", sandbox.base_url())).await;
    browser.wait("document.querySelector('#live')?.textContent === '● live'").await;
}

/// The scripts of the page had no error, and the page sent no request to other servers.
fn is_quiet(browser: &Browser, sandbox: &Sandbox) {
    assert_eq!(browser.complaints, Vec::<String>::new());
    let own = |address: &String| {
        address.starts_with(sandbox.base_url()) || address.starts_with("data:") || address == "about:blank"
    };
    assert_eq!(browser.requests.iter().filter(|address| !own(address)).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// A project of this name, by the API.
async fn make_project(sandbox: &Sandbox, caller: &Caller<'_>, name: &str) -> String {
    let mut fields = project(sandbox);
    fields["name"] = name.into();
    let created = caller.create(PROJECTS, &fields).await;
    format!("{PROJECTS}/{}", created["id"].as_str().unwrap())
}

/// Runs lines with a POSIX shell, and returns their output.
async fn shell(lines: String, token: &str) -> String {
    let token = token.to_owned();
    let output = tokio::task::spawn_blocking(move || {
        Command::new("sh").args(["-ec", &lines]).env("TOKEN", token).output().unwrap()
    })
    .await
    .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn has_curl() -> bool {
    let has = Command::new("curl").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has {
        eprintln!("SKIPPED: there is no `curl` on this machine");
    }
    has
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn the_overview_counts_and_a_reset_empties_what_is_shown() {
    let Some((mut browser, sandbox)) = console("").await else { return };
    browser.wait_text(".empty:not([hidden])", "No request has come yet").await;
    browser.wait_text("#choices", "own choice").await;
    let caller = Caller::new(&sandbox, 0).await;
    let (id, _) = deployment(&sandbox, &caller).await;
    sandbox.faults().always("/api", "latency=1".parse().unwrap()).unwrap();
    browser.wait_text("#figure-requests", "4requests").await;
    browser.wait(&format!("document.querySelector('#operations a[href=\"#/operations/{id}\"]')")).await;
    browser.wait_text("#figure-faults", "1fault waits").await;
    browser.wait_text("#faults-shown:not([hidden])", "1 fault active").await;
    let items = browser.text("#figure-items").await;
    // The console resets the ticked parts, and no others.
    browser.click("#reset").await;
    browser.click("input[name=requests]").await;
    browser.click("#reset-now").await;
    browser.wait("document.querySelector('#faults-shown').hidden").await;
    browser.wait("document.querySelectorAll('#operations tr').length === 0").await;
    browser.wait_text("#figure-requests", "4requests").await;
    assert_ne!(browser.text("#figure-items").await, items);
    sandbox.reset().unwrap();
    browser.wait_text("#figure-requests", "0requests").await;
    browser.wait("document.querySelectorAll('#requests tr').length === 0").await;
    is_quiet(&browser, &sandbox);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn the_clock_ticks_says_when_it_is_held_and_is_moved() {
    let Some((mut browser, sandbox)) = console("clock").await else { return };
    let text = browser.text("#clock").await;
    browser.wait(&format!("document.querySelector('#clock').textContent !== {}", json!(text))).await;
    browser.click("#hold").await;
    browser.wait_text("#clock", "held").await;
    assert!(sandbox.clock().pace() == 0.0);
    let caller = Caller::new(&sandbox, 0).await;
    deployment(&sandbox, &caller).await;
    browser.wait_text("#next .state-Queued", "Queued").await;
    browser.click("#next button").await;
    browser.wait_text("#next .state-Running", "Running").await;
    browser.click("[data-step='60000']").await;
    browser.wait_text(".two", "Nothing is planned").await;
    browser.fill("#set-to", "2030-01-31T12:00:00").await;
    browser.click("#set").await;
    browser.wait_text("#clock", "2030-01-31 12:00:00 held").await;
    browser.fill("#pace", "60").await;
    browser.wait_text("#clock", "×60").await;
    browser.click("#clock-reset").await;
    browser.wait("!document.querySelector('#clock').textContent.startsWith('2030')").await;
    assert!(sandbox.clock().pace() == 1.0);
    is_quiet(&browser, &sandbox);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn an_item_is_edited_and_deleted_and_the_api_shows_it() {
    let Some((mut browser, sandbox)) = console("state").await else { return };
    let caller = Caller::new(&sandbox, 0).await;
    let hostile = "<img src=x onerror='document.title=1'>";
    let address = make_project(&sandbox, &caller, hostile).await;
    browser.fill(".list input[type=search]", "projects/v1/projects").await;
    browser.click(&format!("#collections a[title='{PROJECTS}']")).await;
    // A name that contains markup is displayed as text.
    browser.wait_text("#items", hostile).await;
    assert_eq!(browser.value("document.querySelectorAll('img').length").await, 0);
    browser.fill(".detail input[type=search]", "onerror").await;
    browser.wait("document.querySelectorAll('#items tr').length === 1").await;
    browser.click("#items a.row").await;
    browser.wait_text("#fields", "onerror").await;
    // The member that groups items is the team here.
    browser.wait_text(".detail .pairs", &format!("Team{}", &sandbox.team().id.to_string()[..8])).await;
    browser.click("#edit").await;
    browser.fill("#editor", "{").await;
    browser.click("#save").await;
    browser.wait_text(".problem", "This is not JSON").await;
    let mut fields = caller.get_json(&address).await;
    fields["id"] = json!("other");
    browser.fill("#editor", &fields.to_string()).await;
    browser.click("#save").await;
    browser.wait_text(".problem", "$.id: The identifier of an item cannot be changed.").await;
    fields = caller.get_json(&address).await;
    fields["name"] = json!("Edited");
    browser.fill("#editor", &fields.to_string()).await;
    browser.click("#save").await;
    browser.wait_text("#fields", "Edited").await;
    assert_eq!(caller.get_json(&address).await["name"], "Edited");
    // Changes by the API appear here.
    let change = json!({ "name": "Changed", "description": "d", "category": "c", "helpPage": "" });
    assert_eq!(caller.request(reqwest::Method::PUT, &address).json(&change).send().await.unwrap().status(), 200);
    browser.wait_text("#fields", "Changed").await;
    browser.click("#delete").await;
    browser.click("dialog[open] button[value=no]").await;
    assert_eq!(caller.get(&address).await.status(), 200);
    browser.click("#delete").await;
    browser.click("dialog[open] button[value=yes]").await;
    browser.wait("location.hash.startsWith('#/state/c/')").await;
    assert_eq!(caller.get(&address).await.status(), 404);
    is_quiet(&browser, &sandbox);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn an_operation_shows_its_timeline_as_it_happens() {
    let Some((mut browser, sandbox)) = console("operations").await else { return };
    browser.wait_text(".empty", "No operation has begun yet").await;
    let caller = Caller::new(&sandbox, 0).await;
    deployment_with(&sandbox, &caller, "outcome=failure").await;
    browser.wait_text("#operations .state-Failed", "Failed").await;
    sandbox.clock().hold();
    let (id, _) = deployment(&sandbox, &caller).await;
    browser.click(&format!("#operations a[href='#/operations/{id}']")).await;
    browser.wait("document.querySelectorAll('.timeline li').length === 4").await;
    let planned = "document.querySelectorAll('.timeline .planned').length";
    for left in [3, 2, 1, 0] {
        browser.wait(&format!("{planned} === {left}")).await;
        if left > 0 {
            browser.click("#to-next").await;
        }
    }
    browser.wait_text(".timeline li:last-child", "workload-ready").await;
    browser.wait_text(".detail", "Nothing more happens: 4 events.").await;
    // Filters.
    let rows = "document.querySelectorAll('#operations tr').length";
    browser.fill(".list select", "Failed").await;
    browser.wait(&format!("{rows} === 1")).await;
    browser.fill(".list select", "").await;
    browser.fill(".list input[type=search]", &id).await;
    browser.wait(&format!("{rows} === 1 && document.querySelector('#operations .state-Succeeded')")).await;
    sandbox.reset().unwrap();
    browser.wait_text(".detail .empty", "does not exist any more").await;
    is_quiet(&browser, &sandbox);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn a_request_opens_without_a_secret_and_its_curl_command_runs() {
    let Some((mut browser, sandbox)) = console("requests").await else { return };
    let caller = Caller::new(&sandbox, 0).await;
    make_project(&sandbox, &caller, "it's \"$HOME\" `x` \\ é").await;
    let quoted = format!("{PROJECTS}?a[]=%7Bb%7D&token=secret-of-the-query");
    assert_eq!(caller.get(&quoted).await.status(), 200);
    support::fetch(format!("{}/nowhere", sandbox.base_url())).await.unwrap();
    let rows = "document.querySelectorAll('#requests tr').length";
    browser.wait(&format!("{rows} === 4")).await;
    browser.fill(".list input[type=search]", "nowhere").await;
    browser.wait(&format!("{rows} === 1")).await;
    browser.click("#requests a.row").await;
    browser.wait_text("#answered-rule", "no operation").await;
    browser.fill(".list input[type=search]", "").await;
    browser.fill(".list select", "POST").await;
    browser.wait(&format!("{rows} === 2")).await;
    // The copied text is the displayed one, and has no secret.
    browser.value("navigator.clipboard.writeText = async (text) => { window.copied = text; }").await;
    let mut everything = String::new();
    for number in 1..=4 {
        browser.value(&format!("location.hash = '#/requests/{number}'")).await;
        browser.wait_text(".detail .summary", &format!("number {number}")).await;
        browser.value("[...document.querySelectorAll('.detail button')].find((b) => b.textContent === 'Copy as curl').click()").await;
        browser.wait_text("#notices", "Copied the request as curl").await;
        let command = browser.value("window.copied").await.as_str().unwrap().to_owned();
        assert_eq!(command, browser.text("#curl").await);
        everything += &browser.text("body").await;
        if number == 1 || !has_curl() {
            continue;
        }
        let output =
            shell(format!("{command} --silent --output /dev/null --write-out '%{{http_code}}'"), caller.token()).await;
        let expected = ["", "", "201", "200", "404"][number];
        assert_eq!(output, expected, "{command}");
    }
    for secret in [caller.token(), sandbox.clients()[0].secret(), "secret-of-the-query"] {
        assert!(!everything.contains(secret));
    }
    assert!(everything.contains("$TOKEN"));
    let list = caller.get_json(PROJECTS).await;
    let names = list.as_array().unwrap().iter().map(|project| project["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["it's \"$HOME\" `x` \\ é"; 2]);
    is_quiet(&browser, &sandbox);
}

/// The token of a copied command goes to the console's server, whatever host the request named; and each secret has a name of its
/// own.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn a_copied_command_goes_to_the_sandbox_and_names_what_is_masked() {
    let Some((mut browser, sandbox)) = console("requests").await else { return };
    let caller = Caller::new(&sandbox, 0).await;
    let to = |base: &str, path: &str| support::http().get(format!("{base}{path}")).bearer_auth(caller.token());
    let requests = [
        to(sandbox.base_url(), PROJECTS).header("host", "evil.example").header("x-api-key", "hunter2"),
        to(sandbox.compliance_url(), "/api/compliance/frameworks"),
        to(sandbox.base_url(), PROJECTS)
            .header("host", sandbox.compliance_url().replace("http://127.0.0.1", "evil.example")),
        caller.request(reqwest::Method::POST, "/graphql").json(&json!({
            "query": "{ viewer { subject } }", "variables": { "password": "hunter2", "text": "it's *** \"$HOME\"" },
        })),
    ];
    for request in requests {
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    let [main, compliance] = [sandbox.base_url(), sandbox.compliance_url()].map(|url| url.replace("http://", ""));
    for (number, host, masked) in [
        (2, &main, vec!["MASKED_X_API_KEY"]),
        (3, &compliance, vec![]),
        (4, &main, vec![]),
        (5, &main, vec!["MASKED_PASSWORD", "MASKED_BODY"]),
    ] {
        browser.value(&format!("location.hash = '#/requests/{number}'")).await;
        browser.wait_text(".detail .summary", &format!("number {number}")).await;
        let label =
            format!("document.querySelector('#requests a[href=\"#/requests/{number}\"] .chip')?.textContent ?? ''");
        assert_eq!(browser.value(&label).await, if host == &compliance { "compliance" } else { "" });
        let command = browser.text("#curl").await;
        let address = command.lines().find(|line| line.contains("http://")).unwrap();
        assert!(address.trim().starts_with(&format!("http://{host}/")) && !command.contains("evil"), "{command}");
        assert!(command.contains("--path-as-is") && command.contains("Bearer $TOKEN"), "{command}");
        let comment = command.lines().next().filter(|line| line.starts_with('#')).unwrap_or_default();
        let named: Vec<_> = comment.split_whitespace().filter(|word| word.starts_with("MASKED")).collect();
        assert_eq!(named.iter().map(|name| name.trim_end_matches(',')).collect::<Vec<_>>(), masked, "{command}");
        assert!(masked.iter().all(|name| command.contains(&format!("\"${name}\""))), "{command}");
        if !has_curl() {
            continue;
        }
        let end = "--silent --output /dev/null --write-out '%{http_code}'";
        let output =
            shell(format!("MASKED_X_API_KEY=x MASKED_PASSWORD=x MASKED_BODY=x\n{command} {end}"), caller.token()).await;
        assert_eq!(output, "200", "{command}");
        let arrived = sandbox.requests().last().pop().unwrap().request().headers;
        assert!(arrived.contains(&("host".to_owned(), host.clone())), "{arrived:?}");
    }
    is_quiet(&browser, &sandbox);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn a_fault_that_is_set_answers_and_is_shown_with_whom_it_met() {
    let Some((mut browser, sandbox)) = console("requests").await else { return };
    let caller = Caller::new(&sandbox, 0).await;
    assert_eq!(caller.get(PROJECTS).await.status(), 200);
    // From a request, the console leads to a fault for it.
    browser.wait("document.querySelectorAll('#requests tr').length === 2").await;
    browser.click("#requests tr:first-child a.row").await;
    browser.click("a.button").await;
    browser.wait("document.querySelector('#fault-match')?.value.length > 5").await;
    let criteria = browser.value("document.querySelector('#fault-match').value").await;
    assert_eq!(criteria, json!({ "operation": format!("GET {PROJECTS}") }).to_string());
    browser.fill("#fault-preset", "status=429, retry-after=2").await;
    browser.fill("#fault-times", "2").await;
    browser.fill("#fault-body", r#"{"message":"slowly"}"#).await;
    browser.click("#fault-add").await;
    browser.wait_text("#faults", "status=429, retry-after=2").await;
    let response = caller.get(PROJECTS).await;
    assert_eq!((response.status().as_u16(), response.headers()["retry-after"].to_str().unwrap()), (429, "2"));
    assert_eq!(response.json::<Value>().await.unwrap(), json!({ "message": "slowly" }));
    browser.wait_text("#met", "1: status=429").await;
    browser.wait_text("#faults", "1 more").await;
    // A rule that no request can match is refused with the reason.
    browser.fill("#fault-path", "/sandbox/x").await;
    browser.click("#fault-add").await;
    browser.wait_text(".problem", "faults do not apply to what controls the sandbox").await;
    browser.click("#faults button").await;
    browser.wait("document.querySelector('#faults tr') === null").await;
    assert_eq!(caller.get(PROJECTS).await.status(), 200);
    // The request names the rule that answered it.
    browser.click("#met a.row").await;
    browser.wait_text("#answered-fault", "fault 1: status=429, retry-after=2").await;
    browser.wait_text("#answered-rule", "GET /api/projects/v1/projects documented").await;

    open(&mut browser, &sandbox, "faults").await;
    browser.fill("#drop", "3").await;
    browser.click("#events-set").await;
    browser.wait_text("#event-faults", "3 events to lose").await;
    sandbox.faults().add(FaultRule::new("status=500".parse().unwrap()).matching("/api")).unwrap();
    browser.wait_text("#faults-shown", "2 faults active").await;
    browser.click("#faults-clear").await;
    browser.wait("document.querySelector('#faults-shown').hidden").await;
    assert!(sandbox.faults().list().is_empty());
    is_quiet(&browser, &sandbox);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn lines_to_copy_give_a_shell_its_environment_and_a_token() {
    let Some((mut browser, sandbox)) = console("addresses").await else { return };
    browser.wait_text("#token-lines", "client_secret@FILE").await;
    let folder = tempfile::Builder::new().prefix("it's a folder").tempdir().unwrap();
    let secrets = sandbox.publish_secrets(Some(folder.path())).unwrap();
    open(&mut browser, &sandbox, "addresses").await;
    browser.fill("#client", "aurora-viewer").await;
    let lines = browser.text("#exports").await;
    let output = shell(format!("{lines}\nprintf '%s|%s|%s|' \"$PLATFORM_BASE_URL\" \"$PLATFORM_ISSUER\" \"$PLATFORM_CLIENT_ID\"; cat \"$PLATFORM_SECRET_FILE\""), "").await;
    let secret = sandbox.client("aurora-viewer").unwrap().secret();
    assert_eq!(output, format!("{}|{}|aurora-viewer|{secret}", sandbox.base_url(), sandbox.auth_url()));
    if has_curl() {
        assert_eq!(shell(browser.text("#token-lines").await, "").await, "[]");
    }
    browser.fill("#form", "powershell").await;
    browser.wait_text("#exports", "$env:PLATFORM_CLIENT_ID = 'aurora-viewer'").await;
    let text = browser.text("body").await;
    assert!(text.contains(sandbox.compliance_url()) && text.contains("ada.password"));
    for secret in sandbox.clients().iter().map(|client| client.secret()).filter(|secret| !secret.is_empty()) {
        assert!(!text.contains(secret));
    }
    drop(secrets);
    is_quiet(&browser, &sandbox);
}

/// With the keyboard alone: from the skip link through the menu, a list, a detail and back, an edit, a fault, the clock.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn the_console_is_walked_with_keys_alone() {
    let Some((mut browser, sandbox)) = console("").await else { return };
    let caller = Caller::new(&sandbox, 0).await;
    let address = make_project(&sandbox, &caller, "Walked").await;
    browser.press("Tab").await;
    assert_eq!(browser.value("document.activeElement.className").await, "skip");
    browser.press("Enter").await;
    browser.wait("document.activeElement.id === 'main'").await;
    browser.press("?").await;
    browser.wait("document.querySelector('dialog[open]')?.textContent.includes('search')").await;
    browser.press("Escape").await;
    browser.wait("!document.querySelector('dialog')").await;

    // The menu leads to the requests; the heading then has the focus.
    browser.value("document.activeElement.blur(); getSelection().collapse(document.body, 0)").await;
    browser.tab_to("#parts a[href='/sandbox#/requests']").await;
    browser.press("Enter").await;
    browser.wait("document.activeElement.tagName === 'H1' && document.activeElement.textContent === 'Requests'").await;
    browser.press("/").await;
    browser.wait("document.activeElement.type === 'search'").await;
    browser.write("projects").await;
    browser.wait("document.querySelectorAll('#requests tr').length === 1").await;
    browser.tab_to("#requests a.row").await;
    browser.press("Enter").await;
    browser.wait_text(".detail .summary", "number 2").await;
    browser.press("Escape").await;
    browser.wait("location.hash === '#/requests' && document.activeElement.matches('#requests a.row')").await;

    // Arrow keys move between rows; a row keeps the focus while others arrive.
    browser.press("/").await;
    browser.value("document.activeElement.value = ''; document.activeElement.dispatchEvent(new Event('input'))").await;
    browser.wait("document.querySelectorAll('#requests tr').length === 2").await;
    browser.tab_to("#requests a.row").await;
    browser.press("ArrowDown").await;
    let focused = "document.activeElement.hash";
    assert_eq!(browser.value(focused).await, "#/requests/1");
    caller.get(PROJECTS).await;
    browser.wait("document.querySelectorAll('#requests tr').length === 3").await;
    assert_eq!(browser.value(focused).await, "#/requests/1");
    browser.press("ArrowUp").await;
    assert_eq!(browser.value(focused).await, "#/requests/2");

    // An item: open, edit, save.
    browser.value(&format!("location.hash = '#/state/i/' + encodeURIComponent('{address}')")).await;
    browser.wait_text("#fields", "Walked").await;
    browser.tab_to("#edit").await;
    browser.press("Enter").await;
    browser.wait("document.activeElement.id === 'editor'").await;
    let mut fields = caller.get_json(&address).await;
    fields["name"] = json!("Typed");
    browser.value("document.activeElement.select()").await;
    browser.write(&fields.to_string()).await;
    browser.tab_to("#save").await;
    browser.press("Enter").await;
    browser.wait("document.activeElement.id === 'edit'").await;
    assert_eq!(caller.get_json(&address).await["name"], "Typed");
    // A dialog traps the focus, and Escape keeps the item.
    browser.tab_to("#delete").await;
    browser.press("Enter").await;
    browser.wait("document.querySelector('dialog[open]')?.contains(document.activeElement)").await;
    browser.press("Escape").await;
    browser.wait("!document.querySelector('dialog')").await;
    assert_eq!(caller.get(&address).await.status(), 200);

    // A fault, and the clock.
    browser.value("location.hash = '#/faults'").await;
    browser.wait("document.activeElement.textContent === 'Faults'").await;
    browser.tab_to("#fault-add").await;
    browser.press(" ").await;
    browser.wait_text("#faults", "status=503").await;
    assert_eq!(sandbox.faults().list().len(), 1);
    browser.value("location.hash = '#/clock'").await;
    browser.wait("document.activeElement.textContent === 'Clock'").await;
    browser.tab_to("#hold").await;
    browser.press("Enter").await;
    browser.wait_text("#clock", "held").await;
    is_quiet(&browser, &sandbox);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn the_console_says_when_the_sandbox_is_gone_and_finds_it_again() {
    let Some((mut browser, sandbox)) = console("").await else { return };
    let port = sandbox.base_url().rsplit(':').next().unwrap().parse().unwrap();
    sandbox.stop().await;
    browser.wait_text("#live", "the sandbox does not answer").await;
    let options = platform_sandbox::Options { port, ..platform_sandbox::Options::default() };
    let Ok(again) = platform_sandbox::start_with(options).await else {
        eprintln!("SKIPPED: another program has taken the port");
        return;
    };
    browser.wait_text("#live", "● live").await;
    again.clock().set(std::time::UNIX_EPOCH + Duration::from_secs(1_893_456_000));
    browser.wait_text("#clock", "2030-01-01").await;
}
