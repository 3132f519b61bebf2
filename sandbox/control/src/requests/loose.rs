//! Masks secrets in texts that no parser reads: broken JSON, multipart, XML, YAML, and notes of people.

/// Masks the value of each name of a secret. If the end of a value is unclear, everything after its beginning is masked.
pub(super) fn masked(text: &str, mask: &str, is_secret: impl Fn(&str) -> bool) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut end = 0;
    for (index, _) in text.match_indices([':', '=', '>']) {
        let (Some(before), Some(after)) = (text.get(end..index), text.get(index + 1..)) else { continue };
        let name = name(before);
        let value = after.trim_start();
        let start = text.len() - value.len();
        let string = string(value);
        // Escapes can hide letters. A field of a form has its name as a value.
        let hides = is_secret(name) || name.contains("\\u");
        let names_secret = name == "name" && is_secret(string.or(value.lines().next()).unwrap_or_default());
        if !hides && !names_secret {
            continue;
        }
        masked.push_str(text.get(end..start).unwrap_or_default());
        let Some(string) = string.filter(|_| hides) else {
            masked.push_str(mask);
            return masked;
        };
        masked.push_str(&format!("\"{mask}\""));
        end = start + string.len() + 2;
    }
    masked.push_str(text.get(end..).unwrap_or_default());
    masked
}

/// The name at the end of a text: a quoted one without its quotes, or the last word.
fn name(before: &str) -> &str {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let before = before.trim_end();
    match before.strip_suffix(QUOTES) {
        Some(quoted) => quoted.trim_end_matches('\\').rsplit(QUOTES).next().unwrap_or_default(),
        None => {
            let is_other = |letter: char| !letter.is_alphanumeric() && !"-_.\\".contains(letter);
            before.rsplit(is_other).next().unwrap_or_default()
        }
    }
}

/// The contents of the string that a text begins with, if a separator or the end of a line follows it.
fn string(text: &str) -> Option<&str> {
    let contents = text.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = contents.find(|letter| {
        let ends = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    })?;
    let (string, after) = contents.split_at_checked(end)?;
    let after = after.get(1..)?.trim_start_matches([' ', '\t']);
    (after.is_empty() || after.starts_with([',', ';', '}', ']', '\r', '\n'])).then_some(string)
}

#[cfg(test)]
mod tests {
    use super::masked;

    fn is_secret(name: &str) -> bool {
        name.to_ascii_lowercase().ends_with("password")
    }

    #[test]
    fn the_value_of_a_secret_is_masked_or_everything_after_its_beginning() {
        for (text, expected) in [
            (r#"{"name":"n",}"#, r#"{"name":"n",}"#),
            (r#"{"password":"a","name":"n",}"#, r#"{"password":"***","name":"n",}"#),
            (r#"{"password" : "a\"b" }}"#, r#"{"password" : "***" }}"#),
            (r#"{"password":"a" b","name":1,"#, r#"{"password":***"#),
            (r#"{"password":"a"#, r#"{"password":***"#),
            (r#"{"password":["a"],"x":1,"#, r#"{"password":***"#),
            (r#"{'password': 'a'"#, "{'password': ***"),
            (r#"{"p\u0061ssword":"a",}"#, r#"{"p\u0061ssword":"***",}"#),
            (r#"{"query":"{ a(password: \"b\") }","#, r#"{"query":"{ a(password: ***"#),
            (r#"{"x":"{\"password\":\"a\"}",}"#, r#"{"x":"{\"password\":***"#),
            ("user=u&password=a&b=c", "user=u&password=***"),
            ("<user>u</user><password>a</password>", "<user>u</user><password>***"),
            (
                "--b\r\ncontent-disposition: form-data; name=\"note\"\r\n\r\nx\r\n--b--",
                "--b\r\ncontent-disposition: form-data; name=\"note\"\r\n\r\nx\r\n--b--",
            ),
            ("--b\r\nx: form-data; name=\"password\"\r\n\r\na\r\n--b--", "--b\r\nx: form-data; name=***"),
            ("é: \"ü\", password: \"ü\", x", "é: \"ü\", password: \"***\", x"),
            (":", ":"),
            ("", ""),
        ] {
            assert_eq!(masked(text, "***", is_secret), expected, "{text}");
        }
    }
}
