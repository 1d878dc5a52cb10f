#!/usr/bin/env bash
# Runs seventeen HTTP clients of Debian's as tills against the real gateway and the sandbox provider, and checks that
# each sees every status, header and body as it was sent. Prints a table, and exits 0 only if nothing in it failed.
#
#   tests/clients/run.sh [NAME...]                 installs what is missing, builds, tries all clients or those named
#   tests/clients/run.sh --no-install [NAME...]    tries those that are here, and says which are not
#   tests/clients/run.sh --build FOLDER [NAME...]  with the two programs that are in FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh

usage() { sed -n '2,7s/^# \{0,1\}//p' tests/clients/run.sh; }

install=yes
build=
arguments=()
while [ $# -gt 0 ]; do
    case $1 in
        --no-install) install=no; arguments+=(--some) ;;
        --build) build=${2:?--build takes a folder}; shift ;;
        -h | --help) usage; exit 0 ;;
        -*) echo "$1: no such option" >&2; usage >&2; exit 2 ;;
        *) arguments+=("$1") ;;
    esac
    shift
done

[ $install = no ] || require_packages "${client_test_packages[@]}"
if [ -z "$build" ]; then
    [ $install = no ] || require_packages "${build_packages[@]}"
    build=build/release
    cmake --preset release >/dev/null
    cmake --build --preset release --target sales-gateway sandbox-provider
fi
export GATEWAY_BIN=$PWD/$build/sales-gateway SANDBOX_BIN=$PWD/$build/sandbox-provider PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 tests/clients/checks.py "${arguments[@]}"
