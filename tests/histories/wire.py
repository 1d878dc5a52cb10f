"""HTTP as bytes over connections that are kept, as cheap as Python can have it."""
import re
import socket
import threading

# Far longer than any call is asked to wait. This only bounds a run that has failed.
LIMIT_S = 60
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class NotSent(Exception):
    """No connection could be made, so that nothing was sent."""


class Place:
    """Where the gateway listens: nowhere while it is down, and at another port after each start."""

    def __init__(self):
        self._moved = threading.Condition()
        self._address = None
        self.starts = 0

    def leave(self):
        with self._moved:
            self._address = None

    def move(self, address):
        with self._moved:
            self._address = address
            self.starts += 1
            self._moved.notify_all()

    def now(self):
        """Returns the address, and how often there was one, as soon as there is one."""
        with self._moved:
            assert self._moved.wait_for(lambda: self._address, LIMIT_S), "the gateway is not started again"
            return self._address, self.starts


def message_from(connection, begun=b""):
    """Reads a message. Returns its head, its body, and what was read beyond it; nothing where the other side ended."""
    data = begun
    while (end := data.find(b"\r\n\r\n")) < 0:
        if not (more := connection.recv(65536)):
            return None
        data += more
    length = _LENGTH.search(data, 0, end + 2)
    whole = end + 4 + (int(length[1]) if length else 0)
    while len(data) < whole:
        if not (more := connection.recv(65536)):
            return None
        data += more
    return data[: end + 4], data[end + 4 : whole], data[whole:]


class Line:
    """A connection to the place, which is made anew where the gateway has moved."""

    def __init__(self, place):
        self._place = place
        self._connection = None
        self._start = None

    def connect(self):
        """Connects, unless it is connected. Must be called before each exchange."""
        address, start = self._place.now()
        if self._connection and self._start == start:
            return
        self.hang_up()
        try:
            self._connection = socket.create_connection(address, timeout=LIMIT_S)
        except OSError:
            raise NotSent from None
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._start = start

    def send(self, request):
        self._connection.sendall(request)

    def exchange(self, request):
        """Returns the head and the body of the answer; nothing where none came."""
        try:
            self.send(request)
            answer = message_from(self._connection)
        except TimeoutError:
            raise AssertionError(f"this was never answered: {request}") from None
        except OSError:
            answer = None
        if answer is None or b"\r\nconnection: close" in answer[0].lower():
            self.hang_up()
        return answer and answer[:2]

    def hang_up(self):
        if self._connection:
            self._connection.close()
            self._connection = None
