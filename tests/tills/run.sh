#!/usr/bin/env bash
# The tills of examples/, in six languages, against the real gateway and the sandbox provider: their power is cut, their
# disk is full, their line is cut, the provider has every fault; paper, journal and the provider's books must agree. It
# prints how each came out, and exits 0 only if all did well.
#
#   tests/tills/run.sh [LANGUAGE...]                 installs what is missing, builds, tries all tills or those named
#   tests/tills/run.sh --quick [LANGUAGE...]         cuts the power at a sample only, as ctest does
#   tests/tills/run.sh --no-install [LANGUAGE...]    with what is here
#   tests/tills/run.sh --build FOLDER [LANGUAGE...]  with the two programs that are in FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh

usage() { sed -n '2,9s/^# \{0,1\}//p' tests/tills/run.sh; }

install=yes
build=
thorough=(--thorough)
languages=()
while [ $# -gt 0 ]; do
    case $1 in
        --no-install) install=no ;;
        --quick) thorough=() ;;
        --build) build=${2:?--build takes a folder}; shift ;;
        -h | --help) usage; exit 0 ;;
        -*) echo "$1: no such option" >&2; usage >&2; exit 2 ;;
        *) languages+=("$1") ;;
    esac
    shift
done
[ ${#languages[@]} -gt 0 ] || languages=(python c shell csharp pascal typescript)

[ $install = no ] || require_packages "${till_test_packages[@]}"
if [ -z "$build" ]; then
    [ $install = no ] || require_packages "${build_packages[@]}"
    build=build/release
    cmake --preset release >/dev/null
    cmake --build --preset release --target sales-gateway sandbox-provider
fi
build=$(realpath "$build")
export GATEWAY_BIN=$build/sales-gateway SANDBOX_BIN=$build/sandbox-provider PYTHONDONTWRITEBYTECODE=1

shellcheck -x examples/shell/*.sh
mkdir -p build/log
failed=()
for language in "${languages[@]}"; do
    log=build/log/tills_$language.log
    begin=$SECONDS
    if /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/tills --till "$language" "${thorough[@]}" \
        >"$log" 2>&1; then
        word=ok
    else
        word=FAILED
        failed+=("$language")
        tail -n 60 "$log" | sed 's/^/    /'
    fi
    printf '%-12s%-8s%4d s   %s\n' "$language" $word $((SECONDS - begin)) "$(tail -n 1 "$log")"
done
[ ${#failed[@]} -eq 0 ] || { echo "Failed: ${failed[*]}"; exit 1; }
