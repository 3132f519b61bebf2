//! Watches over a service in the same program.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use serde_json::json;

use std::time::Duration;

use super::*;
use crate::{
    graphql::GraphqlOptions,
    operations::{Binding, Deadline, Intent, OperationRef, WatchOptions, store_tests::THING},
    testing::{Fake, QUERIES},
};

static PUSHED: Binding = Binding { pushed_state: Some("/changed/state"), ..THING };

type Set = fn(WatchOptions, Duration) -> WatchOptions;

const AGES: Duration = Duration::from_secs(600);

fn operation(fake: &Fake, options: WatchOptions) -> Operation {
    let platform = fake.builder().no_retry().graphql(GraphqlOptions::new()).build().unwrap();
    let operations = platform.operations().with_binding(&PUSHED).with_options(options);
    let intent: Intent = serde_json::from_value(json!({
        "correlation": "c", "kind": "thing", "deployment": operations.deployment(), "at": 0,
    }))
    .unwrap();
    operations.operation(OperationRef::from_intent(&intent, "17".to_owned()).unwrap()).unwrap()
}

fn shows(state: &str) -> Fake {
    let fake = Fake::new();
    fake.on(QUERIES).answer(&json!({ "data": { "thing": { "state": state } } }).into());
    fake
}

fn hides() -> Fake {
    let fake = Fake::new();
    fake.on(QUERIES).answer(&json!({ "data": { "thing": null } }).into());
    fake
}

/// An instance whose clock is an hour behind has accepted it, and the service does not return it at once. An instance
/// with its lease waits all the same; without a lease, only that time is known.
#[tokio::test]
async fn a_worker_goes_by_no_clock_of_another_instance() {
    for holds in [true, false] {
        let fake = Fake::new();
        let (hidden, visible) =
            (json!({ "data": { "thing": null } }), json!({ "data": { "thing": { "state": "DONE" } } }));
        fake.on(QUERIES).answer(&hidden.clone().into()).answer(&hidden.into()).answer(&visible.into());
        let soon = Duration::from_millis(5);
        let operation = operation(&fake, WatchOptions::new().settle(soon).interval(soon));
        let reference = operation.reference().clone().accepted_before(Duration::from_secs(3600));
        let mut late = Operation::new(operation.operations().clone(), &PUSHED, reference.clone(), None);
        if holds {
            let store = operation.operations().store();
            let intent: Intent = serde_json::from_value(json!({
                "correlation": "c", "kind": "thing", "deployment": reference.deployment(), "at": 0,
            }))
            .unwrap();
            store.intend(&intent).await.unwrap();
            store.accept(&reference).await.unwrap();
            let instance = store.enlist("a test", AGES).await.unwrap();
            let wanted = crate::operations::Wanted::new(reference.deployment(), "thing", 1);
            let lease = store.claim(instance, &[wanted]).await.unwrap().remove(0).lease().clone();
            late = late.under(lease);
        }
        let outcome = late.wait(Deadline::after(AGES)).await;
        assert_eq!(outcome.is_ok_and(|outcome| outcome.is_success()), holds);
    }
}

/// Every option, with the values that callers use for "never" and for "at once".
#[tokio::test(start_paused = true)]
async fn never_is_never_and_at_once_is_no_flood() {
    let set: [(&str, Set); 7] = [
        ("settle", WatchOptions::settle),
        ("safety", WatchOptions::safety),
        ("interval", WatchOptions::interval),
        ("visibility", WatchOptions::visibility),
        ("events", WatchOptions::events),
        ("unknown", WatchOptions::unknown),
        ("reconnect", WatchOptions::reconnect),
    ];
    for time in [Duration::MAX, Duration::from_secs(u64::MAX), Duration::ZERO, Duration::from_nanos(1)] {
        for (name, set) in set {
            for state in ["DONE", "A", "", "ODD"] {
                let fake = if state.is_empty() { hides() } else { shows(state) };
                let operation = operation(&fake, set(WatchOptions::new(), time));
                let waited = operation.wait(Deadline::after(Duration::from_millis(20))).await;
                match (state, name, time.is_zero() || time.subsec_nanos() == 1) {
                    ("DONE", ..) => assert!(waited.unwrap().is_success(), "{name} {time:?}"),
                    (_, _, false) => assert!(!waited.unwrap().is_final(), "{name} {time:?}: it is over at once"),
                    _ => drop(waited),
                }
            }
        }
    }
    let all = set.into_iter().fold(WatchOptions::new(), |options, (_, set)| set(options, Duration::MAX));
    let fake = shows("DONE");
    assert!(operation(&fake, all).wait(Duration::MAX).await.unwrap().is_success());
    let all = set.into_iter().fold(WatchOptions::new(), |options, (_, set)| set(options, Duration::ZERO));
    assert!(operation(&fake, all).wait(Duration::MAX).await.unwrap().is_success());
}
