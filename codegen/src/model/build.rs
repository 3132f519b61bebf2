//! From upgraded documents to the model.

use std::collections::{BTreeMap, BTreeSet};

use super::schemas::Types;
use super::security::{Scheme, Schemes, Security};
use super::tree::{Document, Node};
use super::{
    Model, Operation, Provenance, Routes, address, api_version, bodies, operation_names, operations, parameters, reach,
    responses, tags,
};
use crate::ledger::Ledger;
use crate::naming::Scope;
use crate::{Names, Report, Setup, StyleVersion};

/// Interprets all documents, and says which names were given.
///
/// # Errors
///
/// Pinned names that two things have.
pub(crate) fn build(
    documents: &[Document],
    setup: &Setup,
    pins: &Names,
    ledger: &mut Ledger,
) -> Result<(Model, Names, Scope, Routes), Report> {
    let (mut operations, routes) = operations::find(documents, setup, pins, ledger);
    let names = operation_names::name(&mut operations, &setup.config, pins)?;
    let mut secured: BTreeMap<&str, Schemes> = BTreeMap::new();
    for document in documents {
        secured.insert(&document.name, Schemes::read(&Node::root(document), ledger));
    }
    let mut types = Types::new(documents, pins, &setup.config, ledger);
    for document in documents {
        let root = Node::root(document);
        let schemas = root.get("components").and_then(|components| components.get("schemas"));
        for (name, schema) in schemas.iter().flat_map(|schemas| schemas.members().collect::<Vec<_>>()) {
            types.named(&schema, name);
        }
    }
    let mut model = Model { left_out: routes.admitted - operations.len(), ..Model::default() };
    let keys: BTreeSet<&Scheme> = secured.values().flat_map(Schemes::keys).collect();
    model.schemes = keys.into_iter().cloned().collect();
    let main = operations.iter().find(|operation| operation.family.server.is_none());
    let main = main.and_then(|operation| secured.get(operation.node.document.name.as_str()));
    model.security = main.map(|schemes| schemes.default.clone()).unwrap_or_default();
    for operation in &operations {
        let mut interpreted = interpret(&mut types, operation);
        if let Some(schemes) = secured.get(operation.node.document.name.as_str()) {
            interpreted.security = schemes.requirements(&operation.node, &operation.item, types.ledger);
        }
        model.operations.push(interpreted);
        if !model.families.contains(&operation.family) {
            model.families.push(operation.family.clone());
        }
    }
    types.settle();
    types.check()?;
    let (definitions, xml, mut given, scope) = types.finish();
    model.types = definitions;
    model.xml = xml;
    given.operations = names;
    if setup.config.style.version > StyleVersion::One {
        let version = u8::from(setup.config.style.version).to_string();
        given.styles.insert(operation_names::OPERATIONS.to_owned(), version.clone());
        given.styles.insert(super::claims::ARGUMENTS.to_owned(), version);
    }
    api_version::lift(&mut model, documents, pins, &mut given);
    model.families.sort_by(|one, other| one.name.cmp(&other.name));
    model.operations.sort_by(|one, other| (&one.family, &one.name).cmp(&(&other.family, &other.name)));
    Ok((model, given, scope, routes))
}

/// Finds the operations that use each type.
pub(crate) fn mark_uses(model: &mut Model) {
    reach::mark(model);
    tags::mark(model);
}

fn interpret<'a>(types: &mut Types<'a>, operation: &operations::FoundOperation<'a>) -> Operation {
    let parameters::Parameters { list: parameters, query, headers } = parameters::read(types, operation);
    let body = bodies::read(types, operation);
    let responses = responses::read(types, operation);
    Operation {
        document: operation.node.document.name.clone(),
        pointer: operation.node.source(),
        method: operation.method.clone(),
        path: operation.route.path.clone(),
        query,
        headers,
        family: operation.family.name.clone(),
        name: operation.name.clone(),
        origin: operation.origin.clone(),
        docs: operation.node.prose(),
        deprecated: operation.node.flag("deprecated"),
        provenance: Provenance::from_node(&operation.node),
        parameters,
        body,
        success: responses.success,
        redirects: responses.redirects,
        accept: responses.accept,
        statuses: responses.statuses,
        answered: responses.headers,
        security: Security::Token,
        api_version: None,
        servers: address::own_servers(&operation.node, &operation.item),
    }
}
