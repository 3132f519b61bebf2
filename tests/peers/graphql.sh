#!/bin/sh
# Tests generated documents with graphql-js, from npm, in the version of package-lock.json: random answers to each document of a
# small schema, and subscriptions of graphql-ws and graphql-sse. With --all, it tests the documents of GitHub's schema
# (@octokit/graphql-schema) and of two of a shop's (@shopify/hydrogen-react), too, and random documents of Linear's schema
# (@linear/sdk), of Saleor's, which is federated (@saleor/sdk), and of one in Hasura's style. The versions are below. If npm is out
# of reach, it prints SKIPPED and exits with 0.
set -eu
all=${1:-}
if [ "$*" != "${all:+--all}" ]; then
    printf '%s: %s is not its argument\n  help: it takes --all, or nothing\n' "$0" "$*" >&2
    exit 2
fi
cd "$(dirname "$0")/../.."
tools=${CARGO_TARGET_DIR:-target}/peers/graphql
mkdir -p "$tools"
tools=$(cd "$tools" && pwd)
version() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" tests/peers/package.json; }
schemas=
[ -z "$all" ] || schemas=',"@linear/sdk":"30.0.0","@saleor/sdk":"0.7.0","@octokit/graphql-schema":"15.26.1","@shopify/hydrogen-react":"2026.4.4"'
cat >"$tools/package.json" <<END
{"private":true,"dependencies":{"graphql":"$(version graphql)","graphql-ws":"$(version graphql-ws)","ws":"$(version ws)",
"graphql-sse":"2.6.0"$schemas}}
END
if ! (cd "$tools" && npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps); then
    echo "SKIPPED: Node or npm is out of reach, so documents did not meet graphql-js"
    exit 0
fi
PLATFORM_GRAPHQL_JS=$tools
export PLATFORM_GRAPHQL_JS
if [ -z "$all" ]; then
    exec cargo test --workspace --all-features --test developer -- --ignored --nocapture conformance::answers
fi
schemas=$tools/schemas
mkdir -p "$schemas"
cp "$tools/node_modules/@octokit/graphql-schema/schema.graphql" "$schemas/github.graphql"
cd "$tools"
for name in storefront customer-account; do
    # Published as introspections.
    node -e 'const { buildClientSchema, printSchema } = require("graphql")
      const found = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))
      console.log(printSchema(buildClientSchema(found.data ?? found)))' \
        "node_modules/@shopify/hydrogen-react/$name.schema.json" >"$schemas/$name.graphql"
done
cd - >/dev/null
# Linear and Saleor publish the types that graphql-codegen generated from their schemas.
conformance=developer/tests/conformance
node "$conformance/sdl.mjs" "$tools/node_modules/@linear/sdk/dist/_generated_documents.d.ts" >"$schemas/linear.graphql"
node "$conformance/sdl.mjs" "$tools/node_modules/@saleor/sdk/src/apollo/types.ts" >"$schemas/saleor.graphql"
node "$conformance/sdl.mjs" hasura >"$schemas/hasura.graphql"
for name in linear saleor hasura; do
    node "$conformance/documents.mjs" "$schemas/$name.graphql" 20 "$schemas/$name" "$tools"
done
PLATFORM_GRAPHQL_SCHEMAS=$schemas
export PLATFORM_GRAPHQL_SCHEMAS
cargo test --workspace --all-features --test developer -- --ignored --nocapture conformance::
