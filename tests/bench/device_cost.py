#!/usr/bin/python3
"""Measures what a sale costs the disk of a small box: flushes, writes and bytes on the device at the pace of a store.

The journal is on an ext4 of its own on a loop device, whose counters tell what reached it. One terminal sells at a
pace. Beside it runs a program that nothing can beat: it writes a block of 4,096 bytes over itself and flushes it, three
times for each sale. Whatever program writes, ext4 also flushes its own data every five seconds.

The benchmark counts for the first sale after a start, until it is answered; then for a stretch of sales while the
journal's log is young, and for one after it, with checkpoints and everything that the system still has to write at its
end; and for the first sale after a restart. It also measures what the system writes at the end of a stretch in which
nothing happens, and subtracts it.

    tests/bench/device_cost.py [--sales 600] [--per-second 5] [--encrypted]

It needs root and loop devices; otherwise it says so and ends with 77.
"""
import os
import secrets
import sys
import time

from lab import device, peers, program
from lab.caller import Caller
from lab.rig import Rig, free_port

NOT_HERE = 77
MIB = 512
BLOCK = 4096
BLOCKS = 1000
FLUSHES = 3


def stretch(disk, action):
    """Counts what reaches the device from now on until everything that `action` writes is there."""
    _write_all(disk)
    before = disk.counters()
    _write_all(disk)
    nothing = disk.counters() - before
    before = disk.counters()
    action()
    _write_all(disk)
    return disk.counters() - before - nothing


def until_answered(disk, action):
    """Returns the part that reached the device before `action` was done."""
    _write_all(disk)
    before = disk.counters()
    action()
    return disk.counters() - before


def _write_all(disk):
    descriptor = os.open(disk.folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)  # this is a folder on ext4: its journal is written down
        os.sync()
    finally:
        os.close(descriptor)


def at_a_pace(one, sales, per_second):
    due = time.monotonic()
    for sale in range(sales):
        time.sleep(max(0.0, due - time.monotonic()))
        one(sale)
        due = max(due, time.monotonic()) + 1 / per_second


def sell(caller, sales, per_second):
    def one(_):
        answer = caller.sell(secrets.token_hex(16))
        assert answer.status == 200, f"a sale was not sold: {answer.body[:300]!r}"

    at_a_pace(one, sales, per_second)


def least(disk, arguments):
    """Writes and flushes three blocks for each sale, and does nothing else."""
    descriptor = os.open(disk.folder / "blocks", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, bytes(BLOCKS * BLOCK))
        os.fsync(descriptor)

        def write(sale):
            for part in range(FLUSHES):
                os.pwrite(descriptor, secrets.token_bytes(BLOCK), (sale * FLUSHES + part) % BLOCKS * BLOCK)
                os.fdatasync(descriptor)

        return stretch(disk, lambda: at_a_pace(write, arguments.sales, arguments.per_second))
    finally:
        os.close(descriptor)


def turn(arguments, folder):
    """Returns the stretches and what each cost."""
    provider = free_port()
    with device.mounted(folder, MIB, arguments.mount) as disk:
        changes = {"journal.path": str(disk.folder / "journal.db")}
        if arguments.encrypted:
            key = folder / "journal-key"
            key.write_text(secrets.token_hex(32) + "\n")
            key.chmod(0o600)
            changes["journal.key_file"] = str(key)
        rows = [("three flushed blocks", arguments.sales, least(disk, arguments))]
        gateway = peers.Gateway(folder / "gateway", provider, changes=changes)
        with Rig(provider=provider, name="device"):
            for start in ("first sale of a new journal", "first sale after a restart"):
                with gateway, Caller(gateway.port) as caller:
                    rows.append((start, 1, until_answered(disk, lambda: sell(caller, 1, arguments.per_second))))
                    for part in ("while the log is young", "later"):
                        if start.endswith("journal"):
                            spent = stretch(disk, lambda: sell(caller, arguments.sales, arguments.per_second))
                            rows.append((part, arguments.sales, spent))
                    assert gateway.await_settled(30) == 0
    return rows


def main():
    parser = program.options(__doc__)
    parser.add_argument("--sales", type=int, default=600, help="of a stretch")
    parser.add_argument("--per-second", type=float, default=5)
    parser.add_argument("--encrypted", action="store_true", help="with journal.key_file, as in a store")
    parser.add_argument("--mount", default="defaults", help="options of the ext4, as lazytime")
    arguments = parser.parse_args()
    if why := device.why_not():
        print(f"not measured: {why}")
        sys.exit(NOT_HERE)
    with program.folder("device") as folder:
        try:
            rows = turn(arguments, folder)
        except device.NotHere as why:
            print(f"not measured: {why}")
            sys.exit(NOT_HERE)
    print(f"{arguments.per_second:g} sales a second")
    print(f"  {'':28} {'flushes':>8} {'writes':>8} {'KB':>8}   a sale")
    for name, sales, spent in rows:
        print(f"  {name:28} {spent.flushes / sales:8.2f} {spent.writes / sales:8.2f} "
              f"{spent.bytes / sales / 1000:8.1f}", flush=True)


if __name__ == "__main__":
    program.run(main)
