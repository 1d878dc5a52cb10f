#!/usr/bin/env bash
# This tests the console in a browser thoroughly: every page in every situation, every flow with the mouse too, ten
# thousand sales, and pictures of every page to be looked at. It is not part of tests/run.sh.
#
#   tests/console/long.sh FOLDER [BUILD]    where the pictures go; the build folder, build/dev where none is given
set -euo pipefail
folder=$(realpath -m "${1:?the folder that the pictures go to is missing}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh
. tests/console/packages.sh
require_packages "${console_test_packages[@]}"
prepare "${2:-build/dev}"
export THOROUGH=1 PICTURES=$folder
node tests/console/main.mjs tests/console/*.test.mjs
exec node --test --test-reporter=spec tests/console/long.mjs
