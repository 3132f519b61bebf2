//! Names of parameters and members, compared without signs and in lower case, as the lists of words have them.

/// A name as the lists have it.
pub(super) fn plain(name: &str) -> String {
    letters(name).map(char::from).collect()
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase())
}

/// Returns whether a plain name is the word.
pub(super) fn is_word(name: &str, word: &str) -> bool {
    letters(name).eq(word.bytes())
}

/// Returns whether two names are the same, but for signs and case.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    letters(one).eq(letters(other))
}

/// Returns whether a name is one of a list.
pub(super) fn is_one(name: &str, list: &[&str]) -> bool {
    list.iter().any(|word| is_word(name, word))
}

/// The name of a header without the mark of an extension.
pub(super) fn header(name: &str) -> String {
    let plain = plain(name);
    if name.to_ascii_lowercase().starts_with("x-") { plain[1..].to_owned() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::{header, is_one, is_same, is_word, plain};

    #[test]
    fn signs_and_case_tell_no_names_apart() {
        let spelled = ["pageToken", "page_token", "$Page-Token"];
        for one in spelled {
            assert_eq!(plain(one), "pagetoken");
            assert!(is_word(one, "pagetoken") && is_one(one, &["cursor", "pagetoken"]), "{one}");
            assert!(spelled.iter().all(|other| is_same(one, other)), "{one}");
            for other in ["page", "pagetokens", "pagetoken2", ""] {
                assert!(!is_word(one, other) && !is_one(one, &[other]) && !is_same(one, other), "{one} {other}");
            }
        }
        assert_eq!((header("X-Next-Page").as_str(), header("Next-Page").as_str()), ("nextpage", "nextpage"));
    }
}
