//! What a finding asks of the people who wrote the calls.

use serde::Serialize;

use super::finding::Finding;
use super::item_change::Source;
use super::rows::{self, Row};
use super::rule::{Rule, Wire};

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

    /// Its place on the first screen: what the compiler does not tell comes first.
    pub(super) fn order(self) -> u8 {
        match self {
            Self::CheckCalls => 0,
            Self::AskService => 1,
            Self::EditCalls => 2,
            Self::Rebuild => 3,
            Self::SetBaseUrl => 4,
            Self::EditLater => 5,
            Self::Nothing => 6,
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
