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
_LEAST_SECONDS = 20
_MEMORY = 6 << 30
_FILTER_LIMIT = 100_000


@dataclasses.dataclass
class Program:
    """A program of tests. `is_gtest` says whether single tests of it can be run."""
    name: str
    command: list
    is_gtest: bool = False
    seconds: float = 0
    reached: dict = dataclasses.field(default_factory=dict)  # number: names of tests, or nothing where all reach it


def run(command, seconds, **environment):
    """Returns whether the command ends well, and what it said."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as said:

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
    """Notes which mutants the program reaches without one in force, and how long it takes."""
    place.unlink(missing_ok=True)
    begin = time.monotonic()
    good, said = run(program.command, 3600)
    program.seconds = time.monotonic() - begin
    if good:
        good, said = run(program.command, 7200, MUTANT_TRACE=str(place))
    if not good:
        raise SystemExit(f"{program.name} fails without any mutant:\n{said[-4000:]}")
    test = None
    for line in place.read_text().splitlines() if place.exists() else ():
        if line.startswith("= "):
            test = line[2:]
        else:
            tests = program.reached.setdefault(int(line), [])
            if test is None:
                program.reached[int(line)] = None  # before any test
            elif tests is not None:
                tests.append(test)


def killer(mutant, programs, before=None):
    """Returns what kills the mutant, and nothing where it survives. `before` killed it the last time."""
    for program in sorted(programs, key=lambda one: not (before or "").startswith(one.name)):
        if mutant.number not in program.reached:
            continue
        seconds = max(_LEAST_SECONDS, _SLOWER * program.seconds)
        tests = program.reached[mutant.number]
        filters = [""]
        if program.is_gtest:
            known = (before or "").removeprefix(program.name + " ")
            names = ":".join(tests or ()) if not mutant.everywhere else ""
            filters = [known] * (known in (tests or ())) + [names if len(names) < _FILTER_LIMIT else ""]
        for one in filters:
            command = [*program.command, *([f"--gtest_filter={one}"] if one else [])]
            good, said = run(command, seconds, MUTANT=str(mutant.number))
            if not good:
                failed = re.search(r"^\[  FAILED  \] ([\w/.]+)", said, re.MULTILINE)
                running = re.findall(r"^\[ RUN      \] ([\w/.]+)", said, re.MULTILINE)
                test = failed[1] if failed else running[-1] if running else ""
                return f"{program.name} {test}".strip()
    return None


def killer_of_all(programs):
    """Returns which of the programs, as they are built now, fails."""
    for program in programs:
        good, _ = run(program.command, max(_LEAST_SECONDS, _SLOWER * program.seconds))
        if not good:
            return program.name
    return None


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
        self.path = pathlib.Path(path)
        self.all = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.saved = time.monotonic()

    def of(self, key, digest_now):
        """Returns (whether that still holds, what killed it or nothing)."""
        known = self.all.get(key)
        return (known["digest"] == digest_now, known["by"]) if known else (False, None)

    def note(self, key, digest_now, by):
        self.all[key] = {"digest": digest_now, "by": by}
        if time.monotonic() - self.saved > 5:
            self.save()

    def save(self):
        self.saved = time.monotonic()
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.all, indent=0))
        new.replace(self.path)
