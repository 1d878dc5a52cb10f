#!/usr/bin/env bash
# Tests deploy/monitoring/ with Debian's Prometheus: first promtool's checks and tests of the configuration, the rules
# and a gateway's metrics; then a real Prometheus reads a real gateway, answers every query of the dashboard, and sees a
# provider that goes away. Grafana is not in Debian, so everything of the dashboard except its looks is tried.
#
#   tests/monitoring/run.sh                  fetches Prometheus without installing it, builds, tries everything
#   tests/monitoring/run.sh --build FOLDER   with the two programs that are in FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh

usage() { sed -n '2,7s/^# \{0,1\}//p' tests/monitoring/run.sh; }

build=
while [ $# -gt 0 ]; do
    case $1 in
        --build) build=${2:?--build takes a folder}; shift ;;
        -h | --help) usage; exit 0 ;;
        *) echo "$1: no such option" >&2; usage >&2; exit 2 ;;
    esac
    shift
done

require_packages "${monitoring_test_packages[@]}"
if [ -z "$build" ]; then
    require_packages "${build_packages[@]}"
    build=build/release
    cmake --preset release >/dev/null
    cmake --build --preset release --target sales-gateway sandbox-provider
fi

# It is taken out of its package: if it were installed, it would start a service and listen on the gateway's port.
prometheus=$PWD/build/prometheus
if [ ! -x "$prometheus/usr/bin/promtool" ]; then
    mkdir -p "$prometheus"
    (cd "$prometheus" && { apt-get -q download prometheus || { find_root && "${as_root[@]}" apt-get -q update &&
        apt-get -q download prometheus; }; })
    dpkg-deb -x "$prometheus"/prometheus_*.deb "$prometheus"
    rm "$prometheus"/prometheus_*.deb
fi

promtool=$prometheus/usr/bin/promtool
"$promtool" check config deploy/monitoring/prometheus.yml
(cd deploy/monitoring && "$promtool" test rules alerts_test.yml)
export GATEWAY_BIN=$PWD/$build/sales-gateway SANDBOX_BIN=$PWD/$build/sandbox-provider PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 tests/monitoring/checks.py "$prometheus/usr/bin"
