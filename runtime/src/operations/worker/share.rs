//! Fair shares.

/// How many of some free places each group gets, so that all groups have as many as the others, as far as can be. Groups that
/// have had their fill get none.
pub(super) fn shares(free: usize, held: &[usize], hungry: &[bool]) -> Vec<usize> {
    let open = || held.iter().zip(hungry).filter(|(_, hungry)| **hungry).map(|(held, _)| *held);
    let needed = |level: usize| open().map(|held| level.saturating_sub(held)).fold(0_usize, usize::saturating_add);
    let groups = open().count();
    if groups == 0 {
        return vec![0; held.len()];
    }
    // The highest level that all groups can be brought to.
    let (mut low, mut high) = (0, open().max().unwrap_or_default().saturating_add(free));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if needed(middle) <= free { low = middle } else { high = middle - 1 }
    }
    let mut rest = free - needed(low);
    held.iter()
        .zip(hungry)
        .map(|(held, hungry)| {
            let share = if *hungry { low.saturating_sub(*held) } else { 0 };
            // What does not divide goes to those that are at the level, one each.
            let more = usize::from(*hungry && *held <= low && rest > 0);
            rest -= more;
            share + more
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn places_level_the_groups() {
        assert_eq!(shares(6, &[0, 0, 0], &[true; 3]), [2, 2, 2]);
        assert_eq!(shares(4, &[10, 0, 1], &[true; 3]), [0, 3, 1]);
        assert_eq!(shares(7, &[0, 0, 0], &[true, false, true]), [4, 0, 3]);
        assert_eq!(shares(5, &[3], &[true]), [5]);
        assert_eq!(shares(0, &[1, 2], &[true; 2]), [0, 0]);
        assert_eq!(shares(9, &[1, 2], &[false; 2]), [0, 0]);
        assert_eq!(shares(9, &[], &[]), Vec::<usize>::new());
    }

    #[test]
    fn all_places_are_given_and_no_group_is_left_behind() {
        let mut number: u64 = 7;
        let mut next = |below: u64| {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((number >> 33) % below).unwrap_or_default()
        };
        for _ in 0..2000 {
            let (free, groups) = (next(50), 1 + next(6));
            let held: Vec<usize> = (0..groups).map(|_| next(30)).collect();
            let given = shares(free, &held, &vec![true; groups]);
            assert_eq!(given.iter().sum::<usize>(), free);
            let after: Vec<usize> = held.iter().zip(&given).map(|(held, given)| held + given).collect();
            // Whoever got a place is at most one above everybody else.
            for (after_one, given) in after.iter().zip(&given) {
                if *given > 0 {
                    assert!(after.iter().all(|other| other + 1 >= *after_one), "{held:?} {given:?} {after:?}");
                }
            }
        }
    }
}
