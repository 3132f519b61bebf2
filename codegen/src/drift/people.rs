//! The work that a finding means for the people who wrote the calls.

use super::action::Action;
use super::finding::Finding;
use super::item_change::Source;
use super::rows::{self, Row};
use super::rule::{Remedy, Wire};

/// The action for one finding.
fn action(finding: &Finding, is_respelled: bool) -> Action {
    match (finding.client >= Wire::Risk, finding.source == Source::Major, finding.rule.entry().remedy) {
        (false, _, Remedy::BaseUrl) => Action::SetBaseUrl,
        (false, true, _) => Action::EditLater,
        // A name that is read otherwise: programs that run read that it is missing.
        (false, false, _) if is_respelled && !finding.symptom.is_empty() => Action::Rebuild,
        (false, false, _) => Action::Nothing,
        (true, true, _) => Action::EditCalls,
        (true, false, Remedy::Rebuild) => Action::Rebuild,
        (true, false, _) if is_respelled => Action::Rebuild,
        (true, false, Remedy::Service) => Action::AskService,
        (true, false, Remedy::Calls | Remedy::BaseUrl) if finding.silent => Action::CheckCalls,
        (true, false, Remedy::Calls | Remedy::BaseUrl) => Action::CheckAlso,
    }
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
