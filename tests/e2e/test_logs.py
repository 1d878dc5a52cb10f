"""What the gateway writes: one JSON object a line, the story of every sale, and nothing that is nobody's business."""
import json
import re
import sqlite3

import pytest
from harness import orders
from harness.client import Caller
from harness.orders import new_key
from harness.processes import APP_SECRET, TERMINALS, key_of
from harness.shop import Shop
from harness.waiting import eventually

CARTAO = "1000000002"
OWN = {
    "cpf": "111.444.777-35",
    "nome": "Genoveva Tupinamba",
    "email": "genoveva@segredo.example",
    "nascimento": "13051977",
    "telefone": 21998761234,
}
RUA = {"logradouro": "Ladeira do Esconderijo", "bairro": "Vila Oculta", "cep": "20040-321"}


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """A day of a store at the most talkative level: every family, every kind of trouble, restarts and mistakes."""
    changes = {"log.level": "debug", "sale.attention_after": "100ms", "provider.request_timeout": "2s",
               "sale.confirm_window": "2s", "proxy.allow": ["/venda/tv/*"], "limits.drain": "100ms"}
    shop = Shop(tmp_path_factory.mktemp("logs"), changes).start()
    try:
        yield tell(shop)
    finally:
        shop.close()


def tell(shop):
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


def test_every_line_is_one_json_object_with_time_level_and_event(story):
    for run in story.gateway.runs:
        for line in run.text().splitlines():
            said = json.loads(line)
            assert list(said)[:3] == ["time", "level", "event"]
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", said["time"])
            assert said["level"] in ("debug", "info", "warn", "error")
            assert all(isinstance(value, (str, int, bool)) for value in said.values())


def secrets_of(story):
    """Every text that is nobody's business, by what it is."""
    found = {
        "the app secret": [APP_SECRET],
        "a terminal's key": [key_of(name) for name, *_ in TERMINALS] + ["a-key-that-nobody-has-314159"],
        "a CPF": [OWN["cpf"], re.sub(r"\D", "", OWN["cpf"]), "11144477736", "111.444.777-36"],
        "the customer": [OWN["nome"], OWN["email"], OWN["nascimento"], str(OWN["telefone"]), "Genoveva", *RUA.values()],
        "a card number": [CARTAO, "987600001"],
    }
    addresses = {secret.decode() for secret in re.findall(rb"/callbacks/esim/([^/]+)/", story.callback_gate.passed_up)}
    assert len(addresses) >= 2
    found["a secret of a callback address"] = addresses
    goods = [entry["goods"] for entry in story.sandbox.transactions() if entry.get("goods")]
    assert len(goods) >= 4
    found["a PIN or an activation address"] = goods
    facts = [story.sale(sale["id"])["esim"] for sale in story.all_sales() if sale["family"] == "esim"]
    found["what an eSIM's callback told"] = [fact[name] for fact in facts if fact for name in ("msisdn", "url")]
    assert len(found["what an eSIM's callback told"]) >= 4
    with sqlite3.connect(f"file:{story.folder}/journal.db?mode=ro", uri=True) as journal:
        token = journal.execute("SELECT access, refresh FROM token").fetchone()
    found["a token"] = list(token)
    return found


def test_nothing_that_is_nobodys_business_is_written(story):
    text = everything_written(story)
    assert len(text) > 20000
    for what, secrets in secrets_of(story).items():
        for secret in secrets:
            assert secret not in text, f"{what} is in the log, the metrics or standard error: {secret}"


def test_no_problem_quotes_what_was_sent(story):
    for answer in story.answers:
        if answer.status == 422:
            for secret in ("111.444.777", "1114447773", CARTAO, "Genoveva"):
                assert secret.encode() not in answer.body


def test_no_bearer_and_no_basic_credentials_are_written(story):
    assert not re.search(r"Bearer \S|Basic [A-Za-z0-9+/=]{8}", everything_written(story))


def test_the_story_of_a_failed_sale_can_be_told_by_its_id(story):
    sale = next(answer.sale for answer in story.answers if answer.status == 504)
    lines = [line for line in story.gateway.lines() if line.get("sale") == sale["id"]]
    assert lines[0]["event"] == "sale.begun" and lines[0]["terminal"] == "caixa-01" and lines[0]["family"] == "tv"
    steps = [(line["step"], line["known"]) for line in lines if line["event"] == "sale.step"]
    assert steps[0] == ("solicitar", "unknown") and ("cancelar", "cancelled") in steps
    assert all(line["detail"] for line in lines if line["event"] == "sale.step" and line["known"] == "unknown")
    (closed,) = [line for line in lines if line["event"] == "sale.closed"]
    assert (closed["status"], closed["reason"]) == ("CANCELADA", "response_lost")
    attempts = {attempt["idExterno"] for attempt in story.sale(sale["id"])["attempts"]}
    assert {line["idExterno"] for line in lines} == attempts


def test_the_story_of_every_sale_begins_and_ends(story):
    events = {}
    for line in story.gateway.lines():
        if "sale" in line:
            events.setdefault(line["sale"], []).append(line)
    for answer in story.answers:
        if "outcome" not in answer.json:
            continue
        lines = events[answer.sale["id"]]
        assert lines[0]["event"] == "sale.begun" and lines[0]["request"]
        now = story.sale(answer.sale["id"])
        if now["final"]:
            ends = [line for line in lines if line["event"] in ("sale.final", "sale.closed")]
            assert ends and ends[-1]["status"] == now["status"], lines
        if now["attention"]:
            assert any(line["event"] == "sale.attention" and line["detail"] for line in lines)


def test_what_goes_wrong_is_no_plain_information(story):
    by_level = {}
    for line in story.gateway.lines():
        by_level.setdefault(line["level"], []).append(line)
    assert {line["event"] for line in by_level["error"]} <= {"sale.attention"}, by_level["error"]
    assert any(line["event"] == "sale.step" and line["known"] == "unknown" for line in by_level["warn"])
    assert not any(line.get("known") == "unknown" for line in by_level["info"])
