"""One altered row of the journal ends nothing: the answer about its sale concerns that sale alone, and every other one
goes on."""
import contextlib
import json
import sqlite3

import pytest
from harness import orders
from harness.orders import new_key
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

# The sale that is held stays held for as long as a test takes.
CONFIG = {"limits.hold": "1h"}


@contextlib.contextmanager
def journal_of(shop):
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db", timeout=30)) as journal, journal:
        yield journal


def alter(shop, sql, *values):
    with journal_of(shop) as journal:
        assert journal.execute(sql, values).rowcount == 1, sql


def unreadable(answer):
    """Nothing is said about a sale that cannot be read, least of all an outcome."""
    problem = answer.of(503, "sale_unreadable").json
    assert "outcome" not in problem and "sale" not in problem


def named(page):
    return page.of(200).json.get("unreadable", [])


def ids(page):
    return [sale["id"] for sale in page.of(200).json["sales"]]


def check_goes_on(shop, bad, key, order, good):
    """Checks that the gateway goes on with everything except the one sale, and says what it cannot tell about that."""
    assert shop.gateway.admin.get("/healthz").of(200)
    unreadable(shop.till.request("GET", f"/v1/sales/{bad}"))
    unreadable(shop.till.request("GET", f"/v1/sales/{bad}/receipt"))
    unreadable(shop.till.confirm(bad))
    unreadable(shop.till.cancel(bad))
    unreadable(shop.sell(order, key))
    unreadable(shop.till.cancel_key(key))
    unreadable(shop.gateway.admin.get(f"/v1/sales/{bad}"))
    unreadable(shop.gateway.admin.get(f"/v1/sales/{bad}/events"))
    unreadable(shop.gateway.admin.post(f"/v1/sales/{bad}/resolve", {"status": "CANCELADA", "note": "x"}))
    assert shop.sale(good)["id"] == good
    for caller in (shop.till, shop.gateway.admin):
        page = caller.get("/v1/sales")
        assert named(page) == [bad] and good in ids(page) and bad not in ids(page)
        assert named(caller.get("/v1/sales?attention=true")) == [bad]
    assert named(shop.till.get(f"/v1/sales?key={key}")) == [bad]
    assert shop.sell(orders.tv()).of(200).json["outcome"] == "sold"


@pytest.mark.parametrize("settled", [1, 0])
def test_one_altered_letter_ends_nothing(new_shop, settled):
    shop = new_shop(CONFIG).start()
    key, order = new_key(), orders.tv()
    sold = shop.sell(order, key).of(200).json
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.gateway.stop()
    alter(shop, "UPDATE sales SET attempts = replace(attempts, 'sold', 'sole'), settled = ? WHERE id = ?",
          settled, sold["id"])
    shop.start()
    begun = shop.gateway.await_event("recovery.begun", openSales=1)
    assert begun["unreadableSales"] == 1 - settled
    check_goes_on(shop, sold["id"], key, order, held["id"])
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"

    shop.gateway.await_event("journal.unreadable", level="error")
    shop.gateway.await_event("sale.attention", sale=sold["id"], mark="unreadable", level="error")
    eventually(lambda: shop.gateway.metric("gateway_sales_attention", attention="unreadable") == 1, "it is counted")
    status, out, _ = run_to_end(
        [GATEWAY, "attention", "--json", "--config", str(shop.gateway.config)], shop.folder)
    assert status == 0, out
    assert [(sale["id"], sale["attention"]) for sale in map(json.loads, out.splitlines())] == [
        (sold["id"], "unreadable")]

    shop.gateway.stop()
    alter(shop, "UPDATE sales SET attempts = replace(attempts, 'sole', 'sold'), settled = 1 WHERE id = ?", sold["id"])
    shop.start()
    assert shop.sale(sold["id"])["outcome"] == "sold"
    assert shop.sell(order, key).of(200).header("Idempotency-Replayed") == "true"
    assert "unreadable" not in shop.gateway.admin.get("/v1/sales").of(200).json
    shop.check_books()


def test_attention_lists_every_damaged_sale_from_the_start_on(new_shop):
    shop = new_shop(CONFIG).start()
    sold = [shop.sell(orders.tv()).of(200).json["id"] for _ in range(3)]
    shop.gateway.stop()
    alter(shop, "UPDATE sales SET status = 'EFETIVADO' WHERE id = ?", sold[0])
    alter(shop, "UPDATE sales SET attempts = '[' WHERE id = ?", sold[1])
    shop.start()
    command = [GATEWAY, "attention", "--json", "--config", str(shop.gateway.config)]
    eventually(lambda: {json.loads(line)["id"] for line in run_to_end(command, shop.folder)[1].splitlines()}
               == set(sold[:2]), "both are listed, though nobody has asked for them")  # fmt: skip
    eventually(lambda: "need a person: 2;" in shop.gateway.admin.get("/v1/status").of(200).json["detail"],
               "status counts them")


def columns(shop):
    with journal_of(shop) as journal:
        return [name for _, name, *_ in journal.execute("PRAGMA table_info(sales)")]


RUBBISH = ("{", "x\x00y", "\xff\xfe", -1, 2**62, 0.5, b"\xff\x00\xfe", "[]", '[{"idExterno":1}]', "null", "")


def put(shop, column, value, row):
    """Puts the value into the column of the sale. Returns false where the tables do not accept it."""
    with journal_of(shop) as journal:
        try:
            return journal.execute(f"UPDATE sales SET {column} = ? WHERE n = ?", (value, row)).rowcount == 1
        except sqlite3.IntegrityError:
            return False


def value_of(shop, column, row):
    with journal_of(shop) as journal:
        return journal.execute(f"SELECT {column} FROM sales WHERE n = ?", (row,)).fetchone()[0]


def row_of(shop, sale):
    with journal_of(shop) as journal:
        return journal.execute("SELECT n FROM sales WHERE id = ?", (sale,)).fetchone()[0]


def look(shop, sale, key, order, good):
    """Makes every call that meets the row. None may be an error of the gateway's, whatever it says."""
    answers = [
        shop.till.request("GET", f"/v1/sales/{sale}"),
        shop.till.request("GET", f"/v1/sales/{sale}/receipt"),
        *([shop.sell(order, key)] if key else []),
        shop.gateway.admin.get(f"/v1/sales/{sale}/events"),
        shop.gateway.admin.get("/v1/sales"),
        shop.till.get("/v1/sales?attention=true"),
        shop.till.get("/v1/sales?key=k"),
        shop.gateway.admin.get("/metrics"),
    ]
    assert all(answer.status != 500 for answer in answers), answers
    assert shop.gateway.admin.get("/healthz").of(200) and shop.gateway.run.running()
    assert shop.sale(good)["outcome"] == "sold"
    assert shop.sell(orders.tv()).of(200).json["outcome"] == "sold"


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("kind", ["sold", "held"])
def test_rubbish_in_any_column_ends_nothing(new_shop, kind, restarted):
    shop = new_shop(CONFIG).start()
    key, order = new_key(), orders.tv(confirm="manual")
    bad = shop.sell(order, key).of(200).json["id"]
    if kind == "sold":
        assert shop.till.confirm(bad).of(200).json["outcome"] == "sold"
    good = shop.sell(orders.egift()).of(200).json["id"]
    row = row_of(shop, bad)
    outcome = shop.sale(bad)["outcome"]
    # All of it in every column, with a restart for each, would take minutes. So each kind is met by some columns.
    names = [name for name in columns(shop) if name != "n"]
    for number, column in enumerate(names):
        rubbish = [RUBBISH[(number + 3 * i) % len(RUBBISH)] for i in range(1 if restarted else 4)]
        for value in rubbish:
            before = value_of(shop, column, row)
            if restarted:
                shop.gateway.stop()
            taken = put(shop, column, value, row)
            if restarted:
                shop.start()
            if not taken:
                continue
            # Where the key or the terminal is altered, nobody can tell the sale from one that never was.
            look(shop, bad, key if column not in ("key", "terminal") else None, order, good)
            if restarted:
                shop.gateway.stop()
            assert put(shop, column, before, row)
            if restarted:
                shop.start()
            assert shop.sale(bad)["outcome"] == outcome, f"put right again: {column} was {value!r}"
    assert shop.gateway.admin.get("/healthz").of(200)
    assert len(shop.sandbox.transactions()) == len(shop.all_sales()), "no key was taken for free"
