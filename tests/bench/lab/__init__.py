"""The benchmarks share this: the peers, the rig on both sides of them, and how a program begins and ends."""
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("BENCH_BUILD", ROOT / "build/proof")).resolve()
os.environ.setdefault("GATEWAY_BIN", str(BUILD / "sales-gateway"))
os.environ.setdefault("SANDBOX_BIN", str(BUILD / "sandbox-provider"))
sys.path.insert(0, str(ROOT / "tests/e2e"))
# This folder is on a disk, above all for journals and databases: /tmp may be memory, whose flushes cost nothing.
tempfile.tempdir = os.environ.get("TMPDIR", "/var/tmp")


def _two_processors():
    usable = sorted(os.sched_getaffinity(0))
    return (str(usable[0]), str(usable[1])) if len(usable) > 1 else (None, None)


# The measured process has one processor, and everything else has another one; on a machine with only one, they share
# it.
MEASURED, OTHERS = _two_processors()
