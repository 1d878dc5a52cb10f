#!/usr/bin/env bash
# This shows the gateway at work. It builds the gateway where it is neither built nor installed, starts it with a
# sandbox provider, and sells one product of every family. Then it loses answers and kills the gateway in the middle of
# a sale, and each time it looks into the provider's books. It goes on running until Ctrl-C, so that you can sell
# yourself. It contacts no other machine except to fetch missing packages, and leaves nothing but build/.
#
#   deploy/demo.sh              shows it, then waits
#   deploy/demo.sh --once       shows it, then ends: 0 only if everything came out as it must
#   deploy/demo.sh --verbose    shows every call and every answer too
#   deploy/demo.sh --build      builds what has changed since it was built
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. deploy/packages.sh
. deploy/progress.sh
. deploy/demo_parts.sh

usage() { sed -n '2,10s/^# \{0,1\}//p' deploy/demo.sh; }
read_options "$@"

# --- built ---

require_packages "${demo_packages[@]}"
find_programs sales-gateway sandbox-provider

# --- started ---

folder=$(mktemp -d)
provider_pid='' gateway_pid='' till_pid=''
# However the demo ends, nothing is left running. The logs are kept where something went wrong.
finish() {
    local status=$? pid
    trap - EXIT
    trap '' INT TERM HUP  # a second Ctrl-C must not stop the cleaning up
    for pid in $till_pid $gateway_pid $provider_pid; do
        { kill "$pid" && wait "$pid"; } 2>/dev/null || true
    done
    case $status in
        0 | 130) rm -rf "$folder" ;;
        *) printf '%s\n' "What the two programs said is kept in $folder: gateway.log, provider.log" >&2 ;;
    esac
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

free_port 8090; provider=127.0.0.1:$port
free_port 8080; terminals=127.0.0.1:$port
free_port 8081; callbacks=127.0.0.1:$port
free_port 9090; admin=127.0.0.1:$port
free_port 9091; console=127.0.0.1:$port

# This is config/sandbox.toml with those ports. Each port becomes a name first, so that no new port is taken for another
# one's old number.
sed -e 's/127\.0\.0\.1:8090/PROVIDER/; s/127\.0\.0\.1:8080/TERMINALS/; s/127\.0\.0\.1:8081/CALLBACKS/' \
    -e 's/127\.0\.0\.1:9090/ADMIN/; s/127\.0\.0\.1:9091/CONSOLE/' \
    -e "s/PROVIDER/$provider/; s/TERMINALS/$terminals/; s/CALLBACKS/$callbacks/; s/ADMIN/$admin/; s/CONSOLE/$console/" \
    -e "s|\"journal\.db\"|\"$folder/journal.db\"|" config/sandbox.toml >"$folder/gateway.toml"
chmod 600 "$folder/gateway.toml"

start_gateway() {
    "$programs/sales-gateway" --config "$folder/gateway.toml" >>"$folder/gateway.log" 2>&1 &
    gateway_pid=$!
}
still_running() {
    kill -0 "$provider_pid" 2>/dev/null || { tail -n 5 "$folder/provider.log" >&2; die 'The sandbox provider has ended.'; }
    kill -0 "$gateway_pid" 2>/dev/null || { tail -n 5 "$folder/gateway.log" >&2; die 'The gateway has ended.'; }
}
# until_ready: waits until the gateway takes sales.
until_ready() {
    local ready
    for _ in $(seq 300); do
        still_running
        ready=$(curl -s -o /dev/null -w '%{http_code}' "http://$admin/readyz" || true)
        [ "$ready" != 200 ] || return 0
        sleep 0.05
    done
    die "The gateway is not ready after 15 s: $(curl -s "http://$admin/readyz")"
}

"$programs/sandbox-provider" --listen "$provider" >"$folder/provider.log" 2>&1 &
provider_pid=$!
start_gateway
until_ready
say "A gateway serves terminals on $terminals; a sandbox stands in for the provider on $provider."

# --- what a till does ---

base=http://$terminals
# first_option QUERY: prints the first product that can be sold, in the shape that a sell takes.
first_option() {
    call "$base/v1/options?$1" -H "$token"
    [ $verbose = no ] || jq "${colour[@]}" '.options[0]' <<<"$answer"
    option=$(jq -c '.options[0].sell' <<<"$answer")
}
row() { printf '  %-9s%-19s%11s   %-9s%6s%s\n' "$@"; }
# sale_row [NOTE]: prints the line of the sale that the last answer is about.
sale_row() {
    row "$(field family)" "$(field produto)" "$(money "$(field valor)")" "$(field outcome)" "$ms ms" "${1:+   $1}"
    must_be_sold
}

# --- act one ---

headline 'A till makes one call a sale, and is told one word. Five families, six products:'
echo
row family product amount outcome time ''
tv='{"family":"tv","produto":"TV Mensal","valor":4990,"cpf":"529.982.247-25"}'
sell tv "$tv"
sale_row

first_option 'family=tv&produto=TV%20Livre'
sell tv-dynamic "$option"
sale_row 'at a price that the provider names'

first_option 'family=egift&nomeMenu=Jogos'
sell egift "$(jq -c '. + {fornecedor: "Estudio Um", tipoNegocio: 1, valor: 5000}' <<<"$option")"
sale_row 'its code is on the receipt'

first_option 'family=transit&produto=Bilhete&numeroCartao=1000000001'
sell transit "$(jq -c '. + {valor: 440}' <<<"$option")"
sale_row 'the card says what it takes'

first_option 'family=health&produto=Consulta'
sell health "$option"
sale_row 'a voucher with its PIN'

endereco='{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"Sao Paulo","bairro":"Bela Vista",
  "tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}'
sell esim "{\"family\":\"esim\",\"produto\":\"Chip Virtual\",\"servicoId\":\"301\",\"valorRecarga\":1500,\"valor\":2990,
 \"consumidor\":{\"cpf\":\"529.982.247-25\",\"nome\":\"Maria da Silva\",\"email\":\"maria@correio.example\",
  \"nascimento\":\"21041985\",\"telefone\":11987654321,\"endereco\":$endereco},
 \"endereco\":$endereco}"
note=''
if [ "$status" = 202 ]; then
    note="answered pending after $ms ms; the provider calls back"
    [ $verbose = no ] || show_answer
    before=$ms
    call "$base/v1/sales/$(field id)" -H "$token" -H 'Prefer: wait=20'
    ms=$((before + ms))
fi
sale_row "$note"

# --- act two: the promise ---

sells="TV Mensal for $(money 4990)"

headline 'Networks lose answers, and machines die. What the provider will ask money for stands in its books:'

say "The provider takes a sale, and its answer is lost. Was it sold?"
one_fault solicitar '"behaviour":"lose_answer"'
remember_books
tell 'the till' "sells $sells"
sell lost-answer "$tv"
tell 'the gateway' 'cancels what it has no answer to, and asks anew'
tell_answer
must_be_sold
seen=$(since)
show_books "$seen"
must_be_one_sale "$seen" 1

say 'The provider completes a sale, and the answer to the confirm is lost.'
one_fault confirmar '"behaviour":"lose_answer"'
remember_books
tell 'the till' "sells $sells"
sell lost-confirm "$tv"
tell 'the gateway' 'confirms again: nothing else is safe once a confirm has left'
tell_answer
must_be_sold
seen=$(since)
show_books "$seen"
must_be_one_sale "$seen" 0

say 'The gateway dies in the middle of a sale: kill -9, when the provider has sold and nobody knows it yet.'
one_fault confirmar '"behaviour":"slow","delay":"5m"'
remember_books
tell 'the till' "sells $sells"
order killed "$tv"
[ $verbose = no ] || show_command "${words[@]}"
curl -s -o "$folder/never_answered" "${words[@]}" &
till_pid=$!
for _ in $(seq 200); do
    seen=$(since)
    [ "$(jq -r '.[0].status' <<<"$seen")" != EFETIVADA ] || break
    sleep 0.05
done
must "the sale in the provider's books" "$(jq -r '.[0].status' <<<"$seen")" EFETIVADA
show_books "$seen"
tell "kill -9" "$gateway_pid"
{ kill -KILL "$gateway_pid"; wait "$gateway_pid"; } 2>/dev/null || true  # bash would report that it was killed
curl_status=0
wait "$till_pid" || curl_status=$?
till_pid=''
must 'what the till was answered' "$(cat "$folder/never_answered" 2>/dev/null)" ''
tell 'the till' "gets no answer (curl ends with $curl_status)"
start_gateway
until_ready
tell 'the gateway' "is started again, and reads in its journal how far it was"
sell killed "$tv"
tell 'the till' 'sends the same call again, with the same key'
tell_answer
must_be_sold
seen=$(since)
show_books "$seen"
must_be_one_sale "$seen" 0
must 'how often it was asked for' "$(jq '.[0].calls.solicitar' <<<"$seen")" 1
killed=$(field id)

# --- the end ---

still_running
all=$(books)
in_books=$(jq 'map(select(.status == "EFETIVADA")) | length' <<<"$all")
open=$(jq 'map(select(.status != "EFETIVADA" and .status != "CANCELADA")) | length' <<<"$all")
attention=$(curl -sf "http://$admin/v1/sales?attention=true" | jq '.sales | length')
headline "Tills were told \`sold\` $sold times; the provider's books show $in_books sales, $open left open."
must "the number of sales in the provider's books" "$in_books" "$sold"
must 'the number left open' "$open" 0
must 'the number of sales that need a person' "$attention" 0
[ $differences -eq 0 ] || die "$differences of what was seen is not as it must be: look for ^^^ above."
echo 'Everything came out as it must.'
[ $once = no ] || exit 0

command="build/release/sales-gateway"
cat <<HINTS

Try next, in another window in $PWD:

  A till of your own. The last two digits of the amount choose what the provider does with it:
    sell() { curl -s $base/v1/sell -H '$token' -H "Idempotency-Key: \$1" \\
        -H 'Content-Type: application/json' \\
        -d '{"family":"tv","produto":"TV Mensal","cpf":"529.982.247-25","valor":'"\$2"'}' |
        jq '{outcome, detail, idExterno: (.sale // .).idExterno}'; }
    sell first 4990      # sold; again with the same key: the same sale, and nothing is sold twice
    sell refused 4901    # the provider refuses it
    sell lost 4902       # no answer ever comes: not_sold, and everything is cancelled
    sell doubt 4912      # the first confirm's answer is lost: sold all the same
    build/release/sandbox-provider --help    # all of them

  What a store's manager looks at, in a browser (the link works once; the command prints another):
    $($command console --config "$folder/gateway.toml" 2>/dev/null || true)
    $command console --config $folder/gateway.toml

  What an operator asks:
    $command status --config $folder/gateway.toml
    $command sales --config $folder/gateway.toml
    $command show $killed --config $folder/gateway.toml    # the sale above
    $command attention --config $folder/gateway.toml
    tail -f $folder/gateway.log
    curl -s http://$admin/metrics

  What a till's programmer reads, and what the provider has in its books:
    curl -s $base/openapi.json | jq '.paths | keys'
    curl -s http://$provider/sandbox/transactions | jq

  And everything that is tested: tests/run.sh

Running until Ctrl-C.
HINTS
trap 'exit 0' INT TERM HUP
wait -n "$provider_pid" "$gateway_pid" || true
still_running
