#!/usr/bin/env bash
# Tests Debian's own proxies around the real gateway: tinyproxy between it and the provider, nginx and HAProxy between
# it and the terminals. They run as ordinary processes on free ports; the services of their packages are not started.
#
#   tests/proxies/run.sh [ARGUMENT...]                 installs what is missing, builds, runs pytest with the arguments
#   tests/proxies/run.sh --no-install [ARGUMENT...]    with what is here
#   tests/proxies/run.sh --build FOLDER [ARGUMENT...]  with the two programs that are in FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh

usage() { sed -n '2,7s/^# \{0,1\}//p' tests/proxies/run.sh; }

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

[ $install = no ] || require_proxy_test_packages
if [ -z "$build" ]; then
    [ $install = no ] || require_packages "${build_packages[@]}"
    build=build/release
    cmake --preset release >/dev/null
    cmake --build --preset release --target sales-gateway sandbox-provider
fi
export GATEWAY_BIN=$PWD/$build/sales-gateway SANDBOX_BIN=$PWD/$build/sandbox-provider PYTHONDONTWRITEBYTECODE=1
# The tests use the fixtures and the harness of the end-to-end tests.
export PYTHONPATH=$PWD/tests/e2e PATH=$PATH:/usr/sbin
exec /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/proxies "$@"
