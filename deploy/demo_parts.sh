# deploy/demo.sh and deploy/demo-chain.sh share this: how they print what they show, a till's calls, and a look into the
# provider's books. Both source it after packages.sh and progress.sh.
# shellcheck shell=bash disable=SC2034,SC2154

once=no
verbose=no
build_anew=no
# It takes about this long to build the programs on two processors.
build_seconds=180
# This folder has the programs; tests have built them already.
programs=${PROGRAMS:-build/release}
# read_options OPTION...: reads the options of the demo.
read_options() {
    local option
    for option in "$@"; do
        case $option in
            --once) once=yes ;;
            --verbose) verbose=yes ;;
            --build) build_anew=yes ;;
            -h | --help) usage; exit 0 ;;
            *) echo "$option: no such option" >&2; usage >&2; exit 2 ;;
        esac
    done
}

bold='' plain='' colour=()
if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m' colour=(-C); fi
say() { printf '\n%s\n' "$*"; }
headline() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
# tell WHO WHAT: prints one line of a story.
tell() { printf '  %-12s %s\n' "$1" "$2"; }
die() { printf '\n%s\n' "$*" >&2; exit 1; }

# have_programs FOLDER TARGET...: succeeds if the folder has all of them. A library may also stand where the package
# puts it.
have_programs() {
    local folder=$1 target
    shift
    for target in "$@"; do
        case $target in
            postgres-client)
                [ -e "$folder/$target.so" ] || [ -e "$folder/../lib/sales-gateway/$target.so" ] || return 1
                ;;
            *) [ -x "$folder/$target" ] || return 1 ;;
        esac
    done
}

# find_programs TARGET...: leaves in $programs the folder that has them: the one that PROGRAMS names, build/release, or
# the folder into which the package has installed them. They are built where none of these has them, or where --build
# asks for it.
find_programs() {
    local installed
    [ -z "${PROGRAMS:-}" ] || return 0
    if [ $build_anew = no ]; then
        if have_programs "$programs" "$@"; then
            say "These are the programs in $programs, built $(date -r "$programs/$1" '+on %F at %R'); --build makes them anew."
            return 0
        fi
        installed=$(command -v "$1") && installed=$(dirname "$installed")
        if [ -n "$installed" ] && have_programs "$installed" "$@"; then
            programs=$installed
            say "These are the programs that the package has installed in $programs; --build makes others from the source."
            return 0
        fi
    fi
    require_packages "${build_packages[@]}"
    mkdir -p build/log
    build() { cmake --preset release && cmake --build --preset release --target "$@"; }
    trap 'stop_watching; exit 130' INT TERM HUP
    [ -e build/release/.ninja_log ] ||
        say "Building, once. It takes about $(((build_seconds * 2 / $(nproc) + 59) / 60)) minutes on $(nproc) processors."
    watch 'Building' build/log/demo_build.log build "$@" || {
        tail -n 40 build/log/demo_build.log >&2
        die 'It could not be built: build/log/demo_build.log has all of it.'
    }
}

# free_port PORT: leaves in $port the usual port, or else the next free one: something else may run on this machine.
taken=' '
free_port() {
    local candidate
    for ((candidate = $1; candidate < $1 + 200; ++candidate)); do
        case $taken in *" $candidate "*) continue ;; esac
        if ! (: <"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null; then
            taken+="$candidate "
            port=$candidate
            return
        fi
    done
    die "No port from $1 to $candidate is free on 127.0.0.1."
}

# --- what a till does ---

token='Authorization: Bearer demo-key-caixa-01'
# A cashier would look at these fields; the whole sale has more.
digest='if .code then {status, code, detail, errors, outcome} else
    {outcome, status, family, produto, valor, idExterno, idTransacao, instrucao, esim, receipt} end
    | with_entries(select(.value != null))'

# show_command WORD...: prints a curl command so that it can be typed.
show_command() {
    local word
    printf '\n$ curl -s'
    for word in "$@"; do
        case $word in
            -*) printf ' \\\n      %s' "$word" ;;
            *) printf " '%s'" "$word" ;;
        esac
    done
    printf '\n'
}
# show_answer: prints the answer to the last call.
show_answer() {
    echo "HTTP $status"
    jq "${colour[@]}" "$digest" <<<"$answer" || echo "$answer"
}
# call WORD...: runs a curl command, and leaves the answer, its status and its milliseconds in variables.
call() {
    local seconds
    [ $verbose = no ] || show_command "$@"
    answer=$(curl -s -w '\n%{http_code} %{time_total}' "$@") || die "No answer came: curl $*"
    read -r status seconds <<<"${answer##*$'\n'}"
    answer=${answer%$'\n'*}
    ms=$(LC_ALL=C awk -v seconds="$seconds" 'BEGIN { printf "%d", seconds * 1000 + 0.5 }')
}
# field NAME: prints a field of the sale that the last answer is about. It prints nothing where a proxy gave the answer.
field() { jq -r "(.sale // .) | .$1 // \"\"" <<<"$answer" 2>/dev/null || true; }
money() { printf 'R$ %d,%02d' $(($1 / 100)) $(($1 % 100)); }

differences=0
# must WHAT ACTUAL EXPECTED: counts a difference, and says what it is.
must() {
    [ "$2" != "$3" ] || return 0
    echo "  ^^^ $1 must be $3, and is ${2:-nothing}"
    differences=$((differences + 1))
}
# must_be_sold: checks the last answer.
must_be_sold() {
    [ $verbose = no ] || show_answer
    must 'the outcome' "$(field outcome)" sold
    if [ "$(field outcome)" = sold ]; then
        sold=$((sold + 1))
    elif [ $verbose = no ]; then
        show_answer
    fi
}

# The terminal chooses the key of a sale, a new one for every sale. The time of this demo's start makes it new.
run=$(date +%H%M%S)
sold=0
# order KEY BODY: leaves in $words the call that sells. sell KEY BODY: makes that call.
order() {
    words=("$base/v1/sell" -H "$token" -H "Idempotency-Key: $1-$run" -H 'Content-Type: application/json' -d "$2")
}
sell() { order "$@"; call "${words[@]}"; }

# --- the provider's books ---

# The sandbox keeps books as the provider does. They show the truth, and the till must have been told the same.
books() { curl -sf "http://$provider/sandbox/transactions?history=no" | jq -c .transactions; }
# since: prints the transactions in the books that are not in $known.
since() { books | jq -c --argjson known "$known" '[.[] | select(.idExterno as $id | $known | index($id) | not)]'; }
remember_books() { known=$(books | jq -c 'map(.idExterno)'); }
# show_books: prints a line for each new transaction, with how often the gateway asked for what.
show_books() {
    local line who="the books"
    while IFS= read -r line; do
        tell "$who" "$line"
        who=''
    done < <(jq -r 'def times: if . == 1 then "once" elif . == 2 then "twice" else "\(.) times" end;
        .[] | [(.calls | if .solicitar > 0 then "asked for \(.solicitar | times)" else empty end,
                         if .confirmar > 0 then "confirmed \(.confirmar | times)" else empty end,
                         if .cancelar > 0 then "cancelled \(.cancelar | times)" else empty end)] as $calls
            | "\(.idExterno)  \((.status // "unknown") + "          " | .[:10])  \($calls | join(", "))"' <<<"$1")
}
# must_be_one_sale TRANSACTIONS OTHERS: checks that one of them is sold, and that the others are cancelled.
must_be_one_sale() {
    must "the number of sales in the provider's books" "$(jq 'map(select(.status == "EFETIVADA")) | length' <<<"$1")" 1
    must 'of cancelled ones' "$(jq 'map(select(.status == "CANCELADA")) | length' <<<"$1")" "$2"
    must 'of all' "$(jq length <<<"$1")" $(($2 + 1))
    must 'what it is called' "$(jq -r '.[] | select(.status == "EFETIVADA") | .idExterno' <<<"$1")" "$(field idExterno)"
}
# one_fault STEP MORE: makes the provider do this once to the next TV sale that reaches this step.
one_fault() {
    local rule="[{\"family\":\"tv\",\"step\":\"$1\",\"times\":1,$2}]"
    [ $verbose = no ] || show_command -X PUT "http://$provider/sandbox/faults" -d "$rule"
    curl -sf -X PUT "http://$provider/sandbox/faults" -d "$rule" >/dev/null || die 'The sandbox refuses that fault.'
}
tell_answer() { tell 'the till' "is told \`$(field outcome)\`, after $ms ms"; }
