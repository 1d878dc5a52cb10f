"""Tests selling eSIMs: no confirm, no cancel, and an outcome that comes by callback."""
import json
import re
import sqlite3
import threading

import pytest
from harness import orders
from harness.client import Background, Caller
from harness.fake_provider import CUT, after, authorised
from harness.orders import new_key
from harness.processes import LOJA_A
from harness.waiting import eventually

CONFIG = {"sale.attention_after": "2s"}  # matters only where no callback ever comes

FACTS = {"uuid", "msisdn", "url", "promocaoAtivada", "situacaoRecarga", "nsuRecarga"}


def sell(shop, cents=90, **more):
    return shop.sell_esim(orders.esim(2900 + cents), **more).json


def test_an_esim_is_pending_until_its_callback_says_what_became_of_it(shop):
    key, order = new_key(), orders.esim()
    answer = shop.sell_esim(order, key)
    sale = answer.json
    assert sale["outcome"] == "pending" and sale["status"] in ("PENDENTE", "AUTORIZADA") and not sale["final"]
    assert answer.header("Location") == f"/v1/sales/{sale['id']}" and answer.header("Retry-After")
    assert sale["esim"] is None and sale["receipt"] is None
    final = shop.sale(sale["id"], wait=60)
    assert (final["status"], final["outcome"]) == ("EFETIVADA", "sold")
    eventually(lambda: shop.sale(sale["id"])["esim"]["situacaoRecarga"] == "SUCESSO", "the recharge is told of")
    recharged = shop.sale(sale["id"])
    assert set(recharged["esim"]) == FACTS
    assert all(recharged["esim"].values()), recharged["esim"]
    assert recharged["esim"]["msisdn"] in "\n".join(recharged["receipt"])
    assert recharged["esim"]["url"] in recharged["receipt"]
    assert all(len(line) <= 40 or line == recharged["esim"]["url"] for line in recharged["receipt"])
    assert shop.in_books(sale) == "EFETIVADA"
    replayed = shop.sell(order, key).of(200)
    assert replayed.json["esim"] == recharged["esim"] and replayed.header("Idempotency-Replayed") == "true"


# Each of these cents has the final status, whether a person is asked, and what a repeat of the sell is answered with.
CALLBACKS = {
    31: ("EFETIVADA", False, 200),  # before the answer to the request
    32: ("EFETIVADA", False, 200),  # late
    33: ("EFETIVADA", False, 200),  # twice
    34: ("EFETIVADA", True, 200),  # and then CANCELADA
    36: ("NEGADA", False, 402),
    37: ("CANCELADA", False, 502),
    38: ("EFETIVADA", False, 200),  # PENDENTE first
    39: ("EFETIVADA", True, 200),  # the recharge fails
    40: ("EFETIVADA", False, 200),  # nothing about the recharge
    41: ("EFETIVADA", False, 200),  # the recharge's first
}


# The sandbox sends at once what is due: if it was paused for longer than the delay, its callbacks race each other.
IN_ORDER = 34


@pytest.mark.parametrize("cents", sorted(CALLBACKS.keys() - {IN_ORDER}))
def test_what_callbacks_make_of_an_esim(shop, cents):
    becomes_of_an_esim(shop, cents)


def test_what_a_second_callback_that_says_the_opposite_makes_of_an_esim(new_shop):
    becomes_of_an_esim(new_shop(sandbox={"--callback-delay": "2s"}).start(), IN_ORDER)


def becomes_of_an_esim(shop, cents):
    status, attention, code = CALLBACKS[cents]
    key, order = new_key(), orders.esim(2900 + cents)
    answer = shop.sell(order, key)
    assert answer.status in (202, code), answer
    final = shop.until(answer.sale["id"], "final", status=status)
    if attention:
        final = shop.until(answer.sale["id"], "for a person", attention=True)
    nothing_to_come = lambda: not [  # noqa: E731
        one for one in shop.sandbox.call("GET", "/sandbox/callbacks").json["callbacks"]
        if one["idExterno"] == final["idExterno"]
    ]
    eventually(nothing_to_come, "all callbacks were sent and taken")
    final = shop.sale(final["id"])
    assert (final["status"], final["attention"], final["final"]) == (status, attention, True)
    assert len(final["attempts"]) == 1
    replayed = shop.sell(order, key)
    assert (replayed.status, replayed.sale["status"]) == (code, status)
    if status != "EFETIVADA":
        assert final["outcome"] == "not_sold" and final["receipt"] is None


def test_without_a_callback_a_person_is_asked_and_it_is_listed(shop):
    sale = sell(shop, 35)
    marked = shop.until(sale["id"], "for a person", attention=True)
    assert (marked["status"], marked["final"], marked["settled"]) == ("AUTORIZADA", False, False)
    listed = shop.gateway.admin.get("/v1/sales?attention=true").of(200).json["sales"]
    assert sale["id"] in [one["id"] for one in listed]


def test_two_sales_have_two_secrets_of_128_bits_or_more(wire):
    shop, provider = wire
    secrets = set()
    for _ in range(3):
        sell(shop)
    for asked in provider.sent("/venda/esim/solicitar"):
        address = re.escape(shop.callback_gate.url) + r"/callbacks/esim/([^/]+)/sale"
        match = re.fullmatch(address, asked.json["the service"])
        assert match and asked.json["urlRecarga"] == asked.json["the service"][: -len("sale")] + "recharge"
        assert len(match[1]) >= 22, "22 letters of 64 hold 128 bits"
        secrets.add(match[1])
        assert match[1].encode() not in shop.till.get("/v1/sales").body
    assert len(secrets) == 3


# --- with a provider that the test plays itself ---


@pytest.fixture
def wire(new_shop, provider):
    return new_shop({"sale.attention_after": "1m", "limits.drain": "100ms"}, provider=provider).start(), provider


def callback(shop, address, body):
    """Sends a callback as the provider would."""
    assert address.startswith(shop.callback_gate.url)
    caller = Caller(shop.callback_gate.address)
    return caller.post(address[len(shop.callback_gate.url) :], body)


def told(status="EFETIVADA", **more):
    facts = {"uuid": "U-77", "msisdn": "5511999990000", "url": "https://recibo.example/77"}
    return facts | {"situacaoTransacao": status} | more


def addresses(provider):
    body = provider.sent("/venda/esim/solicitar")[-1].json
    return body["the service"], body["urlRecarga"]


def test_the_provider_gets_exactly_the_documented_request(wire):
    shop, provider = wire
    sale = sell(shop)
    (asked,) = provider.sent("/venda/esim/solicitar")
    body = asked.json
    assert body.pop("dataHoraCliente").endswith("Z")
    assert body.pop("the service") and body.pop("urlRecarga")
    consumidor = body.pop("consumidor")
    assert consumidor.pop("endereco") == orders.ENDERECO
    assert consumidor == orders.CONSUMIDOR
    assert body == {
        "estabelecimento": LOJA_A,
        "produto": "Chip Virtual",
        "idExterno": sale["idExterno"],
        "endereco": orders.ENDERECO,
        "servicoId": "301",
        "valorRecarga": 1500,
        "valor": "2990",
    }


def test_a_confirm_answers_at_once_with_the_sale_as_it_stands(wire):
    shop, provider = wire
    sale = sell(shop)
    answer = shop.till.request("POST", f"/v1/sales/{sale['id']}/confirm", timeout=10).of(202)  # sell_wait is 30 s
    assert (answer.json["id"], answer.json["outcome"]) == (sale["id"], "pending")
    assert answer.header("Location") == f"/v1/sales/{sale['id']}" and answer.header("Retry-After")
    waiting = Background(shop.till.confirm, sale["id"], 60)
    callback(shop, addresses(provider)[0], told()).of(200)
    assert waiting.result().of(200).json["outcome"] == "sold"


def test_the_notification_field_may_have_another_name(new_shop, provider):
    shop = new_shop({"provider.callback_field": "urlVenda", "limits.drain": "100ms"}, provider=provider).start()
    sell(shop)
    body = provider.sent("/venda/esim/solicitar")[0].json
    assert body["urlVenda"].endswith("/sale") and "the service" not in body


def test_the_customer_may_have_an_address_of_their_own(wire):
    shop, provider = wire
    own = orders.ENDERECO | {"cidade": "Santos", "numeroLogradouro": 5}
    order = orders.esim() | {"consumidor": orders.CONSUMIDOR | {"endereco": own}}
    shop.sell(order).of(202)
    body = provider.sent("/venda/esim/solicitar")[0].json
    assert body["consumidor"]["endereco"] == own and body["endereco"] == orders.ENDERECO


def test_the_answer_may_omit_idExterno(wire):
    shop, provider = wire

    def bare(request):
        said = authorised(request)
        del said["venda"]["idExterno"]
        return 200, said

    provider.on("/venda/esim/solicitar", bare)
    sale = sell(shop)
    assert (sale["status"], sale["idTransacao"]) == ("AUTORIZADA", "T-1")


def test_a_callback_is_answered_200_when_it_is_durable(wire):
    shop, provider = wire
    sale = sell(shop)
    sale_address, recharge_address = addresses(provider)
    assert callback(shop, sale_address, told()).status == 200
    shop.gateway.kill()  # killed at once, because what was answered with 200 must be in the journal
    shop.start()
    assert shop.sale(sale["id"])["status"] == "EFETIVADA"
    assert callback(shop, recharge_address, told(situacaoRecarga="SUCESSO", nsuRecarga="R-1")).status == 200
    shop.gateway.kill()
    shop.start()
    final = shop.sale(sale["id"])
    assert final["esim"] == {
        "uuid": "U-77", "msisdn": "5511999990000", "url": "https://recibo.example/77", "promocaoAtivada": None,
        "situacaoRecarga": "SUCESSO", "nsuRecarga": "R-1",
    }


def test_an_operator_sees_what_came_as_it_came(wire):
    shop, provider = wire
    sale = sell(shop)
    address, _ = addresses(provider)
    callback(shop, address, "{broken").of(400, "bad_request")
    callback(shop, address, told()).of(200)
    history = shop.gateway.admin.get(f"/v1/sales/{sale['id']}/events").of(200).json
    broken, good = history["callbacks"]
    assert (broken["valid"], broken["kind"], broken["body"]) == (False, "sale", "{broken")
    assert good["valid"] and json.loads(good["body"]) == told()


def test_a_repeated_callback_is_200_and_changes_nothing(wire):
    shop, provider = wire
    sale = sell(shop)
    address, _ = addresses(provider)
    callback(shop, address, told()).of(200)
    before = shop.sale(sale["id"])
    for _ in range(3):
        callback(shop, address, told()).of(200)
    assert shop.sale(sale["id"]) == before


def test_the_first_final_status_wins(wire):
    shop, provider = wire
    sale = sell(shop)
    address, _ = addresses(provider)
    callback(shop, address, told("NEGADA")).of(200)
    callback(shop, address, told("EFETIVADA")).of(200)
    final = shop.sale(sale["id"])
    assert (final["status"], final["attention"]) == ("NEGADA", True)


def test_an_unknown_secret_is_404(wire):
    shop, provider = wire
    sell(shop)
    address, _ = addresses(provider)
    secret = address.split("/")[-2]
    for wrong in ("x", secret[:-1] + ("0" if secret[-1] != "0" else "1"), secret.upper() + "A", "0" * len(secret)):
        for kind in ("sale", "recharge"):
            answer = callback(shop, f"{shop.callback_gate.url}/callbacks/esim/{wrong}/{kind}", told())
            answer.of(404, "not_found")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", {}, told(uuid=None), told("SUCESSO"), told("AUTORIZADA"), told(None),
     {"uuid": "1", "msisdn": "2", "situacaoTransacao": "EFETIVADA"}, told(url=""), told(msisdn={})],
)
def test_a_body_without_the_required_fields_is_400_and_is_kept_for_the_operator(wire, body):
    shop, provider = wire
    sale = sell(shop)
    address, _ = addresses(provider)
    callback(shop, address, body).of(400, "bad_request")
    assert shop.sale(sale["id"])["final"] is False
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True) as journal:
        kept = journal.execute("SELECT valid, body FROM callbacks WHERE sale = ?", [sale["id"]]).fetchall()
    assert kept == [(0, data.decode())]
    callback(shop, address, told()).of(200)
    assert shop.sale(sale["id"])["status"] == "EFETIVADA"


def test_a_callback_finds_its_sale_when_the_answer_to_the_request_never_came(wire):
    shop, provider = wire
    provider.on("/venda/esim/solicitar", lambda request: CUT)
    sale = sell(shop)
    assert (sale["status"], sale["idTransacao"]) == ("PENDENTE", None)
    address, _ = addresses(provider)
    callback(shop, address, told()).of(200)
    final = shop.sale(sale["id"])
    assert (final["status"], final["outcome"], len(final["attempts"])) == ("EFETIVADA", "sold", 1)


def test_a_callback_may_come_before_the_answer_to_the_request(wire):
    shop, provider = wire
    go_on = threading.Event()
    provider.on("/venda/esim/solicitar", after(go_on))
    key = new_key()
    selling = shop.start_selling(orders.esim(), key)
    sale = shop.sale_of_key(key)
    eventually(lambda: provider.sent("/venda/esim/solicitar"), "the request has left")
    callback(shop, addresses(provider)[0], told()).of(200)
    assert selling.result().of(200).json["status"] == "EFETIVADA", "the sell that waits hears of it"
    go_on.set()
    final = shop.until(sale["id"], "settled", settled=True)
    assert (final["status"], final["attention"]) == ("EFETIVADA", False)


def test_a_lost_answer_is_never_asked_again_with_a_new_idExterno(wire):
    shop, provider = wire
    provider.on("/venda/esim/solicitar", lambda request: CUT)
    sale = sell(shop)
    shop.gateway.kill()
    shop.start()
    assert shop.sale(sale["id"])["outcome"] == "pending"
    assert len(provider.sent("/venda/esim/solicitar")) == 1


def test_a_status_of_a_callback_is_read_in_any_letter_case(wire):
    shop, provider = wire
    sale = sell(shop)
    callback(shop, addresses(provider)[0], told("Efetivada")).of(200)
    assert shop.sale(sale["id"])["status"] == "EFETIVADA"


def test_msisdn_and_uuid_may_be_numbers_and_added_fields_do_no_harm(wire):
    shop, provider = wire
    sale = sell(shop)
    callback(shop, addresses(provider)[0], told(uuid=77, msisdn=5511999990000, novo={"x": 1})).of(200)
    assert shop.sale(sale["id"])["esim"]["msisdn"] == "5511999990000"


@pytest.mark.parametrize("method, path, status", [
    ("POST", "/v1/sell", 404), ("GET", "/v1/sales", 404), ("GET", "/healthz", 404), ("GET", "/metrics", 404),
    ("GET", "/callbacks/esim/x/sale", 405), ("POST", "/callbacks/esim/x", 404), ("POST", "/callbacks/tv/x/sale", 404),
    ("POST", "/callbacks/esim//sale", 404),
])
def test_the_callbacks_listener_serves_nothing_but_callbacks(shop, method, path, status):
    assert shop.gateway.callbacks.request(method, path).status == status


def test_without_a_callbacks_listener_no_esim_is_sold(new_shop):
    shop = new_shop({"listen.callbacks": None, "provider.callback_url": None}).start()
    assert "callbacks" not in shop.gateway.ports
    shop.sell(orders.esim()).of(403, "forbidden")
    shop.sell(orders.tv()).of(200)


# --- fields ---


def changed(path, value):
    """Returns an order with one field changed, or removed where the value is Ellipsis."""
    order = json.loads(json.dumps(orders.esim()))
    *parents, name = path.strip("/").split("/")
    target = order
    for parent in parents:
        target = target[parent]
    if value is ...:
        del target[name]
    else:
        target[name] = value
    return order


@pytest.mark.parametrize(
    "path, value",
    [
        ("/consumidor", ...), ("/consumidor", []), ("/endereco", ...), ("/endereco", "Rua A"), ("/servicoId", ...),
        ("/valorRecarga", ...), ("/valorRecarga", "1500"), ("/valorRecarga", -1), ("/valorRecarga", 15.0),
        ("/consumidor/cpf", "529.982.247-26"), ("/consumidor/cpf", "1"), ("/consumidor/cpf", ...),
        ("/consumidor/nome", ""), ("/consumidor/nome", "a\nb"), ("/consumidor/email", "a.b"),
        ("/consumidor/email", ...), ("/consumidor/nascimento", "31021985"),
        ("/consumidor/nascimento", "1985-04-21"), ("/consumidor/nascimento", 21041985),
        ("/consumidor/telefone", "11987654321"), ("/consumidor/telefone", 1), ("/consumidor/apelido", "Z"),
        ("/endereco/cep", "0131"), ("/endereco/uf", "XX"), ("/endereco/uf", "sp"), ("/endereco/numeroLogradouro", "10"),
        ("/endereco/cidade", ...), ("/endereco/pais", "BR"), ("/endereco/tipoEnderecoId", None), ("/produto", ...),
    ],
)
def test_every_field_of_the_customer_is_read_strictly(shop, path, value):
    assert shop.sell(changed(path, value)).of(422, "invalid_request").pointers() == [path]


def test_all_errors_in_nested_objects_are_told_at_once(shop):
    order = changed("/endereco/uf", "xx") | {"consumidor": orders.CONSUMIDOR | {"cpf": "1", "sobra": 1}}
    pointers = shop.sell(order).of(422, "invalid_request").pointers()
    assert pointers == ["/consumidor/cpf", "/consumidor/sobra", "/endereco/uf"]


def test_an_address_needs_no_complement(shop):
    shop.sell_esim(changed("/endereco/complemento", ...))
    shop.sell_esim(changed("/endereco/complemento", ""))
