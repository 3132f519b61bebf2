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
        // No newline at the end: `curl --data-urlencode client_secret@FILE` sends the file as it is.
        assert_eq!(std::fs::read_to_string(&file.path).unwrap(), client.secret());
        assert!(client.secret().len() >= 32);
        assert!(!format!("{sandbox:?} {client:?} {file:?}").contains(client.secret()));
    }
    assert_eq!(std::fs::read_to_string(elsewhere).unwrap(), "untouched");
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_of_secrets_has_the_same_paths_at_every_start_and_is_emptied_at_the_end() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("secrets");
    let names = || {
        let found = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        found.collect::<std::collections::BTreeSet<_>>()
    };
    let mut paths = Vec::new();
    for _ in 0..2 {
        let sandbox = platform_sandbox::start().await.unwrap();
        let secrets = sandbox.publish_secrets(Some(&folder)).unwrap();
        let mut found: Vec<_> = secrets.clients().iter().map(|file| file.path.clone()).collect();
        found.extend(secrets.users().iter().map(|(_, path)| path.clone()));
        for path in &found {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o7777, 0o600);
        }
        assert_eq!(std::fs::read_to_string(&secrets.users()[0].1).unwrap(), sandbox.users()[0].password());
        paths.push(found);
        // Another sandbox may not take the folder meanwhile.
        let taken = platform_sandbox::start().await.unwrap().publish_secrets(Some(&folder)).unwrap_err();
        assert_eq!(taken.code(), "sandbox-secrets-in-use");
        assert!(paths[0].iter().all(|path| path.exists()));
        std::fs::write(folder.join("mine.txt"), "stays").unwrap();
        drop(secrets);
        assert_eq!(names(), ["mine.txt".to_owned()].into());
    }
    assert_eq!(paths[0], paths[1]);
    // What a killed sandbox has left: the list, and files that the next seed may not name any more.
    std::fs::write(folder.join(".platform-sandbox"), "gone.secret\n../outside.secret\nmine.txt\n").unwrap();
    std::fs::write(folder.join("gone.secret"), "old").unwrap();
    std::fs::write(directory.path().join("outside.secret"), "stays").unwrap();
    let sandbox = platform_sandbox::start().await.unwrap();
    drop(sandbox.publish_secrets(Some(&folder)).unwrap());
    assert_eq!(names(), ["mine.txt".to_owned()].into());
    assert!(directory.path().join("outside.secret").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_of_its_own_goes_with_the_sandbox_and_those_of_killed_ones_are_swept() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let left = std::env::temp_dir().join(format!("platform-sandbox-secrets-test-{}", std::process::id()));
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("a.secret"), "old").unwrap();
    let being_made = sandbox.publish_secrets(None).unwrap();
    assert!(left.exists(), "a folder without a list may be in the making");
    std::fs::write(left.join(".platform-sandbox"), "a.secret\n").unwrap();
    let secrets = sandbox.publish_secrets(None).unwrap();
    assert!(!left.exists());
    assert!(being_made.path().exists(), "a folder that is in use stays");
    let path = secrets.path().to_owned();
    drop((secrets, being_made));
    assert!(!path.exists());
}

#[tokio::test]
async fn secrets_and_passwords_can_be_fixed_in_the_seed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("seed.toml");
    let built_in = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seed.toml")).unwrap();
    let options = || Options { seed: Some(path.clone()), ..Options::default() };
    let fixed = built_in
        .replacen("client_id = \"aurora-automation\"", "client_id = \"aurora-automation\"\nsecret = \"a fixed one\"", 1)
        .replacen("name = \"ada\"", "name = \"ada\"\npassword = \"also fixed\"", 1);
    std::fs::write(&path, &fixed).unwrap();
    let sandbox = platform_sandbox::start_with(options()).await.unwrap();
    assert_eq!(sandbox.clients()[0].secret(), "a fixed one");
    assert_eq!(sandbox.user("ada").unwrap().password(), "also fixed");
    assert_eq!(Caller::new(&sandbox, 0).await.get(PROJECTS).await.status(), 200);
    for (part, other, reason) in [
        ("secret = \"a fixed one\"", "secret = \"\"", "empty"),
        ("client_id = \"borealis-automation\"", "client_id = \"aurora-automation\"", "twice"),
        ("client_id = \"borealis-automation\"", "client_id = \"../x\"", "letters"),
        ("name = \"bela\"", "name = \"ada\"", "twice"),
        ("public = true\n", "public = true\nsecret = \"x\"\n", "public"),
        ("collection = \"/api/projects/v1/projects\"", "collection = \"/api/projects/v1/project\"", "no collection"),
        ("key = \"00000020-0000-4000-8000-000000000032\"", "key = \"00000020-0000-4000-8000-000000000031\"", "twice"),
    ] {
        std::fs::write(&path, fixed.replacen(part, other, 1)).unwrap();
        let error = platform_sandbox::start_with(options()).await.unwrap_err();
        assert_eq!(error.code(), "sandbox-seed");
        assert!(error.to_string().contains(reason) && !error.to_string().contains("a fixed one"), "{error}");
    }
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

/// RFC 9112, section 3.2: a request names its host once.
#[tokio::test]
async fn a_request_without_a_host_or_with_two_is_malformed() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let sandbox = platform_sandbox::start().await.unwrap();
    for base in [sandbox.base_url(), sandbox.compliance_url()] {
        let address = base.strip_prefix("http://").unwrap();
        for (version, hosts, is_malformed) in [
            ("1.1", "host: 127.0.0.1\r\n", false),
            ("1.1", "", true),
            ("1.1", "host: 127.0.0.1\r\nHost: 127.0.0.1\r\n", true),
            ("1.0", "", false),
            ("1.0", "host: a\r\nhost: b\r\n", true),
        ] {
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            let request = format!("GET /api/compliance/frameworks HTTP/{version}\r\n{hosts}connection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            let status = answer.split(' ').nth(1).unwrap();
            assert_eq!(status == "400", is_malformed, "{base} {version} {hosts:?}: {answer}");
        }
    }
}
