//! Parameters: path, query in every style, header, cookie.

use platform_client::types::{StoreItemFilter, VirtualMachineState};
use platform_client::{Platform, Uuid};

use crate::support::{Recorder, Reply, exchange, requested};

const ONE: Uuid = Uuid::from_u128(1);
const TWO: Uuid = Uuid::from_u128(2);

#[tokio::test]
async fn deep_exploded_and_unexploded_queries() {
    let filter = StoreItemFilter::default().category("web & more").is_published(true);
    let tags = ["x,y".to_owned(), "z".to_owned()];
    let (sent, page) = exchange(Reply::json("{}"), async |platform| {
        // In another order than the contract's, and one of them twice.
        let call = platform.marketplace().list_store_items().skip(7).ids(&[ONE, TWO]).tags(&tags);
        call.filter(&filter).skip(0).await
    })
    .await;
    page.unwrap();
    requested(
        &sent,
        concat!(
            "GET /api/marketplace/v1/store-items",
            "?filter%5Bcategory%5D=web%20%26%20more&filter%5BisPublished%5D=true",
            "&tags=x%2Cy&tags=z",
            "&ids=00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002",
            "&skip=0\n",
            "accept: application/json\n\n",
        ),
    );
    let (sent, _) = exchange(Reply::json("{}"), async |platform| platform.marketplace().list_store_items().await).await;
    assert_eq!(sent.target, "/api/marketplace/v1/store-items");
}

#[tokio::test]
async fn lists_of_enums_repeat_the_name() {
    let states = [VirtualMachineState::Running, VirtualMachineState::Unknown("Half way".to_owned())];
    let (sent, machines) = exchange(Reply::json("[]"), async |platform| {
        platform.virtual_machines().list_virtual_machines().states(&states).await
    })
    .await;
    assert_eq!(machines.unwrap(), []);
    assert_eq!(sent.target, "/api/virtual-machines?states=Running&states=Half%20way");
}

#[tokio::test]
async fn segments_of_the_path_are_encoded() {
    let (sent, _) = exchange(Reply::json("{}"), async |platform| {
        platform.client_db().get_connection_schema_table(ONE, "my table;1?#ü").await
    })
    .await;
    assert_eq!(
        sent.target,
        "/api/client-db/v1/connections/00000000-0000-0000-0000-000000000001/schema/tables/my%20table%3B1%3F%23%C3%BC"
    );
}

#[tokio::test]
async fn headers_and_cookies() {
    let (sent, done) =
        exchange(Reply::empty(204), async |platform| platform.vm_agent().heartbeat_agent(ONE, "1.2.3").await).await;
    done.unwrap();
    requested(
        &sent,
        "POST /api/virtual-machine-agent/agents/00000000-0000-0000-0000-000000000001/heartbeat\n\
         accept: application/json\n\
         content-length: 0\n\
         x-agent-version: 1.2.3\n\n",
    );
    let (sent, session) =
        exchange(Reply::json("{}"), async |platform| platform.virtual_machines().get_sessions_current("a b;c").await)
            .await;
    session.unwrap();
    requested(
        &sent,
        "GET /api/virtual-machines/sessions/current\n\
         accept: application/json\n\
         cookie: vm-session=a%20b%3Bc\n\n",
    );
}

#[tokio::test]
async fn what_an_operation_accepts_is_asked_for() {
    async fn accepted(call: impl AsyncFnOnce(&Platform)) -> String {
        let server = Recorder::start(Reply::new(200, "text/plain", "")).await;
        call(&server.client()).await;
        server.requests()[0].headers["accept"].to_str().unwrap().to_owned()
    }
    let image = accepted(async |platform| drop(platform.marketplace().get_store_item_image(ONE).await)).await;
    let log = accepted(async |platform| drop(platform.devops().get_terraform_deployment_log(ONE).await)).await;
    let events =
        accepted(async |platform| drop(platform.virtual_machines().get_virtual_machine_logs_stream(ONE).await)).await;
    // Their errors are still problem details.
    for (accepted, types) in [(image, "image/png, image/jpeg"), (log, "text/plain"), (events, "text/event-stream")] {
        assert_eq!(accepted, format!("{types}, application/problem+json"));
    }
}

#[tokio::test]
async fn options_of_one_call_and_the_base_path() {
    let server = Recorder::start(Reply::json("[]")).await;
    let base = format!("{}/below/", server.client().base_url().trim_end_matches('/'));
    let platform = Platform::builder(base).build().unwrap();
    assert_eq!(platform.projects().list_projects().header("X-Trace", "7").await.unwrap(), []);
    let refused = platform.projects().list_projects().header("Authorization", "Bearer other").await.unwrap_err();
    assert_eq!(refused.code(), "request", "the credential's header is nobody else's");
    let [sent] = &server.requests()[..] else { panic!("one request") };
    assert_eq!(sent.target, "/below/api/projects/v1/projects");
    assert_eq!(sent.headers["x-trace"], "7");
    assert!(!sent.headers.contains_key("authorization"));
}
