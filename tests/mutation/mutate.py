#!/usr/bin/python3
"""The mutation score: small faults are put into the law, the flow and the journal's tables, one after the other, and
each one has to be found by a test, or to be explained in survivors/.

    tests/mutation/mutate.py [sale|flow|journal|FILE...] [--jobs 2] [--units] [--list]

--list prints the mutants and runs nothing. --units leaves the enumeration and the simulations out.
"""
import argparse
import collections
import concurrent.futures
import functools
import itertools
import re
import sys
import threading
import time
import tomllib

import runs
from tree import HERE, ROOT, Tree

# Every room with its files.
ROOMS = {"sale": "gateway/sale/*.?pp", "flow": "gateway/flow/*.?pp", "journal": "gateway/journal/*.?pp"}
# So many of a room's mutants that are not equivalent must be killed, in per cent.
WANTED = {"sale": 100, "flow": 95, "journal": 95}
# The programs of tests of a room, with their folders in tests/unit. All but the first are slow. The tests on a
# PostgreSQL are not among them, because they alone take a quarter of an hour.
_UNITS = {"sale": {"unit_sale": "sale"}, "flow": {"unit_flow": "flow", "unit_api": "api"},
          "journal": {"unit_journal": "journal", "unit_journal_copy": "journal/copy"}}
# What tests a room besides them. To build the simulation with the mutants of `sale` would take an hour,
# because every room includes its headers.
_QUIET = ["simulation", "--quiet", "--jobs", "1", "--seed", "1"]
_SIMULATIONS = {"simulation": [*_QUIET, "--sales", "2000"], "chain": [*_QUIET, "--sales", "500", "--chain"]}
_PROOFS = {"sale": {"law": ["law", "--short", "--jobs", "1"]}, "flow": _SIMULATIONS, "journal": _SIMULATIONS}
# So much of a place and of its mutant says which one it is.
_SHOWN = 120


def room_of(name):
    return name.split("/")[1]


def short(text):
    text = re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", text)).strip()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " …"


def named(schemata):
    """Returns the mutants of a file by what names them, in which no number of a line stands."""
    found = {}
    for mutant in schemata.mutants:
        begin = schemata.source.rfind(b"\n", 0, mutant.begin) + 1
        end = schemata.source.find(b"\n", mutant.begin)
        key = {"file": schemata.path, "function": mutant.function, "line": short(schemata.source[begin:end].decode()),
               "was": short(schemata.source[mutant.begin:mutant.end].decode()), "now": short(mutant.text)}
        one = tuple(key.values())
        nth = 1
        while (*one, nth) in found:
            nth += 1
        found[(*one, nth)] = mutant
    return found


def explained():
    """Returns (key, kind, why) of every survivor that is explained."""
    files = (tomllib.loads(file.read_text()) for file in sorted(HERE.glob("survivors/*.toml")))
    for one in itertools.chain.from_iterable(file["survivor"] for file in files):
        key = (one["file"], one.get("function", ""), one["line"], one["was"], one.get("now", ""), one.get("nth", 1))
        if one["kind"] not in ("equivalent", "accepted") or not one["why"]:
            raise SystemExit(f"survivors: {key} has no kind, or no reason")
        yield key, one["kind"], one["why"]


class Run:
    def __init__(self, tree, files, rooms, with_proofs):
        self.tree, self.files, self.rooms = tree, files, rooms
        self.lock = threading.Lock()
        self.folder = tree.build.parent
        self.results = runs.Results(self.folder / "results.json")
        self.programs = {room: self._programs(room, with_proofs) for room in rooms}
        self.fate = {}  # key: what killed it, or nothing
        self.killers = collections.defaultdict(collections.Counter)  # name of a file: what killed its mutants lately

    def _programs(self, room, with_proofs):
        tests = self.tree.source / "tests"
        programs = [runs.Program(name, [f"{self.tree.build}/tests/{name}"], tests / "unit" / folder, is_slow=at > 0)
                    for at, (name, folder) in enumerate(_UNITS[room].items())]
        for name, (command, *rest) in _PROOFS[room].items() if with_proofs else ():
            path = f"{self.tree.build}/tests/{command}/{command}"
            programs.append(runs.Program(name, [path, *rest], tests / command))
        return programs

    def build(self):
        names = {program.command[0].rpartition("/")[2] for room in self.rooms for program in self.programs[room]}
        self.targets = sorted(names)
        self.tree.make(*self.targets)

    def trace(self):
        done = {}
        for programs in self.programs.values():
            for at, program in enumerate(programs):
                if program.name not in done:
                    say(f"{program.name} without a mutant")
                    runs.trace(program, self.folder / f"{program.name}.trace")
                    done[program.name] = program
                programs[at] = done[program.name]

    def _versions(self, name, mutant):
        """Returns the versions of the tests that reach a mutant of a file, by what is said where they kill."""
        is_lonely = mutant.number in self.tree.schemata[name].lonely
        return {f"{program.name} {test}".strip(): program.versions[test] for program in self.programs[room_of(name)]
                for test in (program.reaching(mutant) if program.tests and not is_lonely else program.versions)}

    def _known(self, key, name, mutant):
        """Returns (what names a mutant among the results, the digest of its file, the versions of its tests), and what
        the results say of it."""
        text, digest = "\x1f".join(map(str, key)), runs.digest_of(self.tree.schemata[name].source)
        versions = self._versions(name, mutant)
        return (text, digest, versions), self.results.of(text, digest, versions)

    def all(self, jobs):
        """Runs every mutant, first against the quick tests; what survives them against the slow ones."""
        quick, lonely = [], []
        for name in self.files:
            schemata = self.tree.schemata[name]
            for key, mutant in named(schemata).items():
                if mutant.number not in schemata.refused:
                    (lonely if mutant.number in schemata.lonely else quick).append((key, name, mutant))
        try:
            slow = self._each(jobs, quick, functools.partial(self._one, slow=False))
            self._each(jobs, slow, functools.partial(self._one, slow=True))
            # What is built alone comes last: meanwhile the programs are others.
            self._each(1, lonely, self._built_alone)
        finally:
            self.results.save()

    def _each(self, jobs, work, do):
        """Returns the work that is left undone."""
        self.left = len(work)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                done = list(pool.map(lambda one: do(*one), work))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return [one for one, is_done in zip(work, done) if not is_done]

    def _one(self, key, name, mutant, slow):
        named, (by, holds, met) = self._known(key, name, mutant)
        if not holds and slow and self.is_refused_alone(name, mutant):
            by = "the compiler"
        elif not holds:
            likely = [one for one, _ in self.killers[name].most_common()]
            by = runs.killer(mutant, self.programs[room_of(name)], slow, by, likely, met)
        return self._note(key, named, by, met, by or holds or slow, not holds)

    def _built_alone(self, key, name, mutant):
        named, (by, holds, met) = self._known(key, name, mutant)
        if not holds and self.is_refused_alone(name, mutant):
            by = "the compiler"
        elif not holds and not met.issuperset(named[2].values()):
            by = self.tree.built_alone(name, mutant, self.targets,
                                       lambda: runs.killer_of_all(self.programs[room_of(name)]))
        return self._note(key, named, by, set(named[2].values()), True, not holds)

    def _note(self, key, named, by, met, is_known, is_news):
        text, digest, versions = named
        with self.lock:
            self.results.note(text, digest, by, [versions[by]] if by in versions else [] if by else met)
            if is_known:
                self.fate[key] = by
            if by in versions:
                self.killers[key[0]][by] += 1
            self.left -= 1
            if is_news and (by is None or self.left % 100 == 0):
                what = ": survives " if is_known else ": survives the quick tests "
                say(f"{self.left} left{'' if by else what + ' | '.join(map(str, key))}")
        return is_known

    def is_refused_alone(self, name, mutant):
        """Says whether the compiler refuses the mutant where it evaluates the code itself, as in a static_assert."""
        evaluated = mutant.everywhere or mutant.in_constants
        return evaluated and bool(self.tree.errors(name, self.tree.schemata[name].alone(mutant).decode()))

    def report(self):
        """Prints the scores, and what is wrong with the survivors. Returns whether all is as it must be."""
        why = {key: (kind, text) for key, kind, text in explained()}
        bad = []
        table = collections.defaultdict(collections.Counter)
        for key, by in self.fate.items():
            outcome = "killed" if by else why.get(key, ("unexplained", ""))[0]
            for row in (key[0], f"all of {room_of(key[0])}"):
                table[row][outcome] += 1
            if not by and key not in why:
                bad.append(f"survives, and survivors/ does not say why:\n{as_toml(key)}")
        for key in why:
            if key[0] in self.files and self.fate.get(key, "gone") is not None:
                bad.append(f"survivors/ explains what does not survive ({self.fate.get(key, 'there is no such place')}):"
                           f"\n{as_toml(key)}")
        print(f"{'':46}{'mutants':>8}{'killed':>8}{'equivalent':>12}{'accepted':>10}{'unexplained':>13}{'score':>9}")
        for row in sorted(table, key=lambda one: (one.startswith("all"), one)):
            count = table[row]
            real = count.total() - count["equivalent"]
            score = 100 * count["killed"] / real if real else 100
            print(f"{row:46}{count.total():8}{count['killed']:8}{count['equivalent']:12}{count['accepted']:10}"
                  f"{count['unexplained']:13}{score:8.2f}%")
            if (room := row.removeprefix("all of ")) in WANTED and score < WANTED[room]:
                bad.append(f"the score of {room} is below {WANTED[room]} %")
        killers = collections.Counter((by or "nothing").split(" ")[0] for by in self.fate.values())
        print("killed by:", ", ".join(f"{name} {number}" for name, number in killers.most_common()))
        print("\n".join(bad))
        return not bad


def as_toml(key):
    def quoted(text):
        return f"'{text}'" if "'" not in text else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    names = ("file", "function", "line", "was", "now")
    lines = [f"{name} = {quoted(value)}" for name, value in zip(names, key)]
    return "\n".join(["[[survivor]]", *lines, *([f"nth = {key[5]}"] if key[5] > 1 else [])])


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


def chosen_files(words):
    """Returns the files that rooms or paths name: all rooms' without any."""
    files = []
    for word in words or ROOMS:
        paths = ROOT.glob(ROOMS[word]) if word in ROOMS else [ROOT / word]
        files += sorted(path.relative_to(ROOT).as_posix() for path in paths)
    for name in files:
        if not (ROOT / name).is_file() or not name.startswith("gateway/") or room_of(name) not in ROOMS:
            raise SystemExit(f"{name} is no file of {', '.join(ROOMS)}")
    return files


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", nargs="*", metavar="ROOM|FILE")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--units", action="store_true")
    options.add_argument("--list", action="store_true")
    given = options.parse_args()
    files = chosen_files(given.what)
    rooms = sorted({room_of(name) for name in files})
    # The copy always has the mutants of whole rooms, so that it is built once, whichever files are chosen.
    traced = [folder for room in rooms for folder in _UNITS[room].values()]
    tree = Tree(ROOT / "build/mutation", chosen_files(rooms), traced, given.jobs)
    say("the copy")
    tree.configure()
    tree.mutate()
    run = Run(tree, files, rooms, not given.units)
    chosen = [tree.schemata[name] for name in files]
    say(f"{sum(len(one.mutants) for one in chosen)} mutants, of which the compiler refuses "
        f"{sum(len(one.refused) for one in chosen)}")
    if given.list:
        for schemata in chosen:
            for key in named(schemata):
                print(" | ".join(map(str, key)))
        return 0
    say("building")
    run.build()
    run.trace()
    run.all(given.jobs)
    return 0 if run.report() else 1


if __name__ == "__main__":
    sys.exit(main())
