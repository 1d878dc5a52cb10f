"""Tests copy-journal with the real programs: a store's journal moves from its file to PostgreSQL and back, and nothing
that a till, an operator or the provider was told is forgotten on the way."""
import contextlib
import datetime
import fcntl
import os
import re
import secrets
import shutil
import sqlite3
import zoneinfo

import pytest
from harness import orders
from harness.orders import new_key
from harness.postgres import PASSWORD
from harness.processes import GATEWAY, LOJA_A, Process, run_to_end
from harness.tracing import IS_THERE, Stopped, calls_of
from harness.waiting import eventually

STORE = zoneinfo.ZoneInfo("America/Sao_Paulo")


@pytest.fixture
def url(postgres):
    return postgres.url(postgres.new_database())


@pytest.fixture
def password_file(tmp_path):
    file = tmp_path / "password"
    file.touch(0o600)
    file.write_text(PASSWORD + "\n")
    return file


def copy_journal(shop, *arguments):
    words = [GATEWAY, "copy-journal", "--config", str(shop.gateway.config), *map(str, arguments)]
    return run_to_end(words, shop.folder)


def moved(shop, *arguments):
    status, out, err = copy_journal(shop, *arguments)
    assert status == 0, out + err
    return out, err


def configure(shop, **journal):
    """Puts another [journal] into the configuration. The key file stays."""
    kept = shop.gateway.document["journal"].get("key_file")
    shop.gateway.document["journal"] = journal | ({"key_file": kept} if kept else {})
    shop.gateway.write_config()


def day(days):
    return (datetime.datetime.now(STORE) + datetime.timedelta(days=days)).strftime("%Y-%m-%d")


def close_of(shop, date):
    return shop.gateway.admin.post("/v1/closes", {"day": date, "estabelecimento": LOJA_A}).of(201).json


def number_of(answer):
    (close,) = answer["closes"]
    return close["number"]


def refused(shop):
    """Returns what the gateway says when it does not start."""
    run = shop.gateway.launch()
    assert run.wait() == 1
    return run.errors()


def test_a_store_moves_to_postgresql_and_back(new_shop, url, password_file):
    shop = new_shop()
    keys = shop.folder / "keys"
    keys.touch(0o600)
    keys.write_text(secrets.token_hex(32) + "\n")
    configure(shop, path=str(shop.folder / "journal.db"), key_file=str(keys))
    shop.start()
    order, key, cancelled = orders.tv(), new_key(), new_key()
    sold = shop.sell(order, key).of(200).json
    held = shop.sell(orders.egift(confirm="manual")).of(200).json
    kept = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.till.cancel_key(cancelled)
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db")) as journal, journal:
        journal.execute("UPDATE sales SET day = ?2 WHERE id = ?1", (sold["id"], day(-2)))
    assert number_of(close_of(shop, day(-2))) == 1
    shop.gateway.stop()

    # The configuration names one place, the command the other.
    out, err = moved(shop, "--to", url, "--password-file", password_file)
    assert f'url = "{url}"' in out and "marked as moved" in out and PASSWORD not in out + err
    assert "comparing sales: 3 of 3 rows (100 %)" in err
    assert f"it was moved to {url}" in refused(shop)
    assert run_to_end([GATEWAY, "backup", "--config", str(shop.gateway.config), "old.db"], shop.folder)[0] == 0

    configure(shop, url=url, password_file=str(password_file), gateway="box-1", tally_file=str(shop.folder / "tally"))
    shop.start()
    again = shop.sell(order, key).of(200)
    assert (again.json["id"], again.json["instrucao"]) == (sold["id"], sold["instrucao"]), "the same sale, not a second one"
    shop.sell(orders.tv(), cancelled).of(409, "sale_final")
    assert shop.till.confirm(held["id"]).of(200).json["status"] == "EFETIVADA"
    assert number_of(close_of(shop, day(-1))) == 2, "numbers go on"
    later_key = new_key()
    later = shop.sell(order, later_key).of(200).json
    status, _, err = copy_journal(shop, "--to", "back.db")
    assert status == 1 and "the gateway box-1 is running on" in err
    shop.gateway.stop()

    moved(shop, "--to", "back.db")
    assert f"it was moved to {shop.folder}/back.db" in refused(shop)
    configure(shop, path=str(shop.folder / "back.db"))
    shop.start()
    for known, its_key in ((sold, key), (later, later_key)):
        assert shop.sell(order, its_key).of(200).json["id"] == known["id"]
    assert shop.till.confirm(kept["id"]).of(200).json["status"] == "EFETIVADA"
    shop.check_books(file=shop.folder / "back.db")


def test_a_copy_that_is_killed_goes_on_and_no_gateway_starts_on_half_of_it(new_shop, url, password_file):
    shop = new_shop().start()
    order, key = orders.tv(), new_key()
    sold = shop.sell(order, key).of(200).json
    shop.gateway.stop()
    multiply(shop.folder / "journal.db", 30_000)
    both = ["--from", "journal.db", "--to", url, "--password-file", str(password_file)]
    running = Process([GATEWAY, "copy-journal", *both], shop.folder, "copy")
    eventually(lambda: rows_on(shop, url, password_file) > 2_000, "some of it has been copied")
    running.kill()
    configure(shop, url=url, password_file=str(password_file), tally_file=str(shop.folder / "tally"))
    assert f"the journal {url} cannot be used: it is a copy of " in refused(shop)
    status, out, err = run_to_end([GATEWAY, "gateways", "--config", str(shop.gateway.config)], shop.folder)
    assert status == 0 and f"warning: no gateway starts on {url}: it is a copy of " in err, out + err
    status, out, err = run_to_end([GATEWAY, "attention", "--config", str(shop.gateway.config)], shop.folder)
    assert (status, out) == (1, "") and "it is a copy of " in err, out + err
    status, out, err = run_to_end([GATEWAY, "copy-journal", *both], shop.folder)
    assert status == 0, out + err
    assert "going on with the copy" in err
    assert rows_on(shop, url, password_file) == 30_001
    shop.start()
    assert shop.sell(order, key).of(200).json["id"] == sold["id"]


def test_control_c_says_that_it_can_be_gone_on_with(new_shop, url, password_file):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    multiply(shop.folder / "journal.db", 30_000)
    arguments = [GATEWAY, "copy-journal", "--from", "journal.db", "--to", url, "--password-file", str(password_file)]
    running = Process(arguments, shop.folder, "copy")
    eventually(lambda: rows_on(shop, url, password_file) > 0, "some of it has been copied")
    running.signal(2)
    assert running.wait() == 1
    assert "the same command goes on where it stopped" in running.errors()
    shop.start()  # the gateway goes on selling meanwhile
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    status, _, err = run_to_end(arguments, shop.folder)
    assert status == 0 and "copied anew" in err, err
    assert rows_on(shop, url, password_file) == 30_002


def check_config(shop):
    return run_to_end([GATEWAY, "check-config", "--config", str(shop.gateway.config)], shop.folder)


def test_a_journal_that_was_moved_is_said_to_be_by_check_config_and_by_backup(new_shop):
    shop = new_shop().start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    status, out, err = check_config(shop)
    assert (status, out) == (0, "ok\n"), "a gateway that runs on it is in nobody's way: " + err
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"
    shop.gateway.stop()
    before = (shop.folder / "journal.db").read_bytes()
    assert check_config(shop)[0] == 0 and (shop.folder / "journal.db").read_bytes() == before, "it is only read"
    moved(shop, "--to", "new.db")
    zone = datetime.datetime.now(STORE).strftime("%z")
    at = rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d \({zone[:3]}:{zone[3:]}\)"
    words = f"it was moved to {shop.folder}/new.db at {at}, and what has happened since then is there"
    status, out, _ = check_config(shop)
    assert status == 2 and re.search(f': journal.path: ".*journal.db" cannot be used: {words}', out), out
    status, _, err = run_to_end([GATEWAY, "backup", "--config", str(shop.gateway.config), "old.db"], shop.folder)
    assert status == 0 and re.search(f"warning: no gateway starts on {shop.folder}/journal.db: {words}", err), err


def test_another_programs_lock_is_not_waited_for_by_check_config(new_shop):
    shop = new_shop().start()
    shop.gateway.stop()
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db", isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert check_config(shop)[0] == 0, "it is not known what is in it"


def test_a_gateway_that_starts_beside_a_copying_is_told_that_it_may_be_one(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    with open(shop.folder / "journal.db.lock", "rb+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # copy-journal takes this lock
        assert "another sales-gateway process, a gateway or copy-journal, holds it" in refused(shop)


@pytest.mark.skipif(not IS_THERE, reason="needs strace to stop at a chosen system call")
def test_nobody_edits_either_place_while_they_are_compared(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    shutil.copyfile(shop.folder / "journal.db", shop.folder / "other.db")
    with contextlib.closing(sqlite3.connect(shop.folder / "other.db")) as other, other:
        other.execute("DELETE FROM journal_file")  # otherwise it is a copy that was made by hand, which is not moved
    words = [GATEWAY, "copy-journal", "--config", str(shop.gateway.config)]
    looked = calls_of([*words, "--from", shop.folder / "other.db", "--to", shop.folder / "to.db"], ["write"],
                      shop.folder / "calls")
    name, number = next(call[:2] for call in looked if "comparing sales" in call[2])
    running = Stopped([*words, "--to", shop.folder / "new.db"], name, number, shop.folder / "log")
    for file in ("journal.db", "new.db"):
        with contextlib.closing(sqlite3.connect(shop.folder / file, timeout=0)) as place:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                place.execute("UPDATE sales SET valor = 1")
    assert running.go_on()[0] == 0
    amounts = []
    for file in ("journal.db", "new.db"):
        with contextlib.closing(sqlite3.connect(shop.folder / file)) as place:
            amounts.append(place.execute("SELECT id, valor FROM sales").fetchall())
    assert amounts[0] == amounts[1]


def test_what_was_moved_and_lost_is_restored_from_what_is_left(new_shop, url, password_file):
    shop = new_shop().start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.gateway.stop()
    moved(shop, "--to", url, "--password-file", password_file)
    (shop.folder / "journal.db").rename(shop.folder / "old.db")
    status, out, err = run_to_end([GATEWAY, "restore", "--config", str(shop.gateway.config), "old.db"], shop.folder)
    assert status == 0, out + err
    shop.start()
    assert shop.sale(held["id"])["id"] == held["id"]
    assert [sale["id"] for sale in shop.gateway.admin.get("/v1/sales?attention=true").of(200).json["sales"]] == [held["id"]]


@pytest.mark.parametrize("arguments, status, words", [
    ([], 2, "name the other place"),
    (["--to", "journal.db"], 2, "is both where from and where to"),
    (["--to", "no/folder/journal.db"], 1, "there is no folder"),
    (["--from", "nowhere.db", "--to", "new.db"], 1, "there is no journal"),
    (["--to", "postgresql://u:secret-word@127.0.0.1:1/x"], 1, "must not hold the password"),
    (["--to", "postgresql://u@127.0.0.1:1/x"], 1, "cannot be reached"),
    (["--to", "postgresql://u@127.0.0.1:1/x", "--password-file", "nowhere"], 1, "the password cannot be read"),
    (["--to", "postgresql://u@db.example/x?sslmode=disable"], 1, "sslmode"),
    (["--too", "x"], 2, "did you mean"),
])  # fmt: skip
def test_what_does_not_work_is_said(new_shop, arguments, status, words):
    shop = new_shop().start()
    shop.gateway.stop()
    answer = copy_journal(shop, *arguments)
    assert answer[0] == status and words in answer[2], answer
    assert "secret-word" not in answer[1] + answer[2]
    shop.start()


def test_a_full_disk_is_called_that_and_what_is_left_is_said(new_shop, small_disk):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    multiply(shop.folder / "journal.db", 30_000)
    status, _, err = copy_journal(shop, "--to", small_disk / "new.db")
    assert status == 1 and f"{small_disk}/new.db: the disk is full: " in err and f"are free in {small_disk}," in err, err
    size = (shop.folder / "journal.db").stat().st_size
    told = re.search(r", and the journal that is copied takes up to ([0-9.]+) MB", err)
    assert told and float(told[1]) > size / 1_000_000 - 0.1 and "an hour" not in err, err
    assert f"{small_disk}/new.db is marked as a copy that is not whole, and no gateway starts on it." in err
    assert f"{shop.folder}/journal.db is the journal still." in err


def test_a_standby_that_is_away_is_named_and_what_is_left_is_said(new_shop, postgres, url, password_file):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    wanted = ["--to", url, "--password-file", password_file]
    try:
        postgres.configure("ALTER SYSTEM SET synchronous_standby_names = 'db_5'")
        status, _, err = copy_journal(shop, *wanted)
        assert status == 1 and "waits for a synchronous standby" in err and "db_5 is away; bring one back" in err, err
        assert "is not known" not in err and f"{url} may be marked by now as a copy that is not whole" in err, err
        assert f"{shop.folder}/journal.db is the journal still. When the cause is gone, call the same command" in err
    finally:
        postgres.configure("ALTER SYSTEM RESET synchronous_standby_names")
    moved(shop, *wanted)


def test_both_places_are_named_where_there_is_no_configuration(new_shop):
    shop = new_shop().start()
    sold = shop.sell(orders.tv()).of(200).json
    words = [GATEWAY, "copy-journal", "--config", "nowhere.toml", "--from", "journal.db", "--to", "new.db"]
    status, _, err = run_to_end(words, shop.folder)
    assert status == 1 and "is working on" in err
    shop.gateway.stop()
    status, out, err = run_to_end(words, shop.folder)
    assert status == 0, out + err
    assert os.stat(shop.folder / "new.db").st_mode & 0o777 == 0o600
    configure(shop, path=str(shop.folder / "new.db"))
    shop.start()
    assert shop.sale(sold["id"])["id"] == sold["id"]


def multiply(file, times):
    """Makes more sales like the first one, each with its own id and key."""
    with contextlib.closing(sqlite3.connect(file)) as journal, journal:
        columns = [row[1] for row in journal.execute("PRAGMA table_info(sales)")]
        other = {"n": "i + 100000", "id": "substr(id, 1, 10) || printf('%016d', i)", "key": "key || '-' || i",
                 "callback_hash": "NULL"}  # fmt: skip
        journal.execute(
            f"WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < {times})"
            f" INSERT INTO sales ({', '.join(columns)})"
            f" SELECT {', '.join(other.get(name, name) for name in columns)} FROM sales, i WHERE n = 1")


def rows_on(shop, url, password_file):
    password = password_file.read_text().strip()
    words = ["env", f"PGPASSWORD={password}", "psql", "-XAtq", url, "-c",
             "SELECT count(*) FROM sales"]  # fmt: skip
    status, out, _ = run_to_end(words, shop.folder)
    return int(out) if status == 0 else 0
