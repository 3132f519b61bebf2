//! The comments of scripts, styles, pages and documents, as lines of text.

/// A line of text with its number.
pub(super) type Line<'a> = (usize, &'a str);

/// The delimiters of comments of a language.
pub(super) struct Language {
    /// Begins a comment up to the end of its line.
    line: Option<&'static str>,
    /// Begins and ends a comment over several lines.
    block: Option<(&'static str, &'static str)>,
}

const SHELL: Language = Language { line: Some("#"), block: None };
const PYTHON: Language = Language { line: Some("#"), block: Some(("\"\"\"", "\"\"\"")) };
const SCRIPT: Language = Language { line: Some("//"), block: Some(("/*", "*/")) };
const STYLE: Language = Language { line: None, block: Some(("/*", "*/")) };
const MARKUP: Language = Language { line: None, block: Some(("<!--", "-->")) };

/// The languages by the ends of paths.
const LANGUAGES: [(&str, Language); 10] = [
    (".toml", SHELL),
    (".sh", SHELL),
    (".yaml", SHELL),
    (".yml", SHELL),
    (".py", PYTHON),
    (".js", SCRIPT),
    (".ts", SCRIPT),
    (".cs", SCRIPT),
    (".css", STYLE),
    (".html", MARKUP),
];

/// The language of a file, if its comments are read.
pub(super) fn language(path: &str) -> Option<&'static Language> {
    let named = LANGUAGES.iter().find(|(end, _)| path.ends_with(end)).map(|(_, language)| language);
    named.or_else(|| path.starts_with(".ci/").then_some(&SHELL))
}

/// The comments of a text. A comment over several lines begins its line; a docstring is one, any other string is not.
pub(super) fn read<'a>(text: &'a str, language: &Language) -> Vec<Vec<Line<'a>>> {
    let (mut long, mut short) = (Vec::new(), Vec::new());
    // The end of a comment that began on an earlier line.
    let mut open = None;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let mut rest = line.trim_start();
        if open.is_none() {
            let begun = language.block.and_then(|(start, end)| Some((rest.strip_prefix(start)?, end)));
            let Some((comment, end)) = begun else {
                short.extend(to_line_end(line, language).map(|(marker, text)| (line_number, marker, text)));
                continue;
            };
            (rest, open) = (comment, Some(end));
            long.push(Vec::new());
        }
        let closed = open.and_then(|end| rest.split_once(end));
        if closed.is_some() {
            open = None;
        }
        let comment = closed.map_or(rest, |(comment, _)| comment);
        if let Some(block) = long.last_mut() {
            block.push((line_number, without_tags(comment.trim_start_matches(['*', '!', ' ']))));
        }
    }
    long.extend(blocks(short.into_iter()));
    long
}

/// The comment of a line up to its end, with a marker: comments beside code are not joined with comments on their own lines.
fn to_line_end<'a>(line: &'a str, language: &Language) -> Option<(&'static str, &'a str)> {
    let start = language.line?;
    let text = line.trim_start();
    if let Some(comment) = text.strip_prefix(start) {
        let is_interpreter = start == "#" && comment.starts_with('!');
        return (!is_interpreter).then(|| (start, without_tags(comment.trim_start_matches(['/', '!']))));
    }
    // A pattern or a string may contain the marker: beside code, only one after a blank and outside quotes is read.
    let marker = format!(" {start} ");
    let is_outside = |code: &str| ['"', '\'', '`'].iter().all(|quote| code.matches(*quote).count() % 2 == 0);
    let (at, _) = text.match_indices(&marker).find(|(at, _)| text.get(..*at).is_some_and(is_outside))?;
    Some(("beside code", text.get(at + marker.len()..)?))
}

/// A text without tags in front, as documentation of C# has them: `<summary>`.
fn without_tags(text: &str) -> &str {
    let text = text.trim_start();
    let inner = text.strip_prefix('<').filter(|tag| tag.starts_with(char::is_alphabetic));
    inner.and_then(|tag| tag.split_once('>')).map_or(text, |(_, rest)| without_tags(rest))
}

/// Joins comments on consecutive lines that begin with the same marker.
pub(super) fn blocks<'a>(comments: impl Iterator<Item = (usize, &'a str, &'a str)>) -> Vec<Vec<Line<'a>>> {
    let mut blocks: Vec<Vec<Line<'a>>> = Vec::new();
    let mut last = (0, "");
    for (line, marker, text) in comments {
        match blocks.last_mut().filter(|_| last == (line - 1, marker)) {
            Some(block) => block.push((line, text)),
            None => blocks.push(vec![(line, text)]),
        }
        last = (line, marker);
    }
    blocks
}
