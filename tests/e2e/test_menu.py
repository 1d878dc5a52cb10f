"""Tests the menu: what a till finds without knowing anything, from the store's own list of products."""
import signal
import urllib.parse

import pytest
from harness import orders
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

PRODUCTS = [
    {"family": "tv", "produto": "TV Livre", "price_list": True},
    {"family": "tv", "produto": "TV Mensal", "fornecedor": "Operadora Norte", "price_list": False, "label": "Norte"},
    {"family": "tv", "produto": "TV Familia"},
    {"family": "egift", "nomeMenu": "Jogos", "produto": "Moedas do Jogo", "fornecedor": "Estudio Um", "tipoNegocio": 1},
    {"family": "egift", "nomeMenu": "Jogos", "produto": "Passe do Jogo", "fornecedor": "Estudio Dois", "tipoNegocio": 2},
    {"family": "egift", "nomeMenu": "Musica", "fornecedor": "Radio Digital"},
    {"family": "transit", "produto": "Bilhete"},
    {"family": "transit", "produto": "Cartão & Cia", "transit": "bilhete"},
    {"family": "health", "produto": "Consulta"},
    {"family": "esim", "produto": "Chip Virtual"},
]
CONFIG = {"products": PRODUCTS}
# A till has these values from its customer or cashier, by the names that `needs` has for them.
TYPED = {
    "valor": 5000,
    "cpf": orders.CPF,
    "numeroCartao": "1000000002",
    "consumidor": orders.CONSUMIDOR,
    "endereco": orders.ENDERECO,
    "tipoNegocio": 1,
}


def menu(shop, terminal="caixa-01"):
    return shop.gateway.terminal(terminal).get("/v1/options").of(200).json


def products(shop, family, terminal="caixa-01"):
    return next(one["products"] for one in menu(shop, terminal)["families"] if one["family"] == family)


def test_the_menu_has_every_family_and_what_its_call_takes(shop):
    told = menu(shop)
    assert told["detail"]
    takes = {
        family["family"]: {one["name"] for one in family["takes"] if one["required"]} for family in told["families"]
    }
    assert takes == {
        "tv": {"produto"},
        "egift": {"nomeMenu"},
        "transit": {"produto", "numeroCartao"},
        "health": {"produto"},
        "esim": {"produto"},
    }
    assert sum(len(family["products"]) for family in told["families"]) == len(PRODUCTS)
    assert shop.sandbox.seen("consulta", "tv") == 0, "it costs nothing at the provider"


def test_a_menu_without_a_list_still_says_what_the_calls_take(new_shop):
    told = menu(new_shop().start())
    assert [family["family"] for family in told["families"]] == ["tv", "egift", "transit", "health", "esim"]
    for family in told["families"]:
        assert family["takes"] and family["products"] == []
        assert family["options"] == f"/v1/options?family={family['family']}"


# Does what a till does that knows nothing but the menu. Fails where a sell is not complete, or an address leads
# nowhere.
def test_a_till_that_only_follows_the_menu_sells_every_product(shop):
    sold = []
    for family in menu(shop)["families"]:
        for product in family["products"]:
            sell, needs = product.get("sell"), product["needs"]
            if "options" in product:
                address = product["options"]
                if sell is None:
                    address += "".join(urllib.parse.quote(TYPED[name]) for name in needs)
                answer = shop.till.get(address)
                if answer.status == 200:
                    option = answer.json["options"][0]
                    sell, needs = option["sell"], option["needs"]
                else:
                    assert sell is not None, product
                    answer.of(404, "not_found")
            answer = shop.sell(sell | {name: TYPED[name] for name in needs})
            assert answer.status in (200, 202), (product, answer)
            sold.append(product["label"])
    assert len(sold) == len(PRODUCTS)


def test_a_tv_product_has_options_or_a_sell_or_both(shop):
    livre, mensal, familia = products(shop, "tv")
    assert livre == {
        "label": "TV Livre", "produto": "TV Livre", "options": "/v1/options?family=tv&produto=TV%20Livre", "needs": [],
    }
    assert mensal == {
        "label": "Norte",
        "produto": "TV Mensal",
        "sell": {"family": "tv", "produto": "TV Mensal", "fornecedor": "Operadora Norte"},
        "needs": ["valor", "cpf"],
    }
    assert {"options", "sell"} < set(familia) and familia["needs"] == ["valor", "cpf"]


def test_the_card_is_appended_to_the_end_of_a_transit_address(shop):
    bilhete, other = products(shop, "transit")
    assert bilhete["needs"] == ["numeroCartao"]
    assert bilhete["options"] == "/v1/options?family=transit&produto=Bilhete&numeroCartao="
    assert other["options"].startswith("/v1/options?family=transit&produto=Cart%C3%A3o%20%26%20Cia&transit=bilhete&")
    assert shop.till.get(other["options"] + "1000000003").of(200).json["options"][0]["sell"]["transit"] == "bilhete"


def test_a_listed_product_without_a_price_list_says_so(shop):
    for produto in ("TV%20Mensal", "TV%20Familia"):
        answer = shop.till.get(f"/v1/options?family=tv&produto={produto}").of(404, "not_found")
        assert answer.json["detail"] == "This product has no price list: send valor and cpf."


def test_options_of_egifts_have_what_the_list_knows_and_name_what_nobody_does(shop):
    options = shop.till.get("/v1/options?family=egift&nomeMenu=Jogos").of(200).json["options"]
    told = {option["sell"]["produto"]: (option["sell"]["fornecedor"], option["sell"]["tipoNegocio"]) for option in options}
    assert told == {"Moedas do Jogo": ("Estudio Um", 1), "Passe do Jogo": ("Estudio Dois", 2)}
    assert all(option["needs"] == ["valor"] for option in options)
    (musica,) = shop.till.get("/v1/options?family=egift&nomeMenu=Musica").of(200).json["options"]
    assert musica["sell"]["fornecedor"] == "Radio Digital" and "tipoNegocio" not in musica["sell"]
    assert musica["needs"] == ["valor", "tipoNegocio"]


def test_a_terminal_sees_only_what_it_may_sell(shop):
    shown = [family["family"] for family in menu(shop, "so-tv")["families"]]
    assert shown == ["tv"]


def test_a_reload_takes_the_list_and_a_broken_one_changes_nothing(new_shop):
    shop = new_shop({"products": PRODUCTS[:1]}).start()
    document = shop.gateway.document

    def reload(event):
        shop.gateway.write_config()
        shop.gateway.run.signal(signal.SIGHUP)
        eventually(lambda: shop.gateway.events(event), f"{event} is logged")

    document["products"] = [{"family": "health", "produto": "Consulta"}]
    reload("reload.done")
    assert [one["label"] for one in products(shop, "health")] == ["Consulta"] and products(shop, "tv") == []
    assert not shop.gateway.events("reload.needs_restart")
    document["products"] = [{"family": "health", "produto": "Exame", "nomeMenu": "Jogos"}]
    reload("reload.refused")
    assert [one["label"] for one in products(shop, "health")] == ["Consulta"]


@pytest.mark.parametrize(
    "listed, said",
    [
        ([{"family": "radio", "produto": "P"}], 'products[1].family: "radio" is not a family'),
        ([{"produto": "P"}], "products[1].family: is missing"),
        ([{"family": "tv", "produto": "P", "nomeMenu": "M"}], "products[1].nomeMenu: is not a field of tv"),
        ([{"family": "egift", "produto": "P"}], "products[1].nomeMenu: is required"),
        ([{"family": "esim", "produto": "P"}] * 2, "products[2]: is the same product as products[1]"),
        ([{"family": "egift", "nomeMenu": "M", "tipoNegocio": "1"}], "products[1].tipoNegocio: must be a whole number"),
    ],
)
def test_check_config_says_what_is_wrong_with_a_product(new_shop, listed, said):
    shop = new_shop({"products": listed})
    code, out, err = run_to_end([GATEWAY, "check-config", "--config", shop.gateway.config], shop.folder)
    assert code == 2 and said in out + err
