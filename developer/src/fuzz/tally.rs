//! Counts and findings of a run.

use std::time::{Duration, Instant};

use super::watch::Message;
use crate::console::{count, progress, result};

/// Interval of the progress lines.
const PACE: Duration = Duration::from_secs(10);
/// Number of slowest executions in the report.
const SLOWEST: usize = 5;

#[derive(Debug)]
pub(super) struct Tally {
    start: Instant,
    progressed: Instant,
    pub(super) executions: u64,
    refused: u64,
    /// Executions that gave a client.
    pub(super) clients: Vec<u64>,
    pub(super) findings: Vec<(u64, String)>,
    /// Milliseconds and number of the slowest executions.
    slowest: Vec<(u64, u64)>,
    processor: f64,
}

impl Tally {
    pub(super) fn new(start: Instant) -> Self {
        Self {
            start,
            progressed: start,
            executions: 0,
            refused: 0,
            clients: Vec::new(),
            findings: Vec::new(),
            slowest: Vec::new(),
            processor: 0.0,
        }
    }

    pub(super) fn receive(&mut self, message: Message) {
        match message {
            Message::Begin(_) => {}
            Message::Client(index, took) => {
                self.clients.push(index);
                self.counted(index, took);
            }
            Message::Refused(index, took) => {
                self.refused += 1;
                self.counted(index, took);
            }
            Message::Finding(index, took, what) => {
                self.slow(index, took);
                self.add(index, what);
            }
            Message::Processor(seconds) => self.processor += seconds,
        }
    }

    /// A broken invariant.
    pub(super) fn add(&mut self, index: u64, what: String) {
        self.executions += 1;
        progress(&format!("{index}: {what}"));
        self.findings.push((index, what));
    }

    fn counted(&mut self, index: u64, took: u64) {
        self.executions += 1;
        self.slow(index, took);
        if self.progressed.elapsed() >= PACE {
            self.progressed = Instant::now();
            let seconds = self.start.elapsed().as_secs();
            let rate = self.executions / seconds.max(1);
            let findings = count(self.findings.len(), "finding", "findings");
            progress(&format!("{} executions in {seconds} s, {rate} a second, {findings}", self.executions));
        }
    }

    fn slow(&mut self, index: u64, took: u64) {
        self.slowest.push((took, index));
        self.slowest.sort_by(|one, other| other.cmp(one));
        self.slowest.truncate(SLOWEST);
    }

    pub(super) fn print(&self, seed: u64) {
        let slowest: Vec<String> = self.slowest.iter().map(|(took, index)| format!("{index} ({took} ms)")).collect();
        result(&format!("slowest: {}", slowest.join(", ")));
        let processor =
            if self.processor > 0.0 { format!(", {:.0} s of processor", self.processor) } else { String::new() };
        result(&format!(
            "seed {seed}: {} executions in {} s{processor}: {} clients, {} refused, {}",
            self.executions,
            self.start.elapsed().as_secs(),
            self.clients.len(),
            self.refused,
            count(self.findings.len(), "finding", "findings"),
        ));
    }
}
