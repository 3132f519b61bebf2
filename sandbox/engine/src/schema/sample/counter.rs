//! The combinations of branches, one for each try.

/// Counts down the combinations of branches: each alternative takes its digit.
pub(super) struct Counter {
    left: u32,
}

impl Counter {
    /// The first two tries differ in the use of examples only.
    pub(super) fn new(tries: u32) -> Self {
        Self { left: tries.saturating_sub(1) }
    }

    pub(super) fn digit(&mut self, count: usize) -> usize {
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        let digit = self.left % count;
        self.left /= count;
        digit as usize
    }

    /// True if each combination was tried.
    pub(super) fn is_over(&self) -> bool {
        self.left > 0
    }
}
