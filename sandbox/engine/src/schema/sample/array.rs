//! Arrays.

use serde_json::Value;

use super::make::{Failure, Maker, Spot};

/// Items that `minItems` may ask for.
const MOST_ITEMS: u64 = 1_000;
/// Attempts at an item that differs from the others.
const MOST_TRIES: u64 = 40;

static ANYTHING: Value = Value::Bool(true);

impl<'b> Maker<'b> {
    pub(super) fn array(&mut self, spot: &Spot<'b, '_>, name: &str) -> Result<Value, Failure> {
        let shape = &spot.shape;
        let kept = spot.kept.and_then(Value::as_array);
        let contains: Vec<&Value> = shape.all("contains").collect();
        let contained = if contains.is_empty() { 0 } else { shape.at_least("minContains").max(1) };
        let least = shape.at_least("minItems").max(contained);
        if least > MOST_ITEMS {
            return Err(self.failure(format!("minItems is {least}; values have {MOST_ITEMS} items at most")));
        }
        let most = shape.at_most("maxItems");
        let tuple: Vec<&Vec<Value>> = shape.all("prefixItems").filter_map(Value::as_array).collect();
        let items: Vec<&Value> = shape.all("items").collect();
        let count = match kept {
            Some(kept) => kept.len() as u64,
            None if spot.is_minimal || !self.fills || items.iter().any(|schema| self.reaches_stack(schema)) => least,
            None => (1 + self.random().below(2)).max(tuple.iter().map(|list| list.len() as u64).max().unwrap_or(0)),
        };
        let count = count.max(least).min(most.max(least));
        let is_unique = shape.all("uniqueItems").any(|unique| *unique == Value::Bool(true));
        let mut values: Vec<Value> = Vec::new();
        for index in 0..count {
            let position = usize::try_from(index).unwrap_or(usize::MAX);
            let is_required = index < least;
            if !is_required && self.attempts.dropped.contains(&format!("{}/{index}", self.path)) {
                if kept.is_some() { continue } else { break }
            }
            let mut schemas: Vec<&Value> = Vec::new();
            for list in &tuple {
                schemas.extend(list.get(position));
            }
            if schemas.is_empty() {
                schemas.extend(&items);
            }
            if index < contained {
                schemas.extend(&contains);
            }
            if schemas.is_empty() {
                schemas.push(&ANYTHING);
            }
            let from_kept = kept.and_then(|kept| kept.get(position));
            let item = self.item(values.len(), &schemas, from_kept, name, if is_unique { &values } else { &[] });
            match item {
                Ok(Some(value)) => values.push(value),
                Ok(None) if is_required => return Err(self.failure("the items have too few values that differ")),
                Err(failure) if is_required => return Err(failure),
                Ok(None) | Err(_) => break,
            }
        }
        Ok(Value::Array(values))
    }

    /// One item. `None` if each attempt equals one of the others.
    fn item(
        &mut self,
        index: usize,
        schemas: &[&'b Value],
        kept: Option<&Value>,
        name: &str,
        others: &[Value],
    ) -> Result<Option<Value>, Failure> {
        // Members are named in the plural of their items.
        let name = name.strip_suffix('s').unwrap_or(name);
        let token = index.to_string();
        let value = self.child(&token, schemas, kept, name)?;
        if !others.contains(&value) {
            return Ok(Some(value));
        }
        let salt = self.salt;
        for attempt in 1..=MOST_TRIES {
            self.salt = salt.wrapping_add(attempt);
            let value = self.child(&token, schemas, None, name);
            self.salt = salt;
            match value? {
                value if !others.contains(&value) => return Ok(Some(value)),
                _ => {}
            }
        }
        Ok(None)
    }
}
