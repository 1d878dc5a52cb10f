#!/usr/bin/env bash
# Tests the examples in systemd/examples/ with the real programs: the commands of the units fetch the provider's
# statements from Debian's sshd, and close a day. sshd runs as an ordinary process without privileges, with keys of a
# test's own, on a free port of this machine; the service of its package is not started, and nothing of it stays.
#
#   tests/statements/run.sh [ARGUMENT...]                 installs what is missing, builds, runs pytest with these
#   tests/statements/run.sh --no-install [ARGUMENT...]    with what is here
#   tests/statements/run.sh --build FOLDER [ARGUMENT...]  with the two programs that are in FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh

usage() { sed -n '2,8s/^# \{0,1\}//p' tests/statements/run.sh; }

install=yes
build=
while [ $# -gt 0 ]; do
    case $1 in
        --no-install) install=no ;;
        --build) build=${2:?--build takes a folder}; shift ;;
        --help) usage; exit 0 ;;
        *) break ;;
    esac
    shift
done

[ $install = no ] || require_statement_test_packages
if [ -z "$build" ]; then
    [ $install = no ] || require_packages "${build_packages[@]}"
    build=build/release
    cmake --preset release >/dev/null
    cmake --build --preset release --target sales-gateway sandbox-provider
fi
build=$(cd "$build" && pwd)
export GATEWAY_BIN=$build/sales-gateway SANDBOX_BIN=$build/sandbox-provider PYTHONDONTWRITEBYTECODE=1
# The tests use the fixtures and the harness of the end-to-end tests.
export PYTHONPATH=$PWD/tests/e2e
exec /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/statements "$@"
