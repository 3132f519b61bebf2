use std::{cell::RefCell, collections::BTreeSet, ffi::OsString};

use super::{
    super::{Variables, builder, from_lookup},
    *,
};
use crate::Client;

const BASE: (&str, &str) = ("PLATFORM_BASE_URL", "https://platform.example");

/// The ends of the variables of a credential, with a value that each takes.
const VALUES: [(&str, &str); 15] = [
    ("TOKEN", "canary"),
    ("TOKEN_FILE", "/t"),
    ("TOKEN_KEYRING", "service/token"),
    ("ISSUER", "https://issuer.example"),
    ("CLIENT_ID", "me"),
    ("CLIENT_SECRET", "canary"),
    ("SECRET_FILE", "/s"),
    ("SECRET_KEYRING", "service/me"),
    ("REFRESH_FOLDER", "/r"),
    ("SCOPE", "api more"),
    ("AUDIENCE", "platform"),
    ("TOKEN_ENDPOINT", "https://issuer.example/token"),
    ("CLIENT_AUTHENTICATION", "basic"),
    ("SECRET_FILE_MOUNTED", "1"),
    ("FOLLOW_LINKS", "1"),
];

const FILES: [&str; 2] = ["SECRET_FILE_MOUNTED", "FOLLOW_LINKS"];
const REQUEST: [&str; 3] = ["SCOPE", "AUDIENCE", "TOKEN_ENDPOINT"];

/// The table of docs/configuration.md: what each credential needs, and what may be set beside it.
fn credentials() -> Vec<(Vec<&'static str>, Vec<&'static str>)> {
    let keyring = cfg!(feature = "keyring");
    let secrets = || {
        ["CLIENT_SECRET", "SECRET_FILE", "SECRET_KEYRING"]
            .into_iter()
            .filter(move |end| keyring || *end != "SECRET_KEYRING")
    };
    let files = |place: &str| if place.ends_with("_FILE") { FILES.to_vec() } else { Vec::new() };
    let mut rows = vec![(vec![], vec![])];
    for token in ["TOKEN", "TOKEN_FILE", "TOKEN_KEYRING"].into_iter().filter(|end| keyring || *end != "TOKEN_KEYRING") {
        rows.push((vec![token], files(token)));
    }
    for secret in secrets() {
        for folder in [None, Some("REFRESH_FOLDER")] {
            let needed = ["ISSUER", "CLIENT_ID", secret].into_iter().chain(folder).collect();
            rows.push((needed, [&REQUEST[..], &["CLIENT_AUTHENTICATION"], &files(secret)].concat()));
        }
    }
    rows.push((vec!["ISSUER", "CLIENT_ID", "REFRESH_FOLDER"], REQUEST.to_vec()));
    rows
}

/// Every set of variables, against the table.
#[test]
fn what_is_set_has_an_effect_or_is_an_error() {
    let rows = credentials();
    let mut accepted = 0;
    for set in 0..1_usize << VALUES.len() {
        let chosen: BTreeSet<&str> =
            VALUES.iter().enumerate().filter(|(index, _)| set >> index & 1 == 1).map(|(_, (end, _))| *end).collect();
        let lookup = |name: &str| {
            let end = name.strip_prefix("PLATFORM_").filter(|end| chosen.contains(end))?;
            VALUES.iter().find(|(known, _)| *known == end).map(|(_, value)| OsString::from(value))
        };
        let settings = Variables { lookup: &lookup, prefix: "PLATFORM_" }.credential().unwrap();
        for key_file in [false, true] {
            let made = settings.check_whole(key_file).and_then(|()| settings.clone().credential("the service", &[]));
            let fits = rows.iter().any(|(needed, optional)| {
                let allowed =
                    |end: &&str| needed.contains(end) || optional.contains(end) || key_file && FILES.contains(end);
                needed.iter().all(|end| chosen.contains(end)) && chosen.iter().all(allowed)
            });
            match made {
                Ok(made) => {
                    assert!(fits, "{chosen:?} is accepted");
                    let is_made = chosen.iter().any(|end| !FILES.contains(end));
                    assert_eq!(made.is_some(), is_made, "{chosen:?}");
                    accepted += 1;
                }
                Err(error) => {
                    let shown = format!("{error} {error:?}");
                    assert!(!fits, "{chosen:?}: {error}");
                    let is_named = shown.contains("PLATFORM_") || shown.contains("feature `keyring`");
                    assert!(is_named && !shown.contains("canary"), "{chosen:?}: {shown}");
                }
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}

/// A variable that is read stands in the table, in the documentation, and in this test.
#[test]
fn every_variable_that_is_read_is_in_the_table() {
    let known = |prefix: &str| {
        let ends = SETTINGS.iter().map(|setting| setting.variable).filter(|end| !end.is_empty());
        ends.map(|end| format!("{prefix}{end}")).collect::<Vec<_>>()
    };
    assert_eq!(known(""), VALUES.map(|(end, _)| end), "a variable of the table lacks a value here");
    let rows = credentials();
    let used: BTreeSet<&str> =
        rows.iter().flat_map(|(needed, optional)| needed.iter().chain(optional)).copied().collect();
    for (end, _) in VALUES {
        let needs_keyring = end.ends_with("_KEYRING") && !cfg!(feature = "keyring");
        assert_eq!(used.contains(end), !needs_keyring, "no credential uses {end}");
    }

    let asked = RefCell::new(BTreeSet::new());
    let lookup = |name: &str| {
        asked.borrow_mut().insert(name.to_owned());
        let of_server = ("PLATFORM_COMPLIANCE_URL", "https://compliance.example");
        [BASE, of_server].iter().find(|(found, _)| *found == name).map(|(_, value)| OsString::from(value))
    };
    from_lookup(&["compliance"], &lookup).unwrap();
    let others = [
        "BASE_URL",
        "PROFILE",
        "PROFILES",
        "CA_FILE",
        "CLIENT_CERTIFICATE_FILE",
        "CLIENT_KEY_FILE",
        "DANGER_ALLOW_HTTP_TO",
        "COMPLIANCE_URL",
        "TEAM_ID",
    ];
    let mut all: BTreeSet<String> = others.iter().map(|end| format!("PLATFORM_{end}")).collect();
    all.extend(known("PLATFORM_"));
    let page = include_str!("../mod.rs");
    for name in &all {
        assert!(page.contains(&format!("`{name}`")), "the documentation of `from_env` does not list {name}");
    }
    all.extend(known("PLATFORM_COMPLIANCE_"));
    assert_eq!(asked.into_inner(), all);
}

fn built(variables: &[(&str, &str)]) -> Result<Client, Error> {
    let lookup =
        |name: &str| variables.iter().find(|(found, _)| *found == name).map(|(_, value)| OsString::from(value));
    builder(from_lookup(&["compliance"], &lookup)?)?.build()
}

#[test]
fn a_variable_without_an_effect_is_named_with_what_to_do() {
    let token = ("PLATFORM_TOKEN", "canary");
    let url = ("PLATFORM_COMPLIANCE_URL", "https://compliance.example");
    let team = ("PLATFORM_TEAM_ID", "7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b");
    let folder =
        [("PLATFORM_ISSUER", "https://i.example"), ("PLATFORM_CLIENT_ID", "me"), ("PLATFORM_REFRESH_FOLDER", "/r")];
    for (variables, says) in [
        (vec![token, ("PLATFORM_SCOPE", "api")], "gives a token, and `PLATFORM_SCOPE` would not be used"),
        (
            vec![token, ("PLATFORM_AUDIENCE", "a"), ("PLATFORM_CLIENT_AUTHENTICATION", "form")],
            "`PLATFORM_AUDIENCE`, `PLATFORM_CLIENT_AUTHENTICATION` would not be used: they are for a client",
        ),
        (
            vec![token, ("PLATFORM_TOKEN_FILE", "/t")],
            "`PLATFORM_TOKEN`, `PLATFORM_TOKEN_FILE` are several sources of one token (keep one",
        ),
        (vec![("PLATFORM_SCOPE", "api")], "or unset `PLATFORM_SCOPE`"),
        (
            vec![token, ("PLATFORM_FOLLOW_LINKS", "1")],
            "`PLATFORM_FOLLOW_LINKS` would not be used: it is for protected files",
        ),
        (
            [&folder[..], &[("PLATFORM_CLIENT_AUTHENTICATION", "form")]].concat(),
            "`PLATFORM_CLIENT_AUTHENTICATION` would not be used: it is for a client's secret",
        ),
        (vec![("PLATFORM_COMPLIANCE_TOKEN", "canary")], "set PLATFORM_COMPLIANCE_URL to its address"),
        (vec![("PLATFORM_COMPLIANCE_SCOPE", "api")], "`PLATFORM_COMPLIANCE_SCOPE` would not be used"),
        (
            vec![team],
            "`PLATFORM_TEAM_ID` would not be used: it is for the server `compliance`, whose address is not set",
        ),
        (vec![url, team], "`PLATFORM_TEAM_ID` would not be used: it is for the token of the server `compliance`"),
        (
            vec![url, ("PLATFORM_COMPLIANCE_TOKEN", "canary"), ("PLATFORM_COMPLIANCE_SCOPE", "api")],
            "`PLATFORM_COMPLIANCE_TOKEN` gives a token, and `PLATFORM_COMPLIANCE_SCOPE`",
        ),
    ] {
        let error = built(&[&[BASE], &variables[..]].concat()).unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(error.is_request() && shown.contains(says) && !shown.contains("canary"), "{variables:?}: {shown}");
    }
    // What is lowered or empty is not set.
    for value in ["", "0"] {
        built(&[BASE, token, ("PLATFORM_FOLLOW_LINKS", value), ("PLATFORM_SECRET_FILE_MOUNTED", value)]).unwrap();
    }
}

/// Another choice takes the place of them, as the documentation says: a warning names them.
#[test]
fn variables_that_nobody_reads_are_noted() {
    let noted = |variables: &[(&str, &str)]| {
        let lookup =
            |name: &str| variables.iter().find(|(found, _)| *found == name).map(|(_, value)| OsString::from(value));
        from_lookup(&["compliance"], &lookup).unwrap().unread
    };
    assert_eq!(noted(&[BASE]), [""; 0]);
    assert_eq!(noted(&[BASE, ("PLATFORM_PROFILES", "/no/such")]), ["PLATFORM_PROFILES"]);
    #[cfg(feature = "profiles")]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profiles.toml");
        std::fs::write(
            &path,
            "default = 'x'\n[profile.x]\nbase_url = 'https://x.example'\ntoken_env = 'PLATFORM_TOKEN'\n",
        )
        .unwrap();
        let file = ("PLATFORM_PROFILES", path.to_str().unwrap());
        let token = ("PLATFORM_TOKEN", "canary");
        assert_eq!(noted(&[file, token]), [""; 0], "the profile reads it");
        let others = [
            ("PLATFORM_SCOPE", "api"),
            ("PLATFORM_CA_FILE", "/c"),
            ("PLATFORM_TEAM_ID", "x"),
            ("PLATFORM_COMPLIANCE_TOKEN_FILE", "/t"),
            ("PLATFORM_COMPLIANCE_URL", "https://c.example"),
            ("PLATFORM_ISSUER", ""),
        ];
        let mut found = noted(&[&[file, token, BASE, ("PLATFORM_PROFILE", "x")], &others[..]].concat());
        found.sort();
        let mut expected: Vec<&str> =
            others.iter().filter(|(_, value)| !value.is_empty()).map(|(name, _)| *name).chain([BASE.0]).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[cfg(feature = "profiles")]
mod profiles {
    use super::*;

    fn read(keys: &str) -> Result<Client, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profiles.toml");
        std::fs::write(&path, format!("[profile.x]\nbase_url = 'https://platform.example'\n{keys}\n")).unwrap();
        Client::from_profile(&path, "x")
    }

    #[test]
    fn every_key_of_a_profile_is_in_the_table() {
        let said = read("unknown = 1").unwrap_err().to_string();
        let (_, known) = said.split_once("expected one of").unwrap();
        let keys: BTreeSet<&str> = known.split('`').skip(1).step_by(2).collect();
        let others = [
            "base_url",
            "team_id",
            "ca_file",
            "client_certificate_file",
            "client_key_file",
            "danger_allow_http_to",
            "server",
        ];
        let expected: BTreeSet<&str> = SETTINGS.iter().map(|setting| setting.key).chain(others).collect();
        assert_eq!(keys, expected);
    }

    #[test]
    fn a_key_without_an_effect_is_named_with_what_to_do() {
        let server = "[profile.x.server.compliance]\nbase_url = 'https://c.example'\n";
        let team = "team_id = '7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b'\n";
        for (keys, says) in [
            ("token_command = ['a']\nscope = 'api'", "`token_command` gives a token, and `scope` would not be used"),
            ("audience = 'a'", "`audience` would not be used: it is for a client, and none is configured"),
            ("token_env = 'A'\nsecret_file_mounted = true", "`secret_file_mounted` would not be used"),
            (team, "`team_id` would not be used: it is for a server of the profile"),
            (&format!("{server}{team}"), "`team_id` would not be used: it is for the token of the server `compliance`"),
            (&format!("{server}token_file = '/t'\nscope = 'api'"), "`token_file` gives a token, and `scope`"),
            (&format!("{server}secret_command = ['a']"), "lacks its issuer or its client"),
        ] {
            let error = read(keys).unwrap_err();
            assert!(error.is_request() && error.to_string().contains(says), "{keys}: {error}");
        }
        read(&format!("token_file = '/t'\nfollow_links = true\n{server}token_env = 'A'\n{team}")).unwrap();
    }
}
