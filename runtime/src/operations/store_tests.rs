//! One suite over all stores: each test is true of each store. The last is PostgreSQL, if a server is available.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::{collections::BTreeMap, fmt::Debug, sync::Arc, time::Duration};

use super::{
    Binding, HeldOperation, Instance, Intent, Lease, Observation, ObservationSource, OperationRef, OperationState,
    Overview, Standing, States, Status, Store, Wanted, intent::SubmissionKey,
};
use crate::{Error, Value};

/// A limit that only a hang reaches.
const WATCHDOG: Duration = Duration::from_secs(120);

/// A kind of operation whose state is queried.
pub(super) static THING: Binding = Binding {
    kind: "thing",
    path: "/things",
    query: "query ($id: ID!) { thing(id: $id) { state } }",
    state: "/thing/state",
    states: States { pending: &["A"], succeeded: &["DONE"], failed: &["BAD"], cancelled: &[] },
    ..Binding::NONE
};

pub(super) fn intent(correlation: &str, label: Option<&str>) -> Intent {
    Intent {
        correlation: correlation.to_owned(),
        label: label.map(str::to_owned),
        kind: "thing".to_owned(),
        deployment: "here".to_owned(),
        at: 1,
        parameters: BTreeMap::new(),
        key: SubmissionKey::None,
        contents: None,
    }
}

pub(super) fn reference(correlation: &str) -> OperationRef {
    OperationRef::from_intent(&intent(correlation, None), format!("id of {correlation}")).expect("a reference")
}

pub(super) fn seen(at: u64, raw: &str, events: &[&str]) -> Observation {
    let seen = Observation::new(OperationState::Pending, Some(raw.to_owned()), ObservationSource::Query, Value::Null);
    Observation { at, events: events.iter().map(|name| (*name).to_owned()).collect(), ..seen }
}

/// Accepted operations of these names.
pub(super) async fn accepted(store: &dyn Store, names: &[&str]) {
    for name in names {
        store.intend(&intent(name, Some(name))).await.expect("it is kept");
        store.accept(&reference(name)).await.expect("it is accepted");
    }
}

pub(super) fn things(limit: u32) -> [Wanted; 1] {
    [Wanted::new("here", "thing", limit)]
}

async fn claimed(store: &dyn Store, instance: Instance, limit: u32) -> Vec<Lease> {
    let claimed = store.claim(instance, &things(limit)).await.expect("it claims");
    claimed.into_iter().map(|operation| operation.lease().clone()).collect()
}

/// An instance with no end, and one whose time is over.
async fn instance(store: &dyn Store) -> Instance {
    store.enlist("a test", Duration::MAX).await.expect("it enlists")
}

fn is_lost<T: Debug>(outcome: Result<T, Error>) -> bool {
    outcome.is_err_and(|error| error.is_lease_lost())
}

/// One label is one submission, whichever program asks, at any time.
async fn a_label_is_taken_once(store: Arc<dyn Store>) {
    let names: Vec<String> = (0..20).map(|number| format!("submission {number}")).collect();
    let tasks: Vec<_> = names
        .into_iter()
        .map(|name| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.intend(&intent(&name, Some("one"))).await })
        })
        .collect();
    let mut kept = 0;
    for task in tasks {
        match task.await.expect("it does not panic") {
            Ok(()) => kept += 1,
            Err(error) => assert!(error.is_store(), "{error:?}"),
        }
    }
    assert_eq!(kept, 1);
    let mut elsewhere = intent("elsewhere", Some("one"));
    elsewhere.deployment = "there".to_owned();
    store.intend(&elsewhere).await.expect("another deployment has labels of its own");
    for number in 0..2 {
        store
            .intend(&intent(&format!("without {number}"), None))
            .await
            .expect("submissions without a label do not collide");
    }
}

async fn each_operation_has_one_holder(store: Arc<dyn Store>) {
    let names: Vec<String> = (0..40).map(|number| format!("operation {number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    accepted(&*store, &names).await;
    store.intend(&intent("unknown", None)).await.expect("it is kept");
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move {
            let (instance, mut all) = (instance(&*store).await, Vec::new());
            for _ in 0..10 {
                all.extend(claimed(&*store, instance, 3).await);
            }
            assert_eq!(store.leases(instance).await.expect("it says").len(), all.len());
            all
        }));
    }
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await.expect("it does not panic").into_iter().map(|lease| lease.correlation().to_owned()));
    }
    all.sort();
    assert_eq!(all, names, "each once, and none that is not accepted");
}

async fn who_waited_longest_is_first_and_kinds_have_their_places(store: Arc<dyn Store>) {
    for name in ["a", "b", "c"] {
        accepted(&*store, &[name]).await;
        crate::clock::sleep(Duration::from_millis(3)).await;
    }
    let mut other = intent("other", None);
    other.kind = "other".to_owned();
    store.intend(&other).await.expect("it is kept");
    store
        .accept(&OperationRef::from_intent(&other, "1".to_owned()).expect("a reference"))
        .await
        .expect("it is accepted");
    let one = instance(&*store).await;
    let wanted = [Wanted::new("here", "thing", 2), Wanted::new("here", "other", 5), Wanted::new("there", "thing", 5)];
    let operations = store.claim(one, &wanted).await.expect("it claims");
    let mut names: Vec<(&str, &str)> =
        operations.iter().map(|operation| (operation.lease().correlation(), operation.kind())).collect();
    names.sort_unstable();
    assert_eq!(names, [("a", "thing"), ("b", "thing"), ("other", "other")]);
    let first = operations[0].entry().expect("it can be read");
    assert_eq!((first.status(), operations[0].failures()), (Status::Accepted, 0));
    assert_eq!(claimed(&*store, one, 5).await[0].correlation(), "c");
    assert!(claimed(&*store, one, 0).await.is_empty());
}

/// Every write under a lease that is over, however it ended, changes nothing.
async fn nothing_is_written_after_the_fence(store: Arc<dyn Store>) {
    accepted(&*store, &["paused", "given back", "finished", "forgotten"]).await;
    // The first lease that is long enough for a claim on this machine.
    let mut lease = Duration::from_millis(200);
    let (over, mine) = loop {
        let over = store.enlist("paused", lease).await.expect("it enlists");
        let mine = claimed(&*store, over, 1).await;
        if mine.len() == 1 {
            break (over, mine);
        }
        assert!(lease < WATCHDOG, "a lease that is not over claims one");
        lease *= 2;
    };
    // By the clock of the store, its time ends.
    while store.renew(over, Duration::ZERO).await.expect("it says") {}
    assert!(!store.renew(over, Duration::MAX).await.expect("it says"), "what is over stays over");
    // No other instance has taken over yet.
    let name = mine[0].correlation();
    let before = result_of(store.entry(name).await);
    assert!(is_lost(store.observe(name, &seen(9, "late", &["late"]), Some(&mine[0])).await), "observe");
    assert!(is_lost(store.finish(name, "failed", Some(&mine[0])).await), "finish");
    assert!(is_lost(store.put_back(&mine[0], Duration::ZERO, Some("late")).await), "put back");
    assert_eq!(result_of(store.entry(name).await), before);

    let two = instance(&*store).await;
    let theirs = claimed(&*store, two, 9).await;
    let again = theirs.iter().find(|lease| lease.correlation() == mine[0].correlation()).expect("it is taken over");
    assert!(again.fence() > mine[0].fence());
    assert_eq!(theirs.len(), 4);
    let lease = |name: &str| theirs.iter().find(|lease| lease.correlation() == name).cloned();
    let given = lease("given back").or_else(|| lease("paused")).expect("a lease");
    store.put_back(&given, Duration::MAX, None).await.expect("it is given back");
    let ended = lease("finished").expect("a lease");
    assert!(store.finish(ended.correlation(), "succeeded", None).await.expect("somebody finishes it"));
    let gone = lease("forgotten").expect("a lease");
    let entry = store.entry("forgotten").await.expect("it says").expect("an entry");
    assert!(store.forget("forgotten", entry.revision()).await.expect("somebody forgets it"));

    assert!(is_lost(store.claim(over, &things(1)).await), "claim");
    for lease in [&mine[0], &given, &ended, &gone] {
        let name = lease.correlation();
        let before = result_of(store.entry(name).await);
        assert!(is_lost(store.observe(name, &seen(9, "late", &["late"]), Some(lease)).await), "observe {name}");
        assert!(is_lost(store.finish(name, "failed", Some(lease)).await), "finish {name}");
        assert!(is_lost(store.put_back(lease, Duration::ZERO, Some("late")).await), "put back {name}");
        assert_eq!(result_of(store.entry(name).await), before);
    }
    assert!(store.leases(over).await.expect("it says").is_empty());
    assert!(store.overview("here").await.expect("it says").failing.is_empty());
}

/// The instance that had it claims it again: its earlier lease is over all the same.
async fn a_lease_of_before_is_over_for_its_own_instance_too(store: Arc<dyn Store>) {
    accepted(&*store, &["one"]).await;
    let instance = instance(&*store).await;
    let before = claimed(&*store, instance, 1).await.remove(0);
    store.put_back(&before, Duration::ZERO, None).await.expect("it is given back");
    let again = claimed(&*store, instance, 1).await.remove(0);
    assert!(is_lost(store.observe("one", &seen(1, "late", &[]), Some(&before)).await));
    assert!(is_lost(store.finish("one", "failed", Some(&before)).await));
    store.observe("one", &seen(1, "now", &[]), Some(&again)).await.expect("this one holds");
    assert!(store.finish("one", "succeeded", Some(&again)).await.expect("this one holds"));
    // The response may have been lost: a repetition under the same lease gets `true` again, and no other caller.
    assert!(store.finish("one", "succeeded", Some(&again)).await.expect("it did"));
    assert!(is_lost(store.finish("one", "failed", Some(&before)).await));
    assert!(!store.finish("one", "failed", None).await.expect("it is finished"));
    assert!(claimed(&*store, instance, 1).await.is_empty(), "what is finished is not given");
}

async fn what_is_given_back_comes_again_in_its_time(store: Arc<dyn Store>) {
    accepted(&*store, &["soon", "never", "left"]).await;
    let one = instance(&*store).await;
    for lease in claimed(&*store, one, 3).await {
        match lease.correlation() {
            "soon" => store.put_back(&lease, Duration::ZERO, Some("it \u{0} broke")).await.expect("it is given back"),
            "never" => store.put_back(&lease, Duration::MAX, Some("it broke")).await.expect("it is given back"),
            _ => {}
        }
    }
    let again = store.claim(one, &things(9)).await.expect("it claims");
    assert_eq!(again.iter().map(|operation| operation.lease().correlation()).collect::<Vec<_>>(), ["soon"]);
    assert_eq!(again[0].failures(), 1);
    let overview = store.overview("here").await.expect("it says");
    let stand = |standing| overview.count(standing);
    assert_eq!((stand(Standing::Held), stand(Standing::Delayed), stand(Standing::Waiting)), (2, 1, 0), "{overview:?}");
    let mut failing: Vec<_> =
        overview.failing.iter().map(|failing| (failing.label.as_deref(), failing.failures)).collect();
    failing.sort_unstable();
    assert_eq!(failing, [(Some("never"), 1), (Some("soon"), 1)]);
    assert_eq!(overview.owners.iter().map(|owner| (owner.alive, owner.leases)).collect::<Vec<_>>(), [(true, 2)]);
    store.leave(one).await.expect("it leaves");
    store.leave(one).await.expect("it has left");
    let overview = store.overview("here").await.expect("it says");
    assert_eq!((overview.count(Standing::Waiting), overview.owners.len()), (2, 0));
    assert!(is_lost(store.claim(one, &things(1)).await));
    assert_eq!(claimed(&*store, instance(&*store).await, 9).await.len(), 2);
}

/// An operation that is put back waits behind those that wait already, and before later ones: none is passed over for
/// ever.
async fn what_is_given_back_waits_in_its_turn(store: Arc<dyn Store>) {
    accepted(&*store, &["a", "b"]).await;
    let one = instance(&*store).await;
    let first = claimed(&*store, one, 1).await.remove(0);
    crate::clock::sleep(Duration::from_millis(3)).await;
    store.put_back(&first, Duration::ZERO, None).await.expect("it is given back");
    crate::clock::sleep(Duration::from_millis(3)).await;
    accepted(&*store, &["c"]).await;
    let mut order = Vec::new();
    for _ in 0..3 {
        order.extend(claimed(&*store, one, 1).await.into_iter().map(|lease| lease.correlation().to_owned()));
    }
    assert_eq!(order, ["b", "a", "c"]);
}

/// An operation that is given up has no lease, is listed, and stays until it is retried or forgotten.
async fn what_is_given_up_stays_until_somebody_retries_it(store: Arc<dyn Store>) {
    accepted(&*store, &["failed", "held", "waiting", "other"]).await;
    store.intend(&intent("unknown", None)).await.expect("it is kept");
    let one = instance(&*store).await;
    let leases = claimed(&*store, one, 9).await;
    let lease = |name: &str| leases.iter().find(|lease| lease.correlation() == name).cloned().expect("a lease");
    let failed = lease("failed");
    store.put_back(&lease("waiting"), Duration::MAX, Some("it broke")).await.expect("it is given back");
    let discard = async |name, lease| store.discard(name, "it \u{0} broke", lease).await;
    for _ in 0..2 {
        assert!(discard("failed", Some(&failed)).await.expect("it is given up, also when the answer was lost"));
    }
    for name in ["held", "waiting"] {
        assert!(discard(name, None).await.expect("an operator gives it up"));
    }
    for name in ["held", "failed", "unknown"] {
        assert!(!discard(name, None).await.expect("it is not open"), "{name}");
    }
    assert_eq!(discard("nobody", None).await.expect_err("it is not there").code(), "store");
    assert_eq!(store.retry("nobody").await.expect_err("it is not there").code(), "store");
    // The instance that had the lease can no longer write.
    let leased = lease("held");
    assert!(is_lost(store.observe("held", &seen(9, "late", &[]), Some(&leased)).await), "observe");
    assert!(is_lost(store.finish("held", "succeeded", Some(&leased)).await), "finish");
    assert!(is_lost(discard("held", Some(&leased)).await), "discard");
    assert!(is_lost(store.finish("failed", "succeeded", Some(&failed)).await), "finish what was given up");
    let overview = store.overview("here").await.expect("it says");
    assert_eq!(overview.count(Standing::Discarded), 3, "{overview:?}");
    let mut listed: Vec<_> = overview.discarded.iter().map(|one| (one.correlation.as_str(), one.failures)).collect();
    listed.sort_unstable();
    assert_eq!(listed, [("failed", 1), ("held", 0), ("waiting", 1)]);
    assert!(overview.failing.is_empty(), "{overview:?}");
    assert!(store.overview("there").await.expect("it says").discarded.is_empty());
    // It is neither open nor finished, whatever was waited for; its label is taken.
    let unfinished = store.unfinished("here").await.expect("it says").all().expect("all");
    let open: Vec<&str> = unfinished.iter().map(|entry| entry.intent().correlation()).collect();
    assert_eq!(open, ["other", "unknown"]);
    assert_eq!(store.purge("here", Duration::ZERO, 9).await.expect("it purges"), 0);
    let entry = store.labelled("here", "held").await.expect("it says").expect("an entry");
    assert_eq!(entry.status(), Status::Discarded);
    assert!(claimed(&*store, one, 9).await.is_empty(), "nobody is given it");

    assert!(store.retry("held").await.expect("it is due again"));
    assert!(!store.forget("held", entry.revision()).await.expect("it says"), "it was retried since it was read");
    assert!(store.retry("failed").await.expect("it is due again"));
    for name in ["other", "unknown"] {
        assert!(!store.retry(name).await.expect("it says"), "{name} is held, or was never accepted");
    }
    assert!(is_lost(store.finish("failed", "succeeded", Some(&failed)).await), "its lease of before is over");
    let again = store.claim(one, &things(9)).await.expect("it claims");
    let mut names: Vec<_> =
        again.iter().map(|operation| (operation.lease().correlation(), operation.failures())).collect();
    names.sort_unstable();
    assert_eq!(names, [("failed", 0), ("held", 0)]);
    assert!(store.overview("here").await.expect("it says").failing.is_empty(), "its failures are forgotten");
    // A program that waited for it without a lease finishes it.
    assert!(store.finish("waiting", "succeeded", None).await.expect("it is finished"));
    assert!(!store.retry("waiting").await.expect("it is done with"));
    assert_eq!(store.overview("here").await.expect("it says").count(Standing::Discarded), 0);
    assert_eq!(store.purge("here", Duration::ZERO, 9).await.expect("it purges"), 1);
}

/// A failure whose pause is not over is retried at once, and the time of the operation begins again.
async fn what_is_retried_has_its_whole_time(store: Arc<dyn Store>) {
    accepted(&*store, &["one"]).await;
    let one = instance(&*store).await;
    crate::clock::sleep(Duration::from_millis(200)).await;
    let claimed = store.claim(one, &things(1)).await.expect("it claims").remove(0);
    assert!(claimed.age() >= Duration::from_millis(200), "{:?}", claimed.age());
    store.put_back(claimed.lease(), Duration::MAX, Some("it broke")).await.expect("it is given back");
    let wake = store.wake();
    assert!(store.retry("one").await.expect("it is due at once"));
    crate::clock::limit(WATCHDOG, wake).await.expect("who waits is woken");
    let begun = std::time::Instant::now();
    let again = store.claim(one, &things(1)).await.expect("it claims").remove(0);
    // On a slow machine the claim itself takes time.
    assert!(again.age() < claimed.age() + begun.elapsed() && again.failures() == 0, "{again:?}");
}

async fn an_instance_says_how_long_its_leases_hold(store: Arc<dyn Store>) {
    let length = async || store.overview("here").await.expect("it says").owners[0].lease;
    let one = store.enlist("a test", Duration::from_secs(600)).await.expect("it enlists");
    assert_eq!(length().await, Some(Duration::from_secs(600)));
    assert!(store.renew(one, Duration::from_millis(1_200_500)).await.expect("it is renewed"));
    assert_eq!(length().await, Some(Duration::from_millis(1_200_500)));
}

async fn what_is_paused_is_given_to_nobody(store: Arc<dyn Store>) {
    accepted(&*store, &["a", "b"]).await;
    let one = instance(&*store).await;
    let wanted = [Wanted::new("here", "thing", 1), Wanted::new("here", "other", 9), Wanted::new("there", "thing", 9)];
    let demand = async || -> Vec<(u32, bool)> {
        let demand = store.demand(&wanted).await.expect("it says");
        demand.iter().map(|demand| (demand.due, demand.paused)).collect()
    };
    assert_eq!(demand().await, [(1, false), (0, false), (0, false)]);
    for _ in 0..2 {
        store.pause("here", "thing", true).await.expect("it is paused");
    }
    assert_eq!(demand().await, [(0, true), (0, false), (0, false)]);
    assert!(claimed(&*store, one, 9).await.is_empty());
    assert_eq!(store.overview("here").await.expect("it says").paused, ["thing"]);
    assert!(store.overview("there").await.expect("it says").paused.is_empty());
    let wake = store.wake();
    for _ in 0..2 {
        store.pause("here", "thing", false).await.expect("it goes on");
    }
    crate::clock::limit(WATCHDOG, wake).await.expect("who waits is woken");
    assert!(store.overview("here").await.expect("it says").paused.is_empty());
    assert_eq!(claimed(&*store, one, 9).await.len(), 2);
    assert_eq!(demand().await, [(0, false), (0, false), (0, false)], "what is held is not due");
}

/// Each event once, each state once with the time of its last observation, and all events with the last observation.
async fn observations_say_what_is_new(store: Arc<dyn Store>) {
    accepted(&*store, &["one"]).await;
    let looks = [
        (1, "A", &["x"][..], 1, 1),
        (2, "A", &["x"], 2, 1),
        (3, "A", &["x", "y"], 3, 2),
        (4, "B", &["y"], 4, 2),
        (5, "B", &[], 5, 2),
        (6, "A", &["x", "y"], 6, 2),
    ];
    for (at, raw, events, last, known) in looks {
        store.observe("one", &seen(at, raw, events), None).await.expect("it is kept");
        let entry = store.entry("one").await.expect("it says").expect("an entry");
        let kept = entry.last().expect("an observation");
        assert_eq!((kept.at, kept.raw_state(), kept.events().len()), (last, Some(raw), known));
    }
    store.observe("nobody", &seen(1, "A", &[]), None).await.expect("it is dropped");
    assert!(store.entry("nobody").await.expect("it says").is_none());
}

async fn what_was_finished_long_ago_is_forgotten(store: Arc<dyn Store>) {
    accepted(&*store, &["a", "b", "c", "open"]).await;
    store.observe("a", &seen(1, "A", &["x"]), None).await.expect("it is kept");
    for name in ["a", "b", "c"] {
        store.finish(name, "succeeded", None).await.expect("it is finished");
    }
    let purge = async |deployment, age, limit| store.purge(deployment, age, limit).await.expect("it purges");
    assert_eq!(purge("here", Duration::MAX, 9).await, 0);
    assert_eq!(purge("here", Duration::from_secs(3600), 9).await, 0);
    assert_eq!(purge("there", Duration::ZERO, 9).await, 0);
    assert_eq!(purge("here", Duration::ZERO, 2).await, 2);
    assert_eq!(purge("here", Duration::ZERO, 9).await, 1);
    assert!(store.labelled("here", "a").await.expect("it says").is_none());
    store.intend(&intent("a", Some("a"))).await.expect("the label is free");
    assert!(store.entry("a").await.expect("it says").expect("an entry").last().is_none());
    assert!(store.entry("open").await.expect("it says").is_some());
}

async fn who_waits_is_woken(store: Arc<dyn Store>) {
    accepted(&*store, &["first"]).await;
    let instance = instance(&*store).await;
    let lease = claimed(&*store, instance, 1).await.remove(0);
    // A store on another machine needs time to listen: then the first wake ends at once.
    let _first = crate::clock::limit(Duration::from_millis(200), store.wake()).await;
    let wake = store.wake();
    accepted(&*store, &["second"]).await;
    crate::clock::limit(WATCHDOG, wake).await.expect("an acceptance wakes");
    let wake = store.wake();
    store.put_back(&lease, Duration::ZERO, None).await.expect("it is given back");
    crate::clock::limit(WATCHDOG, wake).await.expect("what is given back wakes");
    assert_eq!(claimed(&*store, instance, 1).await.len(), 1);
    let wake = store.wake();
    store.leave(instance).await.expect("it leaves");
    crate::clock::limit(WATCHDOG, wake).await.expect("who leaves wakes");
}

/// A store that forwards every step to one that a test knows, too.
macro_rules! forward {
    ($name:ident) => {
        impl $crate::operations::Store for $name {
            $crate::operations::store_tests::forward! { @all self self.0 }
        }
    };
    (@all $self:ident $store:expr) => {
        $crate::operations::store_tests::forward! { @submissions $self $store }
        $crate::operations::store_tests::forward! { @rest $self $store }
    };
    (@submissions $self:ident $store:expr) => {
        fn intend<'a>(&'a $self, intent: &'a $crate::operations::Intent) -> $crate::operations::StoreFuture<'a, ()> {
            $store.intend(intent)
        }
        fn begin<'a>(&'a $self, correlation: &'a str) -> $crate::operations::StoreFuture<'a, u64> {
            $store.begin(correlation)
        }
        fn withdraw<'a>(&'a $self, correlation: &'a str, attempt: u64) -> $crate::operations::StoreFuture<'a, bool> {
            $store.withdraw(correlation, attempt)
        }
        fn accept<'a>(&'a $self, reference: &'a $crate::operations::OperationRef) -> $crate::operations::StoreFuture<'a, ()> {
            $store.accept(reference)
        }
        fn entry<'a>(
            &'a $self,
            correlation: &'a str,
        ) -> $crate::operations::StoreFuture<'a, Option<$crate::operations::Entry>> {
            $store.entry(correlation)
        }
        fn labelled<'a>(
            &'a $self,
            deployment: &'a str,
            label: &'a str,
        ) -> $crate::operations::StoreFuture<'a, Option<$crate::operations::Entry>> {
            $store.labelled(deployment, label)
        }
    };
    (@rest $self:ident $store:expr) => {
        $crate::operations::store_tests::forward! { @entries $self $store }
        $crate::operations::store_tests::forward! { @instances $self $store }
        $crate::operations::store_tests::forward! { @leases $self $store }
    };
    (@entries $self:ident $store:expr) => {
        fn forget<'a>(&'a $self, correlation: &'a str, revision: u64) -> $crate::operations::StoreFuture<'a, bool> {
            $store.forget(correlation, revision)
        }
        fn observe<'a>(
            &'a $self,
            correlation: &'a str,
            observation: &'a $crate::operations::Observation,
            lease: Option<&'a $crate::operations::Lease>,
        ) -> $crate::operations::StoreFuture<'a, ()> {
            $store.observe(correlation, observation, lease)
        }
        fn finish<'a>(
            &'a $self,
            correlation: &'a str,
            outcome: &'a str,
            lease: Option<&'a $crate::operations::Lease>,
        ) -> $crate::operations::StoreFuture<'a, bool> {
            $store.finish(correlation, outcome, lease)
        }
        fn unfinished<'a>(
            &'a $self,
            deployment: &'a str,
        ) -> $crate::operations::StoreFuture<'a, $crate::operations::Unfinished> {
            $store.unfinished(deployment)
        }
    };
    (@instances $self:ident $store:expr) => {
        fn enlist<'a>(
            &'a $self,
            name: &'a str,
            lease: std::time::Duration,
        ) -> $crate::operations::StoreFuture<'a, $crate::operations::Instance> {
            $store.enlist(name, lease)
        }
        fn renew(
            &$self,
            instance: $crate::operations::Instance,
            lease: std::time::Duration,
        ) -> $crate::operations::StoreFuture<'_, bool> {
            $store.renew(instance, lease)
        }
    };
    (@leases $self:ident $store:expr) => {
        fn claim<'a>(
            &'a $self,
            instance: $crate::operations::Instance,
            wanted: &'a [$crate::operations::Wanted],
        ) -> $crate::operations::StoreFuture<'a, Vec<$crate::operations::HeldOperation>> {
            $store.claim(instance, wanted)
        }
        fn leases(
            &$self,
            instance: $crate::operations::Instance,
        ) -> $crate::operations::StoreFuture<'_, Vec<$crate::operations::Lease>> {
            $store.leases(instance)
        }
        fn put_back<'a>(
            &'a $self,
            lease: &'a $crate::operations::Lease,
            after: std::time::Duration,
            failure: Option<&'a str>,
        ) -> $crate::operations::StoreFuture<'a, ()> {
            $store.put_back(lease, after, failure)
        }
        fn discard<'a>(
            &'a $self,
            correlation: &'a str,
            reason: &'a str,
            lease: Option<&'a $crate::operations::Lease>,
        ) -> $crate::operations::StoreFuture<'a, bool> {
            $store.discard(correlation, reason, lease)
        }
        fn retry<'a>(&'a $self, correlation: &'a str) -> $crate::operations::StoreFuture<'a, bool> {
            $store.retry(correlation)
        }
        fn pause<'a>(
            &'a $self,
            deployment: &'a str,
            kind: &'a str,
            paused: bool,
        ) -> $crate::operations::StoreFuture<'a, ()> {
            $store.pause(deployment, kind, paused)
        }
        fn demand<'a>(
            &'a $self,
            wanted: &'a [$crate::operations::Wanted],
        ) -> $crate::operations::StoreFuture<'a, Vec<$crate::operations::Demand>> {
            $store.demand(wanted)
        }
        fn leave(&$self, instance: $crate::operations::Instance) -> $crate::operations::StoreFuture<'_, ()> {
            $store.leave(instance)
        }
        fn wake(&$self) -> $crate::operations::WakeFuture<'_> {
            $store.wake()
        }
        fn purge<'a>(
            &'a $self,
            deployment: &'a str,
            age: std::time::Duration,
            limit: u32,
        ) -> $crate::operations::StoreFuture<'a, u64> {
            $store.purge(deployment, age, limit)
        }
        fn overview<'a>(
            &'a $self,
            deployment: &'a str,
        ) -> $crate::operations::StoreFuture<'a, $crate::operations::Overview> {
            $store.overview(deployment)
        }
    };
}
pub(super) use forward;

/// The result of a step, in a form that does not depend on the store.
fn result_of<T: Debug>(outcome: Result<T, Error>) -> String {
    outcome.map_or_else(|error| format!("{}: {error}", error.code()), |value| format!("{value:?}"))
}

fn given(outcome: Result<Vec<HeldOperation>, Error>, leases: &mut Vec<Lease>) -> String {
    result_of(outcome.map(|mut operations| {
        operations.sort_by_key(|operation| operation.lease().correlation().to_owned());
        leases.extend(operations.iter().map(|operation| operation.lease().clone()));
        operations.into_iter().map(|operation| operation.with_age(Duration::ZERO)).collect::<Vec<_>>()
    }))
}

fn overview_of(overview: Result<Overview, Error>) -> String {
    result_of(overview.map(|mut overview| {
        overview.counts.iter_mut().for_each(|count| count.oldest = None);
        overview.failing.sort_by_key(|failing| failing.correlation.clone());
        overview.discarded.sort_by_key(|discarded| discarded.correlation.clone());
        overview.owners.iter_mut().for_each(|owner| owner.lease = None);
        overview
    }))
}

/// The history of a sequence of steps.
#[derive(Default)]
struct Past {
    instances: Vec<Instance>,
    leases: Vec<Lease>,
}

/// One of the steps of a store, by number, followed by a dump of the store.
async fn step(store: &dyn Store, number: u64, references: &[OperationRef], past: &mut Past) -> String {
    let correlation = ["one", "two"][(number & 1) as usize];
    let small = number >> 1 & 3;
    let lease = past.leases.iter().rev().nth((number >> 7 & 1) as usize).cloned();
    let instance = past.instances.iter().rev().nth((number >> 8 & 1) as usize).copied();
    let look = seen(small, &format!("{small}"), &["x", "y"][..(number >> 9 & 1) as usize + 1]);
    let came = match (number >> 3 & 15, lease, instance) {
        (6, lease, _) if number >> 10 & 1 == 1 => {
            let lease = lease.filter(|_| small > 1);
            let name = lease.as_ref().map_or(correlation, Lease::correlation);
            result_of(store.discard(name, "it is enough", lease.as_ref()).await)
        }
        (10, ..) if small == 3 => result_of(store.retry(correlation).await),
        (15, ..) if small == 3 => result_of(store.pause("here", "thing", number >> 10 & 1 == 1).await),
        (15, ..) if small == 2 => result_of(store.demand(&things(9)).await),
        (0, ..) => result_of(store.intend(&intent(correlation, (small > 0).then_some("label"))).await),
        (1, ..) => result_of(store.begin(correlation).await),
        (2, ..) => result_of(store.withdraw(correlation, small).await),
        (3 | 4, ..) => result_of(store.accept(&references[(number & 3) as usize]).await),
        (5, ..) if small == 3 => result_of(store.finish(correlation, "succeeded", None).await),
        (5, ..) => result_of(store.forget(correlation, small).await),
        (6, ..) => result_of(store.observe(correlation, &look, None).await),
        (7, ..) | (_, _, None) => {
            let instance = store.enlist("a test", if small == 3 { Duration::ZERO } else { Duration::MAX }).await;
            past.instances.extend(instance.as_ref().ok());
            result_of(instance)
        }
        (8..=10, _, Some(instance)) => given(store.claim(instance, &things(9)).await, &mut past.leases),
        (11, _, Some(instance)) if small == 0 => result_of(store.leave(instance).await),
        (11, _, Some(instance)) if small == 1 => result_of(store.renew(instance, Duration::ZERO).await),
        (11, _, Some(instance)) => result_of(store.renew(instance, Duration::MAX).await),
        (12, Some(lease), _) => result_of(store.observe(lease.correlation(), &look, Some(&lease)).await),
        (13, Some(lease), _) => result_of(store.finish(lease.correlation(), "failed", Some(&lease)).await),
        (14, Some(lease), _) => {
            let after = if small == 3 { Duration::MAX } else { Duration::ZERO };
            result_of(store.put_back(&lease, after, (small > 1).then_some("it broke")).await)
        }
        (_, _, Some(instance)) => result_of(store.leases(instance).await),
    };
    let (one, two) = (store.entry("one").await, store.entry("two").await);
    let rest = (store.labelled("here", "label").await, store.unfinished("here").await);
    let overview = overview_of(store.overview("here").await);
    format!("{came} {} {} {} {} {overview}", result_of(one), result_of(two), result_of(rest.0), result_of(rest.1))
}

/// The exhaustive tests of submitting run with the store in memory: each other one behaves the same, step by step.
pub(super) async fn does_as_memory_does<S: Store>(rounds: u32, mut fresh: impl AsyncFnMut() -> Arc<S>) {
    let reference = |correlation, id: &str| OperationRef::from_intent(&intent(correlation, None), id.to_owned());
    let references = [reference("one", "1"), reference("two", "2"), reference("one", "3"), reference("two", "2")]
        .map(|reference| reference.expect("a reference"));
    let mut number: u64 = 17;
    let mut leased = 0;
    for round in 0..rounds {
        let (memory, other) = (super::MemoryStore::new(), fresh().await);
        let (mut expected_past, mut past) = (Past::default(), Past::default());
        let mut story = String::new();
        if round % 3 > 0 {
            // Most sequences would claim nothing by themselves.
            for (store, past) in [(&memory as &dyn Store, &mut expected_past), (&*other as &dyn Store, &mut past)] {
                for (name, reference) in ["one", "two"].into_iter().zip(&references) {
                    store.intend(&intent(name, Some(name))).await.expect("it is kept");
                    store.accept(reference).await.expect("it is accepted");
                }
                past.instances.push(instance(store).await);
            }
        }
        for _ in 0..20 {
            // A deterministic generator, after Knuth.
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let choice = number >> 40;
            let expected = step(&memory, choice, &references, &mut expected_past).await;
            story = format!("{story}\n{choice} {expected}");
            assert_eq!(step(&*other, choice, &references, &mut past).await, expected, "round {round}: {story}");
        }
        leased += past.leases.len();
    }
    assert!(leased > rounds as usize / 2, "{leased} leases in {rounds} rounds are too few to learn from");
}

/// The suite, for the store that `open` returns, if any.
macro_rules! suite {
    ($open:expr, $($test:ident)*) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                if let Some((store, _guard)) = $open.await {
                    super::$test(store).await;
                }
            }
        )*
    };
}

macro_rules! tests {
    ($open:expr) => {
        suite! { $open,
            a_label_is_taken_once
            each_operation_has_one_holder
            who_waited_longest_is_first_and_kinds_have_their_places
            nothing_is_written_after_the_fence
            a_lease_of_before_is_over_for_its_own_instance_too
            what_is_given_back_comes_again_in_its_time
            what_is_given_back_waits_in_its_turn
            what_is_given_up_stays_until_somebody_retries_it
            what_is_retried_has_its_whole_time
            what_is_paused_is_given_to_nobody
            an_instance_says_how_long_its_leases_hold
            observations_say_what_is_new
            what_was_finished_long_ago_is_forgotten
            who_waits_is_woken
        }
    };
}

mod memory {
    use super::*;

    async fn open() -> Option<(Arc<dyn Store>, ())> {
        Some((Arc::new(crate::operations::MemoryStore::new()), ()))
    }

    tests!(open());
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use super::*;
    use crate::operations::SqliteStore;

    async fn open() -> Option<(Arc<dyn Store>, tempfile::TempDir)> {
        let folder = tempfile::tempdir().expect("a folder");
        Some((Arc::new(SqliteStore::open(folder.path().join("store")).expect("a store")), folder))
    }

    tests!(open());

    async fn opened() -> Arc<SqliteStore> {
        Arc::new(SqliteStore::open(":memory:").expect("a store"))
    }

    #[tokio::test]
    async fn it_does_as_memory_does() {
        does_as_memory_does(40, opened).await;
    }

    #[tokio::test]
    #[ignore = "7 s: .ci/run --all runs it"]
    async fn it_does_as_memory_does_in_more_rounds() {
        does_as_memory_does(200, opened).await;
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::*;
    use crate::operations::postgres::tests::{Server, Shared};

    async fn open() -> Option<(Arc<dyn Store>, Shared)> {
        let server = Server::shared().await?;
        Some((Arc::new(server.store("suite").await), server))
    }

    tests!(open());

    #[tokio::test(flavor = "multi_thread")]
    async fn it_does_as_memory_does() {
        let Some(server) = Server::shared().await else { return };
        let mut round = 0;
        does_as_memory_does(16, async || {
            round += 1;
            Arc::new(server.store(&format!("model_{round}")).await)
        })
        .await;
    }
}
