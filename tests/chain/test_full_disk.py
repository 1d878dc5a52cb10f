"""The disk of the primary is full."""
import subprocess

from harness import orders
from harness.chain import said_of, sell_until_told
from harness.orders import new_key
from harness.waiting import LIMIT_S, eventually

# This is room for an empty cluster with small files for its write-ahead log, and for the same again.
DISK_MB = 160


def small_disk(world):
    """Makes a file system of its own for the data of the first primary."""
    data = world.cluster.primary.data
    data.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,uid=postgres,gid=postgres,mode=700", "tmpfs", data],
                   check=True)


def test_a_full_disk_of_the_primary_refuses_sales_in_words_and_heals_when_there_is_room(new_world, new_tills):
    world = new_world({"sale.confirm_window": "2m", "sale.late_arrival": "2s", "limits.hold": "5m"},
                      prepare=small_disk, initdb=["--wal-segsize=1"])  # fmt: skip
    first, second = gateways = world.start()
    tills = new_tills(world, number=3, decisions=("confirm", "cancel"))
    tills.have_told(15)
    ledger, till = tills.ledger, first.terminal()
    held = till.sell(orders.tv(confirm="manual"), new_key()).of(200)
    told = ledger.of("held")
    ledger.note(told, held, None)
    filler = world.cluster.primary.data / "filler"
    # It ends where there is no room.
    assert subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=64k"], capture_output=True).returncode == 1

    refused, unknown = [], []

    def refuses(gateway):
        """Says whether a new sale is refused without having begun; if anything else comes of it, a till would ask for
        it again."""
        order, key = orders.tv(), new_key()
        answer = said_of(gateway.terminal().sell, order, key, 1)
        if ledger.note(ledger.of(key), answer, None) == "pending":
            begun = answer is None or "outcome" in answer.json
            (unknown if begun else refused).append((order, key))
            return not begun and answer.code == "journal_unavailable"
        return False

    for gateway in gateways:
        eventually(lambda: refuses(gateway), "new sales are refused", 3 * LIMIT_S)
        eventually(lambda: gateway.events("journal.refused") or gateway.events("journal.away"), "it says why")
        eventually(lambda: gateway.admin.get("/readyz").status == 503, "it is not ready")
    assert world.in_books(held.json) == "AUTORIZADA"
    assert "No space left on device" in world.cluster.primary.server.errors()

    filler.unlink()
    # If it could not write its log, it has ended, and is started again as by its unit.
    if not world.cluster.primary.running():
        world.cluster.primary.start()
    world.has_healed()
    tills.have_told(10)
    ledger.note(told, eventually(lambda: said_of(till.confirm, held.json["id"]), "it is confirmed").of(200), None)
    assert told.final == "sold"
    for order, key in unknown:
        ledger.note(ledger.of(key), sell_until_told(gateways, order, key), None)
    world.check_all(tills.stop())
    for _, key in refused:
        assert ledger.of(key).sale is None  # this makes sure that check_all knows of no sale that nobody was told of
