"""Tests the admin listener: alive, ready, and what a person decides."""
import socket
import sqlite3

import pytest
from harness import orders
from harness.client import Caller
from harness.orders import new_key
from harness.waiting import eventually

CONFIG = {"sale.attention_after": "100ms", "sale.late_arrival": "50ms"}


@pytest.fixture
def admin(shop):
    return shop.gateway.admin


def needs_a_person(shop, cents=35):
    """Makes an eSIM sale whose callback never comes."""
    sale = shop.sell_esim(orders.esim(2900 + cents)).json
    return shop.until(sale["id"], "for a person", attention=True)


def test_it_is_alive_and_ready(admin):
    assert admin.get("/healthz").of(200).body
    assert admin.get("/readyz").of(200).body


def test_it_asks_nobody_for_a_key_and_sells_nothing(admin):
    admin.post("/v1/sell", orders.tv()).of(404, "not_found")
    admin.post("/v1/cancel").of(404, "not_found")
    admin.get("/v1/options?family=tv&produto=x").of(404, "not_found")
    admin.get("/v1/provider/x").of(404, "not_found")


@pytest.mark.parametrize("host, status", [
    ("localhost:9090", 200), ("LOCALHOST", 200), ("[::1]:9090", 200), ("192.0.2.7", 200),
    ("rebound.example", 421), ("rebound.example:9090", 421), ("127.0.0.1.rebound.example", 421), ("127.0.0.1.", 421),
    ("2130706433", 421), ("[fe80::1%25lo]", 421), ("gateway.store", 421), ("", 421),
])
def test_it_answers_to_addresses_and_localhost_only(admin, host, status):
    answer = admin.get("/healthz", Host=host)
    assert answer.status == status
    if status == 421:
        assert answer.code == "misdirected_request"
        admin.get("/no-such-path", Host=host).of(421, "misdirected_request")
        admin.post("/v1/sales/x/resolve", {"note": "n"}, Host=host).of(421, "misdirected_request")


def test_it_answers_to_the_names_that_it_was_given(new_shop):
    shop = new_shop({"listen.admin_names": ["gateway.store"]}).start()
    shop.gateway.admin.get("/healthz", Host="Gateway.Store:9090").of(200)
    shop.gateway.admin.get("/healthz", Host="gateway.store.example").of(421, "misdirected_request")


@pytest.mark.parametrize("request_text, status", [
    (b"GET /healthz HTTP/1.0\r\n\r\n", 200),
    (b"GET /healthz HTTP/1.1\r\n\r\n", 400),
    (b"GET http://rebound.example/healthz HTTP/1.0\r\n\r\n", 421),
    (b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n", 200),
    (b"GET http://rebound.example/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", 421),
    (b"GET http://127.0.0.1/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", 200),
])
def test_a_request_without_a_host_or_with_one_in_its_target_is_no_way_around(shop, request_text, status):
    with socket.create_connection(shop.gateway.ports["admin"], timeout=60) as caller:
        caller.sendall(request_text)
        assert caller.makefile("rb").readline().split()[1] == str(status).encode()


def test_the_other_listeners_answer_to_whatever_name_they_have(shop):
    shop.till.get("/v1/status", Host="gateway.of.the.store").of(200)
    shop.gateway.callbacks.get("/nothing", Host="store.example").of(404, "not_found")


def test_it_is_not_ready_without_a_token_and_becomes_so(new_shop):
    shop = new_shop()
    shop.sandbox.faults({"step": "token", "behaviour": "error"})
    shop.gateway.start()
    answer = shop.gateway.admin.get("/readyz")
    assert answer.status == 503 and answer.json["reasons"]
    shop.gateway.admin.get("/healthz").of(200)
    shop.sandbox.no_faults()
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready once there is a token")


def test_a_journal_that_cannot_be_written_refuses_sales_and_heals_by_itself(new_shop):
    shop = new_shop().start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    other = sqlite3.connect(shop.folder / "journal.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # another program holds the only place to write
    key = new_key()
    answer = shop.sell(orders.tv(), key).of(503, "journal_unavailable")
    assert answer.header("Retry-After") and "sale" not in answer.json
    shop.till.confirm(held["id"]).of(503, "journal_unavailable")
    shop.till.cancel_key(new_key()).of(503, "journal_unavailable")
    refusal = shop.gateway.admin.get("/readyz")
    assert refusal.status == 503 and any("journal" in reason for reason in refusal.json["reasons"])
    assert shop.sandbox.seen("solicitar", "tv") == 1 and shop.sandbox.seen("confirmar", "tv") == 0
    assert shop.sale(held["id"])["outcome"] == "held", "reading goes on"
    other.execute("ROLLBACK")
    other.close()
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready again by itself")
    shop.sell(orders.tv(), key).of(200)
    shop.till.confirm(held["id"]).of(200)
    shop.check_books()


# --- every establishment's sales ---


def test_the_operator_sees_every_establishment(shop, admin):
    ids = [shop.sell(orders.tv(), terminal=till).of(200).json["id"] for till in ("caixa-01", "loja-b-01")]
    listed = [sale["id"] for sale in admin.get("/v1/sales?limit=200").of(200).json["sales"]]
    assert set(ids) <= set(listed)
    for sale in ids:
        assert admin.get(f"/v1/sales/{sale}").of(200).json["attempts"]


def test_the_history_of_a_sale_is_told_from_its_events(shop, admin):
    sale = shop.sell(orders.tv(4912)).of(200).json  # the answer to the first confirm is lost
    history = admin.get(f"/v1/sales/{sale['id']}/events").of(200).json
    events = [(event["event"], event.get("known")) for event in history["events"]]
    assert events[0][0] == "begun"
    assert ("solicitar", "authorised") in events and ("confirmar", "unknown") in events
    assert events[-1] == ("confirmar", "sold")
    assert {event["idExterno"] for event in history["events"]} == {sale["idExterno"]}
    assert [event["at"] for event in history["events"]] == sorted(event["at"] for event in history["events"])


# --- what a person decides ---


@pytest.mark.parametrize("status, outcome", [("EFETIVADA", "sold"), ("CANCELADA", "not_sold")])
def test_a_person_decides_a_sale_that_nobody_else_will(shop, admin, status, outcome):
    sale = needs_a_person(shop)
    resolved = admin.post(f"/v1/sales/{sale['id']}/resolve", {"status": status, "note": "visto no portal"}).of(200).json
    assert (resolved["status"], resolved["outcome"], resolved["final"]) == (status, outcome, True)
    assert resolved["attention"] is False and resolved["settled"] is True
    assert resolved["reason"]["code"] == "operator" and "visto no portal" in resolved["reason"]["detail"]
    assert shop.sale(sale["id"])["outcome"] == outcome
    admin.post(f"/v1/sales/{sale['id']}/resolve", {"status": status, "note": "de novo"}).of(409, "sale_final")


def test_a_sale_without_attention_cannot_be_resolved(shop, admin):
    sold = shop.sell(orders.tv()).of(200).json
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    for sale in (sold, held):
        for body in ({"status": "CANCELADA", "note": "x"}, {"status": "EFETIVADA", "note": "x"}):
            assert admin.post(f"/v1/sales/{sale['id']}/resolve", body).status == 409
    assert admin.post(f"/v1/sales/{sold['id']}/resolve", {"note": "x"}).status == 409
    assert shop.sale(sold["id"])["status"] == "EFETIVADA" and shop.sale(held["id"])["outcome"] == "held"
    shop.till.cancel(held["id"]).of(200)


@pytest.mark.parametrize(
    "body, pointers",
    [
        ({}, ["/note", "/status"]),
        ({"status": "EFETIVADA"}, ["/note"]),
        ({"note": "x"}, ["/status"]),
        ({"status": "NEGADA", "note": "x"}, ["/status"]),
        ({"status": "efetivada", "note": "x"}, ["/status"]),
        ({"status": "EFETIVADA", "note": ""}, ["/note"]),
        ({"status": "EFETIVADA", "note": "x", "who": "me"}, ["/who"]),
    ],
)
def test_a_resolution_is_read_strictly(shop, admin, body, pointers):
    sale = needs_a_person(shop)
    assert admin.post(f"/v1/sales/{sale['id']}/resolve", body).of(422, "invalid_request").pointers() == pointers
    assert shop.sale(sale["id"])["final"] is False
    admin.post(f"/v1/sales/{sale['id']}/resolve", {"status": "CANCELADA", "note": "fim"}).of(200)


def test_a_resolution_must_be_json(shop, admin):
    sale = needs_a_person(shop)
    path = f"/v1/sales/{sale['id']}/resolve"
    admin.request("POST", path, "{", {"Content-Type": "application/json"}).of(400, "invalid_json")
    admin.request("POST", path, "{}", {"Content-Type": "text/plain"}).of(415, "unsupported_media_type")
    admin.post(path, {"status": "CANCELADA", "note": "fim"}).of(200)
    nobodys = "/v1/sales/01HX0000000000000000000000/resolve"
    admin.post(nobodys, {"status": "CANCELADA", "note": "x"}).of(404, "not_found")


def test_a_note_alone_clears_the_mark_of_a_final_sale(shop, admin):
    answer = shop.sell(orders.esim(2939))  # EFETIVADA, and then the recharge fails
    sale = shop.until(answer.sale["id"], "for a person", attention=True, status="EFETIVADA")
    path = f"/v1/sales/{sale['id']}/resolve"
    for status in ("CANCELADA", "EFETIVADA"):
        admin.post(path, {"status": status, "note": "x"}).of(409, "sale_final")
    cleared = admin.post(path, {"note": "recarga feita à mão"}).of(200).json
    assert (cleared["attention"], cleared["status"], cleared["outcome"]) == (False, "EFETIVADA", "sold")
    listed = admin.get("/v1/sales?attention=true").of(200).json["sales"]
    assert sale["id"] not in [one["id"] for one in listed]
    admin.post(path, {"note": "de novo"}).of(409, "sale_final")


def test_a_callback_after_a_person_decided_otherwise_asks_for_one_again(new_shop, provider):
    shop = new_shop({"sale.attention_after": "50ms"}, provider=provider).start()
    sale = shop.sell(orders.esim()).of(202).json
    shop.until(sale["id"], "for a person", attention=True)
    path = f"/v1/sales/{sale['id']}/resolve"
    shop.gateway.admin.post(path, {"status": "CANCELADA", "note": "não achei"}).of(200)
    address = provider.sent("/venda/esim/solicitar")[0].json["the service"]
    told = {"uuid": "1", "msisdn": "2", "url": "u", "situacaoTransacao": "EFETIVADA"}
    Caller(shop.callback_gate.address).post(address[len(shop.callback_gate.url) :], told).of(200)
    final = shop.until(sale["id"], "contradicted", attention=True)
    assert final["status"] == "CANCELADA", "a final status never changes"
    shop.gateway.admin.post(path, {"note": "acertado com o cliente"}).of(200)


def test_a_mark_survives_a_restart(new_shop):
    shop = new_shop({"sale.attention_after": "50ms"}).start()
    sale = needs_a_person(shop)
    shop.gateway.kill()
    shop.start()
    assert shop.sale(sale["id"])["attention"] is True
    listed = shop.gateway.admin.get("/v1/sales?attention=true").of(200).json["sales"]
    assert [one["id"] for one in listed] == [sale["id"]]
    shop.gateway.admin.post(f"/v1/sales/{sale['id']}/resolve", {"status": "EFETIVADA", "note": "n"}).of(200)
    shop.gateway.kill()
    shop.start()
    assert shop.sale(sale["id"])["status"] == "EFETIVADA"
