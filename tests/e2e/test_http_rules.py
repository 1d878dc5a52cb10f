"""Tests every request on the terminals listener: keys, bodies, field errors, paths, request ids, limits."""
import http.client
import json
import re
import socket
import ssl
import threading

import pytest
from harness import orders
from harness.certificates import make_certificate
from harness.client import Background, Caller, Terminal, plain_request
from harness.fake_provider import after
from harness.orders import new_key
from harness.processes import key_of
from harness.waiting import eventually

CONFIG = {"limits.body": 4096}

TERMINAL_CALLS = [
    ("POST", "/v1/sell"),
    ("POST", "/v1/cancel"),
    ("GET", "/v1/sales"),
    ("GET", "/v1/sales/01HX0000000000000000000000"),
    ("POST", "/v1/sales/01HX0000000000000000000000/confirm"),
    ("POST", "/v1/sales/01HX0000000000000000000000/cancel"),
    ("GET", "/v1/options?family=tv&produto=TV%20Livre"),
    ("GET", "/v1/provider/venda/tv"),
    ("GET", "/v1/totals"),
]


@pytest.mark.parametrize("method, path", TERMINAL_CALLS)
@pytest.mark.parametrize(
    "authorization",
    [None, "Bearer", "Bearer ", "Bearer nobodys-key", "Basic Y2FpeGE6MDE=", key_of("caixa-01")],
)
def test_without_a_terminals_key_every_call_is_401(shop, method, path, authorization):
    answer = shop.till.request(method, path, headers={"Authorization": authorization})
    assert answer.of(401, "unauthorized").header("WWW-Authenticate") == "Bearer"


def test_the_scheme_of_a_key_may_be_written_in_any_letter_case(shop):
    shop.till.get("/v1/sales", Authorization=f"bearer {key_of('caixa-01')}").of(200)


# --- bodies ---


def raw_sell(shop, body, content_type="application/json", **headers):
    headers = {"Content-Type": content_type, "Idempotency-Key": new_key()} | headers
    return shop.till.request("POST", "/v1/sell", body, headers)


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "",
                                          "application/json; charset=iso-8859-1", None])
def test_a_body_that_is_not_declared_as_json_in_utf8_is_415(shop, content_type):
    raw_sell(shop, json.dumps(orders.tv()), content_type).of(415, "unsupported_media_type")


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])
def test_a_body_declared_as_json_in_utf8_is_taken(shop, content_type):
    raw_sell(shop, json.dumps(orders.tv()), content_type).of(200)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"family":"tv",}',
        b"{'family':'tv'}",
        b'{"family":"tv"} {}',
        b'{"produto":"S\xe3o"}',
        b'{"family":"tv","family":"tv"}',
        b'{"family":"tv","valor":100,"valor":200}',
        b'{"consumidor":{"nome":"a","nome":"b"}}',
        b"\xef\xbb\xbf{}",
        b"[" * 200,
    ],
)
def test_a_body_that_is_not_json_is_400(shop, body):
    raw_sell(shop, body).of(400, "invalid_json")


def test_an_empty_body_and_one_in_latin1_are_told_as_what_they_are(shop):
    assert raw_sell(shop, b"").of(400, "invalid_json").json["detail"].startswith("The body is empty")
    latin = json.dumps(orders.tv(produto="Recarga São Paulo"), ensure_ascii=False).encode("latin-1")
    detail = raw_sell(shop, latin).of(400, "invalid_json").json["detail"]
    assert f"byte 0xE3 at offset {latin.index(0xE3)}" in detail and "send it as UTF-8" in detail


@pytest.mark.parametrize("body", [b"[]", b'"tv"', b"1", b"null", b"true"])
def test_json_that_is_no_object_is_422(shop, body):
    raw_sell(shop, body).of(422, "invalid_request")


def test_a_body_over_the_limit_is_413(shop):
    body = json.dumps(orders.tv(produto="x" * 5000))
    detail = raw_sell(shop, body).of(413, "payload_too_large").json["detail"]
    assert str(len(body)) in detail and "4096" in detail and "limits.body" in detail


def test_a_body_of_exactly_the_limit_is_read(shop):
    body = json.dumps(orders.tv())
    raw_sell(shop, body + " " * (4096 - len(body))).of(200)
    raw_sell(shop, body + " " * (4097 - len(body))).of(413, "payload_too_large")


def test_the_limit_is_for_terminals_and_for_nobody_else(shop):
    long = {"note": "x" * 5000}
    shop.gateway.admin.post("/v1/sales/01HX0000000000000000000000/resolve", long).of(404, "not_found")
    shop.gateway.callbacks.post("/callbacks/esim/of-nobody/sale", long).of(404, "not_found")


def test_a_chunked_body_over_the_limit_is_413(shop):
    with socket.create_connection(shop.till.address, timeout=60) as caller:
        caller.sendall(
            b"POST /v1/sell HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
            + f"Authorization: Bearer {shop.till.key}\r\nIdempotency-Key: {new_key()}\r\n\r\n".encode()
        )
        caller.sendall(b"1000\r\n" + b" " * 4096 + b"\r\n10\r\n" + b" " * 16 + b"\r\n")
        response = http.client.HTTPResponse(caller)
        response.begin()
        assert response.status == 413
        assert json.loads(response.read())["code"] == "payload_too_large"


# --- fields ---


def test_an_unknown_field_is_an_error(shop):
    answer = shop.sell(orders.tv(valro=100)).of(422, "invalid_request")
    assert answer.pointers() == ["/valro"]


@pytest.mark.parametrize(
    "order, pointer",
    [
        (orders.tv(tipoNegocio=1), "/tipoNegocio"),
        (orders.tv(transit="bilhete"), "/transit"),
        (orders.egift(cpf=orders.CPF), "/cpf"),
        (orders.transit(fornecedor="x"), "/fornecedor"),
        (orders.health(numeroCartao="1"), "/numeroCartao"),
        (orders.esim(id_valor="1;2"), "/id_valor"),
        (orders.tv(tipoProduto="ONLINE"), "/tipoProduto"),
        (orders.esim(urlRecarga="http://x"), "/urlRecarga"),
    ],
)
def test_a_field_that_the_family_does_not_have_is_an_error(shop, order, pointer):
    assert shop.sell(order).of(422, "invalid_request").pointers() == [pointer]


@pytest.mark.parametrize("field", ["idExterno", "dataHoraCliente", "idTransacao", "token", "status"])
@pytest.mark.parametrize("make", [orders.tv, orders.egift, orders.transit, orders.health, orders.esim])
def test_what_is_the_gateways_business_must_not_be_sent(shop, make, field):
    assert shop.sell(make(**{field: "x"})).of(422, "invalid_request").pointers() == [f"/{field}"]


def test_all_field_errors_of_a_body_are_reported_at_once(shop):
    order = {"family": "egift", "produto": "", "valor": -1, "tipoNegocio": "1", "estabelecimento": 5, "colour": "red",
             "chaveProduto": "k", "confirm": "maybe"}
    answer = shop.sell(order).of(422, "invalid_request")
    assert answer.pointers() == sorted(
        ["/produto", "/valor", "/tipoNegocio", "/estabelecimento", "/colour", "/confirm", "/fornecedor",
         "/configuracaoId"]
    )
    assert all(error["detail"] for error in answer.json["errors"])


@pytest.mark.parametrize("family", [None, "", "TV", "radio", 5, ["tv"]])
def test_the_family_must_be_one_of_the_five(shop, family):
    answer = shop.sell(orders.tv() | {"family": family}).of(422, "invalid_request")
    assert "/family" in answer.pointers()


@pytest.mark.parametrize("valor", [0, -1, 100000000, 1099.0, 10.5, 1e3, "", "10.99", "-5", " 5", "1099 ", "0", "1e3",
                                   "100000000", None, True, [1], {}, 10**30])
def test_an_amount_must_be_whole_cents_from_1_to_99999999(shop, valor):
    assert shop.sell(orders.tv(valor)).of(422, "invalid_request").pointers() == ["/valor"]


@pytest.mark.parametrize("text", ["1099.0", "1.099e3", "01099", "+5", "1_000"])
def test_an_amount_that_is_no_json_integer_is_no_amount(shop, text):
    body = json.dumps(orders.tv(31337)).replace("31337", text)
    assert raw_sell(shop, body).status in (400, 422)
    if text == "1099.0":
        raw_sell(shop, body).of(422, "invalid_request")


@pytest.mark.parametrize("valor", [1, "1", 1099, "1099", 99999999, "99999999"])
def test_an_amount_may_be_an_integer_or_a_string_of_digits(shop, valor):
    # The sandbox refuses an amount of 1; that answer has the sale, too.
    assert shop.sell(orders.tv(valor)).sale["valor"] == int(valor)


def test_a_sell_and_a_cancel_by_key_need_a_key(shop):
    shop.till.request("POST", "/v1/sell", orders.tv()).of(400, "missing_idempotency_key")
    shop.till.request("POST", "/v1/cancel").of(400, "missing_idempotency_key")


@pytest.mark.parametrize("key", ["", "k" * 65, "a b", "a\tb", "chave-é"])
def test_a_key_must_be_1_to_64_visible_ascii_characters(shop, key):
    answer = shop.till.sell(orders.tv(), key)
    assert answer.status == 400 and answer.code == "invalid_idempotency_key"
    assert shop.till.cancel_key(key).code == "invalid_idempotency_key"


def test_a_key_of_64_visible_ascii_characters_is_taken(shop):
    key = new_key()
    key += "".join(chr(33 + i) for i in range(64 - len(key)))
    assert len(key) == 64
    shop.sell(orders.tv(), key).of(200)


# --- paths ---


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/sell/", "/v1/sells", "/v2/sell", "/healthz", "/metrics",
                                  "/v1/sales/x/y", "/callbacks/esim/x/sale", "/v1/sales/01HX/resolve"])
def test_an_unknown_path_is_404(shop, path):
    shop.till.get(path).of(404, "not_found")
    shop.till.post(path, {}).of(404, "not_found")


@pytest.mark.parametrize(
    "method, path, allowed",
    [
        ("GET", "/v1/sell", {"POST"}),
        ("DELETE", "/v1/sell", {"POST"}),
        ("PUT", "/v1/cancel", {"POST"}),
        ("POST", "/v1/sales", {"GET", "HEAD"}),
        ("POST", "/v1/sales/01HX", {"GET", "HEAD"}),
        ("GET", "/v1/sales/01HX/confirm", {"POST"}),
        ("POST", "/v1/options", {"GET", "HEAD"}),
        ("POST", "/v1/provider/venda", {"GET", "HEAD"}),
    ],
)
def test_a_known_path_with_the_wrong_method_is_405_with_allow(shop, method, path, allowed):
    answer = Terminal(shop.till.address, shop.till.key).request(method, path)
    assert answer.status == 405 and answer.code == "method_not_allowed"
    assert set(re.split(r",\s*", answer.header("Allow"))) == allowed


def test_an_unknown_sale_is_404(shop):
    for sale in ("01HX0000000000000000000000", "x", "..%2F", "%25"):
        shop.till.get(f"/v1/sales/{sale}").of(404, "not_found")
        shop.till.post(f"/v1/sales/{sale}/confirm").of(404, "not_found")
        shop.till.post(f"/v1/sales/{sale}/cancel").of(404, "not_found")


# --- who may sell what ---


def test_a_terminal_may_sell_its_families_only(shop):
    shop.sell(orders.tv(), terminal="so-tv").of(200)
    shop.sell(orders.egift(), terminal="so-tv").of(403, "forbidden")
    shop.gateway.terminal("so-tv").get("/v1/options?family=esim&produto=Chip%20Virtual").of(403, "forbidden")


def test_a_terminal_may_name_its_own_establishment_and_no_other(shop):
    shop.sell(orders.tv(estabelecimento="12345678")).of(200)
    shop.sell(orders.tv(estabelecimento="87654321")).of(403, "forbidden")
    sale = shop.sell(orders.tv(estabelecimento="87654321"), terminal="loja-b-01").of(200).json
    assert sale["estabelecimento"] == "87654321"
    shop.sell(orders.tv(estabelecimento="12345678"), terminal="loja-b-01").of(403, "forbidden")


def test_without_one_named_the_terminals_establishment_is_sold_for(shop):
    assert shop.sell(orders.tv()).of(200).json["estabelecimento"] == "12345678"
    sale = shop.sell(orders.tv(), terminal="loja-b-01").of(200).json
    assert sale["estabelecimento"] == "87654321"
    assert shop.sandbox.transaction(sale["idExterno"])["estabelecimento"] == "87654321"


# --- request ids ---


@pytest.mark.parametrize("name", ["a", "A.z_0-9", "x" * 64])
def test_a_callers_request_id_is_sent_back(shop, name):
    assert shop.till.get("/v1/sales", X_Request_Id=name).header("X-Request-Id") == name
    assert shop.till.get("/nowhere", X_Request_Id=name).header("X-Request-Id") == name


@pytest.mark.parametrize("name", ["", "x" * 65, "a b", "a/b", "é", "a;b"])
def test_a_request_id_of_another_shape_is_replaced(shop, name):
    made = shop.till.get("/v1/sales", X_Request_Id=name).header("X-Request-Id")
    assert made and made != name


def test_made_request_ids_differ(shop):
    assert len({shop.till.get("/v1/sales").header("X-Request-Id") for _ in range(20)}) == 20


def test_a_request_id_is_in_every_log_line_of_its_request(shop):
    sale = shop.sell(orders.tv(4913), X_Request_Id="find-me-1").of(200).json  # 13: the first confirm is lost
    shop.gateway.await_event("sale.closed", sale=sale["id"])
    lines = [line for line in shop.gateway.lines() if line.get("sale") == sale["id"]]
    assert len(lines) >= 4
    assert {line["request"] for line in lines} == {"find-me-1"}


# --- connections ---


@pytest.mark.parametrize(
    "listener, path", [("terminals", "/v1/sales"), ("callbacks", "/nothing"), ("admin", "/healthz")]
)
def test_a_connection_is_kept_alive(shop, listener, path):
    connection = http.client.HTTPConnection(*shop.gateway.ports[listener], timeout=60)
    headers = {"Authorization": f"Bearer {key_of('caixa-01')}"}
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    response.read()
    assert response.version == 11 and not response.will_close
    first = connection.sock
    for _ in range(3):
        connection.request("GET", path, headers=headers)
        connection.getresponse().read()
    assert connection.sock is first
    connection.close()


def test_head_is_answered_like_get_without_a_body(shop):
    answer = shop.till.request("HEAD", "/v1/sales")
    assert answer.status == 200 and answer.body == b""


def test_a_burst_of_calls_on_many_connections_is_answered(shop):
    callers = [Background(shop.till.get, "/v1/sales?limit=1") for _ in range(50)]
    assert {caller.result().status for caller in callers} == {200}


# --- rate and load: worlds of their own ---


def test_a_terminal_that_sells_too_fast_is_429_and_only_for_new_sales(new_shop):
    shop = new_shop({"limits.per_terminal_rate": 1}).start()
    key, order = new_key(), orders.tv()
    sold = shop.sell(order, key).of(200).json

    def refused():
        answer = shop.sell(orders.tv())
        return answer if answer.status == 429 else None

    refusal = eventually(refused, "a sell is refused for its rate")
    assert refusal.of(429, "rate_limited").header("Retry-After") and "outcome" not in refusal.json
    # A rate limit is the terminal's own, and a known key is answered before it.
    shop.sell(orders.tv(), terminal="caixa-02").of(200)
    refusals = 0
    while refusals == 0:
        refusals += shop.sell(orders.tv()).status == 429
        again = shop.sell(order, key).of(200)
        assert again.json["id"] == sold["id"] and again.header("Idempotency-Replayed") == "true"
    shop.check_books()


def test_more_sales_than_may_run_at_once_are_503_and_known_keys_are_not(new_shop, provider):
    shop = new_shop({"limits.in_flight": 1}, provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/solicitar", after(go_on))
    key, order = new_key(), orders.tv()
    first = shop.start_selling(order, key)
    shop.sale_of_key(key)
    answer = shop.sell(orders.tv()).of(503, "overloaded")
    assert answer.header("Retry-After") and "outcome" not in answer.json
    joined = shop.sell(order, key, wait=1).of(202)
    assert joined.header("Idempotency-Replayed") == "true"
    go_on.set()
    sold = first.result().of(200).json
    assert sold["id"] == joined.json["id"]
    assert len(provider.sent("/venda/tv/solicitar")) == 1


# --- TLS ---


def test_terminals_and_callbacks_speak_tls_and_admin_does_not(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "first")
    shop = new_shop({"listen.tls.cert": str(cert), "listen.tls.key": str(key)}).start()
    context = ssl.create_default_context(cafile=str(cert))
    till = Terminal(shop.gateway.ports["terminals"], key_of("caixa-01"), context)
    sold = till.sell(orders.tv(), new_key()).of(200).json
    assert sold["outcome"] == "sold"
    Caller(shop.gateway.ports["callbacks"], context=context).post("/callbacks/esim/x/sale", {}).of(404, "not_found")
    shop.gateway.admin.get("/healthz").of(200)
    headers = {"Authorization": f"Bearer {key_of('caixa-01')}"}
    in_clear = plain_request(shop.gateway.ports["terminals"], "GET", "/v1/sales", headers=headers, timeout=20)
    assert "speaks TLS" in in_clear.of(400, "bad_request").json["detail"] and "sales" not in in_clear.json
