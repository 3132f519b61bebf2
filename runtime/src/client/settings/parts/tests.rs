use std::{cell::RefCell, collections::BTreeSet, ffi::OsString};

use super::{
    super::{DeclaredServer, RequiredClaim, Variables, builder, from_lookup, table::SETTINGS, tests::SERVERS},
    *,
};
use crate::{Client, protocol::Scheme};

const BASE: (&str, &str) = ("PLATFORM_BASE_URL", "https://platform.example");

/// The suffixes of the variables of a credential, with a valid value for each: of a token, of an API key, of HTTP
/// Basic, of files.
const VALUES: [(&str, &str); 24] = [
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
    ("API_KEY", "canary"),
    ("API_KEY_FILE", "/k"),
    ("API_KEY_KEYRING", "service/key"),
    ("API_KEY_HEADER", "X-Key"),
    ("API_KEY_QUERY", "code"),
    ("BASIC_USER", "me"),
    ("BASIC_PASSWORD", "canary"),
    ("BASIC_PASSWORD_FILE", "/p"),
    ("BASIC_PASSWORD_KEYRING", "service/password"),
    ("SECRET_FILE_MOUNTED", "1"),
    ("FOLLOW_LINKS", "1"),
];
const OF_TOKEN: usize = 13;
const REQUEST: [&str; 3] = ["SCOPE", "AUDIENCE", "TOKEN_ENDPOINT"];

/// The table of docs/configuration.md: the settings that each credential needs, and those that it may have. One of each
/// group is valid.
fn credentials() -> [Vec<(Vec<&'static str>, Vec<&'static str>)>; 3] {
    let keyring = cfg!(feature = "keyring");
    let sources = |ends: [&'static str; 3]| ends.into_iter().filter(move |end| keyring || !end.ends_with("_KEYRING"));
    let mut tokens = vec![(vec![], vec![])];
    tokens.extend(sources(["TOKEN", "TOKEN_FILE", "TOKEN_KEYRING"]).map(|token| (vec![token], vec![])));
    for secret in sources(["CLIENT_SECRET", "SECRET_FILE", "SECRET_KEYRING"]) {
        for folder in [None, Some("REFRESH_FOLDER")] {
            let needed = ["ISSUER", "CLIENT_ID", secret].into_iter().chain(folder).collect();
            tokens.push((needed, [&REQUEST[..], &["CLIENT_AUTHENTICATION"]].concat()));
        }
    }
    tokens.push((vec!["ISSUER", "CLIENT_ID", "REFRESH_FOLDER"], REQUEST.to_vec()));
    let mut keys = vec![(vec![], vec![])];
    for key in sources(["API_KEY", "API_KEY_FILE", "API_KEY_KEYRING"]) {
        keys.extend(["API_KEY_HEADER", "API_KEY_QUERY"].map(|place| (vec![key], vec![place])));
    }
    let mut basic = vec![(vec![], vec![])];
    let passwords = sources(["BASIC_PASSWORD", "BASIC_PASSWORD_FILE", "BASIC_PASSWORD_KEYRING"]);
    basic.extend(passwords.map(|password| (vec!["BASIC_USER", password], vec![])));
    [tokens, keys, basic]
}

/// Sets of variables, against the table: each set of a token's variables, and each set of the others together with
/// none, a token and a client.
#[test]
fn a_setting_has_an_effect_or_is_an_error() {
    let groups = credentials();
    let mut accepted = 0;
    let beside = [0, 1, 0b11_1000]
        .into_iter()
        .flat_map(|token| (0..1_usize << (VALUES.len() - OF_TOKEN)).map(move |others| token | others << OF_TOKEN));
    let of_token = (0..1_usize << OF_TOKEN).flat_map(|token| [0, 3].map(move |files| token | files << 22));
    for set in of_token.chain(beside) {
        let chosen: BTreeSet<&str> =
            VALUES.iter().enumerate().filter(|(index, _)| set >> index & 1 == 1).map(|(_, (end, _))| *end).collect();
        let lookup = |name: &str| {
            let end = name.strip_prefix("PLATFORM_").filter(|end| chosen.contains(end))?;
            VALUES.iter().find(|(known, _)| *known == end).map(|(_, value)| OsString::from(value))
        };
        let settings = Variables { lookup: &lookup, prefix: "PLATFORM_" }.credential([]).unwrap();
        let (files, others): (BTreeSet<&str>, BTreeSet<&str>) =
            chosen.iter().partition(|end| ["SECRET_FILE_MOUNTED", "FOLLOW_LINKS"].contains(end));
        let fits = groups.iter().all(|rows| {
            let of_group: BTreeSet<&str> =
                rows.iter().flat_map(|(needed, more)| needed.iter().chain(more)).copied().collect();
            let own: Vec<&str> = others.iter().copied().filter(|end| of_group.contains(end)).collect();
            rows.iter().any(|(needed, more)| {
                needed.iter().all(|end| own.contains(end))
                    && own.iter().all(|end| needed.contains(end) || more.contains(end))
            })
        });
        let needs_keyring = !cfg!(feature = "keyring") && others.iter().any(|end| end.ends_with("_KEYRING"));
        for key_file in [false, true].into_iter().filter(|key_file| !key_file || !files.is_empty()) {
            let made = settings.check_whole(key_file).and_then(|()| settings.clone().credentials("the service", &[]));
            let has_file = key_file || others.iter().any(|end| end.ends_with("_FILE"));
            let fits = fits && !needs_keyring && (files.is_empty() || has_file);
            match made {
                Ok(made) => {
                    assert!(fits, "{chosen:?} is accepted");
                    assert_eq!(made.is_empty(), others.is_empty(), "{chosen:?}");
                    assert!(!format!("{made:?}").contains("canary"), "{made:?}");
                    accepted += 1;
                }
                Err(error) => {
                    let text = format!("{error} {error:?}");
                    assert!(!fits, "{chosen:?}: {error}");
                    let is_named = text.contains("PLATFORM_") || text.contains("feature `keyring`");
                    assert!(is_named && !text.contains("canary"), "{chosen:?}: {text}");
                }
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}

/// Schemes of a contract: two keys, a user, and a cookie.
const SCHEMES: [Scheme; 4] = [
    Scheme::Header { scheme: "app-id", name: "X-App-Id" },
    Scheme::Query { scheme: "AppKey", name: "code" },
    Scheme::Cookie { scheme: "session", name: "sid" },
    Scheme::Basic { scheme: "login" },
];

/// Returns the schemes that get a key of these variables, or the error.
fn schemes_of(schemes: &[Scheme], variables: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let lookup = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
    let settings = from_lookup("PLATFORM_", &[], schemes, &|name| {
        lookup(name).or_else(|| (name == BASE.0).then(|| BASE.1.into()))
    });
    let credentials = settings.and_then(|settings| {
        settings.main.check_whole(false)?;
        let keys = settings.main.credentials("the service", &[])?.keys(schemes)?;
        Ok(keys.iter().map(|key| key.scheme().to_owned()).collect())
    });
    credentials.map_err(|error| {
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        error.to_string()
    })
}

/// A key is never assigned to a scheme by guessing.
#[test]
fn a_key_goes_to_the_scheme_that_its_variable_names() {
    let key = ("PLATFORM_API_KEY", "canary");
    let (header, query) = (("PLATFORM_API_KEY_HEADER", "x-app-id"), ("PLATFORM_API_KEY_QUERY", "code"));
    let [id, app_key, session] =
        ["PLATFORM_KEY_APP_ID", "PLATFORM_KEY_APPKEY", "PLATFORM_KEY_SESSION"].map(|name| (name, "canary"));
    let basic = [("PLATFORM_BASIC_USER", "me"), ("PLATFORM_BASIC_PASSWORD", "canary")];
    let (one, two) = (&SCHEMES[..1], &SCHEMES[..2]);
    for (schemes, variables, expected) in [
        (one, vec![key], Ok(vec!["app-id"])),
        (one, vec![id], Ok(vec!["app-id"])),
        (one, vec![key, header], Ok(vec!["app-id"])),
        (one, vec![key, query], Err("the contract has none of its place or name")),
        (
            two,
            vec![key],
            Err(
                "several API keys, `app-id`, `AppKey`: which one is it? (set PLATFORM_KEY_APP_ID, PLATFORM_KEY_APPKEY, or name",
            ),
        ),
        (two, vec![key, header], Ok(vec!["app-id"])),
        (two, vec![key, query], Ok(vec!["AppKey"])),
        (two, vec![id, app_key], Ok(vec!["app-id", "AppKey"])),
        (two, vec![id, key], Ok(vec!["AppKey", "app-id"])),
        (&SCHEMES, vec![id, app_key, session, basic[0], basic[1]], Ok(vec!["app-id", "AppKey", "session", "login"])),
        (two, basic.to_vec(), Err("the contract has no HTTP Basic")),
        (&SCHEMES[3..], vec![key], Err("the contract asks for no API key")),
        // No contract names it.
        (&[], vec![key, header], Ok(vec![""])),
        (&[], vec![key, query, basic[0], basic[1]], Ok(vec!["", ""])),
        (&[], vec![key], Err("PLATFORM_API_KEY_HEADER or PLATFORM_API_KEY_QUERY")),
        (&[], vec![key, ("PLATFORM_API_KEY_HEADER", "host")], Err("no key can stand in the header `host`")),
        (&[], vec![key, ("PLATFORM_API_KEY_HEADER", "a b")], Err("no key can stand in the header")),
        (&[], vec![("PLATFORM_TOKEN", "canary"), basic[0], basic[1]], Err("want the header `Authorization`")),
    ] {
        let given = schemes_of(schemes, &variables);
        match (&given, expected) {
            (Ok(given), Ok(expected)) => {
                let (mut given, mut expected) = (given.clone(), expected);
                given.sort();
                expected.sort_unstable();
                assert_eq!(given, expected, "{variables:?}");
            }
            (Err(error), Err(says)) => assert!(error.contains(says), "{variables:?}: {error}"),
            _ => panic!("{variables:?}: {given:?}"),
        }
    }
    // Two names that map to the same variable.
    let alike = [
        Scheme::Header { scheme: "app-id", name: "a" },
        Scheme::Header { scheme: "app.id", name: "b" },
        Scheme::Header { scheme: "app-id-file", name: "c" },
    ];
    let error = schemes_of(&alike, &[id]).unwrap_err();
    assert!(error.contains("`PLATFORM_KEY_APP_ID` is the variable of two keys: `app-id` and `app.id`"), "{error}");
    let error = schemes_of(&alike[1..], &[("PLATFORM_KEY_APP_ID_FILE", "/k")]).unwrap_err();
    assert!(error.contains("is the variable of two keys: `app.id` and `app-id-file`"), "{error}");
}

/// A variable that is read is in the table, in the documentation, and in this test.
#[test]
fn every_variable_that_is_read_is_in_the_table() {
    let known = |prefix: &str| {
        let ends = SETTINGS.iter().filter_map(|setting| setting.variable);
        ends.map(|end| format!("{prefix}{end}")).collect::<Vec<_>>()
    };
    assert_eq!(known(""), VALUES.map(|(end, _)| end), "a variable of the table lacks a value here");
    let rows = credentials().concat();
    let used: BTreeSet<&str> =
        rows.iter().flat_map(|(needed, optional)| needed.iter().chain(optional)).copied().collect();
    for (end, _) in VALUES.into_iter().filter(|(end, _)| !["SECRET_FILE_MOUNTED", "FOLLOW_LINKS"].contains(end)) {
        let needs_keyring = end.ends_with("_KEYRING") && !cfg!(feature = "keyring");
        assert_eq!(used.contains(end), !needs_keyring, "no credential uses {end}");
    }

    let asked = RefCell::new(BTreeSet::new());
    let lookup = |name: &str| {
        asked.borrow_mut().insert(name.to_owned());
        let of_server = ("PLATFORM_ARCHIVE_URL", "https://archive.example");
        [BASE, of_server].iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
    };
    let claim = SERVERS[0].claim.map(|claim| RequiredClaim { variable: "TENANT_ID", ..claim });
    let archive = [DeclaredServer { name: "archive", claim }];
    from_lookup("PLATFORM_", &archive, &SCHEMES, &lookup).unwrap();
    let others = [
        "BASE_URL",
        "PROFILE",
        "PROFILES",
        "CA_FILE",
        "CLIENT_CERTIFICATE_FILE",
        "CLIENT_KEY_FILE",
        "DANGER_ALLOW_HTTP_TO",
        "ARCHIVE_URL",
        "TENANT_ID",
    ];
    let mut all: BTreeSet<String> = others.iter().map(|end| format!("PLATFORM_{end}")).collect();
    all.extend(known("PLATFORM_"));
    let page = include_str!("../mod.rs");
    for name in &all {
        assert!(
            page.contains(&format!("`{}`", name.replace("PLATFORM_", "SERVICE_"))),
            "the documentation of `from_env` does not list {name}"
        );
    }
    all.extend(known("PLATFORM_ARCHIVE_"));
    for prefix in ["PLATFORM_", "PLATFORM_ARCHIVE_"] {
        for name in ["KEY_APP_ID", "KEY_APPKEY", "KEY_SESSION"] {
            all.extend(["", "_FILE", "_KEYRING"].map(|end| format!("{prefix}{name}{end}")));
        }
    }
    assert_eq!(asked.into_inner(), all);
}

fn built(variables: &[(&str, &str)]) -> Result<Client, Error> {
    let lookup = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
    builder(from_lookup("PLATFORM_", SERVERS, &[], &lookup)?)?.build()
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
        (vec![url, team], "TEAM_ID` would not be used: it is for the token of the server `compliance`"),
        (
            vec![url, ("PLATFORM_COMPLIANCE_TOKEN", "canary"), ("PLATFORM_COMPLIANCE_SCOPE", "api")],
            "`PLATFORM_COMPLIANCE_TOKEN` gives a token, and `PLATFORM_COMPLIANCE_SCOPE`",
        ),
    ] {
        let error = built(&[&[BASE], &variables[..]].concat()).unwrap_err();
        let printed = format!("{error} {error:?}");
        assert!(
            error.is_request() && printed.contains(says) && !printed.contains("canary"),
            "{variables:?}: {printed}"
        );
    }
    // An empty flag or one that is `0` is not set.
    for value in ["", "0"] {
        built(&[BASE, token, ("PLATFORM_FOLLOW_LINKS", value), ("PLATFORM_SECRET_FILE_MOUNTED", value)]).unwrap();
    }
}

/// Overridden by another choice, as the documentation says: a warning names them.
#[test]
fn variables_that_nobody_reads_are_noted() {
    let noted = |variables: &[(&str, &str)]| {
        let lookup =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        from_lookup("PLATFORM_", SERVERS, &SCHEMES, &lookup).unwrap().unread
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
        let mut warned = noted(&[&[file, token, BASE, ("PLATFORM_PROFILE", "x")], &others[..]].concat());
        warned.sort();
        let mut expected: Vec<&str> =
            others.iter().filter(|(_, value)| !value.is_empty()).map(|(name, _)| *name).chain([BASE.0]).collect();
        expected.sort_unstable();
        assert_eq!(warned, expected);
    }
}

#[cfg(feature = "profiles")]
mod profiles {
    use super::*;

    fn read(keys: &str) -> Result<Client, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profiles.toml");
        std::fs::write(&path, format!("[profile.x]\nbase_url = 'https://platform.example'\n{keys}\n")).unwrap();
        builder(crate::client::settings::profiles::read("PLATFORM_", SERVERS, &path, Some("x"))?)?.build()
    }

    #[test]
    fn every_key_of_a_profile_is_in_the_table() {
        let is_known = |key: &str| {
            let error = read(&format!("{key} = 1.5")).unwrap_err().to_string();
            assert!(error.contains("line 3"), "{error}");
            !error.contains("unknown field")
        };
        assert!(!is_known("unknown"));
        let others = [
            "base_url",
            "required_claim",
            "ca_file",
            "client_certificate_file",
            "client_key_file",
            "danger_allow_http_to",
            "server",
        ];
        for key in SETTINGS.iter().map(|setting| setting.key).chain(others) {
            // A key of a table occurs once, so the address of the profile cannot occur a second time.
            assert!(key == "base_url" || is_known(key), "{key}");
        }
    }

    #[test]
    fn a_key_without_an_effect_is_named_with_what_to_do() {
        let server = "[profile.x.server.compliance]\nbase_url = 'https://c.example'\n";
        let team = "required_claim = '7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b'\n";
        for (keys, says) in [
            ("token_command = ['a']\nscope = 'api'", "`token_command` gives a token, and `scope` would not be used"),
            ("audience = 'a'", "`audience` would not be used: it is for a client, and none is configured"),
            ("token_env = 'A'\nsecret_file_mounted = true", "`secret_file_mounted` would not be used"),
            (team, "`required_claim` would not be used: it is for a server of the profile"),
            (
                &format!("{server}{team}"),
                "`required_claim` would not be used: it is for the token of the server `compliance`",
            ),
            (&format!("{server}token_file = '/t'\nscope = 'api'"), "`token_file` gives a token, and `scope`"),
            (&format!("{server}secret_command = ['a']"), "lacks its issuer or its client"),
            ("api_key_header = 'X-Key'", "`api_key_header` would not be used: it is for an API key"),
            ("basic_user = 'me'", "`basic_user` would not be used: it is for a password"),
            ("basic_password_env = 'A'", "`basic_password_env` would not be used: it is for a user"),
            ("key.id.header = 'X-Id'", "the API key `id` of the service has no source"),
            ("key.id = { env = 'A', header = 'X-Id', query = 'id' }", "has a header and a parameter"),
            ("key.id = { env = 'A', colour = 'red' }", "unknown field `colour`"),
        ] {
            let error = read(keys).unwrap_err();
            assert!(error.is_request() && error.to_string().contains(says), "{keys}: {error}");
        }
        let keys = "api_key_env = 'A'\napi_key_query = 'code'\nbasic_user = 'me'\nbasic_password_file = '/p'\n\
                    key.id = { command = ['a'], header = 'X-Id' }\nfollow_links = true";
        read(keys).unwrap();
        read(&format!("token_file = '/t'\nfollow_links = true\n{server}token_env = 'A'\n{team}")).unwrap();
    }
}
