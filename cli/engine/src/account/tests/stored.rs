//! The tokens that are stored: rotation, logout, several programs at once.

use super::*;

#[tokio::test]
async fn programs_that_refresh_at_once_share_one_rotation() {
    let bench = Bench::new();
    bench.login(&[]).await.unwrap();
    // A refresh token that is used twice ends the sign-in at this issuer.
    let calls = tokio::join!(bench.call(None), bench.call(None), bench.call(None), bench.call(None));
    for call in [calls.0, calls.1, calls.2, calls.3] {
        assert_eq!(call.unwrap(), "ada");
    }
    assert_eq!(bench.issuer.asked("refresh_token"), 1);
    bench.forget("default");
    assert_eq!(bench.call(None).await.unwrap(), "ada", "the last refresh token is the stored one");
}

#[tokio::test]
async fn an_ended_sign_in_is_exit_3_with_the_command_to_sign_in_again() {
    let bench = Bench::new();
    bench.login(&["--profile", "work"]).await.unwrap();
    bench.issuer.state().refresh.clear();
    for result in [
        bench.call(None).await.map(drop),
        bench.run(&["whoami"]).await.map(drop),
        bench.run(&["token"]).await.map(drop),
    ] {
        let (exits, message) = exit(result);
        assert_eq!(exits, Exit::Authentication, "{message}");
        assert!(message.contains("revoked: sign in again with `sample login --profile work`"), "{message}");
    }
    bench.run(&["login"]).await.unwrap();
    assert_eq!(bench.call(None).await.unwrap(), "ada");
}

#[tokio::test]
async fn sign_ins_at_once_lose_nothing() {
    let bench = Bench::new();
    let names = ["a", "b", "A", "c"];
    let login = async |name: &str| bench.login(&["--profile", name]).await;
    let logins = tokio::join!(login("a"), login("b"), login("A"), login("c"));
    for login in [logins.0, logins.1, logins.2, logins.3] {
        login.unwrap();
    }
    for name in names {
        assert_eq!(bench.call(Some(name)).await.unwrap(), "ada", "{name}");
    }
    // Several to the same profile: one of them stays, with its tokens.
    let logins = tokio::join!(login("d"), login("d"));
    logins.0.unwrap();
    logins.1.unwrap();
    assert_eq!(bench.call(Some("d")).await.unwrap(), "ada");
    bench.forget("d");
    let folders = std::fs::read_dir(bench.state().join("d")).unwrap().count();
    assert_eq!(folders, 1, "the other tokens are removed");
}

/// The name of the file is as long as a name can be, and that of the new one before it takes its place is longer.
#[tokio::test]
async fn tokens_whose_profile_cannot_be_written_are_removed() {
    let mut bench = Bench::new();
    let path = bench.home.path().join("x".repeat(241) + ".toml");
    bench.set("SAMPLE_PROFILES", &path);
    let (exits, message) = exit(bench.login(&[]).await);
    assert!(exits == Exit::Failed && message.contains("cannot be written"), "{message}");
    assert!(!path.exists() && files(&bench.state()).is_empty());
}

/// Threads lock as processes do. Without the lock, the time in which one writes to the disk is long enough to lose changes.
#[test]
fn programs_that_change_profiles_at_once_lose_nothing() {
    let bench = Bench::new();
    let token = bench.file("token", "canary-opaque-grace", 0o600);
    let login = |name: &str| {
        let line =
            ["login", "--base-url", "https://x.example", "--token-file", token.to_str().unwrap(), "--profile", name];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(bench.run(&line)).unwrap();
    };
    let names: Vec<String> = (0..40).map(|number| format!("p{number}")).collect();
    std::thread::scope(|scope| {
        for names in names.chunks(5) {
            scope.spawn(move || names.iter().for_each(|name| login(name)));
        }
    });
    let text = bench.profiles_text();
    for name in names {
        assert!(text.contains(&format!("[profile.{name}]\n")), "{name} is lost: {text}");
    }
}

#[tokio::test]
async fn signing_out_removes_the_tokens_and_the_keys_and_nothing_else() {
    let bench = Bench::new();
    bench.write_profiles(
        "# mine\n[profile.other]\nbase_url = \"https://other.example\" # stays\ntoken_env = \"OTHER\"\n",
    );
    bench.login(&["--profile", "work"]).await.unwrap();
    bench.login(&["--profile", "home"]).await.unwrap();
    let written = bench.run(&["logout", "--profile", "work"]).await.unwrap();
    assert!(
        written.reported.contains("removed its tokens and the keys issuer, client_id, refresh_folder"),
        "{written:?}"
    );
    assert!(!bench.state().join("work").exists() && bench.state().join("home").exists());
    let (exits, message) = exit(bench.call(Some("work")).await);
    assert!(exits == Exit::Authentication && message.contains("`sample login --profile work`"), "{message}");
    assert_eq!(bench.call(Some("home")).await.unwrap(), "ada");
    assert!(bench.profiles_text().starts_with("# mine\n") || bench.profiles_text().contains("\n# mine\n"));
    assert!(bench.profiles_text().contains("base_url = \"https://other.example\" # stays\ntoken_env = \"OTHER\"\n"));
    let again = bench.run(&["logout", "--profile", "work"]).await.unwrap();
    assert!(again.reported.contains("has no sign-in"), "{again:?}");
    // Tokens whose profile is gone from the file are removed, too.
    std::fs::create_dir_all(bench.state().join("lost/1")).unwrap();
    bench.run(&["logout", "--all"]).await.unwrap();
    assert_eq!(files(&bench.state()), Vec::<PathBuf>::new());
    assert!(bench.profiles_text().contains("base_url") && !bench.profiles_text().contains("token_env"));
    assert_eq!(exit(Bench::new().run(&["logout"]).await).0, Exit::Authentication);
    assert!(Bench::new().run(&["logout", "--all"]).await.unwrap().reported.contains("nothing to remove"));
}

#[tokio::test]
async fn a_profile_is_listed_shown_chosen_and_removed() {
    let bench = Bench::new();
    bench.login(&["--profile", "work"]).await.unwrap();
    bench.login(&["--profile", "home"]).await.unwrap();
    let url = &bench.issuer.url;
    let list = bench.run(&["profiles", "list"]).await.unwrap().out;
    assert!(
        list.contains(&format!("*  work  {url}  user")) && list.contains(&format!("   home  {url}  user")),
        "{list}"
    );
    bench.run(&["profiles", "use", "home"]).await.unwrap();
    assert!(bench.profiles_text().contains("default = \"home\""));
    let removed = bench.run(&["profiles", "remove", "home"]).await.unwrap();
    assert!(removed.reported.contains("it was the default"), "{removed:?}");
    assert!(!bench.state().join("home").exists() && !bench.profiles_text().contains("home"));
    let (exits, message) = exit(bench.call(None).await);
    assert!(exits == Exit::Usage && message.contains("`sample profiles use NAME`: work"), "{message}");
    bench.run(&["profiles", "remove", "work"]).await.unwrap();
    assert_eq!(exit(bench.call(None).await).0, Exit::Authentication, "nobody is signed in any more");
    for line in [["profiles", "show", "x"], ["profiles", "use", "x"], ["profiles", "remove", "x"]] {
        assert_eq!(exit(bench.run(&line).await).0, Exit::Usage);
    }
}

#[tokio::test]
async fn no_profile_shows_a_secret() {
    let bench = Bench::new();
    bench.write_profiles(
        "[profile.x]\nbase_url = \"https://user:canary-1@host.example/\"\ntoken = \"canary-2\"\n\
         secret_command = [\"pass\", \"canary-3\"]\nkey.app = { value = \"canary-4\" }\nscope = 7\n\
         [profile.x.server.archive]\nbase_url = \"https://archive.example\"\npassword = \"canary-5\"\n\
         [profile.\"\\u001b[2J\"]\nbase_url = \"\\u001b]0;x\\u0007\"\n",
    );
    let page = bench.run(&["profiles", "show", "x"]).await.unwrap().out;
    assert_eq!(
        page,
        "base_url = https://host.example/\ntoken (not shown: not a key of profiles)\nsecret_command = pass (and 1 arguments)\n\
         key.app (an API key)\nscope = (not shown: of another type)\nserver.archive.base_url = https://archive.example\n\
         server.archive.password (not shown: not a key of profiles)\n"
    );
    let list = bench.run(&["profiles", "list"]).await.unwrap().out;
    assert!(!list.contains("canary") && !list.contains('\u{1b}'), "{list}");
}
