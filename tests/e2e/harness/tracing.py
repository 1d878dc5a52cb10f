"""Runs a program under strace: shows which system calls it makes, or stops it behind one of them. Compiles the tools
that trace by themselves, too."""
import os
import pathlib
import re
import shutil
import signal
import subprocess

from . import ROOT
from .waiting import LIMIT_S, eventually

IS_THERE = shutil.which("strace") is not None
# The search for leaks does not work where another program traces.
_ENVIRONMENT = os.environ | {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def _strace(log, calls, arguments):
    return ["strace", "-f", "-qq", "-s", "256", "-o", str(log), "-e", f"trace={','.join(calls)}", *map(str, arguments)]


def calls_of(arguments, calls, log):
    """Returns each of the calls with its arguments in strace's form, in order: (name, number of this call so far,
    line)."""
    subprocess.run(_strace(log, calls, arguments), env=_ENVIRONMENT, capture_output=True, timeout=LIMIT_S)
    seen, found = {}, []
    for line in pathlib.Path(log).read_text().splitlines():
        if match := re.match(r"\d+ +(\w+)\(", line):
            seen[match[1]] = seen.get(match[1], 0) + 1
            found.append((match[1], seen[match[1]], line))
    return found


class Stopped:
    """A program that stops at the end of the call `name` that it makes for the `number`-th time."""

    def __init__(self, arguments, name, number, log):
        pathlib.Path(log).unlink(missing_ok=True)
        inject = ["-e", f"inject={name}:signal=SIGSTOP:when={number}"]
        words = _strace(log, [name], [*inject, *arguments])
        self._strace = subprocess.Popen(words, env=_ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        stopped = eventually(lambda: self._stop_in(log) or self._strace.poll() is not None, "it stops")
        assert stopped is not True, self._strace.communicate()
        self._program = int(stopped)

    @staticmethod
    def _stop_in(log):
        match = re.search(r"^(\d+) +--- stopped by SIGSTOP ---$", log.read_text() if log.exists() else "", re.MULTILINE)
        return match and match[1]

    def go_on(self):
        """Runs it to its end. Returns exit code, standard output and standard error."""
        os.kill(self._program, signal.SIGCONT)
        out, err = self._strace.communicate(timeout=LIMIT_S)
        return self._strace.returncode, out.decode(), err.decode()


def compiled(source, folder):
    """Compiles a tool that is built on tests/tracer. Returns the program."""
    tracer = ROOT / "tests" / "tracer"
    program = pathlib.Path(folder) / source.stem
    command = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11", "-I", tracer, source, *sorted(tracer.glob("*.c"))]
    subprocess.run([*command, "-o", program], check=True)
    return program
