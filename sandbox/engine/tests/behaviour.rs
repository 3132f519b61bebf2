//! The behaviour file: each kind of entry, its line in the explanation, and entries that name what the contract does not have.

use std::time::Duration;

use driftless_sandbox::{Behaviour, Document, Error, Options, Sandbox, explain_all, start_with};
use reqwest::Method;
use serde_json::{Value, json};

use super::{body, pets, send};

const NAME: &str = "specs/sandbox.toml";

/// The contract of pets, with a state, an action, and a word that no inference knows.
fn contract() -> Value {
    let mut contract = pets("3.0.3");
    contract["components"]["schemas"]["Pet"]["properties"]["state"] =
        json!({ "type": "string", "enum": ["new", "washing", "drying", "clean"] });
    contract["paths"]["/pets"]["post"]["responses"]["402"] = json!({ "description": "" });
    let pet = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } });
    let accepted = json!({ "responses": { "202": { "description": "" } } });
    contract["paths"]["/pets/{petId}/wash"] =
        json!({ "post": accepted, "parameters": contract["paths"]["/pets/{petId}"]["parameters"] });
    contract["paths"]["/newest"] = json!({
        "get": { "responses": { "200": { "description": "", "content": pet } } },
        "post": { "requestBody": { "content": pet }, "responses": { "200": { "description": "", "content": pet }, "503": { "description": "" } } }
    });
    contract
}

pub(super) async fn start(behaviour: &str) -> Result<Sandbox, Error> {
    let mut options = Options::default();
    options.behaviour = Behaviour::read(NAME, behaviour)?;
    start_with(contract().to_string().as_bytes(), options).await
}

async fn create(sandbox: &Sandbox, path: &str, name: &str) -> reqwest::Response {
    send(sandbox, Method::POST, path, Some(json!({ "id": 0, "name": name }))).await
}

#[tokio::test]
async fn a_collection_begins_with_its_seeds_and_keeps_members_unique() {
    let sandbox = start(
        "[[collection]]\npath = '/pets'\nunique = ['name']\nseeds = [{ id = 7, name = 'Rex', tag = 'dog' }, { name = 'Tom' }]\n",
    );
    let sandbox = sandbox.await.unwrap();
    let response = send(&sandbox, Method::GET, "/pets", None).await;
    assert!(!response.headers().contains_key("x-sandbox-invented"));
    let list = body(response).await;
    assert_eq!(
        (&list[0]["id"], &list[0]["tag"], &list[1]["name"], list.as_array().unwrap().len()),
        (&json!(7), &json!("dog"), &json!("Tom"), 2)
    );
    assert_eq!(create(&sandbox, "/pets", "Rex").await.status(), 409);
    let created = create(&sandbox, "/pets", "Max").await;
    assert_eq!(created.status(), 201);
    let id = body(created).await["id"].clone();
    let put = async |name: &str| {
        send(&sandbox, Method::PUT, &format!("/pets/{id}"), Some(json!({ "id": 0, "name": name }))).await
    };
    assert_eq!(put("Tom").await.status(), 409);
    assert_eq!(put("Max").await.status(), 200, "its own name is not another's");
    sandbox.stop().await;
    let empty = start("[[collection]]\npath = '/pets'\nseeds = []\n").await.unwrap();
    assert_eq!(body(send(&empty, Method::GET, "/pets", None).await).await, json!([]));
    empty.stop().await;
}

#[tokio::test]
async fn an_operation_gets_another_role_and_a_collection_another_identifier() {
    let sandbox = start(
        "[[operation]]\noperation = 'POST /newest'\nrole = 'create'\ncollection = '/pets'\n\
         [[collection]]\npath = '/pets'\nidentifier = 'name'\n",
    );
    let sandbox = sandbox.await.unwrap();
    let created = body(create(&sandbox, "/newest", "5").await).await;
    assert_eq!(created["name"], "5");
    assert_eq!(body(send(&sandbox, Method::GET, "/pets/5", None).await).await["name"], "5");
    sandbox.stop().await;
}

#[tokio::test]
async fn a_status_answers_under_its_condition() {
    for (condition, cases) in [
        ("body = '/name'\nequals = 'Rex'", [("/pets", "Rex", 402), ("/pets", "Tom", 201)]),
        ("body = '/tag'", [("/pets", "Rex", 201), ("/pets", "Tom", 201)]),
        ("", [("/pets", "Rex", 402), ("/newest", "Tom", 200)]),
    ] {
        let sandbox =
            start(&format!("[[status]]\noperation = 'POST /pets'\nstatus = 402\n{condition}\n")).await.unwrap();
        for (path, name, status) in cases {
            assert_eq!(create(&sandbox, path, name).await.status(), status, "{condition}: {name}");
        }
        sandbox.stop().await;
    }
    let limited = "[[status]]\noperation = 'GET /pets'\nstatus = 200\nquery = 'limit'\nequals = 3\n";
    let sandbox = start(limited).await.unwrap();
    assert_eq!(send(&sandbox, Method::GET, "/pets?limit=3", None).await.status(), 200);
    sandbox.stop().await;
}

#[tokio::test]
async fn each_read_takes_work_a_state_further() {
    let sandbox = start(
        "[[work]]\noperation = 'POST /pets'\nmember = 'state'\nstates = ['new', 'clean']\n\
         [[work]]\noperation = 'POST /pets/{petId}/wash'\nmember = 'state'\nstates = ['washing', 'clean']\n",
    );
    let sandbox = sandbox.await.unwrap();
    let created = body(create(&sandbox, "/pets", "Rex").await).await;
    let item = format!("/pets/{}", created["id"]);
    let state =
        async || body(send(&sandbox, Method::GET, &item, None).await).await["state"].as_str().unwrap().to_owned();
    assert_eq!(created["state"], "new");
    let states = [state().await, state().await];
    assert_eq!(states, ["clean", "clean"]);
    assert_eq!(send(&sandbox, Method::POST, &format!("{item}/wash"), None).await.status(), 202);
    let list = body(send(&sandbox, Method::GET, "/pets", None).await).await;
    assert_eq!(list.as_array().unwrap().last().unwrap()["state"], "washing", "a list changes nothing");
    assert_eq!(state().await, "clean");
    sandbox.stop().await;
}

/// Catches a state that reads take further, one that lists do not see, steps that are lost or doubled, and a clock that is set back.
#[tokio::test]
async fn the_clock_takes_work_further() {
    let sandbox = start(
        "[[work]]\noperation = 'POST /pets'\nmember = 'state'\nstates = ['new', 'washing', 'clean']\nmilliseconds = 1000\n",
    );
    let sandbox = sandbox.await.unwrap();
    sandbox.clock().hold();
    let created = body(create(&sandbox, "/pets", "Rex").await).await;
    let item = format!("/pets/{}", created["id"]);
    let state = async || {
        let read = body(send(&sandbox, Method::GET, &item, None).await).await["state"].clone();
        let list = body(send(&sandbox, Method::GET, "/pets", None).await).await;
        assert_eq!(list.as_array().unwrap().last().unwrap()["state"], read, "the list has another state");
        read
    };
    assert_eq!((state().await, state().await), (json!("new"), json!("new")));
    let step = |milliseconds| sandbox.clock().advance(Duration::from_millis(milliseconds));
    let last = async || {
        let list = body(send(&sandbox, Method::GET, "/pets", None).await).await;
        list.as_array().unwrap().last().unwrap()["state"].clone()
    };
    for (milliseconds, wanted) in [(999, "new"), (1, "washing"), (0, "washing"), (999, "washing")] {
        step(milliseconds);
        assert_eq!(last().await, wanted, "a list after {milliseconds} ms more");
        assert_eq!(state().await, wanted, "after {milliseconds} ms more");
    }
    sandbox.clock().set_milliseconds(0);
    assert_eq!(state().await, "washing");
    sandbox.clock().set_milliseconds(i64::MAX);
    assert_eq!((state().await, state().await), (json!("clean"), json!("clean")));

    let other = body(create(&sandbox, "/pets", "Tom").await).await;
    let item = format!("/pets/{}", other["id"]);
    sandbox.clock().reset();
    sandbox.clock().hold();
    let changed = json!({ "id": other["id"], "name": "Tom", "state": "washing" });
    assert_eq!(send(&sandbox, Method::PUT, &item, Some(changed)).await.status(), 200);
    step(999);
    // Another member changes, and the state goes on.
    let renamed = json!({ "id": other["id"], "name": "Max", "state": "washing" });
    assert_eq!(send(&sandbox, Method::PUT, &item, Some(renamed)).await.status(), 200);
    assert_eq!(body(send(&sandbox, Method::GET, &item, None).await).await["state"], "washing");
    step(1);
    let kept = format!("{}/sandbox/item?address=/v1{item}", sandbox.origin());
    assert_eq!(body(super::client().get(&kept).send().await.unwrap()).await["fields"]["state"], "clean");
    assert_eq!(body(send(&sandbox, Method::GET, &item, None).await).await["state"], "clean");
    assert_eq!(send(&sandbox, Method::DELETE, &item, None).await.status(), 204);
    step(60_000);
    assert_eq!(send(&sandbox, Method::GET, &item, None).await.status(), 404, "work of a deleted item goes on");
    sandbox.stop().await;
}

/// Catches timers that outlive their state: a reset, a restored snapshot and a restart begin the present state anew, also if a list is
/// the first to see it.
#[cfg(feature = "data")]
#[tokio::test]
async fn timers_begin_with_the_state_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let start = async || {
        let mut options = Options::default();
        options.data = Some(folder.path().join("state.db"));
        options.behaviour = Behaviour::read(
            NAME,
            "[[collection]]\npath = '/pets'\nseeds = [{ id = 1, name = 'Rex', state = 'new' }]\n\
             [[work]]\noperation = 'POST /pets'\nmember = 'state'\nstates = ['new', 'washing', 'clean']\nmilliseconds = 1000\n",
        )?;
        let sandbox = start_with(contract().to_string().as_bytes(), options).await?;
        sandbox.clock().hold();
        Ok::<Sandbox, Error>(sandbox)
    };
    let list =
        async |sandbox: &Sandbox| body(send(sandbox, Method::GET, "/pets", None).await).await[0]["state"].clone();
    // The state after 999 ms, and after another one.
    let goes_on = async |sandbox: &Sandbox, states: [&str; 3]| {
        assert_eq!(list(sandbox).await, states[0]);
        sandbox.clock().advance(Duration::from_millis(999));
        assert_eq!(list(sandbox).await, states[1]);
        sandbox.clock().advance(Duration::from_millis(1));
        assert_eq!(list(sandbox).await, states[2]);
    };
    let sandbox = start().await.unwrap();
    goes_on(&sandbox, ["new", "new", "washing"]).await;
    sandbox.clock().advance(Duration::from_millis(500));
    let snapshot = format!("{}/sandbox/snapshot", sandbox.origin());
    let saved = body(super::client().get(&snapshot).send().await.unwrap()).await;
    assert_eq!(saved["collections"][0]["items"][0]["fields"]["state"], "washing");
    assert_eq!(super::client().put(&snapshot).json(&saved).send().await.unwrap().status(), 204);
    goes_on(&sandbox, ["washing", "washing", "clean"]).await;
    assert_eq!(super::client().put(&snapshot).json(&saved).send().await.unwrap().status(), 204);
    sandbox.stop().await;

    let sandbox = start().await.unwrap();
    goes_on(&sandbox, ["washing", "washing", "clean"]).await;
    let reset = format!("{}/sandbox/reset", sandbox.origin());
    for _ in 0..2 {
        let only = json!({ "only": ["state"] });
        assert_eq!(super::client().post(&reset).json(&only).send().await.unwrap().status(), 204);
        sandbox.clock().advance(Duration::from_millis(500));
        goes_on(&sandbox, ["new", "new", "washing"]).await;
    }
    sandbox.stop().await;
}

#[test]
fn the_explanation_names_the_line_of_each_entry() {
    let text = "[[operation]]\noperation = 'GET /newest'\nrole = 'computed'\n\
                [[status]]\noperation = 'POST /pets'\nstatus = 402\nbody = '/name'\nequals = 'Rex'\n\
                [[work]]\noperation = 'POST /pets'\nmember = 'state'\nstates = ['new', 'clean']\n\
                [[collection]]\npath = '/pets'\nunique = ['name']\nseeds = []\n";
    let contract = contract().to_string();
    let documents = [Document::new("pets.json", contract.as_bytes())];
    let table = explain_all(&documents, &Behaviour::read(NAME, text).unwrap()).unwrap();
    for part in [
        "specs/sandbox.toml:2 says so",
        "402 if `/name` of the body is \"Rex\" (specs/sandbox.toml:5)",
        "`state` goes through new, clean (specs/sandbox.toml:10)",
        "unique: `name` (specs/sandbox.toml:14)",
        "begins with 0 items (specs/sandbox.toml:14)",
    ] {
        assert!(table.contains(part), "{part} is missing in\n{table}");
    }
}

#[tokio::test]
async fn an_entry_that_names_what_the_contract_does_not_have_is_an_error_with_file_line_and_key() {
    let collection = |line: &str| format!("[[collection]]\npath = '/pets'\n{line}\n");
    let operation = |line: &str| format!("[[operation]]\noperation = 'POST /newest'\n{line}\n");
    let status = |line: &str| format!("[[status]]\noperation = 'POST /pets'\n{line}\n");
    let work = |line: &str| format!("[[work]]\noperation = 'POST /pets'\nmember = 'state'\n{line}\n");
    for (text, line, words) in [
        ("[[collection]]\npath = '/dogs'\n".to_owned(), 2, ["`collection.path`", "/dogs"]),
        (collection("identifier = 'key'"), 3, ["`collection.identifier`", "key"]),
        (collection("unique = ['name', 'code']"), 3, ["`collection.unique`", "code"]),
        (collection("seeds = [{ name = 1 }]"), 3, ["`collection.seeds`", "name"]),
        (
            "[[operation]]\noperation = 'PUT /newest'\nrole = 'read'\n".to_owned(),
            2,
            ["`operation.operation`", "PUT /newest"],
        ),
        (operation("role = 'make'"), 3, ["`operation.role`", "create"]),
        (operation("role = 'create'"), 3, ["`operation.role`", "collection"]),
        (operation("role = 'create'\ncollection = '/dogs'"), 4, ["`operation.collection`", "/dogs"]),
        (operation("role = 'list'\ncollection = '/pets'"), 3, ["`operation.role`", "list"]),
        ("[[status]]\noperation = 'GET /'\nstatus = 402\n".to_owned(), 2, ["`status.operation`", "GET /"]),
        (status("status = 418"), 3, ["`status.status`", "418"]),
        (status("status = 402\nquery = 'none'"), 4, ["`status.query`", "none"]),
        (status("status = 402\nbody = 'name'"), 4, ["`status.body`", "name"]),
        (status("status = 402\nequals = 1"), 4, ["`status.equals`", "body"]),
        (status("status = 402\nbody = '/name'\nheader = 'x'"), 4, ["second condition", "one of"]),
        (work("states = ['new', 'gone']"), 4, ["`work.states`", "gone"]),
        (work("states = []"), 4, ["`work.states`", "empty"]),
        (work("states = ['new']\nmilliseconds = 0"), 5, ["`work.milliseconds`", "0"]),
        (
            "[[work]]\noperation = 'GET /newest'\nmember = 'state'\nstates = ['new']\n".to_owned(),
            2,
            ["`work.operation`", "role"],
        ),
        (
            "[[work]]\noperation = 'POST /pets'\nmember = 'phase'\nstates = ['new']\n".to_owned(),
            3,
            ["`work.member`", "phase"],
        ),
    ] {
        let error = start(&text).await.unwrap_err();
        let message = error.to_string();
        assert_eq!(error.code(), "behaviour", "{text}");
        assert!(message.starts_with(&format!("{NAME}:{line}: ")), "{text}\n{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{text}\n{message}");
    }
}

#[tokio::test]
async fn the_page_has_an_example_of_each_key_and_it_holds() {
    let page = include_str!("../README.md");
    let (_, example) = page.split_once("```toml\n").unwrap();
    let (example, behind) = example.split_once("```").unwrap();
    start(example).await.unwrap().stop().await;
    for table in ["collection", "operation", "status", "work"] {
        let error = Behaviour::read(NAME, format!("[[{table}]]\nunknown = 1\n")).unwrap_err().to_string();
        let (_, keys) = error.split_once("expected").unwrap();
        for key in keys.split('`').skip(1).step_by(2) {
            let is_shown = example.contains(&format!("\n{key} = ")) || example.contains(&format!("`{key}`"));
            assert!(is_shown, "{table}.{key}");
        }
    }
    let error = start("[[operation]]\noperation = 'POST /newest'\nrole = ''\n").await.unwrap_err().to_string();
    let (_, roles) = error.split_once("is not one of ").unwrap();
    assert!(roles.split(", ").all(|role| behind.contains(&format!("`{role}`"))), "{roles}");
}
