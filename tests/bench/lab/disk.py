"""Measures what this disk takes for a flush, and how large files become."""
import contextlib
import os
import pathlib
import shutil
import sqlite3
import threading
import time

_BLOCK = 4096
_BLOCKS = 256


def flushes_s(folder, pause_s, times, growing=False):
    """Returns how long writes with their flushes took, in seconds, each after a pause like that between the steps of a
    sale: either over existing content, as in the journal's write-ahead log, or behind it, which makes the file
    longer."""
    file = pathlib.Path(folder) / "flush"
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.pwrite(descriptor, os.urandom(_BLOCK * _BLOCKS), 0)
        os.fsync(descriptor)
        first = _BLOCKS if growing else 0
        return [_one_flush(descriptor, (first + i) % (2 * _BLOCKS), pause_s) for i in range(times)]
    finally:
        os.close(descriptor)
        file.unlink()


def _one_flush(descriptor, block, pause_s):
    data = os.urandom(_BLOCK)
    time.sleep(pause_s)
    began = time.monotonic()
    os.pwrite(descriptor, data, _BLOCK * block)
    os.fdatasync(descriptor)
    return time.monotonic() - began


def size(path):
    """Returns the size in bytes, and 0 for a file that is not there."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def copy_journal(source, target):
    """Copies a journal that nobody has open. If a gateway was killed, the log is merged into the file first."""
    connection = sqlite3.connect(source)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    for end in ("", "-wal", "-shm", ".lock"):
        pathlib.Path(f"{target}{end}").unlink(missing_ok=True)
    shutil.copyfile(source, target)
    _let_it_be_the_journal(target)


def _let_it_be_the_journal(copy):
    """Makes the journal forget which file it was: a gateway takes a copy made by hand for a restored one, and confirms
    nothing."""
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'journal_file'").fetchone():
            connection.execute("DELETE FROM journal_file")
            connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class Largest:
    """Finds the largest size that a file has while this is entered."""

    def __init__(self, path):
        self.path = path
        self.bytes = 0
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        self._looking.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._looking.join()

    def _look(self):
        while not self._over.wait(0.02):
            self.bytes = max(self.bytes, size(self.path))
