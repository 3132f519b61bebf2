//! Authorization by team, project, component and provider, and by role (platform document §4.1, §5.9).

use crate::support::{Caller, PROJECTS, named, project};
use reqwest::Method;
use serde_json::{Value, json};

const LYRA: &str = "00000020-0000-4000-8000-000000000031";
const VEGA: &str = "00000020-0000-4000-8000-000000000032";
const API: &str = "00000021-0000-4000-8000-000000000032";

async fn names(caller: &Caller<'_>) -> Vec<String> {
    let projects = caller.get_json(PROJECTS).await;
    projects.as_array().unwrap().iter().map(|project| project["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_viewer_reads_a_member_writes_an_admin_administers() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let team = format!("/api/teams/v1/teams/{}", sandbox.team().id);
    let role = json!({ "name": "r" });
    let thread = json!({ "title": "t" });
    let (roles, threads) = (format!("{team}/roles"), "/api/forum/v1/threads");
    for (client, expected) in
        [("aurora-viewer", [200, 403, 403]), ("aurora-member", [200, 201, 403]), ("aurora-automation", [200, 201, 201])]
    {
        let caller = named(&sandbox, client).await;
        let actual = [
            caller.get(&team).await.status().as_u16(),
            caller.status(Method::POST, threads, &thread).await,
            caller.status(Method::POST, &roles, &role).await,
        ];
        assert_eq!(actual, expected, "{client}");
    }
    // ASP.NET's 403 has no body.
    let denied = named(&sandbox, "aurora-viewer").await.post(threads, &thread).await;
    assert_eq!((denied.status().as_u16(), denied.text().await.unwrap().as_str()), (403, ""));
    let viewer = named(&sandbox, "aurora-viewer").await;
    assert_eq!(viewer.status(Method::POST, PROJECTS, &project(&sandbox)).await, 403);
}

#[tokio::test]
async fn what_belongs_to_another_team_is_missing() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = named(&sandbox, "aurora-automation").await;
    let other = sandbox.other_team();
    for path in [
        format!("/api/teams/v1/teams/{}", other.id),
        format!("/api/teams/v1/teams/{}/billing-accounts", other.id),
        format!("/api/marketplace/v1/store-items/{}", other.store_item_id),
        format!("/api/virtual-machines/{}", other.virtual_machine_id),
        format!("/api/client-db/v1/connections/{}", other.connection_id),
        format!("{PROJECTS}/{LYRA}"),
        format!("{PROJECTS}/{VEGA}/components/{API}"),
    ] {
        for method in [Method::GET, Method::PUT, Method::DELETE] {
            let status = caller.status(method.clone(), &path, &json!({})).await;
            assert!(status == 404 || status == 405, "{method} {path}: {status}");
        }
    }
    let start = format!("/api/virtual-machines/{}/start", other.virtual_machine_id);
    assert_eq!(caller.status(Method::POST, &start, &json!({})).await, 404);
}

#[tokio::test]
async fn a_user_of_two_teams_has_a_role_in_each() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let ada = named(&sandbox, "ada").await;
    let teams = ada.get_json("/api/teams/v1/teams").await;
    assert_eq!(teams.as_array().unwrap().len(), 2);
    assert_eq!(ada.get_json("/api/virtual-machines").await.as_array().unwrap().len(), 2);
    let (ours, theirs) = (sandbox.team(), sandbox.other_team());
    let start = |id: uuid::Uuid| format!("/api/virtual-machines/{id}/start");
    assert_eq!(ada.status(Method::POST, &start(ours.virtual_machine_id), &json!({})).await, 202);
    assert_eq!(ada.status(Method::POST, &start(theirs.virtual_machine_id), &json!({})).await, 403);
    let mut body = project(&sandbox);
    assert_eq!(ada.status(Method::POST, PROJECTS, &body).await, 201);
    body["teamId"] = json!(theirs.id);
    assert_eq!(ada.status(Method::POST, PROJECTS, &body).await, 403);
    // bela is a member of that team, so the project can be created, but only with that team's billing account.
    let bela = named(&sandbox, "bela").await;
    assert_eq!(bela.status(Method::POST, PROJECTS, &body).await, 403);
    body["teamBillingAccountId"] = json!(theirs.billing_account_id);
    assert_eq!(bela.status(Method::POST, PROJECTS, &body).await, 201);
    assert_eq!((names(&bela).await.len(), names(&ada).await.len()), (1, 2));
}

#[tokio::test]
async fn a_membership_can_be_limited_to_projects() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let (cleo, dora) = (named(&sandbox, "cleo").await, named(&sandbox, "dora").await);
    assert_eq!(names(&cleo).await, ["Lyra", "Vega"]);
    assert_eq!(names(&dora).await, ["Lyra"]);
    assert_eq!(dora.get(&format!("{PROJECTS}/{LYRA}")).await.status(), 200);
    assert_eq!(dora.get(&format!("{PROJECTS}/{VEGA}")).await.status(), 404);
    assert_eq!(dora.get(&format!("{PROJECTS}/{VEGA}/components")).await.status(), 404);
    let component = json!({ "name": "web" });
    assert_eq!(dora.status(Method::POST, &format!("{PROJECTS}/{LYRA}/components"), &component).await, 201);
    assert_eq!(dora.status(Method::POST, &format!("{PROJECTS}/{VEGA}/components"), &component).await, 404);
    // She may read projects, and create none.
    assert_eq!(dora.get_json("/api/virtual-machines").await.as_array().unwrap().len(), 1);
    assert_eq!(dora.status(Method::POST, "/api/forum/v1/threads", &json!({ "title": "t" })).await, 403);
    assert_eq!(dora.status(Method::POST, PROJECTS, &json!({ "name": "p" })).await, 403);
}

#[tokio::test]
async fn a_grant_opens_one_component_at_its_level() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let (cleo, bela) = (named(&sandbox, "cleo").await, named(&sandbox, "bela").await);
    let component = format!("{PROJECTS}/{VEGA}/components/{API}");
    let variable = format!("{component}/environment-variables/A");
    let grants = format!("{component}/access-grants");
    assert_eq!(bela.get(&component).await.status(), 404);

    let user = sandbox.user("bela").unwrap().id;
    let read = cleo.create(&grants, &json!({ "userId": user, "level": "Read" })).await;
    assert_eq!(bela.get_json(&component).await["name"], "api");
    assert_eq!(bela.status(Method::PUT, &variable, &json!({ "value": "1" })).await, 403);
    // The project around it, and its other components, stay hidden.
    assert_eq!(bela.get(&format!("{PROJECTS}/{VEGA}")).await.status(), 404);
    assert_eq!(bela.get(&format!("{PROJECTS}/{VEGA}/components")).await.status(), 404);
    assert_eq!(names(&bela).await, [""; 0]);

    let write = cleo.create(&grants, &json!({ "userId": user, "level": "Write" })).await;
    assert_eq!(bela.status(Method::PUT, &variable, &json!({ "value": "1" })).await, 201);
    assert_eq!(bela.status(Method::POST, &format!("{component}/deployments"), &json!({ "tag": "v" })).await, 202);
    assert_eq!(bela.status(Method::POST, &grants, &json!({ "userId": user, "level": "Admin" })).await, 403);
    for grant in [read, write] {
        let address = format!("{grants}/{}", grant["id"].as_str().unwrap());
        assert_eq!(cleo.delete(&address).await.status(), 204);
    }
    assert_eq!(bela.get(&component).await.status(), 404);

    // An expired grant, and one for another user, have no effect.
    cleo.create(&grants, &json!({ "userId": user, "level": "Admin", "expiresAt": "2020-01-01T00:00:00Z" })).await;
    cleo.create(&grants, &json!({ "userId": sandbox.user("ada").unwrap().id, "level": "Admin" })).await;
    assert_eq!(bela.get(&component).await.status(), 404);
    let lasting = json!({ "userId": user, "level": "Read", "expiresAt": "2999-01-01T00:00:00Z" });
    cleo.create(&grants, &lasting).await;
    assert_eq!(bela.get(&component).await.status(), 200);
}

#[tokio::test]
async fn a_provider_of_another_team_cannot_be_used() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let (aurora, borealis) = (named(&sandbox, "aurora-automation").await, named(&sandbox, "borealis-automation").await);
    let credentials = |team: uuid::Uuid| format!("/api/teams/v1/teams/{team}/service-provider-credentials");
    let body = json!({ "kind": "AccessKey", "name": "cloud" });
    let ours = aurora.create(&credentials(sandbox.team().id), &body).await;
    let theirs = borealis.create(&credentials(sandbox.other_team().id), &body).await;
    let create = async |providers: Value| {
        let mut body = project(&sandbox);
        body["serviceProviders"] = providers;
        aurora.status(Method::POST, PROJECTS, &body).await
    };
    assert_eq!(create(json!([ours["id"]])).await, 201);
    assert_eq!(create(json!([{ "id": ours["id"] }, "anything", 7])).await, 201);
    assert_eq!(create(json!([theirs["id"]])).await, 403);
    assert_eq!(create(json!([ours["id"], { "id": theirs["id"] }])).await, 403);
    // Only callers who may use credentials can read them.
    let viewer = named(&sandbox, "aurora-viewer").await;
    assert_eq!(viewer.get(&credentials(sandbox.team().id)).await.status(), 403);
    let member = named(&sandbox, "aurora-member").await;
    assert_eq!(member.get(&credentials(sandbox.team().id)).await.status(), 200);
    assert_eq!(member.status(Method::POST, &credentials(sandbox.team().id), &body).await, 403);
}
