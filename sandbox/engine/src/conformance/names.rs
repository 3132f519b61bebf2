//! The names of Rust: a program that is written from the generator's table of names cannot see that two of them are swapped.

use super::{Verdict, fault};

/// A name of Rust beside the name in the contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// `path`, `query`, `header` or `cookie`, `answer header`, `member` or `value`.
    pub place: String,
    /// The name in the contract.
    pub wire: String,
    /// The name of Rust.
    pub rust: String,
    /// Other names that the contract gives it.
    pub labels: Vec<String>,
    /// `true` if a configuration, or a file of names, gives the name of Rust.
    pub is_given: bool,
}

/// The longest name that is surely written out.
const LONGEST: usize = 100;

/// The verdict on all names of one owner: those of an operation's parameters, or of a type's members or values.
pub fn names(names: &[Name]) -> Verdict {
    let mut verdict = Verdict::Right;
    for name in names.iter().filter(|name| !name.is_given) {
        match judged(name, names) {
            Verdict::Right => {}
            Verdict::Limit(why) => verdict = Verdict::Limit(why),
            fault => return fault,
        }
    }
    verdict
}

fn judged(name: &Name, all: &[Name]) -> Verdict {
    let rust = plain(&name.rust);
    let number = rust.trim_end_matches(|c: char| c.is_ascii_digit());
    let wishes: Vec<String> = name.labels.iter().chain([&name.wire]).map(|wish| plain(wish)).collect();
    let is_twice = |wish: &str| {
        all.iter().filter(|other| other.labels.iter().chain([&other.wire]).any(|it| plain(it) == wish)).count() > 1
    };
    if wishes.iter().any(|wish| is_name(&name.place, wish, &rust) || (is_twice(wish) && number == wish)) {
        return Verdict::Right;
    }
    let limit =
        |why: &str| Verdict::Limit(format!("the name {:?} of {} {:?}: {why}", name.rust, name.place, name.wire));
    let is_plain = |text: &String| text.is_ascii() && text.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if !name.labels.iter().chain([&name.wire]).all(is_plain) || name.wire.starts_with(['+', '-']) {
        return limit("its characters have no one spelling in Rust");
    }
    if wishes.iter().any(|wish| is_twice(wish)) {
        return limit("another name differs from it by signs or case only");
    }
    if wishes.iter().any(|wish| wish.len() > LONGEST && wish.starts_with(number)) {
        return limit("it is too long");
    }
    let rule = if ["member", "value"].contains(&name.place.as_str()) { "Schema Object" } else { "Parameter Object" };
    fault(&format!("name {} {}", name.place, name.wire), rule, &name.wire, &name.rust)
}

/// Letters and digits, in lower case.
fn plain(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns whether a name of Rust is a wish, or one with a mark: behind or before a name that Rust or the client uses itself.
fn is_name(place: &str, wish: &str, rust: &str) -> bool {
    let is_digits = wish.starts_with(|c: char| c.is_ascii_digit());
    let before = |mark: &str| rust.strip_prefix(mark) == Some(wish);
    let behind = |mark: &str| rust.strip_suffix(mark) == Some(wish);
    match place {
        _ if rust == wish || (is_digits && before("n")) => true,
        "member" => false,
        "value" => (is_digits && before("value")) || (["unknown", "self"].contains(&wish) && behind("value")),
        "answer header" => before("header"),
        place => before("param") || behind(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(place: &str, wire: &str, rust: &str) -> Name {
        Name { place: place.to_owned(), wire: wire.to_owned(), rust: rust.to_owned(), ..Name::default() }
    }

    fn class(verdict: &Verdict) -> &'static str {
        match verdict {
            Verdict::Right => "right",
            Verdict::Fault(_) | Verdict::Mismatch(_) => "fault",
            Verdict::Contradiction(_) => "contradiction",
            Verdict::Limit(_) => "limit",
        }
    }

    #[test]
    fn a_name_is_that_of_the_contract_without_case_and_signs() {
        for (place, wire, rust, expected) in [
            ("query", "projectId", "project_id", "right"),
            ("header", "X-Request-ID", "x_request_id", "right"),
            ("query", "type", "type_", "right"),
            ("query", "deadline", "param_deadline", "right"),
            ("query", "body", "body_query", "right"),
            ("answer header", "Into", "header_into", "right"),
            ("member", "1st", "n_1st", "right"),
            ("value", "404", "Value404", "right"),
            ("value", "unknown", "UnknownValue", "right"),
            ("query", "left", "right", "fault"),
            ("query", "left", "left_", "right"),
            ("query", "left", "left_2", "fault"),
            ("member", "name", "param_name", "fault"),
            ("member", "$ref", "ref_", "right"),
            ("member", "größe", "grosse", "limit"),
            ("value", "<=", "LessEqual", "limit"),
            ("value", "-1", "Minus1", "limit"),
        ] {
            assert_eq!(class(&names(&[name(place, wire, rust)])), expected, "{place} {wire} {rust}");
        }
    }

    #[test]
    fn names_that_collide_are_numbered_or_unknown() {
        let both = |rust: &str| [name("query", "user-id", "user_id"), name("query", "userId", rust)];
        assert_eq!(class(&names(&both("user_id_2"))), "right");
        assert_eq!(class(&names(&both("user_id_query_2"))), "limit");
        assert_eq!(class(&names(&[name("query", "a", "b"), name("query", "b", "a")])), "fault");
    }

    #[test]
    fn a_given_name_and_a_label_are_right() {
        let given = Name { is_given: true, ..name("query", "left", "other") };
        assert_eq!(names(&[given]), Verdict::Right);
        let labelled = Name { labels: vec!["Closed".to_owned()], ..name("value", "2", "Closed") };
        assert_eq!(names(std::slice::from_ref(&labelled)), Verdict::Right);
        assert_eq!(class(&names(&[Name { rust: "Open".to_owned(), ..labelled }])), "fault");
    }
}
