//! `login`: the ways to sign in, and what goes wrong.

use super::*;

#[tokio::test]
async fn a_user_signs_in_once_and_the_next_command_needs_no_variable() {
    let bench = Bench::new();
    let written = bench.login(&["--scope", "api offline"]).await.unwrap();
    assert!(written.reported.contains("signed in as ada: profile `default`"), "{written:?}");
    assert!(
        written.reported.contains(&format!("{}/authorize?", bench.issuer.url)),
        "the address is printed, too: {written:?}"
    );
    assert!(written.out.is_empty() && !written.reported.contains("canary"), "{written:?}");
    let profiles = bench.profiles_text();
    let url = &bench.issuer.url;
    let start = format!(
        "default = \"default\"\n\n[profile.default]\nbase_url = \"{url}\"\nissuer = \"{url}\"\nclient_id = \"app\"\nscope = \"api offline\"\nrefresh_folder = \""
    );
    assert!(profiles.starts_with(&start), "{profiles}");
    assert!(!profiles.contains("canary"), "{profiles}");
    let stored = files(&bench.state());
    assert!(!stored.is_empty());
    for path in stored.iter().chain([&bench.profiles()]) {
        assert_eq!((mode(path), mode(path.parent().unwrap())), (0o600, 0o700), "{}", path.display());
    }
    assert_eq!(bench.call(None).await.unwrap(), "ada");
    bench.forget("default");
    assert_eq!(bench.call(Some("default")).await.unwrap(), "ada");
    assert_eq!((bench.issuer.asked("authorization_code"), bench.issuer.asked("refresh_token")), (1, 2));
    assert_eq!(exit(bench.call(Some("other")).await).0, Exit::Usage);
}

#[tokio::test]
async fn a_second_sign_in_asks_the_user_again_and_takes_the_settings_of_the_profile() {
    let bench = Bench::new();
    bench.login(&["--scope", "api offline", "--profile", "work"]).await.unwrap();
    let before = files(&bench.state());
    "eve".clone_into(&mut bench.issuer.state().user);
    let written = bench.run(&["login"]).await.unwrap();
    assert!(written.reported.contains("signed in as eve: profile `work`"), "the default profile is meant: {written:?}");
    assert_eq!(bench.call(None).await.unwrap(), "eve");
    let after = files(&bench.state());
    assert!(before.iter().all(|path| !after.contains(path)), "the old tokens are gone: {after:?}");
    let forms: Vec<_> = bench.issuer.state().requests.iter().map(|(_, form)| form.clone()).collect();
    assert!(forms.iter().any(|form| issuer::field(form, "scope") == "api offline"), "{forms:?}");
}

#[tokio::test]
async fn an_interrupted_sign_in_leaves_the_old_one() {
    let mut bench = Bench::new();
    bench.login(&[]).await.unwrap();
    let (profiles, stored) = (bench.profiles_text(), files(&bench.state()));
    let (asked, seen) = tokio::sync::oneshot::channel();
    let asked = Mutex::new(Some(asked));
    bench.browser = Arc::new(move |_| {
        let _ = asked.lock().unwrap().take().unwrap().send(());
        true
    });
    // The command ends while the browser shows the page, as with Ctrl-C.
    tokio::select! {
        result = bench.login(&[]) => panic!("{result:?}"),
        seen = seen => seen.unwrap(),
    }
    assert_eq!((bench.profiles_text(), files(&bench.state())), (profiles, stored));
    assert_eq!(bench.call(None).await.unwrap(), "ada");
}

#[tokio::test]
async fn a_client_signs_in_with_the_secret_in_a_file_that_stays() {
    let bench = Bench::new();
    let secret = bench.file("secret", "canary-secret\n", 0o600);
    let secret = secret.to_str().unwrap();
    let written = bench.login(&["--secret-file", secret, "--profile", "robot"]).await.unwrap();
    assert!(written.reported.contains("signed in as robot"), "{written:?}");
    assert!(bench.profiles_text().contains(&format!("secret_file = \"{secret}\"")), "{}", bench.profiles_text());
    assert!(!bench.profiles_text().contains("canary") && files(&bench.state()).is_empty());
    assert_eq!(bench.call(None).await.unwrap(), "robot");
    let written = bench.run(&["logout"]).await.unwrap();
    assert!(written.reported.contains(&format!("`{secret}` is yours and stays")), "{written:?}");
    assert_eq!(text(Path::new(secret)), "canary-secret\n");
}

#[tokio::test]
async fn a_refused_or_unsafe_secret_writes_nothing() {
    let bench = Bench::new();
    for (text, mode, hint) in
        [("canary-wrong", 0o600, "check the client's name and the secret"), ("canary-secret", 0o644, "chmod 600")]
    {
        let secret = bench.file("secret", text, mode);
        let (exit, message) = exit(bench.login(&["--secret-file", secret.to_str().unwrap()]).await);
        assert!(exit == Exit::Authentication && message.contains(hint), "{message}");
        assert!(!bench.profiles().exists() && files(&bench.state()).is_empty());
    }
    let (exit, message) = exit(bench.login(&["--secret-file", "/no/such/file"]).await);
    assert!(exit == Exit::Authentication && message.contains("does not exist"), "{message}");
}

#[tokio::test]
async fn a_token_comes_from_standard_input_on_one_line() {
    let mut bench = Bench::new();
    let url = bench.issuer.url.clone();
    let long = "x".repeat(70_000);
    for (input, says) in [
        ("", "has no token"),
        ("\n", "has no token"),
        ("canary-one\ncanary-two\n", "several lines"),
        (long.as_str(), "longer than a token"),
        ("canary two words", "a space"),
        ("canary-\u{1b}[2J", "a character that no token has"),
    ] {
        bench.input = input.as_bytes().to_vec();
        let (_, message) = exit(bench.run(&["login", "--base-url", &url, "--with-token"]).await);
        assert!(message.contains(says), "{input:.20}: {message}");
        assert!(!bench.profiles().exists() && files(&bench.state()).is_empty(), "{input:.20}");
    }
    bench.input = b"canary-opaque-grace\r\n".to_vec();
    let written = bench.run(&["login", "--base-url", &url, "--with-token"]).await.unwrap();
    assert!(written.reported.contains("signed in: profile `default`"), "an opaque token has no subject: {written:?}");
    assert!(!(written.reported + &written.out + &bench.profiles_text()).contains("canary"));
    let stored = files(&bench.state());
    assert_eq!((stored.len(), mode(&stored[0]), text(&stored[0]).as_str()), (1, 0o600, "canary-opaque-grace"));
    assert_eq!(bench.call(None).await.unwrap(), "grace");
    // A token that others can read is not used.
    std::fs::set_permissions(&stored[0], std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let (exit, message) = exit(bench.call(None).await);
    assert!(
        exit == Exit::Authentication && message.contains("chmod 600") && message.contains("sample login"),
        "{message}"
    );
}

#[tokio::test]
async fn a_token_file_of_the_user_is_named_and_not_copied() {
    let bench = Bench::new();
    let (url, token) = (bench.issuer.url.clone(), bench.file("token", "canary-opaque-grace\n", 0o600));
    let token = token.to_str().unwrap();
    bench.run(&["login", "--base-url", &url, "--token-file", token]).await.unwrap();
    assert!(files(&bench.state()).is_empty());
    assert_eq!(bench.call(None).await.unwrap(), "grace");
    bench.file("token", "canary-opaque-hedy\n", 0o600);
    assert_eq!(bench.call(None).await.unwrap(), "hedy", "a token that is rotated is picked up");
    bench.run(&["logout", "--all"]).await.unwrap();
    assert!(Path::new(token).exists());
}

#[tokio::test]
async fn without_a_refresh_token_the_access_token_is_kept_and_the_user_is_told() {
    let bench = Bench::new();
    bench.issuer.state().only_access = true;
    let written = bench.login(&[]).await.unwrap();
    assert!(written.reported.contains("no refresh token") && written.reported.contains("--scope"), "{written:?}");
    assert!(bench.profiles_text().contains("token_file") && !bench.profiles_text().contains("issuer"));
    assert_eq!(bench.call(None).await.unwrap(), "ada");
}

#[tokio::test]
async fn a_sign_in_that_cannot_work_says_why_and_writes_nothing() {
    let bench = Bench::new();
    let url = bench.issuer.url.clone();
    let line = |issuer: &str| format!("login --base-url {url} --issuer {issuer} --client-id app");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    bench.issuer.state().named = None;
    for (line, exits, says) in [
        (line("http://issuer.example"), Exit::Usage, "would send tokens in the clear"),
        (line("issuer.example"), Exit::Usage, "is not an address"),
        (line(&format!("{url} --redirect-port {port}")), Exit::Usage, "--redirect-port"),
        (line(&format!("{url} --profile ../x")), Exit::Usage, "is not a name for a profile"),
        (line(&format!("{url} --device")), Exit::Authentication, "names no device authorization endpoint"),
        (line("http://127.0.0.1:1"), Exit::Unreachable, "no connection"),
        (format!("login --base-url {url} --issuer {url}"), Exit::Usage, "pass --client-id, or set SAMPLE_CLIENT_ID"),
        (format!("login --base-url {url} --client-id x"), Exit::Usage, "pass --issuer"),
        ("login".to_owned(), Exit::Usage, "pass --base-url, or set SAMPLE_BASE_URL"),
        (format!("login --base-url ftp://x --issuer {url} --client-id x"), Exit::Usage, "is not a web address"),
    ] {
        let (exit, message) = exit(bench.run(&line.split(' ').collect::<Vec<_>>()).await);
        assert!(exit == exits && message.contains(says), "{line}: {exit:?} {message}");
        assert!(!bench.profiles().exists() && files(&bench.state()).is_empty(), "{line}");
    }
    bench.issuer.state().named = Some("https://evil.example".to_owned());
    let (exits, message) = exit(bench.login(&[]).await);
    assert!(exits == Exit::Authentication && message.contains("names another issuer"), "{message}");
    bench.issuer.state().named = None;
    bench.issuer.state().denies = true;
    let (exits, message) = exit(bench.login(&[]).await);
    assert!(exits == Exit::Authentication && message.contains("access_denied"), "{message}");
    assert!(!bench.profiles().exists() && files(&bench.state()).is_empty());
}

#[tokio::test]
async fn folders_that_are_missing_or_unsafe_are_errors() {
    use std::os::unix::fs::PermissionsExt as _;

    let mut bench = Bench::new();
    bench.variables.remove("HOME");
    let (exits, message) = exit(bench.login(&[]).await);
    assert!(exits == Exit::Usage && message.contains("set HOME"), "{message}");
    let profiles = bench.profiles();
    bench.set("SAMPLE_PROFILES", profiles);
    let (exits, message) = exit(bench.login(&[]).await);
    assert!(exits == Exit::Usage && message.contains("XDG_STATE_HOME"), "{message}");
    let file = bench.file("file", "", 0o600);
    bench.set("XDG_STATE_HOME", file.join("state"));
    let (exits, message) = exit(bench.login(&[]).await);
    assert!(exits == Exit::Failed && message.contains("cannot be created"), "{message}");
    assert!(!bench.profiles().exists());
    let open = bench.home.path().join("open");
    std::fs::create_dir_all(open.join("sample/sign-ins")).unwrap();
    std::fs::set_permissions(open.join("sample/sign-ins"), std::fs::Permissions::from_mode(0o777)).unwrap();
    bench.set("XDG_STATE_HOME", open);
    let (exits, message) = exit(bench.login(&[]).await);
    assert!(exits == Exit::Failed && message.contains("chmod 700"), "{message}");
    assert!(!bench.profiles().exists());
}
