use std::collections::{BTreeMap, BTreeSet};

use driftless::develop::{DEFAULT_NAME, Sources};
use driftless::interrupt::Interrupt;
use driftless::workspace::Workspace;
use driftless_codegen::{NameStyle, StyleVersion};
use driftless_conformance::{Options, check};

/// Changes of the generated client: the operation, a text of a generated file, and another in its place.
const CHANGES: &[(&str, &str, &str)] = &[
    ("method", "path: \"/method\"", "path: \"/method/\""),
    ("path", "path: \"/path/{id}\"", "path: \"/paths/{id}\""),
    ("name", "(\"nameOne\")", "(\"name_one\")"),
    ("style", ".pipe()", ".space()"),
    ("place", "Parameter::header(\"X-Place\")", "Parameter::query(\"X-Place\")"),
    ("setters", "self.set(0, &left)", "self.set(1, &left)"),
    // A required parameter that no call has to set: the default is sent.
    ("left_out", "&[&\"50\"]", "&[&\"51\"]"),
    ("member", "member: optional \"member\"", "member: optional \"members\""),
    ("media", "body: \"application/x-www-form-urlencoded\"", "body: \"text/plain\""),
    ("enumeration", "Red = \"red\"", "Red = \"Red\""),
    // One value of four: the two samples of a call have at most two of them.
    ("values", "Middle = \"middle\"", "Middle = \"medium\""),
    ("answer", "answer: optional \"answer\"", "answer: optional \"answers\""),
    ("accept", "accept: \"text/plain\"", "accept: \"text/html\""),
    ("status", "201 => Created", "202 => Created"),
    ("part_twice", "twice: text \"twice\"", "twice: text \"twice\", twice: text \"twice\""),
    ("part_of_list", "another: text \"another\"", "another: text \"another\", another: text \"list\""),
    ("part_more", "single: text \"single\"", "single: text \"single\", single: text \"debug\""),
    ("part_order", "ahead: text \"ahead\", behind: text \"behind\"", "behind: text \"behind\", ahead: text \"ahead\""),
    ("part_media", "data: json \"data\"", "data: text \"data\""),
    ("cookie_more", "&[Parameter::cookie(\"visit\")]", "&[Parameter::cookie(\"visit\"), Parameter::cookie(\"track\")]"),
    ("cookie_more", "&[&visit]", "&[&visit, &visit]"),
    (
        "header_more",
        "&[Parameter::header(\"X-Visit\")]",
        "&[Parameter::header(\"X-Visit\"), Parameter::header(\"X-Track\")]",
    ),
    ("header_more", "&[&x_visit]", "&[&x_visit, &x_visit]"),
    ("xml_name", "Name::plain(\"innerXml\")", "Name::plain(\"inner\")"),
    ("xml_space", "\"urn:space\"", "\"urn:spaces\""),
    ("xml_list", "Name::plain(\"itemXml\")", "Name::plain(\"items\")"),
    ("xml_answer", "Name::plain(\"totalXml\")", "Name::plain(\"totalsXml\")"),
];

#[test]
#[ignore = "compiles a client: .ci/run runs it"]
fn each_change_of_a_client_is_noticed() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let workspace = Workspace::find(Some(root.into())).unwrap();
    let (_runtime, interrupt) = Interrupt::start().unwrap();
    let bytes = include_bytes!("changes.yaml").to_vec();
    let mut sources = Sources { contracts: vec![(DEFAULT_NAME.to_owned(), bytes)], ..Sources::default() };
    sources.setup.config.style = NameStyle { version: StyleVersion::Two };
    let options = Options { seed: 1, ..Options::default() };
    let connections = std::cell::Cell::new((0, 0));
    let faults = |name: &str, change: &dyn Fn(&mut BTreeMap<String, String>)| -> BTreeSet<String> {
        let report = check(&workspace, name, &sources, &options, change, &interrupt).unwrap();
        assert!(report.count("right") > 0);
        let traffic = report.traffic.as_ref().unwrap();
        connections.set((traffic.connections, traffic.requests));
        let faulty = report.rows.iter().filter(|row| row.class == "fault");
        let unjudged: Vec<_> =
            report.rows.iter().filter(|row| ["limit", "contradiction"].contains(&row.class)).collect();
        assert!(unjudged.is_empty(), "{unjudged:#?}");
        faulty.map(|row| row.operation.rsplit('.').next().unwrap().to_owned()).collect()
    };
    assert_eq!(faults("unchanged", &|_| {}), BTreeSet::new());
    // The flaws of answers end their connections; the other requests share one.
    let (connections, requests) = connections.get();
    assert!(connections * 2 < requests, "{requests} requests over {connections} connections");
    let changed = faults("changed", &|files| {
        for (operation, from, to) in CHANGES {
            let times: usize = files.values().map(|text| text.matches(from).count()).sum();
            assert_eq!(times, 1, "{operation}: {from}");
            files.values_mut().for_each(|text| *text = text.replace(from, to));
        }
    });
    let expected: BTreeSet<String> = CHANGES.iter().map(|(operation, ..)| (*operation).to_owned()).collect();
    assert_eq!(changed, expected);
}
