//! Stored resources and operations over the control interface: read, searched, changed and removed.

use std::time::Duration;

use crate::support;
use crate::support::{Caller, PROJECTS, deployment, deployment_with, project};
use platform_sandbox::{Options, Part, Sandbox};
use reqwest::Method;
use serde_json::{Value, json};

async fn ask(
    sandbox: &Sandbox,
    method: Method,
    place: &str,
    query: &[(&str, &str)],
    body: Option<&Value>,
) -> (u16, Value) {
    let url = format!("{}/sandbox/{place}", sandbox.base_url());
    let request = support::http().request(method, url).query(query);
    let request = if let Some(body) = body { request.json(body) } else { request };
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_str(&response.text().await.unwrap()).unwrap_or_default())
}

async fn show(sandbox: &Sandbox, place: &str, query: &[(&str, &str)]) -> Value {
    let (status, answer) = ask(sandbox, Method::GET, place, query, None).await;
    assert_eq!(status, 200, "{place} {query:?}: {answer}");
    answer
}

async fn put(sandbox: &Sandbox, address: &str, fields: &Value) -> (u16, Value) {
    ask(sandbox, Method::PUT, "item", &[("address", address)], Some(fields)).await
}

async fn remove(sandbox: &Sandbox, address: &str) -> u16 {
    ask(sandbox, Method::DELETE, "item", &[("address", address)], None).await.0
}

/// A project with a component that has a secret variable.
async fn component(sandbox: &Sandbox, caller: &Caller<'_>) -> (String, String) {
    let created = caller.create(PROJECTS, &project(sandbox)).await;
    let project = format!("{PROJECTS}/{}", created["id"].as_str().unwrap());
    let created = caller.create(&format!("{project}/components"), &json!({ "name": "web" })).await;
    let component = format!("{project}/components/{}", created["id"].as_str().unwrap());
    (project, component)
}

#[tokio::test]
async fn every_item_of_the_state_opens_and_takes_its_own_fields() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    deployment(&sandbox, &caller).await;
    let collections = show(&sandbox, "collections", &[]).await;
    let mut count = 0;
    for collection in collections["collections"].as_array().unwrap() {
        let address = collection["address"].as_str().unwrap();
        let items = show(&sandbox, "items", &[("collection", address)]).await;
        assert_eq!(items["total"], collection["count"], "{address}");
        for item in items["items"].as_array().unwrap() {
            let address = item["address"].as_str().unwrap();
            let one = show(&sandbox, "item", &[("address", address)]).await;
            assert_eq!((&one["fields"], &one["teamId"]), (&item["fields"], &item["teamId"]));
            let (status, answer) = put(&sandbox, address, &one["fields"]).await;
            assert_eq!((status, &answer["fields"]), (200, &one["fields"]), "{address}: {answer}");
            count += 1;
        }
    }
    for address in collections["singles"].as_array().unwrap() {
        let address = address.as_str().unwrap();
        let one = show(&sandbox, "item", &[("address", address)]).await;
        assert_eq!(put(&sandbox, address, &one["fields"]).await.0, 200, "{address}");
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[tokio::test]
async fn an_edit_and_a_removal_are_seen_over_the_api_and_a_reset_takes_them_back() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let (project, component) = component(&sandbox, &caller).await;
    let mut fields = show(&sandbox, "item", &[("address", &component)]).await["fields"].clone();
    fields["replicas"] = json!(7);
    assert_eq!(put(&sandbox, &component, &fields).await.0, 200);
    assert_eq!(caller.get_json(&component).await["replicas"], 7);

    // Values outside of the schema, and another identifier, change nothing.
    for (name, value) in [("replicas", json!("many")), ("undeclared", json!(1)), ("id", json!("other"))] {
        let mut wrong = fields.clone();
        wrong[name] = value;
        let (status, answer) = put(&sandbox, &component, &wrong).await;
        assert_eq!(status, 400, "{name}");
        assert!(answer["errors"].as_object().unwrap().contains_key(&format!("$.{name}")), "{answer}");
    }
    let mut without = fields.clone();
    without.as_object_mut().unwrap().remove("id");
    assert_eq!(put(&sandbox, &component, &without).await.0, 400);
    assert_eq!(put(&sandbox, &component, &json!([])).await.0, 400);
    assert_eq!(caller.get_json(&component).await["replicas"], 7);

    // Removing a project removes everything below it.
    let below = show(&sandbox, "item", &[("address", &project)]).await["below"].clone();
    assert_eq!(below[0], json!({ "address": format!("{project}/components"), "count": 1 }));
    assert_eq!(remove(&sandbox, &project).await, 204);
    assert_eq!(caller.get(&component).await.status(), 404);
    assert_eq!(remove(&sandbox, &project).await, 404);
    assert_eq!(put(&sandbox, &component, &fields).await.0, 404);

    let machine = format!("/api/virtual-machines/{}", sandbox.team().virtual_machine_id);
    assert_eq!(remove(&sandbox, &machine).await, 204);
    assert_eq!(caller.get(&machine).await.status(), 404);
    sandbox.reset().unwrap();
    assert_eq!(caller.get(&machine).await.status(), 200);
}

#[tokio::test]
async fn a_secret_of_the_state_is_masked_and_an_edit_keeps_it() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let (_, component) = component(&sandbox, &caller).await;
    let variable = format!("{component}/environment-variables/KEY");
    let set = json!({ "value": "very-secret", "isSecret": true });
    assert!(caller.request(Method::PUT, &variable).json(&set).send().await.unwrap().status().is_success());
    let item = show(&sandbox, "item", &[("address", &variable)]).await;
    assert_eq!(item["fields"]["value"], "***");
    let items = show(&sandbox, "items", &[("collection", &format!("{component}/environment-variables"))]).await;
    assert!(!items.to_string().contains("very-secret"));
    let collection = format!("{component}/environment-variables");
    let guessed = show(&sandbox, "items", &[("collection", &collection), ("search", "very-s")]).await;
    assert_eq!(guessed["total"], 0);
    let before = caller.get_json(&variable).await;
    assert_eq!(put(&sandbox, &variable, &item["fields"]).await.0, 200);
    assert_eq!(caller.get_json(&variable).await, before);
    let mut changed = item["fields"].clone();
    changed["value"] = json!("another");
    assert_eq!(put(&sandbox, &variable, &changed).await.1["fields"]["value"], "***");
    // An edit that removes the mark of a secret does not reveal the kept value.
    let open = json!({ "name": "KEY", "value": "***", "isSecret": false });
    let (status, refused) = put(&sandbox, &variable, &open).await;
    assert_eq!((status, refused["errors"]["$.value"].is_array()), (400, true), "{refused}");
    assert!(!refused.to_string().contains("another"), "{refused}");
    let plain = json!({ "name": "KEY", "value": "told", "isSecret": false });
    assert_eq!(put(&sandbox, &variable, &plain).await.1["fields"]["value"], "told");
    assert_eq!(put(&sandbox, &variable, &changed).await.0, 200);
    // The name is the key of the item.
    changed["name"] = json!("OTHER");
    assert_eq!(put(&sandbox, &variable, &changed).await.0, 400);
}

/// A mask within a text, a list or a document is not stored either: masked values that come back unchanged are restored.
#[tokio::test]
async fn an_edit_writes_no_mask_into_the_state() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let mut fields = project(&sandbox);
    fields["description"] = json!("see https://ada:hunter2@host/ and sbx_hunter2");
    fields["serviceProviders"] = json!([
        { "passwords": ["a"], "password": ["hunter2", "hunter3"] },
        { "query": "{ a(password: \"hunter2\", b: $p, token: $p) }", "variables": { "p": "hunter2", "q": 1 } },
    ]);
    let created = caller.create(PROJECTS, &fields).await;
    let address = format!("{PROJECTS}/{}", created["id"].as_str().unwrap());
    let mut fields = show(&sandbox, "item", &[("address", &address)]).await["fields"].clone();
    assert!(!fields.to_string().contains("hunter"), "{fields}");
    fields["name"] = json!("Renamed");
    let (status, answer) = put(&sandbox, &address, &fields).await;
    assert_eq!((status, answer["fields"] == fields), (200, true), "{answer}");
    let mut expected = created.clone();
    expected["name"] = json!("Renamed");
    assert_eq!(caller.get_json(&address).await, expected);
}

#[tokio::test]
async fn items_are_searched_and_come_in_pages_newest_first() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for name in ["alpha", "beta", "Alphabet"] {
        let mut fields = project(&sandbox);
        fields["name"] = name.into();
        caller.create(PROJECTS, &fields).await;
    }
    let names = async |query: &[(&str, &str)]| {
        let query = [&[("collection", PROJECTS)], query].concat();
        let list = show(&sandbox, "items", &query).await;
        let items = list["items"].as_array().unwrap();
        let names: Vec<String> = items.iter().map(|item| item["fields"]["name"].as_str().unwrap().to_owned()).collect();
        (list["total"].as_u64().unwrap(), names.join(" "))
    };
    assert_eq!(names(&[("search", "ALPHA")]).await, (2, "Alphabet alpha".to_owned()));
    assert_eq!(names(&[("limit", "2")]).await, (5, "Alphabet beta".to_owned()));
    assert_eq!(names(&[("skip", "2"), ("limit", "1")]).await, (5, "alpha".to_owned()));
    assert_eq!(names(&[("search", "nothing of it")]).await, (0, String::new()));
    for (place, query) in [
        ("items", vec![]),
        ("items", vec![("collection", PROJECTS), ("limit", "-1")]),
        ("items", vec![("collection", PROJECTS), ("page", "1")]),
        ("item", vec![]),
        ("operations", vec![("state", "Done")]),
        ("operations", vec![("limit", "x")]),
        ("operations", vec![("over", "perhaps")]),
        ("operations", vec![("page", "1")]),
    ] {
        assert_eq!(ask(&sandbox, Method::GET, place, &query, None).await.0, 400, "{place} {query:?}");
    }
    assert_eq!(ask(&sandbox, Method::GET, "item", &[("address", "/api/nothing")], None).await.0, 404);
}

#[tokio::test]
async fn an_operation_shows_its_events_and_what_is_still_to_come() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    sandbox.clock().hold();
    let (id, address) = deployment(&sandbox, &caller).await;
    deployment_with(&sandbox, &caller, "outcome=failure").await;
    let timeline = async || {
        let operation = show(&sandbox, &format!("operations/{id}"), &[]).await;
        assert_eq!(operation["target"], address.as_str());
        let line = |name: &str| {
            let steps = operation[name].as_array().unwrap().iter();
            let texts =
                steps.map(|step| format!("{} {}", step["state"].as_str().unwrap(), step["kind"].as_str().unwrap()));
            texts.collect::<Vec<_>>().join(", ")
        };
        (line("events"), line("plan"), operation["isOver"] == true)
    };
    let plan = "Running state-changed, Succeeded state-changed, Succeeded workload-ready";
    assert_eq!(timeline().await, ("Queued accepted".to_owned(), plan.to_owned(), false));
    sandbox.clock().advance(Duration::from_secs(60));
    assert_eq!(timeline().await, (format!("Queued accepted, {plan}"), String::new(), true));

    let total = async |query: &[(&str, &str)]| show(&sandbox, "operations", query).await["total"].as_u64().unwrap();
    assert_eq!(total(&[]).await, 2);
    assert_eq!(total(&[("state", "failed")]).await, 1);
    assert_eq!((total(&[("over", "true")]).await, total(&[("over", "false")]).await), (2, 0));
    assert_eq!(total(&[("search", &id)]).await, 1);
    assert_eq!(total(&[("kind", "database-backup")]).await, 0);
    let one = show(&sandbox, "operations", &[("limit", "1")]).await;
    assert_eq!(
        (one["operations"].as_array().unwrap().len(), one["operations"][0]["state"].as_str()),
        (1, Some("Failed"))
    );
    let unknown = "operations/00000000-0000-4000-8000-000000000000";
    assert_eq!(ask(&sandbox, Method::GET, unknown, &[], None).await.0, 404);
}

#[tokio::test]
async fn the_directory_names_files_of_secrets_and_no_secret() {
    let sandbox = platform_sandbox::start().await.unwrap();
    assert_eq!(show(&sandbox, "directory", &[]).await["clients"][0]["secretFile"], Value::Null);
    let folder = tempfile::tempdir().unwrap();
    let secrets = sandbox.publish_secrets(Some(folder.path())).unwrap();
    let directory = show(&sandbox, "directory", &[]).await;
    assert_eq!(directory["baseUrl"], sandbox.base_url());
    assert_eq!(directory["compliance"], sandbox.compliance_url());
    assert_eq!(directory["clients"][0]["secretFile"], secrets.clients()[0].path.to_str().unwrap());
    assert_eq!(directory["users"][0]["passwordFile"], secrets.users()[0].1.to_str().unwrap());
    let text = directory.to_string();
    let known = sandbox
        .clients()
        .iter()
        .map(|client| client.secret())
        .chain(sandbox.users().iter().map(|user| user.password()));
    for secret in known.filter(|secret| !secret.is_empty()) {
        assert!(!text.contains(secret));
    }
}

#[tokio::test]
async fn a_request_names_the_operation_that_it_was_for() {
    let sandbox = platform_sandbox::start().await.unwrap();
    support::fetch(format!("{}{PROJECTS}/x", sandbox.base_url())).await.unwrap();
    support::fetch(format!("{}/nowhere", sandbox.base_url())).await.unwrap();
    let first = show(&sandbox, "requests/1", &[]).await["operation"].clone();
    assert_eq!(first["path"], format!("{PROJECTS}/{{project_id}}"));
    assert_eq!((&first["method"], &first["provenance"]), (&json!("GET"), &json!("documented")));
    assert_eq!(show(&sandbox, "requests/2", &[]).await["operation"], Value::Null);
}

#[tokio::test]
async fn an_item_is_added_for_a_team_and_the_api_serves_it() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let [own, other] = [Caller::new(&sandbox, 0).await, Caller::new(&sandbox, 1).await];
    let machines = "/api/virtual-machines";
    let wanted = json!({ "collection": machines, "teamId": sandbox.other_team().id, "fields": { "name": "spare" } });
    let (status, added) = ask(&sandbox, Method::POST, "items", &[], Some(&wanted)).await;
    assert_eq!((status, &added["fields"]["name"]), (201, &json!("spare")), "{added}");
    let address = added["address"].as_str().unwrap();
    assert_eq!(other.get_json(address).await, added["fields"]);
    assert_eq!(own.get(address).await.status(), 404);
    // Without a team, the first one owns the item; the key can be given.
    let (status, added) =
        ask(&sandbox, Method::POST, "items", &[], Some(&json!({ "collection": machines, "key": "k" }))).await;
    assert_eq!((status, &added["address"]), (400, &Value::Null), "a machine has a GUID: {added}");
    let id = "00000005-0000-4000-8000-0000000000ff";
    let again = json!({ "collection": machines, "fields": { "id": id } });
    assert_eq!(ask(&sandbox, Method::POST, "items", &[], Some(&again)).await.0, 201);
    assert_eq!(own.get_json(&format!("{machines}/{id}")).await["id"], id);
    assert_eq!(ask(&sandbox, Method::POST, "items", &[], Some(&again)).await.0, 409);
    assert_eq!(ask(&sandbox, Method::GET, "items", &[("collection", "/api/nothing")], None).await.0, 404);
    for (body, place) in [
        (json!({ "collection": "/api/nothing" }), "$.collection"),
        (json!({ "collection": machines, "fields": { "cores": "many" } }), "$.fields.cores"),
        (json!({ "collection": machines, "key": "a/b" }), "$.key"),
        (json!({ "collection": machines, "teamId": id }), "$.teamId"),
    ] {
        let (status, refused) = ask(&sandbox, Method::POST, "items", &[], Some(&body)).await;
        assert!(status == 400 && refused["errors"].get(place).is_some(), "{body}: {refused}");
    }
}

#[tokio::test]
async fn a_snapshot_is_restored_while_the_sandbox_runs_and_in_another_one() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let data = Some(directory.path().join("sandbox.db"));
        platform_sandbox::start_with(Options { data, ..Options::default() })
    };
    let snapshot = async |sandbox: &Sandbox| show(sandbox, "snapshot", &[]).await;
    let sandbox = open().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let (_, work) = deployment(&sandbox, &caller).await;
    let registries = format!("/api/teams/v1/teams/{}/container-registries", sandbox.team().id);
    caller.create(&registries, &json!({ "name": "n", "password": "hunter2" })).await;
    let repository = caller.create("/api/devops/v1/repositories", &json!({ "name": "r" })).await;
    let content = format!("/api/devops/v1/repositories/{}/files/content?path=a", repository["id"].as_str().unwrap());
    let put = caller.request(Method::PUT, &content).header("content-type", "application/octet-stream").body("bytes");
    assert_eq!(put.send().await.unwrap().status(), 201);
    let saved = snapshot(&sandbox).await;
    let projects = caller.get_json(PROJECTS).await;

    // Everything but the clock changes, and comes back: as the clock is held, no step of the work is due.
    let parts: Vec<Part> = Part::ALL.into_iter().filter(|part| *part != Part::Clock).collect();
    sandbox.reset_only(&parts).unwrap();
    caller.create(PROJECTS, &project(&sandbox)).await;
    assert_eq!(ask(&sandbox, Method::PUT, "snapshot", &[], Some(&saved)).await.0, 204);
    assert_eq!(snapshot(&sandbox).await, saved);
    assert_eq!(caller.get_json(PROJECTS).await, projects);
    assert_eq!(caller.get(&content).await.text().await.unwrap(), "bytes");
    // A snapshot that cannot be a state changes nothing.
    for (body, place) in [
        (json!({ "items": [{ "address": "a", "teamId": sandbox.team().id, "fields": {} }] }), "$.items[0].address"),
        (json!({ "items": [{ "address": "/a/b", "teamId": uuid::Uuid::nil(), "fields": {} }] }), "$.items[0].teamId"),
        (json!({ "singles": [{ "address": "/a/", "fields": {} }] }), "$.singles[0].address"),
        (json!({ "files": [{ "address": "/a/b", "mediaType": "a/b", "base64": "?" }] }), "$.files[0].base64"),
        (json!({ "operations": [{}] }), "$.operations[0]"),
    ] {
        let (status, refused) = ask(&sandbox, Method::PUT, "snapshot", &[], Some(&body)).await;
        assert!(status == 400 && refused["errors"].get(place).is_some(), "{body}: {refused}");
    }
    assert_eq!(snapshot(&sandbox).await, saved);
    // The work goes on, here and after a start with the same file.
    sandbox.clock().advance(Duration::from_secs(60));
    assert_eq!(caller.get_json(&work).await["state"], 2);
    assert_eq!(ask(&sandbox, Method::PUT, "snapshot", &[], Some(&saved)).await.0, 204);
    sandbox.stop().await;
    let sandbox = open().await.unwrap();
    sandbox.clock().hold();
    let [stored, other] = [sandbox, platform_sandbox::start().await.unwrap()];
    other.clock().hold();
    assert_eq!(ask(&other, Method::PUT, "snapshot", &[], Some(&saved)).await.0, 204);
    let items = |snapshot: &Value| snapshot["items"].clone();
    assert_eq!(items(&snapshot(&stored).await).as_array().unwrap().len(), items(&saved).as_array().unwrap().len());
    assert_eq!(items(&snapshot(&other).await).as_array().unwrap().len(), items(&saved).as_array().unwrap().len());
}

/// Catches a change that is lost without an error, and a snapshot of which only a part is restored.
#[tokio::test]
async fn a_state_without_room_refuses_changes() {
    const MOST: usize = 100_000;
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let machine = format!("/api/virtual-machines/{}", sandbox.team().virtual_machine_id);
    let set = async || {
        let timer = caller.request(Method::PUT, &format!("{machine}/shutdown-timer")).json(&json!({ "minutes": 1 }));
        timer.send().await.unwrap().status()
    };
    let saved = show(&sandbox, "snapshot", &[]).await;
    let mut full = saved.clone();
    full["singles"] = (0..=MOST).map(|number| json!({ "address": format!("/a/{number}"), "fields": {} })).collect();
    assert_eq!(ask(&sandbox, Method::PUT, "snapshot", &[], Some(&full)).await.0, 507);
    assert_eq!(show(&sandbox, "snapshot", &[]).await, saved);
    full["singles"].as_array_mut().unwrap().pop();
    assert_eq!(ask(&sandbox, Method::PUT, "snapshot", &[], Some(&full)).await.0, 204);
    assert_eq!(set().await, 507);
    // Reads go on, and so does everything once there is room.
    assert_eq!(caller.get_json(&machine).await["state"], "Stopped");
    assert_eq!(ask(&sandbox, Method::PUT, "snapshot", &[], Some(&saved)).await.0, 204);
    assert_eq!(set().await, 200);
}
