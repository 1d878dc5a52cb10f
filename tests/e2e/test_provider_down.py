"""A provider is paused, is killed, and comes back, under load, while the gateway and its callers go on."""
import http.client
import signal
import threading

import pytest
from harness import orders
from harness.client import Background
from harness.orders import new_key
from harness.processes import Sandbox
from harness.shop import QUICK
from harness.waiting import eventually

SHORT = {"provider.request_timeout": "700ms", "provider.connect_timeout": "700ms", "sale.confirm_window": "2s"}
MAKES = [orders.tv, orders.egift, orders.transit, orders.health]


def sell_on(shop, stop, answers):
    """Sells one thing after the other as a terminal, each with a key of its own, until it is told to stop."""
    number = 0
    while not stop.wait(0.05):  # there are a few at any moment, and not so many that comparing the books takes long
        key = new_key()
        order = MAKES[number % len(MAKES)]()
        number += 1
        try:
            answers.append((key, order, shop.sell(order, key)))
        except (OSError, http.client.HTTPException) as error:  # the gateway itself never goes away here
            answers.append((key, order, error))


class Tills:
    def __init__(self, shop, count=4):
        self.stop = threading.Event()
        self.answers = []
        self.threads = [Background(sell_on, shop, self.stop, self.answers) for _ in range(count)]

    def outcomes(self):
        return [answer.json.get("outcome", answer.json.get("code")) for _, _, answer in list(self.answers)]

    def sold(self):
        return self.outcomes().count("sold")

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.result()


@pytest.fixture
def tills(new_shop):
    shop = new_shop(SHORT).start()
    tills = Tills(shop)
    tills.shop = shop
    eventually(lambda: tills.sold() >= 10, "some sales")
    yield tills
    tills.stop.set()


def sells_again(tills):
    sold = tills.sold()
    eventually(lambda: tills.sold() >= sold + 10, "sales as before")


def every_key_is_answered_as_before(tills):
    for key, order, first in tills.answers:
        again = tills.shop.sell(order, key)
        if first.json.get("outcome") in ("sold", "not_sold"):
            assert again.json["outcome"] == first.json["outcome"], (first, again)
            assert again.header("Idempotency-Replayed") == "true"


def test_a_provider_that_stands_still_is_given_up_and_caught_up_with(tills):
    shop = tills.shop
    shop.sandbox.signal(signal.SIGSTOP)
    try:
        eventually(lambda: "not_sold" in tills.outcomes(), "a sale that is given up")
        assert shop.gateway.admin.get("/healthz").status == 200
        assert shop.till.get("/v1/sales?limit=5").of(200).json["sales"], "what asks the provider nothing goes on"
    finally:
        shop.sandbox.signal(signal.SIGCONT)
    sells_again(tills)
    tills.end()
    assert not [answer for _, _, answer in tills.answers if isinstance(answer, Exception)]
    shop.check_books()
    every_key_is_answered_as_before(tills)


@pytest.mark.parametrize("times", [1, 4])
def test_a_provider_that_is_cut_off_and_back_again_and_again_agrees_in_the_end(tills, times):
    """The provider's front is restarted: connections are reset at any moment of a call, and none is accepted
    meanwhile."""
    shop = tills.shop
    for _ in range(times):
        shop.gate.shut()
        eventually(lambda: tills.outcomes()[-1:] == ["not_sold"], "a sale that nobody takes")
        shop.gate.open()
        sells_again(tills)
    tills.end()
    shop.check_books()
    every_key_is_answered_as_before(tills)


def test_a_provider_that_is_killed_and_begins_anew_sells_again(new_shop):
    """Nothing is under way at the kill. What the provider had in memory it has forgotten, the gateway's token
    included."""
    shop = new_shop(SHORT | {"limits.sell_wait": "1s"}).start()
    key = new_key()
    sold = shop.sell(orders.tv(), key).of(200).json
    shop.check_books()
    shop.sandbox.kill()
    # A health voucher is left out: it cannot be cancelled here, so a person has to look at a lost one.
    lost = [shop.sell(make()) for make in (orders.tv, orders.egift, orders.transit)]
    assert not [answer for answer in lost if answer.json["outcome"] == "sold"]
    assert shop.sell(orders.tv(), key).of(200).json["id"] == sold["id"], "what is known is known without a provider"
    shop.sandbox = Sandbox(shop.folder, QUICK)
    shop.gate.target = shop.sandbox.address
    again = eventually(lambda: (answer := shop.sell(orders.tv())).status == 200 and answer, "a sale as before")
    assert shop.in_books(again.json) == "EFETIVADA"
    for answer in lost:
        assert shop.settled(answer.sale["id"])["status"] == "CANCELADA"
    assert shop.sell(orders.tv(), key).of(200).json["id"] == sold["id"]
    departures = shop.sandbox.requests()["departures"]
    assert departures["count"] == 0, departures
