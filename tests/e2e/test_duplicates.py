"""Tests possible duplicates: when the same is sold twice within the window, the gateway asks before it sells."""
import sqlite3
import threading
from contextlib import closing

import pytest
from harness import orders
from harness.fake_provider import after
from harness.orders import new_key
from harness.waiting import eventually

CONFIG = {"sale.duplicate_window": "10m"}

OTHER_CPF = "111.444.777-35"


def is_duplicate_of(answer, sale):
    problem = answer.of(409, "possible_duplicate").json
    assert "sale" not in problem and "outcome" not in problem and "instrucao" not in str(problem)
    assert answer.header("Sale-Id") is None
    existing = problem["existing"]
    assert set(existing) == {"id", "outcome", "status", "createdAt"}
    assert (existing["id"], existing["createdAt"]) == (sale["id"], sale["createdAt"])
    return existing


# The amounts distinguish the tests of one store.
@pytest.mark.parametrize(
    "order, again",
    [
        (orders.tv(10000), orders.tv("10000", cpf=orders.CPF.replace(".", "").replace("-", ""), confirm="auto")),
        (orders.tv_dynamic(), orders.tv_dynamic()),
        (orders.egift(), orders.egift(cashier="Rita", nomeMenu="Jogos")),
        (orders.transit(2000), orders.transit("2000", cashier="Rita")),
        (orders.health(), orders.health()),
    ],
)
def test_the_same_with_a_new_key_is_409_and_repeat_sells_it(shop, order, again):
    first = shop.sell(order).of(200).json
    asked = shop.sandbox.seen("solicitar", order["family"])
    key = new_key()
    for terminal in ("caixa-01", "caixa-02"):
        answer = shop.sell(again, key, terminal=terminal)
        existing = is_duplicate_of(answer, first)
        assert (existing["outcome"], existing["status"]) == ("sold", "EFETIVADA")
    assert shop.sandbox.seen("solicitar", order["family"]) == asked
    assert shop.till.get(f"/v1/sales?key={key}").of(200).json["sales"] == [], "nothing was begun"
    is_duplicate_of(shop.sell(again | {"repeat": False}, key), first)
    second = shop.sell(again | {"repeat": True}, key).of(200)
    assert second.json["id"] != first["id"] and second.header("Idempotency-Replayed") is None
    # From now on the key is known, with `repeat` or without it.
    for body in (again, again | {"repeat": True}):
        answer = shop.sell(body, key).of(200)
        assert answer.json["id"] == second.json["id"] and answer.header("Idempotency-Replayed") == "true"


def test_an_esim_to_the_same_cpf_is_one_however_it_is_written(shop):
    first = shop.sell_esim(orders.esim()).json
    again = orders.esim(consumidor=orders.CONSUMIDOR | {"cpf": "52998224725", "nome": "Z. Quaresma"})
    assert is_duplicate_of(shop.sell(again), first)["outcome"] in ("pending", "sold")
    shop.sell(orders.esim(consumidor=orders.CONSUMIDOR | {"cpf": OTHER_CPF})).of(202)


def test_another_product_amount_person_card_or_establishment_is_none(shop):
    shop.sell(orders.tv(20000)).of(200)
    shop.sell(orders.tv(20000, cpf=OTHER_CPF)).of(200)
    shop.sell(orders.tv(20100)).of(200)
    shop.sell(orders.tv(20000), terminal="loja-b-01").of(200)
    shop.sell(orders.transit(3000)).of(200)
    shop.sell(orders.transit(3000, numeroCartao="1000000003")).of(200)
    shop.sell(orders.egift(6000)).of(200)
    shop.sell(orders.egift(6100)).of(200)


@pytest.mark.parametrize("valor, status", [(30001, 402), (30002, 504)])
def test_what_was_not_sold_does_not_count(shop, valor, status):
    assert shop.sell(orders.tv(valor)).status == status
    assert shop.sell(orders.tv(valor)).status == status, "sold as if for the first time"


def test_a_held_sale_counts_until_it_is_cancelled(shop):
    held = shop.sell(orders.tv(31000, confirm="manual")).of(200).json
    assert is_duplicate_of(shop.sell(orders.tv(31000)), held)["outcome"] == "held"
    shop.till.cancel(held["id"]).of(200)
    shop.sell(orders.tv(31000)).of(200)


def test_a_cancelled_key_is_answered_first(shop):
    shop.sell(orders.tv(32000)).of(200)
    key = new_key()
    shop.till.cancel_key(key).of(200)
    shop.sell(orders.tv(32000), key).of(409, "sale_final")


def test_what_is_still_being_sold_counts(new_shop, provider):
    shop = new_shop(CONFIG | {"provider.request_timeout": "60s", "sale.confirm_window": "60s"},
                    provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/solicitar", after(go_on))
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    sale = shop.sale_of_key(key)
    existing = is_duplicate_of(shop.sell(orders.tv()), sale)
    assert (existing["outcome"], existing["status"]) == ("pending", "PENDENTE")
    go_on.set()
    assert selling.result().of(200).json["id"] == sale["id"]
    assert len(provider.sent("/venda/tv/solicitar")) == 1


def test_of_many_at_once_one_is_sold(shop):
    selling = [shop.start_selling(orders.tv(33000), new_key()) for _ in range(8)]
    answers = [one.result() for one in selling]
    (sold,) = [answer for answer in answers if answer.status == 200]
    for answer in answers:
        if answer is not sold:
            is_duplicate_of(answer, sold.json)


def test_duplicates_are_known_after_a_crash_and_the_file_does_not_tell_whose_they_are(new_shop):
    shop = new_shop(CONFIG).start()
    sale = shop.sell(orders.tv()).of(200).json
    shop.gateway.kill()
    shop.start()
    is_duplicate_of(shop.sell(orders.tv()), sale)
    with closing(sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True)) as journal:
        ((hashed, key),) = journal.execute("SELECT duplicate_hash, duplicate_key.key FROM sales, duplicate_key").fetchall()
    assert len(hashed) == 64 and len(key) == 64


def test_after_the_window_it_is_sold_again(new_shop):
    shop = new_shop({"sale.duplicate_window": "1s"}).start()
    first = shop.sell(orders.tv()).of(200).json
    key = new_key()
    answer = eventually(lambda: (a := shop.sell(orders.tv(), key)).status == 200 and a, "the window is over")
    assert answer.json["createdAt"] > first["createdAt"]


def test_by_default_nothing_is_looked_for(new_shop):
    shop = new_shop().start()
    for more in ({}, {}, {"repeat": True}, {"repeat": False}):
        shop.sell(orders.tv() | more).of(200)
    assert shop.sell(orders.tv(repeat="yes")).of(422, "invalid_request").pointers() == ["/repeat"]
