//! GraphQL over the state of a contract.

use driftless_sandbox::{Behaviour, Document, Options, Sandbox, explain_graphql, start_with};
use reqwest::Method;
use serde_json::{Value, json};

use super::{body, client, pets, send};

const SCHEMA: &str = r#"
scalar DateTime
type Query {
    pets(tag: String, first: Int, skip: Int): [Pet!]!
    pet(id: ID!): Pet
    petPage(limit: Int, skip: Int, name: String): PetPage!
    petEdges(first: Int, after: String, last: Int, before: String): PetEdges!
    weather(city: String!): Weather!
}
type Mutation {
    createPet(input: PetInput!): Pet!
    petUpdate(id: ID!, input: PetChange!): PetPayload!
    deletePet(petId: ID!): Boolean!
}
input PetInput { name: String!, tag: String }
input PetChange { NAME: String, tag: String }
type PetPayload { pet: Pet, userErrors: [String!]! }
type PetPage { items: [Pet!]!, totalCount: Int!, hasMore: Boolean! }
type PetEdges { edges: [PetEdge!]!, pageInfo: PageInfo! }
type PetEdge { node: Pet!, cursor: String! }
type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
interface Animal { id: ID! }
type Pet implements Animal { id: ID!, name: String!, tag: String, born: DateTime!, visits: [Visit!]!, friend: Pet }
type Visit { at: DateTime!, costs: Float!, state: State!, by: Vet }
enum State { PLANNED DONE }
union Vet = Doctor | Robot
type Doctor { name: String! }
type Robot { model: String! }
type Weather { degrees: Int!, wind: Float!, sky: State!, days: [Weather!]! }
type Subscription { petCreated: Pet! }
"#;

async fn begin() -> Sandbox {
    let mut options = Options::default();
    options.graphql = Some(SCHEMA.to_owned());
    start_with(pets("3.0.3").to_string().as_bytes(), options).await.unwrap()
}

async fn ask(sandbox: &Sandbox, query: &str, variables: Value) -> Value {
    let request = client().post(format!("{}/graphql", sandbox.origin())).header("x-key", "any");
    let answer = request.json(&json!({ "query": query, "variables": variables })).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    body(answer).await
}

#[tokio::test]
async fn an_item_is_the_same_in_graphql_and_in_the_contract() {
    let sandbox = begin().await;
    let create = "mutation($input: PetInput!) { createPet(input: $input) { id name tag born visits { costs state } } }";
    let created = ask(&sandbox, create, json!({ "input": { "name": "Rex", "tag": "dog" } })).await;
    let created = &created["data"]["createPet"];
    assert_eq!((&created["name"], &created["tag"]), (&json!("Rex"), &json!("dog")), "{created}");
    let id = created["id"].as_str().unwrap();
    let item = format!("/pets/{id}");
    assert_eq!(body(send(&sandbox, Method::GET, &item, None).await).await["name"], "Rex");
    // Members that the contract does not have are made up, by their types, the same each time.
    assert!(created["born"].as_str().unwrap().ends_with('Z'));
    assert!(created["visits"][0]["costs"].is_number() && created["visits"].as_array().unwrap().len() == 2);
    assert!(["PLANNED", "DONE"].contains(&created["visits"][0]["state"].as_str().unwrap()));

    send(&sandbox, Method::PUT, &item, Some(json!({ "id": 0, "name": "Max", "tag": "dog" }))).await;
    let read = ask(&sandbox, "query($id: ID!) { pet(id: $id) { __typename name } }", json!({ "id": id })).await;
    assert_eq!(read["data"]["pet"], json!({ "__typename": "Pet", "name": "Max" }));
    let changed =
        "mutation($id: ID!) { petUpdate(id: $id, input: { NAME: \"Tom\" }) { pet { id name tag } userErrors } }";
    let changed = ask(&sandbox, changed, json!({ "id": id })).await;
    let pet = json!({ "id": id, "name": "Tom", "tag": "dog" });
    assert_eq!(changed["data"]["petUpdate"], json!({ "pet": pet, "userErrors": [] }), "{changed}");

    let lists = "{ pets(tag: \"dog\") { name } all: pets { id } one: pets(first: 1, skip: 1) { id }
                   petPage(limit: 2) { items { id } totalCount hasMore } named: petPage(limit: 1, name: \"Tom\") { items { id } totalCount hasMore }
                   last: petPage(limit: 2, skip: 2) { items { id } totalCount hasMore } petEdges { edges { node { name } } pageInfo { hasNextPage } } }";
    let lists = ask(&sandbox, lists, json!({})).await["data"].clone();
    assert_eq!((&lists["pets"], lists["all"].as_array().unwrap().len()), (&json!([{ "name": "Tom" }]), 3), "{lists}");
    assert_eq!(lists["one"], json!([lists["all"][1]]));
    // The contract takes `limit` itself. Totals and filters are those of the list, and not those of its page.
    let ids = |range: std::ops::Range<usize>| range.map(|index| lists["all"][index].clone()).collect::<Vec<_>>();
    let page = |items, total, has_more| json!({ "items": items, "totalCount": total, "hasMore": has_more });
    assert_eq!(lists["petPage"], page(ids(0..2), 3, true), "{lists}");
    assert_eq!(lists["last"], page(ids(2..3), 3, false), "{lists}");
    assert_eq!(lists["named"], page(ids(2..3), 1, false), "{lists}");
    assert_eq!(lists["petEdges"]["edges"][2]["node"]["name"], "Tom");
    assert_eq!(lists["petEdges"]["pageInfo"]["hasNextPage"], false);

    let deleted = ask(&sandbox, "mutation($id: ID!) { deletePet(petId: $id) }", json!({ "id": id })).await;
    assert_eq!(deleted, json!({ "data": { "deletePet": true } }));
    assert_eq!(send(&sandbox, Method::GET, &item, None).await.status(), 404);
    let gone = ask(&sandbox, "query($id: ID!) { pet(id: $id) { name } }", json!({ "id": id })).await;
    assert_eq!(gone, json!({ "data": { "pet": null } }));
    sandbox.stop().await;
}

/// Catches a page that repeats or leaves out an element, and a walk that does not end.
#[tokio::test]
async fn a_walk_over_cursors_sees_each_element_once() {
    // The arguments of pages are no filters by members of their names.
    let mut contract = pets("3.0.3");
    for name in ["first", "last", "after", "before"] {
        contract["components"]["schemas"]["Pet"]["properties"][name] = json!({ "type": "string" });
    }
    let mut options = Options::default();
    options.graphql = Some(SCHEMA.to_owned());
    let sandbox = start_with(contract.to_string().as_bytes(), options).await.unwrap();
    for number in 0..5 {
        let pet = json!({ "name": number.to_string(), "first": "a", "last": "b", "after": "c", "before": "d" });
        send(&sandbox, Method::POST, "/pets", Some(pet)).await;
    }
    let page = "query($first: Int, $after: String, $last: Int, $before: String) { petEdges(first: $first, after: $after, last: $last, before: $before) {
                edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }";
    let ask_page = async |variables: Value| ask(&sandbox, page, variables).await["data"]["petEdges"].clone();
    let ids = |page: &Value| {
        page["edges"].as_array().unwrap().iter().map(|edge| edge["node"]["id"].clone()).collect::<Vec<_>>()
    };
    let all = ids(&ask_page(json!({})).await);
    assert_eq!(all.len(), 7);
    let (mut forwards, mut after) = (Vec::new(), Value::Null);
    for (size, has_next) in [(3, true), (3, true), (1, false)] {
        let page = ask_page(json!({ "first": 3, "after": after })).await;
        assert_eq!(page["pageInfo"]["hasNextPage"], has_next, "{page}");
        assert_eq!(page["pageInfo"]["hasPreviousPage"], !forwards.is_empty(), "{page}");
        let read = ids(&page);
        assert_eq!(page["pageInfo"]["endCursor"], page["edges"][read.len() - 1]["cursor"]);
        assert_eq!(read.len(), size);
        forwards.extend(read);
        after = page["pageInfo"]["endCursor"].clone();
    }
    assert_eq!(forwards, all);
    let last = ask_page(json!({ "last": 2, "before": after })).await;
    assert_eq!(ids(&last), all[4..6]);
    assert_eq!(ask_page(json!({ "after": after })).await["pageInfo"]["endCursor"], Value::Null);
    let refused = ask(&sandbox, page, json!({ "after": "x" })).await;
    assert!(refused["errors"][0]["message"].as_str().unwrap().contains("`after`"), "{refused}");
}

#[tokio::test]
async fn a_stored_value_that_does_not_fit_is_an_error_and_not_another_value() {
    let schema = "type Query { pet(id: ID!): Pet } enum Mood { CALM WILD }
                  type Pet { id: ID!, weight: Int, mood: Mood, marks: [Int], length: Float, name: Mood, tag: Int!, made: Int!, none: Int!, nones: [Int]! }
                  type Mutation { deletePet(id: ID!): Mood! }";
    let mut contract = pets("3.0.3");
    let members = &mut contract["components"]["schemas"]["Pet"]["properties"];
    members["weight"] = json!({ "type": "integer", "format": "int64" });
    members["length"] = json!({ "type": "integer" });
    members["mood"] = json!({ "type": "string" });
    members["marks"] = json!({ "type": "array", "items": { "type": "integer" } });
    members["none"] = json!({ "type": "integer", "nullable": true });
    members["nones"] = json!({ "type": "array", "items": { "type": "integer" }, "nullable": true });
    let mut options = Options::default();
    options.graphql = Some(schema.to_owned());
    let sandbox = start_with(contract.to_string().as_bytes(), options).await.unwrap();
    let large = 1_i64 << 40;
    let pet = json!({ "name": "x".repeat(5_000), "length": 3, "weight": large, "mood": "sleepy", "marks": [1, large], "tag": "dog",
        "none": null, "nones": null });
    let id = body(send(&sandbox, Method::POST, "/pets", Some(pet)).await).await["id"].to_string();
    let read =
        ask(&sandbox, "query($id: ID!) { pet(id: $id) { weight mood marks name length made } }", json!({ "id": id }))
            .await;
    let pet = &read["data"]["pet"];
    assert_eq!((&pet["weight"], &pet["mood"]), (&json!(null), &json!(null)), "{read}");
    assert_eq!((&pet["marks"], pet["made"].is_i64()), (&json!([1, null]), true), "{read}");
    let paths: Vec<&Value> = read["errors"].as_array().unwrap().iter().map(|error| &error["path"]).collect();
    let [weight, mood, mark] = [json!(["pet", "weight"]), json!(["pet", "mood"]), json!(["pet", "marks", 1])];
    assert_eq!(paths, [&weight, &mood, &mark, &json!(["pet", "name"])], "{read}");
    assert_eq!(pet["length"], json!(3.0), "{read}");
    // A message about a long value is short.
    assert!(read.to_string().len() < 1_500, "{read}");
    // A field that may not be null takes the object around it with it.
    let read = ask(&sandbox, "query($id: ID!) { pet(id: $id) { tag } }", json!({ "id": id })).await;
    assert_eq!(
        (&read["data"], &read["errors"][0]["path"]),
        (&json!({ "pet": null }), &json!(["pet", "tag"])),
        "{read}"
    );
    assert!(read["errors"][0]["message"].as_str().unwrap().contains("Int"), "{read}");
    for field in ["none", "nones"] {
        let read = ask(&sandbox, &format!("{{ pet(id: {id}) {{ {field} }} }}"), json!({})).await;
        assert_eq!(
            (&read["data"]["pet"], &read["errors"][0]["path"]),
            (&Value::Null, &json!(["pet", field])),
            "{read}"
        );
    }
    // The identifier stands for an answer only if it fits.
    let deleted = ask(&sandbox, "mutation($id: ID!) { deletePet(id: $id) }", json!({ "id": id })).await;
    assert!(deleted.get("errors").is_none(), "{deleted}");
    sandbox.stop().await;
}

#[tokio::test]
async fn a_list_is_whole_although_the_contract_has_pages() {
    let mut contract = pets("3.0.3");
    let list = &mut contract["paths"]["/pets"]["get"];
    list["parameters"][0]["schema"]["default"] = json!(2);
    let page = json!({ "in": "query", "name": "page", "schema": { "type": "integer" } });
    list["parameters"].as_array_mut().unwrap().push(page);
    list["responses"]["200"]["content"]["application/json"]["schema"]["maxItems"] = json!(3);
    let mut options = Options::default();
    options.graphql = Some(SCHEMA.replace("skip: Int, name", "page: Int, name"));
    let sandbox = start_with(contract.to_string().as_bytes(), options).await.unwrap();
    let before = ask(&sandbox, "{ pets { id } }", json!({})).await["data"]["pets"].as_array().unwrap().len();
    // More than the contract, and the sandbox, put on one page.
    for _ in 0..2 {
        let many: String =
            (0..505).map(|index| format!("a{index}: createPet(input: {{ name: \"Rex\" }}) {{ id }} ")).collect();
        assert!(ask(&sandbox, &format!("mutation {{ {many} }}"), json!({})).await.get("errors").is_none());
    }
    let total = before + 1_010;
    let lists = "{ pets { id } petPage { totalCount hasMore } first: petPage(limit: 1) { totalCount hasMore }
                   second: petPage(page: 2, limit: 4) { items { id } hasMore } }";
    let lists = ask(&sandbox, lists, json!({})).await["data"].clone();
    let pets = lists["pets"].as_array().unwrap();
    assert_eq!(pets.len(), total);
    assert_eq!(lists["petPage"], json!({ "totalCount": total, "hasMore": false }));
    assert_eq!(lists["first"], json!({ "totalCount": total, "hasMore": true }));
    assert_eq!(lists["second"], json!({ "items": pets[4..8], "hasMore": true }));
    sandbox.stop().await;
}

/// Catches a page that reads its whole list: a hundred of them would have more elements than a request reads.
#[tokio::test]
async fn a_page_of_a_long_list_reads_its_own_elements() {
    let sandbox = begin().await;
    let item = |id: u32| json!({ "key": id.to_string(), "fields": { "id": id, "name": format!("n{id}"), "tag": if id.is_multiple_of(2) { "even" } else { "odd" } } });
    let items: Vec<Value> = (1..=10_000).map(item).collect();
    let snapshot = json!({ "collections": [{ "address": "/v1/pets", "numbers": 10_000, "items": items }] });
    let stored = client().put(format!("{}/sandbox/snapshot", sandbox.origin())).json(&snapshot).send().await.unwrap();
    assert_eq!(stored.status(), 204);
    let many = |count: usize, field: &str| (0..count).map(|index| format!("a{index}: {field} ")).collect::<String>();
    for (field, expected) in [
        (
            "petPage(limit: 1) { items { id } totalCount hasMore }",
            json!({ "items": [{ "id": "1" }], "totalCount": 10_000, "hasMore": true }),
        ),
        (
            "petEdges(last: 1) { edges { node { id } cursor } }",
            json!({ "edges": [{ "node": { "id": "10000" }, "cursor": "9999" }] }),
        ),
        (
            "petEdges(first: 1, after: \"41\") { edges { node { id } } }",
            json!({ "edges": [{ "node": { "id": "43" } }] }),
        ),
        ("pets(skip: 9999, first: 5) { id }", json!([{ "id": "10000" }])),
    ] {
        let answer = ask(&sandbox, &format!("{{ {} }}", many(100, field)), json!({})).await;
        assert!(answer.get("errors").is_none(), "{answer:.300}");
        assert!(answer["data"].as_object().unwrap().values().all(|value| *value == expected), "{answer:.300}");
    }
    // A filter that the operation does not know looks at all items.
    let named =
        |count| format!("{{ {} }}", many(count, "petPage(limit: 1, name: \"n77\") { items { id } totalCount }"));
    let answer = ask(&sandbox, &named(20), json!({})).await;
    assert_eq!(answer["data"]["a19"], json!({ "items": [{ "id": "77" }], "totalCount": 1 }), "{answer:.300}");
    let answer = ask(&sandbox, &named(21), json!({})).await;
    assert!(answer["errors"][0]["message"].as_str().unwrap().contains("200000 elements"), "{answer:.300}");
    sandbox.stop().await;
}

#[tokio::test]
async fn what_no_operation_answers_is_made_up_the_same_each_time() {
    let sandbox = begin().await;
    let query = "{ weather(city: \"a\") { degrees wind sky days { degrees days { sky } } }
                   pets { visits { at by { __typename ... on Doctor { name } ... on Robot { model } } } friend { name } } }";
    let one = ask(&sandbox, query, json!({})).await;
    assert!(one.get("errors").is_none(), "{one}");
    assert!(one["data"]["weather"]["degrees"].is_i64());
    assert_eq!(ask(&sandbox, query, json!({})).await, one);
    sandbox.stop().await;
}

#[tokio::test]
async fn the_schema_can_be_read_by_introspection() {
    let sandbox = begin().await;
    let query = "{ __schema { queryType { name } types { name fields { name type { kind ofType { kind ofType { name } } } } } } }";
    let answer = ask(&sandbox, query, json!({})).await;
    assert_eq!(answer["data"]["__schema"]["queryType"]["name"], "Query");
    let types = answer["data"]["__schema"]["types"].as_array().unwrap();
    assert!(types.iter().any(|kind| kind["name"] == "Pet" && kind["fields"][0]["name"] == "id"));
    sandbox.stop().await;
}

#[tokio::test]
async fn errors_have_the_form_of_the_specification() {
    let sandbox = begin().await;
    let refused = ask(&sandbox, "{ pets { colour } }", json!({})).await;
    assert!(refused.get("data").is_none(), "{refused}");
    assert_eq!(refused["errors"][0]["locations"][0], json!({ "line": 1, "column": 10 }), "{refused}");
    for (query, word) in [
        ("{ pets", "syntax"),
        ("query($id: ID!) { pet(id: $id) { id } }", "id"),
        ("subscription { petCreated { id } }", "subscriptions"),
        ("query a { pets { id } } query b { pets { id } }", "operation"),
    ] {
        let refused = ask(&sandbox, query, json!({})).await;
        let message = refused["errors"][0]["message"].as_str().unwrap();
        assert!(refused.get("data").is_none() && message.contains(word), "{refused}");
    }
    // The contract refuses the name; the field that may not be null takes the whole answer with it.
    let unfit = ask(&sandbox, "mutation { createPet(input: { name: \"\" }) { id } }", json!({})).await;
    assert_eq!((&unfit["data"], &unfit["errors"][0]["path"]), (&json!(null), &json!(["createPet"])), "{unfit}");
    assert_eq!(unfit["errors"][0]["extensions"]["status"], 400, "{unfit}");
    let unknown = ask(&sandbox, "mutation { deletePet(petId: 999) }", json!({})).await;
    assert_eq!(unknown["errors"][0]["extensions"]["status"], 404, "{unknown}");

    let url = format!("{}/graphql", sandbox.origin());
    let get = |query: &str| client().get(&url).query(&[("query", query)]).header("x-key", "any");
    assert_eq!(body(get("{ pets { id } }").send().await.unwrap()).await["data"]["pets"].as_array().unwrap().len(), 2);
    let changed = body(get("mutation { deletePet(petId: 1) }").send().await.unwrap()).await;
    assert!(changed["errors"][0]["message"].as_str().unwrap().contains("POST"), "{changed}");
    let modern = get("{ none }").header("accept", "application/graphql-response+json").send().await.unwrap();
    assert_eq!(modern.status(), 400);
    // The credentials are those of the request.
    let anonymous = client().post(&url).json(&json!({ "query": "{ pets { id } }" })).send().await.unwrap();
    assert_eq!(body(anonymous).await["errors"][0]["extensions"]["status"], 401);
    assert_eq!(client().post(&url).body("{}").send().await.unwrap().status(), 415);
    assert_eq!(client().post(&url).json(&json!([])).send().await.unwrap().status(), 400);
    assert_eq!(client().put(&url).send().await.unwrap().status(), 405);
    sandbox.stop().await;
}

#[tokio::test]
async fn a_hostile_query_ends_at_a_limit() {
    let sandbox = begin().await;
    let deep = |levels: usize| {
        format!("{{ weather(city: \"\") {{ {} degrees {} }} }}", "days {".repeat(levels), "}".repeat(levels))
    };
    let fragments: String = (0..40)
        .map(|index| {
            format!("fragment F{index} on Weather {{ a: days {{ ...F{0} }} b: days {{ ...F{0} }} }} ", index + 1)
        })
        .collect();
    let doubling = format!("{{ weather(city: \"\") {{ ...F0 }} }} {fragments} fragment F40 on Weather {{ degrees }}");
    let wide = format!("{{ {} }}", (0..20_000).map(|index| format!("a{index}: pets {{ id }} ")).collect::<String>());
    for query in [deep(40), deep(20), deep(5_000), doubling, wide] {
        let answer = ask(&sandbox, &query, json!({})).await;
        assert!(answer.get("data").is_none() && answer["errors"].as_array().unwrap().len() <= 20, "{answer:.300}");
    }
    let many = |count: usize, field: &str| (0..count).map(|index| format!("a{index}: {field} ")).collect::<String>();
    let names = "types { name fields { name } }";
    let schemas = format!("{{ {} }}", many(400, &format!("__schema {{ {names} }}")));
    let kinds = format!("{{ {} }}", many(11, "__type(name: \"Pet\") { name }"));
    let spread =
        format!("{{ ...A ... on Query {{ ...A }} }} fragment A on Query {{ {} }}", many(6, "__schema { __typename }"));
    let within = format!("{{ __schema {{ {} }} }}", many(300, names));
    for query in [schemas, kinds, spread, within] {
        let answer = ask(&sandbox, &query, json!({})).await;
        let message = answer["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(answer.get("data").is_none() && message.contains("introspection"), "{answer:.300}");
    }
    let ten = format!("{{ {} }}", many(10, "__schema { queryType { name } }"));
    assert!(ask(&sandbox, &ten, json!({})).await.get("errors").is_none());
    let calls = format!("{{ {} }}", (0..2_000).map(|index| format!("a{index}: pets {{ id }} ")).collect::<String>());
    let answer = ask(&sandbox, &calls, json!({})).await;
    assert!(answer["errors"][0]["message"].as_str().unwrap().contains("1000"), "{answer:.300}");
    sandbox.stop().await;
}

#[tokio::test]
async fn a_schema_is_explained_and_a_broken_one_refused() {
    let contract = pets("3.0.3").to_string();
    let documents = [Document::new("pets", contract.as_bytes())];
    let text = explain_graphql(&documents, &Behaviour::default(), SCHEMA).unwrap();
    for line in [
        "Query.pets: GET /pets",
        "Query.pet: GET /pets/{petId}",
        "Query.weather: made up by its type",
        "Mutation.createPet: POST /pets",
        "Mutation.petUpdate: PUT /pets/{petId}",
        "Mutation.deletePet: DELETE /pets/{petId}",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} is missing in\n{text}");
    }
    for broken in ["type Query { a: None }", "type {", &"{".repeat(10_000)] {
        let error = explain_graphql(&documents, &Behaviour::default(), broken).unwrap_err();
        assert_eq!(error.code(), "graphql/schema");
        assert!(error.to_string().starts_with("the schema:1:"), "{error}");
    }
}
