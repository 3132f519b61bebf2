//! The names of a client's parameters, members and values, as the judge derives them from the names in the contract.

use std::collections::BTreeMap;

use driftless::develop::Sources;
use driftless_codegen::{CatalogForm, CatalogMember, CatalogOperation, CatalogType};
use driftless_sandbox::conformance::{Judge, Name, Verdict, names};

use crate::report::Row;

/// The rows of an operation (`family.name`) and of types: one for each owner of names.
pub(crate) struct Names<'c> {
    /// The generated files, whose functions have arguments.
    pub(crate) files: &'c BTreeMap<String, String>,
    pub(crate) sources: &'c Sources,
}

impl Names<'_> {
    /// The row of an operation. `None`: it has no parameters.
    pub(crate) fn of_operation(&self, operation: &CatalogOperation) -> Option<Row> {
        let key = format!("{} {}", operation.method, operation.path);
        let inputs = operation.inputs.iter().map(|input| {
            self.name(input.place, &input.wire, &input.name, &format!("{key}.{}:{}", input.place, input.wire))
        });
        let headers = operation.answered.iter().map(|header| Name {
            // A file of names has them by other keys.
            is_given: self
                .sources
                .names
                .headers
                .get(&format!("{key}.{}", header.wire))
                .is_some_and(|name| name.split(' ').next() == Some(&header.name)),
            ..self.name("answer header", &header.wire, &header.name, "")
        });
        let all: Vec<Name> = inputs.chain(headers).collect();
        if all.is_empty() {
            return None;
        }
        let required = operation.inputs.iter().filter(|input| input.is_argument).map(|input| input.name.as_str());
        let body = operation.body.iter().filter(|body| body.required).map(|_| "body");
        let verdict = match &operation.arguments {
            // The compiler checks the fields of a struct.
            Some(_) => names(&all),
            None => self.arguments(
                &format!("pub fn {}(", operation.name),
                "OPERATION",
                required.chain(body).collect(),
                names(&all),
            ),
        };
        Some(Row::new(operation, format!("{key} names"), verdict))
    }

    /// The row of a type. `None`: it has no names.
    pub(crate) fn of_type(&self, ty: &CatalogType, judge: &Judge) -> Option<Row> {
        let key = format!("{}#{}", ty.document, ty.pointer);
        let member =
            |member: &CatalogMember| self.name("member", &member.wire, &member.name, &format!("{key}.{}", member.wire));
        let (all, new): (Vec<Name>, Vec<&str>) = match &ty.form {
            CatalogForm::Object(members, _) | CatalogForm::Multipart(members) => {
                let required = members.iter().filter(|member| member.presence == "required" && ty.is_sent);
                (members.iter().map(member).collect(), required.map(|member| member.name.as_str()).collect())
            }
            CatalogForm::Enumeration(_, values) => {
                let value = |(wire, rust): &(String, String)| Name {
                    labels: judge.labels(&ty.pointer, wire),
                    ..self.name("value", wire, rust, &format!("{key}.{wire}"))
                };
                (values.iter().map(value).collect(), Vec::new())
            }
            _ => return None,
        };
        let mut verdict = names(&all);
        if !new.is_empty() {
            verdict = self.arguments(&format!("impl {} {{", ty.name), "pub fn new(", new, verdict);
        }
        let row = Row::of_part(format!("types::{} names", ty.name), format!("types::{}", ty.name), verdict);
        (!all.is_empty()).then(|| Row { document: ty.document.clone(), pointer: ty.pointer.clone(), ..row }.named())
    }

    fn name(&self, place: &str, wire: &str, rust: &str, key: &str) -> Name {
        let given = [self.sources.names.members.get(key), self.sources.setup.config.rename.get(key)];
        Name {
            place: place.to_owned(),
            wire: wire.to_owned(),
            rust: rust.to_owned(),
            labels: Vec::new(),
            is_given: given.into_iter().flatten().any(|name| name == rust),
        }
    }

    /// Compares the arguments of a function with their names in the catalog: the program passes them by position, so that it cannot
    /// see them.
    fn arguments(&self, before: &str, function: &str, expected: Vec<&str>, verdict: Verdict) -> Verdict {
        if verdict != Verdict::Right || expected.len() < 2 {
            return verdict;
        }
        let lists = self.files.values().flat_map(|text| {
            text.match_indices(before).filter_map(|(at, matched)| {
                let rest = text.get(at + matched.len()..)?;
                match function {
                    "OPERATION" => arguments(rest),
                    function => arguments(rest.split("\n}\n").next()?.split_once(function)?.1),
                }
            })
        });
        let lists: Vec<Vec<&str>> = lists.collect();
        match lists.contains(&expected) {
            true => Verdict::Right,
            false if lists.is_empty() => Verdict::Limit("the function was not found in the generated files".to_owned()),
            false => Verdict::Fault(driftless_sandbox::conformance::Fault {
                place: "name arguments".to_owned(),
                rule: "Parameter Object",
                expected: expected.join(", "),
                actual: lists.iter().map(|list| list.join(", ")).collect::<Vec<_>>().join(" or "),
            }),
        }
    }
}

/// The names of the arguments of a function, without `self`. The text begins behind the parenthesis.
fn arguments(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut begin, mut names) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' if depth == 0 => {
                names.push(text.get(begin..at)?);
                break;
            }
            ')' | '>' | ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                names.push(text.get(begin..at)?);
                begin = at + 1;
            }
            _ => {}
        }
    }
    Some(names.into_iter().filter_map(|argument| Some(argument.split_once(':')?.0.trim())).collect())
}

#[cfg(test)]
mod tests {
    use driftless::develop::DEFAULT_NAME;
    use driftless_codegen::{Catalog, Contract, catalog, generate};

    use super::*;

    /// The owners of names that are at fault, after a change of the catalog and of the generated files.
    fn faults(change: &dyn Fn(&mut Catalog, &mut BTreeMap<String, String>)) -> Vec<String> {
        let bytes = include_bytes!("../tests/changes.yaml");
        let contract = [Contract { name: DEFAULT_NAME, bytes }];
        let sources = Sources::default();
        let mut catalog = catalog(&contract, &sources.setup, &sources.names).unwrap();
        let mut files = generate(&contract, &sources.setup, &sources.names).unwrap().files;
        change(&mut catalog, &mut files);
        let judge = Judge::read(bytes, 1).unwrap();
        let names = Names { files: &files, sources: &sources };
        let operations = catalog.operations.iter().filter_map(|operation| names.of_operation(operation));
        let rows: Vec<Row> =
            operations.chain(catalog.types.iter().filter_map(|ty| names.of_type(ty, &judge))).collect();
        assert!(rows.iter().all(|row| ["right", "fault"].contains(&row.class)), "{rows:#?}");
        rows.into_iter()
            .filter(|row| row.class == "fault")
            .map(|row| row.operation.rsplit(['.', ':']).next().unwrap().to_owned())
            .collect()
    }

    fn operation<'c>(catalog: &'c mut Catalog, name: &str) -> &'c mut CatalogOperation {
        catalog.operations.iter_mut().find(|operation| operation.name == name).unwrap()
    }

    #[test]
    fn two_names_that_are_swapped_are_noticed() {
        assert_eq!(faults(&|_, _| {}), Vec::<String>::new());
        // Setters: the catalog and the client agree, so the program compiles, and sends the right bytes.
        let setters = faults(&|catalog, _| {
            let inputs = &mut operation(catalog, "setters").inputs;
            let (left, right) = (inputs[0].name.clone(), inputs[1].name.clone());
            (inputs[0].name, inputs[1].name) = (right, left);
        });
        assert_eq!(setters, ["setters"]);
        let of_type = |name: &'static str, change: &dyn Fn(&mut CatalogForm)| {
            faults(&|catalog, _| change(&mut catalog.types.iter_mut().find(|ty| ty.name == name).unwrap().form))
        };
        let members = of_type("Member", &|form| {
            let CatalogForm::Object(members, _) = form else { panic!("{form:?}") };
            let (one, other) = (members[0].name.clone(), members[1].name.clone());
            (members[0].name, members[1].name) = (other, one);
        });
        assert_eq!(members, ["Member"]);
        let values = of_type("Tone", &|form| {
            let CatalogForm::Enumeration(_, values) = form else { panic!("{form:?}") };
            let (one, other) = (values[0].1.clone(), values[1].1.clone());
            (values[0].1, values[1].1) = (other, one);
        });
        assert_eq!(values, ["Tone"]);
    }

    #[test]
    fn two_arguments_that_are_swapped_in_the_client_are_noticed() {
        let swap = |files: &mut BTreeMap<String, String>, function: &str, one: &str, other: &str| {
            let begins = format!("{function}{one}: ");
            assert_eq!(files.values().map(|text| text.matches(&begins).count()).sum::<usize>(), 1, "{begins}");
            for text in files.values_mut().filter(|text| text.contains(&begins)) {
                let (head, tail) = text.split_once(&begins).unwrap();
                *text = format!(
                    "{head}{function}{other}: {}",
                    tail.replacen(&format!("{other}: "), &format!("{one}: "), 1)
                );
            }
        };
        assert_eq!(
            faults(&|_, files| swap(files, "pub fn arguments(\n        self,\n        ", "first", "second")),
            ["arguments"]
        );
        assert_eq!(faults(&|_, files| swap(files, "pub fn new(", "start", "stop")), ["Span"]);
    }

    #[test]
    fn arguments_of_a_function_are_its_names() {
        let text = "\n        self,\n        a: &str,\n        b: impl Into<BTreeMap<String, (i32, [u8; 2])>>,\n    ) -> Call<'a> {";
        assert_eq!(arguments(text), Some(vec!["a", "b"]));
        assert_eq!(arguments(") -> Self"), Some(vec![]));
    }
}
