#!/usr/bin/env bash
# Builds the Debian package of the gateway from this tree, and prints where it is. Installs the packages that building
# takes and this machine has not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. deploy/packages.sh

require_packages "${build_packages[@]}" "${package_packages[@]}" >&2
{
    cmake --preset release
    cmake --build --preset release --target sales-gateway manual
    # The folders of a package are everybody's to look into, whoever builds it.
    (umask 022 && cd build/release && cpack -G DEB -B "$PWD/package")
} >&2
ls -t "$PWD"/build/release/package/*.deb | head -n 1
