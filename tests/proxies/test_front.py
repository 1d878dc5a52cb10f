"""Terminals stand behind Debian's nginx and HAProxy: sales go through, and the gateway knows who calls."""
import http.client
import json
import ssl

import pytest
from harness import orders
from harness.certificates import make_authority, make_certificate, signed
from harness.orders import new_key
from harness.processes import key_of
from harness.waiting import eventually
from programs import FRONT, TILLS, free_port, haproxy, nginx, state_at_haproxy

TRUSTED = {"listen.trusted_proxies": [FRONT], "log.level": "debug"}
HEADER = TRUSTED | {"listen.proxy_protocol": True}


@pytest.fixture
def started():
    """Starts a proxy, and stops it at the end."""
    running = []

    def start(proxy):
        running.append(proxy)
        return proxy.start()

    yield start
    for proxy in running:
        proxy.kill()


def target(shop):
    return shop.gateway.ports["terminals"][1]


def sell(proxy, till, context=None, forged="198.51.100.1"):
    """Makes one sale through the proxy, from a till's address, with the connection's request id and a forged origin."""
    key = new_key()
    source = (till, 0)
    connection = (http.client.HTTPSConnection("127.0.0.1", proxy.port, timeout=60, source_address=source,
                                              context=context) if context else
                  http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60, source_address=source))
    try:
        connection.request("POST", "/v1/sell", json.dumps(orders.tv()), {
            "Authorization": f"Bearer {key_of('caixa-01')}", "Content-Type": "application/json",
            "Idempotency-Key": key, "X-Request-Id": key, "X-Forwarded-For": forged})
        answer = connection.getresponse()
        assert answer.status == 200, (answer.status, answer.read())
        assert json.loads(answer.read())["outcome"] == "sold"
    finally:
        connection.close()
    return key


def callers(shop, proxy, context=None):
    """Makes one sale of each till, twice, and returns the addresses that the log has of them."""
    keys = [sell(proxy, till, context) for till in TILLS * 2]
    return [shop.gateway.await_event("http.request", request=key)["remote"] for key in keys]


def test_nginx_adds_the_caller_to_x_forwarded_for(new_shop, started, tmp_path):
    shop = new_shop(TRUSTED).start()
    assert callers(shop, started(nginx(tmp_path, target(shop)))) == [*TILLS] * 2
    shop.check_books()


def test_haproxy_adds_the_caller_to_x_forwarded_for(new_shop, started, tmp_path):
    shop = new_shop(TRUSTED).start()
    proxy = started(haproxy(tmp_path, target(shop), backend=["option forwardfor", "http-reuse always"]))
    assert callers(shop, proxy) == [*TILLS] * 2


def test_without_trust_it_is_the_proxy_that_calls(new_shop, started, tmp_path):
    shop = new_shop({"log.level": "debug"}).start()
    assert callers(shop, started(nginx(tmp_path, target(shop)))) == [FRONT] * 4


@pytest.mark.parametrize("send", ["send-proxy", "send-proxy-v2", "send-proxy-v2 proxy-v2-options unique-id,crc32c"])
@pytest.mark.parametrize("mode", ["http", "tcp"])
def test_haproxy_sends_the_header(new_shop, started, tmp_path, send, mode):
    shop = new_shop(HEADER).start()
    assert callers(shop, started(haproxy(tmp_path, target(shop), mode, server=send))) == [*TILLS] * 2


def test_nginx_sends_the_header(new_shop, started, tmp_path):
    shop = new_shop(HEADER).start()
    assert callers(shop, started(nginx(tmp_path, target(shop), stream=True))) == [*TILLS] * 2


def with_tls(tmp_path):
    """Makes a listener that asks for certificates, and a till that has one."""
    authority = make_authority(tmp_path)
    cert, key = make_certificate(tmp_path, "store")
    context = ssl.create_default_context(cafile=str(cert))
    context.load_cert_chain(*map(str, signed(tmp_path, "caixa-01", authority)))
    return {"listen.tls.cert": str(cert), "listen.tls.key": str(key), "listen.tls.client_ca": str(authority[0])}, context


def test_tls_with_a_certificate_of_the_till_goes_through_haproxy(new_shop, started, tmp_path):
    changes, context = with_tls(tmp_path)
    shop = new_shop(HEADER | changes).start()
    proxy = started(haproxy(tmp_path, target(shop), "tcp", server="send-proxy-v2"))
    assert callers(shop, proxy, context) == [*TILLS] * 2


def test_tls_with_a_certificate_of_the_till_goes_through_nginx(new_shop, started, tmp_path):
    changes, context = with_tls(tmp_path)
    shop = new_shop(HEADER | changes).start()
    assert callers(shop, started(nginx(tmp_path, target(shop), stream=True)), context) == [*TILLS] * 2


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("send", ["", "send-proxy check-send-proxy", "send-proxy-v2 check-send-proxy"])
def test_haproxys_looks_whether_it_is_there_make_no_noise(new_shop, started, tmp_path, send, tls):
    port = free_port()
    changes = with_tls(tmp_path)[0] if tls else {}
    shop = new_shop((HEADER if send else TRUSTED) | changes | {"listen.terminals": f"127.0.0.1:{port}"})
    started(haproxy(tmp_path, port, "tcp", server=f"{send} check inter 50ms rise 10 fall 1"))
    eventually(lambda: state_at_haproxy(tmp_path) == "DOWN", "HAProxy finds no gateway")
    shop.start()
    eventually(lambda: state_at_haproxy(tmp_path) == "UP", "it has found one ten times in a row")
    shop.gateway.admin.get("/healthz", X_Request_Id="afterwards").of(200)
    shop.gateway.await_event("http.request", request="afterwards")
    told = [line for line in shop.gateway.lines() if line.get("listener") == "terminals"]
    assert [line["event"] for line in told] == ["listening"]


def test_a_proxy_that_forgets_the_header_is_refused(new_shop, started, tmp_path):
    shop = new_shop(HEADER).start()
    proxy = started(haproxy(tmp_path, target(shop)))
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
    connection.request("GET", "/v1/status")
    assert connection.getresponse().status in (400, 502)
    connection.close()
    assert shop.gateway.await_event("http.refused")["remote"] == FRONT
