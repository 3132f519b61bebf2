//! Pseudo-random numbers that are the same on every machine.

/// A seeded generator (xorshift).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator of one execution.
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03) | 1);
        // Neighbours differ in few bits; a few rounds spread them.
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }

    /// A number below `bound`; once in so many times, below another one.
    pub(crate) fn mostly_below(&mut self, bound: usize, times: usize, rare: usize) -> usize {
        let bound = if self.once_in(times) { rare } else { bound };
        self.below(bound)
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A random element.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}
