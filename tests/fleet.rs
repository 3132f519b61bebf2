//! Instances of a program that share their operations in PostgreSQL, while they are killed and paused at random and the database
//! restarts. The sandbox counts the submissions, a table of the database the handled operations, and triggers record the writers.
//!
//! `runtime/tests/postgres.sh` starts the server; without it, this prints SKIPPED.

use std::collections::BTreeSet;
use std::env::var;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use platform_client::operations::postgres::tokio_postgres::{self, Client, NoTls};
use platform_client::operations::{
    Binding, Ended, Events, Operations, PostgresStore, States, WatchOptions, Worker, WorkerEvent,
};
use platform_client::{Method, Platform, Uuid};
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

/// Handled outside of a transaction: at least once.
static OFTEN: Binding = Binding { kind: "often", ..ONCE };

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
struct Plan {
    instances: usize,
    operations: usize,
    /// The number of kills, pauses and restarts.
    blows: usize,
    lease: Duration,
    seed: u64,
    /// The clocks of the instances are an hour apart.
    clocks: bool,
    /// The number of operations that never end, in addition to the others. If there are some, each worker watches a few
    /// operations only, and one handler in five hangs on its first call.
    endless: usize,
}

/// The number of operations that a worker watches if some never end.
const FEW: usize = 8;

/// The maximum time without progress: a limit that only a hang reaches.
const WATCHDOG: Duration = Duration::from_secs(600);

/// A random number for each step, after Knuth.
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
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    drop(writeln!(std::io::stdout(), "\nclock {clock}"));
    let platform = Platform::from_env().unwrap();
    let (url, schema) = (var("PLATFORM_POSTGRES_URL").unwrap(), var("PLATFORM_FLEET_SCHEMA").unwrap());
    let (place, count) = (var("PLATFORM_FLEET_PLACE").unwrap(), number("PLATFORM_FLEET_COUNT", 1));
    let lease = Duration::from_millis(number("PLATFORM_FLEET_LEASE", 1000) as u64);
    let store = loop {
        // Each connection has the name of its instance, for the triggers.
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
    let endless = number("PLATFORM_FLEET_ENDLESS", 0);
    let submitting =
        tokio::spawn(submit_all(platform.clone(), operations.clone(), place, (count, endless), name.len()));
    let worker = |kind: &str| -> Worker {
        let worker = operations.worker().name(&name).kinds([kind]).lease(lease).poll(Duration::from_millis(300));
        let worker = worker.turn(Duration::from_secs(1)).handler_timeout(Duration::from_secs(2));
        let worker = if endless > 0 { worker.watching(FEW).handling(2) } else { worker };
        worker.retry(Duration::from_millis(50), Duration::from_millis(500)).on_event(report)
    };
    let table = format!("\"{schema}\".handled_once");
    let once = worker("once").handle_in(
        move |ended, transaction| {
            let sql = format!("INSERT INTO {table} (label) VALUES ($1)");
            Box::pin(async move {
                hang(&ended, endless).await;
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
                hang(&ended, endless).await;
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
    // The end of standard input means that the test has ended.
    let parent = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    tokio::select! {
        done = once => done.unwrap(),
        done = often => done.unwrap(),
        _ = parent => {}
    }
    submitting.abort();
}

/// Hangs on the first call for one operation in five, if some never end.
async fn hang(ended: &Ended, endless: usize) {
    let is_chosen = ended.intent().label().is_some_and(|label| label.ends_with(['2', '7']));
    if endless > 0 && ended.failures() == 0 && is_chosen {
        std::future::pending().await
    }
}

/// Logs the events of an instance.
fn report(event: &WorkerEvent) {
    let is_of_interest = match event {
        WorkerEvent::LeaseLost { .. } | WorkerEvent::Fenced { .. } | WorkerEvent::Yielded { .. } => true,
        WorkerEvent::LeaseChanged { .. } | WorkerEvent::Discarded { .. } => true,
        WorkerEvent::HandlerFailed { failure, .. } => failure.contains("did not return"),
        _ => false,
    };
    if is_of_interest {
        drop(writeln!(std::io::stdout(), "{event:?}"));
    }
}

/// Submits all operations, as every instance does: each label is submitted by one of them. The endless ones come first.
async fn submit_all(
    platform: Platform,
    operations: Operations,
    place: String,
    (count, endless): (usize, usize),
    from: usize,
) {
    let labels = (0..endless).map(|label| (label, "endless", "outcome=stall"));
    let labels = labels.chain((0..count).map(|turn| ((turn + from * count / 8) % count, "label", "outcome=success")));
    for (label, name, fault) in labels {
        let kind = if label.is_multiple_of(2) { "once" } else { "often" };
        let label = format!("{name}-{label}");
        let body = serde_json::json!({ "tag": label });
        let request = || platform.request(Method::Post, &place).header("x-sandbox-fault", fault).json(&body);
        while let Err(error) = request().submit_or_resume(&operations, kind, &label).await {
            drop(writeln!(std::io::stdout(), "{label}: {error}"));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The processes of a run. Dropping this kills them.
struct Fleet {
    /// With their names.
    children: Vec<(Child, String)>,
    variables: Vec<(&'static str, String)>,
    started: usize,
    /// The library that shifts the clock of a process: it is loaded before the system's.
    clock: Option<PathBuf>,
}

impl Fleet {
    fn start(&mut self) -> (Child, String) {
        self.started += 1;
        let name = format!("instance-{}", self.started);
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "fleet::instance", "--ignored", "--nocapture"]);
        command.envs(self.variables.clone()).env("PLATFORM_FLEET_NAME", &name);
        if let Some(library) = &self.clock {
            let ahead = ["0", "3600", "-3600"][self.started % 3];
            command.env("LD_PRELOAD", library).env("PLATFORM_FLEET_AHEAD", ahead);
        }
        let output = std::fs::OpenOptions::new().create(true).append(true).open(self.log()).unwrap();
        (command.stdin(Stdio::piped()).stdout(output).stderr(Stdio::inherit()).spawn().unwrap(), name)
    }

    fn add(&mut self) {
        let child = self.start();
        self.children.push(child);
    }

    fn log(&self) -> String {
        self.variable("PLATFORM_FLEET_LOG")
    }

    fn variable(&self, name: &str) -> String {
        self.variables.iter().find(|(key, _)| *key == name).unwrap().1.clone()
    }

    /// The index of the process with this name.
    fn index(&self, name: &str) -> usize {
        self.children.iter().position(|(_, child)| child == name).unwrap()
    }

    fn kill(&mut self, index: usize) {
        self.children[index].0.kill().unwrap();
        self.children[index].0.wait().unwrap();
        self.children[index] = self.start();
    }

    fn signal(&self, index: usize, signal: &str) {
        let id = self.children[index].0.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for (child, _) in &mut self.children {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// Counts the handled operations, and records writes for an operation whose lease another instance holds. A statement that began
/// after the end of its lease must write nothing; one that began before may take as long as it needs.
const AUDIT: &str = r#"
    CREATE TABLE @.handled_once (label text NOT NULL, at timestamptz DEFAULT clock_timestamp());
    CREATE TABLE @.handled_often (label text NOT NULL, at timestamptz DEFAULT clock_timestamp());
    CREATE TABLE @.late (what text NOT NULL, writer text NOT NULL, held_by text, over interval);
    CREATE TABLE @.claimed (correlation text NOT NULL, fence bigint NOT NULL, at timestamptz NOT NULL);
    -- The holder is looked for as it is now, and not as it was when the statement began. Its time never becomes shorter.
    CREATE FUNCTION @.look(what text, owner_of bigint) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE holder record;
        BEGIN
            SELECT name, statement_timestamp() - until AS over INTO holder FROM @.instance WHERE id = owner_of;
            IF holder.name IS DISTINCT FROM current_setting('application_name') OR holder.over >= interval '0' THEN
                INSERT INTO @.late VALUES (what, current_setting('application_name'), holder.name, holder.over);
            END IF;
        END $$;
    CREATE FUNCTION @.observed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM @.look('observation', (SELECT owner FROM @.submission WHERE number = NEW.submission));
            RETURN NULL;
        END $$;
    CREATE TRIGGER audit AFTER INSERT OR UPDATE ON @.observation FOR EACH ROW EXECUTE FUNCTION @.observed();
    CREATE FUNCTION @.written() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.outcome IS DISTINCT FROM OLD.outcome THEN PERFORM @.look('end', OLD.owner);
            ELSIF NEW.failures > OLD.failures THEN PERFORM @.look('failure', OLD.owner);
            ELSIF OLD.owner IS NOT NULL AND NEW.owner IS DISTINCT FROM OLD.owner AND EXISTS (
                SELECT 1 FROM @.instance WHERE id = OLD.owner AND until > clock_timestamp()
                    AND name <> current_setting('application_name'))
            THEN PERFORM @.look('taken from the living', OLD.owner);
            END IF;
            IF NEW.fence < OLD.fence OR NEW.owner IS NOT NULL AND NEW.owner IS DISTINCT FROM OLD.owner
                AND (NEW.fence <= OLD.fence OR OLD.owner IS NOT NULL) THEN
                INSERT INTO @.late VALUES ('claim', current_setting('application_name'), OLD.owner::text, NULL);
            END IF;
            IF NEW.fence > OLD.fence THEN
                INSERT INTO @.claimed VALUES (NEW.correlation, NEW.fence, clock_timestamp());
            END IF;
            RETURN NEW;
        END $$;
    CREATE TRIGGER audit BEFORE UPDATE ON @.submission FOR EACH ROW EXECUTE FUNCTION @.written();
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
            // The database restarts.
            Err(error) if error.as_db_error().is_none_or(|error| error.code().code().starts_with("57")) => {}
            Err(error) => panic!("{sql}: {error:?}"),
        }
    }
}

async fn labels(url: &str, sql: &str) -> Vec<String> {
    connect(url).await.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

async fn control(action: &'static str) {
    let run = move || {
        let program = var("PLATFORM_POSTGRES_CONTROL").unwrap();
        let done = Command::new(program).arg(action).stdout(Stdio::null()).status().unwrap();
        assert!(done.success(), "{action}");
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

/// The identifiers of all operations that the service has begun. The service lists the newest thousand, so it is queried all the
/// time.
async fn begun(platform: &Platform, known: &Mutex<BTreeSet<String>>) {
    let query = "{ operations(first: 1000) { id } }";
    let answer = platform.graphql().query::<platform_client::Value, _>(query, ()).await.unwrap().into_data().unwrap();
    let seen = answer["operations"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned());
    known.lock().unwrap().extend(seen);
}

/// A sandbox, a store with the audit, and instances that are not yet started.
struct Stage {
    sandbox: Sandbox,
    platform: Platform,
    url: String,
    schema: String,
    admin: Client,
    fleet: Fleet,
    secrets: tempfile::TempDir,
}

/// Sets the stage; `None` without PostgreSQL. `step` is the time between two steps of an operation.
async fn stage(plan: Plan, step: Duration) -> Option<Stage> {
    let Ok(url) = var("PLATFORM_POSTGRES_URL") else {
        drop(writeln!(std::io::stderr(), "SKIPPED: no PostgreSQL; run it with runtime/tests/postgres.sh"));
        return None;
    };
    let options = Options { step: Some(step), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    let (project, component) = component(&platform).await;
    let clock = if plan.clocks { shifted_clock(secrets.path()) } else { None };
    if plan.clocks && clock.is_none() {
        drop(writeln!(std::io::stderr(), "SKIPPED: no C compiler, which shifts the clocks"));
        return None;
    }
    let schema = format!("fleet_{}_{}", std::process::id(), plan.seed);
    PostgresStore::builder(&url).schema(&schema).migrate().open().await.unwrap();
    let admin = connect(&url).await;
    admin.batch_execute(&AUDIT.replace("@.", &format!("{schema}."))).await.unwrap();
    let mut variables = variables(&sandbox, secrets.path());
    variables.extend([
        ("PLATFORM_POSTGRES_URL", url.clone()),
        ("PLATFORM_FLEET_SCHEMA", schema.clone()),
        ("PLATFORM_FLEET_PLACE", place(project, component)),
        ("PLATFORM_FLEET_COUNT", plan.operations.to_string()),
        ("PLATFORM_FLEET_ENDLESS", plan.endless.to_string()),
        ("PLATFORM_FLEET_LEASE", plan.lease.as_millis().to_string()),
        ("PLATFORM_FLEET_LOG", secrets.path().join("log").display().to_string()),
    ]);
    let fleet = Fleet { children: Vec::new(), variables, started: 0, clock };
    Some(Stage { sandbox, platform, url, schema, admin, fleet, secrets })
}

fn place(project: Uuid, component: Uuid) -> String {
    format!("/api/projects/v1/projects/{project}/components/{component}/deployments")
}

/// The interruptions of the instances and the database, one after another.
struct Blows {
    dice: Dice,
    left: usize,
    next: Instant,
    paused: Vec<(usize, Instant)>,
    kills: usize,
    pauses: usize,
    restarts: usize,
    absences: usize,
}

impl Blows {
    fn new(plan: Plan) -> Self {
        let next = Instant::now() + Duration::from_millis(700);
        let (dice, left) = (Dice(plan.seed), plan.blows);
        Self { dice, left, next, paused: Vec::new(), kills: 0, pauses: 0, restarts: 0, absences: 0 }
    }

    /// Resumes instances at the end of their pause, and interrupts the next one when it is time.
    async fn strike(&mut self, plan: Plan, fleet: &mut Fleet) {
        let now = Instant::now();
        self.paused.retain(|(index, until)| {
            let goes_on = *until <= now;
            if goes_on {
                fleet.signal(*index, "-CONT");
            }
            !goes_on
        });
        if now < self.next || self.left == 0 {
            return;
        }
        self.left -= 1;
        self.next = now + Duration::from_millis(200 + self.dice.roll(800));
        let index = usize::try_from(self.dice.roll(plan.instances as u64)).unwrap();
        match self.dice.roll(20) {
            0 | 1 => match self.dice.roll(8) {
                0 => {
                    // Longer than a lease, and sometimes longer than the timeout of a step.
                    let absence = plan.lease + Duration::from_millis(self.dice.roll(12_000));
                    control("stop").await;
                    tokio::time::sleep(absence).await;
                    control("start").await;
                    self.absences += 1;
                }
                roll => {
                    control(if roll % 2 == 0 { "crash" } else { "restart" }).await;
                    self.restarts += 1;
                }
            },
            _ if self.paused.iter().any(|(paused, _)| *paused == index) => {}
            2..=10 => {
                fleet.kill(index);
                self.kills += 1;
            }
            _ => {
                fleet.signal(index, "-STOP");
                self.paused.push((index, now + plan.lease.mul_f64(1.2 + self.dice.roll(20) as f64 / 10.0)));
                self.pauses += 1;
            }
        }
    }
}

async fn chaos(plan: Plan) {
    let begun_at = Instant::now();
    let Some(stage) = stage(plan, Duration::from_millis(300)).await else { return };
    let Stage { sandbox, platform, url, schema, admin, mut fleet, secrets } = stage;
    for _ in 0..plan.instances {
        fleet.add();
    }
    let known = Arc::new(Mutex::new(BTreeSet::new()));
    let looking = tokio::spawn({
        let (platform, known) = (platform.clone(), Arc::clone(&known));
        async move {
            loop {
                begun(&platform, &known).await;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    });
    let mut blows = Blows::new(plan);
    let unfinished =
        format!("SELECT {} - count(*) FROM {schema}.submission WHERE outcome IS NOT NULL", plan.operations);
    let mut last = (i64::MAX, Instant::now());
    loop {
        let left = count(&url, &unfinished).await;
        if left == 0 {
            break;
        }
        if left < last.0 {
            last = (left, Instant::now());
        }
        let log = || std::fs::read_to_string(fleet.log()).unwrap();
        assert!(last.1.elapsed() < WATCHDOG, "{left} operations are left, and none ends: {}", log());
        blows.strike(plan, &mut fleet).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // Paused instances wake up, and have nothing to write.
    for (index, _) in &blows.paused {
        fleet.signal(*index, "-CONT");
    }
    tokio::time::sleep(plan.lease).await;
    looking.abort();
    begun(&platform, &known).await;
    let known = known.lock().unwrap().clone();
    let log = std::fs::read_to_string(fleet.log()).unwrap();
    drop(fleet);

    assert_eq!(known.len(), plan.operations + plan.endless, "each is submitted once, as the service counts");
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
    let endless = if plan.endless > 0 { give_up(&platform, &url, &schema, plan).await } else { String::new() };
    let events = |name: &str| log.lines().filter(|line| line.starts_with(name)).count();
    if plan.clocks {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let clocks = log.lines().filter_map(|line| line.strip_prefix("clock ")?.parse::<u64>().ok());
        let apart: Vec<i64> = clocks.map(|clock| clock.cast_signed() - now.cast_signed()).collect();
        assert!(apart.iter().any(|ahead| *ahead > 0) && apart.iter().any(|ahead| *ahead < -3590), "{apart:?}");
    }
    drop(writeln!(
        std::io::stderr(),
        "seed {}: {} operations, {} instances; {} killed, {} paused, {} restarts and {} absences of the database; \
         {} leases lost, {} fenced; {} handled again; {:.0} s{endless}{}",
        plan.seed,
        plan.operations,
        plan.instances,
        blows.kills,
        blows.pauses,
        blows.restarts,
        blows.absences,
        events("LeaseLost"),
        events("Fenced"),
        often.len() - distinct.len(),
        begun_at.elapsed().as_secs_f64(),
        match plan.endless {
            0 => String::new(),
            _ => format!(
                "; {} turns ended, {} handlers hung, {} changes of the lease",
                events("Yielded"),
                events("HandlerFailed"),
                events("LeaseChanged"),
            ),
        },
    ));
    admin.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).await.ok();
    drop(secrets);
    sandbox.stop().await;
}

/// Gives up, by their time limit, the operations that never end: all of them are open until then, each was watched, and none is
/// handed over. Returns how long an operation waited from its acceptance to its mark, and how long for its first turn.
async fn give_up(platform: &Platform, url: &str, schema: &str, plan: Plan) -> String {
    let open = format!("SELECT count(*) FROM {schema}.submission WHERE label LIKE 'endless%' AND outcome IS NULL");
    assert_eq!(count(url, &open).await, plan.endless as i64, "what never ends is open");
    let unseen = format!(
        "SELECT label FROM {schema}.submission s WHERE label LIKE 'endless%'
         AND NOT EXISTS (SELECT 1 FROM {schema}.observation o WHERE o.submission = s.number)"
    );
    assert_eq!(labels(url, &unseen).await, Vec::<String>::new(), "each has had its turn");
    let spread = |value: &str| {
        format!(
            "SELECT percentile_disc(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY extract(epoch FROM {value})::float8)
             FROM {schema}.submission s WHERE s.label LIKE 'label%'"
        )
    };
    let ended: Vec<f64> = connect(url).await.query_one(&spread("s.finished - s.since"), &[]).await.unwrap().get(0);
    let first = format!("(SELECT min(at) FROM {schema}.claimed c WHERE c.correlation = s.correlation) - s.since");
    let first: Vec<f64> = connect(url).await.query_one(&spread(&first), &[]).await.unwrap().get(0);
    let store = PostgresStore::builder(url).schema(schema).open().await.unwrap();
    let operations = platform.operations().with_binding(&ONCE).with_binding(&OFTEN).with_store(store);
    let (done, stop) = tokio::sync::oneshot::channel::<()>();
    let worker = operations.worker().operation_timeout(Duration::from_secs(1)).poll(Duration::from_millis(300));
    let never = async |_: Ended| -> Result<(), String> { Err("it has not ended".to_owned()) };
    let worker = tokio::spawn(worker.handle(never, async move { drop(stop.await) }));
    let begun = Instant::now();
    let given_up = format!("SELECT count(*) FROM {schema}.discarded WHERE label LIKE 'endless%' AND failures = 1");
    while count(url, &given_up).await < plan.endless as i64 {
        assert!(begun.elapsed() < WATCHDOG, "what never ends is not given up");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    done.send(()).unwrap();
    worker.await.unwrap().unwrap();
    let listed = operations.overview().await.unwrap().discarded;
    assert_eq!(listed.len(), plan.endless.min(100));
    assert!(operations.retry(&listed[0].correlation).await.unwrap());
    let text = |times: Vec<f64>| times.iter().map(|time| format!("{time:.1}")).collect::<Vec<_>>().join(", ");
    format!(
        "; {} never ended and were given up; from acceptance to the first turn, s, p50, p99, most: {}; to the mark: {}",
        plan.endless,
        text(first),
        text(ended),
    )
}

/// A library that shifts the clock of the programs that load it; `None` if there is no compiler.
fn shifted_clock(folder: &Path) -> Option<PathBuf> {
    const SOURCE: &str = r#"
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *now) {
            int done = syscall(SYS_clock_gettime, clock, now);
            const char *ahead = getenv("PLATFORM_FLEET_AHEAD");
            if (done == 0 && ahead != NULL && clock == CLOCK_REALTIME) now->tv_sec += atol(ahead);
            return done;
        }
    "#;
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    std::fs::write(&source, SOURCE).unwrap();
    let done = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    done.is_ok_and(|status| status.success()).then_some(library)
}

const SMALL: Plan = Plan {
    instances: 3,
    operations: 150,
    blows: 12,
    lease: Duration::from_millis(800),
    seed: 7,
    clocks: false,
    endless: 0,
};

/// A small run for every change.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_done_twice_while_instances_are_killed_and_paused() {
    chaos(SMALL).await;
}

/// The instances' clocks have no influence.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_done_twice_while_clocks_are_an_hour_apart() {
    chaos(Plan { seed: 8, clocks: true, ..SMALL }).await;
}

/// More operations than slots never end, and handlers hang: the others still have their turns.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_starved_while_operations_never_end_and_handlers_hang() {
    let lease = Duration::from_secs(1);
    chaos(Plan { operations: 100, endless: 3 * 2 * FEW + 12, blows: 8, lease, seed: 9, ..SMALL }).await;
}

/// `PLATFORM_FLEET_RUNS` runs, from `PLATFORM_FLEET_SEED` on.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes minutes: runtime/tests/postgres.sh cargo test -p platform-tests --all-features fleet::the_whole -- --ignored"]
async fn the_whole_of_it() {
    let (runs, seed) = (number("PLATFORM_FLEET_RUNS", 1), number("PLATFORM_FLEET_SEED", 100));
    for run in 0..runs {
        let plan = Plan {
            instances: number("PLATFORM_FLEET_INSTANCES", 8),
            operations: number("PLATFORM_FLEET_OPERATIONS", 2000),
            blows: 1000,
            lease: Duration::from_millis(number("PLATFORM_FLEET_LEASE", 1500) as u64),
            seed: (seed + run) as u64,
            clocks: false,
            endless: number("PLATFORM_FLEET_ENDLESS", 0),
        };
        chaos(plan).await;
    }
}

/// The time from the kill of a process to the claim of its operations by another one, compared with the length of the lease.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes minutes, and prints figures: runtime/tests/postgres.sh cargo test -p platform-tests --all-features fleet::take_over -- --ignored --nocapture"]
async fn take_over_after_a_kill() {
    let kills = number("PLATFORM_FLEET_KILLS", 25);
    let mut lines =
        vec!["lease ms | kills | ms: least, p10, p50, p90, most | after the end of the lease ms: p50, most".to_owned()];
    for (seed, lease) in [(1, 1000), (2, 3000), (3, 10_000)] {
        let lease_time = Duration::from_millis(lease);
        let plan = Plan { operations: 0, blows: 0, lease: lease_time, seed, ..SMALL };
        // No operation ends.
        let Some(stage) = stage(plan, Duration::from_secs(3600)).await else { return };
        let Stage { sandbox, platform, url, schema, admin, mut fleet, secrets } = stage;
        let store = PostgresStore::builder(&url).schema(&schema).open().await.unwrap();
        let operations = platform.operations().with_binding(&ONCE).with_store(store);
        let place = fleet.variable("PLATFORM_FLEET_PLACE");
        for label in 0..10 {
            let request = platform.request(Method::Post, &place).json(&serde_json::json!({ "tag": "held" }));
            request.submit_or_resume(&operations, "once", &format!("label-{label}")).await.unwrap();
        }
        for _ in 0..plan.instances {
            fleet.add();
        }
        let (mut dice, mut taken, mut late) = (Dice(seed), Vec::new(), Vec::new());
        let query = format!(
            "SELECT i.name, sum(s.fence)::bigint, i.id FROM {schema}.submission s JOIN {schema}.instance i ON i.id = s.owner GROUP BY i.id HAVING count(*) = 10"
        );
        let claims = format!(
            "SELECT sum(s.fence)::bigint, (extract(epoch FROM (SELECT max(at) FROM {schema}.claimed)) * 1000)::float8
             FROM {schema}.submission s WHERE owner IS NOT NULL HAVING count(*) = 10"
        );
        while taken.len() < kills {
            // Somewhere between two heartbeats.
            tokio::time::sleep(Duration::from_millis(lease / 5 + dice.roll(lease))).await;
            let Some(row) = admin.query_opt(&query, &[]).await.unwrap() else { continue };
            let (name, fence, id): (String, i64, i64) = (row.get(0), row.get(1), row.get(2));
            let index = fleet.index(&name);
            let killed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() * 1000.0;
            fleet.kill(index);
            let until =
                format!("SELECT (extract(epoch FROM until) * 1000)::float8 FROM {schema}.instance WHERE id = {id}");
            let until: f64 = admin.query_one(&until, &[]).await.unwrap().get(0);
            let begun = Instant::now();
            let at = loop {
                assert!(begun.elapsed() < WATCHDOG, "nobody takes over");
                if let Some(row) = admin.query_opt(&claims, &[]).await.unwrap()
                    && row.get::<_, i64>(0) > fence
                {
                    break row.get::<_, f64>(1);
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            };
            taken.push(at - killed);
            late.push(at - until);
        }
        let part = |times: &mut Vec<f64>, part: f64| {
            times.sort_by(f64::total_cmp);
            format!("{:.0}", times[((times.len() - 1) as f64 * part).round() as usize])
        };
        let spread = [0.0, 0.1, 0.5, 0.9, 1.0].map(|share| part(&mut taken, share)).join(", ");
        let over = [0.5, 1.0].map(|share| part(&mut late, share)).join(", ");
        lines.push(format!("{lease} | {kills} | {spread} | {over}"));
        drop((fleet, secrets));
        admin.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).await.ok();
        sandbox.stop().await;
    }
    drop(writeln!(std::io::stderr(), "{}", lines.join("\n")));
}
