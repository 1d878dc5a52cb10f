"""Tests every row of the error table, and everything that the cents of an amount make the sandbox do."""
import threading

import pytest
from harness import orders
from harness.fake_provider import CUT, FakeProvider, authorised
from harness.orders import new_key
from harness.shop import Shop

CONFIG = {
    "provider.request_timeout": "2s",
    "sale.confirm_window": "2s",
    "sale.attention_after": "3s",
    "limits.drain": "100ms",  # some sales here have no end to wait for
}
# A request that its cancel overtakes arrives after the answer to that, however long that takes, and never sooner.
SANDBOX = {"--slow": "200ms", "--late-arrival": "1h"}

# Each of these cents has HTTP status, code, the sale's status, reason.code, and how often it was asked for.
ROWS = {
    1: (402, "sale_refused", "NEGADA", "refused", 1),
    2: (504, "sale_cancelled", "CANCELADA", "response_lost", 2),
    3: (504, "sale_cancelled", "CANCELADA", "response_lost", 1),
    4: (200, None, "EFETIVADA", None, 1),
    5: (502, "sale_cancelled", "CANCELADA", "provider_error", 2),
    6: (502, "sale_cancelled", "CANCELADA", "provider_error", 2),
    7: (502, "sale_cancelled", "CANCELADA", "provider_error", 2),
    8: (402, "sale_refused", "NEGADA", "refused", 1),
    9: (503, "provider_unavailable", "CANCELADA", "provider_error", 1),
    10: (502, "sale_cancelled", "CANCELADA", "provider_error", 1),
    11: (502, "sale_cancelled", "CANCELADA", "provider_error", 1),
    12: (200, None, "EFETIVADA", None, 1),
    13: (200, None, "EFETIVADA", None, 1),
    14: (200, None, "EFETIVADA", None, 1),
    15: (200, None, "EFETIVADA", None, 1),
    16: (200, None, "EFETIVADA", None, 1),
    17: (502, "sale_cancelled", "CANCELADA", "provider_error", 1),
    18: (200, None, "EFETIVADA", None, 1),
    19: (200, None, "EFETIVADA", None, 1),
    20: (200, None, "EFETIVADA", None, 1),
    21: (502, "sale_cancelled", "CANCELADA", "provider_error", 2),
    22: (504, "sale_cancelled", "CANCELADA", "response_lost", 2),
    23: (504, "sale_cancelled", "CANCELADA", "response_lost", 2),
    24: (504, "sale_cancelled", "CANCELADA", "response_lost", 2),
    25: (504, "sale_cancelled", "CANCELADA", "response_lost", 2),
    26: (504, "sale_cancelled", "CANCELADA", "response_lost", 2),
    27: (504, "sale_cancelled", "CANCELADA", "response_lost", 1),
    28: (504, "sale_cancelled", "CANCELADA", "response_lost", 1),
    29: (504, "sale_cancelled", "CANCELADA", "response_lost", 2),
    30: (502, "sale_cancelled", "CANCELADA", "provider_error", 2),
}
OUTCOMES = {"EFETIVADA": "sold", "CANCELADA": "not_sold", "NEGADA": "not_sold"}


def check_row(shop, order, cents):
    status, code, sale_status, reason, attempts = ROWS[cents]
    answer = shop.sell(order)
    assert (answer.status, answer.code) == (status, code), answer
    sale = answer.sale
    assert (sale["status"], sale["outcome"]) == (sale_status, OUTCOMES[sale_status])
    if status >= 400:
        assert answer.json["outcome"] == "not_sold"
    assert (sale["reason"] or {}).get("code") == reason
    assert sale["reason"] is None or sale["reason"]["detail"]
    if sale_status != "EFETIVADA":
        assert (sale["instrucao"], sale["complemento"], sale["receipt"]) == (None, None, None)
    final = shop.settled(sale["id"])
    assert final["status"] == sale_status and final["final"] and not final["attention"]
    assert len(final["attempts"]) == attempts
    in_books = [entry["status"] for a in final["attempts"] for entry in shop.sandbox.transactions(a["idExterno"])]
    assert in_books.count("EFETIVADA") == (sale_status == "EFETIVADA")
    assert "AUTORIZADA" not in in_books
    return answer


@pytest.mark.parametrize("cents", ROWS)
def test_what_the_cents_do_to_tv(shop, cents):
    check_row(shop, orders.tv(4900 + cents), cents)


# Of the other families, one row of every kind is tested, because only the paths and the bodies differ.
@pytest.mark.parametrize("cents", [1, 2, 5, 12, 15, 17])
@pytest.mark.parametrize("make", [orders.egift, orders.transit])
def test_what_the_cents_do_to_egift_and_transit(shop, make, cents):
    check_row(shop, make(5000 + cents), cents)


@pytest.mark.parametrize("cents", [1, 8, 12, 13, 15, 16, 17, 19, 20])
def test_what_the_cents_do_to_health(shop, cents):
    check_row(shop, orders.health(cents), cents)


@pytest.mark.parametrize("cents", [2, 5, 6, 7, 21, 30])
def test_a_health_request_of_unknown_fate_is_not_sold_and_needs_a_person(shop, cents):
    status, code, *_ = ROWS[cents]
    sale = shop.sell(orders.health(cents)).of(status, code).sale
    assert (sale["status"], sale["attention"], sale["settled"]) == ("CANCELADA", True, False)
    assert len(shop.sale(sale["id"])["attempts"]) == 1
    assert shop.in_books(sale) == "AUTORIZADA", "and never confirmed"


@pytest.mark.parametrize("cents, outcome, status", [(1, "not_sold", 402), (8, "not_sold", 402), (9, "not_sold", 503)])
def test_an_esim_that_is_plainly_refused(shop, cents, outcome, status):
    answer = shop.sell(orders.esim(2900 + cents))
    assert (answer.status, answer.json["outcome"]) == (status, outcome)


@pytest.mark.parametrize("cents", [2, 3, 5, 6, 7, 10, 21, 30])
def test_an_esim_whose_answer_made_no_sense_is_pending_and_never_asked_for_again(shop, cents):
    sale = shop.sell_esim(orders.esim(2900 + cents)).json
    assert sale["outcome"] == "pending"
    if shop.in_books(sale):  # it was processed, as the callback says
        final = shop.settled(sale["id"])
        assert (final["status"], len(final["attempts"])) == ("EFETIVADA", 1)
    else:
        assert shop.sale(sale["id"])["status"] == "PENDENTE"
        shop.gateway.admin.get("/v1/sales?status=PENDENTE").of(200)


# --- what a problem says ---


@pytest.fixture(scope="module")
def scripted_shop(tmp_path_factory):
    """Makes a store that tries once, with a provider that tests script."""
    fake = FakeProvider()
    store = Shop(tmp_path_factory.mktemp("scripted"), {"sale.max_attempts": 1}, provider=fake)
    try:
        yield store.start()
    finally:
        store.close()
        fake.close()


@pytest.fixture
def scripted(scripted_shop):
    scripted_shop.provider.clear()
    yield scripted_shop, scripted_shop.provider
    # What is left to do for the test's sales must not run into the next test's scripts.
    scripted_shop.provider.clear()
    for sale in scripted_shop.gateway.admin.get("/v1/sales?limit=20").of(200).json["sales"]:
        scripted_shop.settled_or_for_a_person(sale["id"])


def test_a_refusal_carries_the_providers_status_and_body(shop):
    answer = shop.sell(orders.tv(4901)).of(402, "sale_refused")
    provider = answer.sale["reason"]["provider"]
    assert provider["status"] == 422 and provider["body"]["erro"]
    assert shop.sale(answer.sale["id"])["reason"] == answer.sale["reason"]
    assert answer.json["detail"].endswith(f"It said: {provider['body']['mensagem']}")


def test_a_429_hands_on_the_providers_retry_after(shop):
    assert shop.sell(orders.tv(4909)).of(503, "provider_unavailable").header("Retry-After") == "2"


def test_the_long_body_of_a_refusal_is_cut(scripted):
    shop, provider = scripted
    provider.on("/venda/tv/solicitar", lambda request: (400, "não " * 20000))
    said = shop.sell(orders.tv()).of(402, "sale_refused").sale["reason"]["provider"]
    assert said["status"] == 400 and said["body"].startswith("não não") and 100 < len(said["body"]) < 10000


@pytest.mark.parametrize("status", [400, 403, 404, 410, 422, 451])
def test_an_explicit_4xx_is_a_refusal(scripted, status):
    shop, provider = scripted
    provider.on("/venda/tv/solicitar", lambda request: (status, "{}"))
    assert shop.sell(orders.tv()).of(402, "sale_refused").sale["reason"]["provider"]["status"] == status
    assert not provider.sent("/venda/tv/cancelar")


@pytest.mark.parametrize(
    "script",
    [
        lambda request: (408, "{}"),
        lambda request: (409, "{}"),
        lambda request: (425, "{}"),
        lambda request: (500, "{}"),
        lambda request: (504, ""),
        lambda request: (302, "", {"Location": "/venda/tv/confirmar"}),
        lambda request: (307, "", {"Location": "/venda/tv/solicitar"}),
        lambda request: (204, ""),
        lambda request: (200, ""),
        lambda request: (200, "null"),
        lambda request: (200, "[]"),
        lambda request: (200, {"venda": {}}),
        lambda request: (200, authorised(request, status="PROCESSANDO")),
        lambda request: (200, authorised(request, status="PENDENTE")),
        lambda request: (200, authorised(request, status="EFETIVADA")),
        lambda request: (200, authorised(request, status=None)),
        lambda request: (200, authorised(request, valor=None)),
        lambda request: (200, authorised(request, valor=4900.0)),
        lambda request: (200, authorised(request, valor=1)),
        lambda request: (200, authorised(request, idTransacao="")),
        lambda request: (200, authorised(request) | {"venda": {"idExterno": "1"}}),
        lambda request: (200, b"\xff\xfe" + b"x" * 1000),
        lambda request: (200, "{" * 5000),
        lambda request: (200, "x" * 5_000_000),
    ],
)
def test_any_other_answer_is_unknown_and_leads_to_a_cancel(scripted, script):
    shop, provider = scripted
    provider.on("/venda/tv/solicitar", script)
    answer = shop.sell(orders.tv(4900))
    assert answer.code == "sale_cancelled" and answer.status in (502, 504)
    assert answer.sale["reason"]["code"] in ("provider_error", "response_lost")
    sale = shop.settled(answer.sale["id"])
    assert (sale["status"], sale["attention"]) == ("CANCELADA", False)
    assert provider.sent("/venda/tv/cancelar") and not provider.sent("/venda/tv/confirmar")
    assert len(provider.sent("/venda/tv/solicitar")) == 1, "redirects are never followed"


def test_negada_is_a_refusal_with_any_status_of_success_or_refusal(scripted):
    shop, provider = scripted
    for status in (200, 400, 409):
        provider.on("/venda/tv/solicitar", lambda request: (status, authorised(request, status="NEGADA")))
        shop.sell(orders.tv()).of(402, "sale_refused")
    assert not provider.sent("/venda/tv/cancelar")


@pytest.mark.parametrize("final", ["EFETIVADA", "CANCELADA"])
def test_a_4xx_with_a_final_status_is_believed_like_a_2xx(scripted, final):
    shop, provider = scripted
    provider.on("/venda/tv/confirmar", lambda request: (409, {"transacao": {"status": final}}))
    answer = shop.sell(orders.tv())
    assert answer.sale["status"] == final
    assert len(provider.sent("/venda/tv/confirmar")) == 1 and not provider.sent("/venda/tv/cancelar")


@pytest.mark.parametrize("final", ["EFETIVADA", "CANCELADA"])
@pytest.mark.parametrize("of_another", [{"idTransacao": "T-0"}, {"idExterno": "0"}, {"valor": 1}])
def test_an_answer_about_another_sale_is_no_answer_to_the_confirm(scripted, of_another, final):
    shop, provider = scripted
    provider.on("/venda/tv/confirmar", [lambda request: (200, {"transacao": {"status": final} | of_another})])
    assert shop.sell(orders.tv()).of(200).json["outcome"] == "sold"
    confirms = provider.sent("/venda/tv/confirmar")
    assert len(confirms) == 2 and len({request.body for request in confirms}) == 1
    assert not provider.sent("/venda/tv/cancelar")


@pytest.mark.parametrize("of_another", [{"idTransacao": "T-0"}, {"idExterno": "0"}, {"valor": 1}])
def test_an_answer_about_another_sale_is_no_answer_to_the_cancel(scripted, of_another):
    shop, provider = scripted
    provider.on("/venda/tv/solicitar", [lambda request: CUT])
    provider.on("/venda/tv/cancelar", [lambda request: (200, {"transacao": {"status": "EFETIVADA"} | of_another})])
    sale = shop.settled(shop.sell(orders.tv()).of(504, "sale_cancelled").sale["id"])
    assert (sale["status"], sale["attention"]) == ("CANCELADA", False)
    assert len(provider.sent("/venda/tv/cancelar")) == 3, "again, and once more after the time of late arrival"


def test_a_confirm_is_repeated_byte_for_byte_in_its_window_and_then_disputed(new_shop, provider):
    shop = new_shop({"provider.request_timeout": "1s", "sale.confirm_window": "1s"}, provider=provider).start()
    provider.on("/venda/tv/confirmar", lambda request: (500, "{}"))
    sale = shop.sell(orders.tv()).of(502, "sale_cancelled").sale
    assert shop.settled(sale["id"])["reason"]["code"] == "provider_error"
    confirms = provider.sent("/venda/tv/confirmar")
    assert len(confirms) >= 2 and len({request.body for request in confirms}) == 1


def test_a_cancel_is_repeated_byte_for_byte_until_it_is_answered(scripted):
    shop, provider = scripted
    provider.on("/venda/tv/solicitar", [lambda request: CUT])
    provider.on("/venda/tv/cancelar", [lambda request: CUT, lambda request: (500, ""), lambda request: (200, "{}")])
    answer = shop.sell(orders.tv()).of(504, "sale_cancelled")
    assert answer.sale["settled"] is False, "the decision is durable; the cancel itself goes on"
    shop.settled(answer.sale["id"])
    cancels = provider.sent("/venda/tv/cancelar")
    assert len(cancels) == 5, "four until one is answered, and one more after the time of late arrival"
    assert len({request.body for request in cancels}) == 1


def test_a_cancelled_sale_stays_cancelled_whatever_the_provider_says_later(scripted):
    shop, provider = scripted
    provider.on("/venda/tv/solicitar", [lambda request: CUT])
    provider.on("/venda/tv/cancelar", lambda request: (200, {"transacao": {"status": "EFETIVADA"}}))
    key = new_key()
    answer = shop.sell(orders.tv(), key).of(504, "sale_cancelled")
    sale = shop.until(answer.sale["id"], "contradicted", attention=True)
    assert (sale["status"], sale["outcome"]) == ("CANCELADA", "not_sold"), "a final status never changes"
    assert shop.sell(orders.tv(), key).of(504, "sale_cancelled").sale["attention"] is True
    line = shop.gateway.await_event("sale.attention", sale=sale["id"])
    assert line["level"] == "error" and line["mark"] == "contradiction"


# --- the provider cannot be reached ---


def test_nothing_sent_is_503_and_nothing_is_sold(shop, no_faults):
    asked = shop.sandbox.seen("solicitar", "tv")
    shop.gate.shut()
    answer = shop.sell(orders.tv(), wait=2).of(503, "provider_unavailable")
    assert answer.sale["reason"]["code"] == "never_sent" and answer.json["outcome"] == "not_sold"
    assert answer.header("Retry-After") and answer.sale["settled"] is True
    shop.gate.open()
    assert shop.sandbox.seen("solicitar", "tv") == asked


def test_a_hiccup_of_the_network_costs_seconds_and_not_the_sale(new_shop, provider):
    shop = new_shop(provider=provider).start()
    provider.on("/venda/tv/solicitar", [lambda request: CUT])
    assert shop.sell(orders.tv()).of(200).json["outcome"] == "sold"


def test_only_as_many_attempts_as_configured_are_made(new_shop, provider):
    shop = new_shop({"sale.max_attempts": 3}, provider=provider).start()
    provider.on("/venda/tv/solicitar", lambda request: CUT)
    sale = shop.sell(orders.tv(), wait=100).of(504, "sale_cancelled").sale
    asked = provider.sent("/venda/tv/solicitar")
    assert len(asked) == len({request.json["idExterno"] for request in asked}) == 3
    shop.settled(sale["id"])
    cancelled = {request.json["idExterno"] for request in provider.sent("/venda/tv/cancelar")}
    assert cancelled == {request.json["idExterno"] for request in asked}


def test_a_new_attempt_follows_only_a_cancel_that_the_provider_confirmed(new_shop, provider):
    shop = new_shop(provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/solicitar", [lambda request: CUT])

    def cancelled(request):
        go_on.wait(60)
        return 200, {"transacao": {"status": "CANCELADA"}}

    provider.on("/venda/tv/cancelar", cancelled)
    key = new_key()
    call = shop.start_selling(orders.tv(), key, wait=100)
    sale = shop.sale_of_key(key)
    shop.gateway.await_event("sale.step", sale=sale["id"], step="solicitar")
    assert shop.sale(sale["id"])["outcome"] == "pending"
    assert len(provider.sent("/venda/tv/solicitar")) == 1
    go_on.set()
    assert call.result().of(200).json["outcome"] == "sold"
