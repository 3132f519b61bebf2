//! Starting, stopping, many sandboxes at once, and the secret files.

use crate::support;
use crate::support::{Caller, PROJECTS, project};
use platform_sandbox::{Error, Options};

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

    // A connection that is kept alive does not delay it.
    let http = support::http();
    http.get(sandbox.contract_url()).send().await.unwrap().bytes().await.unwrap();
    sandbox.stop().await;
    assert!(http.get(format!("http://127.0.0.1:{port}/swagger")).send().await.is_err());
    let again = platform_sandbox::start_with(Options { port, ..Options::default() }).await.unwrap();
    assert_eq!(again.base_url(), format!("http://127.0.0.1:{port}"));
}

/// A request whose body never ends is answered when the sandbox stops. If the stop waited for the body, it would end the connection
/// without an answer.
#[tokio::test]
async fn an_unfinished_body_does_not_delay_the_stop() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let address = sandbox.base_url().strip_prefix("http://").unwrap().to_owned();
    let (mut stream, token) = (tokio::net::TcpStream::connect(&address).await.unwrap(), caller.token());
    let head = format!(
        "host: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: 9"
    );
    stream.write_all(format!("POST {PROJECTS} HTTP/1.1\r\n{head}\r\n\r\n{{").as_bytes()).await.unwrap();
    while sandbox.requests().count("POST", PROJECTS) == 0 {
        tokio::task::yield_now().await;
    }
    sandbox.stop().await;
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
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
    // Its text is long: it has the whole contract.
    let text = format!("{sandbox:?}");
    for (file, client) in files.iter().zip(confidential) {
        assert_eq!(file.client_id, client.client_id);
        let metadata = std::fs::symlink_metadata(&file.path).unwrap();
        assert!(metadata.is_file());
        assert_eq!(metadata.permissions().mode() & 0o7777, 0o600);
        // No newline at the end: `curl --data-urlencode client_secret@FILE` sends the file as it is.
        assert_eq!(std::fs::read_to_string(&file.path).unwrap(), client.secret());
        assert!(client.secret().len() >= 32);
        assert!(!text.contains(client.secret()) && !format!("{client:?} {file:?}").contains(client.secret()));
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
        let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let mut paths = Vec::new();
    for _ in 0..2 {
        let sandbox = platform_sandbox::start().await.unwrap();
        let secrets = sandbox.publish_secrets(Some(&folder)).unwrap();
        let mut files: Vec<_> = secrets.clients().iter().map(|file| file.path.clone()).collect();
        files.extend(secrets.users().iter().map(|(_, path)| path.clone()));
        for path in &files {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o7777, 0o600);
        }
        assert_eq!(std::fs::read_to_string(&secrets.users()[0].1).unwrap(), sandbox.users()[0].password());
        paths.push(files);
        // Another sandbox cannot use the folder meanwhile.
        let taken = platform_sandbox::start().await.unwrap().publish_secrets(Some(&folder)).unwrap_err();
        assert_eq!(taken.code(), "sandbox-secrets-in-use");
        assert!(paths[0].iter().all(|path| path.exists()));
        std::fs::write(folder.join("mine.txt"), "stays").unwrap();
        drop(secrets);
        assert_eq!(names(), ["mine.txt".to_owned()].into());
    }
    assert_eq!(paths[0], paths[1]);
}

/// Removes only files of a sandbox: files that its list names, and whose contents match the digest.
#[cfg(unix)]
#[tokio::test]
async fn a_folder_of_secrets_loses_nothing_that_a_sandbox_did_not_write() {
    use std::os::unix::fs::symlink;

    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("secrets");
    std::fs::create_dir(&folder).unwrap();
    let sandbox = platform_sandbox::start().await.unwrap();
    let list = folder.join(".platform-sandbox");
    let all = || {
        let entries = std::fs::read_dir(directory.path()).unwrap().chain(std::fs::read_dir(&folder).unwrap());
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect::<std::collections::BTreeSet<_>>()
    };
    // If anything exists at the path of a secret, nothing is written, and nothing is removed.
    let outside = directory.path().join("outside");
    std::fs::write(&outside, "mine").unwrap();
    for name in ["ada.password", "aurora-automation.secret", ".platform-sandbox.part", ".platform-sandbox"] {
        let path = folder.join(name);
        for is_link in [false, true] {
            match is_link {
                true => symlink(&outside, &path).unwrap(),
                false => std::fs::write(&path, "mine").unwrap(),
            }
            let refused = sandbox.publish_secrets(Some(&folder)).unwrap_err();
            assert_eq!(refused.code(), "sandbox-foreign-file", "{name}: {refused}");
            assert!(refused.to_string().contains(name), "{refused}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
            assert_eq!(all(), ["outside".to_owned(), "secrets".to_owned(), name.to_owned()].into());
            std::fs::remove_file(&path).unwrap();
        }
    }
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "mine");
    // A file that was changed meanwhile stays at the end, and the list of a killed sandbox does not name it any more.
    let secrets = sandbox.publish_secrets(Some(&folder)).unwrap();
    std::fs::write(folder.join("ada.password"), "mine").unwrap();
    drop(secrets);
    assert_eq!(all(), ["outside".to_owned(), "secrets".to_owned(), "ada.password".to_owned()].into());
    std::fs::remove_file(folder.join("ada.password")).unwrap();
    // A killed sandbox leaves its list and its files; the next one may have other users.
    let secrets = sandbox.publish_secrets(Some(&folder)).unwrap();
    let left = std::fs::read_to_string(&list).unwrap();
    let files: Vec<_> = all().into_iter().filter(|name| folder.join(name).is_file()).collect();
    let kept: Vec<_> = files.iter().map(|name| (name, std::fs::read(folder.join(name)).unwrap())).collect();
    drop(secrets);
    let gone = left.lines().find(|line| line.ends_with(" ada.password")).unwrap().replace("ada", "gone");
    let hostile =
        ["../outside", "x/../../outside.secret", "outside.txt", ""].map(|name| gone.replace("gone.password", name));
    kept.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
    std::fs::copy(folder.join("ada.password"), folder.join("gone.password")).unwrap();
    for name in ["outside", "outside.secret"] {
        std::fs::copy(folder.join("ada.password"), directory.path().join(name)).unwrap();
    }
    std::fs::write(folder.join(".platform-sandbox.part"), "half").unwrap();
    std::fs::write(&list, format!("{left}{gone}\n{}\n", hostile.join("\n"))).unwrap();
    let secrets = sandbox.publish_secrets(Some(&folder)).unwrap();
    assert!(!folder.join("gone.password").exists() && secrets.users()[0].1.exists());
    drop(secrets);
    assert_eq!(all(), ["outside".to_owned(), "outside.secret".to_owned(), "secrets".to_owned()].into());
    let empty = sandbox.publish_secrets(Some(std::path::Path::new(""))).unwrap_err();
    assert!(empty.to_string().contains("cannot write"), "{empty}");
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

/// Sends the beginning of a head, and returns all bytes until the server closes.
async fn answer_to(base: &str, parts: &[&str]) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let mut stream = tokio::net::TcpStream::connect(base.strip_prefix("http://").unwrap()).await.unwrap();
    for part in parts {
        stream.write_all(part.as_bytes()).await.unwrap();
        // The server gets the parts one by one.
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
    let mut answer = Vec::new();
    // A connection that is closed with unread bytes ends with a reset. Only a server that never closes takes so long.
    let read = tokio::time::timeout(std::time::Duration::from_secs(120), stream.read_to_end(&mut answer)).await;
    assert!(read.is_ok(), "the connection stays open after {parts:?}");
    String::from_utf8(answer).unwrap()
}

/// Sends parts of heads, waits for the beginning of an answer, and returns all bytes until the server's limit closes the connection.
/// Only then, the clock moves: whenever nothing else happens.
async fn closed_by_the_limit(base: &str, parts: &[&str], beginning: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let mut stream = tokio::net::TcpStream::connect(base.strip_prefix("http://").unwrap()).await.unwrap();
    for part in parts {
        stream.write_all(part.as_bytes()).await.unwrap();
    }
    let mut answer = Vec::new();
    while !answer.starts_with(beginning.as_bytes()) {
        assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0, "{base} {parts:?}");
    }
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    // A connection that is closed with unread bytes ends with a reset.
    let read = tokio::time::timeout(std::time::Duration::from_secs(3600), stream.read_to_end(&mut answer)).await;
    let passed = start.elapsed();
    tokio::time::resume();
    assert!(read.is_ok() && passed <= LIMIT * 2, "the connection stays open after {parts:?}");
    String::from_utf8(answer).unwrap()
}

const LIMIT: std::time::Duration = std::time::Duration::from_secs(7);

#[tokio::test]
async fn a_head_that_does_not_arrive_closes_its_connection() {
    let options = Options { header_timeout: Some(LIMIT), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    for base in [sandbox.base_url(), sandbox.compliance_url()] {
        for parts in [&[][..], &["GET"], &["GET /api/compliance/frameworks HTTP/1.1\r\nhost: a\r\n", "x: y"]] {
            assert_eq!(closed_by_the_limit(base, parts, "").await, "", "{base} {parts:?}");
        }
        // One request is answered; the next one never arrives.
        let whole = "GET /api/compliance/frameworks HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
        closed_by_the_limit(base, &[whole, "GET /"], "HTTP/1.1 401").await;
    }
}

/// The limit of a head is 30 seconds. A request takes longer, and so does a streaming answer.
#[tokio::test]
async fn the_limit_of_a_head_is_neither_for_the_handling_of_a_request_nor_for_an_answer() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let mut stream = support::fetch(format!("{}/sandbox/events", sandbox.base_url())).await.unwrap();
    assert!(stream.chunk().await.unwrap().is_some());
    sandbox.faults().always(PROJECTS, "latency=60000".parse().unwrap()).unwrap();
    let slow = tokio::spawn(support::fetch(format!("{}{PROJECTS}", sandbox.base_url())));
    while sandbox.requests().count("GET", PROJECTS) == 0 {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    assert_eq!(slow.await.unwrap().unwrap().status(), 401);
    tokio::time::resume();
    sandbox.reset().unwrap();
    assert!(stream.chunk().await.unwrap().is_some());
}

#[tokio::test]
async fn a_head_in_pieces_is_read_within_the_limit_or_without_one() {
    for limit in [None, Some(std::time::Duration::ZERO), Some(std::time::Duration::MAX)] {
        let options = Options { header_timeout: limit, ..Options::default() };
        let sandbox = platform_sandbox::start_with(options).await.unwrap();
        let parts = ["GET /api/projects/v1/projects HT", "TP/1.1\r\nhost: 127.0.0.1\r\nconn", "ection: close\r\n\r\n"];
        assert!(answer_to(sandbox.base_url(), &parts).await.starts_with("HTTP/1.1 401"), "{limit:?}");
        // An idle connection does not delay the shutdown.
        let _silent =
            tokio::net::TcpStream::connect(sandbox.base_url().strip_prefix("http://").unwrap()).await.unwrap();
        sandbox.stop().await;
    }
}

/// In a container network, the sandbox has a name: the addresses that it prints begin with it, and its control interface accepts
/// it.
#[tokio::test]
async fn addresses_are_those_that_clients_know() {
    let options =
        Options { listen: Some([0, 0, 0, 0].into()), public_host: Some("sandbox".to_owned()), ..Options::default() };
    let named = platform_sandbox::start_with(options).await.unwrap();
    let port = named.base_url().strip_prefix("http://sandbox:").unwrap().to_owned();
    assert!(named.compliance_url().starts_with("http://sandbox:"), "{}", named.compliance_url());
    let there = format!("http://127.0.0.1:{port}");
    let http = support::http();
    let get = async |path: &str, host: &str| {
        let request = http.get(format!("{there}{path}")).header("host", format!("{host}:{port}"));
        request.send().await.unwrap()
    };
    let discovery: serde_json::Value =
        get("/identity/.well-known/openid-configuration", "sandbox").await.json().await.unwrap();
    assert_eq!(discovery["token_endpoint"], format!("http://sandbox:{port}/identity/connect/token"));
    for (host, status) in [("sandbox", 200), ("localhost", 200), ("evil.example", 403), ("sandbox.example", 403)] {
        for path in [
            "/sandbox/clock",
            "/sandbox",
            "/sandbox/control",
            "/sandbox/ui/console.js",
            "/swagger/index.html",
            "/graphiql",
        ] {
            assert_eq!(get(path, host).await.status(), status, "{host} {path}");
        }
    }
    // Without a name, a sandbox on all addresses prints the loopback one.
    let all = Options { listen: Some([0, 0, 0, 0].into()), ..Options::default() };
    let all = platform_sandbox::start_with(all).await.unwrap();
    assert!(all.base_url().starts_with("http://127.0.0.1:"), "{}", all.base_url());
    assert_eq!(support::fetch(format!("{}/sandbox/clock", all.base_url())).await.unwrap().status(), 200);
    // Any printed address leads to all parts, in any spelling of its host.
    for (listen, public_host) in [("127.0.0.2", None), ("127.0.0.1", Some("Sandbox.Localhost"))] {
        let address: std::net::IpAddr = listen.parse().unwrap();
        let options =
            Options { listen: Some(address), public_host: public_host.map(str::to_owned), ..Options::default() };
        let sandbox = platform_sandbox::start_with(options).await.unwrap();
        let (_, host) = sandbox.base_url().split_once("://").unwrap();
        let port = host.rsplit_once(':').unwrap().1;
        for host in [host.to_lowercase(), host.to_uppercase(), format!("localhost:{port}")] {
            let request = http.get(format!("http://{address}:{port}/sandbox/clock")).header("host", &host);
            assert_eq!(request.send().await.unwrap().status(), 200, "{host}");
        }
    }
    for wrong in ["", "a b", "sandbox:8080", "user@sandbox", "sandbox/x", "http://sandbox"] {
        let options = Options { public_host: Some(wrong.to_owned()), ..Options::default() };
        assert_eq!(platform_sandbox::start_with(options).await.unwrap_err().code(), "sandbox-host", "{wrong:?}");
    }
}
