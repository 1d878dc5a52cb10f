"""These are the worlds of the scenarios. run.sh calls pytest, in its namespaces."""
import pytest

from tills import Tills
from world import BALANCER, World


@pytest.fixture
def new_world(tmp_path_factory):
    """Makes the chain, which is not started yet; each test has one."""
    worlds = []

    def make(changes=None, **more):
        # The path is short, since that of a socket must be; and the databases' user must get through to it.
        folder = tmp_path_factory.mktemp("world")
        folder.parent.chmod(0o755)
        worlds.append(World(folder, changes, **more))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()


@pytest.fixture
def new_tills():
    """Makes tills for a chain that runs; those that a failed test leaves must not call the next one's."""
    made = []

    def make(world, **more):
        places = [BALANCER, *(gateway.ports["terminals"] for gateway in world.gateways.values())]
        made.append(Tills(places, **more))
        return made[-1]

    yield make
    for tills in made:
        tills.leave()
