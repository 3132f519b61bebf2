//! Texts that a regular expression matches.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::random::Random;

/// Repetitions beyond the least that a pattern asks for.
const MOST_REPEATS: u32 = 3;
const MOST_LETTERS: usize = 10_000;
const MOST_NESTING: u32 = 200;

/// A text that the pattern matches, of about the length that is asked for. Assertions are passed over: the caller checks the text.
/// `None` if the pattern cannot be read, or if its texts are too long.
pub(super) fn text(pattern: &str, least: usize, most: usize, random: &mut Random) -> Option<String> {
    let parse = |pattern: &str| ParserBuilder::new().nest_limit(MOST_NESTING).build().parse(pattern).ok();
    let hir = parse(pattern).or_else(|| parse(&without_lookaround(&pattern.replace(r"\/", "/"))))?;
    if hir.properties().minimum_len().is_some_and(|bytes| bytes > MOST_LETTERS) {
        return None;
    }
    let mut writer = Writer { text: String::new(), random, target: least.max(1), most, steps: 0 };
    writer.write(&hir)?;
    // Without anchors, any text may stand around a match.
    while writer.text.chars().count() < least && !pattern.ends_with('$') {
        let letter = writer.letter();
        writer.text.push(letter);
    }
    Some(writer.text)
}

struct Writer<'r> {
    text: String,
    random: &'r mut Random,
    /// The length that repetitions try to reach.
    target: usize,
    most: usize,
    steps: usize,
}

impl Writer<'_> {
    fn write(&mut self, hir: &Hir) -> Option<()> {
        self.steps += 1;
        if self.text.len() > MOST_LETTERS || self.steps > MOST_LETTERS * 4 {
            return None;
        }
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.text.push_str(std::str::from_utf8(&literal.0).ok()?),
            HirKind::Class(class) => {
                let letter = self.class(class)?;
                self.text.push(letter);
            }
            HirKind::Repetition(repetition) => self.repeat(repetition)?,
            HirKind::Capture(capture) => self.write(&capture.sub)?,
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.write(part))?,
            HirKind::Alternation(parts) => {
                let part = parts.get(self.random.index(parts.len()))?;
                self.write(part)?;
            }
        }
        Some(())
    }

    fn repeat(&mut self, repetition: &Repetition) -> Option<()> {
        let room = repetition.max.unwrap_or(u32::MAX).saturating_sub(repetition.min);
        let short = u32::try_from(self.target.saturating_sub(self.text.chars().count())).unwrap_or(u32::MAX);
        let extra = room.min(MOST_REPEATS.max(short).saturating_add(1));
        let extra = u32::try_from(self.random.below(u64::from(extra) + 1)).unwrap_or(0);
        let is_short = short > MOST_REPEATS;
        let count = repetition.min.saturating_add(if is_short { room.min(short).max(extra) } else { extra });
        for index in 0..count {
            if index >= repetition.min && self.text.chars().count() >= self.most {
                break;
            }
            self.write(&repetition.sub)?;
        }
        Some(())
    }

    /// A letter of a class: of ASCII if the class has some.
    fn class(&mut self, class: &Class) -> Option<char> {
        let ranges: Vec<(u32, u32)> = match class {
            Class::Unicode(class) => {
                class.ranges().iter().map(|range| (range.start() as u32, range.end() as u32)).collect()
            }
            Class::Bytes(class) => {
                class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
            }
        };
        let within = |low: u32, high: u32| -> Vec<(u32, u32)> {
            ranges
                .iter()
                .map(|(start, end)| (*start.max(&low), *end.min(&high)))
                .filter(|(start, end)| start <= end)
                .collect()
        };
        let letters =
            [within(b'a'.into(), b'z'.into()), within(b'0'.into(), b'9'.into()), within(b'A'.into(), b'Z'.into())]
                .concat();
        let printable = within(0x21, 0x7e);
        let usable = [letters, printable, ranges].into_iter().find(|ranges| !ranges.is_empty())?;
        let count: u64 = usable.iter().map(|(start, end)| u64::from(end - start) + 1).sum();
        let mut index = self.random.below(count);
        for (start, end) in usable {
            let width = u64::from(end - start) + 1;
            if index < width {
                return char::from_u32(start + u32::try_from(index).ok()?).or_else(|| char::from_u32(start));
            }
            index -= width;
        }
        None
    }

    fn letter(&mut self) -> char {
        char::from(b'a' + u8::try_from(self.random.below(26)).unwrap_or(0))
    }
}

/// The pattern without its lookaheads and lookbehinds.
fn without_lookaround(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(start) = ["(?=", "(?!", "(?<=", "(?<!"].iter().filter_map(|group| rest.find(group)).min() {
        out.push_str(rest.get(..start).unwrap_or_default());
        rest = rest.get(start..).unwrap_or_default();
        let mut depth = 0_usize;
        let mut in_class = false;
        let mut is_escaped = false;
        let mut end = rest.len();
        for (index, letter) in rest.char_indices() {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => depth += 1,
                ')' if !in_class => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && letter == ')' && !is_escaped {
                end = index + 1;
                break;
            }
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}
