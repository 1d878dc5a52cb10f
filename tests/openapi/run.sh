#!/usr/bin/env bash
# Runs Spectral, the linter of OpenAPI documents, over those of both listeners: they must be what the standard says, and
# each example is what its schema says.
#
#   tests/openapi/run.sh [FOLDER]    installs Spectral into FOLDER, build/openapi where none is given, once
#
# GATEWAY_BIN names the program that prints the documents; without it, it is that of build/dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
sources=tests/openapi
folder=${1:-build/openapi}

command -v npm >/dev/null || { echo 'There is no npm: install the packages nodejs and npm of Debian.' >&2; exit 1; }

# Fetches what the lock names and nothing else, and runs no line of it; again where the lock has changed since.
install() {
    mkdir -p "$folder"
    cp $sources/package.json $sources/package-lock.json "$folder"
    npm --prefix "$folder" ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 && return
    echo "Spectral could not be installed from $(npm config get registry). Let this machine reach that registry, or" \
        'name a mirror of it in npm_config_registry, and run this again.' >&2
    return 1
}
if ! cmp -s $sources/package-lock.json "$folder/installed.json"; then
    install
    cp $sources/package-lock.json "$folder/installed.json"
fi

cp $sources/ruleset.yaml "$folder"
lint() { "$folder/node_modules/.bin/spectral" lint --ruleset "$folder/ruleset.yaml" --fail-severity hint "$@"; }

# It must find the one fault of a sample before it is believed that there is none elsewhere.
if found=$(lint $sources/wrong_example.json) || [ "$(grep -c ' error \| warning ' <<<"$found")" -ne 1 ] ||
    ! grep -q oas3-valid-media-example <<<"$found"; then
    printf 'The test is broken: this is what Spectral says of a sample with one fault:\n%s\n' "$found" >&2
    exit 1
fi
for listener in terminals admin; do
    "${GATEWAY_BIN:-build/dev/sales-gateway}" openapi $listener >"$folder/$listener.json"
    lint "$folder/$listener.json"
done
