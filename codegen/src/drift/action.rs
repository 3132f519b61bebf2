//! The work that a finding asks of the people who wrote the calls, as a sentence.

use serde::Serialize;

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
    /// The same code, generated again, sends or reads the service's new meaning.
    Rebuild,
    /// No code helps: the service or its address decides.
    AskService,
    /// As below, at calls that do not compile for another cause.
    CheckAlso,
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
            Self::CheckAlso => "check these calls by hand, too: errors for other changes lead to them",
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
            Self::AskService | Self::CheckAlso | Self::CheckCalls => "check",
            Self::EditCalls => "edit",
        }
    }

    /// Its place on the first screen: work that the compiler does not point at comes first.
    pub(super) fn order(self) -> u8 {
        match self {
            Self::CheckCalls => 0,
            Self::AskService => 1,
            Self::EditCalls => 2,
            Self::CheckAlso => 3,
            Self::Rebuild => 4,
            Self::SetBaseUrl => 5,
            Self::EditLater => 6,
            Self::Nothing => 7,
        }
    }
}
