"""Plays systemd for the gateway: a socket that it is told on, listening sockets that outlive it, the watchdog's
clock."""
import os
import socket
import sys
import time

from .waiting import eventually

# Becomes the gateway, as systemd's fork does: it passes descriptors from 3 on without a gap, and its own process id.
_BECOME = """
import fcntl, os, sys
passed = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 100) for one in sys.argv[1].split(",") if one]
for number, one in enumerate(passed):
    os.dup2(one, 3 + number, inheritable=True)
    os.close(one)
os.environ["LISTEN_PID"] = str(os.getpid())
if os.environ.get("JOURNAL_STREAM") == "standard output":
    os.environ["JOURNAL_STREAM"] = "{0.st_dev}:{0.st_ino}".format(os.fstat(1))
os.execv(sys.argv[2], sys.argv[2:])
"""


class Manager:
    def __init__(self, folder):
        self.address = str(folder / "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.address)
        self.socket.setblocking(False)
        self.told = []
        self.fed_at = time.monotonic()
        self.listening = {}
        self.journal = None
        self.environment = {"NOTIFY_SOCKET": self.address}

    def keep_journal(self):
        """Plays the journal, which reads standard output and takes entries at its socket."""
        os.mkdir(os.path.join(os.path.dirname(self.address), "journal"))
        self.journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.journal.bind(os.path.join(os.path.dirname(self.address), "journal/socket"))
        self.journal.setblocking(False)
        self.entries = []
        self.environment["JOURNAL_STREAM"] = "standard output"

    def await_entry(self, **fields):
        """Waits for an entry of the journal with these fields."""

        def look():
            while True:
                try:
                    text = self.journal.recv(1 << 20).decode()
                except BlockingIOError:
                    break
                fields_told = [line.split("=", 1) for line in text.splitlines()]
                self.entries.append(dict(fields_told))
                assert len(self.entries[-1]) == len(fields_told), f"a field is told twice: {text}"
            return [one for one in self.entries if fields.items() <= one.items()]

        return eventually(look, f"an entry of the journal with {fields}")[0]

    def listen(self, *names):
        for name in names:
            self.listening[name] = socket.create_server(("127.0.0.1", 0))

    def port(self, name):
        return self.listening[name].getsockname()

    def starts(self, gateway):
        """Starts the gateway as systemd would from now on."""
        sockets = [one.fileno() for one in self.listening.values()]
        for one in self.listening.values():
            one.set_inheritable(True)
        environment = dict(self.environment)
        if sockets:
            environment |= {"LISTEN_FDS": str(len(sockets)), "LISTEN_FDNAMES": ":".join(self.listening)}
        gateway.pass_fds = sockets
        gateway.wrapper = ["/usr/bin/env", *(f"{name}={value}" for name, value in environment.items()),
                           sys.executable, "-c", _BECOME, ",".join(map(str, sockets))]

    def hear(self):
        """Returns all that was told so far, each message as a list of its lines."""
        while True:
            try:
                self.told.append(self.socket.recv(65536).decode().splitlines())
            except BlockingIOError:
                return self.told
            if "WATCHDOG=1" in self.told[-1]:
                self.fed_at = time.monotonic()

    def hungry_for(self, seconds):
        """Tells whether the watchdog has not been fed for this long."""
        self.hear()
        return time.monotonic() - self.fed_at > seconds

    def times(self, line):
        return sum(line in message for message in self.hear())

    def await_line(self, line, times=1):
        eventually(lambda: self.times(line) >= times, f"{line} is told {times} times")

    def statuses(self):
        return [line[len("STATUS="):] for message in self.hear() for line in message if line.startswith("STATUS=")]

    def await_status(self, text):
        eventually(lambda: any(text in status for status in self.statuses()), f"a status with {text!r}")

    def close(self):
        self.socket.close()
        if self.journal:
            self.journal.close()
        for one in self.listening.values():
            one.close()
        if os.path.exists(self.address):
            os.unlink(self.address)
