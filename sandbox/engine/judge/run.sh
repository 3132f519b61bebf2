#!/bin/sh
# Judges the sandbox over contracts of others: each operation once, each collection step by step. The judge shares nothing with the
# engine. Its packages come from PyPI, in the versions of requirements.txt. If PyPI or the contracts are out of reach, it prints
# SKIPPED and exits with 0.
#
#   sandbox/engine/judge/run.sh                   the judge's own tests, then openapi-3.2.json and the contracts of contracts.txt
#   sandbox/engine/judge/run.sh FILE…             these contracts
#   JUDGE_OPTIONS='--json /tmp/j.json --seed 2'   options of judge.py
#   SERVE='program --contract {contract} serve'   another service than the workspace's
#   LIST=sandbox/engine/judge/compared.txt        another list of contracts
#   LARGEST=1000000                               without those of the list that have more bytes
set -eu
cd "$(dirname "$0")/../../.."
judge=sandbox/engine/judge
mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
mkdir -p "$target/peers"
tools=$target/peers/judge
. "$judge/packages.sh"
if ! packages "$tools" "$judge/requirements.txt"; then
    echo "SKIPPED: Python or PyPI is out of reach, so the judge did not run"
    exit 0
fi
(cd "$judge" && PYTHONDONTWRITEBYTECODE=1 "$tools/bin/python" -m unittest -q test_judge)
if [ $# = 0 ]; then
    contracts=${CONTRACTS:-../shared/contracts}
    if [ ! -d "$contracts" ]; then
        echo "SKIPPED: $contracts does not exist, so the judge had no contracts"
        exit 0
    fi
    while read -r contract; do
        case "$contract" in '' | '#'*) continue ;; esac
        if [ ! -f "$contracts/$contract" ]; then
            echo "LEFT OUT: $contracts/$contract does not exist"
        elif [ -n "${LARGEST:-}" ] && [ "$(wc -c <"$contracts/$contract")" -gt "$LARGEST" ]; then
            echo "LEFT OUT: $contracts/$contract has more than $LARGEST bytes"
        else
            set -- "$@" "$contracts/$contract"
        fi
    done <"${LIST:-$judge/contracts.txt}"
    [ -n "${LIST:-}" ] || set -- "$judge/openapi-3.2.json" "$@"
fi
if [ -z "${SERVE:-}" ]; then
    # With the features that the tests enable, so that its libraries are compiled once for both.
    [ -n "${PROGRAMS_BUILT:-}" ] || cargo build --locked -q --workspace --all-features --bin driftless-sandbox
    SERVE="$target/debug/driftless-sandbox --contract {contract} --port 0 serve"
fi
# shellcheck disable=SC2086
PYTHONDONTWRITEBYTECODE=1 exec "$tools/bin/python" "$judge/judge.py" --serve "$SERVE" ${JUDGE_OPTIONS:-} "$@"
