#!/usr/bin/env bash
# Draws receipts as pictures to be looked at: the real gateway sells one product of every family, and its ESC/POS is
# drawn dot by dot for each width and code page, with the QR codes, which another program reads back from the picture.
#
#   tests/paper/run.sh FOLDER                 installs what is missing, builds, leaves the pictures in FOLDER
#   tests/paper/run.sh --build BUILD FOLDER   with the two programs that are in BUILD
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh

usage() { sed -n '2,6s/^# \{0,1\}//p' tests/paper/run.sh; }

build=
folder=
while [ $# -gt 0 ]; do
    case $1 in
        --build) build=${2:?--build takes a folder}; shift ;;
        -h | --help) usage; exit 0 ;;
        -*) echo "$1: no such option" >&2; usage >&2; exit 2 ;;
        *) folder=$1 ;;
    esac
    shift
done
[ -n "$folder" ] || { usage >&2; exit 2; }

require_packages "${paper_test_packages[@]}"
if [ -z "$build" ]; then
    require_packages "${build_packages[@]}"
    build=build/release
    cmake --preset release >/dev/null
    cmake --build --preset release --target sales-gateway sandbox-provider
fi
export GATEWAY_BIN=$PWD/$build/sales-gateway SANDBOX_BIN=$PWD/$build/sandbox-provider PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 tests/paper/pictures.py "$folder"
