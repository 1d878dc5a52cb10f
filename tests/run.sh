#!/usr/bin/env bash
# Builds everything and runs every test, cheapest first. From nothing: installs the packages that are missing too.
#
#   tests/run.sh                 the gates; every test under the sanitizers; clang-tidy; the simulation, optimised; the
#                                benchmarks, as a smoke run; a short search for input that breaks a parser
#   tests/run.sh --only REGEX    only the tests whose names match
#
# Exits 0 only if everything passed. What each step said is kept under build/log/ and shown where it failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. deploy/packages.sh

usage() { sed -n '2,8s/^# \{0,1\}//p' tests/run.sh; }

only=.
while [ $# -gt 0 ]; do
    case $1 in
        --only) only=${2:?--only takes a regular expression}; shift ;;
        -h | --help) usage; exit 0 ;;
        *) echo "$1: no such option" >&2; usage >&2; exit 2 ;;
    esac
    shift
done

# The real programs mostly wait for each other: twice as many tests as processors keep these busy.
jobs=$((2 * $(nproc)))
failed=()
mkdir -p build/log

# step NAME COMMAND...: runs it, prints one line, and the end of its output where it failed.
step() {
    local name=$1 log begin=$SECONDS status
    shift
    log=build/log/${name// /_}.log
    printf '%-28s' "$name"
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    if [ $status -eq 0 ]; then
        printf 'ok      %4d s   %s\n' $((SECONDS - begin)) "$(summary "$log")"
    else
        printf 'FAILED  %4d s   %s\n' $((SECONDS - begin)) "$log"
        tail -n 120 "$log" | sed 's/^/    /'
        failed+=("$name")
    fi
    return $status
}

# The one line of a log that says how much was done.
summary() { grep -E '^[0-9]+% tests passed|^No tests were found|^[0-9]+ targets' "$1" | tail -n 1; }

tests() {
    local build=$1
    shift
    ctest --test-dir "build/$build" --output-on-failure --no-tests=ignore -j "$jobs" -R "$only" "$@"
}

finish() {
    echo
    if [ ${#failed[@]} -eq 0 ]; then
        echo "All passed, in $SECONDS s."
        exit 0
    fi
    echo "Failed, in $SECONDS s: ${failed[*]}"
    exit 1
}

packages() {
    require_packages "${build_packages[@]}" "${test_packages[@]}" "${fuzz_packages[@]}" && require_bench_packages
}

step 'packages' packages || finish

step 'configure' cmake --preset asan || finish
step 'gates' tests asan -L gate
step 'build' cmake --build --preset asan || finish
step 'tests' tests asan -LE 'gate|tidy|proof'
step 'clang-tidy' tests asan -L tidy
step 'configure optimised' cmake --preset proof || finish
step 'build optimised' cmake --build --preset proof || finish
step 'simulation' tests proof -L proof -LE bench
step 'benchmarks' tests proof -L bench
[[ ! fuzzing =~ $only ]] || step 'fuzzing' tests/fuzz/run.sh --short
finish
