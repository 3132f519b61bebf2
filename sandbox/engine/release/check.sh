#!/bin/sh
# Packs the program that the tests have compiled, installs the packages of npm and PyPI from their files into a scratch folder, and
# starts the sandbox through each: the contract is served, a signal ends it, and another program than the packed one does not run. Then it
# runs the sample of compose against the command of the image.
set -eu
cd "$(dirname "$0")/../../.."
release=sandbox/engine/release
mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
[ -n "${PROGRAM:-}${PROGRAMS_BUILT:-}" ] || cargo build --locked -q --workspace --all-features --bin driftless-sandbox
PROGRAM=${PROGRAM:-$target/debug/driftless-sandbox}
scratch=$(mktemp -d)
running=
clean() {
    [ -z "$running" ] || kill "$running" 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean EXIT
failed() {
    printf 'FAILED: %s\n' "$1" >&2
    cat "$scratch/said" "$scratch/wrong" 2>/dev/null >&2
    exit 1
}
triple=$(grep -v '^#' "$release/targets.txt" | grep "^$(uname -m)-unknown-linux" | cut -d' ' -f1)
if [ "$(uname -s)" != Linux ] || [ -z "$triple" ]; then
    echo 'SKIPPED: the packages are checked on Linux'
    exit 0
fi
mkdir -p "$scratch/programs/$triple"
# A published program has no symbols, either.
strip -o "$scratch/programs/$triple/driftless-sandbox" "$PROGRAM" 2>/dev/null || cp "$PROGRAM" "$scratch/programs/$triple/driftless-sandbox"
"$release/pack.py" "$scratch/programs" "$scratch/packages" >"$scratch/said"
(cd "$scratch/packages" && sha256sum --quiet -c SHA256SUMS)
# The same program gives the same packages: a gzip header has a time, in its bytes from 4 to 7.
for package in "$scratch"/packages/npm/*.tgz; do
    [ "$(od -An -tu4 -j4 -N4 "$package" | tr -d ' ')" = 0 ] || failed "$package has the time of its packing"
done
cat >"$scratch/pets.json" <<'JSON'
{"openapi": "3.0.3", "info": {"title": "Pets", "version": "1"}, "paths": {"/pets": {"get": {"responses": {"200": {
 "description": "", "content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}}}}}}}
JSON

# Runs a command of the sandbox; $base is its address.
begin() {
    : >"$scratch/said"
    "$@" >"$scratch/said" &
    running=$!
    until grep -q '^listening on ' "$scratch/said"; do
        kill -0 "$running" 2>/dev/null || failed "$* does not serve"
        sleep 0.1
    done
    base=$(sed -n 's/^listening on //p' "$scratch/said")
}

end() {
    kill "$running"
    wait "$running" || failed 'the sandbox does not end by a signal'
    running=
}

# Starts the sandbox by a command, and ends it. $1 is the file of the program behind the command.
starts() {
    program=$1
    shift
    "$@" --version >"$scratch/said" || failed "$* does not start"
    grep -q '^driftless-sandbox [0-9]' "$scratch/said" || failed "$* --version"
    begin "$@" --contract "$scratch/pets.json"
    curl -fsS "$base/pets" | grep -q '^\[' || failed "$* answers with no list"
    end
    printf '\n' >>"$program"
    if "$@" --version >"$scratch/said" 2>"$scratch/wrong"; then failed "$* starts another program"; fi
    grep -q 'is not the program of this release' "$scratch/wrong" || failed "$* does not say what is wrong"
    echo "ok: $(basename "$1"): it is installed, started, and checked"
}

mkdir "$scratch/npm"
if ! (cd "$scratch/npm" && npm install --silent --offline --no-audit --no-fund --ignore-scripts "$scratch"/packages/npm/*.tgz) >"$scratch/said" 2>&1; then
    command -v npm >/dev/null && failed 'npm install'
    echo 'SKIPPED: npm is not installed'
else
    starts "$(echo "$scratch"/npm/node_modules/driftless-sandbox-*/driftless-sandbox)" "$scratch/npm/node_modules/.bin/driftless-sandbox"
fi
python3 -m venv "$scratch/python"
"$scratch/python/bin/pip" install -q --disable-pip-version-check --no-index "$scratch"/packages/pypi/*.whl >"$scratch/said" 2>&1 || failed 'pip install'
starts "$(echo "$scratch"/python/lib/python*/site-packages/driftless_sandbox/driftless-sandbox)" "$scratch/python/bin/driftless-sandbox"

# The image has nothing but the program: its arguments are those of the image and of the sample, on a free port of loopback.
container=$(sed -n 's/^ENTRYPOINT //p' "$release/Containerfile" | python3 -c 'import json, sys; print(*json.load(sys.stdin)[1:])')
sample=sandbox/samples/compose
for _ in first kept; do
    # shellcheck disable=SC2086
    begin "$PROGRAM" $container --contract "$sample/pets.json" --data "$scratch/state.db" --listen 127.0.0.1 --port 0
    BASE_URL=$base python3 -B "$sample/main.py" >"$scratch/log" || failed 'the program of the sample'
    grep -qx 'a pet was added, changed and removed' "$scratch/log" || failed 'the program of the sample ends early'
    end
done
echo 'ok: the sample of compose runs against the command of the image'
