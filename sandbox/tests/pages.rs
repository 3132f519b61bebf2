//! Every page, in light, in dark and on a phone: axe has no findings, no page scrolls horizontally, and pictures are taken.
//! `SANDBOX_PICTURES=docs/images cargo test -p platform-sandbox --test sandbox pages` stores them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::browser;
use crate::browser::Browser;
use crate::support::{Caller, PROJECTS, deployment, deployment_with, project};
use platform_sandbox::{FaultRule, Options, RequestFilter, Sandbox};
use serde_json::{Value, json};

/// A page: its name, its address, the selector to click once it is loaded, and the selector of a complete page.
type Page = (&'static str, String, &'static str, &'static str);

const LOOKS: [(&str, &str, u32, u32, bool); 3] =
    [("light", "light", 1100, 700, false), ("dark", "dark", 1100, 700, false), ("phone", "light", 390, 780, true)];

/// The pages of a busy sandbox.
async fn pages(sandbox: &Sandbox, graphiql: bool) -> Vec<Page> {
    let caller = Caller::new(sandbox, 0).await;
    let mut last = String::new();
    for (name, outcome) in [("Aurora", ""), ("Helios", "outcome=failure"), ("Lumen", "")] {
        let mut fields = project(sandbox);
        fields["name"] = name.into();
        let created = caller.create(PROJECTS, &fields).await;
        last = format!("{PROJECTS}/{}", created["id"].as_str().unwrap());
        deployment_with(sandbox, &caller, outcome).await;
        sandbox.clock().advance(Duration::from_secs(60));
    }
    let once = FaultRule::new("status=503, retry-after=1".parse().unwrap())
        .matching(RequestFilter::new().method("GET").path(PROJECTS))
        .times(1);
    sandbox.faults().add(once).unwrap();
    assert_eq!(caller.get(PROJECTS).await.status(), 503);
    let met = sandbox.requests().last().last().unwrap().number;
    let slow = FaultRule::new("latency=250".parse().unwrap()).matching("/api/teams/v1").probability(0.5);
    sandbox.faults().add(slow).unwrap();
    sandbox.clock().hold();
    let (_, _) = deployment(sandbox, &caller).await;
    sandbox.clock().advance(Duration::from_millis(200));
    let (queued, _) = deployment(sandbox, &caller).await;
    let item = last.replace('/', "%2F");
    let part = |part: &str| format!("/sandbox#/{part}");
    let mut pages: Vec<Page> = vec![
        ("overview", part(""), "", "#operations tr"),
        ("state", part(&format!("state/c/{}", PROJECTS.replace('/', "%2F"))), "", "#items tr"),
        ("item", part(&format!("state/i/{item}")), "#edit", "#editor"),
        ("operations", part("operations"), "", "#operations tr"),
        ("operation", part(&format!("operations/{queued}")), "", ".timeline li"),
        ("requests", part("requests"), "", "#requests tr"),
        ("request", part(&format!("requests/{met}")), "", "#answered-fault"),
        ("faults", part("faults"), "", "#met tr"),
        ("clock", part("clock"), "", "#next tr"),
        ("issuer", part("issuer"), "", "#issuer"),
        ("addresses", part("addresses"), "", "#exports"),
        ("contract", "/swagger/index.html".to_owned(), "", ".opblock .provenance"),
        ("control", "/sandbox/control".to_owned(), "", ".opblock"),
        ("login", "/identity/account/login".to_owned(), "", "form"),
    ];
    // A login that was not begun here, and a request that cannot be answered.
    pages.push(("callback", "/sandbox/callback".to_owned(), "", ".problem"));
    pages.push(("refused", "/identity/connect/authorize".to_owned(), "", ".problem"));
    pages.push(("reset", part(""), "#reset", "dialog[open]"));
    if graphiql {
        pages.push(("graphiql", "/graphiql".to_owned(), "", ".graphiql-query-editor .cm-property"));
    }
    pages
}

async fn shrunk(browser: &mut Browser, picture: &str) -> String {
    browser.open("about:blank#picture").await;
    let small = browser.value(&format!("({})({})", include_str!("support/picture.js"), json!(picture))).await;
    small.as_str().unwrap().to_owned()
}

/// Each finding of axe: its rule and its location.
async fn findings(browser: &mut Browser, axe: &str) -> Value {
    browser.value(&format!("{axe}; true")).await;
    browser
        .value(
            "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap((rule) => \
             rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary}`)))",
        )
        .await
}

async fn look(browser: &mut Browser, sandbox: &Sandbox, pages: &[Page], axe: Option<&str>, pictures: Option<&Path>) {
    for (name, address, click, whole) in pages {
        for (look, scheme, width, height, mobile) in LOOKS {
            browser.size(width, height, mobile).await;
            browser.colours(scheme).await;
            browser.open(&format!("{}{address}", sandbox.base_url())).await;
            if address.starts_with("/sandbox#") {
                browser.wait("document.querySelector('#live')?.textContent === '● live'").await;
            }
            if !click.is_empty() {
                browser.click(click).await;
            }
            browser.wait(&format!("document.querySelector({})", json!(whole))).await;
            let wide = browser.value("[document.documentElement.scrollWidth, innerWidth]").await;
            assert_eq!(wide, json!([width, width]), "{name} is scrolled from side to side: {look}");
            if let Some(axe) = axe {
                assert_eq!(findings(browser, axe).await, json!([]), "{name}, {look}");
            }
            if let Some(folder) = pictures {
                let picture = browser.picture_text().await;
                let small = browser::decoded(&shrunk(browser, &picture).await);
                assert!(small.starts_with(b"\x89PNG") && small.len() < 100_000, "{name}, {look}: {}", small.len());
                fs::create_dir_all(folder).unwrap();
                fs::write(folder.join(format!("console-{name}-{look}.png")), small).unwrap();
            }
        }
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn every_page_is_in_reach_of_everybody_in_light_in_dark_and_on_a_phone() {
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return;
    };
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let axe = fs::read_to_string(target.join("axe/node_modules/axe-core/axe.min.js")).ok();
    if axe.is_none() {
        eprintln!("SKIPPED: axe-core is not installed, so only widths are looked at; sandbox/axe/install.sh");
    }
    let pictures = std::env::var_os("SANDBOX_PICTURES")
        .map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(folder));
    let graphiql = Some(target.join("graphiql")).filter(|folder| folder.join("node_modules").is_dir());
    let options = Options { graphiql: graphiql.clone(), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let pages = pages(&sandbox, graphiql.is_some()).await;
    look(&mut browser, &sandbox, &pages, axe.as_deref(), pictures.as_deref()).await;

    // Without an installed GraphiQL, the page is a plain one.
    let plain = platform_sandbox::start().await.unwrap();
    let page: [Page; 1] = [("graphql", "/graphiql".to_owned(), "", "#query")];
    look(&mut browser, &plain, &page, axe.as_deref(), pictures.as_deref()).await;

    // With a session: the API tokens, and an operation of the contract that was sent.
    browser.open(&format!("{}/sandbox/control", sandbox.base_url())).await;
    browser.click("#log-in").await;
    browser.wait("document.querySelector('input[name=password]')").await;
    browser.fill("input[name=user]", "ada").await;
    browser.fill("input[name=password]", sandbox.user("ada").unwrap().password()).await;
    browser.click("form button").await;
    browser
        .wait("location.pathname === '/sandbox/control' && document.querySelector('#who button:not(#log-in)')")
        .await;
    sandbox.issuer().create_api_token("ada", "robot").unwrap().unwrap();
    let post = "/swagger/index.html#/Projects/post_api_projects_v1_projects";
    let pages: [Page; 2] = [
        ("tokens", "/identity/profile/api-tokens".to_owned(), "", "#tokens li"),
        ("try", post.to_owned(), "", ".opblock-body textarea"),
    ];
    look(&mut browser, &sandbox, &pages, axe.as_deref(), pictures.as_deref()).await;
}
