"""This is the line between a till and its gateway. It can be cut at any byte of a call or of its answer."""
import socket
import struct
import threading

from harness.gate import bound

_PIECE = 65536
NOWHERE = 1 << 30  # this is beyond every byte: such a cut cuts nothing, and only tells the sizes


class Cut:
    """`up` bytes of a call pass, or all of it and `down` bytes of its answer; then the line is closed, or reset."""

    def __init__(self, up=None, down=None, reset=False):
        self.up = up
        self.down = down
        self.reset = reset
        self.done = False
        self.sizes = None  # the bytes of the call and its answer as far as they came, once the connection has ended

    def __str__(self):
        where = f"byte {self.up} of the call" if self.up is not None else f"byte {self.down} of the answer"
        return f"{'reset' if self.reset else 'closed'} at {where}"


class Line:
    """Listens at a port of its own, and passes on to `target`, which may move."""

    def __init__(self):
        self.target = None
        self._cuts = []  # pairs of what a call's first bytes contain, and the Cut
        self._lock = threading.Lock()
        self._port = bound()
        self._server = None
        self.open()

    @property
    def url(self):
        return "http://127.0.0.1:{}".format(self._port.getsockname()[1])

    def cut(self, on, **where):
        """Cuts the next call whose first bytes contain `on`."""
        made = Cut(**where)
        with self._lock:
            self._cuts.append((on, made))
        return made

    def disarm(self):
        with self._lock:
            self._cuts.clear()

    def open(self):
        if self._server is None:
            self._server = bound(self._port.getsockname()[1])
            self._server.listen(16)
            threading.Thread(target=self._accept, args=(self._server,), daemon=True).start()

    def shut(self):
        """Refuses connections."""
        if self._server is not None:
            self._server.shutdown(socket.SHUT_RDWR)
            self._server.close()
            self._server = None

    def close(self):
        self.shut()
        self._port.close()

    def _accept(self, server):
        while True:
            try:
                caller, _ = server.accept()
            except OSError:  # it was shut
                return
            threading.Thread(target=self._serve, args=(caller,), daemon=True).start()

    def _take_cut(self, data):
        with self._lock:
            for at, (on, cut) in enumerate(self._cuts):
                if on in data:
                    del self._cuts[at]
                    return cut
        return None

    def _serve(self, caller):
        """Carries one connection: the tills use each for one call."""
        sizes = [0, 0]
        cut = None
        try:
            with caller, socket.create_connection(self.target) as gateway:
                first = caller.recv(_PIECE)
                cut = self._take_cut(first)
                up = threading.Thread(target=_pump, args=(first, caller, gateway, sizes, 0, cut), daemon=True)
                up.start()
                _pump(gateway.recv(_PIECE), gateway, caller, sizes, 1, cut)
                up.join()
        except OSError:  # one of the two has gone
            pass
        if cut:
            cut.sizes = tuple(sizes)


def _pump(data, source, sink, sizes, index, cut):
    limit = (cut.up, cut.down)[index] if cut else None
    try:
        while data:
            if limit is not None:
                data = data[: limit - sizes[index]]
            sink.sendall(data)
            sizes[index] += len(data)
            if limit is not None and sizes[index] >= limit:
                cut.done = True
                _end(source, cut.reset)
                _end(sink, cut.reset)
                return
            data = source.recv(_PIECE)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    if index == 1:  # after the answer there is nothing to say
        _end(source, False)
        _end(sink, False)


def _end(end, reset):
    """Wakes the other pump up; a reset is sent as soon as the socket is closed."""
    try:
        if reset:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR)
    except OSError:
        pass
