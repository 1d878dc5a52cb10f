"""These clients do not keep their word: each must be found, or the other tests prove nothing."""
import pytest

from test_power_cuts import sell
from world import Broken, World


def power_cuts(world, till):
    """Does as test_power_cuts: it cuts everywhere in one sale after the other."""
    _, whole = sell(world, till, "sold")
    for at in range(whole.counted, 0, -1):
        order, run = sell(world, till, "sold", kill=at)
        if run.died:
            till.finish(order)


def cut_lines(world, till):
    """Does as test_network: the answer to the sell is lost, once and again."""
    for at in (0, 100, 500):
        order = world.order()
        world.line.cut(b"POST /v1/sell ", down=at)
        world.line.cut(b"POST /v1/sell ", down=at)
        till.sell(order)
        till.finish(order)


FINDERS = {"power cuts": power_cuts, "cut lines": cut_lines}


def test_mutant(mutant, language, power_cut, tmp_path):
    broken = language.mutants[mutant]
    world = World(tmp_path, language.make(tmp_path / "built", broken), power_cut)
    try:
        with pytest.raises(Broken) as found:
            FINDERS[broken.found_by](world, world.till())
        print(f"{mutant}: {found.value}")
    finally:
        world.close()


def test_mutant_that_fits_no_more_is_noticed(language, tmp_path):
    broken = next(iter(language.mutants.values()))
    broken = type(broken)(broken.file, "what nobody would write", "", broken.found_by)
    with pytest.raises(AssertionError, match="what the mutant is to replace"):
        language.make(tmp_path / "built", broken)
