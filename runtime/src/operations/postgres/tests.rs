#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::{
    collections::BTreeSet,
    io::Write as _,
    process::Command,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio_postgres::{Client, NoTls};

use super::{PostgresBuilder, PostgresStore, connection::named, leases, rows};
use crate::{
    Certificates,
    auth::SecretFile,
    clock::unique,
    operations::{
        Instance, Lease, Standing, Store,
        store_tests::{accepted, intent, reference, seen, things},
    },
};

/// Tests that stop the server run alone.
static SERVER: RwLock<()> = RwLock::const_new(());

/// The server that `runtime/tests/postgres.sh` has started.
pub(in crate::operations) struct Server<G> {
    url: String,
    prefix: String,
    _guard: G,
}

pub(in crate::operations) type Shared = Server<RwLockReadGuard<'static, ()>>;

fn url() -> Option<String> {
    let url = std::env::var("PLATFORM_POSTGRES_URL").ok();
    if url.is_none() {
        // Not through the macros: the output of tests that pass is captured, and would not be seen.
        drop(writeln!(std::io::stderr(), "SKIPPED: no PostgreSQL; run it with runtime/tests/postgres.sh"));
    }
    url
}

impl<G> Server<G> {
    fn new(guard: G, url: String) -> Self {
        Self { url, prefix: format!("t{}", unique().get(..12).expect("it is long")), _guard: guard }
    }

    pub(super) fn schema(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    pub(super) fn builder(&self, name: &str) -> PostgresBuilder {
        PostgresStore::builder(&self.url).schema(&self.schema(name))
    }

    /// Returns a store with a schema of its own.
    pub(in crate::operations) async fn store(&self, name: &str) -> PostgresStore {
        self.builder(name).migrate().open().await.expect("a store")
    }

    /// Returns a connection of the superuser.
    pub(super) async fn admin(&self) -> Client {
        let (client, driver) = tokio_postgres::connect(&self.url, NoTls).await.expect("a connection");
        tokio::spawn(driver);
        client
    }

    /// Runs statements as the superuser; `@.` is the schema of that name.
    pub(super) async fn run(&self, name: &str, sql: &str) {
        let text = named(sql, &self.schema(name));
        self.admin().await.batch_execute(&text).await.unwrap_or_else(|error| panic!("{text}: {error:?}"));
    }

    /// Returns the address of another database of the server.
    fn database(&self, name: &str) -> String {
        let (server, _) = self.url.rsplit_once('/').expect("an address");
        format!("{server}/{name}")
    }

    /// Returns the address with another user or other parameters.
    fn as_user(&self, user: &str) -> String {
        self.url.replace("postgres@", &format!("{user}@"))
    }
}

impl Shared {
    pub(in crate::operations) async fn shared() -> Option<Self> {
        let url = url()?;
        Some(Self::new(SERVER.read().await, url))
    }
}

impl Server<RwLockWriteGuard<'static, ()>> {
    pub(super) async fn alone() -> Option<Self> {
        let url = url()?;
        Some(Self::new(SERVER.write().await, url))
    }
}

/// Stops, starts, restarts or crashes the server.
pub(super) async fn control(action: &'static str) {
    let run = move || {
        let program = std::env::var("PLATFORM_POSTGRES_CONTROL").expect("postgres.sh exports it");
        let output = Command::new(program).arg(action).output().expect("it runs");
        assert!(output.status.success(), "{action}: {output:?}");
    };
    tokio::task::spawn_blocking(run).await.expect("it ends");
}

async fn instance(store: &PostgresStore) -> Instance {
    store.enlist("a test", Duration::from_secs(600)).await.expect("it enlists")
}

async fn claim_one(store: &PostgresStore, instance: Instance) -> Lease {
    store.claim(instance, &things(1)).await.expect("it claims").remove(0).lease().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_is_killed_leaves_the_version_that_was_there() {
    let Some(server) = Server::shared().await else { return };
    let first = server.builder("old").migrate_to(1);
    drop(first.open().await.expect_err("the program knows more than version 1"));
    server
        .run("old", "INSERT INTO @.submission (correlation, deployment, kind, intent) VALUES ('a', 'b', 'c', 'd')")
        .await;
    // The second step waits for the table, which is locked.
    let admin = server.admin().await;
    let schema = server.schema("old");
    admin.batch_execute(&format!("BEGIN; LOCK TABLE {schema}.submission IN ACCESS EXCLUSIVE MODE")).await.unwrap();
    let migrating = tokio::spawn(server.builder("old").migrate().open());
    let killer = server.admin().await;
    let sql = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND query LIKE '%VIEW \"{schema}\".overview%'"
    );
    while killer.query(&sql, &[]).await.unwrap().is_empty() {
        crate::clock::sleep(Duration::from_millis(20)).await;
    }
    let error = migrating.await.unwrap().expect_err("it was killed");
    assert!(error.is_store() && error.is_retryable(), "{error:?}");
    admin.batch_execute("ROLLBACK").await.unwrap();
    let version = format!("SELECT number FROM {schema}.version");
    assert_eq!(admin.query_one(&version, &[]).await.unwrap().get::<_, i32>(0), 1);
    let error = server.builder("old").open().await.expect_err("it is behind");
    assert!(error.to_string().contains("has version 1") && error.to_string().contains("migrate"), "{error}");
    // Many at once, as in the rollout of a fleet.
    let many: Vec<_> = (0..6).map(|_| tokio::spawn(server.builder("old").migrate().open())).collect();
    for one in many {
        one.await.unwrap().expect("it migrates, or finds that it was done");
    }
    assert_eq!(admin.query_one(&version, &[]).await.unwrap().get::<_, i32>(0), 4);
    let kept = admin.query(&format!("SELECT 1 FROM {schema}.submission"), &[]).await.unwrap();
    assert_eq!(kept.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_versions_of_a_program_share_a_schema_where_the_tables_allow_it() {
    let Some(server) = Server::shared().await else { return };
    let store = server.store("ahead").await;
    // A later program has added something that this one does not know.
    server
        .run("ahead", "UPDATE @.version SET number = 99; ALTER TABLE @.submission ADD COLUMN later text DEFAULT 'x'")
        .await;
    accepted(&store, &["a"]).await;
    let again = server.builder("ahead").open().await.expect("the tables still fit");
    assert!(again.entry("a").await.unwrap().is_some());
    server.builder("ahead").migrate().open().await.expect("nothing is brought back");
    server.run("ahead", "UPDATE @.version SET oldest = 50").await;
    let error = server.builder("ahead").open().await.expect_err("the tables do not fit any more");
    assert!(error.to_string().contains("has version 99") && error.to_string().contains("update"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_never_made_silently() {
    let Some(server) = Server::shared().await else { return };
    let error = server.builder("none").open().await.expect_err("nobody made it");
    assert!(error.is_store() && error.to_string().contains("restore it"), "{error}");
    let store = server.builder("gone").migrate().connections(1).open().await.expect("a store");
    accepted(&store, &["a"]).await;
    // It fails over to a database without the store.
    server.run("gone", "DROP SCHEMA @.x CASCADE".replace("@.x", &server.schema("gone")).as_str()).await;
    for error in [
        store.intend(&intent("b", None)).await.expect_err("the store is gone"),
        store.unfinished("here").await.expect_err("the store is gone"),
        store.accept(&reference("a")).await.expect_err("the store is gone"),
    ] {
        assert!(error.is_store() && error.to_string().contains("restore it"), "{error}");
    }
    // A new one is created behind the same address: to running programs, it is another store.
    let new = server.store("gone").await;
    let error = store.unfinished("here").await.expect_err("it is another store");
    assert!(error.to_string().contains("is not the one that the store was opened with"), "{error}");
    assert!(new.unfinished("here").await.unwrap().entries.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_needs_no_more_than_the_schema_and_its_tables() {
    let Some(server) = Server::shared().await else { return };
    let role = server.schema("role");
    let builder = |name: &str| PostgresStore::builder(&server.as_user(&role)).schema(&server.schema(name));
    server.run("rights", &format!("CREATE ROLE {role} LOGIN; REVOKE CREATE ON DATABASE postgres FROM PUBLIC")).await;
    let error = builder("rights").migrate().open().await.expect_err("it may not make a schema");
    assert!(error.to_string().contains("42501") && error.to_string().contains("grant"), "{error}");
    drop(server.store("rights").await);
    let error = builder("rights").open().await.expect_err("it may not look into the schema");
    assert!(error.is_store() && error.to_string().contains("grant"), "{error}");
    let schema = server.schema("rights");
    let grants = format!(
        "GRANT USAGE ON SCHEMA {schema} TO {role};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}"
    );
    server.run("rights", &grants).await;
    let store = builder("rights").open().await.expect("that is enough");
    builder("rights").migrate().open().await.expect("there is nothing to migrate");
    accepted(&store, &["a"]).await;
    let instance = instance(&store).await;
    let lease = claim_one(&store, instance).await;
    store.observe("a", &seen(1, "A", &["x"]), Some(&lease)).await.unwrap();
    assert!(store.renew(instance, Duration::from_secs(60)).await.unwrap());
    assert!(store.finish("a", "succeeded", Some(&lease)).await.unwrap());
    store.overview("here").await.unwrap();
    store.pause("here", "thing", true).await.unwrap();
    assert!(store.demand(&things(1)).await.unwrap()[0].paused);
    assert_eq!(store.purge("here", Duration::ZERO, 9).await.unwrap(), 1);
    store.leave(instance).await.unwrap();
    server.run("rights", &format!("REVOKE INSERT ON {schema}.submission FROM {role}")).await;
    let error = store.intend(&intent("b", None)).await.expect_err("it may not");
    assert!(error.to_string().contains("42501"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_takes_no_writes_or_is_full_says_so_and_changes_nothing() {
    let Some(server) = Server::shared().await else { return };
    drop(server.store("writes").await);
    let address = format!("{}?options=-c%20default_transaction_read_only%3Don", server.url);
    let store = PostgresStore::builder(&address).schema(&server.schema("writes")).open().await.expect("it reads");
    let error = store.intend(&intent("a", Some("a"))).await.expect_err("it takes no writes");
    assert!(error.to_string().contains("connect to the primary"), "{error}");
    assert!(store.labelled("here", "a").await.unwrap().is_none());

    let store = server.store("full").await;
    accepted(&store, &["before"]).await;
    // The error code of a full disk; a disk that is really full is in the test below.
    let full = "CREATE FUNCTION @.full() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER disk BEFORE INSERT OR UPDATE ON @.submission EXECUTE FUNCTION @.full();";
    server.run("full", full).await;
    for error in [
        store.intend(&intent("a", Some("a"))).await.expect_err("it is full"),
        store.finish("before", "succeeded", None).await.expect_err("it is full"),
    ] {
        assert!(error.is_store() && error.to_string().contains("make space"), "{error}");
    }
    server.run("full", "DROP TRIGGER disk ON @.submission").await;
    let entries = store.unfinished("here").await.unwrap().all().unwrap();
    assert_eq!(entries.len(), 1);
    store.intend(&intent("a", Some("a"))).await.expect("there is space again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_was_edited_by_hand_stops_only_itself() {
    let Some(server) = Server::shared().await else { return };
    let store = server.store("edited").await;
    accepted(&store, &["intent", "reference", "other", "label", "observation", "good"]).await;
    for name in ["observation", "good"] {
        store.observe(name, &seen(1, "A", &[]), None).await.unwrap();
    }
    let damage = "
        UPDATE @.submission SET intent = '{' WHERE correlation = 'intent';
        UPDATE @.submission SET reference = replace(reference, 'id of', 'no id of') WHERE correlation = 'reference';
        UPDATE @.submission SET reference = (SELECT reference FROM @.submission WHERE correlation = 'good')
            WHERE correlation = 'other';
        UPDATE @.submission SET label = 'moved' WHERE correlation = 'label';
        UPDATE @.observation SET body = 'null' WHERE submission =
            (SELECT number FROM @.submission WHERE correlation = 'observation');";
    server.run("edited", damage).await;
    let unfinished = store.unfinished("here").await.unwrap();
    let good: BTreeSet<&str> = unfinished.entries.iter().map(|entry| entry.intent().correlation()).collect();
    assert_eq!(good, BTreeSet::from(["good", "observation"]));
    assert_eq!(unfinished.unreadable.len(), 5, "{unfinished:?}");
    for problem in &unfinished.unreadable {
        assert!(problem.place().contains("row ") && problem.error().to_string().contains(" ("), "{problem:?}");
    }
    let claimed = store.claim(instance(&store).await, &things(9)).await.unwrap();
    assert_eq!((claimed.len(), claimed.iter().filter(|operation| operation.entry().is_ok()).count()), (6, 2));
    // A column type that was changed is an error of that step, and no panic.
    server
        .run(
            "edited",
            "DROP VIEW @.owner, @.failing, @.overview; ALTER TABLE @.submission ALTER COLUMN fence TYPE text",
        )
        .await;
    assert!(store.unfinished("here").await.expect_err("the column is another one").is_store());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_gives_something_away_is_refused() {
    let refused = async |address: &str| {
        let error = PostgresStore::builder(address).open().await.expect_err("it is refused");
        assert!(!error.to_string().contains("canary") && !format!("{error:?}").contains("canary"), "{error:?}");
        error
    };
    for address in ["postgresql://user:canary@127.0.0.1/x", "host=127.0.0.1 user=u password=canary"] {
        let error = refused(address).await;
        assert!(error.to_string().contains("contains a password"), "{error}");
        assert!(!format!("{:?}", PostgresStore::builder(address)).contains("canary"));
    }
    for address in ["", "canary", "postgresql://127.0.0.1/x", "host= user=canary canary"] {
        assert_eq!(refused(address).await.code(), "configuration");
    }
    for schema in ["", "Upper", "a\"b", "a.b", "1a", "pg_own", "a-b", &"a".repeat(41)] {
        let error = PostgresStore::builder("postgresql://u@127.0.0.1/x").schema(schema).open().await;
        assert_eq!(error.expect_err("it is refused").code(), "configuration", "{schema}");
    }
    let missing = PostgresStore::builder("postgresql://u@127.0.0.1/x")
        .only_root_certificates(Certificates::file("/nowhere.pem"))
        .open()
        .await;
    assert_eq!(missing.expect_err("it is not there").code(), "configuration");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_elsewhere_is_spoken_to_with_tls_only() {
    // It answers `N`: no TLS.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = [0; 8];
        socket.read_exact(&mut request).await.unwrap();
        socket.write_all(b"N").await.unwrap();
        let mut rest = Vec::new();
        drop(socket.read_to_end(&mut rest).await);
        (request, rest)
    });
    let address = format!("postgresql://u@elsewhere.test:{port}/x?hostaddr=127.0.0.1&sslmode=disable");
    // The name decides: it does not count as loopback, whatever it resolves to.
    let error = PostgresStore::builder(&address).open().await.expect_err("there is no TLS");
    assert!(error.is_store(), "{error:?}");
    let (request, rest) = server.await.unwrap();
    assert_eq!(
        (request, rest.as_slice()),
        ([0, 0, 0, 8, 4, 210, 22, 47], &[][..]),
        "nothing but the wish for TLS is sent"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_read_for_each_connection_and_tls_checks_the_certificate() {
    use std::os::unix::fs::PermissionsExt as _;

    let Some(server) = Server::shared().await else { return };
    let Ok(authority) = std::env::var("PLATFORM_POSTGRES_CA") else { return };
    drop(server.store("secret").await);
    let schema = server.schema("secret");
    let sql = format!(
        "DO $$ BEGIN CREATE ROLE platform_secret LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
         ALTER ROLE platform_secret PASSWORD 'canary one';
         GRANT USAGE ON SCHEMA {schema} TO platform_secret;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO platform_secret"
    );
    server.run("secret", &sql).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    let write = |secret: &str| {
        std::fs::write(&file, secret).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    };
    let builder = || PostgresStore::builder(&server.as_user("platform_secret")).schema(&schema).connections(1);
    write("canary wrong");
    let error = builder().password(SecretFile::new(&file)).open().await.expect_err("it is wrong");
    assert!(error.to_string().contains("28P01") && error.to_string().contains("password"), "{error}");
    assert!(!format!("{error:?} {error}").contains("canary"), "{error:?}");
    write("canary one\n");
    let base = || builder().password(SecretFile::new(&file));
    let builder = || base().only_root_certificates(Certificates::file(&authority));
    let store = builder().open().await.expect("the password and the certificate fit");
    accepted(&store, &["a"]).await;
    // It is rotated, and the connections end.
    server.run("secret", "ALTER ROLE platform_secret PASSWORD 'canary two'").await;
    write("canary two\n");
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'platform_secret'";
    server.run("secret", sql).await;
    assert!(store.entry("a").await.expect("the new password is found").is_some());
    let ssl =
        "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'platform_secret'";
    assert!(server.admin().await.query_one(ssl, &[]).await.unwrap().get::<_, bool>(0), "all of them speak TLS");
    // An unknown certificate.
    let other = folder.path().join("other.pem");
    std::fs::write(&other, rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert.pem()).unwrap();
    let error = base()
        .only_root_certificates(Certificates::file(&other))
        .open()
        .await
        .expect_err("the certificate is another one's");
    assert!(error.is_store() && error.to_string().contains("certificate") && !error.is_retryable(), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_restarts_is_waited_for_and_nothing_is_done_twice() {
    let Some(server) = Server::alone().await else { return };
    let store = server.store("restart").await;
    accepted(&store, &["held", "before"]).await;
    let instance = instance(&store).await;
    let lease = claim_one(&store, instance).await;
    for action in ["restart", "crash"] {
        control(action).await;
        assert!(store.renew(instance, Duration::from_secs(600)).await.expect("the lease outlives the server"));
        store.observe("held", &seen(1, action, &[]), Some(&lease)).await.expect("it is kept");
    }
    // Steps that begin while it is away succeed once it is back, each of them once.
    control("stop").await;
    let steps: Vec<_> = (0..20)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(
                async move { store.intend(&intent(&format!("during {number}"), Some(&number.to_string()))).await },
            )
        })
        .collect();
    let late = {
        let store = store.clone();
        tokio::spawn(async move { store.accept(&reference("before")).await })
    };
    control("start").await;
    for step in steps {
        step.await.unwrap().expect("it is kept");
    }
    late.await.unwrap().expect("it was accepted before");
    assert_eq!(store.unfinished("here").await.unwrap().all().unwrap().len(), 22);
    // One that stays away is an error in bounded time.
    control("stop").await;
    let begun = Instant::now();
    let error = store.intend(&intent("never", None)).await.expect_err("it is away");
    assert!(error.is_store() && error.is_retryable() && begun.elapsed() < Duration::from_secs(60), "{error:?}");
    control("start").await;
    assert!(store.entry("never").await.unwrap().is_none());
    assert!(store.finish("held", "succeeded", Some(&lease)).await.expect("the lease holds"));
}

/// The address leads to another database, without the store or with an empty one, and back again. The server response
/// that is dropped next.
type Lost = Arc<Mutex<Option<&'static [u8]>>>;

/// Passes bytes on to the server, and closes a connection instead of passing on the response to be lost.
async fn losing(server: String) -> (u16, Lost) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, lost) = (listener.local_addr().unwrap().port(), Lost::default());
    let next = Arc::clone(&lost);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (server, next) = (tokio::net::TcpStream::connect(&server).await.unwrap(), Arc::clone(&next));
            tokio::spawn(async move {
                let ((mut from, mut to), (mut answers_of, mut requests_to)) =
                    (client.into_split(), server.into_split());
                let forward = tokio::io::copy(&mut from, &mut requests_to);
                let back = async {
                    let mut chunk = vec![0; 64 * 1024];
                    loop {
                        let length = answers_of.read(&mut chunk).await.unwrap_or_default();
                        let is_it =
                            |answer: &mut &[u8]| chunk[..length].windows(answer.len()).any(|part| part == *answer);
                        if next.lock().unwrap().take_if(is_it).is_some() {
                            return;
                        }
                        if length == 0 || to.write_all(&chunk[..length]).await.is_err() {
                            return;
                        }
                    }
                };
                tokio::select! { _ = forward => {}, () = back => {} }
            });
        }
    });
    (port, lost)
}

/// The server has stored it, and the program does not receive the response: the submission belongs to the program all
/// the same, and to no other.
#[tokio::test(flavor = "multi_thread")]
async fn an_intent_whose_answer_is_lost_is_kept_once() {
    let Some(server) = Server::shared().await else { return };
    drop(server.store("lost").await);
    let (_, place) = server.url.split_once('@').unwrap();
    let (host, _) = place.split_once('/').unwrap();
    let (port, lost) = losing(host.to_owned()).await;
    let lose = |answer: &'static str| *lost.lock().unwrap() = Some(answer.as_bytes());
    let url = server.url.replace(host, &format!("127.0.0.1:{port}"));
    let store = PostgresStore::builder(&url).schema(&server.schema("lost")).open().await.unwrap();
    let mine = intent("mine", Some("one"));
    lose("INSERT 0 1");
    store.intend(&mine).await.expect("the first try has kept it");
    assert!(lost.lock().unwrap().is_none(), "an answer was lost");
    // A label that another one has, whose response is lost, too.
    lose("INSERT 0 0");
    assert!(store.intend(&intent("other", Some("one"))).await.expect_err("it is taken").is_store());
    assert!(lost.lock().unwrap().is_none(), "an answer was lost");
    assert!(store.intend(&mine).await.expect_err("it has been kept before").is_store());
    let entry = store.labelled("here", "one").await.unwrap().unwrap();
    assert_eq!((entry.intent().correlation(), entry.revision()), ("mine", 1));
    assert!(store.entry("other").await.unwrap().is_none());
    // Dropping a step in the middle rolls it back.
    let dropped = intent("dropped", Some("two"));
    for polls in 0..20 {
        let mut step = store.intend(&dropped);
        for _ in 0..polls {
            let once = std::future::poll_fn(|context| std::task::Poll::Ready(step.as_mut().poll(context).is_ready()));
            if once.await {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(step);
        assert!(store.withdraw("dropped", 1).await.unwrap());
        assert!(store.entry("dropped").await.unwrap().is_none(), "{polls}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_to_an_empty_database_is_an_error_until_it_is_over() {
    let Some(server) = Server::shared().await else { return };
    let admin = server.admin().await;
    let (here, aside) = (server.schema("here"), server.schema("aside"));
    // Old sessions end with a failover.
    let switch = async |from: &str, to: &str| {
        let end = format!("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{from}'");
        let rename = format!("ALTER DATABASE {from} RENAME TO {to}");
        // A connection may be opened in between.
        while {
            admin.query(&end, &[]).await.unwrap();
            admin.batch_execute(&rename).await.is_err()
        } {}
    };
    admin.batch_execute(&format!("CREATE DATABASE {here}")).await.unwrap();
    let address = server.database(&here);
    // One connection: the first step that fails replaces it.
    let builder = || PostgresStore::builder(&address).schema("ours").connections(1);
    let store = builder().migrate().open().await.expect("a store");
    accepted(&store, &["a"]).await;
    let instance = instance(&store).await;
    let lease = claim_one(&store, instance).await;

    switch(&here, &aside).await;
    admin.batch_execute(&format!("CREATE DATABASE {here}")).await.unwrap();
    let refused = async |message: &str| {
        for error in [
            store.intend(&intent("b", Some("b"))).await.expect_err("it is not kept"),
            store.accept(&reference("a")).await.expect_err("it is not kept"),
            store.observe("a", &seen(1, "A", &[]), Some(&lease)).await.expect_err("it is not kept"),
            store.finish("a", "succeeded", Some(&lease)).await.expect_err("it is not finished"),
            store.renew(instance, Duration::from_secs(60)).await.expect_err("nobody knows"),
            store.claim(instance, &things(9)).await.expect_err("nothing is given"),
            store.enlist("late", Duration::from_secs(60)).await.expect_err("nobody is taken in"),
            store.unfinished("here").await.expect_err("nothing is shown"),
        ] {
            assert!(error.is_store() && !error.is_lease_lost() && error.to_string().contains(message), "{error}");
        }
    };
    refused("restore it").await;
    // An empty store is created there: running programs do not mistake it for theirs.
    drop(builder().migrate().open().await.expect("a store"));
    refused("is not the one that the store was opened with").await;

    switch(&here, &server.schema("empty")).await;
    switch(&aside, &here).await;
    assert!(store.renew(instance, Duration::from_secs(600)).await.expect("it is the store again"));
    assert!(store.finish("a", "succeeded", Some(&lease)).await.expect("the lease holds"));
    assert!(store.labelled("here", "b").await.unwrap().is_none(), "what was refused was kept nowhere");
    drop(store);
    for name in [here, server.schema("empty")] {
        admin.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    }
}

/// A disk that is full: a small one of its own, with the tables on it.
#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_is_full_says_so_and_goes_on_when_there_is_space() {
    let Some(server) = Server::shared().await else { return };
    let Ok(disk) = std::env::var("PLATFORM_POSTGRES_SMALL_DISK") else {
        drop(writeln!(std::io::stderr(), "SKIPPED: no small disk; runtime/tests/postgres.sh mounts one for root"));
        return;
    };
    let admin = server.admin().await;
    let name = server.schema("disk");
    let ballast = std::path::Path::new(&disk).join("ballast");
    std::fs::write(&ballast, vec![1; 4 << 20]).unwrap();
    admin.batch_execute(&format!("CREATE TABLESPACE {name} LOCATION '{disk}/tables'")).await.unwrap();
    admin.batch_execute(&format!("CREATE DATABASE {name} TABLESPACE {name}")).await.unwrap();
    let address = server.database(&name);
    let store = PostgresStore::builder(&address).schema("ours").migrate().open().await.expect("a store");
    accepted(&store, &["held"]).await;
    let instance = instance(&store).await;
    let lease = claim_one(&store, instance).await;
    // Rows until nothing fits any more, the last one a small one.
    let (mut kept, mut size) = (Vec::new(), 1 << 18);
    let error = loop {
        let label = kept.len().to_string();
        let mut large = intent(&label, Some(&label));
        // Data that cannot be compressed.
        let text: String = (0..size / 32).map(|_| unique()).collect();
        large.parameters.insert("text".to_owned(), text);
        match store.intend(&large).await {
            Ok(()) => kept.push(label),
            Err(_) if size > 64 => size /= 2,
            Err(error) => break error,
        }
    };
    assert!(error.is_store() && !error.is_retryable(), "{error:?}");
    assert!(error.to_string().contains("53100") && error.to_string().contains("make space"), "{error}");
    let entries = store.unfinished("here").await.expect("it can be read").all().expect("all of it");
    assert_eq!(entries.len(), kept.len() + 1, "what was refused is not there");
    // Space is freed.
    let refused = kept.len().to_string();
    std::fs::remove_file(ballast).unwrap();
    store.intend(&intent(&refused, Some(&refused))).await.expect("there is space again");
    assert!(store.finish("held", "succeeded", Some(&lease)).await.expect("the lease holds"));
    drop(store);
    admin.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    admin.batch_execute(&format!("DROP TABLESPACE {name}")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_removed_or_changed_by_hand_keeps_no_operation_from_being_taken_over() {
    let Some(server) = Server::shared().await else { return };
    // An earlier version, in which an instance could be removed by hand.
    drop(server.builder("hand").migrate_to(2).open().await.expect_err("the program knows more than version 2"));
    let orphan =
        "INSERT INTO @.submission (correlation, deployment, kind, intent, owner) VALUES ('o', 'b', 'c', 'd', 99)";
    server.run("hand", orphan).await;
    let store = server.store("hand").await;
    let owned = "DO $$ BEGIN ASSERT (SELECT owner IS NULL FROM @.submission WHERE correlation = 'o'); END $$";
    server.run("hand", owned).await;

    accepted(&store, &["a", "b", "most", "less"]).await;
    let edits = "
        UPDATE @.submission SET fence = 9223372036854775807 WHERE correlation = 'most';
        UPDATE @.submission SET fence = -7, failures = -7, revision = -7 WHERE correlation = 'less';";
    server.run("hand", edits).await;
    let one = instance(&store).await;
    let claimed = store.claim(one, &things(9)).await.expect("no number that was edited keeps the others back");
    assert_eq!(claimed.len(), 4);
    for operation in &claimed {
        let lease = operation.lease();
        store.observe(lease.correlation(), &seen(1, "A", &[]), Some(lease)).await.expect("the lease holds");
    }
    server.run("hand", "DELETE FROM @.instance").await;
    assert!(!store.renew(one, Duration::MAX).await.expect("it says"), "its time is over");
    let lease = claimed[0].lease();
    assert!(store.finish(lease.correlation(), "succeeded", Some(lease)).await.expect_err("it is over").is_lease_lost());
    let two = instance(&store).await;
    assert_eq!(store.claim(two, &things(9)).await.unwrap().len(), 4, "another instance has all of them");
}

/// A claim whose caller was dropped is still in progress when its instance leaves.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_instance_is_given_while_it_leaves_is_given_back() {
    let Some(server) = Server::shared().await else { return };
    let store = server.store("leaving").await;
    accepted(&store, &["a", "b"]).await;
    let one = instance(&store).await;
    // The claim as the server runs it for a lost connection: it is not committed yet.
    let claimer = server.admin().await;
    let sql = named(leases::CLAIM, &server.schema("leaving"));
    claimer.batch_execute("BEGIN").await.unwrap();
    let (here, thing, places) = (vec!["here"], vec!["thing"], vec![9_i64]);
    let id = i64::try_from(one.number()).unwrap();
    claimer.query_one(&sql, &[&id, &here, &thing, &places]).await.unwrap();
    let leaving = {
        let store = store.clone();
        tokio::spawn(async move { store.leave(one).await })
    };
    // It waits for the claim.
    let waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%instance%FOR UPDATE%'
                 AND query LIKE $1";
    let like = format!("%{}%", server.schema("leaving"));
    let admin = server.admin().await;
    while admin.query(waits, &[&like]).await.unwrap().is_empty() {
        assert!(!leaving.is_finished(), "it does not wait for the claim");
        crate::clock::sleep(Duration::from_millis(5)).await;
    }
    claimer.batch_execute("COMMIT").await.unwrap();
    leaving.await.unwrap().expect("it leaves");
    let two = instance(&store).await;
    assert_eq!(store.claim(two, &things(9)).await.unwrap().len(), 2);
}

/// The plan of each query of the hot path, with many entries.
#[tokio::test(flavor = "multi_thread")]
async fn no_step_reads_a_whole_table() {
    let Some(server) = Server::shared().await else { return };
    drop(server.store("plans").await);
    let fill = "
        INSERT INTO @.instance (name, until)
            SELECT 'i', clock_timestamp() + CASE WHEN n % 10 = 0 THEN -1 ELSE 1 END * interval '1 hour'
            FROM generate_series(1, 97) n;
        INSERT INTO @.submission (correlation, deployment, kind, label, intent, reference, outcome, finished, owner)
            SELECT 'c' || n, 'here', 'kind' || n % 3, 'label' || n, '{}', '{}',
                CASE WHEN n % 2 = 0 THEN 'succeeded' END, CASE WHEN n % 2 = 0 THEN clock_timestamp() END,
                CASE WHEN n % 5 = 1 THEN 1 + n % 97 END
            FROM generate_series(1, 30000) n;
        INSERT INTO @.observation (submission, at, body) SELECT 1 + n % 30000, n, 'b' FROM generate_series(1, 60000) n;
        INSERT INTO @.event (submission, name) SELECT 1 + n % 30000, 'e' || n FROM generate_series(1, 30000) n;
        ANALYZE @.submission; ANALYZE @.observation; ANALYZE @.event; ANALYZE @.instance;";
    server.run("plans", fill).await;
    let admin = server.admin().await;
    let steps = [
        ("claim", leases::CLAIM, "1, '{here,here}', '{kind1,kind2}', '{100,100}'"),
        ("reap", leases::REAP, "1"),
        ("renew", leases::RENEW, "1, 30"),
        ("observe", leases::OBSERVE, "'c17', 1, 1, 5, 'b', '{e1,e2}'"),
        ("finish", leases::FINISH, "'c17', 'succeeded', 1, 1"),
        ("put back", leases::PUT_BACK, "'c17', 1, 1, 0, 'why', 'channel'"),
        ("discard", leases::DISCARD, "'c17', 'why', 1, 1"),
        ("retry", leases::RETRY, "'c17', 'channel'"),
        ("demand", leases::DEMAND, "'{here,here}', '{kind1,kind2}', '{100,100}'"),
        ("purge", leases::PURGE, "'here', 3600, 1000"),
        ("claimed", rows::CLAIMED, "'{c17,c19,c23}'"),
        ("entry", rows::ENTRY, "'c17'"),
        ("labelled", rows::LABELLED, "'here', 'label17'"),
    ];
    let mut page = String::new();
    for (number, (name, sql, values)) in steps.into_iter().enumerate() {
        let sql = named(sql, &server.schema("plans"));
        for mode in ["force_custom_plan", "force_generic_plan"] {
            let prepare = format!("SET plan_cache_mode = {mode}; PREPARE s{number}{mode} AS {sql}");
            admin.batch_execute(&prepare).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
            let explain = format!("EXPLAIN (COSTS OFF) EXECUTE s{number}{mode} ({values})");
            let plan: Vec<String> = admin.query(&explain, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
            let plan = plan.join("\n");
            // There are as many instances as programs that run.
            for table in ["submission", "observation", "event"] {
                assert!(!plan.contains(&format!("Seq Scan on {table}")), "{name}, {mode}:\n{plan}");
            }
            if mode == "force_generic_plan" {
                page = format!("{page}## {name}\n{plan}\n\n");
            }
        }
    }
    if let Some(file) = std::env::var_os("PLATFORM_POSTGRES_PLANS") {
        std::fs::write(file, page).unwrap();
    }
}

/// A program of version 3 ran with the rights of its time: it continues to work with them after a migration by another
/// one.
#[tokio::test(flavor = "multi_thread")]
async fn a_migration_gives_the_new_tables_to_whoever_has_the_old_ones() {
    let Some(server) = Server::shared().await else { return };
    let role = server.schema("heir");
    let schema = server.schema("inherited");
    drop(server.builder("inherited").migrate_to(3).open().await);
    server
        .run(
            "inherited",
            &format!(
                "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {role};
                 GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}"
            ),
        )
        .await;
    drop(server.store("inherited").await);
    let store = PostgresStore::builder(&server.as_user(&role)).schema(&schema).open().await.expect("it opens");
    accepted(&store, &["a"]).await;
    let one = instance(&store).await;
    let lease = claim_one(&store, one).await;
    assert!(store.discard("a", "why", Some(&lease)).await.unwrap());
    store.pause("here", "thing", true).await.unwrap();
    let overview = store.overview("here").await.unwrap();
    assert_eq!((overview.discarded.len(), overview.paused.len()), (1, 1));
}

/// A handler that never ends, and one whose statement never ends: both are stopped in their time, and leave nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_hangs_leaves_nothing_in_the_database() {
    let Some(server) = Server::shared().await else { return };
    let store = server.store("hangs").await;
    let table = format!("{}.mine", server.schema("hangs"));
    server.run("hangs", &format!("CREATE TABLE {table} (name text)")).await;
    accepted(&store, &["a"]).await;
    let one = instance(&store).await;
    let lease = claim_one(&store, one).await;
    for sql in ["SELECT 1", "SELECT pg_sleep(3600)"] {
        let table = table.clone();
        let limits = (Duration::from_secs(60), Duration::from_secs(2));
        let done = store.handled_in(&lease, "succeeded", limits, move |transaction| {
            Box::pin(async move {
                transaction.execute(&format!("INSERT INTO {table} VALUES ('a')"), &[]).await?;
                transaction.batch_execute(sql).await?;
                std::future::pending().await
            })
        });
        let done = crate::clock::limit(Duration::from_secs(60), done).await.expect("it is over in its time");
        assert!(matches!(done, Err(super::Undone::Late | super::Undone::Handler(_))), "{sql}");
    }
    let admin = server.admin().await;
    let running =
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(3600)%' AND state = 'active'";
    let begun = Instant::now();
    while admin.query_one(running, &[]).await.unwrap().get::<_, i64>(0) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "its statement goes on");
        crate::clock::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(admin.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get::<_, i64>(0), 0);
    assert_eq!(store.overview("here").await.unwrap().count(Standing::Held), 1);
}

/// Handling in a transaction: all of it or nothing, and nothing after the fence.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_handler_writes_is_committed_with_the_end_or_not_at_all() {
    let Some(server) = Server::shared().await else { return };
    let store = server.store("handled").await;
    let table = format!("{}.mine", server.schema("handled"));
    server.run("handled", &format!("CREATE TABLE {table} (name text)")).await;
    accepted(&store, &["a", "b", "c"]).await;
    let one = instance(&store).await;
    let handle = async |lease: &Lease, fails: bool| {
        let (table, name) = (table.clone(), lease.correlation().to_owned());
        store
            .handled_in(lease, "succeeded", (Duration::from_secs(30), Duration::MAX), move |transaction| {
                Box::pin(async move {
                    transaction.execute(&format!("INSERT INTO {table} VALUES ($1)"), &[&name]).await?;
                    if fails { Err("it does not want to".into()) } else { Ok(()) }
                })
            })
            .await
    };
    let leases: Vec<Lease> =
        store.claim(one, &things(3)).await.unwrap().iter().map(|operation| operation.lease().clone()).collect();
    assert!(handle(&leases[0], false).await.is_ok());
    assert!(handle(&leases[1], true).await.is_err());
    // The third is taken away in between.
    assert!(store.renew(one, Duration::ZERO).await.unwrap());
    assert!(handle(&leases[2], false).await.is_err());
    let two = instance(&store).await;
    assert_eq!(store.claim(two, &things(3)).await.unwrap().len(), 2);
    assert!(handle(&leases[2], false).await.is_err());
    let written: Vec<String> = server
        .admin()
        .await
        .query(&format!("SELECT name FROM {table}"), &[])
        .await
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(written, ["a"]);
    assert_eq!(store.overview("here").await.unwrap().count(Standing::Finished), 1);
}
