"""Tests the log for people: one sentence a line in local time, the ids last, and one sale's lines are its history."""
import contextlib
import datetime
import http.client
import re
import signal
import sqlite3
import subprocess

import pytest
from harness import orders
from harness.day import CARTAO, OWN, RUA
from harness.orders import new_key
from harness.processes import ROOT
from harness.shop import Shop
from harness.waiting import eventually

CONFIG = {"log.format": "text", "log.level": "debug", "provider.request_timeout": "2s", "sale.confirm_window": "2s",
          "sale.attention_after": "1500ms", "limits.drain": "100ms"}
LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) (debug  |info   |warning|error  )  (\S.*)")
# This zone is three hours behind UTC all year, whatever this machine's zone is.
ZONE = ["/usr/bin/env", "TZ=BRT+03"]
TIME = r"\d\d:\d\d:\d\d"
SPAN = r"\d+(\.\d)? m?s"


class Line:
    def __init__(self, text):
        match = LINE.fullmatch(text)
        assert match, text
        self.text = text
        self.time, self.level = match[1], match[2].strip()
        self.message = match[3]
        self.sentence, _, self.ids = self.message.partition("  ")


class LogText:
    def __init__(self, shop):
        self.shop = shop

    def lines(self):
        text = "".join(run.text() for run in self.shop.gateway.runs)
        return [Line(line[:-1]) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def of(self, sale):
        """Returns what is said about a sale, found by its id as an operator does."""
        return [line for line in self.lines() if f"sale={sale['id']}" in line.text]

    def missing(self, sale, sentences):
        """Returns the first of the sentences that is not said after those before it; nothing where all are."""
        rest = [(line.level, line.sentence) for line in self.of(sale)]
        for wanted in sentences:
            level, _, pattern = wanted.partition(" ")
            while rest and not (rest[0][0] == level and re.fullmatch(pattern, rest[0][1])):
                rest.pop(0)
            if not rest:
                return wanted
            rest.pop(0)
        return None

    def told(self, sale, *sentences):
        """Waits for these sentences, one after the other, whatever else is said between them."""
        try:
            eventually(lambda: not self.missing(sale, sentences), "the history is told")
        except AssertionError:
            lines = "\n".join(line.text for line in self.of(sale))
            raise AssertionError(f"not said, or not then: {self.missing(sale, sentences)}\n{lines}") from None


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    shop = Shop(tmp_path_factory.mktemp("sentences"), CONFIG, wrapper=ZONE).start()
    try:
        yield LogText(shop)
    finally:
        shop.close()


def test_a_start_says_where_and_since_when(log):
    first = [line.sentence for line in log.lines()[:20]]
    assert any(re.fullmatch(r"the terminals listener takes calls at 127\.0\.0\.1, port \d+", one) for one in first)
    assert any(re.fullmatch(r"sales-gateway \S+ has started on the journal \S+/journal\.db; times are the store's \(UTC-03:00\)",
                            one) for one in first), first


def test_a_sold_sale_reads_from_the_beginning_to_the_end(log):
    sale = log.shop.sell(orders.tv(4900, cpf=OWN["cpf"])).of(200).json
    log.told(sale, "info caixa-01 sells TV Mensal for R\\$ 49,00",
               f"info caixa-01: the provider authorised it in {SPAN}; confirming it",
               f"info caixa-01: the provider confirmed it in {SPAN}",
               f"info caixa-01 sold TV Mensal for R\\$ 49,00 in {SPAN}")
    assert all(line.ids.startswith(f"sale={sale['id']} idExterno={sale['idExterno']} ") for line in log.of(sale))


def test_every_family_is_sold_in_words(log):
    shop = log.shop
    for order in (orders.egift(), orders.transit(numeroCartao=CARTAO), orders.health()):
        sale = shop.sell(order).of(200).json
        amount = f"R\\$ {order['valor'] // 100},{order['valor'] % 100:02}"
        log.told(sale, f"info caixa-01 sells {order['produto']} for {amount}",
                   f"info caixa-01 sold {order['produto']} for {amount} in {SPAN}")


def test_a_refusal_has_the_providers_words(log):
    sale = log.shop.sell(orders.tv(4901, cpf=OWN["cpf"])).of(402, "sale_refused").sale
    log.told(sale, "info caixa-01 sells TV Mensal for R\\$ 49,01",
               'warning caixa-01: the provider refused TV Mensal for R\\$ 49,01: "operacao recusada" \\(HTTP 422\\)',
               f"info caixa-01: TV Mensal for R\\$ 49,01 is not sold after {SPAN}: the provider refused the sale; "
               "it said \"operacao recusada\"")


def refuse(status, **words):
    return lambda request: (status, words)


def last_words(shop, sale):
    (line,) = eventually(lambda: [line for line in shop.gateway.events("sale.closed") if line["sale"] == sale["id"]],
                         "it is closed")
    return line["detail"]


def test_a_sale_without_a_token_names_the_token_services_words(new_shop, provider):
    provider.on("/authorization/token", refuse(401, error="invalid_client", error_description="segredo errado"))
    shop = new_shop(provider=provider)
    shop.gateway.start()
    sale = shop.sell(orders.tv()).of(503, "provider_unavailable").sale
    why = last_words(shop, sale)
    assert "the token service answered HTTP 401, invalid_client (segredo errado)" in why
    assert "check provider.app_key" in why
    assert why == sale["reason"]["detail"]


def test_a_sale_whose_token_is_refused_names_the_providers_words(new_shop, provider):
    shop = new_shop(provider=provider).start()
    provider.on("/venda/tv/solicitar", refuse(401, mensagem="token nao aceito"))
    sale = shop.sell(orders.tv()).of(503, "provider_unavailable").sale
    said = 'the provider answered 401: it does not accept the token; it said "token nao aceito"'
    assert last_words(shop, sale) == said
    assert {line["detail"] for line in shop.gateway.events("sale.step") if line["sale"] == sale["id"]} == {said}


def test_a_404_to_a_sale_names_base_url(new_shop, provider):
    shop = new_shop(provider=provider).start()
    provider.on("/venda/tv/solicitar", refuse(404, message="no Route matched"))
    sale = shop.sell(orders.tv()).of(402, "sale_refused").sale
    why = last_words(shop, sale)
    assert "the provider answered 404" in why and "the path in provider.base_url is wrong" in why
    provider.on("/venda/tv/solicitar", refuse(422, message="no"))
    assert last_words(shop, shop.sell(orders.tv()).of(402, "sale_refused").sale) == "the provider refused the sale"


def test_a_lost_answer_and_the_cancels_that_follow(log):
    shop = log.shop
    sale = shop.sell(orders.tv(4925, cpf=OWN["cpf"])).of(504, "sale_cancelled").sale
    lost = rf"caixa-01: the request failed: the answer was lost: [^;]*; cancelling it"
    log.told(sale, "info caixa-01 sells .*", f"warning {lost}",
               "warning caixa-01: the cancel failed: the provider answered 500: .*; it said \"erro interno do servico\".*; "
               f"try 2 at {TIME}",
               rf"warning caixa-01: the cancel failed: .*; try 3 at {TIME}",
               f"info caixa-01: the provider cancelled it in {SPAN}; cancelling it once more at {TIME}, should the request "
               "still be on its way",
               r"info caixa-01: trying once more with a new idExterno \(attempt 2\)", f"warning {lost}",
               f"info caixa-01: TV Mensal for R\\$ 49,25 is not sold after {SPAN}: the answer was lost: [^;]*; "
               "something is left to do at the provider",
               f"info caixa-01: TV Mensal for R\\$ 49,25 is settled after {SPAN}: nothing is left to do")


def test_a_lost_confirm_is_tried_again_at_a_time_that_is_said(log):
    sale = log.shop.sell(orders.tv(4912, cpf=OWN["cpf"])).of(200).json
    log.told(sale, rf"warning caixa-01: the confirm failed: the answer was lost: .*; try 2 at {TIME}",
               f"info caixa-01: the provider confirmed it in {SPAN}", "info caixa-01 sold .*")


def test_a_held_sale_says_until_when(log):
    shop = log.shop
    held = shop.sell(orders.tv(confirm="manual", cpf=OWN["cpf"])).of(200).json
    shop.till.cancel(held["id"]).of(200)
    log.told(held, f"info caixa-01: the provider authorised it in {SPAN}; the terminal decides until {TIME}",
               "info caixa-01: the terminal asks to cancel it; cancelling it",
               f"info caixa-01: TV Mensal for R\\$ 49,00 is not sold after {SPAN}: the terminal cancelled it; .*")


def test_an_esim_waits_for_its_callback_and_says_so_once(log):
    shop = log.shop
    esim = orders.esim(consumidor=OWN, endereco=orders.ENDERECO | RUA)
    silent = shop.sell(esim | {"valor": 2935}).of(202).json
    waits = f"; waiting for the provider's callback until {TIME}, when a person is asked"
    log.told(silent, f"info caixa-01: the provider authorised it in {SPAN}{waits}")
    shop.until(silent["id"], "for a person", attention=True)
    log.told(silent, "info caixa-01: no callback has come; a person is asked",
               f"error caixa-01: a person is needed since {TIME}: no callback has come for an eSIM; sales-gateway "
               "attention says what to do")
    assert len([line for line in log.of(silent) if "waiting for" in line.sentence]) == 1
    sold = shop.sell_esim(esim).json
    shop.settled(sold["id"])
    log.told(sold, "info caixa-01: the provider called back about the (sale|recharge): EFETIVADA",
               "info caixa-01: the provider's callback says EFETIVADA", "info caixa-01 sold Chip Virtual for .*")


def test_a_kill_is_a_part_of_the_history(log):
    shop = log.shop
    lost = shop.gate.arm(b"POST /venda/tv/solicitar", mute=True)
    key = new_key()
    selling = shop.start_selling(orders.tv(cpf=OWN["cpf"]), key)
    eventually(lambda: lost.hits == 1, "the provider is asked")
    sale = shop.sale_of_key(key)
    log.told(sale, "info caixa-01 sells .*")  # a kill loses lines that were not written yet
    shop.gateway.kill()
    with pytest.raises((OSError, http.client.HTTPException)):
        selling.result()
    shop.start()
    log.told(sale, "info caixa-01 sells .*", "info caixa-01: it was open when the gateway stopped; cancelling it",
               f"info caixa-01: TV Mensal for R\\$ 49,00 is not sold after {SPAN}: the sale was taken "
               "up again without the provider's answer, after the gateway was stopped, could not use its journal or had "
               "a fault; .*",
               f"info caixa-01: TV Mensal for R\\$ 49,00 is settled after {SPAN}: nothing is left to do")
    assert any(re.fullmatch(r"open sales found in the journal, which are carried on: [1-9]", line.sentence)
               for line in log.lines())


def test_a_start_tells_how_many_open_sales_cannot_be_read(log):
    """Those among the open ones alone: a settled one is read by nobody yet."""
    shop = log.shop
    settled = shop.sell(orders.tv()).of(200).json["id"]
    held = shop.sell(orders.tv(confirm="manual")).of(200).json["id"]
    shop.gateway.kill()
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db")) as journal, journal:
        for sale, is_settled in ((settled, 1), (held, 0)):
            journal.execute("UPDATE sales SET attempts = 'x', settled = ? WHERE id = ?", (is_settled, sale))
    shop.start()
    wanted = r"open sales found in the journal, which are carried on: \d+; open sales that cannot be read, and are " \
        "not carried on: 1"
    eventually(lambda: any(re.fullmatch(wanted, line.sentence) for line in log.lines()), f"the log says {wanted}")


def test_an_outage_begins_and_ends_in_words(log):
    shop = log.shop
    shop.gate.shut()
    sale = shop.sell(orders.tv(cpf=OWN["cpf"]), wait=1).of(503, "provider_unavailable").sale
    shop.gate.open()
    shop.sell(orders.tv(cpf=OWN["cpf"])).of(200)
    log.told(sale, "warning caixa-01: the request failed: nothing was sent: .*",
               f"info caixa-01: TV Mensal for R\\$ 49,00 is not sold after {SPAN}: nothing was sent: "
               "the provider cannot be reached: .*")
    for wanted in (r"the provider cannot be used: .*",
                   rf"the provider can be used again after {SPAN} \(failed exchanges: \d+(, sales not sold: \d+)?\)"):
        eventually(lambda: any(re.fullmatch(wanted, line.sentence) for line in log.lines()), f"the log says {wanted}")


def logcheck_is_told(log, level, known):
    """Tells that logcheck knows all lines of the level, or none of them."""
    said = [f"Nov 21 06:00:00 store sales-gateway[4711]: {line.message}\n" for line in log.lines()
            if line.level == level]
    done = subprocess.run(["grep", "-E", *(["-v"] if known else []), "-f", str(ROOT / "deploy/package/logcheck")],
                          input="".join(said), text=True, capture_output=True, check=False)
    assert done.stdout == "", f"{level}: {'reported' if known else 'not reported'}"


def test_a_sale_is_told_in_portuguese_until_a_reload_says_otherwise(new_shop):
    """What the provider says, the ids and the levels stay as they are."""
    shop = new_shop(CONFIG | {"log.language": "pt-BR"}).start()
    log = LogText(shop)
    first = [line.sentence for line in log.lines()[:20]]
    assert any(re.fullmatch(r"a porta terminals atende em 127\.0\.0\.1, porta \d+", one) for one in first), first
    span = r"\d+(,\d)? m?s"
    sale = shop.sell(orders.tv(4900, cpf=OWN["cpf"])).of(200).json
    log.told(sale, "info caixa-01 está vendendo TV Mensal por R\\$ 49,00",
               f"info caixa-01: o provedor autorizou em {span}; confirmando",
               f"info caixa-01: o provedor confirmou em {span}",
               f"info caixa-01 vendeu TV Mensal por R\\$ 49,00 em {span}")
    assert all(line.ids.startswith(f"sale={sale['id']} idExterno={sale['idExterno']} ") for line in log.of(sale))
    refused = shop.sell(orders.tv(4901, cpf=OWN["cpf"])).of(402, "sale_refused").sale
    log.told(refused, 'warning caixa-01: o provedor recusou TV Mensal por R\\$ 49,01: "operacao recusada" \\(HTTP 422\\)',
               f"info caixa-01: TV Mensal por R\\$ 49,01 não foi vendido, depois de {span}: o provedor recusou a venda; o "
               "provedor disse \"operacao recusada\"")
    lost = shop.sell(orders.tv(4925, cpf=OWN["cpf"])).of(504, "sale_cancelled").sale
    log.told(lost, "warning caixa-01: o pedido falhou: a resposta se perdeu: [^;]*; cancelando",
               'warning caixa-01: o cancelamento falhou: o provedor respondeu 500: .*; o provedor disse "erro interno do '
               f'servico".*; tentativa 2 às {TIME}',
               r"info caixa-01: mais uma tentativa, com um novo idExterno \(tentativa 2\)")
    for level, known in (("debug", True), ("info", True), ("warning", False)):
        logcheck_is_told(log, level, known)
    shop.gateway.document["log"]["language"] = "en"
    shop.gateway.write_config()
    shop.gateway.run.signal(signal.SIGHUP)
    eventually(lambda: any(line.sentence.startswith("the configuration was read again: ") for line in log.lines()),
               "the reload is told in English")


# This test comes last, because it checks everything that was said above.
def test_every_line_is_for_people(log):
    lines = log.lines()
    assert len(lines) > 60
    in_the_zone = datetime.datetime.now(datetime.timezone(datetime.timedelta(hours=-3))).replace(tzinfo=None)
    for line in lines:
        at = datetime.datetime.strptime(line.time, "%Y-%m-%d %H:%M:%S.%f")
        assert abs(in_the_zone - at) < datetime.timedelta(minutes=30), line.text
        assert re.fullmatch(r"(\w+=(\S+|\"[^\"]*\"))?( \w+=(\S+|\"[^\"]*\"))*", line.ids), line.text
        assert {one.partition("=")[0] for one in line.ids.split()} <= {"sale", "idExterno", "idTransacao", "terminal",
                                                                       "request"}, line.text
        assert not re.search(r"[{}\[\]]|\bsale=|\w+=\w", re.sub(r"/\S+", "", line.sentence)), line.text
        assert not line.sentence.endswith(".") or ". " in line.sentence, line.text
    text = "\n".join(line.text for line in lines)
    for secret in (OWN["cpf"], "11144477735", OWN["nome"], OWN["email"], OWN["nascimento"], str(OWN["telefone"]),
                   "Genoveva", CARTAO, *RUA.values()):
        assert secret not in text, secret


def test_what_is_ordinary_is_known_to_logcheck(log):
    """As journald shows it: the message alone. What is a warning or worse is reported, and nothing else."""
    for level, known in (("debug", True), ("info", True), ("warning", False), ("error", False)):
        assert any(line.level == level for line in log.lines()), level
        logcheck_is_told(log, level, known)
    rules = ROOT / "deploy/package/logcheck"
    as_text = [f"Nov 21 06:00:00 store sales-gateway[4711]: {line.text}\n" for line in log.lines()]
    done = subprocess.run(["grep", "-E", "-v", "-f", str(rules)], input="".join(as_text), text=True,
                          capture_output=True, check=False)
    assert len(done.stdout.splitlines()) == len([line for line in log.lines() if line.level in ("warning", "error")])
