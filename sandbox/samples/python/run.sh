#!/bin/sh
# Runs the sample against a sandbox, and compares its output with expected.txt. If PyPI is out of reach, it prints SKIPPED and
# exits with 0.
set -eu
cd "$(dirname "$0")/../../.."
sample=$(pwd)/sandbox/samples/python
mkdir -p "${CARGO_TARGET_DIR:-target}/samples"
tools=$(cd "${CARGO_TARGET_DIR:-target}/samples" && pwd)/python
if ! cmp -s "$sample/requirements.txt" "$tools/requirements.txt"; then
    rm -rf "$tools"
    if ! { python3 -m venv "$tools" && "$tools/bin/pip" install -q --disable-pip-version-check -r "$sample/requirements.txt"; }; then
        rm -rf "$tools"
        echo "SKIPPED: Python or PyPI is out of reach, so the sample in Python did not run"
        exit 0
    fi
    cp "$sample/requirements.txt" "$tools/requirements.txt"
fi
. sandbox/tests/peers/sandbox.sh
"$tools/bin/python" -B "$sample/main.py" "$work/sandbox.json" >"$work/said" || { cat "$work/said"; exit 1; }
diff "$sample/expected.txt" "$work/said"
echo "ok: the sample in Python said what it should"
