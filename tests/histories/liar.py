"""A proxy in front of the gateway that lies to tills. Each lie is what a gateway with a fault would do."""
import json
import re
import socket
import threading

from wire import Line, Place, message_from

_KEY = re.compile(rb"\r\nIdempotency-Key: ([^\r]*)")


class Exchange:
    """A request on its way through the proxy."""

    def __init__(self, head, body, line):
        self.head, self.body, self._line = head, body, line
        self.what = head[: head.index(b" HTTP/1.1")]
        found = _KEY.search(head)
        self.key = found and found[1]
        self.till = re.search(rb"\r\nAuthorization: ([^\r]*)", head)[1]

    def asked(self, head=None, body=None):
        """Returns what the gateway answers, to another request perhaps: a head and a body."""
        body = self.body if body is None else body
        head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(body), head or self.head)
        while True:
            self._line.connect()
            if answer := self._line.exchange(head + body):
                return answer

    def with_key(self, key):
        return _KEY.sub(b"\r\nIdempotency-Key: " + key, self.head)


def _as_answer(status, document):
    body = json.dumps(document).encode()
    return b"HTTP/1.1 %d OK\r\nContent-Type: application/json\r\n" % status, body


# --- lies: each returns the answer, or nothing where this exchange is not lied about; `seen` is what it remembers ---


def swaps_the_outcome(exchange, seen):
    if exchange.what.startswith(b"GET /v1/sales/"):
        head, body = exchange.asked()
        goods = {"instrucao": None, "complemento": None, "receipt": None}
        lie = {"outcome": "not_sold", "status": "CANCELADA"} | goods if b'"outcome":"sold"' in body else {}
        return head, json.dumps(json.loads(body) | lie).encode()


def goes_back(exchange, seen):
    """A GET is answered with what a call was told of the sale before it was decided."""
    head, body = exchange.asked()
    sale = json.loads(body)
    if "id" in sale and sale["outcome"] in ("held", "pending"):
        seen.setdefault(b"GET /v1/sales/" + sale["id"].encode(), body)
    return head, seen.get(exchange.what, body)


def forgets_a_key(exchange, seen):
    """A repeat becomes a sale of its own."""
    if exchange.what == b"POST /v1/sell" and seen.setdefault((exchange.till, exchange.key), exchange) is not exchange:
        return exchange.asked(exchange.with_key(exchange.key + b"-again"))


def forgets_a_cancelled_key(exchange, seen):
    name = (exchange.till, exchange.key)
    if exchange.what == b"POST /v1/cancel":
        seen[name] = True
    elif exchange.what == b"POST /v1/sell" and name in seen:
        return exchange.asked(exchange.with_key(exchange.key + b"-again"))


def swallows_a_cancel(exchange, seen):
    if exchange.what == b"POST /v1/cancel":
        return _as_answer(200, {"outcome": "not_sold"})


def takes_any_order_for_the_first(exchange, seen):
    if exchange.what == b"POST /v1/sell":
        first = seen.setdefault((exchange.till, exchange.key), exchange.body)
        return exchange.asked(body=first)


def hides_that_it_is_a_repeat(exchange, seen):
    head, body = exchange.asked()
    return head.replace(b"Idempotency-Replayed: true", b"Something: else"), body


def says_that_it_did_nothing(exchange, seen):
    if exchange.what == b"POST /v1/sell":
        exchange.asked()
        return _as_answer(503, {"code": "overloaded"})


def mixes_up_two_sales(exchange, seen):
    if exchange.what.startswith(b"GET /v1/sales/"):
        before = seen.get("one")
        seen["one"] = exchange.asked()
        return before


def confirms_without_being_asked(exchange, seen):
    if exchange.what == b"POST /v1/sell" and b'"manual"' in exchange.body:
        head, body = exchange.asked()
        if (sale := json.loads(body)).get("outcome") == "held":
            path = b"POST /v1/sales/" + sale["id"].encode() + b"/confirm"
            exchange.asked(_KEY.sub(b"", exchange.head.replace(b"POST /v1/sell", path)), b"")
        return head, body


def does_not_confirm(exchange, seen):
    if exchange.what.endswith(b"/confirm"):
        return exchange.asked(exchange.head.replace(b"POST", b"GET").replace(b"/confirm HTTP", b" HTTP"))


def hands_over_too_early(exchange, seen):
    head, body = exchange.asked()
    return head, body.replace(b'"receipt":null', b'"receipt":["goods"]')


LIES = [swaps_the_outcome, goes_back, forgets_a_key, forgets_a_cancelled_key, swallows_a_cancel,
        takes_any_order_for_the_first, hides_that_it_is_a_repeat, says_that_it_did_nothing, mixes_up_two_sales,
        confirms_without_being_asked, does_not_confirm, hands_over_too_early]  # fmt: skip


class Liar:
    """Passes on what comes, and tells its lie wherever it can. Its `place` is where tills find it."""

    def __init__(self, gateway, lie):
        self._gateway, self._lie, self._seen = gateway, lie, {}
        self._server = socket.create_server(("127.0.0.1", 0))
        self.place = Place()
        self.place.move(self._server.getsockname())
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                till, _ = self._server.accept()
            except OSError:  # closed
                return
            till.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(till,), daemon=True).start()

    def _serve(self, till):
        line, rest = Line(self._gateway), b""
        try:
            while message := message_from(till, rest):
                head, body, rest = message
                exchange = Exchange(head, body, line)
                head, body = self._lie(exchange, self._seen) or exchange.asked()
                head = re.sub(rb"(?i)\r\ncontent-length: \d+", b"", head.rstrip(b"\r\n"))
                till.sendall(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        except OSError:  # the till has hung up
            pass
        line.hang_up()
        till.close()

    def close(self):
        self._server.close()
