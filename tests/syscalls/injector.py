"""Runs a program under `inject`, which makes one of its system calls fail or kills it there."""
import collections
import errno
import pathlib
import re
import socket

HERE = pathlib.Path(__file__).resolve().parent
# If anything takes longer than this, the gateway hangs. All its own times are far shorter.
LIMIT_S = 20

# A program made this call. It has the number of its thread, its name, its first arguments, and what it was about.
Call = collections.namedtuple("Call", "thread name arguments object")
# A fault says what is done to the call `name` that a thread makes to `object` for the `nth` time (see inject.c).
Fault = collections.namedtuple("Fault", "thread name object nth action value", defaults=[0])
# A report has what the tool noted. `hits` says how often it did something, and `status` how the program has ended.
Report = collections.namedtuple("Report", "calls hits status")


def _numbers():
    """Reads the numbers of system calls from the headers of the C library, with which the tool was compiled."""
    text = next(pathlib.Path("/usr/include").glob("**/asm/unistd_64.h")).read_text()
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", text)}


NUMBERS = _numbers()
NAMES = {number: name for name, number in NUMBERS.items()}


class Injector:
    """Steers one run of the tool, which looks at the calls with these names, or at all. `wrapper` begins the command
    that is run under it."""

    def __init__(self, tool, names=None):
        self.names = names
        self._ours, self.theirs = socket.socketpair()
        self._ours.settimeout(LIMIT_S)
        calls = "all" if names is None else ",".join(str(NUMBERS[name]) for name in names)
        self.wrapper = [str(tool), str(self.theirs.fileno()), calls]
        self.pass_fds = (self.theirs.fileno(),)
        self._text = b""

    def _tell(self, line):
        self._ours.sendall(line.encode() + b"\n")

    def started(self):
        """Must be called when the tool runs: it alone has the other end then."""
        self.theirs.close()

    def go(self):
        """Lets the program start, and opens no window."""
        self._tell("go")

    def keep_image(self, folder, image):
        self._tell(f"image {folder} {image}")

    def begin(self, fault=None):
        """Opens the window in which calls are noted, or a fault is waited for."""
        if fault is None:
            self._tell("list")
            return
        value = getattr(errno, fault.value) if isinstance(fault.value, str) else fault.value
        number = NUMBERS[fault.name]
        self._tell(f"arm {fault.thread} {number} {fault.object} {fault.nth} {fault.action} {value}")

    def end(self):
        """Closes the window. Returns the report."""
        try:
            self._tell("rest")
        except OSError:  # the program has ended, and the report is here
            pass
        return self.report()

    def report(self):
        """Waits for the report, which comes unasked where the program ends."""
        while not (end := re.search(rb"^end (\d+) (-?\d+)\n", self._text, re.MULTILINE)):
            try:
                more = self._ours.recv(1 << 20)
            except TimeoutError:
                raise AssertionError(f"there is no report after {LIMIT_S} s") from None
            assert more, "the tool has ended without a report"
            self._text += more
        lines = self._text[: end.start()].decode().splitlines()
        self._text = self._text[end.end() :]
        return Report([_call_of(line) for line in lines], int(end[1]), int(end[2]))

    def close(self):
        self._ours.close()


def _call_of(line):
    thread, number, one, two, three, what = line.split()
    return Call(int(thread), NAMES[int(number)], (int(one), int(two), int(three)), what)
