"""Has the fixtures: one store a module, and further ones for tests that need a world of their own.

A module may say how its store is: CONFIG (dotted configuration keys), SANDBOX (arguments), and BOOKS = False where its
tests leave sales that nobody can settle, so that the books cannot be compared at the end.
"""
import os
import pathlib
import subprocess

import pytest

from harness import contract
from harness.chain import Chain
from harness.fake_provider import FakeProvider
from harness.postgres import Postgres
from harness.processes import GATEWAY, SANDBOX
from harness.shop import Shop


def pytest_sessionstart(session):
    for program in (GATEWAY, SANDBOX):
        if not os.access(program, os.X_OK):
            pytest.exit(f"{program} is not there: build it, or set GATEWAY_BIN and SANDBOX_BIN", returncode=2)
    contract.SEEN.begin()


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: getattr(item.module, "LAST", False))


@pytest.fixture(scope="module")
def shop(request, tmp_path_factory):
    """Makes the store that the module's tests share. Afterwards its journal must agree with the provider's books."""
    module = request.module
    folder = tmp_path_factory.mktemp(pathlib.Path(module.__file__).stem)
    store = Shop(folder, getattr(module, "CONFIG", None), getattr(module, "SANDBOX", None))
    try:
        store.start()
        yield store
        if getattr(module, "BOOKS", True):
            store.check_books()
    finally:
        store.close()


@pytest.fixture
def no_faults(shop):
    """Undoes whatever the test made the provider or the network do."""
    yield
    shop.gate.open()
    shop.gate.disarm()
    shop.gate.reset_all = False
    shop.gate.trickle = None
    shop.sandbox.no_faults()


@pytest.fixture
def new_shop(tmp_path):
    """Makes stores of a test's own: new_shop(changes, sandbox={...}, provider=...). They are not started yet."""
    stores = []

    def make(changes=None, **more):
        folder = tmp_path / f"store-{len(stores) + 1}"
        folder.mkdir()
        stores.append(Shop(folder, changes, **more))
        return stores[-1]

    yield make
    _close_all(stores)


@pytest.fixture(scope="module")
def postgres():
    """Makes the database server that the module's tests share."""
    server = Postgres()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def new_chain(tmp_path, postgres):
    """Makes gateways that share a journal of a test's own: new_chain(changes, names=[...]). They are not started
    yet."""
    chains = []

    def make(changes=None, **more):
        chains.append(Chain(tmp_path, postgres, changes, **more))
        return chains[-1]

    yield make
    _close_all(chains)


def _close_all(made):
    failures = []
    for one in made:
        try:
            one.close()
        except AssertionError as failure:
            failures.append(failure)
    if failures:
        raise failures[0]


@pytest.fixture
def provider():
    """Makes a provider that the test scripts."""
    fake = FakeProvider()
    yield fake
    fake.close()


@pytest.fixture
def small_disk(tmp_path):
    """Makes a file system with twelve megabytes of room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", folder], capture_output=True).returncode != 0:
        pytest.skip("only root may mount")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)
