//! Outcomes of asynchronous work.

/// The outcome of a piece of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeds, and the follow-up event comes a step later.
    #[default]
    Success,
    /// It fails, with a message.
    Failure,
    /// It runs and never ends.
    Stall,
    /// It succeeds, but the follow-up event never comes.
    Silence,
}

impl Outcome {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Stall => "stall",
            Self::Silence => "silence",
        }
    }
}
