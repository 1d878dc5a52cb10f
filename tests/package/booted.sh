#!/usr/bin/env bash
# This runs in the machine that boot.sh makes, once after each boot, and prints on the second serial line what it has
# seen.
set -uo pipefail
stty -F /dev/ttyS1 raw
exec >/dev/ttyS1 2>&1
cd /root || exit 1

unit=sales-gateway.service
config=/etc/sales-gateway/gateway.toml journal=/var/lib/sales-gateway/journal.db
gateway=http://127.0.0.1:8080 admin=http://127.0.0.1:9090 books=http://127.0.0.1:18090/sandbox
cpf=529.982.247-25

seen() { printf 'ok  %s\n' "$*"; }
fail() {
    printf '%s\n' "$(journalctl -u $unit -n 30 -o short --no-pager | cut -c1-300)"
    printf 'FAILED  %s\n' "$*"
    sleep 1
    systemctl poweroff --force
    exit 1
}
# check WHAT COMMAND... tests that the command succeeds; is WHAT FOUND EXPECTED compares two values.
check() { local what=$1; shift; "$@" >last.log 2>&1 || { tail -n 20 last.log; fail "$what"; }; seen "$what"; }
is() { [ "$2" = "$3" ] || fail "$1: '$2' instead of '$3'"; seen "$1"; }
until_so() {
    local end=$((SECONDS + 240))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || fail "this never came to be: $*"
        sleep 0.2
    done
}
property() { systemctl show -p "$1" --value $unit; }
pid() { property MainPID; }
has() { [ "$(property "$1")" = "$2" ]; }
serves() { has ActiveState active && curl -fs $admin/readyz; }
restarted() { [ "$(property NRestarts)" -gt "$1" ] && serves; }
# call PATH CURL-ARGUMENTS... and sell KEY CENTS [MORE] print the answer, whatever its status.
call() { local path=$1; shift; curl -sS -H "Authorization: Bearer $till" "$gateway$path" "$@"; }
sell() {
    call /v1/sell -H 'Content-Type: application/json' -H "Idempotency-Key: $1" -H 'Prefer: wait=60' -d "{\"family\":\"tv\",
        \"produto\":\"TV Mensal\",\"fornecedor\":\"Operadora Norte\",\"valor\":$2,\"cpf\":\"$cpf\"${3:-}}"
}
status_of() { curl -fsS "$books/transactions?idExterno=$1" | jq -r '.transactions[0].status'; }
# of SALE FIELD...: prints what systemd's journal holds about a sale.
of() { journalctl "SALE=$1" -o json --no-pager | jq -r "$2"; }
says() { journalctl -q --no-pager "$@" | grep -q .; }

installed() {
    dpkg -i this.deb >install.log 2>&1 || { cat install.log; fail 'installing'; }
    check 'installing says what to do next' grep -q 'new-terminal' install.log
    check 'installing without a configuration starts nothing' has ActiveState inactive
    is 'the service is enabled for the next boot' "$(systemctl is-enabled $unit)" enabled
    install -m 0600 /dev/stdin /etc/sales-gateway/app_secret <<<app-secret
    head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' |
        systemd-creds -q encrypt --name=journal_key - /etc/sales-gateway/journal_key.cred 2>/dev/null
    chmod 0600 /etc/sales-gateway/journal_key.cred
    mkdir -p /etc/systemd/system/$unit.d
    printf '[Service]\nLoadCredentialEncrypted=journal_key:/etc/sales-gateway/journal_key.cred\n' \
        >/etc/systemd/system/$unit.d/journal-key.conf
    sales-gateway new-terminal caixa-01 >lines.toml 2>till
    till=$(tail -n 1 till | tr -d ' ')
    cat - lines.toml >$config <<END
[listen]
terminals = "0.0.0.0:8080"
admin = "127.0.0.1:9090"
[provider]
base_url = "http://127.0.0.1:18090"
auth_url = "http://127.0.0.1:18090"
app_key = "app-key"
app_secret_file = "/etc/sales-gateway/app_secret"
scopes = ["Venda_TvPrePaga"]
estabelecimento = "12345678"
[limits]
hold = "30m"
[journal]
path = "$journal"
key_file = "/etc/sales-gateway/journal_key"
END
    systemctl daemon-reload
    check 'systemctl start returns when the gateway has said that it is ready' systemctl start $unit
    is 'it is active' "$(property ActiveState)/$(property SubState)/$(property Type)" active/running/notify
    until_so has StatusText 'Takes sales.'
    seen 'its status says that it takes sales'
}

hardened() {
    local line name value process told
    is 'the watchdog is on' "$(property WatchdogUSec)" 30s
    told=$(property WatchdogTimestampMonotonic)
    watchdog_fed() { [ "$(property WatchdogTimestampMonotonic)" != "$told" ]; }
    until_so watchdog_fed
    seen 'and fed'
    is 'the state folder is its alone' "$(stat -c '%a %U' /var/lib/sales-gateway)" '700 sales-gateway'
    is 'so is the journal' "$(stat -c '%a %U' $journal)" '600 sales-gateway'
    while read -r line; do
        name=${line%%=*} value=${line#*=}
        [ "$(property "$name")" = "$value" ] || fail "$name is $(property "$name")"
    done < <(grep -E '^[A-Z][A-Za-z]+=(yes|strict|invisible|private|pid|0077|0700)$' /usr/lib/systemd/system/$unit)
    seen 'every hardening switch of the unit is in force'
    process=/proc/$(pid)
    is 'it has no capability and no way to get one' "$(awk '/^(CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs):/ {print $2}' \
        "$process/status" | sort -u | tr '\n' ' ')" '0000000000000000 1 '
    is 'its system calls are filtered' "$(awk '/^Seccomp:/ {print $2}' "$process/status")" 2
    check 'it leaves no core' grep -Eq '^Max core file size +0 +0 ' "$process/limits"
    for told in /etc/x /usr/x /root/x /home/x /boot/x; do
        if nsenter -t "$(pid)" -m touch $told 2>/dev/null; then fail "$told can be written"; fi
    done
    seen 'what it sees of the system cannot be written, not even by root'
    check 'it sees no disk' nsenter -t "$(pid)" -m test ! -e /dev/vda
    check 'systemd-analyze security, of the running service, finds at most 1.2' \
        systemd-analyze security --no-pager --threshold=12 $unit
    seen "namely: $(sed -n 's/^.*Overall exposure level for [^:]*: \([0-9.]*\).*/\1/p' last.log)"
}

sells() {
    local answer id
    answer=$(sell one 4900)
    is 'it sells with the app-secret that only root can read' "$(jq -r .outcome <<<"$answer")" sold
    id=$(jq -r .id <<<"$answer")
    echo "$id" >one
    if grep -qF -e $cpf -e 52998224725 /var/lib/sales-gateway/*; then fail 'the journal holds a CPF'; fi
    check 'its journal is encrypted with the key that systemd decrypted' grep -qa EFETIVADA -r /var/lib/sales-gateway
    if says EVENT=journal.unsealed; then fail 'the journal is not encrypted'; fi
    check 'the credentials are handed to nobody else' test "$(stat -c %a /run/credentials/$unit/app_secret)" = 400 \
        -o "$(stat -c %a /run/credentials/$unit/app_secret)" = 440
    if setpriv --reuid nobody --regid nogroup --clear-groups cat /run/credentials/$unit/app_secret 2>/dev/null; then
        fail 'anybody reads them'
    fi
    logged() { of "$id" .EVENT | grep -qx sale.closed; }
    until_so logged
    is "journalctl SALE=... is the sale's history" "$(of "$id" .EVENT | uniq | tr '\n' ' ')" \
        'sale.begun sale.step sale.closed '
    is 'with its fields' "$(of "$id" 'select(.EVENT == "sale.closed") | "\(.VALOR) \(.TERMINAL) \(.PRIORITY) \(._SYSTEMD_UNIT)"')" \
        "4900 caixa-01 6 $unit"
    check 'nothing is logged as an error' test -z "$(journalctl -q -u $unit -p err --no-pager)"
}

reloads() {
    local before other
    before=$(pid)
    sales-gateway new-terminal caixa-02 >>$config 2>till
    other=$(tail -n 1 till | tr -d ' ')
    is 'a new till is not known' "$(till=$other call /v1/sales -o /dev/null -w '%{http_code}')" 401
    check 'systemctl reload succeeds' systemctl reload $unit
    known() { [ "$(till=$other call /v1/sales -o /dev/null -w '%{http_code}')" = 200 ]; }
    until_so known
    is 'and lets the new till in, in the same process' "$(pid)" "$before"
    check 'systemd is told when it is done' has ActiveState active
}

takes_another_secret() {
    local before
    before=$(pid)
    cp -p /etc/sales-gateway/app_secret app_secret
    echo another >/etc/sales-gateway/app_secret
    check 'a reload takes another app-secret' systemctl reload $unit
    until_so says EVENT=token.failed -g 'Unknown credentials'
    is 'and a wrong one costs no sale while the token lasts' "$(sell with-a-wrong-secret 4900 | jq -r .outcome)" sold
    cp app_secret /etc/sales-gateway/app_secret
    check 'the right one is taken likewise' systemctl reload $unit
    obtained() { [ "$(journalctl -q EVENT=token.obtained HOW=client_credentials -o cat --no-pager | wc -l)" -ge 2 ]; }
    until_so obtained
    is 'by the same process' "$(pid)" "$before"
    check 'and without a restart' test -z "$(journalctl -q EVENT=reload.needs_restart --no-pager)"
}

# This calls as fast as a till can, from several processes at once, while the file "calling" is there.
caller() {
    local i=0
    while [ -e calling ]; do
        call /v1/sales?limit=1 -o /dev/null -w '%{http_code} ' >>"calls.$1"
        echo $? >>"calls.$1"
        i=$((i + 1))
    done
}
holds_its_port() {
    local one pids=() before
    check 'the socket is enabled as docs/install.md says' sh -c "systemctl stop $unit &&
        systemctl enable --now sales-gateway-terminals.socket && systemctl start $unit"
    systemctl stop $unit 2>/dev/null
    is 'it stays open while the gateway is stopped, and a call starts it' \
        "$(call /v1/sales?limit=1 -o /dev/null -w '%{http_code}')" 200
    touch calling
    for one in 1 2 3 4 5 6; do caller $one & pids+=($!); done
    for one in 1 2 3; do
        before=$(pid)
        systemctl restart $unit || fail 'restarting'
        [ "$(pid)" != "$before" ] || fail 'it is the same process'
    done
    rm calling
    wait "${pids[@]}"
    is 'three restarts lose no connection attempt: every call is answered' "$(awk '{print $NF}' calls.* | sort -u)" 0
    check "and with 200, $(cat calls.* | wc -l) of them" test -z "$(grep -v '^200 0$' calls.*)"
}

reported() {
    journalctl --sync
    setpriv --reuid logcheck --regid logcheck --init-groups logcheck -o -t 2>&1 | grep -i 'sales.gateway'
}
ordinary_day() {
    is 'logcheck, which reads the journal, reports nothing of the gateway and its unit' "$(reported)" ''
    systemd-cat -t sales-gateway -p err echo 'caixa-01: a person is needed: no callback has come for an eSIM'
    is 'but a sale that needs a person' "$(reported | grep -c 'a person is needed')" 1
}

is_killed() {
    local before restarts held slow='' answer
    held=$(sell held 4900 ',"confirm":"manual"')
    is 'a sale is held' "$(jq -r .outcome <<<"$held")" held
    sell slow 4904 >slow.json 2>/dev/null &
    under_way() { [ "$(curl -fs "$admin/v1/sales?limit=1" | jq -r '.sales[0].outcome')" = pending ]; }
    until_so under_way
    before=$(pid) restarts=$(property NRestarts)
    systemctl kill --signal=KILL --kill-whom=main $unit
    until_so restarted "$restarts"
    wait
    check 'killed, it is started again by systemd' test "$(pid)" != "$before"
    is 'the sale of before is known' "$(sell one 4900 | jq -r .id)" "$(cat one)"
    answer=$(call "/v1/sales/$(jq -r .id <<<"$held")/confirm" -X POST)
    is 'the held sale is confirmed' "$(jq -r .outcome <<<"$answer")" sold
    is "so it stands in the provider's books" "$(status_of "$(jq -r .idExterno <<<"$answer")")" EFETIVADA
    decided() { slow=$(sell slow 4904) && [ "$(jq -r .outcome <<<"$slow")" != pending ]; }
    until_so decided
    seen "the sale that was under way is taken up again and $(jq -r .outcome <<<"$slow")"
    slow=$(jq '.sale // .' <<<"$slow") # a cancelled sale is told as a problem, about a sale
    agrees() { [ "$(status_of "$(jq -r .idExterno <<<"$slow")")" = "$(jq -r .status <<<"$slow")" ]; }
    until_so agrees
    seen 'as the provider has it'
}

hangs() {
    local restarts
    restarts=$(property NRestarts)
    kill -STOP "$(pid)"
    until_so restarted "$restarts"
    check 'a process that hangs is found by the watchdog' says -u $unit -g 'Watchdog timeout'
    seen 'and started again'
    check 'without a core' test -z "$(find / -xdev -name 'core*' -size +1M -newer one -type f 2>/dev/null)"
}

is_wrongly_configured() {
    local before restarts
    before=$(pid)
    cp $config good.toml
    echo 'max_attempts = 0' >>$config
    if systemctl reload $unit 2>reload.log; then fail 'a broken file was reloaded'; fi
    check 'systemctl reload of a broken file fails, and says where to look' grep -q 'systemctl status' reload.log
    systemctl status --no-pager $unit >status.log
    check 'and systemctl status says why' grep -q 'error: .*max_attempts' status.log
    check 'the gateway was not even told' test -z "$(journalctl -q EVENT=reload.refused --no-pager)"
    is 'and goes on, in the same process' "$(pid) $(property ActiveState)" "$before active"
    systemctl kill --signal=HUP --kill-whom=main $unit
    until_so says EVENT=reload.refused PRIORITY=3
    is 'told all the same, it refuses the file and goes on' "$(pid)" "$before"
    if systemctl restart $unit 2>/dev/null; then fail 'it started with a broken file'; fi
    restarts=$(property NRestarts)
    for _ in 1 2 3 4 5; do
        sleep 1
        [ "$(property NRestarts)" = "$restarts" ] || fail 'it is started again and again'
    done
    is 'a start with a broken file is not tried again by itself' "$(property ActiveState)" failed
    check 'and says what is wrong' says -u $unit -g '^error: .*max_attempts'
    call /v1/sales?limit=1 -o /dev/null -w '%{http_code}' >late &
    tried() { [ "$(journalctl -q -u $unit -g 'status=2' --no-pager | wc -l)" -ge 3 ]; }
    until_so tried
    cp good.toml $config
    wait $!
    is 'a till that waits meanwhile is answered once the file is mended' "$(cat late)" 200
}

# The package is as between its installation and its configuration, and half of that was forgotten.
is_not_configured() {
    local before
    systemctl stop sales-gateway-terminals.socket $unit
    rm $config
    check 'systemctl start without a configuration is no failure' systemctl start $unit
    until_so has ActiveState inactive
    is 'but starts nothing' "$(property Result)" exec-condition
    systemctl status --no-pager $unit >status.log
    check 'systemctl status says which files to write' grep -q "$config.*/etc/sales-gateway/app_secret" status.log
    systemctl start sales-gateway-terminals.socket
    is 'no port is opened for nobody' "$(systemctl is-active sales-gateway-terminals.socket)" inactive
    cp good.toml $config
    mv /etc/sales-gateway/app_secret app_secret
    if systemctl start $unit 2>/dev/null; then fail 'it started without the app-secret'; fi
    check 'without the app-secret the start fails and names the file' \
        says -u $unit -g '^error: .*"/etc/sales-gateway/app_secret" cannot be opened'
    sleep 3
    is 'and is not tried again by itself' "$(property ActiveState) $(property NRestarts)" 'failed 0'
    mv app_secret /etc/sales-gateway/app_secret
    check 'a credential that cannot be had is not tried again either' sh -c "
        mv /etc/sales-gateway/journal_key.cred . && ! systemctl start $unit 2>/dev/null && sleep 3 &&
        mv journal_key.cred /etc/sales-gateway/"
    is 'namely' "$(property ActiveState) $(property NRestarts) $(property ExecMainStatus)" 'failed 0 243'

    systemctl start sales-gateway-terminals.socket
    rm $config
    before=$(date +%s)
    call /v1/sales?limit=1 -o /dev/null -w '%{http_code}' >late &
    skipped() { journalctl -q --since "@$before" --no-pager | grep -c "Skipped due to 'exec-condition'"; }
    skipped_thrice() { [ "$(skipped)" -ge 3 ]; }
    until_so skipped_thrice
    cp good.toml $config
    wait $!
    is 'one that waits for a configuration too' "$(cat late)" 200
    check "and had it looked for once a second, not thousands of times: $(skipped) times in $(($(date +%s) - before)) s" \
        test "$(skipped)" -le $(($(date +%s) - before + 1))
}

is_upgraded() {
    local before
    before=$(pid)
    dpkg --force-confold -i next.deb >upgrade.log 2>&1 || { cat upgrade.log; fail 'upgrading'; }
    until_so serves
    grep -q 'gateway.toml is in order' upgrade.log || { cat upgrade.log; fail 'the configuration is not good any more'; }
    seen 'an upgrade checks the configuration, with the credentials of the service'
    check 'and restarts it' test "$(pid)" != "$before"
    check 'and leaves no credential behind' test -z "$(find /run -maxdepth 1 -name 'sales-gateway-check*')"
    is 'it knows its sales' "$(sell one 4900 | jq -r .id)" "$(cat one)"
    before=$(pid)
    sync
    if dpkg --force-confold -i this.deb >downgrade.log 2>&1; then fail 'the older version was installed'; fi
    check 'a downgrade is refused in words' grep -q 'was written by a newer version of this program' downgrade.log
    is 'and disturbs nothing' "$(pid) $(property ActiveState)" "$before active"
}

# This sells until the power is cut, and prints what each till was told.
until_the_power_is_cut() {
    local one
    for one in a b c; do
        (
            i=0
            while :; do
                i=$((i + 1))
                sell "$one-$i" 4900 | jq -r '"told \(.id) \(.outcome)"'
            done
        ) &
    done
    sell held-at-the-cut 4900 ',"confirm":"manual"' >/dev/null
    printf 'now cut the power\n'
    wait
}

back_again() {
    until_so serves
    seen 'after a power cut the machine and the service come back by themselves'
    is 'the sale of before is known' "$(sell one 4900 | jq -r .id)" "$(cat one)"
    is 'so is the one that was held' "$(sell held-at-the-cut 4900 ',"confirm":"manual"' | jq -r .outcome)" held
    call "/v1/sales/$(sell held-at-the-cut 4900 ',"confirm":"manual"' | jq -r .id)/cancel" -X POST >last.log
    is 'and can be cancelled' "$(jq -r .outcome last.log)" not_sold
    settled() { [ "$(curl -fs $admin/metrics | awk '/^gateway_sales_open/ {n += $2} END {print n + 0}')" = 0 ]; }
    until_so settled
    seen 'every sale that the cut left open is settled'
    curl -fsS "$admin/v1/sales?limit=200" | jq -r '.sales[] | "sale \(.id) \(.status) \(.outcome) \(.idExterno)"'
}

# This makes an empty journal on a second disk.
takes_the_second_disk() {
    until_so serves
    systemctl stop 'sales-gateway*'
    check 'there is a second disk' mke2fs -q -t ext4 /dev/vdb
    echo '/dev/vdb /var/lib/sales-gateway ext4 defaults,nofail 0 2' >>/etc/fstab
    systemctl daemon-reload
    check 'it takes the place of the first one' mount /var/lib/sales-gateway
    chown sales-gateway: /var/lib/sales-gateway
    check 'the gateway starts' systemctl start $unit
    is 'with an empty journal there' "$(findmnt -n -o SOURCE -T $journal) $(sales-gateway sales --json)" '/dev/vdb '
    touch on-second-disk
    sync
}

# Anything that was written there may be lost, even if it was flushed: the gateway survives that, or says it.
back_on_second_disk() {
    local said
    ended() { serves || [ "$(property NRestarts)" -ge 3 ] || has ActiveState inactive; }
    until_so ended
    said=$(journalctl -q -b EVENT=journal.restored -o cat --no-pager | head -n 1)
    if ! serves >/dev/null 2>&1; then
        said=$(journalctl -q -b -u $unit -p err -o cat --no-pager | head -n 1)
        printf 'noticed %s\n' "${said:-it does not start}"
        return
    fi
    [ -z "$said" ] || printf 'noticed %s\n' "$said"
    sales-gateway sales --limit 1000 --json | jq -r '"sale \(.id) \(.status) \(.outcome) \(.idExterno)"'
}

is_removed() {
    dpkg -r sales-gateway >last.log 2>&1 || fail 'removing'
    is 'removing stops it' "$(property ActiveState)" inactive
    if call /v1/sales; then fail 'its port is still open'; fi
    dpkg -P sales-gateway >purge.log 2>&1 || fail 'purging'
    check 'purging says where the journal is' grep -qF $journal purge.log
    check 'and leaves it there' test -s $journal
}

if [ ! -e one ]; then
    installed && hardened && sells && reloads && holds_its_port && ordinary_day && takes_another_secret &&
        is_killed && hangs && is_wrongly_configured && is_not_configured && is_upgraded
    echo "$till" >key
    sync
    until_the_power_is_cut
elif [ -b /dev/vdb ] && [ ! -e on-second-disk ]; then
    till=$(cat key)
    takes_the_second_disk
    until_the_power_is_cut
else
    till=$(cat key)
    if [ -b /dev/vdb ]; then back_on_second_disk; else back_again && is_removed; fi
    printf 'All of it was seen.\n'
    sleep 1
    systemctl poweroff
fi
