#!/bin/sh
# Holds the reports of drift and of conformance as SARIF against the JSON Schema of OASIS, SARIF 2.1.0. The schema comes with the crate serde-sarif,
# which is only downloaded; its validator comes from PyPI. Exit 0 with the word SKIPPED if one of the two is out of reach.
set -eu
cd "$(dirname "$0")/../.."
crate=0.8.0
reader=4.26.0
mkdir -p "${CARGO_TARGET_DIR:-target}/peers"
folder=$(cd "${CARGO_TARGET_DIR:-target}/peers" && pwd)/sarif
skipped() {
    echo "SKIPPED: $1, so the reports were not held against the schema of SARIF"
    exit 0
}
if [ "$(cat "$folder/versions" 2>/dev/null || true)" != "$crate $reader" ]; then
    rm -rf "$folder"
    mkdir -p "$folder/crate/src"
    printf '[package]\nname = "sarif"\nversion = "0.0.0"\n[dependencies]\nserde-sarif = { version = "=%s", default-features = false }\n[workspace]\n' \
        "$crate" > "$folder/crate/Cargo.toml"
    : > "$folder/crate/src/lib.rs"
    (cd "$folder/crate" && cargo fetch --quiet) || skipped 'the crate serde-sarif is out of reach'
    { python3 -m venv "$folder/python" && "$folder/python/bin/pip" install -q --disable-pip-version-check "jsonschema==$reader"; } ||
        skipped 'Python or PyPI is out of reach'
    echo "$crate $reader" > "$folder/versions"
fi
(cd "$folder/crate" && cargo metadata --format-version 1 --offline) > "$folder/metadata.json"
# Texts that would end a line or a command stand in it, too.
sed 's/Plan/Plan<b>%0A/g' driftless/tests/page/after.json > "$folder/after.json"
# With the features that the tests enable, so that its libraries are compiled once for both.
[ -n "${PROGRAMS_BUILT:-}" ] || cargo build -q --workspace --all-features --bin xtask
check() {
    "$folder/python/bin/python" - "$folder" <<'PYTHON'
import json, pathlib, sys
from jsonschema import Draft7Validator, FormatChecker

folder = pathlib.Path(sys.argv[1])
packages = json.loads((folder / "metadata.json").read_text())["packages"]
[manifest] = [package["manifest_path"] for package in packages if package["name"] == "serde-sarif"]
schema = json.loads((pathlib.Path(manifest).parent / "src/schema.json").read_text())
validator = Draft7Validator(schema, format_checker=FormatChecker())
log = json.loads((folder / "log.json").read_text())
for error in validator.iter_errors(log):
    sys.exit(f"{error.json_path}: {error.message}")
results = log["runs"][0]["results"]
for result in results:
    result["level"] = "fatal"
if results and validator.is_valid(log):
    sys.exit("the schema takes any level: it is not that of SARIF")
print(f"{len(results)} results are valid by {schema['title']}")
PYTHON
}
for after in driftless/tests/page/after.json "$folder/after.json" driftless/tests/page/before.json; do
    "${CARGO_TARGET_DIR:-target}/debug/xtask" drift driftless/tests/page/before.json "$after" --format sarif --fail-on none > "$folder/log.json"
    check
done
# A test of the package writes a log with each kind of result.
PLATFORM_SARIF="$folder/log.json" cargo test -q --workspace --all-features --tests -- sarif::tests > "$folder/tests.log" || {
    cat "$folder/tests.log"
    exit 1
}
check
