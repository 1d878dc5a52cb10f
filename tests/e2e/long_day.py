#!/usr/bin/python3
"""Plays a store's long day on real sockets: some thousand sales by several tills, with losses at the provider's side,
while the gateway is killed, started again, told to read its configuration again, and its journal is copied. Afterwards
the journal agrees with the provider's books, every copy is sound, and no run of either program has written to standard
error: under a sanitizer that is where its reports go.

    tests/e2e/long_day.py [--build build/tsan] [--sales 3000] [--tills 6] [--seed N]

Not part of tests/run.sh: it is what the tsan build is run with.
"""
import argparse
import http.client
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/tsan", help="a folder with both programs")
    parser.add_argument("--sales", type=int, default=3000)
    parser.add_argument("--tills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    return parser.parse_args()


def main():
    chosen = arguments()
    os.environ["GATEWAY_BIN"] = str(chosen.build.resolve() / "sales-gateway")
    os.environ["SANDBOX_BIN"] = str(chosen.build.resolve() / "sandbox-provider")
    from harness import orders
    from harness.client import Background
    from harness.processes import GATEWAY, run_to_end
    from harness.shop import Shop
    from harness.waiting import eventually

    chance = random.Random(chosen.seed)
    print(f"seed {chosen.seed}, {chosen.sales} sales by {chosen.tills} tills, {chosen.build}", flush=True)
    def in_trouble(run):
        return not run.running() or run.errors()

    made = [0]
    lock = threading.Lock()

    def order():
        make = chance.choice([orders.tv, orders.tv, orders.egift, orders.transit])
        cents = chance.choice([0, 0, 0, 0, 0, 0, 1, 2, 3, 12, 13])
        more = {"confirm": "manual"} if chance.random() < 0.1 else {}
        return make(5000 + (cents if make is not orders.transit or cents < 4 else 0), **more)

    def till(shop, load):
        """Sells one order after the other, and repeats a key until there is an answer with an outcome."""
        for key, wanted in load:
            while True:
                try:
                    answer = shop.sell(wanted, key)
                except (OSError, http.client.HTTPException):  # the gateway is gone, or not there yet
                    stopped.wait(0.02)
                    continue
                if answer.json.get("outcome", "pending") != "pending":
                    break
            with lock:
                made[0] += 1

    stopped = threading.Event()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        shop = Shop(pathlib.Path(folder), {"provider.request_timeout": "3s", "sale.confirm_window": "4s",
                                           "sale.late_arrival": "2s", "limits.hold": "1s"})
        try:
            shop.start()
            each = chosen.sales // chosen.tills
            loads = [[(orders.new_key(), order()) for _ in range(each)] for _ in range(chosen.tills)]
            tills = [Background(till, shop, load) for load in loads]
            copies = 0
            # Something happens after every few dozen sales, in turns.
            for at in range(40, chosen.sales, 40):
                eventually(lambda: made[0] >= at or all(one.done for one in tills) or in_trouble(shop.gateway.run),
                           f"{at} sales", limit=600)
                assert not in_trouble(shop.gateway.run), f"the gateway: {shop.gateway.run.errors() or 'it has ended'}"
                what = (at // 40) % 4
                if what in (1, 3):
                    shop.gateway.run.signal(signal.SIGHUP)
                elif what == 2:
                    copies += 1
                    copy = pathlib.Path(folder) / f"copy-{copies}.db"
                    code, out, err = run_to_end([GATEWAY, "backup", "--config", str(shop.gateway.config), str(copy)],
                                                folder, timeout=120)
                    assert code == 0 and not err, f"{code}: {out}{err}"
                    shop.check_file(copy)
                else:
                    shop.gateway.kill()
                    shop.gateway.start()
                if sys.stdout.isatty():
                    print(f"\r{made[0]} sales, {len(shop.gateway.runs)} runs, {copies} copies", end="", flush=True)
            for one in tills:
                one.result(timeout=600)
            shop.check_books()
            reloads = len(shop.gateway.events("reload.done"))
        finally:
            stopped.set()
            shop.close()
    print(f"\r{made[0]} sales, {len(shop.gateway.runs)} runs of the gateway, {reloads} reloads, {copies} copies: "
          "the books agree, and nothing was written to standard error")


if __name__ == "__main__":
    sys.exit(main())
