//! Names of style 2 without the words that their family says.

use std::collections::BTreeSet;

use super::ident::member_name;
use super::words::{asks, is_action, is_preposition, is_task, singular};

/// The words as one word in the singular.
fn joined(words: &[&str]) -> String {
    singular(&words.concat())
}

/// Returns whether a noun is the name of the family.
pub(crate) fn is_whole(noun: &str, family: &[&str]) -> bool {
    joined(&noun.split('_').collect::<Vec<_>>()) == joined(family)
}

/// The noun without the words of the family, if they stand in it.
pub(crate) fn without(noun: &str, family: &[&str]) -> String {
    let is_same = |one: &str, other: &str| one == other || singular(one) == singular(other);
    let words: Vec<&str> = noun.split('_').filter(|word| !word.is_empty()).collect();
    let is_part = |from: usize| (from + 1..=family.len()).any(|to| joined(&family[from..to]) == joined(&words));
    if words.iter().all(|word| family.iter().any(|own| is_same(word, own))) || (0..family.len()).any(is_part) {
        return String::new();
    }
    // `filescanresult` in the family `file_scan`
    let compound = family.concat();
    let rest = noun.strip_prefix(&compound).filter(|_| family.len() > 1 && words.len() == 1);
    if let Some(rest) = rest.filter(|rest| rest.len() > 3 && rest.chars().all(|c| c.is_ascii_lowercase())) {
        return rest.to_owned();
    }
    let mut parts = words.windows(family.len().max(1));
    let Some(at) = parts.position(|part| part.iter().zip(family).all(|(one, own)| is_same(one, own))) else {
        return noun.to_owned();
    };
    let rest: Vec<&str> = words[..at].iter().chain(&words[at + family.len()..]).copied().collect();
    // A digit cannot begin a name, and a preposition or `get` at the end says nothing without its object.
    let is_open = rest.last().is_none_or(|last| *last == "get" || is_preposition(last));
    if is_open || !rest.iter().any(|word| word.starts_with(char::is_alphabetic)) {
        return noun.to_owned();
    }
    rest.join("_")
}

/// The action of `Controller_Action` if it says all words of its controller that the family does not say: `get_contributors` of
/// `AppContributors_GetContributors` in the family `apps`. A family of more words than the controller, as `order_items` for
/// `Order_GetById`, is about something else.
pub(crate) fn without_controller(id: &str, family: &str) -> Option<String> {
    let parts: Vec<&str> = id.split(['_', '/', '.']).collect();
    let [controller, action] = parts.as_slice() else { return None };
    let (controller, action) = (member_name(controller), member_name(action));
    let words = |text: &str| text.split('_').filter(|word| !word.is_empty()).map(singular).collect::<BTreeSet<_>>();
    let (of_controller, of_action, of_family) = (words(&controller), words(&action), words(family));
    let known = if of_family.is_subset(&of_controller) { &of_family | &of_action } else { of_action };
    let is_said = of_controller.is_subset(&known);
    let is_verb = is_action(&controller) || is_task(&controller) || asks(&controller);
    (is_said && !is_verb && action.contains('_') && action.starts_with(char::is_alphabetic)).then_some(action)
}
