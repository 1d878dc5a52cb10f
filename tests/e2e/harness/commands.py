"""Runs the operators' commands against a store's gateway: at the end of a pipe, and on a terminal with a person before
it."""
import os
import pty
import select
import subprocess

from .processes import GATEWAY
from .waiting import LIMIT_S

# This is far from the store, whose time the commands show wherever they are called.
ZONE = {"TZ": "Asia/Tokyo"}
# These ask no gateway, and work on the journal of the configuration.
OF_THE_JOURNAL = {"restore"}
# This is what `attention` prints where no sale is marked, whether or not a gateway runs.
NOTHING_MARKED = """No sale is marked for a person.
A sale that is damaged in the journal is marked when a gateway reads it, and a gateway reads
every sale after its start.
"""


def address_of(shop):
    return "%s:%d" % shop.gateway.ports["admin"]


def run(shop, *arguments, **environment):
    """Returns exit code, standard output and standard error, in a fixed zone and without colours."""
    command, *others = arguments
    env = {"PATH": os.environ["PATH"]} | ZONE | environment
    done = subprocess.run([GATEWAY, command, "--admin", address_of(shop), *others], cwd=shop.folder, env=env, text=True,
                          capture_output=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def said(shop, *arguments, **environment):
    status, out, err = run(shop, *arguments, **environment)
    assert (status, err) == (0, ""), (status, out, err)
    return out


class Screen:
    """This is a terminal with a person before it."""

    def __init__(self, shop, *arguments, **environment):
        command, *others = arguments
        self.mine, theirs = pty.openpty()
        env = {"PATH": os.environ["PATH"], "TERM": "xterm"} | ZONE | environment
        place = ["--config", shop.gateway.config] if command in OF_THE_JOURNAL else ["--admin", address_of(shop)]
        self.child = subprocess.Popen([GATEWAY, command, *place, *others], stdin=theirs, stdout=theirs, stderr=theirs,
                                      env=env, cwd=shop.folder)
        os.close(theirs)
        self.text = ""

    def read_until(self, words):
        while words not in self.text:
            assert select.select([self.mine], [], [], LIMIT_S)[0], self.text
            self.text += os.read(self.mine, 65536).decode()
        return self

    def type(self, words):
        os.write(self.mine, words.encode())
        return self

    def end(self):
        while True:
            try:
                more = os.read(self.mine, 65536)
            except OSError:  # Linux says in this way that nobody has the other end any more
                more = b""
            if not more:
                break
            self.text += more.decode()
        os.close(self.mine)
        return self.child.wait(LIMIT_S)
