//! Tests the promises of the README and the guides from a consumer's program. It exits with an error if one is broken.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _};
use platform_client::auth::{ClientAuthentication, ClientCredentials, SecretString};
use platform_client::families::forum::operations::{CreateThread, ListThreads};
use platform_client::testing::{Fake, FakeReply};
use platform_client::{
    ErrorKind, Incoming, Maybe, Method, Middleware, MiddlewareFuture, Next, Object, Outgoing, Platform, PlatformBuilder,
    Value, types,
};
use platform_sandbox::Sandbox;
use serde_json::json;

type Done = Result<(), Box<dyn Error>>;

/// Fails with `what` unless the condition is true.
fn holds(what: &str, is_so: bool) -> Done {
    println!("{} {what}", if is_so { "ok  " } else { "FAIL" });
    if is_so { Ok(()) } else { Err(what.into()) }
}

fn builder(sandbox: &Sandbox) -> PlatformBuilder {
    let client = &sandbox.clients()[0];
    let credential = ClientCredentials::new(sandbox.auth_url(), &client.client_id, SecretString::from(client.secret()))
        .client_authentication(ClientAuthentication::Form);
    Platform::builder(sandbox.base_url()).credential(credential)
}

#[tokio::main]
async fn main() -> Done {
    let sandbox = platform_sandbox::start().await?;
    let platform = builder(&sandbox).build()?;
    growth(&platform).await?;
    nothing_is_lost(&platform).await?;
    pages(&platform).await?;
    transport(&sandbox).await?;
    middleware(&sandbox).await?;
    values()?;
    fake().await?;
    println!("all of it");
    Ok(())
}

/// Optional fields have setters, and response types can grow.
async fn growth(platform: &Platform) -> Done {
    let forum = platform.forum();
    for number in 0..5 {
        let thread = types::SaveForumThread::new(format!("Thread {number}")).body("Hello").tags(vec!["consumer".to_owned()]);
        forum.create_thread(&thread).await?;
    }
    let tags = ["consumer".to_owned()];
    let page = forum.list_threads().tags(&tags).skip(1).take(2).deadline(Duration::from_secs(20)).await?;
    holds("optional parameters are set on the call", page.items.is_some_and(|items| items.len() == 2))
}

/// Raw bodies, headers, errors.
async fn nothing_is_lost(platform: &Platform) -> Done {
    let forum = platform.forum();
    let raw = forum.list_threads().raw().await?;
    holds("raw() has status, headers and bytes", raw.status().is_success() && !raw.bytes().is_empty())?;
    let json: Value = forum.list_threads().json().await?;
    holds("json() reads a type of one's own", json.pointer("/items").is_some())?;
    holds("text() reads text", forum.list_threads().text().await?.starts_with('{'))?;
    let mut stream = forum.list_threads().stream().await?;
    holds("stream() hands it over", stream.next().await.transpose()?.is_some())?;
    let response = platform.projects().list_projects().with_response().await?;
    holds("a response has its headers", response.header("content-type").is_some())?;
    let error = match platform.projects().get_project(platform_client::Uuid::from_u128(1)).await {
        Ok(_) => return Err("a project that is not there".into()),
        Err(error) => error,
    };
    let again = error.clone();
    holds("an error has a kind, headers, and a copy", again.kind() == ErrorKind::Status && !again.headers().is_empty())?;
    let own = platform_client::Error::new(ErrorKind::Token, "the vault is sealed");
    holds("a program makes errors", own.is_token())
}

async fn pages(platform: &Platform) -> Done {
    let forum = platform.forum();
    let tags = ["consumer".to_owned()];
    let titles: Vec<_> = forum.list_threads().tags(&tags).take(2).with_items().map_ok(|thread| thread.title).try_collect().await?;
    holds("items of all pages are a stream", titles.len() == 5)?;
    let three = forum.list_threads().tags(&tags).take(2).with_items().limit(3).collect().await?;
    holds("with a limit", three.len() == 3)?;
    let pages = forum.list_threads().tags(&tags).take(2).paginate_with(|page| {
        let read = page.value().skip.unwrap_or(0) + 2;
        (read < page.value().total_count.unwrap_or(0)).then(|| forum.list_threads().tags(&tags).skip(read).take(2))
    });
    holds("pages are a stream, too", pages.count().await == 3)
}

async fn transport(sandbox: &Sandbox) -> Done {
    let platform = builder(sandbox)
        .no_proxy()
        .pool_max_idle_per_host(2)
        .pool_idle_timeout(Duration::from_secs(30))
        .default_header("x-consumer", "1")
        .with_reqwest(|connections| connections.tcp_nodelay(true))
        .build()?;
    platform.projects().list_projects().await?;
    let refused = |builder: PlatformBuilder| match builder.build() {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    let proxy = refused(builder(sandbox).proxy("http://canary:can/ary@proxy.example"));
    holds("a proxy that cannot be read says what to do, and no secret", proxy.contains("%2F") && !proxy.contains("canary"))?;
    let file = platform_client::Certificates::pem("not a certificate");
    holds("so does what is not a certificate", refused(builder(sandbox).root_certificates(file)).contains("BEGIN CERTIFICATE"))?;
    let plain = refused(Platform::builder("http://platform.svc"));
    holds("http is refused", plain.contains("danger_allow_http_to"))?;
    let allowed = Platform::builder("http://platform.svc").danger_allow_http_to(["platform.svc"]);
    holds("but where it is allowed", allowed.build().is_ok())?;
    holds("a header of the connection is refused", !refused(builder(sandbox).default_header("Host", "x")).is_empty())?;
    let keyed = builder(sandbox).api_key("any", SecretString::from("key")).build();
    holds("keys of other schemes are taken", keyed.is_ok())
}

/// Answers the first list itself, and counts the calls.
struct Cache(Arc<AtomicU32>);

impl Middleware for Cache {
    fn handle<'a>(&'a self, request: Outgoing, next: Next<'a>) -> MiddlewareFuture<'a> {
        Box::pin(async move {
            let is_first = self.0.fetch_add(1, Ordering::SeqCst) == 0;
            let known = request.path_template() == Some("/api/projects/v1/projects") && request.attempt() == 1;
            if is_first && known && request.body_length() == Some(0) {
                let headers = http::HeaderMap::from_iter([(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"))]);
                return Ok(Incoming::new(http::StatusCode::OK, headers, r#"[{"name":"from the cache"}]"#));
            }
            next.run(request).await
        })
    }
}

async fn middleware(sandbox: &Sandbox) -> Done {
    let count = Arc::new(AtomicU32::new(0));
    let platform = builder(sandbox).middleware(Cache(Arc::clone(&count))).build()?;
    let cached = platform.projects().list_projects().await?;
    holds("a middleware answers", cached.first().is_some_and(|project| project.get::<String>("name").is_ok()))?;
    let served = platform.projects().list_projects().await?;
    holds("and lets through", served.is_empty() && count.load(Ordering::SeqCst) == 2)
}

/// Standard traits of values.
fn values() -> Done {
    let some: Maybe<String> = Maybe::from("a".to_owned());
    holds("Maybe has its traits", some.map(|text| text.len()).unwrap_or(0) == 1)?;
    let method: http::Method = Method::Patch.try_into()?;
    holds("methods are those of http", method == http::Method::PATCH && Method::try_from(&method)? == Method::Patch)?;
    let state: types::AccessLevel = "SOMETHING_NEW".parse()?;
    holds("enumerations keep what is new", state.as_ref() == "SOMETHING_NEW" && state == "SOMETHING_NEW")
}

/// A test of one's own code, without a network.
async fn fake() -> Done {
    let fake = Fake::new();
    let thread: types::ForumThread = serde_json::from_value(json!({"title": "Made"}))?;
    fake.on(CreateThread::FAKE)
        .when(|call| call.json::<Object>().is_ok_and(|body| body.get::<String>("title").is_ok_and(|title| title.as_deref() == Some("Made"))))
        .answer(&thread);
    fake.on(CreateThread::FAKE).reply(FakeReply::status(409).header("x-why", "it is there"));
    fake.on(ListThreads::FAKE).reply(FakeReply::broken_connection()).reply(FakeReply::status(200).json(&json!({"items": []})));
    let platform = fake.builder().build()?;
    let forum = platform.forum();
    let made = forum.create_thread(&types::SaveForumThread::new("Made")).await?;
    holds("a fake answers by its type", made.title.as_deref() == Some("Made"))?;
    let refused = forum.create_thread(&types::SaveForumThread::new("Other")).await;
    holds("with statuses and headers", refused.is_err_and(|error| error.headers().contains_key("x-why")))?;
    let listed = forum.list_threads().await?;
    holds("and with connections that break", listed.items.is_some_and(|items| items.is_empty()))?;
    holds("it keeps calls and their bodies", fake.calls_of(CreateThread::FAKE).len() == 2 && fake.calls().len() == 4)
}
