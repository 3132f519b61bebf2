//! The stages, in order.

use serde_json::Value;

use crate::ledger::Ledger;
use crate::load::{self, Loaded};
use crate::model::Document;
use crate::{
    Api, Catalog, Config, Contract, Credentials, NameStyle, Names, Output, Problem, Proposal, Report, STACK, Setup,
    StyleVersion, bind, correct, decisions, emit, generate, graphql, infer, model, refine, review, shape, stats, table,
    upgrade,
};

/// Runs all stages where there is room for them.
pub(crate) fn run(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<Output, Report> {
    with_room(&|| stages(contracts, setup, pins))
}

/// Runs the stages as far as the public API is known: no file is written.
pub(crate) fn api(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<(Api, Names), Report> {
    with_room(&|| {
        let refined = refined(contracts, setup, pins)?;
        Ok((refined.parts.api, refined.names))
    })
}

/// Runs the stages as far as the operations and types are known.
pub(crate) fn catalog(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<Catalog, Report> {
    with_room(&|| {
        let refined = refined(contracts, setup, pins)?;
        Ok(refine::catalog(&refined.model, &refined.boxed, &setup.config, &refined.bindings))
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
        let (model, ..) = model::build(&documents, &setup, &Names::default(), &mut ledger)?;
        let suggestions = infer::suggest(&model, &documents, &bind::Bindings::default());
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

/// Works on a thread of its own, with room for contracts of any depth. The next one takes over the memory that it gives back.
pub(crate) fn with_room<T: Send>(work: &(dyn Fn() -> Result<T, Report> + Sync)) -> Result<T, Report> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("codegen".to_owned()).stack_size(STACK);
        match builder.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(Report::from(stopped()))),
            // Without a thread of its own, the common stack has to do.
            Err(_) => work(),
        }
    })
}

/// Everything before files are written.
struct Refined<'s> {
    parts: refine::Parts,
    names: Names,
    ledger: Ledger,
    model: model::Model,
    boxed: generate::Boxed,
    bindings: bind::Bindings<'s>,
    documents: graphql::Documents,
    /// The contracts, upgraded.
    contracts: Vec<Document>,
    unused: Vec<crate::Unused>,
}

fn stages(contracts: &[Contract<'_>], setup: &Setup, pins: &Names) -> Result<Output, Report> {
    let Refined { parts, names, mut ledger, model, documents, contracts, unused, bindings, .. } =
        refined(contracts, setup, pins)?;
    let suggestions = infer::suggest(&model, &contracts, &bindings);
    let files = emit::emit(&parts.files)?;
    ledger.settle();
    let stats = stats::count(&model, &documents, &ledger);
    let table = setup.table.then(|| table::table(&model, &setup.config, &bindings, &documents));
    let review = review::texts(&parts.api, &contracts, &model, &ledger);
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
        credentials: Credentials::from_model(&model),
        stats,
        unused,
        suggestions,
        unnamed_states: documents.unnamed_states,
        documents: documents.list.into_iter().map(graphql::TypedDocument::sent).collect(),
    })
}

fn refined<'s>(contracts: &[Contract<'_>], setup: &'s Setup, pins: &Names) -> Result<Refined<'s>, Report> {
    following(contracts, setup, pins, false)
}

/// `is_followed` says whether the pins already follow moved objects, which they do once.
fn following<'s>(
    inputs: &[Contract<'_>],
    setup: &'s Setup,
    pins: &Names,
    is_followed: bool,
) -> Result<Refined<'s>, Report> {
    let config = &setup.config;
    decisions::check(setup)?;
    let mut ledger = Ledger::default();
    let loaded = load(inputs, config, &mut ledger)?;
    let contracts: Vec<Document> =
        loaded.into_iter().map(|(name, loaded)| prepare(name, loaded, &mut ledger)).collect();
    let (mut model, mut names, mut scope, routes) = model::build(&contracts, setup, pins, &mut ledger)?;
    model::mark_uses(&mut model);
    if config.style.version > StyleVersion::One {
        shape::share(&mut model, pins, &mut names, &mut scope, &mut ledger);
        model::mark_uses(&mut model);
    }
    model::settle(&mut model, pins, &mut names);
    // A body that is not the one of its call has members, and no type.
    names.published.retain(|owner, _| names.types.contains_key(owner) || names.operations.contains_key(owner));
    let boxed = generate::generate(&model, pins, &mut names);
    let bindings = bind::bind(&model, setup)?;
    let (documents, given) = graphql::read(setup, pins, &bindings, &model, &mut ledger)?;
    names.graphql = given.graphql;
    names.uses.extend(given.uses);
    names.published.extend(given.published);
    if let Some(followed) = model::followed(pins, &names).filter(|_| !is_followed) {
        return following(inputs, setup, &followed, true);
    }
    // A name that was chosen for a new object does not wait for the next run if no pin holds it any more.
    if let Some(freed) = pins.freed(&config.rename, &names) {
        return following(inputs, setup, &freed, is_followed);
    }
    let mut unused = decisions::unused(config, &routes, &names)?;
    unused.extend(bindings.unused(config));
    unused.extend(documents.unused.iter().cloned());
    let parts = refine::refine(&model, &boxed, config, &bindings, &documents);
    Ok(Refined { parts, names, ledger, model, boxed, bindings, documents, contracts, unused })
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
    let (tree, origins) = upgrade::trace(&name, &loaded, ledger);
    Document::new(name, tree, loaded.tree, origins)
}

fn stopped() -> Problem {
    Problem {
        code: "generate/stopped",
        document: "contract".to_owned(),
        pointer: None,
        position: None,
        message: "the generator stopped in the middle".to_owned(),
        hint: "this is a defect of the generator: please report it with the contract".to_owned(),
    }
}
