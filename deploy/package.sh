#!/usr/bin/env bash
# Builds the Debian packages of the gateway from this tree: sales-gateway, with the programs, the systemd units, their
# manual pages and an example of everything, and sales-gateway-postgres, which a journal on PostgreSQL takes besides.
# Takes some minutes the first time, on Debian 12 or 13, or Ubuntu 24.04. They are for the release they were built on.
#
#   deploy/package.sh            builds them, and prints where they are: the two lines on standard output
#   deploy/package.sh --help     says this
#
# It leaves the packages in build/release/package/ and what they were compiled from in build/release/; nothing is
# installed but the Debian packages that building takes and this machine has not, which needs root or sudo, once. Then:
#
#   apt install ./build/release/package/sales-gateway_VERSION_ARCHITECTURE.deb
#
# and, for a gateway whose journal is on PostgreSQL, the other one of the same version besides.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. deploy/packages.sh

usage() { sed -n '2,14s/^# \{0,1\}//p' deploy/package.sh; }

case ${1-} in
    '') ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac

require_packages "${build_packages[@]}" "${package_packages[@]}" >&2
{
    cmake --preset release
    cmake --build --preset release --target sales-gateway sales-gateway-probe sandbox-provider postgres-client manual
    # The folders of a package are everybody's to look into, no matter who builds it.
    (umask 022 && cd build/release && cpack -G DEB -B "$PWD/package")
} >&2
for name in sales-gateway sales-gateway-postgres; do
    ls -t "$PWD"/build/release/package/${name}_*.deb | head -n 1
done
