//! The modules of a crate, read from its files: their declarations, imports, and the targets of their paths.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, UseTree};

use super::File;

/// A name that one module takes from another.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) by: Place,
    pub(super) owner: Place,
    pub(super) name: String,
}

/// A file and the module that it is. Modules in braces are part of their file's module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) module: Vec<String>,
}

/// All modules of a crate, those of tests apart.
#[derive(Debug, Default)]
pub(super) struct Modules {
    all: Vec<Module>,
}

/// The index of a module in the list; the root is the first.
type Id = usize;

#[derive(Debug, Default)]
struct Module {
    place: Place,
    parent: Option<Id>,
    children: BTreeMap<String, Id>,
    /// Names of items that it declares itself.
    items: BTreeSet<String>,
    /// Names that it imports, and the paths that they stand for.
    imports: BTreeMap<String, Vec<String>>,
    /// Modules of which it imports everything.
    globs: Vec<Vec<String>>,
    /// Every path of its code.
    paths: BTreeSet<Vec<String>>,
}

/// The target of a path.
#[derive(Clone, Copy)]
enum Target {
    Module(Id),
    /// An item that this module declares.
    Item(Id),
}

impl Modules {
    /// Reads a crate from its root. A file that is not Rust is left to the compiler.
    pub(super) fn read(root: &str, files: &[File]) -> Self {
        let mut modules = Self::default();
        let folder = root.rsplit_once('/').map(|(folder, _)| folder).unwrap_or_default();
        modules.file(root, folder, None, Vec::new(), files);
        modules
    }

    /// Adds the module of a file, whose children lie in a folder.
    fn file(
        &mut self,
        path: &str,
        folder: &str,
        parent: Option<Id>,
        module: Vec<String>,
        files: &[File],
    ) -> Option<Id> {
        let file = files.iter().find(|file| file.path == path).filter(|file| !file.is_generated())?;
        let parsed = syn::parse_file(file.text()?).ok()?;
        let place = Place { file: path.to_owned(), module };
        Some(self.module(&place, folder, parent, &parsed.items, files))
    }

    fn module(&mut self, place: &Place, folder: &str, parent: Option<Id>, items: &[Item], files: &[File]) -> Id {
        let id = self.all.len();
        self.all.push(Module { place: place.clone(), parent, ..Module::default() });
        for item in items.iter().filter(|item| !is_of_tests(attributes(item))) {
            let Item::Mod(inner) = item else { continue };
            let name = plain(&inner.ident);
            let below = format!("{folder}/{name}");
            let child = match &inner.content {
                Some((_, items)) => Some(self.module(place, &below, Some(id), items, files)),
                None => [format!("{below}.rs"), format!("{below}/mod.rs")].iter().find_map(|path| {
                    let module = [place.module.as_slice(), std::slice::from_ref(&name)].concat();
                    self.file(path, &below, Some(id), module, files)
                }),
            };
            if let (Some(child), Some(own)) = (child, self.all.get_mut(id)) {
                own.children.insert(name, child);
            }
        }
        if let Some(own) = self.all.get_mut(id) {
            let mut reader = Reader { module: own };
            items.iter().for_each(|item| reader.top(item));
        }
        id
    }

    /// Every name that the code of a file takes from a module.
    pub(super) fn named(&self) -> impl Iterator<Item = Named> {
        self.all.iter().enumerate().flat_map(move |(id, module)| {
            let paths = module.paths.iter().chain(module.imports.values()).chain(&module.globs);
            paths.filter_map(move |path| {
                let Target::Item(owner) = self.resolve(id, path, &mut BTreeSet::new())? else { return None };
                let owner = self.all.get(owner)?.place.clone();
                Some(Named { by: module.place.clone(), owner, name: path.last()?.clone() })
            })
        })
    }

    /// Follows a path to the item that it names, through modules and re-exports.
    fn resolve(&self, from: Id, path: &[String], seen: &mut BTreeSet<(Id, String)>) -> Option<Target> {
        let mut segments = path.iter();
        let mut at = match segments.next()?.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(from),
            "super" => Target::Module(self.all.get(from)?.parent?),
            name => self.lookup(from, name, seen)?,
        };
        for segment in segments {
            at = match (at, segment.as_str()) {
                (Target::Item(_), _) => return Some(at),
                (Target::Module(id), "super") => Target::Module(self.all.get(id)?.parent?),
                (Target::Module(_), "self") => at,
                (Target::Module(id), name) => self.lookup(id, name, seen)?,
            };
        }
        Some(at)
    }

    fn lookup(&self, id: Id, name: &str, seen: &mut BTreeSet<(Id, String)>) -> Option<Target> {
        if !seen.insert((id, name.to_owned())) {
            return None;
        }
        let module = self.all.get(id)?;
        if let Some(child) = module.children.get(name) {
            return Some(Target::Module(*child));
        }
        if module.items.contains(name) {
            return Some(Target::Item(id));
        }
        if let Some(path) = module.imports.get(name) {
            return self.resolve(id, path, seen);
        }
        module.globs.iter().find_map(|path| match self.resolve(id, path, seen)? {
            Target::Module(other) => self.lookup(other, name, seen),
            item @ Target::Item(_) => Some(item),
        })
    }
}

/// Reads the items of one module.
struct Reader<'m> {
    module: &'m mut Module,
}

impl Reader<'_> {
    fn top(&mut self, item: &Item) {
        if is_of_tests(attributes(item)) {
            return;
        }
        match item {
            // A module of its own.
            Item::Mod(_) => return,
            Item::Macro(item) => self.module.items.extend(item.ident.iter().map(plain)),
            other => self.module.items.extend(declared(other)),
        }
        self.visit_item(item);
    }

    fn import(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[plain(name)]].concat();
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident)),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before)),
            UseTree::Glob(_) => self.module.globs.push(before.to_vec()),
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = before.last() {
                    self.module.imports.insert(last.clone(), before.to_vec());
                }
            }
            UseTree::Name(name) => {
                self.module.imports.insert(plain(&name.ident), with(&name.ident));
            }
            UseTree::Rename(name) => {
                let path = if name.ident == "self" { before.to_vec() } else { with(&name.ident) };
                // `as _` brings the methods of a trait.
                self.module.paths.insert(path.clone());
                self.module.imports.insert(plain(&name.rename), path);
            }
        }
    }

    /// The paths in the tokens of a macro call.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.path(std::mem::take(&mut path));
                    }
                    path.push(plain(&name));
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && colons < 2 => colons += 1,
                other => {
                    self.path(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path(path);
    }

    fn path(&mut self, path: Vec<String>) {
        if !path.is_empty() {
            self.module.paths.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_of_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_of_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.path(path.segments.iter().map(|segment| plain(&segment.ident)).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }
}

/// The name that an item declares.
fn declared(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(plain(name))
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns whether an item is compiled for tests only.
fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let text = list.tokens.to_string();
            text == "test" || text.starts_with("all (test") || text.starts_with("all(test")
        }
        _ => false,
    })
}

/// A name without the prefix of a raw identifier.
fn plain(name: &impl ToString) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}
