#!/usr/bin/python3
"""Measures what `journal.key_file` adds to a sale: callgrind counts the instructions of each thread of the gateway.

There are two runs without a key and two with one, a short and a long one each. The extra instructions of the long one
are divided by its extra sales. Nothing is timed, so a busy machine changes little. The number of steps that share a
commit does change something, and it differs under callgrind, which lets one thread run at a time. The benchmark needs
Debian's valgrind.

    tests/bench/encryption.py [--terminals 64] [--seconds 5 25]
"""
import contextlib
import re
import secrets
import shutil
import sqlite3
import sys

from lab import peers, program
from lab.rig import Rig, free_port


class Counted(peers.Gateway):
    def __init__(self, folder, provider, encrypted):
        folder.mkdir()
        changes = {}
        if encrypted:
            keys = folder / "journal-keys"
            keys.touch(0o600)
            keys.write_text(secrets.token_hex(32) + "\n")
            changes["journal.key_file"] = str(keys)
        super().__init__(folder, provider, changes=changes)
        # It is slow here, and nobody may become impatient or try anything again.
        self.program.document["provider"] |= {"request_timeout": "60s", "connect_timeout": "30s"}
        self.program.wrapper = [*peers.PINNED, "valgrind", "-q", "--tool=callgrind", "--separate-threads=yes",
                                f"--callgrind-out-file={folder}/counted"]
        self.program.write_config()

    def sales(self):
        with contextlib.closing(sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)) as journal:
            return journal.execute("SELECT count(*) FROM sales").fetchone()[0]

    def instructions(self):
        """Returns the instructions of each thread, by what the thread does."""
        counted = {}
        for file in sorted(self.folder.glob("counted-*")):
            text = file.read_text()
            thread = "loop" if file.name.endswith("-01") else "journal" if "libsqlite3" in text else "log and others"
            counted[thread] = counted.get(thread, 0) + int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
        return counted


def run(folder, encrypted, terminals, seconds):
    provider = free_port()
    peer = Counted(folder, provider, encrypted)
    with Rig(provider=provider, target=peer.port, shape=peer.shape, connections=terminals, name="bench", key=peers.KEY,
             warm_up=0, seconds=seconds, at_least=1, drain=120) as rig, peer:
        rig.begin(peer.process)
        sold, end = rig.next()["terminals"], rig.next()
        assert sold["sales"] and not sold["others"] and not end["unanswered"], (sold, end)
    return peer.sales(), peer.instructions()


def main():
    parser = program.options(__doc__)
    parser.add_argument("--terminals", type=int, default=64)
    parser.add_argument("--seconds", type=float, nargs=2, default=[5, 25])
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not there: apt-get install valgrind")
    costs = {}
    with program.folder("encryption") as folder:
        for encrypted in (False, True):
            (few, begin), (many, whole) = (run(folder / f"{encrypted}-{seconds}", encrypted, arguments.terminals,
                                                     seconds)
                                           for seconds in arguments.seconds)
            costs[encrypted] = {thread: (whole[thread] - begin.get(thread, 0)) / (many - few) for thread in whole}
            print(f"{'with' if encrypted else 'without'} a key: {many - few} sales, instructions a sale: "
                  + ", ".join(f"{thread} {cost:,.0f}" for thread, cost in costs[encrypted].items()), flush=True)
    more = {thread: costs[True][thread] - costs[False][thread] for thread in costs[False]}
    print("encryption adds: " + ", ".join(f"{thread} {cost:+,.0f}" for thread, cost in more.items())
          + f"; {sum(more.values()) / sum(costs[False].values()):+.1%} of a sale")


if __name__ == "__main__":
    program.run(main)
