"""This is a block device of its own, whose counters nobody else moves: an ext4 in a file, on a loop device. It needs
root."""
import contextlib
import os
import pathlib
import shutil
import subprocess
from dataclasses import dataclass

_SECTOR = 512
# These are fields of /sys/block/*/stat, counted from 0.
_WRITES, _SECTORS_WRITTEN, _FLUSHES = 4, 6, 15


@dataclass(frozen=True)
class Counters:
    writes: int
    bytes: int
    flushes: int

    def __sub__(self, before):
        return Counters(self.writes - before.writes, self.bytes - before.bytes, self.flushes - before.flushes)


class Device:
    """`folder` is where the device is mounted."""

    def __init__(self, folder, name):
        self.folder = folder
        self._stat = pathlib.Path("/sys/block") / name / "stat"

    def counters(self):
        fields = [int(field) for field in self._stat.read_text().split()]
        return Counters(fields[_WRITES], fields[_SECTORS_WRITTEN] * _SECTOR, fields[_FLUSHES])


class NotHere(Exception):
    """This machine gives no such device; the message says why."""


def _run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise NotHere(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout.strip()


def why_not():
    """Says why there can be no device here; empty where there can be one."""
    if os.geteuid() != 0:
        return "only root can mount a device: run it as root"
    missing = [name for name in ("losetup", "mkfs.ext4", "mount") if not shutil.which(name)]
    if missing:
        return f"{', '.join(missing)} is not installed"
    if not pathlib.Path("/dev/loop-control").exists():
        return "this kernel has no loop devices"
    return ""


@contextlib.contextmanager
def mounted(folder, mib, options="defaults"):
    """Makes a device with an empty ext4 of so many MiB. All its tables are written, so that later nothing is written to
    it but what the test asks for."""
    image, where = pathlib.Path(folder) / "device.img", pathlib.Path(folder) / "device"
    where.mkdir()
    with open(image, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, mib << 20)
    _run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
    name = _run("losetup", "--find", "--show", image)
    try:
        _run("mount", "-o", options, name, where)
        try:
            yield Device(where, pathlib.Path(name).name)
        finally:
            _run("umount", where)
    finally:
        _run("losetup", "--detach", name)
