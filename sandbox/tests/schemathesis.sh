#!/bin/sh
# Tests the sandbox against its own contract: schemathesis sends valid and invalid requests to every operation, with a valid
# token, and openapi-spec-validator validates the contract strictly. Both come from PyPI, in the versions of
# peers/requirements.txt. It fails if a check fails, or if an operation was never answered with success. If PyPI is out of reach,
# it prints SKIPPED and exits with 0.
#
#   EXAMPLES=50 sandbox/tests/schemathesis.sh      so many examples for each operation; 10 is the default
#   SEED=2 REVISION=2 sandbox/tests/schemathesis.sh    other examples; the second revision of the contract
set -eu
cd "$(dirname "$0")/../.."
peers=sandbox/tests/peers
mkdir -p "${CARGO_TARGET_DIR:-target}/peers"
tools=$(cd "${CARGO_TARGET_DIR:-target}/peers" && pwd)/python
stamp=$tools/requirements.txt
if ! cmp -s "$peers/requirements.txt" "$stamp"; then
    rm -rf "$tools"
    if ! { python3 -m venv "$tools" && "$tools/bin/pip" install -q --disable-pip-version-check -r "$peers/requirements.txt"; }; then
        rm -rf "$tools"
        echo "SKIPPED: Python or PyPI is out of reach, so schemathesis did not run"
        exit 0
    fi
    cp "$peers/requirements.txt" "$stamp"
fi
peers=$(cd "$peers" && pwd)
. "$peers/sandbox.sh"
"$tools/bin/python" "$peers/prepare.py" "$BASE" "$FOLDER" "$peers/schemathesis.toml" "$work"
"$tools/bin/openapi-spec-validator" "$work/contract.json"
"$tools/bin/st" --version
# The token comes from a file, so that no argument list contains it. The tool's cache is deleted with the work folder.
cd "$work"
check() {
    SANDBOX_TOKEN=$(cat token) "$tools/bin/st" --config-file "$1" run contract.json --url "$BASE" --phases "$2" \
        --max-examples "${EXAMPLES:-10}" --seed "${SEED:-1}" --no-color
}
check prepared.toml examples,coverage,fuzzing
# Sequences of requests use the identifiers of earlier answers.
check plain.toml stateful
"$tools/bin/python" "$peers/answers.py" .
