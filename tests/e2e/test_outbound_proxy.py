"""A chain lets nobody out except through its proxy: tests sales through it, and what becomes of them where it fails."""
import signal
import ssl

import pytest
from harness import orders
from harness.certificates import make_authority, make_certificate, pin_of, signed
from harness.connect_proxy import ConnectProxy
from harness.fake_provider import FakeProvider
from harness.waiting import eventually

# The gateway answers at once that nothing was sent, instead of waiting for a better time.
HASTY = {"provider.request_timeout": "1s", "provider.connect_timeout": "500ms", "sale.max_attempts": 1}
CREDENTIALS = "store-user-41c7:proxy-password-b30e"


@pytest.fixture
def proxy():
    proxy = ConnectProxy()
    yield proxy
    assert proxy.outside == b"", "what is not in the tunnel the proxy is not sent"
    proxy.close()


def credentials_file(folder, text=CREDENTIALS):
    path = folder / "proxy-credentials"
    path.touch(0o600)
    path.write_text(text + "\n")
    return str(path)


def never_sent(shop, words):
    """Nothing of the sale left, and everybody is told whose fault it is."""
    answer = shop.sell(orders.tv()).of(503, "provider_unavailable")
    assert answer.json["outcome"] == "not_sold" and answer.sale["reason"]["code"] == "never_sent"
    ready = shop.gateway.admin.get("/readyz").of(200).json
    degraded = {away["what"]: away["lastError"] for away in ready["degraded"]}
    assert words in degraded["provider"], degraded
    assert words in shop.gateway.await_event("outage.begun", service="provider")["detail"]


def sells_again(shop):
    eventually(lambda: shop.sell(orders.tv()).status == 200, "a sale as before")


def test_everything_goes_through_the_proxy(new_shop, proxy):
    shop = new_shop({"provider.proxy": proxy.url}).start()
    for make in (orders.tv, orders.egift, orders.transit):
        shop.sell(make()).of(200)
    assert proxy.asked_for() == {shop.gate.url.removeprefix("http://")}
    assert len(proxy.heads) < 6, "tunnels are used again"
    assert not any(b"Authorization" in head for head in proxy.heads)
    shop.check_books()


def test_tls_is_with_the_provider_whose_name_only_the_proxy_can_look_up(new_shop, proxy, tmp_path):
    authority = make_authority(tmp_path)
    cert, key = signed(tmp_path, "provider", authority, names="DNS:provider.invalid")
    own, own_key = make_certificate(tmp_path, "store")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(own)
    provider = FakeProvider(context)
    try:
        proxy.routes = {"provider.invalid:443": provider.address}
        url = "https://provider.invalid"
        new_shop({"provider.base_url": url, "provider.auth_url": url, "provider.proxy": proxy.url,
                  "provider.ca_file": str(authority[0]), "provider.pinned_key": [pin_of(cert)],
                  "provider.client_cert": str(own), "provider.client_key": str(own_key)},
                 provider=provider).start().sell(orders.tv()).of(200)
        assert proxy.asked_for() == {"provider.invalid:443"}
        assert provider.requests[0].headers["Host"] == "provider.invalid"
    finally:
        provider.close()


def test_a_certificate_of_another_name_is_refused_through_it(new_shop, proxy, tmp_path):
    authority = make_authority(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # The certificate has the proxy's own name, too. That does not help, because the provider itself has to prove its
    # identity.
    context.load_cert_chain(*signed(tmp_path, "other", authority, names="DNS:other.invalid,IP:127.0.0.1"))
    provider = FakeProvider(context)
    try:
        proxy.routes = {"provider.invalid:443": provider.address}
        url = "https://provider.invalid"
        shop = new_shop({"provider.base_url": url, "provider.auth_url": url, "provider.proxy": proxy.url,
                         "provider.ca_file": str(authority[0])} | HASTY, provider=provider)
        shop.gateway.start()
        assert shop.sell(orders.tv()).of(503, "provider_unavailable").json["outcome"] == "not_sold"
        words = f"provider.invalid through the proxy {proxy.url}: certificate refused"
        eventually(lambda: words in shop.gateway.run.text(), words)
        assert provider.requests == []
    finally:
        provider.close()


def test_credentials_open_the_proxy_and_are_never_written_down(new_shop, proxy, tmp_path):
    proxy.credentials = CREDENTIALS
    shop = new_shop({"provider.proxy": proxy.url, "provider.proxy_credentials_file": credentials_file(tmp_path),
                     "log.level": "debug"}).start()
    shop.sell(orders.tv()).of(200)
    text = shop.gateway.run.text()
    shop.gateway.stop()
    for secret in (*CREDENTIALS.split(":"), "Basic "):
        assert secret not in text
        assert secret.encode() not in b"".join(path.read_bytes() for path in shop.folder.glob("journal.db*"))


@pytest.mark.parametrize("shown, words", [(None, "wants credentials (407)"),
                                          ("store-user-41c7:old", "does not accept the credentials")])
def test_wrong_credentials_are_told_and_right_ones_are_taken_with_a_signal(new_shop, proxy, tmp_path, shown, words):
    changes = {"provider.proxy": proxy.url} | HASTY
    if shown:
        changes["provider.proxy_credentials_file"] = credentials_file(tmp_path, shown)
    shop = new_shop(changes).start()
    proxy.credentials = CREDENTIALS
    proxy.drop()
    never_sent(shop, f"the proxy {proxy.url} {words}")
    shop.gateway.document["provider"]["proxy_credentials_file"] = credentials_file(tmp_path)
    shop.gateway.write_config()
    shop.gateway.run.signal(signal.SIGHUP)
    shop.gateway.await_event("reload.done")
    assert not shop.gateway.events("reload.needs_restart")
    sells_again(shop)
    assert CREDENTIALS.split(":")[1] not in shop.gateway.run.text()


def shut(proxy):
    proxy.shut()


def hang(proxy):
    proxy.hangs = True


def answering(text):
    def say(proxy):
        proxy.answer = text

    return say


FAILURES = {
    "is down": (shut, "Connection refused"),
    "hangs": (hang, "did not answer in time"),
    "hangs within its answer": (answering(b"HTTP/1.1 200 Connection est"), "did not answer in time"),
    "answers what is no HTTP": (answering(b"SSH-2.0-OpenSSH_9.2\r\n"), "does not answer as a proxy does"),
    "answers without an end": (answering(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000), "does not answer as a proxy"),
    "forbids": (answering(b"HTTP/1.1 403 Filtered\r\n\r\n"), "refused to connect to"),
    "cannot connect": (answering(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nno!"), "could not connect to"),
    "sends more than its answer":
        (answering(b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "more than its answer"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_of_a_sale_through_a_proxy_that_fails_nothing_is_sent(new_shop, proxy, kind):
    fail, words = FAILURES[kind]
    shop = new_shop({"provider.proxy": proxy.url} | HASTY).start()
    fail(proxy)
    proxy.drop()
    never_sent(shop, words)
    assert f"the proxy {proxy.url}" in shop.gateway.events("outage.begun", service="provider")[0]["detail"]
    assert shop.sandbox.transactions() == []
    proxy.answer, proxy.hangs = None, False
    if kind == "is down":
        proxy.open()
    sells_again(shop)
    proxy.asked_for()
    shop.gateway.await_event("outage.over", service="provider")
    shop.check_books()


def test_a_request_that_is_lost_in_the_tunnel_is_cancelled(new_shop, proxy):
    shop = new_shop({"provider.proxy": proxy.url}).start()
    proxy.cut = b"POST /venda/tv/solicitar"
    proxy.drop()
    answer = shop.sell(orders.tv()).of(504, "sale_cancelled")
    assert answer.json["outcome"] == "not_sold"
    proxy.cut = None
    final = shop.settled(answer.sale["id"])
    states = [shop.sandbox.transaction(attempt["idExterno"])["status"] for attempt in final["attempts"]]
    assert states == ["CANCELADA"] * len(states), "the provider had all of them"
    shop.check_books()


def test_a_confirm_that_is_lost_in_the_tunnel_is_sent_again(new_shop, proxy):
    shop = new_shop({"provider.proxy": proxy.url}).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    proxy.cut = b"POST /venda/tv/confirmar"
    proxy.drop()
    confirming = shop.gateway.terminal().confirm(held["id"], wait=1)
    assert confirming.json["outcome"] in ("pending", "sold")
    proxy.cut = None
    proxy.drop()
    assert shop.settled(held["id"])["status"] == "EFETIVADA"
    assert shop.in_books(shop.sale(held["id"])) == "EFETIVADA"
