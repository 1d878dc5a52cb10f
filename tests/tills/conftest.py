"""Chooses which till is tried, and makes the store that it stands in.

    pytest tests/tills --till python [--thorough]

GATEWAY_BIN and SANDBOX_BIN name the two programs, as for the end-to-end tests.
"""
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

from harness.tracing import compiled  # noqa: E402
from languages import LANGUAGES  # noqa: E402
from world import World  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--till", choices=LANGUAGES, required=True, help="the language of the till that is tried")
    parser.addoption("--thorough", action="store_true", help="cut the power everywhere, not only at a sample")


def pytest_generate_tests(metafunc):
    if "mutant" in metafunc.fixturenames:
        metafunc.parametrize("mutant", LANGUAGES[metafunc.config.getoption("--till")].mutants)


@pytest.fixture(scope="session")
def language(request):
    return LANGUAGES[request.config.getoption("--till")]


@pytest.fixture(scope="session")
def thorough(request):
    return request.config.getoption("--thorough")


@pytest.fixture(scope="session")
def power_cut(tmp_path_factory):
    return compiled(HERE / "power_cut.c", tmp_path_factory.mktemp("power_cut"))


@pytest.fixture(scope="session")
def command(language, tmp_path_factory):
    return language.make(tmp_path_factory.mktemp("till") / "built")


@pytest.fixture(scope="module")
def world(request, tmp_path_factory, command, power_cut):
    """Makes the store that a module's tests share, with the CONFIG that it names. At its end all three books must
    agree."""
    made = World(tmp_path_factory.mktemp("world"), command, power_cut, getattr(request.module, "CONFIG", None))
    try:
        yield made
        made.check_all()
    finally:
        made.close()


@pytest.fixture
def till(world):
    """Makes a till for one test; its line to the gateway is whole again afterwards."""
    yield world.till()
    world.line.open()
    world.line.disarm()
    world.shop.sandbox.no_faults()
