//! Access tokens that are kept between commands.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};

use super::*;

/// A bench with a profile for the client of a program.
async fn robot() -> Bench {
    let bench = Bench::new();
    let secret = bench.file("secret", "canary-secret", 0o600);
    bench.login(&["--profile", "robot", "--secret-file", secret.to_str().unwrap()]).await.unwrap();
    bench.issuer.state().requests.clear();
    bench
}

impl Bench {
    fn kept(&self) -> PathBuf {
        self.state().join("robot/access/main")
    }

    /// Calls the service. Returns the number of token requests, and the texts for the user.
    async fn counted(&self) -> (usize, String) {
        let before = self.issuer.asked("client_credentials");
        let (place, _, reported) = self.place();
        assert_eq!(self.call_in(&place, Some("robot")).await.unwrap(), "robot");
        let reported = reported.lock().unwrap().clone();
        assert!(!reported.contains("canary"), "{reported}");
        (self.issuer.asked("client_credentials") - before, reported)
    }

    fn read_kept(&self) -> Value {
        serde_json::from_str(&text(&self.kept())).unwrap()
    }

    fn write_kept(&self, value: &Value) {
        fs::write(self.kept(), value.to_string()).unwrap();
    }
}

#[tokio::test]
async fn commands_in_a_row_ask_the_issuer_once() {
    let bench = robot().await;
    assert_eq!(bench.counted().await, (1, String::new()));
    assert_eq!(bench.counted().await, (0, String::new()));
    assert_eq!(mode(&bench.kept()), 0o600);
    assert!(bench.kept().ancestors().skip(1).take(4).all(|folder| mode(folder) == 0o700));
    let (one, two) = (bench.run(&["token"]).await.unwrap().out, bench.run(&["token"]).await.unwrap().out);
    assert_eq!((one.as_str(), one.trim_end()), (two.as_str(), bench.read_kept()["token"].as_str().unwrap()));
    assert_eq!(bench.issuer.asked("client_credentials"), 1);
    let new = bench.run(&["token", "--new"]).await.unwrap().out;
    assert!(new != one && new == bench.run(&["token"]).await.unwrap().out, "the next command has the new one");
    assert_eq!(bench.issuer.asked("client_credentials"), 2);
    let secret = bench.home.path().join("secret");
    bench.login(&["--profile", "other", "--secret-file", secret.to_str().unwrap()]).await.unwrap();
    bench.call(Some("other")).await.unwrap();
    assert_eq!(bench.issuer.asked("client_credentials"), 4, "its sign-in, and its token");
    bench.login(&["--profile", "robot", "--secret-file", secret.to_str().unwrap()]).await.unwrap();
    assert!(!bench.kept().exists(), "a sign-in throws the kept token away");
    bench.counted().await;
    bench.run(&["logout", "--profile", "robot"]).await.unwrap();
    assert!(!bench.state().join("robot").exists() && bench.state().join("other/access/main").exists());
    bench.run(&["profiles", "remove", "other"]).await.unwrap();
    assert_eq!(files(&bench.state()), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn another_user_of_the_same_profile_never_gets_the_token() {
    let bench = Bench::new();
    bench.login(&[]).await.unwrap();
    assert_eq!((bench.call(None).await.unwrap(), bench.call(None).await.unwrap()), ("ada".into(), "ada".into()));
    "eve".clone_into(&mut bench.issuer.state().user);
    bench.login(&[]).await.unwrap();
    assert_eq!(bench.call(None).await.unwrap(), "eve");
}

#[tokio::test]
async fn a_refused_token_leads_to_one_new_one() {
    let bench = robot().await;
    bench.counted().await;
    let old = bench.read_kept()["token"].as_str().unwrap().to_owned();
    bench.issuer.state().revoked.push(old.clone());
    assert_eq!(bench.counted().await, (1, String::new()));
    assert_ne!(bench.read_kept()["token"], old.as_str());
    assert_eq!(bench.counted().await.0, 0);
    // Without a new one, the refused token is thrown away.
    let old = bench.read_kept()["token"].as_str().unwrap().to_owned();
    bench.issuer.state().revoked.push(old);
    bench.file("secret", "canary-wrong", 0o600);
    assert_eq!(exit(bench.call(Some("robot")).await).0, Exit::Authentication);
    assert!(!bench.kept().exists());
}

#[tokio::test]
async fn a_token_belongs_to_the_settings_of_its_profile() {
    let bench = robot().await;
    let other = bench.file("other", "canary-secret", 0o600);
    let (before, url) = (bench.profiles_text(), &bench.issuer.url);
    let line = |line: &str| before.replace("[profile.robot]\n", &format!("[profile.robot]\n{line}\n"));
    for changed in [
        before.replace("\"app\"", "\"app2\""),
        before.replace(&format!("base_url = \"{url}\""), &format!("base_url = \"{url}/v2\"")),
        before.replace(&format!("issuer = \"{url}\""), &format!("issuer = \"{url}/\"")),
        before.replace(&*bench.home.path().join("secret").to_string_lossy(), &other.to_string_lossy()),
        line("scope = \"api more\""),
        line("audience = \"x\""),
        line(&format!("token_endpoint = \"{url}/token\"")),
        line("secret_file_mounted = true"),
        line("server.archive = { base_url = \"https://archive.example\" }"),
    ] {
        assert_ne!(changed, before);
        bench.write_profiles(&before);
        bench.counted().await;
        assert_eq!(bench.counted().await.0, 0);
        bench.write_profiles(&changed);
        assert_eq!(bench.counted().await.0, 1, "{changed}");
        assert_eq!(bench.counted().await.0, 0, "{changed}");
    }
    // Comments and other profiles do not matter.
    bench.write_profiles(&before);
    bench.counted().await;
    bench.write_profiles(&line("secret_file_mounted = true # one"));
    bench.counted().await;
    bench.write_profiles(&line("secret_file_mounted  = true # another"));
    assert_eq!(bench.counted().await.0, 0);
    bench.write_profiles(&before);
    bench.counted().await;
    let more = "default = \"robot\"\n[profile.x]\nbase_url = \"https://x.example\"\n";
    bench.write_profiles(&format!("{more}{}", line("# mine").replace("default = \"robot\"\n", "")));
    assert_eq!(bench.counted().await.0, 0);
}

#[tokio::test]
async fn a_damaged_file_is_neither_trusted_nor_in_the_way() {
    let bench = robot().await;
    bench.counted().await;
    let good = bench.read_kept();
    let with = |key: &str, value: Value| {
        let mut other = good.clone();
        other[key] = value;
        other.to_string()
    };
    for damaged in [
        String::new(),
        "\0\u{fffd}".to_owned(),
        "null".to_owned(),
        good.to_string()[..good.to_string().len() - 1].to_owned(),
        "[".repeat(60_000),
        with("version", json!(2)),
        with("token", json!("")),
        with("token", json!("canary\r\nx: y")),
        with("token", json!(7)),
        with("lifetime", json!(-1)),
        with("more", json!(1)),
        with("profile", json!({})),
        with("profile", Value::Null),
    ] {
        fs::write(bench.kept(), &damaged).unwrap();
        assert_eq!(bench.counted().await.0, 1, "{damaged:.200}");
        assert_eq!(bench.counted().await, (0, String::new()), "{damaged:.200}");
    }
    // For these, the user may have to act.
    for says in ["open to group", "symbolic link", "larger than"] {
        match says {
            "open to group" => fs::set_permissions(bench.kept(), fs::Permissions::from_mode(0o640)).unwrap(),
            "symbolic link" => {
                fs::rename(bench.kept(), bench.home.path().join("else")).unwrap();
                std::os::unix::fs::symlink(bench.home.path().join("else"), bench.kept()).unwrap();
            }
            _ => fs::write(bench.kept(), "x".repeat(70_000)).unwrap(),
        }
        let (asked, reported) = bench.counted().await;
        assert!(asked == 1 && reported.contains(says) && reported.lines().count() == 1, "{says}: {reported}");
        assert_eq!((bench.counted().await, mode(&bench.kept())), ((0, String::new()), 0o600));
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_costs_the_keeping_only() {
    let bench = robot().await;
    let folder = bench.state().join("robot");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("access"), "in the way").unwrap();
    for _ in 0..2 {
        let (asked, reported) = bench.counted().await;
        assert!(asked == 1 && reported.contains("is not kept for the next command: "), "{reported}");
    }
    fs::remove_file(folder.join("access")).unwrap();
    fs::create_dir(folder.join("access")).unwrap();
    fs::set_permissions(folder.join("access"), fs::Permissions::from_mode(0o770)).unwrap();
    let (asked, reported) = bench.counted().await;
    assert!(asked == 1 && reported.contains("chmod 700") && !bench.kept().exists(), "{reported}");
    fs::set_permissions(folder.join("access"), fs::Permissions::from_mode(0o700)).unwrap();
    // A folder in the place of the file.
    fs::create_dir(bench.kept()).unwrap();
    let (asked, reported) = bench.counted().await;
    assert!(asked == 1 && reported.contains("cannot be written"), "{reported}");
}

#[tokio::test]
async fn a_clock_that_jumps_does_no_harm() {
    let bench = robot().await;
    bench.counted().await;
    let good = bench.read_kept();
    let (received, lifetime) = (good["received"].as_u64().unwrap(), good["lifetime"].as_u64().unwrap());
    assert_eq!(lifetime, 600);
    for (received, asked) in [
        (received - 100, 0),
        (received - lifetime + 60, 1),
        (received - lifetime - 60, 1),
        (received + 3600, 1),
        (0, 1),
        (u64::MAX, 1),
    ] {
        let mut changed = good.clone();
        changed["received"] = received.into();
        bench.write_kept(&changed);
        assert_eq!(bench.counted().await.0, asked, "{received}");
    }
    // A token that lives for a moment is not kept; one that lives too long does no harm.
    bench.issuer.state().lifetime = 1;
    fs::remove_file(bench.kept()).unwrap();
    assert_eq!((bench.counted().await.0, bench.counted().await.0), (1, 1));
    assert!(!bench.kept().exists());
    bench.issuer.state().lifetime = u32::MAX;
    assert_eq!((bench.counted().await.0, bench.counted().await.0), (1, 0));
    assert!(bench.read_kept()["lifetime"].as_u64().unwrap() < u64::from(u32::MAX), "the claim `exp` is a limit");
}

#[tokio::test]
async fn a_token_that_arrives_after_the_sign_out_is_not_kept() {
    let bench = robot().await;
    let (place, ..) = bench.place();
    let origin = super::super::access::origin(&place, Some("robot")).unwrap();
    let client: Sample = super::super::access::client(&place, &origin, |builder| builder).unwrap();
    bench.run(&["logout", "--profile", "robot"]).await.unwrap();
    client.authenticate(std::time::Duration::from_secs(60)).await.unwrap();
    assert!(!bench.kept().exists());
}

#[tokio::test]
async fn tokens_of_variables_and_of_files_are_not_copied() {
    let mut bench = Bench::new();
    let token = bench.file("token", "canary-opaque-grace", 0o600);
    let url = bench.issuer.url.clone();
    bench.run(&["login", "--base-url", &url, "--token-file", token.to_str().unwrap()]).await.unwrap();
    assert_eq!(bench.call(None).await.unwrap(), "grace");
    let secret = bench.file("secret", "canary-secret", 0o600);
    for (name, value) in [("BASE_URL", url.as_str()), ("ISSUER", &url), ("CLIENT_ID", "app")] {
        bench.set(&format!("SAMPLE_{name}"), value);
    }
    bench.set("SAMPLE_SECRET_FILE", secret);
    assert_eq!(bench.call(None).await.unwrap(), "robot");
    assert_eq!(files(&bench.state()), Vec::<PathBuf>::new());
}
