"""This program takes a journal of every earlier schema forward with all that is in it, and refuses one of a future
schema and leaves it alone."""
import json
import pathlib
import re
import sqlite3
from contextlib import closing
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from harness import orders
from harness.processes import ROOT
from harness.shop import Shop
from harness.waiting import eventually

JOURNALS = ROOT / "tests/e2e/journals"
NUMBERS = sorted(int(file.name[:3]) for file in (ROOT / "sql").glob("[0-9]*.sql"))
# Times in the old journals lie years back. Nothing is to be erased for its age while a test looks at it.
CONFIG = {"journal.retention": "3650d", "sale.late_arrival": "50ms", "limits.hold": "5m",
          "store.timezone": "Asia/Tokyo"}


def known_of(number):
    return json.loads((JOURNALS / f"schema_{number:03}.json").read_text())


def version_of(journal):
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as rows:
        assert rows.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return rows.execute("PRAGMA user_version").fetchone()[0]


def given(shop, number):
    """Gives the shop the journal as a gateway of that schema left it."""
    journal = pathlib.Path(shop.folder) / "journal.db"
    with closing(sqlite3.connect(journal)) as rows:
        rows.executescript((JOURNALS / f"schema_{number:03}.sql").read_text())
    assert version_of(journal) == number
    return journal


def test_every_older_schema_has_its_journal_here():
    have = {int(re.search(r"\d+", file.name)[0]) for file in JOURNALS.glob("schema_*.sql")}
    assert have and have <= set(NUMBERS)
    assert set(NUMBERS[:-1]) <= have, "run tests/e2e/journals/make.py before a schema is released"


@pytest.fixture(scope="module", params=sorted(JOURNALS.glob("schema_*.sql")), ids=lambda file: file.stem)
def upgraded(request, tmp_path_factory):
    number = int(re.search(r"\d+", request.param.name)[0])
    shop = Shop(tmp_path_factory.mktemp(request.param.stem), CONFIG)
    shop.known = known_of(number)
    journal = given(shop, number)
    try:
        shop.start()
        yield shop
        shop.gateway.stop()
        assert version_of(journal) == NUMBERS[-1]
    finally:
        shop.close()


def test_every_sale_is_as_it_was(upgraded):
    listed = {sale["id"]: sale for sale in upgraded.all_sales()}
    assert set(listed) >= {sale["id"] for sale in upgraded.known.values()}
    for key, was in upgraded.known.items():
        sale = listed[was["id"]]
        assert sale["idExterno"] == was["idExterno"], key
        if was["outcome"] in ("sold", "not_sold"):
            assert (sale["status"], sale["attention"]) == (was["status"], was["attention"]), key
        history = upgraded.gateway.admin.get(f"/v1/sales/{was['id']}/events").of(200).json["events"]
        assert history[0]["event"] == "begun" and len(history) >= 2, key


def test_every_key_is_answered_with_its_sale_and_sells_nothing(upgraded):
    for key, was in upgraded.known.items():
        answer = upgraded.sell(was["order"], key, wait=1)
        assert answer.sale["id"] == was["id"] and answer.header("Idempotency-Replayed") == "true", key
    upgraded.sell(orders.tv(), "never-arrived").of(409, "sale_final")
    for was in upgraded.known.values():
        for entry in upgraded.sandbox.transactions(was["idExterno"], history=True):
            assert entry["calls"]["solicitar"] == 0, "only cancels are sent of what was open"


def test_every_final_sale_is_given_the_day_of_its_history(upgraded):
    decided = {was["id"]: key for key, was in upgraded.known.items() if was["outcome"] in ("sold", "not_sold")}

    def days():
        with closing(sqlite3.connect(f"file:{upgraded.folder}/journal.db?mode=ro", uri=True)) as rows:
            return dict(rows.execute("SELECT id, day FROM sales_by_day"))

    eventually(lambda: set(decided) <= set(days()), "every sale that was final has its day")
    for sale, key in decided.items():
        history = upgraded.gateway.admin.get(f"/v1/sales/{sale}/events").of(200).json["events"]
        final = next(event["at"] for event in history
                     if event.get("state") in ("sold", "refused", "cancelling", "lingering", "cancelled"))
        there = datetime.fromisoformat(final.replace("Z", "+00:00")).astimezone(ZoneInfo("Asia/Tokyo"))
        assert days()[sale] == there.date().isoformat(), key


def test_goods_and_receipts_are_still_there(upgraded):
    egift = upgraded.sale(upgraded.known["sold-egift"]["id"])
    assert egift["instrucao"]["urlAtivacao"]
    second = upgraded.till.get(f"/v1/sales/{upgraded.known['sold-tv']['id']}/receipt").of(200).body.decode()
    assert second.startswith("2ª VIA\n"), "it was printed before the upgrade"


def test_what_was_open_is_carried_on(upgraded):
    held = upgraded.settled(upgraded.known["held"]["id"])
    assert (held["status"], held["reason"]["code"]) == ("CANCELADA", "hold_expired")
    waiting = upgraded.known["waits-for-a-callback"]["id"]
    assert upgraded.sale(waiting)["outcome"] == "pending"
    word = {"status": "CANCELADA", "note": "o portal não a conhece"}
    upgraded.gateway.admin.post(f"/v1/sales/{waiting}/resolve", word).of(200)
    upgraded.sell(orders.tv()).of(200)


def test_a_journal_of_a_newer_schema_is_refused_in_words_and_left_alone(new_shop):
    shop = new_shop(CONFIG).start()
    key, order = "k-1", orders.egift()
    sold = shop.sell(order, key).of(200).json
    shop.gateway.stop()
    journal = shop.folder / "journal.db"
    with closing(sqlite3.connect(journal)) as rows:
        rows.executescript(f"CREATE TABLE of_the_next_version (x); PRAGMA user_version = {NUMBERS[-1] + 1}")
    before = journal.read_bytes()
    run = shop.gateway.launch()
    assert run.wait() == 1
    for words in (str(journal), "newer version of this program", f"schema {NUMBERS[-1] + 1}, this one knows {NUMBERS[-1]}",
                  "install that version again", "restore the copy"):
        assert words in run.errors()
    assert journal.read_bytes() == before
    with closing(sqlite3.connect(journal)) as rows:
        rows.execute(f"PRAGMA user_version = {NUMBERS[-1]}")
        rows.commit()
    shop.start()
    assert shop.sell(order, key).of(200).json == sold, "nothing was lost by the attempt"
