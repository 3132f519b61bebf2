//! The console of a sandbox for any contract: stored items over HTTP, its files, and its pages in Chromium.

use std::collections::BTreeSet;
use std::path::Path;

use driftless_sandbox::Sandbox;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::browser::Browser;
use super::{body, client, pets, send, start};

async fn get(sandbox: &Sandbox, path: &str) -> Value {
    body(client().get(format!("{}/sandbox/{path}", sandbox.origin())).send().await.unwrap()).await
}

/// Catches items that are not marked as invented, addresses that do not lead to them, and a removal that the contract does not see.
#[tokio::test]
async fn stored_items_are_listed_read_and_removed_and_reset() {
    let sandbox = start(&pets("3.0.3")).await;
    let rex = body(send(&sandbox, Method::POST, "/pets", Some(json!({ "name": "Rex" }))).await).await;
    let id = rex["id"].to_string();
    let stored = get(&sandbox, "collections").await;
    assert_eq!(stored["collections"], json!([{ "address": "/v1/pets", "count": 3 }]));

    let items = get(&sandbox, "items?collection=/v1/pets&limit=2").await;
    assert_eq!((&items["total"], &items["items"][0]["key"]), (&json!(3), &json!(id)));
    let marks: Vec<&Value> = items["items"].as_array().unwrap().iter().map(|item| &item["isInvented"]).collect();
    assert_eq!(marks, [&json!(false), &json!(true)]);
    assert_eq!(get(&sandbox, "items?collection=/v1/pets&search=rex").await["total"], 1);

    let address = format!("{}/sandbox/item?address=/v1/pets/{id}", sandbox.origin());
    assert_eq!(body(client().get(&address).send().await.unwrap()).await["fields"], rex);
    assert_eq!(client().delete(&address).send().await.unwrap().status(), StatusCode::NO_CONTENT);
    assert_eq!(client().delete(&address).send().await.unwrap().status(), StatusCode::NOT_FOUND);
    assert_eq!(send(&sandbox, Method::GET, &format!("/pets/{id}"), None).await.status(), StatusCode::NOT_FOUND);

    let config = json!({ "name": "kept" });
    assert_eq!(send(&sandbox, Method::PUT, "/config", Some(config)).await.status(), StatusCode::OK);
    assert_eq!(get(&sandbox, "collections").await["singles"], json!(["/v1/config"]));
    let reset = client().post(format!("{}/sandbox/reset", sandbox.origin())).json(&json!({ "only": ["state"] }));
    assert_eq!(reset.send().await.unwrap().status(), StatusCode::NO_CONTENT);
    let stored = get(&sandbox, "collections").await;
    assert_eq!(stored, json!({ "collections": [{ "address": "/v1/pets", "count": 2 }], "singles": [], "files": [] }));
    assert!(sandbox.requests().total() > 0, "the journal was not asked for");
    for path in ["items?collection=/v1/dogs", "item?address=/v1/pets/0-0"] {
        let missing = client().get(format!("{}/sandbox/{path}", sandbox.origin())).send().await.unwrap();
        assert_eq!(missing.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let unread = client().get(format!("{}/sandbox/items", sandbox.origin())).send().await.unwrap();
    assert_eq!(unread.headers()["content-type"], "application/problem+json; charset=utf-8");
}

/// Catches a total that counts the page, a page that is cut before the search, and pages in another order.
#[tokio::test]
async fn pages_of_items_are_those_of_the_whole_list() {
    let sandbox = start(&pets("3.0.3")).await;
    for number in 0..7 {
        let name = if number % 3 == 0 { "Rex" } else { "Tom" };
        let pet = json!({ "name": format!("{name} {number}") });
        assert_eq!(send(&sandbox, Method::POST, "/pets", Some(pet)).await.status(), StatusCode::CREATED);
    }
    for (search, length) in [("", 9), ("rex", 3), ("tom", 4), ("nobody", 0)] {
        let all = get(&sandbox, &format!("items?collection=/v1/pets&search={search}")).await;
        let all = all["items"].as_array().unwrap();
        assert_eq!(all.len(), length, "{search}");
        assert!(!search.is_empty() || all[0]["fields"]["name"] == "Rex 6", "the newest is first");
        for (skip, limit) in [(0, 2), (1, 2), (2, 0), (3, 100), (8, 2), (100, 1)] {
            let address = format!("items?collection=/v1/pets&search={search}&skip={skip}&limit={limit}");
            let wanted: Vec<&Value> = all.iter().skip(skip).take(limit).collect();
            let page = get(&sandbox, &address).await;
            assert_eq!((&page["total"], &page["items"]), (&json!(length), &json!(wanted)), "{address}");
        }
    }
}

/// Catches a script that imports one which this sandbox does not serve.
#[tokio::test]
async fn every_script_of_the_console_is_served() {
    let sandbox = start(&pets("3.0.3")).await;
    let page = client().get(format!("{}/sandbox", sandbox.origin())).send().await.unwrap();
    assert_eq!(page.headers()["x-frame-options"], "DENY");
    assert!(page.text().await.unwrap().contains("/sandbox/ui/console.js"));
    let (mut wanted, mut seen) = (vec!["console.js".to_owned()], BTreeSet::new());
    while let Some(name) = wanted.pop() {
        let script = client().get(format!("{}/sandbox/ui/{name}", sandbox.origin())).send().await.unwrap();
        assert_eq!(script.status(), StatusCode::OK, "{name}");
        let text = script.text().await.unwrap();
        if seen.insert(name) {
            wanted.extend(text.split("\"./").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
    }
    assert!(seen.len() > 10, "{seen:?}");
}

/// Each finding of axe: its rule and its location.
async fn findings(browser: &mut Browser, axe: &str) -> Value {
    browser.value(&format!("{axe}; true")).await;
    let run = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap((rule) => \
               rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary}`)))";
    browser.value(run).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn every_page_of_an_inferred_contract_is_in_reach_of_everybody() {
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return;
    };
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let axe = std::fs::read_to_string(target.join("axe/node_modules/axe-core/axe.min.js")).ok();
    if axe.is_none() {
        eprintln!("SKIPPED: axe-core is not installed, so only widths are looked at; sandbox/axe/install.sh");
    }
    let sandbox = start(&pets("3.0.3")).await;
    assert_eq!(send(&sandbox, Method::POST, "/pets", Some(json!({ "name": "Rex" }))).await.status(), 201);
    sandbox.faults().next(1, "/v1/config", "status=503".parse().unwrap()).unwrap();
    assert_eq!(send(&sandbox, Method::GET, "/config", None).await.status(), 503);
    sandbox.faults().always("/v1/none", "latency=10".parse().unwrap()).unwrap();
    sandbox.clock().hold();
    for (address, click, whole) in [
        ("", "", "#requests tr"),
        ("state", "", "#collections a"),
        ("state/c/%2Fv1%2Fpets", "", "#items .invented"),
        ("state/i/%2Fv1%2Fpets%2F1", "", "#fields"),
        ("explain", "", "#explain tr"),
        ("requests", "", "#requests tr"),
        ("requests/1", "", "#answered-rule"),
        ("requests/2", "", "#answered-fault"),
        ("faults", "", "#met tr"),
        ("clock", "", "#face.held"),
        ("", "#reset", "dialog[open]"),
    ] {
        for (scheme, width, height, mobile) in
            [("light", 1100, 700, false), ("dark", 1100, 700, false), ("light", 390, 780, true)]
        {
            browser.size(width, height, mobile).await;
            browser.colours(scheme).await;
            browser.open(&format!("{}/sandbox#/{address}", sandbox.origin())).await;
            browser.wait("document.querySelector('#live')?.textContent === '● live'").await;
            if !click.is_empty() {
                browser.click(click).await;
            }
            browser.wait(&format!("document.querySelector({})", json!(whole))).await;
            let wide = browser.value("[document.documentElement.scrollWidth, innerWidth]").await;
            assert_eq!(wide, json!([width, width]), "{address} is scrolled from side to side: {scheme}");
            if let Some(axe) = &axe {
                assert_eq!(findings(&mut browser, axe).await, json!([]), "{address}, {scheme}, {width}");
            }
        }
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}
