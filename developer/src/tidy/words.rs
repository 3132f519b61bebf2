//! Sentences of comments and pages begin with their subject, and names are the terms of the field.

use super::{File, Finding, comments, prose};

/// Words that begin a clause without a subject.
const HEADLESS: [&str; 8] = ["how", "what", "whether", "where", "which", "who", "whoever", "why"];

/// Words that the heading of a page, and a link to a page, may begin with: "How it compares".
const TITLES: [&str; 3] = ["how", "which", "why"];

/// Limit of "what" in 1,000 words of comments. tokio, axum, reqwest and hyper stay below 0.7.
const WHATS: usize = 2;

/// Names that say nothing, or that replace a term of the field. `listener` is missing: std calls a socket so.
const NAMES: [&str; 9] = ["desk", "flight", "landing", "quiet_until", "told", "heard", "muted", "lonely", "speaker"];

/// Names of functions, fields, parameters and locals that say nothing about the value.
const NAMELESS: [&str; 6] = ["found", "held", "of", "said", "shown", "told"];

/// Folders and pages that the rule does not hold for yet.
const STILL: [&str; 0] = [];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    check_except(files, &STILL)
}

/// The findings, without those of folders that are still to be done.
pub(super) fn check_except(files: &[File], still: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut total = Counts::default();
    for file in files.iter().filter(|file| is_prose(file) && !still.iter().any(|start| file.path.starts_with(start))) {
        let finding = |line, what, fix| Finding { file: file.path.clone(), line, rule: "words", what, fix };
        let counts = Counts::from_file(file);
        findings.extend(counts.headless.iter().map(|(line, words)| {
            let fix = "begin with the subject: \"Returns whether …\", \"The …\", \"If …\"; or end a question with a question mark";
            finding(*line, format!("a sentence begins with \"{words}\""), fix)
        }));
        for (line, code) in prose::split(file).1 {
            let mut names = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            if let Some(name) = names.find(|name| NAMES.contains(&name.to_lowercase().as_str())) {
                let fix =
                    "use the term of the field, or say what it holds: refresh, sender, reader, reported, added, …";
                findings.push(finding(line, format!("`{name}`"), fix));
            }
            if let Some(name) = nameless(code) {
                let fix = "call a value what it is: token, pointer, files, …; a constructor `new` or `from_…`";
                findings.push(finding(line, format!("`{name}`"), fix));
            }
        }
        total.add(counts);
    }
    if total.whats * 1000 >= total.words.max(1) * WHATS && total.whats > 0 {
        let what = format!("\"what\" in comments: {total}");
        let fix = "name the thing instead of \"what …\"";
        findings.push(Finding { file: "developer/src/tidy/words.rs".to_owned(), line: 1, rule: "words", what, fix });
    }
    findings
}

/// The first name in `NAMELESS` that a line gives: to a function, a field, a parameter, or a binding in a `let`, a `for`, a
/// closure or the arm of a `match`.
fn nameless(code: &str) -> Option<&str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut at = 0;
    for word in code.split_inclusive(|letter| !is_part(letter)) {
        let (name, before) = (word.trim_end_matches(|letter| !is_part(letter)), code.get(..at)?);
        at += word.len();
        if !NAMELESS.contains(&name) || before.ends_with(['.', ':']) {
            continue;
        }
        let after = code.get(at - word.len() + name.len()..)?;
        let statement = before.rsplit([';', '{', '=']).next()?;
        let is_pattern = ["let ", "for ", "fn "].iter().any(|start| statement.contains(start));
        let is_closure = before.matches('|').count() % 2 == 1;
        let is_arm = after.contains("=>") && !before.contains("=>") && !before.contains(" if ");
        let is_binding = (is_pattern || is_closure || is_arm) && !word.ends_with('(');
        // A line of its own in a struct or a signature, or a field of a struct in one line.
        let start = before.trim_start().trim_start_matches("pub").trim_start();
        let is_alone = start.is_empty() || start.starts_with('(') && start.trim_end().ends_with(')');
        let is_field = after.starts_with(": ") && (is_alone || before.contains("struct "));
        if is_binding || is_field || before.ends_with("fn ") {
            return Some(name);
        }
    }
    None
}

/// The figures of the folders that are done, and a line for each that is not.
pub(super) fn report(files: &[File]) -> Vec<String> {
    let count = |keep: &dyn Fn(&str) -> bool| {
        let mut total = Counts::default();
        files
            .iter()
            .filter(|file| is_prose(file) && keep(&file.path))
            .for_each(|file| total.add(Counts::from_file(file)));
        total
    };
    let done = count(&|path| !STILL.iter().any(|start| path.starts_with(start)));
    let still = |start: &&str| format!("words: still to be done: {start}: {}", count(&|path| path.starts_with(start)));
    std::iter::once(format!("words: {done}")).chain(STILL.iter().map(still)).collect()
}

/// Text that people write, in the languages of comments that the rule reads.
fn is_prose(file: &File) -> bool {
    let is_input = file.path.split('/').any(|part| ["cases", "snapshots"].contains(&part));
    let is_read = file.path.ends_with(".rs") || file.path.ends_with(".md") || comments::language(&file.path).is_some();
    !file.is_generated() && !is_input && is_read
}

/// The figures of one file, or of several.
#[derive(Default)]
struct Counts {
    /// The beginnings of sentences without a subject.
    headless: Vec<(usize, String)>,
    words: usize,
    whats: usize,
}

impl Counts {
    fn from_file(file: &File) -> Self {
        let mut counts = Self::default();
        if file.path.ends_with(".md") {
            let lines = file.text().unwrap_or_default().lines().enumerate();
            let lines = lines.filter(|(_, line)| !is_title(line));
            counts.sentences(&prose::paragraphs(lines.map(|(index, line)| (index + 1, line))));
            return counts;
        }
        for comment in prose::split(file).0 {
            let words = comment.iter().flat_map(|(_, text)| text.split_whitespace()).map(plain);
            let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
            counts.words += words.len();
            counts.whats += words.iter().filter(|word| *word == "what").count();
            counts.sentences(&prose::paragraphs(comment.into_iter()));
        }
        counts
    }

    fn sentences(&mut self, paragraphs: &[Vec<comments::Line<'_>>]) {
        for sentence in paragraphs.iter().flat_map(|paragraph| prose::sentences(paragraph)) {
            let (Some((line, first)), Some((_, last))) = (sentence.first(), sentence.last()) else { continue };
            let is_question = last.trim_end_matches([')', '"', '*', '_']).ends_with('?');
            let is_link = first.starts_with('[') && TITLES.contains(&plain(first).as_str());
            if !is_question
                && !is_link
                && first.contains(char::is_uppercase)
                && HEADLESS.contains(&plain(first).as_str())
            {
                let words: Vec<&str> = sentence.iter().take(3).map(|(_, word)| *word).collect();
                self.headless.push((*line, words.join(" ")));
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.headless.extend(other.headless);
        self.words += other.words;
        self.whats += other.whats;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (headless, per_ten_thousand) = (self.headless.len(), self.whats * 10_000 / self.words.max(1));
        write!(f, "{headless} sentences without a subject")?;
        if self.words == 0 {
            return Ok(());
        }
        write!(f, "; \"what\" {} times in {} words of comments,", self.whats, self.words)?;
        write!(f, " {}.{} in 1,000", per_ten_thousand / 10, per_ten_thousand % 10)
    }
}

/// Returns whether a line of a page is a heading that begins with one of `TITLES`.
fn is_title(line: &str) -> bool {
    let heading = line.strip_prefix('#').and_then(|line| line.trim_start_matches('#').split_whitespace().next());
    heading.is_some_and(|word| TITLES.contains(&plain(word).as_str()))
}

/// A word without punctuation, in lower case.
fn plain(word: &str) -> String {
    word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
}
