# The tests of the console are run with these packages. run.sh and long.sh source this, at the root of the tree.

# prepare BUILD: fetches the npm packages once for each build, and sets in the environment where all of them are.
prepare() {
    local folder=$1/tests/console/packages program
    for program in "$1/sales-gateway" "$1/sandbox-provider"; do
        [ -x "$program" ] || { echo "$program is not there: build it first." >&2; return 1; }
    done
    CHROMIUM=$(type -P chromium) && [ -x "$CHROMIUM" ] ||
        { echo 'There is no chromium that can be run: install the package chromium of Debian.' >&2; return 1; }
    command -v node >/dev/null && command -v npm >/dev/null ||
        { echo 'There is no node or no npm: install the packages nodejs and npm of Debian.' >&2; return 1; }
    command -v pdftotext >/dev/null || { echo 'There is no pdftotext: install the package poppler-utils of Debian.' >&2; return 1; }
    if ! cmp -s tests/console/package-lock.json "$folder/installed.json"; then
        mkdir -p "$folder"
        cp tests/console/package.json tests/console/package-lock.json "$folder"
        # This installs exactly what the lock names, without running a line of it.
        npm --prefix "$folder" ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 || {
            echo "puppeteer-core and axe-core could not be installed from $(npm config get registry). Let this machine" \
                'reach that registry, or name a mirror of it in npm_config_registry, and run this again.' >&2
            return 1
        }
        cp tests/console/package-lock.json "$folder/installed.json"
    fi
    export CHROMIUM GATEWAY_BIN SANDBOX_BIN PACKAGES
    GATEWAY_BIN=$(realpath "$1/sales-gateway")
    SANDBOX_BIN=$(realpath "$1/sandbox-provider")
    PACKAGES=$(realpath "$folder")
}
