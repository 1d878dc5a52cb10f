"""One key leads to one sale: tests repeats, joins, other bodies, other terminals."""
import json
import threading

import pytest
from harness import orders
from harness.client import Background
from harness.fake_provider import CUT, after
from harness.orders import new_key

CONFIG = {"provider.request_timeout": "2s", "sale.confirm_window": "2s"}


@pytest.mark.parametrize(
    "order, status",
    [
        (orders.tv(4900), 200),
        (orders.tv(4901), 402),  # it is refused with 422
        (orders.tv(4908), 402),  # NEGADA
        (orders.tv(4902), 504),  # the answers are lost
        (orders.tv(4905), 502),  # 500
        (orders.tv(4909), 503),  # 429
        (orders.tv(4917), 502),  # the provider says CANCELADA
        (orders.egift(5000), 200),
        (orders.tv(4900, confirm="manual"), 200),
    ],
)
def test_a_repeat_gets_the_answer_of_the_first_call(shop, order, status):
    key = new_key()
    first = shop.sell(order, key)
    assert first.status == status and first.header("Idempotency-Replayed") is None
    asked = shop.sandbox.seen("solicitar", order["family"])
    for _ in range(2):
        again = shop.sell(order, key)
        assert (again.status, again.code) == (first.status, first.code)
        assert again.header("Idempotency-Replayed") == "true"
        for name in ("id", "outcome", "status", "idExterno", "instrucao", "valor", "receipt"):
            assert again.sale[name] == first.sale[name]
    assert shop.sandbox.seen("solicitar", order["family"]) == asked
    if status == 503:
        assert again.header("Retry-After") == first.header("Retry-After") == "2"
    if first.sale["outcome"] == "held":
        shop.till.cancel(first.sale["id"]).of(200)


def test_bodies_are_compared_as_json_values(shop):
    key, order = new_key(), orders.tv(4900)
    first = shop.sell(order, key).of(200).json
    turned = dict(reversed(order.items()))
    assert shop.sell(turned, key).of(200).json["id"] == first["id"]
    spaced = json.dumps(order, indent=4).replace("TV", "\\u0054V")
    answer = shop.till.request("POST", "/v1/sell", spaced, {"Content-Type": "application/json", "Idempotency-Key": key})
    assert answer.of(200).json["id"] == first["id"]


@pytest.mark.parametrize(
    "again",
    [
        orders.tv("4900"),
        orders.tv(4900, confirm="auto"),
        orders.tv(4900, cpf=orders.CPF.replace(".", "").replace("-", "")),
        orders.tv(4900, estabelecimento="12345678"),
    ],
)
def test_the_same_order_in_another_spelling_is_a_repeat(shop, again):
    key = new_key()
    first = shop.sell(orders.tv(4900), key).of(200).json
    asked = shop.sandbox.seen("solicitar", "tv")
    answer = shop.sell(again, key).of(200)
    assert answer.json["id"] == first["id"] and answer.header("Idempotency-Replayed") == "true"
    assert shop.sandbox.seen("solicitar", "tv") == asked


@pytest.mark.parametrize(
    "first, other, differing",
    [
        (orders.tv(4900), orders.tv(4800), ["/valor"]),
        (orders.tv(4900), orders.tv(4900, confirm="manual"), ["/confirm"]),
        (orders.tv(4900), orders.tv(4900, cpf="111.444.777-35"), ["/cpf"]),
        (orders.tv(4900), orders.egift(4900), None),
        (orders.transit(), orders.transit(quantidade=2), ["/quantidade"]),
        (orders.esim(), orders.esim(endereco=orders.ENDERECO | {"complemento": "casa"}), ["/consumidor", "/endereco"]),
    ],
)
def test_the_same_key_with_another_order_is_422(shop, first, other, differing):
    key = new_key()
    sale = shop.sell(first, key).sale
    answer = shop.sell(other, key).of(422, "idempotency_key_reused")
    assert "sale" not in answer.json and "outcome" not in answer.json
    existing = answer.json["existing"]
    assert set(existing) == {"id", "outcome", "status", "createdAt"}
    assert (existing["id"], existing["createdAt"]) == (sale["id"], sale["createdAt"])
    if differing:
        assert answer.pointers() == differing
    assert b"casa" not in answer.body and b"111.444" not in answer.body, "names, never values"
    assert shop.till.get(f"/v1/sales?key={key}").of(200).json["sales"][0]["id"] == sale["id"]


def test_a_key_belongs_to_its_terminal(shop):
    key, order = new_key(), orders.tv(4900)
    ids = {shop.sell(order, key, terminal=till).of(200).json["id"] for till in ("caixa-01", "caixa-02", "loja-b-01")}
    assert len(ids) == 3


def test_calls_with_one_key_at_once_make_one_sale(shop):
    key, order = new_key(), orders.egift(5000)
    asked = shop.sandbox.seen("solicitar", "egift")
    calls = [Background(shop.sell, order, key) for _ in range(16)]
    answers = [call.result().of(200) for call in calls]
    assert len({answer.json["id"] for answer in answers}) == 1
    assert sum(answer.header("Idempotency-Replayed") is None for answer in answers) == 1
    assert shop.sandbox.seen("solicitar", "egift") == asked + 1


def test_calls_with_one_key_and_two_bodies_at_once_make_one_sale(shop):
    key = new_key()
    calls = [Background(shop.sell, orders.tv(4900 + 100 * (i % 2)), key) for i in range(12)]
    answers = [call.result() for call in calls]
    assert sorted({answer.status for answer in answers}) == [200, 422]
    assert len({answer.json["id"] for answer in answers if answer.status == 200}) == 1


def test_a_repeat_joins_the_running_sale_and_waits_for_its_end(new_shop, provider):
    shop = new_shop(provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/solicitar", after(go_on))
    key, order = new_key(), orders.tv()
    first = shop.start_selling(order, key)
    shop.sale_of_key(key)
    impatient = shop.sell(order, key, wait=1).of(202)
    assert impatient.header("Idempotency-Replayed") == "true" and impatient.json["outcome"] == "pending"
    joined = shop.start_selling(order, key)
    shop.sell(orders.tv(1), key).of(422, "idempotency_key_reused")
    go_on.set()
    assert first.result().of(200).json["id"] == joined.result().of(200).json["id"] == impatient.json["id"]
    assert len(provider.sent("/venda/tv/solicitar")) == 1


def test_a_mistake_in_a_body_does_not_use_its_key_up(shop):
    key = new_key()
    shop.sell(orders.tv(-1), key).of(422, "invalid_request")
    shop.sell(orders.tv(4900), key).of(200)


def test_a_sale_that_was_tried_again_is_one_sale_with_its_attempts(new_shop, provider):
    shop = new_shop(provider=provider).start()
    provider.on("/venda/tv/solicitar", [lambda request: CUT])
    key, order = new_key(), orders.tv()
    sale = shop.sell(order, key).of(200).json
    attempts = shop.sale(sale["id"])["attempts"]
    assert [attempt["state"] for attempt in attempts][-1] == "sold" and len(attempts) == 2
    for attempt in attempts:
        assert set(attempt) == {"idExterno", "state", "idTransacao", "at"}
    assert attempts[1]["idExterno"] == sale["idExterno"] != attempts[0]["idExterno"]
    again = shop.sell(order, key).of(200).json
    assert again["idExterno"] == sale["idExterno"]
    assert len(provider.sent("/venda/tv/solicitar")) == 2
