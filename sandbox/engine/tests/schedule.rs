//! Work that the clock drives, against the simple way: a model that looks at all items.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::behaviour::start;
use super::{body, client, send};

/// A pet as the simple way has it: each pass looks at all of them.
#[derive(Clone, Debug, Default)]
struct Pet {
    /// The states of its two works, by their indices.
    states: [Option<usize>; 2],
    /// The work and the state that the clock takes further, and the moment at which it began.
    timer: Option<(usize, usize, i64)>,
}

const WORKS: [(&[&str], i64); 2] = [(&["new", "washing", "clean"], 1000), (&["x", "y", "z"], 700)];

impl Pet {
    fn settle(&mut self, now: i64) {
        let goes_on = |work: usize| self.states[work].is_some_and(|state| state + 1 < WORKS[work].0.len());
        let Some(work) = (0..2).find(|work| goes_on(*work)) else { return self.timer = None };
        let (names, milliseconds) = WORKS[work];
        let mut state = self.states[work].unwrap();
        let before = self.timer.filter(|(other, index, _)| (*other, *index) == (work, state));
        let mut since = before.map_or(now, |(_, _, since)| since);
        while state + 1 < names.len() && now - since >= milliseconds {
            (state, since) = (state + 1, since + milliseconds);
        }
        self.states[work] = Some(state);
        self.timer = (state + 1 < names.len()).then_some((work, state, since));
    }

    fn members(&self, id: i64) -> Value {
        let name = |work: usize| self.states[work].map(|state| WORKS[work].0[state]);
        let mut members = json!({ "id": id, "name": "Rex" });
        for (work, member) in ["state", "tag"].into_iter().enumerate() {
            name(work).into_iter().for_each(|name| members[member] = json!(name));
        }
        members
    }
}

/// Catches timers that a change, a removal, a reset, a restored state or a clock that is set back leaves behind, or loses.
#[tokio::test]
async fn the_schedule_of_work_does_as_a_look_at_all_items() {
    let work = |operation: &str, member: &str, (states, milliseconds): (&[&str], i64)| {
        format!(
            "[[work]]\noperation = '{operation}'\nmember = '{member}'\nstates = {states:?}\nmilliseconds = {milliseconds}\n"
        )
    };
    let behaviour = [
        "[[collection]]\npath = '/pets'\nseeds = [{ id = 1, name = 'Rex', state = 'new', tag = 'z' }]\n".to_owned(),
        work("POST /pets", "state", WORKS[0]),
        work("POST /pets/{petId}/wash", "tag", WORKS[1]),
    ];
    let sandbox = start(&behaviour.concat()).await.unwrap();
    let seeds = BTreeMap::from([(1, Pet { states: [Some(0), Some(2)], timer: None })]);
    sandbox.clock().hold();
    sandbox.clock().set_milliseconds(1_000_000);
    let (mut pets, mut saved) = (seeds.clone(), None);
    let mut random = 7_u64;
    let mut below = |most: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % most
    };
    let control = async |method: Method, path: &str, sent: Value| {
        let answer = client().request(method, format!("{}/sandbox/{path}", sandbox.origin())).json(&sent).send();
        answer.await.unwrap()
    };
    let settle = |pets: &mut BTreeMap<i64, Pet>, now: i64| {
        (0..4).for_each(|_| pets.values_mut().for_each(|pet| pet.settle(now)));
    };
    let mut used = BTreeSet::new();
    for step in 0..600 {
        let now = sandbox.clock().now();
        settle(&mut pets, now);
        let id = pets.keys().nth(below(8) as usize % pets.len().max(1)).copied();
        let drawn = [(below(4) as usize).checked_sub(1), (below(4) as usize).checked_sub(1)];
        let kind = if pets.len() < 2 { 0 } else { below(20) };
        used.insert(kind);
        match (kind, id) {
            (0..=3, _) => {
                let pet = Pet { states: [Some(0), drawn[1]], timer: None };
                let created = body(send(&sandbox, Method::POST, "/pets", Some(pet.members(0))).await).await;
                pets.insert(created["id"].as_i64().unwrap(), pet);
            }
            (4..=6, Some(id)) => {
                assert_eq!(send(&sandbox, Method::POST, &format!("/pets/{id}/wash"), None).await.status(), 202);
                let pet = pets.get_mut(&id).unwrap();
                (pet.states[1], pet.timer) = (Some(0), None);
            }
            (7..=9, Some(id)) => {
                let pet = pets.get_mut(&id).unwrap();
                pet.states = drawn;
                let sent = Some(pet.members(id));
                assert_eq!(send(&sandbox, Method::PUT, &format!("/pets/{id}"), sent).await.status(), 200);
            }
            (10, Some(id)) => {
                let pet = pets.get_mut(&id).unwrap();
                pet.states = drawn;
                let sent = pet.members(id);
                assert_eq!(control(Method::PUT, &format!("item?address=/v1/pets/{id}"), sent).await.status(), 200);
            }
            (11, Some(id)) => {
                assert_eq!(send(&sandbox, Method::DELETE, &format!("/pets/{id}"), None).await.status(), 204);
                pets.remove(&id);
            }
            (12, Some(id)) => {
                let path = format!("item?address=/v1/pets/{id}");
                assert_eq!(control(Method::DELETE, &path, json!({})).await.status(), 204);
                pets.remove(&id);
                // The same item again, before anybody has looked at the collection.
                let pet = Pet { states: drawn, timer: None };
                let sent = json!({ "collection": "/v1/pets", "key": id.to_string(), "fields": pet.members(id) });
                assert_eq!(control(Method::POST, "items", sent).await.status(), 201);
                pets.insert(id, pet);
            }
            (13, _) => {
                let snapshot = body(control(Method::GET, "snapshot", json!({})).await).await;
                saved = Some((snapshot, pets.clone()));
            }
            (14, _) if step % 3 == 0 => {
                let Some((snapshot, then)) = &saved else { continue };
                assert_eq!(control(Method::PUT, "snapshot", snapshot.clone()).await.status(), 204);
                pets = then.clone();
                pets.values_mut().for_each(|pet| pet.timer = None);
            }
            (15, _) if step % 7 == 0 => {
                assert_eq!(control(Method::POST, "reset", json!({ "only": ["state"] })).await.status(), 204);
                pets = seeds.clone();
            }
            (16, _) => sandbox.clock().set_milliseconds(now - below(3_000) as i64),
            _ => sandbox.clock().advance(Duration::from_millis([1, 300, 699, 700, 1_000, 5_000][below(6) as usize])),
        }
        let end = sandbox.clock().now();
        settle(&mut pets, end);
        // Work that begins with the end of other work begins with the next look.
        send(&sandbox, Method::GET, "/pets", None).await;
        let listed = body(send(&sandbox, Method::GET, "/pets", None).await).await;
        let mut listed: Vec<Value> = listed.as_array().unwrap().clone();
        listed.sort_by_key(|pet| pet["id"].as_i64());
        let expected: Vec<Value> = pets.iter().map(|(id, pet)| pet.members(*id)).collect();
        assert_eq!(json!(listed), json!(expected), "step {step}, kind {kind}");
    }
    assert!(used.len() > 15, "{used:?}");
    sandbox.stop().await;
}
