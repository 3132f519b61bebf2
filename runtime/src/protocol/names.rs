//! The names of a record's members, and the search for one of them.

use std::sync::{
    OnceLock,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

/// The names of a record's members.
///
/// They are indexed when the first value is read: not by the compiler, because most programs read few of a contract's
/// types.
#[derive(Debug)]
pub struct Names {
    /// The name of the type, for errors.
    record: &'static str,
    list: &'static [&'static str],
    index: OnceLock<Index>,
}

impl Names {
    /// Names of a type.
    pub const fn new(record: &'static str, list: &'static [&'static str]) -> Self {
        Self { record, list, index: OnceLock::new() }
    }

    /// Returns the name of the type.
    pub(super) fn record(&self) -> &'static str {
        self.record
    }

    /// Returns the name at a position.
    pub(super) fn name(&self, position: usize) -> &'static str {
        self.list.get(position).copied().unwrap_or_default()
    }

    /// Returns the index for searches.
    #[inline]
    pub(super) fn index(&'static self) -> &'static Index {
        self.index.get_or_init(|| Index::new(self.list))
    }
}

/// A search for names by hash, which first tries the name that came next in the last value: a service writes members in
/// one order.
#[derive(Debug)]
pub(super) struct Index {
    list: &'static [&'static str],
    /// The position of the member that came after each one. The first is that at the begin of the object.
    next: Box<[AtomicUsize]>,
    /// A hash table with linear probing: positions in the list, from 1 on. At least half of its entries are 0, which
    /// ends a search.
    table: Box<[u32]>,
}

impl Index {
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
        Self { list, next: (0..=list.len()).map(AtomicUsize::new).collect(), table: table.into_boxed_slice() }
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
            Some(candidate) if is_same(candidate, name) => expected,
            _ => self.search(name, after, undeclared),
        }
    }

    #[inline(never)]
    fn search(&self, name: &str, after: usize, undeclared: &mut String) -> usize {
        let mut entry = hash(name);
        loop {
            let position = self.table.get(entry & (self.table.len() - 1)).map_or(0, |position| *position as usize);
            match self.list.get(position.wrapping_sub(1)) {
                Some(candidate) if is_same(candidate, name) => {
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

/// Names differ at their ends more than in the middle.
#[inline]
fn hash(name: &str) -> usize {
    let name = name.as_bytes();
    let ends = match (name.first_chunk(), name.last_chunk(), name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last), ..) => u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(23),
        (.., Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
        }
        _ => name.iter().fold(0, |ends, byte| ends << 8 | u64::from(*byte)),
    };
    let product = u128::from(ends ^ name.len() as u64) * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as usize ^ product as usize
}

/// Returns whether two names are the same. `==` calls a function of the C library, which takes longer than to compare
/// names of usual lengths.
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

    /// Names of each length up to 40, and names that only differ in the middle, which have the same hash.
    fn names() -> &'static [&'static str] {
        let mut names: Vec<String> = (1..=40).map(|length| "abcdefghij".repeat(4)[..length].to_owned()).collect();
        names.extend(('A'..='Z').map(|letter| format!("the first{letter}the last")));
        assert_eq!(hash(&names[40]), hash(&names[41]));
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
    fn the_order_of_the_last_value_is_expected_of_the_next_one() {
        let index = Index::new(&["a", "b", "c"]);
        for (name, after) in [("c", 0), ("x", 3), ("a", 3), ("b", 1)] {
            index.position(name, after, &mut String::new());
        }
        let next: Vec<usize> = index.next.iter().map(|next| next.load(Relaxed)).collect();
        assert_eq!(next, [2, 1, 2, 0]);
    }
}
