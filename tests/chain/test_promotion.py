"""The primary is lost: a standby that has everything keeps everything, and one that lags is found out."""
import json

from harness import orders
from harness.chain import sell_until_told
from harness.orders import new_key
from harness.waiting import eventually

PATIENT = {"sale.confirm_window": "1m", "sale.late_arrival": "5s", "limits.hold": "10s"}


def test_a_promotion_under_load_loses_and_mistells_nothing(new_world, new_tills):
    world = new_world(PATIENT)
    gateways = world.start()
    tills = new_tills(world)
    for rewind in (False, True):
        tills.have_told(25)
        world.fail_over(rewind)
    tills.have_told(25)
    ledger = tills.stop()
    for gateway in gateways:
        assert gateway.events("journal.away") and gateway.events("journal.back")
        assert not gateway.events("journal.lost")
    world.check_all(ledger)


def test_a_promoted_standby_that_lost_commits_is_noticed_and_no_sale_is_owned_until_it_is_marked(new_world):
    world = new_world(PATIENT | {"limits.hold": "5m"})
    gateways = world.start()
    first, second = gateways
    held = sell_until_held(first)
    world.cluster.be_asynchronous()
    world.network.cut("db-1", "db-2")
    lost = [new_key() for _ in range(5)]
    sold = [sell_until_told(gateways, orders.tv(), key).of(200).json for key in lost]
    assert [world.in_books(sale) for sale in sold] == ["EFETIVADA"] * 5
    asked = world.sandbox.seen("solicitar", "tv")
    world.kill_primary()
    world.cluster.promote()
    # It must not come earlier: the kernel still has what the primary wrote last, and sends it once it can.
    world.network.heal("db-1", "db-2")

    for gateway in gateways:
        gateway.await_event("journal.lost")
        eventually(lambda: b"mark-restored" in gateway.admin.get("/readyz").body, "it says why, and what to do")
        # Keys that the new primary has never heard of are not sold a second time.
        for key in lost:
            gateway.terminal().sell(orders.tv(), key).of(503, "journal_unavailable")
        gateway.terminal().confirm(held["id"]).of(503, "journal_unavailable")
    assert world.sandbox.seen("solicitar", "tv") == asked
    assert world.in_books(held) == "AUTORIZADA"

    said = world.command("box-1", "mark-restored", "--yes")
    assert "that it has lost commits was noticed by box-" in said
    world.has_healed()
    assert json.loads(world.command("box-1", "attention", "--json"))["id"] == held["id"]
    # For what the database held open, only the provider's word counts: it is cancelled, and never confirmed.
    assert world.settled(held["id"])["status"] == "CANCELADA" == world.in_books(held)
    assert [world.in_books(sale) for sale in sold] == ["EFETIVADA"] * 5
    world.cluster.remake(rewind=True)
    world.cluster.be_strict()
    assert sell_until_told(gateways, orders.tv(), new_key()).of(200).json["outcome"] == "sold"
    world.check_both_databases()


def sell_until_held(gateway):
    return gateway.terminal().sell(orders.tv(confirm="manual"), new_key()).of(200).json
