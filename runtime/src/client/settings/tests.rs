use std::ffi::OsString;

use super::{DeclaredServer, RequiredClaim, builder, from_lookup};
use crate::{Client, Error};

/// The server `compliance`, whose tokens have to name the configured team.
pub(super) const SERVERS: &[DeclaredServer] = &[DeclaredServer {
    name: "compliance",
    claim: Some(RequiredClaim { names: &["team_id", "tenant_id"], variable: "TEAM_ID", uuid: true }),
}];

fn build(variables: &[(&str, &str)]) -> Result<Client, Error> {
    let lookup = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
    builder(from_lookup("PLATFORM_", SERVERS, &[], &lookup)?)?.build()
}

fn credential(platform: &Client) -> Option<String> {
    platform.session.credential.as_ref().map(|cache| cache.credential().describe())
}

const BASE: (&str, &str) = ("PLATFORM_BASE_URL", "https://platform.example");
const ISSUER: (&str, &str) = ("PLATFORM_ISSUER", "https://issuer.example");
const CLIENT: (&str, &str) = ("PLATFORM_CLIENT_ID", "me");

#[test]
fn variables_choose_the_credential() {
    let printed = |variables: &[(&str, &str)]| credential(&build(variables).unwrap());
    assert_eq!(printed(&[BASE]), None);
    assert_eq!(printed(&[BASE, ("PLATFORM_TOKEN", "")]), None);
    let token = printed(&[BASE, ("PLATFORM_TOKEN", "canary")]).unwrap();
    assert_eq!(token, "the token from the environment variable `PLATFORM_TOKEN`");
    assert!(printed(&[BASE, ("PLATFORM_TOKEN_FILE", "/t")]).unwrap().contains("file `/t`"));
    for secret in
        [("PLATFORM_SECRET_FILE", "/s"), ("PLATFORM_CLIENT_SECRET", "canary"), ("PLATFORM_REFRESH_FOLDER", "/r")]
    {
        assert_eq!(printed(&[BASE, ISSUER, CLIENT, secret]).unwrap(), "client `me` of https://issuer.example");
    }
    #[cfg(feature = "keyring")]
    {
        let printed = printed(&[BASE, ("PLATFORM_TOKEN_KEYRING", "service/me")]).unwrap();
        assert_eq!(printed, "the token from the entry `me` of `service` in the keyring");
    }
    let both = build(&[
        BASE,
        ("PLATFORM_TOKEN", "canary"),
        ("PLATFORM_COMPLIANCE_URL", "https://compliance.example"),
        ("PLATFORM_COMPLIANCE_ISSUER", "https://issuer.example"),
        ("PLATFORM_COMPLIANCE_CLIENT_ID", "auditor"),
        ("PLATFORM_COMPLIANCE_SECRET_FILE", "/s"),
        ("PLATFORM_TEAM_ID", "7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b"),
    ])
    .unwrap();
    let server = both.server("compliance").unwrap();
    assert_eq!(credential(server).unwrap(), "client `auditor` of https://issuer.example");
    assert!(server.session.claim.is_some() && both.session.claim.is_none());
}

#[cfg(unix)]
#[tokio::test]
async fn files_that_a_container_mounts_are_chosen_by_a_variable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    std::fs::write(&path, "token").unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    let file = ("PLATFORM_TOKEN_FILE", path.to_str().unwrap());
    for (value, works) in [("1", true), ("0", false), ("", false)] {
        let platform = build(&[BASE, file, ("PLATFORM_SECRET_FILE_MOUNTED", value)]).unwrap();
        let outcome = platform.authenticate(std::time::Duration::from_secs(120)).await;
        assert_eq!(outcome.is_ok(), works, "{value}: {outcome:?}");
    }
    #[cfg(feature = "profiles")]
    {
        let profiles = folder.path().join("profiles.toml");
        let text = format!(
            "default = \"x\"\n[profile.x]\nbase_url = \"https://platform.example\"\ntoken_file = {:?}\n\
             secret_file_mounted = true\n",
            path.to_str().unwrap()
        );
        std::fs::write(&profiles, text).unwrap();
        let platform = build(&[("PLATFORM_PROFILES", profiles.to_str().unwrap())]).unwrap();
        platform.authenticate(std::time::Duration::from_secs(120)).await.unwrap();
    }
}

#[test]
fn connections_are_configured_by_variables() {
    let plain = ("PLATFORM_DANGER_ALLOW_HTTP_TO", "platform.svc, issuer.svc,");
    let base = ("PLATFORM_BASE_URL", "http://platform.svc");
    let issuer = ("PLATFORM_ISSUER", "http://issuer.svc");
    build(&[base, plain, issuer, CLIENT, ("PLATFORM_CLIENT_SECRET", "canary")]).unwrap();
    assert!(build(&[base, ("PLATFORM_DANGER_ALLOW_HTTP_TO", "issuer.svc")]).is_err());
    for (name, says) in [
        ("PLATFORM_CA_FILE", "the root certificates: the file `/no/such`"),
        ("PLATFORM_CLIENT_CERTIFICATE_FILE", "lacks its key"),
        ("PLATFORM_CLIENT_KEY_FILE", "lacks its certificate"),
    ] {
        let error = build(&[BASE, (name, "/no/such")]).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn what_is_missing_or_contradicts_is_said() {
    let token = ("PLATFORM_TOKEN", "canary");
    let file = ("PLATFORM_SECRET_FILE", "/s");
    for (variables, says) in [
        (vec![], "PLATFORM_BASE_URL is not set"),
        (vec![token], "PLATFORM_BASE_URL is not set"),
        (vec![BASE, ISSUER], "lacks its issuer or its client"),
        (vec![BASE, CLIENT, file], "lacks its issuer or its client"),
        (vec![BASE, file], "lacks its issuer or its client"),
        (vec![BASE, ISSUER, CLIENT], "lacks the client's secret"),
        (
            vec![BASE, token, ISSUER, CLIENT, file],
            "`PLATFORM_TOKEN` gives a token, and `PLATFORM_ISSUER`, `PLATFORM_CLIENT_ID`, `PLATFORM_SECRET_FILE` would not",
        ),
        (vec![BASE, token, ISSUER], "`PLATFORM_TOKEN` gives a token, and `PLATFORM_ISSUER` would not be used"),
        (
            vec![BASE, ("PLATFORM_TOKEN_FILE", "/t"), CLIENT],
            "`PLATFORM_TOKEN_FILE` gives a token, and `PLATFORM_CLIENT_ID`",
        ),
        (vec![BASE, token, ("PLATFORM_CLIENT_SECRET", "canary")], "and `PLATFORM_CLIENT_SECRET` would not be used"),
        (vec![BASE, token, ("PLATFORM_REFRESH_FOLDER", "/r")], "and `PLATFORM_REFRESH_FOLDER` would not be used"),
        (vec![BASE, token, ("PLATFORM_TOKEN_FILE", "/t")], "several sources"),
        (vec![BASE, token, ("PLATFORM_SECRET_FILE_MOUNTED", "yes")], "neither 0 nor 1"),
        (vec![("PLATFORM_BASE_URL", "http://platform.example")], "in the clear"),
        (vec![BASE, ("PLATFORM_COMPLIANCE_URL", "https://c.example"), ("PLATFORM_TEAM_ID", "blue")], "not a GUID"),
    ] {
        let error = build(&variables).unwrap_err();
        assert!(error.is_request() && error.to_string().contains(says), "{variables:?}: {error}");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
    }
    let entry = ("PLATFORM_TOKEN_KEYRING", "canary");
    let error = build(&[BASE, entry]).unwrap_err().to_string();
    let says = if cfg!(feature = "keyring") { "SERVICE/USER" } else { "feature `keyring`" };
    assert!(error.contains(says) && !error.contains("canary"), "{error}");
    #[cfg(not(feature = "profiles"))]
    assert!(build(&[BASE, ("PLATFORM_PROFILE", "x")]).unwrap_err().to_string().contains("feature `profiles`"));
}

#[cfg(feature = "profiles")]
mod profiles {
    use super::*;

    const FILE: &str = r#"
default = "local"

[profile.local]
base_url = "http://127.0.0.1:5000"
token_env = "PLATFORM_TOKEN"

[profile.staging]
base_url = "https://platform.example"
issuer = "https://issuer.example"
client_id = "me"
secret_command = ["pass", "show", "platform"]
scope = "api more"
audience = "platform"
token_endpoint = "https://issuer.example/token"

[profile.staging.server.compliance]
base_url = "https://compliance.example"
required_claim = "7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b"
token_file = "/run/secrets/compliance"
follow_links = true

[profile.laptop]
base_url = "https://platform.example"
issuer = "https://issuer.example"
client_id = "me"
secret_keyring = "platform/me"
"#;

    #[test]
    fn a_profile_is_chosen_by_name_or_default() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("platform").join("profiles.toml");
        std::fs::create_dir(folder.path().join("platform")).unwrap();
        std::fs::write(&path, FILE).unwrap();
        let home = ("XDG_CONFIG_HOME", folder.path().to_str().unwrap());
        let file = ("PLATFORM_PROFILES", path.to_str().unwrap());
        assert_eq!(build(&[home]).unwrap().base_url(), "http://127.0.0.1:5000/");
        assert_eq!(build(&[home, BASE]).unwrap().base_url(), "https://platform.example/", "the variable is nearer");
        let staging = build(&[file, ("PLATFORM_PROFILE", "staging")]).unwrap();
        assert_eq!(credential(&staging).unwrap(), "client `me` of https://issuer.example");
        let server = staging.server("compliance").unwrap();
        assert!(credential(server).unwrap().contains("/run/secrets/compliance") && server.session.claim.is_some());
        assert!(
            builder::<Client>(super::super::profiles::read("PLATFORM_", SERVERS, &path, Some("staging")).unwrap())
                .is_ok()
        );
        let laptop = Client::from_profile(&path, "laptop");
        assert_eq!(laptop.is_ok(), cfg!(feature = "keyring"), "{laptop:?}");
        let error = build(&[file, ("PLATFORM_PROFILE", "production")]).unwrap_err();
        assert!(error.to_string().contains("laptop, local, staging"), "{error}");
        let error = build(&[("PLATFORM_PROFILES", "/no/such/file"), ("PLATFORM_PROFILE", "x")]).unwrap_err();
        assert!(error.to_string().contains("/no/such/file"), "{error}");
        assert!(build(&[("PLATFORM_PROFILE", "x")]).unwrap_err().to_string().contains("PLATFORM_PROFILES"));
    }

    #[test]
    fn secrets_in_a_profile_are_errors_that_do_not_show_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profiles.toml");
        let head = "[profile.x]\nbase_url = \"https://platform.example\"\n";
        for (line, says) in [
            ("client_secret = \"canary\"", "line 3"),
            ("token = \"canary\"", "line 3"),
            ("secret_command = \"canary\"", "line 3"),
            ("scope = canary-canary", "line 3"),
            ("issuer = [\"canary\"]", "line 3"),
            ("secret_command = []\nissuer=\"https://i.example\"\nclient_id=\"c\"", "is empty"),
        ] {
            std::fs::write(&path, format!("{head}{line}\n")).unwrap();
            let error = Client::from_profile(&path, "x").unwrap_err();
            let printed = format!("{error} {error:?}");
            assert!(printed.contains(says) && !printed.contains("canary"), "{line}: {printed}");
        }
        std::fs::write(&path, head).unwrap();
        assert!(build(&[("PLATFORM_PROFILES", path.to_str().unwrap())]).unwrap_err().to_string().contains("default"));
    }
}
