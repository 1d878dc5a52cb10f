"""Tests cancel by key, for a terminal that does not know what became of its sell."""
import threading

import pytest
from harness import orders
from harness.client import Background
from harness.fake_provider import CUT, after
from harness.orders import new_key

CONFIG = {"sale.attention_after": "2s"}  # the one eSIM whose callback never comes is marked


def test_a_key_never_seen_is_remembered_and_a_later_sell_with_it_sells_nothing(shop):
    key = new_key()
    for _ in range(2):
        assert shop.till.cancel_key(key).of(200).json == {"outcome": "not_sold"}
    asked = shop.sandbox.seen("solicitar", "tv")
    for order in (orders.tv(), orders.tv(100)):
        assert shop.sell(order, key).of(409, "sale_final").json["outcome"] == "not_sold"
    assert shop.sandbox.seen("solicitar", "tv") == asked
    assert shop.till.get(f"/v1/sales?key={key}").of(200).json["sales"] == []
    # The key belongs to its terminal.
    shop.sell(orders.tv(), key, terminal="caixa-02").of(200)


def test_a_key_that_was_cancelled_stays_cancelled_across_a_restart(new_shop):
    shop = new_shop().start()
    key = new_key()
    shop.till.cancel_key(key).of(200)
    shop.gateway.kill()
    shop.start()
    shop.sell(orders.tv(), key).of(409, "sale_final")
    assert shop.sandbox.transactions() == []


def test_a_sold_sale_cannot_be_cancelled_by_its_key(shop):
    key = new_key()
    sale = shop.sell(orders.tv(), key).of(200).json
    answer = shop.till.cancel_key(key).of(409, "sale_final")
    assert (answer.json["outcome"], answer.sale["id"], answer.sale["receipt"]) == ("sold", sale["id"], sale["receipt"])


@pytest.mark.parametrize("cents, status", [(1, "NEGADA"), (2, "CANCELADA"), (9, "CANCELADA")])
def test_a_sale_that_was_not_sold_is_200(shop, cents, status):
    key = new_key()
    shop.sell(orders.tv(4900 + cents), key)
    sale = shop.till.cancel_key(key).of(200).json
    assert (sale["status"], sale["outcome"]) == (status, "not_sold")


def test_a_held_sale_is_cancelled_by_its_key(shop):
    key, order = new_key(), orders.egift(confirm="manual")
    sale = shop.sell(order, key).of(200).json
    cancelled = shop.till.cancel_key(key).of(200).json
    assert (cancelled["id"], cancelled["status"]) == (sale["id"], "CANCELADA")
    shop.settled(sale["id"])
    assert shop.in_books(sale) == "CANCELADA"
    assert shop.sell(order, key).of(200).json["status"] == "CANCELADA"


def test_an_esim_has_no_cancel(shop):
    key = new_key()
    sale = shop.sell(orders.esim(2935), key).of(202).json  # it is sold, and no callback ever comes
    for answer in (shop.till.cancel_key(key), shop.till.cancel(sale["id"])):
        answer.of(409, "not_cancellable")
        assert (answer.json["outcome"], answer.sale["id"]) == ("pending", sale["id"])
    assert shop.sale(sale["id"])["status"] == "AUTORIZADA"


# --- while the sale runs ---


@pytest.fixture
def wire(new_shop, provider):
    shop = new_shop({"provider.request_timeout": "30s", "sale.confirm_window": "30s"}, provider=provider).start()
    go_on = threading.Event()
    yield shop, provider, go_on
    go_on.set()


def test_a_sale_whose_request_is_under_way_is_cancelled_at_once(wire):
    shop, provider, go_on = wire
    provider.on("/venda/tv/solicitar", after(go_on))
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    sale = shop.sale_of_key(key)
    cancelled = shop.till.cancel_key(key).of(200).json
    assert (cancelled["id"], cancelled["status"], cancelled["outcome"]) == (sale["id"], "CANCELADA", "not_sold")
    assert cancelled["reason"]["code"] == "terminal_cancelled"
    # The sell that waits hears of it without waiting for the provider, which has answered nothing yet.
    assert selling.result().of(200).json["status"] == "CANCELADA"
    go_on.set()
    final = shop.settled(sale["id"])
    assert final["status"] == "CANCELADA"
    assert not provider.sent("/venda/tv/confirmar") and provider.sent("/venda/tv/cancelar")


def test_after_the_confirm_has_left_only_the_providers_word_counts(wire):
    shop, provider, go_on = wire
    provider.on("/venda/tv/confirmar", after(go_on))
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    sale = shop.sale_of_key(key)
    shop.until(sale["id"], "being confirmed", status="AUTORIZADA")
    answer = shop.till.cancel_key(key, wait=1).of(202)
    assert answer.json["outcome"] == "pending" and answer.header("Location") == f"/v1/sales/{sale['id']}"
    assert not selling.done
    go_on.set()
    assert selling.result().of(200).json["outcome"] == "sold"
    assert shop.till.cancel_key(key).of(409, "sale_final").json["outcome"] == "sold"


def test_a_cancel_in_time_wins_over_a_confirm_that_was_lost(wire):
    shop, provider, go_on = wire
    sent = threading.Event()

    def confirm(request):
        sent.set()
        go_on.wait(60)
        return CUT

    provider.on("/venda/tv/confirmar", confirm)
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    assert sent.wait(60)
    cancelling = Background(shop.till.cancel_key, key)
    shop.gateway.await_event("sale.step", step="cancel_asked")
    go_on.set()
    assert cancelling.result().of(200).json["status"] == "CANCELADA"
    assert selling.result().sale["status"] == "CANCELADA"


def test_a_cancel_between_two_attempts_ends_the_sale(wire):
    shop, provider, go_on = wire
    provider.on("/venda/tv/solicitar", [lambda request: CUT])
    provider.on("/venda/tv/cancelar", after(go_on, (200, {"transacao": {"status": "CANCELADA"}})))
    key = new_key()
    selling = shop.start_selling(orders.tv(), key, wait=100)
    shop.sale_of_key(key)
    shop.gateway.await_event("sale.step", step="solicitar")
    cancelled = shop.till.cancel_key(key).of(200).json
    assert cancelled["status"] == "CANCELADA"
    go_on.set()
    assert selling.result().sale["status"] == "CANCELADA"
    shop.settled(cancelled["id"])
    assert len(provider.sent("/venda/tv/solicitar")) == 1


def test_cancel_of_a_sale_that_is_not_held_means_what_cancel_by_key_means(wire):
    shop, provider, go_on = wire
    provider.on("/venda/tv/solicitar", after(go_on))
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    sale = shop.sale_of_key(key)
    assert shop.till.cancel(sale["id"]).of(200).json["status"] == "CANCELADA"
    assert selling.result().sale["status"] == "CANCELADA"


def test_a_sell_and_a_cancel_of_one_key_at_once_agree(shop):
    for _ in range(10):
        key = new_key()
        selling, cancelling = Background(shop.sell, orders.tv(), key), Background(shop.till.cancel_key, key)
        sold, cancelled = selling.result(), cancelling.result()
        if cancelled.status == 409:
            assert sold.of(200).json["outcome"] == "sold"
        else:
            cancelled.of(200)
            assert sold.status in (200, 409) and sold.json["outcome"] == "not_sold"
