//! The program that wrote a contract, as far as the document shows it. Another one changes a lot at once, and is the cause of it.

use serde_json::Value;

use super::gather::inert;
use super::side::Side;
use super::sides::Sides;

/// One sentence, where both programs are known and differ.
pub(super) fn sentence(Sides { before, after }: Sides<&Side>) -> Option<String> {
    describe(before.published(), after.published())
}

fn describe(before: &Value, after: &Value) -> Option<String> {
    let (before, after) = (generator(before)?, generator(after)?);
    (before != after).then(|| format!("The documents look published by {before} before, by {after} now."))
}

/// The name of the generator, with the version where the document states it.
fn generator(document: &Value) -> Option<String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(inert);
    if let Some(stated) = text(document.get("x-generator")) {
        // NSwag v14.1.0.0 (NJsonSchema v11.0.2.0 (Newtonsoft.Json v13.0.0.0))
        let own = stated.split(" (").next().unwrap_or_default();
        return Some(format!("`{}`", own.replace(" v", " ").trim())).filter(|own| own != "``");
    }
    // The name of the assembly and that of the document, unless the service chose another title.
    let title = text(document.get("info").and_then(|info| info.get("title")));
    if title
        .is_some_and(|title| title.split_once(" | ").is_some_and(|(_, name)| !name.is_empty() && !name.contains(' ')))
    {
        return Some("Microsoft.AspNetCore.OpenApi".to_owned());
    }
    has_triple(document).then(|| "Swashbuckle".to_owned())
}

/// The media types of a controller's answers, which both generators of ASP.NET Core list; the other one has its title.
const TRIPLE: [&str; 3] = ["application/json", "text/json", "text/plain"];

fn has_triple(document: &Value) -> bool {
    let Some(paths) = document.get("paths").and_then(Value::as_object) else { return false };
    let operations = paths.values().filter_map(Value::as_object).flat_map(|item| item.values());
    operations.filter(|operation| operation.is_object()).any(|operation| {
        let produces = operation.get("produces").and_then(Value::as_array);
        let is_listed = |name: &&str| produces.is_some_and(|all| all.iter().any(|one| one == name));
        let has = |response: &Value| {
            let content = response.get("content").and_then(Value::as_object);
            content.is_some_and(|content| TRIPLE.iter().all(|name| content.contains_key(*name)))
        };
        TRIPLE.iter().all(is_listed)
            || operation.get("responses").and_then(Value::as_object).is_some_and(|all| all.values().any(has))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_shows_its_generator_or_nothing_is_said() {
        let triple = json!({"content": {"text/plain": {}, "application/json": {}, "text/json": {}}});
        let with =
            |title: &str| json!({"info": {"title": title}, "paths": {"/a": {"get": {"responses": {"200": triple}}}}});
        let nswag = |version: &str| json!({"x-generator": format!("NSwag v{version} (NJsonSchema v11)"), "info": {"title": "a"}});
        let (swashbuckle, microsoft) = (with("Shop"), with("Shop | v1"));
        assert_eq!(
            describe(&swashbuckle, &microsoft).as_deref(),
            Some("The documents look published by Swashbuckle before, by Microsoft.AspNetCore.OpenApi now.")
        );
        assert_eq!(
            describe(&nswag("13.18.2.0"), &nswag("14.1.0.0")).as_deref(),
            Some("The documents look published by `NSwag 13.18.2.0` before, by `NSwag 14.1.0.0` now.")
        );
        let old = json!({"swagger": "2.0", "paths": {"/a": {"get": {"produces": TRIPLE, "responses": {}}}}});
        assert_eq!(generator(&old).as_deref(), Some("Swashbuckle"));
        for same in [&swashbuckle, &microsoft, &nswag("14"), &json!({})] {
            assert_eq!(describe(same, same), None);
        }
        assert_eq!(describe(&swashbuckle, &json!({"info": {"title": "Shop | about us"}})), None);
    }
}
