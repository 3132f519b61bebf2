//! Values made from a seed, with the texts and numbers that formats get wrong.

use driftless_runtime::{Decimal, Object, Value};

const TEXTS: [&str; 60] = [
    "ends twice\n\n",
    "blank\n \nlines",
    "",
    " ",
    "a",
    "Atlas",
    "two words",
    " leading",
    "trailing ",
    "two\nlines",
    "three\n\nlines\n",
    "\n",
    "\nfirst",
    "a\n b\n",
    " a\nb",
    "a\r\nb",
    "a\rb",
    "tab\tbed",
    "\tx",
    "=1+1",
    "+49 30 1",
    "-5",
    "-5 apples",
    "@x",
    "＝1",
    "'quoted'",
    "\"double\"",
    "comma, separated",
    "no",
    "Yes",
    "null",
    "~",
    "1e3",
    "0x10",
    "1_000",
    "2024-01-01",
    "12:30:00",
    ".5",
    "- item",
    "key: value",
    "# comment",
    "&anchor",
    "*alias",
    "!tag",
    "%",
    "|",
    ">",
    "{}",
    "[1]",
    "---",
    "...",
    "<<",
    "https://example.test/a?b=c#d",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{202e}desrever",
    "\u{9b}31m\u{7f}\u{0}\u{85}\u{2028}\u{feff}\u{ffff}",
    "日本語のテキスト",
    "👨\u{200d}👩\u{200d}👧 family ❤\u{fe0f}",
    "e\u{301}\u{301}\u{301}\u{301}",
    "C:\\path\\\"x\"",
];

const NUMBERS: [&str; 16] = [
    "0",
    "-0",
    "7",
    "-12",
    "1.10",
    "1.0",
    "1e3",
    "1E-7",
    "-2.50e+10",
    "123456789012345678901234567890",
    "9223372036854775808",
    "18446744073709551616",
    "0.1",
    "0.1234567890123456789",
    "1e400",
    "-79228162514264337593543950335",
];

const NAMES: [&str; 22] = [
    "id",
    "name",
    "title",
    "state",
    "createdAt",
    "owner",
    "tags",
    "total",
    "a.b",
    "a b",
    " a",
    "",
    "/x",
    "\"q\"",
    "a[0]",
    "no",
    "5",
    "\u{1b}[31m",
    "=f()",
    "日本",
    "x,y",
    "back\\slash",
];

/// SplitMix64.
pub(super) struct Source(u64);

impl Source {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    pub(super) fn text(&mut self) -> String {
        match self.below(8) {
            0 => (0..self.below(4)).map(|_| self.pick(&TEXTS)).collect::<Vec<_>>().join(" "),
            1 => self.pick(&TEXTS).repeat(self.below(12)),
            2 => char::from_u32(u32::try_from(self.below(0x300)).unwrap()).unwrap().to_string(),
            _ => self.pick(&TEXTS).to_owned(),
        }
    }

    fn name(&mut self) -> String {
        match self.below(30) {
            0 => "long".repeat(400),
            1 => self.text(),
            _ => self.pick(&NAMES).to_owned(),
        }
    }

    pub(super) fn scalar(&mut self) -> Value {
        match self.below(8) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 | 3 => Value::Number(Decimal::new(self.pick(&NUMBERS)).unwrap()),
            _ => Value::String(self.text()),
        }
    }

    pub(super) fn value(&mut self, depth: usize) -> Value {
        match self.below(6) {
            0 if depth > 0 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            1 | 2 if depth > 0 => self.object(depth - 1),
            _ => self.scalar(),
        }
    }

    pub(super) fn object(&mut self, depth: usize) -> Value {
        let members = (0..self.below(6)).map(|_| (self.name(), self.value(depth)));
        Value::Object(members.collect::<Object>())
    }

    /// Rows of a list: mostly objects with similar members.
    pub(super) fn rows(&mut self) -> Vec<Value> {
        (0..self.below(7)).map(|_| if self.below(12) == 0 { self.value(2) } else { self.object(2) }).collect()
    }
}

thread_local! {
    /// Each test has this many times a third of its seeds.
    static ROUNDS: std::cell::Cell<u64> = const { std::cell::Cell::new(1) };
}

/// Calls a test with a third of `count` seeds; within [`in_more_rounds`], with ten times as many. A failure names its seed.
pub(super) fn with_seeds(count: u64, mut test: impl FnMut(&mut Source)) {
    for seed in 0..(count * ROUNDS.get()).div_ceil(3) {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(&mut Source::new(seed))));
        assert!(result.is_ok(), "seed {seed}");
    }
}

/// Calls tests with ten times their seeds.
pub(super) fn in_more_rounds(tests: &[fn()]) {
    ROUNDS.set(10);
    tests.iter().for_each(|test| test());
    ROUNDS.set(1);
}
