"""Tests selling transit card credit."""
import pytest
from harness import orders
from harness.processes import LOJA_A


def test_a_card_is_charged_with_an_amount_of_its_range(shop):
    sale = shop.sell(orders.transit(2000)).of(200).json
    assert (sale["outcome"], sale["valor"], sale["fornecedor"]) == ("sold", 2000, "Consorcio Bilhete")
    assert sale["instrucao"]["nsuFornecedor"] and sale["receipt"]
    assert shop.in_books(sale) == "EFETIVADA"


def test_a_card_is_charged_with_a_number_of_trips(shop):
    assert shop.sell(orders.transit_units(3)).of(200).json["valor"] == 1320
    assert shop.sell(orders.transit_units(3) | {"quantidade": "3"}).of(200).json["valor"] == 1320


def test_a_quantity_that_is_not_named_is_one(shop):
    shop.sell(orders.without(orders.transit_units(1), "quantidade")).of(200)
    answer = shop.sell(orders.without(orders.transit_units(2), "quantidade")).of(422, "invalid_request")
    assert answer.pointers() == ["/valor"]


def test_the_path_segment_may_differ_from_the_product(shop):
    sale = shop.sell(orders.transit(produto="Qualquer Nome", transit="metrocard")).of(200).json
    assert sale["fornecedor"] == "Companhia do Metro"


@pytest.mark.parametrize(
    "segment",
    ["tv", "egift", "esim", "voucher", "transporte", ".", "..", "a/b", "Bilhete", "bilhete único", "", "a%2fb", "a?b",
     "bilhéte", 5, None, "a b"],
)
def test_a_path_segment_is_one_segment_of_plain_letters_and_no_other_familys(shop, segment):
    assert shop.sell(orders.transit(transit=segment)).of(422, "invalid_request").pointers() == ["/transit"]


@pytest.mark.parametrize("produto", ["Bilhete Único", "TV", "voucher", "a/b", ".."])
def test_a_product_that_makes_no_segment_needs_one_named(shop, produto):
    pointers = shop.sell(orders.transit(produto=produto)).of(422, "invalid_request").pointers()
    assert pointers == ["/transit"]


@pytest.mark.parametrize("field", ["numeroCartao", "tipoCredito", "tipoProduto", "descricao", "valor", "produto"])
def test_a_transit_sale_needs_all_its_fields(shop, field):
    assert f"/{field}" in shop.sell(orders.without(orders.transit(), field)).of(422, "invalid_request").pointers()


@pytest.mark.parametrize("quantidade", [0, -1, 1.5, "x", "", None, True, 10000])
def test_a_quantity_is_a_whole_number_above_0(shop, quantidade):
    order = orders.transit_units(1) | {"quantidade": quantidade}
    assert shop.sell(order).of(422, "invalid_request").pointers() == ["/quantidade"]


def test_the_provider_gets_exactly_the_documented_requests(new_shop, provider):
    shop = new_shop(provider=provider).start()
    sale = shop.sell(orders.transit_units(2)).of(200).json
    (asked,) = provider.sent("/venda/transporte/bilhete/solicitar")
    body = asked.json
    assert body.pop("dataHoraCliente").endswith("Z")
    assert body == {
        "estabelecimento": LOJA_A,
        "idExterno": sale["idExterno"],
        "produto": "Bilhete",
        "numeroCartao": "1000000001",
        "tipoCredito": "1",
        "tipoProduto": "501",
        "descricao": "Bilhete unitario",
        "valor": "880",
    }
    (query,) = [request for request in provider.requests if request.method == "GET"]
    assert query.path == f"/venda/transporte/bilhete/consulta-valores/{LOJA_A}/bilhete/1000000001"
    held = shop.sell(orders.transit(confirm="manual")).of(200).json
    shop.till.cancel(held["id"]).of(200)
    shop.settled(held["id"])
    assert len(provider.sent("/venda/transporte/bilhete/confirmar")) == 1
    assert len(provider.sent("/venda/transporte/bilhete/cancelar")) == 1
