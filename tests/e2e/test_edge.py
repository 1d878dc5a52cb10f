"""Tests who is let in: the right key, the right certificate, in numbers that leave room for the others."""
import http.client
import socket
import ssl
import subprocess
import threading

import pytest
from harness import orders
from harness.certificates import make_authority, make_certificate, pin_of, signed
from harness.client import Terminal, plain_request
from harness.fake_provider import FakeProvider
from harness.orders import new_key
from harness.processes import APP_SECRET, key_of
from harness.waiting import eventually


def test_guessing_becomes_slow_and_a_right_key_from_there_does_not(shop):
    address = shop.gateway.ports["terminals"]
    for _ in range(10):
        Terminal(address, "a-guess").get("/v1/sales").of(401, "unauthorized")
    answers = []

    def guess():
        answers.append(Terminal(address, "a-guess").get("/v1/sales").status)

    guesses = [threading.Thread(target=guess) for _ in range(30)]
    for one in guesses:
        one.start()
    shop.gateway.await_event("terminals.guessing", remote="127.0.0.1", level="warn")
    shop.sell(orders.tv(), new_key()).of(200)
    for one in guesses:
        one.join()
    assert set(answers) == {401, 429} and answers.count(429) >= 10
    assert Terminal(address, "a-guess").get("/v1/sales").status in (401, 429)
    shop.till.get("/v1/sales").of(200)
    assert len(shop.gateway.events("terminals.guessing")) == 1


def test_one_address_leaves_room_for_the_others(new_shop):
    shop = new_shop({"limits.connections_per_address": 5}).start()
    address = shop.gateway.ports["terminals"]
    held = [socket.create_connection(address) for _ in range(5)]
    eventually(lambda: _is_turned_away(address), "the sixth is turned away")
    shop.gateway.await_event("http.full", remote="127.0.0.1")
    elsewhere = http.client.HTTPConnection(*address, source_address=("127.0.0.2", 0), timeout=60)
    elsewhere.request("GET", "/v1/sales", headers={"Authorization": f"Bearer {key_of('caixa-01')}"})
    assert elsewhere.getresponse().status == 200
    elsewhere.close()
    for one in held:
        one.close()
    eventually(lambda: not _is_turned_away(address), "there is room again")
    shop.sell(orders.tv(), new_key()).of(200)


def _is_turned_away(address):
    with socket.create_connection(address, timeout=60) as caller:
        caller.sendall(b"GET /v1/sales HTTP/1.1\r\nHost: x\r\n\r\n")
        try:
            return caller.recv(1) == b""
        except ConnectionResetError:
            return True


@pytest.fixture
def authority(tmp_path):
    return make_authority(tmp_path)


def encrypted_shop(new_shop, cert, key, changes=()):
    """Makes a store that uses TLS for its terminals and, for callbacks, for the provider."""
    shop = new_shop({"listen.tls.cert": str(cert), "listen.tls.key": str(key), **dict(changes)})
    shop.gateway.document["provider"]["callback_url"] = shop.callback_gate.url.replace("http:", "https:")
    shop.gateway.write_config()
    return shop.start()


def test_with_client_ca_a_key_is_good_only_with_its_terminals_certificate(new_shop, authority, tmp_path):
    cert, key = make_certificate(tmp_path, "store")
    shop = encrypted_shop(new_shop, cert, key, {"listen.tls.client_ca": str(authority[0])})
    address = shop.gateway.ports["terminals"]

    def till(shown, terminal="caixa-01"):
        context = ssl.create_default_context(cafile=str(cert))
        if shown:
            context.load_cert_chain(*map(str, shown))
        return Terminal(address, key_of(terminal), context)

    own = signed(tmp_path, "caixa-01", authority)
    by_name = signed(tmp_path, "second", authority, subject="x", names="DNS:caixa-02,IP:10.0.0.2")
    till(own).sell(orders.tv(), new_key()).of(200)
    till(by_name, "caixa-02").sell(orders.tv(), new_key()).of(200)
    till(own, "caixa-02").sell(orders.tv(), new_key()).of(401, "unauthorized")
    self_made = make_certificate(tmp_path, "caixa-01-of-nobody")
    for shown in (None, self_made):
        with pytest.raises((ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)):
            till(shown).get("/v1/sales")
    # Nobody else is asked for a certificate.
    context = ssl.create_default_context(cafile=str(cert))
    assert plain_request(shop.gateway.ports["callbacks"], "GET", "/", context=context).status == 404
    shop.gateway.admin.get("/healthz").of(200)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_only_modern_tls_is_spoken_to_terminals(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "store", algorithm=["rsa:2048"])  # an RSA key would allow old cipher suites
    address = encrypted_shop(new_shop, cert, key).gateway.ports["terminals"]

    def version_of(version, ciphers="DEFAULT:@SECLEVEL=0"):
        context = ssl.create_default_context(cafile=str(cert))
        context.minimum_version = context.maximum_version = version
        context.set_ciphers(ciphers)
        with socket.create_connection(address, timeout=60) as caller:
            with context.wrap_socket(caller, server_hostname="127.0.0.1") as encrypted:
                return encrypted.version()

    assert version_of(ssl.TLSVersion.TLSv1_3) == "TLSv1.3"
    assert version_of(ssl.TLSVersion.TLSv1_2, "ECDHE-RSA-AES128-GCM-SHA256") == "TLSv1.2"
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        with pytest.raises((ssl.SSLError, ConnectionError)):
            version_of(version)
    # These lack forward secrecy, or authenticated encryption.
    for cipher in ("AES256-GCM-SHA384", "AES128-SHA", "ECDHE-RSA-AES256-SHA384", "DHE-RSA-AES256-GCM-SHA384"):
        with pytest.raises((ssl.SSLError, ConnectionError)):
            version_of(ssl.TLSVersion.TLSv1_2, cipher)
    # This caller asks to renegotiate on an open connection, which "R" makes it do.
    client = ["openssl", "s_client", "-connect", f"{address[0]}:{address[1]}", "-tls1_2", "-CAfile", str(cert)]
    renewed = subprocess.run(client, input="R\n", capture_output=True, text=True, timeout=60)
    said = renewed.stdout + renewed.stderr
    assert "RENEGOTIATING" in said and "no renegotiation" in said, said


class RecordsByHand:
    """A caller whose TLS records are sent when the test says so, whole or in pieces."""

    def __init__(self, address, cert):
        self.caller = socket.create_connection(address, timeout=60)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        context = ssl.create_default_context(cafile=str(cert))
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="127.0.0.1")
        self.come_through(self.tls.do_handshake)
        self.send(self.outgoing.read())

    def come_through(self, step):
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                self.send(self.outgoing.read())
                self.incoming.write(self.caller.recv(65536))

    def send(self, data):
        self.caller.sendall(data)

    def record(self, text):
        self.tls.write(text)
        return self.outgoing.read()

    def read_until(self, end):
        answer = b""
        while end not in answer:
            answer += self.come_through(lambda: self.tls.read(65536))
        return answer


def test_tls_records_may_come_together_or_in_pieces(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "store")
    shop = encrypted_shop(new_shop, cert, key)
    request = b"GET /v1/nothing HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nX-Request-Id: %s\r\n\r\n"
    till = RecordsByHand(shop.gateway.ports["terminals"], cert)
    first, second = (till.record(request % (key_of("caixa-01").encode(), name)) for name in (b"one", b"two"))
    till.send(first + second)
    assert b"404" in till.read_until(b"X-Request-Id: two")

    third = till.record(request % (key_of("caixa-01").encode(), b"three"))
    for piece in (third[:3], third[3:40]):
        till.send(piece)
        # Others are served meanwhile: no thread spins while it waits for the rest.
        shop.gateway.admin.get("/healthz").of(200)
    till.send(third[40:])
    assert b"404" in till.read_until(b"X-Request-Id: three")


@pytest.mark.parametrize("pinned", ["its own", "another"])
def test_a_provider_with_another_key_than_the_pinned_one_is_told_nothing(new_shop, tmp_path, pinned):
    cert, key = make_certificate(tmp_path, "provider")
    other, _ = make_certificate(tmp_path, "other")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(cert), str(key))
    provider = FakeProvider(context)
    try:
        url = provider.url.replace("http:", "https:")
        shop = new_shop({"provider.base_url": url, "provider.auth_url": url, "provider.ca_file": str(cert),
                         "provider.pinned_key": [pin_of(cert if pinned == "its own" else other)]}, provider=provider)
        shop.gateway.start()
        if pinned == "its own":
            eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "there is a token")
            shop.sell(orders.tv(), new_key()).of(200)
        else:
            eventually(lambda: "provider.pinned_key" in shop.gateway.run.text(), "the log says why")
            shop.sell(orders.tv(), new_key(), wait=1).of(503, "provider_unavailable")
            assert provider.requests == []
    finally:
        provider.close()


# --- who may sell, see and ask what ---


@pytest.mark.parametrize("stranger, order, asked", [
    ("so-tv", orders.egift(), "/venda/egift/consulta-dinamica/12345678/Jogos"),  # its establishment, but another family
    ("loja-b-01", orders.tv(), "/venda/tv/consulta-dinamica/12345678/TV"),  # its family, but another establishment
])
def test_families_and_establishment_hold_in_every_call(new_shop, stranger, order, asked):
    shop = new_shop({"proxy.allow": ["/venda/*"]}).start()
    caller, key = shop.gateway.terminal(stranger), new_key()
    sold = shop.sell(order, key).of(200).json
    held = shop.sell(order | {"confirm": "manual"}).of(200).json
    caller.sell(order | {"estabelecimento": "12345678"}, new_key()).of(403, "forbidden")
    for sale in (sold, held):
        for path in ("", "/receipt"):
            caller.get(f"/v1/sales/{sale['id']}{path}").of(404, "not_found")
        caller.confirm(sale["id"]).of(404, "not_found")
        caller.cancel(sale["id"]).of(404, "not_found")
    for query in ("", f"?idExterno={sold['idExterno']}", f"?key={key}", "?status=EFETIVADA"):
        assert caller.get("/v1/sales" + query).of(200).json["sales"] == []
    caller.get("/v1/provider" + asked).of(403, "forbidden")
    if stranger == "so-tv":
        caller.get("/v1/options?family=egift&nomeMenu=Jogos").of(403, "forbidden")
    caller.cancel_key(key)  # a key of its own, whatever the letters
    assert shop.sale(sold["id"])["outcome"] == "sold" and shop.sale(held["id"])["outcome"] == "held"
    assert shop.till.get(f"/v1/sales/{sold['id']}/receipt").status == 200
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"


def test_options_are_asked_for_the_terminals_own_establishment(new_shop, provider):
    shop = new_shop(provider=provider).start()
    for terminal, own in (("caixa-01", "12345678"), ("loja-b-01", "87654321")):
        shop.gateway.terminal(terminal).get("/v1/options?family=tv&produto=TV%20Livre")
        assert f"/{own}/" in provider.requests[-1].target
    shop.till.get("/v1/options?family=tv&produto=TV%20Livre&estabelecimento=87654321").of(422, "invalid_request")


# --- the app-secret ---


def test_an_app_secret_in_the_configuration_itself_is_taken_and_warned_of_at_every_start(new_shop):
    shop = new_shop({"provider.app_secret_file": None, "provider.app_secret": APP_SECRET})
    for _ in range(2):
        shop.start()
        shop.sell(orders.tv()).of(200)
        said = shop.gateway.run.errors()
        assert said.startswith("warning: ") and "provider.app_secret: stands in the configuration itself" in said
        assert APP_SECRET not in said + shop.gateway.run.text()
        shop.gateway.run.kill()


def test_one_in_a_file_is_not(shop):
    assert shop.gateway.run.errors() == ""
