//! Numbers.

use serde_json::{Number, Value};

use super::make::{Maker, Spot};
use super::words;
use crate::number;
use crate::schema::kinds::Kinds;
use crate::schema::merged::Merged;

impl<'b> Maker<'b> {
    pub(super) fn number(&self, spot: &Spot<'b, '_>, kind: Kinds, name: &str) -> Value {
        let shape = &spot.shape;
        let format = shape.text("format").unwrap_or_default();
        let is_whole = !kind.has(Kinds::FRACTION) || format.starts_with("int") || format.starts_with("uint");
        let step = shape.most("multipleOf");
        let value = match step {
            Some(step) if is_whole && step.fract() != 0.0 => self.fraction(shape, Some(step), true, name),
            _ if is_whole => Some(self.integer(shape, step, spot.tries, name)),
            _ => self.fraction(shape, step, false, name),
        };
        value.map_or(Value::Null, Value::Number)
    }

    fn integer(&self, shape: &Merged<'b>, step: Option<f64>, tries: u32, name: &str) -> Number {
        let step = step.map_or(1, whole).max(1);
        let limits =
            |keyword: &str, round: fn(f64) -> f64| shape.all(keyword).filter_map(move |limit| exact(limit, round));
        let least = limits("minimum", f64::ceil)
            .chain(limits("exclusiveMinimum", f64::floor).map(|limit| limit.saturating_add(1)))
            .max();
        let most = limits("maximum", f64::floor)
            .chain(limits("exclusiveMaximum", f64::ceil).map(|limit| limit.saturating_sub(1)))
            .min();
        let (low, high) = range(least, most, words::range(name));
        // Beside one limit, the range ends where the integers of 64 bits end.
        let ends = [i128::from(i64::MIN), i128::from(i64::MAX), i128::from(u64::MAX)];
        let below = ends.into_iter().find(|_| least.is_none()).filter(|end| most.is_none_or(|most| most >= *end));
        let above = ends.into_iter().skip(1).find(|end| most.is_none() && least.is_none_or(|least| least <= *end));
        let (low, high) = (below.map_or(low, |end| low.max(end)), above.map_or(high, |end| high.min(end)));
        let up = |limit: i128| limit.div_euclid(step).saturating_add(i128::from(limit.rem_euclid(step) != 0));
        let low = up(low);
        let high = high.div_euclid(step);
        let count = u64::try_from(high.saturating_sub(low).saturating_add(1).max(1)).unwrap_or(u64::MAX);
        // The ends of the range are what a `not` leaves.
        let value = match tries {
            2 => least.map_or(0, up),
            3 => most.map_or(high, |most| most.div_euclid(step)),
            _ => low.saturating_add(i128::from(self.random().below(count))),
        };
        let value = value.saturating_mul(step);
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Number::from(value),
            (_, Ok(value)) => Number::from(value),
            #[expect(clippy::cast_precision_loss, reason = "a number beyond 64 bits has no other form")]
            _ => Number::from_f64(value as f64).unwrap_or_else(|| Number::from(0)),
        }
    }

    fn fraction(&self, shape: &Merged<'b>, step: Option<f64>, is_whole: bool, name: &str) -> Option<Number> {
        let (plausible_low, plausible_high) = words::range(name);
        let (above, below) = (shape.most("exclusiveMinimum"), shape.least("exclusiveMaximum"));
        let low = shape.most("minimum").into_iter().chain(above).reduce(f64::max);
        let high = shape.least("maximum").into_iter().chain(below).reduce(f64::min);
        #[expect(clippy::cast_precision_loss, reason = "plausible limits are small")]
        let width = (plausible_high - plausible_low) as f64;
        #[expect(clippy::cast_precision_loss, reason = "plausible limits are small")]
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, low + width.max(low.abs())),
            (None, Some(high)) => (high - width.max(high.abs()), high),
            (None, None) => (plausible_low as f64, plausible_high as f64),
        };
        let mut random = self.random();
        let fits = |value: &f64| {
            *value >= low
                && *value <= high
                && above.is_none_or(|limit| *value > limit)
                && below.is_none_or(|limit| *value < limit)
                && (!is_whole || value.fract() == 0.0)
        };
        if let Some(step) = step {
            let first = (low / step).ceil();
            let last = (high / step).floor();
            // The quotient is exact for steps such as 0.01, and the product is not.
            let parts = (1.0 / step).round();
            let is_decimal = parts >= 1.0 && (parts * step - 1.0).abs() < 1e-12;
            let start = random.below(200);
            let candidates = (0..2_000).map(|index| {
                #[expect(clippy::cast_precision_loss, reason = "below 2,200")]
                let count = first + ((start + index) as f64) % (last - first + 1.0).max(1.0);
                if is_decimal { count / parts } else { count * step }
            });
            return Number::from_f64(candidates.into_iter().find(fits).unwrap_or(first * step));
        }
        #[expect(clippy::cast_precision_loss, reason = "below 1,000")]
        let share = random.below(1_000) as f64 / 1_000.0;
        let value = low + (high - low) * share;
        let rounded = [(value * 100.0).round() / 100.0, value, low + (high - low) / 2.0, low, high];
        Number::from_f64(rounded.into_iter().find(fits).unwrap_or(low))
    }
}

/// The plausible range within the limits. Without room in them, the limits alone.
fn range(least: Option<i128>, most: Option<i128>, (low, high): (i128, i128)) -> (i128, i128) {
    match (least, most) {
        (None, None) => (low, high),
        (Some(least), None) => (low.max(least), high.max(least.saturating_add(high - low))),
        (None, Some(most)) => (low.min(most.saturating_sub(high - low)), high.min(most)),
        (Some(least), Some(most)) if low >= most || high <= least => (least, most),
        (Some(least), Some(most)) => (low.max(least), high.min(most)),
    }
}

/// The limit as an integer: one of 64 bits is not rounded.
fn exact(limit: &Value, round: fn(f64) -> f64) -> Option<i128> {
    let Value::Number(limit) = limit else { return None };
    number::integer(limit).or_else(|| limit.as_f64().map(round).map(whole))
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn whole(value: f64) -> i128 {
    value as i128
}
