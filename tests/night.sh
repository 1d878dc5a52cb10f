#!/usr/bin/env bash
# Runs what takes longer than a developer waits for, and is worth a night: run it before a release, and before a change
# of the core is called done. It runs what this machine allows, says what it left out and why, and ends with one table.
#
#   tests/night.sh               all of it: some hours
#   tests/night.sh NAME...       only these rows; --list names them, with what each is for
#   tests/night.sh --list
#
# Ctrl-C stops all of it, and still prints the table. What each row said is kept under build/log/night/. Exits 0 only if
# nothing that was run has failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. deploy/packages.sh
. deploy/progress.sh

usage() { sed -n '2,10s/^# \{0,1\}//p' tests/night.sh; }

logs=build/log/night
simulation=build/proof/tests/simulation

# This is a row: its name, what it needs of the machine (nothing: -), its command, and what it is for.
rows=(
    'tests|-|tests/run.sh|the tests that run before each change, and both builds'
    'warnings|-|warnings|everything compiled by g++ with its warnings as errors, the tests too'
    'sanitized|-|sanitized_programs|every end-to-end test on programs under AddressSanitizer and UBSan'
    'tidy|-|tests/tidy/clang_tidy.py --build build/asan|clang-tidy of everything'
    "simulation|-|built $simulation/simulation --jobs $(nproc) --today --sales 2000000 --walk|two million sales and the whole walk"
    "simulated_chain|-|built $simulation/simulation --jobs $(nproc) --chain --today --sales 300000|several gateways"
    "personalities|-|built $simulation/simulation --jobs $(nproc) --today --personality always --sales 300000|odd providers"
    "disks|-|built $simulation/simulation --jobs $(nproc) --disks 100000 --today|every disk that a shop's day could have left"
    "mutants|-|built $simulation/simulation_mutants --jobs $(nproc) --rare --sales 400000|the deliberate faults, rare ones too"
    "comparison|-|built $simulation/simulation --compare --sales 20000|what asking for a status is good for"
    'others|-|built tests/e2e/another_program.py --rounds 600|other programs on the journal of a gateway that sells'
    'histories|-|built tests/histories/record.py --calls 1000000|what tills were told by a gateway that is killed'
    'chain_histories|-|built tests/histories/record.py --chain --calls 100000|the same of two gateways that share a journal'
    "syscalls|-|built tests/syscalls/run.py --jobs $(nproc)|every system call fails once, and dies before and after"
    "law|-|built build/proof/tests/law/law --jobs $(nproc)|every state of the law, two attempts too"
    "mutation|-|tests/mutation/mutate.py --jobs $(nproc)|the mutation score of the law, the flow and the journal's tables"
    'fuzzing|-|tests/fuzz/run.sh|a minute for each target'
    'races|-|races|a long day under ThreadSanitizer'
    'probe|-|built tests/e2e/probe_personalities.py --build build/proof|the probe against every alternative'
    "console|root|built tests/console/long.sh $logs/console build/proof|the console in every situation"
    'tills|root|tests/tills/run.sh|the six clients of examples/, cut everywhere'
    'clients|root|tests/clients/run.sh|seventeen HTTP clients as tills'
    'proxies|root|tests/proxies/run.sh|proxies on both sides'
    'monitoring|root|tests/monitoring/run.sh|Prometheus and the rules'
    'statements|root|tests/statements/run.sh|units that fetch statements'
    "paper|root|built tests/paper/run.sh --build build/proof $logs/paper|receipts as pictures"
    'package|root mirror|tests/package/run.sh|the packages in a clean Debian'
    'boot|root mirror|tests/package/boot.sh|the package under systemd, with power cuts'
    'spare|root mirror|tests/spare/run.sh|two boxes and one disk'
    'chain|root|tests/chain/run.sh --minutes 30|the chain for real'
    'bench|-|tests/bench/run.sh|every benchmark, for real'
)

warnings() { cmake --preset dev && cmake --build --preset dev; }
# built COMMAND...: runs it on the optimised programs, which are built where they are not.
built() { cmake --preset proof && cmake --build --preset proof && "$@"; }
sanitized_programs() {
    cmake --preset asan && cmake --build --preset asan &&
        ctest --test-dir build/asan --output-on-failure -j "$((2 * $(nproc)))" -L 'e2e|demo|tills'
}
races() { cmake --preset tsan && cmake --build --preset tsan && tests/e2e/long_day.py --build build/tsan; }

# lacks NEED...: why a row that has these needs cannot run here; nothing where it can.
lacks() {
    local need
    for need in "$@"; do
        case $need in
            root) [ "$(id -u)" -eq 0 ] || { echo 'only root may do that'; return; } ;;
            mirror)
                command -v debootstrap >/dev/null || command -v apt-get >/dev/null ||
                    { echo 'no Debian, so that there is no mirror'; return; }
                ;;
        esac
    done
}

table=()
bad=no
# note NAME OUTCOME SECONDS TEXT: a line of the table.
note() {
    local line
    line=$(printf '%-17s%-10s%7s   %s' "$1" "$2" "${3:+$3 s}" "$4")
    table+=("$line")
    echo "$line"
}

finish() {
    printf '\n%s\n' "The night, $SECONDS s:"
    [ ${#table[@]} -eq 0 ] || printf '%s\n' "${table[@]}"
    [ $bad = no ]
    exit
}
interrupted() {
    trap '' INT TERM HUP
    stop_watching
    bad=yes
    note "${name:-}" stopped '' 'by you; what follows it was not run'
    finish
}

wanted=("$@")
case ${1:-} in
    -h | --help) usage; exit 0 ;;
    --list)
        for row in "${rows[@]}"; do
            IFS='|' read -r name needs command what <<<"$row"
            printf '%-17s%s\n' "$name" "$what"
        done
        exit 0
        ;;
    -*) echo "$1: no such option" >&2; usage >&2; exit 2 ;;
esac
for name in "${wanted[@]}"; do
    printf '%s\n' "${rows[@]}" | grep -q "^$name|" || { echo "$name: no such row; --list names them" >&2; exit 2; }
done

mkdir -p $logs
trap interrupted INT TERM HUP
for row in "${rows[@]}"; do
    IFS='|' read -r name needs command what <<<"$row"
    [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " = *" $name "* ]] || continue
    read -ra needs <<<"${needs#-}"
    why=$(lacks "${needs[@]}")
    if [ -n "$why" ]; then
        note "$name" 'left out' '' "$why"
        continue
    fi
    begin=$SECONDS
    read -ra command <<<"$command"
    if watch "$name" "$logs/$name.log" "${command[@]}"; then
        note "$name" ok $((SECONDS - begin)) "$what"
    else
        bad=yes
        note "$name" FAILED $((SECONDS - begin)) "$logs/$name.log"
        tail -n 20 "$logs/$name.log" | sed 's/^/    /'
    fi
done
finish
