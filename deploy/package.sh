#!/usr/bin/env bash
# Builds the Debian package of the gateway from this tree: sales-gateway, sandbox-provider, the systemd units, their
# manual pages and an example of everything. Takes some minutes the first time, on Debian 12.
#
#   deploy/package.sh            builds it, and prints where it is: the last line, the only one on standard output
#   deploy/package.sh --help     says this
#
# It leaves the package in build/release/package/ and what it was compiled from in build/release/; nothing is installed
# but the Debian packages that building takes and this machine has not, which needs root or sudo, once. Then:
#
#   apt install ./build/release/package/sales-gateway_VERSION_ARCHITECTURE.deb
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. deploy/packages.sh

usage() { sed -n '2,11s/^# \{0,1\}//p' deploy/package.sh; }

case ${1-} in
    '') ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac

require_packages "${build_packages[@]}" "${package_packages[@]}" >&2
{
    cmake --preset release
    cmake --build --preset release --target sales-gateway sandbox-provider manual
    # The folders of a package are everybody's to look into, whoever builds it.
    (umask 022 && cd build/release && cpack -G DEB -B "$PWD/package")
} >&2
ls -t "$PWD"/build/release/package/*.deb | head -n 1
