"""Tests where the provider is and how it is reached: HTTPS, certificates, path prefixes, and the callbacks' way
back."""
import ssl

import pytest
from harness import orders
from harness.certificates import make_certificate
from harness.client import Terminal
from harness.fake_provider import FakeProvider
from harness.processes import key_of


@pytest.fixture
def https_provider(tmp_path):
    """Makes a provider that serves HTTPS with a certificate of its own; `ask` is the authority whose client
    certificates it wants."""
    made = []

    def make(ask=None):
        cert, key = make_certificate(tmp_path, "provider")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        if ask:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(ask)
        made.append(FakeProvider(context))
        return made[-1], cert

    yield make
    for provider in made:
        provider.close()


def https_shop(new_shop, provider, changes):
    """Makes a store that reaches the provider by HTTPS, through the gate as usual."""
    shop = new_shop(changes, provider=provider)
    url = shop.gate.url.replace("http:", "https:")
    shop.gateway.document["provider"] |= {"base_url": url, "auth_url": url}
    shop.gateway.write_config()
    return shop


def test_a_provider_is_reached_by_https_and_believed_by_its_certificate(new_shop, https_provider):
    provider, cert = https_provider()
    shop = https_shop(new_shop, provider, {"provider.ca_file": str(cert)}).start()
    for make in (orders.tv, orders.transit):
        shop.sell(make()).of(200)
    assert len(provider.sent("/venda/tv/solicitar")) == 1


def test_a_provider_with_a_strangers_certificate_is_sent_nothing(new_shop, https_provider, tmp_path):
    provider, _ = https_provider()
    stranger, _ = make_certificate(tmp_path, "stranger")
    changes = {"provider.ca_file": str(stranger), "provider.request_timeout": "1s", "sale.max_attempts": 1}
    shop = https_shop(new_shop, provider, changes)
    shop.gateway.start()
    answer = shop.sell(orders.tv()).of(503, "provider_unavailable")
    assert answer.sale["reason"]["code"] == "never_sent" and answer.json["outcome"] == "not_sold"
    assert provider.requests == [], "not even the credentials"


def test_a_certificate_is_shown_to_a_provider_that_asks_for_one(new_shop, https_provider, tmp_path):
    own, own_key = make_certificate(tmp_path, "store")
    provider, cert = https_provider(ask=own)
    changes = {"provider.ca_file": str(cert), "provider.client_cert": str(own), "provider.client_key": str(own_key)}
    https_shop(new_shop, provider, changes).start().sell(orders.tv()).of(200)


def test_without_the_certificate_that_it_asks_for_nothing_is_sold(new_shop, https_provider, tmp_path):
    own, _ = make_certificate(tmp_path, "store")
    provider, cert = https_provider(ask=own)
    changes = {"provider.ca_file": str(cert), "provider.request_timeout": "1s", "sale.max_attempts": 1}
    shop = https_shop(new_shop, provider, changes)
    shop.gateway.start()
    assert shop.sell(orders.tv()).json["outcome"] == "not_sold"
    assert provider.requests == []


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_addresses_may_have_a_path_of_their_own(new_shop, provider, slash):
    shop = new_shop(provider=provider)
    addresses = {"base_url": shop.gate.url + "/api/v2" + slash, "auth_url": shop.gate.url + "/login" + slash}
    shop.gateway.document["provider"] |= addresses
    shop.gateway.document["proxy"] = {"allow": ["/catalogo"]}
    shop.gateway.write_config()
    provider.on("/login/authorization/token", lambda request: (200, provider.token()))
    shop.start()
    sale = shop.sell(orders.tv()).of(200).json
    assert shop.till.get("/v1/provider/catalogo").json == {"mensagem": "nada"}
    paths = [request.path for request in provider.requests]
    assert paths == ["/login/authorization/token", "/api/v2/venda/tv/solicitar", "/api/v2/venda/tv/confirmar",
                     "/api/v2/catalogo"], sale


def test_the_list_of_a_day_is_below_the_path_of_the_address(new_shop, provider):
    shop = new_shop({"provider.list_path": "/list?day={day}"}, provider=provider)
    shop.gateway.document["provider"]["base_url"] = shop.gate.url + "/api"
    shop.gateway.write_config()
    provider.on("/api/list", lambda request: (200, []))
    shop.start()
    report = shop.gateway.admin.post("/v1/statements/from-provider?day=2024-05-02").of(201).json
    assert (report["statement"]["source"], report["statement"]["day"]) == ("list", "2024-05-02")


def test_callbacks_come_by_https_too(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "store")
    changes = {"listen.tls.cert": str(cert), "listen.tls.key": str(key)}
    shop = new_shop(changes, sandbox={"--callback-ca": str(cert)})
    shop.gateway.document["provider"]["callback_url"] = shop.callback_gate.url.replace("http:", "https:")
    shop.gateway.write_config()
    shop.start()
    context = ssl.create_default_context(cafile=str(cert))
    till = Terminal(shop.gateway.ports["terminals"], key_of("caixa-01"), context)
    answer = till.sell(orders.esim(), "k-1")
    assert answer.status in (200, 202)
    assert shop.settled(answer.json["id"])["status"] == "EFETIVADA"


def test_listeners_may_be_of_ipv6(new_shop):
    shop = new_shop({"listen.terminals": "[::1]:0"}).start()
    assert shop.till.address[0] == "::1"
    shop.sell(orders.tv()).of(200)
