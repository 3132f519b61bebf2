//! Services that paginate in every style, of every size, honest and not: their items are read once and in order.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use driftless_runtime::{
    Call, Client,
    codegen::prelude::{Method, NextPage, Operation, PagePlace, Paging, Parameter, Payload},
};

use crate::support::{Recorded, Reply, Server};

static OPERATION: Operation = Operation {
    name: "list_things",
    path: "/things",
    parameters: &[Parameter::query("case"), Parameter::query("at"), Parameter::header("x-at")],
    ..Operation::family("things")
};

/// The same, with the position in its body.
static SEARCH: Operation = Operation { name: "search_things", method: Method::Post, ..OPERATION };

const AT: usize = 1;
const HEADER: usize = 2;

/// The part of a request with the position of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Input {
    Query,
    Header,
    Body,
}

/// The behaviour of a service after its last page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Behind {
    Empty,
    /// Without the list.
    Missing,
    /// The last page, for every request.
    Last,
}

/// The sign by which a service says that a page is the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    None,
    Total(PagePlaceName),
    Pages(PagePlaceName),
    More,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum PagePlaceName {
    Body,
    Header,
}

impl PagePlaceName {
    fn place(self, body: &'static str, header: &'static str) -> PagePlace {
        match self {
            Self::Body => PagePlace::Body(body),
            Self::Header => PagePlace::Header(header),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Shelf {
    things: usize,
    size: usize,
    behind: Behind,
    way: NextPage,
    sign: Sign,
    /// Added to the number of things that the service states.
    lie: isize,
    /// Pages of an odd number have one thing less, if the way allows it.
    is_uneven: bool,
    input: Input,
    /// Sizes of pages that follow from their positions, up to `size`; 0: all pages are full.
    seed: usize,
}

impl Shelf {
    fn pages(self) -> usize {
        self.things.div_ceil(self.size)
    }

    /// The position of a page, and the value that the next one is requested with.
    fn page(self, at: Option<&str>) -> (usize, usize) {
        let number = at.map(|at| at.parse::<usize>().unwrap());
        let first = match self.way {
            NextPage::Offset { first, .. } | NextPage::Number { first, .. } => usize::try_from(first).unwrap(),
            _ => 0,
        };
        let start = match self.way {
            NextPage::Offset { .. } => number.map_or(0, |at| at - first),
            NextPage::Number { .. } => number.map_or(0, |at| at - first) * self.size,
            // The last thing of the page before, whose number is its position plus one.
            _ => number.unwrap_or(0),
        };
        let is_short = self.is_uneven && self.size > 1 && start % 2 == 1;
        let size = if is_short { self.size - 1 } else { self.size };
        let size = if self.seed == 0 { size } else { 1 + (start + 1).wrapping_mul(self.seed) / 7 % self.size };
        (start, size)
    }

    fn answer(self, request: &Recorded) -> Reply {
        let at = match self.input {
            Input::Query => request.query().split_once("at=").map(|(_, at)| at.to_owned()),
            Input::Header => request.header("x-at").map(str::to_owned),
            Input::Body => {
                let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap_or_default();
                assert_eq!(body.pointer("/filter/word").and_then(|word| word.as_str()), Some("a"));
                let at = body.pointer("/page/at").filter(|at| !at.is_null());
                at.map(|at| at.as_str().map_or_else(|| at.to_string(), str::to_owned))
            }
        };
        let (mut start, size) = self.page(at.as_deref());
        let stated = self.things.saturating_add_signed(self.lie);
        let (total, pages) = (stated.to_string(), stated.div_ceil(self.size).to_string());
        let mut headers = vec![("x-total", total.as_str()), ("x-pages", pages.as_str())];
        if start >= self.things && self.things > 0 {
            match self.behind {
                Behind::Empty => {}
                Behind::Missing => return Reply::new(200, &headers, format!(r#"{{"total":{total},"more":false}}"#)),
                Behind::Last => start = (self.pages() - 1) * self.size,
            }
        }
        let list: Vec<_> = (1..=self.things).skip(start).take(size).collect();
        let end = start + list.len();
        let is_last = end >= self.things;
        // A service that repeats its last page returns a cursor that leads to it.
        let next = (!is_last || self.behind == Behind::Last).then_some(if is_last { self.things } else { end });
        let case = request.query().split('&').next().unwrap();
        let target = next.map(|next| format!("/things?{case}&at={next}"));
        let link = target.as_ref().map(|target| format!("<{target}>; rel=next"));
        let cursor = next.map(|next| next.to_string());
        headers.extend(link.as_deref().map(|link| ("link", link)));
        headers.extend(cursor.as_deref().map(|cursor| ("x-next", cursor)));
        let body = serde_json::json!({
            "list": list.iter().map(|thing| serde_json::json!({"id": thing})).collect::<Vec<_>>(),
            "next": next, "nextLink": target, "total": stated, "pages": stated.div_ceil(self.size), "more": !is_last,
        });
        Reply::new(200, &headers, body.to_string())
    }

    fn paging(self) -> Paging {
        let paging = Paging::new("/list", self.way);
        let paging = if self.input == Input::Body { paging.in_body("/page/at") } else { paging };
        match self.sign {
            Sign::None => paging,
            Sign::Total(place) => paging.total(place.place("/total", "x-total")),
            Sign::Pages(place) => paging.pages(place.place("/pages", "x-pages")),
            Sign::More => paging.more("/more"),
        }
    }

    /// The number of requests without one that was in vain.
    fn requests(self) -> usize {
        let (mut start, mut count) = (0, 0);
        while start < self.things || count == 0 {
            start += match self.way {
                NextPage::Number { .. } => self.size,
                _ => self.page(Some(&(start + self.first()).to_string())).1,
            };
            count += 1;
        }
        count
    }

    fn first(self) -> usize {
        match self.way {
            NextPage::Offset { first, .. } => usize::try_from(first).unwrap(),
            _ => 0,
        }
    }
}

const WAYS: [NextPage; 9] = [
    NextPage::Offset { parameter: AT, first: 0 },
    NextPage::Offset { parameter: AT, first: 1 },
    NextPage::Number { parameter: AT, first: 0 },
    NextPage::Number { parameter: AT, first: 1 },
    NextPage::Cursor { parameter: AT, pointer: "/next" },
    NextPage::Header { parameter: AT, name: "x-next" },
    NextPage::Item { parameter: AT, pointer: "/id" },
    NextPage::Link,
    NextPage::Address { pointer: "/nextLink" },
];

const SIGNS: [Sign; 6] = [
    Sign::None,
    Sign::Total(PagePlaceName::Body),
    Sign::Total(PagePlaceName::Header),
    Sign::Pages(PagePlaceName::Body),
    Sign::Pages(PagePlaceName::Header),
    Sign::More,
];

struct Read {
    things: Vec<usize>,
    error: Option<String>,
    asked: Vec<String>,
}

struct Bench {
    /// The shelf, and the requests for it.
    current: Arc<Mutex<(Option<Shelf>, Vec<String>)>>,
    client: Client,
    cases: AtomicU64,
    _server: Server,
}

impl Bench {
    async fn start() -> Self {
        let current = Arc::new(Mutex::new((None::<Shelf>, Vec::new())));
        let shared = Arc::clone(&current);
        let server = Server::start(move |request| {
            let (shelf, asked) = &mut *shared.lock().unwrap();
            asked.push(request.target.clone());
            shelf.unwrap().answer(request)
        })
        .await;
        let client = Client::builder(&server.url).no_retry().build().unwrap();
        Self { current, client, cases: AtomicU64::new(0), _server: server }
    }

    async fn read(&self, shelf: Shelf, concurrency: usize, limit: Option<u64>) -> Read {
        *self.current.lock().unwrap() = (Some(shelf), Vec::new());
        // Requests that an earlier case gave up may arrive late.
        let case = self.cases.fetch_add(1, Ordering::Relaxed);
        let body = serde_json::json!({ "filter": { "word": "a" }, "page": null });
        let (operation, payload) = match shelf.input {
            Input::Body => (&SEARCH, Payload::Json(&body)),
            Input::Query | Input::Header => (&OPERATION, Payload::None),
        };
        let call = Call::new(&self.client, operation, &[&case, &None::<i64>], payload, |_| Ok(()));
        let mut items = call.items::<serde_json::Value>(shelf.paging()).concurrency(concurrency);
        if let Some(limit) = limit {
            items = items.limit(limit);
        }
        let mut read = Read { things: Vec::new(), error: None, asked: Vec::new() };
        while let Some(item) = items.next().await {
            match item {
                Ok(item) => read.things.push(usize::try_from(item["id"].as_u64().unwrap()).unwrap()),
                Err(error) => read.error = Some(error.to_string()),
            }
        }
        assert!(items.next().await.is_none());
        let own = format!("/things?case={case}");
        read.asked = std::mem::take(&mut self.current.lock().unwrap().1);
        read.asked.retain(|target| target.split('&').next() == Some(&own));
        read
    }
}

/// Every shelf of up to six things; sizes around a page, and many pages.
fn shelves() -> impl Iterator<Item = Shelf> {
    let sizes = [(0, 3), (1, 3), (2, 3), (3, 3), (4, 3), (7, 3), (4, 1)];
    WAYS.into_iter().flat_map(move |way| {
        SIGNS.into_iter().flat_map(move |sign| {
            [Behind::Empty, Behind::Missing, Behind::Last].into_iter().flat_map(move |behind| {
                sizes.into_iter().map(move |(things, size)| Shelf {
                    things,
                    size,
                    behind,
                    way,
                    sign,
                    lie: 0,
                    is_uneven: false,
                    input: Input::Query,
                    seed: 0,
                })
            })
        })
    })
}

/// The same way with the position in another part of the request; `None`: links name no parameter.
fn at(way: NextPage, position: usize) -> Option<NextPage> {
    match way {
        NextPage::Offset { first, .. } => Some(NextPage::Offset { parameter: position, first }),
        NextPage::Number { first, .. } => Some(NextPage::Number { parameter: position, first }),
        NextPage::Cursor { pointer, .. } => Some(NextPage::Cursor { parameter: position, pointer }),
        NextPage::Header { name, .. } => Some(NextPage::Header { parameter: position, name }),
        NextPage::Item { pointer, .. } => Some(NextPage::Item { parameter: position, pointer }),
        NextPage::Link | NextPage::Address { .. } => None,
    }
}

/// Sizes of pages: all full, and three series that follow from the positions.
const SEEDS: [usize; 4] = [0, 1, 5, 13];

/// Pages of any sizes: all items once, in order, and no request beyond those that the pages need.
async fn positions_lead_through(is_whole: bool) {
    let bench = Bench::start().await;
    for input in [Input::Query, Input::Header, Input::Body] {
        let position = if input == Input::Header { HEADER } else { AT };
        let shelves = shelves().filter(|shelf| shelf.behind != Behind::Last && at(shelf.way, position).is_some());
        // In a header, each sign has one end of the pages, and in a body the other one.
        let half = |shelf: &Shelf| {
            let sign = SIGNS.iter().position(|sign| *sign == shelf.sign).unwrap();
            (sign % 2 == 0) == ((shelf.behind == Behind::Empty) == (input == Input::Header))
        };
        let shelves = shelves.filter(|shelf| is_whole || input == Input::Query || half(shelf));
        for (number, shelf) in shelves.enumerate() {
            let way = at(shelf.way, position).unwrap();
            // Four series take turns over seven numbers of things, so that each number meets each series in each way but page
            // numbers. The form in more rounds has each of them with each.
            let seeds = if is_whole { &SEEDS[..] } else { &SEEDS[number % SEEDS.len()..][..1] };
            // A page number says nothing about the sizes of the pages before it.
            let seeds = if matches!(way, NextPage::Number { .. }) { &[0] } else { seeds };
            for &seed in seeds {
                let (things, size) = (shelf.things * if is_whole { 3 } else { 2 }, shelf.size + 1);
                let shelf = Shelf { way, input, seed, things, size, ..shelf };
                let read = bench.read(shelf, 1, None).await;
                let case = format!("{shelf:?}: {:?} {:?}", read.things, read.error);
                assert_eq!((read.error, &read.things), (None, &(1..=shelf.things).collect()), "{case}");
                let most = shelf.requests() + usize::from(!is_ended_by_sign(shelf));
                assert!(read.asked.len() <= most, "{case}: {:?}", read.asked);
            }
        }
    }
}

#[tokio::test]
async fn a_position_in_a_header_or_in_the_body_leads_through_pages_of_any_size() {
    positions_lead_through(false).await;
}

#[tokio::test]
#[ignore = "longer: .ci/run --all runs it"]
async fn positions_lead_through_pages_of_any_size_in_more_rounds() {
    positions_lead_through(true).await;
}

/// Returns whether the sign ends the pages of that way.
fn is_ended_by_sign(shelf: Shelf) -> bool {
    match shelf.sign {
        Sign::None => false,
        Sign::Total(_) | Sign::More => true,
        Sign::Pages(_) => matches!(shelf.way, NextPage::Number { .. }),
    }
}

#[tokio::test]
async fn all_items_are_read_once_whatever_a_service_does_behind_the_last_page() {
    let bench = Bench::start().await;
    for shelf in shelves() {
        let read = bench.read(shelf, 1, None).await;
        let case = format!("{shelf:?}: {:?} {:?}", read.things, read.error);
        let is_counted = matches!(shelf.way, NextPage::Offset { .. } | NextPage::Number { .. });
        let rest = shelf.things % shelf.size;
        let is_short = rest > 0 && shelf.things > shelf.size;
        let is_circle =
            shelf.behind == Behind::Last && !is_ended_by_sign(shelf) && shelf.things > 0 && (!is_counted || !is_short);
        // An empty shelf that names a next page leads to the same page.
        let is_circle = is_circle
            || shelf.behind == Behind::Last
                && shelf.things == 0
                && !is_ended_by_sign(shelf)
                && !is_counted
                && !matches!(shelf.way, NextPage::Item { .. });
        assert_eq!(read.error.is_some(), is_circle, "{case}");
        assert!(read.error.is_none_or(|text| text.contains("circles")), "{case}");
        let all: Vec<_> = (1..=shelf.things).collect();
        // A cursor that leads to its own page is detected as a circle once it is followed; its items have arrived by then.
        assert_eq!(read.things[..shelf.things], all, "{case}");
        assert!(is_circle || read.things.len() == shelf.things, "{case}");
        let most = shelf.requests() + usize::from(!is_ended_by_sign(shelf));
        assert!(read.asked.len() <= most, "{case}: {:?}", read.asked);
    }
}

#[tokio::test]
async fn pages_that_are_requested_at_a_time_have_the_same_items() {
    let bench = Bench::start().await;
    let counted = |shelf: &Shelf| matches!(shelf.way, NextPage::Offset { .. } | NextPage::Number { .. });
    for shelf in shelves().filter(|shelf| shelf.behind == Behind::Empty && (counted(shelf) || shelf.sign == Sign::More))
    {
        for (is_uneven, limit) in [(false, None), (true, None), (false, Some(4))] {
            let shelf = Shelf { is_uneven: is_uneven && !matches!(shelf.way, NextPage::Number { .. }), ..shelf };
            let read = bench.read(shelf, 3, limit).await;
            let case = format!("{shelf:?}, {limit:?}: {:?} {:?} {:?}", read.things, read.error, read.asked);
            assert!(read.error.is_none(), "{case}");
            let most = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap());
            assert_eq!(read.things, (1..=shelf.things.min(most)).collect::<Vec<_>>(), "{case}");
            if is_ended_by_sign(shelf) && !shelf.is_uneven {
                let needed = shelf.requests().min(most.div_ceil(shelf.size));
                assert!(read.asked.len() <= needed, "{case}");
            }
        }
    }
}

/// A total that is too high costs one request; one that is too low ends the items only where it fits them exactly.
#[tokio::test]
async fn a_total_that_lies_neither_doubles_items_nor_goes_on_for_ever() {
    let bench = Bench::start().await;
    let has_total =
        |shelf: &Shelf| matches!(shelf.sign, Sign::Total(_)) && shelf.behind == Behind::Empty && shelf.things > 0;
    for shelf in shelves().filter(has_total) {
        for (lie, concurrency) in [(-1, 1), (-2, 1), (3, 1), (-1, 3), (3, 3), (1_000_000, 3)] {
            let shelf = Shelf { lie, ..shelf };
            let read = bench.read(shelf, concurrency, None).await;
            let case = format!("{shelf:?}: {:?} {:?} {:?}", read.things, read.error, read.asked);
            assert!(read.error.is_none(), "{case}");
            let stated = shelf.things.saturating_add_signed(lie);
            let rest = stated % shelf.size;
            let is_cut = lie < 0 && rest == 0;
            let expected =
                if is_cut { stated.min(shelf.things).max(shelf.size.min(shelf.things)) } else { shelf.things };
            let all: Vec<_> = (1..=shelf.things).collect();
            assert!(read.things == all || read.things == all[..expected.min(all.len())], "{case}");
            assert!(is_cut || read.things == all, "{case}");
            assert!(read.asked.len() <= shelf.requests() + 1 + concurrency, "{case}");
        }
    }
}
