"""Tests several gateways on one real PostgreSQL: whichever of them dies, is paused or stops, another one goes on with
its sales, and a till may call any of them."""
import signal

from harness import orders
from harness.chain import outcome_of, sell_until_told, start_selling
from harness.orders import new_key
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

REQUEST = b"POST /venda/tv/solicitar"
CONFIRM = b"POST /venda/tv/confirmar"
# This is longer than it takes to find out that a gateway is dead, so what it was confirming is confirmed.
PATIENT = {"sale.confirm_window": "1m", "provider.request_timeout": "20s"}


def runs_of(chain, name):
    """Returns the runs of a gateway that have not ended."""
    return chain.sql(f"SELECT run FROM gateways WHERE name = '{name}' AND ended = 0")


def test_what_a_killed_gateway_owned_is_settled_by_another(new_chain):
    chain = new_chain(PATIENT)
    first, second = chain.start()
    held = first.terminal().sell(orders.tv(confirm="manual"), new_key()).of(200).json
    lost, confirming = (new_key(), orders.tv()), (new_key(), orders.tv(4950))
    confirm = chain.gate.arm(CONFIRM, mute=True)
    calls = [start_selling(first, confirming[1], confirming[0])]
    eventually(lambda: confirm.hits == 1 and chain.sandbox.seen("confirmar", "tv") == 1, "it is being confirmed")
    request = chain.gate.arm(REQUEST, mute=True)
    calls.append(start_selling(first, lost[1], lost[0]))
    eventually(lambda: request.hits == 1 and chain.sandbox.seen("solicitar", "tv") == 3, "it is being asked for")
    first.kill()
    assert [call.result() for call in calls] == [None, None]

    # The second gateway is called at once, while nobody knows yet that the first one is dead: the calls wait for what
    # becomes of the first one's sales.
    sold = sell_until_told([second], confirming[1], confirming[0]).of(200)
    assert sold.json["outcome"] == "sold" and sold.header("Idempotency-Replayed") == "true"
    not_sold = sell_until_told([second], lost[1], lost[0]).of(504, "sale_cancelled")
    assert not_sold.json["outcome"] == "not_sold" and not_sold.sale["reason"]["code"] == "response_lost"
    assert second.terminal().confirm(held["id"]).of(200).json["outcome"] == "sold"
    for sale in (sold.json, not_sold.sale, held):
        chain.settled(sale["id"])
    in_books = [chain.in_books(sale) for sale in (sold.json, not_sold.sale, held)]
    assert in_books == ["EFETIVADA", "CANCELADA", "EFETIVADA"]
    assert len(second.events("sale.step", step="adopted")) == 3
    chain.check_books()


def test_a_gateway_that_stood_still_for_longer_than_its_lease_tells_nothing_wrong_and_goes_on(new_chain):
    chain = new_chain(PATIENT)
    first, second = chain.start()
    run_before = runs_of(chain, "box-1")
    order, key = orders.tv(), new_key()
    held = first.terminal().sell(orders.tv(4950, confirm="manual"), new_key()).of(200).json
    # The provider says yes, and the gateway reads that when the sale belongs to another one.
    chain.sandbox.faults({"step": "solicitar", "behaviour": "slow", "delay": "3s", "times": 1})
    call = start_selling(first, order, key)
    eventually(lambda: chain.sandbox.seen("solicitar", "tv") == 2, "the provider is asked")
    first.run.signal(signal.SIGSTOP)
    not_sold = sell_until_told([second], order, key).of(504, "sale_cancelled")
    assert second.terminal().confirm(held["id"]).of(200).json["outcome"] == "sold"
    chain.settled(held["id"], at=second)

    first.run.signal(signal.SIGCONT)
    assert outcome_of(call.result()) in ("pending", "not_sold")
    eventually(lambda: set(runs_of(chain, "box-1")) - set(run_before), "it goes on as a new run")
    assert sell_until_told([first], order, key).of(504, "sale_cancelled").sale["id"] == not_sold.sale["id"]
    assert first.terminal().sale(held["id"])["outcome"] == "sold"
    assert sell_until_told([first], orders.tv(), new_key()).of(200).json["outcome"] == "sold"
    eventually(lambda: chain.sql("SELECT id FROM sales WHERE taken_from IS NOT NULL") == [], "nothing may come late")
    assert chain.settled(not_sold.sale["id"])["status"] == "CANCELADA" == chain.in_books(not_sold.sale)
    assert chain.sandbox.seen("confirmar", "tv") == 2
    chain.check_books()


def test_a_till_may_call_any_gateway(new_chain):
    chain = new_chain()
    first, second = chain.start()
    here, there = first.terminal(), second.terminal()

    order, key = orders.tv(), new_key()
    told = here.sell(order, key).of(200)
    again = there.sell(order, key).of(200)
    assert again.header("Idempotency-Replayed") == "true"
    assert again.json["outcome"] == "sold"
    for name in ("id", "idExterno", "receipt", "instrucao", "complemento", "dataHora"):
        assert again.json[name] == told.json[name]
    there.sell(orders.tv(777), key).of(422, "idempotency_key_reused")

    held = [here.sell(orders.tv(confirm="manual"), new_key()).of(200).json for _ in range(2)]
    assert there.sale(held[0]["id"])["outcome"] == "held"
    assert there.cancel(held[0]["id"]).of(200).json["outcome"] == "not_sold"
    assert there.confirm(held[1]["id"]).of(200).json["outcome"] == "sold"
    here.confirm(held[0]["id"]).of(409, "sale_final")
    assert here.sale(held[1]["id"])["outcome"] == "sold"

    cancelled = new_key()
    there.cancel_key(cancelled).of(200)
    here.sell(orders.tv(), cancelled).of(409, "sale_final")

    # It is under way at one of them, and the other one's caller waits for the same sale.
    chain.sandbox.faults({"step": "confirmar", "behaviour": "slow", "delay": "1s", "times": 1})
    order, key = orders.tv(4950), new_key()
    calls = [start_selling(gateway, order, key) for gateway in (first, second)]
    answers = [call.result().of(200).json for call in calls]
    assert answers[0]["id"] == answers[1]["id"] and [answer["outcome"] for answer in answers] == ["sold", "sold"]

    # A callback comes to the one that does not own the sale.
    chain.callback_gate.shut()
    esim = here.sell(orders.esim(), new_key()).of(202).json
    chain.callbacks_go_to(second)
    chain.callback_gate.open()
    assert chain.settled(esim["id"])["status"] == "EFETIVADA"
    assert here.sale(esim["id"])["outcome"] == "sold"
    chain.check_books()


def test_a_gateway_that_stops_hands_over_at_once(new_chain):
    chain = new_chain()
    first, second = chain.start()
    held = [first.terminal().sell(orders.tv(confirm="manual"), new_key()).of(200).json for _ in range(2)]
    assert chain.sql("SELECT count(*) FROM sales WHERE owner LIKE 'box-1.%'") == ["2"]
    first.stop()
    # The stopping gateway itself gave its sales back. Nobody had to find out that it is dead, and nobody has to fear
    # that it may send something late.
    assert chain.sql("SELECT count(*) FROM sales WHERE owner LIKE 'box-1.%'") == ["0"]
    assert runs_of(chain, "box-1") == []
    assert second.terminal().confirm(held[0]["id"]).of(200).json["outcome"] == "sold"
    assert chain.sql("SELECT count(*) FROM sales WHERE taken_from IS NOT NULL") == ["0"]
    first.start_ready()
    assert first.terminal().cancel(held[1]["id"]).of(200).json["outcome"] == "not_sold"
    chain.check_books()


def test_every_gateway_tells_how_many_sales_need_a_person_whichever_has_marked_or_resolved_them(new_chain):
    chain = new_chain()
    gateways = first, _ = chain.start()
    sale = first.terminal().sell(orders.tv(), new_key()).of(200).json
    chain.sql(f"UPDATE sales SET attention = 'contradiction' WHERE id = '{sale['id']}'")
    tell(gateways, 1)
    first.admin.post(f"/v1/sales/{sale['id']}/resolve", {"note": "visto no portal"}).of(200)
    tell(gateways, 0)


def tell(gateways, total):
    for gateway in gateways:
        eventually(lambda: gateway.admin.get("/v1/status").of(200).json["attention"]["total"] == total, f"{total}")
        assert f'gateway_sales_attention{{attention="contradiction"}} {total}' in gateway.admin.get("/metrics").body.decode()


def test_gateways_that_do_not_go_together_are_refused_in_words(new_chain, tmp_path):
    chain = new_chain(names=["box-1"])
    (first,) = chain.start()

    def refused(folder, name, changes=None):
        other = chain.add(tmp_path / folder, name, changes)
        del chain.gateways[folder]
        code, out, err = run_to_end([GATEWAY, "--config", str(other.config)], tmp_path)
        assert code == 1, f"{code}: {out}{err}"
        return err

    twin = refused("twin", "box-1")
    assert "another gateway with the name box-1 is running on it: each needs a name of its own" in twin
    stranger = refused("stranger", "box-2", {"sale.late_arrival": "7s"})
    assert "the gateway box-1 that is running on it has another provider" in stranger
    assert len(runs_of(chain, "box-1")) == 1 and runs_of(chain, "box-2") == []
    assert sell_until_told([first], orders.tv(), new_key()).of(200).json["outcome"] == "sold"
    chain.check_books()


def test_of_two_gateways_with_one_name_that_start_at_once_one_runs(new_chain, tmp_path):
    chain = new_chain(names=["box-1"])
    first, twin = chain.gateways["box-1"], chain.add(tmp_path / "twin", "box-1")
    first.start_ready().stop()

    def both_wait():
        for gateway in (first, twin):  # systemd does this with a process that ended
            if not gateway.runs or not gateway.run.running():
                gateway.launch()
        return chain.sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == ["2"]

    with chain.postgres.holding("gateways", "SHARE", chain.database):
        eventually(both_wait, "both wait for the table of the runs, or for each other")
    ended = eventually(lambda: [one for one in (first, twin) if not one.run.running()], "one of them is refused")
    assert len(ended) == 1 and ended[0].run.wait() == 1
    assert "another gateway with the name box-1 is running on it: each needs" in ended[0].run.errors()
    assert len(runs_of(chain, "box-1")) == 1
    chain.gateways = {"box-1": first if ended[0] is twin else twin}
    (running,) = chain.gateways.values()
    running.await_listening()
    assert sell_until_told([running], orders.tv(), new_key()).of(200).json["outcome"] == "sold"
    chain.check_books()


def test_a_gateway_that_wakes_up_beside_its_namesake_owns_nothing_and_says_why(new_chain, tmp_path):
    chain = new_chain(PATIENT | {"sale.late_arrival": "2s"}, names=["box-1"])
    (first,) = chain.start()
    twin = chain.add(tmp_path / "twin", "box-1")
    request = chain.gate.arm(REQUEST, mute=True)
    order, key = orders.tv(), new_key()
    call = start_selling(first, order, key)
    eventually(lambda: request.hits == 1, "it is being asked for")
    first.run.signal(signal.SIGSTOP)
    twin.start_ready()
    not_sold = sell_until_told([twin], order, key).of(504, "sale_cancelled").sale
    waiting = "SELECT count(*) FROM sales WHERE taken_from IS NOT NULL"
    assert chain.sql(waiting) == ["1"], "its first process may yet send the request"

    first.run.signal(signal.SIGCONT)
    said = first.await_event("journal.unavailable", level="warn")
    assert "another gateway with the name box-1 is running on it" in said["detail"]
    assert first.admin.get("/readyz").status == 503
    assert outcome_of(call.result()) in ("pending", "not_sold")
    eventually(lambda: chain.sql(waiting) == ["0"], "it says what it may have sent")
    assert len(runs_of(chain, "box-1")) == 1
    assert chain.settled(not_sold["id"], at=twin)["status"] == "CANCELADA"
    twin.stop()
    first.await_event("journal.healed")
    assert first.admin.get("/readyz").status == 200
    assert sell_until_told([first], orders.tv(), new_key()).of(200).json["outcome"] == "sold"
    chain.check_books()


def test_a_gateway_that_wakes_up_on_a_journal_that_was_moved_away_says_so_and_sells_nothing(new_chain, tmp_path):
    chain = new_chain(names=["box-1"])
    (gateway,) = chain.start()
    gateway.terminal().sell(orders.tv(), new_key()).of(200)
    gateway.run.signal(signal.SIGSTOP)
    journal = gateway.document["journal"]
    words = [GATEWAY, "copy-journal", "--config", str(gateway.config), "--from", journal["url"],
             "--to", str(tmp_path / "file.db"), "--password-file", journal["password_file"]]  # fmt: skip
    status, out, err = run_to_end(words, tmp_path)
    assert status == 0, out + err
    asked = chain.sandbox.seen("solicitar", "tv")

    gateway.run.signal(signal.SIGCONT)
    why = "the journal was moved to another place by sales-gateway copy-journal"
    eventually(lambda: any(why in reason for reason in gateway.admin.get("/v1/status").json["reasons"]), "it says so")
    assert gateway.admin.get("/readyz").status == 503
    assert gateway.terminal().sell(orders.tv(), new_key()).status == 503
    assert chain.sandbox.seen("solicitar", "tv") == asked
