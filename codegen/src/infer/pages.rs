//! Operations that come in pages.

use std::cell::LazyCell;

use super::input::{self, Input};
use super::keys::Keys;
use super::page::{self, List, Member, is_flag, is_integer, is_text};
use super::spelling::{header, is_one, is_same, is_word, plain};
use super::words::{
    AMBIGUOUS, CURSOR, LAST_ITEM, LIMIT, MORE, NEXT_CURSOR, NEXT_HEADER, NEXT_LINK, PAGE, PAGES, PAGES_HEADER, SKIP,
    TOTAL, TOTAL_HEADER,
};
use super::{start, writable};
use crate::Pagination;
use crate::bind::{Paged, check_pages, is_number, pages};
use crate::model::{Document, Model, Operation, Type};
use crate::output::{SuggestedPagination, Suggestions};

/// Entries for the operations that page and have none.
pub(super) fn suggest(model: &Model, documents: &[Document], paged: &[Paged]) -> Suggestions {
    let mut suggestions = Suggestions::default();
    let keys = LazyCell::new(|| Keys::new(model));
    for (index, operation) in model.operations.iter().enumerate() {
        let document = documents.iter().find(|document| document.name == operation.document);
        let service = Service { model, document, operation };
        let Some(outcome) = service.pagination() else { continue };
        suggestions.paged += 1;
        if paged.iter().any(|paged| paged.operation == index) {
            continue;
        }
        let name = format!("{}.{}", operation.family, operation.name);
        let checked = outcome.and_then(|(entry, reasons, is_sure)| {
            let entry = Pagination { operation: keys.key(operation), ..entry };
            let texts = [&entry.skip, &entry.page, &entry.cursor, &entry.next, &entry.last_item, &entry.next_link];
            let places = [&entry.total, &entry.pages, &entry.more];
            let headers = [&entry.next_header, &entry.total_header, &entry.pages_header];
            let optional = texts.into_iter().chain(places).chain(headers).flatten();
            writable([&entry.operation, &entry.items].into_iter().chain(optional))?;
            check_pages(model, &entry, index)?;
            Ok((entry, reasons, is_sure))
        });
        match checked {
            Ok((entry, reasons, is_sure)) => {
                let reason = reasons.join("; ");
                suggestions.paginations.push(SuggestedPagination { name, entry, reason, is_sure });
            }
            Err(reason) => suggestions.without.push((name, reason)),
        }
    }
    suggestions
}

/// An entry with its reasons, and whether the contract says all of it.
type Entry = (Pagination, Vec<String>, bool);

struct Service<'m> {
    model: &'m Model,
    document: Option<&'m Document>,
    operation: &'m Operation,
}

/// The inputs of an operation, by their role.
struct Roles<'i, 'm> {
    skip: Option<&'i Input<'m>>,
    page: Option<&'i Input<'m>>,
    cursor: Option<&'i Input<'m>>,
}

impl Roles<'_, '_> {
    fn is_any(&self) -> bool {
        self.skip.is_some() || self.page.is_some() || self.cursor.is_some()
    }
}

impl<'m> Service<'m> {
    fn has_next_operation(&self) -> bool {
        let pageable = self.published(&self.operation.pointer, "x-ms-pageable");
        pageable.and_then(|pageable| pageable.get("operationName")).is_some()
    }

    /// A member of the part of the published contract at a pointer.
    fn published(&self, pointer: &str, key: &str) -> Option<&'m serde_json::Value> {
        self.document?.published.member(pointer, key)
    }

    /// The proposed entry for an operation that pages, or the reason why no entry can be proposed. `None`: the operation does not page.
    fn pagination(&self) -> Option<Result<Entry, String>> {
        let operation = self.operation;
        let pageable = self.published(&operation.pointer, "x-ms-pageable");
        let link_name = |pageable: &serde_json::Value| match pageable.get("nextLinkName") {
            None => Some("nextLink".to_owned()),
            Some(name) => name.as_str().map(str::to_owned),
        };
        let marked = pageable.map(|pageable| (pageable, link_name(pageable)));
        // A list that is marked, and whose mark names no link, is a single page.
        if marked.as_ref().is_some_and(|(_, link)| link.is_none()) {
            return None;
        }
        let is_read = operation.method == "GET";
        let types: Vec<&'m Type> = pages(self.model, operation).collect();
        let item = types.iter().find_map(|ty| page::list(self.model, ty, operation, None).ok()).map(|list| list.item);
        if marked.is_none() && !is_read {
            return self.in_body(&types, item);
        }
        let inputs = input::parameters(operation);
        let roles = self.roles(item, &inputs);
        let has_link = || types.iter().any(|ty| self.next_link(&page::about(self.model, ty), &roles).is_some());
        if marked.is_none() && !roles.is_any() && !has_link() && !self.links() {
            return None;
        }
        let item_name =
            marked.as_ref().and_then(|(pageable, _)| pageable.get("itemName")).and_then(|name| name.as_str());
        let item_name = item_name.or(marked.as_ref().map(|_| "value"));
        let mut reason = "no success of it answers with JSON".to_owned();
        for ty in types {
            let outcome = page::list(self.model, ty, operation, item_name)
                .and_then(|list| self.entry(ty, &list, &roles, marked.as_ref().and_then(|(_, link)| link.as_deref())));
            match outcome {
                Ok(entry) => return Some(Ok(entry)),
                Err(cause) => reason = cause,
            }
        }
        Some(Err(reason))
    }

    /// The entry for an operation that reads, and takes the way to the next page in its body. Another request of a changing operation
    /// would change something for each page, so the verb has to say that it reads.
    fn in_body(&self, types: &[&'m Type], item: Option<&'m Type>) -> Option<Result<Entry, String>> {
        if item.is_none() || !input::reads(self.operation) {
            return None;
        }
        let inputs = input::members(self.model, self.operation, |pointer| self.published(pointer, "default"));
        let roles = self.roles(item, &inputs);
        if !roles.is_any() {
            return None;
        }
        let outcomes = types.iter().map(|ty| {
            let list = page::list(self.model, ty, self.operation, None)?;
            let (entry, reasons, is_sure) = self.entry(ty, &list, &roles, None)?;
            let has_end = entry.total.is_some() || entry.pages.is_some() || entry.more.is_some();
            let is_counted = entry.skip.is_some() || entry.page.is_some();
            if entry.link || entry.next_link.is_some() {
                return Err("the next page is an address, which takes no body".to_owned());
            }
            if !is_sure || is_counted && !has_end {
                return Err(format!("{}; the contract does not say all of it", reasons.join("; ")));
            }
            Ok((entry, reasons, true))
        });
        outcomes.reduce(|first, other| first.or(other))
    }

    fn roles<'i>(&self, item: Option<&'m Type>, inputs: &'i [Input<'m>]) -> Roles<'i, 'm> {
        let model = self.model;
        let members = item.map(|item| page::members(model, item)).unwrap_or_default();
        // If an item has such a member, the input probably filters by it.
        let filters = |input: &Input<'_>| members.iter().any(|member| is_same(&member.wire, input.wire));
        let is_limit = |one: &&Input<'_>, word: &str| is_word(one.wire, word) && is_number(model, one.ty);
        let limit = LIMIT.iter().find_map(|word| inputs.iter().find(|one| is_limit(one, word)));
        let is_clear = |one: &&Input<'_>| {
            !is_one(one.wire, AMBIGUOUS) || limit.is_some_and(|limit| limit.wire != one.wire) && !filters(one)
        };
        let find = |list: &[&str], fits: &dyn Fn(&Input<'_>) -> bool| {
            let is_meant = |one: &&Input<'_>, word: &str| is_word(one.wire, word) && is_clear(one) && fits(one);
            list.iter().find_map(|word| inputs.iter().find(|one| is_meant(one, word)))
        };
        Roles {
            skip: find(SKIP, &|one| is_number(model, one.ty) && start::is_position(one)),
            page: find(PAGE, &|one| is_number(model, one.ty)),
            cursor: find(CURSOR, &|one| is_text(model, one.ty) || is_one(one.wire, LAST_ITEM)),
        }
    }

    /// Returns whether a response declares the header `Link`, or the operation says that it has one.
    fn links(&self) -> bool {
        let is_link = |header: &crate::model::ResponseHeader| {
            header.wire.eq_ignore_ascii_case("link") && header.statuses.iter().any(|status| status.is_success())
        };
        let docs = self.operation.docs.to_lowercase();
        self.operation.answered.iter().any(is_link) || docs.contains("link header") || docs.contains("`link` header")
    }

    fn entry<'i>(
        &self,
        ty: &'m Type,
        list: &List<'m>,
        roles: &Roles<'i, 'm>,
        marked: Option<&str>,
    ) -> Result<Entry, String> {
        let about = page::about(self.model, ty);
        let mut reasons = vec![match list.pointer.as_str() {
            "" => "the answer is the list".to_owned(),
            pointer => format!("`{pointer}` is the list"),
        }];
        let mut entry = Pagination { items: list.pointer.clone(), ..Pagination::default() };
        let total = about.iter().find(|one| one.is_one(TOTAL) && is_integer(self.model, &one.field.ty));
        let total_header = self.header(TOTAL_HEADER);
        let has_total = total.is_some() || total_header.is_some();
        let sure = if let Some(name) = marked {
            let member = about.iter().find(|one| one.field.wire == name || one.pointer() == format!("/{name}"));
            let Some(member) = member.filter(|member| is_text(self.model, &member.field.ty)) else {
                return Err(format!("`x-ms-pageable` names `{name}`, which is not a text of the answer"));
            };
            reasons.push(format!("`x-ms-pageable` says that `{}` is the address of the next page", member.pointer()));
            entry.next_link = Some(member.pointer());
            // With `operationName`, another operation takes it, which may build an address of its own.
            !self.has_next_operation()
        } else if let Some((cursor, member)) = self.cursor(&about, roles).filter(|_| roles.skip.is_none() || !has_total)
        {
            reasons.push(format!("`{}` takes the cursor at `{}`", cursor.key, member.pointer()));
            entry.cursor = Some(cursor.key.clone());
            entry.next = Some(member.pointer());
            true
        } else if let Some((pointer, is_sure)) = self.next_link(&about, roles) {
            reasons.push(format!("`{pointer}` is the address of the next page"));
            entry.next_link = Some(pointer);
            is_sure
        } else if let Some((parameter, name)) = self.next_header(roles) {
            reasons.push(format!("`{}` takes the value of the header `{name}`", parameter.key));
            entry.cursor = Some(parameter.key.clone());
            entry.next_header = Some(name.to_owned());
            true
        } else if self.links() {
            reasons.push("the header `Link` names the next page".to_owned());
            entry.link = true;
            true
        } else if let Some(parameter) = roles.page {
            entry.page = Some(parameter.key.clone());
            let (first, reason) = start::page(parameter);
            entry.first = first.filter(|first| *first != 1);
            reasons.push(format!("`{}` takes the number of the page, {reason}", parameter.key));
            first.is_some()
        } else if let Some(parameter) = roles.skip {
            entry.skip = Some(parameter.key.clone());
            let (first, reason) = start::item(parameter, list);
            entry.first = Some(first).filter(|first| *first != 0);
            reasons.push(format!("`{}` takes the number of items to skip{reason}", parameter.key));
            true
        } else if let Some((parameter, pointer)) = self.last_item(list.item, roles) {
            reasons.push(format!("`{}` takes `{pointer}` of the last item", parameter.key));
            entry.cursor = Some(parameter.key.clone());
            entry.last_item = Some(pointer);
            about.iter().any(|one| one.is_one(MORE))
        } else {
            return Err("nothing in the answer leads to the next page".to_owned());
        };
        self.ends(&about, total, total_header, &mut entry, &mut reasons);
        Ok((entry, reasons, sure))
    }

    /// The signs of the last page.
    fn ends(
        &self,
        about: &[Member<'m>],
        total: Option<&Member<'m>>,
        total_header: Option<&str>,
        entry: &mut Pagination,
        reasons: &mut Vec<String>,
    ) {
        let is_linked = entry.link || entry.next_link.is_some();
        match (total, total_header) {
            _ if is_linked => {}
            (Some(total), _) => {
                reasons.push(format!("`{}` counts the items of all pages", total.pointer()));
                entry.total = Some(total.pointer());
            }
            (None, Some(name)) => {
                reasons.push(format!("the header `{name}` counts the items of all pages"));
                entry.total_header = Some(name.to_owned());
            }
            (None, None) if entry.page.is_some() => {
                let pages = about.iter().find(|one| one.is_one(PAGES) && is_integer(self.model, &one.field.ty));
                match (pages, self.header(PAGES_HEADER)) {
                    (Some(pages), _) => {
                        reasons.push(format!("`{}` counts the pages", pages.pointer()));
                        entry.pages = Some(pages.pointer());
                    }
                    (None, Some(name)) => {
                        reasons.push(format!("the header `{name}` counts the pages"));
                        entry.pages_header = Some(name.to_owned());
                    }
                    (None, None) => {}
                }
            }
            (None, None) => {}
        }
        if let Some(more) = about.iter().find(|one| one.is_one(MORE) && is_flag(self.model, &one.field.ty)) {
            reasons.push(format!("`{}` is false on the last page", more.pointer()));
            entry.more = Some(more.pointer());
        }
    }

    /// The name of a declared header, as the contract spells it.
    fn header(&self, list: &[&str]) -> Option<&'m str> {
        let is_there = |one: &&crate::model::ResponseHeader| {
            list.contains(&header(&one.wire).as_str()) && one.statuses.iter().any(|status| status.is_success())
        };
        self.operation.answered.iter().find(is_there).map(|one| one.wire.as_str())
    }

    /// The parameter that takes the cursor of a page, and the member with it.
    fn cursor<'a, 'i>(
        &self,
        about: &'a [Member<'m>],
        roles: &Roles<'i, 'm>,
    ) -> Option<(&'i Input<'m>, &'a Member<'m>)> {
        let value = |one: &&Member<'m>| is_text(self.model, &one.field.ty) || is_integer(self.model, &one.field.ty);
        let find = |parameter: &'i Input<'m>| {
            // `next_page: {offset}` names the parameter.
            let is_named = |one: &&Member<'m>| {
                let owner = one.owner.map(plain).unwrap_or_default();
                (owner.contains("next") || owner == "cursors") && is_same(&one.field.wire, parameter.wire)
            };
            let is_next = |one: &&Member<'m>| {
                one.is_one(NEXT_CURSOR) || is_word(&one.field.wire, "next") && !self.is_address(one)
            };
            // The cursor has the name of its parameter, and nothing else leads on.
            let is_namesake = |one: &&Member<'m>| {
                is_one(&one.field.wire, &["cursor", "pagetoken", "nexttoken", "marker"])
                    && is_same(&one.field.wire, parameter.wire)
            };
            let values = || about.iter().filter(value);
            values().find(is_named).or_else(|| values().find(is_next)).or_else(|| values().find(is_namesake))
        };
        let by_cursor = roles.cursor.and_then(|parameter| Some((parameter, find(parameter)?)));
        by_cursor.or_else(|| {
            // `nextPage: 2`
            let parameter = roles.page?;
            let is_next = |one: &&Member<'m>| {
                is_integer(self.model, &one.field.ty)
                    && is_one(&one.field.wire, &["nextpage", "nextpagenumber", "next"])
            };
            Some((parameter, about.iter().find(is_next)?))
        })
    }

    /// Returns whether a member has the format, or the documentation, of an address.
    fn is_address(&self, member: &Member<'_>) -> bool {
        let format = self.published(&member.field.pointer, "format");
        let is_uri = |format: &str| ["uri", "url", "uri-reference", "iri"].contains(&format);
        let docs = member.field.docs.to_lowercase();
        let says = ["url", "uri", "link", "href", "http"].iter().any(|word| docs.contains(word));
        format.and_then(|format| format.as_str()).is_some_and(is_uri) || says
    }

    /// The pointer to the address of the next page, and whether the contract says that it is one.
    fn next_link(&self, about: &[Member<'m>], roles: &Roles<'_, 'm>) -> Option<(String, bool)> {
        let is_text = |one: &&Member<'m>| is_text(self.model, &one.field.ty);
        if let Some(link) = about.iter().filter(is_text).find(|one| one.is_one(NEXT_LINK)) {
            return Some((link.pointer(), true));
        }
        let links = |one: &&Member<'m>| one.owner.is_some_and(|owner| is_word(owner, "links"));
        let is_next = |one: &&Member<'m>| is_word(&one.field.wire, "next");
        if let Some(link) = about.iter().filter(is_text).filter(is_next).find(|one| links(one) || self.is_address(one))
        {
            return Some((link.pointer(), true));
        }
        // `next: {href}`
        let href = |one: &&Member<'m>| {
            one.owner.is_some_and(|owner| is_word(owner, "next")) && is_one(&one.field.wire, &["href", "url", "uri"])
        };
        if let Some(link) = about.iter().filter(is_text).find(href) {
            return Some((link.pointer(), true));
        }
        let is_listed = |name: &str| about.iter().any(|one| one.owner.is_none() && is_word(&one.field.wire, name));
        let next = about.iter().filter(is_text).find(|one| one.owner.is_none() && is_word(&one.field.wire, "next"))?;
        let is_pair = is_listed("previous") || is_listed("prev");
        (is_pair && roles.cursor.is_none()).then(|| (next.pointer(), is_listed("count")))
    }

    /// The parameter that takes a cursor, or a page number, from a header.
    fn next_header<'i>(&self, roles: &Roles<'i, 'm>) -> Option<(&'i Input<'m>, &'m str)> {
        let name = self.header(NEXT_HEADER)?;
        let is_page = header(name) == "nextpage";
        let parameter = if is_page { roles.page.or(roles.cursor) } else { roles.cursor };
        Some((parameter?, name))
    }

    /// The parameter that identifies the last item, and the pointer to its identifier.
    fn last_item<'i>(&self, item: &'m Type, roles: &Roles<'i, 'm>) -> Option<(&'i Input<'m>, String)> {
        let parameter = roles.cursor.filter(|parameter| is_one(parameter.wire, LAST_ITEM))?;
        let value = |ty: &Type| is_text(self.model, ty) || is_integer(self.model, ty);
        let member = page::members(self.model, item).iter().find(|one| one.wire == "id" && value(&one.ty))?;
        Some((parameter, crate::pointer::join("", &member.wire)))
    }
}
