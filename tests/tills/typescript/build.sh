#!/usr/bin/env bash
# Compiles the TypeScript client and its till, and compares the client's types with those that openapi-typescript makes
# from the terminals' document: it fails where they disagree.
#
#   tests/tills/typescript/build.sh FOLDER    installs the compiler into FOLDER once; then node FOLDER/till.js runs
#
# GATEWAY_BIN names the program that prints the document; the default is the one in build/release.
set -euo pipefail
folder=$(realpath -m "${1:?usage: tests/tills/typescript/build.sh FOLDER}")
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
sources=tests/tills/typescript

command -v npm >/dev/null || { echo 'There is no npm: install the packages nodejs and npm of Debian.' >&2; exit 1; }

# This installs exactly what the lock names, without running a line of it, and again when the lock has changed.
install() {
    mkdir -p "$folder"
    cp $sources/package.json $sources/package-lock.json "$folder"
    npm --prefix "$folder" ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 && return
    echo "The compiler could not be installed from $(npm config get registry). Let this machine reach that registry," \
        'or name a mirror of it in npm_config_registry, and run this again.' >&2
    return 1
}
if ! cmp -s $sources/package-lock.json "$folder/installed.json"; then
    install
    cp $sources/package-lock.json "$folder/installed.json"
fi

# A part that only narrows a type that is named beside it is removed first: from "type": "string", "anyOf":
# [{"maxLength": 40}], openapi-typescript makes string | unknown, which is no type at all.
node -e '
    const narrowed = (_, value) => (value?.type && value.anyOf ? { ...value, anyOf: undefined } : value);
    console.log(JSON.stringify(JSON.parse(require("node:fs").readFileSync(0), narrowed)));
' <<<"$("${GATEWAY_BIN:-build/release/sales-gateway}" openapi terminals)" >"$folder/terminals.json"
# A caller that orders may leave out what has a default.
"$folder/node_modules/.bin/openapi-typescript" "$folder/terminals.json" --default-non-nullable=false \
    --output "$folder/terminals.ts" >"$folder/openapi-typescript.log" 2>&1 ||
    { cat "$folder/openapi-typescript.log" >&2; exit 1; }

compile() (cd "$folder" && node_modules/.bin/tsc --project . "$@")
cp examples/typescript/*.ts $sources/types_check.ts $sources/tsconfig.json "$folder"

# The comparison must find a field that the client lacks before anybody believes that none is missing.
sed -i 's/ fornecedor?: string;\?//' "$folder/sales_gateway.ts"
if found=$(compile --noEmit) || ! grep -q '^types_check.ts.*"fornecedor"' <<<"$found"; then
    printf 'The check is broken: this is what it says of a client that lacks a field:\n%s\n' "$found" >&2
    exit 1
fi
cp examples/typescript/sales_gateway.ts "$folder"
compile
