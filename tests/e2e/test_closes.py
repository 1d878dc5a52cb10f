"""Tests the day's totals and closes with the real program: what terminals and operators are told, closes that meet each
other, sales that run meanwhile, a kill between the two steps, and what the commands print."""
import contextlib
import datetime
import hashlib
import json
import sqlite3
import zoneinfo

import pytest
from harness import orders
from harness.client import Background
from harness.commands import Screen, run, said
from harness.processes import GATEWAY, LOJA_A, LOJA_B, run_to_end

STORE = zoneinfo.ZoneInfo("America/Sao_Paulo")


def today(days=0):
    return (datetime.datetime.now(STORE) + datetime.timedelta(days=days)).strftime("%Y-%m-%d")


@pytest.fixture
def day(shop):
    """Returns today in the store. A test that midnight overtakes would find another day's totals."""
    now = datetime.datetime.now(STORE)
    if (now.hour, now.minute) >= (23, 58):
        pytest.skip("the day ends in a moment")
    return today()


def close(shop, day, estabelecimento=LOJA_A, **order):
    return shop.gateway.admin.post("/v1/closes", {"day": day, "estabelecimento": estabelecimento} | order)


def sold_on(shop, day):
    """Returns a sale that the journal has of that day."""
    sale = shop.sell(orders.tv()).of(200).json
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db")) as journal, journal:
        journal.execute("UPDATE sales SET day = ?2 WHERE id = ?1", (sale["id"], day))
    return sale


def digest_of(shop, close):
    """Computes the digest from the file as the document says."""
    with contextlib.closing(sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True)) as journal:
        rows = journal.execute(
            "SELECT id, valor, status FROM sales WHERE estabelecimento = ?1"
            " AND (day = ?2 AND late_day IS NULL OR late_day = ?2) ORDER BY id",
            (close["estabelecimento"], close["day"])).fetchall()
    lines = [close["previous"] or ""] + ["%s;%d;%s" % row for row in rows]
    return hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest(), len(rows)


def test_totals_say_what_the_day_came_to(new_shop, day):
    shop = new_shop().start()
    sold = shop.sell(orders.tv(4900, cashier="Rita")).of(200).json
    shop.sell(orders.tv(4901)).of(402, "sale_refused")
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    told = shop.till.get("/v1/totals?by=cashier,produto").of(200).json
    assert (told["from"], told["to"], told["timezone"]) == (day, day, "America/Sao_Paulo")
    assert told["total"]["sold"] == {"count": 1, "valor": 4900} and told["total"]["refused"]["count"] == 1
    assert [(one["id"], one["outcome"]) for one in told["openSales"]] == [(held["id"], "held")]
    assert {group["cashier"]: group["sold"]["count"] for group in told["groups"]} == {"": 0, "Rita": 1}
    assert shop.gateway.admin.get("/v1/totals").of(200).json["total"] == told["total"]
    assert shop.gateway.admin.get("/v1/totals?day=2024-01-01").of(200).json["total"]["sold"]["count"] == 0
    other = shop.till.get("/v1/totals?estabelecimento=99999999").of(403, "forbidden")
    assert sold["estabelecimento"] not in other.body.decode()
    assert shop.till.get("/v1/totals?day=x&by=y").of(422, "invalid_request").pointers() == ["/by", "/day"]
    assert shop.gateway.admin.get("/v1/totals?estabelecimento=99999999").of(422, "invalid_request").pointers() == ["/estabelecimento"]


def test_a_close_holds_its_sales_and_two_at_once_are_one(new_shop, day):
    shop = new_shop().start()
    for valor in (4900, 5000, 5100):
        shop.sell(orders.tv(valor)).of(200)
    both = [Background(close, shop, day, by=name) for name in ("maria", "joana")]
    answers = [one.result() for one in both]
    assert sorted(answer.status for answer in answers) == [200, 201]
    [made], [same] = (answer.json["closes"] for answer in answers)
    assert made == same and made["number"] == 1 and made["sales"] == 3 and made["by"] in ("maria", "joana")
    assert digest_of(shop, made) == (made["digest"], 3)
    assert close(shop, day).of(200).json["closes"] == [made]
    assert len(shop.gateway.events("close.made", close="1")) == 1
    shop.sell(orders.tv(4900)).of(200)
    assert close(shop, day).of(200).json["closes"] == [made], "what is sold afterwards is not in it"
    path = f"/v1/closes/{made['estabelecimento']}/1"
    one = shop.gateway.admin.get(path).of(200).json
    assert list(one["totals"].pop("cashiers")) == [""], "only this answer sums up by cashier"
    assert one == made
    assert shop.gateway.admin.get("/v1/closes?limit=1").of(200).json["closes"] == [made]
    receipt = shop.gateway.admin.get(path + "/receipt").of(200)
    assert receipt.body.decode().startswith("Fechamento nº 1\n") and receipt.header("Content-Language") == "pt-BR"
    assert "operador" not in receipt.body.decode(), "nobody was named"
    assert '"fechamento";"loja";"dia"' in shop.gateway.admin.get(path + ".csv").of(200).body.decode()
    assert shop.gateway.admin.get(path + "0").of(404, "not_found")
    metric = f'gateway_close_age_seconds{{estabelecimento="{made["estabelecimento"]}"}}'
    assert metric in shop.gateway.admin.get("/metrics").of(200).body.decode()


def test_sales_go_on_while_days_are_closed_and_none_is_lost_or_counted_twice(new_shop, day):
    shop = new_shop().start()
    sold_on(shop, today(-3))
    selling = [Background(lambda: [shop.sell(orders.tv()).of(200) for _ in range(15)]) for _ in range(4)]
    closes = [close(shop, today(-3 + i)).of(201).json["closes"][0] for i in range(4)]
    for one in selling:
        one.result()
    assert [one["number"] for one in closes] == [1, 2, 3, 4]
    for one in closes:
        assert digest_of(shop, one) == (one["digest"], one["sales"])
    with contextlib.closing(sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True)) as journal:
        late = journal.execute("SELECT count(*) FROM sales WHERE late_day IS NOT NULL").fetchone()[0]
    assert late + sum(one["sales"] for one in closes) == 61


def test_a_kill_between_the_two_steps_leaves_no_gap_and_no_twin(new_shop, day):
    shop = new_shop().start()
    shop.sell(orders.tv(4900)).of(200)
    first = close(shop, today(-1)).of(201).json["closes"][0]
    made = close(shop, day).of(201).json["closes"][0]
    shop.gateway.kill()
    with sqlite3.connect(shop.folder / "journal.db") as journal:  # this is its state after the first step
        journal.execute("UPDATE closes SET totals = NULL, digest = NULL WHERE number = 2")
    shop.start()
    again = shop.gateway.admin.get("/v1/closes").of(200).json["closes"]
    assert again == [made, first] and again[0]["previous"] == first["digest"]


def test_a_day_before_the_first_sale_is_not_closed(new_shop, day):
    shop = new_shop().start()
    sold_on(shop, today(-3))
    answer = close(shop, today(-4)).of(422, "invalid_request")
    assert answer.pointers() == ["/day"] and f"the first sale of {LOJA_A} is of {today(-3)}" in answer.body.decode()
    assert shop.gateway.admin.get("/v1/closes").of(200).json["closes"] == []
    assert close(shop, today(-3)).of(201).json["closes"][0]["number"] == 1


def test_yesterday_is_said_to_be_unclosed_until_it_is_closed(new_shop, day):
    shop = new_shop().start()
    assert shop.gateway.admin.get("/v1/status").of(200).json["unclosed"] == []
    sale = sold_on(shop, today(-1))
    shop.sell(orders.tv(4900)).of(200)
    unclosed = [{"estabelecimento": LOJA_A, "day": today(-1), "sold": {"count": 1, "valor": sale["valor"]}}]
    assert shop.gateway.admin.get("/v1/status").of(200).json["unclosed"] == unclosed
    assert shop.gateway.admin.get("/v1/closes").of(200).json["unclosed"] == unclosed
    words = " ".join(said(shop, "status").split())
    assert f"{today(-1)} is not closed in store {LOJA_A}: 1 sale" in words
    close(shop, today(-1)).of(201)
    assert shop.gateway.admin.get("/v1/status").of(200).json["unclosed"] == []
    assert shop.gateway.admin.get("/v1/closes").of(200).json["unclosed"] == []


def test_the_receipt_of_a_close_says_that_a_person_made_it(new_shop, day):
    shop = new_shop().start()
    made = close(shop, day).of(201).json["closes"][0]
    assert (made["by"], made["automatic"]) == (None, False)
    paper = shop.gateway.admin.get(f"/v1/closes/{LOJA_A}/1/receipt").of(200).body.decode()
    assert "por pessoa sem nome informado\n" in paper and "automático" not in paper


def test_what_cannot_be_closed_is_said(new_shop, day):
    shop = new_shop().start()
    assert close(shop, today(2)).of(422, "invalid_request").pointers() == ["/day"]
    assert close(shop, day, estabelecimento="99999999").of(422, "invalid_request").pointers() == ["/estabelecimento"]
    json_type = {"Content-Type": "application/json"}
    shop.gateway.admin.request("POST", "/v1/closes", "{", json_type).of(400, "invalid_json")
    in_words = {"Content-Type": "text/plain"}
    shop.gateway.admin.request("POST", "/v1/closes", "{}", in_words).of(415, "unsupported_media_type")
    assert shop.gateway.admin.post("/v1/closes", {"dia": day}).of(422, "invalid_request").pointers() == ["/day", "/dia"]
    assert shop.gateway.admin.get("/v1/closes?limit=0").of(422, "invalid_request").pointers() == ["/limit"]
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db")) as journal:
        journal.execute("BEGIN IMMEDIATE")
        answer = close(shop, day).of(503, "journal_unavailable")
        assert "cannot write its journal" in answer.json["detail"]
    assert close(shop, day).of(201).json["closes"][0]["sales"] == 0, "a day that nobody sold on"
    for ending in ("", ".csv", "/receipt"):
        shop.gateway.admin.get(f"/v1/closes/{LOJA_A}/2{ending}").of(404, "not_found")
    shop.gateway.terminal("nobody").get("/v1/totals").of(401, "unauthorized")


def test_a_close_that_is_damaged_is_said_and_is_not_made_again(new_shop, day):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    close(shop, day).of(201)
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db")) as journal, journal:
        journal.execute("UPDATE closes SET made_at = 'x'")
    close(shop, day).of(503, "close_unreadable")
    shop.sell(orders.tv()).of(200)


def test_a_copy_that_was_restored_goes_on_in_a_series_of_its_own(new_shop, day):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    first = close(shop, today(-1)).of(201).json["closes"][0]
    config = str(shop.gateway.config)
    assert run_to_end([GATEWAY, "backup", "--config", config, "copy.db"], shop.folder)[0] == 0
    close(shop, day).of(201)
    shop.gateway.stop()
    assert run_to_end([GATEWAY, "restore", "--config", config, "copy.db"], shop.folder)[0] == 0
    shop.start()
    again = close(shop, day).of(201).json["closes"][0]
    assert (again["name"], again["number"], again["series"]) == ("2-2", 2, 2)
    assert again["previous"] == first["digest"]
    path = f"/v1/closes/{LOJA_A}/2-2"
    told = shop.gateway.admin.get(path).of(200).json
    assert set(told["totals"].pop("cashiers")) == {""}, "only where one close is asked for"
    assert told == again
    shop.gateway.admin.get(f"/v1/closes/{LOJA_A}/2").of(404, "not_found")
    assert shop.gateway.admin.get(path + "/receipt").of(200).body.decode().startswith("Fechamento nº 2/2\n")


def test_the_receipt_of_a_close_has_what_each_cashier_sold(new_shop, day):
    shop = new_shop().start()
    shop.sell(orders.tv(4900, cashier="Rita")).of(200)
    shop.sell(orders.tv(2500)).of(200)
    close(shop, day).of(201)
    lines = shop.gateway.admin.get(f"/v1/closes/{LOJA_A}/1/receipt").of(200).body.decode().splitlines()
    assert "Rita                     1         49,00" in lines and "(não informado)          1         25,00" in lines


def test_several_establishments_are_closed_at_once_and_each_till_sees_its_own(new_shop, day):
    shop = new_shop().start()
    shop.sell(orders.tv(4900)).of(200)
    made = shop.gateway.admin.post("/v1/closes", {"day": day}).of(201).json["closes"]
    assert [(one["estabelecimento"], one["number"], one["sales"]) for one in made] == sorted(
        [(LOJA_A, 1, 1), (LOJA_B, 1, 0)])
    assert [one["estabelecimento"] for one in shop.till.get("/v1/totals").of(200).json["closes"]] == [LOJA_A]


def test_the_commands_speak_the_stores_language(new_shop, day):
    shop = new_shop().start()
    shop.sell(orders.tv(4900)).of(200)
    out = said(shop, "totals", LANG="pt_BR.UTF-8")
    assert out.startswith("Totais   ") and "família  vendidas  valor\ntv              1  49,00\n" in out
    assert said(shop, "totals", "--lang", "en", LANG="pt_BR.UTF-8").startswith("Totals   " + day)
    assert said(shop, "totals", "--csv", "--by", "terminal").splitlines()[1].startswith('"caixa-01",1,49.00,0,0.00')
    assert json.loads(said(shop, "totals", "--json"))["total"]["sold"]["count"] == 1
    status, out, err = run(shop, "totals", "--by", "terminl")
    assert (status, out) == (2, "") and 'did you mean "terminal"?' in err
    assert Screen(shop, "close", "--lang", "pt").read_until("não se desfaz. [s/N] ").type("n\n").end() == 1
    assert shop.gateway.admin.get("/v1/closes").of(200).json["closes"] == []
    screen = Screen(shop, "close", "--lang", "pt", "--by", "maria").read_until("[s/N] ").type("s\n")
    assert screen.read_until("Fechamento nº 1 ").end() == 0
    status, out, err = run(shop, "close", "--lang", "pt", "--day", "today")
    assert (status, err) == (0, "") and out.startswith("Fechamento nº 1   Loja ") and "já estava fechado" in out
    assert shop.gateway.admin.get("/v1/closes").of(200).json["closes"][0]["by"] == "maria"
    status, out, err = run(shop, "close", "--estabelecimento", "99999999")
    assert status == 1 and "none of the configuration" in err
