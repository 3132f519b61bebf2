//! Fair shares.

/// Returns the number of free slots for each group, so that all groups have as equal numbers as possible. Groups
/// without demand get none.
pub(super) fn shares(free: usize, leased: &[usize], wants: &[bool]) -> Vec<usize> {
    let open = || leased.iter().zip(wants).filter(|(_, wants)| **wants).map(|(leased, _)| *leased);
    let needed = |level: usize| open().map(|leased| level.saturating_sub(leased)).fold(0_usize, usize::saturating_add);
    let groups = open().count();
    if groups == 0 {
        return vec![0; leased.len()];
    }
    // The highest level that all groups can reach.
    let (mut low, mut high) = (0, open().max().unwrap_or_default().saturating_add(free));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if needed(middle) <= free { low = middle } else { high = middle - 1 }
    }
    let mut rest = free - needed(low);
    leased
        .iter()
        .zip(wants)
        .map(|(leased, wants)| {
            let share = if *wants { low.saturating_sub(*leased) } else { 0 };
            // The remainder goes to the groups at that level, one each.
            let more = usize::from(*wants && *leased <= low && rest > 0);
            rest -= more;
            share + more
        })
        .collect()
}

/// Returns the number of slots that each group gives up to waiting operations, so that all groups have as equal numbers
/// as possible, and each waiting operation has its turn. `due` counts those that wait, up to `places`.
pub(super) fn releases(places: usize, leased: &[usize], due: &[usize]) -> Vec<usize> {
    let mut targets = vec![0; leased.len()];
    loop {
        let rest = places.saturating_sub(targets.iter().sum());
        let wants: Vec<bool> =
            leased.iter().zip(due).zip(&targets).map(|((leased, due), target)| *target < leased + due).collect();
        let more = shares(rest, &targets, &wants);
        if more.iter().all(|more| *more == 0) {
            break;
        }
        for (((target, more), leased), due) in targets.iter_mut().zip(more).zip(leased).zip(due) {
            *target = (*target + more).min(leased + due);
        }
    }
    let given = |((leased, due), target): ((&usize, &usize), usize)| (leased + due.min(&target)).saturating_sub(target);
    leased.iter().zip(due).zip(targets).map(given).collect()
}

#[cfg(test)]
mod tests {
    use super::{releases, shares};

    #[test]
    fn places_are_given_up_where_others_wait_and_only_there() {
        assert_eq!(releases(2, &[2], &[1]), [1]);
        assert_eq!(releases(2, &[2], &[9]), [2]);
        assert_eq!(releases(2, &[2], &[0]), [0]);
        assert_eq!(releases(9, &[2], &[7]), [0]);
        assert_eq!(releases(2, &[2, 0], &[0, 1]), [1, 0]);
        assert_eq!(releases(4, &[3, 1], &[2, 1]), [3, 0]);
        let mut number: u64 = 11;
        let mut next = |below: u64| {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((number >> 33) % below).unwrap_or_default()
        };
        for _ in 0..2000 {
            let (places, groups) = (1 + next(40), 1 + next(5));
            let mut leased = vec![0; groups];
            (0..next(places as u64 + 1)).for_each(|_| leased[next(groups as u64)] += 1);
            let due: Vec<usize> = (0..groups).map(|_| next(4) * next(20)).collect();
            let context = format!("{places} {leased:?} {due:?}");
            let given = releases(places, &leased, &due);
            let mut kept: Vec<usize> = leased.iter().zip(&given).map(|(leased, given)| leased - given).collect();
            // The result of the next claims.
            let mut rest = due.clone();
            loop {
                let wants: Vec<bool> = rest.iter().map(|rest| *rest > 0).collect();
                let more = shares(places - kept.iter().sum::<usize>(), &kept, &wants);
                if more.iter().sum::<usize>() == 0 {
                    break;
                }
                for ((kept, rest), more) in kept.iter_mut().zip(&mut rest).zip(more) {
                    *kept += more.min(*rest);
                    *rest -= more.min(*rest);
                }
            }
            for (((leased, due), kept), rest) in leased.iter().zip(&due).zip(&kept).zip(&rest) {
                let level = places / groups;
                assert!(*kept >= level.min(leased + due), "a group has less than its share: {context}");
                assert!(due - rest >= level.min(*due), "what waits has no turn: {context}");
            }
            let is_enough = leased.iter().chain(&due).sum::<usize>() <= places;
            assert!(!is_enough || given.iter().all(|given| *given == 0), "nobody need give way: {context} {given:?}");
        }
    }

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
            let leased: Vec<usize> = (0..groups).map(|_| next(30)).collect();
            let given = shares(free, &leased, &vec![true; groups]);
            assert_eq!(given.iter().sum::<usize>(), free);
            let after: Vec<usize> = leased.iter().zip(&given).map(|(leased, given)| leased + given).collect();
            // A group that got a slot is at most one above every other.
            for (after_one, given) in after.iter().zip(&given) {
                if *given > 0 {
                    assert!(after.iter().all(|other| other + 1 >= *after_one), "{leased:?} {given:?} {after:?}");
                }
            }
        }
    }
}
