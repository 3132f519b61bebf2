//! The names of a record's members, and the search for one of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A search in the names of a record's members by hash, which first tries the name that came next in the last value: a
/// service writes members in one order.
#[derive(Debug)]
pub(super) struct Index {
    list: &'static [&'static str],
    /// The position of the member that came next in the last value: at 0, the first one; at n, the one after member n - 1.
    /// Each comes from a search, so that the first of equal names has the member.
    next: Box<[AtomicUsize]>,
    /// A hash table with linear probing: positions in the list, from 1 on. At least half of its entries are 0, which
    /// ends a search.
    table: Box<[u32]>,
    /// The index of another list in the same chain.
    other: OnceLock<&'static Index>,
}

/// All indexes, in chains by the addresses of their lists. An index is made when its list is first used, and never dropped.
/// A static in generated code would take longer to compile.
static CHAINS: [OnceLock<&'static Index>; 256] = [const { OnceLock::new() }; 256];

impl Index {
    /// Returns the index of a list.
    pub(super) fn get(list: &'static [&'static str]) -> &'static Self {
        let mut place = &CHAINS[list.as_ptr().addr() / size_of::<&str>() % CHAINS.len()];
        loop {
            let index: &'static Self = place.get_or_init(|| Box::leak(Box::new(Self::new(list))));
            if std::ptr::eq(index.list, list) {
                return index;
            }
            place = &index.other;
        }
    }

    #[cold]
    fn new(list: &'static [&'static str]) -> Self {
        let mut table = vec![0; (list.len() * 2).next_power_of_two()];
        let mask = table.len() - 1;
        for (position, name) in (1..).zip(list) {
            let mut entry = hash(name);
            while table[entry & mask] != 0 {
                entry = entry.wrapping_add(1);
            }
            table[entry & mask] = position;
        }
        let next = (0..=list.len()).map(|_| AtomicUsize::new(usize::MAX)).collect();
        Self { list, next, table: table.into_boxed_slice(), other: OnceLock::new() }
    }

    /// Returns whether the last slot takes undeclared members: it has no name.
    pub(super) fn keeps_undeclared(&self) -> bool {
        self.list.last().is_some_and(|name| name.is_empty())
    }

    /// Returns the position of the name that comes after the member at `after - 1`. That of an undeclared name is beyond
    /// the list; if the record keeps it, it is copied to `undeclared`.
    // A function for all types and formats: inlined, it makes their loops larger and slower.
    #[inline(never)]
    pub(super) fn position(&self, name: &str, after: usize, undeclared: &mut String) -> usize {
        let expected = self.next(after);
        if self.is(expected, name) { expected } else { self.search(name, after, expected, undeclared) }
    }

    fn next(&self, place: usize) -> usize {
        self.next.get(place).map_or(usize::MAX, |next| next.load(Relaxed))
    }

    #[inline]
    fn is(&self, position: usize, name: &str) -> bool {
        self.list.get(position).is_some_and(|candidate| is_same(candidate, name))
    }

    #[inline(never)]
    fn search(&self, name: &str, after: usize, expected: usize, undeclared: &mut String) -> usize {
        // A service leaves optional members out: then, the one behind it comes, and is not learned.
        let behind = self.next(expected.wrapping_add(1));
        if self.is(behind, name) {
            return behind;
        }
        let mut entry = hash(name);
        while let Some(position @ 1..) = self.table.get(entry & (self.table.len() - 1)) {
            let position = *position as usize - 1;
            if self.is(position, name) {
                if let Some(next) = self.next.get(after) {
                    next.store(position, Relaxed);
                }
                return position;
            }
            entry = entry.wrapping_add(1);
        }
        if self.keeps_undeclared() {
            name.clone_into(undeclared);
        }
        usize::MAX
    }
}

/// FNV-1a.
fn hash(name: &str) -> usize {
    let hash = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    (hash ^ hash >> 32) as usize
}

/// Returns whether two names are the same. `==` calls a function of the C library, which takes longer for names of usual
/// lengths.
#[inline]
fn is_same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    if one.len() < 8 {
        return match (one.first_chunk::<4>(), one.last_chunk::<4>()) {
            (Some(first), Some(last)) => Some(first) == other.first_chunk() && Some(last) == other.last_chunk(),
            _ => one.iter().eq(other),
        };
    }
    if one.last_chunk::<8>() != other.last_chunk() {
        return false;
    }
    while let (Some((first, rest)), Some((other_first, other_rest))) =
        (one.split_first_chunk::<8>(), other.split_first_chunk::<8>())
    {
        if first != other_first {
            return false;
        }
        (one, other) = (rest, other_rest);
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// Names of each length up to 40, and names that only differ in the middle.
    fn names() -> &'static [&'static str] {
        let mut names: Vec<String> = (1..=40).map(|length| "abcdefghij".repeat(4)[..length].to_owned()).collect();
        names.extend(('A'..='Z').map(|letter| format!("the first{letter}the last")));
        Vec::leak(names.into_iter().map(|name| &*name.leak()).collect())
    }

    #[test]
    fn each_name_has_its_position_whichever_came_before() {
        let index = Index::new(names());
        for after in 0..=names().len() {
            for (position, name) in names().iter().enumerate() {
                for _ in 0..2 {
                    assert_eq!(index.position(name, after, &mut String::new()), position, "{name:?} after {after}");
                }
            }
        }
    }

    #[test]
    fn an_undeclared_name_is_beyond_the_list_and_copied_if_the_record_keeps_it() {
        for (list, kept) in [(&["id", "name"][..], ""), (&["id", "name", ""], "idd")] {
            let mut undeclared = String::new();
            assert_eq!(Index::new(list).position("idd", 0, &mut undeclared), usize::MAX);
            assert_eq!(undeclared, kept);
        }
        for (number, declared) in names().iter().enumerate() {
            for other in [format!("{declared}!"), format!("!{declared}"), format!("{}!", &declared[1..])] {
                let position = Index::new(names()).position(&other, number, &mut String::new());
                assert_eq!(position, usize::MAX, "{other:?}");
            }
        }
        assert_eq!(Index::new(&[]).position("id", 0, &mut String::new()), usize::MAX);
    }

    #[test]
    fn each_list_has_one_index_on_all_threads() {
        let lists: Vec<&'static [&'static str]> =
            (0..2 * CHAINS.len()).map(|number| &*Vec::leak(vec![&*number.to_string().leak(), "same"])).collect();
        let all = || lists.iter().map(|list| std::ptr::from_ref(Index::get(list)).addr()).collect::<Vec<_>>();
        let together = std::sync::Barrier::new(4);
        let begin = || {
            together.wait();
            all()
        };
        let each: Vec<_> = std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(begin));
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(each.iter().all(|indexes| *indexes == all()));
        for (number, list) in lists.iter().enumerate() {
            assert_eq!(Index::get(list).position(&number.to_string(), 0, &mut String::new()), 0);
            // A part of a list is another list, at the same address.
            assert_eq!(Index::get(&list[..1]).position("same", 0, &mut String::new()), usize::MAX);
        }
    }

    fn expected(index: &Index) -> Vec<usize> {
        index.next.iter().map(|next| next.load(Relaxed)).collect()
    }

    #[test]
    fn the_order_of_the_last_value_is_expected_of_the_next_one() {
        let index = Index::new(&["a", "b", "c"]);
        for (name, after) in [("c", 0), ("x", 3), ("a", 3), ("b", 1)] {
            index.position(name, after, &mut String::new());
        }
        assert_eq!(expected(&index), [2, 1, usize::MAX, 0]);
    }

    #[test]
    fn a_member_that_is_left_out_once_is_still_expected() {
        let index = Index::new(&["a", "b", "c"]);
        for name in ["a", "b", "c"] {
            let after = expected(&index).iter().take_while(|next| **next != usize::MAX).count();
            index.position(name, after, &mut String::new());
        }
        assert_eq!(index.position("c", 1, &mut String::new()), 2);
        assert_eq!(expected(&index), [0, 1, 2, usize::MAX]);
    }

    #[test]
    fn the_first_of_equal_names_has_the_member_whatever_came_before() {
        let index = Index::new(&["", "x", ""]);
        for after in [2, 0, 1, 2, 3, 2] {
            assert_eq!(index.position("", after, &mut String::new()), 0);
            assert_eq!(index.position("x", after, &mut String::new()), 1);
        }
    }
}
