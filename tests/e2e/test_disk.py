"""On a full disk, and with output that nobody reads, the gateway refuses what it cannot do, and goes on."""
import contextlib
import json
import os
import re
import resource
import shutil
import subprocess

import pytest
from harness import orders
from harness.fake_provider import USUAL
from harness.orders import new_key
from harness.processes import GATEWAY
from harness.waiting import eventually


def file_limit(shop, size):
    """Limits the size of files that the gateway may write from now on; nothing: there is no limit."""
    _, hard = resource.prlimit(shop.gateway.run.child.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(shop.gateway.run.child.pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


# This is less than the journal's log has after twenty sales, and more than they leave in the gateway's log.
FULL = 65536


def test_a_full_disk_refuses_sales_holds_running_ones_and_heals(new_shop, provider):
    shop = new_shop({"sale.confirm_window": "1m"}, provider=provider).start()
    for _ in range(20):  # makes the gateway's log the smaller file
        shop.sell(orders.tv()).of(200)
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    assert shop.gateway.run.out.stat().st_size < FULL / 2
    key = new_key()
    asked = len(provider.sent("/venda/tv/solicitar"))
    file_limit(shop, FULL)
    answer = shop.sell(orders.tv(), key).of(503, "journal_unavailable")
    assert answer.header("Retry-After") and "outcome" not in answer.json
    assert len(provider.sent("/venda/tv/solicitar")) == asked, "nothing was sent"
    shop.till.confirm(held["id"]).of(503, "journal_unavailable")
    assert not [one for one in provider.sent("/venda/tv/confirmar") if one.json["idTransacao"] == held["idTransacao"]]
    assert shop.gateway.admin.get("/readyz").status == 503
    assert shop.sale(held["id"])["outcome"] == "held"
    shop.gateway.await_event("journal.unavailable")
    assert not shop.gateway.events("journal.healed"), "it looks by itself, and really writes"
    assert shop.gateway.admin.get("/readyz").status == 503
    file_limit(shop, None)
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready again by itself")
    shop.sell(orders.tv(), key).of(200)
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"


def test_a_file_system_that_fills_up_loses_no_sale(new_shop, small_disk):
    """A gateway that is killed then, as the watchdog may do, starts on the full disk, and answers what is known."""
    shop = new_shop({"journal.path": str(small_disk / "journal.db")}).start()
    filler = small_disk / "filler"
    sold, pending = {}, {}
    for _ in range(3):
        with open(filler, "wb") as file, contextlib.suppress(OSError):
            while True:
                os.write(file.fileno(), bytes(4096))
        refused = new_key()
        # Sell until the journal's present room is used up, which may be in the middle of a sale.
        while (answer := shop.sell(orders.tv(), refused, wait=1)).status in (200, 202):
            told = sold if answer.status == 200 else pending
            told[refused], refused = answer.json["id"], new_key()
        answer.of(503, "journal_unavailable")
        shop.gateway.kill()
        shop.gateway.start()
        for key, sale in sold.items():
            # The first call may fail, where it shares a commit with a step that cannot be recorded.
            eventually(lambda: shop.sell(orders.tv(), key, wait=1).json.get("id") == sale,
                       "what was sold is known on a full disk too")
        filler.unlink()
        eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready by itself")
        sold[refused] = shop.sell(orders.tv(), refused).of(200).json["id"]
    for key, sale in sold.items():
        assert shop.sell(orders.tv(), key).of(200).json["id"] == sale
    for key, sale in pending.items():  # a sale whose answer could not be recorded is cancelled at the start
        answer = shop.sell(orders.tv(), key)
        assert answer.status in (200, 504) and answer.sale["id"] == sale, answer
    shop.check_books(file=small_disk / "journal.db")


def fill(folder, leave):
    """Fills the disk until this many bytes are free. Returns the file that does it."""
    filler = folder / "filler"
    with open(filler, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(shutil.disk_usage(folder).free - leave, 1))
    return filler


def test_a_disk_that_fills_up_is_told_before_it_is_full_and_named_when_it_is(new_shop, small_disk):
    shop = new_shop({"journal.path": str(small_disk / "journal.db")}).start()
    shop.sell(orders.tv()).of(200)
    ready = shop.gateway.admin.get("/readyz").of(200).json
    disk = ready["disk"]
    assert not ready["degraded"] and disk["folder"] == str(small_disk), "an hour of sales finds room"
    assert 0 < disk["neededBytes"] < disk["freeBytes"] and disk["freeInodes"] > disk["neededInodes"]
    assert shop.gateway.metric("gateway_journal_disk_needed_bytes") == disk["neededBytes"]

    filler = fill(small_disk, leave=1_000_000)
    low = shop.gateway.admin.get("/readyz").of(200).json["degraded"]
    assert [one["what"] for one in low] == ["disk"] and str(small_disk) in low[0]["lastError"], low
    status = shop.gateway.admin.get("/v1/status").of(200).json
    assert status["sells"] and "an hour of sales takes up to" in status["detail"]
    shop.gateway.await_event("journal.room_low")
    shop.sell(orders.tv()).of(200)

    fill_rest = small_disk / "rest"
    with open(fill_rest, "wb") as file, contextlib.suppress(OSError):
        while True:
            os.write(file.fileno(), bytes(4096))
    refused = eventually(lambda: next((one for one in [shop.sell(orders.tv(), wait=1)] if one.status == 503), None),
                         "a sale is refused")
    assert str(small_disk) not in refused.json["detail"], "the cashier is told what is of use to one"
    full = f"the disk is full: 0 bytes are free in {small_disk}, and an hour of sales takes up to .*; make room on it"
    assert re.search(full, shop.gateway.admin.get("/readyz").of(503, "not_ready").json["detail"])
    assert re.search(full, shop.gateway.await_event("journal.unavailable")["detail"])
    filler.unlink()
    fill_rest.unlink()
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready by itself")
    shop.gateway.await_event("journal.room_made")


def test_a_full_disk_stays_told_while_known_keys_are_answered(new_shop, small_disk):
    """What a known key led to is only read, which says nothing about what can be written."""
    shop = new_shop({"journal.path": str(small_disk / "journal.db")}).start()
    key = new_key()
    known = shop.sell(orders.tv(), key).of(200).json["id"]
    filler = fill(small_disk, leave=0)
    refused = eventually(lambda: next((one for one in [shop.sell(orders.tv(), wait=1)] if one.status == 503), None),
                         "a sale is refused")
    refused.of(503, "journal_unavailable")
    before = shop.gateway.metric("gateway_journal_flush_seconds_count")
    os.truncate(filler, filler.stat().st_size - 2 * 4096)
    eventually(lambda: shop.gateway.metric("gateway_journal_flush_seconds_count") > before, "there is room for a try")
    for _ in range(10):
        # A repeat that shares a commit with a try of the journal fails with it, and is told to come again.
        again = eventually(lambda: next((one for one in [shop.sell(orders.tv(), key)] if one.status == 200), None),
                           "the known key is answered")
        assert again.json["id"] == known
        reason = shop.gateway.admin.get("/readyz").of(503, "not_ready").json["reasons"][0]
        assert re.fullmatch("the journal cannot be written: the disk is full: .*; make room on it", reason), reason
        status = shop.gateway.admin.get("/v1/status").of(200).json
        assert not status["sells"] and status["detail"].startswith("Takes no sales"), status["detail"]
        assert not status["journal"]["writable"]
        assert not shop.till.get("/v1/status").of(200).json["sells"]
    shop.gateway.await_event("journal.unavailable")
    assert not shop.gateway.events("journal.healed"), "what the log has room for is less than a sale"
    filler.unlink()
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready by itself")


def test_a_journal_that_cannot_be_written_is_told_though_nobody_sells(new_shop):
    """The gateway really writes by itself, even without a service manager's watchdog: nothing else notices a quota and
    a read-only disk."""
    shop = new_shop().start()
    for _ in range(20):  # makes the gateway's log the smaller file
        shop.sell(orders.tv()).of(200)
    file_limit(shop, FULL)
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 503, "it is not ready")
    status = shop.gateway.admin.get("/v1/status").of(200).json
    assert not status["sells"] and not status["journal"]["writable"] and "cannot be written" in status["detail"], status
    assert shop.gateway.metric("gateway_journal_writable") == 0
    file_limit(shop, None)
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready by itself")


def test_a_start_on_a_full_disk_logs_nothing_that_status_denies(new_shop, small_disk):
    shop = new_shop({"journal.path": str(small_disk / "journal.db")}).start()
    shop.sell(orders.tv()).of(200)
    filler = fill(small_disk, leave=0)
    eventually(lambda: shop.sell(orders.tv(), wait=1).status == 503, "a sale is refused")
    shop.gateway.kill()
    shop.gateway.start()
    low = eventually(lambda: [line["detail"] for line in shop.gateway.lines(shop.gateway.run)
                              if line["event"] == "journal.room_low"], "it is logged")[0]
    assert "Takes no sales" in shop.gateway.admin.get("/v1/status").of(200).json["detail"]
    assert "disk is full" in low and "sales are taken" not in low, low
    filler.unlink()


def test_a_journal_that_is_taken_away_stops_sales_until_it_is_back(new_shop, provider):
    shop = new_shop(provider=provider).start()
    key = new_key()
    shop.sell(orders.tv(), key).of(200)
    place, elsewhere = shop.folder / "journal.db", shop.folder / "elsewhere.db"
    place.rename(elsewhere)
    asked = len(provider.sent("/venda/tv/solicitar"))
    shop.sell(orders.tv()).of(503, "journal_unavailable")
    assert len(provider.sent("/venda/tv/solicitar")) == asked, "nothing was sent"
    assert shop.sell(orders.tv(), key).of(200).json["outcome"] == "sold", "what is known is answered"
    assert "in its place" in shop.gateway.admin.get("/readyz").of(503, "not_ready").json["reasons"][0]
    shop.gateway.await_event("journal.moved", level="error")
    elsewhere.rename(place)
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready again by itself")
    shop.sell(orders.tv()).of(200)
    place.unlink()
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 503, "it looks by itself")


@pytest.mark.parametrize("ending", ["-wal", "-shm", ".lock"])
def test_a_file_beside_the_journal_that_is_removed_stops_sales_until_the_next_start(new_shop, provider, ending):
    shop = new_shop(provider=provider).start()
    sold = {key: shop.sell(orders.tv(), key).of(200).json["id"] for key in (new_key(), new_key())}
    (shop.folder / f"journal.db{ending}").unlink()
    asked = len(provider.sent("/venda/tv/solicitar"))
    refused = new_key()
    shop.sell(orders.tv(), refused).of(503, "journal_unavailable")
    assert len(provider.sent("/venda/tv/solicitar")) == asked, "nothing was sent"
    for key, sale in sold.items():
        assert shop.sell(orders.tv(), key).of(200).json["id"] == sale, "what is known is answered"
    reason = shop.gateway.admin.get("/readyz").of(503, "not_ready").json["reasons"][0]
    assert f"{ending} file" in reason and "stop the gateway" in reason
    assert f"{ending} file" in shop.gateway.await_event("journal.moved", level="error")["detail"]
    shop.gateway.stop()
    shop.gateway.start_ready()
    for key, sale in sold.items():
        assert shop.sell(orders.tv(), key).of(200).json["id"] == sale, "what was sold is saved by the stop"
    shop.sell(orders.tv(), refused).of(200)


def test_two_gateways_on_one_journal_whose_lock_was_removed_are_one_again(new_shop, tmp_path):
    first = new_shop().start()
    first.sell(orders.tv()).of(200)
    (first.folder / "journal.db.lock").unlink()
    second = new_shop({"journal.path": str(first.folder / "journal.db")}).start()
    first.sell(orders.tv()).of(503, "journal_unavailable")
    second.sell(orders.tv()).of(200)
    eventually(lambda: first.gateway.admin.get("/readyz").status == 503, "it looks by itself")


@pytest.mark.parametrize("left", ["nothing", "an empty file"])
def test_a_journal_that_is_gone_before_a_start_is_not_begun_anew(new_shop, left):
    shop = new_shop().start()
    key = new_key()
    sold = shop.sell(orders.tv(), key).of(200).json["id"]
    shop.gateway.stop()
    place, elsewhere = shop.folder / "journal.db", shop.folder / "elsewhere.db"
    place.rename(elsewhere)
    if left == "an empty file":
        place.touch()
    run = shop.gateway.launch()
    assert run.wait() == 1
    for words in ("missing" if left == "nothing" else "empty", "Put it back", "restore", "journal.db.lock"):
        assert words in run.errors(), run.errors()
    elsewhere.rename(place)
    shop.gateway.start_ready()
    assert shop.sell(orders.tv(), key).of(200).json["id"] == sold


def test_a_start_on_a_full_disk_says_that_it_is_full(new_shop, small_disk):
    shop = new_shop({"journal.path": str(small_disk / "journal.db")}).start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    filler = small_disk / "filler"
    with open(filler, "wb") as file, contextlib.suppress(OSError):
        while True:
            os.write(file.fileno(), bytes(4096))
    run = shop.gateway.launch()
    assert run.wait() == 1 and "the disk is full" in run.errors(), run.errors()
    filler.unlink()
    shop.gateway.start_ready()


def test_a_callback_that_cannot_be_written_down_is_not_taken(new_shop, provider):
    shop = new_shop(provider=provider).start()
    for _ in range(20):
        shop.sell(orders.tv()).of(200)
    sale = shop.sell_esim(orders.esim()).json
    path = provider.sent("/venda/esim/solicitar")[0].json["the service"][len(shop.callback_gate.url) :]
    told = {"uuid": "1", "msisdn": "2", "url": "u", "situacaoTransacao": "EFETIVADA"}
    file_limit(shop, FULL)
    shop.gateway.callbacks.post(path, told).of(503, "journal_unavailable")
    assert shop.sale(sale["id"])["outcome"] == "pending"
    file_limit(shop, None)
    # The provider repeats what was not answered with 200.
    eventually(lambda: shop.gateway.callbacks.post(path, told).status == 200, "the callback is taken")
    assert shop.sale(sale["id"])["status"] == "EFETIVADA"


def test_a_log_whose_reader_goes_away_stops_no_sale(new_shop):
    shop = new_shop()
    command = [GATEWAY, "--config", str(shop.gateway.config)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=shop.folder) as run:
        shop.gateway.ports = {}
        while "admin" not in shop.gateway.ports:
            line = json.loads(run.stdout.readline())
            if line["event"] == "listening":
                shop.gateway.ports[line["listener"]] = (line["address"], line["port"])
        shop.sell(orders.tv()).of(200)
        run.stdout.close()
        for _ in range(3):
            shop.sell(orders.tv()).of(200)
        run.terminate()
        assert run.wait() == 0


def test_a_journal_in_a_folder_that_cannot_be_written_is_said_in_words(new_shop):
    shop = new_shop({"journal.path": "/proc/journal.db"})
    run = shop.gateway.launch()
    assert run.wait() == 1 and "/proc/journal.db" in run.errors()
    assert os.path.exists("/proc/journal.db") is False


def test_a_step_that_cannot_be_written_down_is_not_acted_on_until_it_can(new_shop, provider):
    shop = new_shop({"sale.confirm_window": "1m"}, provider=provider).start()
    for _ in range(20):
        shop.sell(orders.tv()).of(200)

    def answered_on_a_full_disk(request):
        file_limit(shop, FULL)
        return USUAL

    provider.clear()
    provider.on("/venda/tv/solicitar", [answered_on_a_full_disk])
    answer = shop.sell(orders.tv(), wait=1).of(202)
    assert answer.json["outcome"] == "pending"
    assert not provider.sent("/venda/tv/confirmar"), "the decision to confirm is not durable"
    admin = shop.gateway.admin
    # A read that comes into one batch with the write that fails is answered 503, and may be repeated.
    asked = f"/v1/sales/{answer.json['id']}/events"
    now = eventually(lambda: (lambda told: told.json["now"] if told.status == 200 else None)(admin.get(asked)),
                     "the history can be read")  # fmt: skip
    assert now["waitsForJournal"] and "because the journal cannot be written" in now["text"], now
    assert admin.get("/v1/status").of(200).json["sales"]["waitingForJournal"] == 1
    file_limit(shop, None)
    assert shop.sale(answer.json["id"], wait=60)["status"] == "EFETIVADA"
    assert len(provider.sent("/venda/tv/confirmar")) == 1
