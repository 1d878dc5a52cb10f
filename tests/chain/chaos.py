#!/usr/bin/python3
"""Lets chance break a chain while it sells; run.sh calls this, in its namespaces.

Each fault has a beginning, a duration and an end; several happen at the same time, but not two to one thing. At last
all of them end, every sale must be settled, and the promises are checked. The seed decides what happens, in what order
and how long.
"""
import argparse
import collections
import os
import pathlib
import random
import signal
import sys
import time
import traceback

from harness.client import Background
from harness.postgres import USER
from harness.waiting import LIMIT_S, eventually

from tills import Tills
from world import BALANCER, BOXES, World, complaints

# At most so many faults happen at once; more would only hide each other.
_AT_ONCE = 3
_LOOK_EVERY_S = 0.1
# A gateway that ended by itself is started again after this time, as its unit does.
_RESTART_S = 1.0
# This is longer than a request that a cut held back may take to arrive: twice the longest cut, with the time that TCP
# waits by then.
CHANGES = {
    "sale.late_arrival": "20s",
    "sale.confirm_window": "45s",
    # A till of an eSIM whose request was lost asks until then.
    "sale.attention_after": "4m",
    "limits.hold": "30s",
    "limits.per_terminal_rate": 10000,
}
_LONGEST_CUT_OF_PROVIDER_S = 6
# Tokens expire meanwhile, and are shared anew.
_SANDBOX = {"--token-lifetime": "45s"}
# These are in no log of a run in which nothing is broken.
_NEVER_SAID = ("sale.fault", "journal.lost", "journal.refused", "journal.tally_failed", "journal.unreadable")


class Fault:
    def __init__(self, what, holds, seconds, end=None, work=None):
        self.what = what
        self.holds = set(holds)  # nothing else happens to these meanwhile
        self.until = time.monotonic() + seconds
        self.end = end
        self.work = work  # what a fault does that takes its own time

    def is_over(self):
        return self.work.done if self.work else time.monotonic() >= self.until


class Chaos:
    def __init__(self, world, tills, chance):
        self.world = world
        self.tills = tills
        self.chance = chance
        self.counts = collections.Counter()
        self.active = []
        self.broken = []
        self.down = set()  # gateways that a fault keeps down
        self._next = time.monotonic() + 3
        self._restart_at = {}
        self._events = [
            (14, self._kill_gateway), (12, self._pause_gateway), (5, self._stop_gateway),
            (12, self._end_sessions), (7, self._kill_primary), (7, self._pause_primary), (4, self._kill_standby),
            (5, self._pause_standby), (12, self._cut_from_database), (6, self._cut_databases),
            (10, self._cut_from_provider), (8, self._cut_from_balancer), (7, self._promote), (1, self._restart_all),
        ]  # fmt: skip

    # --- its turns ---

    def turn(self):
        """Ends what is over, starts again what has ended by itself, and may begin something new."""
        for fault in [one for one in self.active if one.is_over()]:
            self._finish(fault)
        self._start_again()
        if time.monotonic() >= self._next:
            self._begin_one()
            self._next = time.monotonic() + self.chance.uniform(2, 9)

    def _begin_one(self):
        if len(self.active) >= _AT_ONCE:
            return
        weights, makers = zip(*self._events)
        fault = self.chance.choices(makers, weights)[0]()
        if fault:
            say(f"  {fault.what}")
            self.active.append(fault)

    def _finish(self, fault):
        self.active.remove(fault)
        if fault.work:
            fault.work.result()
        if fault.end:
            fault.end()

    def _is_free(self, *names):
        return not any(fault.holds & set(names) for fault in self.active)

    def _start_again(self):
        now = time.monotonic()
        for name, gateway in self.world.gateways.items():
            if name in self.down or gateway.run.running():
                continue
            if name not in self._restart_at:
                self._restart_at[name] = now + _RESTART_S
                self._look_at_end(name, gateway.run)
            elif now >= self._restart_at[name]:
                del self._restart_at[name]
                gateway.launch()

    def _look_at_end(self, name, run):
        """A gateway that cannot open the journal says so and ends; if it ends by itself otherwise, that is a fault of
        the gateway."""
        status, said = run.child.returncode, complaints(run)
        if status == -signal.SIGKILL:
            return
        self.counts["starts refused"] += 1
        if status != 1 or not said.startswith("error:"):
            self.broken.append(f"{name} ended by itself with {status}: {said} ({run.out})")

    def heal(self):
        """Ends everything that is under way, and begins nothing new."""
        while self.active:
            for fault in list(self.active):
                if not fault.work or fault.work.done:
                    self._finish(fault)
            self._start_again()
            time.sleep(_LOOK_EVERY_S)
        self.world.network.heal_all()

    def all_take_sales(self):
        self._start_again()
        return all(_answer(gateway, "/readyz") == 200 for gateway in self.world.gateways.values())

    # --- gateways ---

    def _free_gateway(self):
        name = self.chance.choice(BOXES)
        return name if self._is_free(name) else None

    def _kill_gateway(self):
        name = self._free_gateway()
        if not name:
            return None
        self.counts["kills of gateways"] += 1
        self.down.add(name)
        gateway = self.world.gateways[name]
        gateway.run.kill()
        said = complaints(gateway.run)
        if said and not said.startswith("error:"):
            self.broken.append(f"{name} wrote to standard error: {said} ({gateway.run.err})")
        seconds = self.chance.choice([0, 1, 4, 12])
        return Fault(f"{name} is killed, for {seconds} s", [name], seconds, lambda: self._launch(name))

    def _launch(self, name):
        self._restart_at.pop(name, None)
        self.down.discard(name)
        self.world.gateways[name].launch()

    def _pause_gateway(self):
        name = self._free_gateway()
        if not name or not self.world.gateways[name].run.running():
            return None
        self.counts["stops of gateways"] += 1
        run = self.world.gateways[name].run
        run.signal(signal.SIGSTOP)
        seconds = self.chance.choice([1, 3, 5, 6, 7, 10, 15, 30])
        return Fault(f"{name} stands still for {seconds} s", [name], seconds, lambda: run.signal(signal.SIGCONT))

    def _stop_gateway(self):
        name = self._free_gateway()
        if not name or not self.world.gateways[name].run.running():
            return None
        self.counts["stops of gateways in order"] += 1
        self.down.add(name)
        self.world.gateways[name].run.signal(signal.SIGTERM)

        def start():
            run = self.world.gateways[name].run
            status = run.wait()
            too_early = status == -signal.SIGTERM and '"event":"started"' not in run.text()
            if status != 0 and not too_early and not complaints(run).startswith("error:"):
                self.broken.append(f"{name} stopped with {status}: {complaints(run)} ({run.out})")
            self._launch(name)

        seconds = self.chance.choice([0, 2, 8])
        return Fault(f"{name} is stopped in order, for {seconds} s or longer", [name], seconds, start)

    # --- databases ---

    def _end_sessions(self):
        if not self._is_free("db-1", "db-2"):
            return None
        share = self.chance.choice([0.3, 0.6, 1])
        self.counts["sessions ended"] += len(self.world.cluster.primary.sql(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{USER}' AND random() < {share}"))
        return Fault(f"{share:.0%} of the sessions are ended", [], 0)

    def _kill_database(self, server, role):
        name = server.machine.name
        if not self._is_free(name):
            return None
        at_once = self.chance.random() < 0.5
        self.counts[f"kills of the {role}"] += 1
        if at_once:
            server.kill_all()
        else:
            server.stop_at_once()
        seconds = self.chance.choice([0, 1, 4, 10])
        how = "killed" if at_once else "stopped at once"
        return Fault(f"{name}, the {role}, is {how}, for {seconds} s", [name], seconds, server.start)

    def _kill_primary(self):
        return self._kill_database(self.world.cluster.primary, "primary")

    def _kill_standby(self):
        return self._kill_database(self.world.cluster.standby, "standby")

    def _pause_database(self, server, role):
        name = server.machine.name
        if not self._is_free(name):
            return None
        self.counts[f"stops of the {role}"] += 1
        server.signal_all(signal.SIGSTOP)
        seconds = self.chance.choice([1, 3, 6, 12])
        return Fault(f"{name}, the {role}, stands still for {seconds} s", [name], seconds,
                     lambda: server.signal_all(signal.SIGCONT))

    def _pause_primary(self):
        return self._pause_database(self.world.cluster.primary, "primary")

    def _pause_standby(self):
        return self._pause_database(self.world.cluster.standby, "standby")

    def _promote(self):
        cluster = self.world.cluster
        if not self._is_free("db-1", "db-2", "db-1 and db-2"):
            return None
        self.counts["promotions"] += 1
        rewind, apart = self.chance.random() < 0.5, self.chance.random() < 0.5
        seconds = self.chance.choice([0, 1, 4])
        pair = cluster.primary.machine.name, cluster.standby.machine.name

        def work():
            if apart:  # nobody else has what the old primary writes in its last moments
                self.world.network.cut(*pair)
                time.sleep(seconds)
            self.world.kill_primary()
            self.world.network.heal(*pair)
            cluster.promote()
            cluster.remake(rewind)
            cluster.await_synchronous()

        before = f", after {seconds} s in which it is cut off from its standby," if apart else ""
        how = "pg_rewind" if rewind else "pg_basebackup"
        return Fault(f"{pair[0]}{before} is fenced off, {pair[1]} promoted, the other one re-made with {how}",
                     ["db-1", "db-2", "db-1 and db-2"], 0, work=Background(work))

    def _restart_all(self):
        if not self._is_free("db-1", "db-2", *BOXES):
            return None
        self.counts["restarts of everything"] += 1
        self.down.update(BOXES)
        for gateway in self.world.gateways.values():
            gateway.run.kill()
        self.world.balancer.kill()
        for server in self.world.cluster.servers.values():
            server.kill_all()

        def start():
            for server in self.world.cluster.servers.values():
                server.start()
            for name in BOXES:
                self._launch(name)
            self.world.start_balancer()

        return Fault("everything is killed at once but the provider, for 2 s", ["db-1", "db-2", *BOXES], 2, start)

    # --- the network ---

    def _cut(self, one, other, seconds):
        name = " and ".join(sorted((one, other)))
        if not self._is_free(name):
            return None
        self.counts["cuts"] += 1
        pairs = self.chance.choice([[(one, other)], [(other, one)], [(one, other), (other, one)]])
        for pair in pairs:
            self.world.network.cut(*pair)

        def heal():
            for pair in pairs:
                self.world.network.heal(*pair)

        ways = " and ".join(f"from {source} to {target}" for source, target in pairs)
        return Fault(f"nothing passes {ways} for {seconds} s", [name], seconds, heal)

    def _cut_from_database(self):
        return self._cut(self.chance.choice(BOXES), self.world.cluster.primary.machine.name,
                         self.chance.choice([1, 3, 5, 8, 14]))

    def _cut_databases(self):
        if not self._is_free("db-1", "db-2"):
            return None
        return self._cut("db-1", "db-2", self.chance.choice([1, 4, 9, 15]))

    def _cut_from_provider(self):
        return self._cut(self.chance.choice(BOXES), "provider", self.chance.randint(1, _LONGEST_CUT_OF_PROVIDER_S))

    def _cut_from_balancer(self):
        return self._cut("balancer", self.chance.choice(BOXES), self.chance.choice([1, 3, 8]))


def _answer(gateway, path):
    try:
        return gateway.admin.get(path).status
    except OSError:
        return None


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def taken_over(world):
    """Returns how often a gateway has taken over what another one owned."""
    logs = (path for box in BOXES for path in (world.folder / box).glob("gateway-*.out"))
    return sum(path.read_text(errors="replace").count('"event":"sales.taken_over"') for path in logs)


def progress(world, chaos, ledger, begin):
    faults = ", ".join(f"{number} {what}" for what, number in sorted(chaos.counts.items()))
    minutes = (time.monotonic() - begin) / 60
    return (f"after {minutes:.0f} min: {len(ledger.told)} sales begun, {ledger.count('sold')} told sold, "
            f"{ledger.count('not_sold')} not, {ledger.left} left, {ledger.asked_again} asked for again; {faults}; "
            f"{taken_over(world)} takeovers")  # fmt: skip


def rage(world, chaos, tills, minutes):
    begin = time.monotonic()
    minute = 1
    while time.monotonic() < begin + 60 * minutes and not tills.failed() and not chaos.broken:
        chaos.turn()
        if time.monotonic() >= begin + 60 * minute:
            say(progress(world, chaos, tills.ledger, begin))
            minute += 1
        time.sleep(_LOOK_EVERY_S)
    say("the faults end, and everything heals")
    chaos.heal()
    chaos.down.clear()
    eventually(lambda: chaos.all_take_sales() or chaos.broken, "both gateways take sales", 3 * LIMIT_S)
    world.cluster.await_synchronous()
    tills.stop()
    say(progress(world, chaos, tills.ledger, begin))
    say("every sale must be settled now")
    world.everything_settled()


def words_never_said(world):
    found = []
    for gateway in world.gateways.values():
        for name in _NEVER_SAID:
            found += [f"{gateway.config.parent.name} said {line}" for line in gateway.events(name)]
    return found


def for_a_person(world):
    """Only where the sandbox makes it so is a person asked for: a recharge that fails (…39), codes that never come
    (…18)."""
    return [f"a person is asked to look at the sale {line}" for line in world.sql("""
        SELECT id, family, valor, status, attention FROM sales WHERE attention <> 'none'
        AND NOT (family = 'esim' AND valor % 100 = 39 AND attention = 'recharge_failed')
        AND NOT (family = 'egift' AND valor % 100 = 18 AND attention = 'undeliverable')""")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--tills", type=int, default=4)
    parser.add_argument("--rest", type=float, default=2.0)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    return parser.parse_args()


def main():
    chosen = arguments()
    # A shell's background job ignores it; a person who presses Ctrl-C wants the end.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f"seed {chosen.seed}: {chosen.tills} tills, {chosen.minutes:g} minutes of chance; logs in {chosen.folder}",
          flush=True)
    chosen.folder.mkdir()
    world = World(chosen.folder, CHANGES, _SANDBOX)
    broken = []
    tills = chaos = None
    try:
        world.start()
        places = [BALANCER, *(gateway.ports["terminals"] for gateway in world.gateways.values())]
        tills = Tills(places, chosen.tills, chosen.seed, chosen.rest)
        chaos = Chaos(world, tills, random.Random(chosen.seed))
        rage(world, chaos, tills, chosen.minutes)
        broken += chaos.broken + words_never_said(world) + for_a_person(world)
        world.check_all(tills.ledger)
    except KeyboardInterrupt:
        print("\nInterrupted.", flush=True)
        return 130
    except Exception:
        broken += (chaos.broken if chaos else []) + (tills.ledger.broken if tills else []) + [traceback.format_exc()]
    finally:
        world.close()
    print()
    if broken:
        print("\n".join(broken))
        print(f"\nSomething was broken: see above. Seed {chosen.seed}; the logs are in {chosen.folder}.", flush=True)
        return 1
    print(f"No promise was broken. The provider's books, both databases and what tills were told of "
          f"{len(tills.ledger.told)} sales agree; {world.by_hand} eSIMs whose request was lost were looked up by hand. "
          f"Seed {chosen.seed}.", flush=True)
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # tills that still wait for an answer do not hold up the end
