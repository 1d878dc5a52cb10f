#!/usr/bin/python3
"""Measures what the gateway adds to the time of a sale. One terminal alone sells one sale after the other, with a
provider that takes 50 ms for each of its two calls; then it does the same while others sell 500 times a second.

Its peers are nginx with Lua, which does the same without a journal, and nothing at all: then the terminal makes both
calls to the provider itself, and the time is the provider's own. A sale waits for the disk three times, so how long
this disk takes for a flush is measured in the same run, and printed with it. Medians are over the rounds, and the 99th
percentile of a flush is that of all of them.

    tests/bench/latency.py [--seconds 20] [--rounds 3] [--per-second 500] [--delay-ms 50] [--tls] [--only NAME ...]
"""
import shutil
import statistics

from lab import disk, peers, program
from lab.rig import Rig, free_port

KINDS = {"nothing": peers.Nothing, "gateway": peers.Gateway, "lua": peers.NginxLua}
FLUSHES = 3
# A sale may take this much longer, in the median and in one of a hundred.
SHARE_MS = 0.5
SLOW_SHARE_MS = 2


def turn(kind, folder, arguments, per_second, tls):
    """Measures one peer once: returns p50 and p99 of the one terminal, in milliseconds."""
    provider = free_port()
    secured = {"authority": tls.authority} if tls.authority else {}
    peer = kind(folder, provider, **secured)
    others = {"paced_connections": arguments.others, "per_second": per_second} if per_second else {}
    with Rig(provider=provider, delay_ms=arguments.delay_ms, target=peer.port, shape=kind.shape, connections=1,
             name="bench", key=peers.KEY, warm_up=arguments.warm_up, seconds=arguments.seconds, at_least=1, drain=60,
             **others, **tls.rig) as rig, peer:
        rig.begin(peer.process)
        result, end = rig.next(), rig.next()
    shutil.rmtree(folder, ignore_errors=True)
    alone, together = result["terminals"], result["paced"]
    assert alone["sales"] and not alone["others"] and not together["others"] and not end["unanswered"], (
        f"{kind.name}: not every sale was sold: {result} {end}")
    if per_second and end["skipped"]:
        print(f"  {kind.name}: {end['skipped']} of the others' sales found all {arguments.others} terminals busy")
    return alone["p50Us"] / 1000, alone["p99Us"] / 1000


def measure(arguments, folder, per_second, tls):
    times = {name: [] for name in arguments.only}
    flushes = []
    for _ in range(arguments.rounds):
        for name in arguments.only:
            flushes += disk.flushes_s(folder, arguments.delay_ms / 1000, arguments.flushes)
            times[name].append(turn(KINDS[name], folder / name, arguments, per_second, tls))
    print(("one terminal alone" if not per_second else f"one terminal, and {per_second:g} sales a second by others")
          + f", a provider that takes {arguments.delay_ms} ms a call" + (" over TLS" if arguments.tls else ""))
    print(f"  {'':28} {'p50 ms':>8} {'p99 ms':>8}")
    medians = {name: [statistics.median(column) for column in zip(*turns)] for name, turns in times.items()}
    for name, (p50, p99) in medians.items():
        print(f"  {KINDS[name].name:28} {p50:8.2f} {p99:8.2f}", flush=True)
    providers = medians.get("nothing", [2 * arguments.delay_ms] * 2)
    percentiles = statistics.quantiles(flushes, n=100)
    for title, own, percentile, share in zip(("p50", "p99"), providers, (50, 99), (SHARE_MS, SLOW_SHARE_MS)):
        flush = percentiles[percentile - 1] * 1000
        print(f"  wanted of the gateway: {title} at most {own:.2f} of the provider + {FLUSHES} flushes of {flush:.2f} + "
              f"{share} = {own + FLUSHES * flush + share:.2f} ms", flush=True)


def main():
    parser = program.options(__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--warm-up", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--per-second", type=float, default=500)
    parser.add_argument("--others", type=int, default=200, help="terminals that share the sales of the others")
    parser.add_argument("--delay-ms", type=int, default=50)
    parser.add_argument("--flushes", type=int, default=20, help="how often a flush is measured, before each turn")
    parser.add_argument("--tls", action="store_true", help="the provider speaks TLS; not with nothing between")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    arguments = parser.parse_args()
    if arguments.tls and "nothing" in arguments.only:
        arguments.only.remove("nothing")
    with program.folder("latency") as folder:
        tls = program.ProviderTls(folder, arguments.tls)
        for per_second in (0, arguments.per_second):
            measure(arguments, folder, per_second, tls)


if __name__ == "__main__":
    program.run(main)
