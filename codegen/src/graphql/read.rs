//! The files of documents: whether they are such, which operations and fragments they hold, and the text of each.

use std::collections::{BTreeMap, BTreeSet};

use apollo_compiler::ast::{self, Definition, OperationType, Selection};
use apollo_compiler::parser::{FileId, SourceSpan};
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{ExecutableDocument, Node, Schema};

use super::model::{Head, Insertion};
use super::problem::{FOLDER, position, problem, source};
use super::{advice, literals};
use crate::{Problem, Report};

/// The hint that all problems of documents share.
const MEND: &str = "change the document, so that it fits the schema of the service";

/// Number of problems of a text that are reported with all of their positions.
const REPORTED: usize = 50;

/// Directives by which a service may answer in several parts, which the client does not read.
const INCREMENTAL: [&str; 2] = ["defer", "stream"];

/// An operation of a file, or a fragment.
#[derive(Debug)]
struct Part {
    file: String,
    range: std::ops::Range<usize>,
    /// The fragments that it uses.
    uses: BTreeSet<String>,
    /// Kind and name, for an operation.
    head: Option<Head>,
}

/// All files of documents, read.
#[derive(Debug, Default)]
pub(super) struct Library {
    texts: BTreeMap<String, String>,
    ids: BTreeMap<FileId, String>,
    operations: Vec<Part>,
    fragments: BTreeMap<String, Part>,
}

impl Library {
    /// Reads every file without a schema: its syntax, operations and fragments. A file that is not a document is left
    /// out, and reported.
    pub(super) fn read(files: BTreeMap<String, String>, report: &mut Report) -> Self {
        let mut library = Self { texts: files, ..Self::default() };
        for (file, text) in library.texts.clone() {
            let before = report.problems().len();
            match ast::Document::parse(text, format!("{FOLDER}/{file}")) {
                Ok(document) => library.add(&file, &document, report),
                Err(invalid) => diagnostics("document/invalid", &invalid.errors, "change the document")
                    .into_iter()
                    .for_each(|diagnosed| report.push(diagnosed.problem)),
            }
            if report.problems().len() > before {
                library.texts.remove(&file);
            }
        }
        library
    }

    fn add(&mut self, file: &str, document: &ast::Document, report: &mut Report) {
        let hint = "a file holds operations, each with a name, and fragments";
        let mut definitions = 0;
        for definition in &document.definitions {
            let at = |span: Option<SourceSpan>| position(&document.sources, span);
            let (name, set, directives, span, head) = match definition {
                Definition::OperationDefinition(operation) => {
                    let Some(name) = &operation.name else {
                        let message = "the operation has no name";
                        report.push(problem("document/operations", file, at(operation.location()), message, hint));
                        definitions += 1;
                        continue;
                    };
                    let kind = match operation.operation_type {
                        OperationType::Query => "query",
                        OperationType::Mutation => "mutation",
                        OperationType::Subscription => "subscription",
                    };
                    let head = Head { kind, name: name.to_string() };
                    (name, &operation.selection_set, &operation.directives, operation.location(), Some(head))
                }
                Definition::FragmentDefinition(fragment) => {
                    (&fragment.name, &fragment.selection_set, &fragment.directives, fragment.location(), None)
                }
                _ => continue,
            };
            definitions += 1;
            let Some(span) = span else { continue };
            self.ids.insert(span.file_id(), file.to_owned());
            let mut uses = BTreeSet::new();
            let mut parted = directives.iter().find(|directive| is_incremental(directive));
            spreads(set, &mut uses, &mut parted);
            if let Some(directive) = parted {
                let message = format!(
                    "`@{}` requests a response in several parts, which the client does not read",
                    directive.name
                );
                let hint = "leave it out, and select the slow part in an operation of its own";
                report.push(problem("document/incremental", file, at(directive.location()), message, hint));
            }
            let range = span.offset()..span.end_offset();
            let part = Part { file: file.to_owned(), range, uses, head };
            let named = |part: &&Part| part.head.as_ref().is_some_and(|head| head.name == name.as_str());
            let (code, what, other) = match &part.head {
                Some(_) => ("document/name", "operation", self.operations.iter().find(named)),
                None => ("document/fragment", "fragment", self.fragments.get(name.as_str())),
            };
            if let Some(other) = other {
                let place = line_of(&self.texts, other).map_or_else(String::new, |line| format!(":{line}"));
                let message = format!("the {what} `{name}` is also in {FOLDER}/{}{place}", other.file);
                report.push(problem(code, file, at(name.location()), message, "keep one of them, or rename it"));
            } else if part.head.is_some() {
                self.operations.push(part);
            } else {
                self.fragments.insert(name.to_string(), part);
            }
        }
        if definitions == 0 {
            report.push(problem("document/operations", file, None, "the document holds no operation", hint));
        }
    }

    /// Checks all files against the schema, as one document.
    pub(super) fn check(&self, schema: &Valid<Schema>) -> Result<Valid<ExecutableDocument>, Report> {
        let mut errors = DiagnosticList::new(schema.sources.clone());
        let mut builder = ExecutableDocument::builder(Some(schema), &mut errors);
        for (file, text) in &self.texts {
            builder = builder.parse(text.as_str(), format!("{FOLDER}/{file}"));
        }
        let document = builder.build();
        let mut problems = Vec::new();
        let document = match document.validate(schema) {
            Ok(document) => Some(document),
            Err(invalid) => {
                // A file may offer fragments that no operation uses: none of them is sent.
                let unused = |name: Option<&'static str>| name == Some("UnusedFragment");
                let offered = invalid.errors.iter().all(|diagnostic| unused(diagnostic.error.unstable_error_name()));
                let used = Valid::assume_valid(invalid.partial);
                (!offered).then(|| problems = diagnostics("document/invalid", &invalid.errors, MEND));
                offered.then_some(used)
            }
        };
        let mut report = Report::default();
        let mut all = diagnostics("document/invalid", &errors, MEND);
        all.append(&mut problems);
        let fragments: Vec<&str> = self.fragments.keys().map(String::as_str).collect();
        let causes: Vec<&Diagnosed> = all.iter().filter(|diagnosed| !diagnosed.follows(&all)).collect();
        for diagnosed in if causes.is_empty() { all.iter().collect() } else { causes } {
            let mut problem = diagnosed.problem.clone();
            if let Some(name) =
                diagnosed.error.and_then(|error| advice::meant(schema, &fragments, error, &problem.message))
            {
                problem.hint = format!("did you mean `{name}`? If not, {MEND}");
            }
            if !report.problems().contains(&problem) {
                report.push(problem);
            }
        }
        if let Some(document) = &document {
            literals::check(schema, document, &mut report);
        }
        match document {
            Some(document) => report.into_result(document),
            None => Err(report),
        }
    }

    /// Every operation: its file, its head, and the text that is sent, with the fragments that it uses.
    pub(super) fn operations(&self) -> Vec<(&str, Head, String)> {
        let mut all: Vec<(&str, Head, String)> = Vec::new();
        for part in &self.operations {
            all.extend(part.head.clone().map(|head| (part.file.as_str(), head, self.sent(part))));
        }
        all
    }

    /// An operation and its fragments. A file of which nothing is left out stays as it is written.
    fn sent(&self, operation: &Part) -> String {
        let mut used: BTreeMap<&str, &Part> = BTreeMap::new();
        let mut waiting: Vec<&String> = operation.uses.iter().collect();
        while let Some(name) = waiting.pop() {
            if let Some(fragment) = self.fragments.get(name)
                && used.insert(name, fragment).is_none()
            {
                waiting.extend(&fragment.uses);
            }
        }
        let in_file = |part: &&Part| part.file == operation.file;
        let whole = self.operations.iter().filter(in_file).count() == 1
            && self.fragments.values().filter(in_file).count() == used.values().copied().filter(in_file).count();
        let mut parts: Vec<&str> = Vec::new();
        if whole {
            parts.extend(self.texts.get(&operation.file).map(|text| text.trim()));
        } else {
            parts.extend(self.slice(operation));
        }
        parts
            .extend(used.values().copied().filter(|part| !whole || !in_file(part)).filter_map(|part| self.slice(part)));
        parts.join("\n\n")
    }

    fn slice(&self, part: &Part) -> Option<&str> {
        self.texts.get(&part.file)?.get(part.range.clone())
    }

    /// The same files, with a field in further places.
    pub(super) fn with(
        &self,
        document: &ExecutableDocument,
        insertions: &BTreeSet<Insertion>,
    ) -> BTreeMap<String, String> {
        let mut texts = self.texts.clone();
        // From the end on, so that the places before stay where they are.
        for (id, offset) in insertions.iter().rev() {
            let path = document.sources.get(id).map(|source| source.path().to_string_lossy().into_owned());
            let file = path.as_deref().and_then(|path| path.strip_prefix(FOLDER)?.strip_prefix('/'));
            if let Some(text) = file.and_then(|file| texts.get_mut(file)).filter(|text| text.is_char_boundary(*offset))
            {
                text.insert_str(*offset, "__typename ");
            }
        }
        texts
    }
}

fn line_of(texts: &BTreeMap<String, String>, part: &Part) -> Option<usize> {
    let before = texts.get(&part.file)?.get(..part.range.start)?;
    Some(before.matches('\n').count() + 1)
}

fn is_incremental(directive: &Node<ast::Directive>) -> bool {
    INCREMENTAL.contains(&directive.name.as_str())
}

/// The fragments that a selection uses, and the first directive in it that asks for an answer in parts.
fn spreads<'a>(set: &'a [Selection], uses: &mut BTreeSet<String>, parted: &mut Option<&'a Node<ast::Directive>>) {
    for selection in set {
        let (directives, inner): (_, &[Selection]) = match selection {
            Selection::Field(field) => (&field.directives, &field.selection_set),
            Selection::InlineFragment(inline) => (&inline.directives, &inline.selection_set),
            Selection::FragmentSpread(spread) => {
                uses.insert(spread.fragment_name.to_string());
                (&spread.directives, &[])
            }
        };
        *parted = parted.or_else(|| directives.iter().find(|directive| is_incremental(directive)));
        spreads(inner, uses, parted);
    }
}

/// A diagnostic of the library.
pub(super) struct Diagnosed {
    /// Its name there.
    error: Option<&'static str>,
    /// The text that it is about.
    text: String,
    pub(super) problem: Problem,
}

impl Diagnosed {
    /// Returns whether another diagnostic of `all` is the cause: a field without selections because none of them is
    /// known; a variable of an unknown type.
    fn follows(&self, all: &[Self]) -> bool {
        let unknown = |diagnosed: &&Self| diagnosed.error == Some("UndefinedDefinition");
        match self.error {
            // A file may offer fragments that no operation uses.
            Some("UnusedFragment") => true,
            Some("MissingSubselection") => self.text.ends_with('}'),
            Some("DisallowedVariableUsage" | "VariableInputType") => all.iter().filter(unknown).any(|diagnosed| {
                let name = diagnosed.problem.message.split('`').nth(1);
                name.is_some_and(|name| {
                    self.problem.message.split('`').any(|word| word.trim_matches(['[', ']', '!']) == name)
                })
            }),
            _ => false,
        }
    }
}

/// The diagnostics of the library, each with its position, and with its notes on other positions.
pub(super) fn diagnostics(code: &'static str, errors: &DiagnosticList, hint: &str) -> Vec<Diagnosed> {
    let mut all: Vec<Diagnosed> = Vec::new();
    for (index, diagnostic) in errors.iter().enumerate() {
        let json = diagnostic.to_json();
        let span = apollo_compiler::diagnostic::ToCliReport::location(diagnostic.error);
        // Two places contradict each other. A report reads the whole text, so only the first have all of their places.
        let labels = match index < REPORTED {
            true => labels(&diagnostic.to_report(apollo_compiler::diagnostic::Color::Never).into_string()),
            false => Vec::new(),
        };
        let message = match labels.len() {
            0 | 1 => json.message.clone(),
            _ => format!("{}: {}", json.message, labels.join("; ")),
        };
        let problem = Problem {
            code,
            document: source(diagnostic.sources, span),
            pointer: None,
            position: position(diagnostic.sources, span),
            message,
            hint: hint.to_owned(),
        };
        if all.iter().all(|diagnosed| diagnosed.problem != problem) {
            let text = span.and_then(|span| Some((span, diagnostic.sources.get(&span.file_id())?.source_text())));
            let text = text.and_then(|(span, text)| text.get(span.offset()..span.end_offset()));
            let text = text.unwrap_or_default().to_owned();
            all.push(Diagnosed { error: diagnostic.error.unstable_error_name(), text, problem });
        }
    }
    all
}

/// The labels of a report beside its lines of source: `label (file:line)`.
fn labels(report: &str) -> Vec<String> {
    let mut labels = Vec::new();
    let (mut file, mut line) = (String::new(), String::new());
    for text in report.lines() {
        if let Some((_, place)) = text.split_once("─[ ") {
            let place = place.trim_end_matches([' ', ']']);
            file = place.rsplitn(3, ':').last().unwrap_or_default().to_owned();
        }
        let (margin, rest) = text.split_once('│').unwrap_or((text, ""));
        if margin.trim().parse::<usize>().is_ok() {
            line = margin.trim().to_owned();
        }
        let label =
            ["╰── ", "├── ", "─── "].iter().find_map(|mark| rest.rsplit_once(mark)).map(|(_, label)| label.trim());
        let label = label.filter(|label| label.contains(char::is_alphabetic));
        labels.extend(
            label.map(|label| format!("{} ({file}:{line})", label.trim_end_matches("...").trim_end_matches(" here"))),
        );
    }
    labels
}
