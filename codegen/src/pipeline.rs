//! The stages, in order.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::ledger::Ledger;
use crate::load::{self, Loaded};
use crate::model::Document;
use crate::naming::Scope;
use crate::room::with_room;
use crate::upgrade::Published;
use crate::{
    Api, Catalog, ClientNames, Config, Contract, Credentials, NameStyle, Names, Output, Proposal, Report, Setup,
    StyleVersion, Suggestions, bind, correct, decisions, emit, generate, graphql, ids, infer, model, refine, review,
    shape, stats, table, upgrade,
};

/// Is told the name of each stage when it ends. The stages that follow moved objects end twice.
pub(crate) type Watch<'w> = &'w (dyn Fn(&'static str) + Sync);

/// Runs all stages where there is room for them. Those that `interpreted` comes from are left out if it is of these contracts and this
/// configuration, and no name is pinned.
pub(crate) fn run(
    contracts: &[Contract<'_>],
    interpreted: Option<Interpreted>,
    setup: &Setup,
    pins: &Names,
    watch: Watch<'_>,
) -> Result<Output, Report> {
    let interpreted = Mutex::new(interpreted.filter(|interpreted| interpreted.fits(contracts, setup, pins)));
    let take = || interpreted.lock().unwrap_or_else(PoisonError::into_inner).take();
    with_room(&|| stages(contracts, take(), setup, pins, watch))
}

/// Runs the stages as far as the public API is known: no file is written.
pub(crate) fn api(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<(Api, Names), Report> {
    with_room(&|| {
        let Modelled { names, model, boxed, bindings, documents, .. } =
            modelled(contracts, None, setup, pins, false, &|_| {})?;
        Ok((refine::refine(&model, &boxed, &setup.config, &bindings, &documents, &mut |_, _| {}).api, names))
    })
}

/// Runs the stages as far as the operations and types are known.
pub(crate) fn catalog(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<Catalog, Report> {
    with_room(&|| {
        let Modelled { model, boxed, bindings, .. } = modelled(contracts, None, setup, pins, false, &|_| {})?;
        Ok(refine::catalog(&model, &boxed, &setup.config, &bindings))
    })
}

/// Runs the stages as far as the entries that the contracts suggest are known.
pub(crate) fn suggestions(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<Suggestions, Report> {
    with_room(&|| {
        let Modelled { names, model, bindings, contracts, .. } =
            modelled(contracts, None, setup, pins, false, &|_| {})?;
        Ok(infer::suggest(&model, &contracts, &bindings, &setup.config, &names))
    })
}

/// Reads the contracts, and proposes a configuration for them. `loaded` has those whose canonical texts were made just now.
/// `is_reviewed`: they are generated from, too.
pub(crate) fn propose(
    contracts: &[Contract<'_>],
    loaded: Vec<Loaded>,
    setup: &Setup,
    is_reviewed: bool,
) -> Result<(Proposal, Interpreted), Report> {
    let loaded = Mutex::new(loaded);
    let take = || std::mem::take(&mut *loaded.lock().unwrap_or_else(PoisonError::into_inner));
    with_room(&|| {
        let mut ledger = Ledger::default();
        let documents = read(contracts, take(), &setup.config, &mut ledger, &|_| {})?;
        // A generation does not ask for them.
        let schemes = model::schemes(&documents, &mut Ledger::default());
        let families = model::propose(&documents, setup);
        let address = documents.iter().find_map(model::address);
        let mut setup = setup.clone();
        setup.config.families.clone_from(&families);
        // A new client is named by the latest rules.
        setup.config.style = NameStyle { version: StyleVersion::Two };
        let names = Names::default();
        let facts = interpret(documents, &setup, &names, is_reviewed, ledger, &|_| {})?;
        let bindings = bind::Bindings::default();
        let suggestions = infer::suggest(&facts.model, &facts.contracts, &bindings, &setup.config, &facts.names);
        let digests = contracts.iter().map(|contract| digest(contract.bytes)).collect();
        Ok((Proposal { families, address, schemes, suggestions }, Interpreted { digests, setup, facts }))
    })
}

/// The address that a contract states.
pub(crate) fn address(contract: &[u8]) -> Option<String> {
    let stated = with_room(&|| {
        let contracts = [Contract { name: "contract", bytes: contract }];
        let documents = read(&contracts, Vec::new(), &Config::default(), &mut Ledger::default(), &|_| {})?;
        Ok(documents.iter().find_map(model::address))
    });
    stated.ok().flatten()
}

/// Contracts that were interpreted for a proposal. [`generate_interpreted`](crate::generate_interpreted) goes on from there.
#[derive(Debug)]
pub struct Interpreted {
    /// The digest of each contract.
    digests: Vec<u64>,
    /// The configuration with which they were interpreted.
    setup: Setup,
    facts: Facts,
}

/// All that the contracts say.
#[derive(Debug)]
struct Facts {
    ledger: Ledger,
    /// The contracts without their trees, which are most of the memory: no stage after the model reads them.
    contracts: Vec<Document>,
    model: model::Model,
    names: Names,
    scope: Scope,
    routes: model::Routes,
    /// The texts of the review about them.
    wire: BTreeMap<String, String>,
}

impl Interpreted {
    /// Returns whether the interpretation of these contracts with this configuration would be the same.
    fn fits(&self, contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> bool {
        let own = self.facts.contracts.iter().map(|document| document.name.as_str()).zip(self.digests.iter().copied());
        // No stage before `ids` reads the names of the client or the paginations.
        let read =
            |config: &Config| Config { client: ClientNames::default(), paginations: Vec::new(), ..config.clone() };
        *pins == Names::default()
            && self.setup.reserved == setup.reserved
            && read(&self.setup.config) == read(&setup.config)
            && own.eq(contracts.iter().map(|contract| (contract.name, digest(contract.bytes))))
    }
}

/// Detects a caller that passes another contract. It does not withstand an attack.
fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Everything before Rust is written.
struct Modelled<'s> {
    names: Names,
    ledger: Ledger,
    model: model::Model,
    boxed: generate::Boxed,
    bindings: bind::Bindings<'s>,
    documents: graphql::Documents,
    /// As in [`Facts`].
    contracts: Vec<Document>,
    /// As in [`Facts`].
    wire: BTreeMap<String, String>,
    unused: Vec<crate::Unused>,
}

fn stages(
    contracts: &[Contract<'_>],
    interpreted: Option<Interpreted>,
    setup: &Setup,
    pins: &Names,
    watch: Watch<'_>,
) -> Result<Output, Report> {
    let Modelled { names, mut ledger, model, boxed, documents, contracts, wire, unused, bindings } =
        modelled(contracts, interpreted, setup, pins, true, watch)?;
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
    interpreted: Option<Interpreted>,
    setup: &'s Setup,
    pins: &Names,
    is_reviewed: bool,
    watch: Watch<'_>,
) -> Result<Modelled<'s>, Report> {
    following(contracts, interpreted, setup, pins, is_reviewed, false, watch)
}

/// `is_followed` says whether the pins already follow moved objects, which they do once.
fn following<'s>(
    inputs: &[Contract<'_>],
    interpreted: Option<Interpreted>,
    setup: &'s Setup,
    pins: &Names,
    is_reviewed: bool,
    is_followed: bool,
    watch: Watch<'_>,
) -> Result<Modelled<'s>, Report> {
    let config = &setup.config;
    decisions::check(setup)?;
    let facts = match interpreted {
        Some(interpreted) => interpreted.facts,
        None => {
            let mut ledger = Ledger::default();
            let documents = read(inputs, Vec::new(), config, &mut ledger, watch)?;
            interpret(documents, setup, pins, is_reviewed, ledger, watch)?
        }
    };
    let Facts { mut ledger, contracts, mut model, mut names, mut scope, routes, wire } = facts;
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
        return following(inputs, None, setup, &followed, is_reviewed, true, watch);
    }
    // A name that was chosen for a new object does not wait for the next run if no pin holds it any more.
    if let Some(freed) = pins.freed(&config.rename, &names) {
        drop((contracts, model, boxed, documents, wire, ledger));
        return following(inputs, None, setup, &freed, is_reviewed, is_followed, watch);
    }
    let mut unused = decisions::unused(config, &routes, &names)?;
    unused.extend(bindings.unused(config));
    unused.extend(idle);
    unused.extend(documents.unused.iter().cloned());
    Ok(Modelled { names, ledger, model, boxed, bindings, documents, contracts, wire, unused })
}

/// Reads all contracts that are not `given`, and corrects them.
fn load(
    contracts: &[Contract<'_>],
    given: Vec<Loaded>,
    config: &Config,
    ledger: &mut Ledger,
) -> Result<Vec<(String, Loaded)>, Report> {
    let mut report = Report::default();
    let mut loaded = Vec::new();
    let given = if given.len() == contracts.len() { given } else { Vec::new() };
    let mut given = given.into_iter();
    for contract in contracts {
        let document = match given.next() {
            Some(document) => Ok(document.pinned(contract.name)),
            None => load::load(contract.name, contract.bytes),
        };
        match document {
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

/// Reads all contracts, and upgrades them.
fn read(
    contracts: &[Contract<'_>],
    given: Vec<Loaded>,
    config: &Config,
    ledger: &mut Ledger,
    watch: Watch<'_>,
) -> Result<Vec<Document>, Report> {
    let loaded = load(contracts, given, config, ledger)?;
    watch("load");
    let documents = loaded.into_iter().map(|(name, loaded)| prepare(name, loaded, ledger)).collect();
    watch("upgrade");
    Ok(documents)
}

/// Makes the model of documents.
fn interpret(
    mut contracts: Vec<Document>,
    setup: &Setup,
    pins: &Names,
    is_reviewed: bool,
    mut ledger: Ledger,
    watch: Watch<'_>,
) -> Result<Facts, Report> {
    let (model, names, scope, routes) = model::build(&contracts, setup, pins, &mut ledger)?;
    watch("model");
    let wire = if is_reviewed { review::wire(&contracts, &model) } else { BTreeMap::new() };
    contracts.iter_mut().for_each(Document::drop_tree);
    Ok(Facts { ledger, contracts, model, names, scope, routes, wire })
}

/// Upgrades one document.
fn prepare(name: String, loaded: Loaded, ledger: &mut Ledger) -> Document {
    let published = Published::new(&loaded.tree);
    let (tree, origins) = upgrade::upgraded(&name, loaded.tree, loaded.dialect, &published, ledger);
    Document::new(name, tree, published, origins)
}
