//! The names of a record's members, and the search for one of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A search in the names of a record's members by hash, which first tries the name that came next in the last value: a
/// service writes members in one order.
#[derive(Debug)]
pub(super) struct Index {
    list: &'static [&'static str],
    /// The position of the member that came after each one. The first is that at the begin of the object.
    next: Box<[AtomicUsize]>,
    /// A hash table with linear probing: positions in the list, from 1 on. At least half of its entries are 0, which
    /// ends a search.
    table: Box<[u32]>,
    /// The index of another list in the same chain.
    other: OnceLock<&'static Index>,
}

/// All indexes, in chains by the addresses of their lists. They are made when a type is first read, and never dropped. A
/// static of each type instead would make generated code take longer to compile.
static CHAINS: [OnceLock<&'static Index>; 256] = [const { OnceLock::new() }; 256];

impl Index {
    /// Returns the index of a list.
    pub(super) fn get(list: &'static [&'static str]) -> &'static Self {
        let mut place = &CHAINS[list.as_ptr().addr() / align_of::<&str>() % CHAINS.len()];
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
        let next = (0..=list.len()).map(AtomicUsize::new).collect();
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
        let expected = self.next.get(after).map_or(usize::MAX, |next| next.load(Relaxed));
        match self.list.get(expected) {
            Some(candidate) if *candidate == name => expected,
            _ => self.search(name, after, undeclared),
        }
    }

    #[inline(never)]
    fn search(&self, name: &str, after: usize, undeclared: &mut String) -> usize {
        let mut entry = hash(name);
        loop {
            let position = self.table.get(entry & (self.table.len() - 1)).map_or(0, |position| *position as usize);
            match self.list.get(position.wrapping_sub(1)) {
                Some(candidate) if *candidate == name => {
                    if let Some(next) = self.next.get(after) {
                        next.store(position - 1, Relaxed);
                    }
                    return position - 1;
                }
                Some(_) => entry = entry.wrapping_add(1),
                None => {
                    if self.keeps_undeclared() {
                        name.clone_into(undeclared);
                    }
                    return usize::MAX;
                }
            }
        }
    }
}

/// FNV-1a.
fn hash(name: &str) -> usize {
    let hash = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    (hash ^ hash >> 32) as usize
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
        let indexes = all();
        assert_eq!(all(), indexes);
        assert_eq!(std::thread::scope(|scope| scope.spawn(all).join().unwrap()), indexes);
        for (number, list) in lists.iter().enumerate() {
            assert_eq!(Index::get(list).position(&number.to_string(), 0, &mut String::new()), 0);
            // A part of a list is another list, at the same address.
            assert_eq!(Index::get(&list[..1]).position("same", 0, &mut String::new()), usize::MAX);
        }
    }

    #[test]
    fn the_order_of_the_last_value_is_expected_of_the_next_one() {
        let index = Index::new(&["a", "b", "c"]);
        for (name, after) in [("c", 0), ("x", 3), ("a", 3), ("b", 1)] {
            index.position(name, after, &mut String::new());
        }
        let next: Vec<usize> = index.next.iter().map(|next| next.load(Relaxed)).collect();
        assert_eq!(next, [2, 1, 2, 0]);
    }
}
