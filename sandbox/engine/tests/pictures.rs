//! Takes the pictures of the console in the README, on any contract:
//! `SANDBOX_PICTURES=FOLDER SANDBOX_CONTRACT=FILE cargo test -p driftless-sandbox --all-features --test main -- --ignored pictures`.

use std::path::Path;

use driftless_sandbox::Options;
use reqwest::header::{CONTENT_TYPE, HeaderName};
use serde_json::json;

use super::browser::{Browser, decoded};
use super::client;

/// The collection of Radarr's contract that the pictures show, and an item for it.
const COLLECTION: &str = "/api/v3/tag";
const KEY: HeaderName = HeaderName::from_static("x-api-key");

#[tokio::test(flavor = "multi_thread")]
#[ignore = "in Chromium: a command in the file runs it"]
async fn pictures_of_the_console_are_taken() {
    let (Some(folder), Some(contract)) = (std::env::var_os("SANDBOX_PICTURES"), std::env::var_os("SANDBOX_CONTRACT"))
    else {
        eprintln!("SKIPPED: SANDBOX_PICTURES and SANDBOX_CONTRACT are not set");
        return;
    };
    let Some(mut browser) = Browser::start().await else {
        eprintln!("SKIPPED: there is no `chromium` on this machine; apt-get install chromium");
        return;
    };
    // Paths are relative to the folder of the command, which is the workspace's.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join(folder);
    let contract = std::fs::read(root.join(contract)).unwrap();
    let sandbox = driftless_sandbox::start_with(&contract, Options::default()).await.unwrap();
    let address = format!("{}{COLLECTION}", sandbox.origin());
    for body in [json!({ "label": "4k" }), json!({ "label": 4 })] {
        let request = client().post(&address).header(KEY, "any").header(CONTENT_TYPE, "application/json");
        request.body(body.to_string()).send().await.unwrap();
    }
    client().get(&address).header(KEY, "any").send().await.unwrap();
    let items = format!("state/c/{}", COLLECTION.replace('/', "%2F"));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, page, whole, scheme, width, height) in [
        ("console-light", "explain", "#explain tr", "light", 1100, 700),
        ("console-dark", items.as_str(), "#items .invented", "dark", 1100, 480),
        ("console-phone", "requests/2", "#answered-rule", "light", 390, 780),
    ] {
        browser.size(width, height, width < 500).await;
        browser.colours(scheme).await;
        browser.open(&format!("{}/sandbox#/{page}", sandbox.origin())).await;
        browser.wait("document.querySelector('#live')?.textContent === '● live'").await;
        browser.wait(&format!("document.querySelector({})", json!(whole))).await;
        let picture = decoded(&browser.picture_text().await);
        assert!(picture.starts_with(b"\x89PNG") && picture.len() < 120_000, "{name}: {} bytes", picture.len());
        std::fs::write(folder.join(format!("{name}.png")), picture).unwrap();
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}
