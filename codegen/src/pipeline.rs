//! The stages, in order.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::ledger::Ledger;
use crate::load::{self, Loaded};
use crate::model::Document;
use crate::room::with_room;
use crate::upgrade::Published;
use crate::{
    Api, Catalog, Config, Contract, Credentials, NameStyle, Names, Output, Proposal, Report, Setup, StyleVersion,
    Suggestions, bind, correct, decisions, emit, generate, graphql, ids, infer, model, refine, review, shape, stats,
    table, upgrade,
};

/// Is told the name of each stage when it ends. The stages that follow moved objects end twice.
pub(crate) type Watch<'w> = &'w (dyn Fn(&'static str) + Sync);

/// Runs all stages where there is room for them.
pub(crate) fn run(contracts: &[Contract<'_>], setup: &Setup, pins: &Names, watch: Watch<'_>) -> Result<Output, Report> {
    with_room(&|| stages(contracts, setup, pins, watch))
}

/// Runs the stages as far as the public API is known: no file is written.
pub(crate) fn api(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<(Api, Names), Report> {
    with_room(&|| {
        let Modelled { names, model, boxed, bindings, documents, .. } =
            modelled(contracts, setup, pins, false, &|_| {})?;
        Ok((refine::refine(&model, &boxed, &setup.config, &bindings, &documents, &mut |_, _| {}).api, names))
    })
}

/// Runs the stages as far as the operations and types are known.
pub(crate) fn catalog(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<Catalog, Report> {
    with_room(&|| {
        let Modelled { model, boxed, bindings, .. } = modelled(contracts, setup, pins, false, &|_| {})?;
        Ok(refine::catalog(&model, &boxed, &setup.config, &bindings))
    })
}

/// Runs the stages as far as the entries that the contracts suggest are known.
pub(crate) fn suggestions(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<Suggestions, Report> {
    with_room(&|| {
        let Modelled { names, model, bindings, contracts, .. } = modelled(contracts, setup, pins, false, &|_| {})?;
        Ok(infer::suggest(&model, &contracts, &bindings, &setup.config, &names))
    })
}

/// Reads the contracts, and proposes a configuration for them.
pub(crate) fn propose(contracts: &[Contract<'_>], setup: &Setup) -> Result<Proposal, Report> {
    with_room(&|| {
        let mut ledger = Ledger::default();
        let loaded = load(contracts, &setup.config, &mut ledger)?;
        let documents: Vec<Document> =
            loaded.into_iter().map(|(name, loaded)| prepare(name, loaded, &mut ledger)).collect();
        let schemes = model::schemes(&documents, &mut ledger);
        let title = documents.first().map(model::title).unwrap_or_default();
        let client = decisions::client_names(&title, setup);
        let families = model::propose(&documents, setup);
        let mut setup = setup.clone();
        setup.config.families.clone_from(&families);
        // A new client is named by the latest rules.
        setup.config.style = NameStyle { version: StyleVersion::Two };
        let (model, names, ..) = model::build(&documents, &setup, &Names::default(), &mut ledger)?;
        let bindings = bind::Bindings::default();
        let suggestions = infer::suggest(&model, &documents, &bindings, &setup.config, &names);
        let address = documents.iter().find_map(model::address);
        Ok(Proposal { client, families, address, schemes, suggestions })
    })
}

/// The address that a contract states.
pub(crate) fn address(contract: &[u8]) -> Option<String> {
    let stated = with_room(&|| {
        let mut ledger = Ledger::default();
        let loaded = load(&[Contract { name: "contract", bytes: contract }], &Config::default(), &mut ledger)?;
        let documents = loaded.into_iter().map(|(name, loaded)| prepare(name, loaded, &mut ledger));
        Ok(documents.filter_map(|document| model::address(&document)).next())
    });
    stated.ok().flatten()
}

/// Everything before Rust is written.
struct Modelled<'s> {
    names: Names,
    ledger: Ledger,
    model: model::Model,
    boxed: generate::Boxed,
    bindings: bind::Bindings<'s>,
    documents: graphql::Documents,
    /// The contracts without their trees, which are most of the memory: no stage after the model reads them.
    contracts: Vec<Document>,
    /// The texts of the review about them.
    wire: BTreeMap<String, String>,
    unused: Vec<crate::Unused>,
}

fn stages(contracts: &[Contract<'_>], setup: &Setup, pins: &Names, watch: Watch<'_>) -> Result<Output, Report> {
    let Modelled { names, mut ledger, model, boxed, documents, contracts, wire, unused, bindings } =
        modelled(contracts, setup, pins, true, watch)?;
    let suggestions = infer::suggest(&model, &contracts, &bindings, &setup.config, &names);
    drop(contracts);
    watch("infer");
    let (parts, files) = emit::emit(|take| {
        let parts = refine::refine(&model, &boxed, &setup.config, &bindings, &documents, take);
        watch("refine");
        parts
    })?;
    watch("format");
    ledger.settle();
    let stats = stats::count(&model, &documents, &ledger);
    let table = setup.table.then(|| table::table(&model, &setup.config, &bindings, &documents));
    let credentials = Credentials::from_model(&model);
    drop(model);
    let review = review::texts(&parts.api, wire, &ledger);
    watch("review");
    Ok(Output {
        files,
        features: parts.features,
        names,
        ledger,
        surface: parts.surface,
        table,
        first_call: parts.first_call,
        api: parts.api,
        review,
        credentials,
        stats,
        unused,
        suggestions,
        unnamed_states: documents.unnamed_states,
        documents: documents.list.into_iter().map(graphql::TypedDocument::sent).collect(),
    })
}

fn modelled<'s>(
    contracts: &[Contract<'_>],
    setup: &'s Setup,
    pins: &Names,
    is_reviewed: bool,
    watch: Watch<'_>,
) -> Result<Modelled<'s>, Report> {
    following(contracts, setup, pins, is_reviewed, false, watch)
}

/// `is_followed` says whether the pins already follow moved objects, which they do once.
fn following<'s>(
    inputs: &[Contract<'_>],
    setup: &'s Setup,
    pins: &Names,
    is_reviewed: bool,
    is_followed: bool,
    watch: Watch<'_>,
) -> Result<Modelled<'s>, Report> {
    let config = &setup.config;
    decisions::check(setup)?;
    let mut ledger = Ledger::default();
    let loaded = load(inputs, config, &mut ledger)?;
    watch("load");
    let mut contracts: Vec<Document> =
        loaded.into_iter().map(|(name, loaded)| prepare(name, loaded, &mut ledger)).collect();
    watch("upgrade");
    let (mut model, mut names, mut scope, routes) = model::build(&contracts, setup, pins, &mut ledger)?;
    watch("model");
    let wire = if is_reviewed { review::wire(&contracts, &model) } else { BTreeMap::new() };
    contracts.iter_mut().for_each(|document| document.tree = Value::Null);
    let idle = ids::apply(&mut model, config, pins, &mut names, &mut scope)?;
    model::mark_uses(&mut model);
    if config.style.version > StyleVersion::One {
        shape::share(&mut model, pins, &mut names, &mut scope, &mut ledger);
        model::mark_uses(&mut model);
    }
    watch("shape");
    model::settle(&mut model, pins, &mut names);
    // A body that is not the one of its call has members, and no type.
    names.published.retain(|owner, _| names.types.contains_key(owner) || names.operations.contains_key(owner));
    let boxed = generate::generate(&model, pins, &mut names);
    let bindings = bind::bind(&model, setup)?;
    let (documents, given) = graphql::read(setup, pins, &bindings, &model, &mut ledger)?;
    names.graphql = given.graphql;
    names.uses.extend(given.uses);
    names.published.extend(given.published);
    watch("bind");
    if let Some(followed) = model::followed(pins, &names).filter(|_| !is_followed) {
        drop((contracts, model, boxed, documents, wire, ledger));
        return following(inputs, setup, &followed, is_reviewed, true, watch);
    }
    // A name that was chosen for a new object does not wait for the next run if no pin holds it any more.
    if let Some(freed) = pins.freed(&config.rename, &names) {
        drop((contracts, model, boxed, documents, wire, ledger));
        return following(inputs, setup, &freed, is_reviewed, is_followed, watch);
    }
    let mut unused = decisions::unused(config, &routes, &names)?;
    unused.extend(bindings.unused(config));
    unused.extend(idle);
    unused.extend(documents.unused.iter().cloned());
    Ok(Modelled { names, ledger, model, boxed, bindings, documents, contracts, wire, unused })
}

/// Reads all contracts, and corrects them.
fn load(contracts: &[Contract<'_>], config: &Config, ledger: &mut Ledger) -> Result<Vec<(String, Loaded)>, Report> {
    let mut report = Report::default();
    let mut loaded = Vec::new();
    for contract in contracts {
        match load::load(contract.name, contract.bytes) {
            Ok(document) => loaded.push((contract.name.to_owned(), document)),
            Err(problem) => report.push(problem),
        }
    }
    let mut loaded = report.into_result(loaded)?;
    let mut trees: Vec<(String, Value)> =
        loaded.iter_mut().map(|(name, document)| (name.clone(), std::mem::take(&mut document.tree))).collect();
    correct::correct(&mut trees, config, ledger)?;
    for ((_, document), (_, tree)) in loaded.iter_mut().zip(trees) {
        document.tree = tree;
        document.notes.drain(..).for_each(|note| ledger.push(note));
    }
    Ok(loaded)
}

/// Upgrades one document.
fn prepare(name: String, loaded: Loaded, ledger: &mut Ledger) -> Document {
    let published = Published::new(&loaded.tree);
    let (tree, origins) = upgrade::upgraded(&name, loaded.tree, loaded.dialect, &published, ledger);
    Document::new(name, tree, published, origins)
}
