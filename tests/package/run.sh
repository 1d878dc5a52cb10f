#!/usr/bin/env bash
# The Debian package from its building to its purge, in a clean Debian of its own (made once, with debootstrap, under
# build/package/). Needs root and Debian's mirror, and some minutes; each line of its output is one thing that was seen
# to be so. The sandbox provider, the till (curl) and lintian run outside of the clean Debian.
#
#   tests/package/run.sh            builds the package first
#   tests/package/run.sh FILE.deb   tests this one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. deploy/packages.sh
require_packages "${package_test_packages[@]}"

mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
work=$PWD/build/package
base=$work/base root=$work/root
terminals=127.0.0.1:18080 admin=127.0.0.1:19090 provider=127.0.0.1:18090
journal=/var/lib/sales-gateway/journal.db config=/etc/sales-gateway/gateway.toml
pids=()

seen() { printf 'ok  %s\n' "$*"; }
fail() { printf 'FAILED  %s\n' "$*" >&2; exit 1; }
# check WHAT COMMAND...: the command must succeed.
check() { local what=$1; shift; "$@" >"$work/last.log" 2>&1 || { cat "$work/last.log" >&2; fail "$what"; }; seen "$what"; }
# says WHAT TEXT: the last command of inside() must have said so.
says() { grep -qF -- "$2" "$work/inside.log" || { cat "$work/inside.log" >&2; fail "$1"; }; seen "$1"; }
# inside COMMAND...: in the clean Debian; its exit status is this one's.
inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
        chroot "$root" "$@" >"$work/inside.log" 2>&1
}
install_deb() {
    cp "$1" "$root/tmp/this.deb"
    inside apt-get install -q -y --no-install-recommends --allow-downgrades -o Dpkg::Options::=--force-confold \
        /tmp/this.deb || { cat "$work/inside.log" >&2; fail "installing $1"; }
}
# until COMMAND...: it succeeds within a minute, or the test has failed.
until_so() { local i; for i in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; fail "this never came to be: $*"; }
finish() {
    local pid
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    mountpoint -q "$root/proc" && umount "$root/proc"
    rm -rf "$root"
}
trap finish EXIT

gateway=
start_gateway() {
    # As the service runs it: as its user, and the secrets as credentials that only it reads.
    install -d -m 0700 -o "$uid" -g "$gid" "$root/run/credentials"
    local secret
    for secret in app_secret journal_key; do
        install -m 0400 -o "$uid" -g "$gid" "$root/etc/sales-gateway/$secret" "$root/run/credentials/$secret"
    done
    chroot --userspec=sales-gateway:sales-gateway "$root" /usr/bin/env -i CREDENTIALS_DIRECTORY=/run/credentials \
        /usr/bin/sales-gateway --config $config >>"$work/gateway.log" 2>&1 &
    gateway=$!
    pids+=($gateway)
    until_so curl -fs "http://$admin/readyz"
}
stop_gateway() { kill "$gateway"; wait "$gateway" || fail "the gateway ended with $?"; }
# sell KEY: a sale of the demo's key; its answer.
sell() {
    curl -fsS -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -H "Idempotency-Key: $1" \
        "http://$terminals/v1/sell" \
        -d '{"family":"tv","produto":"TV Mensal","fornecedor":"Operadora Norte","valor":4900,"cpf":"529.982.247-25"}'
}
sale_of() { jq -r .id <<<"$1"; }

# --- the package itself ---

mkdir -p "$work"
rm -f "$work/gateway.log"
deb=${1:-$(deploy/package.sh 2>"$work/build.log")} || { tail -n 40 "$work/build.log" >&2; fail 'building the package'; }
seen "built: $deb ($(dpkg-deb -f "$deb" Version))"
check 'lintian finds no error' lintian --fail-on error --allow-root "$deb"
# The next version: the same program under a higher number.
next=$work/next.deb
rm -rf "$work/next"
dpkg-deb -R "$deb" "$work/next"
sed -i 's/^Version: .*/&+next/' "$work/next/DEBIAN/control"
echo '# of the next version' >>"$work/next/etc/sales-gateway/gateway.example.toml"
dpkg-deb --root-owner-group -b "$work/next" "$next" >/dev/null

# --- a clean Debian ---

[ -x "$base/usr/bin/apt-get" ] && [ ! -d "$base/debootstrap" ] || {
    rm -rf "$base"
    check 'a clean Debian is made' debootstrap --variant=minbase bookworm "$base" "$mirror"
}
rm -rf "$root"
cp -a "$base" "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
inside apt-get update -q || { cat "$work/inside.log" >&2; fail 'the mirror'; }

# --- installed, without a configuration ---

install_deb "$deb"
says 'installing without a configuration says where to write it' "write $config"
check 'the program runs in a clean Debian' inside sales-gateway --version
inside getent passwd sales-gateway || fail 'there is no user sales-gateway'
IFS=: read -r _ _ uid gid _ _ shell <"$work/inside.log"
check 'its user cannot log in' test "$shell" = /usr/sbin/nologin
check 'the journal folder is its alone' test "$(stat -c '%a %u %g' "$root/var/lib/sales-gateway")" = "700 $uid $gid"
check 'the example is a good configuration but for what has to be filled in' \
    test "$(inside sales-gateway check-config --config /etc/sales-gateway/gateway.example.toml; grep -c '^error' "$work/inside.log")" -le 2
for page in man8/sales-gateway.8 man5/sales-gateway.toml.5; do
    check "the manual page $page has no fault" test -z "$(zcat "$root/usr/share/man/$page.gz" | groff -man -ww -z -K utf8 2>&1)"
done
check 'what the unit runs is there' grep -q '^ExecStart=/usr/bin/sales-gateway ' \
    "$root/usr/lib/systemd/system/sales-gateway.service"
# minbase has no systemd-analyze; this machine's reads the units where they were installed.
check 'systemd reads the installed units' systemd-analyze verify --man=no --root="$root" \
    sales-gateway.service sales-gateway-terminals.socket sales-gateway-callbacks.socket sales-gateway-admin.socket

# --- configured, and run as the service runs it ---

inside sales-gateway new-terminal caixa-01
key=$(tail -n 1 "$work/inside.log" | tr -d ' ')
lines=$(grep -A2 '^\[\[terminals\]\]' "$work/inside.log")
printf 'app-secret\n' | install -m 0600 /dev/stdin "$root/etc/sales-gateway/app_secret"
openssl rand -hex 32 | install -m 0600 /dev/stdin "$root/etc/sales-gateway/journal_key"
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
[journal]
path = "$journal"
key_file = "/etc/sales-gateway/journal_key"
$lines
END
written=$(sha256sum <"$root$config")
check "root's check-config reads the same configuration" inside sales-gateway check-config --config $config
sandbox=${SANDBOX_BIN:-}
[ -n "$sandbox" ] || for sandbox in build/{release,dev,asan}/sandbox-provider; do [ -x "$sandbox" ] && break; done
[ -x "$sandbox" ] || { check 'the sandbox provider is built' cmake --build --preset release --target sandbox-provider
    sandbox=build/release/sandbox-provider; }
"$sandbox" --listen $provider --app-key app-key --app-secret app-secret --estabelecimento 12345678 >"$work/sandbox.log" 2>&1 &
pids+=($!)
until_so curl -fs "http://$provider/sandbox/requests"
start_gateway
first=$(sell one) || fail 'the first sale'
check 'a sale is sold by the installed program' test "$(jq -r .outcome <<<"$first")" = sold
check 'the journal can be read by its user only' test "$(stat -c '%a %u' "$root$journal")" = "600 $uid"
check 'root copies the running journal' inside sales-gateway backup /root/copy.db
check 'nothing needs a person' inside sales-gateway attention
says 'and the command says so' 'Nothing needs attention.'
stop_gateway
sed 's/^/Nov 21 06:00:00 store sales-gateway[4711]: /' "$work/gateway.log" >"$work/syslog"
check 'logcheck has nothing to say about an ordinary day' \
    test -z "$(grep -Ev -f "$root/etc/logcheck/ignore.d.server/sales-gateway" "$work/syslog")"
printf 'Nov 21 06:00:00 store sales-gateway[4711]: {"time":"2026-11-21T06:00:00.000Z","level":"error","event":"sale.attention"}\n' \
    >"$work/syslog"
check 'but about an error it has' grep -Eqv -f "$root/etc/logcheck/ignore.d.server/sales-gateway" "$work/syslog"

# --- upgraded ---

echo '# mine' >>"$root/etc/sales-gateway/gateway.example.toml"
install_deb "$next"
says 'the upgrade checks the configuration' ok
check 'the configuration is as it was' test "$(sha256sum <"$root$config")" = "$written"
check 'so is what was changed in the example' grep -q '^# mine$' "$root/etc/sales-gateway/gateway.example.toml"
start_gateway
again=$(sell one) || fail 'the sale of before the upgrade'
check 'the sale of before the upgrade is known' test "$(sale_of "$again")" = "$(sale_of "$first")"
second=$(sell two) || fail 'a sale after the upgrade'
stop_gateway

# --- a wrong configuration stops no upgrade, and is left alone ---

echo 'max_attempts = 0' >>"$root$config"
broken=$(sha256sum <"$root$config")
install_deb "$deb"
says 'a wrong configuration is told' 'is left as it is, and has to be corrected'
check 'and left alone' test "$(sha256sum <"$root$config")" = "$broken"
sed -i '$d' "$root$config"

# --- taken back: an older program on a newer journal ---

sqlite3 "$root$journal" 'PRAGMA user_version = 999' >/dev/null
if inside /usr/bin/env CREDENTIALS_DIRECTORY=/run/credentials sales-gateway --config $config; then fail 'it started'; fi
says 'an older program refuses a newer journal in words' 'newer version of this program'
check 'restoring takes the upgrade back' inside sales-gateway restore /root/copy.db
check 'the restored journal is its user'"'"'s' test "$(stat -c '%a %u' "$root$journal")" = "600 $uid"
check 'the newer journal is kept' compgen -G "$root$journal.replaced-*"
start_gateway
again=$(sell one) || fail 'the sale of the copy'
check 'the sale of the copy is known' test "$(sale_of "$again")" = "$(sale_of "$first")"
check 'the sale after it is not' test "$(curl -fs "http://$admin/v1/sales/$(sale_of "$second")" -o /dev/null -w '%{http_code}' || true)" = 404
stop_gateway

# --- removed, installed again, purged ---

inside apt-get remove -q -y sales-gateway || fail 'removing'
check 'removing takes the program' test ! -e "$root/usr/bin/sales-gateway"
check 'with it no unit of its name can be started' test -L "$root/etc/systemd/system/sales-gateway.service"
check 'and leaves the configuration and the journal' test -e "$root$config" -a -e "$root$journal" \
    -a -e "$root/etc/sales-gateway/gateway.example.toml"
install_deb "$deb"
check 'installed again no unit is masked' test -z "$(find "$root/etc/systemd/system" -lname /dev/null -name 'sales-gateway*')"
check 'and the service starts with the machine' test -L \
    "$root/etc/systemd/system/multi-user.target.wants/sales-gateway.service"
start_gateway
again=$(sell one) || fail 'the sale of before the removal'
check 'installed again it knows its sales' test "$(sale_of "$again")" = "$(sale_of "$first")"
stop_gateway
held=$(sha256sum <"$root$journal")
inside apt-get purge -q -y sales-gateway || { cat "$work/inside.log" >&2; fail 'purging'; }
says 'purging says where the journal is' "$journal"
check 'and leaves it alone' test "$(sha256sum <"$root$journal")" = "$held"
check 'what the operator wrote stays' test -e "$root$config" -a -e "$root/etc/sales-gateway/app_secret" \
    -a -e "$root/etc/sales-gateway/journal_key"
check 'nothing else of the package does' test ! -e "$root/etc/sales-gateway/gateway.example.toml" \
    -a ! -e "$root/usr/bin/sales-gateway" -a ! -e "$root/etc/logcheck/ignore.d.server/sales-gateway"
echo 'All passed.'
