//! Numbers that depend on a seed and a place only, so that a change at one place changes no other value.

/// A generator of numbers: SplitMix64.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64, place: &str, salt: u64) -> Self {
        // FNV-1a.
        let hash = place
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mut random = Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ hash ^ salt.wrapping_mul(0x9e37_79b9));
        random.next();
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the limit. 0 if the limit is 0.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next().checked_rem(limit).unwrap_or(0)
    }

    pub(super) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    pub(super) fn pick<'s>(&mut self, list: &[&'s str]) -> &'s str {
        list.get(self.index(list.len())).copied().unwrap_or_default()
    }
}
