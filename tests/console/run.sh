#!/usr/bin/env bash
# This tests every flow of every page of the console in Debian's Chromium, with the real gateway and the real sandbox.
#
#   tests/console/run.sh [BUILD [FILE...]]    the build folder, build/dev where none is given, and which *.test.mjs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh
. tests/console/packages.sh
require_packages "${console_test_packages[@]}"
build=${1:-build/dev}
shift || true
[ $# -gt 0 ] || set -- tests/console/*.test.mjs
prepare "$build"
exec node tests/console/main.mjs "$@"
