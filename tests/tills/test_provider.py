"""The provider and the gateway say no, say nothing yet, or ask back; whatever they do, the till knows it in the end."""
import json

import pytest

from harness import orders
from harness.waiting import eventually

# Each amount of these orders is asked for once, except the one that is meant to be asked for twice.
CONFIG = {"sale.duplicate_window": "10m"}
# This is the table of docs/sandbox.md, by the last two digits of the amount, with whether the sale is sold.
FAULTS = {
    1: False, 2: False, 3: False, 4: True, 5: False, 6: False, 7: None, 8: False, 9: False, 10: False,
    12: True, 13: True, 15: True, 16: True, 17: False, 18: None, 22: False, 25: False,
}


@pytest.mark.parametrize("cents", FAULTS)
def test_fault(world, till, cents):
    order = world.order(cents)
    run = till.sell(order)
    assert run.status in (0, 1, 2), run
    till.finish(order)
    if FAULTS[cents] is not None:
        assert world.sold(order) == FAULTS[cents], (order, run)


def test_refusal_says_why(world, till):
    run = till.sell(world.order(1))
    assert run.status == 1 and "operacao recusada" in run.out, run


def test_wrong_order_says_why_and_is_cancelled_by_its_key(world, till):
    order = world.order(nonsense=True)
    run = till.sell(order)
    assert run.status == 1 and "nonsense" in run.out, run
    key = run.out.split()[1]
    late = world.shop.till.sell(orders.tv(order.valor), key)  # a copy of it was still under way
    assert late.status == 409 and late.header("Sale-Outcome") == "not_sold", late
    world.check(order)


def test_wrong_key(world, till):
    """Nothing can be done with this key, and nothing is forgotten: the sale stays open until there is the right one."""
    order = world.order()
    run = till.sell(order, key="wrong")
    assert run.status == 2 and run.out.startswith("pending ") and len(till.open_sales()) == 1, run
    assert "key" in run.err, run
    till.finish(order)
    assert not world.sold(order)


def test_held(world, till):
    for answer, sold in (("y\n", True), ("n\n", False), ("", False), ("what?\n", False)):
        order = world.order(confirm="manual")
        run = till.sell(order, answer=answer)
        assert run.status == (0 if sold else 1), run
        assert till.open_sales() == []
        assert world.sold(order) == sold
        world.check(order)


def test_nobody_is_asked_for_money_before_it_is_held(world, till):
    for order in (world.order(), world.order(1, confirm="manual"), world.order(confirm="manual", nonsense=True)):
        run = till.sell(order, answer="y\n")
        assert "Paid?" not in run.out + run.err, run
        world.check(order)


def test_possible_duplicate(world, till):
    """The gateway asks back if the same is sold twice: it is not sold until the order says so."""
    order = world.order()
    assert till.sell(order).status == 0
    run = till.sell(order)
    assert run.status == 1 and till.open_sales() == [], run
    world.check(order)


def test_esim_that_is_answered_later(world, till):
    order = world.order(make=orders.esim)
    world.shop.callback_gate.shut()
    run = till.sell(order)
    world.shop.callback_gate.open()
    assert run.status == 2 and run.out.startswith("pending ") and till.receipts() == [], run
    till.finish(order)
    assert world.sold(order)


def test_what_is_open_is_finished_before_the_next_sale(world, till):
    first, second = world.order(), world.order()
    world.line.shut()
    assert till.sell(first).status == 2
    world.line.open()
    run = till.sell(second)
    lines = run.out.splitlines()
    assert run.status == 0 and [line.split()[0] for line in lines] == ["sold", "sold"], run
    assert till.open_sales() == []
    for order in (first, second):
        world.check(order)


def test_options_and_another_copy(world, till):
    run = till.run("options")
    assert run.status == 0 and "families" in json.loads(run.out), run
    run = till.run("options", "family=tv&produto=TV%20Livre")
    assert run.status == 0 and json.loads(run.out)["options"], run
    order = world.order()
    sale_id = till.sell(order).out.split()[2]
    assert till.run("receipt", sale_id).status == 0
    first, second = till.receipts()
    assert second == "2ª VIA\n" + first
    assert till.run("receipt", "01M8BECMEPPJP39MMPPQTGY2X7").status == 69


def test_wrong_usage(till):
    for arguments in ((), ("sell",), ("settle", "more"), ("receipt",), ("nonsense",), ("sell", "one", "two")):
        run = till.run(*arguments, usage=True)
        assert run.status == 64 and "settle" in run.err, run
    assert till.open_sales() == []


def test_three_sales_that_are_open_end_together(world, till):
    made = [world.order(), world.order(1), world.order(confirm="manual")]
    world.line.shut()
    for order in made:
        till.sell(order)
    world.line.open()
    till.finish()
    eventually(lambda: till.open_sales() == [], "nothing is open")
    assert [world.sold(order) for order in made] == [True, False, False]  # nobody noted that the last one was paid
    for order in made:
        world.check(order)
