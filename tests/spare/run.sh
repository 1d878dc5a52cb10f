#!/usr/bin/env bash
# This rehearses the store's spare as docs/spare.md says: two boxes with one disk between them. Each box is a clean
# Debian that systemd boots in a container (systemd-nspawn), with the package and the same configuration; the disk is an
# image with a file system of its own. One box sells and dies, the disk moves, and the other one goes on; it also tests
# a box without the disk. Each line of output is one thing that was seen to be true. It needs root, loop devices and
# Debian's mirror, and two minutes besides building.
#
#   tests/spare/run.sh            builds the packages first
#   tests/spare/run.sh FILE.deb   takes this one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/package/clean_debian.sh
require_packages "${spare_test_packages[@]}"

root=$work/box-a
terminals=127.0.0.1:18080 admin=127.0.0.1:19090 provider=127.0.0.1:18090 books=http://127.0.0.1:18090/sandbox
journal=/srv/journal/sales-gateway config=/etc/sales-gateway/gateway.toml
disk=
leader=
clean_up() {
    switch_off
    finish
    rm -rf "$work/box-a" "$work/box-b"
    [ -z "$disk" ] || losetup --detach "$disk"
    rm -f "$work/disk.img"
}
trap clean_up EXIT

# block FIRST-LINE: prints the block of the document that begins with this line.
block() {
    awk -v first="   $1" '$0 == first { on = 1 } on && $1 == "```" { exit } on { sub(/^ +/, ""); print }' docs/spare.md
}

# --- the boxes ---

# configure: sets up the box at $root with everything that the document asks for.
configure() {
    install -d "$root/srv/journal" "$root/disk" "$root/etc/systemd/system/sales-gateway.service.d"
    # Without udev no device is found by its label. Here the disk is a file of the box, which is there or not in the
    # same way.
    block '# /etc/fstab' | sed 's|^LABEL=journal|/disk/journal|' >"$root/etc/fstab"
    block '[Unit]' >"$root/etc/systemd/system/sales-gateway.service.d/override.conf"
    printf 'app-secret\n' | install -m 0600 /dev/stdin "$root/etc/sales-gateway/app_secret"
    install -m 0600 "$work/journal_key" "$root/etc/sales-gateway/journal_key"
    cat >"$root$config" <<END
[listen]
terminals = "$terminals"
admin = "$admin"
[provider]
base_url = "http://$provider"
auth_url = "http://$provider"
app_key = "app-key"
app_secret_file = "/etc/sales-gateway/app_secret"
scopes = ["Venda_TvPrePaga"]
estabelecimento = "12345678"
[limits]
hold = "30m"
$(block '[journal]')
$lines
END
    umount "$root/proc"
    rm -f "$root/usr/sbin/policy-rc.d"
}
# switch_on BOX: waits until its systemd has done what it does at a boot.
switch_on() {
    root=$work/$1
    setsid systemd-nspawn --quiet --boot --directory="$root" --register=no --keep-unit --console=pipe \
        >"$work/$1.console" 2>&1 </dev/null &
    pids+=($!)
    until_so leader_of $!
    until_so booted
}
leader_of() { leader=$(ps -o pid= --ppid "$1" | tr -d ' ') && [ -n "$leader" ] && in_box true; }
in_box() { nsenter --target "$leader" --all env -i PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 "$@" >"$work/inside.log" 2>&1; }
booted() { in_box systemctl is-system-running || grep -qx degraded "$work/inside.log"; }
# Every process of the box is killed, and its mounts go away with them.
switch_off() {
    [ -z "$leader" ] || kill -KILL "$leader" 2>/dev/null || true
    leader=
}
# The disk is in one box, or in none.
plug_in() { mknod "$work/$1/disk/journal" b "$(stat -c '0x%t' "$disk")" "$(stat -c '0x%T' "$disk")"; }
pull_out() { rm -f "$work/$1/disk/journal"; }
log_says() { in_box journalctl -u sales-gateway --no-pager -o cat; says "$1" "$2"; }
is_ready() { curl -fs "http://$admin/readyz"; }
# call PATH CURL-ARGUMENTS... and sell KEY [MORE] print the answer.
call() { local path=$1; shift; curl -sS -H "Authorization: Bearer $key" "http://$terminals$path" "$@"; }
sell() {
    call /v1/sell -H 'Content-Type: application/json' -H "Idempotency-Key: $1" \
        -d "{\"family\":\"tv\",\"produto\":\"TV Mensal\",\"fornecedor\":\"Operadora Norte\",\"valor\":4900,
            \"cpf\":\"529.982.247-25\"${2:-}}"
}
outcome() { jq -r '.outcome // "nothing"' <<<"$1"; }

find_deb "$@"
make_base
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$work/journal_key"
copy_of "$base"
get systemd systemd-sysv dbus
umount "$root/proc"
rm -rf "$work/box-b"
cp -a "$root" "$work/box-b"
mount -t proc proc "$root/proc"
install_deb "$deb"
inside sales-gateway new-terminal caixa-01
key=$(tail -n 1 "$work/inside.log" | tr -d ' ')
lines=$(grep -A2 '^\[\[terminals\]\]' "$work/inside.log")
configure
root=$work/box-b
mount -t proc proc "$root/proc"
# This is how it is on boxes with another history: the user has another number.
inside systemd-sysusers --inline 'u somebody-else -'
install_deb "$deb"
configure
seen 'two boxes, with one configuration'
owner() { awk -F: '/^sales-gateway:/ { print $3 }' "$work/$1/etc/passwd"; }
check "whose user sales-gateway is $(owner box-a) and $(owner box-b)" test "$(owner box-a)" -ne "$(owner box-b)"

find_sandbox
"$sandbox" --listen $provider --app-key app-key --app-secret app-secret --estabelecimento 12345678 \
    >"$work/sandbox.log" 2>&1 &
pids+=($!)
truncate -s 64M "$work/disk.img"
check 'the disk has a file system with its label' mkfs.ext4 -q -F -L journal "$work/disk.img"
disk=$(losetup --find --show "$work/disk.img")

# --- the one sells ---

plug_in box-a
switch_on box-a
check 'the disk is mounted at boot' in_box mountpoint -q /srv/journal
# The service does not start until its folder is made, which is done once.
in_box install -d -m 0700 -o sales-gateway -g sales-gateway $journal || fail 'the folder on the disk'
check 'the first box starts' in_box systemctl restart sales-gateway
until_so is_ready
first=$(sell one)
check 'and sells' test "$(outcome "$first")" = sold
held=$(sell held ',"confirm":"manual"')
check 'it holds a sale' test "$(outcome "$held")" = held
curl -fsS -X PUT "$books/faults" -o /dev/null \
    -d '[{"family":"tv","step":"confirmar","times":1,"behaviour":"slow","delay":"5m"}]'
sell cut >"$work/never_answered" 2>&1 &
pids+=($!)
sold_there() { curl -fsS "$books/transactions" | jq '[.transactions[] | select(.status == "EFETIVADA")] | length'; }
cut_is_sold() { [ "$(sold_there)" = 2 ]; }
until_so cut_is_sold
seen 'and is in the middle of another, which the provider has sold already'

# --- it dies ---

switch_off
until_so sh -c '! grep -q " /srv/journal " /proc/*/mounts 2>/dev/null'
seen 'it dies, every process of it at once'
pull_out box-a
check 'the disk is pulled out' test ! -e "$work/box-a/disk/journal"

# --- the other one, first without the disk ---

switch_on box-b
check 'the other box boots without the disk' in_box true
if in_box systemctl start sales-gateway; then fail 'it starts without the disk'; fi
says 'its service does not start' 'A dependency job for sales-gateway.service failed.'
log_says 'and says so' 'Dependency failed for sales-gateway.service'
check 'nothing is made where the disk belongs' test -z "$(ls -A "$root/srv/journal")"
# This is what happens if the drop-in is forgotten, or the program is started by hand.
if in_box sales-gateway --config $config; then fail 'the program starts without the disk'; fi
says 'the program by itself makes no journal there either' "stands in $journal, which is no folder"
check 'still nothing' test -z "$(ls -A "$root/srv/journal")"

# --- the disk moves ---

plug_in box-b
in_box mount /srv/journal || fail 'mounting'
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' | install -m 0600 /dev/stdin "$root/etc/sales-gateway/other_key"
in_box chown -R sales-gateway: $journal || fail 'the owner'
sed -i 's/journal_key"$/other_key"/' "$root$config"
in_box chgrp sales-gateway /etc/sales-gateway/other_key
in_box chmod 0640 /etc/sales-gateway/other_key
if in_box systemctl start sales-gateway; then fail 'it starts with another key'; fi
log_says 'with another key file it refuses the journal, in words' 'is encrypted with the key'
sed -i 's/other_key"$/journal_key"/' "$root$config"
in_box systemctl reset-failed sales-gateway
check 'with the right one it starts' in_box systemctl start sales-gateway
until_so is_ready
log_says 'it knows the open sales' 'open sales found in the journal, which are carried on: 2'
check 'it takes nothing for a copy' sh -c '! grep -q "journal.restored\|taken for a copy" "$1"' - "$work/inside.log"
again=$(sell one)
check 'the sale of before is known' test "$(jq -r .id <<<"$again")" = "$(jq -r .id <<<"$first")"
again=$(sell cut)
check 'the till that got no answer repeats its key, and is told sold' test "$(outcome "$again")" = sold
again=$(sell held ',"confirm":"manual"')
check 'the held sale is held' test "$(outcome "$again")" = held
again=$(call "/v1/sales/$(jq -r .id <<<"$held")/confirm" -X POST)
check 'and is sold when the till confirms it' test "$(outcome "$again")" = sold
curl -fsS "$books/transactions" >"$work/books.json"
check "the provider's books have three sales, all of them sold" \
    test "$(jq -c '[.transactions[].status]' "$work/books.json")" = '["EFETIVADA","EFETIVADA","EFETIVADA"]'
check 'each asked for once' test "$(jq -c '[.transactions[].calls.solicitar]' "$work/books.json")" = '[1,1,1]'

# --- never both ---

if in_box sales-gateway --config $config; then fail 'a second gateway starts on the disk'; fi
says 'a second gateway on the same disk is refused' 'another sales-gateway process, a gateway or copy-journal, holds it'
echo 'All passed.'
