"""This is how a benchmark begins and ends: its options, its folder, and one line instead of a traceback."""
import argparse
import contextlib
import os
import pathlib
import resource
import signal
import sys
import tempfile

from . import BUILD
from harness.certificates import make_certificate


def options(document):
    return argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)


def run(main, *besides):
    """Runs the benchmark, and says in words why it cannot go on. `besides` names what it needs of the build besides the
    programs that all need."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # its programs and folder go too
    for name in ("sales-gateway", "sandbox-provider", "tests/bench/bench_rig", *besides):
        if not (BUILD / name).exists():
            sys.exit(f"{BUILD / name} is not there: build it with cmake --preset proof && cmake --build --preset proof, "
                     "or name another build in BENCH_BUILD")
    descriptors()
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("interrupted")
    except (AssertionError, OSError) as failure:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {failure}")


@contextlib.contextmanager
def folder(name):
    with tempfile.TemporaryDirectory(prefix=name + "-", ignore_cleanup_errors=True) as made:
        yield pathlib.Path(made)


def need_room(where, gib):
    """Ends the program where the disk has no room for it."""
    found = os.statvfs(where)
    free = found.f_bavail * found.f_frsize / 2**30
    if free < gib:
        sys.exit(f"{where} has {free:.0f} GiB left and this takes about {gib:.0f}: set TMPDIR to a folder on another disk")


def descriptors():
    """Raises the number of files that every program started from here may open, as far as possible."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (max(most, 65536), most):
        with contextlib.suppress(ValueError, PermissionError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
            return wanted
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class ProviderTls:
    """Returns what makes the rig's provider speak TLS, and its peers trust it; nothing unless it is `wanted`."""

    def __init__(self, where, wanted):
        self.authority, self.rig = None, {}
        if wanted:
            self.authority, key = make_certificate(where, "provider")
            self.rig = {"cert": self.authority, "cert_key": key}
