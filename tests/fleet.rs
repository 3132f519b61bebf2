//! Instances of a program that share their operations in PostgreSQL, while they are killed and paused at random and the
//! database restarts. The sandbox counts what was submitted, a table of the database what was handled, and triggers who wrote.
//!
//! The server is started by `runtime/tests/postgres.sh`; without it, this says SKIPPED.

use std::collections::BTreeSet;
use std::env::var;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use platform_client::operations::postgres::tokio_postgres::{self, Client, NoTls};
use platform_client::operations::{
    Binding, Ended, Events, Operations, PostgresStore, States, Status, WatchOptions, Worker, WorkerEvent,
};
use platform_client::{Error, Method, Platform, Uuid};
use platform_sandbox::{Options, Sandbox};

use crate::support::{client, component, secret_files, variables};

/// Handled in a transaction: exactly once.
static ONCE: Binding = Binding {
    kind: "once",
    path: "/api/projects/v1/projects/{project_id}/components/{componentId}/deployments",
    query: include_str!("../specs/graphql/operation.graphql"),
    subscription: Some(include_str!("../specs/graphql/operation_changed.graphql")),
    state: "/operation/state",
    pushed_state: Some("/operationChanged/operation/state"),
    states: States {
        pending: &["QUEUED", "RUNNING"],
        succeeded: &["SUCCEEDED"],
        failed: &["FAILED"],
        cancelled: &["CANCELLED"],
    },
    events: Some(Events {
        list: "/operation/events",
        name: "/kind",
        pushed: Some("/operationChanged/event"),
        required: &["workload-ready"],
    }),
    idempotency: Some("Idempotency-Key"),
    ..Binding::NONE
};

/// Handled by itself: at least once.
static OFTEN: Binding = Binding { kind: "often", ..ONCE };

/// What a run is.
#[derive(Clone, Copy, Debug)]
struct Plan {
    instances: usize,
    operations: usize,
    /// How often something is killed, paused or restarted.
    blows: usize,
    lease: Duration,
    seed: u64,
}

/// A number for each turn, after Knuth.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn number(name: &str, otherwise: usize) -> usize {
    var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// One instance: a process of its own, which the tests below start.
#[test]
#[ignore = "a process of the tests of this file"]
fn instance() {
    let Ok(name) = var("PLATFORM_FLEET_NAME") else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(live(name));
}

async fn live(name: String) {
    let platform = Platform::from_env().unwrap();
    let (url, schema) = (var("PLATFORM_POSTGRES_URL").unwrap(), var("PLATFORM_FLEET_SCHEMA").unwrap());
    let (place, count) = (var("PLATFORM_FLEET_PLACE").unwrap(), number("PLATFORM_FLEET_COUNT", 1));
    let lease = Duration::from_millis(number("PLATFORM_FLEET_LEASE", 1000) as u64);
    let store = loop {
        // Each connection says whose it is, for the triggers.
        let address = format!("{url}?application_name={name}");
        match PostgresStore::builder(&address).schema(&schema).open().await {
            Ok(store) => break store,
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    };
    let soon = Duration::from_millis(200);
    let operations = platform
        .operations()
        .with_binding(&ONCE)
        .with_binding(&OFTEN)
        .with_options(WatchOptions::new().settle(soon).interval(soon).safety(Duration::from_secs(2)))
        .with_store(store);
    let submitting = tokio::spawn(submit_all(platform.clone(), operations.clone(), place, count, name.len()));
    let worker = |kind: &str| -> Worker {
        let worker = operations.worker().name(&name).kinds([kind]).lease(lease).poll(Duration::from_millis(300));
        worker.retry(Duration::from_millis(50), Duration::from_millis(500)).on_event(report)
    };
    let table = format!("\"{schema}\".handled_once");
    let once = worker("once").handle_in(
        move |ended, transaction| {
            let sql = format!("INSERT INTO {table} (label) VALUES ($1)");
            Box::pin(async move {
                transaction.execute(&sql, &[&ended.intent().label()]).await?;
                Ok(())
            })
        },
        std::future::pending(),
    );
    let sql = format!("INSERT INTO \"{schema}\".handled_often (label) VALUES ($1)");
    let often = worker("often").handle(
        move |ended: Ended| {
            let (url, sql) = (url.clone(), sql.clone());
            async move {
                let (client, driver) = tokio_postgres::connect(&url, NoTls).await?;
                let driver = tokio::spawn(driver);
                let done = client.execute(&sql, &[&ended.intent().label()]).await;
                drop(client);
                drop(driver.await);
                done.map(drop)
            }
        },
        std::future::pending(),
    );
    // The end of the input is the end of the test.
    let parent = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    tokio::select! {
        done = once => done.unwrap(),
        done = often => done.unwrap(),
        _ = parent => {}
    }
    submitting.abort();
}

/// What an instance learns, for whoever reads along.
fn report(event: &WorkerEvent) {
    if matches!(event, WorkerEvent::LeaseLost { .. } | WorkerEvent::Fenced { .. }) {
        drop(writeln!(std::io::stdout(), "{event:?}"));
    }
}

/// Submits all of it, as every instance does: each label is submitted by one of them.
async fn submit_all(platform: Platform, operations: Operations, place: String, count: usize, from: usize) {
    for turn in 0..count {
        let label = (turn + from * count / 8) % count;
        let kind = if label.is_multiple_of(2) { "once" } else { "often" };
        while let Err(error) = submit(&platform, &operations, &place, kind, &format!("label-{label}")).await {
            drop(writeln!(std::io::stdout(), "label-{label}: {error}"));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

async fn submit(
    platform: &Platform,
    operations: &Operations,
    place: &str,
    kind: &str,
    label: &str,
) -> Result<(), Error> {
    let request = || platform.request(Method::Post, place).json(&serde_json::json!({ "tag": label }));
    match operations.labelled(label).await?.map(|entry| entry.status()) {
        None => match request().submit(operations, kind, Some(label)).await {
            // Another instance was first.
            Err(error) if error.is_store() && operations.labelled(label).await?.is_some() => Ok(()),
            done => done.map(drop),
        },
        // Whoever submitted it may be gone, or at it: the service recognises the repetition.
        Some(Status::SubmissionUnknown) => request().resubmit(operations, kind, label).await.map(drop),
        Some(_) => Ok(()),
    }
}

/// The processes of a run. They end with it.
struct Fleet {
    children: Vec<Child>,
    variables: Vec<(&'static str, String)>,
    started: usize,
}

impl Fleet {
    fn start(&mut self) -> Child {
        self.started += 1;
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "fleet::instance", "--ignored", "--nocapture"]);
        command.envs(self.variables.clone()).env("PLATFORM_FLEET_NAME", format!("instance-{}", self.started));
        let output = std::fs::OpenOptions::new().create(true).append(true).open(self.log()).unwrap();
        command.stdin(Stdio::piped()).stdout(output).stderr(Stdio::inherit()).spawn().unwrap()
    }

    fn log(&self) -> String {
        self.variables.iter().find(|(name, _)| *name == "PLATFORM_FLEET_LOG").unwrap().1.clone()
    }

    fn kill(&mut self, index: usize) {
        self.children[index].kill().unwrap();
        self.children[index].wait().unwrap();
        self.children[index] = self.start();
    }

    fn signal(&self, index: usize, signal: &str) {
        let id = self.children[index].id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for child in &mut self.children {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// Counts what was handled, and writes down who writes for an operation that is another one's.
const AUDIT: &str = r#"
    CREATE TABLE @.handled_once (label text NOT NULL, at timestamptz DEFAULT clock_timestamp());
    CREATE TABLE @.handled_often (label text NOT NULL, at timestamptz DEFAULT clock_timestamp());
    CREATE TABLE @.late (what text NOT NULL, writer text NOT NULL, held_by text, over interval);
    CREATE TABLE @.claimed (correlation text NOT NULL, fence bigint NOT NULL, at timestamptz NOT NULL);
    -- The holder is looked for as it is now, and not as it was when the statement began.
    CREATE FUNCTION @.look(what text, owner_of bigint) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE holder record;
        BEGIN
            SELECT name, clock_timestamp() - until AS over INTO holder FROM @.instance WHERE id = owner_of;
            IF holder.name IS DISTINCT FROM current_setting('application_name') OR holder.over > interval '250 ms' THEN
                INSERT INTO @.late VALUES (what, current_setting('application_name'), holder.name, holder.over);
            END IF;
        END $$;
    CREATE FUNCTION @.observed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM @.look('observation', (SELECT owner FROM @.submission WHERE number = NEW.submission));
            RETURN NULL;
        END $$;
    CREATE TRIGGER audit AFTER INSERT OR UPDATE ON @.observation FOR EACH ROW EXECUTE FUNCTION @.observed();
    CREATE FUNCTION @.finished() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.outcome IS NOT NULL AND OLD.outcome IS NULL THEN PERFORM @.look('end', OLD.owner); END IF;
            IF NEW.fence > OLD.fence THEN
                INSERT INTO @.claimed VALUES (NEW.correlation, NEW.fence, clock_timestamp());
            END IF;
            RETURN NEW;
        END $$;
    CREATE TRIGGER audit BEFORE UPDATE ON @.submission FOR EACH ROW EXECUTE FUNCTION @.finished();
"#;

async fn connect(url: &str) -> Client {
    loop {
        if let Ok((client, driver)) = tokio_postgres::connect(url, NoTls).await {
            tokio::spawn(driver);
            return client;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn count(url: &str, sql: &str) -> i64 {
    loop {
        match connect(url).await.query_one(sql, &[]).await {
            Ok(row) => return row.get(0),
            // It restarts.
            Err(error) if error.as_db_error().is_none_or(|error| error.code().code().starts_with("57")) => {}
            Err(error) => panic!("{sql}: {error:?}"),
        }
    }
}

async fn labels(url: &str, sql: &str) -> Vec<String> {
    connect(url).await.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

fn control(action: &str) {
    let program = var("PLATFORM_POSTGRES_CONTROL").unwrap();
    let done = Command::new(program).arg(action).stdout(Stdio::null()).status().unwrap();
    assert!(done.success(), "{action}");
}

/// The identifiers of all operations that the service has begun. It shows the newest thousand: they are looked at often.
async fn begun(platform: &Platform, known: &mut BTreeSet<String>) {
    let query = "{ operations(first: 1000) { id } }";
    let answer = platform.graphql().query::<platform_client::Value, _>(query, ()).await.unwrap().into_data().unwrap();
    known.extend(answer["operations"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()));
}

async fn world() -> (Sandbox, tempfile::TempDir, Platform, (Uuid, Uuid)) {
    let options = Options { step: Some(Duration::from_millis(300)), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    let place = component(&platform).await;
    (sandbox, secrets, platform, place)
}

async fn chaos(plan: Plan) {
    let Ok(url) = var("PLATFORM_POSTGRES_URL") else {
        drop(writeln!(std::io::stderr(), "SKIPPED: no PostgreSQL; run it with runtime/tests/postgres.sh"));
        return;
    };
    let begun_at = Instant::now();
    let (sandbox, secrets, platform, (project, component)) = world().await;
    let schema = format!("fleet_{}_{}", std::process::id(), plan.seed);
    PostgresStore::builder(&url).schema(&schema).migrate().open().await.unwrap();
    let admin = connect(&url).await;
    admin.batch_execute(&AUDIT.replace("@.", &format!("{schema}."))).await.unwrap();
    let mut variables = variables(&sandbox, secrets.path());
    variables.extend([
        ("PLATFORM_POSTGRES_URL", url.clone()),
        ("PLATFORM_FLEET_SCHEMA", schema.clone()),
        ("PLATFORM_FLEET_PLACE", format!("/api/projects/v1/projects/{project}/components/{component}/deployments")),
        ("PLATFORM_FLEET_COUNT", plan.operations.to_string()),
        ("PLATFORM_FLEET_LEASE", plan.lease.as_millis().to_string()),
        ("PLATFORM_FLEET_LOG", secrets.path().join("log").display().to_string()),
    ]);
    let mut fleet = Fleet { children: Vec::new(), variables, started: 0 };
    for _ in 0..plan.instances {
        let child = fleet.start();
        fleet.children.push(child);
    }
    let (mut dice, mut known, mut blows) = (Dice(plan.seed), BTreeSet::new(), [0; 3]);
    let mut paused: Vec<(usize, Instant)> = Vec::new();
    let mut next = Instant::now() + Duration::from_millis(700);
    let unfinished =
        format!("SELECT {} - count(*) FROM {schema}.submission WHERE outcome IS NOT NULL", plan.operations);
    let limit = Duration::from_secs(120 + plan.operations as u64 / 2);
    loop {
        begun(&platform, &mut known).await;
        let left = count(&url, &unfinished).await;
        if left == 0 {
            break;
        }
        assert!(
            begun_at.elapsed() < limit,
            "{left} operations are left: {}",
            std::fs::read_to_string(fleet.log()).unwrap()
        );
        let now = Instant::now();
        paused.retain(|(index, until)| {
            let goes_on = *until <= now;
            if goes_on {
                fleet.signal(*index, "-CONT");
            }
            !goes_on
        });
        if now >= next && blows.iter().sum::<usize>() < plan.blows {
            next = now + Duration::from_millis(200 + dice.roll(800));
            let index = usize::try_from(dice.roll(plan.instances as u64)).unwrap();
            match dice.roll(20) {
                0 | 1 => {
                    let action = if dice.roll(2) == 0 { "crash" } else { "restart" };
                    tokio::task::spawn_blocking(move || control(action)).await.unwrap();
                    blows[2] += 1;
                }
                _ if paused.iter().any(|(paused, _)| *paused == index) => {}
                2..=10 => {
                    fleet.kill(index);
                    blows[0] += 1;
                }
                _ => {
                    fleet.signal(index, "-STOP");
                    paused.push((index, now + plan.lease.mul_f64(1.2 + dice.roll(20) as f64 / 10.0)));
                    blows[1] += 1;
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // Whoever was paused wakes up, and has nothing more to say.
    for (index, _) in paused {
        fleet.signal(index, "-CONT");
    }
    tokio::time::sleep(plan.lease).await;
    begun(&platform, &mut known).await;
    let told = std::fs::read_to_string(fleet.log()).unwrap();
    drop(fleet);

    assert_eq!(known.len(), plan.operations, "each is submitted once, as the service counts");
    let kept = format!("SELECT reference::json ->> 'id' FROM {schema}.submission");
    assert_eq!(labels(&url, &kept).await.into_iter().collect::<BTreeSet<_>>(), known);
    let mut once = labels(&url, &format!("SELECT label FROM {schema}.handled_once")).await;
    let often = labels(&url, &format!("SELECT label FROM {schema}.handled_often")).await;
    let handled = once.len();
    once.sort();
    once.dedup();
    assert_eq!((handled, once.len()), (plan.operations.div_ceil(2), handled), "in a transaction: exactly once");
    let distinct: BTreeSet<&String> = often.iter().collect();
    assert_eq!(distinct.len(), plan.operations / 2, "by itself: at least once");
    let late = format!(
        "SELECT what || ' by ' || writer || ', held by ' || coalesce(held_by, 'nobody') || ' ' || coalesce(over::text, '') FROM {schema}.late"
    );
    assert_eq!(labels(&url, &late).await, Vec::<String>::new(), "nobody writes after the fence");
    let events = |name: &str| told.lines().filter(|line| line.starts_with(name)).count();
    drop(writeln!(
        std::io::stderr(),
        "seed {}: {} operations, {} instances; {} killed, {} paused, {} restarts of the database; {} leases lost, {} fenced; \
         {} handled again; {:.0} s",
        plan.seed,
        plan.operations,
        plan.instances,
        blows[0],
        blows[1],
        blows[2],
        events("LeaseLost"),
        events("Fenced"),
        often.len() - distinct.len(),
        begun_at.elapsed().as_secs_f64(),
    ));
    admin.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).await.ok();
    sandbox.stop().await;
}

/// A small one for every change.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_done_twice_while_instances_are_killed_and_paused() {
    chaos(Plan { instances: 3, operations: 150, blows: 12, lease: Duration::from_millis(800), seed: 7 }).await;
}

/// `PLATFORM_FLEET_RUNS` of them, from `PLATFORM_FLEET_SEED` on.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes minutes: runtime/tests/postgres.sh cargo test -p platform-tests --all-features fleet::the_whole -- --ignored"]
async fn the_whole_of_it() {
    let (runs, seed) = (number("PLATFORM_FLEET_RUNS", 1), number("PLATFORM_FLEET_SEED", 100));
    for run in 0..runs {
        let plan = Plan {
            instances: number("PLATFORM_FLEET_INSTANCES", 8),
            operations: number("PLATFORM_FLEET_OPERATIONS", 2000),
            blows: 1000,
            lease: Duration::from_millis(1500),
            seed: (seed + run) as u64,
        };
        chaos(plan).await;
    }
}
