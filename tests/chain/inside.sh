#!/usr/bin/env bash
# run.sh runs this in the namespaces that it has made: it is the first process there, and all others end with it.
set -euo pipefail
folder=$1 scenarios=$2 minutes=$3 count=$4
shift 4
chance=("${@:1:count}")
shift "$count"

ip link set lo up
# With this, nobody else sees what `ip netns` and the names below leave, and it goes with this namespace.
mkdir -p /run/netns
mount -t tmpfs tmpfs /run/netns
cat >"$folder/hosts" <<END
127.0.0.1 localhost
10.0.0.10 balancer.example
10.0.0.11 box-1.example
10.0.0.12 box-2.example
10.0.0.21 db-1.example
10.0.0.22 db-2.example
10.0.0.30 provider.example
END
mount --bind "$folder/hosts" /etc/hosts

# If they are interrupted, pytest and Python end by themselves; this shell reaps the processes that they leave.
status=0
if [ "$scenarios" = yes ]; then
    /usr/bin/python3 -m pytest -q -p no:cacheprovider --basetemp="$folder/scenarios" tests/chain "$@" || status=$?
fi
if [ $status -eq 0 ] && [ "$minutes" != 0 ]; then
    /usr/bin/python3 tests/chain/chaos.py --minutes "$minutes" --folder "$folder/chaos" "${chance[@]}" || status=$?
fi
exit $status
