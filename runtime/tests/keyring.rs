//! Secrets in the keyring: of a store that the program sets, and of the system.

use driftless_runtime::auth::{ExposeSecret, RefreshFolder, RefreshStore, RefreshToken, SecretKeyring, SecretSource};
use keyring_core::{Entry, Error as Cause, mock};

/// The store is set for the whole process, so one test goes through everything.
#[test]
fn the_rules_of_the_keyring() {
    #[cfg(target_os = "linux")]
    the_keys_of_the_kernel_are_the_keyring_of_linux();

    keyring_core::set_default_store(mock::Store::new().unwrap());
    let source = SecretKeyring::new("service", "me");
    let absent = source.read().unwrap_err();
    assert!(absent.code() == "secret" && absent.to_string().contains("is not there"), "{absent}");

    source.write(&"canary-own".to_owned().into()).unwrap();
    assert_eq!(source.read().unwrap().expose_secret(), "canary-own");
    for _ in 0..2 {
        source.remove().unwrap();
        assert!(source.read().unwrap_err().to_string().contains("is not there"));
    }
    the_tokens_of_a_folder_are_in_the_keyring();

    let entry = Entry::new("service", "me").unwrap();
    entry.set_password("canary").unwrap();
    assert_eq!(source.read().unwrap().expose_secret(), "canary");
    entry.set_password("rotated").unwrap();
    assert_eq!(source.read().unwrap().expose_secret(), "rotated", "it is read each time");
    entry.set_password("").unwrap();
    assert!(source.read().unwrap_err().to_string().contains("is empty"));

    entry.set_secret(b"canary\xff").unwrap();
    let error = source.read().unwrap_err();
    let printed = format!("{error} {error:?} {source:?}");
    assert!(printed.contains("is not text") && !printed.contains("canary") && !printed.contains("99, 97"), "{printed}");

    let credential = entry.as_any().downcast_ref::<mock::Cred>().unwrap();
    credential.set_error(Cause::NoStorageAccess("it is locked".into()));
    assert!(source.read().unwrap_err().to_string().contains("cannot be used: it is locked"));
}

fn the_tokens_of_a_folder_are_in_the_keyring() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let (first, later) = (RefreshFolder::new(&path).in_keyring("my-app"), RefreshFolder::new(&path));
    let key = RefreshToken::new("https://issuer.example", "app", first.clone()).key();
    let other = RefreshToken::new("https://issuer.example", "other", first.clone()).key();
    let text = |store: &RefreshFolder, key| store.load(key).unwrap().map(|token| token.expose_secret().to_owned());
    assert_eq!(text(&later, &key), None);
    first.save(&key, &"canary-1".to_owned().into()).unwrap();
    assert_eq!(text(&later, &key).as_deref(), Some("canary-1"));
    later.save(&key, &"canary-2".to_owned().into()).unwrap();
    assert_eq!(text(&first, &key).as_deref(), Some("canary-2"), "the successor is in the keyring, too");
    assert_eq!(SecretKeyring::new("my-app", key.name()).read().unwrap().expose_secret(), "canary-2");
    later.save(&other, &"in a file".to_owned().into()).unwrap();
    for file in std::fs::read_dir(&path).unwrap() {
        assert!(!std::fs::read_to_string(file.unwrap().path()).unwrap().contains("canary"));
    }
    later.clear_keyring().unwrap();
    assert!(SecretKeyring::new("my-app", key.name()).read().is_err());
    assert_eq!((text(&first, &key), text(&first, &other).as_deref()), (None, Some("in a file")));

    // An entry that somebody else has removed is an error: no token is taken from elsewhere.
    first.save(&key, &"canary-3".to_owned().into()).unwrap();
    SecretKeyring::new("my-app", key.name()).remove().unwrap();
    assert!(later.load(&key).unwrap_err().to_string().contains("is not there"));
    RefreshFolder::new(path.join("absent")).clear_keyring().unwrap();
}

#[cfg(target_os = "linux")]
fn the_keys_of_the_kernel_are_the_keyring_of_linux() {
    use std::process::id;

    let store: std::sync::Arc<keyring_core::CredentialStore> = linux_keyutils_keyring_store::Store::new().unwrap();
    let user = format!("test-{}", id());
    let entry = store.build("platform-client", &user, None).unwrap();
    if let Err(cause) = entry.set_password("canary") {
        println!("skipped: this kernel keeps no keys for this process: {cause}");
        return;
    }
    let secret = SecretKeyring::new("platform-client", user).read();
    entry.delete_credential().unwrap();
    assert_eq!(secret.unwrap().expose_secret(), "canary");
}
