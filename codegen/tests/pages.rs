//! Results of `[[pagination]]`: one input per case, and beside it the report that a maintainer reads, or the code.

use std::fs;
use std::path::Path;

use driftless_codegen::{Config, Contract, Names, Setup, generate};

#[test]
fn pages_fit_the_contract_or_are_refused_with_their_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let contract = fs::read(folder.join("contract.yaml")).unwrap();
    insta::glob!("pages/*.toml", |path| {
        let config: Config = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let contracts = [Contract { name: "platform", bytes: &contract }];
        let text = match generate(&contracts, &Setup::from(config), &Names::default()) {
            Ok(output) => {
                let unused: Vec<_> = output.unused.iter().map(|rule| (&rule.pointer, &rule.what)).collect();
                let index = output.api.index();
                let api: Vec<_> = index.lines().filter(|line| line.contains("with_items")).collect();
                let code = &output.files["families/things.rs"];
                let calls: Vec<_> =
                    code.split("self.with_pages(").skip(1).filter_map(|rest| rest.split("\n    }").next()).collect();
                format!("unused: {unused:?}\n{}\n{}", api.join("\n"), calls.join("\n"))
            }
            Err(report) => {
                assert!(report.problems().iter().all(|problem| problem.code.starts_with("pagination/")), "{report}");
                report.to_string()
            }
        };
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(path.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_snapshot_suffix("");
        settings.bind(|| insta::assert_snapshot!(path.file_stem().unwrap().to_str().unwrap(), text));
    });
}
