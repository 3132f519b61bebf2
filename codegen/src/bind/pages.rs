//! Operations that come in pages: the configuration against the contract.

use super::{find, is_header, place};
use crate::model::{BodyKind, Content, Kind, Location, Model, Operation, Type};
use crate::output::Unused;
use crate::{Config, Pagination, Problem, Report, rules};

/// An operation of the contract that comes in pages.
#[derive(Clone, Debug)]
pub(crate) struct Paged {
    /// Index of the operation.
    pub(crate) operation: usize,
    /// Type of the elements of a page.
    pub(crate) item: Type,
    /// Pointer to the list.
    pub(crate) items: String,
    /// The places of a page that say how many items and pages there are.
    pub(crate) total: Option<PagedPlace>,
    pub(crate) pages: Option<PagedPlace>,
    /// Pointer to a flag that is false on the last page.
    pub(crate) more: Option<String>,
    /// Pointer to the member of the request's body that leads to a page, in place of a parameter.
    pub(crate) member: Option<String>,
    pub(crate) next: PagedNext,
}

/// The place of a number in a page.
#[derive(Clone, Debug)]
pub(crate) enum PagedPlace {
    Body(String),
    Header(String),
}

/// The way to the next page. Parameters are indices into the operation's parameters, unless a member of the body takes their place.
#[derive(Clone, Debug)]
pub(crate) enum PagedNext {
    Offset(usize, u64),
    Number(usize, u64),
    Cursor(usize, String),
    Header(usize, String),
    Item(usize, String),
    Link,
    Address(String),
}

/// Binds the entries to the contract. Entries that match no contract are unused; entries that do not fit are problems.
pub(super) fn bind(model: &Model, config: &Config, report: &mut Report) -> (Vec<Paged>, Vec<Unused>) {
    let (mut bound, mut unused): (Vec<Paged>, _) = (Vec::new(), Vec::new());
    for (index, entry) in config.paginations.iter().enumerate() {
        let mut check = Check { model, entry, index, report, member: None };
        let Some(operation) = find(model, &entry.operation) else {
            check.way();
            let what = format!("pagination of `{}`: the contract does not have it", entry.operation);
            unused.push(Unused { pointer: format!("/pagination/{index}/operation"), what });
            continue;
        };
        if bound.iter().any(|other| other.operation == operation) {
            check.problem("operation", "twice", "two entries are about it".to_owned(), "keep one of them");
        }
        bound.extend(check.fits(operation));
    }
    (bound, unused)
}

/// Checks an entry against an operation; the reason if it does not fit.
pub(crate) fn check(model: &Model, entry: &Pagination, operation: usize) -> Result<(), String> {
    let mut report = Report::default();
    let fits = Check { model, entry, index: 0, report: &mut report, member: None }.fits(operation).is_some();
    match report.problems().first() {
        Some(problem) => Err(problem.message.clone()),
        None if fits => Ok(()),
        None => Err("it has no items".to_owned()),
    }
}

struct Check<'a, 'r> {
    model: &'a Model,
    entry: &'a Pagination,
    index: usize,
    report: &'r mut Report,
    /// The member of the request's body that leads to a page.
    member: Option<String>,
}

/// The way to the next page that an entry names.
enum Way<'a> {
    Offset(&'a str),
    Number(&'a str),
    Cursor(&'a str),
    Link,
    Address(&'a str),
}

impl<'a> Check<'a, '_> {
    fn problem(&mut self, key: &str, code: &str, message: String, hint: &str) {
        let code = match code {
            "twice" => "pagination/twice",
            "way" => "pagination/way",
            "parameter" => "pagination/parameter",
            _ => "pagination/pointer",
        };
        let message = format!("the pagination of `{}`: {message}", self.entry.operation);
        let problem: Problem = rules::problem(code, format!("/pagination/{}/{key}", self.index), message, hint);
        self.report.push(problem);
    }

    /// Checks the entry by itself.
    fn way(&mut self) -> Option<Way<'a>> {
        const WAYS: &str =
            "write one of skip = \"…\", page = \"…\", cursor = \"…\", link = true and next_link = \"/pointer\"";
        let entry = self.entry;
        let ways: Vec<Way<'a>> = [
            entry.skip.as_deref().map(Way::Offset),
            entry.page.as_deref().map(Way::Number),
            entry.cursor.as_deref().map(Way::Cursor),
            entry.link.then_some(Way::Link),
            entry.next_link.as_deref().map(Way::Address),
        ]
        .into_iter()
        .flatten()
        .collect();
        let mut ways = ways.into_iter();
        let (Some(way), None) = (ways.next(), ways.next()) else {
            self.problem("operation", "way", "it names no way to the next page, or more than one".to_owned(), WAYS);
            return None;
        };
        if entry.first.is_some() && !matches!(way, Way::Number(_) | Way::Offset(_)) {
            self.problem("first", "way", "only numbers of pages and items have a first value".to_owned(), "remove it");
        }
        let totals = [("total", entry.total.is_some()), ("total_header", entry.total_header.is_some())];
        if let Some((key, _)) = totals.iter().find(|(_, is_there)| *is_there)
            && matches!(way, Way::Link | Way::Address(_))
        {
            let message =
                "the number of items before a link is unknown, so a total does not identify the last page".to_owned();
            self.problem(key, "way", message, "remove it");
        }
        let pages = [("pages", entry.pages.is_some()), ("pages_header", entry.pages_header.is_some())];
        if let Some((key, _)) = pages.iter().find(|(_, is_there)| *is_there)
            && !matches!(way, Way::Number(_))
        {
            self.problem(key, "way", "only numbered pages are counted".to_owned(), "remove it");
        }
        for [(key, one), (_, other)] in [totals, pages] {
            if one && other {
                self.problem(key, "way", "the number is said to be in two places".to_owned(), "keep one of them");
            }
        }
        let places = [
            ("next", entry.next.is_some()),
            ("next_header", entry.next_header.is_some()),
            ("last_item", entry.last_item.is_some()),
        ];
        let named: Vec<&str> = places.into_iter().filter(|(_, is_there)| *is_there).map(|(key, _)| key).collect();
        match (&way, named.as_slice()) {
            (Way::Cursor(_), [_]) => {}
            (Way::Cursor(_), _) => {
                let hint = "write one of next = \"/pointer\", next_header = \"name\" and last_item = \"/pointer\"";
                self.problem(
                    "cursor",
                    "way",
                    "the position of the next cursor is missing, or given twice".to_owned(),
                    hint,
                );
                return None;
            }
            (_, [key, ..]) => {
                self.problem(key, "way", "only a cursor comes from the page before".to_owned(), "remove it");
            }
            (_, []) => {}
        }
        Some(way)
    }

    /// Checks the entry against the contract.
    fn fits(&mut self, index: usize) -> Option<Paged> {
        let way = self.way();
        let entry = self.entry;
        let operation = &self.model.operations[index];
        let (page, item) = self.item(operation).unzip();
        let total = self.number(page, ("total", &entry.total), ("total_header", &entry.total_header))?;
        let pages = self.number(page, ("pages", &entry.pages), ("pages_header", &entry.pages_header))?;
        let more = match (&entry.more, page) {
            (Some(pointer), Some(page)) => Some(self.place("more", page, pointer, place::decides)?),
            _ => None,
        };
        let next = match way? {
            Way::Offset(name) => {
                PagedNext::Offset(self.parameter(operation, "skip", name, true)?, entry.first.unwrap_or(0))
            }
            Way::Number(name) => {
                PagedNext::Number(self.parameter(operation, "page", name, true)?, entry.first.unwrap_or(1))
            }
            Way::Cursor(name) => {
                let parameter = self.parameter(operation, "cursor", name, false)?;
                match (&entry.next, &entry.next_header, &entry.last_item) {
                    (Some(pointer), ..) => {
                        PagedNext::Cursor(parameter, self.place("next", page?, pointer, place::identifies)?)
                    }
                    (None, Some(name), _) => PagedNext::Header(parameter, self.header("next_header", name)?),
                    (None, None, Some(pointer)) => {
                        PagedNext::Item(parameter, self.place("last_item", item.as_ref()?, pointer, place::identifies)?)
                    }
                    (None, None, None) => return None,
                }
            }
            Way::Link => PagedNext::Link,
            Way::Address(pointer) => PagedNext::Address(self.place("next_link", page?, pointer, place::identifies)?),
        };
        let (item, items, member) = (item?, entry.items.clone(), self.member.take());
        if let Some(pointer) = &member {
            let given = match &next {
                PagedNext::Cursor(_, pointer) => page.and_then(|page| place::scalar(self.model, page, pointer)),
                PagedNext::Header(..) => Some(place::JsonScalar::Text),
                PagedNext::Item(_, pointer) => place::scalar(self.model, &item, pointer),
                _ => None,
            };
            self.takes(operation, pointer, given)?;
        }
        Some(Paged { operation: index, item, items, total, pages, more, member, next })
    }

    /// The place of a number: in the body or in a header. `None`: it does not fit.
    fn number(
        &mut self,
        page: Option<&Type>,
        (key, pointer): (&str, &Option<String>),
        (header_key, header): (&str, &Option<String>),
    ) -> Option<Option<PagedPlace>> {
        match (pointer, header, page) {
            (Some(pointer), _, Some(page)) => {
                Some(Some(PagedPlace::Body(self.place(key, page, pointer, place::identifies)?)))
            }
            (None, Some(name), _) => Some(Some(PagedPlace::Header(self.header(header_key, name)?))),
            _ => Some(None),
        }
    }

    fn parameter(&mut self, operation: &Operation, key: &str, name: &str, number: bool) -> Option<usize> {
        let index = operation.parameters.iter().position(|parameter| parameter.wire == name);
        let Some(position) = index else {
            if name.starts_with('/') {
                return self.in_body(operation, key, name, number);
            }
            let names: Vec<&str> = operation.parameters.iter().map(|parameter| parameter.wire.as_str()).collect();
            let hint = match names.is_empty() {
                true => "the operation has no parameters".to_owned(),
                false => format!("it has {}", names.join(", ")),
            };
            self.problem(key, "parameter", format!("the operation has no parameter `{name}`"), &hint);
            return None;
        };
        let parameter = &operation.parameters[position];
        if parameter.location == Location::Path {
            let message = format!("the parameter `{name}` is a part of the path");
            self.problem(key, "parameter", message, "name a parameter of the query, or of a header");
            return None;
        }
        if number && !place::is_number(self.model, &parameter.ty) {
            let message = format!("the parameter `{name}` does not take a number");
            self.problem(key, "parameter", message, "name the one that does, or page by a cursor");
            return None;
        }
        Some(position)
    }

    /// Checks that a member of the request's body takes the cursor as it is: JSON tells text from a number.
    fn takes(&mut self, operation: &Operation, pointer: &str, given: Option<place::JsonScalar>) -> Option<()> {
        let Some(BodyKind::Json(ty)) = operation.body.as_ref().map(|body| &body.kind) else { return None };
        let taken = place::scalar(self.model, ty, pointer);
        if given.is_none() || taken.is_none() || given == taken {
            return Some(());
        }
        let message = match taken {
            Some(place::JsonScalar::Number) => format!("`{pointer}` of the body is a number, and the cursor is text"),
            _ => format!("`{pointer}` of the body is text, and the cursor is a number"),
        };
        self.problem("cursor", "parameter", message, "name a member of the same type");
        None
    }

    /// Checks a member of the request's body. Returns 0: its pointer takes the place of a parameter's position.
    fn in_body(&mut self, operation: &Operation, key: &str, pointer: &str, number: bool) -> Option<usize> {
        let Some(BodyKind::Json(ty)) = operation.body.as_ref().map(|body| &body.kind) else {
            let message = format!("`{pointer}` is a place in a JSON body, which the operation does not take");
            self.problem(key, "parameter", message, "name a parameter");
            return None;
        };
        let fits = if number { place::counts } else { place::identifies };
        match fits(self.model, ty, pointer) {
            Ok(()) => {
                self.member = Some(pointer.to_owned());
                Some(0)
            }
            Err(reason) => {
                let message = format!("`{pointer}` of the request's body cannot lead to a page: {reason}");
                self.problem(key, "parameter", message, "look at the type of the body in specs/client.txt");
                None
            }
        }
    }

    /// The type of a page, and the element type of the list at `items` in it.
    fn item(&mut self, operation: &'a Operation) -> Option<(&'a Type, Type)> {
        let (items, key) = (&self.entry.items, "items");
        self.pointer(key, items)?;
        let mut reason = "no success of the operation answers with JSON".to_owned();
        for ty in pages(self.model, operation) {
            match place::list(self.model, ty, items) {
                Ok(item) => return Some((ty, item)),
                Err(other) => reason = other,
            }
        }
        self.misses(key, items, &reason);
        None
    }

    /// A pointer into a page, or into an item, to a value that `fits`.
    fn place(
        &mut self,
        key: &str,
        page: &Type,
        pointer: &str,
        fits: impl Fn(&Model, &Type, &str) -> Result<(), String>,
    ) -> Option<String> {
        self.pointer(key, pointer)?;
        let fits = fits(self.model, page, pointer);
        fits.map(|()| pointer.to_owned()).map_err(|reason| self.misses(key, pointer, &reason)).ok()
    }

    fn header(&mut self, key: &str, name: &str) -> Option<String> {
        if !is_header(name) {
            self.problem(key, "pointer", format!("{name:?} is not the name of a header"), "correct it");
            return None;
        }
        Some(name.to_owned())
    }

    fn pointer(&mut self, key: &str, pointer: &str) -> Option<()> {
        if pointer.is_empty() || pointer.starts_with('/') {
            return Some(());
        }
        let message = format!("`{pointer}` is not a JSON pointer");
        self.problem(key, "pointer", message, "begin it with `/`, or leave it empty for the whole body");
        None
    }

    fn misses(&mut self, key: &str, pointer: &str, reason: &str) {
        let message = format!("nothing of that kind lies at `{pointer}`: {reason}");
        self.problem(key, "pointer", message, "look at the result in specs/client.txt, and at its type; an operation that is no longer paginated needs no entry");
    }
}

/// The types that a page may have: one for each success that answers with JSON.
pub(crate) fn pages<'m>(model: &'m Model, operation: &'m Operation) -> impl Iterator<Item = &'m Type> {
    let variants = match &operation.success {
        Content::ByStatus(id) => match &model.definition(*id).kind {
            Kind::ByStatus(variants) => variants.as_slice(),
            _ => &[],
        },
        _ => &[],
    };
    let contents = std::iter::once(&operation.success).chain(variants.iter().map(|(_, _, content)| content));
    contents.filter_map(|content| match content {
        Content::Json(ty) | Content::OptionalJson(ty) => Some(ty),
        _ => None,
    })
}
