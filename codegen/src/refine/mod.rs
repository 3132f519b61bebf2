//! From types and signatures to the pieces of the client's files.
//!
//! Progenitor's types stay; its operation bodies do not. A constant beside a call into the session describes an
//! operation's request and responses, and a table describes a type's wire form (`record!`, `string_enum!` …).

mod arguments;
mod bindings;
mod catalog;
mod client;
mod documents;
mod examples;
mod families;
mod first;
mod groups;
mod identifiers;
mod index;
mod layout;
mod makers;
mod operations;
mod paging;
mod render;
mod samples;
mod security;
mod servers;
mod source;
mod surface;
mod types;
mod wording;
mod xml;

use crate::bind::Bindings;
use crate::generate::Boxed;
use crate::graphql::Documents;
use crate::model::Model;
use crate::pieces::Take;
use crate::{Api, Config, Feature, FirstCall};

/// The client, without its files.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) features: Vec<Feature>,
    pub(crate) surface: String,
    pub(crate) first_call: Option<FirstCall>,
    pub(crate) api: Api,
}

/// The operations and types of the client as data.
pub(crate) fn catalog(model: &Model, boxed: &Boxed, config: &Config, bindings: &Bindings<'_>) -> crate::Catalog {
    let called = client::Called::new(&config.client);
    let named = render::Mentions::new(model);
    catalog::catalog(&render::Render::new(&called, model, boxed, bindings, config.style.version, &named))
}

/// Writes down the whole client: each file goes to `take`.
pub(crate) fn refine(
    model: &Model,
    boxed: &Boxed,
    config: &Config,
    bindings: &Bindings<'_>,
    texts: &Documents,
    take: &mut Take<'_>,
) -> Parts {
    let called = client::Called::new(&config.client);
    let named = render::Mentions::new(model);
    let render = render::Render::new(&called, model, boxed, bindings, config.style.version, &named);
    let groups = groups::groups(model, config);
    let mut index = index::Index::default();
    for (group, ids) in &groups {
        let mut pieces = groups::opening(group);
        index.group(group.family(), group.features());
        for id in ids {
            types::write(&render, *id, &mut pieces, &mut index);
        }
        take(format!("types/{}.rs", group.file()), pieces);
    }
    take("types/mod.rs".to_owned(), layout::types(&groups));
    for family in &model.families {
        take(format!("families/{}.rs", family.name), families::write(&render, family, &mut index));
    }
    take("families/mod.rs".to_owned(), layout::families(model, &called));
    index.group("", Vec::new());
    take("security.rs".to_owned(), security::write(model));
    take("servers.rs".to_owned(), servers::write(model, config, &called, &mut index));
    take("bindings.rs".to_owned(), bindings::write(&render, texts, &mut index));
    documents::write(texts, &mut index, take);
    let tables = xml::write(model);
    take(
        "mod.rs".to_owned(),
        layout::root(&called, &config.client.variables, documents::condition(texts), tables.is_some()),
    );
    if let Some(tables) = tables {
        take("xml.rs".to_owned(), tables);
    }
    let surface = surface::surface(&render);
    let first_call = first::first_call(&render);
    Parts { features: layout::features(model, &groups), surface, first_call, api: index.finish() }
}
