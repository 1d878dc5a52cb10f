"""Tests how long a call waits: Prefer, 202 and what a terminal does then."""
import json
import socket
import threading

import pytest
from harness import orders
from harness.client import Background
from harness.fake_provider import CUT, after
from harness.orders import new_key
from harness.waiting import eventually


@pytest.fixture
def slow(new_shop, provider):
    """Makes a store whose provider answers no request and no confirm before `go_on` is set."""
    shop = new_shop({"limits.sell_wait": "1s", "provider.request_timeout": "30s", "sale.confirm_window": "30s"},
                    provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/solicitar", after(go_on))
    yield shop, go_on
    go_on.set()


def test_a_wait_that_runs_out_is_202_with_the_sale_and_where_to_ask(slow):
    shop, go_on = slow
    answer = shop.sell(orders.tv(), wait=1).of(202)
    sale = answer.json
    assert (sale["outcome"], sale["status"], sale["final"], sale["settled"]) == ("pending", "PENDENTE", False, False)
    assert (sale["instrucao"], sale["complemento"], sale["receipt"]) == (None, None, None)
    assert answer.header("Location") == f"/v1/sales/{sale['id']}"
    assert int(answer.header("Retry-After")) >= 1
    assert shop.till.get(answer.header("Location")).of(200).json["outcome"] == "pending"
    go_on.set()
    assert shop.sale(sale["id"], wait=60)["outcome"] == "sold"


def test_the_default_wait_is_the_configurations(slow):
    shop, _ = slow
    shop.sell(orders.tv()).of(202)


def test_a_prefer_that_makes_no_sense_is_ignored(slow):
    shop, _ = slow
    senseless = ["wait=0", "wait=-1", "wait=x", "wait=1.5", "wait", "respond-async", "", ";;", "wait=1s"]
    calls = {prefer: Background(shop.till.sell, orders.tv(), new_key(), Prefer=prefer) for prefer in senseless}
    for prefer, call in calls.items():
        answer = call.result()
        assert answer.status == 202 and answer.header("Preference-Applied") is None, prefer


def test_a_prefer_is_read_as_rfc_7240_has_it(slow):
    shop, go_on = slow
    sensible = ['wait="60"', "respond-async, wait=60", "WAIT=60", "wait=60; x=1", "wait=9999999999999"]
    keys = {prefer: new_key() for prefer in sensible}
    calls = {prefer: Background(shop.till.sell, orders.tv(), key, Prefer=prefer) for prefer, key in keys.items()}
    for key in keys.values():
        shop.sale_of_key(key)
    # A call with the default of a second is answered in the meantime, so these wait longer than that.
    shop.sell(orders.tv()).of(202)
    assert [prefer for prefer, call in calls.items() if call.done] == []
    go_on.set()
    for prefer, call in calls.items():
        answer = call.result()
        assert answer.status == 200, prefer
        assert answer.header("Preference-Applied") == ("wait=120" if "999" in prefer else "wait=60"), prefer


def test_a_get_without_a_wait_answers_at_once_and_with_one_when_the_sale_is_final(slow):
    shop, go_on = slow
    sale = shop.sell(orders.tv(), wait=1).of(202).json
    assert shop.sale(sale["id"])["final"] is False
    assert shop.sale(sale["id"], wait=1)["final"] is False
    waiting = Background(shop.sale, sale["id"], 60)
    go_on.set()
    assert waiting.result()["status"] == "EFETIVADA"


def test_a_get_with_a_wait_of_a_held_sale_answers_when_it_is_final(shop):
    sale = shop.sell(orders.tv(confirm="manual")).of(200).json
    waiting = Background(shop.sale, sale["id"], 60)
    shop.till.confirm(sale["id"]).of(200)
    assert waiting.result()["status"] == "EFETIVADA"


def test_a_terminal_that_goes_away_changes_nothing(slow):
    shop, go_on = slow
    key, body = new_key(), json.dumps(orders.tv()).encode()
    with socket.create_connection(shop.till.address) as caller:
        head = (
            f"POST /v1/sell HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {shop.till.key}\r\nIdempotency-Key: {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        caller.sendall(head.encode() + body)
        sale = shop.sale_of_key(key)
    go_on.set()
    assert shop.sale(sale["id"], wait=60)["status"] == "EFETIVADA"


def test_a_confirm_under_way_is_pending_and_AUTORIZADA(new_shop, provider):
    shop = new_shop(provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/confirmar", after(go_on))
    answer = shop.sell(orders.tv(), wait=1).of(202)
    assert (answer.json["status"], answer.json["outcome"]) == ("AUTORIZADA", "pending")
    assert answer.json["instrucao"] is None and answer.json["idTransacao"]
    go_on.set()
    eventually(lambda: shop.sale(answer.json["id"])["outcome"] == "sold", "sold")


def test_another_attempt_is_made_only_while_enough_of_the_wait_is_left(new_shop, provider):
    shop = new_shop({"provider.request_timeout": "3s", "sale.max_attempts": 3}, provider=provider).start()
    provider.on("/venda/tv/solicitar", lambda request: CUT)
    sale = shop.sell(orders.tv(), wait=2).of(504, "sale_cancelled").sale  # this is less than an attempt may take
    assert len(shop.sale(sale["id"])["attempts"]) == 1
    sale = shop.sell(orders.tv(), wait=100).of(504, "sale_cancelled").sale
    assert len(shop.sale(sale["id"])["attempts"]) == 3
