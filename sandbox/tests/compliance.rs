//! The compliance resource server (platform document §5.7).

use crate::support;
use crate::support::{named, token};
use platform_sandbox::{ApiTokenFormat, Options, Sandbox};
use serde_json::{Value, json};

const FRAMEWORKS: [&str; 2] = ["/api/compliance/frameworks", "/api/compliance/v1/frameworks"];

async fn status(sandbox: &Sandbox, token: &str, path: &str) -> u16 {
    let request = support::http().get(format!("{}{path}", sandbox.compliance_url())).bearer_auth(token);
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn a_token_needs_a_team_or_tenant_claim_of_the_configured_team() {
    let sandbox = platform_sandbox::start().await.unwrap();
    for path in FRAMEWORKS {
        for (client, expected) in [
            ("aurora-automation", 200),
            ("aurora-viewer", 200),
            ("aurora-tenant", 200),
            ("borealis-automation", 403),
            ("aurora-plain", 403),
        ] {
            let token = token(&sandbox, sandbox.client(client).unwrap()).await;
            assert_eq!(status(&sandbox, &token, path).await, expected, "{client} {path}");
            // Each of them is valid for the main API.
            assert_eq!(named(&sandbox, client).await.get(path).await.status(), 200, "{client} {path}");
        }
    }
}

#[tokio::test]
async fn the_team_is_configured_for_the_server() {
    let borealis = platform_sandbox::start().await.unwrap().other_team().id;
    let options = Options { compliance_team: Some(borealis), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    for (client, expected) in [("aurora-automation", 403), ("borealis-automation", 200)] {
        let token = token(&sandbox, sandbox.client(client).unwrap()).await;
        assert_eq!(status(&sandbox, &token, FRAMEWORKS[0]).await, expected, "{client}");
    }
    let unknown = Options { compliance_team: Some(uuid::Uuid::nil()), ..Options::default() };
    let refused = platform_sandbox::start_with(unknown).await.unwrap_err();
    assert_eq!(refused.code(), "sandbox-compliance-team");
    assert!(refused.to_string().contains(&borealis.to_string()), "{refused}");
}

#[tokio::test]
async fn roles_are_evaluated() {
    // A user who is a viewer of the configured team, and an admin of another one.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("seed.toml");
    let seed = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seed.toml")).unwrap();
    let ada = "{ team = \"Aurora\", role = \"admin\" }, { team = \"Borealis\", role = \"viewer\" }";
    let changed = "{ team = \"Aurora\", role = \"viewer\" }, { team = \"Borealis\", role = \"admin\" }";
    assert!(seed.contains(ada));
    std::fs::write(&path, seed.replace(ada, changed)).unwrap();
    let sandbox = platform_sandbox::start_with(Options { seed: Some(path), ..Options::default() }).await.unwrap();
    sandbox.issuer().set_api_token_format(ApiTokenFormat::Jwt);
    let url = format!("{}{}", sandbox.compliance_url(), FRAMEWORKS[0]);
    for (name, expected) in [
        ("aurora-viewer", [200, 403]),
        ("aurora-member", [200, 201]),
        ("aurora-automation", [200, 201]),
        ("aurora-tenant", [200, 201]),
        ("ada", [200, 403]),
    ] {
        let token = match sandbox.client(name) {
            Some(client) => token(&sandbox, client).await,
            None => sandbox.issuer().create_api_token(name, "x").unwrap().unwrap(),
        };
        let create = support::http().post(&url).bearer_auth(&token).json(&json!({ "name": "F" }));
        let actual = [status(&sandbox, &token, FRAMEWORKS[0]).await, create.send().await.unwrap().status().as_u16()];
        assert_eq!(actual, expected, "{name}");
    }
}

#[tokio::test]
async fn the_issuer_is_checked_first() {
    let (sandbox, other) = (platform_sandbox::start().await.unwrap(), platform_sandbox::start().await.unwrap());
    let client = sandbox.client("aurora-automation").unwrap();
    let url = format!("{}{}", sandbox.compliance_url(), FRAMEWORKS[0]);
    assert_eq!(support::fetch(&url).await.unwrap().status(), 401);
    let foreign = token(&other, other.client("aurora-automation").unwrap()).await;
    assert_eq!(status(&sandbox, &foreign, FRAMEWORKS[0]).await, 401);
    let good = token(&sandbox, client).await;
    sandbox.issuer().rotate_key().unwrap();
    assert_eq!(status(&sandbox, &good, FRAMEWORKS[0]).await, 200);
    sandbox.issuer().retire_old_keys();
    assert_eq!(status(&sandbox, &good, FRAMEWORKS[0]).await, 401);
    // An opaque token cannot be checked without the issuer; a JWT can.
    let opaque = sandbox.issuer().create_api_token("ada", "opaque").unwrap().unwrap();
    assert_eq!(status(&sandbox, &opaque, FRAMEWORKS[0]).await, 401);
    sandbox.issuer().set_api_token_format(ApiTokenFormat::Jwt);
    let jwt = sandbox.issuer().create_api_token("ada", "jwt").unwrap().unwrap();
    assert_eq!(status(&sandbox, &jwt, FRAMEWORKS[0]).await, 200);
}

#[tokio::test]
async fn it_publishes_its_contract_to_the_callers_that_it_takes() {
    let sandbox = platform_sandbox::start().await.unwrap();
    const PATH: &str = "/swagger/v1/swagger.json";
    let bare = support::http().get(format!("{}{PATH}", sandbox.compliance_url())).send().await.unwrap();
    assert_eq!(bare.status(), 401);
    let other = token(&sandbox, sandbox.client("borealis-automation").unwrap()).await;
    assert_eq!(status(&sandbox, &other, PATH).await, 403);
    let good = token(&sandbox, sandbox.client("aurora-automation").unwrap()).await;
    let request = support::http().get(format!("{}{PATH}", sandbox.compliance_url())).bearer_auth(&good);
    let contract: Value = request.send().await.unwrap().json().await.unwrap();
    let paths: Vec<&String> = contract["paths"].as_object().unwrap().keys().collect();
    assert!(paths.len() > 3 && paths.iter().all(|path| path.starts_with("/api/compliance/")), "{paths:?}");
    // The document shows none of them (platform document §4.2), which the contract marks here, too.
    for operation in contract["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values())
    {
        assert_eq!(operation["x-provenance"], "assumed", "{operation}");
    }
    // Every reference resolves, and every schema is referred to.
    let text = contract.to_string();
    for name in contract["components"]["schemas"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("#/components/schemas/{name}\"")), "{name}");
    }
    for part in text.split("\"#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(contract["components"]["schemas"].get(name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn it_serves_the_compliance_operations_and_nothing_else() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let good = token(&sandbox, sandbox.client("aurora-automation").unwrap()).await;
    for path in [
        "/api/projects/v1/projects",
        "/api/compliance",
        "/api/compliancex/frameworks",
        "/graphql",
        "/swagger/v1/swagger.yaml",
    ] {
        assert_eq!(status(&sandbox, &good, path).await, 404, "{path}");
    }
    let http = support::http();
    let frameworks = format!("{}{}", sandbox.compliance_url(), FRAMEWORKS[1]);
    let created = http.post(&frameworks).bearer_auth(&good).json(&json!({ "name": "F" })).send().await.unwrap();
    assert_eq!(created.status(), 201);
    let created: Value = created.json().await.unwrap();
    // Both servers have the same state.
    let path = format!("{}/{}", FRAMEWORKS[1], created["id"].as_str().unwrap());
    assert_eq!(named(&sandbox, "aurora-automation").await.get_json(&path).await, created);
    assert_eq!(status(&sandbox, &good, &path).await, 200);
    let malformed = http.post(&frameworks).bearer_auth(&good).json(&json!({ "name": 1 })).send().await.unwrap();
    assert_eq!(malformed.status(), 400);
}
