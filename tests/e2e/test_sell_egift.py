"""Tests selling e-gifts, whose goods come with the confirm."""
import json

import pytest
from harness import orders
from harness.fake_provider import authorised
from harness.processes import LOJA_A

CONFIG = {"sale.confirm_window": "3s"}


def test_an_egift_is_sold_and_its_activation_address_is_handed_over(shop):
    sale = shop.sell(orders.egift(5000)).of(200).json
    assert (sale["outcome"], sale["status"], sale["valor"]) == ("sold", "EFETIVADA", 5000)
    in_books = shop.sandbox.transaction(sale["idExterno"])
    assert in_books["status"] == "EFETIVADA"
    assert sale["instrucao"]["urlAtivacao"] == in_books["goods"]
    assert in_books["goods"] in sale["receipt"], "an address has a line to itself, however long it is"
    assert all(len(line) <= 40 or line.startswith("https://") for line in sale["receipt"])


def test_the_menu_name_finds_the_catalogue_entry_and_is_not_sent_on(shop):
    shop.sell(orders.egift(5000, nomeMenu="Jogos")).of(200)  # the sandbox refuses fields that it does not know


@pytest.mark.parametrize("field", ["fornecedor", "valor", "tipoNegocio", "chaveProduto", "configuracaoId", "produto"])
def test_an_egift_needs_all_its_fields(shop, field):
    assert shop.sell(orders.without(orders.egift(), field)).of(422, "invalid_request").pointers() == [f"/{field}"]


@pytest.mark.parametrize("value", ["1", 1.5, None, True])
def test_tipoNegocio_is_an_integer(shop, value):
    assert shop.sell(orders.egift(tipoNegocio=value)).of(422, "invalid_request").pointers() == ["/tipoNegocio"]


@pytest.fixture
def wire(new_shop, provider):
    return new_shop(CONFIG, provider=provider).start(), provider


def egift_confirmed(request):
    goods = json.dumps({"urlAtivacao": "https://resgate.example/1", "token": "ABC"})
    return 200, {"transacao": {"status": "EFETIVADA", "idTransacao": request.json["idTransacao"], "instrucao": goods}}


def test_the_provider_gets_exactly_the_documented_request(wire):
    shop, provider = wire
    provider.on("/venda/egift/confirmar", egift_confirmed)
    sale = shop.sell(orders.egift(5000, nomeMenu="Jogos")).of(200).json
    (asked,) = provider.sent("/venda/egift/solicitar")
    body = asked.json
    assert body.pop("dataHoraCliente").endswith("Z")
    assert body == {
        "estabelecimento": LOJA_A,
        "idExterno": sale["idExterno"],
        "produto": "Moedas do Jogo",
        "fornecedor": "Estudio Um",
        "tipoProduto": "ONLINE",
        "tipoNegocio": 1,
        "chaveProduto": "EG-MOEDAS",
        "configuracaoId": "cfg-moedas-01",
        "valor": "5000",
    }
    (menu,) = [request for request in provider.requests if request.method == "GET"]
    assert menu.path == f"/venda/egift/consulta-dinamica/{LOJA_A}/Jogos"


def test_an_egift_is_cancelled_where_the_document_cancels_vouchers(wire):
    shop, provider = wire
    sale = shop.sell(orders.egift(confirm="manual")).of(200).json
    shop.till.cancel(sale["id"]).of(200)
    shop.settled(sale["id"])
    assert len(provider.sent("/venda/voucher/cancelar")) == 1


def test_goods_that_did_not_come_with_the_confirm_are_asked_for_again(wire):
    shop, provider = wire
    bare = lambda request: (200, {"transacao": {"status": "EFETIVADA"}})  # noqa: E731
    provider.on("/venda/egift/confirmar", [bare, egift_confirmed])
    sale = shop.sell(orders.egift()).of(200).json
    assert sale["instrucao"]["token"] == "ABC" and sale["attention"] is False
    first, second = provider.sent("/venda/egift/confirmar")
    assert first.body == second.body


def test_sold_without_goods_is_final_and_needs_a_person(wire):
    shop, provider = wire
    provider.on("/venda/egift/confirmar", lambda request: (200, {"transacao": {"status": "EFETIVADA"}}))
    answer = shop.sell(orders.egift())
    sale = answer.of(200).json
    assert (sale["status"], sale["outcome"], sale["attention"]) == ("EFETIVADA", "sold", True)
    assert sale["instrucao"] is None
    assert "O produto ainda não foi entregue pelo" in sale["receipt"]
    listed = shop.gateway.admin.get("/v1/sales?attention=true").of(200).json["sales"]
    assert [one["id"] for one in listed] == [sale["id"]]


def test_goods_with_the_request_are_not_shown_before_the_sale_is_sold(wire):
    shop, provider = wire
    goods = json.dumps({"urlAtivacao": "https://resgate.example/secreto"})
    provider.on("/venda/egift/solicitar", lambda request: (200, authorised(request, instrucao=goods)))
    held = shop.sell(orders.egift(confirm="manual")).of(200)
    assert held.json["instrucao"] is None and b"secreto" not in held.body
    assert b"secreto" not in shop.till.get(f"/v1/sales/{held.json['id']}").of(200).body
    sold = shop.till.confirm(held.json["id"]).of(200).json
    assert sold["instrucao"]["urlAtivacao"].endswith("secreto")
