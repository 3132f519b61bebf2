//! Changes of the file of profiles keep everything else.

use toml_edit::{DocumentMut, Item};

use super::*;
use crate::account::document::ProfileDocument;

/// The spellings of one profile: a table, dotted keys, an inline table. `{n}` is its name.
const SHAPES: [&str; 8] = [
    "[profile.{n}]\nbase_url = \"https://{n}.example\"\ntoken_env = \"T\"\n",
    "# about {n}\n[profile.{n}] # of {n}\n  base_url   =   'https://{n}.example'   # the address\n\n# the issuer of {n}\nissuer = \"https://i.example\"\nclient_id='c'\nsecret_file = \"\"\"/run/{n}\"\"\"\nsecret_file_mounted = true\n",
    "[profile.\"{n}\"]\nbase_url = \"https://{n}.example\" # \u{e4}\n# only a comment\n\n[profile.\"{n}\".server.archive]\nbase_url = \"https://archive.example\"\ntoken_file = '/run/archive'\n",
    "[ profile . {n} ]\nbase_url = \"https://{n}.example\"\ntoken_command = [ # a program\n  \"pass\", # its words\n  \"show\",\n]\n",
    "[profile.{n}]\nbase_url = \"https://{n}.example\"\nkey.app-id = { file = '/run/key' }\napi_key_env = \"K\"\ndanger_allow_http_to = [\"svc\"]\nscope = \"a b\"\nrefresh_folder = '/r'\n# the end of {n}\n",
    "[profile.{n}]\nbase_url = \"https://{n}.example\"\nserver.archive.base_url = \"https://archive.example\"\nserver.archive.token_env = \"A\"\n",
    "[profile.{n}]\n# nothing yet\nbase_url = '''https://{n}.example'''\n",
    "\n\n[profile.{n}]\n# first\ntoken_keyring = \"s/u\" # why\n# second\nbase_url = \"https://{n}.example\"\n# third\naudience = \"x\"",
];

/// A seeded generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

fn parse(text: &str) -> ProfileDocument {
    ProfileDocument::parse(Path::new("profiles.toml"), text).unwrap_or_else(|failure| panic!("{failure}\n{text}"))
}

/// A file of several profiles, in the order of their names.
fn file(random: &mut Random) -> (String, Vec<&'static str>) {
    let names = ["one", "two", "three", "four"];
    let names = names[..random.below(5)].to_vec();
    let mut text = ["", "# head\n\n", "default = \"one\" # chosen\n", "\u{feff}# head\ndefault = 'two'\n"]
        [random.below(4)]
    .to_owned();
    match random.below(6) {
        0 => {
            for name in &names {
                text += &format!(
                    "profile.{name}.base_url = \"https://{name}.example\" # {name}\n# next\nprofile.{name}.token_env = 'T'\n"
                );
            }
        }
        1 => {
            let inner =
                names.iter().map(|name| format!("{name} = {{ base_url = \"https://{name}.example\", token_env='T' }}"));
            text += &format!("profile = {{ {} }} # inline\n", inner.collect::<Vec<_>>().join(", "));
        }
        _ => {
            for name in &names {
                text += &SHAPES[random.below(SHAPES.len())].replace("{n}", name);
                if !text.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
    }
    if random.below(4) == 0 {
        text = text.replace('\n', "\r\n");
    }
    (text, names)
}

/// The profiles other than these as they are meant.
fn others(text: &str, changed: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document: toml_edit::Document<String> = toml_edit::Document::parse(text.to_owned()).unwrap();
    let profiles = document.get("profile").and_then(Item::as_table_like);
    let mut all = String::new();
    for (name, item) in profiles.into_iter().flat_map(|table| table.iter()).filter(|(name, _)| *name != changed) {
        let mut copy = DocumentMut::new();
        copy.insert(name, item.clone().into_value().map(Item::Value).unwrap());
        copy.iter_mut().for_each(|(_, item)| normalize(item));
        all += &copy.to_string();
    }
    all
}

fn normalize(item: &mut Item) {
    if let Some(table) = item.as_inline_table_mut() {
        table.fmt();
    }
}

#[test]
fn a_sign_in_changes_only_its_own_keys() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..400 {
        let (before, names) = file(&mut random);
        let mut document = parse(&before);
        assert_eq!(document.text(), before, "reading changes nothing");
        let name = ["one", "three", "new", "n e.w"][random.below(4)];
        let entries = match random.below(3) {
            0 => vec![("token_file", "/t".to_owned())],
            1 => vec![
                ("issuer", "https://i.example".to_owned()),
                ("client_id", "c".to_owned()),
                ("refresh_folder", "/f".to_owned()),
            ],
            _ => vec![
                ("issuer", "https://\"\\.example".to_owned()),
                ("client_id", "d".to_owned()),
                ("secret_file", "/s".to_owned()),
            ],
        };
        document.sign_in(name, "https://new.example", &entries);
        let after = document.text();
        let context = format!("round {round}, {name}, {names:?}:\n{before}\n----\n{after}");
        let read =
            ProfileDocument::parse(Path::new("x"), &after).unwrap_or_else(|failure| panic!("{failure}\n{context}"));
        assert_eq!(read.value(name, "base_url"), Some("https://new.example"), "{context}");
        for key in crate::account::document::sign_in_keys() {
            let expected = entries.iter().find(|(entry, _)| *entry == key).map(|(_, value)| value.as_str());
            assert_eq!(read.value(name, key), expected, "{key}: {context}");
        }
        assert_eq!(others(&after, name), others(&before, name), "{context}");
        assert_eq!(after.contains("\r\n"), before.contains("\r\n"), "{context}");
        assert!(
            !after.replace("\r\n", "").contains('\r')
                && after.starts_with('\u{feff}') == before.starts_with('\u{feff}'),
            "{context}"
        );
        // Every line of another profile, and every comment above a key or beside another one, stays as it is written.
        let lines: Vec<&str> = after.lines().collect();
        for line in before.lines().filter(|line| line.trim_start().starts_with('#')) {
            assert!(lines.contains(&line), "{line:?} is lost: {context}");
        }
        for beside in ["# the address", "# of one", "# of three", "# a program"] {
            let is_removed = beside == "# a program" && names.contains(&name);
            assert!(!before.contains(beside) || after.contains(beside) || is_removed, "{beside} is lost: {context}");
        }
        for line in before.lines().filter(|line| line.starts_with('[')) {
            assert!(lines.contains(&line), "{line:?} is spelled otherwise: {context}");
        }
        let profile = read.profile(name).unwrap();
        let names_file = profile.iter().any(|(key, _)| key == "key" || key.ends_with("_file"));
        assert!(names_file || !profile.contains_key("secret_file_mounted"), "a rule without effect: {context}");
        let own = format!("https://{name}.example");
        for line in before.lines().filter(|line| line.contains(".example") && !line.contains(&own)) {
            let is_replaced = line.starts_with("profile = {") || (line.starts_with("issuer") && names.contains(&name));
            assert!(lines.contains(&line) || is_replaced, "{line:?} is lost: {context}");
        }
        let chosen = read.default().map(str::to_owned);
        assert!(
            chosen.as_deref().is_some_and(|chosen| read.profile(chosen).is_some()) || !names.is_empty(),
            "{context}"
        );
        // The same sign-in once more changes nothing.
        let mut again = parse(&after);
        again.sign_in(name, "https://new.example", &entries);
        assert_eq!(again.text(), after, "{context}");
        // Signing out keeps the address, the others and the comments.
        let mut out = parse(&after);
        out.sign_out(name);
        let text = out.text();
        assert_eq!(others(&text, name), others(&after, name), "{context}\n----\n{text}");
        assert!(
            parse(&text).value(name, "base_url").is_some() && parse(&text).value(name, "issuer").is_none(),
            "{context}"
        );
        for line in after.lines().filter(|line| line.trim_start().starts_with('#')) {
            assert!(text.lines().any(|kept| kept == line), "{line:?} is lost: {context}\n----\n{text}");
        }
        let mut removed = parse(&after);
        removed.remove(name);
        let text = removed.text();
        assert!(parse(&text).profile(name).is_none(), "{context}\n----\n{text}");
        assert_eq!(others(&text, name), others(&after, name), "{context}\n----\n{text}");
    }
}
