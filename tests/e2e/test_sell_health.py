"""Tests selling health vouchers: the PIN comes with the request's answer, and no cancel is documented."""
import json
import re

import pytest
from harness import orders
from harness.fake_provider import CUT, authorised
from harness.processes import LOJA_A


def test_a_voucher_is_sold_and_its_pin_handed_over(shop):
    sale = shop.sell(orders.health()).of(200).json
    in_books = shop.sandbox.transaction(sale["idExterno"])
    assert (sale["outcome"], in_books["status"]) == ("sold", "EFETIVADA")
    assert sale["instrucao"]["pin"] == in_books["goods"]
    assert sale["complemento"] == {"produtoIdParceiro": "7001"}
    assert in_books["goods"] in "\n".join(sale["receipt"])


def test_a_voucher_cannot_be_held_where_it_could_not_be_cancelled(shop):
    assert shop.sell(orders.health(confirm="manual")).of(422, "invalid_request").pointers() == ["/confirm"]


def test_the_path_segment_may_differ_from_the_product(shop):
    answer = shop.sell(orders.health(health="tv")).of(422, "invalid_request")
    assert answer.pointers() == ["/health"]
    shop.sell(orders.health(health="consulta")).of(200)


@pytest.mark.parametrize("field", ["produtoIdParceiro", "valor"])
def test_a_health_sale_needs_all_its_fields(shop, field):
    assert shop.sell(orders.without(orders.health(), field)).of(422, "invalid_request").pointers() == [f"/{field}"]


def test_the_provider_gets_exactly_the_documented_requests(new_shop, provider):
    shop = new_shop(provider=provider).start()
    pin = json.dumps({"pin": "1234-5678"})
    complemento = json.dumps({"produtoIdParceiro": "7001"})
    provider.on(
        "/venda/consulta/solicitar",
        lambda request: (200, authorised(request, "T-9", instrucao=pin, complemento=complemento)),
    )
    sale = shop.sell(orders.health()).of(200).json
    (asked,) = provider.sent("/venda/consulta/solicitar")
    (confirmed,) = provider.sent("/venda/consulta/confirmar")
    for request, more in (
        (asked, {"idExterno": sale["idExterno"], "produtoIdParceiro": "7001", "valor": "5990"}),
        (confirmed, {"idTransacao": "T-9"}),
    ):
        body = request.json
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?", body.pop("dataHoraCliente")), "without a zone"
        assert body == {"estabelecimento": LOJA_A, "produto": "Consulta"} | more
    (query,) = [request for request in provider.requests if request.method == "GET"]
    assert query.path == f"/venda/consulta/{LOJA_A}/Consulta/valores"
    assert sale["instrucao"] == {"pin": "1234-5678"} and sale["complemento"] == {"produtoIdParceiro": "7001"}


def test_a_lost_request_that_cannot_be_cancelled_is_not_sold_and_needs_a_person(new_shop, provider):
    shop = new_shop(provider=provider).start()
    provider.on("/venda/consulta/solicitar", lambda request: CUT)
    answer = shop.sell(orders.health()).of(504, "sale_cancelled")
    sale = answer.sale
    assert (sale["status"], sale["outcome"]) == ("CANCELADA", "not_sold")
    assert (sale["settled"], sale["attention"]) == (False, True)
    assert len(sale_posts(provider)) == 1, "no second attempt, and no cancel to a confirm address"
    (listed,) = shop.gateway.admin.get("/v1/sales?attention=true").of(200).json["sales"]
    assert listed["id"] == sale["id"]


def sale_posts(provider):
    return [request for request in provider.requests if request.path.startswith("/venda/") and request.method == "POST"]


def test_a_configured_cancel_path_is_used(new_shop):
    path = "/venda/{health}/cancelar"
    shop = new_shop({"provider.health_cancel_path": path}, sandbox={"--health-cancel-path": path}).start()
    held = shop.sell(orders.health(confirm="manual")).of(200).json
    assert (held["outcome"], held["instrucao"]) == ("held", None)
    shop.till.cancel(held["id"]).of(200)
    shop.settled(held["id"])
    assert shop.in_books(held) == "CANCELADA"
    shop.sell(orders.health(2)).of(504, "sale_cancelled")  # it is processed, and the answer is lost
    held = shop.sell(orders.health(confirm="manual")).of(200).json
    assert shop.till.confirm(held["id"]).of(200).json["status"] == "EFETIVADA"
    shop.check_books()


def test_a_confirm_that_is_never_answered_is_only_ever_repeated_and_needs_a_person(new_shop, provider):
    changes = {"provider.request_timeout": "1s", "sale.confirm_window": "1s", "sale.attention_after": "50ms"}
    shop = new_shop(changes, provider=provider).start()
    provider.on("/venda/consulta/confirmar", lambda request: CUT)
    sale = shop.sell(orders.health(), wait=1).sale
    marked = shop.until(sale["id"], "for a person", attention=True)
    assert (marked["status"], marked["outcome"], marked["settled"]) == ("AUTORIZADA", "pending", False)
    provider.on("/venda/consulta/confirmar", lambda request: (200, {"transacao": {"status": "EFETIVADA"}}))
    final = shop.until(sale["id"], "sold in the end", status="EFETIVADA", settled=True)
    assert final["attention"] is False
    assert len({request.body for request in provider.sent("/venda/consulta/confirmar")}) == 1
    steps = {request.path for request in sale_posts(provider)}
    assert steps == {"/venda/consulta/solicitar", "/venda/consulta/confirmar"}
