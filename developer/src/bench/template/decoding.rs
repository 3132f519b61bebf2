//! A list of 10,000 items: the generated types beside types with serde's derive, read by three libraries, and by a call of
//! the client.

use std::hint::black_box;
use std::time::Instant;

use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, Serialize)]
struct Owner {
    id: i64,
    login: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    New,
    Used,
    Gone,
}

#[derive(Debug, Deserialize, Serialize)]
struct Item {
    id: uuid::Uuid,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    count: i32,
    price: f64,
    active: bool,
    state: State,
    tags: Vec<String>,
    owner: Owner,
}

/// The list as a service sends it, with `unknown` members that the contract does not have.
fn body(unknown: usize) -> Vec<u8> {
    let item = |number: usize| {
        let more: String =
            (0..unknown).map(|index| format!(",\"more{index}\":{{\"a\":[1,2,3],\"b\":\"text\"}}")).collect();
        format!(
            "{{\"id\":\"0a1b2c3d-0000-4000-8000-{number:012}\",\"name\":\"item {number}\",\"description\":\"a text of some \
             length, with an \\u00e9\",\"count\":{number},\"price\":{number}.25,\"active\":true,\"state\":\"used\",\
             \"tags\":[\"one\",\"two\",\"three\"],\"owner\":{{\"id\":{number},\"login\":\"octocat\"}}{more}}}"
        )
    };
    format!("[{}]", (0..10_000).map(item).collect::<Vec<_>>().join(",")).into_bytes()
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// One way to read or write the list; it returns the number of items or bytes.
type Way<'a> = (&'a str, Box<dyn Fn() -> Outcome<usize> + 'a>);

/// Runs all ways in turn. Prints the median of each in milliseconds, as a multiple of the second one, and its allocations.
fn compare(title: &str, ways: &[Way<'_>]) -> Outcome<()> {
    let mut times = vec![Vec::new(); ways.len()];
    for _ in 0..31 {
        for ((_, way), times) in ways.iter().zip(&mut times) {
            let start = Instant::now();
            black_box(way()?);
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    let medians: Vec<f64> = times
        .into_iter()
        .map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect();
    println!("{title}");
    for ((name, way), median) in ways.iter().zip(&medians) {
        let allocations = allocation_counter::measure(|| drop(black_box(way()))).count_total;
        let times = median / medians[1];
        println!("  {name:24} {median:7.2} ms  {times:5.2}  {:6.1} allocations an item", allocations as f64 / 10_000.0);
    }
    Ok(())
}

fn main() -> Outcome<()> {
    for unknown in [0, 5] {
        let body = body(unknown);
        let fake = client::testing::Fake::new();
        let answer = client::testing::FakeReply::status(200).header("content-type", "application/json");
        fake.on(client::families::items::operations::ListItems::FAKE).reply(answer.bytes(body.clone()));
        let service: client::Service = fake.client()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ways: [Way<'_>; 5] = [
            (
                "generated, serde_json",
                Box::new(|| Ok(serde_json::from_slice::<Vec<client::types::Item>>(&body)?.len())),
            ),
            ("derive, serde_json", Box::new(|| Ok(serde_json::from_slice::<Vec<Item>>(&body)?.len()))),
            ("derive, sonic-rs", Box::new(|| Ok(sonic_rs::from_slice::<Vec<Item>>(&body)?.len()))),
            ("derive, simd-json", Box::new(|| Ok(simd_json::from_slice::<Vec<Item>>(&mut body.clone())?.len()))),
            (
                "generated, a call",
                Box::new(|| Ok(runtime.block_on(async { service.items().list_items().await })?.len())),
            ),
        ];
        compare(&format!("decoding, {unknown} unknown members an item, {:.1} MB", body.len() as f64 / 1e6), &ways)?;
    }
    let body = body(0);
    let ours: Vec<client::types::Item> = serde_json::from_slice(&body)?;
    let theirs: Vec<Item> = serde_json::from_slice(&body)?;
    assert_eq!(serde_json::to_value(&ours)?, serde_json::to_value(&theirs)?);
    let ways: [Way<'_>; 4] = [
        ("generated, serde_json", Box::new(|| Ok(serde_json::to_vec(&ours)?.len()))),
        ("derive, serde_json", Box::new(|| Ok(serde_json::to_vec(&theirs)?.len()))),
        ("derive, sonic-rs", Box::new(|| Ok(sonic_rs::to_vec(&theirs)?.len()))),
        ("derive, simd-json", Box::new(|| Ok(simd_json::to_vec(&theirs)?.len()))),
    ];
    compare("encoding", &ways)
}
