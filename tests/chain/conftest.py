"""The worlds of the scenarios. run.sh calls pytest, in its namespaces."""
import pytest

from tills import Tills
from world import BALANCER, World


@pytest.fixture
def new_world(tmp_path_factory):
    """Makes the chain, not started yet; one a test."""
    worlds = []

    def make(changes=None, **more):
        # Short, since the path of a socket must be; and the databases' user must get through to it.
        folder = tmp_path_factory.mktemp("world")
        folder.parent.chmod(0o755)
        worlds.append(World(folder, changes, **more))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()


@pytest.fixture
def new_tills():
    """Tills at a chain that runs; what a failed test leaves of them must not call at the next one's."""
    made = []

    def make(world, **more):
        places = [BALANCER, *(gateway.ports["terminals"] for gateway in world.gateways.values())]
        made.append(Tills(places, **more))
        return made[-1]

    yield make
    for tills in made:
        tills.leave()
