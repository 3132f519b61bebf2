//! Secrets in the keyring: of a store that the program sets, and of the system.

use driftless_runtime::auth::{ExposeSecret, SecretKeyring, SecretSource};
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
    assert!(source.read().unwrap_err().to_string().contains("cannot be read: it is locked"));
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
