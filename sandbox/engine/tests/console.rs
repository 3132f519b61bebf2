//! The console of a sandbox for any contract: stored items over HTTP, its files, and its pages in Chromium.

use std::collections::BTreeMap;
use std::path::Path;

use driftless_sandbox::Sandbox;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::browser::Browser;
use super::scripts;
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

/// Sends a request of the control interface.
async fn control(sandbox: &Sandbox, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
    let request = client().request(method, format!("{}/sandbox/{path}", sandbox.origin())).json(&body);
    let answer = request.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

/// Catches an item that the contract's operations do not see, and a change that breaks the contract or loses an identifier.
#[tokio::test]
async fn items_are_added_and_changed_as_the_contract_says() {
    let sandbox = start(&pets("3.0.3")).await;
    let add = async |body: Value| control(&sandbox, Method::POST, "items", body).await;
    let (status, made) = add(json!({ "collection": "/v1/pets", "fields": { "name": "Rex" } })).await;
    assert_eq!(
        (status, &made["isInvented"], &made["fields"]["name"]),
        (StatusCode::CREATED, &json!(false), &json!("Rex"))
    );
    let id = made["fields"]["id"].clone();
    assert_eq!(body(send(&sandbox, Method::GET, &format!("/pets/{id}"), None).await).await, made["fields"]);
    let (_, keyed) = add(json!({ "collection": "/v1/pets", "key": "77" })).await;
    assert_eq!((&keyed["address"], &keyed["fields"]["id"]), (&json!("/v1/pets/77"), &json!(77)), "the rest is made up");

    for (status, place, refused) in [
        (409, "", json!({ "collection": "/v1/pets", "key": "77" })),
        (400, "$.collection", json!({ "collection": "/v1/dogs" })),
        (400, "$.collection", json!({ "collection": "/v1/pets/" })),
        (400, "$.key", json!({ "collection": "/v1/pets", "key": "" })),
        (400, "$.fields.name", json!({ "collection": "/v1/pets", "fields": { "name": "" } })),
        (400, "$.fields.id", json!({ "collection": "/v1/pets", "key": "x" })),
        (400, "$.keys", json!({ "collection": "/v1/pets", "keys": 1 })),
    ] {
        let (answered, problem) = add(refused.clone()).await;
        assert_eq!(answered.as_u16(), status, "{refused}: {problem}");
        assert!(problem.to_string().contains(place), "{refused}: {problem}");
    }

    let item = format!("item?address=/v1/pets/{id}");
    let set = async |fields: Value| control(&sandbox, Method::PUT, &item, fields).await;
    assert_eq!(set(json!({ "id": id, "name": "Max" })).await.1["fields"], json!({ "id": id, "name": "Max" }));
    assert_eq!(body(send(&sandbox, Method::GET, &format!("/pets/{id}"), None).await).await["name"], "Max");
    for refused in [json!({ "id": 5, "name": "Max" }), json!({ "id": id }), json!({ "name": "Max" })] {
        assert_eq!(set(refused.clone()).await.0, StatusCode::BAD_REQUEST, "{refused}");
    }
    let nobody = control(&sandbox, Method::PUT, "item?address=/v1/pets/123456", json!({ "id": 123_456, "name": "a" }));
    assert_eq!(nobody.await.0, StatusCode::NOT_FOUND);
}

/// Catches a part of the state that a snapshot does not have, one that a restored state keeps from before, and half a restoration.
#[tokio::test]
async fn a_snapshot_is_the_whole_state() {
    let sandbox = start(&pets("3.0.3")).await;
    for name in ["Rex", "Tom", "Max"] {
        send(&sandbox, Method::POST, "/pets", Some(json!({ "name": name }))).await;
    }
    let last = get(&sandbox, "items?collection=/v1/pets&limit=1").await["items"][0]["fields"]["id"].clone();
    send(&sandbox, Method::DELETE, &format!("/pets/{last}"), None).await;
    send(&sandbox, Method::PUT, "/config", Some(json!({ "id": 1, "name": "kept" }))).await;
    let saved = get(&sandbox, "snapshot").await;
    let listed = body(send(&sandbox, Method::GET, "/pets", None).await).await;

    let other = start(&pets("3.0.3")).await;
    send(&other, Method::POST, "/pets", Some(json!({ "name": "Gone" }))).await;
    let restore = async |snapshot: &Value| control(&other, Method::PUT, "snapshot", snapshot.clone()).await;
    assert_eq!(restore(&saved).await.0, StatusCode::NO_CONTENT);
    assert_eq!(get(&other, "snapshot").await, saved);
    assert_eq!(body(send(&other, Method::GET, "/pets", None).await).await, listed);
    assert_eq!(send(&other, Method::GET, &format!("/pets/{last}"), None).await.status(), StatusCode::NOT_FOUND);
    let next = body(send(&other, Method::POST, "/pets", Some(json!({ "name": "Next" }))).await).await;
    assert!(next["id"].as_u64() > last.as_u64(), "an identifier is given twice: {next}");

    let before = get(&other, "snapshot").await;
    let pets = |items: Value| json!({ "singles": [], "collections": [{ "address": "/v1/pets", "items": items }] });
    let one = json!({ "key": "1", "fields": { "id": 1, "name": "a" } });
    let many: Vec<String> = (0..10_001).map(|number| number.to_string()).collect();
    let single = json!({ "address": "/v1/config", "fields": {} });
    let file = json!({ "address": "/v1/config", "mediaType": "a/b", "base64": "" });
    for (place, refused) in [
        ("$.collections[1].address", json!({ "collections": [{ "address": "/v1/pets" }, { "address": "/v1/dogs" }] })),
        ("$.collections[1].address", json!({ "collections": [{ "address": "/v1/pets" }, { "address": "/v1/pets" }] })),
        ("$.collections[0].items", pets(json!([one, one]))),
        (
            "$.collections[0].items",
            json!({ "collections": [{ "address": "/v1/pets", "items": [one], "removed": ["1"] }] }),
        ),
        ("$.collections[0].numbers", json!({ "collections": [{ "address": "/v1/pets", "numbers": u64::MAX }] })),
        ("$.collections[0].removed", json!({ "collections": [{ "address": "/v1/pets", "removed": many }] })),
        ("$.collections[0].address", json!({ "collections": [{ "address": "/v1/pets", "template": "/dogs" }] })),
        ("$.singles[1].address", json!({ "singles": [single, single] })),
        ("$.files[1].address", json!({ "files": [file, file] })),
        ("$.singles[0].address", json!({ "singles": [{ "address": "/other", "fields": {} }] })),
        ("$.files[0].base64", json!({ "files": [{ "address": "/v1/config", "mediaType": "a/b", "base64": "?" }] })),
        ("$.files[0].address", json!({ "files": [{ "address": "/v1/a", "mediaType": "a/b", "base64": "" }] })),
        ("$.items", json!({ "items": [] })),
    ] {
        let (status, problem) = restore(&refused).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{refused}");
        assert!(problem.to_string().contains(place), "{refused}: {problem}");
        assert_eq!(get(&other, "snapshot").await, before, "{refused}");
    }
}

/// Catches addresses that are encoded twice or not at all, a collection that only a list of all begins, and identifiers in use.
#[tokio::test]
async fn an_item_is_edited_at_the_address_that_lists_it() {
    let mut contract = pets("3.0.3");
    contract["components"]["schemas"]["Pet"]["properties"]["id"] = json!({ "type": "string" });
    contract["paths"]["/pets/{petId}"]["parameters"][0]["schema"] = json!({ "type": "string" });
    let mut options = driftless_sandbox::Options::default();
    options.behaviour = driftless_sandbox::Behaviour::read(
        "a",
        "[[collection]]\npath = '/pets'\nunique = ['name']\nseeds = [{ id = 'a/b', name = 'Rex' }, { id = 'a%2Fb', name = 'Tom' }, { id = 'pet-3', name = 'Max' }]\n",
    )
    .unwrap();
    let sandbox = driftless_sandbox::start_with(contract.to_string().as_bytes(), options).await.unwrap();
    let item = |address: &str| {
        format!("item?address={}", form_urlencoded::byte_serialize(address.as_bytes()).collect::<String>())
    };
    let read = get(&sandbox, &item("/v1/pets/a%2Fb")).await;
    assert_eq!((&read["key"], &read["fields"]["name"]), (&json!("a/b"), &json!("Rex")), "before anything else: {read}");
    for listed in get(&sandbox, "items?collection=/v1/pets").await["items"].as_array().unwrap() {
        let at = item(listed["address"].as_str().unwrap());
        assert_eq!(get(&sandbox, &at).await["fields"], listed["fields"]);
        let mut fields = listed["fields"].clone();
        fields["tag"] = json!("edited");
        assert_eq!(control(&sandbox, Method::PUT, &at, fields).await.0, StatusCode::OK);
        assert_eq!(get(&sandbox, &at).await["fields"]["tag"], "edited");
    }
    // The next number is 4, and `pet-4` is in use.
    let add = async |body: Value| control(&sandbox, Method::POST, "items", body).await;
    assert_eq!(
        add(json!({ "collection": "/v1/pets", "key": "pet-4", "fields": { "name": "a" } })).await.0,
        StatusCode::CREATED
    );
    let (status, made) = add(json!({ "collection": "/v1/pets", "fields": { "name": "b" } })).await;
    assert_eq!((status, &made["key"]), (StatusCode::CREATED, &json!("pet-5")));
    assert_eq!(add(json!({ "collection": "/v1/pets", "fields": { "name": "b" } })).await.0, StatusCode::CONFLICT);
    let taken = json!({ "id": "pet-5", "name": "Rex" });
    assert_eq!(control(&sandbox, Method::PUT, &item("/v1/pets/pet-5"), taken).await.0, StatusCode::CONFLICT);
    assert_eq!(control(&sandbox, Method::DELETE, &item("/v1/pets/a%2Fb"), json!({})).await.0, StatusCode::NO_CONTENT);
    let left = get(&sandbox, "items?collection=/v1/pets").await.to_string();
    assert!(left.contains("Tom") && !left.contains("Rex"), "{left}");
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

/// Catches a script that imports one which this sandbox does not serve, or a name that it does not export.
#[tokio::test]
async fn every_script_of_the_console_is_served() {
    let sandbox = start(&pets("3.0.3")).await;
    let page = client().get(format!("{}/sandbox", sandbox.origin())).send().await.unwrap();
    assert_eq!(page.headers()["x-frame-options"], "DENY");
    assert!(page.text().await.unwrap().contains("/sandbox/ui/console.js"));
    let (mut wanted, mut scripts) = (vec!["console.js".to_owned()], BTreeMap::new());
    while let Some(name) = wanted.pop() {
        let script = client().get(format!("{}/sandbox/ui/{name}", sandbox.origin())).send().await.unwrap();
        assert_eq!(script.status(), StatusCode::OK, "{name}");
        let text = script.text().await.unwrap();
        wanted.extend(text.split("\"./").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        wanted.retain(|name| !scripts.contains_key(name));
        scripts.insert(name, text);
    }
    assert!(scripts.len() > 10, "{:?}", scripts.keys());
    scripts::assert_imports(&scripts);
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

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn the_way_to_an_item_leads_through_its_collection_and_not_through_a_version() {
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return;
    };
    for base in ["/v1", "/api/v3", "/api/animals/v2"] {
        let mut contract = pets("3.0.3");
        contract["servers"] = json!([{ "url": base }]);
        let sandbox = start(&contract).await;
        let item = format!("{base}/pets/1");
        browser.open(&format!("{}/sandbox#/state/i/{}", sandbox.origin(), item.replace('/', "%2F"))).await;
        browser.wait("document.querySelector('#fields')").await;
        let way = "[...document.querySelectorAll('.trail li a')].map((link) => [link.textContent, decodeURIComponent(link.hash)])";
        let first = if base == "/api/animals/v2" { "animals" } else { "pets" };
        let collection = format!("#/state/c/{base}/pets");
        assert_eq!(browser.value(way).await, json!([[first, "#/state"], ["pets", collection]]), "{base}");
        let group = "document.querySelector('#collections h2').textContent";
        assert_eq!(browser.value(group).await, json!(first), "{base}");
    }
}

/// Catches an editor that rounds: the page displays and saves the digits of a number, and changes nothing that nobody edited.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: .ci/run runs it"]
async fn an_edited_item_keeps_the_digits_of_its_numbers() {
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return;
    };
    let mut contract = pets("3.0.3");
    let properties = &mut contract["components"]["schemas"]["Pet"]["properties"];
    properties["chip"] = json!({ "type": "integer", "format": "int64" });
    properties["weight"] = json!({ "type": "number" });
    let sandbox = start(&contract).await;
    let sent = json!({ "name": "Rex", "chip": 9_007_199_254_740_993_u64, "weight": 1.5 });
    let rex = body(send(&sandbox, Method::POST, "/pets", Some(sent)).await).await;
    let path = format!("/pets/{}", rex["id"]);
    let page = format!("{}/sandbox#/state/i/{}", sandbox.origin(), format!("/v1{path}").replace('/', "%2F"));
    browser.open(&page).await;
    browser.wait_text("#fields", "\"chip\": 9007199254740993,").await;
    browser.click("#edit").await;
    let text = browser.value("document.querySelector('#editor').value").await.as_str().unwrap().to_owned();
    browser.fill("#editor", &text.replace("Rex", "Max")).await;
    browser.click("#save").await;
    browser.wait_text("#fields", "Max").await;
    let mut expected = rex.clone();
    expected["name"] = json!("Max");
    assert_eq!(body(send(&sandbox, Method::GET, &path, None).await).await, expected);
    browser.open(&page.replace("/i/", "/c/").replace(&format!("%2F{}", rex["id"]), "")).await;
    browser.fill("#new-fields", "{ \"name\": \"Ada\", \"chip\": 9007199254740995 }").await;
    browser.click("#new-item").await;
    browser.wait_text("#fields", "\"chip\": 9007199254740995").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
}
