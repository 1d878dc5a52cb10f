#!/usr/bin/python3
"""How long the gateway takes until it sells, with a journal full of sales, against the same with an empty one.

Real rows, multiplied: one sale is sold, one is killed while its request is under way, and their rows are copied as
often as asked for, each copy with ids and keys of its own. Then both journals are started in turns. What is printed:
the time from the start of the process to the answer of a first sell; what a sell takes while the open sales are being
settled; how many requests the provider had at once; and that all are settled in the end.

    tests/bench/start_up.py --finished 1000000 --open 10000 [--rounds 3] [--build build/proof]
"""
import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))


def copies(connection, table, id_column, sale, count, letter):
    """Copies the rows of `sale` in `table`, `count` times, with ids that end in a number."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    # A ULID of about the same time: nothing old enough to be erased, nothing newer than what is sold next.
    fresh = {id_column: f"substr({id_column}, 1, 8) || '{letter}' || printf('%017d', i)", "key": f"'{letter}' || i",
             "id_externo": f"substr(id_externo, 1, 8) || '{letter}' || printf('%017d', i)",
             "callback_hash": "NULL"}
    taken = ", ".join(fresh.get(column, column) for column in columns)
    connection.execute(
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
        f"INSERT INTO {table} SELECT {taken} FROM n, (SELECT * FROM {table} WHERE {id_column} = ?)", (count, sale))


def fill(path, finished, under_way, sold, killed):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = OFF")
    for sale, count, letter in ((sold, finished, "7"), (killed, under_way, "8")):
        for table, column in (("sales", "id"), ("attempts", "sale"), ("events", "sale")):
            copies(connection, table, column, sale, count, letter)
    connection.commit()
    rows = connection.execute("SELECT count(*), sum(settled = 0) FROM sales").fetchone()
    connection.close()
    return rows


def begin(shop, orders):
    """Starts the gateway; the seconds until a first sell is answered. Of the log only the beginning is read: of ten
    thousand open sales there is soon much of it."""
    started = time.monotonic()
    run = shop.gateway.launch()
    while True:
        with open(run.out, "rb") as log:
            lines = [json.loads(line) for line in log.read(4096).splitlines(keepends=True) if line.endswith(b"\n")]
        if any(line["event"] == "started" for line in lines):
            break
        if time.monotonic() - started > 120 or not run.running():
            sys.exit("the gateway does not start")
        time.sleep(0.002)
    shop.gateway.ports = {line["listener"]: (line["address"], line["port"])
                          for line in lines if line["event"] == "listening"}
    while shop.sell(orders.tv()).status != 200:
        if time.monotonic() - started > 120:
            sys.exit("the gateway does not sell after 120 s")
        time.sleep(0.005)
    return time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--finished", type=int, default=1_000_000)
    parser.add_argument("--open", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/proof")
    arguments = parser.parse_args()
    os.environ.setdefault("GATEWAY_BIN", str(arguments.build / "sales-gateway"))
    os.environ.setdefault("SANDBOX_BIN", str(arguments.build / "sandbox-provider"))
    from harness import orders
    from harness.shop import Shop

    folder = pathlib.Path(tempfile.mkdtemp(prefix="start-up-"))
    changes = {"sale.late_arrival": "2s", "log.level": "info"}
    shop = Shop(folder, changes)
    try:
        measure(arguments, shop, folder, orders)
    finally:
        shop.close()
        shutil.rmtree(folder)


def measure(arguments, shop, folder, orders):
    shop.start()
    sold = shop.sell(orders.tv()).of(200).json["id"]
    armed = shop.gate.arm(b"POST /venda/tv/solicitar", swallow=True)
    shop.start_selling(orders.tv())
    while armed.hits == 0:
        time.sleep(0.01)
    shop.gate.disarm()
    shop.gateway.kill()
    journal = folder / "journal.db"
    connection = sqlite3.connect(journal)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    killed = connection.execute("SELECT id FROM sales WHERE settled = 0").fetchone()[0]
    connection.close()
    keep = folder / "empty.db"
    full = folder / "full.db"
    shutil.copy(journal, keep)
    shutil.copy(journal, full)
    print(f"filling a journal with {arguments.finished} finished and {arguments.open} open sales ...", flush=True)
    count, unsettled = fill(full, arguments.finished, arguments.open, sold, killed)
    print(f"{count} sales, {unsettled} of them open; {full.stat().st_size / count:.0f} bytes a sale", flush=True)

    times = {"empty": [], "full": []}
    for round in range(arguments.rounds):
        for name, source in (("empty", keep), ("full", full)):
            for end in ("", "-wal", "-shm"):
                pathlib.Path(str(journal) + end).unlink(missing_ok=True)
            shutil.copy(source, journal)
            os.sync()  # or the copying itself would be what is waited for
            times[name].append(begin(shop, orders))
            if name == "full" and round == arguments.rounds - 1:
                settle(shop, orders, unsettled)
            shop.gateway.kill()
    full_s, empty_s = statistics.median(times["full"]), statistics.median(times["empty"])
    print(f"start to first sell, medians of {arguments.rounds}: {full_s:.3f} s, empty {empty_s:.3f} s, "
          f"ratio {full_s / empty_s:.1f}")


def settle(shop, orders, unsettled):
    """Sells on while the open sales are being settled, and watches the provider's side."""
    waits, most, began = [], 0.0, time.monotonic()
    while True:
        before = time.monotonic()
        shop.sell(orders.tv()).of(200)
        waits.append(time.monotonic() - before)
        busy = [shop.gateway.metric("gateway_provider_connections" + end) for end in ("", "_idle")]
        most = max(most, busy[0] - busy[1])
        left = sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True).execute(
            "SELECT count(*) FROM sales WHERE settled = 0").fetchone()[0]
        if left == 0:
            break
        if time.monotonic() - began > 600:
            sys.exit(f"{left} of {unsettled} are not settled after 600 s")
        time.sleep(0.2)
    waits.sort()
    print(f"settled {unsettled} open sales in {time.monotonic() - began:.1f} s; sells meanwhile: {len(waits)}, "
          f"median {waits[len(waits) // 2] * 1000:.1f} ms, worst {waits[-1] * 1000:.1f} ms; "
          f"requests to the provider at once, as seen between sells: {most:.0f}")


if __name__ == "__main__":
    main()
