//! Paths that match templates.

use std::collections::HashSet;

use percent_encoding::percent_decode_str;

use super::template::{Segment, SegmentPart};

/// Segments that a parameter for the rest of a path takes.
const MOST_TAKEN: usize = 256;

/// The segments of a path, decoded one by one. A slash at the end is a segment without text only if a template has one.
pub(crate) fn decoded(path: &str) -> Vec<String> {
    let path = path.strip_prefix('/').unwrap_or(path);
    if path.is_empty() {
        return Vec::new();
    }
    path.split('/').map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned()).collect()
}

/// For each segment: 3 for a literal, 2 for a mixture, 1 for a parameter, 0 for one that takes the rest.
pub(crate) fn specificity(segments: &[Segment]) -> Vec<u8> {
    let of_segment = |segment: &Segment| match segment.parts.as_slice() {
        [] | [SegmentPart::Literal(_)] => 3,
        [SegmentPart::Parameter(_)] => 1,
        parts if parts.iter().any(|part| matches!(part, SegmentPart::Rest(_))) => 0,
        _ => 2,
    };
    segments.iter().map(of_segment).collect()
}

/// Matches the segments of a template with those of a path. Names and values of parameters are added to `values`.
pub(crate) fn matches(template: &[Segment], path: &[String], values: &mut Vec<(String, String)>) -> bool {
    fits(template, path, values, &mut HashSet::new())
}

/// `failed` has the numbers of segments of templates and paths that do not match: each pair is tried once.
fn fits(
    template: &[Segment],
    path: &[String],
    values: &mut Vec<(String, String)>,
    failed: &mut HashSet<(usize, usize)>,
) -> bool {
    let ends = (template.len(), path.len());
    if failed.contains(&ends) {
        return false;
    }
    let is_match = match (template.split_first(), path.split_first()) {
        (None, None) => true,
        (None, Some((last, []))) => last.is_empty(),
        (Some((segment, template)), Some((text, rest))) => {
            let count = values.len();
            if part(&segment.parts, text, values) && fits(template, rest, values, failed) {
                return true;
            }
            values.truncate(count);
            // A parameter for the rest takes more segments, from the most to the fewest.
            let takes_rest = segment.parts.iter().any(|part| matches!(part, SegmentPart::Rest(_)));
            takes_rest
                && (2..=path.len().min(MOST_TAKEN)).rev().any(|end| {
                    values.truncate(count);
                    let (taken, rest) = path.split_at(end);
                    !failed.contains(&(template.len(), rest.len()))
                        && part(&segment.parts, &taken.join("/"), values)
                        && fits(template, rest, values, failed)
                })
        }
        _ => false,
    };
    if !is_match {
        failed.insert(ends);
    }
    is_match
}

/// Matches one segment. A parameter is not empty, and takes as much as it can. The literals are looked for from the end, each at its
/// last place: it leaves most to those before, so no other place needs a try, and the time is linear in the text.
fn part(parts: &[SegmentPart], text: &str, values: &mut Vec<(String, String)>) -> bool {
    let count = values.len();
    let is_match = from_end(parts, text, values).is_some();
    match is_match {
        true => values.get_mut(count..).unwrap_or_default().reverse(),
        false => values.truncate(count),
    }
    is_match
}

fn from_end(parts: &[SegmentPart], text: &str, values: &mut Vec<(String, String)>) -> Option<()> {
    let mut rest = text;
    let mut open: Option<&str> = None;
    for (index, part) in parts.iter().enumerate().rev() {
        match (part, open.take()) {
            (SegmentPart::Literal(literal), None) => rest = rest.strip_suffix(literal.as_str())?,
            (SegmentPart::Literal(literal), Some(name)) => {
                let last = rest.char_indices().next_back()?.0;
                let before = rest.get(..last)?;
                let start = if index == 0 {
                    before.starts_with(literal.as_str()).then_some(0)?
                } else {
                    before.rfind(literal.as_str())?
                };
                values.push((name.to_owned(), rest.get(start + literal.len()..)?.to_owned()));
                rest = rest.get(..start)?;
            }
            (SegmentPart::Parameter(name) | SegmentPart::Rest(name), behind) => {
                if let Some(behind) = behind {
                    let (before, letter) = rest.split_at(rest.char_indices().next_back()?.0);
                    values.push((behind.to_owned(), letter.to_owned()));
                    rest = before;
                }
                open = Some(name);
            }
        }
    }
    match open {
        Some(name) if !rest.is_empty() => values.push((name.to_owned(), rest.to_owned())),
        None if rest.is_empty() => {}
        _ => return None,
    }
    Some(())
}
