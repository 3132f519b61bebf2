//! Objects.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::make::{Failure, Maker, Spot};
use crate::contract::{escape, unescape};
use crate::schema::kinds::Kinds;
use crate::schema::merged::Merged;

/// Members that `minProperties` may ask for.
const MOST_MEMBERS: u64 = 1_000;

impl<'b> Maker<'b> {
    pub(super) fn object(&mut self, spot: &Spot<'b, '_>) -> Result<Value, Failure> {
        let shape = &spot.shape;
        let kept = spot.kept.and_then(Value::as_object);
        let required = self.required(shape, kept);
        let names = self.names(spot, kept, &required);
        let tag = self.tag(shape);
        let most = shape.at_most("maxProperties");
        let mut left = most.saturating_sub(required.len() as u64);
        let mut object = Map::new();
        for name in names {
            let is_required = required.contains(&name);
            if !is_required && left == 0 {
                continue;
            }
            let schemas = shape.member(&name);
            let tagged = tag.as_ref().filter(|(member, _)| *member == name).map(|(_, tag)| Value::String(tag.clone()));
            let from_kept = kept.and_then(|kept| kept.get(&name));
            let from_kept = if spot.tries == 0 { from_kept.or(tagged.as_ref()) } else { tagged.as_ref().or(from_kept) };
            match self.child(&name, &schemas, from_kept, &name) {
                Ok(value) => {
                    left = left.saturating_sub(u64::from(!is_required));
                    object.insert(name, value);
                }
                Err(failure) if is_required => return Err(failure),
                // An optional member without a value is left out.
                Err(_) => {}
            }
        }
        self.extras(spot, &mut object, most)?;
        Ok(Value::Object(object))
    }

    /// The names that `required`, `dependentRequired` and earlier rounds ask for.
    fn required(&self, shape: &Merged<'b>, kept: Option<&Map<String, Value>>) -> HashSet<String> {
        let mut required: HashSet<String> = HashSet::new();
        let lists = shape.all("required").filter_map(Value::as_array).flatten();
        required.extend(lists.filter_map(Value::as_str).map(str::to_owned));
        let prefix = format!("{}/", self.path);
        for forced in &self.attempts.forced {
            if let Some(name) = forced.strip_prefix(&prefix).filter(|name| !name.contains('/')) {
                required.insert(unescape(name));
            }
        }
        let dependencies = || shape.all("dependentRequired").filter_map(Value::as_object).flatten();
        loop {
            let more: Vec<String> = dependencies()
                .filter(|(name, _)| required.contains(*name) || kept.is_some_and(|kept| kept.contains_key(*name)))
                .flat_map(|(_, list)| list.as_array().into_iter().flatten())
                .filter_map(Value::as_str)
                .filter(|name| !required.contains(*name))
                .map(str::to_owned)
                .collect();
            if more.is_empty() {
                return required;
            }
            required.extend(more);
        }
    }

    /// The members to build, in the order of the schema.
    fn names(&self, spot: &Spot<'b, '_>, kept: Option<&Map<String, Value>>, required: &HashSet<String>) -> Vec<String> {
        let shape = &spot.shape;
        let mut seen: HashSet<&str> = HashSet::new();
        let mut names = Vec::new();
        let declared = shape.all("properties").filter_map(Value::as_object).flat_map(Map::keys);
        for name in declared.map(String::as_str) {
            if !seen.insert(name) {
                continue;
            }
            let is_kept = kept.is_some_and(|kept| kept.contains_key(name));
            let is_wanted = is_kept || (self.fills && !spot.is_minimal);
            if required.contains(name) || (is_wanted && self.may_have(shape, name, is_kept)) {
                names.push(name.to_owned());
            }
        }
        names.extend(required.iter().filter(|name| !seen.contains(name.as_str())).cloned());
        let undeclared = kept
            .into_iter()
            .flat_map(Map::keys)
            .filter(|name| !seen.contains(name.as_str()) && !required.contains(*name));
        names.extend(undeclared.filter(|name| self.may_have(shape, name, true)).cloned());
        // The order of a set differs from run to run.
        let start = names.len().min(seen.len());
        if let Some(rest) = names.get_mut(start..) {
            rest.sort_unstable();
        }
        names
    }

    /// False if an optional member is refused, leads back to its object, or belongs to the other direction.
    fn may_have(&self, shape: &Merged<'b>, name: &str, is_kept: bool) -> bool {
        if self.attempts.dropped.contains(&format!("{}/{}", self.path, escape(name))) {
            return false;
        }
        let schemas = shape.member(name);
        let hidden = self.bundle.direction.hidden();
        schemas.iter().all(|schema| {
            let target = self.bundle.target(schema).map(|(_, target)| target);
            let is_hidden = [Some(*schema), target].into_iter().flatten().any(|schema| schema.get(hidden).is_some());
            !is_hidden && self.bundle.kinds(schema) != Kinds::NONE && (is_kept || !self.reaches_stack(schema))
        })
    }

    /// Members of a dictionary, and those that `minProperties` asks for.
    fn extras(&mut self, spot: &Spot<'b, '_>, object: &mut Map<String, Value>, most: u64) -> Result<(), Failure> {
        let shape = &spot.shape;
        let least = shape.at_least("minProperties");
        if least > MOST_MEMBERS {
            return Err(self.failure(format!("minProperties is {least}; values have {MOST_MEMBERS} members at most")));
        }
        let is_dictionary = shape.all("properties").next().is_none()
            && (shape.all("additionalProperties").any(Value::is_object)
                || shape.all("patternProperties").next().is_some());
        let leads_back = shape.all("additionalProperties").any(|schema| self.reaches_stack(schema));
        let is_wanted = self.fills && is_dictionary && object.is_empty() && !spot.is_minimal && most > 0 && !leads_back;
        let wanted = least.max(u64::from(is_wanted));
        let mut index = 0_u64;
        while (object.len() as u64) < wanted && index < wanted.saturating_add(50) {
            index += 1;
            let name = self.key(shape, index);
            if object.contains_key(&name) || self.attempts.dropped.contains(&format!("{}/{}", self.path, escape(&name)))
            {
                continue;
            }
            let schemas = shape.member(&name);
            match self.child(&name, &schemas, None, &name) {
                Ok(value) => {
                    object.insert(name, value);
                }
                Err(failure) if least > 0 && index >= wanted => return Err(failure),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// A name for an undeclared member.
    fn key(&mut self, shape: &Merged<'b>, index: u64) -> String {
        let mut declared = shape.all("properties").filter_map(Value::as_object).flat_map(Map::keys);
        let keywords = ["additionalProperties", "unevaluatedProperties"];
        let closed = keywords.iter().flat_map(|name| shape.all(name)).any(|schema| *schema == Value::Bool(false));
        if closed && let Some(name) = declared.nth(usize::try_from(index).unwrap_or(0).saturating_sub(1)) {
            return name.clone();
        }
        let names: Vec<&Value> = shape.all("propertyNames").filter(|schema| schema.is_object()).collect();
        let pattern = shape.all("patternProperties").filter_map(Value::as_object).flat_map(Map::keys).next();
        if !names.is_empty() {
            let salt = std::mem::replace(&mut self.salt, index);
            let name = self.child(&format!("key{index}"), &names, None, "key");
            self.salt = salt;
            if let Ok(Value::String(name)) = name {
                return name;
            }
        } else if let Some(pattern) = pattern
            && let Some(name) =
                super::pattern::text(pattern, 6, 64, &mut super::random::Random::new(self.seed, &self.path, index))
        {
            return name;
        }
        format!("key{index}")
    }

    /// The member and the value that tell the subtype of this object.
    fn tag(&self, shape: &Merged<'b>) -> Option<(String, String)> {
        let discriminator = shape.all("discriminator").next()?;
        let name = discriminator.get("propertyName")?.as_str()?;
        let mapping = discriminator.get("mapping").and_then(Value::as_object);
        let is_built =
            |(_, target): &(&String, &Value)| target.as_str().is_some_and(|target| shape.has(self.bundle, target));
        // Without a subtype, one is named whose required members the object has: a client reads it as that one, and knows no others.
        let has = |member: &str| member == name || shape.all("required").any(|list| lists(list, member));
        let is_read = |(_, target): &(&String, &Value)| {
            let target = target.as_str().and_then(|target| self.bundle.definition(target));
            let parts = target.map(|schema| crate::schema::coerce::parts(self.bundle, schema)).unwrap_or_default();
            let required = parts.iter().filter_map(|part| part.get("required")?.as_array()).flatten();
            !parts.is_empty() && required.filter_map(Value::as_str).all(has)
        };
        let mapped = mapping.and_then(|mapping| {
            let known = || mapping.iter();
            known().find(is_built).or_else(|| known().find(is_read)).or_else(|| known().next())
        });
        let tag = match mapped {
            Some((tag, _)) => tag.clone(),
            None => {
                let component = shape.definitions.iter().find_map(|name| {
                    let pointer = self.bundle.pointer(name)?;
                    pointer.strip_prefix("/components/schemas/").or_else(|| pointer.strip_prefix("/definitions/"))
                });
                unescape(component?)
            }
        };
        // A member that lists its values decides.
        let allows = shape.member(name).iter().all(|schema| {
            let parts = crate::schema::coerce::parts(self.bundle, schema);
            let lists = parts.iter().filter_map(|part| part.get("enum")?.as_array());
            let mut lists = lists.filter(|_| parts.len() < 3);
            lists.all(|list| list.iter().any(|value| *value == tag))
        });
        allows.then(|| (name.to_owned(), tag))
    }
}

/// Returns whether a list of names has one.
fn lists(list: &Value, name: &str) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|listed| listed == name))
}
