#!/usr/bin/python3
"""Lets other programs work on the journal of the real gateway while tills sell: Debian's sqlite3, which reads and
stays, edits, repairs, empties the log, leaves its mode or is killed in the middle; a second gateway; and a person who
copies the journal, and puts an older copy in its place. Each comes at a moment by chance, also on a disk that is full
or has just failed, while the gateway runs, and after it was stopped or killed. Afterwards what the tills were told,
the journal and the provider's books agree.

    tests/e2e/another_program.py [--build build/proof] [--rounds 60] [--seed N]

More than 60 rounds are played in several stores, because the disk of one is small; the seed of each is printed.
A full disk needs root, and a failing one needs strace: without them the round goes on with a disk that is well.
"""
import argparse
import contextlib
import functools
import http.client
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHANGES = {"provider.request_timeout": "1s", "sale.confirm_window": "2s", "sale.late_arrival": "100ms",
           "limits.hold": "2s", "limits.drain": "2s"}  # fmt: skip
OF_A_STORE = 60  # rounds
SEEDS_APART = 10**8  # the second store of a day must not be the first one of another day
EDIT = "UPDATE sales SET reason = reason; UPDATE id_externos SET sale = sale;"
CHECKPOINTS = {f"checkpoint {kind}": f"PRAGMA wal_checkpoint({kind});"
               for kind in ("PASSIVE", "FULL", "RESTART", "TRUNCATE")}  # fmt: skip
# What sqlite3 does; each keeps every promise, whether or not it is done.
STATEMENTS = {"edit": f"BEGIN IMMEDIATE; {EDIT} COMMIT;", "VACUUM": "VACUUM;", "REINDEX": "REINDEX;",
              "journal_mode=DELETE": f"PRAGMA journal_mode = DELETE; {EDIT}"} | CHECKPOINTS  # fmt: skip
BEFORE = ["nothing", "a full disk", "an error"]
GATEWAY_IS = ["running", "stopped", "killed"]


class Tills:
    """Tills that sell one thing after the other. They repeat a key until they are told an outcome, and remember it."""

    def __init__(self, shop, chance, told, waiting):
        from harness.client import Background

        self.calls = 0
        self._shop, self._told = shop, told
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._tills = [Background(self._sell_on, random.Random(chance.random()), waiting[number::3])
                       for number in range(3)]  # fmt: skip

    def _sell_on(self, chance, waiting):
        from harness import orders

        while True:
            if self._stop.is_set():
                return waiting
            make = chance.choice([orders.tv, orders.tv, orders.egift, orders.health])
            cents = chance.choice([0, 0, 0, 0, 1, 2, 3, 12, 13])
            more = {"confirm": "manual"} if make is not orders.health and chance.random() < 0.2 else {}
            order = orders.health(cents or None) if make is orders.health else make(5000 + cents, **more)
            if not waiting:
                waiting = [(orders.new_key(), order)]
            key, order = waiting[0]
            try:
                answer = self._shop.sell(order, key, wait=2)
            except (OSError, http.client.HTTPException):  # the gateway is gone, or not there yet
                self._stop.wait(0.02)
                continue
            finally:
                with self._lock:
                    self.calls += 1
            outcome = answer.json.get("outcome")
            if outcome in ("sold", "not_sold"):
                hear(self._told, key, order, outcome, answer.sale)
                waiting = waiting[1:]
            elif outcome == "held" and chance.random() < 0.7:
                with contextlib.suppress(OSError, http.client.HTTPException):
                    self._shop.till.confirm(answer.sale["id"])

    def stop(self):
        """Returns the keys that have no outcome yet, with their orders."""
        self._stop.set()
        return [one for till in self._tills for one in till.result()]


def hear(told, key, order, outcome, sale):
    before = told.setdefault(key, (order, outcome, sale["id"], sale["idExterno"]))
    assert before[1:3] == (outcome, sale["id"]), f"{key}: {before} before, and now {outcome} of {sale['id']}"


class Disk:
    """The file system of the journal: a small one of its own where that may be mounted."""

    def __init__(self, folder):
        self.folder = folder / "disk"
        self.folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", self.folder]
        self.is_small = subprocess.run(mount, capture_output=True).returncode == 0
        self._filler = self.folder / "filler"

    def fill(self):
        if not self.is_small:
            return
        with open(self._filler, "wb") as file, contextlib.suppress(OSError):
            while True:
                os.write(file.fileno(), bytes(4096))

    def make_room(self):
        self._filler.unlink(missing_ok=True)

    def close(self):
        if self.is_small:
            subprocess.run(["umount", "-l", self.folder], check=True)


class Play:
    def __init__(self, folder, seed):
        from harness.shop import Shop

        self.chance = random.Random(seed)
        self.folder = folder
        self.disk = Disk(folder)
        self.journal = self.disk.folder / "journal.db"
        self.shop = Shop(folder, CHANGES | {"journal.path": str(self.journal)})
        self.told, self.waiting, self.forgotten, self.done = {}, [], set(), {}
        self.reader = None
        self.tills = None

    # --- what others do with the journal ---

    def sqlite3(self, sql, *options):
        """Runs Debian's sqlite3, which may be refused. Returns whether it was done."""
        patience = self.chance.choice(["0", "2000"])
        done = subprocess.run(["sqlite3", *options, "-bail", "-cmd", f".timeout {patience}", self.journal, sql],
                              capture_output=True, timeout=60, stdin=subprocess.DEVNULL)  # fmt: skip
        assert done.returncode in (0, 1, 5, 8, 10, 13, 14), done
        return done.returncode == 0

    def stay_and_read(self):
        """Starts a sqlite3 that holds a snapshot until leave() is called."""
        self.leave()
        self.reader = subprocess.Popen(["sqlite3", "-readonly", self.journal], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
        self.reader.stdin.write(b"BEGIN; SELECT count(*) FROM sales;\n")
        self.reader.stdin.flush()
        return self.reader.stdout.readline() != b""

    def leave(self):
        if self.reader:
            self.reader.kill()
            self.reader.communicate()
            self.reader = None

    def killed_in_the_middle(self):
        """A sqlite3 that writes much is killed wherever it is after it has said some lines."""
        sql = self.chance.choice([STATEMENTS["VACUUM"], STATEMENTS["edit"], STATEMENTS["journal_mode=DELETE"]])
        with subprocess.Popen(["sqlite3", self.journal, ("SELECT 1;" + sql) * 20], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as one:  # fmt: skip
            for _ in range(self.chance.randint(0, 15)):
                one.stdout.readline()
            one.kill()
        return True

    def program(self, *arguments):
        from harness.processes import GATEWAY, run_to_end

        return run_to_end([GATEWAY, *arguments, "--config", str(self.shop.gateway.config)], self.folder)

    def start_second(self):
        status, _, err = self.program()
        assert status == 1 and "another sales-gateway process" in err, (status, err)
        return True

    def back_up(self):
        """Makes a copy, which must know every sale that was told before. Returns its file; nothing: there is none."""
        told = {key: one for key, one in list(self.told.items()) if key not in self.forgotten}
        copy = self.folder / f"copy-{len(list(self.folder.glob('copy-*.db')))}.db"
        status, out, err = self.program("backup", str(copy))
        if status != 0:
            assert status == 1 and err and not copy.exists(), (status, out, err)
            return None
        self.shop.check_file(copy)
        known = keys_in(copy)
        for key, (_, outcome, sale, _) in told.items():
            assert known.get(key) == sale, f"the copy does not know {key}, which was told {outcome}"
        return copy

    def put_back(self, copy):
        """Puts the copy in the journal's place, by `restore` or with cp and rm."""
        self.leave()
        if self.chance.random() < 0.4:
            status, out, err = self.program("restore", str(copy), "--yes")
            if self.chance.random() < 0.3:  # once more, as after an interruption
                status, out, err = self.program("restore", str(copy), "--yes")
            assert status == 0 and not err, (status, out, err)
            for aside in self.disk.folder.glob("journal.db.replaced-*"):  # a person would need it no longer, either
                aside.unlink()
            return
        log = pathlib.Path(f"{self.journal}-wal")
        if log.exists() and self.chance.random() < 0.4:  # the log is left beside it, which a start refuses
            shutil.copyfile(copy, self.journal)
            run = self.shop.gateway.launch()
            assert run.wait() == 1 and "a copy was written over it" in run.errors(), run.errors()
        log.unlink(missing_ok=True)
        pathlib.Path(f"{self.journal}-shm").unlink(missing_ok=True)
        if self.chance.random() < 0.5:
            shutil.copyfile(copy, self.journal)
        else:
            other = self.disk.folder / "other.db"
            shutil.copyfile(copy, other)
            other.rename(self.journal)

    def forget(self):
        """The tills drop the keys that the journal does not know now, as docs/backup.md says."""
        known = keys_in(self.journal)
        everywhere = {entry["idExterno"] for entry in self.shop.sandbox.transactions()}
        self.forgotten |= {key for key in self.told if known.get(key) != self.told[key][2]}
        self.waiting = [one for one in self.waiting if one[0] in known]
        return everywhere - attempts_in(self.journal)

    # --- a round ---

    def trouble(self, before):
        if before == "a full disk":
            self.disk.fill()
        if before != "an error" or not shutil.which("strace") or not self.shop.gateway.run.running():
            return contextlib.nullcontext()
        call = self.chance.choice(["fdatasync", "fsync", "pwrite64", "ftruncate"])
        fault = self.chance.choice(["EIO", "ENOSPC"])
        ending = self.chance.choice(["", "-wal"])
        return subprocess.Popen(["strace", "-f", "-qq", "-o", os.devnull, "-p", str(self.shop.gateway.run.child.pid),
                                 "-P", f"{self.journal}{ending}",
                                 "-e", f"inject={call}:error={fault}:when={self.chance.randint(1, 3)}"],
                                stderr=subprocess.DEVNULL)  # fmt: skip

    def until_calls(self, more):
        from harness.waiting import eventually

        wanted = self.tills.calls + more
        eventually(lambda: self.tills.calls >= wanted or not self.shop.gateway.run.running(), f"{more} calls")

    def perform(self, deed):
        if deed == "a reader stays":
            return self.stay_and_read()
        if deed == "killed in the middle":
            return self.killed_in_the_middle()
        if deed == "a second gateway":
            return self.start_second()
        if deed == "backup":
            return self.back_up() is not None
        return self.sqlite3(STATEMENTS[deed])

    def round(self, deed, before, gateway_is):
        gateway = self.shop.gateway
        self.tills = Tills(self.shop, self.chance, self.told, self.waiting)
        self.until_calls(self.chance.randint(1, 12))
        copy = self.back_up() if deed == "an older copy" else None
        trouble = self.trouble(before)
        with trouble:
            self.until_calls(self.chance.randint(1, 12))
            if before == "a full disk" and self.chance.random() < 0.5:  # at once, before the gateway has written
                self.disk.make_room()
            if deed != "an older copy" and (gateway_is == "running" or deed == "a second gateway"):
                self.count(deed, self.perform(deed))
                self.until_calls(self.chance.randint(1, 6))
            if isinstance(trouble, subprocess.Popen):
                trouble.terminate()
        self.disk.make_room()
        if gateway_is != "running" or deed == "an older copy":
            gateway.stop() if gateway_is == "stopped" else gateway.kill()
            self.waiting = self.tills.stop()
            if deed == "an older copy" and copy:
                self.put_back(copy)
                self.unknown |= self.forget()
                self.count(deed, True)
            elif deed not in ("a second gateway", "an older copy"):
                self.count(deed, self.perform(deed))
            self.start()
            self.tills = Tills(self.shop, self.chance, self.told, self.waiting)
        self.until_calls(self.chance.randint(2, 8))
        self.waiting = self.tills.stop()

    def start(self):
        """Starts the gateway, which a program that reads may keep from it after a write of another program."""
        gateway = self.shop.gateway
        gateway.launch()
        if self.reader and self.chance.random() < 0.5:
            self.leave()
        from harness.waiting import eventually

        eventually(lambda: not gateway.run.running() or '"event":"started"' in gateway.run.text(), "it starts or ends")
        if not gateway.run.running():
            assert self.reader and "another program" in gateway.run.errors(), gateway.run.errors()
            self.leave()
            gateway.launch()
        gateway.await_listening()
        eventually(lambda: gateway.admin.get("/readyz").status == 200, "the gateway is ready")

    def count(self, deed, was_done):
        done, tried = self.done.get(deed, (0, 0))
        self.done[deed] = done + bool(was_done), tried + 1

    # --- the three books ---

    def judge(self):
        from harness import books
        from harness.waiting import eventually

        self.leave()
        shop = self.shop
        eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready by itself")
        books.agree(shop.gateway.admin, shop.sandbox, unknown=self.unknown)
        shop.check_file(self.journal)
        there = {entry["idExterno"]: entry["status"] for entry in shop.sandbox.transactions()}
        for key, (order, outcome, sale, id_externo) in self.told.items():
            assert (there.get(id_externo) == "EFETIVADA") == (outcome == "sold"), (key, outcome, there.get(id_externo))
            if key in self.forgotten:
                continue
            known = shop.gateway.admin.get(f"/v1/sales/{sale}").of(200).json
            if known["final"] or not known["attention"]:
                hear(self.told, key, order, shop.sell(order, key).json["outcome"], known)

    def rounds(self, number, say):
        """Plays so many rounds. Each deed has its turn, beside each trouble and with each way that the gateway is."""
        deeds = [*STATEMENTS, "a reader stays", "killed in the middle", "a second gateway", "backup", "an older copy",
                 "an older copy"]  # fmt: skip
        self.unknown = set()
        turns = []
        while len(turns) < number:
            turns += self.chance.sample(deeds, len(deeds))
        self.start()
        for at, deed in enumerate(turns[:number]):
            before, gateway_is = self.chance.choice(BEFORE), self.chance.choice(GATEWAY_IS)
            say(f"round {at + 1}: {deed}, after {before}, the gateway is {gateway_is}; {len(self.told)} told")
            self.round(deed, before, gateway_is)
        self.judge()
        return self.done

    def close(self):
        self.leave()
        try:
            if self.tills:
                self.tills.stop()
        finally:
            self.shop.close()
            self.disk.close()


def keys_in(journal):
    with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=30)) as rows:
        return dict(rows.execute("SELECT key, id FROM sales"))


def attempts_in(journal):
    with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=30)) as rows:
        return {one for (one,) in rows.execute("SELECT id_externo FROM id_externos")}


def play(folder, rounds, seed, say=print):
    played = Play(pathlib.Path(folder), seed)
    try:
        done = played.rounds(rounds, say)
    finally:
        played.close()
    assert rounds < OF_A_STORE or all(times > 0 for times, _ in done.values()), f"something was never done: {done}"
    return f"seed {seed}: {len(played.told)} told, {len(played.forgotten)} forgotten, done of tried: " + ", ".join(
        f"{deed} {times}/{tried}" for deed, (times, tried) in sorted(done.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/proof", help="a folder with both programs")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=int(time.strftime("%Y%m%d", time.gmtime())))
    chosen = parser.parse_args()
    os.environ["GATEWAY_BIN"] = str(chosen.build.resolve() / "sales-gateway")
    os.environ["SANDBOX_BIN"] = str(chosen.build.resolve() / "sandbox-provider")
    say = functools.partial(print, flush=True)
    for store, first in enumerate(range(0, chosen.rounds, OF_A_STORE)):
        rounds = min(OF_A_STORE, chosen.rounds - first)
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            say(play(folder, rounds, chosen.seed + store * SEEDS_APART, say))


if __name__ == "__main__":
    sys.exit(main())
