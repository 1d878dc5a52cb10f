#!/usr/bin/env bash
# This builds the Debian packages for the release that it runs on, Debian 12 or 13 or Ubuntu 24.04: sales-gateway, with
# the programs, their systemd units, manual pages and examples, and sales-gateway-postgres, which a journal on
# PostgreSQL needs besides. It takes some minutes the first time.
#
#   deploy/package.sh            builds them, and prints where they are: the two lines on standard output
#   deploy/package.sh --help     says this
#
# It leaves the packages in build/release/package/ and everything that was compiled in build/release/. It installs only
# the Debian packages that building needs and this machine lacks, which needs root or sudo once. Then run:
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
    # Everybody may look into the folders of a package, no matter who builds it.
    (umask 022 && cd build/release && cpack -G DEB -B "$PWD/package")
} >&2
for name in sales-gateway sales-gateway-postgres; do
    ls -t "$PWD"/build/release/package/${name}_*.deb | head -n 1
done
