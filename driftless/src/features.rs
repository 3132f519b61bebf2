//! The generated features of the client's manifest: one marked block inside `[features]`.

use std::collections::BTreeSet;

use driftless_codegen::Feature;

use crate::failure::Failure;
use crate::workspace::CLIENT_MANIFEST;

const BEGIN: &str = "# <generated features>";
const END: &str = "# </generated features>";

/// The text between the marks.
pub fn render(features: &[Feature]) -> String {
    let defaults: Vec<String> =
        features.iter().filter(|feature| feature.default).map(|feature| format!("    {:?},\n", feature.name)).collect();
    let mut text = match defaults.is_empty() {
        true => "default = []\n".to_owned(),
        false => format!("default = [\n{}]\n", defaults.concat()),
    };
    for feature in features {
        for line in feature.about.lines() {
            text.push_str(&format!("# {}\n", driftless_codegen::line(line)));
        }
        let enables: Vec<String> = feature.enables.iter().map(|name| format!("{name:?}")).collect();
        text.push_str(&format!("{} = [{}]\n", feature.name, enables.join(", ")));
    }
    text
}

/// The text between the marks of a manifest, or `None` where there are no marks.
pub fn block(manifest: &str) -> Option<&str> {
    let begin = manifest.find(&format!("{BEGIN}\n"))? + BEGIN.len() + 1;
    let rest = manifest.get(begin..)?;
    rest.get(..rest.find(END)?)
}

/// The names of the generated features of a manifest.
pub fn names(manifest: &str) -> BTreeSet<String> {
    let table = block(manifest).and_then(|block| toml::from_str::<toml::Table>(block).ok()).unwrap_or_default();
    table.into_iter().map(|(name, _)| name).filter(|name| name != "default").collect()
}

/// The manifest with another block; a manifest without marks gets them in its `[features]`.
pub fn replace(manifest: &str, body: &str) -> Result<String, Failure> {
    replaced(manifest, body).map(|(text, _)| text)
}

/// Like [`replace`]; also returns the parsed manifest.
pub(crate) fn replaced(manifest: &str, body: &str) -> Result<(String, toml::Table), Failure> {
    let replaced = if let Some(old) = block(manifest) {
        let begin = manifest.find(&format!("{BEGIN}\n")).unwrap_or_default() + BEGIN.len() + 1;
        let (before, after) = (manifest.get(..begin), manifest.get(begin + old.len()..));
        format!("{}{body}{}", before.unwrap_or_default(), after.unwrap_or_default())
    } else if manifest.contains(BEGIN) || manifest.contains(END) {
        return Err(Failure::configuration(
            "manifest/marks",
            format!("{CLIENT_MANIFEST} holds only one of the lines `{BEGIN}` and `{END}`"),
            format!("git checkout -- {CLIENT_MANIFEST}"),
        ));
    } else if let Some(index) = manifest.find("\n[features]\n") {
        let (before, after) = manifest.split_at(index + "\n[features]\n".len());
        format!("{before}{BEGIN}\n{body}{END}\n{after}")
    } else {
        format!("{}\n\n[features]\n{BEGIN}\n{body}{END}\n", manifest.trim_end())
    };
    let table = toml::from_str(&replaced).map_err(|error| {
        Failure::configuration(
            "manifest/features",
            format!("{CLIENT_MANIFEST} would not be valid with the generated features: {}", error.message()),
            "take the feature of the same name out of the hand-written part, or rename the family in specs/codegen.toml",
        )
    })?;
    Ok((replaced, table))
}

/// Returns whether two manifests are the same but for the block of generated features, which the second one has.
pub fn differs_in_block_only(old: &[u8], new: &[u8]) -> bool {
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else { return false };
    block(new).is_some_and(|body| replace(old, body).is_ok_and(|replaced| replaced == new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &str, default: bool) -> Feature {
        Feature { name: name.to_owned(), about: format!("About {name}."), default, enables: Vec::new() }
    }

    #[test]
    fn the_block_is_replaced_and_the_rest_is_kept() {
        let agent = Feature { enables: vec!["projects".to_owned()], ..feature("vm-agent", false) };
        let body = render(&[feature("projects", true), agent]);
        let expected = "default = [\n    \"projects\",\n]\n# About projects.\nprojects = []\n# About vm-agent.\nvm-agent = [\"projects\"]\n";
        assert_eq!(body, expected);
        for manifest in [
            "[package]\nname = \"x\"\n\n[dependencies]\n",
            "[package]\nname = \"x\"\n\n[features]\nextra = []\n\n[dependencies]\n",
            "[package]\nname = \"x\"\n\n[features]\n# <generated features>\ndefault = []\n# </generated features>\nextra = []\n",
        ] {
            let replaced = replace(manifest, &body).expect("replaced");
            assert_eq!(block(&replaced), Some(body.as_str()));
            assert_eq!(replace(&replaced, &body).expect("replaced"), replaced, "a second time changes nothing");
            assert_eq!(replaced.contains("extra"), manifest.contains("extra"));
        }
    }

    #[test]
    fn a_feature_that_exists_by_hand_is_refused() {
        let manifest = "[package]\nname = \"x\"\n\n[features]\nprojects = []\n";
        let failure = replace(manifest, &render(&[feature("projects", true)])).expect_err("twice");
        assert_eq!(failure.code, "manifest/features");
        assert_eq!(replace("# <generated features>\n", "").expect_err("one mark").code, "manifest/marks");
    }
}
