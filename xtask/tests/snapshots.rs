//! A contract was edited, merged or downloaded: the tests fail until the snapshots are accepted.

// With its features, the command that accepts the snapshots uses what `cargo test` has compiled.
use driftless_runtime as _;

#[test]
fn the_pinned_contracts_are_those_that_were_reviewed() {
    let review = driftless::Review::read(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).expect("a client");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(review.folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let checked = settings.bind(|| review.check(|name, text| insta::assert_snapshot!(name, text)));
    checked.unwrap_or_else(|differing| panic!("{differing}"));
}
