"""Has faults that the comparison must find, and looks at what its own parts do."""
import contextlib
import dataclasses
import pathlib
import shutil
import sqlite3
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e"), str(HERE.parent / "histories")]

import errnos  # noqa: E402
import run  # noqa: E402
import store as stores  # noqa: E402
import wire  # noqa: E402
from harness import orders  # noqa: E402
from harness.tracing import compiled  # noqa: E402
from harness.waiting import eventually  # noqa: E402
from injector import Call, Fault, Injector  # noqa: E402
from scenarios import BootedStart, Sell  # noqa: E402
from store import Store, Violation  # noqa: E402

FLUSHES = ("fsync", "fdatasync")
LOG = "journal.db-wal"


@pytest.fixture(scope="session")
def tool(tmp_path_factory):
    return compiled(HERE / "inject.c", tmp_path_factory.mktemp("inject"))


@pytest.fixture
def store(tmp_path, tool):
    folder = tmp_path / "store"
    folder.mkdir()
    made = Store(folder, tool, {})
    yield made
    made.close()


@pytest.mark.skipif(not errnos.pages_are_here(), reason="there are no manual pages here")
def test_the_table_has_what_the_manual_pages_have():
    assert errnos.differences_from_the_pages() == []


def test_a_call_that_its_page_describes_otherwise_is_found(monkeypatch):
    if errnos.pages_are_here():
        monkeypatch.setitem(errnos.TABLE, "fsync", errnos.Row("fsync", {"": "EIO EMFILE EINTR EDQUOT"}, "EROFS"))
        found = ["fsync: EMFILE is not in fsync", "fsync: ENOSPC of fsync is missing"]
        assert errnos.differences_from_the_pages() == found


def test_every_call_has_its_errnos_and_two_kills():
    flush = Call(3, "fdatasync", (5, 0, 0), LOG)
    faults, number = run.faults_of([flush, Call(1, "close", (5, 0, 0), LOG), flush])
    assert number == 3 and len(faults) == 3 * (4 + 2)
    assert Fault(3, "fdatasync", LOG, 2, "fail", "EIO") in faults and Fault(3, "fdatasync", LOG, 2, "after") in faults
    assert Fault(1, "close", LOG, 1, "spoil", "EIO") in faults


def test_of_a_loop_its_begin_middle_and_end_are_tried():
    faults, number = run.faults_of([Call(3, "pwrite64", (5, 0, 0), LOG)] * 1000)
    tried = {fault.nth for fault in faults}
    assert number == len(tried) == 3 * run.SHARE and {1, 500, 1000} <= tried


# --- the tool ---


@pytest.mark.parametrize("action", ["before", "after"])
def test_a_kill_comes_before_or_after_its_call(store, action):
    scenario = Sell(store)
    fault = Fault(1, "sendto", "socket", 1, action)
    scenario.prepare(fault)
    known = len(store.sandbox.transactions())
    assert scenario.run(fault).hits == 1 and not store.runs
    if action == "after":  # the request is with the provider
        eventually(lambda: len(store.sandbox.transactions()) == known + 1, "the provider knows it")
    else:
        assert len(store.sandbox.transactions()) == known
    assert scenario.finish() == "started again"


def test_a_call_fails_once_and_with_the_errno(store):
    scenario = Sell(store)
    fault = Fault(3, "fdatasync", LOG, 1, "fail", "EIO")
    scenario.prepare(fault)
    assert scenario.run(fault).hits == 1
    eventually(lambda: store.gateway.events("journal.failed", detail="disk I/O error"), "the log has the reason")
    scenario.finish()
    store.sell()


# --- what must be found ---


def _sell_and_lose_power(store, fault=None):
    """Sells while the disk may lie, cuts the power, and starts again on what the disk has."""
    image = store.folder.parent / "image"
    injector = Injector(store.tool, FLUSHES)
    injector.go()
    store.launch(injector)
    assert store.is_up()
    store.await_ready()
    store.sell()
    shutil.copytree(store.folder, image)
    injector.keep_image(store.folder, image)
    if fault:
        injector.begin(fault)
    assert store.till().call("sell").outcome == "sold"
    store.end()
    for name in store.folder.glob("journal.db*"):
        name.unlink()
    for name in image.glob("journal.db*"):
        if not name.name.endswith("-shm"):
            shutil.copy(name, store.folder)
    store.start()
    store.compare()


def test_a_power_cut_loses_nothing(store):
    _sell_and_lose_power(store)


def test_a_flush_that_does_nothing_is_found_by_a_power_cut(store):
    with pytest.raises(Violation, match="is told to be"):
        _sell_and_lose_power(store, Fault(3, "fdatasync", LOG, 0, "lie"))


def test_a_gateway_that_hangs_is_found(store, monkeypatch):
    monkeypatch.setattr(stores, "LIMIT_S", 3)
    monkeypatch.setattr(wire, "LIMIT_S", 3)
    scenario = Sell(store)
    fault = Fault(3, "fdatasync", LOG, 1, "stop")
    scenario.prepare(fault)
    with pytest.raises(Violation, match="the gateway"):
        scenario.run(fault)
        scenario.finish()


def _altered(store, statement):
    store.end()
    with contextlib.closing(sqlite3.connect(store.folder / "journal.db")) as journal, journal:
        journal.execute(statement)
    store.start()


@pytest.mark.parametrize("statement, found", [
    ("UPDATE sales SET status = 'CANCELADA', attempts = replace(attempts, 'sold', 'cancelled')", "is told to be"),
    ("DELETE FROM id_externos", "the provider knows what the journal does not"),
    ("DELETE FROM sales", "is told to be"),
])  # fmt: skip
def test_a_journal_that_says_something_else_is_found(store, statement, found):
    store.start()
    assert store.till().call("sell").outcome == "sold"
    _altered(store, statement)
    with pytest.raises(Violation, match=found):
        store.compare()


def test_a_start_that_believes_what_was_noted_before_the_boot_is_found(store):
    scenario = BootedStart(store)
    scenario.prepare(None)
    scenario.run(None)
    scenario.finish()
    store.start()
    store.end()
    store.alter_notes(log=True)  # as a start leaves the notes that says which boot it is, and forgets nothing
    with pytest.raises(Violation, match="does not start any more"):
        store.start()


def test_a_till_that_was_told_something_else_is_found(store):
    store.start()
    till = store.till(orders.tv(valor=4901))  # it is refused
    answer = till.call("sell")
    lie = dataclasses.replace(answer, http=200, code=None, outcome="sold", status="EFETIVADA")
    till.calls[-1] = dataclasses.replace(till.calls[-1], answer=lie)
    with pytest.raises(Violation, match="is told to be"):
        store.compare()
