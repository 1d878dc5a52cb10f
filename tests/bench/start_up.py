#!/usr/bin/python3
"""Measures how long the gateway takes until it sells, with a journal full of sales and with an empty one.

The journal has real rows, multiplied: one sale is sold, one is killed while its request is under way, and their rows
are copied as often as asked for, each copy with ids and a key of its own. Then both journals are started in turns. It
prints the time from the start of the process to the answer of a first sell; how long a sell takes while the open sales
are being settled; how many requests the provider had at once; and whether all are settled in the end.

    tests/bench/start_up.py [--finished 1000000] [--open 10000] [--rounds 3]
"""
import os
import shutil
import statistics
import time

from lab import disk, peers, program
from lab.fill import Template, fill
from lab.starting import start_and_sell
from harness import orders
from harness.shop import Shop

PATIENCE_S = 600
TABLES_BYTES = 1300  # about so much room a sale takes, which the disk must have


def main():
    parser = program.options(__doc__)
    parser.add_argument("--finished", type=int, default=1_000_000)
    parser.add_argument("--open", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with program.folder("start-up") as folder:
        program.need_room(folder, 2 * TABLES_BYTES * (arguments.finished + arguments.open) / 2**30)
        shop = Shop(folder, {"sale.late_arrival": "2s", "log.level": "info"})
        try:
            measure(arguments, shop, folder)
        finally:
            shop.close()


def templates(shop):
    """Makes a sale that is sold, and one whose request is under way; the gateway is killed then."""
    key = orders.new_key()
    sold = shop.sell(orders.tv(), key).of(200).json
    armed = shop.gate.arm(b"POST /venda/tv/solicitar", swallow=True)
    open_key = orders.new_key()
    shop.start_selling(orders.tv(), open_key)
    while armed.hits == 0:
        time.sleep(0.01)
    left = shop.sale_of_key(open_key)
    shop.gate.disarm()
    shop.gateway.kill()
    return Template(sold["id"], sold["idExterno"], key, "7"), Template(left["id"], left["idExterno"], open_key, "8")


def measure(arguments, shop, folder):
    shop.start()
    sold, left_open = templates(shop)
    journal, empty, full = (folder / name for name in ("journal.db", "empty.db", "full.db"))
    disk.copy_journal(journal, empty)
    shutil.copy(empty, full)
    print(f"filling a journal with {arguments.finished} finished and {arguments.open} open sales ...", flush=True)
    fill(full, (sold, arguments.finished), (left_open, arguments.open))
    count = arguments.finished + arguments.open + 2
    print(f"{count} sales, {arguments.open + 1} of them open; {disk.size(full) / count:.0f} bytes a sale", flush=True)

    times = {empty: [], full: []}
    for round in range(arguments.rounds):
        for source in times:
            disk.copy_journal(source, journal)
            os.sync()  # else the measurement would wait for the copying itself
            times[source].append(start_and_sell(shop.gateway, lambda: shop.sell(orders.tv()).status))
            if source == full:
                find(shop, sold, arguments.finished)
                find(shop, left_open, arguments.open)
            if source == full and round == arguments.rounds - 1:
                settle(shop, arguments.open + 1)
            shop.gateway.kill()
    full_s, empty_s = statistics.median(times[full]), statistics.median(times[empty])
    print(f"start to first sell, medians of {arguments.rounds}: {full_s:.3f} s, empty {empty_s:.3f} s, "
          f"ratio {full_s / empty_s:.1f}")


def find(shop, template, count):
    """Returns the last copy of it, which the gateway must know."""
    if count == 0:
        return
    found = shop.sale_of_key(template.key_of(count))
    assert (found["id"], found["idExterno"]) == (template.id_of(count), template.id_externo_of(count)), found


def settle(shop, unsettled):
    """Goes on selling while the open sales are being settled, and watches the provider's side."""
    waits, most, began = [], 0.0, time.monotonic()
    while True:
        before = time.monotonic()
        shop.sell(orders.tv()).of(200)
        waits.append(time.monotonic() - before)
        busy = [shop.gateway.metric("gateway_provider_connections" + end) for end in ("", "_idle")]
        most = max(most, busy[0] - busy[1])
        left = peers.unsettled(shop.gateway)
        if left == 0:
            break
        assert time.monotonic() - began < PATIENCE_S, f"{left} of {unsettled} are not settled after {PATIENCE_S} s"
        time.sleep(0.2)
    waits.sort()
    print(f"settled {unsettled} open sales in {time.monotonic() - began:.1f} s; sells meanwhile: {len(waits)}, "
          f"median {waits[len(waits) // 2] * 1000:.1f} ms, worst {waits[-1] * 1000:.1f} ms; "
          f"requests to the provider at once, as seen between sells: {most:.0f}")


if __name__ == "__main__":
    program.run(main)
