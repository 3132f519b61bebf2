//! Findings about the arguments and the result of a function.

use super::change::Direction;
use super::finding::Finding;
use super::item_change::changed_parts;
use super::items::ItemPair;
use super::rule::{Rule, Visible};
use super::sides::Sides;

/// Returns whether a finding is about a change in the signature of an operation, or of a function that makes a type.
pub(super) fn is_of_arguments(finding: &Finding, pair: &ItemPair<'_>) -> bool {
    let Some(Sides { before, after }) = pair.items.both() else { return true };
    let is_maker = before.origin.operation.is_empty();
    if is_maker && before.kind != "fn" {
        return true;
    }
    let plain = |text: &str| -> String { text.chars().filter(|char| char.is_alphanumeric()).collect::<String>() };
    let (arguments, result) = changed_parts(Sides { before, after });
    if arguments.is_empty() && !result {
        return finding.rule == Rule::OperationMoved || before.deprecated != after.deprecated;
    }
    let mut words = finding.subject.split([' ', '.', '[']).chain(finding.keyword.split([' ', '→']));
    let named = words.any(|word| {
        let word = plain(word).to_lowercase();
        arguments.iter().any(|argument| plain(argument) == word)
    });
    let is_result =
        result && finding.direction != Direction::Request && finding.rule.entry().visible != Visible::Errors;
    named && (is_maker || finding.direction != Direction::Response) || is_result
}
