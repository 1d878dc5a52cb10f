"""The till's power is cut at every call that somebody outside could notice, in sales of every kind."""
import random

import pytest

# Each line says what is sold, and what the person at the till answers: cents choose what the provider does.
SALES = {
    "sold": dict(cents=0),
    "held and paid": dict(cents=0, confirm="manual", answer="y\n"),
    "held and not paid": dict(cents=0, confirm="manual", answer="n\n"),
    "refused": dict(cents=1),
    "answer lost": dict(cents=2),
    "wrong order": dict(cents=0, nonsense=True),
}
SOLD = {"sold", "held and paid"}
# In this sale, which has every step, the power is cut everywhere unless that is too much; in the others it is cut at a
# sample.
EVERYWHERE = {"held and paid"}
SAMPLE = 6


def sell(world, till, kind, **how):
    sale = dict(SALES[kind])
    answer = sale.pop("answer", "")
    order = world.order(**sale)
    return order, till.sell(order, answer=answer, **how)


def cuts(world, till, kind, everywhere):
    """Returns at which calls the power is cut: at all, up to one that the sale does not have any more, or at a sample
    of them."""
    _, whole = sell(world, till, kind)
    if everywhere:
        yield from range(1, whole.counted + 1)
    else:
        chance = random.Random(kind)
        yield from sorted(chance.sample(range(1, whole.counted + 1), min(SAMPLE, whole.counted)))


def cut_everywhere(world, till, kind, everywhere):
    """Cuts the power in sale after sale, sometimes in what follows too. Returns what became of them, and how often."""
    chance = random.Random(kind)
    seen = {"killed": 0, "killed twice": 0, "sold": 0, "not sold": 0, "copies": 0}
    for at in cuts(world, till, kind, everywhere):
        order, run = sell(world, till, kind, kill=at)
        seen["killed"] += run.died
        if run.died and till.open_sales() and chance.random() < 0.5:
            seen["killed twice"] += till.settle(kill=chance.randint(1, run.counted)).died
        till.finish(order)
        seen["sold" if world.sold(order) else "not sold"] += 1
    seen["copies"] = sum(text.startswith("2ª VIA") for text in till.receipts())
    return seen


@pytest.mark.parametrize("kind", SALES)
def test_power_cuts(world, till, language, thorough, kind):
    everywhere = thorough or (language.few_calls and kind in EVERYWHERE)
    seen = cut_everywhere(world, till, kind, everywhere)
    print(kind, seen)
    assert seen["killed"] >= SAMPLE / 2, seen
    assert seen["not sold"] > 0, seen
    if kind in SOLD:
        assert seen["sold"] > 0, seen
    if everywhere:
        assert seen["killed twice"] > 0, seen
        assert (seen["copies"] > 0) == (kind in SOLD), seen
