"""Another program works on the journal beside the gateway, on a disk that is full or fails. No sale that was told is
lost."""
import contextlib
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import threading

import pytest
from harness import orders
from harness.client import Background
from harness.orders import new_key
from harness.waiting import eventually

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace to see or fail system calls")

# docs/sqlite.md allows these beside a running gateway.
ALLOWED = [
    "VACUUM",
    "REINDEX",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "REINDEX statements_by_day",
    "PRAGMA wal_checkpoint(RESTART)",
    "PRAGMA integrity_check",
    "PRAGMA wal_checkpoint(FULL)",
    "SELECT count(*) FROM sales",
    "PRAGMA wal_checkpoint(PASSIVE)",
    "VACUUM INTO 'copy.db'",
]


@pytest.fixture(params=[1024, 4096])
def small_disk(request, tmp_path):
    """Makes a file system, ext4 with forty megabytes, with blocks of one kilobyte, as such small ones have, or of
    four."""
    folder = tmp_path / "disk"
    folder.mkdir()
    image = tmp_path / "disk.img"
    with open(image, "wb") as file:
        file.truncate(40 << 20)
    made = subprocess.run(["mkfs.ext4", "-q", "-b", str(request.param), image], capture_output=True)
    if made.returncode or subprocess.run(["mount", "-o", "loop", image, folder], capture_output=True).returncode:
        pytest.skip("only root may mount")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(folder):
    filler = folder / "filler"
    with open(filler, "wb") as file, contextlib.suppress(OSError):
        while True:
            os.write(file.fileno(), bytes(65536))
    with open(filler, "ab") as file, contextlib.suppress(OSError):
        while True:
            os.write(file.fileno(), bytes(512))
    return filler


def beside(journal, statement):
    """Runs another program's statement. It is no error that the gateway's lock is in its way, or that the disk is
    full."""
    with contextlib.closing(sqlite3.connect(journal, timeout=5, isolation_level=None)) as other:
        with contextlib.suppress(sqlite3.OperationalError):
            other.execute(statement).fetchall()
    for copy in ("copy.db", journal.parent / "copy.db"):
        with contextlib.suppress(OSError):
            os.remove(copy)


@contextlib.contextmanager
def traced(gateway, *arguments):
    """Runs a tracer on the gateway's threads, which is gone at the end."""
    process = gateway.run.child.pid
    with subprocess.Popen(["strace", "-f", "-qq", "-o", os.devnull, "-p", str(process), *arguments]) as tracer:
        threads = pathlib.Path(f"/proc/{process}/task")
        eventually(lambda: all("TracerPid:\t0\n" not in (one / "status").read_text() for one in threads.iterdir()),
                   "the tracer sees every thread")
        try:
            yield
        finally:
            tracer.terminate()


class Tills:
    """Two tills that sell one thing after the other, and remember what they were told."""

    def __init__(self, shop):
        self.sold = {}
        self._shop = shop
        self._stop = threading.Event()
        self._tills = [Background(self._sell_on) for _ in range(2)]

    def _sell_on(self):
        while not self._stop.is_set():
            key = new_key()
            with contextlib.suppress(OSError):
                answer = self._shop.sell(orders.tv(), key, wait=2)
                if answer.status == 200:
                    self.sold[key] = answer.json["id"]

    def stop(self):
        self._stop.set()
        for till in self._tills:
            till.result()


def all_are_known(shop, sold):
    for key, sale in sold.items():
        answer = shop.sell(orders.tv(), key).of(200)
        assert answer.json["id"] == sale and answer.json["outcome"] == "sold"


def test_a_full_disk_and_then_every_command_that_is_allowed_lose_no_sale(new_shop, small_disk):
    journal = small_disk / "journal.db"
    shop = new_shop({"journal.path": str(journal)}).start()
    sold = {}
    for turn in range(20):
        tills = Tills(shop)
        filler = fill(small_disk)
        # Sell until the journal's present room is used up, which may be in the middle of a sale.
        while (answer := shop.sell(orders.tv(), refused := new_key(), wait=1)).status != 503:
            if answer.status == 200:
                sold[refused] = answer.json["id"]
        answer.of(503, "journal_unavailable")
        if turn % 2:  # at once, before the gateway has written anything; or while it refuses
            filler.unlink()
        beside(journal, ALLOWED[turn // 2])
        filler.unlink(missing_ok=True)
        eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready by itself")
        reached = len(tills.sold)
        eventually(lambda: len(tills.sold) > reached + 4, "the tills sell again")
        beside(journal, ALLOWED[turn // 2])
        if turn % 3 == 2:
            shop.gateway.kill()
            tills.stop()
            shop.gateway.start_ready()
        tills.stop()
        sold |= tills.sold
        shop.check_file(journal)
    all_are_known(shop, sold)
    shop.check_books(file=journal)


@needs_strace
def test_a_write_to_the_log_that_failed_and_a_reindex_lose_no_sale(new_shop):
    shop = new_shop().start()
    journal = shop.folder / "journal.db"
    shop.sell(orders.tv()).of(200)
    with traced(shop.gateway, "-P", f"{journal}-wal", "-e", "inject=pwrite64:error=ENOSPC:when=1"):
        assert eventually(lambda: shop.sell(orders.tv(), wait=1).status == 503, "a write has failed")
        beside(journal, "REINDEX statements_by_day")
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready by itself")
    sold = {key: shop.sell(orders.tv(), key).of(200).json["id"] for key in (new_key() for _ in range(5))}
    shop.gateway.kill()
    shop.gateway.start_ready()
    all_are_known(shop, sold)
    shop.check_books(file=journal)


def log_of(journal):
    return pathlib.Path(f"{journal}-wal")


def writes_to_log(trace):
    """Returns (offset, bytes) of every write to the log that a tracer saw, in order."""
    seen = re.finditer(r"-wal>, .*, (\d+), (\d+)\) = \1", trace.read_text())
    return [(int(match[2]), int(match[1])) for match in seen]


@needs_strace
@pytest.mark.parametrize("boot", ["the same", "another"])
def test_a_start_writes_the_log_again_only_after_a_kill_on_the_same_boot(new_shop, boot):
    shop = new_shop().start()
    journal = shop.folder / "journal.db"
    key = new_key()
    sale = shop.sell(orders.tv(), key).of(200).json["id"]
    shop.gateway.kill()
    lock = shop.folder / "journal.db.lock"
    noted = lock.read_text()
    assert "run: begun" in noted
    if boot == "another":
        lock.write_text(re.sub(r"on boot \S+", lambda old: "on boot " + "0" * (len(old[0]) - 8), noted))
    durable = log_of(journal).read_bytes().rindex(sale.encode())
    trace = shop.folder / "trace"
    shop.gateway.wrapper = ["strace", "-f", "-qq", "-y", "-o", str(trace), "-e", "trace=pwrite64,fdatasync,fsync"]
    shop.gateway.start_ready()
    over = [at for at, _ in writes_to_log(trace) if at <= durable]
    if boot == "another":
        assert not over, "what was durable was written over"
        assert re.search(r"f(data)?sync\(\d+<[^>]*-wal>", trace.read_text()), "it is flushed before anything is told"
    else:
        assert over and over[0] == 0
    shop.gateway.kill()
    shop.gateway.wrapper = []
    shop.gateway.start_ready()
    assert shop.sell(orders.tv(), key).of(200).json["id"] == sale


def test_commits_that_the_disk_has_lost_are_an_alarm_once(new_shop):
    shop = new_shop().start()
    journal = shop.folder / "journal.db"
    sold = [shop.sell(orders.tv()).of(200).json["id"] for _ in range(12)]
    shop.gateway.kill()
    log = log_of(journal)
    at = log.read_bytes().index(sold[5].encode()) // 4096 * 4096
    with open(log, "r+b") as file:
        file.seek(at)
        file.write(bytes(4096))
    for _ in range(4):
        shop.gateway.start_ready()
        sale = shop.sell(orders.tv()).of(200).json["id"]
        shop.gateway.kill()
        assert len(shop.gateway.events("journal.restored")) == 1
    shop.gateway.start_ready()
    assert shop.sale(sale)["outcome"] == "sold"
    assert shop.gateway.admin.get(f"/v1/sales/{sale}").of(200).json["attention"] is False


@needs_strace
@pytest.mark.parametrize("failures", [1, 2, 6])
def test_a_sale_that_was_told_failed_is_not_found_after_a_kill(new_shop, failures):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    key = new_key()
    fail = f"inject=fdatasync:error=EIO:when=1..{failures}"
    with traced(shop.gateway, "-P", f"{shop.folder / 'journal.db'}-wal", "-e", fail):
        answer = shop.sell(orders.tv(), key, wait=1)
        shop.gateway.kill()
    shop.gateway.start_ready()
    found = shop.till.get(f"/v1/sales?key={key}").of(200).json["sales"]
    assert answer.status == 503 and not found


def test_the_first_write_after_a_power_cut_shares_no_block_with_the_last_commit(new_shop):
    """The end of a commit's padding is written after its flush, so a power cut can take it."""
    shop = new_shop().start()
    sold = {key: shop.sell(orders.tv(), key).of(200).json["id"] for key in (new_key() for _ in range(3))}
    log = log_of(shop.folder / "journal.db")
    eventually(lambda: not [one for one in shop.gateway.admin.get("/v1/sales").json["sales"] if not one["settled"]],
               "all are settled")
    shop.gateway.kill()
    content = bytearray(log.read_bytes())
    salts = content[16:24]
    frames = 0
    while content[32 + 4120 * frames + 8 : 32 + 4120 * frames + 16] == salts:
        frames += 1
    last_of_last = next(n for n in range(frames - 1, 0, -1) if any(content[32 + 4120 * n + 4 : 32 + 4120 * n + 8]))
    end = 32 + 4120 * (last_of_last + 1)
    block = end // 4096 * 4096
    content[block : block + 4096] = bytes(4096)
    log.write_bytes(content)
    lock = shop.folder / "journal.db.lock"
    lock.write_text(re.sub(r"on boot \S+", lambda old: "on boot " + "0" * (len(old[0]) - 8), lock.read_text()))
    shop.gateway.start_ready()
    assert log.read_bytes()[16:24] != salts, "the log was begun anew, and what it held is in the database"
    all_are_known(shop, sold)
