//! Finds a secret that an issuer repeats, in any encoding.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use percent_encoding::percent_decode_str;

use crate::error::scrub_text;

/// The shortest secret that is searched for in decoded texts, in bytes: shorter ones occur by chance.
const SHORTEST: usize = 8;

/// Returns the text without secrets. A text that has a secret in an encoded form (percent-encoded, escaped as in JSON,
/// base64) is left out as a whole, because the end of the secret in it is unknown.
pub(super) fn without(text: &str, secrets: &[String]) -> String {
    let forms = secrets.iter().flat_map(|secret| forms(secret));
    let plain = forms.fold(text.to_owned(), |text, form| scrub_text(&text, &form));
    let hides = |decoded: &[u8]| {
        let text = String::from_utf8_lossy(decoded);
        let mut long = secrets.iter().filter(|secret| secret.len() >= SHORTEST);
        long.any(|secret| scrub_text(&text, secret) != text)
    };
    match decoded(&plain).iter().any(|decoded| hides(decoded)) {
        true => scrub_text("secret", "secret"),
        false => plain,
    }
}

/// A secret as it is, and as JSON, a form and a URL encode it.
fn forms(secret: &str) -> [String; 4] {
    let quoted = serde_json::to_string(secret).unwrap_or_default();
    let escaped = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    [form.replace('+', "%20"), form, escaped.to_owned(), secret.to_owned()]
}

/// Decodes the text in each of the ways that change it.
fn decoded(text: &str) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for text in [text.to_owned(), text.replace('+', " ")] {
        all.push(percent_decode_str(&text).collect());
        let quoted = format!("\"{}\"", text.trim_matches('"'));
        all.extend(serde_json::from_str::<String>(&quoted).map(String::into_bytes));
    }
    let is_base64 = |character: char| character.is_ascii_alphanumeric() || "+/-_".contains(character);
    for word in text.split(|character| !is_base64(character)) {
        all.extend(STANDARD_NO_PAD.decode(word).or_else(|_| URL_SAFE_NO_PAD.decode(word)));
    }
    all.retain(|decoded| decoded != text.as_bytes());
    all
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

    use super::*;

    #[test]
    fn a_secret_is_found_in_each_form_and_other_texts_stay() {
        let secrets = ["se cr+et/%\"\\ä&=é!", "plain-secret", "p\u{1}q r\ns/t+u v", "a+b c", "q\"r"].map(str::to_owned);
        for secret in &secrets {
            let percent = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
            let mut all = forms(secret).to_vec();
            if secret.len() >= SHORTEST {
                let slashes = serde_json::to_string(secret).unwrap_or_default().trim_matches('"').replace('/', "\\/");
                all.extend([percent.to_lowercase(), slashes, STANDARD.encode(secret), URL_SAFE.encode(secret)]);
                all.push(STANDARD.encode(format!("client:{secret}")));
                all.push(percent);
            }
            for form in all {
                for text in [format!("the client sent <{form}> twice"), form.clone()] {
                    let printed = without(&text, std::slice::from_ref(secret));
                    assert!(printed.contains("[redacted]") && !printed.contains(&form), "{form}: {printed}");
                }
            }
        }
        for text in ["invalid_client", "100 % of 5+5", "the \\ of \"it\"", "YWJjZGVmZ2hpamts", "ä"] {
            assert_eq!(without(text, &secrets), text);
        }
    }
}
