#!/bin/sh
# Judges the sandbox by two other tools: schemathesis, in the version of sandbox/tests/peers/requirements.txt, and Prism 5.16.0 as a proxy that
# validates the judge's requests and the sandbox's answers. If PyPI, npm or the contracts are out of reach, it prints SKIPPED and exits with 0.
#
#   sandbox/engine/judge/others.sh                the contracts of others.txt
#   sandbox/engine/judge/others.sh --short        the two contracts of others-short.txt; fails if the findings are not those that have a cause there
#   sandbox/engine/judge/others.sh FILE…          these contracts
#   OTHERS_OPTIONS='--findings /tmp/f.txt --examples 20'   options of others.py
set -eu
cd "$(dirname "$0")/../../.."
judge=sandbox/engine/judge
mkdir -p "${CARGO_TARGET_DIR:-target}/peers"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
skip() {
    echo "SKIPPED: $1, so the other tools did not judge the sandbox"
    exit 0
}
. "$judge/packages.sh"
python='Python or PyPI is out of reach'
packages "$target/peers/judge" "$judge/requirements.txt" || skip "$python"
packages "$target/peers/python" sandbox/tests/peers/requirements.txt || skip "$python"
prism=$target/peers/prism/node_modules/.bin/prism
if [ ! -x "$prism" ]; then
    mkdir -p "$target/peers/prism"
    npm install --prefix "$target/peers/prism" --no-audit --no-fund --silent @stoplight/prism-cli@5.16.0 || skip 'npm is out of reach'
fi
list=$judge/others.txt
if [ "${1:-}" = --short ]; then
    shift
    list=$judge/others-short.txt
    OTHERS_OPTIONS="--causes $list --examples 1 ${OTHERS_OPTIONS:-}"
fi
if [ $# = 0 ]; then
    contracts=${CONTRACTS:-../shared/contracts}
    [ -d "$contracts" ] || skip "$contracts does not exist"
    while IFS= read -r contract; do
        case "$contract" in '' | '#'* | ' '*) continue ;; esac
        if [ -f "$contracts/$contract" ]; then
            set -- "$@" "$contracts/$contract"
        else
            echo "LEFT OUT: $contracts/$contract does not exist"
        fi
    done <"$list"
fi
if [ -z "${SERVE:-}" ]; then
    [ -n "${PROGRAMS_BUILT:-}" ] || cargo build --locked -q --workspace --all-features --bin driftless-sandbox
    SERVE="$target/debug/driftless-sandbox --contract {contract} --port 0 serve"
fi
# shellcheck disable=SC2086
PYTHONDONTWRITEBYTECODE=1 exec "$target/peers/judge/bin/python" "$judge/others.py" --serve "$SERVE" --schemathesis "$target/peers/python/bin/st" \
    --prism "$prism" ${OTHERS_OPTIONS:-} "$@"
