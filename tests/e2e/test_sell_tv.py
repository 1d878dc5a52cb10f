"""Tests selling pay-TV: the whole sale object, both kinds of product, and every byte that the provider gets."""
import base64
import json
import re
from datetime import datetime

import pytest
from harness import orders
from harness.fake_provider import authorised
from harness.processes import APP_KEY, APP_SECRET, LOJA_A

SALE_FIELDS = {
    "id", "outcome", "status", "final", "settled", "attention", "family", "terminal", "estabelecimento", "produto",
    "fornecedor", "valor", "idExterno", "idTransacao", "dataHora", "createdAt", "updatedAt", "reason",
    "estabelecimentoNome", "cnpjCpf", "instrucao", "complemento", "esim", "receipt",
}
UTC_MILLISECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def test_one_call_sells(shop):
    sale = shop.sell(orders.tv(4900)).of(200).json
    assert set(sale) == SALE_FIELDS
    assert (sale["outcome"], sale["status"], sale["final"], sale["settled"]) == ("sold", "EFETIVADA", True, True)
    assert sale["attention"] is False and sale["reason"] is None and sale["esim"] is None
    assert (sale["family"], sale["terminal"], sale["produto"], sale["valor"]) == ("tv", "caixa-01", "TV Mensal", 4900)
    assert sale["estabelecimento"] == LOJA_A
    assert sale["fornecedor"] == "Operadora Norte"
    assert (sale["estabelecimentoNome"], sale["cnpjCpf"]) == ("Loja Sandbox", "00.000.000/0001-00")
    assert datetime.fromisoformat(sale["dataHora"]).tzinfo is not None
    assert UTC_MILLISECONDS.fullmatch(sale["createdAt"]) and UTC_MILLISECONDS.fullmatch(sale["updatedAt"])
    assert sale["createdAt"] <= sale["updatedAt"]
    assert sale["instrucao"]["recargaTV"]["nsuFornecedor"]
    in_books = shop.sandbox.transaction(sale["idExterno"])
    assert (in_books["status"], in_books["valor"]) == ("EFETIVADA", 4900)
    assert in_books["idTransacao"] == sale["idTransacao"]
    assert in_books["estabelecimento"] == LOJA_A


def test_the_receipt_fits_a_printer_and_has_what_was_sold(shop):
    sale = shop.sell(orders.tv(4900)).of(200).json
    receipt = sale["receipt"]
    assert receipt and all(isinstance(line, str) and 0 < len(line) <= 40 for line in receipt)
    text = "\n".join(receipt)
    for part in ("TV Mensal", "49,00", sale["instrucao"]["recargaTV"]["nsuFornecedor"], sale["idTransacao"]):
        assert part in text
    shop.till.request("HEAD", f"/v1/sales/{sale['id']}/receipt").of(200)  # this prints nothing
    again = shop.till.get(f"/v1/sales/{sale['id']}/receipt").of(200)
    assert again.body.decode().splitlines() == receipt
    copy = shop.till.get(f"/v1/sales/{sale['id']}/receipt").of(200).body.decode().splitlines()
    assert copy[1:] == receipt, "a second copy is marked as one"


def test_a_dynamic_price_product_is_sold_by_id_valor(shop):
    sale = shop.sell(orders.tv_dynamic("102;4990")).of(200).json
    assert (sale["valor"], sale["status"]) == (4990, "EFETIVADA")
    assert shop.sandbox.transaction(sale["idExterno"])["valor"] == 4990


def test_fornecedor_is_optional(shop):
    assert shop.sell(orders.tv(fornecedor="Operadora Norte")).of(200).json["fornecedor"] == "Operadora Norte"


@pytest.mark.parametrize(
    "order, pointers",
    [
        (orders.tv_dynamic(valor=2500), {"/valor", "/id_valor"}),
        (orders.tv_dynamic(cpf=orders.CPF), {"/cpf"}),
        (orders.without(orders.tv(), "cpf"), {"/cpf"}),
        (orders.without(orders.tv(), "valor"), {"/valor"}),
        (orders.without(orders.tv(), "produto"), {"/produto"}),
        (orders.tv(cpf="1234567890"), {"/cpf"}),
        (orders.tv(cpf="529.982.247/25"), {"/cpf"}),
        (orders.tv(cpf=52998224725), {"/cpf"}),
        (orders.tv_dynamic("2500"), {"/id_valor"}),
        (orders.tv_dynamic(";2500"), {"/id_valor"}),
        (orders.tv_dynamic("101;0"), {"/id_valor"}),
        (orders.tv_dynamic("101;x"), {"/id_valor"}),
        (orders.tv_dynamic(2500), {"/id_valor"}),
    ],
)
def test_a_tv_sale_is_one_kind_or_the_other(shop, order, pointers):
    answer = shop.sell(order).of(422, "invalid_request")
    assert set(answer.pointers()) & pointers and set(answer.pointers()) <= pointers


# --- what goes over the wire, seen by a provider that keeps everything ---


@pytest.fixture
def wire(new_shop, provider):
    return new_shop(provider=provider).start(), provider


def test_the_provider_gets_exactly_the_documented_requests(wire):
    shop, provider = wire
    sale = shop.sell(orders.tv(1099, cpf="52998224725", fornecedor="Operadora Norte")).of(200).json
    (asked,) = provider.sent("/venda/tv/solicitar")
    body = asked.json
    client_time = body.pop("dataHoraCliente")
    assert UTC_MILLISECONDS.fullmatch(client_time)
    assert body == {
        "estabelecimento": LOJA_A,
        "idExterno": sale["idExterno"],
        "produto": "TV Mensal",
        "fornecedor": "Operadora Norte",
        "tipoProduto": "ONLINE",
        "cpf": "529.982.247-25",
        "valor": "1099",
    }
    (confirmed,) = provider.sent("/venda/tv/confirmar")
    body = confirmed.json
    assert UTC_MILLISECONDS.fullmatch(body.pop("dataHoraCliente"))
    assert body == {"estabelecimento": LOJA_A, "idTransacao": sale["idTransacao"], "produto": "TV Mensal"}
    for request in (asked, confirmed):
        assert request.method == "POST"
        assert request.headers["Content-Type"].split(";")[0] == "application/json"
        assert request.headers["Accept"] == "application/json"
        assert request.headers["Authorization"].startswith("Bearer access-token-")


def test_a_dynamic_price_request_carries_id_valor_and_no_valor_and_no_cpf(wire):
    shop, provider = wire
    provider.on("/venda/tv/solicitar", lambda request: (200, authorised(request, valor=2500)))
    shop.sell(orders.tv_dynamic("101;2500")).of(200)
    (asked,) = provider.sent("/venda/tv/solicitar")
    assert asked.json["id_valor"] == "101;2500"
    assert not {"valor", "cpf", "fornecedor"} & set(asked.json)


def test_a_cancel_names_the_sale_by_idExterno(wire):
    shop, provider = wire
    sale = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.till.cancel(sale["id"]).of(200)
    shop.settled(sale["id"])
    (cancelled,) = provider.sent("/venda/tv/cancelar")
    body = cancelled.json
    assert UTC_MILLISECONDS.fullmatch(body.pop("dataHoraCliente"))
    assert body == {"estabelecimento": LOJA_A, "idExterno": sale["idExterno"]}
    assert not provider.sent("/venda/tv/confirmar")


def test_the_token_is_asked_for_as_documented(wire):
    shop, provider = wire
    shop.sell(orders.tv()).of(200)
    (asked,) = provider.sent("/authorization/token")
    assert asked.headers["Authorization"] == "Basic " + base64.b64encode(f"{APP_KEY}:{APP_SECRET}".encode()).decode()
    assert asked.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert asked.form == {
        "grant_type": "client_credentials",
        "scope": "Venda_TvPrePaga Venda_Egift Venda_Transit Venda_Voucher Venda_Telecom",
    }


def test_every_sale_has_an_idExterno_of_its_own(wire):
    shop, provider = wire
    for _ in range(5):
        shop.sell(orders.tv()).of(200)
    assert len({request.json["idExterno"] for request in provider.sent("/venda/tv/solicitar")}) == 5


# --- what the provider may say, and what of it is read ---


def test_transacao_is_found_at_the_top_as_under_venda(wire):
    shop, provider = wire
    def flat(request):
        said = authorised(request)
        return 200, {"transacao": said["venda"]["transacao"], "idExterno": said["venda"]["idExterno"]}

    provider.on("/venda/tv/solicitar", flat)
    provider.on(
        "/venda/tv/confirmar",
        lambda request: (200, {"venda": {"transacao": {"status": "EFETIVADA"}}}),
    )
    shop.sell(orders.tv()).of(200)


def test_status_words_are_read_in_any_letter_case_and_added_fields_are_nobodys_business(wire):
    shop, provider = wire
    def said(request):
        answer = authorised(request, status="Autorizada", novo={"a": [1]})
        answer["venda"]["outro"] = None
        return 201, answer

    provider.on("/venda/tv/solicitar", said)
    provider.on("/venda/tv/confirmar", lambda request: (200, {"transacao": {"status": "efetivada"}, "mais": 1}))
    assert shop.sell(orders.tv()).of(200).json["status"] == "EFETIVADA"


@pytest.mark.parametrize(
    "instrucao, shown",
    [
        ('{"recargaTV":{"nsuFornecedor":"1"}}', {"recargaTV": {"nsuFornecedor": "1"}}),
        ("Ligue o decodificador", "Ligue o decodificador"),
        ('{"quebrado":', '{"quebrado":'),
        ("[1,2]", [1, 2]),
        (None, None),
    ],
)
def test_instrucao_is_decoded_and_stays_a_plain_string_where_it_does_not_decode(wire, instrucao, shown):
    shop, provider = wire
    provider.on("/venda/tv/solicitar", lambda request: (200, authorised(request, instrucao=instrucao)))
    sale = shop.sell(orders.tv()).of(200).json
    assert sale["instrucao"] == shown
    assert all(len(line) <= 40 for line in sale["receipt"])


def test_a_receipt_never_has_a_line_over_40_columns_or_a_control_character(wire):
    shop, provider = wire
    messages = ["Válido até amanhã " * 20, "x" * 200, "<b>a</b>\nb\r\n\x1bc\td", "", {"fundo": ["ç" * 50]}]
    goods = json.dumps({"recargaTV": {"nsuFornecedor": "9" * 60, "mensagens": messages}})
    provider.on("/venda/tv/solicitar", lambda request: (200, authorised(request, instrucao=goods)))
    receipt = shop.sell(orders.tv()).of(200).json["receipt"]
    assert all(len(line) <= 40 and line.isprintable() for line in receipt)
    assert "9" * 60 in "".join(receipt).replace("NSU: ", "")


def test_a_receipt_counts_columns_and_breaks_no_address(wire):
    shop, provider = wire
    address = "https://resgate.example/" + "k" * 60
    messages = ["日本" * 20, f"Abra {address}. Depois feche", "LPA:1$smdp.example$" + "A" * 30, "a\u0303" * 50]
    goods = json.dumps({"recargaTV": {"nsuFornecedor": "1", "mensagens": messages}})
    provider.on("/venda/tv/solicitar", lambda request: (200, authorised(request, instrucao=goods)))
    sale = shop.sell(orders.tv()).of(200).json
    receipt = sale["receipt"]
    begin = receipt.index("NSU: 1") + 1
    assert receipt[begin : begin + 8] == [
        "日本" * 10, "日本" * 10, "Abra", address, "Depois feche", messages[2], "a\u0303" * 40, "a\u0303" * 10,
    ]
    printed = shop.till.get(f"/v1/sales/{sale['id']}/receipt").of(200)
    assert printed.body.decode().splitlines()[-len(receipt):] == receipt


def test_an_answer_in_pieces_is_read_whole(shop, no_faults):
    shop.gate.trickle = 3
    shop.gate.drop()
    shop.sell(orders.tv()).of(200)


def test_a_product_may_have_any_letters(wire):
    shop, provider = wire
    produto = "Canção & Cia / 100% “TV”"
    assert shop.sell(orders.tv(produto=produto)).of(200).json["produto"] == produto
    assert provider.sent("/venda/tv/solicitar")[0].json["produto"] == produto
