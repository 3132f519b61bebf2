//! Starting, stopping, many at once, and the secret files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use platform_sandbox::{Error, Options};
use support::{Caller, PROJECTS, project};

#[tokio::test]
async fn sandboxes_do_not_share_anything() {
    let starts = (0..20).map(|_| tokio::spawn(platform_sandbox::start()));
    let mut sandboxes = Vec::new();
    for start in starts.collect::<Vec<_>>() {
        sandboxes.push(start.await.unwrap().unwrap());
    }
    let first = &sandboxes[0];
    Caller::new(first, 0).await.create(PROJECTS, &project(first)).await;
    for other in &sandboxes[1..] {
        assert_ne!(other.base_url(), first.base_url());
        assert_ne!(other.clients()[0].secret(), first.clients()[0].secret());
        assert_eq!(Caller::new(other, 0).await.get_json(PROJECTS).await, serde_json::json!([]));
    }
}

#[tokio::test]
async fn a_stopped_sandbox_frees_its_port() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let port: u16 = sandbox.base_url().rsplit(':').next().unwrap().parse().unwrap();
    let taken = platform_sandbox::start_with(Options { port, ..Options::default() }).await.unwrap_err();
    assert!(matches!(taken, Error::Bind { port: refused, .. } if refused == port), "{taken}");
    assert!(taken.to_string().contains(&port.to_string()));
    assert_eq!(taken.code(), "sandbox-bind");

    // A connection that is kept alive does not hold it up.
    let http = support::http();
    http.get(sandbox.contract_url()).send().await.unwrap().bytes().await.unwrap();
    sandbox.stop().await;
    assert!(http.get(format!("http://127.0.0.1:{port}/swagger")).send().await.is_err());
    let again = platform_sandbox::start_with(Options { port, ..Options::default() }).await.unwrap();
    assert_eq!(again.base_url(), format!("http://127.0.0.1:{port}"));
}

#[tokio::test]
async fn a_dropped_sandbox_stops() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let url = sandbox.contract_url();
    drop(sandbox);
    // The listener closes when the server's task next runs.
    for _ in 0..1000 {
        if support::fetch(&url).await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("the sandbox still answers");
}

#[cfg(unix)]
#[tokio::test]
async fn secrets_are_in_files_for_their_owner_and_nowhere_else() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let sandbox = platform_sandbox::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let inside = directory.path().join("secrets");
    let elsewhere = directory.path().join("elsewhere");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(&elsewhere, "untouched").unwrap();
    symlink(&elsewhere, inside.join("aurora-automation.secret")).unwrap();
    std::fs::write(inside.join("borealis-automation.secret"), "old").unwrap();

    let files = sandbox.write_secret_files(&inside).unwrap();
    let confidential: Vec<_> = sandbox.clients().iter().filter(|client| !client.is_public()).collect();
    assert_eq!(files.len(), confidential.len());
    for (file, client) in files.iter().zip(confidential) {
        assert_eq!(file.client_id, client.client_id);
        let metadata = std::fs::symlink_metadata(&file.path).unwrap();
        assert!(metadata.is_file());
        assert_eq!(metadata.permissions().mode() & 0o7777, 0o600);
        assert_eq!(std::fs::read_to_string(&file.path).unwrap().trim_end(), client.secret());
        assert!(client.secret().len() >= 32);
        assert!(!format!("{sandbox:?} {client:?} {file:?}").contains(client.secret()));
    }
    assert_eq!(std::fs::read_to_string(elsewhere).unwrap(), "untouched");
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_is_named() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = sandbox.write_secret_files(&file.join("below")).unwrap_err();
    assert_eq!(error.code(), "sandbox-secret-file");
    assert!(error.to_string().contains("file"), "{error}");
}
