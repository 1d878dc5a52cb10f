#!/usr/bin/env bash
# This shows several gateways on one journal. It builds the gateway, starts PostgreSQL with a synchronous standby, two
# gateways on it, HAProxy in front of them and a sandbox provider; it sells, kills a gateway in the middle of a sale and
# then the database, promotes the standby, and compares the provider's books with the journal. It runs in a folder of
# its own under /tmp and on free ports of 127.0.0.1. It contacts no other machine except to fetch missing packages, and
# leaves nothing but build/.
#
#   deploy/demo-chain.sh              shows it, then waits until Ctrl-C
#   deploy/demo-chain.sh --once       shows it, then ends: 0 only if everything came out as it must
#   deploy/demo-chain.sh --verbose    shows every call and every answer too
#   deploy/demo-chain.sh --build      builds what has changed since it was built
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. deploy/packages.sh
. deploy/progress.sh
. deploy/demo_parts.sh

usage() { sed -n '2,12s/^# \{0,1\}//p' deploy/demo-chain.sh; }
read_options "$@"

# --- built ---

require_chain_packages
find_programs sales-gateway postgres-client sandbox-provider

# --- started ---

postgres=/usr/lib/postgresql/${postgresql#postgresql-}/bin
PATH=$PATH:/usr/sbin
folder=$(mktemp -d)
# These are the process ids of what runs, by the names that the story uses.
declare -A pid=()
till_pid=''
# end SIGNAL NAME...: asks them to end, and kills those that have not ended after two seconds. A gateway that drains
# waits for its sales, and can be killed because it treats a crash as an ordinary event.
end() {
    local signal=$1 name
    shift
    for name in "$@"; do
        [ -n "${pid[$name]-}" ] || continue
        kill "-$signal" "${pid[$name]}" 2>/dev/null || true
        for _ in $(seq 40); do
            kill -0 "${pid[$name]}" 2>/dev/null || break
            sleep 0.05
        done
        { kill -KILL "${pid[$name]}"; wait "${pid[$name]}"; } 2>/dev/null || true
        pid[$name]=''
    done
}
# However the demo ends, nothing is left running. The logs are kept where something went wrong. An interrupt makes
# PostgreSQL stop at once.
finish() {
    local status=$?
    trap - EXIT
    trap '' INT TERM HUP  # a second Ctrl-C must not stop the cleaning up
    [ -z "$till_pid" ] || { kill "$till_pid" && wait "$till_pid"; } 2>/dev/null || true
    end TERM haproxy box-1 box-2 provider
    end INT db-2 db-1
    case $status in
        0 | 130) rm -rf "$folder" ;;
        *) printf '%s\n' "What all of them said is kept in $folder, in the files *.log." >&2 ;;
    esac
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# PostgreSQL refuses to run as root.
as_database=()
if [ "$(id -u)" -eq 0 ]; then as_database=(setpriv --reuid=postgres --regid=postgres --init-groups); fi
databases=$folder/databases
mkdir "$databases"
chmod 711 "$folder"
secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '%s\n' "$secret" >"$databases/password"
printf '*:*:*:*:%s\n' "$secret" >"$databases/pgpass"
export PGPASSFILE=$databases/pgpass
install -m 600 "$databases/password" "$folder/journal_password"
chmod 600 "$databases/password" "$databases/pgpass"
chmod 700 "$databases"
if [ "$(id -u)" -eq 0 ]; then chown -R postgres: "$databases"; fi

free_port 8090; provider=127.0.0.1:$port
free_port 8080; terminals=127.0.0.1:$port
free_port 8081; callbacks=127.0.0.1:$port
free_port 5432; db_1=$port
free_port $((db_1 + 1)); db_2=$port
declare -A admin=()
url="postgresql://gateway@127.0.0.1:$db_1,127.0.0.1:$db_2/journal"

# until_so WHAT COMMAND...: waits until the command succeeds.
until_so() {
    local what=$1
    shift
    for _ in $(seq 600); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.05
    done
    die "This never came to be: $what."
}
# sql PORT DATABASE STATEMENT: runs the statement as the owner of the server.
sql() { "${as_database[@]}" "$postgres/psql" -qXAt -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$1" -U postgres -d "$2" -c "$3"; }
# start_database NAME PORT
start_database() {
    "${as_database[@]}" "$postgres/postgres" -D "$databases/$1" -p "$2" -c listen_addresses=127.0.0.1 \
        -c unix_socket_directories= >"$folder/$1.log" 2>&1 &
    pid[$1]=$!
    until_so "$1 answers" "$postgres/pg_isready" -q -h 127.0.0.1 -p "$2"
}
is_synchronous() { [ "$(sql "$db_1" postgres 'SELECT sync_state FROM pg_stat_replication')" = sync ]; }

# This is the setup of docs/chain.md on one machine: a primary, and a standby without which no commit is acknowledged.
"${as_database[@]}" "$postgres/initdb" -D "$databases/db-1" -U postgres --pwfile="$databases/password" \
    --auth=scram-sha-256 --data-checksums -E UTF8 --locale=C.UTF-8 >"$folder/initdb.log"
start_database db-1 "$db_1"
sql "$db_1" postgres "CREATE ROLE gateway LOGIN PASSWORD '$secret'"
sql "$db_1" postgres 'CREATE DATABASE journal OWNER gateway'
"${as_database[@]}" "$postgres/pg_basebackup" -D "$databases/db-2" --write-recovery-conf --checkpoint=fast \
    -d "host=127.0.0.1 port=$db_1 user=postgres application_name=db_2" >"$folder/basebackup.log" 2>&1
start_database db-2 "$db_2"
sql "$db_1" postgres "ALTER SYSTEM SET synchronous_standby_names = 'db_2'"
sql "$db_1" postgres 'SELECT pg_reload_conf()' >"$folder/reload.log"
until_so 'the standby is synchronous' is_synchronous

# configure BOX: writes config/sandbox.toml with other ports, some of which are the gateway's own, and with the journal
# on PostgreSQL.
configure() {
    local own_terminals own_callbacks own_console
    free_port 8180; own_terminals=127.0.0.1:$port
    free_port 8180; own_callbacks=127.0.0.1:$port
    free_port 9190; admin[$1]=127.0.0.1:$port
    free_port 9190; own_console=127.0.0.1:$port
    sed -e "s/127\.0\.0\.1:8090/PROVIDER/; /^callback_url/s/127\.0\.0\.1:8081/FRONT/; s/127\.0\.0\.1:8080/TERMINALS/" \
        -e 's/127\.0\.0\.1:8081/CALLBACKS/; s/127\.0\.0\.1:9090/ADMIN/; s/127\.0\.0\.1:9091/CONSOLE/' \
        -e "s/PROVIDER/$provider/; s/FRONT/$callbacks/; s/TERMINALS/$own_terminals/; s/CALLBACKS/$own_callbacks/" \
        -e "s/ADMIN/${admin[$1]}/; s/CONSOLE/$own_console/" \
        -e "s|^path = .*|url = \"$url\"\npassword_file = \"$folder/journal_password\"\ngateway = \"$1\"\ntally_file = \"$folder/tally-$1\"|" \
        config/sandbox.toml >"$folder/$1.toml"
    chmod 600 "$folder/$1.toml"
    # HAProxy has to find the gateway here.
    sed -i -e "s/ $1 10\.0\.0\.[0-9]*:8080 / $1 $own_terminals /; s/ $1 10\.0\.0\.[0-9]*:8081 / $1 $own_callbacks /" \
        -e "/ $1 /s/ port 9090/ port ${admin[$1]##*:}/" "$folder/haproxy.cfg"
}
# The balancer's configuration comes from the document, with the addresses of this machine.
awk '/^global$/ { inside = 1 } inside && /^```$/ { exit } inside' docs/chain.md >"$folder/haproxy.cfg"
sed -i "s/bind 10\.0\.0\.10:8080$/bind $terminals/; s/bind 10\.0\.0\.10:8081$/bind $callbacks/" "$folder/haproxy.cfg"
configure box-1
configure box-2

start_gateway() {
    "$programs/sales-gateway" --config "$folder/$1.toml" >>"$folder/$1.log" 2>&1 &
    pid[$1]=$!
}
still_running() {
    local name
    for name in "${!pid[@]}"; do
        [ -z "${pid[$name]}" ] || kill -0 "${pid[$name]}" 2>/dev/null ||
            { tail -n 5 "$folder/$name.log" >&2; die "$name has ended."; }
    done
}
is_ready() { curl -sf "http://${admin[$1]}/readyz"; }
haproxy_answers() { curl -sf "http://$terminals/openapi.json"; }

"$programs/sandbox-provider" --listen "$provider" >"$folder/provider.log" 2>&1 &
pid[provider]=$!
start_gateway box-1
start_gateway box-2
until_so 'the gateway box-1 takes sales' is_ready box-1
until_so 'the gateway box-2 takes sales' is_ready box-2
haproxy -db -f "$folder/haproxy.cfg" >"$folder/haproxy.log" 2>&1 &
pid[haproxy]=$!
until_so 'HAProxy takes calls' haproxy_answers
still_running
cat <<PARTS

  tills ---> HAProxy $terminals ---> gateways box-1 and box-2 ---> provider $provider
                                                |
                        PostgreSQL db-1, port $db_1 ---> db-2, port $db_2, its synchronous standby
PARTS

base=http://$terminals
tv='{"family":"tv","produto":"TV Mensal","valor":4990,"cpf":"529.982.247-25"}'
held='{"family":"tv","produto":"TV Mensal","valor":4990,"cpf":"529.982.247-25","confirm":"manual"}'
# This database takes writes.
primary=$db_1

# ask STATEMENT: runs the statement on the journal, at the server that takes writes.
ask() { sql "$primary" journal "$1"; }
# owner IDEXTERNO: prints the gateway that owns the sale now. The column has the gateway's name, a dot and its run.
owner() {
    ask "SELECT regexp_replace(owner, '[.][^.]*\$', '') FROM sales JOIN id_externos ON sale = id
        WHERE id_externo = '$1'"
}
# begun_by IDEXTERNO: prints the gateway whose log has the sale's beginning.
begun_by() { basename "$(grep -lE "sells .* idExterno=$1( |\$)" "$folder"/box-?.log)" .log; }
other_than() { if [ "$1" = box-1 ]; then echo box-2; else echo box-1; fi; }

declare -A read_lines=([box-1]=0 [box-2]=0)
# remember_logs: show_log leaves out everything that the gateways have logged so far.
remember_logs() {
    local box
    for box in box-1 box-2; do read_lines[$box]=$(wc -l <"$folder/$box.log"); done
}
# show_log BOX PATTERN: prints the lines of its log since then, without the date and without all ids but the provider's.
show_log() {
    local line who="$1's log"
    while IFS= read -r line; do
        tell "$who" "$line"
        who=''
    done < <(tail -n "+$((read_lines[$1] + 1))" "$folder/$1.log" | grep -E "$2" |
        sed -E 's/^[^ ]+ ([^ .]+)\.[0-9]+ +[a-z]+ +/\1  /; s/ (sale|idTransacao|request)=[^ ]*//g')
}
# until_books STATUS: waits until the new sale in the books has this status, and leaves the sale in $seen.
until_books() {
    for _ in $(seq 200); do
        seen=$(since)
        [ "$(jq -r '.[0].status' <<<"$seen")" != "$1" ] || return 0
        sleep 0.05
    done
    must "the sale in the provider's books" "$(jq -r '.[0].status' <<<"$seen")" "$1"
}
# begin_in_background KEY BODY: begins a till's sale, for whose answer wait_for_till waits later.
begin_in_background() {
    order "$@"
    [ $verbose = no ] || show_command "${words[@]}"
    curl -s -o "$folder/answer" -w '%{http_code}' "${words[@]}" >"$folder/status" &
    till_pid=$!
}
wait_for_till() {
    wait "$till_pid" || true
    till_pid=''
    answer=$(cat "$folder/answer") status=$(cat "$folder/status")
}
# sell_until_told KEY BODY: repeats the call, as a till does, until the answer is final.
sell_until_told() {
    for _ in $(seq 20); do
        sell "$@"
        case $(field outcome) in sold | not_sold) return ;; esac
        sleep 1
    done
}
# These are the idExternos of the sales of which a till was told that they are sold.
told=()
is_told_sold() {
    must_be_sold
    told+=("$(field idExterno)")
}
# kill_now NAME PID...: kills them at once, and keeps bash from reporting it.
kill_now() {
    { kill -KILL "${@:2}"; wait "${pid[$1]}"; } 2>/dev/null || true
    pid[$1]=''
}
sells="sells TV Mensal for $(money 4990)"

# --- act one ---

headline 'Tills call one address, and HAProxy gives their calls to both gateways in turn:'
echo
for number in 1 2 3 4; do
    sell "sale-$number" "$tv"
    tell 'a till' "$sells, and is told \`$(field outcome)\` after $ms ms, by $(begun_by "$(field idExterno)")"
    is_told_sold
done

# --- act two: a gateway dies ---

headline 'A gateway dies: kill -9, while it owns a sale that the provider is confirming, and holds another one.'
echo
remember_books
remember_logs
one_fault confirmar '"behaviour":"slow","delay":"5m"'
tell 'a till' "$sells"
begin_in_background killed "$tv"
until_books EFETIVADA
slow=$(jq -r '.[0].idExterno' <<<"$seen")
dying=$(owner "$slow")
heir=$(other_than "$dying")
show_books "$seen"
tell '' 'sold there, and nobody here knows it: the answer is still on its way'
# HAProxy takes the gateways in turn, so the gateway that is about to die holds one of these sales.
held_id='' others=()
for number in 1 2 3 4; do
    sell "held-$number" "$held"
    if [ "$(owner "$(field idExterno)")" = "$dying" ]; then
        held_id=$(field id) held_as=$(field idExterno)
        break
    fi
    others+=("$(field id)")
done
[ -n "$held_id" ] || die "HAProxy gives $dying no calls."
tell 'another till' "begins $held_as, which is held until the money is there"
tell 'the journal' "says that $dying owns both"
tell 'kill -9' "$dying"
killed_at=$SECONDS
kill_now "$dying" "${pid[$dying]}"
wait_for_till
must 'what the till was told' "$(field outcome)" ''
tell 'the till' "is told nothing (HTTP $status, by HAProxy), and sends the same call again, with the same key"
begin_in_background killed "$tv"
sell meanwhile "$tv"
tell 'a third till' "$sells meanwhile, and is told \`$(field outcome)\` after $ms ms, by $(begun_by "$(field idExterno)")"
is_told_sold
confirm="$base/v1/sales/$held_id/confirm"
call "$confirm" -X POST -H "$token"
tell 'another till' "has the money, confirms, and is told \`$(field outcome)\`, $((SECONDS - killed_at)) s after the kill"
is_told_sold
must 'which sale that is' "$(field idExterno)" "$held_as"
wait_for_till
tell 'the till' "is told \`$(field outcome)\`, by $heir too, which has taken over what $dying owned:"
is_told_sold
must 'which sale that is' "$(field idExterno)" "$slow"
show_log "$heir" "idExterno=($slow|$held_as)"
must "what $heir says of it" "$(grep -c "confirmed it .*idExterno=$slow" "$folder/$heir.log")" 1
seen=$(since | jq -c --arg slow "$slow" --arg held "$held_as" 'map(select(.idExterno == $slow or .idExterno == $held))')
show_books "$seen"
must 'how often each was asked for' "$(jq -c 'map(.calls.solicitar)' <<<"$seen")" '[1,1]'
for id in "${others[@]}"; do
    call "$base/v1/sales/$id/confirm" -X POST -H "$token"
    is_told_sold
done
start_gateway "$dying"
until_so "the gateway $dying takes sales" is_ready "$dying"
tell "$dying" 'is started again'

# --- act three: the database dies ---

headline 'The database dies, while a sale is at the provider. Its standby has every commit, and takes its place.'
echo
remember_books
remember_logs
one_fault solicitar '"behaviour":"slow","delay":"2s"'
tell 'a till' "$sells"
begin_in_background database "$tv"
until_books AUTORIZADA
slow=$(jq -r '.[0].idExterno' <<<"$seen")
owning=$(owner "$slow")
show_books "$seen"
tell 'kill -9' 'db-1, every process of it'
# shellcheck disable=SC2046
kill_now db-1 $(descendants "${pid[db-1]}")
sell refused "$tv"
tell 'another till' "$sells, and is told nothing: HTTP $status ($(field code))"
must 'what it is told' "$(field outcome)" ''
sql "$db_2" postgres 'SELECT pg_promote()' >"$folder/promote.log"
primary=$db_2
tell 'db-2' 'is promoted: here by hand, in a data centre by Patroni'
wait_for_till
[ "$(field outcome)" = sold ] || sell_until_told database "$tv"
tell 'the till' "is told \`$(field outcome)\`, by $owning, which found db-2 by itself:"
is_told_sold
show_log "$owning" "idExterno=$slow|the database"
sell_until_told refused "$tv"
tell 'another till' "sends its call again, and is told \`$(field outcome)\`"
is_told_sold
show_books "$(since)"

# --- the end ---

is_settled() { [ "$(ask 'SELECT count(*) FROM sales WHERE settled = 0')" = 0 ]; }
until_so 'every sale is settled' is_settled
still_running
headline 'What tills were told, beside what the provider will ask money for, and what the journal has on db-2:'
echo
all=$(books)
journal=$(ask "SELECT json_agg(json_build_object('idExterno', id_externo, 'status', status)) FROM sales_now")
row() { printf '  %-28s%-13s%-21s%s\n' "$@"; }
row idExterno 'the till' "the provider's books" 'the journal'
jq -r --argjson journal "$journal" --argjson told "$(printf '%s\n' "${told[@]}" | jq -R . | jq -sc .)" \
    '([.[], $journal[]] | map(.idExterno) + $told | unique[]) as $id
    | [$id, (if ($told | index($id)) then "sold" else "-" end), ([.[] | select(.idExterno == $id) | .status][0] // "-"),
       ([$journal[] | select(.idExterno == $id) | .status][0] // "-")] | join(" ")' <<<"$all" |
    while read -r id outcome in_books in_journal; do row "$id" "$outcome" "$in_books" "$in_journal"; done
of_status() { jq -r --arg status "$1" '.[] | select(.status == $status) | .idExterno' | sort; }
in_books=$(of_status EFETIVADA <<<"$all")
must "what is sold in the provider's books" "$in_books" "$(printf '%s\n' "${told[@]}" | sort)"
must 'what is sold in the journal' "$(of_status EFETIVADA <<<"$journal")" "$in_books"
must "what is left open in the provider's books" "$(of_status AUTORIZADA <<<"$all")" ''
[ $differences -eq 0 ] || die "$differences of what was seen is not as it must be: look for ^^^ above."
headline "Everything came out as it must: $sold sales, none of them lost, none of them twice."
[ $once = no ] || exit 0

command="$programs/sales-gateway"
cat <<HINTS

Try next, in another window in $PWD:

  A till of your own; the same key again is the same sale, at whichever gateway:
    sell() { curl -s $base/v1/sell -H '$token' -H "Idempotency-Key: \$1" \\
        -H 'Content-Type: application/json' -d '$tv' |
        jq '{outcome, detail, idExterno: (.sale // .).idExterno}'; }
    sell first

  What the gateways say, and the journal of them:
    $command status --config $folder/box-1.toml
    $command sales --config $folder/box-2.toml
    tail -f $folder/box-1.log $folder/box-2.log
    journal() { PGPASSFILE=$PGPASSFILE psql -h 127.0.0.1 -p $db_2 -U postgres journal -c "SELECT * FROM \$1"; }
    journal gateways_now; journal sales_now; journal story

  Kill one of the gateways, or stop it for ten seconds, and sell:
    kill -9 ${pid[box-1]}                                      # box-1
    kill -STOP ${pid[box-2]}; sleep 10; kill -CONT ${pid[box-2]}    # box-2

  How all of this is set up for a chain: docs/chain.md

Running until Ctrl-C.
HINTS
trap 'exit 0' INT TERM HUP
wait -n "${pid[provider]}" "${pid[haproxy]}" "${pid[db-2]}" || true
die 'The provider, HAProxy or the database has ended.'
