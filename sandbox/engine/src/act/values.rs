//! Values that exist once for their path.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Call, Engine, Outcome, merge, of_path};
use crate::contract::{Content, Operation, SchemaRef, decoded, matches, specificity};
use crate::fit::Missing;
use crate::infer::{Role, json, plain, success};
use crate::seed::mix;
use crate::state::Full;

impl Engine {
    pub(super) fn write_value(&self, call: &Call<'_>) -> Result<Outcome, Full> {
        if call.read.body.is_none() && !call.read.files.is_empty() {
            return self.upload(call);
        }
        let body = call.read.body.as_ref().map(|body| merge::inside(body, &call.planned.within_body));
        let before = self.state().value(call.place).cloned();
        let is_whole = call.operation.method == http::Method::PUT;
        let value = match (body, before.as_deref()) {
            (Some(Value::Object(change)), Some(Value::Object(before))) => {
                let mut members = if is_whole { Map::new() } else { before.clone() };
                match call.media_type.contains("merge-patch") {
                    true => merge::merge(&mut members, change),
                    false => members.extend(change.clone()),
                }
                Value::Object(members)
            }
            (Some(Value::Array(steps)), Some(before))
                if !steps.is_empty() && !is_whole && steps.iter().all(merge::is_step) =>
            {
                let mut value = before.clone();
                merge::patch(&mut value, steps);
                value
            }
            (Some(body), _) => body.clone(),
            (None, _) => return Ok(Outcome::Value(before)),
        };
        // A write can declare another form than the read, and a change can leave out what is required.
        let schema = self.single_schema(call.place);
        let value = match schema {
            Some(schema) if !self.fitter().is_valid(schema, &value) => {
                let seed = mix(self.seed, &[call.place]);
                self.fitter().fit(schema, &value, Missing::Required, seed).value
            }
            _ => value,
        };
        let before = before.unwrap_or_else(|| self.unwritten(call));
        Ok(Outcome::Value(Some(self.put_value(call.place, &before, value)?)))
    }

    /// The schema of the value that exists once at a place: of the answer that reads it.
    pub(super) fn single_schema(&self, place: &str) -> Option<&SchemaRef> {
        self.reader(place)?.1.schema.as_ref()
    }

    /// The operation that reads the value at a place, and the content of its answer.
    pub(super) fn reader(&self, place: &str) -> Option<(&Operation, &Content)> {
        let path = decoded(place);
        let all = self.contract.operations.iter().zip(&self.plan.operations);
        let reads = all.filter(|(operation, planned)| {
            let is_read = matches!(planned.role, Role::SingleRead | Role::Computed) && planned.collection.is_none();
            is_read && matches(&operation.segments, &path, &mut Vec::new())
        });
        let (operation, _) = reads
            .max_by_key(|(operation, _)| (specificity(&operation.segments), operation.method == http::Method::GET))?;
        let (_, response) = success(operation, &[200, 201])?;
        Some((operation, json(&response.content)?))
    }

    /// The value that is answered as long as nobody has written one.
    pub(super) fn unwritten(&self, call: &Call<'_>) -> Arc<Value> {
        let read = self.reader(call.place).and_then(|(operation, content)| {
            let seed = mix(self.seed, &[&operation.pointer, call.place]);
            Some(self.made_up(call, content.schema.as_ref()?, content.examples.first(), seed))
        });
        Arc::new(read.unwrap_or_default())
    }

    /// A value without state: the example, or a sample with the members that have the names of the path's parameters.
    pub(crate) fn made_up(&self, call: &Call<'_>, schema: &SchemaRef, example: Option<&Value>, seed: u64) -> Value {
        let fitter = self.fitter();
        if let Some(example) = example.filter(|example| fitter.is_valid(schema, example)) {
            return example.clone();
        }
        let shape = self.plan.outlines.get(schema);
        let mut known = Map::new();
        for (name, value) in of_path(call) {
            if let Some(member) = shape.members.keys().find(|member| plain(member) == plain(&name)) {
                known.insert(member.clone(), value);
            }
        }
        match known.is_empty() {
            true => fitter.sample(schema, seed),
            false => fitter.fit(schema, &Value::Object(known), Missing::AllBut(&[]), seed).value,
        }
    }

    pub(super) fn reset_value(&self, call: &Call<'_>) -> Outcome {
        self.state().remove_value(call.place);
        Outcome::Invented
    }

    /// The seed of an answer without state: the same for the same path.
    pub(crate) fn seed_of_call(&self, call: &Call<'_>) -> u64 {
        mix(self.seed, &[&call.operation.pointer, call.place])
    }
}
