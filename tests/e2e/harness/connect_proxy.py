"""This is a small outbound proxy: it connects where a CONNECT tells it to, and can refuse, hang, lie and hang up."""
import base64
import socket
import threading

from .gate import _reset, bound

_CHUNK = 65536


class ConnectProxy:
    """Listens on the loopback. What a test sets applies to every connection from then on."""

    def __init__(self):
        self.routes = {}  # what a "name:port" leads to, for names that nobody else can look up
        self.credentials = None  # "user:password", where it asks for them
        self.answer = None  # bytes that are sent instead of doing anything
        self.hangs = False
        self.cut = None  # a tunnel is reset once these bytes have passed through it upwards
        self.heads = []  # what it was asked for
        self.outside = b""  # everything that came in clear behind a head, before or without a consent
        self._open = {}  # the connections, and the thread that serves each
        self._lock = threading.Lock()
        self._server = None
        self._port = bound()
        self.open()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._port.getsockname()[1]}"

    def asked_for(self):
        """Returns the addresses that it had to connect to."""
        assert all(head.startswith(b"CONNECT ") for head in self.heads), self.heads
        return {head.split()[1].decode() for head in self.heads}

    def open(self):
        server = bound(self._port.getsockname()[1])
        server.listen(64)
        self._server = server
        self._accepting = threading.Thread(target=self._accept, args=(server,), daemon=True)
        self._accepting.start()

    def shut(self):
        """Refuses connections from now on, until open()."""
        if self._server is not None:
            self._server.shutdown(socket.SHUT_RDWR)
            self._server.close()
            self._accepting.join()
        self._server = None
        self.drop()

    def drop(self):
        """Resets everything that goes through it, and returns when that is done."""
        with self._lock:
            served = list(self._open.items())
        for end, thread in served:
            _reset(end)
            thread.join()

    def close(self):
        self.shut()
        self._port.close()

    def _accept(self, server):
        while True:
            try:
                caller, _ = server.accept()
            except OSError:
                return
            with self._lock:
                self._open[caller] = threading.Thread(target=self._serve, args=(caller,), daemon=True)
                self._open[caller].start()

    def _serve(self, caller):
        try:
            self._speak(caller)
        except OSError:
            pass  # the other side hung up
        finally:
            with self._lock:
                self._open.pop(caller)
            caller.close()

    def _speak(self, caller):
        received = b""
        while b"\r\n\r\n" not in received:
            data = caller.recv(_CHUNK)
            if not data:
                return
            received += data
        head, _, rest = received.partition(b"\r\n\r\n")
        self.heads.append(head)
        self.outside += rest
        refusal = self._refusal(head)
        if refusal is not None:
            caller.sendall(refusal)
            while data := caller.recv(_CHUNK):
                self.outside += data
            return
        name = head.split()[1].decode()
        host, _, port = name.rpartition(":")
        with socket.create_connection(self.routes.get(name, (host, int(port))), timeout=10) as target:
            target.settimeout(None)
            for end in (caller, target):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            caller.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            cut_off = threading.Event()
            down = threading.Thread(target=self._pass, args=(target, caller, cut_off), daemon=True)
            down.start()
            self._pass(caller, target, cut_off, self.cut)
            down.join()

    def _refusal(self, head):
        """Returns what is said instead of connecting; nothing where it connects."""
        if self.hangs:
            return b""
        if self.answer is not None:
            return self.answer
        if self.credentials is None:
            return None
        wanted = b"Basic " + base64.b64encode(self.credentials.encode())
        shown = [line.partition(b": ")[2] for line in head.splitlines() if line.startswith(b"Proxy-Authorization: ")]
        if shown == [wanted]:
            return None
        return b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"store\"\r\n\r\n"

    @staticmethod
    def _pass(source, sink, cut_off, cut=None):
        """Passes on what comes, until its end. The answer to the bytes to cut at is never passed back."""
        try:
            while (data := source.recv(_CHUNK)) and not cut_off.is_set():
                cutting = cut is not None and cut in data
                if cutting:
                    cut_off.set()
                sink.sendall(data)
                if cutting:
                    _reset(source)
                    break
        except OSError:
            pass
        try:
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass
