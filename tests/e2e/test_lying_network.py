"""A network that cuts, swallows, delays and refuses, between the gateway and everybody it communicates with."""
import http.client
import json
import socket

import pytest
from harness import orders
from harness.client import Background
from harness.gate import Gate
from harness.orders import new_key
from harness.waiting import eventually

CONFIG = {"provider.request_timeout": "2s", "sale.confirm_window": "2s"}
IMPATIENT = {"provider.request_timeout": "700ms", "provider.connect_timeout": "700ms"}

pytestmark = pytest.mark.usefixtures("no_faults")

REQUEST = b"POST /venda/tv/solicitar"
CONFIRM = b"POST /venda/tv/confirmar"
CANCEL = b"POST /venda/tv/cancelar"


def not_sold(shop, answer):
    """Whatever the network did, the sale is not sold, and the provider agrees in the end."""
    assert answer.json["outcome"] == "not_sold" and answer.sale["final"]
    final = shop.settled(answer.sale["id"])
    known = [entry["status"] for a in final["attempts"] for entry in shop.sandbox.transactions(a["idExterno"])]
    assert set(known) <= {"CANCELADA", None}, known
    return final


# --- the answer is cut ---


@pytest.mark.parametrize("passed", [0, 1, 12, 17, 60, 200])
def test_an_answer_to_the_request_that_is_cut_is_cancelled_and_asked_for_again(shop, passed):
    fault = shop.gate.arm(REQUEST, after_down=passed)
    sale = shop.sell(orders.tv()).of(200).json
    assert fault.hits == 1
    first, second = shop.settled(sale["id"])["attempts"]
    assert shop.sandbox.transaction(first["idExterno"])["status"] == "CANCELADA"
    assert shop.sandbox.transaction(second["idExterno"])["status"] == "EFETIVADA"


@pytest.mark.parametrize("passed", [0, 40])
def test_an_answer_that_is_cut_every_time_is_504_and_not_sold(shop, passed):
    shop.gate.arm(REQUEST, times=9, after_down=passed)
    assert len(not_sold(shop, shop.sell(orders.tv()).of(504, "sale_cancelled"))["attempts"]) == 2


@pytest.mark.parametrize("passed", [0, 1, 25, 100])
def test_an_answer_to_the_confirm_that_is_cut_is_confirmed_again(shop, passed):
    fault = shop.gate.arm(CONFIRM, after_down=passed)
    sale = shop.sell(orders.tv()).of(200).json
    assert fault.hits == 1
    calls = shop.sandbox.transaction(sale["idExterno"])["calls"]
    assert (calls["solicitar"], calls["confirmar"], calls["cancelar"]) == (1, 2, 0)


def test_an_answer_to_the_cancel_that_is_cut_is_cancelled_again(shop):
    sale = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.gate.arm(CANCEL, times=2, after_down=10)
    assert shop.till.cancel(sale["id"]).of(200).json["status"] == "CANCELADA"
    shop.settled(sale["id"])
    assert shop.sandbox.transaction(sale["idExterno"])["calls"]["cancelar"] == 3


# --- the request is cut ---


@pytest.mark.parametrize("passed", [0, 1, 30, 250])
def test_a_request_that_is_cut_never_sells(shop, passed):
    shop.gate.arm(REQUEST, times=9, after_up=passed)
    not_sold(shop, shop.sell(orders.tv()).of(504, "sale_cancelled"))


@pytest.mark.parametrize("passed", [0, 1, 200])
def test_a_confirm_that_is_cut_is_sent_again(shop, passed):
    shop.gate.arm(CONFIRM, after_up=passed)
    sale = shop.sell(orders.tv()).of(200).json
    assert shop.in_books(sale) == "EFETIVADA"


# --- nothing comes back, and nothing breaks ---


def test_a_request_that_is_swallowed_is_given_up_and_cancelled(new_shop):
    shop = new_shop(IMPATIENT).start()
    shop.gate.arm(REQUEST, swallow=True)
    sale = shop.sell(orders.tv()).sale
    final = shop.settled(sale["id"])
    assert final["attempts"][0]["state"] == "cancelled"
    shop.check_books()


def test_a_confirm_that_is_swallowed_is_confirmed_again(new_shop):
    shop = new_shop(IMPATIENT).start()
    shop.gate.arm(CONFIRM, swallow=True)
    sale = shop.sell(orders.tv()).of(200).json
    assert shop.in_books(sale) == "EFETIVADA"
    shop.check_books()


def test_a_request_that_arrives_after_its_own_cancel_is_cancelled_once_more(new_shop):
    shop = new_shop(IMPATIENT | {"sale.late_arrival": "3s", "sale.max_attempts": 1}).start()
    shop.gate.arm(REQUEST, hold=True)
    answer = shop.sell(orders.tv()).of(504, "sale_cancelled")
    assert answer.json["outcome"] == "not_sold" and answer.sale["settled"] is False
    shop.gateway.await_event("sale.step", sale=answer.sale["id"], state="lingering")
    assert shop.gate.release() == 1
    assert shop.in_books(answer.sale) == "AUTORIZADA", "the provider has just heard of it"
    shop.settled(answer.sale["id"])
    assert shop.in_books(answer.sale) == "CANCELADA"
    shop.check_books()


def test_a_confirm_that_arrives_late_and_again_changes_nothing(new_shop):
    shop = new_shop(IMPATIENT).start()
    shop.gate.arm(CONFIRM, hold=True)
    sale = shop.sell(orders.tv()).of(200).json
    assert shop.gate.release() == 1
    assert shop.sale(sale["id"])["status"] == shop.in_books(sale) == "EFETIVADA"
    shop.check_books()


def test_no_confirm_follows_a_decision_to_cancel_however_late_the_answer_is(new_shop):
    shop = new_shop(IMPATIENT | {"sale.max_attempts": 1})
    shop.sandbox.faults({"step": "solicitar", "behaviour": "slow", "delay": "1500ms"})
    shop.start()
    answer = shop.sell(orders.tv()).of(504, "sale_cancelled")
    shop.settled(answer.sale["id"])
    calls = shop.sandbox.transaction(answer.sale["idExterno"])["calls"]
    assert calls["confirmar"] == 0 and calls["cancelar"] >= 1
    shop.check_books()


def test_copies_of_requests_that_the_network_delivers_again_change_nothing(shop):
    for step in ("solicitar", "confirmar"):
        shop.sandbox.faults({"step": step, "behaviour": "twice", "delay": "0ms"})
        sale = shop.sell(orders.tv()).of(200).json
        eventually(lambda: not shop.sandbox.call("GET", "/sandbox/held").json["held"], "the copy has arrived")
        assert shop.in_books(sale) == "EFETIVADA"


# --- no connection ---


def test_connections_that_are_refused_send_nothing(shop):
    seen = shop.sandbox.seen("solicitar", "tv")
    shop.gate.shut()
    answer = shop.sell(orders.tv(), wait=2).of(503, "provider_unavailable")
    assert answer.sale["reason"]["code"] == "never_sent" and answer.sale["settled"]
    shop.gate.open()
    assert shop.sandbox.seen("solicitar", "tv") == seen
    # However long the gateway waits before it tries again, it sells again soon.
    eventually(lambda: shop.sell(orders.tv()).status == 200, "sales go through again")


def test_connections_that_are_reset_at_once_sell_nothing(shop):
    shop.gate.reset_all = True
    shop.gate.drop()
    answer = shop.sell(orders.tv(), wait=2)
    assert answer.json["outcome"] == "not_sold"
    shop.gate.reset_all = False
    shop.settled(answer.sale["id"])
    eventually(lambda: shop.sell(orders.tv()).status == 200, "sales go through again")


def test_a_sale_that_is_confirmed_survives_an_outage(new_shop):
    shop = new_shop({"provider.request_timeout": "1s", "sale.confirm_window": "10s"}).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.gate.shut()
    assert shop.till.confirm(held["id"], wait=1).of(202).json["outcome"] == "pending"
    shop.gate.open()
    assert shop.sale(held["id"], wait=60)["status"] == "EFETIVADA"
    shop.check_books()


def test_a_cancel_goes_on_through_an_outage(new_shop):
    shop = new_shop({"provider.request_timeout": "1s"}).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.gate.shut()
    cancelled = shop.till.cancel(held["id"]).of(200).json
    assert (cancelled["status"], cancelled["settled"]) == ("CANCELADA", False)
    shop.gate.open()
    shop.settled(held["id"])
    assert shop.in_books(held) == "CANCELADA"
    shop.check_books()


def test_an_idle_connection_that_died_is_not_used_for_a_request(shop):
    """A stale connection would turn "never sent" into "unknown"."""
    for _ in range(5):
        shop.sell(orders.tv()).of(200)
        shop.gate.drop()
        sale = shop.sell(orders.tv()).of(200).json
        assert len(shop.sale(sale["id"])["attempts"]) == 1


def test_answers_in_single_bytes_are_read(new_shop):
    shop = new_shop({"provider.request_timeout": "20s", "sale.confirm_window": "30s"}).start()
    shop.gate.drop()
    shop.gate.trickle = 1
    sale = shop.sell(orders.tv()).of(200).json
    assert len(shop.sale(sale["id"])["attempts"]) == 1


def test_an_outage_in_the_middle_of_many_sales_loses_none(new_shop):
    shop = new_shop({"provider.request_timeout": "1s", "sale.confirm_window": "2s"}).start()
    keys = [new_key() for _ in range(30)]
    selling = [Background(shop.sell, orders.tv() if i % 2 else orders.transit(), key) for i, key in enumerate(keys)]
    eventually(lambda: shop.sandbox.seen("confirmar", "tv") >= 3, "some are in the middle")
    shop.gate.drop()
    shop.gate.shut()
    shop.gate.open()
    for one in selling:
        answer = one.result()
        assert answer.status in (200, 202, 502, 503, 504), answer
        shop.settled(answer.sale["id"])
    shop.check_books()


# --- between the terminal and the gateway ---


def test_a_terminal_that_never_got_its_answer_asks_again_and_gets_it(shop):
    lan = Gate(shop.gateway.ports["terminals"])
    key, order = new_key(), orders.egift()
    lan.arm(b"POST /v1/sell", after_down=20)
    till = shop.gateway.terminal()
    till.address = lan.address
    with pytest.raises((OSError, http.client.HTTPException)):
        till.sell(order, key)
    answer = till.sell(order, key).of(200)
    assert answer.header("Idempotency-Replayed") == "true" and answer.json["outcome"] == "sold"
    assert len(shop.till.get(f"/v1/sales?key={key}").of(200).json["sales"]) == 1
    lan.close()


@pytest.mark.parametrize("passed", [0, 10, 200])
def test_half_a_sell_sells_nothing(shop, passed):
    lan = Gate(shop.gateway.ports["terminals"])
    key, order = new_key(), orders.tv()
    fault = lan.arm(b"POST /v1/sell", after_up=passed)
    till = shop.gateway.terminal()
    till.address = lan.address
    with pytest.raises((OSError, http.client.HTTPException)):
        till.sell(order, key)
    assert fault.hits == 1
    assert shop.till.get(f"/v1/sales?key={key}").of(200).json["sales"] == []
    till.sell(order, key).of(200)
    lan.close()


def test_a_sell_in_single_bytes_is_read(shop):
    body = json.dumps(orders.tv()).encode()
    head = f"POST /v1/sell HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {shop.till.key}\r\n"
    head += f"Idempotency-Key: {new_key()}\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(shop.till.address, timeout=60) as caller:
        caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in head.encode() + body:
            caller.sendall(bytes([byte]))
        answer = http.client.HTTPResponse(caller)
        answer.begin()
        assert answer.status == 200 and json.loads(answer.read())["outcome"] == "sold"


# --- between the provider and the callbacks listener ---


@pytest.mark.parametrize("fault", [{"after_up": 0}, {"after_up": 60}, {"after_down": 0}, {"after_down": 20}])
def test_callbacks_that_are_cut_come_again_and_decide_once(shop, fault):
    armed = shop.callback_gate.arm(b"POST /callbacks/", times=2, **fault)
    answer = shop.sell(orders.esim())
    final = shop.settled(answer.sale["id"])
    assert (final["status"], final["attention"]) == ("EFETIVADA", False)
    eventually(lambda: armed.hits == 2, "the network has lied twice")
    shop.callback_gate.disarm()


def test_a_callbacks_listener_that_cannot_be_reached_is_reached_later(shop):
    answer = shop.sell_esim(orders.esim())
    assert shop.settled(answer.json["id"])["status"] == "EFETIVADA"
