#!/usr/bin/python3
"""Lets every system call of the gateway fail once with each errno, and kills it before and after each, while it sells,
starts, stops, is copied, closes a day and reads a statement. Afterwards what tills were told, the journal and the
provider's books must agree.

    tests/syscalls/run.py [--build build/proof] [--short] [--only SCENARIO] [--call NAME] [--jobs N] [--seed N]
    tests/syscalls/run.py --list [--only SCENARIO]
    tests/syscalls/run.py --fault 'sell: 3 pwrite64 journal.db-wal 7 fail EIO'

--short takes a sample, by the date or the seed. --list prints the calls of each scenario. --fault tries one fault, or
several that are separated by semicolons, one after the other in one store. A violation is printed with the --fault
that shows it.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import datetime
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e"), str(HERE.parent / "histories")]

# So many calls are tried at the begin, in the middle and at the end of a loop.
SHARE = 4
# So many faults are tried in one store, and so many in a short run.
OF_A_STORE, SHORT = 100, 150
# A fault is tried so often, because the pace of another thread decides whether the call is made.
TRIES = 3

Result = collections.namedtuple("Result", "errnos kills not_met violations endings")


def _name_of(fault):
    return " ".join(str(word) for word in (fault if fault.value else fault[:-1]))


def faults_of(calls, loop=48, are_tried=lambda call: True):
    """Returns every fault of these calls, or of some of them, and how many calls they are about. `loop`: of more calls
    than this by one thread with one name to one thing, a share at the begin, in the middle and at the end is tried."""
    from errnos import errnos_of
    from injector import Fault

    numbers, places, alike = collections.Counter(), [], collections.defaultdict(list)
    for at, call in enumerate(calls):
        same = (call.thread, call.name, call.object)
        numbers[same] += 1
        places.append(numbers[same])
        # All files of the machine are one thing, and each of the store's is one.
        if are_tried(call):
            alike[call.thread, call.name, call.object[0] == "/" or call.object].append(at)
    tried = set()
    for group in alike.values():
        middle = (len(group) - SHARE) // 2
        of_loop = {*group[:SHARE], *group[middle : middle + SHARE], *group[-SHARE:]}
        tried |= of_loop if len(group) > loop else set(group)
    faults = []
    for at in sorted(tried):
        call = calls[at]
        # Linux always closes a file. An error says that the disk has lost what was written before.
        action = "spoil" if call.name == "close" else "fail"
        place = (call.thread, call.name, call.object, places[at])
        faults += [Fault(*place, action, one) for one in errnos_of(call)] + [Fault(*place, "before")]
        # If the same thread makes the next call, to die after this one is to die before that one.
        is_same = at + 1 in tried and calls[at + 1].thread == call.thread
        if not is_same and call.name not in ("exit", "exit_group"):
            faults.append(Fault(*place, "after"))
    return faults, len(tried)


@contextlib.contextmanager
def _scenario(tool, name):
    """Makes a scenario in a store of its own."""
    from scenarios import SCENARIOS
    from store import Store

    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        store = Store(folder, tool, SCENARIOS[name].changes)
        try:
            yield SCENARIOS[name](store)
        finally:
            store.close()


def count(tool, name):
    """Returns the calls of a scenario that nothing disturbs."""
    with _scenario(tool, name) as scenario:
        scenario.prepare(None)
        calls = scenario.run(None).calls
        scenario.finish()
    return calls


def try_faults(tool, name, faults):
    """Tries one fault after the other in one store. Stops at the first violation, and goes on in another store."""
    from scenarios import KILLS

    tried, not_met, violations, endings = [], [], [], collections.Counter()
    while faults:
        with _scenario(tool, name) as scenario:
            done, missed, violation = _try_in(scenario, name, faults, endings)
        tried += faults[:done]
        not_met += missed
        faults = faults[done:]
        if violation:
            violations.append(violation)
    kills = sum(fault.action in KILLS for fault in tried)
    return Result(len(tried) - kills, kills, not_met, violations, endings)


def _try_in(scenario, name, faults, endings):
    from store import Violation

    since, not_met = [], []  # `since` has the faults after the last comparison
    for done, fault in enumerate(faults, 1):
        since.append(fault)
        try:
            for _ in range(TRIES):
                scenario.prepare(fault)
                report = scenario.run(fault)
                ending = scenario.finish()
                if report.hits:
                    break
            else:
                not_met.append(fault)
            if done == len(faults):
                scenario.compare_at_last()
        except Exception as failure:  # it is told with the fault that shows it
            kind = "" if isinstance(failure, Violation) else f"{type(failure).__name__}: "
            command = "; ".join(_name_of(one) for one in since)
            return done, not_met, f"{kind}{failure}\n    --fault '{name}: {command}'"
        endings[ending or "goes on"] += 1
        if not scenario.deaths:
            since.clear()
    return len(faults), not_met, None


def _fault_of(words):
    from injector import Fault

    thread, call, what, nth, action, *value = words.split()
    return Fault(int(thread), call, what, int(nth), action, *value)


def _faults_of_scenario(scenario, calls, names):
    def are_tried(call):
        return (not names or call.name in names) and (
            not scenario.only_files_of_the_store or call.object.startswith("journal.db"))  # fmt: skip

    return faults_of(calls, scenario.loop, are_tried)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/proof", help="a folder with both programs")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", action="append", metavar="SCENARIO")
    parser.add_argument("--call", action="append", metavar="NAME", help="only the calls with this name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", default=str(datetime.date.today()))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fault", metavar="SCENARIO: FAULT; …")
    return parser.parse_args()


def _print_calls(name, calls):
    numbers = collections.Counter((call.thread, call.name, call.object) for call in calls)
    print(f"{name}: {len(calls)} calls")
    for (thread, call, what), number in numbers.items():
        print(f"    thread {thread}: {number:5} {call} {what}")


def main():
    chosen = _arguments()
    os.environ.setdefault("GATEWAY_BIN", str(chosen.build.resolve() / "sales-gateway"))
    os.environ.setdefault("SANDBOX_BIN", str(chosen.build.resolve() / "sandbox-provider"))
    from harness.tracing import compiled
    from scenarios import SCENARIOS

    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ProcessPoolExecutor(chosen.jobs) as workers:
        tool = compiled(HERE / "inject.c", folder)
        if chosen.fault:
            name, _, words = chosen.fault.partition(": ")
            work = {name: [_fault_of(one) for one in words.split("; ")]}
            calls = len(work[name])
        else:
            names = chosen.only or list(SCENARIOS)
            noted = dict(zip(names, workers.map(count, [tool] * len(names), names)))
            if chosen.list:
                for name in names:
                    _print_calls(name, noted[name])
                return 0
            found = {name: _faults_of_scenario(SCENARIOS[name], noted[name], chosen.call) for name in names}
            # The gateway is started anew for each name, so that only calls of this name cost time.
            work = {name: sorted(faults, key=lambda fault: fault.name) for name, (faults, _) in found.items()}
            calls = sum(number for _, number in found.values())
            for name in names:
                print(f"{name}: {len(noted[name])} calls, of which {found[name][1]} are tried, with "
                      f"{len(work[name])} faults", flush=True)  # fmt: skip
        if chosen.short:
            work = _sample(work, random.Random(chosen.seed))
        ok = _try_all(tool, work, workers, calls, begin)
    return 0 if ok else 1


def _sample(work, chance):
    """Takes some of each scenario, in their order."""
    share = SHORT // len(work)
    return {name: [faults[at] for at in sorted(chance.sample(range(len(faults)), min(share, len(faults))))]
            for name, faults in work.items()}  # fmt: skip


def _try_all(tool, work, workers, calls, begin):
    pieces = [(name, faults[at : at + OF_A_STORE]) for name, faults in work.items()
              for at in range(0, len(faults), OF_A_STORE)]  # fmt: skip
    random.Random(0).shuffle(pieces)  # so that the slow scenarios are not the last ones
    futures = {workers.submit(try_faults, tool, *piece): piece for piece in pieces}
    endings, not_met, violations, errnos, kills = collections.defaultdict(collections.Counter), [], [], 0, 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for future in concurrent.futures.as_completed(futures):
            name, _ = futures[future]
            result = future.result()
            errnos += result.errnos
            kills += result.kills
            endings[name].update(result.endings)
            not_met += [f"{name}: {_name_of(fault)}" for fault in result.not_met]
            for violation in result.violations:
                print(f"VIOLATION {violation}", flush=True)
            violations += result.violations
            print(f"{errnos + kills} of {sum(map(len, work.values()))} tried, violations {len(violations)}", flush=True)
    except KeyboardInterrupt:
        print("interrupted; this is how far it came:")
        workers.shutdown(wait=False, cancel_futures=True)
    for name, counted in endings.items():
        print(f"{name}: " + ", ".join(f"{ending} {number}" for ending, number in counted.most_common()))
    for fault in not_met:
        print(f"not met: {fault}")
    print(f"{calls} calls; {errnos} errnos and {kills} kills tried, {len(not_met)} of them not met; "
          f"violations {len(violations)}; {time.monotonic() - begin:.0f} s", flush=True)  # fmt: skip
    return not violations and errnos + kills == sum(map(len, work.values()))


if __name__ == "__main__":
    sys.exit(main())
