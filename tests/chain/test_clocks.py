"""The clock of one gateway is an hour off: nothing that another gateway or a till is told depends on it."""
import datetime

import pytest
from harness import orders
from harness.chain import sell_until_told
from harness.orders import new_key
from harness.waiting import eventually

from cluster import clock_off

HOUR_S = 3600


@pytest.fixture(params=["+1h", "-1h"])
def chain(request, new_world):
    def make(**changes):
        world = new_world({"sale.confirm_window": "1m", "sale.late_arrival": "2s"} | changes)
        off = world.gateways["box-1"]
        off.wrapper += ["env", *(f"{name}={value}" for name, value in clock_off(request.param).items())]
        gateways = [gateway.start_ready() for gateway in world.gateways.values()]
        logged = [datetime.datetime.fromisoformat(one.events("started")[0]["time"]) for one in gateways]
        assert abs(abs((logged[0] - logged[1]).total_seconds()) - HOUR_S) < HOUR_S / 2, "the clock is not off"
        return world, *gateways

    return make


def test_sales_keys_and_tokens_know_no_clock(chain, new_tills):
    world, first, second = chain(**{"limits.hold": "5s"})
    world.start_balancer()
    tills = new_tills(world)
    for _ in range(3):
        tills.have_told(15)
        world.sandbox.expire_tokens()
    first.run.kill()
    tills.have_told(10)
    first.start_ready()
    second.run.kill()
    tills.have_told(10)
    second.start_ready()
    world.check_all(tills.stop())


@pytest.mark.parametrize("dies", [0, 1])
def test_a_hold_is_counted_by_the_clock_of_its_owner_and_a_till_is_told_the_truth_of_it(request, chain, dies):
    world, *gateways = chain(**{"limits.hold": "40s"})
    heir, dying = gateways[1 - dies], gateways[dies]
    # By the clock that is an hour ahead the time is over, and by the other one it is not.
    is_ahead = (request.node.callspec.params["chain"] == "+1h") == (dies == 1)
    confirmed, left = [dying.terminal().sell(orders.tv(confirm="manual"), new_key()).of(200).json for _ in range(2)]
    dying.run.kill()
    eventually(lambda: heir.events("sales.taken_over"), "they are taken over")
    if is_ahead:
        for held in (confirmed, left):
            assert world.settled(held["id"], at=heir)["status"] == "CANCELADA" == world.in_books(held)
            assert heir.terminal().confirm(held["id"]).of(409, "sale_final").json["outcome"] == "not_sold"
    else:
        assert heir.terminal().confirm(confirmed["id"]).of(200).json["outcome"] == "sold"
        assert world.in_books(confirmed) == "EFETIVADA"
        assert heir.terminal().sale(left["id"])["outcome"] == "held"
        assert heir.terminal().cancel(left["id"]).of(200).json["outcome"] == "not_sold"
        assert world.settled(left["id"], at=heir)["status"] == "CANCELADA" == world.in_books(left)
    assert sell_until_told([heir], orders.tv(), new_key()).of(200).json["outcome"] == "sold"
