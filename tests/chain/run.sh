#!/usr/bin/env bash
# This runs the chain of docs/chain.md for real, and breaks it: PostgreSQL and its synchronous standby, two gateways,
# the balancer and a provider, each in a network namespace with the document's address. First come scenarios, a test
# each; then chance, from a seed that is printed: while tills sell, gateways and servers are killed and stand still, the
# network is cut one way or both, the standby is promoted, everything is started anew. In the end all faults are over,
# and the provider's books, both databases and all that tills were told must agree. It needs root.
#
#   tests/chain/run.sh [OPTION...] [-- ARGUMENT...]    the arguments are pytest's, for the scenarios
#
#   --minutes N         how long chance does its work (10); 0: not at all
#   --seed S            what it does, as an earlier run did
#   --tills N           how many tills sell (4)
#   --rest SECONDS      how long a till rests between two sales, at most (2)
#   --scenarios ANSWER  yes or no: the scenarios before it (yes)
#   --build FOLDER      with the programs that are there, instead of building build/release
#   --no-install        with the packages that are here
#
# All of it lives in namespaces of this run, also of processes: however it ends, by Ctrl-C or kill -9, the kernel
# removes every process, address and rule. A failure leaves a folder with all logs, and its name is printed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh

usage() { sed -n '2,21s/^# \{0,1\}//p' tests/chain/run.sh; }
die() { printf '%s\n' "$*" >&2; exit 1; }

install=yes build='' minutes=10 scenarios=yes
chance=()
while [ $# -gt 0 ]; do
    case $1 in
        --minutes) minutes=${2:?--minutes takes a number}; shift ;;
        --seed | --tills | --rest) chance+=("$1" "${2:?$1 takes a number}"); shift ;;
        --scenarios) scenarios=${2:?--scenarios takes yes or no}; shift ;;
        --build) build=${2:?--build takes a folder}; shift ;;
        --no-install) install=no ;;
        -h | --help) usage; exit 0 ;;
        --) shift; break ;;
        *) echo "$1: no such option" >&2; usage >&2; exit 2 ;;
    esac
    shift
done

[ "$(id -u)" -eq 0 ] || die 'Only root may make network namespaces: call it as root, or with sudo.'
[ $install = no ] || require_chain_test_packages
PATH=$PATH:/usr/sbin:/sbin
for tool in ip nft unshare haproxy strace faketime "/usr/lib/postgresql/${postgresql#postgresql-}/bin/postgres"; do
    command -v "$tool" >/dev/null || die "$tool is not here: it comes with one of ${chain_test_packages[*]}."
done
unshare --net --mount --pid --fork --mount-proc true 2>/dev/null ||
    die 'This machine lets nobody make namespaces, not even root: in a container, start it with --privileged.'
if [ -z "$build" ]; then
    [ $install = no ] || require_packages "${build_packages[@]}"
    build=build/release
    cmake --preset release >/dev/null
    cmake --build --preset release --target sales-gateway postgres-client sandbox-provider
fi
build=$(realpath "$build")
for program in sales-gateway postgres-client.so sandbox-provider; do
    [ -e "$build/$program" ] || die "$build has no $program."
done

# This removes the folders of an earlier run that was killed with kill -9, unless somebody still uses them.
for old in /var/tmp/sales-gateway-chain.*; do
    [ -s "$old/pid" ] && [ ! -e "$old/failed" ] && ! kill -0 "$(cat "$old/pid" 2>/dev/null)" 2>/dev/null && rm -rf "$old"
done
folder=$(mktemp -d /var/tmp/sales-gateway-chain.XXXXXX)
echo $$ >"$folder/pid"
chmod 711 "$folder"
finish() {
    local status=$?
    trap - EXIT
    trap '' INT TERM HUP
    # When the first process of the namespace ends, all the others end too.
    [ -z "${inside-}" ] || { kill -KILL "$inside"; wait "$inside"; } 2>/dev/null || true
    case $status in
        0 | 130) rm -rf "$folder" ;;
        *) touch "$folder/failed"; echo "All logs are kept in $folder." >&2 ;;
    esac
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

export GATEWAY_BIN=$build/sales-gateway SANDBOX_BIN=$build/sandbox-provider
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/tests/e2e TMPDIR=$folder
unshare --net --mount --pid --fork --kill-child --mount-proc \
    tests/chain/inside.sh "$folder" "$scenarios" "$minutes" "${#chance[@]}" "${chance[@]}" "$@" &
inside=$!
wait $inside && status=0 || status=$?
inside=
exit $status
