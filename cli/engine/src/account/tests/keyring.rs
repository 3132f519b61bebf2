//! `login --keyring`: tokens in the keyring of the system, of which a store in memory takes the place.

use std::sync::Once;

use driftless_runtime::auth::{SecretKeyring, SecretSource as _};
use keyring_core::mock;

use super::*;

fn bench() -> Bench {
    static STORE: Once = Once::new();
    STORE.call_once(|| keyring_core::set_default_store(mock::Store::new().unwrap()));
    Bench::new()
}

impl Bench {
    /// The entries that the files of the sign-ins name: service and user.
    fn entries(&self) -> Vec<(String, String)> {
        let named = files(&self.state()).into_iter().filter_map(|path| {
            let user = path.file_name()?.to_str()?.strip_suffix(".keyring")?.to_owned();
            Some((text(&path), user))
        });
        named.collect()
    }

    /// The files that have a secret, without the access tokens between commands.
    fn secrets(&self) -> Vec<PathBuf> {
        let is_kept = |path: &Path| path.components().any(|part| part.as_os_str() == "access");
        let all = files(self.home.path()).into_iter().filter(|path| !is_kept(path));
        all.filter(|path| text(path).contains("canary")).collect()
    }
}

fn is_there((service, user): &(String, String)) -> bool {
    SecretKeyring::new(service, user).read().is_ok()
}

#[tokio::test]
async fn the_tokens_of_a_user_are_in_the_keyring_until_the_user_signs_out() {
    let bench = bench();
    bench.login(&["--scope", "api offline", "--keyring"]).await.unwrap();
    for user in 1..=2 {
        assert_eq!(bench.call(None).await.unwrap(), "ada");
        bench.forget("default");
        assert_eq!(bench.issuer.asked("refresh_token"), user, "each command takes the token that the last one stored");
    }
    let entries = bench.entries();
    assert!(entries.len() == 1 && entries.iter().all(is_there), "{entries:?}");
    assert!(entries[0].0.starts_with("sample.default."), "{entries:?}");
    assert_eq!(bench.secrets(), <[PathBuf; 0]>::default());
    let written = bench.run(&["logout"]).await.unwrap();
    assert!(written.reported.contains("removed its tokens"), "{written:?}");
    assert!(!is_there(&entries[0]) && files(&bench.state()).is_empty());
}

#[tokio::test]
async fn a_token_from_standard_input_is_in_the_keyring() {
    let mut bench = bench();
    let url = bench.issuer.url.clone();
    bench.input = b"canary-opaque-grace\n".to_vec();
    bench.run(&["login", "--base-url", &url, "--with-token", "--keyring"]).await.unwrap();
    assert_eq!(bench.call(None).await.unwrap(), "grace");
    let entries = bench.entries();
    let (service, user) = &entries[0];
    assert!(bench.profiles_text().contains(&format!("token_keyring = \"{service}/{user}\"")), "{entries:?}");
    assert_eq!(bench.secrets(), <[PathBuf; 0]>::default());

    // A token that is gone, as after a restart of Linux.
    SecretKeyring::new(service, user).remove().unwrap();
    let (exit, message) = exit(bench.call(None).await);
    assert!(exit == Exit::Authentication && message.contains("sample login"), "{message}");

    // The next sign-in takes the place of both.
    bench.input = b"canary-opaque-hedy\n".to_vec();
    bench.run(&["login", "--with-token", "--keyring"]).await.unwrap();
    let later = bench.entries();
    assert!(later.len() == 1 && later != entries && is_there(&later[0]), "{later:?}");
    bench.input = b"canary-opaque-eve\n".to_vec();
    bench.run(&["login", "--with-token"]).await.unwrap();
    assert!(bench.entries().is_empty() && !is_there(&later[0]));
    assert_eq!((bench.call(None).await.unwrap().as_str(), bench.secrets().len()), ("eve", 1));
}

#[tokio::test]
async fn a_profile_that_is_removed_leaves_nothing_in_the_keyring() {
    let bench = bench();
    for command in [&["profiles", "remove", "work"][..], &["logout", "--all"]] {
        bench.login(&["--scope", "api offline", "--profile", "work", "--keyring"]).await.unwrap();
        let entries = bench.entries();
        assert!(entries.len() == 1 && is_there(&entries[0]), "{entries:?}");
        bench.run(command).await.unwrap();
        assert!(!is_there(&entries[0]), "{command:?}");
    }
}
