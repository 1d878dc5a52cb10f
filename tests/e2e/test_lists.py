"""Tests lists of sales: what is found, in which order, and who sees it."""
from urllib.parse import quote

import pytest
from harness import orders
from harness.orders import new_key
from harness.processes import now_rfc3339


@pytest.fixture(scope="module")
def sold(shop):
    """Makes five sales of establishment A, of two terminals, the oldest first."""
    tills = ["caixa-01", "caixa-02", "caixa-01", "caixa-02", "caixa-01"]
    return [shop.sell(orders.tv(4900), terminal=till).of(200).json for till in tills]


def ids(answer):
    return [sale["id"] for sale in answer.of(200).json["sales"]]


def listed(caller, **query):
    return caller.get("/v1/sales?" + "&".join(f"{name.rstrip('_')}={value}" for name, value in query.items()))


def test_a_list_is_newest_first_and_holds_whole_sales(shop, sold):
    answer = listed(shop.till, from_=sold[0]["createdAt"])
    assert ids(answer)[-5:] == [sale["id"] for sale in reversed(sold)]
    by_id = {sale["id"]: sale for sale in answer.json["sales"]}
    assert by_id[sold[0]["id"]] == sold[0]
    assert answer.json["next"] is None


def test_a_list_comes_in_pages(shop, sold):
    found, cursor = [], None
    while True:
        query = {"from_": sold[0]["createdAt"], "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = listed(shop.till, **query).of(200).json
        assert len(page["sales"]) <= 2
        found += [sale["id"] for sale in page["sales"]]
        if page["next"] is None:
            break
        cursor = page["next"]
    assert found == ids(listed(shop.till, from_=sold[0]["createdAt"]))
    assert len(found) == len(set(found))


def test_a_sale_that_comes_between_two_pages_moves_nothing(shop, sold):
    page = listed(shop.till, limit=1).of(200).json
    shop.sell(orders.tv()).of(200)
    following = listed(shop.till, limit=1, cursor=page["next"]).of(200).json["sales"]
    assert following[0]["id"] < page["sales"][0]["id"]
    newest_two = ids(listed(shop.till, limit=2, to=page["sales"][0]["updatedAt"]))
    assert following[0]["id"] in newest_two


def test_the_default_page_is_50(new_shop):
    shop = new_shop().start()
    for _ in range(51):
        shop.sell(orders.tv(4901)).of(402, "sale_refused")
    page = listed(shop.till).of(200).json
    assert len(page["sales"]) == 50 and page["next"]
    assert len(ids(listed(shop.till, limit=200))) == 51
    assert len(ids(listed(shop.till, cursor=page["next"]))) == 1


def test_a_key_finds_its_own_terminals_sale(shop):
    key = new_key()
    mine = shop.sell(orders.tv(), key).of(200).json
    other = shop.sell(orders.tv(), key, terminal="caixa-02").of(200).json
    assert ids(listed(shop.till, key=key)) == [mine["id"]]
    assert ids(listed(shop.gateway.terminal("caixa-02"), key=key)) == [other["id"]]
    assert ids(listed(shop.till, key="never-used")) == []
    assert sorted(ids(listed(shop.gateway.admin, key=key))) == sorted([mine["id"], other["id"]])


def test_a_key_of_strange_characters_is_found(shop):
    key = new_key() + "%&=+#?/\\\"'"
    sale = shop.sell(orders.tv(), key).of(200).json
    assert ids(listed(shop.till, key=quote(key, safe=""))) == [sale["id"]]


def test_idExterno_finds_any_attempt(shop):
    sale = shop.sell(orders.tv(4902)).of(504, "sale_cancelled").sale
    attempts = shop.sale(sale["id"])["attempts"]
    assert len(attempts) == 2
    for attempt in attempts:
        assert ids(listed(shop.till, idExterno=attempt["idExterno"])) == [sale["id"]]
    assert ids(listed(shop.till, idExterno="01HX0000000000000000000000")) == []


def test_a_status_selects(shop, sold):
    refused = shop.sell(orders.tv(4901)).of(402, "sale_refused").sale
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    assert refused["id"] in ids(listed(shop.till, status="NEGADA"))
    assert ids(listed(shop.till, status="AUTORIZADA")) == [held["id"]]
    assert ids(listed(shop.till, status="PENDENTE")) == []
    shop.till.cancel(held["id"]).of(200)
    assert held["id"] in ids(listed(shop.till, status="CANCELADA"))
    assert ids(listed(shop.till, status="AUTORIZADA")) == []
    sold_ones = listed(shop.till, status="EFETIVADA", limit=200).of(200).json["sales"]
    assert {sale["status"] for sale in sold_ones} == {"EFETIVADA"} and len(sold_ones) >= 5


def test_from_and_to_are_times_of_creation(shop, sold):
    first, last = sold[1]["createdAt"], sold[3]["createdAt"]
    between = ids(listed(shop.till, from_=first, to=last))
    assert sold[1]["id"] in between and sold[2]["id"] in between and sold[0]["id"] not in between
    assert sold[4]["id"] not in between
    assert ids(listed(shop.till, from_=now_rfc3339(3600))) == []
    assert ids(listed(shop.till, to="2020-01-01T00:00:00Z")) == []
    offset = first[:-1] + "%2B00:00"
    assert ids(listed(shop.till, from_=offset, to=last)) == between


def test_what_needs_a_person_can_be_listed(shop):
    assert ids(listed(shop.till, attention="true")) == []
    everything = ids(listed(shop.till, attention="false"))
    assert everything


@pytest.mark.parametrize(
    "query, names",
    [
        ("limit=0", ["/limit"]),
        ("limit=201", ["/limit"]),
        ("limit=x", ["/limit"]),
        ("limit=-1&status=efetuada&from=yesterday", ["/from", "/limit", "/status"]),
        ("from=2024-05-02", ["/from"]),
        ("to=2024-13-02T00:00:00Z", ["/to"]),
        ("attention=yes", ["/attention"]),
        ("cursor=x", ["/cursor"]),
        ("keys=1", ["/keys"]),
        ("limit=1&limit=2", ["/limit"]),
    ],
)
def test_a_parameter_that_is_wrong_or_unknown_is_an_error(shop, query, names):
    assert shop.till.get("/v1/sales?" + query).of(422, "invalid_request").pointers() == names


@pytest.mark.parametrize("limit", [1, 200])
def test_the_ends_of_limit_are_taken(shop, limit):
    listed(shop.till, limit=limit).of(200)


# --- who sees what ---


def test_a_terminal_sees_its_own_establishments_sales_only(shop, sold):
    key = new_key()
    other = shop.sell(orders.tv(), key, terminal="loja-b-01").of(200).json
    stranger = shop.gateway.terminal("loja-b-01")
    assert other["id"] not in ids(listed(shop.till, limit=200))
    for sale in listed(stranger, limit=200).of(200).json["sales"]:
        assert sale["estabelecimento"] == "87654321"
    assert ids(listed(stranger, idExterno=sold[0]["idExterno"])) == []
    stranger.get(f"/v1/sales/{sold[0]['id']}").of(404, "not_found")
    everybody = ids(listed(shop.gateway.admin, limit=200))
    assert other["id"] in everybody and sold[0]["id"] in everybody


def test_another_terminal_of_the_establishment_sees_the_sale(shop, sold):
    mate = shop.gateway.terminal("caixa-02")
    assert mate.sale(sold[0]["id"])["id"] == sold[0]["id"]
    assert sold[0]["id"] in ids(listed(mate, limit=200))


def test_one_sale_also_has_its_attempts(shop, sold):
    one = shop.sale(sold[0]["id"])
    (attempt,) = one.pop("attempts")
    assert one == sold[0]
    assert attempt["idExterno"] == sold[0]["idExterno"] and attempt["idTransacao"] == sold[0]["idTransacao"]
    assert attempt["state"] == "sold" and attempt["at"] <= sold[0]["updatedAt"]


def test_a_list_survives_a_restart(new_shop):
    shop = new_shop().start()
    sale = shop.sell(orders.egift()).of(200).json
    before = shop.till.get("/v1/sales").of(200).json
    shop.gateway.stop()
    shop.start()
    assert shop.till.get("/v1/sales").of(200).json == before
    assert shop.sale(sale["id"])["instrucao"] == sale["instrucao"]


@pytest.mark.parametrize(
    "query, pointers",
    [
        ("/v1/sales?terminal=caixa-99", ["/terminal"]),
        ("/v1/sales?terminal=Caixa-01", ["/terminal"]),
        ("/v1/sales?estabelecimento=99999999", ["/estabelecimento"]),
        ("/v1/sales?terminal=caixa-99&estabelecimento=99999999", ["/estabelecimento", "/terminal"]),
        ("/v1/sales?idTransacao=", ["/idTransacao"]),
        ("/v1/sales?idTransacao=%20T-1", ["/idTransacao"]),
        ("/v1/sales?nsu=", ["/nsu"]),
        ("/v1/sales?key=a+b", ["/key"]),
        ("/v1/sales?idExterno=01JD3W4Q90C4D8E1F5G7H9J2K", ["/idExterno"]),
        ("/v1/sales?from=2026-11-20T00:00:00Z&to=2026-11-19T00:00:00Z", ["/to"]),
        ("/v1/sales?cursor=x", ["/cursor"]),
        ("/v1/sales?msisdn=1", ["/msisdn"]),
        ("/v1/closes?estabelecimento=99999999", ["/estabelecimento"]),
        ("/v1/closes?from=2026-11-20&to=2026-11-19", ["/to"]),
        ("/v1/closes?day=2026-11-20", ["/day"]),
        ("/v1/findings?kind=lost", ["/kind"]),
        ("/v1/findings?day=20/11/2026", ["/day"]),
        ("/v1/statements?cursor=0", ["/cursor"]),
        ("/v1/totals?estabelecimento=99999999", ["/estabelecimento"]),
        ("/v1/attention?terminal=caixa-01", ["/terminal"]),
        ("/v1/terminals?id=caixa-01", ["/id"]),
    ],
)
def test_what_can_match_nothing_is_no_empty_list(shop, sold, query, pointers):
    assert shop.gateway.admin.get(query).of(422, "invalid_request").pointers() == pointers


def test_a_sale_is_found_by_its_ids_in_either_letter_case(shop, sold):
    sale = sold[0]
    for name in (sale["id"], sale["idExterno"]):
        assert shop.gateway.admin.get(f"/v1/sales/{name.lower()}").of(200).json["id"] == sale["id"]
    assert ids(listed(shop.gateway.admin, idExterno=sale["idExterno"].lower())) == [sale["id"]]


def test_what_could_match_and_does_not_is_an_empty_list(shop, sold):
    assert ids(listed(shop.gateway.admin, terminal="loja-b-01", status="NEGADA")) == []
