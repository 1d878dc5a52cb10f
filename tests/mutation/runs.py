"""Runs the mutants: each one against the tests that reach it, the cheapest first, until one fails."""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

# A program of tests may use ten times as long for a mutant as it takes without, and this much at least: that is how an
# endless loop is told.
_SLOWER = 10
_LEAST_SECONDS = 10
_MEMORY = 6 << 30
# Tests are run together while they take no longer than this, so that an endless loop among them is told soon.
_SECONDS_TOGETHER = 1.0
_SECONDS_TOGETHER_OF_A_SLOW_PROGRAM = 10.0
_LIKELY = 4  # so many tests are tried before all others
# Tests write their files into memory where that is possible.
_FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
_TIMES = re.compile(r"^\[       OK \] (\S+) \((\d+) ms\)", re.MULTILINE)


@dataclasses.dataclass
class Program:
    """A program of tests; of GoogleTest's single tests can be run."""
    name: str
    command: list
    source: pathlib.Path  # the folder of the tests
    is_slow: bool = False  # as a whole, for example because it starts a server
    seconds: float = 0
    tests: dict = dataclasses.field(default_factory=dict)  # name of a test: its seconds
    versions: dict = dataclasses.field(default_factory=dict)  # name of a test: a digest of what it is made of
    reached: dict = dataclasses.field(default_factory=dict)  # number: names of tests, or nothing where all reach it

    def reaching(self, mutant):
        """Returns the names of the tests that reach the mutant."""
        names = self.reached.get(mutant.number, [])
        return self.versions if names is None or names and mutant.everywhere else names


def run(command, seconds, **environment):
    """Returns whether the command ends well, and what it said."""
    with tempfile.TemporaryDirectory(dir=_FOLDER) as folder, tempfile.TemporaryFile() as said:
        os.chmod(folder, 0o755)  # tests act as another user in it

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder,
                                   env={**os.environ, "TMPDIR": folder, **environment}, preexec_fn=limit,
                                   start_new_session=True)
        try:
            good = process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            good = False
        finally:
            try:
                os.killpg(process.pid, 9)
            except ProcessLookupError:
                pass
            process.wait()
        said.seek(max(0, said.seek(0, 2) - 100_000))
        return good, said.read().decode(errors="replace")


def trace(program, place):
    """Notes which mutants the program reaches without one in force, and how long it takes, if it is another program
    than the last time."""
    if not place.exists() or place.stat().st_mtime < os.stat(program.command[0]).st_mtime:
        new = place.with_suffix(".new")
        new.unlink(missing_ok=True)
        begin = time.monotonic()
        good, said = run(program.command, 3600)
        seconds = time.monotonic() - begin
        if good:
            good, said = run(program.command, 7200, MUTANT_TRACE=str(new))
        if not good:
            raise SystemExit(f"{program.name} fails without any mutant:\n{said[-4000:]}")
        with new.open("a") as file:
            file.write(f"! {seconds}\n")
            file.writelines(f"? {name} {milliseconds}\n" for name, milliseconds in _TIMES.findall(said))
        new.replace(place)
    test, files = None, {}
    for line in place.read_text().splitlines():
        if line.startswith("! "):
            program.seconds = float(line[2:])
        elif line.startswith("? "):
            name, milliseconds = line[2:].split(" ")
            program.tests[name] = float(milliseconds) / 1000
        elif line.startswith("= "):
            test, file = line[2:].split(" ", 1)
            files[test] = file
        else:
            tests = program.reached.setdefault(int(line), [])
            if test is None:
                program.reached[int(line)] = None  # before any test
            elif tests is not None:
                tests.append(test)
    if not program.tests:
        program.versions[""] = digest_of((program.name + digest(program.source)).encode())[:16]
        return
    shared = digest(*(one for folder in (program.source, program.source.parent / "support")
                      for one in sorted(folder.rglob("*.hpp"))))
    of_file = {file: digest(pathlib.Path(file)) + shared for file in set(files.values())}
    program.versions.update({name: digest_of((name + of_file[file]).encode())[:16] for name, file in files.items()})


def selections(program, mutant, before, likely, met, slow):
    """Returns which tests of a program are run for a mutant, one run after the other, each with its seconds: those that
    are likely to kill it and the quick ones, or the slow ones. What the mutant has met is left out."""
    if not program.tests:
        is_due = program.versions[""] not in met and (slow or program.name == before)
        return [([], program.seconds)] if is_due else []
    reaching = [name for name in program.reaching(mutant) if program.versions[name] not in met]
    chosen = [name for name in reaching
              if (program.is_slow or program.tests.get(name, 0) > program.seconds / 100) == slow]
    named = [one.removeprefix(program.name + " ") for one in likely]
    first = [] if slow else [name for name in named if name in chosen][:_LIKELY]
    first += [name for name in reaching if f"{program.name} {name}" == before and name not in first and not slow]
    most = _SECONDS_TOGETHER_OF_A_SLOW_PROGRAM if program.is_slow else _SECONDS_TOGETHER
    parts = [(first, sum(program.tests.get(name, 0) for name in first)), ([], 0)]
    for name in sorted(set(chosen) - set(first), key=lambda one: (program.tests.get(one, 0), one)):
        names, seconds = parts.pop()
        takes = program.tests.get(name, 0)
        is_full = names and seconds + takes > most
        parts += [(names, seconds), ([name], takes)] if is_full else [([*names, name], seconds + takes)]
    return [part for part in parts if part[0]]


def killer(mutant, programs, slow, before, likely, met):
    """Returns what kills the mutant of the quick tests, or of the slow ones, and nothing where it survives them.
    `before` killed it the last time, and `likely` kill others of its file. `met` are the versions of tests that it has
    survived, and gets those that it survives now."""
    for program in sorted(programs, key=lambda one: not (before or "").startswith(one.name)):
        if mutant.number not in program.reached:
            continue
        for tests, seconds in selections(program, mutant, before, likely, met, slow):
            command = [*program.command, *([f"--gtest_filter={':'.join(tests)}", "--gtest_fail_fast"] if tests else [])]
            good, said = run(command, max(_LEAST_SECONDS, _SLOWER * seconds), MUTANT=str(mutant.number))
            if not good:
                failed = re.search(r"^\[  FAILED  \] ([\w/.]+)", said, re.MULTILINE)
                running = re.findall(r"^\[ RUN      \] ([\w/.]+)", said, re.MULTILINE)
                test = failed[1] if failed else running[-1] if running else ""
                return f"{program.name} {test}".strip()
            met.update(program.versions[test] for test in tests or [""])
    return None


def killer_of_all(programs):
    """Returns which of the programs, as they are built now, fails."""
    for program in programs:
        good, _ = run(program.command, max(_LEAST_SECONDS, _SLOWER * program.seconds))
        if not good:
            return program.name
    return None


def digest_of(data):
    return hashlib.sha256(data).hexdigest()


def digest(*paths):
    made = hashlib.sha256()
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                made.update(str(file.name).encode() + b"\0" + file.read_bytes() + b"\0")
    return made.hexdigest()


class Results:
    """What became of each mutant, kept so that an interrupted run goes on."""

    def __init__(self, path):
        self.path = path
        self.all = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.saved = time.monotonic()

    def of(self, key, digest_now, versions):
        """Returns (what killed it the last time, whether that still holds, the versions of tests that it survived).
        `versions` are those of the tests now, by what kills."""
        known = self.all.get(key, {"digest": None, "by": None, "met": []})
        by, met = known["by"], set(known["met"])
        if known["digest"] != digest_now:
            return by, False, set()
        return by, by is not None and (by not in versions or {versions[by]} == met), set() if by else met

    def note(self, key, digest_now, by, met):
        self.all[key] = {"digest": digest_now, "by": by, "met": sorted(met)}
        if time.monotonic() - self.saved > 5:
            self.save()

    def save(self):
        self.saved = time.monotonic()
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.all, indent=0))
        new.replace(self.path)
