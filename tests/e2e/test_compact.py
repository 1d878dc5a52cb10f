"""compact: a journal of an earlier version, with large pages, written anew with small ones; it stays the same journal."""
import contextlib
import shutil
import sqlite3
import stat
import subprocess

from harness import orders
from harness.orders import new_key
from harness.processes import GATEWAY, run_to_end


def compact(shop):
    return run_to_end([GATEWAY, "compact", "--config", str(shop.gateway.config)], shop.folder)


def journal(shop):
    return shop.folder / "journal.db"


def page_bytes(shop):
    with contextlib.closing(sqlite3.connect(f"file:{journal(shop)}?mode=ro", uri=True)) as rows:
        return rows.execute("PRAGMA page_size").fetchone()[0]


def make_old(shop):
    """As an earlier version made it; the file stays the same one."""
    with contextlib.closing(sqlite3.connect(journal(shop), isolation_level=None)) as rows:
        for step in ("PRAGMA journal_mode = DELETE", "PRAGMA page_size = 4096", "VACUUM"):
            rows.execute(step)
    assert page_bytes(shop) == 4096


def contents(shop):
    with contextlib.closing(sqlite3.connect(f"file:{journal(shop)}?mode=ro", uri=True)) as rows:
        tables = [name for name, in rows.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        return {table: sorted(map(repr, rows.execute(f"SELECT * FROM {table}"))) for table in tables
                if table != "journal_file"}


def test_a_journal_is_made_with_small_pages(new_shop):
    shop = new_shop().start()
    assert page_bytes(shop) == 512
    assert not shop.gateway.events("journal.large_pages")


def test_an_old_journal_is_written_anew_and_stays_the_same(new_shop):
    shop = new_shop().start()
    key = new_key()
    sold = shop.sell(orders.tv(), key).of(200).json
    held = shop.sell(orders.tv(confirm="manual"), new_key()).of(200).json
    shop.gateway.stop()
    make_old(shop)
    shop.start()
    shop.gateway.await_event("journal.large_pages")
    shop.gateway.stop()
    before = contents(shop)
    status, out, err = compact(shop)
    assert (status, err) == (0, ""), (status, out, err)
    assert "is the same journal" in out
    assert contents(shop) == before
    assert page_bytes(shop) == 512
    assert stat.S_IMODE(journal(shop).stat().st_mode) == 0o600
    assert sorted(path.name for path in shop.folder.glob("journal.db*")) == ["journal.db", "journal.db.lock"]
    shop.start()
    assert not shop.gateway.events("journal.restored")
    assert shop.sell(orders.tv(), key).of(200).json["id"] == sold["id"]
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"


def test_it_is_not_written_anew_under_a_gateway(new_shop):
    shop = new_shop().start()
    status, _, err = compact(shop)
    assert status == 1 and "a sales-gateway is running on" in err
    shop.sell(orders.tv(), new_key()).of(200)


def test_nor_while_another_program_has_it_open(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv(), new_key()).of(200)
    shop.gateway.stop()
    with contextlib.closing(sqlite3.connect(journal(shop), isolation_level=None)) as rows:
        rows.execute("BEGIN")
        rows.execute("SELECT count(*) FROM sales").fetchone()
        status, _, err = compact(shop)
    assert status == 1 and "as it was" in err and "another program" in err
    status, _, err = compact(shop)
    assert (status, err) == (0, "")


def test_a_copy_in_its_place_is_left_for_the_gateway_to_find(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv(), new_key()).of(200)
    shop.gateway.stop()
    shutil.copy(journal(shop), shop.folder / "older.db")
    journal(shop).unlink()
    shutil.copy(shop.folder / "older.db", journal(shop))
    status, _, err = compact(shop)
    assert status == 1 and "Start the gateway on it once" in err
    shop.start()
    shop.gateway.await_event("journal.restored")


def test_without_room_it_is_as_it_was(new_shop):
    shop = new_shop().start()
    for _ in range(20):
        shop.sell(orders.tv(), new_key()).of(200)
    shop.gateway.stop()
    before = contents(shop)
    small = journal(shop).stat().st_size // 1024 // 2
    done = subprocess.run(["bash", "-c", f"trap '' XFSZ; ulimit -f {small}; exec \"$@\"", "bash", GATEWAY, "compact",
                           "--config", str(shop.gateway.config)], cwd=shop.folder, capture_output=True, text=True)
    assert done.returncode == 1 and "as it was" in done.stderr, (done.returncode, done.stdout, done.stderr)
    assert contents(shop) == before
    assert not list(shop.folder.glob("journal.db.compacting*"))
    shop.start()
    shop.sell(orders.tv(), new_key()).of(200)


def test_what_a_killed_one_has_left_goes_at_a_start(new_shop):
    shop = new_shop().start()
    shop.gateway.stop()
    for end in ("", "-journal", "-wal"):
        (shop.folder / f"journal.db.compacting{end}").write_text("customers' data")
    shop.start()
    assert not list(shop.folder.glob("journal.db.compacting*"))


def test_a_disk_that_lost_what_it_had_flushed_is_left_for_the_gateway_to_tell(new_shop):
    """Also where the note of the sale that was recorded last is not on the disk, for that is not flushed."""
    shop = new_shop().start()
    note = shop.folder / "journal.db.lock"
    shop.sell(orders.tv(), new_key()).of(200)
    early = note.read_bytes()
    sold = [shop.sell(orders.tv(), new_key()).of(200).json["id"] for _ in range(12)]
    shop.gateway.kill()
    log = shop.folder / "journal.db-wal"
    at = log.read_bytes().index(sold[4].encode()) // 4096 * 4096
    with open(log, "r+b") as file:
        file.seek(at)
        file.write(bytes(4096))
    with open(note, "r+b") as file:
        file.write(early)
    before = log.read_bytes()
    status, _, err = compact(shop)
    assert status == 1 and "lost what it had flushed" in err and "as it was" in err, err
    assert log.read_bytes() == before
    shop.start()
    said = shop.gateway.await_event("journal.restored")
    assert "lost what it had flushed" in said["detail"], said
    assert "The last sale that it knows was begun at 20" in said["detail"], said
    known = [shop.till.get(f"/v1/sales/{sale}").status for sale in sold]
    assert known[0] == 200 and known[-1] == 404, known
