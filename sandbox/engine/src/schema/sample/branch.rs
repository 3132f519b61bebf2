//! The order in which the branches of an alternative are tried.

use serde_json::{Map, Value};

use super::counter::Counter;
use super::make::Maker;
use crate::schema::coerce::parts;
use crate::schema::kinds::Kinds;
use crate::schema::merged::{Choice, Merged};

impl<'b> Maker<'b> {
    pub(super) fn shape(
        &self,
        schemas: &[&'b Value],
        kept: Option<&Value>,
        is_deep: bool,
        counter: &mut Counter,
    ) -> Merged<'b> {
        Merged::new(self.bundle, schemas, &mut |choice: Choice<'_, 'b>| {
            let mut order: Vec<usize> = (0..choice.branches.len()).collect();
            order.sort_by_cached_key(|index| {
                choice.branches.get(*index).map_or(u32::MAX, |branch| self.rank(branch, &choice, kept, is_deep))
            });
            order.get(counter.digit(order.len())).copied().unwrap_or(0)
        })
    }

    /// Lower is better.
    fn rank(&self, branch: &'b Value, choice: &Choice<'_, 'b>, kept: Option<&Value>, is_deep: bool) -> u32 {
        let kinds = self.bundle.kinds(branch);
        let mut rank = 0;
        if kinds == Kinds::NULL && kept != Some(&Value::Null) {
            rank += if is_deep { 1 } else { 2_000 };
        }
        if is_deep {
            rank += self.heights().height(self.bundle, branch).min(1_000) * 10;
        }
        if self.reaches_stack(branch) {
            rank += 1_000;
        }
        rank + kept.map_or(0, |kept| self.misfit(branch, kinds, choice.owner, kept))
    }

    /// The distance of a value from a branch.
    fn misfit(&self, branch: &Value, kinds: Kinds, owner: &Map<String, Value>, kept: &Value) -> u32 {
        if !kinds.has(Kinds::of_value(kept)) {
            return 5_000;
        }
        let Value::Object(kept) = kept else { return 0 };
        let mut misfit = 0;
        if let Some(discriminator) = owner.get("discriminator")
            && let Some(tag) =
                discriminator.get("propertyName").and_then(Value::as_str).and_then(|name| kept.get(name)?.as_str())
            && let Some(target) = discriminator.get("mapping").and_then(|mapping| mapping.get(tag)?.as_str())
        {
            let is_target = self
                .bundle
                .target(branch)
                .is_some_and(|(name, _)| self.bundle.pointer(name) == self.bundle.pointer(target))
                || self.bundle.definition(target).is_some_and(|schema| std::ptr::eq(schema, branch));
            misfit += if is_target { 0 } else { 3_000 };
        }
        let parts = parts(self.bundle, branch);
        let member = |name: &str| parts.iter().find_map(|part| part.get("properties")?.get(name));
        for (name, value) in kept {
            match member(name) {
                Some(schema) if !self.bundle.kinds(schema).has(Kinds::of_value(value)) => misfit += 20,
                Some(schema) if schema.get("const").is_some_and(|constant| constant != value) => misfit += 500,
                Some(_) => {}
                None => misfit += 1,
            }
        }
        for name in parts.iter().filter_map(|part| part.get("required")?.as_array()).flatten().filter_map(Value::as_str)
        {
            misfit += if kept.contains_key(name) { 0 } else { 10 };
        }
        misfit.min(4_000)
    }

    /// True if the schema leads back to a definition that is being built, without a step into the value.
    pub(super) fn reaches_stack(&self, schema: &'b Value) -> bool {
        let mut rest = vec![schema];
        let mut looks = 0;
        while let Some(schema) = rest.pop() {
            looks += 1;
            if looks > 200 {
                return false;
            }
            if let Some((name, target)) = self.bundle.target(schema) {
                if self.stack.contains(&name) {
                    return true;
                }
                rest.push(target);
            }
            for name in crate::schema::in_place::IN_PLACE_LISTS {
                rest.extend(schema.get(name).and_then(Value::as_array).into_iter().flatten());
            }
        }
        false
    }
}
