#!/usr/bin/env bash
# Runs every benchmark and prints one report. First it installs the packages that are missing, and builds.
#
#   tests/bench/run.sh           for real: about two hours, best on a machine that does nothing else meanwhile
#   tests/bench/run.sh --quick   every program to its end with tiny numbers: its checks count, its figures do not
#
# The report is kept as build/log/bench.txt, that of a quick run as build/log/bench_quick.txt. BENCH_BUILD=FOLDER takes
# the programs of this build and builds nothing; TMPDIR=FOLDER puts the journals there. It exits with 0 only if every
# program ran to its end and found every sale as it must be; no figure is judged.
set -uo pipefail
[ -z "${BENCH_BUILD-}" ] || BENCH_BUILD=$(realpath "$BENCH_BUILD") || exit 1
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. deploy/packages.sh

usage() { sed -n '2,9s/^# \{0,1\}//p' tests/bench/run.sh; }

quick=no
case ${1-} in
    '') ;;
    --quick) quick=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac

prepare() {
    require_bench_packages || return
    [ -z "${BENCH_BUILD-}" ] || return 0
    require_packages "${build_packages[@]}" "${test_packages[@]}" &&
        cmake --preset proof >/dev/null &&
        NINJA_STATUS='[%f/%t, %e s] ' cmake --build --preset proof \
            --target sales-gateway postgres-client sandbox-provider bench_rig
}

failed=()
# bench PROGRAM OPTION...: runs it under a heading. If it fails, its last line says why, and is repeated at the end of
# the report.
bench() {
    printf '\n## %s\n\n' "$*"
    local program=$1
    shift
    "tests/bench/$program.py" "$@" 2>&1 | tee build/log/bench_one.txt
    case ${PIPESTATUS[0]} in
        0 | 77) ;;  # 77: it says what it needs, and that it has measured nothing
        *) failed+=("$program: $(grep . build/log/bench_one.txt | tail -n 1)") ;;
    esac
}

for_real() {
    bench sale_cost
    bench sale_cost --tls
    bench latency
    bench latency --tls
    bench device_cost
    bench device_cost --encrypted
    bench hanging_provider
    bench hanging_provider --tls
    bench start_up
    bench growth --most 10000000
    bench day_totals --most 10000000
    bench million_rows
    bench moving
    bench chain
    bench console_streams
    bench long_haul
}

quickly() {
    bench sale_cost --terminals 4 --seconds 0.3 --warm-up 0.1 --rounds 1
    bench sale_cost --terminals 4 --seconds 0.3 --warm-up 0.1 --rounds 1 --tls
    bench latency --seconds 0.3 --warm-up 0.1 --rounds 1 --flushes 3 --delay-ms 5
    bench device_cost --sales 5 --per-second 50
    bench hanging_provider --sales 50 --tls
    bench start_up --finished 200 --open 20 --rounds 1
    bench growth --sales 100 200 --seconds 0.3 --warm-up 0.1 --rounds 1 --terminals 4 --look-ups 20
    bench day_totals --sales 100 200 --a-day 20 --rounds 2 --asks 3
    bench million_rows --rows 2000 --findings 50 --refused-mib 1 --terminals 5 --seconds 0.3 --warm-up 0.1
    bench moving --sales 2000
    bench chain --terminals 4 --seconds 0.3 --warm-up 0.1 --rounds 1 --flushes 3 --takeovers 1
    bench console_streams --seconds 2 --warm-up 0.1 --rounds 1 --per-second 50 --others 20
    bench long_haul --minutes 0.02 --stretch 0.4 --per-second 100 --misbehave 20 --request-timeout 1
}

report() {
    echo "# Benchmarks, $(date -u +%Y-%m-%d), at $(git log -1 --format='%h "%s"' 2>/dev/null || echo 'no commit')"
    echo "$(nproc) processors ($(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)), Linux $(uname -r)," \
        "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
    if [ $quick = yes ]; then quickly; else for_real; fi
    echo
    [ ${#failed[@]} -eq 0 ] || { printf 'Failed: %s\n' "${failed[@]}"; return 1; }
    echo "Every program ran to its end, in $SECONDS s."
}

export PYTHONUNBUFFERED=1  # with this, output comes at once, and in order
mkdir -p build/log
prepare || { echo 'The benchmarks cannot be run: see above.' >&2; exit 1; }
if [ $quick = yes ]; then log=build/log/bench_quick.txt; else log=build/log/bench.txt; fi
report | tee "$log"
