//! Makes the client's manifest independent of its workspace: inherited values are written out.

use std::path::Path;

use toml::{Table, Value};

use crate::failure::Failure;

/// Turns the manifest of a member into one of its own workspace. Path dependencies point below `folder`, the workspace;
/// dev-dependencies are left out. It also gets the dependencies of `workspace.metadata.driftless.dependencies`, if it has none of the
/// name: a package in that table gives the libraries the cargo features that they have in the workspace.
pub(super) fn stand_alone(member: &str, workspace: &str, folder: &Path) -> Result<String, Failure> {
    let parse = |text: &str| {
        toml::from_str::<Table>(text).map_err(|error| {
            Failure::configuration("client/manifest", error.to_string(), "fix the manifest that it is about")
        })
    };
    let mut manifest = parse(member)?;
    let root = parse(workspace)?;
    let shared = root.get("workspace").and_then(Value::as_table).cloned().unwrap_or_default();
    let part = |key: &str| shared.get(key).and_then(Value::as_table).cloned().unwrap_or_default();

    for key in ["dev-dependencies", "example", "test", "bench"] {
        manifest.remove(key);
    }
    let package = part("package");
    if let Some(Value::Table(fields)) = manifest.get_mut("package") {
        for (key, value) in fields.iter_mut() {
            if let Some(inherited) = package.get(key).filter(|_| inherits(value)) {
                *value = inherited.clone();
            }
        }
        fields.remove("readme");
    }
    let further =
        shared.get("metadata").and_then(|metadata| metadata.get("driftless")?.get("dependencies")?.as_table());
    for (name, value) in further.into_iter().flatten() {
        let own = manifest.entry("dependencies").or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(own) = own {
            let value =
                if inherits(value) { value.clone() } else { merged(value, &Value::Table(Table::new()), folder) };
            own.entry(name.clone()).or_insert(value);
        }
    }
    dependencies(&mut manifest, &part("dependencies"), folder);
    if let Some(Value::Table(targets)) = manifest.get_mut("target") {
        for target in targets.iter_mut().filter_map(|(_, target)| target.as_table_mut()) {
            target.remove("dev-dependencies");
            dependencies(target, &part("dependencies"), folder);
        }
    }
    if manifest.get("lints").is_some_and(inherits) {
        manifest.insert("lints".to_owned(), Value::Table(part("lints")));
    }
    let mut own = Table::new();
    own.insert("resolver".to_owned(), Value::String("3".to_owned()));
    manifest.insert("workspace".to_owned(), Value::Table(own));
    if let Some(profile) = root.get("profile") {
        manifest.insert("profile".to_owned(), profile.clone());
    }
    toml::to_string(&manifest)
        .map_err(|error| Failure::configuration("client/manifest", error.to_string(), "fix the client's manifest"))
}

fn inherits(value: &Value) -> bool {
    value.get("workspace").and_then(Value::as_bool) == Some(true)
}

fn dependencies(manifest: &mut Table, shared: &Table, folder: &Path) {
    for key in ["dependencies", "build-dependencies"] {
        let Some(Value::Table(dependencies)) = manifest.get_mut(key) else { continue };
        for (name, value) in dependencies.iter_mut() {
            if let Some(inherited) = shared.get(name).filter(|_| inherits(value)) {
                *value = merged(inherited, value, folder);
            }
        }
    }
}

/// Merges a workspace dependency with the keys that the member adds.
fn merged(inherited: &Value, own: &Value, folder: &Path) -> Value {
    let mut table = match inherited {
        Value::Table(table) => table.clone(),
        version => Table::from_iter([("version".to_owned(), version.clone())]),
    };
    for (key, value) in own.as_table().into_iter().flatten() {
        match (key.as_str(), table.get_mut(key), value) {
            ("workspace", ..) => {}
            ("features", Some(Value::Array(features)), Value::Array(more)) => features.extend(more.iter().cloned()),
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
    if let Some(Value::String(path)) = table.get_mut("path") {
        *path = folder.join(path.as_str()).to_string_lossy().into_owned();
    }
    Value::Table(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inherited_is_written_out() {
        let workspace = "[workspace.package]\nversion = '1.2.3'\n[workspace.lints.rust]\nunsafe_code = 'forbid'\n\
                         [workspace.dependencies]\na = '1'\nm = { path = 'm' }\ns = { path = 's', features = ['t'] }\nb = { version = '2', features = ['x'] }\n\
                         [profile.dev]\ndebug = 0\n\
                         [workspace.metadata.driftless.dependencies]\nm.workspace = true\nc = '4'\ns.workspace = true\n\
                         t = { path = 't' }\n";
        let member = "[package]\nname = 'm'\nversion.workspace = true\n[lints]\nworkspace = true\n[dependencies]\n\
                      a.workspace = true\nb = { workspace = true, features = ['y'], optional = true }\nc = '3'\nm.workspace = true\n\
                      [dev-dependencies]\nd.workspace = true\n";
        let text = stand_alone(member, workspace, Path::new("/w")).expect("valid");
        let table: Table = toml::from_str(&text).expect("TOML");
        assert_eq!(table["package"]["version"].as_str(), Some("1.2.3"));
        assert_eq!(table["dependencies"]["a"]["version"].as_str(), Some("1"));
        assert_eq!(table["dependencies"]["b"]["features"].as_array().map(Vec::len), Some(2));
        assert_eq!(table["dependencies"]["b"]["optional"].as_bool(), Some(true));
        assert_eq!(table["dependencies"]["c"].as_str(), Some("3"));
        assert_eq!(table["dependencies"]["m"]["path"].as_str(), Some("/w/m"));
        assert_eq!(table["dependencies"]["s"]["path"].as_str(), Some("/w/s"));
        assert_eq!(table["dependencies"]["t"]["path"].as_str(), Some("/w/t"));
        assert_eq!(table["dependencies"]["s"]["features"].as_array().map(Vec::len), Some(1));
        assert_eq!(table["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
        assert!(table.contains_key("workspace") && !table.contains_key("dev-dependencies"));
    }
}
