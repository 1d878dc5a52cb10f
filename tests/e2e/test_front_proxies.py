"""Tests proxies in front of the terminals: who the caller is, for the log, the limits and the slow answers to wrong
keys."""
import socket
import ssl
import struct

import pytest
from harness.certificates import make_authority, make_certificate, signed
from harness.client import Background
from harness.processes import key_of
from harness.shop import Shop
from harness.waiting import eventually

# The front proxy calls from this address of the loopback, and strangers from others.
PROXY = "127.0.0.2"
STRANGER = "127.0.0.3"
CONFIG = {"listen.trusted_proxies": [PROXY, "10.0.0.0/8"], "log.level": "debug"}
HEADER = CONFIG | {"listen.proxy_protocol": True}
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def connected(shop, source=PROXY, listener="terminals"):
    return socket.create_connection(shop.gateway.ports[listener], timeout=60, source_address=(source, 0))


def text_of(caller):
    """Returns everything until the gateway closes the connection."""
    text = b""
    try:
        while received := caller.recv(65536):
            text += received
    except ConnectionResetError:
        pass  # it closed the connection with something of ours unread
    return text


def ask(caller, path="/v1/status", key=key_of("caixa-01"), forwarded=(), request_id="r"):
    """Sends one request, the last one of its connection. Returns its status, or 0 where there is no answer."""
    lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {key}", "Connection: close",
             f"X-Request-Id: {request_id}", *(f"X-Forwarded-For: {field}" for field in forwarded)]
    caller.sendall("\r\n".join([*lines, "", ""]).encode())
    return int((text_of(caller).split() + [0, 0])[1])


def caller_of(shop, request_id):
    """Returns the address in the log line of a request."""
    return shop.gateway.await_event("http.request", request=request_id)["remote"]


# --- X-Forwarded-For ---


@pytest.mark.parametrize("number, fields, caller", [
    (1, ["203.0.113.7"], "203.0.113.7"),
    (2, ["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
    (3, ["203.0.113.7, 10.1.1.1"], "203.0.113.7"),
    (4, ["198.51.100.1", "203.0.113.7", "10.1.1.1"], "203.0.113.7"),
    (5, ["203.0.113.7:51234"], "203.0.113.7"),
    (6, ["[2001:db8::7]:51234"], "2001:db8::7"),
    (7, ["::ffff:203.0.113.7"], "203.0.113.7"),
    (8, ["10.1.1.1"], "10.1.1.1"),
    (9, ["203.0.113.7, unknown"], PROXY),
    (10, ["203.0.113.7, unknown, 10.1.1.1"], "10.1.1.1"),
    (11, ["x" * 2000], PROXY),
    (12, [], PROXY),
])
def test_the_caller_is_whom_the_proxy_names(shop, number, fields, caller):
    with connected(shop) as proxy:
        assert ask(proxy, forwarded=fields, request_id=f"named-{number}") == 200
    assert caller_of(shop, f"named-{number}") == caller


def test_callbacks_come_through_a_proxy_too(shop):
    with connected(shop, listener="callbacks") as proxy:
        assert ask(proxy, "/callbacks", forwarded=["203.0.113.7"], request_id="callback") == 404
    assert caller_of(shop, "callback") == "203.0.113.7"


def test_nobody_else_is_believed(shop):
    with connected(shop, STRANGER) as stranger:
        assert ask(stranger, forwarded=["203.0.113.7"], request_id="stranger") == 200
    assert caller_of(shop, "stranger") == STRANGER


def test_the_admin_listener_believes_nobody(shop):
    with connected(shop, listener="admin") as proxy:
        assert ask(proxy, "/healthz", forwarded=["203.0.113.7"], request_id="admin") == 200
    assert caller_of(shop, "admin") == PROXY


def test_who_guesses_keys_behind_the_proxy_slows_down_nobody_else(shop):
    def guess(caller):
        with connected(shop) as proxy:
            return ask(proxy, key="wrong", forwarded=[caller])

    late = [Background(guess, "203.0.113.9") for _ in range(12)]
    shop.gateway.await_event("terminals.guessing", remote="203.0.113.9")
    assert guess("203.0.113.10") == 401
    assert {one.result() for one in late} == {401}
    told = shop.gateway.events("terminals.refused_key")
    assert {line["remote"] for line in told} == {"203.0.113.9", "203.0.113.10"}
    assert [line["remote"] for line in shop.gateway.events("terminals.guessing")] == ["203.0.113.9"]


def test_the_tills_behind_a_proxy_are_not_one_address(new_shop):
    shop = new_shop(CONFIG | {"limits.connections_per_address": 2}).start()
    tills = [connected(shop) for _ in range(6)]
    for number, till in enumerate(tills):
        assert ask(till, forwarded=[f"203.0.113.{number}"]) == 200
    strangers = [connected(shop, STRANGER) for _ in range(3)]
    assert text_of(strangers[2]) == b"", "one more than an address may have"
    assert shop.gateway.await_event("http.full")["remote"] == STRANGER


# --- the PROXY protocol ---


def line(source):
    return f"PROXY TCP4 {source} 192.0.2.1 51234 8080\r\n".encode()


def binary(source, command=0x21, more=b""):
    addresses = socket.inet_aton(source) + socket.inet_aton("192.0.2.1") + struct.pack("!HH", 51234, 8080) + more
    return SIGNATURE + struct.pack("!BBH", command, 0x11, len(addresses)) + addresses


@pytest.fixture(scope="module")
def header_shop(tmp_path_factory):
    store = Shop(tmp_path_factory.mktemp("header"), HEADER)
    try:
        yield store.start()
    finally:
        store.close()


@pytest.mark.parametrize("number, header, caller", [
    (1, line("203.0.113.7"), "203.0.113.7"),
    (2, b"PROXY TCP6 2001:db8::7 2001:db8::1 1 2\r\n", "2001:db8::7"),
    (3, b"PROXY UNKNOWN\r\n", PROXY),
    (4, binary("203.0.113.7"), "203.0.113.7"),
    (5, binary("203.0.113.7", more=b"\x03\x00\x04more"), "203.0.113.7"),
    (6, binary("203.0.113.7", command=0x20), PROXY),
])
def test_the_header_says_who_calls_and_wins(header_shop, number, header, caller):
    for listener, path, status in (("terminals", "/v1/status", 200), ("callbacks", "/callbacks", 404)):
        with connected(header_shop, listener=listener) as proxy:
            proxy.sendall(header)
            request_id = f"{listener}-{number}"
            assert ask(proxy, path, forwarded=["198.51.100.1"], request_id=request_id) == status
        assert caller_of(header_shop, request_id) == caller


@pytest.mark.parametrize("header", [b"", b"PROXY TCP4 203.0.113.7\r\n", line("203.0.113.7") * 2,
                                    SIGNATURE + b"\x21\x11\xff\xff", binary("203.0.113.7", command=0x31)])
def test_a_proxy_that_does_not_send_a_good_one_is_refused(header_shop, header):
    with connected(header_shop) as proxy:
        proxy.sendall(header)
        assert ask(proxy) == 400


@pytest.mark.parametrize("header", [line("203.0.113.7"), binary("203.0.113.7"), binary("203.0.113.7", command=0x20)])
def test_one_from_anybody_else_is_refused(header_shop, header):
    with connected(header_shop, STRANGER) as stranger:
        stranger.sendall(header)
        assert ask(stranger) == 400


def test_anybody_else_goes_on_as_themselves_without_one(header_shop):
    with connected(header_shop, STRANGER) as stranger:
        assert ask(stranger, forwarded=["203.0.113.7"], request_id="plain") == 200
    assert caller_of(header_shop, "plain") == STRANGER


def test_the_admin_listener_takes_none(header_shop):
    with connected(header_shop, listener="admin") as proxy:
        assert ask(proxy, "/healthz") == 200
    with connected(header_shop, listener="admin") as proxy:
        proxy.sendall(line("203.0.113.7"))
        assert ask(proxy, "/healthz") == 400


def test_it_comes_ahead_of_tls_and_a_certificate_is_still_asked_for(new_shop, tmp_path):
    authority = make_authority(tmp_path)
    cert, key = make_certificate(tmp_path, "store")
    own = signed(tmp_path, "caixa-01", authority)
    shop = new_shop(HEADER | {"listen.tls.cert": str(cert), "listen.tls.key": str(key),
                              "listen.tls.client_ca": str(authority[0])}).start()
    context = ssl.create_default_context(cafile=str(cert))
    context.load_cert_chain(*map(str, own))
    for header in (line("203.0.113.7"), binary("203.0.113.7")):
        with connected(shop) as plain:
            plain.sendall(header)
            with context.wrap_socket(plain, server_hostname="127.0.0.1") as proxy:
                assert ask(proxy, request_id="shown") == 200
    assert caller_of(shop, "shown") == "203.0.113.7"

    without = ssl.create_default_context(cafile=str(cert))
    with connected(shop) as plain:
        plain.sendall(line("203.0.113.7"))
        with pytest.raises(OSError), without.wrap_socket(plain, server_hostname="127.0.0.1") as proxy:
            assert ask(proxy) == 0
            raise OSError("it was answered with nothing")
    refused = shop.gateway.await_event("http.refused")
    assert refused["remote"] == "203.0.113.7"


@pytest.mark.parametrize("tls", [False, True])
def test_a_look_whether_it_is_there_makes_no_noise(new_shop, tmp_path, tls):
    changes = dict(HEADER)
    if tls:
        cert, key = make_certificate(tmp_path, "store")
        changes |= {"listen.tls.cert": str(cert), "listen.tls.key": str(key)}
    shop = new_shop(changes).start()
    before = len(shop.gateway.lines())
    for header in (b"", b"PROXY UNKNOWN\r\n", binary("127.0.0.1", command=0x20)):
        for reset in (False, True):
            caller = connected(shop)
            caller.sendall(header)
            if reset:
                caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            caller.close()
    eventually(lambda: shop.gateway.metric("gateway_http_connections", listener="terminals") == 0, "all are gone")
    shop.gateway.admin.get("/healthz", X_Request_Id="afterwards").of(200)
    caller_of(shop, "afterwards")  # everything that was logged before this is in the log by now
    assert [entry for entry in shop.gateway.lines()[before:] if entry.get("listener") == "terminals"] == []
