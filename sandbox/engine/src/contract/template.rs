//! Path templates.

use percent_encoding::{AsciiSet, CONTROLS, PercentEncode, utf8_percent_encode};

/// One segment of a path, between two slashes: `projects`, `{id}`, `{id}.json`, `{name}:cancel`, `items({key})`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) parts: Vec<SegmentPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SegmentPart {
    Literal(String),
    Parameter(String),
    /// `{+name}` and `{name*}`: a parameter that takes the slashes behind it as well.
    Rest(String),
}

impl Segment {
    /// The names of its parameters.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            SegmentPart::Parameter(name) | SegmentPart::Rest(name) => Some(name.as_str()),
            SegmentPart::Literal(_) => None,
        })
    }

    pub(crate) fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, behind)) = after.split_once('}') else { break };
            if !before.is_empty() {
                parts.push(SegmentPart::Literal(before.to_owned()));
            }
            parts.push(parameter(name));
            rest = behind;
        }
        if !rest.is_empty() {
            parts.push(SegmentPart::Literal(rest.to_owned()));
        }
        Self { parts }
    }
}

/// `{+name}` of RFC 6570, `{name*}` and `{name}` as frameworks leave them: `{*name}`, `{id:guid}`, `{id?}`.
fn parameter(text: &str) -> SegmentPart {
    let is_rest = text.starts_with(['+', '*']) || text.ends_with('*');
    let name = text.trim_matches(['+', '*', '?']);
    if is_rest { SegmentPart::Rest(name.to_owned()) } else { SegmentPart::Parameter(name.to_owned()) }
}

/// The segments of a template, the leading slash apart. `/` has none.
pub(crate) fn segments(template: &str) -> Vec<Segment> {
    let path = template.strip_prefix('/').unwrap_or(template);
    if path.is_empty() { Vec::new() } else { path.split('/').map(Segment::parse).collect() }
}

/// A decoded segment of a path in the one encoding that the state knows.
pub(crate) fn encoded_segment(segment: &str) -> PercentEncode<'_> {
    const SPECIAL: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'%')
        .add(b'/')
        .add(b'<')
        .add(b'>')
        .add(b'?')
        .add(b'[')
        .add(b'\\')
        .add(b']')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    utf8_percent_encode(segment, SPECIAL)
}
