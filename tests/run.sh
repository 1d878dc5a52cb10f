#!/usr/bin/env bash
# Builds everything and runs every test, cheapest first. From nothing: installs the packages that are missing too.
#
#   tests/run.sh                 the gates; the units, the parsers and what strangers send, under the sanitizers; every
#                                end-to-end test on the optimised programs; the simulation; the benchmarks, as a smoke
#                                run; the console in a browser; a short search for input that breaks a parser;
#                                clang-tidy of what changed
#   tests/run.sh --quick         before a commit: the gates, the units, and the end-to-end tests that are quick
#   tests/run.sh --only REGEX    only the tests whose names match, and no more building than they need
#
# What takes longer than a developer waits for is in tests/night.sh.
#
# Says at the start how long it will take, meanwhile how far it is, and of each step how long it took. Ctrl-C stops all
# of it. Exits 0 only if everything passed. What each step said is kept under build/log/ and shown where it failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. deploy/packages.sh
. deploy/progress.sh

usage() { sed -n '2,15s/^# \{0,1\}//p' tests/run.sh; }

only=.
quick=no
while [ $# -gt 0 ]; do
    case $1 in
        --only) only=${2:?--only takes a regular expression}; shift ;;
        --quick) quick=yes ;;
        -h | --help) usage; exit 0 ;;
        *) echo "$1: no such option" >&2; usage >&2; exit 2 ;;
    esac
    shift
done

# The real programs mostly wait for each other: five times as many of their tests as processors keep these busy.
jobs=$((2 * $(nproc)))
waiting_jobs=$((5 * $(nproc)))
failed=()
passed_tests=0
failed_tests=0
now=
mkdir -p build/log
trap interrupted INT TERM HUP

# --- how long it takes ---

# This file has how long each step took here the last time, a build only where it began from nothing: lines of seconds
# and a name.
times=build/log/times
# The same on two idle processors, for the first time.
declare -A usual=(
    [gates]=5 ['build optimised']=195 ['build sanitized']=430 ['sanitized tests']=165 ['real programs']=280
    [simulation]=125 [benchmarks]=55 [browser]=115 [fuzzing]=60 [clang-tidy]=100 ['quick tests']=175
)
# Says which folder a step builds in.
declare -A builds_in=(['build optimised']=proof ['build sanitized']=asan)
# builds_anew STEP: whether it builds, and all of it.
builds_anew() { [ -n "${builds_in[$1]-}" ] && [ ! -e "build/${builds_in[$1]}/.ninja_log" ]; }

# remember STEP SECONDS: for the next run.
remember() {
    touch $times
    { grep -v "^[0-9]* $1\$" $times; echo "$2 $1"; } >$times.new
    mv $times.new $times
}

# estimate STEP...: one sentence about how long they take together.
estimate() {
    local step seconds sum=0 measured=yes further=no minutes
    for step in "$@"; do
        if [ -n "${builds_in[$step]-}" ] && ! builds_anew "$step"; then
            further=yes
            continue
        fi
        seconds=$(sed -n "s/^\([0-9]*\) $step\$/\1/p" $times 2>/dev/null)
        if [ -z "$seconds" ]; then
            measured=no
            seconds=$((usual[$step] * 2 / $(nproc)))
        fi
        sum=$((sum + seconds))
    done
    minutes="$(((sum + 59) / 60)) min"
    if [ $measured = no ]; then
        printf 'This takes about %s on %d processors' "$minutes" "$(nproc)"
    else
        printf 'This took %s the last time here' "$minutes"
    fi
    if [ $further = yes ]; then
        echo ', besides building what has changed.'
    else
        echo ', most of it for building, which is done once.'
    fi
}

# --- steps ---

# step NAME COMMAND...: runs it and prints one line, and the end of its output where it failed.
step() {
    local name=$1 log begin=$SECONDS status=0 whole=no
    shift
    log=build/log/${name// /_}.log
    now=$name
    ! builds_anew "$name" || whole=yes
    if [ "$name" = packages ]; then
        "$@" >"$log" 2>&1 </dev/null || status=$?  # sudo may ask for a password, as only what is in the foreground may
    else
        watch "$name" "$log" "$@" || status=$?
    fi
    now=
    count "$log"
    if [ $status -eq 0 ]; then
        printf '%-28sok      %4d s   %s\n' "$name" $((SECONDS - begin)) "$(summary "$log")"
        if [ "$only" = . ] && { [ -z "${builds_in[$name]-}" ] || [ $whole = yes ]; }; then
            remember "$name" $((SECONDS - begin))
        fi
    else
        printf '%-28sFAILED  %4d s   %s\n' "$name" $((SECONDS - begin)) "$log"
        tail -n 60 "$log" | sed 's/^/    /'
        why_it_failed "$log"
        failed+=("$name")
    fi
    return $status
}

# The lines of a log that say why a test failed: a summary alone stands at its end.
why_it_failed() {
    local why
    why=$(grep -E '^(E  |FAILED |ERROR |_{3,} .* _{3,}$)|: Failure$|^\[  FAILED  \]|error:' "$1" | tail -n 60)
    [ -z "$why" ] || printf '    why, as far as the log says it:\n%s\n' "$(sed 's/^/        /' <<<"$why")"
}

# The one line of a log that says how much was done.
summary() { grep -E '^[0-9]+% tests passed|^No tests were found|^[0-9]+ targets' "$1" | tail -n 1; }

# count LOG: adds what a step's log says of its tests; the targets of tests/fuzz/run.sh are tests too.
count() {
    local all bad
    read -r bad all < <(awk '/^[0-9]+% tests passed, [0-9]+ tests? failed out of [0-9]+$/ { bad += $4; all += $NF }
        /^[a-z_]+ +FOUND / { ++bad; ++all } /^[a-z_]+ +ok +[0-9]+ inputs/ { ++all }
        END { print bad + 0, all + 0 }' "$1")
    passed_tests=$((passed_tests + all - bad))
    failed_tests=$((failed_tests + bad))
}

# wanted PRESET LABELS...: whether any test is asked for of those that have the labels.
wanted() {
    ctest --test-dir "build/$1" -N -R "$only" "${@:2}" 2>/dev/null | grep -q '^Total Tests: *[1-9]'
}

# tests PRESET LABELS...: runs those that have the labels.
tests() {
    ctest --test-dir "build/$1" --output-on-failure --no-tests=ignore -j "$jobs" -R "$only" "${@:2}"
}

# The units, and of the end-to-end tests those that are not slow.
quick_tests() {
    local status=0
    tests asan -L unit || status=1
    jobs=$waiting_jobs tests proof -L e2e -LE slow || status=1
    return $status
}

configure() {
    cmake --preset asan && cmake --preset proof
}

packages() {
    { require_packages "${build_packages[@]}" "${fuzz_packages[@]}" && require_test_packages; } || return
    [ "$quick" = yes ] || { require_packages "${console_test_packages[@]}" && require_bench_packages; }
}

# --- the end ---

finish() {
    # A step that failed without a test, such as a build, counts as one.
    [ ${#failed[@]} -eq 0 ] || [ $failed_tests -gt 0 ] || failed_tests=${#failed[@]}
    printf '\n%d passed, %d failed\n' "$passed_tests" "$failed_tests"
    if [ ${#failed[@]} -eq 0 ]; then
        echo "All passed, in $SECONDS s."
        [ $quick = no ] || echo "Left out: $left_out."
        command -v clang-tidy-14 >/dev/null ||
            echo 'Left out here: formatting and clang-tidy, which take version 14 of clang'"'"'s tools.'
        exit 0
    fi
    echo "Failed, in $SECONDS s: ${failed[*]}"
    exit 1
}

interrupted() {
    trap '' INT TERM HUP
    printf '\nInterrupted after %d s%s.\n' "$SECONDS" "${now:+, in \"$now\"; stopping it}"
    stop_watching
    echo 'Nothing of it runs any more. What was said is in build/log/.'
    exit 130
}

# --- what is done ---

# These say what each of the two builds is for.
sanitized='unit|fuzz|sanitized|bytes'
real_programs='e2e|demo|tills|openapi|pages'

if [ $quick = yes ]; then
    left_out='the slow end-to-end tests, the simulation, the benchmarks, the browser, the search for input that breaks a
parser, and clang-tidy'
    planned=(gates 'build sanitized' 'build optimised' 'quick tests')
    echo 'The gates, the units under the sanitizers, and the quick end-to-end tests on the optimised programs.'
else
    planned=(gates 'build sanitized' 'sanitized tests' 'build optimised' 'real programs' simulation benchmarks browser
        fuzzing clang-tidy)
    echo 'The gates; units and parsers under the sanitizers; the real programs; the simulation; the benchmarks as a smoke run;'
    echo 'the console in a browser; a search for input that breaks a parser; clang-tidy of what changed.'
fi
if [ "$only" = . ]; then estimate "${planned[@]}"; else echo "Of these the tests whose names match $only."; fi
echo

step packages packages || finish
step configure configure || finish
step gates tests asan -L gate

if wanted asan -L "$sanitized"; then
    step 'build sanitized' cmake --build --preset asan || finish
    [ $quick = yes ] || step 'sanitized tests' tests asan -L "$sanitized"
fi
if wanted proof -L "$real_programs|proof|browser"; then
    step 'build optimised' cmake --build --preset proof || finish
    if [ $quick = yes ]; then
        step 'quick tests' quick_tests
        finish
    fi
    jobs=$waiting_jobs step 'real programs' tests proof -L "$real_programs"
    step simulation tests proof -L proof -LE bench
    step benchmarks tests proof -L bench
    step browser tests proof -L browser
fi
if [[ fuzzing =~ $only ]]; then
    step fuzzing tests/fuzz/run.sh --short
fi
# It is of that version or none: another one finds other things.
if [[ clang-tidy =~ $only ]] && command -v clang-tidy-14 >/dev/null; then
    step clang-tidy tests/tidy/clang_tidy.py --build build/asan --changed
fi
finish
