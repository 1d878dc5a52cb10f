"""Tests what can be sold, in one shape for all families, and the bounds that a sell must respect."""
import threading
from datetime import datetime

import pytest
from harness import orders
from harness.client import Background
from harness.fake_provider import after
from harness.waiting import eventually

CONFIG = {"sale.attention_after": "5s"}

QUERIES = {
    "tv": "family=tv&produto=TV%20Livre",
    "egift": "family=egift&nomeMenu=Jogos",
    "transit": "family=transit&produto=Bilhete&numeroCartao=1000000003",
    "health": "family=health&produto=Consulta",
    "esim": "family=esim&produto=Chip%20Virtual",
}
# A terminal adds these to an option's `sell`: what a person types, and nothing that the option determines.
TYPED = {
    "tv": {},
    "egift": {"fornecedor": "Estudio Um", "tipoNegocio": 1},
    "transit": {},
    "health": {},
    "esim": {"consumidor": orders.CONSUMIDOR, "endereco": orders.ENDERECO},
}


def ask(shop, query, terminal="caixa-01", **headers):
    return shop.gateway.terminal(terminal).get(f"/v1/options?{query}", **headers)


@pytest.mark.parametrize("family", QUERIES)
def test_options_have_one_shape(shop, family):
    body = ask(shop, QUERIES[family]).of(200).json
    assert body["family"] == family and body["options"] and isinstance(body["details"], dict)
    fetched, expires = (datetime.fromisoformat(body[name]) for name in ("fetchedAt", "expiresAt"))
    lifetime = (expires - fetched).total_seconds()
    assert lifetime == (30 if family == "transit" else 300)
    for option in body["options"]:
        assert option["label"] and set(option) == {"label", "valor", "sell", "needs"}
        assert not set(option["needs"]) & set(option["sell"])
        shape = set(option["valor"])
        assert shape in ({"fixed"}, {"unit", "minQuantity", "maxQuantity"}, {"min", "max"})
        assert all(isinstance(number, int) and number > 0 for number in option["valor"].values())
        if shape == {"fixed"} and family != "tv":
            assert option["sell"]["valor"] == option["valor"]["fixed"]
        elif shape == {"fixed"}:
            assert option["sell"]["id_valor"].endswith(f";{option['valor']['fixed']}") and "valor" not in option["sell"]
        else:
            assert "valor" not in option["sell"]


@pytest.mark.parametrize("family", QUERIES)
def test_every_option_can_be_sold_by_copying_its_sell(shop, family):
    for option in ask(shop, QUERIES[family]).of(200).json["options"]:
        valor = option["valor"]
        if "min" in valor:
            ways = [{"valor": valor["min"]}, {"valor": valor["max"]}]
        elif "unit" in valor:
            numbers = (valor["minQuantity"], valor["maxQuantity"])
            ways = [{"valor": valor["unit"] * number, "quantidade": number} for number in numbers]
        else:
            ways = [{}]
        for way in ways:
            assert set(option["needs"]) == set(TYPED[family]) | set(way)
            answer = shop.sell({"family": family} | option["sell"] | TYPED[family] | way)
            assert answer.status in (200, 202), (option, way, answer)
            assert answer.sale["valor"] == way.get("valor", valor.get("fixed"))


def test_the_catalogue_of_the_sandbox_is_told_as_it_is(shop):
    tv = ask(shop, QUERIES["tv"]).json
    assert [option["valor"]["fixed"] for option in tv["options"]] == [2500, 4990, 7990, 14990]
    assert tv["options"][0]["label"] == "R$ 25,00 - 7 dias" and tv["details"]["tipoValor"] == "LISTA"
    egift = ask(shop, QUERIES["egift"]).json
    assert egift["options"][0]["valor"] == {"min": 1000, "max": 50000}
    assert egift["options"][0]["sell"]["nomeMenu"] == "Jogos"
    assert egift["details"]["produtos"][0]["termos"] and "token" not in egift["details"]
    transit = ask(shop, QUERIES["transit"]).json
    assert [option["valor"] for option in transit["options"]] == [
        {"unit": 440, "minQuantity": 1, "maxQuantity": 50},
        {"min": 500, "max": 40000},
    ]
    health = ask(shop, QUERIES["health"]).json
    assert [option["valor"] for option in health["options"]] == [{"fixed": 5990}]
    esim = ask(shop, QUERIES["esim"]).json
    assert esim["options"][0]["sell"] == {
        "family": "esim", "produto": "Chip Virtual", "servicoId": "301", "valorRecarga": 1500, "valor": 2990,
    }


@pytest.mark.parametrize("family", QUERIES)
def test_options_are_cached(new_shop, family):
    shop = new_shop().start()
    first = ask(shop, QUERIES[family]).of(200).json
    again = ask(shop, QUERIES[family], "caixa-02").of(200).json
    assert again == first
    assert shop.sandbox.seen("consulta", family) == 1


def test_another_question_is_another_answer(shop):
    assert ask(shop, "family=egift&nomeMenu=Musica").json["options"] != ask(shop, QUERIES["egift"]).json["options"]
    asked = shop.sandbox.seen("consulta", "tv")
    ask(shop, QUERIES["tv"], "loja-b-01").of(200)
    assert shop.sandbox.seen("consulta", "tv") == asked + 1, "of another establishment"


def test_an_expired_answer_is_asked_for_again(new_shop):
    shop = new_shop({"cache.options": "50ms"}).start()
    first = ask(shop, QUERIES["tv"]).of(200).json["fetchedAt"]
    eventually(lambda: ask(shop, QUERIES["tv"]).of(200).json["fetchedAt"] > first, "the answer is a new one")


def test_a_cache_of_0_keeps_nothing(new_shop):
    shop = new_shop({"cache.options": "0s"}).start()
    for _ in range(3):
        ask(shop, QUERIES["tv"]).of(200)
    assert shop.sandbox.seen("consulta", "tv") == 3


def test_callers_at_once_ask_the_provider_once(new_shop, provider):
    shop = new_shop(provider=provider).start()
    go_on = threading.Event()
    path = "/venda/tv/consulta-dinamica/12345678/TV%20Livre"
    provider.on(path, after(go_on, (200, {"tipoValor": "X", "valores": [{"chave": "a", "valor": "1;100"}]})))
    callers = [Background(ask, shop, QUERIES["tv"]) for _ in range(8)]
    eventually(lambda: provider.sent(path), "the question has left")
    go_on.set()
    assert len({caller.result().of(200).json["fetchedAt"] for caller in callers}) == 1
    assert len(provider.sent(path)) == 1


# --- questions that cannot be answered ---


@pytest.mark.parametrize(
    "query, pointers",
    [
        ("produto=x", ["/family"]),
        ("family=radio", ["/family"]),
        ("family=tv", ["/produto"]),
        ("family=egift&produto=x", ["/nomeMenu"]),
        ("family=transit&produto=Bilhete", ["/numeroCartao"]),
        ("family=transit&numeroCartao=1", ["/produto"]),
        ("family=transit&produto=Bilhete&numeroCartao=1&transit=tv", ["/transit"]),
        ("family=transit&produto=Bilhete&numeroCartao=1&transit=a%2Fb", ["/transit"]),
        ("family=health", ["/produto"]),
        ("family=health&produto=x&health=..", ["/health"]),
        ("family=tv&produto=x&numeroCartao=1", ["/numeroCartao"]),
        ("family=tv&produto=..", ["/produto"]),
        ("family=tv&produto=a%00b", ["/produto"]),
    ],
)
def test_a_question_that_makes_no_sense_is_422(shop, query, pointers):
    assert ask(shop, query).of(422, "invalid_request").pointers() == pointers


@pytest.mark.parametrize(
    "query",
    ["family=tv&produto=TV%20Mensal", "family=egift&nomeMenu=Nada", "family=esim&produto=x",
     "family=transit&produto=Bilhete&numeroCartao=9", "family=health&produto=Nada"],
)
def test_what_the_provider_does_not_know_is_404_in_its_own_words(shop, query):
    detail = ask(shop, query).of(404, "not_found").json["detail"]
    assert "the catalogue has nothing of that name" in detail
    assert ("has no price list: send valor and cpf" in detail) == query.startswith("family=tv")


def test_the_providers_sentence_about_a_refused_question_has_no_card_in_it(new_shop, provider):
    shop = new_shop(provider=provider).start()
    path = "/venda/transporte/bilhete/consulta-valores/12345678/bilhete/1000000009"
    said = {"erro": "cartao", "mensagem": "Cartão 1000000009\x07 bloqueado\n" + "x" * 500}
    provider.on(path, lambda request: (422, said))
    answer = ask(shop, "family=transit&produto=Bilhete&numeroCartao=1000000009").of(503, "provider_unavailable")
    detail = answer.json["detail"]
    assert "It said: Cartão … bloqueado xxx" in detail and "1000000009" not in detail
    assert detail.isprintable() and len(detail) < 300


def test_options_may_name_the_path_segment(shop):
    body = ask(shop, "family=transit&produto=Outro%20Nome&transit=bilhete&numeroCartao=1000000002").of(200).json
    assert body["options"][0]["sell"]["transit"] == "bilhete"
    sell = {"family": "transit"} | body["options"][0]["sell"] | {"valor": 700}
    shop.sell(sell).of(200)
    assert ask(shop, "family=health&produto=Consulta&health=consulta").of(200).json["options"]


@pytest.mark.parametrize("behaviour", ["error", "not_json", "lose_answer", "refuse"])
def test_a_provider_that_cannot_be_asked_is_503(new_shop, behaviour):
    shop = new_shop().start()
    shop.sandbox.faults({"step": "consulta", "behaviour": behaviour})
    answer = ask(shop, QUERIES["tv"])
    assert answer.of(503, "provider_unavailable").header("Retry-After")


def test_an_entry_that_cannot_be_understood_is_left_out(new_shop, provider):
    shop = new_shop(provider=provider).start()
    valores = [{"chave": "a", "valor": "1;100"}, {"chave": "b"}, 5, {"chave": "c", "valor": "2;x"}, {"valor": "3;300"}]
    provider.on("/venda/tv/consulta-dinamica/12345678/TV%20Livre", lambda request: (200, {"valores": valores}))
    options = ask(shop, QUERIES["tv"]).of(200).json["options"]
    assert [option["sell"]["id_valor"] for option in options] == ["1;100", "3;300"]
    assert all(option["label"] for option in options)
    shop.gateway.await_event("options.left_out")


# --- bounds ---


@pytest.mark.parametrize(
    "order, pointers",
    [
        (orders.egift(999, nomeMenu="Jogos"), ["/valor"]),
        (orders.egift(50001, nomeMenu="Jogos"), ["/valor"]),
        (orders.egift(1999, nomeMenu="Jogos", chaveProduto="EG-PASSE", configuracaoId="cfg-passe-01"), ["/valor"]),
        (orders.transit(499), ["/valor"]),
        (orders.transit(40001), ["/valor"]),
        (orders.transit(700, quantidade=2), ["/quantidade"]),
        (orders.transit_units(51), ["/quantidade"]),
        (orders.transit_units(3) | {"quantidade": 2}, ["/valor"]),
        (orders.transit_units(3) | {"valor": 441}, ["/valor"]),
        (orders.health() | {"valor": 5991}, ["/valor"]),
    ],
)
def test_a_sell_out_of_bounds_is_422_and_never_reaches_the_provider(shop, order, pointers):
    asked = shop.sandbox.seen("solicitar", order["family"])
    assert shop.sell(order).of(422, "invalid_request").pointers() == pointers
    assert shop.sandbox.seen("solicitar", order["family"]) == asked


@pytest.mark.parametrize(
    "order",
    [
        orders.egift(1000, nomeMenu="Jogos"),
        orders.egift(50000, nomeMenu="Jogos"),
        orders.transit(500),
        orders.transit(40000),
        orders.transit_units(50),
        orders.health(),
    ],
)
def test_the_ends_of_the_bounds_are_sold(shop, order):
    shop.sell(order).of(200)


def test_a_string_of_digits_is_held_to_the_same_bounds(shop):
    assert shop.sell(orders.transit("499")).of(422, "invalid_request").pointers() == ["/valor"]
    shop.sell(orders.transit("500")).of(200)


# What the interface document forbids is refused by the provider when it is sold unchecked; the provider notes a
# departure.


def test_without_the_menu_name_the_provider_has_the_last_word(new_shop):
    shop = new_shop().start()
    shop.sell(orders.egift(999)).of(402, "sale_refused")
    assert shop.sandbox.seen("consulta", "egift") == 0 and shop.sandbox.seen("solicitar", "egift") == 1


def test_an_entry_that_is_not_listed_is_sold_unchecked(new_shop):
    shop = new_shop().start()
    shop.sell(orders.egift(999, nomeMenu="Musica")).of(402, "sale_refused")
    shop.sell(orders.transit(10, tipoProduto="999")).of(402, "sale_refused")
    shop.sell(orders.health() | {"produtoIdParceiro": "1", "valor": 1}).of(402, "sale_refused")
    assert shop.sandbox.seen("solicitar", "egift") == shop.sandbox.seen("solicitar", "transit") == 1


@pytest.mark.parametrize("behaviour", ["error", "not_json", "lose_answer", "refuse"])
def test_where_the_provider_cannot_be_asked_the_sale_goes_on_unchecked(new_shop, behaviour):
    shop = new_shop().start()
    shop.sandbox.faults({"step": "consulta", "behaviour": behaviour})
    for order in (orders.transit(), orders.egift(nomeMenu="Jogos"), orders.health()):
        shop.sell(order).of(200)


def test_asking_for_bounds_takes_no_more_than_half_of_the_wait(new_shop, provider):
    shop = new_shop({"provider.request_timeout": "30s", "sale.confirm_window": "30s"}, provider=provider).start()
    go_on = threading.Event()
    path = "/venda/transporte/bilhete/consulta-valores/12345678/bilhete/1000000002"
    provider.on(path, after(go_on, (404, "{}")))
    answer = shop.sell(orders.transit(), wait=4)
    go_on.set()
    assert answer.of(200).json["outcome"] == "sold", "although nobody has answered the question"


def test_a_sell_uses_the_cache(new_shop):
    shop = new_shop().start()
    ask(shop, "family=transit&produto=Bilhete&numeroCartao=1000000002").of(200)
    shop.sell(orders.transit()).of(200)
    shop.sell(orders.transit(600)).of(200)
    assert shop.sandbox.seen("consulta", "transit") == 1


def test_bounds_are_asked_for_before_anything_is_journalled(new_shop, provider):
    shop = new_shop(provider=provider).start()
    go_on = threading.Event()
    path = "/venda/transporte/bilhete/consulta-valores/12345678/bilhete/1000000002"
    provider.on(path, after(go_on, (404, "{}")))
    selling = Background(shop.sell, orders.transit())
    eventually(lambda: provider.sent(path), "the question has left")
    assert shop.till.get("/v1/sales").of(200).json["sales"] == []
    go_on.set()
    selling.result().of(200)


def test_a_known_key_is_answered_although_the_bounds_have_changed(new_shop, provider):
    shop = new_shop({"cache.options": "0s"}, provider=provider).start()
    path = "/venda/consulta/12345678/Consulta/valores"
    price = {"nomeProdutoParceiro": "Consulta", "valorProdutoParceiro": "59,90", "produtoIdParceiro": "7001"}
    provider.on(path, lambda request: (200, price))
    key, order = "k-bounds-1", orders.health()
    sold = shop.sell(order, key).of(200).json
    price = price | {"valorProdutoParceiro": "69,90"}
    assert shop.sell(order).of(422, "invalid_request").pointers() == ["/valor"]
    assert shop.sell(order, key).of(200).json["id"] == sold["id"]
