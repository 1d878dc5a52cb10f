"""Tests held sales, which the terminal's confirm decides."""
import threading

import pytest
from harness import orders
from harness.client import Background
from harness.fake_provider import CUT, after
from harness.orders import new_key

KINDS = [orders.tv, orders.egift, orders.transit]


def hold(shop, make=orders.tv, **more):
    return shop.sell(make(confirm="manual"), **more).of(200).json


@pytest.mark.parametrize("make", KINDS)
def test_a_held_sale_is_AUTORIZADA_and_has_no_goods_yet(shop, make):
    sale = hold(shop, make)
    assert (sale["status"], sale["outcome"], sale["final"], sale["settled"]) == ("AUTORIZADA", "held", False, False)
    assert (sale["instrucao"], sale["complemento"], sale["receipt"]) == (None, None, None)
    assert sale["idTransacao"] and shop.in_books(sale) == "AUTORIZADA"
    shop.till.get(f"/v1/sales/{sale['id']}/receipt").of(404, "not_found")
    confirmed = shop.till.confirm(sale["id"]).of(200).json
    assert (confirmed["status"], confirmed["outcome"]) == ("EFETIVADA", "sold")
    assert confirmed["instrucao"] and confirmed["receipt"]
    assert shop.in_books(sale) == "EFETIVADA"


@pytest.mark.parametrize("make", KINDS)
def test_a_held_sale_that_its_terminal_cancels_is_not_sold(shop, make):
    sale = hold(shop, make)
    cancelled = shop.till.cancel(sale["id"]).of(200).json
    assert (cancelled["status"], cancelled["outcome"]) == ("CANCELADA", "not_sold")
    assert cancelled["reason"]["code"] == "terminal_cancelled"
    shop.settled(sale["id"])
    assert shop.in_books(sale) == "CANCELADA"


def test_asking_for_what_is_already_so_is_200(shop):
    sold, cancelled = hold(shop), hold(shop)
    for _ in range(3):
        assert shop.till.confirm(sold["id"]).of(200).json["outcome"] == "sold"
        assert shop.till.cancel(cancelled["id"]).of(200).json["outcome"] == "not_sold"
    assert shop.sandbox.transaction(sold["idExterno"])["calls"]["confirmar"] == 1


def test_the_opposite_of_a_final_status_is_409_with_the_sale(shop):
    sold, cancelled = hold(shop), hold(shop)
    shop.till.confirm(sold["id"]).of(200)
    shop.till.cancel(cancelled["id"]).of(200)
    answer = shop.till.cancel(sold["id"]).of(409, "sale_final")
    assert (answer.json["outcome"], answer.sale["id"]) == ("sold", sold["id"])
    answer = shop.till.confirm(cancelled["id"]).of(409, "sale_final")
    assert (answer.json["outcome"], answer.sale["id"]) == ("not_sold", cancelled["id"])
    assert shop.in_books(sold) == "EFETIVADA" and shop.in_books(shop.settled(cancelled["id"])) == "CANCELADA"


def test_confirm_and_cancel_of_a_refused_sale(shop):
    sale = shop.sell(orders.tv(4901)).of(402, "sale_refused").sale
    shop.till.cancel(sale["id"]).of(200)
    assert shop.till.confirm(sale["id"]).of(409, "sale_final").json["outcome"] == "not_sold"


def test_confirm_of_a_sale_that_is_not_held_answers_with_the_sale_as_it_stands(shop):
    sale = shop.sell(orders.tv()).of(200).json
    assert shop.till.confirm(sale["id"]).of(200).json["status"] == "EFETIVADA"


def test_an_esim_cannot_be_held(shop):
    assert shop.sell(orders.esim(confirm="manual")).of(422, "invalid_request").pointers() == ["/confirm"]


@pytest.mark.parametrize("value", ["AUTO", "yes", "", None, True, 1])
def test_confirm_is_auto_or_manual(shop, value):
    assert shop.sell(orders.tv(confirm=value)).of(422, "invalid_request").pointers() == ["/confirm"]


def test_auto_is_the_default(shop):
    assert shop.sell(orders.tv(confirm="auto")).of(200).json["outcome"] == "sold"


@pytest.mark.parametrize("ending", ["confirm", "cancel"])
def test_replays_of_a_held_sale(shop, ending):
    key, order = new_key(), orders.tv(confirm="manual")
    sale = shop.sell(order, key).of(200).json
    again = shop.sell(order, key).of(200)
    assert again.json["outcome"] == "held" and again.header("Idempotency-Replayed") == "true"
    getattr(shop.till, ending)(sale["id"]).of(200)
    after_it = shop.sell(order, key).of(200)
    assert after_it.json["status"] == {"confirm": "EFETIVADA", "cancel": "CANCELADA"}[ending]
    assert after_it.header("Idempotency-Replayed") == "true"


def test_confirm_and_cancel_at_once_have_one_winner(shop):
    for _ in range(5):
        sale = hold(shop)
        calls = [Background(shop.till.confirm, sale["id"]), Background(shop.till.cancel, sale["id"])]
        calls += [Background(shop.till.confirm, sale["id"]), Background(shop.till.cancel, sale["id"])]
        answers = [call.result() for call in calls]
        final = shop.settled(sale["id"])
        assert {answer.status for answer in answers} <= {200, 409}
        for answer in answers:
            assert answer.sale["status"] == final["status"] and answer.sale["final"]
        assert shop.in_books(sale) == final["status"]


def test_without_a_decision_the_gateway_cancels(new_shop):
    shop = new_shop({"limits.hold": "300ms"}).start()
    key, order = new_key(), orders.tv(confirm="manual")
    sale = shop.sell(order, key).of(200).json
    final = shop.settled(sale["id"])
    assert (final["status"], final["reason"]["code"]) == ("CANCELADA", "hold_expired")
    assert shop.in_books(sale) == "CANCELADA"
    assert shop.till.confirm(sale["id"]).of(409, "sale_final").json["outcome"] == "not_sold"
    replayed = shop.sell(order, key).of(200)
    assert replayed.json["status"] == "CANCELADA" and replayed.header("Idempotency-Replayed") == "true"
    shop.check_books()


def test_a_hold_that_is_over_while_the_gateway_is_down_is_over(new_shop):
    shop = new_shop({"limits.hold": "200ms"}).start()
    sale = hold(shop)
    shop.gateway.kill()
    shop.start()
    assert shop.settled(sale["id"])["reason"]["code"] == "hold_expired"
    shop.check_books()


def test_a_held_sale_is_found_held_after_a_restart(new_shop):
    shop = new_shop().start()
    confirmed, cancelled = hold(shop), hold(shop)
    shop.gateway.kill()
    shop.start()
    for sale in (confirmed, cancelled):
        assert shop.sale(sale["id"])["outcome"] == "held"
    assert shop.till.confirm(confirmed["id"]).of(200).json["outcome"] == "sold"
    assert shop.till.cancel(cancelled["id"]).of(200).json["outcome"] == "not_sold"
    shop.check_books()


def test_a_confirm_call_waits_as_it_prefers(new_shop, provider):
    shop = new_shop(provider=provider).start()
    sale = hold(shop)
    go_on = threading.Event()
    provider.on("/venda/tv/confirmar", after(go_on))
    answer = shop.till.confirm(sale["id"], wait=1).of(202)
    assert answer.header("Location") == f"/v1/sales/{sale['id']}" and answer.header("Retry-After")
    assert (answer.json["status"], answer.json["outcome"], answer.json["instrucao"]) == ("AUTORIZADA", "pending", None)
    second = Background(shop.till.confirm, sale["id"], 60)
    go_on.set()
    assert second.result().of(200).json["outcome"] == "sold"
    assert len({request.body for request in provider.sent("/venda/tv/confirmar")}) == 1


def test_a_lost_confirm_answer_of_a_held_sale_is_asked_for_again(new_shop, provider):
    shop = new_shop(provider=provider).start()
    sale = hold(shop)
    provider.on("/venda/tv/confirmar", [lambda request: CUT])
    assert shop.till.confirm(sale["id"]).of(200).json["outcome"] == "sold"
    first, second = provider.sent("/venda/tv/confirmar")
    assert first.body == second.body


def test_a_provider_that_cancels_instead_of_confirming(shop):
    sale = shop.sell(orders.tv(4917, confirm="manual")).of(200).json
    answer = shop.till.confirm(sale["id"])
    assert answer.of(502, "sale_cancelled").json["outcome"] == "not_sold"


def test_a_sale_of_another_establishment_is_nobodys_to_decide(shop):
    sale = hold(shop)
    stranger = shop.gateway.terminal("loja-b-01")
    stranger.confirm(sale["id"]).of(404, "not_found")
    stranger.cancel(sale["id"]).of(404, "not_found")
    stranger.get(f"/v1/sales/{sale['id']}").of(404, "not_found")
    stranger.get(f"/v1/sales/{sale['id']}/receipt").of(404, "not_found")
    assert shop.in_books(sale) == "AUTORIZADA"
    shop.till.cancel(sale["id"]).of(200)


def test_a_decision_whose_connection_breaks_is_still_a_decision(new_shop, provider):
    shop = new_shop(provider=provider).start()
    sale = hold(shop)
    go_on = threading.Event()
    provider.on("/venda/tv/confirmar", after(go_on))
    with pytest.raises(OSError):
        shop.till.request("POST", f"/v1/sales/{sale['id']}/confirm", timeout=0.5)
    go_on.set()
    shop.until(sale["id"], "sold", status="EFETIVADA")


def test_confirm_and_cancel_take_no_fields(shop):
    sale = hold(shop)
    for call in ("confirm", "cancel"):
        shop.till.post(f"/v1/sales/{sale['id']}/{call}", {"force": True}).of(400, "bad_request")
    assert shop.sale(sale["id"])["outcome"] == "held"
    shop.till.cancel(sale["id"]).of(200)


@pytest.mark.parametrize("body", [None, "", "{}"])
def test_confirm_and_cancel_take_an_empty_body_or_object(shop, body):
    def post(path, **headers):
        return shop.till.request("POST", path, body, headers | {"Content-Type": "application/json"})

    assert post(f"/v1/sales/{hold(shop)['id']}/confirm").of(200).json["outcome"] == "sold"
    assert post(f"/v1/sales/{hold(shop)['id']}/cancel").of(200).json["outcome"] == "not_sold"
    key = new_key()
    hold(shop, key=key)
    assert post("/v1/cancel", **{"Idempotency-Key": key}).of(200).json["outcome"] == "not_sold"
