//! Deterministic numbers: a seed and texts in, a number out. The same on every machine.

/// FNV-1a over the parts, then the finalizer of SplitMix64.
pub(crate) fn mix(seed: u64, parts: &[&str]) -> u64 {
    mix_bytes(seed, parts.iter().map(|part| part.as_bytes()))
}

pub(crate) fn mix_bytes<'p>(seed: u64, parts: impl Iterator<Item = &'p [u8]>) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325 ^ seed;
    for byte in parts.flat_map(|part| part.iter().copied().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ (hash >> 31)
}

/// A GUID of version 4 in form.
pub(crate) fn guid(seed: u64) -> String {
    let (high, low) = (mix(seed, &["high"]), mix(seed, &["low"]));
    let (high, low) = ((high & !0xF000) | 0x4000, (low & !(0b11 << 62)) | (0b10 << 62));
    let (time, middle, version) = (high >> 32, (high >> 16) & 0xFFFF, high & 0xFFFF);
    format!("{time:08x}-{middle:04x}-{version:04x}-{:04x}-{:012x}", low >> 48, low & 0xFFFF_FFFF_FFFF)
}

#[cfg(test)]
mod tests {
    use super::{guid, mix};

    #[test]
    fn numbers_are_the_same_everywhere_and_differ_by_part() {
        assert_eq!(mix(1, &["a", "b"]), mix(1, &["a", "b"]));
        assert_ne!(mix(1, &["a", "b"]), mix(1, &["ab"]));
        assert_ne!(mix(1, &["a"]), mix(2, &["a"]));
        let guid = guid(7);
        assert_eq!((guid.len(), guid.as_bytes()[14]), (36, b'4'), "{guid}");
    }
}
