//! Rows about security, against the credentials that were enough before and are enough after.

use std::collections::BTreeSet;

use driftless_codegen::Contract;
use driftless_codegen::drift::{self, Drift, Finding, Sides, Wire};
use serde_json::{Map, Value, json};

use crate::common::random::Random;

/// The credentials of a caller: a key, a password, a token and its scopes.
#[derive(Clone, Copy, Debug)]
struct Caller {
    key: bool,
    password: bool,
    /// The token's scopes; `None`: no token.
    token: Option<&'static [&'static str]>,
}

fn callers() -> Vec<Caller> {
    let tokens: [Option<&[&str]>; 5] = [None, Some(&[]), Some(&["r"]), Some(&["w"]), Some(&["r", "w"])];
    let both = [false, true];
    let pairs = both.into_iter().flat_map(|key| both.map(|password| (key, password)));
    pairs.flat_map(|(key, password)| tokens.map(|token| Caller { key, password, token })).collect()
}

/// Returns whether a contract lets a caller call a path.
fn lets_in(contract: &Value, path: &str, caller: Caller) -> bool {
    let own = &contract["paths"][path]["get"]["security"];
    let requirement = if own.is_null() { &contract["security"] } else { own };
    let Some(alternatives) = requirement.as_array().filter(|list| !list.is_empty()) else { return true };
    let has = |(name, scopes): (&String, &Value)| match contract["components"]["securitySchemes"][name]["type"]
        .as_str()
        .unwrap()
    {
        "apiKey" => caller.key,
        "http" => caller.password,
        _ => caller
            .token
            .is_some_and(|own| scopes.as_array().unwrap().iter().all(|scope| own.contains(&scope.as_str().unwrap()))),
    };
    alternatives.iter().any(|alternative| alternative.as_object().unwrap().iter().all(has))
}

const PATHS: [&str; 4] = ["/a", "/b", "/c", "/d"];

/// The names of the key, the password and the token, which may have two.
type Called = [&'static str; 4];

fn contract(called: Called, global: Option<Value>, own: &[Option<Value>]) -> Value {
    let [key, password, token, other] = called;
    let login =
        json!({"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "/token", "scopes": {"r": "", "w": ""}}}});
    let operations = PATHS.iter().zip(own).map(|(path, own)| {
        let mut get = json!({"responses": {"204": {"description": "Done"}}});
        if let Some(own) = own {
            get["security"] = own.clone();
        }
        ((*path).to_owned(), json!({"get": get}))
    });
    let mut contract = json!({
        "openapi": "3.0.4",
        "paths": operations.collect::<Map<_, _>>(),
        "components": {"securitySchemes": {
            (key): {"type": "apiKey", "in": "header", "name": "X-Key"},
            (password): {"type": "http", "scheme": "basic"},
            (token): login,
            (other): login,
        }},
    });
    if let Some(global) = global {
        contract["security"] = global;
    }
    contract
}

/// Alternatives, by the numbers of the schemes.
fn requirement(random: &mut Random) -> Vec<Vec<(usize, Vec<&'static str>)>> {
    let alternative = |random: &mut Random| {
        let schemes: BTreeSet<usize> = (0..random.below(4)).map(|_| random.below(4)).collect();
        let scopes = |random: &mut Random, scheme: &usize| match scheme {
            0 | 1 => vec![],
            _ => [vec![], vec!["r"], vec!["w"], vec!["r", "w"]][random.below(4)].clone(),
        };
        schemes.iter().map(|scheme| (*scheme, scopes(random, scheme))).collect()
    };
    (0..random.below(4)).map(|_| alternative(random)).collect()
}

fn written(alternatives: &[Vec<(usize, Vec<&str>)>], called: Called) -> Value {
    let one = |alternative: &Vec<(usize, Vec<&str>)>| -> Value {
        alternative
            .iter()
            .map(|(scheme, scopes)| (called[*scheme].to_owned(), json!(scopes)))
            .collect::<Map<_, _>>()
            .into()
    };
    alternatives.iter().map(one).collect()
}

fn compare(before: &Value, after: &Value) -> Drift {
    let texts = [before, after].map(Value::to_string);
    let [before, after] = texts.each_ref().map(|text| [Contract { name: "contract", bytes: text.as_bytes() }]);
    drift::compare(Sides { before: &before, after: &after }, "2026-01-01").unwrap()
}

const MORE: [&str; 3] = ["security-added", "alternative-removed", "scope-added"];
const LESS: [&str; 3] = ["security-removed", "alternative-added", "scope-removed"];

/// The findings of some rules at operations. A requirement of the document that no operation inherits is nobody's.
fn findings<'d>(drift: &'d Drift, rules: &[&str]) -> Vec<&'d Finding> {
    let is_called = |finding: &&Finding| rules.contains(&finding.rule.id()) && !finding.operations.is_empty();
    drift.findings.iter().filter(is_called).collect()
}

/// The paths of findings.
fn paths(findings: &[&Finding]) -> BTreeSet<String> {
    findings
        .iter()
        .flat_map(|finding| &finding.operations)
        .map(|key| key.trim_start_matches("GET ").to_owned())
        .collect()
}

#[test]
fn rows_name_the_operations_whose_callers_stay_outside_or_come_in() {
    let mut random = Random(11);
    let (mut breaks, mut opens, mut same) = (0, 0, 0);
    for round in 0..600 {
        let names: [Called; 3] = [["k", "p", "t", "u"], ["key", "p", "t", "u"], ["k", "pass", "token", "u"]];
        let (was, is) = (names[0], names[random.below(3)]);
        let requirements = |random: &mut Random, known: &[Option<Vec<_>>]| -> Vec<Option<Vec<_>>> {
            (0..=PATHS.len())
                .map(|index| match (known.get(index), random.below(3)) {
                    (Some(known), 0 | 1) => known.clone(),
                    (_, 0) => None,
                    _ => Some(requirement(random)),
                })
                .collect()
        };
        let olds = requirements(&mut random, &[]);
        let news = requirements(&mut random, &olds);
        let whole = |all: &[Option<Vec<_>>], called| {
            let mut all: Vec<Option<Value>> =
                all.iter().map(|own| own.as_ref().map(|own| written(own, called))).collect();
            let global = all.pop().flatten();
            contract(called, global, &all)
        };
        let (before, after) = (whole(&olds, was), whole(&news, is));
        let drift = compare(&before, &after);
        let of_callers = |from: &Value, to: &Value| -> BTreeSet<String> {
            let differs = |path: &&&str| {
                callers().into_iter().any(|caller| lets_in(from, path, caller) && !lets_in(to, path, caller))
            };
            PATHS.iter().filter(differs).map(|path| (*path).to_owned()).collect()
        };
        let (outside, inside) = (of_callers(&before, &after), of_callers(&after, &before));
        let what = || format!("round {round}\n{before:#}\n{after:#}\n{:#?}", drift.findings);
        let (more, less) = (findings(&drift, &MORE), findings(&drift, &LESS));
        assert_eq!((paths(&more), paths(&less)), (outside.clone(), inside.clone()), "{}", what());
        assert!(more.iter().all(|finding| finding.client == Wire::Break), "{}", what());
        assert!(less.iter().all(|finding| finding.client == Wire::Safe), "{}", what());
        // The verb depends on the number of operations.
        let text =
            |finding: &Finding| finding.change.split_once('`').map_or(String::new(), |(_, text)| text.to_owned());
        let rows: Vec<_> = more.iter().chain(&less).map(|finding| (finding.rule.id(), text(finding))).collect();
        assert_eq!(rows.iter().collect::<BTreeSet<_>>().len(), rows.len(), "one row a cause: {}", what());
        assert!(drift.findings.iter().all(|finding| !finding.change.contains("``")), "{}", what());
        breaks += outside.len();
        opens += inside.len();
        same += usize::from(outside.is_empty() && inside.is_empty());
    }
    assert!(breaks > 200 && opens > 200 && same > 20, "{breaks} {opens} {same}");
}

/// The requirement before and after, and the rows.
#[test]
fn one_change_of_a_requirement_is_one_row() {
    let (r, w, rw) = (json!({"t": ["r"]}), json!({"t": ["w"]}), json!({"t": ["r", "w"]}));
    let (k, p, kp) = (json!({"k": []}), json!({"p": []}), json!({"k": [], "p": []}));
    for (before, after, there, back) in [
        (
            json!([r, w]),
            json!([rw]),
            "security-added needs `t (r, w)` now",
            "security-removed does not need `t (r, w)` any more",
        ),
        (
            json!([r]),
            json!([rw]),
            "scope-added needs the scope `w` now",
            "scope-removed does not need the scope `w` any more",
        ),
        (json!([k]), json!([kp]), "security-added needs `p` now", "security-removed does not need `p` any more"),
        (
            json!([k, p]),
            json!([kp]),
            "security-added needs `k and p` now",
            "security-removed does not need `k and p` any more",
        ),
        (
            json!([k]),
            json!([kp, {"k": [], "t": ["r"]}]),
            "security-added needs `p or t (r)` now",
            "security-removed does not need `p or t (r)` any more",
        ),
        (
            json!([k, {"t": []}]),
            json!([k, {"t": ["r"], "p": []}]),
            "security-added needs `p and t (r)` now",
            "security-removed does not need `p and t (r)` any more",
        ),
        (
            json!([k, p]),
            json!([k]),
            "alternative-removed may not be called with `p` any more",
            "alternative-added may also be called with `p`",
        ),
        // A caller with more than enough passes in either case.
        (json!([k]), json!([k, kp]), "", ""),
        (json!([]), json!([k, {}]), "", ""),
        (json!([k, {}]), json!([k]), "security-added needs `k` now", "security-removed does not need `k` any more"),
        (json!([{"t": ["r"], "u": ["w"]}]), json!([rw]), "", ""),
    ] {
        let side = |requirement: &Value| contract(["k", "p", "t", "u"], Some(requirement.clone()), &[None]);
        for (before, after, expected) in [(&before, &after, there), (&after, &before, back)] {
            let drift = compare(&side(before), &side(after));
            let rows: Vec<String> =
                drift.findings.iter().map(|finding| format!("{} {}", finding.rule.id(), finding.change)).collect();
            assert_eq!(rows.join("; "), expected, "{before} → {after}");
        }
    }
}
