//! Integers that a service writes with a fraction of zero or an exponent: `1.0`, `1e3`.
//!
//! JSON has one kind of number, so these are integers; the decoder accepts only digits for one. If it refuses a
//! response, the response is decoded again, and each integer is parsed from its digits, without loss.

/// The longest integer that is expanded, in digits: more than any integer type has.
const LONGEST: i64 = 40;

/// Returns the digits of a whole number in another notation.
pub(crate) fn digits(number: &str) -> Option<String> {
    if !number.contains(['.', 'e', 'E']) {
        return None;
    }
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    if significant.is_empty() {
        // A signed zero is a float.
        return sign.is_empty().then(|| "0".to_owned());
    }
    // The number of zeros after the digits, or of digits after the point.
    let zeros = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let length = i64::try_from(significant.len()).ok()?;
    if zeros < 0 {
        let cut = usize::try_from(length.checked_add(zeros)?).ok()?;
        let (kept, dropped) = significant.split_at_checked(cut)?;
        let is_whole = !kept.is_empty() && dropped.bytes().all(|byte| byte == b'0') && length <= LONGEST;
        return is_whole.then(|| format!("{sign}{kept}"));
    }
    if length.checked_add(zeros)? > LONGEST {
        return None;
    }
    Some(format!("{sign}{significant}{}", "0".repeat(usize::try_from(zeros).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn whole_numbers_are_written_out_without_loss() {
        for (number, expected) in [
            ("1.0", Some("1")),
            ("-7.000", Some("-7")),
            ("1e3", Some("1000")),
            ("1.5E+1", Some("15")),
            ("1500e-2", Some("15")),
            ("9007199254740993.0", Some("9007199254740993")),
            ("9223372036854775807.0", Some("9223372036854775807")),
            ("1.8446744073709551615e19", Some("18446744073709551615")),
            ("0.0", Some("0")),
            ("0e9", Some("0")),
            ("0.001e3", Some("1")),
            ("-0.0", None),
            ("1.5", None),
            ("15e-1", None),
            ("1e-400", None),
            ("4503599627370497.00000000000000000000000001", None),
            ("1", None),
            ("1e99999999999999999999", None),
            ("1e400", None),
            ("1e-9223372036854775808", None),
            ("1.e", None),
            (".5", None),
            ("1-2.0", None),
        ] {
            assert_eq!(digits(number).as_deref(), expected, "{number}");
        }
    }
}
