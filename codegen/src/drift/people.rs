//! The work that a finding means for the people who wrote the calls.

use super::action::Action;
use super::finding::Finding;
use super::item_change::Source;
use super::rows::{self, Row};
use super::rule::{Rule, Wire};

/// The action for one finding.
fn action(finding: &Finding, is_respelled: bool) -> Action {
    match (finding.client >= Wire::Risk, finding.source == Source::Major) {
        (false, _) if finding.rule == Rule::BasePathMoved => Action::SetBaseUrl,
        (false, true) => Action::EditLater,
        // A name that is read otherwise: programs that run read that it is missing.
        (false, false) if is_respelled && !finding.symptom.is_empty() => Action::Rebuild,
        (false, false) => Action::Nothing,
        (true, true) => Action::EditCalls,
        (true, false) if is_respelled || is_generated(finding.rule) => Action::Rebuild,
        (true, false) if is_of_service(finding.rule) => Action::AskService,
        (true, false) if finding.silent => Action::CheckCalls,
        (true, false) => Action::CheckAlso,
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
        finding.action = Some(action(finding, respelled.contains(&index)));
    }
}

impl Row<'_> {
    /// True if running programs notice it, the compiler does not tell, and a rebuild is not enough.
    pub(super) fn is_untold(&self) -> bool {
        self.is_silent() && matches!(self.action(), None | Some(Action::CheckCalls | Action::AskService))
    }

    /// The work that it means; `None` if no items were compared.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        self.findings.iter().filter_map(|(_, finding)| finding.action).max()
    }
}
