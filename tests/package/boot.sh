#!/usr/bin/env bash
# This tests the Debian package under a real systemd. A virtual machine (qemu) boots a clean Debian, installs the
# package as its operator would, and checks what only a running systemd shows; see booted.sh, which runs in it. Then its
# power is cut in the middle of sales, and it boots once more; and the same happens with the journal on a disk that lies
# (lying_disk.py). The provider is the sandbox, outside, so that its books outlive the power cuts. Each line of output
# is one thing that was seen to be true. It needs root, Debian's mirror and some minutes, but no hardware
# virtualisation; if there is a good one, QEMU_ACCEL=kvm is faster.
#
#   tests/package/boot.sh            builds the package first
#   tests/package/boot.sh FILE.deb   tests this one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/package/clean_debian.sh
require_packages "${boot_test_packages[@]}"

root=$work/boot-root
image=$work/boot.ext4 cut_image=$work/boot-cut.ext4 lying_image=$work/lying.ext4
port=18091 books=http://127.0.0.1:18091/sandbox
# A machine that has printed nothing new for this long will print nothing more.
patience_s=600
trap 'finish; rm -f "$image" "$cut_image" "$lying_image" "$work/lying.socket"' EXIT

# --- the machine's disk ---

find_deb "$@"
make_next
find_sandbox
make_base
if [ ! -e "$work/boot/initrd.img" ] || [ -d "$work/boot/half" ]; then
    copy_of "$base"
    mkdir "$root/half"
    get systemd systemd-sysv dbus udev linux-image-cloud-amd64 initramfs-tools curl jq logcheck logcheck-database \
        cron msmtp-mta
    rmdir "$root/half"
    umount "$root/proc"
    rm -rf "$work/boot"
    mv "$root" "$work/boot"
    seen 'a clean Debian that boots is made'
fi
copy_of "$work/boot"
# The mirror now delivers what the package depends on; the machine installs the package itself.
install_deb "$deb"
inside apt-get purge -q -y sales-gateway
rm -rf "$root/usr/sbin/policy-rc.d" "$root/tmp/debs" "$root/var/lib/sales-gateway" "$root/etc/sales-gateway"
install -m 0644 "$deb" "$root/root/this.deb"
install -m 0644 "$next" "$root/root/next.deb"
install -m 0755 tests/package/booted.sh "$root/root/booted.sh"
echo '/dev/vda / ext4 defaults 0 1' >"$root/etc/fstab"
echo store >"$root/etc/hostname"
printf '127.0.0.1 localhost store\n' >"$root/etc/hosts"
printf '[Match]\nType=ether\n[Network]\nAddress=10.0.2.15/24\nGateway=10.0.2.2\n' \
    >"$root/etc/systemd/network/lan.network"
cat >"$root/etc/systemd/system/booted.service" <<END
[Unit]
After=network-online.target
Wants=network-online.target
[Service]
ExecStart=/root/booted.sh
[Install]
WantedBy=multi-user.target
END
# The provider runs outside, under an address of the machine's own; everything else is configured as in a store.
cat >"$root/etc/systemd/system/provider.socket" <<END
[Socket]
ListenStream=127.0.0.1:18090
[Install]
WantedBy=sockets.target
END
cat >"$root/etc/systemd/system/provider.service" <<END
[Service]
ExecStart=/lib/systemd/systemd-socket-proxyd 10.0.2.2:$port
END
check 'the machine is made' inside systemctl enable systemd-networkd systemd-networkd-wait-online booted.service \
    provider.socket
umount "$root/proc"
rm -f "$image"
check 'so is its disk' mke2fs -q -t ext4 -d "$root" "$image" 2G

# --- switched on, until its power is cut ---

"$sandbox" --listen 127.0.0.1:$port --app-key app-key --app-secret app-secret --estabelecimento 12345678 \
    --token-lifetime 24h >"$work/sandbox.log" 2>&1 &
pids+=($!)
until_so curl -fs "$books/requests"

machine=
# boot RESULTS [DISK]: switches the machine on; the output of booted.sh goes into this file. With a second disk, the
# journal is there.
boot() {
    : >"$work/$1"
    local second=()
    [ -z "${2:-}" ] || second=(-drive "file=$2,format=raw,if=virtio")
    qemu-system-x86_64 -accel "${QEMU_ACCEL:-tcg,thread=multi}" -cpu "${QEMU_CPU:-max}" -smp 2 -m 1024 -no-reboot \
        -display none -monitor none -kernel "$root/vmlinuz" -initrd "$root/initrd.img" \
        -append 'root=/dev/vda rw console=ttyS0 panic=1 systemd.show_status=no' \
        -drive "file=$image,format=raw,if=virtio" "${second[@]}" -nic user,model=virtio-net-pci \
        -serial "file:$work/$1.console" -serial "file:$work/$1" >"$work/qemu.log" 2>&1 &
    machine=$!
    pids+=($machine)
}
# follow RESULTS LAST: prints the results until LAST has come or nothing more can come.
follow() {
    local printed=0 lines quiet=0
    while :; do
        lines=$(wc -l <"$work/$1")
        if [ "$lines" -gt $printed ]; then
            sed -n "$((printed + 1)),${lines}p" "$work/$1" | tr -d '\r' | grep -v '^told ' || true
            printed=$lines quiet=0
        fi
        ! grep -q '^FAILED' "$work/$1" || fail "see $work/$1.console"
        ! grep -q "^$2" "$work/$1" || return 0
        kill -0 $machine 2>/dev/null || fail "the machine went off; see $work/$1.console"
        [ $((quiet += 1)) -lt $patience_s ] || fail "the machine says nothing more; see $work/$1.console"
        sleep 1
    done
}
# told RESULTS: prints what the tills had been told before the power cut, "told ID OUTCOME", without a line that was cut
# in the middle.
told() { tr -d '\r' <"$work/$1" | grep -E '^told [0-9A-Z]{26} (sold|not_sold)$'; }
enough_told() { [ "$(told "$1" | wc -l)" -ge "$2" ]; }
# cut_power: cuts the power in the middle of whatever the machine does.
cut_power() {
    kill -KILL $machine
    wait $machine 2>/dev/null || true
}
boot first.log
follow first.log 'now cut the power'
until_so enough_told first.log 10
cut_power
seen 'the power was cut in the middle of sales'
cp --sparse=always "$image" "$cut_image"

# --- and on again ---

boot second.log
follow second.log 'All of it was seen.'
wait $machine || fail "the machine ended with $?"
# sale ID STATUS OUTCOME IDEXTERNO: checks what the journal says.
while read -r _ id outcome; do
    grep -q "^sale $id [A-Z]* $outcome " "$work/second.log" || fail "the till was told that $id is $outcome"
done < <(told first.log)
seen "what the tills were told before the power cut is so after it ($(told first.log | wc -l) sales)"
curl -fsS "$books/transactions" | jq -r '.transactions[] | "\(.idExterno) \(.status)"' | sort >"$work/books.txt"
check 'every sale of the journal that reached the provider stands in its books with the same status' \
    test -z "$(tr -d '\r' <"$work/second.log" | awk '$1 == "sale" {print $5, $3}' | sort |
        join - "$work/books.txt" | awk '$2 != $3')"
check 'and no other is sold there' test -z "$(tr -d '\r' <"$work/second.log" | awk '$1 == "sale" {print $5}' | sort |
    join -v 2 - "$work/books.txt" | grep -v CANCELADA)"

# --- once more, with the journal on a disk that lies ---

mv "$cut_image" "$image"
truncate -s 512M "$lying_image"
nbdkit -f -U "$work/lying.socket" python tests/package/lying_disk.py "file=$lying_image" 2>"$work/lying.log" &
pids+=($!)
until_so test -S "$work/lying.socket"
boot third.log "nbd:unix:$work/lying.socket"
follow third.log 'now cut the power'
until_so enough_told third.log 60
cut_power
until_so grep -q '^lost' "$work/lying.log"
lost=$(grep '^lost' "$work/lying.log" | head -n 1)
check "the power was cut, and the disk has ${lost/ of / of the last }" test "${lost#lost 0 }" = "$lost"
boot fourth.log "$lying_image"
follow fourth.log 'All of it was seen.'
wait $machine || fail "the machine ended with $?"
missing=0
while read -r _ id outcome; do
    grep -q "^sale $id [A-Z]* $outcome " "$work/fourth.log" || missing=$((missing + 1))
done < <(told third.log)
noticed=$(tr -d '\r' <"$work/fourth.log" | sed -n 's/^noticed //p')
[ $missing -eq 0 ] || [ -n "$noticed" ] ||
    fail "$missing of $(told third.log | wc -l) sales that tills were told of are lost, and nobody noticed"
seen "of $(told third.log | wc -l) sales that tills were told of, $missing are missing in the journal"
[ -z "$noticed" ] || seen "which was noticed: $noticed"
curl -fsS "$books/transactions" | jq -r '.transactions[] | "\(.idExterno) \(.status)"' | sort >"$work/books.txt"
check 'what was told and is known stands in the books of the provider so' test -z "$(
    tr -d '\r' <"$work/fourth.log" | awk '$1 == "sale" && $4 == "sold" {print $5}' | sort |
        join - "$work/books.txt" | grep -v EFETIVADA)"
echo 'All passed.'
