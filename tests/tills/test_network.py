"""The line to the gateway is cut, at bytes of every call and of every answer; addresses are dead; the gateway is killed."""
import random

import pytest

from harness.client import Background
from harness.waiting import eventually
from line import NOWHERE

# This is what a call's first bytes contain, by which it is known, and the kind of sale that makes it.
CALLS = {
    "sell": (b"POST /v1/sell ", dict()),
    "confirm": (b"/confirm ", dict(confirm="manual")),
    "cancel": (b"POST /v1/cancel ", dict(nonsense=True)),
    "receipt": (b"/receipt?", dict()),
}
SAMPLE = 3


def whole_sizes(world, till, on, kind):
    """Returns the bytes of the call and of its answer if nothing is cut: they hardly differ from sale to sale."""
    whole = world.line.cut(on, up=NOWHERE)
    till.sell(world.order(**kind), answer="y\n")
    return eventually(lambda: whole.sizes, "the sizes of a call")


def places(up, down, chance, many):
    """Returns the ends of both directions, and bytes between them."""
    for at in [0, up - 1] + [chance.randrange(1, up) for _ in range(many)]:
        yield dict(up=at)
    for at in [0, down - 1] + [chance.randrange(1, down) for _ in range(many)]:
        yield dict(down=at)


@pytest.mark.parametrize("call", CALLS)
def test_cut_lines(world, till, thorough, call):
    on, kind = CALLS[call]
    chance = random.Random(call)
    up, down = whole_sizes(world, till, on, kind)
    done = 0
    for where in places(up, down, chance, 10 * SAMPLE if thorough else SAMPLE):
        order = world.order(**kind)
        cut = world.line.cut(on, reset=chance.random() < 0.5, **where)
        run = till.sell(order, answer="y\n")
        order.history.append(str(cut))
        world.line.disarm()
        done += cut.done
        assert run.status == (1 if call == "cancel" else 0), (str(cut), run)
        till.finish(order)
        assert world.sold(order) == (call != "cancel"), f"{order}: a sale is repeated until it has come through"
    assert done >= 2 * SAMPLE, done
    copies = sum(text.startswith("2ª VIA") for text in till.receipts())
    assert (copies > 0) == (call == "receipt"), copies


def test_every_answer_is_cut(world, till):
    """No answer ever comes: the till knows nothing, and says so; it finds out as soon as the line is whole again."""
    order = world.order()
    for _ in range(40):
        world.line.cut(b"POST /v1/sell ", down=random.Random(order.valor).randrange(500))
    run = till.sell(order)
    assert run.status == 2 and run.out.startswith("pending "), run
    assert "settle" in run.err, run
    world.line.disarm()
    till.finish(order)
    assert world.sold(order)


def test_gateway_that_cannot_be_reached(world, till):
    order = world.order()
    world.line.shut()
    run = till.sell(order)
    assert run.status == 2 and run.out.startswith("pending ") and "settle" in run.err, run
    assert till.settle().status == 2
    assert till.run("options").status == 69
    world.line.open()
    till.finish(order)
    assert world.sold(order)


def test_next_sale_does_not_wait_for_one_that_is_open(world, till):
    first, second = world.order(), world.order()
    world.line.shut()
    assert till.sell(first).status == 2
    assert till.sell(second).status == 2
    assert len(till.open_sales()) == 2
    world.line.open()
    till.finish()
    for order in (first, second):
        world.check(order)
        assert world.sold(order)


def test_second_address_where_the_first_is_dead(world, till):
    dead = world.dead_address()
    for addresses in (f"{dead},{world.line.url}", f"{world.line.url},{dead}", f"{dead},{world.line.url}/,{dead}"):
        order = world.order(confirm="manual")
        run = till.sell(order, answer="y\n", addresses=addresses)
        assert run.status == 0, run
        world.check(order)
    assert till.run("options", addresses=f"{dead},{world.line.url}").status == 0


def test_second_address_where_the_first_is_somebody_else(world, till):
    """A web server that answers 200 to everything, knows nothing, or sends everybody elsewhere sells nothing."""
    for status in ("200 OK", "302 Found\r\nLocation: " + world.line.url, "404 Not Found", "503 Service Unavailable"):
        order = world.order(confirm="manual")
        with world.stranger(status) as address:
            run = till.sell(order, answer="y\n", addresses=f"{address},{world.line.url}")
        assert run.status == 0, run
        world.check(order)


@pytest.mark.parametrize("step", ["solicitar", "confirmar"])
def test_gateway_is_killed_in_the_middle_of_a_sale(world, till, language, step):
    """The till is not in a hurry, and repeats its call until the gateway is back."""
    order = world.order()
    pause = world.shop.gate.pause(f"/{step}".encode())
    sale = Background(till.sell, order, hurry=False)
    pause.wait_until_reached()
    world.shop.gateway.kill()
    pause.resume()
    world.shop.gateway.start_ready()
    run = sale.result()
    assert run.status in (0, 1) or language.hurry, run
    till.finish(order)


def test_power_cut_of_both(world, till):
    """The gateway dies in the middle of a sale, and so does the till while it waits for it."""
    order = world.order()
    pause = world.shop.gate.pause(b"/confirmar")
    sale = Background(till.sell, order, kill=till.sell(world.order()).counted)
    pause.wait_until_reached()
    world.shop.gateway.kill()
    pause.resume()
    sale.result()
    till.settle()
    world.shop.gateway.start_ready()
    till.finish(order)
