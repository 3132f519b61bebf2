//! A call before and after, as people write it.

use serde::Serialize;

use crate::drift::arguments::shortened;
use crate::drift::item_change::{self, ItemChange};
use crate::drift::sides::Sides;

/// A call, as Rust has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Call {
    /// The call before; `None`: it is new.
    pub before: Option<String>,
    /// The call after; `None`: it is gone.
    pub after: Option<String>,
}

impl Call {
    pub(super) fn from_change(change: &ItemChange) -> Self {
        let code = |state: &item_change::ItemState| item_change::call(&state.path, &state.signature);
        let [before, after] = [&change.before, &change.after].map(|state| state.as_ref().map(code));
        Self { before, after }
    }

    /// The call before and the call after, as code between backticks. Of long ones, the common part is left out.
    #[must_use]
    pub fn says(&self) -> String {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                let Sides { before, after } = shortened(Sides { before, after });
                format!("`{before}` → `{after}`")
            }
            (Some(before), None) => format!("`{before}` is gone"),
            (None, Some(after)) => format!("`{after}` is new"),
            (None, None) => String::new(),
        }
    }

    /// The name of the call as it is, else as it was.
    pub(crate) fn name(&self) -> String {
        let code = self.after.as_ref().or(self.before.as_ref()).map_or("", String::as_str);
        format!("`{}()`", code.split('(').next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_calls_only_what_differs_is_shown() {
        let call = |before: &str, after: &str| Call { before: Some(before.to_owned()), after: Some(after.to_owned()) };
        assert_eq!(call("A::b(c: i32)", "A::b(c: i64)").says(), "`A::b(c: i32)` → `A::b(c: i64)`");
        let with = |kind: &str| {
            format!(
                "Shop::save(id: Uuid, tags: &BTreeMap<String, {kind}>, body: &types::Order, at: DateTime) -> types::Order"
            )
        };
        let says = call(&with("i32"), &with("i64")).says();
        let expected =
            "`Shop::save(…, tags: &BTreeMap<String, i32>, …)` → `Shop::save(…, tags: &BTreeMap<String, i64>, …)`";
        assert_eq!(says, expected);
        let results = ["Vec<(String, i32)>", "types::AVeryLongNameOfATypeThatAnOperationReturns"];
        let with = |result: &str| format!("Shop::list(first: &str, second: &str, third: &str) -> {result}");
        let says = call(&with(results[0]), &with(results[1])).says();
        assert_eq!(says, format!("`Shop::list(…) -> {}` → `Shop::list(…) -> {}`", results[0], results[1]));
    }
}
