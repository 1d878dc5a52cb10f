"""Sales go through Debian's tinyproxy."""
import ssl

import pytest
from harness import orders
from harness.certificates import make_authority, signed
from harness.fake_provider import FakeProvider
from harness.waiting import eventually
from programs import tinyproxy

HASTY = {"provider.request_timeout": "2s", "sale.max_attempts": 1}
USER, PASSWORD = "store-user", "proxy-password-b30e"


@pytest.fixture
def proxy_with(tmp_path):
    """Makes a tinyproxy with further lines of configuration, and starts it."""
    made = []

    def make(*lines):
        made.append(tinyproxy(tmp_path, *lines))
        return made[-1].start()

    yield make
    for proxy in made:
        proxy.kill()


def url_of(proxy):
    return f"http://127.0.0.1:{proxy.port}"


def through(proxy, tmp_path, credentials=None):
    changes = {"provider.proxy": url_of(proxy)}
    if credentials:
        file = tmp_path / "proxy-credentials"
        file.touch(0o600)
        file.write_text(credentials + "\n")
        changes["provider.proxy_credentials_file"] = str(file)
    return changes


def never_sent(shop, words):
    answer = shop.sell(orders.tv()).of(503, "provider_unavailable")
    assert answer.json["outcome"] == "not_sold"
    eventually(lambda: words in shop.gateway.run.text(), words)


def test_every_family_is_sold_through_it(new_shop, proxy_with, tmp_path):
    shop = new_shop(through(proxy_with(), tmp_path)).start()
    for make in (orders.tv, orders.egift, orders.transit, orders.health):
        shop.sell(make()).of(200)
    shop.check_books()


@pytest.fixture
def https_provider(tmp_path):
    made = []

    def make(names):
        authority = make_authority(tmp_path)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*signed(tmp_path, "provider", authority, names=names))
        made.append(FakeProvider(context))
        url = made[-1].url.replace("http://127.0.0.1", "https://localhost")
        return made[-1], {"provider.base_url": url, "provider.auth_url": url, "provider.ca_file": str(authority[0])}

    yield make
    for provider in made:
        provider.close()


def test_tls_is_made_through_it(new_shop, proxy_with, https_provider, tmp_path):
    provider, changes = https_provider("DNS:localhost")
    shop = new_shop(through(proxy_with(), tmp_path) | changes, provider=provider).start()
    for _ in range(3):
        shop.sell(orders.tv()).of(200)


def test_a_certificate_of_another_name_is_refused_through_it(new_shop, proxy_with, https_provider, tmp_path):
    provider, changes = https_provider("DNS:other.example,IP:127.0.0.1")
    shop = new_shop(through(proxy_with(), tmp_path) | changes | HASTY, provider=provider)
    shop.gateway.start()
    never_sent(shop, "certificate refused")
    assert provider.requests == []


def test_with_the_right_credentials_it_lets_through(new_shop, proxy_with, tmp_path):
    proxy = proxy_with(f"BasicAuth {USER} {PASSWORD}")
    shop = new_shop(through(proxy, tmp_path, f"{USER}:{PASSWORD}")).start()
    shop.sell(orders.tv()).of(200)
    assert PASSWORD not in shop.gateway.run.text()


@pytest.mark.parametrize("credentials, words", [(None, "wants credentials (407)"),
                                                (f"{USER}:wrong", "does not accept the credentials")])
def test_without_them_nothing_is_sent(new_shop, proxy_with, tmp_path, credentials, words):
    proxy = proxy_with(f"BasicAuth {USER} {PASSWORD}")
    shop = new_shop(through(proxy, tmp_path, credentials) | HASTY)
    shop.gateway.start()
    never_sent(shop, f"the proxy {url_of(proxy)} {words}")


def test_a_port_that_it_forbids_is_told(new_shop, proxy_with, tmp_path):
    proxy = proxy_with("ConnectPort 443")
    shop = new_shop(through(proxy, tmp_path) | HASTY)
    shop.gateway.start()
    never_sent(shop, f"the proxy {url_of(proxy)} refused to connect to")
    assert "(403)" in shop.gateway.run.text()


def test_a_provider_that_it_does_not_reach_is_told(new_shop, proxy_with, tmp_path):
    proxy = proxy_with()
    shop = new_shop(through(proxy, tmp_path) | HASTY).start()
    shop.gate.shut()
    never_sent(shop, f"the proxy {url_of(proxy)} could not connect to")
    shop.gate.open()
    eventually(lambda: shop.sell(orders.tv()).status == 200, "a sale as before")
    shop.check_books()


def test_when_it_is_killed_nothing_is_lost_and_sales_go_on_with_its_return(new_shop, proxy_with, tmp_path):
    proxy = proxy_with()
    shop = new_shop(through(proxy, tmp_path) | HASTY).start()
    shop.sell(orders.tv()).of(200)
    proxy.kill()
    never_sent(shop, f"the proxy {url_of(proxy)} at ")
    proxy.start()
    eventually(lambda: shop.sell(orders.tv()).status == 200, "a sale as before")
    shop.check_books()
