"""Tests TLS towards the provider: who is trusted, and that nobody else is sent a byte of a request."""
import socket
import ssl
import threading

import pytest
from harness import orders
from harness.certificates import expired, make_authority, make_certificate, pin_of, signed
from harness.fake_provider import FakeProvider
from harness.waiting import eventually

# The gateway answers at once that nothing was sent, instead of waiting for a better time.
HASTY = {"provider.request_timeout": "2s", "sale.max_attempts": 1}


class Impostor:
    """A TLS server that keeps what a caller sends after the handshake, and which name was asked for."""

    def __init__(self, cert, key, prepare=None):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(str(cert), str(key))
        self.context.sni_callback = lambda _, name, __: self.names.append(name)
        if prepare:
            prepare(self.context)
        self.names, self.bytes, self.calls = [], b"", 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def port(self):
        return self.socket.getsockname()[1]

    def _serve(self):
        while True:
            try:
                caller, _ = self.socket.accept()
            except OSError:
                return
            self.calls += 1
            try:
                with caller:
                    self._speak(caller)
            except OSError:
                pass  # the caller did not accept it

    def _speak(self, caller):
        with self.context.wrap_socket(caller, server_side=True) as encrypted:
            while received := encrypted.recv(65536):
                self.bytes += received

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Eager(Impostor):
    """Sends an answer together with its last message of the handshake, before anything was asked."""

    def __init__(self, cert, key):
        self.files = (str(cert), str(key))
        super().__init__(cert, key)

    def _context(self):
        """Makes a context for each caller, because in a resumed session the last message is the caller's."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.files)
        context.maximum_version = ssl.TLSVersion.TLSv1_2  # this works in later versions, too
        return context

    def _speak(self, caller):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = self._context().wrap_bio(incoming, outgoing, server_side=True)
        shaken = False
        while received := caller.recv(65536):
            incoming.write(received)
            try:
                if shaken:
                    self.bytes += tls.read(65536)
                else:
                    tls.do_handshake()
                    shaken = True
                    tls.write(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
            except ssl.SSLWantReadError:
                pass
            caller.sendall(outgoing.read())


@pytest.fixture
def authority(tmp_path):
    return make_authority(tmp_path)


def old_versions(context):
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("DEFAULT:@SECLEVEL=0")


def of_localhost(folder, authority, name="provider"):
    return signed(folder, name, authority, names="DNS:localhost")


# Each has what the server shows, made in a folder with the trusted authority; further configuration; and the log's
# words.
IMPOSTORS = {
    "expired": (lambda folder, ours: expired(folder, "old", ours, names="DNS:localhost"), {}, "expired"),
    "self-signed": (lambda folder, _: make_certificate(folder, "self", names="DNS:localhost"), {}, "self-signed"),
    "of another name": (lambda folder, ours: signed(folder, "other", ours, names="DNS:other.example"), {}, "name"),
    "of an unknown authority":
        (lambda folder, _: of_localhost(folder, make_authority(folder, "stranger")), {}, "local issuer"),
    "with another key than the pinned one": (of_localhost, {"provider.pinned_key": ["ab" * 32]}, "pinned_key"),
}


@pytest.mark.parametrize("kind", IMPOSTORS)
def test_an_impostor_is_sent_not_a_byte_of_a_request(new_shop, tmp_path, authority, kind):
    make, more, words = IMPOSTORS[kind]
    impostor = Impostor(*make(tmp_path, authority))
    try:
        url = f"https://localhost:{impostor.port}"
        shop = new_shop({"provider.base_url": url, "provider.auth_url": url,
                         "provider.ca_file": str(authority[0])} | HASTY | more)
        shop.gateway.start()
        answer = shop.sell(orders.tv()).of(503, "provider_unavailable")
        assert answer.json["outcome"] == "not_sold"
        eventually(lambda: words in shop.gateway.run.text(), f"the log says why: {words}")
        assert impostor.calls > 0 and impostor.bytes == b""
        assert set(impostor.names) == {"localhost"}, "it was asked for the provider by its name"
    finally:
        impostor.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_server_of_an_old_version_is_sent_nothing_either(new_shop, tmp_path, authority):
    impostor = Impostor(*of_localhost(tmp_path, authority), old_versions)
    try:
        url = f"https://localhost:{impostor.port}"
        shop = new_shop({"provider.base_url": url, "provider.auth_url": url,
                         "provider.ca_file": str(authority[0])} | HASTY)
        shop.gateway.start()
        shop.sell(orders.tv()).of(503, "provider_unavailable")
        assert impostor.calls > 0 and impostor.bytes == b""
    finally:
        impostor.close()


def test_a_server_that_answers_before_it_was_asked_is_sent_nothing(new_shop, tmp_path, authority):
    eager = Eager(*of_localhost(tmp_path, authority))
    try:
        url = f"https://localhost:{eager.port}"
        shop = new_shop({"provider.base_url": url, "provider.auth_url": url,
                         "provider.ca_file": str(authority[0])} | HASTY)
        shop.gateway.start()
        shop.sell(orders.tv()).of(503, "provider_unavailable")
        eventually(lambda: eager.calls >= 3, "it is tried again")
        assert eager.bytes == b""
        assert "spoke before it was asked" in shop.gateway.run.text()
    finally:
        eager.close()


def https_provider(cert, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(cert), str(key))
    return FakeProvider(context)


def test_the_right_one_is_believed_and_its_sessions_are_resumed(new_shop, tmp_path, authority):
    """The impostors' certificates differ from this one. Every answer ends the connection, so that each call needs a new
    one."""
    cert, key = of_localhost(tmp_path, authority)
    provider = https_provider(cert, key)
    try:
        url = provider.url.replace("http://127.0.0.1", "https://localhost")
        shop = new_shop({"provider.base_url": url, "provider.auth_url": url, "provider.ca_file": str(authority[0]),
                         "provider.pinned_key": [pin_of(cert)]}, provider=provider)
        provider.close_after_each = True
        shop.gateway.start()
        for _ in range(5):
            shop.sell(orders.tv()).of(200)
        assert len(provider.sent("/venda/tv/solicitar")) == len(provider.sent("/venda/tv/confirmar")) == 5
        assert len(provider.resumed) >= 10, "each request came on a connection of its own"
        assert sum(provider.resumed) >= 5, provider.resumed
    finally:
        provider.close()


@pytest.mark.parametrize("known", [True, False])
def test_without_a_ca_file_the_systems_authorities_are_believed(new_shop, tmp_path, authority, known):
    cert, key = of_localhost(tmp_path, authority)
    provider = https_provider(cert, key)
    try:
        url = provider.url.replace("http://127.0.0.1", "https://localhost")
        # OpenSSL's own variable says where the system keeps its authorities.
        system = authority[0] if known else make_authority(tmp_path, "stranger")[0]
        shop = new_shop({"provider.base_url": url, "provider.auth_url": url} | HASTY, provider=provider,
                        wrapper=["/usr/bin/env", f"SSL_CERT_FILE={system}", f"SSL_CERT_DIR={tmp_path}/none"])
        shop.gateway.start()
        if known:
            eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "there is a token")
            shop.sell(orders.tv()).of(200)
        else:
            shop.sell(orders.tv()).of(503, "provider_unavailable")
            assert provider.requests == []
    finally:
        provider.close()
