"""A database that was put back to an earlier time, and a machine that will not return: what a gateway cannot mend is
noticed, no gateway owns a sale meanwhile, and an operator decides."""
import json

from harness import orders
from harness.chain import sell_until_told, start_selling
from harness.orders import new_key
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

REQUEST = b"POST /venda/tv/solicitar"


def test_a_restored_database_is_noticed_and_no_sale_is_owned_until_it_is_marked(new_chain, postgres):
    chain = new_chain({"sale.confirm_window": "1m"})
    first, second = gateways = chain.start()
    held = first.terminal().sell(orders.tv(confirm="manual"), new_key()).of(200).json
    postgres.copy()
    chain.has_healed()
    key = new_key()
    lost = sell_until_told(gateways, orders.tv(), key).of(200).json
    assert chain.in_books(lost) == "EFETIVADA"
    postgres.put_back()

    for gateway in gateways:
        gateway.await_event("journal.lost")
        eventually(lambda: b"mark-restored" in gateway.admin.get("/readyz").body, "it says why, and what to do")
        # The key that is missing in the database does not sell a second time.
        gateway.terminal().sell(orders.tv(), key).of(503, "journal_unavailable")
        gateway.terminal().confirm(held["id"]).of(503, "journal_unavailable")
    assert chain.sandbox.seen("solicitar", "tv") == 2
    assert chain.sandbox.transaction(held["idExterno"])["status"] == "AUTORIZADA"

    second.kill()
    code, _, err = run_to_end([GATEWAY, "--config", str(second.config)], second.config.parent)
    assert code == 1 and "has lost commits that it had acknowledged" in err

    said = chain.command("box-1", "mark-restored", "--yes")
    assert "that it has lost commits was noticed by box-" in said
    assert "sales for a person to look at: 1" in said
    assert json.loads(chain.command("box-1", "attention", "--json"))["id"] == held["id"]
    second.start_ready()
    chain.has_healed()
    # Only the provider decides what the database held open: it is cancelled, and never confirmed.
    assert chain.settled(held["id"])["status"] == "CANCELADA" == chain.in_books(held)
    assert sell_until_told(gateways, orders.tv(), new_key()).of(200).json["outcome"] == "sold"
    assert chain.in_books(lost) == "EFETIVADA"


def test_a_machine_that_will_not_return_is_let_go_of(new_chain):
    chain = new_chain({"sale.late_arrival": "2s"})
    first, second = chain.start()
    request = chain.gate.arm(REQUEST, mute=True)
    key = new_key()
    call = start_selling(first, orders.tv(), key)
    eventually(lambda: request.hits == 1, "it is being asked for")
    first.kill()
    call.result()
    not_sold = sell_until_told([second], orders.tv(), key).of(504, "sale_cancelled").sale
    listed = [json.loads(line) for line in chain.command("box-2", "gateways", "--json").splitlines()]
    assert [(one["name"], one["state"]) for one in listed] == [("box-1", "stopped"), ("box-2", "runs")]
    assert listed[0]["waitingSales"] == [not_sold["id"]]
    assert "gateways --gone box-1" in chain.command("box-2", "gateways")

    assert "box-2 runs" in chain.command("box-2", "gateways", "--gone", "box-2", expected=1)
    assert "knows no gateway box-7" in chain.command("box-2", "gateways", "--gone", "box-7", expected=1)
    assert "go on now: 1" in chain.command("box-2", "gateways", "--gone", "box-1")
    listed = [json.loads(line) for line in chain.command("box-2", "gateways", "--json").splitlines()]
    assert [one["name"] for one in listed] == ["box-2"]
    eventually(lambda: chain.sql("SELECT sale FROM forwarded_commands") == [], "what it may have sent late is decided")
    chain.settled(not_sold["id"])
    chain.check_books()
