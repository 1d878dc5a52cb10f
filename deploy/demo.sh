#!/usr/bin/env bash
# The gateway, tried out on this machine: builds it, starts it with a provider of its own, sells one product of every
# family, shows each call and each answer, and goes on running until Ctrl-C. Nothing leaves this machine but the
# packages that are missing, and nothing stays but build/.
#
#   deploy/demo.sh           shows it, then waits
#   deploy/demo.sh --once    shows it, then ends: 0 only if every sale came out as it must
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. deploy/packages.sh

usage() { sed -n '2,7s/^# \{0,1\}//p' deploy/demo.sh; }

once=no
case ${1-} in
    '') ;;
    --once) once=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac

say() { printf '\n%s\n' "$*"; }
die() { printf '\n%s\n' "$*" >&2; exit 1; }

require_packages "${build_packages[@]}" "${demo_packages[@]}"

say 'Building (some minutes the first time)'
cmake --preset release >/dev/null
NINJA_STATUS='[%f/%t, %e s] ' cmake --build --preset release --target sales-gateway sandbox-provider

folder=$(mktemp -d)
processes=()
finish() {
    local status=$?
    trap - EXIT
    trap '' INT TERM  # a second Ctrl-C must not stop the cleaning up
    [ ${#processes[@]} -eq 0 ] || { kill "${processes[@]}" && wait "${processes[@]}"; } 2>/dev/null || true
    if [ $status -eq 0 ]; then
        rm -rf "$folder"
    else
        echo "What the two programs said is in $folder" >&2
    fi
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM

# The usual port, or else the next free one: something else may run on this machine.
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
free_port 8090; provider=127.0.0.1:$port
free_port 8080; terminals=127.0.0.1:$port
free_port 8081; callbacks=127.0.0.1:$port
free_port 9090; admin=127.0.0.1:$port

# config/sandbox.toml with those ports, by way of names, so that no port is taken for another one's old number.
sed -e 's/127\.0\.0\.1:8090/PROVIDER/; s/127\.0\.0\.1:8080/TERMINALS/; s/127\.0\.0\.1:8081/CALLBACKS/' \
    -e 's/127\.0\.0\.1:9090/ADMIN/' \
    -e "s/PROVIDER/$provider/; s/TERMINALS/$terminals/; s/CALLBACKS/$callbacks/; s/ADMIN/$admin/" \
    -e "s|\"journal\.db\"|\"$folder/journal.db\"|" config/sandbox.toml >"$folder/gateway.toml"
chmod 600 "$folder/gateway.toml"

build/release/sandbox-provider --listen "$provider" >"$folder/provider.log" 2>&1 &
processes+=($!)
build/release/sales-gateway --config "$folder/gateway.toml" >"$folder/gateway.log" 2>&1 &
processes+=($!)

still_running() {
    kill -0 "${processes[0]}" 2>/dev/null || { tail -n 5 "$folder/provider.log" >&2; die 'The sandbox provider has ended.'; }
    kill -0 "${processes[1]}" 2>/dev/null || { tail -n 5 "$folder/gateway.log" >&2; die 'The gateway has ended.'; }
}
say "Starting the provider on $provider and the gateway on $terminals"
for _ in $(seq 150); do
    still_running
    ready=$(curl -s -o /dev/null -w '%{http_code}' "http://$admin/readyz" || true)
    [ "$ready" = 200 ] && break
    sleep 0.1
done
[ "$ready" = 200 ] || die "The gateway is not ready after 15 s: $(curl -s "http://$admin/readyz")"

base=http://$terminals
token='Authorization: Bearer demo-key-caixa-01'
colour=()
[ -t 1 ] && colour=(-C)
# What a cashier would look at; the whole sale has more.
digest='if .code then {status, code, detail, errors, outcome} else
    {outcome, status, family, produto, valor, idExterno, idTransacao, instrucao, esim, receipt} end
    | with_entries(select(.value != null))'

# Shows a curl command as it can be typed, runs it, and leaves the answer in $answer and its status in $status.
call() {
    local word
    printf '\n$ curl -s'
    for word in "$@"; do
        case $word in
            -*) printf ' \\\n      %s' "$word" ;;
            *) printf " '%s'" "$word" ;;
        esac
    done
    printf '\n'
    answer=$(curl -s -w '\n%{http_code}' "$@")
    status=${answer##*$'\n'}
    answer=${answer%$'\n'*}
}

failures=0
# expect OUTCOME: shows the answer, and counts it where it is not what it must be.
expect() {
    echo "HTTP $status"
    jq "${colour[@]}" "$digest" <<<"$answer" || echo "$answer"
    if ! jq -e --arg outcome "$1" '.outcome == $outcome' <<<"$answer" >/dev/null; then
        echo "^^^ this should be $1"
        failures=$((failures + 1))
    fi
}

# The key of a sale is the terminal's, and new for every sale; the start of this demo makes it so.
run=$(date +%H%M%S)
sell() {
    call "$base/v1/sell" -H "$token" -H "Idempotency-Key: $1-$run" -H 'Content-Type: application/json' -d "$2"
}
# What can be sold, in the shape that a sell takes: the first that is offered.
first_option() {
    call "$base/v1/options?$1" -H "$token"
    jq "${colour[@]}" '.options[0]' <<<"$answer"
    option=$(jq -c '.options[0].sell' <<<"$answer")
}

say '== Pay-TV at a fixed price'
tv='{"family":"tv","produto":"TV Mensal","valor":4900,"cpf":"529.982.247-25"}'
sell tv "$tv"
expect sold

say '== Pay-TV at a price that the provider names: ask what there is, then sell one of it'
first_option 'family=tv&produto=TV%20Livre'
sell tv-dynamic "$option"
expect sold

say '== An e-gift: the activation URL comes with the confirm'
first_option 'family=egift&nomeMenu=Jogos'
sell egift "$(jq -c '. + {fornecedor: "Estudio Um", tipoNegocio: 1, valor: 5000}' <<<"$option")"
expect sold

say '== Credit for a transit card: the card says what it takes'
first_option 'family=transit&produto=Bilhete&numeroCartao=1000000001'
sell transit "$(jq -c '. + {valor: 440}' <<<"$option")"
expect sold

say '== A health appointment: the partner names the price'
first_option 'family=health&produto=Consulta'
sell health "$option"
expect sold

say '== An eSIM: its outcome comes by callback, so the sell may answer first (202) and the sale is asked for'
endereco='{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"Sao Paulo","bairro":"Bela Vista",
  "tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}'
sell esim "{\"family\":\"esim\",\"produto\":\"Chip Virtual\",\"servicoId\":\"301\",\"valorRecarga\":1500,\"valor\":2990,
 \"consumidor\":{\"cpf\":\"529.982.247-25\",\"nome\":\"Maria da Silva\",\"email\":\"maria@correio.example\",
  \"nascimento\":\"21041985\",\"telefone\":11987654321,\"endereco\":$endereco},
 \"endereco\":$endereco}"
if [ "$status" = 202 ]; then
    expect pending
    call "$base/v1/sales/$(jq -r .id <<<"$answer")" -H "$token" -H 'Prefer: wait=20'
fi
expect sold

still_running
[ $failures -eq 0 ] || die "$failures of the answers above are not what they must be."
say 'Every sale came out as it must.'
[ $once = no ] || exit 0

cat <<HINTS

Try next, in another window. The last two digits of an amount choose what this provider does with it; there are more in
build/release/sandbox-provider --help.

  A sale that the provider refuses (…01): not_sold, 402, with the provider's own words in reason.
    curl -s $base/v1/sell -H '$token' -H 'Idempotency-Key: refused-1' \\
      -H 'Content-Type: application/json' -d '${tv/4900/4901}' | jq

  An answer that is lost (…02): the gateway cancels, so that the customer does not pay for what nobody handed over.
    curl -s $base/v1/sell -H '$token' -H 'Idempotency-Key: lost-1' \\
      -H 'Content-Type: application/json' -d '${tv/4900/4902}' | jq

  A key that is repeated: the same sale is answered, and nothing is sold twice. Do this two times.
    curl -si $base/v1/sell -H '$token' -H 'Idempotency-Key: again-1' \\
      -H 'Content-Type: application/json' -d '$tv' | grep -iE '^HTTP|replayed|"id"'

  What the gateway knows, what it counts, and what it writes down:
    curl -s '$base/v1/sales?limit=5' -H '$token' | jq
    curl -s http://$admin/metrics
    tail -f $folder/gateway.log

Running until Ctrl-C.
HINTS
trap 'exit 0' INT TERM
wait -n "${processes[@]}" || true
still_running
