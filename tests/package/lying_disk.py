"""This is a disk that lies about order, for nbdkit's Python plugin: it says at once that it has flushed, and writes its
data in an order of its own. When the machine that uses it goes off, some data of the last few seconds has not been
written, although it was flushed, and later data has been.

    nbdkit -f -U SOCKET python tests/package/lying_disk.py file=IMAGE
"""
import os
import random
import sys
import time
from collections import deque

API_VERSION = 2
# Of the writes of these last seconds one in so many is lost, but none of the very last ones.
WINDOW_S, SURE_S, ONE_IN = 5, 1, 4

path = None
writes = deque()  # (when, where, what was there before)


def config(key, value):
    global path
    if key != "file":
        raise RuntimeError(f"file=IMAGE is taken, and not {key}")
    path = value


def config_complete():
    if not path:
        raise RuntimeError("file=IMAGE is missing")


def open(readonly):  # noqa: A001, the plugin's name for it
    return os.open(path, os.O_RDWR)


def get_size(disk):
    return os.fstat(disk).st_size


def pread(disk, buffer, offset, flags):
    buffer[:] = os.pread(disk, len(buffer), offset)


def pwrite(disk, buffer, offset, flags):
    now = time.monotonic()
    while writes and writes[0][0] < now - WINDOW_S:
        writes.popleft()
    writes.append((now, offset, os.pread(disk, len(buffer), offset)))
    os.pwrite(disk, bytes(buffer), offset)


def can_flush(disk):
    return True


def flush(disk, flags):
    pass


def close(disk):
    """The power is cut: lost places get back their old data, unless something later was written there."""
    kept, lost, now = [], 0, time.monotonic()
    for when, offset, before in reversed(writes):
        end = offset + len(before)
        if when > now - SURE_S or random.randrange(ONE_IN) or any(offset < e and b < end for b, e in kept):
            kept.append((offset, end))
        else:
            os.pwrite(disk, before, offset)
            lost += 1
    print(f"lost {lost} of {len(writes)} writes", file=sys.stderr, flush=True)
    writes.clear()
    os.close(disk)
