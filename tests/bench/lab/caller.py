"""This is a terminal that asks: it keeps one connection, and as little Python as possible runs between question and
answer."""
import json
import socket
import time

from .peers import KEY

ORDER = json.dumps({"family": "tv", "produto": "TV Mensal", "valor": 4900, "cpf": "529.982.247-25"}).encode()
_LARGE = 1 << 16


class Answer:
    def __init__(self, status, body, seconds, sent):
        self.status = status
        self.body = body
        self.seconds = seconds  # from the question to the last byte
        self.sent = sent  # how many of the seconds passed until the question was taken

    @property
    def json(self):
        return json.loads(self.body)


class Caller:
    def __init__(self, port, patience_s=60):
        self._connection = socket.create_connection(("127.0.0.1", port), timeout=patience_s)
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.close()

    def get(self, target):
        return self._call("GET", target, "", b"")

    def sell(self, key):
        return self._call("POST", "/v1/sell", f"Idempotency-Key: {key}\r\nContent-Type: application/json\r\n", ORDER)

    def post(self, target, content_type, body):
        return self._call("POST", target, f"Content-Type: {content_type}\r\n", body)

    def _call(self, method, target, headers, body):
        text = (f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {KEY}\r\n{headers}"
                f"Content-Length: {len(body)}\r\n\r\n").encode()
        # A question goes in one packet where one is enough. A large body is not copied, because Python would halt all
        # its threads for that.
        parts = (text + body,) if len(body) < _LARGE else (text, body)
        began = time.monotonic()
        for part in parts:
            self._connection.sendall(part)
        sent = time.monotonic() - began
        received = self._more(b"")
        while (end := received.find(b"\r\n\r\n")) < 0:
            received = self._more(received)
        head = received[:end].decode()
        size = end + 4 + int(head.lower().partition("content-length:")[2].split()[0])
        while len(received) < size:
            received = self._more(received)
        return Answer(int(head.split()[1]), received[end + 4 :], time.monotonic() - began, sent)

    def _more(self, received):
        data = self._connection.recv(1 << 18)
        assert data, "the connection was closed before an answer came"
        return received + data
