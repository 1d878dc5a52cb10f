#!/usr/bin/python3
"""Measures what people who look at the console cost the sales. Terminals sell a thousand times a second together, and
one more sells one sale after the other. The times of its sales and the gateway's processor time for a sale are measured
in turns

    alone     with nobody at the console
    streams   with eight browsers that are told of every change, and read nothing
    pages     with eight that read again, whenever they are told, what the page of today shows, and then rest as long as
              a page does

Medians are over the rounds. Every stream must have been told of changes, and still be open at the end.

    tests/bench/console_streams.py [--seconds 10] [--rounds 3] [--per-second 1000] [--delay-ms 20] [--only NAME ...]
"""
import shutil
import statistics
import threading
import time
from types import SimpleNamespace

from lab import peers, program
from lab.rig import Rig, free_port
from harness.console import Browser

KINDS = ("alone", "streams", "pages")
STREAMS = 8  # the most that the gateway allows
# pages/today.js reads this, and lib/screen.js rests so long.
READS = ("/v1/status", "/v1/totals?by=family,hour", "/v1/latency", "/v1/attention", "/v1/terminals")
REST = 20


class Watcher(threading.Thread):
    """This is one browser. `told` counts the events, and `read` how often it read everything again."""

    def __init__(self, gateway, secret, reads):
        super().__init__(daemon=True)
        self.browser = Browser(SimpleNamespace(gateway=gateway)).follow(secret)
        self.stream = self.browser.stream()
        assert self.stream.answer.status == 200, f"a stream is answered {self.stream.answer.status}"
        self.reads = reads
        self.told = self.read = 0
        self.over = False

    def run(self):
        try:
            self.look()
        except (OSError, AssertionError):
            if not self.over:  # the gateway ends while the last page still reads
                raise

    def look(self):
        rested = 0
        while not self.over:
            topics = self.stream.next()
            if topics is None:
                return
            self.told += 1
            if not self.reads or time.monotonic() < rested:
                continue
            began = time.monotonic()
            for path in READS:
                self.browser.get(path, Console_Refresh="1").of(200)
            self.read += 1
            ended = time.monotonic()
            rested = ended + REST * (ended - began)


def watchers(gateway, kind):
    if kind == "alone":
        return []
    secrets = (gateway.admin.post("/v1/console/links").of(201).json["secret"] for _ in range(STREAMS))
    return [Watcher(gateway, secret, kind == "pages") for secret in secrets]


def turn(kind, folder, arguments):
    """Measures one kind once: returns p50 and p99 of the one terminal in ms, and the processor time of a sale in µs."""
    provider = free_port()
    gateway = peers.Gateway(folder, provider, changes={"listen.console": f"127.0.0.1:{free_port()}"})
    with Rig(provider=provider, delay_ms=arguments.delay_ms, target=gateway.port, shape="sell", connections=1,
             name="bench", key=peers.KEY, warm_up=arguments.warm_up, seconds=arguments.seconds, at_least=1, drain=60,
             paced_connections=arguments.others, per_second=arguments.per_second) as rig, gateway:
        looking = watchers(gateway.program, kind)
        for watcher in looking:
            watcher.start()
        rig.begin(gateway.process)
        result, end = rig.next(), rig.next()
        for watcher in looking:
            assert watcher.is_alive() and watcher.told, f"{kind}: a stream has ended, or told nothing"
            watcher.over = True
        reads = sum(watcher.read for watcher in looking)
        assert bool(reads) == (kind == "pages"), f"{kind}: everything was read {reads} times"
    shutil.rmtree(folder, ignore_errors=True)
    alone, together = result["terminals"], result["paced"]
    assert alone["sales"] and not alone["others"] and not together["others"] and not end["unanswered"], (
        f"{kind}: not every sale was sold: {result} {end}")
    if end["skipped"]:
        print(f"  {kind}: {end['skipped']} sales found all {arguments.others} terminals busy")
    sales = alone["sales"] + together["sales"]
    return alone["p50Us"] / 1000, alone["p99Us"] / 1000, result["processorSeconds"] / sales * 1e6, reads


def main():
    parser = program.options(__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--warm-up", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--per-second", type=float, default=1000)
    parser.add_argument("--others", type=int, default=400, help="terminals that share these sales")
    parser.add_argument("--delay-ms", type=int, default=20, help="what the provider takes for a call")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    arguments = parser.parse_args()
    with program.folder("console-streams") as folder:
        turns = {kind: [] for kind in arguments.only}
        for _ in range(arguments.rounds):
            for kind in arguments.only:
                turns[kind].append(turn(kind, folder / kind, arguments))
    figures = {kind: [statistics.median(column) for column in zip(*rows)] for kind, rows in turns.items()}
    beside = figures.get("alone")
    print(f"{arguments.per_second:g} sales a second, a provider that takes {arguments.delay_ms} ms a call, "
          f"{STREAMS} streams")
    print(f"  {'':10} {'p50 ms':>8} {'p99 ms':>8} {'µs a sale':>10} {'all read':>9}   to alone")
    for kind, (p50, p99, used, reads) in figures.items():
        ratios = [f"{value / other:.2f}" for value, other in zip((p50, p99, used), beside)] if beside else []
        print(f"  {kind:10} {p50:8.2f} {p99:8.2f} {used:10.1f} {reads:9g}   {' '.join(ratios)}", flush=True)


if __name__ == "__main__":
    program.run(main)
