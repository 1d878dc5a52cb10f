#!/usr/bin/python3
"""Sells for an hour at half of what the gateway can do, with a provider that misbehaves now and then: it answers one
call of many with an error, late, or never.

First it measures the most that 64 terminals sell in a second, and half of that is the pace (or --per-second is). Then
it prints one line every minute: resident memory, open descriptors (root only), sales, answers other than sold by their
status, and how large the journal and its write-ahead log are. At the end the provider is healthy again; then everything
has to be settled, and it prints how much resident memory and descriptors have grown since the warm-up (the first
tenth).

    tests/bench/long_haul.py [--minutes 60] [--per-second N] [--misbehave 2]

For a full hour the journal takes tens of gigabytes: TMPDIR names the folder. The gateway's log is emptied every minute.
"""
import math
import os
import sys
import time

from lab import disk, peers, program
from lab.rig import Rig, free_port

TERMINALS = 64
TRIAL_S = 5
SALE_BYTES = 1300  # about so much room the disk must have for a sale
MOST_CONNECTIONS = 10_000
# The gateway may take so long to settle what is left: it confirms for at most sale.confirm_window, then cancels.
SETTLE_S = 300
DRAIN_S = 90


class Haul:
    def __init__(self, folder, arguments):
        self.arguments = arguments
        self.provider = free_port()
        self.gateway = peers.Gateway(folder / "gateway", self.provider, changes={
            "provider.request_timeout": f"{arguments.request_timeout}s", "limits.sell_wait": "60s"})
        self.lines = []

    def rig(self, **options):
        return Rig(provider=self.provider, target=self.gateway.port, key=peers.KEY, **options)

    def start(self):
        with Rig(provider=self.provider, name="start"):
            self.gateway.start()

    def trial(self):
        """Returns the sales in a second of terminals that never pause."""
        with self.rig(name="trial", connections=TERMINALS, warm_up=1, seconds=TRIAL_S, drain=DRAIN_S) as rig:
            rig.begin(self.gateway.process)
            result, _ = rig.next(), rig.next()
        assert not result["terminals"]["others"], f"not every sale of the trial was sold: {result}"
        most = result["terminals"]["perSecond"]
        print(f"{TERMINALS} terminals that never pause sold {most:.0f} a second")
        return most

    def sell(self, per_second):
        arguments = self.arguments
        stretches = max(1, math.ceil(arguments.minutes * 60 / arguments.stretch))
        with self.rig(name="haul", paced_connections=connections(per_second, arguments), per_second=per_second,
                      misbehave=arguments.misbehave, warm_up=0, seconds=arguments.stretch, stretches=stretches,
                      drain=DRAIN_S) as rig:
            rig.begin(self.gateway.process)
            print(f"{'minute':>7} {'MiB':>7} {'files':>6} {'sales/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'µs a sale':>9} {'misbehaved':>11} "
                  f"{'journal MiB':>12} {'log MiB':>8}  other answers")
            for number in range(stretches):
                self.note(rig.next(), (number + 1) * arguments.stretch / 60)
            return rig.next()

    def note(self, line, minute):
        self.lines.append(line)
        paced = line["paced"]
        cost = line["processorSeconds"] / max(1, paced["sales"]) * 1e6
        journal, log = (disk.size(f"{self.gateway.journal}{end}") / 2**20 for end in ("", "-wal"))
        print(f"{minute:7.2f} {line['residentKib'] / 1024:7.1f} {line['descriptors']:6} {paced['perSecond']:8.0f} "
              f"{paced['p50Us'] / 1000:8.1f} {paced['p99Us'] / 1000:8.1f} {cost:9.0f} {line['misbehaved']:11} {journal:12.1f} "
              f"{log:8.1f}  {paced['others'] or 'none'}", flush=True)
        os.truncate(self.gateway.program.run.out, 0)

    def settle(self):
        """Returns how many sales are left open although the provider answers."""
        began = time.monotonic()
        with Rig(provider=self.provider, name="settle"):
            left = self.gateway.await_settled(SETTLE_S)
            print(f"{left} sales are not settled {time.monotonic() - began:.1f} s after the last answer")
            self.gateway.stop()
        return left

    def growth(self):
        warm = self.lines[math.ceil(len(self.lines) / 10) - 1 :]
        first, last = warm[0], warm[-1]
        most = max(line["residentKib"] for line in warm)
        print(f"after the warm-up: resident memory {first['residentKib'] / 1024:.1f} MiB, at the end "
              f"{last['residentKib'] / 1024:.1f} ({(last['residentKib'] / first['residentKib'] - 1) * 100:+.1f} %), at most "
              f"{most / 1024:.1f}; descriptors {first['descriptors']}, at the end {last['descriptors']}")


def connections(per_second, arguments):
    """Returns enough terminals for a pause of the disk, and for the sales that wait while the provider misbehaves."""
    waiting = per_second * 2 * arguments.misbehave / 1000 * arguments.request_timeout * 3
    return min(MOST_CONNECTIONS, round(64 + per_second * 0.25 + waiting))


def main():
    parser = program.options(__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--per-second", type=float, default=0, help="the pace; without it half of what was measured")
    parser.add_argument("--misbehave", type=int, default=2, help="calls of a thousand that the provider answers wrong")
    parser.add_argument("--stretch", type=float, default=60, help="seconds of a line")
    parser.add_argument("--request-timeout", type=int, default=3, help="seconds that a call may take")
    arguments = parser.parse_args()
    with program.folder("long-haul") as folder:
        haul = Haul(folder, arguments)
        try:
            haul.start()
            per_second = arguments.per_second or haul.trial() / 2
            program.need_room(folder, per_second * arguments.minutes * 60 * SALE_BYTES / 2**30)
            print(f"{per_second:.0f} sales a second for {arguments.minutes:g} minutes", flush=True)
            end = haul.sell(per_second)
            print(f"{end['unanswered']} sells unanswered; {end['skipped']} not begun, all terminals being busy")
            left = haul.settle()
            haul.growth()
        finally:
            haul.gateway.kill()
    if left or end["unanswered"]:
        sys.exit("not everything came to its end")


if __name__ == "__main__":
    program.run(main)
