//! Who has to act, and how: the first screen of each report, by what there is to do and by route family.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use super::finding::{Drift, Finding};
use super::item_change::{ItemChange, Source, call, is_method};
use super::rows::{self, Row};
use super::rule::{Rule, Wire};
use crate::api::{Api, Item};

/// One sentence of work for the people who wrote the calls, from the least to the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Programs go on, built again or not.
    #[default]
    Nothing,
    /// Programs that run go on; the next build fails where it uses the items.
    EditLater,
    /// Programs that run go on; those that are built again need another base URL.
    SetBaseUrl,
    /// The same code, generated again, sends or reads what the service means now.
    Rebuild,
    /// No code helps: the service or its address decides.
    AskService,
    /// The compiler does not tell, and only a reader of the calls knows whether they meet the change.
    CheckCalls,
    /// The compiler names each place.
    EditCalls,
}

impl Action {
    /// The sentence, without its first capital and its full stop.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::EditLater => "nothing now; with the new client, edit these uses",
            Self::SetBaseUrl => "nothing now; with the new client, set the base URL of the new contract",
            Self::Rebuild => "rebuild with the new client, no edit",
            Self::AskService => "ask the service's team what your program needs now",
            Self::CheckCalls => "check these calls by hand: the compiler does not tell",
            Self::EditCalls => "edit these calls, then rebuild with the new client",
        }
    }

    /// As classes of the page have it.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::EditLater | Self::SetBaseUrl => "later",
            Self::Rebuild => "rebuild",
            Self::AskService | Self::CheckCalls => "check",
            Self::EditCalls => "edit",
        }
    }

    fn of(finding: &Finding, is_respelled: bool) -> Self {
        match (finding.client >= Wire::Risk, finding.source == Source::Major) {
            (false, _) if finding.rule == Rule::BasePathMoved => Self::SetBaseUrl,
            (false, true) => Self::EditLater,
            // A name that is read otherwise: programs that run read that it is missing.
            (false, false) if is_respelled && !finding.symptom.is_empty() => Self::Rebuild,
            (false, false) => Self::Nothing,
            (true, true) => Self::EditCalls,
            (true, false) if is_respelled || is_generated(finding.rule) => Self::Rebuild,
            (true, false) if is_of_service(finding.rule) => Self::AskService,
            (true, false) => Self::CheckCalls,
        }
    }
}

/// Rules whose change is made good by generated code that no public item shows: addresses, names, styles, media types.
fn is_generated(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::OperationMoved
            | Rule::ParameterRenamed
            | Rule::ParameterStyleChanged
            | Rule::EncodingChanged
            | Rule::MediaTypeRemoved
            | Rule::MediaTypeChanged
            | Rule::DiscriminatorChanged
            | Rule::MappingChanged
    )
}

/// Rules about access, addresses and promises of the service: no call of the client can be edited for them.
fn is_of_service(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::SecurityAdded
            | Rule::AlternativeRemoved
            | Rule::ScopeAdded
            | Rule::SchemeChanged
            | Rule::ServerChanged
            | Rule::CallbackChanged
            | Rule::WebhookRemoved
            | Rule::StabilityDecreased
            | Rule::StabilityUnreadable
            | Rule::SunsetRemoved
            | Rule::SunsetUnreadable
    )
}

/// Gives each finding its action. The items have to be known.
pub(super) fn decide(findings: &mut [Finding]) {
    let respelled = rows::respelled(findings);
    for (index, finding) in findings.iter_mut().enumerate() {
        finding.action = Some(Action::of(finding, respelled.contains(&index)));
    }
}

/// The method of each operation, by document and place: `Forum::get_thread(thread_id: Uuid) -> types::Thread`.
pub(super) type Calls = HashMap<(String, String), String>;

pub(super) fn calls(api: &Api) -> Calls {
    let methods = api.items.iter().filter(|item| is_method(item.kind, &item.path));
    let code = |item: &Item| call(&item.path, &item.signature);
    methods.map(|item| ((item.origin.document.clone(), item.origin.pointer.clone()), code(item))).collect()
}

/// What people of some route families have to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Task {
    /// What to do.
    pub action: Action,
    /// The route families whose operations it is about; none for the service as a whole, or for its GraphQL schema.
    pub families: Vec<String>,
    /// Why, cause by cause.
    pub jobs: Vec<Job>,
}

/// What a row of the report asks of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Job {
    /// The number of the row.
    pub row: String,
    /// What changed in the code; else what changed in the service. Code stands between backticks.
    pub changes: Vec<String>,
    /// The calls that change; else a few of those that it is about.
    pub calls: Vec<Call>,
    /// How many operations it is about.
    pub operations: usize,
}

/// A call, as Rust has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Call {
    /// The call before; `None`: it is new.
    pub before: Option<String>,
    /// The call after; `None`: it is gone.
    pub after: Option<String>,
}

impl Call {
    fn of(change: &ItemChange) -> Self {
        let [before, after] = [&change.before, &change.after]
            .map(|state| state.as_ref().map(|state| call(&state.path, &state.signature)));
        Self { before, after }
    }

    /// The call before and the call after, as code between backticks.
    #[must_use]
    pub fn says(&self) -> String {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => format!("`{before}` → `{after}`"),
            (Some(before), None) => format!("`{before}` is gone"),
            (None, Some(after)) => format!("`{after}` is new"),
            (None, None) => String::new(),
        }
    }
}

impl Call {
    /// The name of the call as it is, else as it was.
    pub(super) fn name(&self) -> String {
        let code = self.after.as_ref().or(self.before.as_ref()).map_or("", String::as_str);
        format!("`{}()`", code.split('(').next().unwrap_or_default())
    }
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
                format!("{} and {} more", named.join(", "), several + 1 - NAMED)
            }
        }
    }
}

impl Row<'_> {
    /// True if running programs notice it, the compiler does not tell, and a rebuild is not enough.
    pub(super) fn is_untold(&self) -> bool {
        self.is_silent() && matches!(self.action(), None | Some(Action::CheckCalls | Action::AskService))
    }

    /// What it asks of people; `None` where no items were compared.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        self.findings.iter().filter_map(|(_, finding)| finding.action).max()
    }
}

impl Drift {
    /// Who has to act, the most urgent first. Empty where no items were compared.
    #[must_use]
    pub fn tasks(&self) -> Vec<Task> {
        let mut tasks: Vec<Task> = Vec::new();
        let mut known: HashMap<(Action, Vec<String>), usize> = HashMap::new();
        for row in &self.rows() {
            let Some(action) = row.action().filter(|action| *action != Action::Nothing) else { continue };
            let families: Vec<String> = row.families().into_iter().map(str::to_owned).collect();
            let index = *known.entry((action, families.clone())).or_insert(tasks.len());
            if index == tasks.len() {
                tasks.push(Task { action, families, jobs: Vec::new() });
            }
            tasks[index].jobs.push(self.job(row, action));
        }
        // Of one action, those of the worst rows stay first.
        tasks.sort_by_key(|task| std::cmp::Reverse(task.action));
        tasks
    }

    fn job(&self, row: &Row<'_>, action: Action) -> Job {
        let own = || row.findings.iter().map(|(_, finding)| *finding).filter(|finding| finding.action == Some(action));
        let operations: BTreeSet<&str> = own().flat_map(|finding| &finding.operations).map(String::as_str).collect();
        let edited = row.items().into_iter().filter(|change| change.source == Source::Major);
        let (methods, rest): (Vec<&ItemChange>, Vec<&ItemChange>) = edited.partition(|change| change.is_method());
        let mut calls: Vec<Call> = methods.into_iter().map(Call::of).collect();
        let mut changes = Vec::new();
        if matches!(action, Action::EditCalls | Action::EditLater) {
            changes.extend(calls.iter().map(Call::says));
            // The constant for fakes has the types of its method.
            let rest = rest.iter().filter(|change| calls.is_empty() || change.kind() != "const");
            changes.extend(rest.map(|change| change.says()));
        }
        if changes.is_empty() {
            let subject = if row.is_counted { row.subject.clone() } else { format!("`{}`", row.subject) };
            changes.push(format!("{subject} {}", row.change));
        }
        if calls.is_empty() {
            let reached: BTreeSet<Call> = own().flat_map(|finding| self.calls_of(finding)).collect();
            calls.extend(reached.into_iter().take(EXAMPLES));
        }
        Job { row: row.number.clone(), changes, calls, operations: operations.len() }
    }

    /// The calls of the operations that a finding reaches, before and after.
    fn calls_of(&self, finding: &Finding) -> Vec<Call> {
        let document = &finding.places.document;
        let call = |side: usize, place: &str| self.calls[side].get(&(document.clone(), place.to_owned())).cloned();
        let [olds, news] = &finding.places.operations;
        let mut paired = BTreeSet::new();
        let mut calls = Vec::new();
        for old in olds {
            let new = Some(self.moved(document, old)).filter(|place| news.contains(place));
            calls.push(Call { before: call(0, old), after: new.as_ref().and_then(|place| call(1, place)) });
            paired.extend(new);
        }
        let fresh = news.iter().filter(|place| !paired.contains(*place));
        calls.extend(fresh.map(|place| Call { before: None, after: call(1, place) }));
        calls.retain(|call| call.before.is_some() || call.after.is_some());
        calls
    }
}

/// Lines of the first screen that stand open, and what each of them names.
const LINES: usize = 8;
const CHANGES: usize = 4;

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
            let (last, first) = (job.changes.len().min(most) - 1, job.changes.iter().take(most).enumerate());
            lines.extend(first.map(|(index, change)| {
                let row = if index == 0 { format!("{}: ", job.row) } else { String::new() };
                format!("{row}{change}{}", if index == last { more.as_str() } else { "" })
            }));
        }
        match rows.as_slice() {
            [] => {}
            few if few.len() <= CHANGES => lines.push(format!("and {}", few.join(", "))),
            [first, .., last] => lines.push(format!("and {} more rows, {first} to {last}", rows.len())),
            [one] => lines.push(format!("and {one}")),
        }
        lines
    }
}

/// The tasks that stand open, and those that are folded.
pub(super) fn split(tasks: &[Task]) -> (&[Task], &[Task]) {
    tasks.split_at(if tasks.len() > LINES + 1 { LINES } else { tasks.len() })
}
