//! Clients of several documents: each is compared with its own state before.

use driftless_codegen::drift::{self, Sides, Source, Wire};
use driftless_codegen::{Contract, Names, Setup, api};
use serde_json::{Value, json};

const TODAY: &str = "2026-01-01";

/// A second document of the same client has a server and a scheme of its own.
#[test]
fn what_another_document_asks_of_callers_is_no_news_for_the_first() {
    let document = |schemes: Value, server: &str| {
        let names: Vec<&String> = schemes.as_object().unwrap().keys().collect();
        let security: Vec<Value> = names.iter().map(|name| json!({name.as_str(): []})).collect();
        let get = json!({"tags": ["health"], "operationId": "health", "responses": {"204": {"description": "Fine"}}});
        let servers = json!([{"url": server}]);
        json!({"openapi": "3.0.4", "servers": servers, "paths": {"/health": {"get": get}}, "security": security,
            "components": {"securitySchemes": schemes}})
        .to_string()
    };
    let key = json!({"Key": {"type": "apiKey", "in": "header", "name": "X-Key"}});
    let jwt = json!({"JWT": {"type": "http", "scheme": "bearer"}});
    let (first, open) = (document(key, "https://one.example"), document(json!({}), "https://two.example"));
    let second = document(jwt, "https://two.example");
    fn contracts<'c>(texts: &[&'c str]) -> Vec<Contract<'c>> {
        ["first", "second"]
            .into_iter()
            .zip(texts)
            .map(|(name, text)| Contract { name, bytes: text.as_bytes() })
            .collect()
    }
    for before in [vec![first.as_str(), &open], vec![first.as_str()]] {
        let (before, after) = (contracts(&before), contracts(&[&first, &second]));
        let mut drift = drift::compare(Sides { before: &before, after: &after }, TODAY).unwrap();
        let setup = Setup::default();
        let (old, names) = api(&before, &setup, &Names::default()).unwrap();
        let (new, _) = api(&after, &setup, &names).unwrap();
        drift.with_items(Sides { before: &old, after: &new });
        assert!(!drift.findings.is_empty());
        for finding in &drift.findings {
            let mut sites = [&finding.before, &finding.after].into_iter().flatten();
            assert!(sites.all(|site| site.document == "second"), "{finding:#?}");
            assert!(finding.client < Wire::Break, "{finding:#?}");
        }
        let of_first = drift.items().into_iter().filter(|(change, _)| change.source == Source::Major).count();
        assert_eq!((of_first, drift.unexplained.map(|items| items.len())), (0, Some(0)));
    }
}
