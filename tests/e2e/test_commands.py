"""Tests the operators' commands beside a running gateway: what they print for people and for programs, and their exit
status, even where the screen is narrow, the output is closed, and a product's name contains terminal commands."""
import json
import os
import re
import socket
import sqlite3
import subprocess
import unicodedata

import pytest
from harness import orders
from harness.commands import Screen, address_of, run, said
from harness.day import OWN
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

CONFIG = {"sale.attention_after": "100ms", "sale.late_arrival": "50ms"}
BOOKS = False  # some sales are left waiting for a person
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


def local(text):
    """Returns the time of a sale as the commands show it: in the store's zone."""
    env = {"PATH": os.environ["PATH"], "TZ": "America/Sao_Paulo"}
    return subprocess.check_output(["date", "-d", text, "+%F %T"], env=env, text=True).strip()


def listed(shop, *arguments):
    return [json.loads(line) for line in said(shop, "sales", "--json", *arguments).splitlines()]


@pytest.fixture(scope="module")
def sales(shop):
    """Makes one sale of each kind: sold, refused, held, and an eSIM whose callback does not come."""
    made = {
        "sold": shop.sell(orders.egift()).of(200).json,
        "refused": shop.sell(orders.tv(4901)).of(402, "sale_refused").sale,
        "held": shop.sell(orders.tv(confirm="manual")).of(200).json,
        "waiting": shop.sell_esim(orders.esim(2935, consumidor=OWN)).json,
    }
    shop.until(made["waiting"]["id"], "for a person", attention=True)
    return made


# --- sales ---


def test_where_nothing_was_sold_it_says_so(new_shop):
    shop = new_shop(CONFIG).start()
    assert said(shop, "sales") == "There are no sales yet.\n"
    assert said(shop, "sales", "--attention") == "No sale is like that.\n"
    assert said(shop, "sales", "--json") == ""


def test_sales_are_a_table_in_local_time_and_money(shop, sales):
    lines = said(shop, "sales").splitlines()
    assert lines[0].split() == ["time", "(-03:00)", "id", "family", "produto", "amount", "terminal", "outcome", "attention"]
    rows = {line[21:47]: line for line in lines[1:]}
    assert [row[:19] for row in rows.values()] == sorted((row[:19] for row in rows.values()), reverse=True)
    sold, waiting = rows[sales["sold"]["id"]], rows[sales["waiting"]["id"]]
    assert sold.startswith(local(sales["sold"]["createdAt"]))
    assert re.search(r"  egift +Moedas do Jogo +R\$ 50,00  caixa-01  sold$", sold), sold
    assert re.search(r"  esim +Chip Virtual +R\$ 29,35  caixa-01  pending +\w+$", waiting), waiting
    assert "not sold" in rows[sales["refused"]["id"]] and "held" in rows[sales["held"]["id"]]


def test_sales_are_narrowed(shop, sales):
    def ids(*arguments):
        return {sale["id"] for sale in listed(shop, *arguments)}

    assert ids("--status", "efetivada") >= {sales["sold"]["id"]} and sales["held"]["id"] not in ids("--status", "NEGADA")
    assert ids("--attention") == {sales["waiting"]["id"]}
    assert ids("--id-externo", sales["sold"]["idExterno"]) == {sales["sold"]["id"]}
    everything = ids()
    assert ids("--from", "today", "--limit", "1000") == ids("--from", local(sales["sold"]["createdAt"])[:10])
    assert ids("--from", sales["refused"]["createdAt"]) == everything - {sales["sold"]["id"]}
    assert ids("--to", local(sales["sold"]["createdAt"])) == set()
    assert ids("--to", local(sales["sold"]["createdAt"])[:10]) == everything
    assert ids("--to", "yesterday") == set()
    status, out, err = run(shop, "sales", "--from", "tomorrow")
    assert (status, out) == (2, "") and "--from is a day or a time" in err


def test_more_sales_than_a_page_has_are_fetched_in_several(new_shop):
    shop = new_shop().start()
    for _ in range(203):
        shop.sell(orders.tv()).of(200)
    assert len(listed(shop, "--limit", "202")) == 202
    out = said(shop, "sales", "--limit", "202")
    assert out.count("TV Mensal") == 202 and out.endswith("Older ones are not shown: --limit shows more.\n")
    out = said(shop, "sales", "--limit", "1000")
    assert out.count("TV Mensal") == 203 and "Older" not in out
    assert said(shop, "sales").count("TV Mensal") == 20


@pytest.mark.parametrize("columns", [200, 100, 80, 60])
def test_a_table_fits_the_screen_and_breaks_no_id(shop, sales, columns):
    out = said(shop, "sales", COLUMNS=str(columns))
    assert all(sale["id"] in out for sale in sales.values())
    widest = max(len(line) for line in out.splitlines())
    assert widest <= max(columns, 85), out  # what must stay takes this much
    assert ("caixa-01" in out) == (columns >= 120)
    history = said(shop, "show", sales["refused"]["id"], COLUMNS=str(columns))
    assert all(len(line) <= max(columns, 75) for line in history.splitlines()), history


def test_a_name_that_a_screen_would_obey_is_shown_and_not_obeyed(new_shop):
    shop = new_shop().start()
    ids = [shop.sell(orders.tv()).of(200).json["id"] for _ in range(3)]
    shop.gateway.stop()
    names = ["\x1b[2J\x9b31mTV\r\n", "ab\u202ecd", "日本語テレビ é"]
    with sqlite3.connect(shop.folder / "journal.db") as journal:
        for sale, name in zip(ids, names):
            journal.execute("UPDATE sales SET produto = ? WHERE id = ?", (name, sale))
    shop.start()
    out = said(shop, "sales")
    assert "?[2J?31mTV??  " in out and "ab?cd" in out and "日本語テレビ é" in out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    ends = {columns_to(line, "R$") for line in out.splitlines()[1:]}
    assert len(ends) == 1, "wide characters take two columns"
    assert "?[2J?31mTV??" in said(shop, "show", ids[0])
    assert json.loads(said(shop, "show", "--json", ids[0]))["sale"]["produto"] == names[0]


def columns_to(line, mark):
    """Returns how many columns of a screen stand before the mark."""
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line[: line.index(mark)])


# --- show ---


def test_show_says_what_a_sale_is_and_what_happened(shop, sales):
    sale = sales["sold"]
    out = said(shop, "show", sale["id"])
    assert out.startswith(f"{sale['id']}  sold: EFETIVADA\n")
    for words in ("egift, Moedas do Jogo, of Estudio Um", "R$ 50,00", local(sale["createdAt"]) + " (-03:00)", "caixa-01",
                  sale["idExterno"], "idTransacao " + sale["idTransacao"], "yes: nothing is left to do"):
        assert words in out, words
    history = out.split("What happened\n")[1].splitlines()
    assert [re.sub(r", \d+ ms", "", line[23:]) for line in history] == [
        "begun → requesting", "solicitar: authorised → confirming", "confirmar: sold → sold"]
    both = json.loads(said(shop, "show", "--json", sale["id"]))
    assert both["sale"]["receipt"] == sale["receipt"]
    assert [event["event"] for event in both["story"]["events"]] == ["begun", "solicitar", "confirmar"]


def test_show_says_why_not_and_what_to_do(shop, sales):
    out = said(shop, "show", sales["refused"]["id"])
    assert "not sold: NEGADA" in out and '"operacao recusada" (HTTP 422)' in out
    out = said(shop, "show", sales["held"]["id"])
    assert "held: AUTORIZADA, the terminal confirms or cancels it" in out
    out = said(shop, "show", sales["waiting"]["id"])
    assert "needs a person" in out and "no_callback" in out
    assert "Look up the idExterno at the provider" in " ".join(out.split())


def test_what_goes_on_and_on_is_told_in_a_line(new_shop):
    shop = new_shop(CONFIG | {"sale.confirm_window": "1h", "limits.drain": "100ms"}).start()
    shop.sandbox.faults({"step": "confirmar", "behaviour": "error"})
    sale = shop.sell(orders.tv(), wait=1).of(202).json
    folded = rf"^  {TIME}(–\S+)?  confirmar: no usable answer: .*500.*, \d+ times$"
    eventually(lambda: re.search(folded, said(shop, "show", sale["id"]), re.M), "it was tried again")


def test_nothing_of_the_customer_is_shown_to_people(shop, sales):
    called_back = shop.sell(orders.esim(2939, consumidor=OWN)).sale
    shop.until(called_back["id"], "for a person", attention=True, settled=True)
    goods = shop.gateway.admin.get(f"/v1/sales/{called_back['id']}").of(200).json["esim"]
    out = "".join(said(shop, "show", sale) for sale in (called_back["id"], sales["waiting"]["id"])) + said(shop, "sales")
    assert "sale: EFETIVADA" in out and "recharge FALHA" in out
    for secret in [*map(str, OWN.values()), goods["msisdn"], goods["url"], goods["uuid"]]:
        assert secret not in out
    shop.gateway.admin.post(f"/v1/sales/{called_back['id']}/resolve", {"note": "visto"}).of(200)


def test_what_is_not_here_is_looked_for_elsewhere(shop):
    for name in ("01JD3W4Q8Y7RZK5T9V2XB6M0NA", "nonsense", "../metrics", "?limit=1"):
        status, out, err = run(shop, "show", name)
        assert (status, out) == (1, "") and f"no sale with the id or idExterno {name}\n" in err, err
        assert "provider's portal" in err and address_of(shop) in err


# --- in Portuguese, and without the command ---

PORTUGUESE = {"LANG": "pt_BR.UTF-8"}
ENGLISH = re.compile(r"\b(?:the|of|is|are|and|not|since|needs?|until|by|to do|what|when|amount|reached|sold|refused|again)\b")


def english_in(text):
    """Returns the words of `text` that are English. Paths and options belong to no language."""
    return ENGLISH.findall(re.sub(r"(?:/|--)\S+", "", text))


def in_portuguese(shop, *arguments):
    status, out, err = run(shop, *arguments, **PORTUGUESE)
    found = english_in(out + err)
    assert not found, (found, out + err)
    return out + err


def test_every_command_speaks_portuguese(shop, sales):
    assert "Está vendendo.\n\n  ligado        desde " in in_portuguese(shop, "status")
    listed_ones = in_portuguese(shop, "sales")
    assert listed_ones.startswith("hora (-03:00)") and "não vendida" in listed_ones and "R$ 29,35" in listed_ones
    assert in_portuguese(shop, "show", sales["sold"]["id"]).startswith(f"{sales['sold']['id']}  vendida: EFETIVADA\n")
    refused = in_portuguese(shop, "show", sales["refused"]["id"])
    assert "O provedor recusou a venda." in refused and re.search(r"\n  \d\d/\d\d/20\d\d \d\d:\d\d:\d\d  começou → ", refused)
    waiting = in_portuguese(shop, "show", sales["waiting"]["idExterno"])
    assert "Precisa de alguém desde" in waiting and "O eSIM foi pedido, e o aviso do provedor não chegou." in waiting
    assert "o terminal confirma ou cancela" in in_portuguese(shop, "show", sales["held"]["id"])
    assert "não conhece venda" in in_portuguese(shop, "show", "X")
    assert "não espera por ninguém" in in_portuguese(shop, "resolve", sales["sold"]["id"], "--noted", "--note", "n")
    assert in_portuguese(shop, "totals").startswith("Totais   ")
    assert in_portuguese(shop, "findings") == "Não há diferenças.\n"
    assert "--from é um dia ou uma hora" in in_portuguese(shop, "sales", "--from", "amanhã")
    status, out, err = run_to_end([GATEWAY, "attention", "--config", str(shop.gateway.config), "--lang", "pt"], shop.folder)
    assert (status, err) == (0, "") and not english_in(out), out
    assert sales["waiting"]["id"] in out and "Procure o idExterno no provedor" in " ".join(out.split())
    status, out, err = run_to_end([GATEWAY, "status", "--admin", "127.0.0.1:9", "--lang", "pt"], shop.folder)
    assert (status, out) == (1, "") and err.startswith("erro: nenhum gateway responde em 127.0.0.1:9: ele está rodando?")


def test_the_listener_answers_what_the_command_prints(shop, sales):
    for command, path in ((["status"], "/v1/status"), (["sales"], "/v1/sales?limit=20"),
                          (["show", sales["refused"]["id"]], f"/v1/sales/{sales['refused']['id']}/events"),
                          (["totals"], "/v1/totals?by=family"), (["findings"], "/v1/findings?open=true&limit=100")):
        for language in ("pt", "en"):
            asked = {"Accept": "text/plain;width=90", "Accept-Language": language}
            answer = shop.gateway.admin.request("GET", path, headers=asked).of(200)
            assert answer.header("Content-Type").startswith("text/plain; charset=utf-8")
            assert answer.header("Content-Language") == {"pt": "pt-BR"}.get(language, language)
            printed = said(shop, *command, "--lang", language, COLUMNS="90")
            lengths = r"\d+ (?:s|min|arquivos|files)\b"  # durations and room on the disk, which change between the two
            assert re.sub(lengths, "", answer.body.decode()) == re.sub(lengths, "", printed)


def test_text_is_refused_in_a_width_that_no_page_has(shop, sales):
    sale = f"/v1/sales/{sales['sold']['id']}"
    for path in ("/v1/status", "/v1/sales", sale, sale + "/events"):
        answer = shop.gateway.admin.request("GET", path, headers={"Accept": "text/plain;width=1"})
        assert (answer.status, answer.header("Content-Type")) == (422, "text/plain; charset=utf-8; exit=1")
        assert answer.body == b"error: the width of text/plain is 40 to 10000 columns\n"


# --- where there is no answer ---

COMMANDS = [["status"], ["sales"], ["show", "X"], ["resolve", "X", "--noted", "--note", "n"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_where_no_gateway_answers_it_says_what_to_look_at(tmp_path, command):
    for more in ([], ["--json"]):
        status, out, err = run_to_end([GATEWAY, *command, *more, "--admin", "127.0.0.1:9"], tmp_path)
        assert (status, out) == (1, "")
        assert err.startswith("error: no gateway answers at 127.0.0.1:9: is it running? (systemctl status sales-gateway)\n")


def test_another_listener_is_not_taken_for_it(shop):
    for listener, words in (("terminals", "asks for a key"), ("callbacks", "not")):
        address = "%s:%d" % shop.gateway.ports[listener]
        status, out, err = run_to_end([GATEWAY, "sales", "--admin", address], shop.folder)
        assert (status, out) == (1, "") and words in err


def test_the_address_is_the_configurations(new_shop, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    shop = new_shop({"listen.admin": f"127.0.0.1:{port}"}).start()
    named = ["--config", str(shop.gateway.config)]
    assert run_to_end([GATEWAY, "sales", *named], tmp_path) == (0, "There are no sales yet.\n", "")
    assert run_to_end([GATEWAY, *named, "sales"], tmp_path)[0] == 0
    assert run_to_end([GATEWAY, "sales", "--admin", f"localhost:{port}"], tmp_path)[0] == 0, "a name may stand there"
    everywhere = tmp_path / "everywhere.toml"
    everywhere.write_text(f'listen.admin = "0.0.0.0:{port}"\n')
    assert run_to_end([GATEWAY, "sales", "--config", str(everywhere)], tmp_path)[0] == 0, "it is asked on this machine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not read a file")
def test_who_may_not_read_the_configuration_is_told_what_to_do(shop, tmp_path):
    tmp_path.chmod(0o755)
    file = tmp_path / "gateway.toml"
    file.touch(0o600)
    for command in COMMANDS:
        done = subprocess.run([GATEWAY, *command, "--config", str(file)], user="nobody", capture_output=True, text=True,
                              cwd="/")
        assert (done.returncode, done.stdout) == (2, "")
        assert "Permission denied; run it with sudo, or pass --admin HOST:PORT" in done.stderr


# --- where the output goes ---


def test_a_reader_that_has_seen_enough_is_no_trouble(shop, sales):
    done = subprocess.run(["bash", "-c", f"{GATEWAY} sales --admin {address_of(shop)} | head -1"], capture_output=True,
                          text=True, cwd=shop.folder)
    assert done.stderr == "" and done.stdout.startswith("time (")


def test_an_answer_that_cannot_be_written_is_a_failure(shop, sales):
    for command in (["sales"], ["sales", "--json"], ["show", sales["sold"]["id"]]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([GATEWAY, *command, "--admin", address_of(shop)], cwd=shop.folder, stdout=full,
                                  stderr=subprocess.PIPE)
        assert done.returncode == 1 and b"standard output cannot be written" in done.stderr


def test_colours_are_for_a_screen_and_for_those_who_want_them(shop, sales):
    on_a_screen = Screen(shop, "sales")
    assert on_a_screen.end() == 0 and "\x1b[" in on_a_screen.text
    for unwanted in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = Screen(shop, "sales", **unwanted)
        assert plain.end() == 0 and "\x1b" not in plain.text
    assert "\x1b" not in said(shop, "sales")


# --- resolve ---


def test_a_person_is_shown_the_sale_and_asked_first(shop, sales):
    sale = sales["waiting"]["id"]
    for answer in ("n\n", "\n", "\x04"):
        asked = Screen(shop, "resolve", sale, "--sold", "--note", "visto no portal")
        asked.read_until("Resolve it as sold? [y/N] ").type(answer)
        assert asked.end() == 1 and "Nothing was done." in asked.text
        assert "R$ 29,35" in asked.text and "shown to the terminal, and so to the cashier" in asked.text
    assert shop.sale(sale)["outcome"] == "pending"


def test_what_cannot_be_resolved_is_explained(shop, sales):
    status, out, err = run(shop, "resolve", "01JD3W4Q8Y7RZK5T9V2XB6M0NA", "--sold", "--note", "n")
    assert (status, out) == (1, "") and "no sale with the id or idExterno" in err
