"""Sells of one transit card wait for each other."""
import signal
import threading

import pytest
from harness import orders
from harness.fake_provider import after
from harness.orders import new_key
from harness.waiting import eventually

SELL = "/venda/transporte/bilhete/solicitar"


@pytest.fixture
def busy(new_shop, provider):
    """Makes a store with a sell of the card whose request the provider answers when `go_on` is set."""
    shop = new_shop({"provider.request_timeout": "60s", "sale.confirm_window": "60s", "limits.drain": "60s"},
                    provider=provider).start()
    shop.go_on = threading.Event()
    provider.on(SELL, [after(shop.go_on)])
    shop.first_key = new_key()
    shop.first = shop.start_selling(orders.transit(), shop.first_key, wait=60)
    eventually(lambda: provider.sent(SELL), "the first sell is under way")
    yield shop
    shop.go_on.set()


def test_the_second_is_sold_once_the_first_has_ended(busy, provider):
    key = new_key()
    second = busy.start_selling(orders.transit(2100), key, wait=60)
    other_card = busy.sell(orders.transit(numeroCartao="1000000003")).of(200)
    assert busy.till.get(f"/v1/sales?key={key}").of(200).json["sales"] == [], "nothing is begun before its turn"
    assert len(provider.sent(SELL)) == 2 and other_card.json["outcome"] == "sold"
    busy.go_on.set()
    first, second = busy.first.result().of(200).json, second.result().of(200).json
    assert second["createdAt"] >= first["updatedAt"]
    assert [request.json["valor"] for request in provider.sent(SELL)] == ["2000", "2000", "2100"]


def test_half_of_the_wait_later_nothing_was_begun_and_the_key_is_free(busy, provider):
    key = new_key()
    answer = busy.sell(orders.transit(2100), key, wait=1).of(503, "overloaded")
    assert "outcome" not in answer.json and answer.header("Retry-After")
    assert busy.till.get(f"/v1/sales?key={key}").of(200).json["sales"] == []
    assert len(provider.sent(SELL)) == 1
    busy.go_on.set()
    assert busy.sell(orders.transit(2100), key, wait=60).of(200).header("Idempotency-Replayed") is None


def test_a_known_key_is_answered_first(busy):
    assert busy.sell(orders.transit(), busy.first_key, wait=1).of(202).header("Idempotency-Replayed") == "true"
    cancelled = new_key()
    busy.till.cancel_key(cancelled).of(200)
    busy.sell(orders.transit(), cancelled, wait=60).of(409, "sale_final")


def test_a_stop_ends_the_wait(busy, provider):
    key = new_key()
    second = busy.start_selling(orders.transit(2100), key, wait=60)
    connections = lambda: busy.gateway.metric("gateway_http_connections", listener="terminals")  # noqa: E731
    eventually(lambda: connections() == 2, "the second sell has come")
    busy.gateway.run.signal(signal.SIGTERM)
    answer = second.result()
    answer.of(503, "shutting_down")
    assert provider.sent(SELL)[1:] == []
    busy.go_on.set()
    assert busy.first.result().of(200).json["outcome"] == "sold"
    assert busy.gateway.run.wait() == 0


def test_a_held_sale_keeps_nobody_waiting(new_shop):
    shop = new_shop().start()
    held = shop.sell(orders.transit(confirm="manual")).of(200).json
    assert held["outcome"] == "held"
    shop.sell(orders.transit(2100), wait=60).of(200)
    shop.till.confirm(held["id"]).of(200)
