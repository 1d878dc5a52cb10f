#!/usr/bin/env bash
# This tests the Debian packages from their building to their purge, in a clean Debian of its own. It needs root,
# Debian's mirror and some minutes; each line of output is one thing that was seen to be true. The sandbox provider, the
# till (curl) and lintian run outside of the clean Debian. boot.sh tests what only systemd itself can show.
#
#   tests/package/run.sh                  builds the packages first, for the release that this machine has
#   tests/package/run.sh FILE.deb         tests this one, and the package of the module that lies beside it
#   tests/package/run.sh --release NAME   the same for bookworm, trixie or noble (Ubuntu 24.04), whatever this machine
#                                         has: runs tests/run.sh --quick and builds in a system of that release, too,
#                                         which takes half an hour more; UBUNTU_MIRROR and DEBIAN_MIRROR name a mirror
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/package/clean_debian.sh
require_packages "${package_test_packages[@]}"

root=$work/root
terminals=127.0.0.1:18080 admin=127.0.0.1:19090 provider=127.0.0.1:18090
port=15432
journal=/var/lib/sales-gateway/journal.db config=/etc/sales-gateway/gateway.toml
trap finish EXIT

gateway=
start_gateway() {
    # This runs it as the service does: as its user, and with the secrets as credentials that only it can read.
    install -d -m 0700 -o "$uid" -g "$gid" "$root/run/credentials"
    local secret
    for secret in app_secret journal_key journal_password; do
        [ ! -e "$root/etc/sales-gateway/$secret" ] ||
            install -m 0400 -o "$uid" -g "$gid" "$root/etc/sales-gateway/$secret" "$root/run/credentials/$secret"
    done
    chroot --userspec=sales-gateway:sales-gateway "$root" /usr/bin/env -i CREDENTIALS_DIRECTORY=/run/credentials \
        /usr/bin/sales-gateway --config $config >>"$work/gateway.log" 2>&1 &
    gateway=$!
    pids+=($gateway)
    until_so curl -fs "http://$admin/readyz"
}
# hand_over SECRET: does what `systemctl edit` is for, if the service needs a further secret.
hand_over() {
    mkdir -p "$root/etc/systemd/system/sales-gateway.service.d"
    printf '[Service]\nLoadCredential=%s:/etc/sales-gateway/%s\n' "$1" "$1" \
        >"$root/etc/systemd/system/sales-gateway.service.d/$1.conf"
}
stop_gateway() { kill "$gateway"; wait "$gateway" || fail "the gateway ended with $?"; }
# sell KEY: makes a sale with the demo's key, and prints the answer.
sell() {
    curl -fsS -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -H "Idempotency-Key: $1" \
        "http://$terminals/v1/sell" \
        -d '{"family":"tv","produto":"TV Mensal","fornecedor":"Operadora Norte","valor":4900,"cpf":"529.982.247-25"}'
}
sale_of() { jq -r .id <<<"$1"; }
schema() { sqlite3 "$root$journal" 'PRAGMA user_version'; }
# logcheck_says WHAT -z|-n: tests that Debian's logcheck, with all of its rules and the package's, reports nothing of
# the log, or something.
logcheck_says() {
    inside chown -R logcheck:adm /var/log/day
    inside setpriv --reuid logcheck --regid adm --clear-groups logcheck -o -t -l /var/log/day/syslog ||
        { cat "$work/inside.log" >&2; fail logcheck; }
    check "$1" test "$2" "$(grep 'sales-gateway' "$work/inside.log")"
}

# --- the package itself ---

if [ "${1:-}" = --release ]; then
    choose_release "${2:?--release takes the name of a release}"
    build_there
else
    find_deb "$@"
    make_next
    find_sandbox
    provider_program=("$sandbox")
fi
rm -f "$work/gateway.log"
check 'lintian finds no error' lintian --fail-on error --allow-root "$deb"
check 'nor in the package of the module' lintian --fail-on error --allow-root "$module"
seen "built: $next, whose journal has schema $newer"

# --- a clean Debian ---

make_base
copy_of "$base"
# This is Debian's own logcheck, with the least of its dependencies.
get logcheck logcheck-database cron msmtp-mta

# --- installed, without a configuration ---

install_deb "$deb"
says 'installing without a configuration says where to write it' "write $config"
says 'and what to do next' 'systemctl start sales-gateway'
check 'the program runs in a clean Debian' inside sales-gateway --version
check 'and finds the probe where the package puts it' inside sales-gateway probe --help
if inside dpkg-query -W libpq5; then fail 'it brings libpq along'; fi
seen 'it brings no client of PostgreSQL along'
inside getent passwd sales-gateway || fail 'there is no user sales-gateway'
IFS=: read -r _ _ uid gid _ _ shell <"$work/inside.log"
check 'its user cannot log in' test "$shell" = /usr/sbin/nologin
check 'the journal folder is its alone' test "$(stat -c '%a %u %g' "$root/var/lib/sales-gateway")" = "700 $uid $gid"
for example in gateway.example.toml gateway.example.pt-BR.toml; do
    check "$example is a good configuration but for what has to be filled in" \
        test "$(inside sales-gateway check-config --config /etc/sales-gateway/$example; grep -c '^error' "$work/inside.log")" -le 2
done
for page in {,pt_BR/}{man1/sandbox-provider.1,man5/sales-gateway.toml.5,man8/sales-gateway.8}; do
    page=$root/usr/share/man/$page.gz
    check "the manual page ${page#"$root"} is there" test -s "$page"
    check 'and has no fault' test -z "$(zcat "$page" | groff -man -ww -z -K utf8 2>&1)"
done
check 'bash finds the completion of its commands' bash -n "$root/usr/share/bash-completion/completions/sales-gateway"
check 'what the unit runs is there' grep -q '^ExecStart=/usr/bin/sales-gateway ' \
    "$root/usr/lib/systemd/system/sales-gateway.service"
# minbase has no systemd-analyze; the one of this machine reads the units where they were installed.
check 'systemd reads the installed units' systemd-analyze verify --man=no --root="$root" \
    sales-gateway.service sales-gateway-terminals.socket sales-gateway-callbacks.socket sales-gateway-admin.socket \
    sales-gateway-console.socket

for text in README.md LEIAME.md SECURITY.md docs/*.md docs/pt-BR/*.md examples/README.md examples/sandbox.toml; do
    [ "$text" = docs/design.md ] || check "$text is there" test -s "$root/usr/share/doc/sales-gateway/$text"
done
examples=()
for unit in statements.service statements.timer close.service close.timer; do
    examples+=("$root/usr/share/doc/sales-gateway/examples/sales-gateway-$unit")
done
check 'the examples of units are there' test -s "${examples[0]}" -a -s "${examples[1]}" -a -s "${examples[2]}" \
    -a -s "${examples[3]}"
install -m 0644 "${examples[@]}" "$root/etc/systemd/system/"
check 'copied as they say, systemd reads them' systemd-analyze verify --man=no --root="$root" "${examples[@]##*/}"
for unit in "${examples[@]##*/}"; do rm "$root/etc/systemd/system/$unit"; done

# --- tried on the sandbox provider, as anybody ---

# This does what the example says, in a network of its own, where its ports are free; the till is this machine's.
example=$root/usr/share/doc/sales-gateway/examples/sandbox.toml
install -d -m 0700 -o "$(id -u nobody)" "$root/tmp/trial"
as_nobody() { printf 'chroot --userspec=nobody:nogroup %q /usr/bin/env -i -C /tmp/trial /usr/bin/%s' "$root" "$*"; }
cat >"$work/trial.sh" <<END
ip link set lo up
$(as_nobody sandbox-provider) >"$work/trial-provider.log" 2>&1 & provider=\$!
$(as_nobody sales-gateway --config "${example#"$root"}") >"$work/trial-gateway.log" 2>&1 & gateway=\$!
for _ in \$(seq 300); do curl -fs http://127.0.0.1:9090/readyz && break; sleep 0.1; done
$(sed -n 's/^#     //p' "$example" | sed -n '/^KEY=/,/^done/p')
kill \$gateway && wait \$gateway && kill \$provider
END
check 'the example tries everything, as any user' sh -c 'unshare --net bash "$1" >"$2"' - "$work/trial.sh" "$work/till.txt"
check 'as it says, it sells a sale' grep -q '"outcome":"sold"' "$work/till.txt"
check 'and tells a till of one whose answer is lost that it is not sold' grep -q '"outcome":"not_sold"' "$work/till.txt"
check 'its journal lies where it was started' test -s "$root/tmp/trial/journal.db"

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
hand_over journal_key
check "root's check-config reads the same configuration" inside sales-gateway check-config --config $config
"${provider_program[@]}" --listen $provider --app-key app-key --app-secret app-secret --estabelecimento 12345678 >"$work/sandbox.log" 2>&1 &
pids+=($!)
until_so curl -fs "http://$provider/sandbox/requests"
start_gateway
first=$(sell one) || fail 'the first sale'
check 'a sale is sold by the installed program' test "$(jq -r .outcome <<<"$first")" = sold
check 'the journal can be read by its user only' test "$(stat -c '%a %u' "$root$journal")" = "600 $uid"
check 'root copies the running journal' inside sales-gateway backup /root/copy.db
check 'nothing needs a person' inside sales-gateway attention
says 'and the command says so' 'No sale is marked for a person.'
stop_gateway
install -d "$root/var/log/day"
sed 's/^/Nov 21 06:00:00 store sales-gateway[4711]: /' "$work/gateway.log" >"$root/var/log/day/syslog"
check 'the log of the day tells of its sales' grep -q '"event":"sale.closed"' "$root/var/log/day/syslog"
logcheck_says 'logcheck has nothing to say about it' -z
# This is how journald shows it.
line='Nov 21 06:00:00 store sales-gateway[4711]: caixa-01: a person is needed: no callback has come for an eSIM'
echo "$line" >"$root/var/log/day/syslog"
logcheck_says 'but about a sale that needs a person it has' -n

# --- upgraded ---

before=$(schema)
cp "$root$journal" "$work/older.db"
echo '# mine' >>"$root/etc/sales-gateway/gateway.example.toml"
install_deb "$next"
says 'the upgrade checks the configuration' 'gateway.toml is in order'
check 'the configuration is as it was' test "$(sha256sum <"$root$config")" = "$written"
check 'so is what was changed in the example' grep -q '^# mine$' "$root/etc/sales-gateway/gateway.example.toml"
start_gateway
again=$(sell one) || fail 'the sale of before the upgrade'
check 'the sale of before the upgrade is known' test "$(sale_of "$again")" = "$(sale_of "$first")"
second=$(sell two) || fail 'a sale after the upgrade'
stop_gateway
check "the journal was taken forward, from schema $before to $newer" test "$before" -lt "$newer" -a "$(schema)" = "$newer"

# --- a downgrade is refused ---

# The gateway was killed before it copied its log into the file, which still says that it has the older version.
rm -rf "$work/set-aside"
mkdir "$work/set-aside"
mv "$root$journal"* "$work/set-aside/"
install -m 0600 -o "$uid" -g "$gid" "$work/older.db" "$root$journal"
start_gateway
kill -KILL "$gateway"
wait "$gateway" 2>/dev/null || true
check 'a journal was taken forward in its log only' test "$(od -An -tu1 -j63 -N1 "$root$journal")" -eq "$before"
cp "$deb" "$root/tmp/older.deb"
if inside dpkg -i /tmp/older.deb; then fail 'the older version was installed where only the log is newer'; fi
says 'the older package is not installed on that one either' "was written by a newer version of this program (schema $newer"
rm -f "$root$journal"*
mv "$work/set-aside/"* "$root/var/lib/sales-gateway/"
held=$(sha256sum <"$root$journal")
if inside dpkg -i /tmp/older.deb; then fail 'the older version was installed on a newer journal'; fi
says 'the older package is not installed on a newer journal' "was written by a newer version of this program (schema $newer"
says 'and says what to do' 'see the end of /usr/share/doc/sales-gateway/docs/backup.md'
inside dpkg-query -W -f '${Version} ${db:Status-Status}' sales-gateway
says 'the newer version stays installed' '+next installed'
dpkg-deb -x "$deb" "$work/older"
install "$work/older/usr/bin/sales-gateway" "$root/tmp/older-gateway"
if inside env CREDENTIALS_DIRECTORY=/run/credentials /tmp/older-gateway --config $config; then fail 'it started'; fi
says 'the older program refuses a newer journal in words too' 'newer version of this program'
check 'the journal is as it was' test "$(sha256sum <"$root$journal")" = "$held"
start_gateway
again=$(sell two) || fail 'the sale of the newer version'
check 'and the newer version goes on' test "$(sale_of "$again")" = "$(sale_of "$second")"
stop_gateway

# --- taken back all the same, as the document says ---

install -d -m 0700 "$root/var/lib/sales-gateway/newer"
mv "$root$journal"* "$root/var/lib/sales-gateway/newer/"
install_deb "$deb"
says 'the older version is installed where its journal is set aside' 'gateway.toml is in order'
check 'the copy of before the upgrade is restored' inside sales-gateway restore /root/copy.db
check 'the restored journal is its user'"'"'s' test "$(stat -c '%a %u' "$root$journal")" = "600 $uid"
start_gateway
again=$(sell one) || fail 'the sale of the copy'
check 'the sale of the copy is known' test "$(sale_of "$again")" = "$(sale_of "$first")"
check 'the sale after it is not' test "$(curl -fs "http://$admin/v1/sales/$(sale_of "$second")" -o /dev/null -w '%{http_code}' || true)" = 404
stop_gateway

# --- a wrong configuration stops no upgrade, and is left alone ---

echo 'max_attempts = 0' >>"$root$config"
broken=$(sha256sum <"$root$config")
install_deb "$next"
says 'a wrong configuration is told' 'is left as it is, and has to be corrected'
check 'and left alone' test "$(sha256sum <"$root$config")" = "$broken"
sed -i '$d' "$root$config"

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
    -a ! -e "$root/etc/sales-gateway/gateway.example.pt-BR.toml" \
    -a ! -e "$root/usr/bin/sales-gateway" -a ! -e "$root/usr/bin/sandbox-provider" \
    -a ! -e "$root/usr/lib/sales-gateway" -a ! -e "$root/etc/logcheck/ignore.d.server/sales-gateway"

# --- with the journal on PostgreSQL ---

sed -i "s|^path = .*|url = \"postgresql://gateway@127.0.0.1:$port/journal\"\\
password_file = \"/etc/sales-gateway/journal_password\"|" "$root$config"
printf 'password-of-gateway\n' | install -m 0600 /dev/stdin "$root/etc/sales-gateway/journal_password"
hand_over journal_password
install_deb "$deb"
says 'installed without the module it names the package' 'install the package sales-gateway-postgres'
if inside sales-gateway check-config --config $config; then fail 'check-config is content without the module'; fi
says 'so does check-config' 'install the package sales-gateway-postgres'
if inside sales-gateway --config $config; then fail 'it starts without the module'; fi
says 'and so does a start' 'install the package sales-gateway-postgres'
install_deb "$module"
says 'with it the configuration is in order' 'gateway.toml is in order'
says 'it brings the client of PostgreSQL along' 'libpq5'
# This takes whichever version the release has.
get postgresql
pg=$(ls "$root/etc/postgresql")
inside pg_conftool "$pg" main set port $port || fail 'the port of the database'
inside pg_ctlcluster "$pg" main start || { cat "$work/inside.log" >&2; fail 'the database'; }
pids+=("$(head -n 1 "$root/var/lib/postgresql/$pg/main/postmaster.pid")")
sql() { inside setpriv --reuid postgres --regid postgres --clear-groups psql -qXAt -v ON_ERROR_STOP=1 -p $port "$@"; }
sql -c "CREATE ROLE gateway LOGIN PASSWORD 'password-of-gateway'" -c 'CREATE DATABASE journal OWNER gateway' ||
    { cat "$work/inside.log" >&2; fail 'the role and the database'; }
start_gateway
third=$(sell three) || fail 'the sale on PostgreSQL'
check 'a sale is sold on PostgreSQL, with the password that only root can read' \
    test "$(jq -r .outcome <<<"$third")" = sold
sql -d journal -c "SELECT status FROM sales WHERE id = '$(sale_of "$third")'"
says 'the database has it' EFETIVADA
stop_gateway
install_deb "$next" "$next_module"
says 'both are upgraded together' 'gateway.toml is in order'
start_gateway
again=$(sell three) || fail 'the sale of before the upgrade, on PostgreSQL'
check 'the sale of before the upgrade is known there too' test "$(sale_of "$again")" = "$(sale_of "$third")"
stop_gateway
inside apt-get remove -q -y sales-gateway-postgres || fail 'removing the module'
says 'removing the module is told of too' 'install the package sales-gateway-postgres'
inside pg_ctlcluster "$pg" main stop || fail 'stopping the database'
echo 'All passed.'
