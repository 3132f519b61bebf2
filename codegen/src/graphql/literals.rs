//! Input objects that documents write out: each member once (GraphQL, September 2025, section 5.6.4), and of an input object with
//! `@oneOf` exactly one, which is not null (section 3.10.1). The library that checks documents does not look at these.

use std::collections::BTreeSet;

use apollo_compiler::ast::{InputValueDefinition, Type, Value};
use apollo_compiler::executable::{DirectiveList, Operation, Selection, SelectionSet};
use apollo_compiler::parser::SourceSpan;
use apollo_compiler::schema::{Component, ExtendedType, InputObjectType};
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Node, Schema};

use super::problem::{position, source};
use crate::{Problem, Report};

/// One operation, with the fragments that it uses.
struct Literals<'a> {
    schema: &'a Schema,
    document: &'a ExecutableDocument,
    operation: &'a Operation,
    fragments: BTreeSet<&'a str>,
    report: &'a mut Report,
}

/// Reports invalid input objects of all operations, each position once.
pub(super) fn check(schema: &Valid<Schema>, document: &ExecutableDocument, report: &mut Report) {
    let mut repeated = Report::default();
    for operation in document.operations.iter() {
        let mut literals = Literals { schema, document, operation, fragments: BTreeSet::new(), report: &mut repeated };
        for variable in &operation.variables {
            if let Some(default) = &variable.default_value {
                literals.value(&variable.ty, default);
            }
            literals.directives(&variable.directives);
        }
        literals.directives(&operation.directives);
        literals.selections(&operation.selection_set);
    }
    for (index, problem) in repeated.problems().iter().enumerate() {
        if !repeated.problems().iter().take(index).any(|other| other == problem) {
            report.push(problem.clone());
        }
    }
}

impl<'a> Literals<'a> {
    fn selections(&mut self, set: &'a SelectionSet) {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => {
                    for argument in &field.arguments {
                        if let Some(definition) = field.definition.argument_by_name(&argument.name) {
                            self.value(&definition.ty, &argument.value);
                        }
                    }
                    self.directives(&field.directives);
                    self.selections(&field.selection_set);
                }
                Selection::InlineFragment(inline) => {
                    self.directives(&inline.directives);
                    self.selections(&inline.selection_set);
                }
                Selection::FragmentSpread(spread) => {
                    self.directives(&spread.directives);
                    if let Some(fragment) = self.document.fragments.get(&spread.fragment_name)
                        && self.fragments.insert(fragment.name.as_str())
                    {
                        self.directives(&fragment.directives);
                        self.selections(&fragment.selection_set);
                    }
                }
            }
        }
    }

    fn directives(&mut self, directives: &DirectiveList) {
        for directive in directives.iter() {
            let Some(definition) = self.schema.directive_definitions.get(&directive.name) else { continue };
            for argument in &directive.arguments {
                let named = |definition: &&Node<InputValueDefinition>| definition.name == argument.name;
                if let Some(definition) = definition.arguments.iter().find(named) {
                    self.value(&definition.ty, &argument.value);
                }
            }
        }
    }

    /// A value where one of the type `ty` is taken. The reader of documents bounds the depth.
    fn value(&mut self, ty: &Type, value: &Node<Value>) {
        match value.as_ref() {
            Value::List(items) => items.iter().for_each(|item| self.value(ty, item)),
            Value::Object(members) => {
                let Some(ExtendedType::InputObject(input)) = self.schema.types.get(ty.inner_named_type()) else {
                    return;
                };
                for (index, (name, member)) in members.iter().enumerate() {
                    if members.iter().take(index).any(|(other, _)| other == name) {
                        let message = format!("the member `{name}` occurs twice in one `{}`", input.name);
                        self.problem(name.location(), message, "keep one of them");
                    }
                    let field: Option<&Component<InputValueDefinition>> = input.fields.get(name);
                    if let Some(field) = field {
                        self.value(&field.ty, member);
                    }
                }
                if input.directives.has("oneOf") {
                    self.one_of(input, members, value.location());
                }
            }
            _ => {}
        }
    }

    fn one_of(
        &mut self,
        input: &InputObjectType,
        members: &[(apollo_compiler::Name, Node<Value>)],
        place: Option<SourceSpan>,
    ) {
        let name = &input.name;
        let hint = "give one member, with a value or a variable that is not null";
        let [(member, value)] = members else {
            let message =
                format!("`{name}` takes exactly one of its members (`@oneOf`), and has {} here", members.len());
            return self.problem(place, message, hint);
        };
        match value.as_ref() {
            Value::Null => {
                let message = format!("`{name}` takes one of its members (`@oneOf`), and `{member}` is null");
                self.problem(value.location(), message, hint);
            }
            Value::Variable(variable) => {
                let mut variables = self.operation.variables.iter();
                let declared = variables.find(|declared| declared.name == *variable);
                if let Some(declared) = declared.filter(|declared| !declared.ty.is_non_null()) {
                    let message = format!(
                        "`{name}` takes one of its members (`@oneOf`), and `${variable}` for `{member}` may be null in `{}`",
                        self.operation.name.as_ref().map_or("", |name| name.as_str())
                    );
                    let hint = format!("declare it as `${variable}: {}!`", declared.ty);
                    self.problem(value.location(), message, &hint);
                }
            }
            _ => {}
        }
    }

    fn problem(&mut self, place: Option<SourceSpan>, message: String, hint: &str) {
        self.report.push(Problem {
            code: "document/invalid",
            document: source(&self.document.sources, place),
            pointer: None,
            position: position(&self.document.sources, place),
            message,
            hint: hint.to_owned(),
        });
    }
}
