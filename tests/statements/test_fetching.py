"""The commands of sales-gateway-statements.service run as they stand, with Debian's sftp and sshd."""
import os
import resource
import subprocess

import pytest
from harness.client import Background
from harness.waiting import eventually
from sftp_server import SftpServer, Unit
from test_reconcile import CONFIG, bring, findings, kinds, open_store

# This is sftp's exit code for a provider that cannot be reached, or is another one; for a file that it did not get, it
# is 1.
NO_CONNECTION = 255
# This is more than fits into what is under way on a connection.
LARGE = b"x" * (8 << 20)


@pytest.fixture
def server():
    server = SftpServer()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def fetch(server, tmp_path):
    return Fetch(server, tmp_path)


class Fetch:
    """Makes the service, with folders of the test's own."""

    def __init__(self, server, folder):
        self.folder, self.credentials, self.etc = (folder / name for name in ("statements", "credentials", "etc"))
        for one in (self.folder, self.credentials, self.etc):
            one.mkdir()
        key = self.credentials / "sftp_key"
        key.write_bytes(server.key.read_bytes())
        key.chmod(0o600)
        self.trust(server)
        self.unit = Unit("sales-gateway-statements.service", {
            "/var/lib/sales-gateway-statements": self.folder,
            "/etc/sales-gateway": self.etc,
            "sftp://loja-12345678@sftp.provider.example:22": f"sftp://{server.user}@127.0.0.1:{server.gate.address[1]}",
            "FOLDER=/statements": f"FOLDER={server.outgoing}",
        })

    def trust(self, server):
        (self.etc / "sftp_known_hosts").write_text(server.host_keys())

    def name(self, ago=1):
        """Returns the name that the file of a day has there."""
        pattern = self.unit.environment()["FILE"]
        done = subprocess.run(["date", "-d", f"{ago} days ago", f"+{pattern}"], capture_output=True, text=True,
                              check=True)
        return done.stdout.strip()

    def run(self, before=None):
        environment = self.unit.environment() | {"PATH": os.environ["PATH"],
                                                 "CREDENTIALS_DIRECTORY": str(self.credentials)}
        return self.unit.run(environment, before)

    def there(self):
        """Returns every file of the folder, hidden ones too, and when each came."""
        return {one.name: (one.read_bytes(), one.stat().st_ino, one.stat().st_mtime_ns)
                for one in self.folder.iterdir()}

    def bytes_there(self):
        return {name: file[0] for name, file in self.there().items()}


def test_what_is_fetched_is_read_and_what_was_injected_is_found(server, fetch, new_shop):
    store = open_store(new_shop, CONFIG | {"statement.folder": str(fetch.folder)})
    missing, other = (sale["idExterno"] for sale in store.sold)
    injected = (("missing", missing), ("amount", f"{other}:1"), ("status", store.cancelled["idExterno"] + ":EFETIVADA"),
                ("unknown", "01J0ABCDEF0123456789ABCDEF:500"))
    server.put(fetch.name(), store.sandbox.statement(("day", store.day), *injected))
    assert fetch.run()[0] == 0
    assert store.gateway.await_event("statement.read", source="folder")["findings"] == len(injected)
    assert kinds({"findings": findings(store)}) == ["amount_differs", "missing_there", "sold_there", "unknown_here"]

    before = fetch.there()
    assert fetch.run()[0] == 0
    assert fetch.there() == before, "the file is not even replaced by its like"
    assert bring(store, before[fetch.name()][0]).of(200).json["alreadyImported"], "and the gateway knows it"
    assert len(findings(store)) == len(injected)

    server.put(fetch.name(), store.sandbox.statement(("day", store.day)))
    assert fetch.run()[0] == 0
    eventually(lambda: findings(store, "?open=true") == [], "a corrected file is read, and closes what it corrects")
    assert len(store.gateway.events("statement.read")) == 2


def test_a_file_that_is_not_there_yet_is_fetched_later(server, fetch):
    server.put(fetch.name(3), b"of three days ago")
    status, said = fetch.run()
    assert status == 1 and f"<4>{fetch.name()} is not there yet" in said
    assert fetch.bytes_there() == {fetch.name(3): b"of three days ago"}, "what was late before comes all the same"
    server.put(fetch.name(), b"of yesterday")
    assert fetch.run()[0] == 0
    assert fetch.bytes_there() == {fetch.name(3): b"of three days ago", fetch.name(): b"of yesterday"}


def test_a_connection_that_is_cut_leaves_nothing_half(server, fetch):
    (fetch.folder / fetch.name()).write_bytes(b"of before")
    server.put(fetch.name(), LARGE)
    server.put(fetch.name(7), LARGE)
    server.gate.trickle = 2048
    running = Background(fetch.run)
    half = fetch.folder / ".incoming"
    eventually(lambda: half.exists() and half.stat().st_size > 1 << 20, "much of the file is there")
    server.gate.drop()
    status, said = running.result()
    assert status == NO_CONNECTION, said
    assert fetch.bytes_there() == {fetch.name(): b"of before"}
    server.gate.trickle = None
    assert fetch.run()[0] == 0
    assert fetch.bytes_there() == {fetch.name(): LARGE, fetch.name(7): LARGE}


def test_what_an_end_without_a_word_left_is_neither_read_nor_in_the_way(server, fetch):
    (fetch.folder / ".incoming").write_bytes(b"half")
    server.put(fetch.name(), b"of yesterday")
    assert fetch.run()[0] == 0
    assert fetch.bytes_there() == {fetch.name(): b"of yesterday"}


def test_another_host_key_is_refused(server, fetch):
    server.put(fetch.name(), b"of yesterday")
    server.process.kill()
    server.start()
    status, said = fetch.run()
    assert status == NO_CONNECTION and "Host key verification failed" in said
    assert fetch.there() == {}
    fetch.trust(server)
    assert fetch.run()[0] == 0


def test_a_server_that_nobody_named_is_refused(server, fetch):
    (fetch.etc / "sftp_known_hosts").write_text("")
    server.put(fetch.name(), b"of yesterday")
    status, said = fetch.run()
    assert status == NO_CONNECTION and "Host key verification failed" in said
    assert fetch.there() == {}


def test_a_key_that_the_provider_does_not_know_asks_nobody_for_a_password(server, fetch):
    (server.folder / "key.pub").write_text("")
    server.put(fetch.name(), b"of yesterday")
    status, said = fetch.run()
    assert status == NO_CONNECTION and "Permission denied (publickey)" in said
    assert fetch.there() == {}


def test_a_file_beyond_the_units_limit_leaves_nothing(server, fetch):
    (limit,) = fetch.unit.values("LimitFSIZE")
    assert limit == "128M", "what the gateway takes at most"
    server.put(fetch.name(), LARGE)
    status, said = fetch.run(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    assert status != 0, said
    assert fetch.there() == {}
