"""This says what processes have used of the processors."""
import contextlib
import os
import pathlib

_PROC = pathlib.Path("/proc")


def spent_s(process):
    """Returns the processor time of a process and its children in seconds, with those that have ended."""
    children = [pid for pid in _all() if _stat(pid)[1] == str(process)]
    ended = sum(map(int, _stat(process)[13:15])) / os.sysconf("SC_CLK_TCK")
    return ended + sum(map(_own_s, [process, *children]))


def _all():
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()]


def _stat(pid):
    """Returns the fields of /proc/PID/stat from the state on; none for a process that is gone."""
    with contextlib.suppress(OSError):
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return [""] * 50


def _own_s(pid):
    # The time is in nanoseconds for each thread; /proc/PID/stat counts in hundredths of a second.
    spent = 0
    for thread in (_PROC / str(pid) / "task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            spent += int(thread.read_text().split()[0])
    return spent / 1e9
