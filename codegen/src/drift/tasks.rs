//! The people who have to act: the first screen of each report, by action and by route family.

mod call;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

pub use self::call::Call;
use super::action::Action;
use super::finding::{Calls, Drift, Finding};
use super::item_change::{self, ItemChange, Source};
use super::rows::Row;
use super::sides::{Sides, When};
use crate::api::{Api, Item};

pub(super) fn calls(api: &Api) -> Calls {
    let methods = api.items.iter().filter(|item| item_change::is_method(item.kind, &item.path));
    let code = |item: &Item| item_change::call(&item.path, &item.signature);
    methods.map(|item| ((item.origin.document.clone(), item.origin.pointer.clone()), code(item))).collect()
}

/// The work of the people who call some route families.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Task {
    /// The work.
    pub action: Action,
    /// The route families whose operations it is about; none for the service as a whole, or for its GraphQL schema.
    pub families: Vec<String>,
    /// The reasons, cause by cause.
    pub jobs: Vec<Job>,
}

/// The part of the work that one row of the report means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Job {
    /// The number of the row; empty for items that no row speaks of.
    pub row: String,
    /// The changes: of one place the code that has to be edited, if there is some; of many places the cause, and then the code. Code
    /// stands between backticks.
    pub changes: Vec<String>,
    /// The calls that change; else a few of those that it is about.
    pub calls: Vec<Call>,
    /// Number of the operations that it is about.
    pub operations: usize,
}

/// Calls of a job that are named although they stay as they are.
const EXAMPLES: usize = 3;

/// Families that a line names.
const NAMED: usize = 3;

impl Task {
    /// The families in a few words.
    #[must_use]
    pub fn who(&self) -> String {
        match self.families.len() {
            0 => "all".to_owned(),
            few if few <= NAMED => self.families.join(", "),
            several => {
                let named = self.families.iter().take(NAMED - 1).cloned().collect::<Vec<_>>();
                format!("{several} families, such as {}", named.join(", "))
            }
        }
    }
}

impl Drift {
    /// The work for people, the most urgent first. It is empty if no items were compared.
    #[must_use]
    pub fn tasks(&self) -> Vec<Task> {
        let mut tasks: Vec<Task> = Vec::new();
        let mut known: HashMap<(Action, Vec<String>), usize> = HashMap::new();
        let breaking = self.findings.iter().filter(|finding| finding.action == Some(Action::EditCalls));
        let edited = breaking.flat_map(|finding| &finding.items).map(|change| (change.path(), change.kind())).collect();
        for row in &self.rows() {
            for (families, job, action) in self.jobs(row, &edited) {
                let index = *known.entry((action, families.clone())).or_insert(tasks.len());
                if index == tasks.len() {
                    tasks.push(Task { action, families, jobs: Vec::new() });
                }
                tasks[index].jobs.push(job);
            }
        }
        tasks.extend(self.besides_rows());
        // Of one action, those of the worst rows stay first.
        tasks.sort_by_key(|task| task.action.order());
        tasks
    }

    /// The work for items that no row speaks of.
    fn besides_rows(&self) -> Option<Task> {
        let items = self.unexplained.iter().flatten().filter(|change| change.source == Source::Major).collect();
        let changes: Vec<String> = item_change::once(items).into_iter().map(ItemChange::says).collect();
        let job = Job { row: String::new(), changes, calls: Vec::new(), operations: 0 };
        (!job.changes.is_empty()).then(|| Task { action: Action::EditLater, families: Vec::new(), jobs: vec![job] })
    }

    /// The work that a row means for each family: its findings may mean different work. Items that are `edited` because running
    /// programs break are no work for later.
    fn jobs(&self, row: &Row<'_>, edited: &BTreeSet<(&str, &str)>) -> Vec<(Vec<String>, Job, Action)> {
        let mut by_action: BTreeMap<Action, Vec<&Finding>> = BTreeMap::new();
        for (_, finding) in &row.findings {
            let Some(action) = finding.action.filter(|action| *action != Action::Nothing) else { continue };
            let mut items = finding.items.iter().filter(|change| change.source == Source::Major);
            if action != Action::EditLater || !items.all(|change| edited.contains(&(change.path(), change.kind()))) {
                by_action.entry(action).or_default().push(finding);
            }
        }
        let mut jobs = Vec::new();
        let mut reported: BTreeSet<&String> = BTreeSet::new();
        for (action, findings) in by_action.into_iter().rev() {
            let families: BTreeSet<&String> = findings.iter().flat_map(|finding| &finding.families).collect();
            // An edit of a call includes a rebuild.
            let left: BTreeSet<&String> = families.difference(&reported).copied().collect();
            if left.is_empty() && !jobs.is_empty() {
                continue;
            }
            jobs.push((
                left.iter().map(|family| (*family).clone()).collect(),
                self.job(row, action, &findings),
                action,
            ));
            reported.extend(families);
        }
        jobs
    }

    fn job(&self, row: &Row<'_>, action: Action, findings: &[&Finding]) -> Job {
        let operations: BTreeSet<&String> = findings.iter().flat_map(|finding| &finding.operations).collect();
        let mut known = BTreeSet::new();
        let items = findings.iter().flat_map(|finding| &finding.items);
        // A type that lost its default is made by `new` from now on.
        let edited = items.filter(|change| change.source == Source::Major || change.is_new_maker());
        let edited = item_change::once(edited.filter(|change| known.insert((change.path(), change.kind()))).collect());
        let (methods, rest): (Vec<&ItemChange>, Vec<&ItemChange>) =
            edited.into_iter().partition(|change| change.is_method());
        let mut calls: Vec<Call> = methods.into_iter().map(Call::from_change).collect();
        let mut changes = Vec::new();
        if matches!(action, Action::EditCalls | Action::EditLater) {
            changes.extend(calls.iter().map(Call::says));
            // The constant for fakes has the types of its method.
            let rest = rest.iter().filter(|change| calls.is_empty() || change.kind() != "const");
            changes.extend(rest.map(|change| change.says()));
        }
        if changes.is_empty() || row.findings.len() > 1 {
            let subject = if row.is_counted { row.subject.clone() } else { format!("`{}`", row.subject) };
            let part = match (findings.len(), row.findings.len()) {
                (all, same) if all == same => String::new(),
                (some, all) if action >= Action::CheckAlso => format!("at {some} of {all} places: "),
                _ => String::new(),
            };
            changes.insert(0, format!("{part}{subject} {}", row.change));
        }
        if calls.is_empty() {
            let reached: BTreeSet<Call> = findings.iter().flat_map(|finding| self.calls_of(finding)).collect();
            calls.extend(reached.into_iter().take(EXAMPLES));
        }
        Job { row: row.number.clone(), changes, calls, operations: operations.len() }
    }

    /// The calls of the operations that a finding reaches, before and after.
    fn calls_of(&self, finding: &Finding) -> Vec<Call> {
        let document = &finding.places.document;
        let call = |side: When, place: &str| self.calls[side].get(&(document.clone(), place.to_owned())).cloned();
        let Sides { before: olds, after: news } = &finding.places.operations;
        let mut paired = BTreeSet::new();
        let mut calls = Vec::new();
        for old in olds {
            let new = Some(self.moved(document, old)).filter(|place| news.contains(place));
            calls.push(Call {
                before: call(When::Before, old),
                after: new.as_ref().and_then(|place| call(When::After, place)),
            });
            paired.extend(new);
        }
        let fresh = news.iter().filter(|place| !paired.contains(*place));
        calls.extend(fresh.map(|place| Call { before: None, after: call(When::After, place) }));
        calls.retain(|call| call.before.is_some() || call.after.is_some());
        calls
    }
}

/// Lines of the first screen that stand open.
const LINES: usize = 9;
/// Changes that each of them names.
const CHANGES: usize = 3;

impl Task {
    /// The first changes, each behind the number of its row, and the rows of the others.
    pub(super) fn says(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut rows: Vec<&str> = Vec::new();
        for job in &self.jobs {
            let left = CHANGES.saturating_sub(lines.len());
            // Each row says something before one says all.
            let most = if self.jobs.len() > 1 { left.min(2) } else { left };
            if most == 0 {
                rows.push(&job.row);
                continue;
            }
            let more = job.changes.len().saturating_sub(most);
            let more = if more == 0 { String::new() } else { format!(", and {more} more") };
            let last = job.changes.len().min(most).saturating_sub(1);
            lines.extend(job.changes.iter().take(most).enumerate().map(|(index, change)| {
                let row = if index == 0 && !job.row.is_empty() { format!("{}: ", job.row) } else { String::new() };
                format!("{row}{change}{}", if index == last { more.as_str() } else { "" })
            }));
        }
        match rows.as_slice() {
            [] => {}
            few if few.len() <= CHANGES => lines.push(format!("and {}", few.join(", "))),
            several => {
                lines.push(format!("and {} more rows, from {} on", several.len(), several.first().unwrap_or(&"")))
            }
        }
        lines
    }
}

/// The tasks that stand open, and those that are folded. Each action has some that stand open.
pub(super) fn split(tasks: Vec<Task>) -> (Vec<Task>, Vec<Task>) {
    if tasks.len() <= LINES {
        return (tasks, Vec::new());
    }
    let actions: BTreeSet<Action> = tasks.iter().map(|task| task.action).collect();
    let each = (LINES / actions.len().max(1)).max(1);
    let mut open: HashMap<Action, usize> = HashMap::new();
    tasks.into_iter().partition(|task| {
        let number = open.entry(task.action).or_default();
        *number += 1;
        *number <= each
    })
}
