# This shows how far a long task has come: on a terminal one line that is written over each second, elsewhere a line
# each minute. deploy/demo.sh and tests/run.sh source it.
# shellcheck shell=bash

watched=
ticker=

# how_far LOG: prints how much is done, by a log of ninja, of ctest or of tests/fuzz/run.sh, and nothing where the log
# does not say it.
how_far() {
    awk '
        match($0, /^\[[0-9]+\/[0-9]+\]/) { text = substr($0, 2, RLENGTH - 2); sub("/", " of ", text) }
        /^ *[0-9]+\/[0-9]+ Test +#/ {
            split($1, count, "/")
            if (/ Passed /) ++passed; else ++failed
            text = passed + 0 " of " count[2] " passed" (failed ? ", " failed " failed" : "")
        }
        /^[a-z_]+ +ok +[0-9]+ inputs$/ { text = ++searched " searched" }
        END { print text }' "$1"
}

# tick NAME LOG: says how far NAME has come, until it is killed.
tick() {
    local begin=$SECONDS elapsed
    while sleep 1 && kill -0 $$; do
        elapsed=$((SECONDS - begin))
        if [ -t 1 ]; then
            printf '\r\033[K%-28s%3d:%02d     %s' "$1" $((elapsed / 60)) $((elapsed % 60)) "$(how_far "$2")"
        elif [ $((elapsed % 60)) -eq 0 ]; then
            printf '%-28s%3d:%02d     %s\n' "$1" $((elapsed / 60)) 0 "$(how_far "$2")"
        fi
    done
}

# watch NAME LOG COMMAND...: runs the command with its output in LOG, and says meanwhile how far it has come.
watch() {
    local name=$1 log=$2 status=0
    shift 2
    : >"$log"
    # The command gets a process group of its own, so that all of it can be stopped; a shell without job control would
    # make it ignore Ctrl-C.
    set -m
    "$@" >"$log" 2>&1 </dev/null &
    watched=$!
    set +m
    tick "$name" "$log" 2>/dev/null &
    ticker=$!
    wait "$watched" || status=$?
    watched=
    stop_watching
    return $status
}

# descendants PID: prints the process, its children, their children, and so on.
descendants() {
    ps -e -o pid=,ppid= | awk -v root="$1" '
        { parent[$1] = $2 }
        END {
            for (pid in parent) {
                for (up = pid; up in parent && up != root; up = parent[up]);
                if (up == root) print pid
            }
        }'
}

# stop_watching: ends what watch() runs, if anything does, and waits until nothing of it is left.
stop_watching() {
    local all pid
    if [ -n "$ticker" ]; then
        { kill "$ticker" && wait "$ticker"; } 2>/dev/null || true
        ticker=
        [ ! -t 1 ] || printf '\r\033[K'
    fi
    [ -n "$watched" ] || return 0
    all=$(descendants "$watched")
    # An interrupt comes first: pytest then stops the programs that it has started.
    kill -INT -- "-$watched" 2>/dev/null || true
    for _ in $(seq 100); do
        kill -0 -- "-$watched" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL -- "-$watched" 2>/dev/null || true
    # A program with a session of its own does not get that signal, and its test may not have known it yet.
    for pid in $all; do
        kill -KILL "$pid" 2>/dev/null || true
    done
    watched=
    return 0
}
