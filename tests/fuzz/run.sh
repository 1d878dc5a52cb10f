#!/usr/bin/env bash
# Looks for input that breaks the code which takes input from strangers, with libFuzzer, AddressSanitizer and UBSan. It
# installs clang if it is missing.
#
#   tests/fuzz/run.sh                       a minute for each target
#   tests/fuzz/run.sh --seconds N [NAME...] N seconds for each target, or for those that are named
#   tests/fuzz/run.sh --short               as many inputs for each as take some seconds: what tests/run.sh runs
#
# Findings are left in build/fuzz/findings/NAME/ with the command that repeats them, and the exit code is 1. Input that
# reaches new code is kept in build/fuzz/corpus/NAME/; --keep merges it into tests/fuzz/corpus/NAME/.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. deploy/packages.sh

usage() { sed -n '2,10s/^# \{0,1\}//p' tests/fuzz/run.sh; }

seconds=60
short=no
keep=no
names=()
while [ $# -gt 0 ]; do
    case $1 in
        --seconds) seconds=${2:?--seconds takes a number}; shift ;;
        --short) short=yes ;;
        --keep) keep=yes ;;
        -h | --help) usage; exit 0 ;;
        -*) echo "$1: no such option" >&2; usage >&2; exit 2 ;;
        *) names+=("$1") ;;
    esac
    shift
done
if [ ${#names[@]} -eq 0 ]; then
    for source in tests/fuzz/*.cpp; do
        name=$(basename "$source" .cpp)
        [ "$name" = replay ] || names+=("$name")
    done
fi

require_packages "${build_packages[@]}" "${test_packages[@]}" "${fuzz_packages[@]}" || exit 1
mkdir -p build/log
{ cmake --preset asan && cmake --build --preset asan --target fuzz_targets; } >build/log/fuzz_build.log 2>&1 || {
    tail -n 40 build/log/fuzz_build.log >&2
    exit 1
}

# So many inputs of each target take some seconds. It is a number, so that a busy machine searches no less than an idle
# one.
declare -A few=(
    [callback]=300000 [configuration]=20000 [console_request]=60000 [front_proxy]=200000 [http_request]=150000
    [instrucao]=60000 [options]=150000 [provider_answer]=150000 [provider_http]=100000 [sell_body]=150000
    [statement]=100000 [token_answer]=250000
)

failed=0
total=0
for name in "${names[@]}"; do
    kept=tests/fuzz/corpus/$name
    corpus=build/fuzz/corpus/$name
    # A short search begins anew each time: the inputs that longer ones kept take long to go through.
    [ $short = no ] || { corpus=build/fuzz/short/$name && rm -rf "$corpus"; }
    findings=build/fuzz/findings/$name
    log=build/log/fuzz_$name.log
    mkdir -p "$corpus" "$findings"
    dictionary=()
    [ ! -f "tests/fuzz/$name.dict" ] || dictionary=("-dict=tests/fuzz/$name.dict")
    bound=-max_total_time=$seconds
    [ $short = no ] || bound=-runs=${few[$name]:?"$name has no number of inputs for a short search"}
    printf '%-20s' "$name"
    if build/asan/tests/fuzz/fuzz_"$name" "${dictionary[@]}" "$bound" -timeout=60 -rss_limit_mb=2048 \
        -max_len=16384 -artifact_prefix="$findings/" -print_final_stats=1 "$corpus" "$kept" >"$log" 2>&1; then
        inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        total=$((total + inputs))
        printf 'ok      %s inputs\n' "$inputs"
    else
        printf 'FOUND   %s\n' "$log"
        tail -n 40 "$log" | sed 's/^/    /'
        for file in "$findings"/*; do echo "    again: build/asan/tests/fuzz/fuzz_$name $file"; done
        failed=1
    fi
    [ $keep = no ] ||
        build/asan/tests/fuzz/fuzz_"$name" -merge=1 -max_len=2048 "$kept" "$corpus" >>"$log" 2>&1
done
echo "${#names[@]} targets, $total inputs"
exit $failed
