//! The snapshots in `specs/snapshots` hold the lines of the pinned contract that reviewers accepted. A later change of it fails this
//! test, which names the next step.

#[test]
fn the_pinned_contracts_are_those_that_were_reviewed() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for service in driftless::services(root).unwrap_or_else(|failure| panic!("{failure}")) {
        let review = driftless::Review::read(service).unwrap_or_else(|failure| panic!("{failure}"));
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(review.folder());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let checked = settings.bind(|| review.check(|name, text| insta::assert_snapshot!(name, text)));
        checked.unwrap_or_else(|differing| panic!("{differing}"));
    }
}
