"""Plays a day of a store at the most talkative log level: every family, every kind of trouble, restarts and mistakes.
Its values are written by no other program, so that a test can look for them in everything that the gateway writes."""
import re

from . import orders
from .client import Caller
from .orders import new_key
from .processes import APP_SECRET, TERMINALS, key_of
from .waiting import eventually

CHANGES = {"log.level": "debug", "sale.attention_after": "100ms", "provider.request_timeout": "2s",
           "sale.confirm_window": "2s", "proxy.allow": ["/venda/tv/*"], "limits.drain": "100ms"}

CARTAO = "1000000002"
OWN = {
    "cpf": "111.444.777-35",
    "nome": "Genoveva Tupinamba",
    "email": "genoveva@segredo.example",
    "nascimento": "13051977",
    "telefone": 21998761234,
}
RUA = {"logradouro": "Ladeira do Esconderijo", "bairro": "Vila Oculta", "cep": "20040-321"}


def tell(shop):
    """Plays the day. The store then has its `answers` and its `metrics`."""
    answers = []
    esim = orders.esim(consumidor=OWN, endereco=orders.ENDERECO | RUA)
    for cents in (0, 1, 2, 5, 6, 7, 8, 9, 12, 15, 17, 20, 25, 27):
        answers.append(shop.sell(orders.tv(4900 + cents, cpf=OWN["cpf"])))
    answers += [shop.sell(order) for order in (
        orders.egift(), orders.egift(5012), orders.transit(numeroCartao=CARTAO), orders.health(), orders.health(2),
        esim, esim | {"valor": 2939},
    )]
    never_called_back = shop.sell(esim | {"valor": 2935})
    answers.append(never_called_back)
    for answer in answers:
        eventually(lambda: _at_rest(shop, answer.sale["id"]), "at rest")
    answers.append(shop.sell(esim | {"consumidor": OWN | {"cpf": "111.444.777-36"}}))
    answers.append(shop.sell(orders.transit(numeroCartao=CARTAO, valor=1)))
    answers.append(shop.sell(orders.tv(cpf=OWN["cpf"][:-1] + "x")))
    headers = {"Content-Type": "application/json", "Idempotency-Key": new_key()}
    shop.till.request("POST", "/v1/sell", b'{"cpf":"' + OWN["cpf"].encode() + b'",', headers).of(400, "invalid_json")
    shop.till.get(f"/v1/options?family=transit&produto=Bilhete&numeroCartao={CARTAO}").of(200)
    shop.till.get("/v1/options?family=transit&produto=Bilhete&numeroCartao=987600001").of(404, "not_found")
    shop.till.get("/v1/provider/venda/tv/consulta-dinamica/12345678/TV%20Livre?cpf=" + OWN["cpf"]).of(200)
    Caller(shop.till.address, "a-key-that-nobody-has-314159").get("/v1/sales").of(401, "unauthorized")
    held = shop.sell(orders.tv(confirm="manual", cpf=OWN["cpf"])).of(200)
    shop.till.cancel(held.json["id"]).of(200)
    marked = shop.until(never_called_back.sale["id"], "for a person", attention=True)
    note = {"status": "EFETIVADA", "note": "falei com a Genoveva"}
    shop.gateway.admin.post(f"/v1/sales/{marked['id']}/resolve", note).of(200)
    shop.sandbox.expire_tokens()
    answers.append(shop.sell(orders.tv(cpf=OWN["cpf"])).of(200))
    shop.gate.shut()
    answers.append(shop.sell(orders.tv(cpf=OWN["cpf"]), wait=1))
    shop.gate.open()
    shop.gateway.await_event("sale.closed", sale=answers[-1].sale["id"])
    shop.gateway.kill()
    shop.start()
    shop.metrics = shop.gateway.admin.get("/metrics").of(200).body.decode()
    shop.answers = answers
    return shop


def _at_rest(shop, sale):
    known = shop.gateway.admin.get(f"/v1/sales/{sale}").of(200).json
    return known["settled"] or known["attention"]


def everything_written(shop):
    texts = [run.text() + run.errors() for run in shop.gateway.runs]
    return "\n".join(texts) + shop.metrics


def secrets_of(shop):
    """Every text that is nobody's business, by what it is."""
    found = {
        "the app secret": [APP_SECRET],
        "a terminal's key": [key_of(name) for name, *_ in TERMINALS] + ["a-key-that-nobody-has-314159"],
        "a CPF": [OWN["cpf"], re.sub(r"\D", "", OWN["cpf"]), "11144477736", "111.444.777-36"],
        "the customer": [OWN["nome"], OWN["email"], OWN["nascimento"], str(OWN["telefone"]), "Genoveva", *RUA.values()],
        "a card number": [CARTAO, "987600001"],
    }
    addresses = {secret.decode() for secret in re.findall(rb"/callbacks/esim/([^/]+)/", shop.callback_gate.passed_up)}
    assert len(addresses) >= 2
    found["a secret of a callback address"] = addresses
    goods = [entry["goods"] for entry in shop.sandbox.transactions() if entry.get("goods")]
    assert len(goods) >= 4
    found["a PIN or an activation address"] = goods
    facts = [shop.sale(sale["id"])["esim"] for sale in shop.all_sales() if sale["family"] == "esim"]
    found["what an eSIM's callback told"] = [fact[name] for fact in facts if fact for name in ("msisdn", "url")]
    assert len(found["what an eSIM's callback told"]) >= 4
    found["a token"] = {token.decode() for token in re.findall(rb"Authorization: Bearer (\S+)", shop.gate.passed_up)}
    assert len(found["a token"]) >= 2
    renewing = re.findall(rb"refresh_token=([^&\s]+)", shop.gate.passed_up)
    found["a refresh token"] = {token.decode() for token in renewing}
    assert found["a refresh token"]
    return found
