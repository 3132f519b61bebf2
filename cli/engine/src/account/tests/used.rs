//! The configuration that a command uses, and the token of it.

use super::*;

#[tokio::test]
async fn the_option_chooses_before_the_variables_and_they_before_the_default() {
    let mut bench = Bench::new();
    let url = bench.issuer.url.clone();
    assert!(exit(bench.call(None).await).1.contains("sample login --base-url URL"));
    for name in ["ada", "eve"] {
        name.clone_into(&mut bench.issuer.state().user);
        bench.login(&["--profile", name]).await.unwrap();
    }
    assert_eq!(bench.call(None).await.unwrap(), "ada", "the first profile is the default");
    bench.set("SAMPLE_BASE_URL", &url);
    let token = bench.file("token", "canary-opaque-grace", 0o600);
    let (exits, message) = exit(bench.call(None).await);
    assert!(exits == Exit::Authentication && message.contains("set SAMPLE_TOKEN_FILE"), "{message}");
    bench.set("SAMPLE_TOKEN_FILE", token);
    assert_eq!(bench.call(None).await.unwrap(), "grace", "variables come before the default");
    assert_eq!(bench.call(Some("eve")).await.unwrap(), "eve", "the option comes first");
    bench.set("SAMPLE_PROFILE", "eve");
    assert_eq!(bench.call(None).await.unwrap(), "eve");
    assert_eq!(bench.call(Some("ada")).await.unwrap(), "ada");
    bench.set("SAMPLE_PROFILE", "nobody");
    let (exits, message) = exit(bench.call(None).await);
    assert!(exits == Exit::Usage && message.contains("choose one of these: ada, eve"), "{message}");
}

#[tokio::test]
async fn a_sign_in_beside_variables_says_that_they_choose() {
    let mut bench = Bench::new();
    let url = bench.issuer.url.clone();
    bench.set("SAMPLE_BASE_URL", &url);
    bench.set("SAMPLE_ISSUER", &url);
    bench.set("SAMPLE_CLIENT_ID", "app");
    let written = bench.run(&["login"]).await.unwrap();
    assert!(written.reported.contains("unset it, or pass --profile default"), "{written:?}");
    assert_eq!(bench.call(Some("default")).await.unwrap(), "ada");
    bench.variables.retain(|name, _| !name.starts_with("SAMPLE_"));
    let written = bench.login(&["--profile", "second"]).await.unwrap();
    assert!(written.reported.contains("`sample profiles use second`"), "{written:?}");
}

#[tokio::test]
async fn the_owner_of_the_token_is_shown_with_its_claims() {
    let bench = Bench::new();
    "ada\u{1b}[2J".clone_into(&mut bench.issuer.state().user);
    let secret = bench.file("secret", "canary-secret", 0o600);
    bench.login(&["--secret-file", secret.to_str().unwrap(), "--profile", "robot"]).await.unwrap();
    let page = bench.run(&["whoami"]).await.unwrap().out;
    for says in [
        "profile `robot` of `",
        "sub            robot\n",
        "team_id        7\n",
        "2100-01-01T00:00:00Z\n",
        "not verified",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(!page.contains("canary") && !page.contains("expired"), "{page}");
    let json: serde_json::Value =
        serde_json::from_str(&bench.run(&["whoami", "-o", "json"]).await.unwrap().out).unwrap();
    assert_eq!(json["claims"]["sub"], "robot");
    assert_eq!((&json["profile"], &json["expires_at"]), (&"robot".into(), &"2100-01-01T00:00:00Z".into()));
    assert!(!json.to_string().contains("canary"));
    let token = bench.run(&["token"]).await.unwrap();
    assert!(
        token.out.starts_with("e30.") && token.out.ends_with(".canary\n") && token.reported.is_empty(),
        "{token:?}"
    );
    let claims = bench.run(&["token", "--claims"]).await.unwrap();
    assert!(claims.reported.contains("not verified") && !claims.out.contains("canary"), "{claims:?}");
    let claims: serde_json::Value = serde_json::from_str(&claims.out).unwrap();
    assert_eq!(claims["team_id"], "7");
    bench.issuer.state().opaque = true;
    bench.forget("robot");
    assert!(bench.run(&["whoami"]).await.unwrap().out.contains("not a JWT"));
    let json: serde_json::Value =
        serde_json::from_str(&bench.run(&["whoami", "-o", "json"]).await.unwrap().out).unwrap();
    assert!(json["claims"].is_null() && json["expires_at"].is_null());
    assert_eq!(exit(bench.run(&["token", "--claims"]).await).0, Exit::Failed);
}

#[tokio::test]
async fn claims_of_an_issuer_cannot_write_to_the_terminal() {
    let mut bench = Bench::new();
    let claims = serde_json::json!({"sub": "a\u{1b}[2J\nb", "bidi": "x\u{202e}\u{7f}y", "x\u{7}": {"deep": ["\u{1b}"]}, "exp": 1, "iat": 1e300, "long": "y".repeat(5000)});
    let token = format!(
        "e30.{}.",
        base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, claims.to_string())
    );
    bench.input = token.into_bytes();
    let url = bench.issuer.url.clone();
    let written = bench.run(&["login", "--base-url", &url, "--with-token"]).await.unwrap();
    assert!(!written.reported.contains('\u{1b}'), "{written:?}");
    let page = bench.run(&["whoami"]).await.unwrap().out;
    assert!(!page.contains(['\u{1b}', '\u{7}']) && page.contains("(expired)"), "{page}");
    assert!(page.lines().all(|line| line.len() < 500), "{page}");
    for line in [&["token", "--claims"][..], &["whoami", "-o", "json"]] {
        let out = bench.run(line).await.unwrap().out;
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{7f}']), "{out}");
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(json.get("claims").unwrap_or(&json)["bidi"], "x\u{202e}\u{7f}y");
    }
}

#[tokio::test]
async fn a_file_that_is_not_toml_is_an_error_with_its_line_and_without_its_text() {
    let bench = Bench::new();
    for text in [
        "[profile.x]\nbase_url = \"https://x.example\"\ntoken = canary\n",
        "\n\nprofile = 1 canary\n",
        "a = 1\nb = 2\nx = \"canary",
    ] {
        bench.write_profiles(text);
        for line in [&["whoami"][..], &["profiles", "list"], &["login", "--base-url", "https://x.example"], &["logout"]]
        {
            let (exits, message) = exit(bench.run(line).await);
            assert!(exits == Exit::Usage && message.contains("profiles.toml`, line 3: "), "{line:?}: {message}");
        }
        assert_eq!(bench.profiles_text(), text, "it stays as it is");
    }
    for text in ["profile = 1\n", "[profile]\nx = 1\n", "[[profile]]\n"] {
        bench.write_profiles(text);
        let (exits, message) = exit(bench.run(&["profiles", "list"]).await);
        assert!(exits == Exit::Usage && message.contains("[profile.NAME]"), "{message}");
    }
    bench.write_profiles("[profile.x]\nbase_url = \"https://x.example\"\nunknown = \"canary\"\n");
    let (exits, message) = exit(bench.call(Some("x")).await);
    assert!(exits == Exit::Usage && message.contains("unknown field `unknown`"), "{message}");
}
