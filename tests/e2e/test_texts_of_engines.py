"""Tests texts that one engine keeps and the other does not: whatever the provider, a till or an operator sends, a
journal in a file and one on PostgreSQL say the same about it."""
import json

import pytest
from harness import orders
from harness.fake_provider import FakeProvider, authorised
from harness.orders import new_key
from harness.postgres import PASSWORD
from harness.processes import LOJA_A

# A text of the provider may have these: U+0000, non-characters, the last code point, half a surrogate, and great
# length.
ODD = {"zero": "A\0B", "noncharacter": "\uFFFE\uFDD0\U0010FFFF", "surrogate": "A\ud800B", "long": "ç" * 40_000,
       "controls": "\x01\x1f\x7f\x85"}  # fmt: skip
ENGINES = ("file", "postgresql")


@pytest.fixture(params=list(ODD))
def odd(request):
    return ODD[request.param]


@pytest.fixture
def both(new_shop, postgres, tmp_path):
    """Makes a store on each engine, each with a provider of its own."""
    password = tmp_path / "password"
    password.touch(0o600)
    password.write_text(PASSWORD + "\n")
    providers = []

    def make():
        shops = {}
        for engine in ENGINES:
            providers.append(FakeProvider())
            changes = {"sale.confirm_window": "1m", "sale.late_arrival": "30ms"}
            if engine == "postgresql":
                changes |= {"journal.path": None, "journal.url": postgres.url(postgres.new_database()),
                            "journal.password_file": str(password), "journal.tally_file": str(tmp_path / f"tally-{len(providers)}")}  # fmt: skip
            shops[engine] = new_shop(changes, provider=providers[-1]).start()
        return shops

    yield make
    for provider in providers:
        provider.close()


def same(results):
    assert results["file"] == results["postgresql"], results
    return results["file"]


def outcome(shop, key):
    answer = shop.sell(orders.tv(), key)
    sale = answer.json if answer.status == 200 else answer.json.get("sale", {})
    return answer.status, sale.get("status"), sale.get("instrucao"), sale.get("outcome")


@pytest.mark.parametrize("field", ["idTransacao", "instrucao", "dataHora", "nome", "fornecedor", "status"])
def test_an_answer_of_the_provider(both, odd, field):
    shops = both()
    results = {}
    for engine, shop in shops.items():
        def answer(request):
            told = authorised(request)
            venda = told["venda"]
            places = {"nome": venda["estabelecimento"], "fornecedor": venda["produto"]["fornecedor"]}
            places.get(field, venda["transacao"])["nome" if field == "fornecedor" else field] = odd
            return 200, json.dumps(told)

        shop.provider.on("/venda/tv/solicitar", answer)
        key = new_key()
        results[engine] = outcome(shop, key)
        sale = shop.gateway.admin.get(f"/v1/sales?key={key}").of(200).json["sales"][0]
        results[engine] += (sale["status"], sale["attention"], sale["idTransacao"])
        found = shop.gateway.admin.get("/v1/sales?limit=5").of(200).json["sales"]
        results[engine] += (len(found), shop.gateway.admin.get(f"/v1/sales/{sale['id']}").of(200).json["attention"])
    assert same(results)[4] != "PENDENTE"


def test_a_refusal_of_the_provider(both, odd):
    shops = both()
    results = {}
    for engine, shop in shops.items():
        said = {"message": odd, "codigo": odd}
        shop.provider.on("/venda/tv/solicitar", lambda _, said=said: (400, json.dumps(said)))
        results[engine] = outcome(shop, new_key())
    same(results)


def test_bytes_that_are_no_text(both):
    for body in (b"\x00\xff{}", b'{"venda": "\xc3("}', b"\xed\xa0\x80", b"\x00" * 3000):
        results = {}
        for engine, shop in both().items():
            shop.provider.on("/venda/tv/solicitar", lambda _: (400, body))
            results[engine] = outcome(shop, new_key())
        same(results)


def test_what_a_till_and_an_operator_send(both, odd):
    shops = both()
    results = {}
    for engine, shop in shops.items():
        key, admin = new_key(), shop.gateway.admin
        sold = shop.sell(orders.tv(), key).of(200).json
        said = [shop.sell(orders.tv(**{field: odd}), new_key()) for field in ("produto", "cashier", "estabelecimento")]
        said.append(admin.post("/v1/closes", {"day": "2024-05-01", "estabelecimento": LOJA_A, "by": odd}))
        said.append(admin.post(f"/v1/sales/{sold['id']}/resolve", {"note": odd, "by": "Ana"}))
        said.append(admin.post("/v1/findings/1/resolve", {"note": odd, "by": odd}))
        results[engine] = [(answer.status, answer.json.get("code"), answer.json.get("detail")) for answer in said]
        if odd == ODD["zero"]:
            assert {answer.status for answer in said} == {400}
            assert all("U+0000" in answer.json["detail"] for answer in said)
        for query in ("idTransacao=A%00B", "terminal=%00", "nsu=%FF", "idTransacao=%ED%A0%80", "estabelecimento=%00"):
            assert admin.get(f"/v1/sales?{query}").status == (400 if "%00" not in query else 422), query
        assert outcome(shop, key)[1] == "EFETIVADA"
    same(results)
