"""Another program has the journal locked: sales wait for it for a limited time, and the gateway says who has to let
go."""
import contextlib
import os
import pathlib
import sqlite3

from harness import orders
from harness.orders import new_key
from harness.waiting import eventually

# The gateway names this program like this.
HOLDER = f"({pathlib.Path('/proc/self/comm').read_text().strip()}, process {os.getpid()})"


@contextlib.contextmanager
def locked(shop):
    """Locks the journal as an operator's program does in the middle of an edit."""
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def waits(shop):
    return shop.gateway.metric("gateway_journal_waits_total")


def test_a_sell_waits_for_a_program_that_is_done_soon(new_shop):
    shop = new_shop().start()
    before = waits(shop)
    with locked(shop):
        selling = shop.start_selling(orders.tv())
        eventually(lambda: waits(shop) > before, "the journal waits")
        assert shop.sandbox.seen("solicitar", "tv") == 0, "nothing leaves before the sale is durable"
    assert selling.result().of(200).json["outcome"] == "sold"
    assert not shop.gateway.events("journal.failed")
    shop.check_books()


def test_a_program_that_keeps_its_lock_is_named(new_shop):
    shop = new_shop().start()
    sold = shop.sell(orders.tv()).of(200).json
    key = new_key()
    with locked(shop):
        refused = shop.sell(orders.tv(), key).of(503, "journal_unavailable")
        assert "outcome" not in refused.json
        said = f"another program has the journal locked {HOLDER}: let it finish, or close it"
        assert shop.gateway.await_event("journal.failed")["detail"] == said
        assert shop.gateway.await_event("journal.unavailable", level="warn")["detail"] == said
        reason = shop.gateway.admin.get("/readyz").of(503, "not_ready").json["reasons"][0]
        assert reason == f"the journal cannot be written: {said}"
        assert shop.sale(sold["id"])["outcome"] == "sold", "reading goes on"
        assert shop.sandbox.seen("solicitar", "tv") == 1
    shop.gateway.await_event("journal.healed")
    assert shop.sell(orders.tv(), key).of(200).json["outcome"] == "sold"
    shop.check_books()


def test_a_program_that_keeps_the_log_growing_is_named(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sales").fetchall()
        with contextlib.closing(sqlite3.connect(shop.folder / "journal.db")) as other, other:
            other.execute("INSERT INTO notes (sale, note) VALUES ('nobody', zeroblob(20000000))")
        shop.sell(orders.tv()).of(200)
        said = shop.gateway.await_event("journal.log_grows", level="warn")
        assert said["bytes"] > 20_000_000
        assert said["detail"].startswith(f"another program reads the journal {HOLDER}: let it finish, or close it")
        told = shop.gateway.admin.get("/v1/status").of(200).json
        assert told["sells"] and told["journal"]["growingLog"]["detail"] == said["detail"]
    shop.gateway.await_event("journal.log_begins_anew", level="warn")
    assert "growingLog" not in shop.gateway.admin.get("/v1/status").of(200).json["journal"]
    shop.sell(orders.tv()).of(200)
    shop.check_books()


def test_a_start_waits_no_longer_than_is_usual_and_names_the_program(new_shop):
    shop = new_shop().start()
    key = new_key()
    sold = shop.sell(orders.tv(), key).of(200).json
    shop.gateway.stop()
    with locked(shop):
        run = shop.gateway.launch()
        assert run.wait() == 1
        assert f"has the journal locked {HOLDER}: let it finish, or close it" in run.errors()
    shop.start()
    assert shop.sell(orders.tv(), key).of(200).json["id"] == sold["id"]
