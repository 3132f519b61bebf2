use std::collections::BTreeSet;

use driftless_codegen::{CatalogForm, Contract, Names, catalog};

use super::common::Case;

/// The catalog and the index of public items are made apart: each name of the one is in the other, with the same name on the wire.
#[test]
fn each_name_of_the_catalog_is_an_item_of_the_client() {
    let mut operations = 0;
    for case in Case::all() {
        let output = match case.generate() {
            Ok(output) => output,
            Err(_) => continue,
        };
        let contract = [Contract { name: "platform", bytes: &case.bytes }];
        let catalog = catalog(&contract, &case.setup, &Names::default()).unwrap();
        let items: BTreeSet<(String, &str, &str)> =
            output.api.items.iter().map(|item| (item.path.clone(), item.kind, item.wire.as_str())).collect();
        let mut missing = Vec::new();
        let mut expect = |path: String, kind, wire| {
            if !items.contains(&(path.clone(), kind, wire)) {
                missing.push(format!("{kind} {path} {wire:?}"));
            }
        };
        operations += catalog.operations.len();
        assert_eq!(catalog.operations.len(), output.surface.lines().count(), "{}", case.name);
        for operation in &catalog.operations {
            let called = format!("{} {}", operation.method, operation.path);
            let method = output.api.items.iter().find(|item| {
                item.kind == "fn"
                    && item.origin.operation == called
                    && item.path.starts_with(&format!("families::{}::", operation.family))
                    && item.path.ends_with(&format!("::{}", operation.name))
                    && item.signature.contains("operations::")
            });
            let method = method.unwrap_or_else(|| panic!("{}: {called}", case.name));
            let marker =
                method.signature.rsplit_once("operations::").map_or("", |(_, rest)| rest.trim_end_matches('>'));
            for input in &operation.inputs {
                match input.is_argument {
                    true => {
                        assert!(method.signature.contains(&format!("{}: ", input.name)), "{}: {input:?}", case.name)
                    }
                    false => expect(
                        format!("families::{}::operations::{marker}::{}", operation.family, input.name),
                        "fn",
                        input.wire.as_str(),
                    ),
                }
            }
        }
        for ty in &catalog.types {
            let inside = |name: &str| format!("types::{}::{name}", ty.name);
            match &ty.form {
                CatalogForm::Object(members, extra) => {
                    members.iter().for_each(|member| expect(inside(&member.name), "field", member.wire.as_str()));
                    extra.iter().for_each(|(name, _)| expect(inside(name), "field", ""));
                    let setters = members.iter().filter(|member| member.has_setter && ty.is_sent);
                    setters.for_each(|member| expect(inside(&member.name), "fn", member.wire.as_str()));
                }
                CatalogForm::Multipart(members) => {
                    members.iter().for_each(|member| expect(inside(&member.name), "field", member.wire.as_str()));
                }
                CatalogForm::Enumeration(_, values) => {
                    values.iter().for_each(|(wire, name)| expect(inside(name), "variant", wire.as_str()));
                }
                CatalogForm::Union(_, variants) => {
                    variants.iter().for_each(|variant| expect(inside(&variant.name), "variant", ""));
                }
                CatalogForm::ByStatus(variants) => {
                    variants.iter().for_each(|(status, name, _)| expect(inside(name), "variant", status.as_str()));
                }
                CatalogForm::Identifier(_) => {}
                CatalogForm::Alias(_) => expect(format!("types::{}", ty.name), "type", ""),
            }
        }
        assert!(missing.is_empty(), "{}: {missing:#?}", case.name);
    }
    assert!(operations > 200, "{operations}");
}
