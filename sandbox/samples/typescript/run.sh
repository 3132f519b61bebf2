#!/bin/sh
# Compiles the sample against the types of a sandbox's contract, runs it, and compares its output with expected.txt. If npm is out
# of reach, it prints SKIPPED and exits with 0.
set -eu
cd "$(dirname "$0")/../../.."
sample=$(pwd)/sandbox/samples/typescript
mkdir -p "${CARGO_TARGET_DIR:-target}/samples/typescript"
tools=$(cd "${CARGO_TARGET_DIR:-target}/samples/typescript" && pwd)
cp "$sample"/package.json "$sample"/package-lock.json "$sample"/tsconfig.json "$sample"/main.ts "$tools"
if ! (cd "$tools" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    echo "SKIPPED: Node or npm is out of reach, so the sample in TypeScript did not run"
    exit 0
fi
. sandbox/tests/peers/sandbox.sh
cd "$tools"
npx --no-install openapi-typescript "$(said contract_url)" --output contract.ts >"$work/log"
npx --no-install openapi-typescript "$BASE/sandbox/openapi.yaml" --output control.ts >>"$work/log"
npx --no-install tsc
node out/main.js "$work/sandbox.json" >"$work/said" || { cat "$work/said"; exit 1; }
diff "$sample/expected.txt" "$work/said"
echo "ok: the sample in TypeScript said what it should"
