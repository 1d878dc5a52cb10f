"""Tests the HTTP edge byte by byte on a socket: what the standard forbids to interpret freely, and what it requires."""
import http.client
import io
import json
import re
import socket

import pytest
from harness import orders
from harness.orders import new_key
from harness.processes import key_of
from harness.waiting import eventually

AUTHORIZATION = f"Authorization: Bearer {key_of('caixa-01')}\r\n".encode()


def head(line, *fields):
    named = b"".join(field.encode() + b"\r\n" for field in fields)
    return line.encode() + b" HTTP/1.1\r\nHost: store\r\n" + AUTHORIZATION + named + b"\r\n"


def a_sell(key, *fields, body=None):
    body = json.dumps(orders.tv()) if body is None else body
    return head("POST /v1/sell", "Content-Type: application/json", f"Idempotency-Key: {key}",
                f"Content-Length: {len(body)}", *fields) + body.encode()


def connected(shop, listener="terminals"):
    return socket.create_connection(shop.gateway.ports[listener], timeout=60)


def all_of(caller):
    """Returns everything until the gateway closes the connection."""
    text = b""
    try:
        while received := caller.recv(65536):
            text += received
    except ConnectionResetError:
        pass  # it closed the connection with something of ours unread
    return text


class Replayed:
    """Holds what was received, so that http.client can read answer after answer from it."""

    def __init__(self, text):
        self.stream = io.BytesIO(text)

    def makefile(self, *_):
        return self

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def close(self):
        pass


def answers_in(text, method="GET"):
    """Returns the answers one after the other, as (status, headers, body)."""
    replayed, answers = Replayed(text), []
    while replayed.stream.tell() < len(text):
        response = http.client.HTTPResponse(replayed, method=method)
        response.begin()
        answers.append((response.status, response.headers, response.read()))
    return answers


# --- what two readers could read in two ways ---

SELL = b"POST /v1/sell HTTP/1.1\r\nHost: store\r\n" + AUTHORIZATION + b"Content-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
SMUGGLING = {
    "length with transfer coding": b"Content-Length: 4\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
    "transfer coding with length": CHUNKED + b"Content-Length: 4\r\n\r\n0\r\n\r\n",
    "two lengths": b"Content-Length: 0\r\nContent-Length: 2\r\n\r\n{}",
    "the same length twice": b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "a list of lengths": b"Content-Length: 2, 2\r\n\r\n{}",
    "a signed length": b"Content-Length: +2\r\n\r\n{}",
    "an empty length": b"Content-Length: \r\n\r\n",
    "a length behind a control character": b"Content-Length: \x0b2\r\n\r\n{}",
    "a length with more behind it": b"Content-Length: 2 x\r\n\r\n{}",
    "a length in another base": b"Content-Length: 0x2\r\n\r\n{}",
    "obsolete folding": b"Content-Length: 0\r\nX-Long: a\r\n b\r\n\r\n",
    "folding of the first field": b"X: a\r\n\tContent-Length: 9\r\n\r\n",
    "bare line feed": b"Content-Length: 0\nX: a\r\n\r\n",
    "line feeds only": b"Content-Length: 0\n\n",
    "bare carriage return": b"X: a\rContent-Length: 9\r\n\r\n",
    "space before the colon": b"Content-Length : 0\r\n\r\n",
    "tab before the colon": b"Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n",
    "two transfer codings": b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "a transfer coding of another name": b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a transfer coding given twice": CHUNKED + CHUNKED + b"\r\n0\r\n\r\n",
    "a transfer coding after chunked": b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "a transfer coding with a parameter": b"Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n",
    "a transfer coding in quotes": b'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n',
    "a transfer coding behind a control character": b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "an empty transfer coding": b"Transfer-Encoding: \r\nContent-Length: 2\r\n\r\n{}",
    "a chunk size that is no number": CHUNKED + b"\r\n+2\r\n{}\r\n0\r\n\r\n",
    "a chunk size with a prefix": CHUNKED + b"\r\n0x2\r\n{}\r\n0\r\n\r\n",
    "a chunk size that overflows": CHUNKED + b"\r\n10000000000000002\r\n{}\r\n0\r\n\r\n",
    "a chunk size that is negative": CHUNKED + b"\r\n-2\r\n{}\r\n0\r\n\r\n",
    "a chunk size between spaces": CHUNKED + b"\r\n 2 \r\n{}\r\n0\r\n\r\n",
    "a chunk without a size": CHUNKED + b"\r\n\r\n{}\r\n0\r\n\r\n",
    "a chunk extension with a bare line feed": CHUNKED + b"\r\n2;a\n{}\r\n0\r\n\r\n",
    "a chunk extension with a bare carriage return": CHUNKED + b"\r\n2;a\rb\r\n{}\r\n0\r\n\r\n",
    "a trailer that is folded": CHUNKED + b"\r\n0\r\nX: a\r\n b\r\n\r\n",
    "a chunk without its end": CHUNKED + b"\r\n2\r\n{}XX0\r\n\r\n",
    "a chunk that ends with a bare line feed": CHUNKED + b"\r\n2\n{}\r\n0\r\n\r\n",
    "two hosts": b"Host: other\r\nContent-Length: 0\r\n\r\n",
    "a list of hosts": b"Content-Length: 0\r\n\r\n",
    "a field without a name": b": x\r\nContent-Length: 0\r\n\r\n",
    "a field without a colon": b"Content-Length 0\r\n\r\n",
    "a null in a name": b"Content-Length\0: 2\r\n\r\n{}",
    "a transfer coding in HTTP/1.0": CHUNKED + b"\r\n0\r\n\r\n",
    "a null in a field": b"X: a\0b\r\nContent-Length: 0\r\n\r\n",
}

# These are understood, and not accepted.
UNKNOWN_CODINGS = {"two transfer codings", "a transfer coding of another name"}

OTHER_SELLS = {"a list of hosts": SELL.replace(b"store", b"store, other"),
               "a transfer coding in HTTP/1.0": SELL.replace(b"HTTP/1.1", b"HTTP/1.0")}


@pytest.mark.parametrize("shape", SMUGGLING)
def test_an_ambiguous_request_is_refused_and_nothing_after_it_is_read(shop, shape):
    key = new_key()
    with connected(shop) as caller:
        caller.sendall(OTHER_SELLS.get(shape, SELL) + SMUGGLING[shape] + a_sell(key))
        answers = answers_in(all_of(caller))
    refused = (501, "not_implemented") if shape in UNKNOWN_CODINGS else (400, "bad_request")
    assert [(status, json.loads(body)["code"]) for status, _, body in answers] == [refused], shape
    assert answers[0][1]["Connection"] == "close"
    assert shop.till.get(f"/v1/sales?key={key}").of(200).json["sales"] == []


@pytest.mark.parametrize("listener", ["callbacks", "admin"])
@pytest.mark.parametrize("shape", ["length with transfer coding", "bare line feed"])
def test_so_it_is_by_the_other_listeners(shop, listener, shape):
    with connected(shop, listener) as caller:
        caller.sendall(b"POST /x HTTP/1.1\r\nHost: store\r\n" + SMUGGLING[shape] + b"GET /healthz HTTP/1.1\r\n\r\n")
        assert [status for status, _, _ in answers_in(all_of(caller))] == [400]


# --- limits ---


@pytest.mark.parametrize(
    "request_head, status",
    [
        (head("GET /v1/sales?" + "a" * 20_000), 414),
        (head("GET /v1/sales", "X-Large: " + "a" * 40_000), 431),
        (head("GET /v1/sales", *(f"X-{i}: a" for i in range(200))), 431),
        (b"GET /" + b"a" * 200_000, 414),
        (b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * 50_000, 431),
    ],
    ids=["target", "field", "fields", "a target without an end", "fields without an end"],
)
def test_a_header_beyond_its_limits_is_refused(shop, request_head, status):
    with connected(shop) as caller:
        try:
            caller.sendall(request_head)
        except ConnectionError:
            pass  # it was refused before it had come to its end
        answers = answers_in(all_of(caller))
    assert [answer[0] for answer in answers] == [status] and answers[0][1]["Connection"] == "close"


# --- what the standard asks for ---


def test_pipelined_requests_are_answered_one_after_the_other(shop):
    key = new_key()
    names = ["first", "second", "third"]
    requests = [head("GET /v1/sales?limit=1", "X-Request-Id: first"), a_sell(key, "X-Request-Id: second"),
                head(f"GET /v1/sales?key={key}", "X-Request-Id: third", "Connection: close")]
    with connected(shop) as caller:
        caller.sendall(b"".join(requests))
        answers = answers_in(all_of(caller))
    assert [status for status, _, _ in answers] == [200, 200, 200]
    assert [headers["X-Request-Id"] for _, headers, _ in answers] == names
    sold, listed = json.loads(answers[1][2]), json.loads(answers[2][2])
    assert [sale["id"] for sale in listed["sales"]] == [sold["id"]], "the third saw what the second did"


def test_a_body_is_asked_for_where_the_caller_waits_for_that(shop):
    body = json.dumps(orders.tv())
    request = a_sell(new_key(), "Expect: 100-continue", "Connection: close")
    with connected(shop) as caller:
        caller.sendall(request[: -len(body)])
        received = b""
        while b"\r\n\r\n" not in received:
            received += caller.recv(1)
        assert received.startswith(b"HTTP/1.1 100 ")
        caller.sendall(body.encode())
        assert [status for status, _, _ in answers_in(all_of(caller))] == [200]


def test_a_body_that_would_not_be_read_is_not_asked_for(shop):
    with connected(shop) as caller:
        caller.sendall(head("POST /v1/sell", "Content-Type: application/json", "Content-Length: 10000000",
                            "Expect: 100-continue"))
        assert [status for status, _, _ in answers_in(all_of(caller))] == [413]


def test_head_says_what_get_would_without_the_body_and_the_connection_goes_on(shop):
    with connected(shop) as caller:
        caller.sendall(head("GET /openapi.json", "Connection: close"))
        ((_, asked, body),) = answers_in(all_of(caller))
    with connected(shop) as caller:
        caller.sendall(head("HEAD /openapi.json") + head("GET /v1/sales?limit=1", "Connection: close"))
        received = all_of(caller)
    told, rest = received.split(b"\r\n\r\n", 1)
    assert told.startswith(b"HTTP/1.1 200 ")
    assert re.search(rb"(?i)content-length: (\d+)", told)[1] == asked["Content-Length"].encode()
    assert len(body) == int(asked["Content-Length"]) > 0
    assert [status for status, _, _ in answers_in(rest)] == [200], "what follows the header is the next answer"


@pytest.mark.parametrize("fields, stays", [((), False), (("Connection: keep-alive",), True)])
def test_an_old_caller_is_answered_and_its_connection_closed_unless_it_asks_otherwise(shop, fields, stays):
    request = head("GET /v1/sales?limit=1", *fields).replace(b" HTTP/1.1", b" HTTP/1.0")
    last = head("GET /v1/sales?limit=1").replace(b" HTTP/1.1", b" HTTP/1.0")
    with connected(shop) as caller:
        caller.sendall(request + last)
        answers = answers_in(all_of(caller))
    assert [status for status, _, _ in answers] == ([200, 200] if stays else [200])
    assert all("Transfer-Encoding" not in headers for _, headers, _ in answers)


def test_a_half_closed_caller_still_gets_its_answer(shop):
    with connected(shop) as caller:
        caller.sendall(a_sell(new_key()))
        caller.shutdown(socket.SHUT_WR)
        ((status, _, body),) = answers_in(all_of(caller))
    assert status == 200 and json.loads(body)["outcome"] == "sold"


def test_a_caller_that_hangs_up_after_its_sell_changes_nothing_about_the_sale(shop):
    key = new_key()
    with connected(shop) as caller:
        caller.sendall(a_sell(key))
    eventually(lambda: [sale["outcome"] for sale in shop.till.get(f"/v1/sales?key={key}").json["sales"]] == ["sold"],
               "it is sold all the same")
